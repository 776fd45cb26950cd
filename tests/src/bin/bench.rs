//! The benchmark table: each figure beside a baseline measured in the same run, its ratio, and the target.
//!
//! `cargo xtask bench [--runs N] [PGN]`. Without a file: the large reference games where they stand beside the project, else the demo games.
//! Figures are medians; the two sides of a ratio are measured in turn, A B A B, so that a machine that slows down slows both.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use peak_alloc::PeakAlloc;
use plyfold_core::board::Board;
use plyfold_core::board::make::{Bits, Hash, Mailbox, Policy, Tally, Whole};
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::{Span, spans};
use plyfold_core::query::compile;
use plyfold_core::reduce::count::Count;
use plyfold_core::reduce::positions::Which;
use plyfold_core::reduce::{Wanted, answer};
use plyfold_core::scan::naive;
use plyfold_input::Source;
use plyfold_input::import::{Options, run};
use plyfold_tests::{baseline, data, imported};
use shakmaty::Position;

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut runs, mut file) = (5, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(5).max(1),
            _ => file = Some(PathBuf::from(argument)),
        }
    }
    let demo = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../www/public/demo/demo.pgn.zst"));
    let file = file.or_else(|| data::shared("master-206k.pgn.zst")).unwrap_or_else(demo);
    Bench { runs, file }.run();
}

struct Bench {
    runs: usize,
    file: PathBuf,
}

/// A line of the table.
struct Row<'a> {
    what: &'a str,
    /// Nanoseconds a ply.
    ns: f64,
    /// Peak of the heap above what was there before, in bytes.
    peak: usize,
    /// Name of the baseline, and ours / baseline.
    ratio: Option<(&'a str, f64)>,
    target: &'a str,
}

impl Row<'_> {
    fn print(&self) {
        let ratio = self.ratio.map_or(String::new(), |(name, ratio)| format!("{ratio:.3} × {name}"));
        let mib = self.peak as f64 / f64::from(1 << 20);
        println!("{:<44} {:>8.2} {:>9.1} {:<34} {}", self.what, self.ns, mib, ratio, self.target);
    }
}

impl Bench {
    fn run(&self) {
        let text: Arc<[u8]> = self.text().into();
        println!("{}: {} bytes of PGN, median of {} runs", self.file.display(), text.len(), self.runs);
        println!("{:<44} {:>8} {:>9} {:<34} target", "what", "ns/ply", "peak MiB", "ratio");
        self.import(&text);
        let (bytes, _) = imported::source(&mut source(text), &Options::default());
        let corpus = Corpus::open(bytes.bytes(), Check::Scan).expect("just made");
        let spans = spans(&corpus);
        self.replay(&spans, corpus.header.plies);
        self.scans(&spans, corpus.header.plies);
        println!("corpus: {} games, {} plies, {} bytes", corpus.header.games, corpus.header.plies, bytes.bytes().len());
    }

    /// The text of the file, decompressed.
    fn text(&self) -> Vec<u8> {
        let fail = |error| -> ! { panic!("{}: {error}", self.file.display()) };
        let mut text = Vec::new();
        let mut source = Source::open(Path::new(&self.file)).unwrap_or_else(|error| fail(error));
        if let Err(error) = source.read(usize::MAX, &mut text) {
            fail(error);
        }
        text
    }

    fn import(&self, text: &Arc<[u8]>) {
        let options = Options { threads: 1, ..Options::default() };
        let mut plies = 0;
        let ours = || {
            let mut bytes = 0;
            let mut sink = |shard: Vec<u8>| {
                bytes += shard.len();
                Ok(())
            };
            let report = run(&mut source(Arc::clone(text)), &options, &mut |_| true, &mut sink);
            plies = report.unwrap_or_else(|error| panic!("{error}")).plies;
            std::hint::black_box(bytes);
        };
        let pair = self.pair(ours, || {
            std::hint::black_box(baseline::play_all(text));
        });
        let ratio = Some(("pgn-reader + shakmaty", pair.ratio));
        pair.row("import, one thread, text kept", plies, ratio, "at most 0.9").print();
    }

