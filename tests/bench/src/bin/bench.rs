//! The benchmark table: each figure with a baseline measured in the same run, their ratio, and the target.
//!
//! `cargo xtask bench [--runs N] [PGN]`. Without a file it uses the large reference games if they are beside the project,
//! else the demo games. Figures are medians. The two sides of a ratio alternate, A B A B, so that a machine that slows down
//! slows both.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use peak_alloc::PeakAlloc;
use plyfold_bench::baseline;
use plyfold_bench::timing::{Measured, middle};
use plyfold_core::board::make::{FullState, MailboxOnly, WithBitboards, WithHash, WithPieceCounts};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::query::compile;
use plyfold_core::reduce::count::MatchCount;
use plyfold_core::reduce::heatmap::HEATMAP;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::structures::STRUCTURES;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::naive;
use plyfold_input::PgnSource;
use plyfold_input::import::{ImportOptions, import_games};
use plyfold_tests::{imported, peers};
use shakmaty::Position;

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

fn main() {
    let Measured { runs, file } = Measured::read(|_, _| false);
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
    /// Peak of the heap above its size before the measurement, in bytes.
    peak: usize,
    /// Name of the baseline, and the ratio of ours to it.
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
        let (bytes, _) = imported::source(&mut source(Arc::clone(&text)), &ImportOptions::default());
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::WithoutTexts).expect("just made");
        let spans = corpus_spans(&corpus);
        self.replay(&spans, corpus.header.plies);
        self.scans(&spans, corpus.header.plies);
        self.skipped(&spans);
        self.headline(&spans, corpus.header.plies);
        self.scaling(&spans);
        self.peers(&text, &spans, corpus.header.plies);
        println!("corpus: {} games, {} plies, {} bytes", corpus.header.games, corpus.header.plies, bytes.bytes().len());
    }

    /// The text of the file, decompressed.
    fn text(&self) -> Vec<u8> {
        let fail = |error| -> ! { panic!("{}: {error}", self.file.display()) };
        let mut text = Vec::new();
        let mut source = PgnSource::open(Path::new(&self.file)).unwrap_or_else(|error| fail(error));
        if let Err(error) = source.read(usize::MAX, &mut text) {
            fail(error);
        }
        text
    }

    fn import(&self, text: &Arc<[u8]>) {
        let options = ImportOptions { threads: 1, ..ImportOptions::default() };
        let mut plies = 0;
        let ours = || {
            let mut bytes = 0;
            let mut sink = |shard: Vec<u8>| {
                bytes += shard.len();
                Ok(())
            };
            let report = import_games(&mut source(Arc::clone(text)), &options, &mut |_, _| true, &mut sink);
            plies = report.unwrap_or_else(|error| panic!("{error}")).plies;
            std::hint::black_box(bytes);
        };
        let pair = self.pair(ours, || {
            std::hint::black_box(baseline::play_all(text));
        });
        let ratio = Some(("pgn-reader + shakmaty", pair.ratio));
        pair.row("import, one thread, text kept", plies, ratio, "at most 0.9").print();
    }

    fn replay(&self, spans: &[GameSpan<'_>], plies: u64) {
        let shakmaty = || {
            for game in spans.iter().flat_map(GameSpan::games) {
                let mut position = shakmaty::Chess::default();
                if game.custom_start_board().is_some() {
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
        let row = |what: &str, ours: fn(&[GameSpan<'_>])| {
            let pair = self.pair(|| ours(spans), shakmaty);
            pair.row(what, plies, Some(("shakmaty's play", pair.ratio)), "").print();
        };
        row("replay: mailbox", baseline::replay::<MailboxOnly>);
        row("replay: bitboards", baseline::replay::<WithBitboards>);
        row("replay: + numbers of men", baseline::replay::<WithPieceCounts>);
        row("replay: + rights and hash", baseline::replay::<WithHash>);
        row("replay: everything", baseline::replay::<FullState>);
    }

    fn scans(&self, spans: &[GameSpan<'_>], plies: u64) {
        let count = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
        let heatmap = ReducerSelection { outputs: vec![HEATMAP.output()], ..count.clone() };
        let structures = ReducerSelection { outputs: vec![STRUCTURES.output().most(20)], ..count.clone() };
        let distinct = ReducerSelection {
            positions: Some(PositionSelection { limit: Some(0), choice: PositionChoice::Distinct }),
            ..count.clone()
        };
        let one_pass = ReducerSelection {
            games: true,
            ..ReducerSelection { outputs: vec![HEATMAP.output()], ..structures.clone() }
        };
        const RUY: &str = r#"fen "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq -""#;
        const ABSENT: &str = r#"fen "r1bq1rk1/1p2bppp/p1nppn2/8/3NPP2/2N1B3/PPP1B1PP/R2Q1R1K b - -""#;
        const PATTERN: &str = "{ white pawn on e5 and black knight on f6 }";
        let scans: &[(&str, &str, ReducerSelection, &str)] = &[
            ("position: Ruy Lopez after 3...a6", RUY, count.clone(), "at most 0.25"),
            ("position: a rare middlegame", ABSENT, count.clone(), "at most 0.25"),
            ("queens_off, every ply counted", "queens_off", count.clone(), "at most 0.9"),
            ("queens_off, games only", "queens_off", ReducerSelection::default(), ""),
            ("rook endgame", "endgame rook", count.clone(), "at most 1"),
            ("rook endgame for 8 plies", "endgame rook for 8", count.clone(), "at most 1"),
            ("isolated queen's pawn for 10 plies", "isolated_pawn on d for 10", count.clone(), "at most 1.5"),
            ("white pawn e5, black knight f6", PATTERN, count.clone(), "at most 1"),
            ("white knight on e5", "white knight on e5", count.clone(), ""),
            ("points(white) - points(black) >= 3", "points(white) - points(black) >= 3", count.clone(), ""),
            ("{ isolated_pawn on d and passed_pawn }", "{ isolated_pawn on d and passed_pawn }", count.clone(), ""),
            ("check", "check", count.clone(), ""),
            ("heatmap, all plies", "", heatmap, "at most 2.5"),
            ("pawn structures, all plies", "", structures.clone(), "at most 2.5"),
            ("distinct positions, all plies", "", distinct.clone(), ""),
            ("distinct positions under queens_off", "queens_off", distinct.clone(), ""),
            ("queens_off: games, heatmap, structures", "queens_off", one_pass, "at most 64 MiB"),
        ];
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let (one, two) = (pool(1), pool(2));
        for &(what, query, ref selection, target) in scans {
            let query = compile(query).expect("a query");
            let scan = |pool: &rayon::ThreadPool| {
                let answers = pool.install(|| run_query(spans, &query, selection, &()));
                std::hint::black_box(answers.expect("nobody cancels"));
            };
            let twin = || {
                std::hint::black_box(naive::scan(spans, &query, MatchCount::default()));
            };
            let pair = self.pair(|| scan(&one), twin);
            pair.row(what, plies, Some(("the naive twin's count", pair.ratio)), target).print();
            let threads = self.pair(|| scan(&two), || scan(&one));
            let ratio = Some(("one thread", threads.ratio));
            threads.row("  the same, two threads", plies, ratio, "at most 0.556").print();
        }
    }

    /// Prints how much a scan skips for exact positions taken from the games themselves.
    fn skipped(&self, spans: &[GameSpan<'_>]) {
        let mut skipped = [0u64; 4];
        let games: u32 = spans.iter().map(GameSpan::len).sum();
        let selection = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
        let every = (games / 40).max(1);
        for game in spans.iter().flat_map(GameSpan::games).filter(|game| game.id.0 % every == every / 2) {
            let mut board = game.start_board();
            // Takes a position at a different point of each game.
            for &mv in &game.moves[..game.moves.len() * (game.id.index() % 9 + 1) / 10] {
                board.make::<FullState>(mv);
            }
            let query = compile(&format!("fen \"{}\"", board.fen())).expect("a query");
            let work = run_query(spans, &query, &selection, &()).expect("nobody cancels").work;
            let states: u64 = spans.iter().map(GameSpan::event_count).sum();
            skipped[0] += states - work.events_read.min(states);
            skipped[1] += states;
            skipped[2] += work.plies - work.plies_replayed - work.plies_read_without_board;
            skipped[3] += work.plies;
        }
        let percent = |part: u64, all: u64| part as f64 * 100.0 / all.max(1) as f64;
        println!(
            "positions of 40 games, searched in all: {:.1} % of signature states and {:.1} % of plies skipped (at least 95 and 90 %)",
            percent(skipped[0], skipped[1]),
            percent(skipped[2], skipped[3]),
        );
    }

    /// Scans the corpus repeatedly, 686 million plies or more, on two threads, and prints the seconds for 686 million.
    fn headline(&self, spans: &[GameSpan<'_>], plies: u64) {
        const PLIES: u64 = 686_000_000;
        let many: Vec<GameSpan<'_>> =
            spans.iter().copied().cycle().take(spans.len() * (PLIES.div_ceil(plies)) as usize).collect();
        let all = plies * (many.len() / spans.len()) as u64;
        let count = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
        let distinct = ReducerSelection {
            positions: Some(PositionSelection { limit: Some(0), choice: PositionChoice::Distinct }),
            ..count.clone()
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
        for (what, query, selection, target) in [
            ("heatmap", "", ReducerSelection { outputs: vec![HEATMAP.output()], ..count.clone() }, 1.25),
            (
                "pawn structures",
                "",
                ReducerSelection { outputs: vec![STRUCTURES.output().most(20)], ..count.clone() },
                1.66,
            ),
            ("count", "", count.clone(), 1.3),
            ("distinct positions under queens_off", "queens_off", distinct.clone(), 2.5),
        ] {
            let query = compile(query).expect("a query");
            let before = PEAK.current_usage();
            PEAK.reset_peak_usage();
            let start = Instant::now();
            let answers = pool.install(|| run_query(&many, &query, &selection, &()));
            std::hint::black_box(answers.expect("nobody cancels"));
            // Scaled to 686 million plies, because the repeated corpus may have more.
            let seconds = start.elapsed().as_secs_f64() * PLIES as f64 / all as f64;
            let mib = (PEAK.peak_usage() - before) >> 20;
            println!("686 M plies, two threads: {what:<36} {seconds:>6.2} s, {mib:>5} MiB (at most {target} s)");
        }
    }

    /// Prints the time for 20,000 to 3,000,000 games: from a tenth of the reference corpus to fifteen times its size.
    fn scaling(&self, spans: &[GameSpan<'_>]) {
        let games: u64 = spans.iter().map(|span| u64::from(span.len())).sum();
        let query = compile("queens_off").expect("a query");
        let selection = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        let batches: Vec<GameSpan<'_>> = spans.iter().flat_map(|span| span.split(512)).collect();
        let mut line = String::from("queens_off, one thread, ns a game:");
        for of in [20_000, 200_000, 1_000_000, 3_000_000] {
            let (mut some, mut taken) = (Vec::new(), 0);
            // Takes batches from all over the corpus, so that every sample has the same kind of games.
            for nth in 0.. {
                if taken >= of || games == 0 {
                    break;
                }
                let span = batches[nth * 7919 % batches.len()];
                taken += u64::from(span.len());
                some.push(span);
            }
            let times = (0..self.runs).map(|_| {
                let start = Instant::now();
                std::hint::black_box(
                    pool.install(|| run_query(&some, &query, &selection, &())).expect("nobody cancels"),
                );
                start.elapsed().as_secs_f64()
            });
            line += &format!("  {of} games {:.1}", middle(times) * 1e9 / taken.max(1) as f64);
        }
        println!("{line} (linear within 10 %)");
    }

    /// Runs other programs on the same games.
    fn peers(&self, text: &[u8], spans: &[GameSpan<'_>], plies: u64) {
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        peers::table(text, plies, self.runs, &|query| {
            let query = compile(query).expect("a query");
            let answers = one.install(|| run_query(spans, &query, &ReducerSelection::default(), &()));
            answers.expect("nobody cancels").count.games
        });
    }

    /// Runs the two alternately and returns the medians.
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
            seconds: middle(times.iter().map(|times| times.0)),
            ratio: middle(times.iter().map(|(ours, baseline)| ours / baseline)),
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

fn source(text: Arc<[u8]>) -> PgnSource {
    let length = Some(text.len() as u64);
    PgnSource::new(Cursor::new(text), length).unwrap_or_else(|error| panic!("{error}"))
}

/// The move in shakmaty's terms, without a search among the legal moves.
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
