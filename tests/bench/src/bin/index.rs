//! Measures the position index: time and size of building it, and the time of a probe.
//!
//! `cargo run --release -p plyfold-bench --bin index CORPUS.plyfold [--threads N]`. It probes random positions of the corpus
//! and positions that the corpus does not have, and times each probe alone.

use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use plyfold_core::board::make::WithHash;
use plyfold_core::board::{Board, PieceCode};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::index::layout::{self, IndexFileHeader, IndexLayout};
use plyfold_core::index::plan::{IndexPlan, MAX_SEGMENT_PLIES, covers};
use plyfold_core::index::probe::IndexReader;
use plyfold_core::index::{build, fen};
use plyfold_tests::games::Aligned;

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

/// Positions that are probed by name.
const NAMED: &[(&str, &str)] = &[
    ("the usual array", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"),
    ("after 1.e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"),
    ("Ruy Lopez, after 3...a6", "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq -"),
    ("an absent middlegame", "r2q1rk1/1p1nbppp/p2pbn2/4p3/4P2P/1NN1BP2/PPPQ2P1/R1K2B1R b - -"),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a corpus");
    let threads = arguments.nth(1).and_then(|threads| threads.parse().ok()).unwrap_or(0);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("threads");
    let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let bytes = Aligned::new(&bytes);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let out = build_index(&corpus, &spans);
    let begin = Instant::now();
    let layout = IndexLayout::check(out.bytes(), layout::IndexCheck::Headers).expect("just made");
    let index = layout.index(out.bytes());
    let opened = begin.elapsed();
    covers(&index, corpus.header.id, &spans).expect("it is of this corpus");
    println!("opened in {opened:?}; that it is of this corpus was found in {:?}", begin.elapsed() - opened);
    probe_named(&index, &spans);
    probe_many(&index, &spans);
}

/// Builds the index in memory, and prints its time, its memory and its size.
fn build_index(corpus: &CorpusReader<'_>, spans: &[GameSpan<'_>]) -> Aligned {
    let plies = corpus.header.plies;
    let before = PEAK.current_usage();
    PEAK.reset_peak_usage();
    let begin = Instant::now();
    let plan = IndexPlan::new(corpus.header.id, spans, None, MAX_SEGMENT_PLIES).expect("a new one");
    let mut out = vec![0; IndexFileHeader::BYTES];
    let header = build::build_index(&plan, None, &mut |_| true, &mut |piece| {
        out.extend_from_slice(piece);
        Ok::<(), ()>(())
    });
    let header = header.expect("nobody cancels");
    out[..IndexFileHeader::BYTES].copy_from_slice(&header.to_bytes());
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "built: {} games, {plies} plies in {seconds:.2} s with {} threads, {:.1} ns a ply, peak of the heap {} MiB with the bytes of the index",
        corpus.header.games,
        rayon::current_num_threads(),
        seconds * 1e9 / plies as f64,
        (PEAK.peak_usage() - before) >> 20,
    );
    println!("size: {} bytes, {:.2} a ply, {} segments", out.len(), out.len() as f64 / plies as f64, header.segments);
    Aligned::new(&out)
}

/// Looks up the named positions, and prints what the index has for each and how long the probe took.
fn probe_named(index: &IndexReader<'_>, spans: &[GameSpan<'_>]) {
    for (name, fen) in NAMED {
        let hash = fen::board_from_fen(fen).expect("a FEN").hash;
        let (first, again) = (time(index, spans, hash), median((0..101).map(|_| time(index, spans, hash))));
        let found = index.look_up(spans, hash).expect("sound");
        let begin = Instant::now();
        let listed = found.game_ids().expect("sound").map(|game| u64::from(game.0)).sum::<u64>();
        let read = begin.elapsed();
        println!(
            "{name}: {} games, {} occurrences, {} next moves; first {first:?}, median {again:?}; list read in {read:?} ({listed})",
            found.games(),
            found.occurrences,
            found.next_moves.len()
        );
    }
}

/// Looks up many positions, of the corpus and others, and prints how long a probe takes.
fn probe_many(index: &IndexReader<'_>, spans: &[GameSpan<'_>]) {
    let (mut present, mut absent) = (sample(spans, 20_000), Vec::new());
    for board in &mut present {
        let mut other = board.clone();
        // With one more piece on the first free square, the position is almost surely in no game.
        let free = (8..56).find(|&square| other.mailbox[square].is_none()).unwrap_or(8);
        other.mailbox[free] = PieceCode::WHITE_KNIGHT;
        absent.push(other.compute_hash());
    }
    let present: Vec<u64> = present.iter().map(|board| board.hash).collect();
    for (name, hashes) in [("present", present), ("absent", absent)] {
        // The least of several tries is the time of a probe on an otherwise idle processor.
        for (round, tries) in [("first", 1), ("least of five", 5)] {
            let least = |&hash| (0..tries).map(|_| time(index, spans, hash)).min().unwrap_or_default();
            let mut times: Vec<Duration> = hashes.iter().map(least).collect();
            times.sort_unstable();
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
            println!("{name}, {round}: median {:?}, 99 % {:?}, worst {:?}", at(0.5), at(0.99), at(1.0));
        }
    }
}

fn time(index: &IndexReader<'_>, spans: &[GameSpan<'_>], hash: u64) -> Duration {
    let begin = Instant::now();
    std::hint::black_box(index.look_up(spans, hash).expect("sound"));
    begin.elapsed()
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// About `count` positions of the corpus, in scattered order.
fn sample(spans: &[GameSpan<'_>], count: usize) -> Vec<Board> {
    let games: Vec<_> = spans.iter().flat_map(GameSpan::games).filter(|game| !game.moves.is_empty()).collect();
    let mut state = 1u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let board = |_| {
        let game = &games[random(games.len())];
        let mut board = game.start_board();
        for &mv in &game.moves[..=random(game.moves.len())] {
            board.make::<WithHash>(mv);
        }
        board
    };
    (0..count).map(board).collect()
}
