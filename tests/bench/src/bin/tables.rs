//! The benchmark table of egtgen: each figure with its target and with a baseline of the same run.
//!
//! `cargo xtask bench --only egtgen [--runs N] [--long]`. Times are medians on two threads and include writing the files. A
//! time covers both tables of a material, while the smaller tables that they convert into exist already. A separate process
//! generates each material, so the peak memory is that of one material. The program compares longest wins with the published
//! ones, files of a small memory bound with those of a large one, and counts with those of a slow twin. It fails if any of
//! these differ.
//!
//! Files go to the system's folder for temporary files, or to the folder that `TMPDIR` names.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use egtgen::folder::TableFolder;
use egtgen::generation::{GenerationEvent, GenerationRequest, generate_tables};
use egtgen::prober::{CachedTables, DEFAULT_CACHE_BYTES};
use egtgen::verify::{VerificationExtent, verify};
use plyfold_core::table::index::TableIndex;
use plyfold_core::table::layout::ReadAt;
use plyfold_core::table::material::{TableMaterial, closure};
use plyfold_tests::retrograde::Retrograde;

/// The number of threads of every run, as the targets require.
const THREADS: usize = 2;

/// The memory bound of a run that names none: more than any of these tables needs.
const PLENTY: u64 = 4 << 30;

/// A row of the table, and the values to check.
struct Figure {
    material: &'static str,
    /// Moves by either side.
    longest_win: u16,
    /// Seconds; `None` where no target is set.
    target: Option<f64>,
}

const FIGURES: [Figure; 6] = [
    Figure { material: "KQvKR", longest_win: 35, target: Some(0.4) },
    Figure { material: "KBNvK", longest_win: 33, target: Some(0.3) },
    Figure { material: "KRBvKR", longest_win: 65, target: Some(6.0) },
    Figure { material: "KBBvKN", longest_win: 78, target: Some(7.0) },
    Figure { material: "KQRvKQ", longest_win: 67, target: Some(9.0) },
    Figure { material: "KRPvKR", longest_win: 74, target: Some(20.0) },
];

/// Materials that are generated once, and only with `--long`.
const LONG: [Figure; 2] = [
    Figure { material: "KQPvKQ", longest_win: 124, target: None },
    Figure { material: "KNNvKP", longest_win: 115, target: None },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("--child", task)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return child(task);
    }
    let (mut runs, mut is_long) = (3, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--runs" => runs = rest.next().and_then(|runs| runs.parse().ok()).unwrap_or(runs).max(1),
            "--long" => is_long = true,
            other => panic!("`{other}` is not understood: --runs N and --long are"),
        }
    }
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    Bench { runs, folder: folder.path() }.run(is_long);
}

struct Bench<'a> {
    runs: usize,
    folder: &'a Path,
}

