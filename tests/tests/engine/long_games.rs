//! Windows, gates and braces on long games: tables combine every kind of condition with every kind of window.
//!
//! In these games something happens at each border between words of 64 plies (`tests/src/long.rs`). The oracle gives the
//! expected results, from the definitions and the stored positions. The engine runs the queries for games alone, for games
//! and positions, and in batches; all results must be the same.

use std::sync::OnceLock;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameId, GameSpan, Ply, corpus_spans};
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::{compile, parse};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionRef, PositionSelection};
use plyfold_core::reduce::{QueryResults, ReduceRequest, ReducerSelection, run_queries, run_query};
use plyfold_core::scan::Query;
use plyfold_tests::games::{Aligned, PlayedGame, corpus};
use plyfold_tests::long::{self, LongGameDice};
use plyfold_tests::oracle::Trace;
use plyfold_tests::queries::bound;

/// Conditions of each kind, by what the engine reads for them.
const LEAVES: [(&str, &[&str]); 11] = [
    ("header", &["{ not result 1-0 and white to_move }", "{ either elo >= 2400 and clock >= 2 }"]),
    ("number of the ply", &["{ ply >= 64 and white to_move }", "{ move 32..33 }"]),
    (
        "captures and promotions",
        &["count(white queen) = 1", "points(white) - points(black) >= 1", "count(knight) != 4", "queens_off"],
    ),
    ("clock", &["clock >= 20", "clock < 2", "2 * clock != 126"]),
    ("squares", &["white knight on f3", "empty c3 c6", "black castled", "either castled_long"]),
    ("files", &["isolated_pawn on b..g", "half_open_file"]),
    ("pawns", &["passed_pawn", "white pawn on 4", "structure \"8/pppppppp/8/8/8/8/PPPPPPPP/8\""]),
    ("both streams", &["count(passed_pawn) >= count(queen)", "count(white pawn on 4..8) > count(black rook)"]),
    ("repetition", &["repetition >= 2", "repetition = 3", "{ not repetition < 5 }"]),
    ("board", &["check", "king_distance <= 6", "white knight attacks pawn", "mover hanging"]),
    (
        "images",
        &[
            "board \"????????/????????/?????n??/????????/????????/?????N??/????????/????????\" under mirror, colour_flip",
            "board \"????????/????????/????????/????????/????????/????????/PPP??PPP/R???K??R\" under flips",
        ],
    ),
];

/// Windows around a condition, which stands for `_`. The numbers lie on both sides of each border between words.
const WINDOWS: [&str; 64] = [
    "_",
    "never _",
    "always _",
    "became _",
    "ceased _",
    "never became _",
    "_ at end",
    "never _ at end",
    "became _ at end",
    "ceased _ at end",
    "_ for 2",
    "_ for 63",
    "_ for 64",
    "_ for 65",
    "_ for 70",
    "_ for 128",
    "_ for 129",
    "_ for 130",
    "never _ for 193",
    "_ for 66 from ply 62",
    "_ for 64 until ply 128",
    "_ for 70 at end",
    "_ for 35 moves from move 20",
    "_ at least 2 times",
    "_ at least 64 times",
    "_ at least 65 times",
    "_ at least 129 times",
    "_ at most 3 times",
    "_ at most 64 times",
    "_ exactly 1 times",
    "_ exactly 65 times",
    "_ at least 2 times at most 70 times",
    "_ at least 30 times between 50..150",
    "_ at ply 63",
    "_ at ply 64",
    "_ at ply 65",
    "became _ at ply 64",
    "became _ at ply 65",
    "ceased _ at ply 65",
    "became _ at ply 129",
    "ceased _ at ply 128",
    "became _ at ply 193",
    "_ at ply 193",
    "_ before ply 65",
    "_ from ply 128",
    "_ after ply 192",
    "_ between 65..128",
    "always _ until ply 64",
    "always _ from ply 193",
    "always _ between 64..65",
    "_ at move 33",
    "_ before move 33",
    "became _ from move 97",
    "_ in opening",
    "_ in middlegame from ply 65",
    "_ in endgame",
    "_ for 70 in opening",
    "became _ in middlegame",
    "ceased _ in opening from ply 64",
    "became _ at least 2 times",
    "ceased _ at least 3 times at most 9 times",
    "became _ exactly 2 times from ply 65",
    "ceased _ at least 2 times at end",
    "always _ in opening",
];

/// All games, as a corpus and as traces for the oracle.
struct Games {
    spans: Vec<GameSpan<'static>>,
    traces: Vec<Trace<'static>>,
}

