//! The table of features counts what a query for each of them finds.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::query::compile;
use plyfold_core::reduce::features::{FEATURES, Features};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::measure;
use plyfold_tests::games::{Aligned, corpus};
use plyfold_tests::queries::{cases, games};
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn the_table_has_what_queries_find(
        games in games(),
        query in prop::sample::select(&["", "queens_off", "white pawn on e4", "ply <= 20 and not check"][..]),
        shard in 1usize..9,
    ) {
        let bytes = Aligned::new(&corpus(&games, shard));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let spans = corpus_spans(&corpus);
        let table = ReducerSelection { outputs: vec![FEATURES.output()], ..ReducerSelection::default() };
        let found = run_query(&spans, &compile(query).expect("a query"), &table, &()).expect("nobody cancels");
        let table: &Features = found.outputs[0].of_type().expect("the features");
        let counted = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
        let mut rows = 0;
        for feature in measure::FEATURES.iter().filter(|feature| !feature.is_of_pieces()) {
            let sides: &[&str] = if feature.has_sides { &["white", "black"] } else { &[""] };
            for side in sides {
                let text = format!("{side} {}", feature.name);
                let together = if query.is_empty() { text } else { format!("{{ {query} and {text} }}") };
                let asked = compile(&together).expect(&together);
                let expected = run_query(&spans, &asked, &counted, &()).expect("nobody cancels").count;
                let row = table.rows.iter().find(|row| row.feature == feature.name && row.side == *side);
                let counted = row.map_or((0, 0), |row| (row.results.games(), row.positions));
                prop_assert_eq!(counted, (expected.games, expected.positions), "{}", together);
                rows += usize::from(row.is_some());
            }
        }
        prop_assert_eq!(rows, table.rows.len());
    }
}
