//! A condition in a table finds what its row counts: the games or positions are asked in two ways.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::keys::parse_key;
use plyfold_core::query::compile;
use plyfold_core::reduce::key::{GroupingKey, KEY_FEATURES};
use plyfold_core::reduce::output::{OUTPUTS, Output, OutputArgument, OutputDefinition};
use plyfold_core::reduce::partition::PartitionRule;
use plyfold_core::reduce::result_table::ResultCell;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_tests::games::{Aligned, corpus};
use plyfold_tests::queries::{cases, games};
use proptest::prelude::*;

/// An output, once for each key if it takes one. Endgames have a test of their own (`table_queries`), since they also count start
/// positions, which are no plies.
fn of_each_key(definition: &'static OutputDefinition) -> Vec<Output> {
    let keys = KEY_FEATURES.iter().map(|feature| GroupingKey::Feature(feature));
    let keys = keys.chain(["count(white pawn)", "points(white) - points(black)"].map(|key| parse_key(key).expect(key)));
    match definition.argument {
        _ if definition.asks_tables => Vec::new(),
        OutputArgument::Nothing | OutputArgument::Maximum(_) => vec![definition.output()],
        OutputArgument::Key => keys.map(|key| definition.by(key)).collect(),
        OutputArgument::KeyWithRule => keys.map(|key| definition.by(key).ruled_by(PartitionRule::Ever)).collect(),
    }
}

/// How many games and positions match.
fn count(spans: &[GameSpan<'_>], text: &str) -> (u64, u64) {
    let query = compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let selection = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
    let count = run_query(spans, &query, &selection, &()).expect("nobody cancels").count;
    (count.games, count.positions)
}

fn compare(spans: &[GameSpan<'_>], output: &Output) -> usize {
    let everything = compile("").expect("a query");
    let found = run_query(spans, &everything, &ReducerSelection::of(output.clone()), &()).expect("nobody cancels");
    let table = found.outputs[0].table();
    let named = |name: &str| table.columns.iter().position(|column| column.name == name);
    let (Some(condition), games, positions) = (named("condition"), named("games"), named("positions")) else {
        return 0;
    };
    let mut compared = 0;
    for row in &table.rows {
        let ResultCell::Text(text) = &row[condition] else { continue };
        let number = |column: usize| if let ResultCell::Count(number) = row[column] { number } else { 0 };
        let (matching_games, matching_positions) = count(spans, text);
        assert!(games.is_none_or(|games| number(games) == matching_games), "{output:?}: {row:?}: {matching_games}");
        let are_positions = positions.is_none_or(|positions| number(positions) == matching_positions);
        assert!(are_positions, "{output:?}: {row:?}: {matching_positions}");
        compared += 1;
    }
    compared
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn conditions_find_what_their_rows_count(games in games(), shard in 1usize..9) {
        let bytes = Aligned::new(&corpus(&games, shard));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let spans = corpus_spans(&corpus);
        let outputs = OUTPUTS.iter().flat_map(|output| of_each_key(output));
        let compared: usize = outputs.map(|output| compare(&spans, &output)).sum();
        prop_assert!(compared > 0 || corpus.header.plies == 0);
    }
}