/// The games with events at borders, rich games, real games, and some without plies.
fn long_corpus() -> &'static CorpusReader<'static> {
    static BYTES: OnceLock<Aligned> = OnceLock::new();
    static CORPUS: OnceLock<CorpusReader<'static>> = OnceLock::new();
    let bytes = BYTES.get_or_init(|| {
        let mut games: Vec<PlayedGame> = long::at_borders().into_iter().map(|(_, _, game)| game).collect();
        games.extend(long::rich(28));
        games.extend(long::real(14));
        for nth in 0..6 {
            games.insert(nth * 17, (None, Vec::new()));
        }
        Aligned::new(&corpus(&games, 50))
    });
    CORPUS.get_or_init(|| CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus"))
}

impl Games {
    fn all() -> Games {
        let spans = corpus_spans(long_corpus());
        let each = spans.iter().flat_map(|span| (0..span.len()).map(move |nth| (*span, nth)));
        let traces = each.map(|(span, nth)| Trace::of(span, nth)).collect();
        Games { spans, traces }
    }

    /// Asserts that the engine agrees with the oracle on these queries, one by one and in a batch. Returns how many of them
    /// find some games but not all.
    fn compare(&self, texts: &[String]) -> usize {
        let mut telling = 0;
        // Large batches and small ones.
        for texts in texts.chunks(23) {
            let trees: Vec<QueryTree> = texts.iter().map(|text| parse::parse(text).expect(text)).collect();
            let queries: Vec<Query> = texts.iter().map(|text| bound(compile(text).expect(text))).collect();
            let right: Vec<Right> = trees.iter().map(|tree| self.right(tree)).collect();
            for ((text, query), right) in texts.iter().zip(&queries).zip(&right) {
                for selection in [games_alone(), with_positions()] {
                    let found = run_query(&self.spans, query, &selection, &()).expect("nobody cancels");
                    right.compare(text, &found);
                }
                telling += usize::from((1..self.traces.len()).contains(&right.games.len()));
            }
            let selection = [games_alone(), with_positions()];
            let asked: Vec<ReduceRequest<'_>> = queries
                .iter()
                .enumerate()
                .map(|(nth, query)| ReduceRequest { query, within: None, selection: &selection[nth % 2] })
                .collect();
            let found = run_queries(&self.spans, &asked, &()).expect("nobody cancels");
            for ((text, found), right) in texts.iter().zip(found).zip(&right) {
                right.compare(&format!("{text}, together with others"), &found);
            }
        }
        telling
    }

    fn right(&self, tree: &QueryTree) -> Right {
        let games = (0..).zip(&self.traces).filter(|(_, trace)| trace.matches(tree)).map(|(id, _)| id).collect();
        let positions = (0..).zip(&self.traces).flat_map(|(game, trace)| {
            trace
                .matching_plies(tree)
                .into_iter()
                .map(move |ply| PositionRef { game: GameId(game), ply: Ply(ply) })
                .collect::<Vec<_>>()
        });
        Right { games, positions: positions.collect() }
    }
}

/// The oracle's results of a query.
struct Right {
    games: Vec<u32>,
    positions: Vec<PositionRef>,
}

impl Right {
    fn compare(&self, text: &str, found: &QueryResults) {
        let games: Vec<u32> = found.games.iter().flat_map(GameSet::iter).map(|game| game.0).collect();
        assert_eq!(games, self.games, "games of {text}");
        if let Some(positions) = &found.positions {
            let differs = positions.iter().zip(&self.positions).find(|(found, right)| found != right);
            assert_eq!(positions.len(), self.positions.len(), "positions of {text}, first {differs:?}");
            assert!(differs.is_none(), "positions of {text}: {differs:?}");
        }
    }
}

fn games_alone() -> ReducerSelection {
    ReducerSelection { games: true, ..ReducerSelection::default() }
}

fn with_positions() -> ReducerSelection {
    ReducerSelection {
        games: true,
        positions: Some(PositionSelection { limit: None, choice: PositionChoice::Every }),
        ..ReducerSelection::default()
    }
}

fn leaves() -> Vec<&'static str> {
    LEAVES.iter().flat_map(|(_, leaves)| leaves.iter().copied()).collect()
}

#[test]
#[ignore = "slow"]
fn every_window_around_every_kind_of_condition() {
    let games = Games::all();
    let mut texts = Vec::new();
    for (kind, (_, leaves)) in LEAVES.iter().enumerate() {
        for (nth, window) in WINDOWS.iter().enumerate() {
            // Cycles through the leaves of a kind.
            texts.push(window.replace('_', leaves[(kind + nth) % leaves.len()]));
        }
    }
    let telling = games.compare(&texts);
    assert!(telling * 2 > texts.len(), "only {telling} of {} queries tell games apart", texts.len());
}

#[test]
#[ignore = "slow"]
fn one_position_by_several_ways() {
    let games = Games::all();
    let leaves = leaves();
    let mut texts = Vec::new();
    for (first, one) in leaves.iter().enumerate() {
        for (second, two) in leaves.iter().enumerate().skip(first + 1) {
            let number = first * leaves.len() + second;
            let three = leaves[number * 7 % leaves.len()];
            let braced = match number % 4 {
                0 => format!("{{ {one} and {two} }}"),
                1 => format!("{{ {one} and not {two} }}"),
                2 => format!("{{ {one} or {two} }}"),
                _ => format!("{{ ({one} or not {two}) and {three} }}"),
            };
            texts.push(WINDOWS[number * 5 % WINDOWS.len()].replace('_', &braced));
        }
    }
    let telling = games.compare(&texts);
    assert!(telling * 3 > texts.len(), "only {telling} of {} queries tell games apart", texts.len());
}

