//! Measures the cost and the benefit of signatures: `cargo run --release -p plyfold-bench --bin signatures [PGN]`.
//!
//! Without a file it uses the reference games if they are beside the project, else the demo games. Figures are the best of
//! fifteen runs over the same pairs, on one thread. "no" is the number of pairs that the test refuses.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use plyfold_core::board::make::WithPieceCounts;
use plyfold_core::board::{Board, ByPiece};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::reach::can_reach;
use plyfold_core::matsig::target::ReachabilityTarget;
use plyfold_core::matsig::tracker::SignatureTracker;
use plyfold_tests::reach::{self, ReachabilityQuestion};
use plyfold_tests::{data, imported};

/// Pairs of each kind.
const PAIRS: usize = 200_000;
/// Pairs of each kind that the slow twin decides.
const TWIN_PAIRS: usize = 20_000;

type Pair = (MatSig, MatSig);

fn main() {
    let given = std::env::args().nth(1).map(PathBuf::from);
    let file = given.or_else(|| data::shared("master-30k.pgn.zst")).unwrap_or_else(data::demo);
    let games = states(&file);
    println!("{}: {} games", file.display(), games.len());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    print_pairs(&pair_kinds(&games, &mut random));
    print_goals(&games, &mut random);
    cuts(&games, &mut random);
}

/// Pairs of signatures of five kinds, by name.
fn pair_kinds(games: &[Vec<State>], random: &mut Random) -> [(&'static str, Vec<Pair>); 5] {
    [
        (
            "two games: position, query",
            pairs(|| {
                let (a, b) = (random.game(games), random.game(games));
                (random.of(a).signature, random.of(b).signature.without_history())
            }),
        ),
        (
            "two games: query, final position",
            pairs(|| {
                let (a, b) = (random.game(games), random.game(games));
                (random.of(a).signature.without_history(), b[b.len() - 1].signature)
            }),
        ),
        (
            "one game: earlier, later",
            pairs(|| {
                let game = random.game(games);
                let (i, j) = (random.below(game.len()), random.below(game.len()));
                (game[i.min(j)].signature, game[i.max(j)].signature)
            }),
        ),
        (
            "one game: earlier, query",
            pairs(|| {
                let game = random.game(games);
                let (i, j) = (random.below(game.len()), random.below(game.len()));
                (game[i.min(j)].signature, game[i.max(j)].signature.without_history())
            }),
        ),
        (
            "one game: later, earlier",
            pairs(|| {
                let game = random.game(games);
                let (i, j) = (random.below(game.len()), random.below(game.len()));
                (game[i.max(j)].signature, game[i.min(j)].signature)
            }),
        ),
    ]
}

/// Prints for each kind of pairs what the test costs, how many it refuses, and what each rule of the slow twin adds.
fn print_pairs(kinds: &[(&str, Vec<Pair>)]) {
    println!(
        "{:<36} {:>8} {:>7} {:>12} {:>8} {:>7} {:>8} {:>8}",
        "can_reach", "ns", "no", "men, numbers", "+ pawns", "+ steps", "+ files", "differ"
    );
    for (name, pairs) in kinds {
        let time = nanoseconds(pairs, |(a, b)| can_reach(a, b));
        let no = share(pairs, |(a, b)| !can_reach(a, b));
        let few = &pairs[..TWIN_PAIRS];
        let by = |matching, steps, files| {
            share(few, |(a, b)| !reach::can_reach(a, b, ReachabilityQuestion { matching, steps, files }))
        };
        let differ = few.iter().filter(|(a, b)| reach::can_reach(a, b, reach::ALL) != can_reach(a, b)).count();
        println!(
            "{name:<36} {time:>8.1} {no:>6.1}% {:>11.1}% {:>7.1}% {:>6.1}% {:>7.1}% {differ:>8}",
            by(false, false, false),
            by(true, false, false),
            by(true, true, false),
            by(true, true, true),
        );
    }
}

/// Prints what the early and the late test against a target cost and how many positions each refuses.
fn print_goals(games: &[Vec<State>], random: &mut Random) {
    // One target at a time, as in a scan.
    let (mut early, mut late) = ([0.0; 3], [0.0; 3]);
    const GOALS: usize = 200;
    for _ in 0..GOALS {
        let query = random.any(games).signature.without_history();
        let goal = ReachabilityTarget::from_signature(&query);
        let met: Vec<State> = std::iter::repeat_with(|| *random.any(games)).take(1000).collect();
        let last: Vec<MatSig> = std::iter::repeat_with(|| random.game(games))
            .map(|game| game[game.len() - 1].signature)
            .take(1000)
            .collect();
        let add =
            |sums: &mut [f64; 3], figures: [f64; 3]| (0..3).for_each(|nth| sums[nth] += figures[nth] / GOALS as f64);
        let survives = |state: &State| goal.can_still_be_reached(state.pawns, &state.numbers);
        add(
            &mut early,
            [
                nanoseconds(&last, |last| goal.may_have_been_reached(last)),
                share(&last, |last| !goal.may_have_been_reached(last)),
                share(&last, |last| !can_reach(&query, last)),
            ],
        );
        add(
            &mut late,
            [
                nanoseconds(&met, survives),
                share(&met, |state| !survives(state)),
                share(&met, |state| !can_reach(&state.signature, &query)),
            ],
        );
    }
    println!("{:<36} {:>8} {:>7} {:>12}", "goal", "ns", "no", "can_reach");
    for (name, [ns, no, by_reach]) in [("survives_early", early), ("survives_late", late)] {
        println!("{name:<36} {ns:>8.1} {no:>6.1}% {by_reach:>11.1}%");
    }
}

/// The values that a scan has at a position.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    signature: MatSig,
    pawns: [u64; 2],
    numbers: ByPiece<u8>,
}

