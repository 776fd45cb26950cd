//! Batches of 512 games: shards just below, at and above a batch, several shards, games of very different length side by
//! side, and games without plies. One thread and several threads find the same as the naive twin.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameId, GameSpan, Ply, corpus_spans};
use plyfold_core::moves::Move;
use plyfold_core::query::compile;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionRef, PositionSelection};
use plyfold_core::reduce::{ReduceRequest, ReducerSelection, run_queries, run_query_within};
use plyfold_core::scan::fold::{ScanObserver, scan_on_this_thread};
use plyfold_core::scan::reducer::{Reducer, ScanMatch};
use plyfold_core::scan::{Query, naive};
use plyfold_tests::games::{Aligned, PlayedGame, shards};
use plyfold_tests::long;
use plyfold_tests::queries::bound;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

const QUERIES: [&str; 29] = [
    "",
    "result 1-0 or elo > 2500",
    "not result draw and white \"White*\"",
    "result 1-0 and queens_off",
    "not (result 0-1 or check)",
    "{ either elo >= 2400 and clock >= 12 } for 3",
    "plies < 20 and never white castled",
    "count(white pawn) = 8 at end",
    "count(white rook) < 2 at end",
    "{ points(white) > points(black) or count(queen) = 1 } at end",
    "not count(black knight) >= 2 at end",
    "became queens_off at end",
    "material KvK or count(knight) = 3",
    "structure \"8/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/8\" or structure \"8/pppppppp/8/8/8/8/PPPPPPPP/8\"",
    "{ white pawn on a2 and black pawn on h7 and count(queen) <= 1 }",
    "{ white pawn on e2 or black pawn on d4 } at end",
    "ceased white pawn on e2",
    "{ white pawn on e2 and not white pawn on d2 }",
    "{ black pawn on a7 and not black pawn on b7 and not white pawn on h2 }",
    "became check from ply 60",
    "{ passed_pawn and check }",
    "check then within 10 checkmate",
    "{ check and not checkmate } at least 2 times",
    "white double_check or { check on e..h and not black checkmate on g }",
    "repetition >= 3",
    "clock >= 40 for 2",
    "white castled then within 64 check",
    "in @abc and king_distance <= 4",
    "white knight on f3 at least 30 times",
];

/// For each game: its number, whether it matches, and the plies that match.
#[derive(Default)]
struct Diary(Vec<(u32, bool, Vec<u32>)>);

impl Reducer for Diary {
    fn game(&mut self, found: &ScanMatch<'_>) {
        self.0.push((found.game.id.0, found.verdict, found.matches.iter().map(|ply| ply.0).collect()));
    }

    fn merge(&mut self, _: Self) {}
}

/// Shards of these sizes. A few games are long, and one in five has no plies.
fn bytes(sizes: &[usize]) -> Aligned {
    let (short, rich) = (long::short(90), long::rich(7));
    let game = |nth: usize| if nth % 97 == 63 { &rich[nth / 97 % 7] } else { &short[nth * 7 % 90] };
    let mut first = 0;
    let games: Vec<Vec<PlayedGame>> = sizes
        .iter()
        .map(|&size| {
            first += size;
            (first - size..first).map(|nth| game(nth).clone()).collect()
        })
        .collect();
    Aligned::new(&shards(&games))
}

fn set(all: u32, ids: impl Iterator<Item = u32>) -> GameSet {
    let mut set = GameSet::empty(all);
    ids.for_each(|id| set.insert(GameId(id)));
    set
}

fn with_positions() -> ReducerSelection {
    ReducerSelection {
        games: true,
        positions: Some(PositionSelection { limit: None, choice: PositionChoice::Every }),
        ..ReducerSelection::default()
    }
}

