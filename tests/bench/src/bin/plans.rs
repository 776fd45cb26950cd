//! Measures what queries cost that share a pass: `plans [--runs N] [--word WORD] [FILE]`, a PGN or a corpus.
//!
//! Ten queries of one kind in one pass are compared with each of them alone, and all features of both sides with the most expensive
//! of them. With a word, only kinds whose name contains it are measured.

use std::hint::black_box;

use plyfold_bench::timing::{Measured, median};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::query::compile;
use plyfold_core::reduce::{ReduceRequest, ReducerSelection, run_queries};
use plyfold_core::scan::Query;
use plyfold_core::scan::measure::FEATURES;
use plyfold_tests::imported;
use rayon::ThreadPool;

/// Ten queries of each kind.
const KINDS: [(&str, [&str; 10]); 5] = [
    (
        "mixed",
        [
            "queens_off",
            "white isolated_pawn",
            "white knight on e5",
            "white fork",
            "check",
            "result 1-0 and white passed_pawn on d",
            "white rook_on_seventh",
            "black bishop attacks f2",
            "castled_long",
            "white outpost",
        ],
    ),
    (
        "mixed, with windows",
        [
            "white \"Carlsen*\" and result 1-0",
            "queens_off and white bishop_pair",
            "{ endgame rook and white passed_pawn on 6..7 } for 8",
            "isolated_queens_pawn",
            "black knight on f6 and white pawn on e5",
            "castled_long then queens_off",
            "count(doubled_pawn) > 2",
            "white rook_on_seventh and not queens_off",
            "check then within 10 checkmate",
            "white fork before move 20",
        ],
    ),
    (
        "replaying",
        [
            "white fork",
            "black hanging_piece",
            "white pinned",
            "black battery",
            "white attacked",
            "black fork",
            "white hanging_piece",
            "count(white controlled_square) >= 30",
            "white defended on e4",
            "black outpost",
        ],
    ),
    (
        "material",
        [
            "queens_off",
            "endgame rook",
            "white bishop_pair",
            "opposite_coloured_bishops",
            "points(white) > 20",
            "count(white rook) = 1 and count(black rook) = 2",
            "white queen and not black queen",
            "count(white knight) = 2",
            "points(white) - points(black) >= 3",
            "endgame pawns",
        ],
    ),
    (
        "pawns",
        [
            "white isolated_pawn",
            "black doubled_pawn",
            "white passed_pawn",
            "black backward_pawn on d",
            "white connected_passed_pawn",
            "isolated_queens_pawn",
            "hanging_pawns",
            "white pawn_majority",
            "white passed_pawn on d",
            "count(white pawn_island) >= 3",
        ],
    ),
];

fn main() {
    let mut word = String::new();
    let Measured { runs, file } = Measured::read(|argument, more| {
        let is_word = argument == "--word";
        if is_word {
            word = more.next().unwrap_or_default();
        }
        is_word
    });
    let bytes = imported::corpus(&file);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let plies = corpus.header.plies;
    println!(
        "{}: {} games, {plies} plies, one thread, median of {runs} runs, ns a ply",
        file.display(),
        corpus.header.games
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap_or_else(|error| panic!("{error}"));
    let plans = MeasuredPlans { spans: corpus_spans(&corpus), pool, runs, plies };
    let games = ReducerSelection { games: true, ..ReducerSelection::default() };
    let positions = ReducerSelection { positions_count: true, ..games.clone() };
    let features = every_feature();
    let features: Vec<&str> = features.iter().map(String::as_str).collect();
    let kinds = KINDS.iter().map(|(kind, texts)| (*kind, &texts[..])).chain([("every feature", &features[..])]);
    for (kind, texts) in kinds.filter(|(kind, _)| kind.contains(&word)) {
        for (what, selection) in [("games", &games), ("games and positions", &positions)] {
            plans.compare(&format!("{kind}, {what}"), texts, selection);
        }
    }
}

/// Each feature that a query can name, of White and of Black.
fn every_feature() -> Vec<String> {
    FEATURES
        .iter()
        .flat_map(|feature| match feature.has_sides {
            true => vec![format!("white {}", feature.name), format!("black {}", feature.name)],
            false => vec![feature.name.to_string()],
        })
        .collect()
}

/// A corpus to scan on one thread, and the number of runs for each measurement.
struct MeasuredPlans<'a> {
    spans: Vec<GameSpan<'a>>,
    pool: ThreadPool,
    runs: usize,
    plies: u64,
}

impl MeasuredPlans<'_> {
    /// The median cost of these queries in one pass, in nanoseconds a ply.
    fn time(&self, queries: &[Query], selection: &ReducerSelection) -> f64 {
        let requests: Vec<ReduceRequest<'_>> =
            queries.iter().map(|query| ReduceRequest { query, within: None, selection }).collect();
        let pass = || drop(black_box(self.pool.install(|| run_queries(&self.spans, &requests, &()))));
        median(self.runs, pass) * 1e9 / self.plies as f64
    }

    /// Compares queries in one pass with each of them alone.
    fn compare(&self, kind: &str, texts: &[&str], selection: &ReducerSelection) {
        println!("\n{kind}");
        let queries: Vec<Query> =
            texts.iter().map(|text| compile(text).unwrap_or_else(|error| panic!("{text}: {error}"))).collect();
        let mut each: Vec<(f64, &str)> = queries
            .iter()
            .zip(texts)
            .map(|(query, text)| (self.time(std::slice::from_ref(query), selection), *text))
            .collect();
        each.sort_by(|one, other| other.0.total_cmp(&one.0));
        each.iter().take(10).for_each(|(time, text)| println!("{time:>7.2}  {text}"));
        let all = self.time(&queries, selection);
        let (sum, dearest) = (each.iter().map(|(time, _)| time).sum::<f64>(), each[0].0);
        println!(
            "{all:>7.2}  all {}: {:.2} × the dearest, {:.2} × all one by one ({sum:.2})",
            texts.len(),
            all / dearest,
            all / sum
        );
    }
}