impl Bench<'_> {
    fn run(&self, is_long: bool) {
        println!("egtgen: {THREADS} threads, files included, median of {} runs", self.runs);
        println!("bit/place: bits of the files by places of the tables, each for White and Black to move");
        println!("bit/position: bits of the files by legal positions on the board, both sides to move");
        println!("{HEAD}");
        let tables = self.folder.join("tables");
        for figure in &FIGURES {
            self.figure(figure, &tables, self.runs);
        }
        if is_long {
            LONG.iter().for_each(|figure| self.figure(figure, &tables, 1));
        }
        self.small();
        self.streaming(&tables);
        self.verify(&tables);
        self.baseline(&tables);
    }

    /// Measures both tables of a material whose smaller tables exist.
    fn figure(&self, figure: &Figure, tables: &Path, runs: usize) {
        let winners = winners(figure.material);
        let needed: Vec<TableMaterial> =
            closure(&winners).into_iter().filter(|table| !winners.contains(table)).collect();
        if !needed.is_empty() {
            spawn("make", tables, PLENTY, &needed);
        }
        let made: Vec<Made> = (0..runs)
            .map(|_| {
                winners.iter().for_each(|table| remove(tables, *table));
                spawn("make", tables, PLENTY, &winners)
            })
            .collect();
        let sizes = Sizes::of(tables, &winners);
        assert_eq!(sizes.longest_win, figure.longest_win, "longest win of {}, published and found", figure.material);
        row(figure.material, &made, figure.target, Some(&sizes));
    }

    /// Measures every material of three and four men, from an empty folder.
    fn small(&self) {
        let materials = (3..=4).flat_map(TableMaterial::all_with_men);
        let winners: Vec<TableMaterial> = materials.flat_map(|material| [material, material.swapped()]).collect();
        let needed = closure(&winners);
        let tables = self.folder.join("small");
        let made: Vec<Made> = (0..self.runs)
            .map(|_| {
                // The folder may not exist.
                let _ = fs::remove_dir_all(&tables);
                spawn("make", &tables, PLENTY, &needed)
            })
            .collect();
        row("all of 3 and 4 men, from nothing", &made, Some(30.0), Some(&Sizes::of(&tables, &needed)));
    }

    /// Measures KRBvKR within 48 MiB: slices stream, and the bytes stay the same.
    fn streaming(&self, tables: &Path) {
        let winners = winners("KRBvKR");
        let narrow = self.folder.join("narrow");
        fs::create_dir(&narrow).expect("room");
        for table in closure(&winners).into_iter().filter(|table| !winners.contains(table)) {
            let name = format!("{table}.egt");
            fs::copy(tables.join(&name), narrow.join(&name)).expect("room");
        }
        let made: Vec<Made> = (0..self.runs)
            .map(|_| {
                winners.iter().for_each(|table| remove(&narrow, *table));
                spawn("make", &narrow, 48 << 20, &winners)
            })
            .collect();
        row("KRBvKR, --memory 48MiB", &made, None, None);
        for table in &winners {
            let bytes = |folder: &Path| fs::read(folder.join(format!("{table}.egt"))).expect("it was made");
            assert!(bytes(&narrow) == bytes(tables), "{table}: other bytes within 48 MiB");
        }
        println!("  the files are the same, byte for byte");
        let made = &made[0];
        for (table, cycles) in &made.cycles {
            let Some((first, rest)) = cycles.split_first() else { continue };
            let mean = cycles.iter().sum::<f64>() / cycles.len() as f64;
            let max = rest.iter().copied().fold(0.0, f64::max);
            println!(
                "  {table}: tiles' traffic, read and written, in bits a place and cycle: {mean:.2} mean, {max:.2} at \
                 most after the first, {first:.2} in the first with laying out (target 2)"
            );
        }
        if let Some(all) = made.all_traffic {
            let cycles: usize = made.cycles.iter().map(|(_, cycles)| cycles.len()).sum();
            let places: f64 = winners.iter().map(|table| places(*table) as f64).sum::<f64>() / winners.len() as f64;
            let bits = all * 8.0 / places / cycles as f64;
            println!("  all that the program read or wrote, tables included: {bits:.2} bits a place and cycle");
        }
    }

    fn verify(&self, tables: &Path) {
        let material = [TableMaterial::parse("KBNvK").expect("a material")];
        let made: Vec<Made> = (0..self.runs).map(|_| spawn("verify", tables, PLENTY, &material)).collect();
        row("verify KBNvK, whole", &made, Some(20.0), None);
    }

    /// Runs the twin and compares its counts with those of the generator.
    fn baseline(&self, tables: &Path) {
        let winners = winners("KBNvK");
        let (mut twin, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.runs {
            let begin = Instant::now();
            let levels = Retrograde::default().solve();
            twin.push(begin.elapsed().as_secs_f64());
            winners.iter().for_each(|table| remove(tables, *table));
            ours.push(spawn("make", tables, PLENTY, &winners).seconds);
            ratios.push(ours[ours.len() - 1] / twin[twin.len() - 1]);
            let open = TableFolder::new(tables).open("KBNvK").expect("readable").expect("just made");
            let summary = open.table().counts();
            let (won, lost): (Vec<u64>, Vec<u64>) = summary.levels.iter().map(|level| (level.won, level.lost)).unzip();
            assert_eq!((won, lost), (levels.won, levels.lost), "won and lost by distance");
        }
        println!(
            "baseline: KBNvK one position at a time, one thread, no files: {:.3} s; egtgen with files: {:.3} s, {:.3} × that; \
             the same counts by distance",
            median(&twin),
            median(&ours),
            median(&ratios)
        );
    }
}

