//! What signatures cost and what they are worth: `cargo run --release -p plyfold-tests --bin signatures [PGN]`.
//!
//! Without a file: the reference games where they stand beside the project, else the demo games. Figures are the best of
//! fifteen runs over the same pairs, on one thread; "no" is how many pairs are refused.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use plyfold_core::board::make::Mailbox;
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::{Span, spans};
use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::reach::can_reach;
use plyfold_core::matsig::tracker::Tracker;
use plyfold_tests::reach::{self, Asked};
use plyfold_tests::{data, imported};

/// Pairs of each kind.
const PAIRS: usize = 200_000;
/// Pairs of each kind that the slow twin is asked about.
const TWIN_PAIRS: usize = 20_000;

type Pair = (MatSig, MatSig);

fn main() {
    let demo = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../www/public/demo/demo.pgn.zst"));
    let given = std::env::args().nth(1).map(PathBuf::from);
    let file = given.or_else(|| data::shared("master-30k.pgn.zst")).unwrap_or_else(demo);
    let games = signatures(&file);
    println!("{}: {} games", file.display(), games.len());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let kinds: [(&str, Vec<Pair>); 5] = [
        (
            "two games: position, query",
            pairs(|| {
                let (a, b) = (random.game(&games), random.game(&games));
                (*random.of(a), random.of(b).without_history())
            }),
        ),
        (
            "two games: query, final position",
            pairs(|| {
                let (a, b) = (random.game(&games), random.game(&games));
                (random.of(a).without_history(), b[b.len() - 1])
            }),
        ),
        (
            "one game: earlier, later",
            pairs(|| {
                let game = random.game(&games);
                let (i, j) = (random.below(game.len()), random.below(game.len()));
                (game[i.min(j)], game[i.max(j)])
            }),
        ),
        (
            "one game: earlier, query",
            pairs(|| {
                let game = random.game(&games);
                let (i, j) = (random.below(game.len()), random.below(game.len()));
                (game[i.min(j)], game[i.max(j)].without_history())
            }),
        ),
        (
            "one game: later, earlier",
            pairs(|| {
                let game = random.game(&games);
                let (i, j) = (random.below(game.len()), random.below(game.len()));
                (game[i.max(j)], game[i.min(j)])
            }),
        ),
    ];
    println!(
        "{:<36} {:>8} {:>7} {:>12} {:>8} {:>7} {:>8} {:>8}",
        "can_reach", "ns", "no", "men, numbers", "+ pawns", "+ steps", "+ files", "differ"
    );
    for (name, pairs) in &kinds {
        let time = nanoseconds(pairs, |(a, b)| can_reach(a, b));
        let no = share(pairs, |(a, b)| !can_reach(a, b));
        let few = &pairs[..TWIN_PAIRS];
        let by =
            |matching, steps, files| share(few, |(a, b)| !reach::can_reach(a, b, Asked { matching, steps, files }));
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

/// The different signatures of each game, in their order, the start first.
fn signatures(file: &Path) -> Vec<Vec<MatSig>> {
    let (bytes, _) = imported::file(file);
    let corpus = Corpus::open(bytes.bytes(), Check::Scan).expect("just made");
    let spans = spans(&corpus);
    let games = spans.iter().flat_map(Span::games).map(|game| {
        let mut board = game.start();
        let mut tracker = Tracker::new(&board);
        let mut signatures = vec![tracker.signature()];
        for &mv in game.moves {
            tracker.make(&board, mv);
            board.make::<Mailbox>(mv);
            signatures.push(tracker.signature());
        }
        signatures.dedup();
        signatures
    });
    games.collect()
}

fn pairs(pair: impl FnMut() -> Pair) -> Vec<Pair> {
    std::iter::repeat_with(pair).take(PAIRS).collect()
}

fn share(pairs: &[Pair], holds: impl Fn(&Pair) -> bool) -> f64 {
    100.0 * pairs.iter().filter(|pair| holds(pair)).count() as f64 / pairs.len() as f64
}

/// Nanoseconds a pair, of the fastest run.
fn nanoseconds(pairs: &[Pair], decide: impl Fn(&Pair) -> bool) -> f64 {
    (0..15)
        .map(|_| {
            let start = Instant::now();
            black_box(black_box(pairs).iter().filter(|pair| decide(pair)).count());
            start.elapsed().as_nanos() as f64 / pairs.len() as f64
        })
        .fold(f64::INFINITY, f64::min)
}

/// Numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }

    fn game<'a>(&mut self, games: &'a [Vec<MatSig>]) -> &'a [MatSig] {
        &games[self.below(games.len())]
    }

    fn of<'a>(&mut self, game: &'a [MatSig]) -> &'a MatSig {
        &game[self.below(game.len())]
    }
}