/// The distinct signatures of each game in order, with the values that go with them, beginning with the start position.
fn states(file: &Path) -> Vec<Vec<State>> {
    let (bytes, _) = imported::file(file);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("just made");
    let spans = corpus_spans(&corpus);
    let games = spans.iter().flat_map(GameSpan::games).map(|game| {
        let mut board = game.start_board();
        let mut tracker = SignatureTracker::new(&board);
        let state = |tracker: &SignatureTracker, board: &Board| State {
            signature: tracker.signature(board),
            pawns: board.pawns(),
            numbers: board.piece_counts,
        };
        let mut states = vec![state(&tracker, &board)];
        for &mv in game.moves {
            tracker.follow(&board, mv);
            board.make::<WithPieceCounts>(mv);
            states.push(state(&tracker, &board));
        }
        states.dedup_by_key(|state| state.signature);
        states
    });
    games.collect()
}

/// Prints the share of positions that each test saves, for targets taken from other games.
fn cuts(games: &[Vec<State>], random: &mut Random) {
    const GOALS: usize = 400;
    const GAMES: usize = 400;
    let mut rows =
        [("can_reach", 0, 0), ("goal", 0, 0), ("goal early, then can_reach", 0, 0), ("numbers of men alone", 0, 0)];
    let (mut all, mut all_games) = (0, 0);
    for _ in 0..GOALS {
        let query = random.any(games).signature.without_history();
        let goal = ReachabilityTarget::from_signature(&query);
        let few = reach::ReachabilityQuestion { matching: false, ..reach::ALL };
        for _ in 0..GAMES {
            let game = random.game(games);
            (all, all_games) = (all + game.len(), all_games + 1);
            let last = game[game.len() - 1].signature;
            let late = |state: &State| goal.can_still_be_reached(state.pawns, &state.numbers);
            let reach = |state: &State| can_reach(&state.signature, &query);
            let numbers = |a: &MatSig, b: &MatSig| reach::can_reach(a, b, few);
            for ((_, early, skipped), (survives, alive)) in rows.iter_mut().zip([
                (can_reach(&query, &last), game.iter().take_while(|state| reach(state)).count()),
                (goal.may_have_been_reached(&last), game.iter().take_while(|state| late(state)).count()),
                (can_reach(&query, &last), game.iter().take_while(|state| late(state)).count()),
                (numbers(&query, &last), game.iter().take_while(|state| numbers(&state.signature, &query)).count()),
            ]) {
                *early += usize::from(!survives);
                *skipped += if survives { game.len() - alive } else { game.len() };
            }
        }
    }
    println!("{:<36} {:>12} {:>16}", "cuts, goals of other games", "whole games", "positions spared");
    for (name, early, skipped) in rows {
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
        println!("{name:<36} {:>11.1}% {:>15.1}%", percent(early, all_games), percent(skipped, all));
    }
}

fn pairs(pair: impl FnMut() -> Pair) -> Vec<Pair> {
    std::iter::repeat_with(pair).take(PAIRS).collect()
}

fn share<T>(pairs: &[T], holds: impl Fn(&T) -> bool) -> f64 {
    100.0 * pairs.iter().filter(|pair| holds(pair)).count() as f64 / pairs.len() as f64
}

/// The nanoseconds per pair in the fastest run.
fn nanoseconds<T>(pairs: &[T], decide: impl Fn(&T) -> bool) -> f64 {
    (0..15)
        .map(|_| {
            let start = Instant::now();
            black_box(black_box(pairs).iter().filter(|pair| decide(pair)).count());
            start.elapsed().as_nanos() as f64 / pairs.len() as f64
        })
        .fold(f64::INFINITY, f64::min)
}

/// Pseudo-random numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }

    fn game<'a>(&mut self, games: &'a [Vec<State>]) -> &'a [State] {
        &games[self.below(games.len())]
    }

    fn of<'a>(&mut self, game: &'a [State]) -> &'a State {
        &game[self.below(game.len())]
    }

    fn any<'a>(&mut self, games: &'a [Vec<State>]) -> &'a State {
        let game = self.game(games);
        self.of(game)
    }
}