const HEAD: &str = "what                                seconds  target  ratio  peak MiB  size MiB  bit/place  bit/position  \
                    longest win";

fn row(what: &str, made: &[Made], target: Option<f64>, sizes: Option<&Sizes>) {
    let seconds = median(&made.iter().map(|made| made.seconds).collect::<Vec<f64>>());
    let peak = made.iter().filter_map(|made| made.peak).max();
    let target_and_ratio =
        target.map_or("     -      -".to_owned(), |target| format!("{target:>6.1}  {:>5.2}", seconds / target));
    let peak = peak.map_or("-".to_owned(), |peak| format!("{:.1}", mib(peak)));
    print!("{what:<34} {seconds:>8.3}  {target_and_ratio}  {peak:>8}");
    if let Some(sizes) = sizes {
        let bits = sizes.bytes as f64 * 8.0;
        let (place, position) = (bits / sizes.places as f64, bits / sizes.legal as f64);
        print!("  {:>8.1}  {place:>9.3}  {position:>12.3}  {:>11}", mib(sizes.bytes), sizes.longest_win);
    }
    println!();
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The tables of a material, one for each possible winner.
fn winners(material: &str) -> Vec<TableMaterial> {
    let material = TableMaterial::parse(material).expect("a material");
    let mut winners = vec![material, material.swapped()];
    winners.dedup();
    winners.retain(|table| table.can_win());
    winners
}

fn remove(folder: &Path, table: TableMaterial) {
    // The file may not exist.
    let _ = fs::remove_file(folder.join(format!("{table}.egt")));
}

/// The number of places of a table: the bits of all its words.
fn places(table: TableMaterial) -> u64 {
    let index = TableIndex::new(table);
    (index.pawn_slices().len() * index.pawn_slice_words()) as u64 * 64
}

/// The disk space of tables.
#[derive(Default)]
struct Sizes {
    bytes: u64,
    places: u64,
    /// Legal positions on the whole board, counted once per material, with either side to move.
    legal: u64,
    longest_win: u16,
}

impl Sizes {
    fn of(folder: &Path, tables: &[TableMaterial]) -> Sizes {
        let mut sizes = Sizes::default();
        for &table in tables {
            let open = TableFolder::new(folder).open(&table.to_string()).expect("readable").expect("just made");
            let summary = open.table().counts();
            sizes.bytes += open.table().reader().len();
            sizes.places += places(table);
            // The two tables of a material have the same positions.
            if table.canonical() == table || !tables.contains(&table.swapped()) {
                sizes.legal += summary.legal.iter().sum::<u64>();
            }
            let longest = summary.levels.iter().filter(|level| level.won > 0).map(|level| level.n).max();
            sizes.longest_win = sizes.longest_win.max(longest.unwrap_or(0));
        }
        sizes
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Child processes

/// What a child process measured.
struct Made {
    seconds: f64,
    /// Peak memory of the process in bytes, if the system reports it.
    peak: Option<u64>,
    /// For each table, the bits of traffic per place in each cycle.
    cycles: Vec<(String, Vec<f64>)>,
    /// Bytes that the process read and wrote, if the system reports them.
    all_traffic: Option<f64>,
}

/// Runs a task in a child process.
fn spawn(task: &str, folder: &Path, memory: u64, tables: &[TableMaterial]) -> Made {
    let this = std::env::current_exe().expect("this program has a path");
    let names = tables.iter().map(TableMaterial::to_string);
    let mut command = Command::new(this);
    command.args(["--child", task]).arg(folder).arg(memory.to_string()).args(names);
    let output = command.output().expect("this program can be started");
    let says = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{task} {}: {}", tables[0], String::from_utf8_lossy(&output.stderr));
    let mut made = Made { seconds: f64::NAN, peak: None, cycles: Vec::new(), all_traffic: None };
    for line in says.lines() {
        let (what, value) = line.split_once(' ').expect("a word and a value");
        match what {
            "seconds" => made.seconds = value.parse().expect("a number"),
            "peak" => made.peak = value.parse().ok(),
            "traffic" => made.all_traffic = value.parse().ok(),
            table => {
                let bits = value.split(' ').map(|bits| bits.parse().expect("a number")).collect();
                made.cycles.push((table.to_owned(), bits));
            }
        }
    }
    assert!(made.seconds.is_finite(), "no time was told");
    made
}

/// The task in the child process. Its arguments are the folder, the bytes of memory and the tables.
fn child(task: &[String]) {
    let [task, folder, memory, tables @ ..] = task else { panic!("a task, a folder and memory are wanted") };
    let parse = |name: &String| TableMaterial::parse(name).expect("a material");
    let tables: Vec<TableMaterial> = tables.iter().map(parse).collect();
    let stop = AtomicBool::new(false);
    let seconds = match task.as_str() {
        "verify" => {
            let opened = CachedTables::open(TableFolder::new(folder), DEFAULT_CACHE_BYTES);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().expect("threads");
            let begin = Instant::now();
            let report = pool.install(|| verify(&opened, tables[0], VerificationExtent::WHOLE, &stop, &|_| ()));
            let report = report.unwrap_or_else(|error| panic!("{error}"));
            assert!(report.is_sound(), "{report:?}");
            begin.elapsed().as_secs_f64()
        }
        _ => {
            let memory = memory.parse().expect("a number of bytes");
            let request = GenerationRequest::without_closure(tables, folder).with_memory(memory).with_threads(THREADS);
            let cycles: Mutex<Vec<(TableMaterial, u64, Vec<f64>)>> = Mutex::default();
            let watch = |event: GenerationEvent| {
                let mut cycles = cycles.lock().expect("no thread panics with it");
                match event {
                    GenerationEvent::Started { table, streams: true, .. } => cycles.push((table, 0, Vec::new())),
                    GenerationEvent::CycleFinished(table, cycle) => {
                        if let Some((of, before, bits)) = cycles.last_mut().filter(|(of, ..)| *of == table) {
                            let now = cycle.traffic.0 + cycle.traffic.1;
                            bits.push((now - *before) as f64 * 8.0 / places(*of) as f64);
                            *before = now;
                        }
                    }
                    _ => {}
                }
            };
            let begin = Instant::now();
            generate_tables(&request, &watch, &stop).unwrap_or_else(|error| panic!("{error}"));
            let seconds = begin.elapsed().as_secs_f64();
            for (table, _, bits) in cycles.into_inner().expect("no thread panics with it") {
                let bits: Vec<String> = bits.iter().map(|bits| format!("{bits:.4}")).collect();
                println!("{table} {}", bits.join(" "));
            }
            seconds
        }
    };
    println!("seconds {seconds}");
    if let Some(kib) = told("/proc/self/status", &["VmHWM:"]) {
        println!("peak {}", kib * 1024);
    }
    if let Some(bytes) = told("/proc/self/io", &["rchar:", "wchar:"]) {
        println!("traffic {bytes}");
    }
}

/// The sum of the named numbers in a file of Linux about this process.
fn told(path: &str, names: &[&str]) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let value = |name: &&str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    names.iter().map(value).sum()
}