    fn replay(&self, spans: &[Span<'_>], plies: u64) {
        let shakmaty = || {
            for game in spans.iter().flat_map(Span::games) {
                let mut position = shakmaty::Chess::default();
                if game.own_start().is_some() {
                    continue;
                }
                for mv in game.moves {
                    let (from, to) = (mv.origin() as u32, mv.target() as u32);
                    let (from, to) = (shakmaty::Square::new(from), shakmaty::Square::new(to));
                    position.play_unchecked(shakmaty_move(&position, *mv, from, to));
                }
                std::hint::black_box(&position);
            }
        };
        let row = |what: &str, ours: fn(&[Span<'_>])| {
            let pair = self.pair(|| ours(spans), shakmaty);
            pair.row(what, plies, Some(("shakmaty's play", pair.ratio)), "").print();
        };
        row("replay: mailbox", replay::<Mailbox>);
        row("replay: bitboards", replay::<Bits>);
        row("replay: + numbers of men", replay::<Tally>);
        row("replay: + rights and hash", replay::<Hash>);
        row("replay: everything", replay::<Whole>);
    }

    fn scans(&self, spans: &[Span<'_>], plies: u64) {
        let count = Wanted { positions_count: true, ..Wanted::default() };
        let heatmap = Wanted { heatmap: true, ..count };
        let structures = Wanted { structures: Some(20), ..count };
        let unique = Wanted { positions: Some(Which { limit: Some(0), unique: true }), ..count };
        let one_pass = Wanted { games: true, ..Wanted { heatmap: true, ..structures } };
        let scans: &[(&str, &str, Wanted, &str)] = &[
            ("queens_off, every ply counted", "queens_off", count, "at most 4.4"),
            ("queens_off, games only", "queens_off", Wanted::default(), ""),
            ("white knight on e5", "white knight on e5", count, ""),
            ("points(white) - points(black) >= 3", "points(white) - points(black) >= 3", count, ""),
            ("{ isolated_pawn on d and passed_pawn }", "{ isolated_pawn on d and passed_pawn }", count, ""),
            ("check", "check", count, ""),
            ("heatmap, all plies", "", heatmap, "at most 4"),
            ("pawn structures, all plies", "", structures, "at most 6"),
            ("distinct positions, all plies", "", unique, ""),
            ("queens_off: games, heatmap, structures", "queens_off", one_pass, "at most 64 MiB"),
        ];
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let (one, two) = (pool(1), pool(2));
        for &(what, query, wanted, target) in scans {
            let query = compile(query).expect("a query");
            let scan = |pool: &rayon::ThreadPool| {
                let answers = pool.install(|| answer(spans, &query, &wanted, &()));
                std::hint::black_box(answers.expect("nobody cancels"));
            };
            let twin = || {
                std::hint::black_box(naive::scan(spans, &query, Count::default()));
            };
            let pair = self.pair(|| scan(&one), twin);
            pair.row(what, plies, Some(("the naive twin's count", pair.ratio)), target).print();
            let threads = self.pair(|| scan(&two), || scan(&one));
            let ratio = Some(("one thread", threads.ratio));
            threads.row("  the same, two threads", plies, ratio, "at most 0.556").print();
        }
    }

    /// Runs the two in turn; medians.
    fn pair(&self, mut ours: impl FnMut(), mut baseline: impl FnMut()) -> Pair {
        let time = |run: &mut dyn FnMut()| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        };
        let before = PEAK.current_usage();
        PEAK.reset_peak_usage();
        ours();
        let peak = PEAK.peak_usage() - before;
        let times: Vec<(f64, f64)> = (0..self.runs).map(|_| (time(&mut ours), time(&mut baseline))).collect();
        Pair {
            seconds: median(times.iter().map(|times| times.0)),
            ratio: median(times.iter().map(|(ours, baseline)| ours / baseline)),
            peak,
        }
    }
}

struct Pair {
    seconds: f64,
    ratio: f64,
    peak: usize,
}

impl Pair {
    fn row<'a>(&self, what: &'a str, plies: u64, ratio: Option<(&'a str, f64)>, target: &'a str) -> Row<'a> {
        Row { what, ns: self.seconds * 1e9 / plies.max(1) as f64, peak: self.peak, ratio, target }
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn source(text: Arc<[u8]>) -> Source {
    let length = Some(text.len() as u64);
    Source::new(Cursor::new(text), length).unwrap_or_else(|error| panic!("{error}"))
}

fn replay<P: Policy>(spans: &[Span<'_>]) {
    let initial = Board::initial();
    for game in spans.iter().flat_map(Span::games) {
        let mut board = game.own_start().unwrap_or_else(|| initial.clone());
        for &mv in game.moves {
            board.make::<P>(mv);
        }
        std::hint::black_box(&board);
    }
}

/// The move in shakmaty's terms, without searching for it among the legal ones.
fn shakmaty_move(
    position: &shakmaty::Chess,
    mv: plyfold_core::moves::Move,
    from: shakmaty::Square,
    to: shakmaty::Square,
) -> shakmaty::Move {
    if mv.is_castling() {
        return shakmaty::Move::Castle { king: from, rook: to };
    }
    if mv.is_en_passant() {
        return shakmaty::Move::EnPassant { from, to };
    }
    let promotion = mv.promoted();
    let role = if promotion.is_some() { shakmaty::Role::Pawn } else { mv.arriving().unwrap_or(shakmaty::Role::Pawn) };
    shakmaty::Move::Normal { role, from, capture: position.board().role_at(to), to, promotion }
}
