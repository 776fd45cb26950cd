//! Compares the fold with the oracle on any number of random queries and games: `oracle [PAIRS [SEED]]`.
//!
//! A pair is a query and a game. Both must give the same verdict and the same matching positions or evidence. Prints the seed, so that a
//! run can be repeated, and every pair that differs. Exits with 1 if there is one.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::OpeningNames;
use plyfold_core::query::CompiledQuery;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::evidence::PositionRule;
use plyfold_tests::games::{Aligned, bind_comments, corpus};
use plyfold_tests::lines::bind_lines;
use plyfold_tests::oracle::Trace;
use plyfold_tests::queries::{bound, games, query};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Queries that are run on the same games.
const QUERIES: usize = 8;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |otherwise: u64| {
        arguments.next().map_or(Some(otherwise), |text| text.replace(['_', ','], "").parse::<u64>().ok())
    };
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let (Some(pairs), Some(seed)) = (number(1_000_000), number(clock)) else {
        eprintln!("usage: oracle [PAIRS [SEED]], both numbers");
        return ExitCode::from(2);
    };
    println!("seed {seed}");
    let begin = Instant::now();
    let threads = rayon::current_num_threads() as u64;
    let run = |thread: u64| {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&thread.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let mut tally = Tally::default();
        while tally.pairs < pairs.div_ceil(threads) {
            some_pairs(&mut runner, &mut tally);
            if thread == 0 && std::io::stderr().is_terminal() {
                eprint!("\r{} pairs", tally.pairs * threads);
                let _ = std::io::stderr().flush();
            }
        }
        tally
    };
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    let tallies: Vec<Tally> = (0..threads).into_par_iter().map(run).collect();
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    println!(
        "{} pairs of {} queries ({} refused): {} matched, {} differ; {:.0} s",
        sum(|tally| tally.pairs),
        sum(|tally| tally.queries),
        sum(|tally| tally.refused),
        sum(|tally| tally.matched),
        sum(|tally| tally.differ),
        begin.elapsed().as_secs_f64()
    );
    ExitCode::from(u8::from(sum(|tally| tally.differ) > 0))
}

#[derive(Default)]
struct Tally {
    pairs: u64,
    queries: u64,
    refused: u64,
    matched: u64,
    differ: u64,
}

/// Compares some queries on some games.
fn some_pairs(runner: &mut TestRunner, tally: &mut Tally) {
    let Ok(games) = games().new_tree(runner) else { return };
    let bytes = Aligned::new(&corpus(&games.current(), 4));
    let Ok(corpus) = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte) else {
        panic!("a corpus that was just made opens")
    };
    let spans = corpus_spans(&corpus);
    let traces: Vec<(u32, Trace<'_>)> = spans
        .iter()
        .flat_map(|span| (0..span.len()).map(move |nth| (span.first_game.0 + nth, Trace::of(*span, nth))))
        .collect();
    for nth in 0..QUERIES {
        let Ok(text) = query().new_tree(runner).map(|text| text.current()) else { continue };
        // Positions are those everywhere, or the evidence.
        let rule = if nth % 4 < 2 { PositionRule::Everywhere } else { PositionRule::Evidence };
        let Ok(CompiledQuery { tree, plan }) = CompiledQuery::read_positions(&text, &OpeningNames::default(), rule)
        else {
            tally.refused += 1;
            continue;
        };
        let mut query = bound(plan);
        bind_comments(&mut query, &spans);
        bind_lines(&mut query, &spans);
        tally.queries += 1;
        // If no positions are requested, the scan may leave a game early.
        let which = (nth % 2 == 0).then_some(PositionSelection { limit: None, choice: PositionChoice::Every });
        let selection = ReducerSelection { games: true, positions: which, ..ReducerSelection::default() };
        let Ok(found) = run_query(&spans, &query, &selection, &()) else { panic!("nobody cancels") };
        let plies: Vec<_> = found.positions.into_iter().flatten().collect();
        for (game, trace) in &traces {
            tally.pairs += 1;
            let verdict = found.games.iter().flat_map(|set| set.iter()).any(|one| one.0 == *game);
            let of_game = || plies.iter().filter(|one| one.game.0 == *game).map(|one| one.ply.0).collect::<Vec<_>>();
            tally.matched += u64::from(verdict);
            let expected = || match rule {
                PositionRule::Everywhere => trace.matching_plies(&tree),
                PositionRule::Evidence | PositionRule::EvidenceOfWindows => trace.evidence_plies(&tree),
            };
            if verdict != trace.matches(&tree) || which.is_some() && of_game() != expected() {
                tally.differ += 1;
                println!("differs: game {game} of {} and {text}", games.current().len());
            }
        }
    }
}