#[test]
#[ignore = "slow"]
fn one_after_the_other_across_borders() {
    let games = Games::all();
    let (leaves, mut dice) = (leaves(), LongGameDice::new(21));
    let firsts =
        ["_", "became _", "ceased _", "_ for 64", "_ for 70", "_ at least 65 times", "_ at ply 64", "_ from ply 128"];
    let limits = ["", "within 1 ", "within 2 ", "within 63 ", "within 64 ", "within 65 ", "within 130 "];
    let seconds = [
        "_",
        "became _",
        "_ at end",
        "_ for 64",
        "_ for 3",
        "never _",
        "_ at least 64 times",
        "always _",
        "ceased _ at end",
    ];
    let mut texts = Vec::new();
    for (nth, first) in firsts.iter().enumerate() {
        for (limit, second) in limits.iter().flat_map(|limit| seconds.iter().map(move |second| (limit, second))) {
            // Runs of 70 and gates of 130 are combined with all others; of the rest, every second combination is tested.
            if nth % 2 == 0 && dice.below(2) == 0 {
                continue;
            }
            let [one, two] = [first, second].map(|window| window.replace('_', dice.of(&leaves)));
            texts.push(match dice.below(5) {
                0 => format!("({one} and {}) then {limit}{two}", dice.of(&leaves)),
                1 => format!("({one} or {}) then {limit}({two} or became {})", dice.of(&leaves), dice.of(&leaves)),
                2 => format!("result 1-0 then {limit}({one} then {two})"),
                _ => format!("{one} then {limit}{two}"),
            });
        }
    }
    games.compare(&texts);
}

#[test]
#[ignore = "slow"]
fn cut_offs_by_numbers() {
    let games = Games::all();
    let sizes =
        ["count(white pawn)", "count(black queen)", "count(knight)", "count(white bishop)", "2 * count(black rook)"];
    let mut texts = Vec::new();
    for (nth, size) in sizes.iter().enumerate() {
        for (sign, least) in
            ["=", "!=", "<", "<=", ">", ">="].iter().flat_map(|sign| (0..5).map(move |least| (sign, least)))
        {
            let least = if nth == 0 { least + 4 } else { least };
            let leaf = format!("{size} {sign} {least}");
            let form = [
                "_",
                "{ not _ }",
                "_ at end",
                "never _",
                "{ _ and check }",
                "{ not _ and castled }",
                "became _ at end",
                "ceased _",
            ];
            texts.push(form[texts.len() % form.len()].replace('_', &leaf));
            texts.push(form[(texts.len() + 4) % form.len()].replace('_', &leaf));
        }
    }
    for (least, sign) in (-9..10).step_by(2).flat_map(|least| [(least, ">="), (least, "="), (least, "<")]) {
        texts.push(format!("points(white) - points(black) {sign} {least}"));
        texts.push(format!("{{ points(both) {sign} {} }} at end", 78 + least));
    }
    for limit in [0, 1, 2, 4, 10, 62, 63, 64, 65, 66, 99, 127, 128, 129, 191] {
        texts.extend(["<", "=", ">=", "!="].map(|sign| format!("clock {sign} {limit}")));
        texts.push(format!("{{ clock >= {limit} and repetition >= 2 }} at end"));
        texts.extend(["=", ">="].map(|sign| format!("repetition {sign} {}", 1 + limit / 3)));
    }
    games.compare(&texts);
}

#[test]
fn conditions_that_hold_in_one_of_several_ways() {
    let games = Games::all();
    let ways = [
        "{ white pawn on e4 or white pawn on d4 }",
        "{ (white pawn on e2 and black pawn on e7) or (white pawn on d2 and count(black queen) = 0) }",
        "{ no white pawn on e or no black pawn on d }",
        "{ (count(white rook) = 1 and passed_pawn) or (count(black rook) = 1 and check) }",
        "{ material KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP or count(queen) > 2 }",
        "{ white pawn on a2 and not white pawn on h2 }",
        "structure \"8/pppppppp/8/8/8/8/PPPPPPPP/8\" under colour_flip, mirror",
        "structure \"8/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/8\" under flips",
        "{ endgame queen or endgame rook or count(queen) + count(rook) <= 3 }",
    ];
    let windows = [
        "_",
        "became _",
        "ceased _",
        "_ at end",
        "became _ at end",
        "_ for 70",
        "_ at least 65 times",
        "never _ from ply 64",
    ];
    let texts: Vec<String> =
        ways.iter().flat_map(|way| windows.iter().map(move |window| window.replace('_', way))).collect();
    games.compare(&texts);
}
