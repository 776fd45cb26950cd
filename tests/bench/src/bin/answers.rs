//! Measures what results cost: `answers [--runs N] [FILE]`, a PGN or a corpus.
//!
//! Compares partitions with the plain set of games, unique positions with plain replays, and the algebra of sets of ten million
//! games with a plain loop over their words. Checks that different outputs agree on their totals.

use std::hint::black_box;
use std::time::Instant;

use plyfold_bench::baseline::replay;
use plyfold_bench::timing::{Measured, median, middle};
use plyfold_core::board::make::{HashOnly, WithBitboards};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::keys::parse_key;
use plyfold_core::query::compile;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::groups::{COUNTS, GroupTable};
use plyfold_core::reduce::heatmap::{HEATMAP, Heatmap};
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::partition::{PARTITION, Partition, PartitionLimit, PartitionRule};
use plyfold_core::reduce::set_expression::SetExpression;
use plyfold_core::reduce::structures::{STRUCTURES, TopStructures};
use plyfold_core::reduce::{QueryResults, ReducerSelection, run_query};
use plyfold_core::scan::Query;
use plyfold_tests::imported;
use rayon::ThreadPool;

/// Games in each set of the algebra.
const GAMES: u32 = 10_000_000;

fn main() {
    let Measured { runs, file } = Measured::read(|_, _| false);
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
    let scan = MeasuredScan { spans: corpus_spans(&corpus), pool, runs, plies };
    partitions(&scan);
    different_positions(&scan);
    algebra(runs.max(41));
    equal_totals(&scan);
}

/// A corpus to scan on one thread, and the number of runs for each measurement.
struct MeasuredScan<'a> {
    spans: Vec<GameSpan<'a>>,
    pool: ThreadPool,
    runs: usize,
    plies: u64,
}

impl MeasuredScan<'_> {
    /// The results of one query.
    fn results(&self, text: &str, selection: &ReducerSelection) -> QueryResults {
        let query = compiled(text);
        self.pool.install(|| run_query(&self.spans, &query, selection, &())).unwrap_or_default()
    }

    /// The cost of one query alone, in nanoseconds a ply.
    fn time(&self, text: &str, selection: &ReducerSelection) -> f64 {
        let query = compiled(text);
        self.median(|| drop(black_box(self.pool.install(|| run_query(&self.spans, &query, selection, &())))))
    }

    /// The median time of `work` in nanoseconds a ply.
    fn median(&self, work: impl FnMut()) -> f64 {
        median(self.runs, work) * 1e9 / self.plies as f64
    }
}

