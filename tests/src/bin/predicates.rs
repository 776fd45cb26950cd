//! What each predicate costs: a Markdown table for the documentation.
//!
//! `predicates [--runs N] [--word WORD] [FILE]`, a PGN or a corpus, counts the positions of each predicate on one thread and prints the
//! median of so many runs; with a word, only of predicates whose text contains it.

use std::path::PathBuf;
use std::time::Instant;

use plyfold_core::board::make::Bits;
use plyfold_core::board::{Change, EVERYTHING, number_of, squares_of};
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::{Span, spans};
use plyfold_core::query::compile;
use plyfold_core::reduce::{Wanted, answer};
use plyfold_core::scan::Query;
use plyfold_core::scan::measure::FEATURES;
use plyfold_core::scan::measure::men::NAMES;
use plyfold_core::scan::measure::numbers::NUMBERS;
use plyfold_core::scan::source::Sorted;
use plyfold_tests::baseline::replay;
use plyfold_tests::{data, imported};
use shakmaty::Color;

/// Relations, and what they ask for.
const RELATIONS: &[(&str, &str)] = &[
    ("white knight attacks queen", "a white knight attacks a black queen"),
    ("white rook defends rook", "a white rook defends another"),
    ("white bishop attacks f7", "a white bishop attacks the square f7"),
    ("white pawn attacks man", "a white pawn attacks any black man"),
    ("white man attacks e5", "any white man attacks the square e5"),
];

/// A row to be: query, definition, on what it depends.
struct Row {
    text: String,
    means: String,
    depends: Change,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut runs, mut file, mut word) = (5usize, None, String::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(5).max(1),
            "--word" => word = arguments.next().unwrap_or_default(),
            _ => file = Some(PathBuf::from(argument)),
        }
    }
    let demo = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../www/public/demo/demo.pgn.zst"));
    let path = file.or_else(|| data::shared("master-206k.pgn.zst")).unwrap_or_else(demo);
    let bytes = imported::corpus(&path);
    let corpus = Corpus::open(bytes.bytes(), Check::Scan).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (spans, plies) = (spans(&corpus), corpus.header.plies);
    println!("{} games, {plies} plies, one thread, median of {runs} runs.\n", corpus.header.games);
    println!("| predicate | definition | depends on | looked at | ns/ply |\n|---|---|---|---|--:|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap_or_else(|error| panic!("{error}"));
    let base = || pool.install(|| median(runs, || replay::<Bits>(&spans))) / plies as f64;
    println!("| (beside them: every move made on bitboards) | | | | {:.2} |", base());
    for Row { text, means, depends } in rows().into_iter().filter(|row| row.text.contains(&word)) {
        let query = match compile(&text) {
            Ok(query) => query,
            Err(error) => {
                eprintln!("left out: {text}: {error}");
                continue;
            }
        };
        let looked_at = Sorted::all(&query.predicates).first().map_or("", |sorted| sorted.source.looked_at());
        let ns = pool.install(|| median(runs, || count(&spans, &query))) / plies as f64;
        println!("| `{text}` | {means} | {} | {looked_at} | {ns:.2} |", words(depends));
    }
}

fn rows() -> Vec<Row> {
    let features = FEATURES.iter().map(|feature| Row {
        text: if feature.sided { format!("white {}", feature.name) } else { feature.name.to_owned() },
        means: feature.summary.to_owned(),
        depends: feature.depends_on(Color::White),
    });
    let numbers = NUMBERS.iter().map(|number| Row {
        text: format!("{} >= 2", number.name),
        means: number.summary.to_owned(),
        depends: number.depends,
    });
    let relations = RELATIONS.iter().map(|&(text, means)| {
        let depends =
            compile(text).map_or(EVERYTHING, |query| query.predicates.iter().fold(0, |all, one| all | one.depends()));
        Row { text: text.to_owned(), means: means.to_owned(), depends }
    });
    features.chain(numbers).chain(relations).collect()
}

/// Counts its positions.
fn count(spans: &[Span<'_>], query: &Query) {
    let wanted = Wanted { positions_count: true, ..Wanted::default() };
    std::hint::black_box(answer(spans, query, &wanted, &()).unwrap_or_else(|error| panic!("{error}")));
}

/// Nanoseconds that it takes.
fn median(runs: usize, mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e9
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
}

/// The men whose moves, and castlings, can change the answer.
fn words(depends: Change) -> String {
    if depends == EVERYTHING {
        return "every move".to_owned();
    }
    let mut words = Vec::new();
    for (side, first) in [("own", 0), ("enemy", 8)] {
        let men = (1u8..7).filter(|role| depends & (squares_of(first + role) | number_of(first + role)) != 0);
        let men: Vec<&str> = men.map(|role| NAMES[usize::from(role) - 1]).collect();
        match men.len() {
            0 => {}
            6 => words.push(format!("{side} men")),
            _ => words.push(format!("{side} {}", men.join(", "))),
        }
    }
    if depends & plyfold_core::board::CASTLED != 0 {
        words.push("castling".to_owned());
    }
    words.join("; ")
}
