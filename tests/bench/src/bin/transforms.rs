//! Measures transforms: `transforms [--runs N] [FILE]`, a PGN or a corpus.
//!
//! Transforms sets of squares one after the other and compares the time with that of shakmaty where it has the same
//! transform. Then compares patterns under images with the same patterns alone.

use std::hint::black_box;

use plyfold_bench::timing::{Measured, median};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::query::compile;
use plyfold_core::query::parse::parse;
use plyfold_core::query::transformed::ImageMatcher;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::transform::Transform;
use plyfold_core::transform::shift::Shift;
use plyfold_core::transform::symmetry::Symmetry;
use plyfold_tests::imported;
use shakmaty::Bitboard;

/// The number of words transformed in a run.
const WORDS: u64 = 1 << 22;

/// Patterns of all kinds, each with a description.
const PATTERNS: [(&str, &str); 10] = [
    ("castled king and rook", "board \"????????/????????/????????/????????/????????/????????/?????PPP/?????RK?\""),
    ("both castled", "board \"?????rk?/?????ppp/????????/????????/????????/????????/?????PPP/?????RK?\""),
    ("one piece", "board \"????????/????????/????????/????N???/????????/????????/????????/????????\""),
    ("two pieces", "board \"????????/????????/????????/????N???/????????/???B????/????????/????????\""),
    ("kings and two pieces", "board \"??????k?/????????/????????/????N???/????????/???B????/????????/??????K?\""),
    ("king and queen", "board \"????????/????????/????????/????????/????????/????????/?????Q??/?????K??\""),
    ("Stonewall", "board \"????????/????????/????????/???p?p??/???P?P??/????P???/????????/????????\""),
    ("pawns and pieces", "board \"????????/????????/????p???/???p????/???P????/??N?PN??/????????/????????\""),
    ("a structure", "structure \"8/pp3ppp/4p3/8/3P4/8/PP3PPP/8\""),
    ("a position", "fen \"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R\""),
];
const SIXTEEN: &str = "under flips, rotations, colour flip";

fn main() {
    let Measured { runs, file } = Measured::read(|_, _| false);
    turned(runs);

    let bytes = imported::corpus(&file);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let (spans, plies) = (corpus_spans(&corpus), corpus.header.plies as f64);
    println!("\n{}: {} games, {plies} plies, one thread", file.display(), corpus.header.games);
    println!("median of {runs} runs, ns a ply; which games match (at most 4 × once)\n");
    println!("   once   sixteen                 225   images of");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap_or_else(|error| panic!("{error}"));
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    for (name, text) in PATTERNS {
        let time = |text: &str| {
            let query = compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let seconds = median(runs, || drop(black_box(pool.install(|| run_query(&spans, &query, &selection, &())))));
            seconds * 1e9 / plies
        };
        let (many, shifted) = (format!("{text} {SIXTEEN}"), format!("{text} under shifts"));
        let (once, sixteen, shifts) = (time(text), time(&many), time(&shifted));
        let tree = parse(&many).unwrap_or_else(|error| panic!("{many}: {error}"));
        let left = ImageMatcher::for_query(&tree)
            .and_then(|found| found.image_names().next())
            .map_or(0, |images| images.len());
        println!(
            "{once:>7.2} {sixteen:>9.2} {:>5.2} × ({left:>2} left) {shifts:>7.2} {:>5.2} ×   {name}",
            sixteen / once,
            shifts / once
        );
    }
}

/// Measures sets of squares: independent words, and words that each depend on the one before.
fn turned(runs: usize) {
    println!("sets of squares, ns each: many (at most 3), one after the other, and that by shakmaty\n");
    for (name, symmetry) in Symmetry::NAMED {
        let symmetry = black_box(symmetry);
        let [many, chained] = time(runs, |word| symmetry.bitboard(word));
        let theirs = match name {
            "flipH" => Some(time(runs, |word| Bitboard(word).flip_horizontal().0)),
            "flipV" => Some(time(runs, |word| Bitboard(word).flip_vertical().0)),
            "flipD" => Some(time(runs, |word| Bitboard(word).flip_diagonal().0)),
            "flipAD" => Some(time(runs, |word| Bitboard(word).flip_anti_diagonal().0)),
            "rot90" => Some(time(runs, |word| Bitboard(word).rotate_270().0)),
            "rot180" => Some(time(runs, |word| Bitboard(word).rotate_180().0)),
            "rot270" => Some(time(runs, |word| Bitboard(word).rotate_90().0)),
            _ => None,
        };
        let theirs = theirs.map_or_else(|| "      -".into(), |[_, chained]| format!("{chained:>7.2}"));
        println!("{many:>7.2} {chained:>7.2} {theirs}  {name}");
    }
    for (files, ranks) in [(1, 0), (-2, 3), (7, -7)] {
        let Some(shift) = black_box(Shift::new(files, ranks)) else { continue };
        let [many, chained] = time(runs, |word| shift.bitboard(word));
        println!("{many:>7.2} {chained:>7.2}       -  {}", Transform::Shift(shift));
    }
}

/// Nanoseconds a word, for independent words and for words that each depend on the one before.
fn time(runs: usize, turn: impl Fn(u64) -> u64) -> [f64; 2] {
    let mut words: Vec<u64> = (0..1024u64).map(|nth| nth.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let each = || {
        for _ in 0..WORDS / 1024 {
            words.iter_mut().for_each(|word| *word = turn(*word));
            black_box(&mut words);
        }
    };
    let many = median(runs, each) * 1e9 / WORDS as f64;
    let chain = || {
        let mut word = 0x0123_4567_89ab_cdefu64;
        for nth in 0..WORDS {
            word = turn(word) ^ nth;
        }
        black_box(word);
    };
    [many, median(runs, chain) * 1e9 / WORDS as f64]
}