fn compiled(text: &str) -> Query {
    compile(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn key(name: &str) -> GroupingKey {
    parse_key(name).unwrap_or_else(|error| panic!("{name}: {}", error.message))
}

fn selected_games() -> ReducerSelection {
    ReducerSelection { games: true, ..ReducerSelection::default() }
}

fn counted_positions() -> ReducerSelection {
    ReducerSelection { positions_count: true, ..selected_games() }
}

/// Compares partitions with the plain set of games.
fn partitions(scan: &MeasuredScan<'_>) {
    println!("\npartitions (50 of them at most 1.3 × the plain set of games)");
    for text in ["queens_off", "passed_pawn on d", "white rook_on_seventh"] {
        let plain = scan.time(text, &selected_games());
        println!("{plain:>7.2}  {text}");
        for (name, rule) in [
            ("year", PartitionRule::Final),
            ("opening", PartitionRule::Final),
            ("endgame", PartitionRule::Final),
            ("endgame", PartitionRule::Ever),
        ] {
            let selection = ReducerSelection {
                outputs: vec![PARTITION.by(key(name)).ruled_by(rule).with_sets(PartitionLimit::Largest(50))],
                ..selected_games()
            };
            let (time, parts) = (scan.time(text, &selection), parts_of(&scan.results(text, &selection)));
            println!("{time:>7.2}  {:.2} ×  {} sets of {parts} parts by {name}, {rule:?}", time / plain, parts.min(50));
        }
    }
}

fn parts_of(found: &QueryResults) -> usize {
    found.summary::<Partition>().expect("requested").sets.len()
}

/// Compares unique positions with replays that maintain as much of the board.
fn different_positions(scan: &MeasuredScan<'_>) {
    println!("\ndifferent positions (at most 25)");
    let which = PositionSelection { limit: Some(0), choice: PositionChoice::Distinct };
    let distinct = ReducerSelection { positions: Some(which), ..ReducerSelection::default() };
    let (time, found) = (scan.time("", &distinct), scan.results("", &distinct).distinct_positions.unwrap_or(0));
    let bits = scan.median(|| replay::<WithBitboards>(&scan.spans));
    let hash = scan.median(|| replay::<HashOnly>(&scan.spans));
    println!("{time:>7.2}  {found} positions; a replay of bitboards takes {bits:.2}, of hashes {hash:.2}");
}

/// Asserts that different results count the same positions.
fn equal_totals(scan: &MeasuredScan<'_>) {
    println!("\nwhat must be equal");
    for text in ["", "queens_off"] {
        let selection = ReducerSelection {
            outputs: vec![
                HEATMAP.output(),
                STRUCTURES.output().most(1),
                COUNTS.by(key("material")).most(1),
                COUNTS.by(key("structure")).most(1),
            ],
            ..counted_positions()
        };
        let found = scan.results(text, &selection);
        let kings: u64 = found.summary::<Heatmap>().map_or(0, |heatmap| heatmap.counts()[0][5].iter().sum());
        let groups = found.summaries::<GroupTable>().map(|groups| groups.positions);
        let totals: Vec<u64> =
            groups.chain([kings, found.summary::<TopStructures>().map_or(0, |all| all.total)]).collect();
        assert!(totals.iter().all(|&total| total == found.count.positions), "{text}: {totals:?} {:?}", found.count);
        println!(
            "{:>12}  positions of `{text}`: counted, white kings, by material, by structure",
            found.count.positions
        );
    }
    assert_eq!(scan.results("", &counted_positions()).count.positions, scan.plies);
    println!("{:>12}  plies of the corpus", scan.plies);
}

/// Compares the algebra of sets of ten million games with plain loops.
fn algebra(runs: usize) {
    println!("\nalgebra of sets of {GAMES} games (at most 1.3 × a plain loop over the words)");
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut word = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let length = GAMES as usize / 64;
    let mut set = || GameSet::from_words(GAMES, (0..length).map(|_| word()).collect()).unwrap_or_default();
    let sets = [set(), set(), set()];
    let [a, b, c] = [0, 1, 2].map(|nth: usize| sets[nth].words());
    let all: Vec<&GameSet> = sets.iter().collect();
    // Fresh pages would cost more than the words, so this frees memory that the runs then reuse.
    drop(black_box(vec![1u64; 64 << 20]));
    let plain: [(&str, &dyn Fn() -> Vec<u64>); 3] = [
        ("@a & @b", &|| a.iter().zip(b).map(|(a, b)| a & b).collect()),
        ("(@a & @b) - @c", &|| a.iter().zip(b).zip(c).map(|((a, b), c)| a & b & !c).collect()),
        ("@a | @b ^ @c", &|| a.iter().zip(b).zip(c).map(|((a, b), c)| a | b ^ c).collect()),
    ];
    for (text, plain) in plain {
        let expression = SetExpression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let operands = &all[..expression.names().len()];
        assert_eq!(expression.evaluate(GAMES, operands).words(), plain());
        let (mut ours, mut loops) = (Vec::new(), Vec::new());
        // The two sides alternate, and earlier results stay allocated meanwhile, so that both find the allocator in the same
        // state.
        let (mut kept, mut held) = (GameSet::default(), Vec::new());
        for _ in 0..runs {
            let begin = Instant::now();
            kept = black_box(expression.evaluate(GAMES, operands));
            ours.push(begin.elapsed().as_secs_f64());
            let begin = Instant::now();
            held = black_box(plain());
            loops.push(begin.elapsed().as_secs_f64());
        }
        assert_eq!(kept.words(), held);
        let [ours, loops] = [ours, loops].map(|times| middle(times.into_iter()) * 1e6);
        println!("{ours:>7.0} µs  {:.2} × {loops:.0} µs  {text}", ours / loops);
    }
    let mut left = sets[0].clone();
    let in_place = median(runs, || black_box(&mut left).and(&sets[1])) * 1e6;
    let mut words = a.to_vec();
    let plain = median(runs, || black_box(&mut words).iter_mut().zip(b).for_each(|(a, b)| *a &= b)) * 1e6;
    println!("{in_place:>7.0} µs  {:.2} × {plain:.0} µs  and, in place", in_place / plain);
}
