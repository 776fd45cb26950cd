//! Measures the query language: `language [--runs N] [FILE]`, a PGN or a corpus.
//!
//! Times queries on headers alone, in nanoseconds a game and header field, and compares a query of twenty conditions with
//! gates with the replay alone.

use plyfold_bench::baseline::replay;
use plyfold_bench::timing::{Measured, median};
use plyfold_core::board::make::{FullState, WithBitboards, WithPieceCounts};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::query::compile;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_tests::imported;

/// Queries on headers alone, and the number of header fields that each tests.
const HEADERS: &[(&str, u32)] = &[
    ("result 1-0", 1),
    ("white elo >= 2600", 1),
    ("elo >= 2500", 2),
    ("average elo 2400..2500", 2),
    ("eco B80-B99", 1),
    ("year 1985..1995", 1),
    ("plies >= 80", 1),
    ("ended checkmate", 1),
    ("white \"Kasparov*\"", 1),
    ("player \"Carlsen*\"", 2),
    ("event \"*olympiad*\"", 1),
    ("result 1-0 and white \"Kasparov*\" and eco B80-B99 and year 1985..1995", 4),
];

/// Twenty conditions, three gates.
const TWENTY: &str = "(white castled_short and black castled and became open_file before move 25 and count(pawn) >= 12) \
    then (white knight on e5 for 4 or black knight on e4 for 4 or isolated_queens_pawn for 10 or { bishop_pair and queens_off } \
    or white passed_pawn on 5..6 or doubled_pawn on c) \
    then within 60 (rook_on_seventh at least 3 times or rook_on_open_file for 8 or black king on f..h in endgame \
    or both isolated_pawn or points(white) - points(black) >= 3) \
    then (queens_off and never material KvK and always count(king) = 2 and not white knight on a1 and count(man) <= 12 at end)";

fn main() {
    let Measured { runs, file } = Measured::read(|_, _| false);
    let bytes = imported::corpus(&file);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let spans = corpus_spans(&corpus);
    let (games, plies) = (corpus.header.games as f64, corpus.header.plies as f64);
    println!("{}: {games} games, {plies} plies, one thread, median of {runs} runs", file.display());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap_or_else(|error| panic!("{error}"));
    let count = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
    let games_alone = ReducerSelection { positions_count: false, ..count.clone() };
    let scan = |text: &str, selection: &ReducerSelection| {
        let query = compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut found = (0, 0);
        let seconds = median(runs, || {
            let answers = pool.install(|| run_query(&spans, &query, selection, &())).unwrap_or_default();
            found = (answers.count.games, answers.work.plies_replayed);
        });
        (seconds, found)
    };
    println!("\nheaders alone: ns a game and field (at most 1), games, moves made");
    for &(text, fields) in HEADERS {
        let (seconds, (found, replayed)) = scan(text, &count);
        println!("{:>6.2}  {found:>7} {replayed:>3}  {text}", seconds * 1e9 / games / f64::from(fields));
    }
    let conditions = compile(TWENTY).map_or(0, |query| query.conditions.len());
    println!("\n{conditions} conditions with gates: ns a ply, and × the replay alone (at most 3)");
    let replays = [
        ("bitboards", replay::<WithBitboards> as fn(&[GameSpan<'_>])),
        ("bitboards and numbers", replay::<WithPieceCounts>),
        ("everything", replay::<FullState>),
    ];
    let replays = replays.map(|(name, replay)| (name, median(runs, || replay(&spans))));
    for (what, selection) in [("games", &games_alone), ("games and positions", &count)] {
        let (seconds, (found, _)) = scan(TWENTY, selection);
        println!("{:>6.2}  {what}: {found} games", seconds * 1e9 / plies);
        for (name, alone) in replays {
            println!("        {:.2} × a replay of {name} ({:.2})", seconds / alone, alone * 1e9 / plies);
        }
    }
}
