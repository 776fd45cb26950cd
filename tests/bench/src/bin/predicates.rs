//! Measures each predicate and prints a Markdown table for the documentation.
//!
//! `predicates [--runs N] [--word WORD] [FILE]`, a PGN or a corpus, counts the positions of each predicate on one thread and
//! prints the median of N runs. With a word, it measures only predicates whose text contains it.

use plyfold_bench::baseline::replay;
use plyfold_bench::timing::{Measured, median};
use plyfold_core::board::make::WithBitboards;
use plyfold_core::board::{ANY_CHANGE, ChangeMask, ColorCode, count_change, placement_change};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::query::compile;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::Query;
use plyfold_core::scan::measure::FEATURES;
use plyfold_core::scan::measure::numbers::NUMBERS;
use plyfold_core::scan::measure::pieces::ROLE_NAMES;
use plyfold_core::scan::plan::PlannedPredicate;
use plyfold_tests::imported;
use shakmaty::{Color, Role};

/// Relations, each with its definition.
const RELATIONS: &[(&str, &str)] = &[
    ("white knight attacks queen", "a white knight attacks a black queen"),
    ("white rook defends rook", "a white rook defends another"),
    ("white bishop attacks f7", "a white bishop attacks the square f7"),
    ("white pawn attacks piece", "a white pawn attacks any black piece"),
    ("white piece attacks e5", "any white piece attacks the square e5"),
    ("eval >= 3", "White is better by three pawns or more"),
    ("white blunder", "White has just lost most of its chances"),
    ("clock_time(white) < 60", "White has less than a minute"),
    ("white plays knight to e5", "White has just moved a knight to e5"),
    ("white plays pawn", "White has just moved a pawn"),
    ("white quiet", "White has just moved without capturing or promoting"),
    ("white captures queen", "White has just captured a queen"),
    ("white recaptures", "White has just captured where Black had"),
    ("white underpromotes", "White has just promoted a pawn to a knight, bishop or rook"),
    ("white gives_check", "White has just given check"),
    ("white gives_discovered_check", "White has just given check by a piece that did not move"),
    ("white gives_mate", "White has just mated"),
    ("white smothered_mate", "White has just mated with a knight a king that its own pieces enclose"),
    ("white perpetual", "White has just repeated a position by checks alone"),
    ("white sacrifices", "White has just given two points or more, which do not come back within three moves"),
];

/// A row of the table: query, definition, and dependencies.
struct Row {
    text: String,
    means: String,
    depends: ChangeMask,
}

fn main() {
    let mut word = String::new();
    let Measured { runs, file: path } = Measured::read(|argument, more| {
        let is_word = argument == "--word";
        if is_word {
            word = more.next().unwrap_or_default();
        }
        is_word
    });
    let bytes = imported::corpus(&path);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (spans, plies) = (corpus_spans(&corpus), corpus.header.plies);
    println!("{} games, {plies} plies, one thread, median of {runs} runs.\n", corpus.header.games);
    println!("| predicate | definition | depends on | looked at | ns/ply |\n|---|---|---|---|--:|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap_or_else(|error| panic!("{error}"));
    let base = || pool.install(|| median(runs, || replay::<WithBitboards>(&spans))) * 1e9 / plies as f64;
    println!("| (for comparison: the replay of all moves on bitboards) | | | | {:.2} |", base());
    for Row { text, means, depends } in rows().into_iter().filter(|row| row.text.contains(&word)) {
        let query = match compile(&text) {
            Ok(query) => query,
            Err(error) => {
                eprintln!("left out: {text}: {error}");
                continue;
            }
        };
        let looked_at =
            PlannedPredicate::plan_all(&query.predicates).first().map_or("", |sorted| sorted.access_path.description());
        let ns = pool.install(|| median(runs, || count(&spans, &query))) * 1e9 / plies as f64;
        println!("| `{text}` | {means} | {} | {looked_at} | {ns:.2} |", words(depends));
    }
}

fn rows() -> Vec<Row> {
    let features = FEATURES.iter().map(|feature| Row {
        text: if feature.has_sides { format!("white {}", feature.name) } else { feature.name.to_owned() },
        means: feature.summary.to_owned(),
        depends: feature.dependencies_for(Color::White),
    });
    let numbers = NUMBERS.iter().map(|number| Row {
        text: format!("{} >= 2", number.name),
        means: number.summary.to_owned(),
        depends: number.dependencies,
    });
    let relations = RELATIONS.iter().map(|&(text, means)| {
        let depends = compile(text)
            .map_or(ANY_CHANGE, |query| query.predicates.iter().fold(0, |all, one| all | one.dependencies()));
        Row { text: text.to_owned(), means: means.to_owned(), depends }
    });
    features.chain(numbers).chain(relations).collect()
}

/// Counts the positions of a query.
fn count(spans: &[GameSpan<'_>], query: &Query) {
    let selection = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
    std::hint::black_box(run_query(spans, query, &selection, &()).unwrap_or_else(|error| panic!("{error}")));
}

/// Names the pieces whose moves, and the castlings, can change the result of a predicate.
fn words(depends: ChangeMask) -> String {
    if depends == ANY_CHANGE {
        return "every move".to_owned();
    }
    let mut words = Vec::new();
    for (side, color) in [("own", ColorCode::WHITE), ("enemy", ColorCode::BLACK)] {
        let changes = |role: Role| placement_change(color.piece(role)) | count_change(color.piece(role));
        let names = Role::ALL.into_iter().zip(ROLE_NAMES).filter(|(role, _)| depends & changes(*role) != 0);
        let names: Vec<&str> = names.map(|(_, name)| name).collect();
        match names.len() {
            0 => {}
            6 => words.push(format!("{side} pieces")),
            _ => words.push(format!("{side} {}", names.join(", "))),
        }
    }
    if depends & plyfold_core::board::CASTLING_CHANGE != 0 {
        words.push("castling".to_owned());
    }
    words.join("; ")
}
