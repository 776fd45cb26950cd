//! A scan within a set of games finds the same as a scan of all games does in that set, and reads no other games.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameId, Ply, corpus_spans};
use plyfold_core::query::compile;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionRef, PositionSelection};
use plyfold_core::reduce::next_moves::{NEXT_MOVES, NextMoveTable};
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use plyfold_core::scan::naive;
use plyfold_core::scan::reducer::{Reducer, ScanMatch};
use plyfold_tests::games::{Aligned, PlayedGame, corpus};
use plyfold_tests::queries::{bound, cases, games, query};
use proptest::prelude::*;

/// For each game: its number, whether it matches, and the plies that match.
#[derive(Default)]
struct Diary(Vec<(u32, bool, Vec<u32>)>);

impl Reducer for Diary {
    fn game(&mut self, found: &ScanMatch<'_>) {
        self.0.push((found.game.id.0, found.verdict, found.matches.iter().map(|ply| ply.0).collect()));
    }

    fn merge(&mut self, _: Self) {}
}

/// The number of games, the number of positions, and the times of all next moves.
fn counted(next: &NextMoveTable) -> [u64; 3] {
    [next.results.games(), next.positions, next.moves.iter().map(|next| next.times).sum()]
}

fn set(all: u32, ids: impl Iterator<Item = u32>) -> GameSet {
    let mut set = GameSet::empty(all);
    ids.for_each(|id| set.insert(GameId(id)));
    set
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn within_a_set_is_all_and_then_the_set(
        games in games(), text in query(), shard in 1usize..9, threads in 1usize..4, keep: u64, headers in any::<bool>(),
    ) {
        let bytes = Aligned::new(&corpus(&games, shard));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        // Queries on headers alone take another access path.
        let text = if headers { "result 1-0 or elo > 2500" } else { &*text };
        let Ok(query) = compile(text).map(bound) else { return Ok(()) };
        let spans = corpus_spans(&corpus);
        let all = games.len() as u32;
        let within = set(all, (0..all).filter(|id| keep >> (id % 64) & 1 != 0));
        let diary = naive::scan(&spans, &query, Diary::default()).0;
        let inside = || diary.iter().filter(|(id, ..)| within.contains(GameId(*id)));
        let which = Some(PositionSelection { limit: None, choice: PositionChoice::Every });
        let selection = ReducerSelection { games: true, positions: which, outputs: vec![NEXT_MOVES.output()], ..ReducerSelection::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let ask = |within: Option<&GameSet>, selection: &ReducerSelection| {
            pool.install(|| run_query_within(&spans, &query, within, selection, &())).expect("nobody cancels")
        };
        let matching = set(all, inside().filter(|(_, verdict, _)| *verdict).map(|(id, ..)| *id));
        let found = ask(Some(&within), &selection);
        let positions = inside().flat_map(|(game, _, plies)| plies.iter().map(|&ply| PositionRef { game: GameId(*game), ply: Ply(ply) }));
        prop_assert_eq!(found.positions, Some(positions.collect::<Vec<PositionRef>>()));
        prop_assert_eq!(found.games, Some(matching.clone()));
        let verdicts = ask(Some(&within), &ReducerSelection { games: true, ..ReducerSelection::default() });
        prop_assert_eq!(verdicts.games, Some(matching));
        prop_assert!(verdicts.work.games_rejected_early >= u64::from(all) - within.count());
        // Next moves include start positions. The counts of a set and of its complement add up to those of all games.
        let mut others = within.clone();
        others.not();
        let next = |within: Option<&GameSet>| counted(&ask(within, &selection).summary::<NextMoveTable>().expect("requested").clone());
        let (one, other, whole) = (next(Some(&within)), next(Some(&others)), next(None));
        prop_assert_eq!(core::array::from_fn(|nth| one[nth] + other[nth]), whole);
    }
}

#[test]
fn batches_that_begin_anywhere_are_asked() {
    // Shards of 700 games are cut into batches of 512 and 188 games, so batches begin at numbers that are not multiples of
    // 64.
    let all = 2100;
    let games: Vec<PlayedGame> = (0..all).map(|_| (None, Vec::new())).collect();
    let bytes = Aligned::new(&corpus(&games, 700));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    for step in [1, 7, 64, 511, 701] {
        let within = set(all, (0..all).step_by(step));
        for text in ["", "not check at end"] {
            let query = compile(text).expect("a query");
            let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
            let expected = run_query_within(&spans, &query, None, &selection, &())
                .expect("nobody cancels")
                .games
                .expect("requested");
            let mut expected = expected.clone();
            expected.and(&within);
            let found = run_query_within(&spans, &query, Some(&within), &selection, &()).expect("nobody cancels");
            assert_eq!(found.games, Some(expected), "{text}, every {step}");
        }
    }
    // A set with fewer games than the corpus excludes the remaining games.
    let short = set(100, 0..100);
    let query = compile("").expect("a query");
    let found =
        run_query_within(&spans, &query, Some(&short), &ReducerSelection::default(), &()).expect("nobody cancels");
    assert_eq!(found.count.games, 100);
}
