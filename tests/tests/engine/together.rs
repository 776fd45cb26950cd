//! A batch of queries in one pass gives the same results as each query alone.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::keys::parse_key;
use plyfold_core::query::compile;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::output::{OUTPUTS, Output, OutputArgument, OutputDefinition};
use plyfold_core::reduce::partition::PartitionRule;
use plyfold_core::reduce::{QueryResults, ReduceRequest, ReducerSelection, run_queries, run_query_within};
use plyfold_core::scan::{Query, ScanStatistics};
use plyfold_tests::games::{Aligned, PlayedGame, corpus, play};
use plyfold_tests::queries::{bound, cases, games, position_selection, query};
use plyfold_tests::tables::FAKE_TABLES;
use proptest::prelude::*;

fn selection() -> impl Strategy<Value = ReducerSelection> {
    let which = prop_oneof![
        2 => Just(None),
        1 => position_selection().prop_map(Some),
    ];
    (any::<(bool, [bool; OUTPUTS.len()])>(), which).prop_map(|((count, asked), positions)| {
        let outputs = OUTPUTS.iter().zip(asked).filter(|(_, asked)| *asked).flat_map(|(output, _)| of_each_key(output));
        ReducerSelection { games: true, positions_count: count, positions, outputs: outputs.collect() }
    })
}

/// An output, once for each of some keys if it takes one.
fn of_each_key(definition: &'static OutputDefinition) -> Vec<Output> {
    let of = |name| definition.by(parse_key(name).unwrap_or_else(|error| panic!("{name}: {error:?}")));
    let outputs = match definition.argument {
        OutputArgument::Nothing | OutputArgument::Maximum(_) => vec![definition.output()],
        OutputArgument::Key => vec![of("material"), of("count(pawn)")],
        OutputArgument::KeyWithRule => vec![of("result"), of("castling").ruled_by(PartitionRule::Ever)],
    };
    outputs.into_iter().map(|output| output.most(100).judged_by(&FAKE_TABLES)).collect()
}

/// The results without the scan statistics, because a batch shares the work of all its queries.
fn without_work(answers: QueryResults) -> QueryResults {
    QueryResults { work: ScanStatistics::default(), ..answers }
}

fn alone(spans: &[plyfold_core::game::GameSpan<'_>], asked: &ReduceRequest<'_>) -> QueryResults {
    without_work(run_query_within(spans, asked.query, asked.within, asked.selection, &()).expect("nobody cancels"))
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn together_as_alone(
        games in games(),
        texts in prop::collection::vec((query(), selection(), any::<u64>(), any::<bool>()), 1..14),
        shard in 1usize..9,
        threads in 1usize..4,
    ) {
        let bytes = Aligned::new(&corpus(&games, shard));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let all = games.len() as u32;
        let mut queries: Vec<(Query, Option<GameSet>, ReducerSelection)> = Vec::new();
        for (text, selection, keep, bounded) in texts {
            // One query in eight is on headers alone, which takes another access path.
            let text = if keep % 8 == 0 { "result 1-0 or elo > 2500" } else { &*text };
            let Ok(query) = compile(text).map(bound) else { continue };
            let mut set = GameSet::empty(all);
            (0..all).filter(|id| keep >> (id % 64) & 1 != 0).for_each(|id| set.insert(GameId(id)));
            queries.push((query, bounded.then_some(set), selection));
        }
        let asked: Vec<ReduceRequest<'_>> = queries
            .iter()
            .map(|(query, within, selection)| ReduceRequest { query, within: within.as_ref(), selection })
            .collect();
        let spans = corpus_spans(&corpus);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let found = pool.install(|| run_queries(&spans, &asked, &())).expect("nobody cancels");
        prop_assert_eq!(found.len(), asked.len());
        for (found, asked) in found.into_iter().zip(&asked) {
            prop_assert_eq!(without_work(found), alone(&spans, asked));
        }
    }
}

/// Queries that need a board: some on features that are measured on eight boards at once, some with gates, rights and repetitions.
const REPLAYING: [&str; 12] = [
    "white fork",
    "{ black hanging_piece and not check } at least 3 times",
    "white pinned",
    "black battery",
    "white attacked",
    "white controlled_twice on c..f",
    "count(white controlled_square) >= 30",
    "white defended on e4 then black attacked on e4",
    "skewer",
    "black outpost for 4",
    "white fork before move 6 and white pinned then en_passant",
    "repetition >= 2 and black hanging_piece",
];

proptest! {
    #![proptest_config(cases(24))]

    /// There are more games than it takes to choose whether the queries share a replay, and short ones after long ones.
    #[test]
    fn shared_replays_as_own_ones(
        chosen in prop::collection::vec((prop::sample::select(&REPLAYING[..]), any::<bool>()), 2..9),
        seed in any::<u16>(),
    ) {
        let game = |n: u16| play(None, &(0..n % 90).map(|k| k.wrapping_mul(977).wrapping_add(n ^ seed)).collect::<Vec<_>>());
        let games: Vec<PlayedGame> = (0..120u16).map(|n| game(if n < 60 { 60 + n } else { n / 4 })).collect();
        let bytes = Aligned::new(&corpus(&games, 50));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let selections = [false, true]
            .map(|positions_count| ReducerSelection { games: true, positions_count, ..ReducerSelection::default() });
        let queries: Vec<Query> = chosen.iter().map(|(text, _)| compile(text).expect("a query")).collect();
        let asked: Vec<ReduceRequest<'_>> = queries
            .iter()
            .zip(&chosen)
            .map(|(query, (_, all))| ReduceRequest { query, within: None, selection: &selections[usize::from(*all)] })
            .collect();
        let spans = corpus_spans(&corpus);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        for (found, asked) in pool.install(|| run_queries(&spans, &asked, &())).expect("nobody cancels").into_iter().zip(&asked) {
            prop_assert_eq!(without_work(found), alone(&spans, asked));
        }
    }
}

#[test]
fn more_predicates_than_share_a_replay() {
    let games: Vec<PlayedGame> = (0..30u16)
        .map(|n| play(None, &(0..n * 4).map(|k| k.wrapping_mul(977).wrapping_add(n)).collect::<Vec<_>>()))
        .collect();
    let bytes = Aligned::new(&corpus(&games, 7));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let text = |n: u32| {
        format!("white knight on {}{} or count(pawn) = {}", (b'a' + (n % 8) as u8) as char, 1 + n / 8 % 8, n % 17)
    };
    let queries: Vec<Query> = (0..100).map(|n| compile(&text(n)).expect("a query")).collect();
    let selection = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
    let asked: Vec<ReduceRequest<'_>> =
        queries.iter().map(|query| ReduceRequest { query, within: None, selection: &selection }).collect();
    let spans = corpus_spans(&corpus);
    let found = run_queries(&spans, &asked, &()).expect("nobody cancels");
    assert!(found.iter().any(|found| found.count.games > 0));
    for (found, asked) in found.into_iter().zip(&asked) {
        assert_eq!(without_work(found), alone(&spans, asked));
    }
    assert!(run_queries(&spans, &[], &()).expect("nobody cancels").is_empty());
}