fn compare(sizes: &[usize]) {
    let bytes = bytes(sizes);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let all: u32 = spans.iter().map(GameSpan::len).sum();
    let games = ReducerSelection { games: true, ..ReducerSelection::default() };
    let pools = [1, 3].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool"));
    // A set that begins and ends in the middle of words, and has all games around the borders of batches.
    let within = set(all, (0..all).filter(|id| (500..530).contains(&(id % 1024)) || id % 3 == 1));
    let queries: Vec<Query> = QUERIES.iter().map(|text| bound(compile(text).expect(text))).collect();
    let mut right: Vec<(GameSet, Vec<PositionRef>)> = Vec::new();
    for (text, query) in QUERIES.iter().zip(&queries) {
        let diary = naive::scan(&spans, query, Diary::default()).0;
        let verdicts = set(all, diary.iter().filter(|(_, verdict, _)| *verdict).map(|(id, ..)| *id));
        let (alone, _) = scan_on_this_thread(&spans, query, GameSet::empty(all), &());
        assert!(alone == verdicts, "games of {text}, on this thread");
        let positions: Vec<PositionRef> = diary
            .iter()
            .flat_map(|(game, _, plies)| plies.iter().map(|&ply| PositionRef { game: GameId(*game), ply: Ply(ply) }))
            .collect();
        for (pool, selection) in pools.iter().flat_map(|pool| {
            [(pool, &games), (pool, &with_positions())].map(|(pool, selection)| (pool, selection.clone()))
        }) {
            for within in [None, Some(&within)] {
                let is_in = |id: GameId| within.is_none_or(|within| within.contains(id));
                let found =
                    pool.install(|| run_query_within(&spans, query, within, &selection, &())).expect("nobody cancels");
                let expected = set(all, verdicts.iter().filter(|&id| is_in(id)).map(|game| game.0));
                assert!(found.games.as_ref() == Some(&expected), "games of {text}");
                let expected: Vec<PositionRef> =
                    positions.iter().copied().filter(|position| is_in(position.game)).collect();
                assert!(found.positions.is_none_or(|found| found == expected), "positions of {text}");
            }
        }
        right.push((verdicts, positions));
    }
    // All queries in one pass, every other one for games alone.
    let selection = [games, with_positions()];
    let asked: Vec<ReduceRequest<'_>> = queries
        .iter()
        .enumerate()
        .map(|(nth, query)| ReduceRequest { query, within: None, selection: &selection[nth % 2] })
        .collect();
    for pool in &pools {
        let found = pool.install(|| run_queries(&spans, &asked, &())).expect("nobody cancels");
        for ((text, found), (verdicts, positions)) in QUERIES.iter().zip(found).zip(&right) {
            assert!(found.games.as_ref() == Some(verdicts), "games of {text}, together with others");
            assert!(
                found.positions.is_none_or(|found| found == *positions),
                "positions of {text}, together with others"
            );
        }
    }
}

/// One query tests whether a side is in check and is settled by the header; the other then looks for mates alone.
#[test]
fn a_query_that_is_left_alone_still_finds_mates() {
    let mut position = Chess::default();
    let moves = ["f2f3", "e7e5", "g2g4", "d8h4"].map(|uci| {
        let mv = uci.parse::<UciMove>().expect(uci).to_move(&position).expect(uci);
        position.play_unchecked(mv);
        Move::from(mv)
    });
    assert!(position.is_checkmate());
    let bytes = Aligned::new(&shards(&[vec![(None, moves.to_vec())]]));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let queries = ["plies > 9 and check", "checkmate"].map(|text| compile(text).expect(text));
    for selection in [ReducerSelection { games: true, ..ReducerSelection::default() }, with_positions()] {
        let asked = queries.each_ref().map(|query| ReduceRequest { query, within: None, selection: &selection });
        let found = run_queries(&corpus_spans(&corpus), &asked, &()).expect("nobody cancels");
        assert_eq!(found.iter().map(|found| found.count.games).collect::<Vec<_>>(), [0, 1]);
    }
}

/// Ends a scan after the first batch.
struct FirstBatch;

impl ScanObserver for FirstBatch {
    fn advance(&self, _: u32) -> bool {
        false
    }
}

#[test]
fn a_scan_that_is_ended_keeps_what_it_found() {
    let bytes = bytes(&[1100]);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let scan = |text, watch: &dyn ScanObserver| {
        let query = compile(text).expect(text);
        scan_on_this_thread(&corpus_spans(&corpus), &query, GameSet::empty(1100), watch)
    };
    for text in ["", "plies >= 0", "plies = 0 or king_distance >= 1"] {
        let (found, ended) = scan(text, &FirstBatch);
        assert!(ended.is_err() && found == set(1100, 0..512), "{text}");
        let (found, whole) = scan(text, &());
        assert_eq!((found.count(), whole.map(|work| work.games)), (1100, Ok(1100)), "{text}");
    }
}

#[test]
fn shards_around_a_batch() {
    compare(&[511, 512, 513, 1, 65]);
}

#[test]
fn a_shard_of_several_batches() {
    compare(&[1100]);
}

#[test]
fn many_small_shards() {
    compare(&[3; 60]);
}
