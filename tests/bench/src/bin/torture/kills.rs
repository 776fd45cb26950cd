//! Kills programs while they write. Afterwards each file is whole, either the old one or the new one, and the same command
//! then succeeds with the bytes of an undisturbed run.
//!
//! The moment is random. A program is killed when the files of its folder have grown by a random number of bytes, at most
//! as many as in an undisturbed run, or when their names have changed one to three times. Spinning for a random time then
//! reaches moments between two such events.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::programs::{Program, TortureSandbox, told, words};
use crate::scene::Files;
use crate::site::add_site;
use crate::subjects::corpus::{PGN, RARE};

/// A command to kill.
struct Operation {
    program: Program,
    line: &'static str,
    /// Command lines that run before it in the same folder.
    before: &'static [&'static str],
    /// Files that it creates or updates; all of a folder, if it ends with a slash.
    targets: &'static [&'static str],
    /// Whether a second run after a finished one succeeds without changes. Otherwise it is refused.
    is_repeatable: bool,
}

const IMPORT: &str = "import big.pgn -o c.plyfold";
const LATER: &str = "edit c.plyfold --games 2-20000 --set Event=A --later";

const TABLES: &[&str] = &["t/KPvK.egt", "t/KQvK.egt", "t/KRvK.egt", "t/KBvK.egt", "t/KNvK.egt"];
const PUBLISH: &str = "publish out --corpus c.plyfold --site site";

const fn once(line: &'static str, before: &'static [&'static str], targets: &'static [&'static str]) -> Operation {
    Operation { program: Program::Plyfold, line, before, targets, is_repeatable: false }
}

const fn often(line: &'static str, before: &'static [&'static str], targets: &'static [&'static str]) -> Operation {
    Operation { program: Program::Plyfold, line, before, targets, is_repeatable: true }
}

const fn generate(line: &'static str) -> Operation {
    Operation { program: Program::Egtgen, line, before: &[], targets: TABLES, is_repeatable: true }
}

const OPERATIONS: &[Operation] = &[
    once(IMPORT, &[], &["c.plyfold"]),
    once("import big.pgn -o c.plyfold --append", &["import small.pgn -o c.plyfold"], &["c.plyfold"]),
    often("import small.pgn -o c.plyfold --force", &[IMPORT], &["c.plyfold"]),
    often("index c.plyfold", &[IMPORT], &["c.plyindex"]),
    often(
        "index c.plyfold",
        &["import small.pgn -o c.plyfold", "index c.plyfold", "import big.pgn -o c.plyfold --append"],
        &["c.plyindex"],
    ),
    often("upgrade older.plyfold", &[], &["older.plyfold"]),
    often("query c.plyfold check --save-games @kept", &[IMPORT], &["c.sets/kept.bm"]),
    once(
        "query c.plyfold white·pawn·on·e4 --positions ref --save-positions p.pmote --limit 200000",
        &[IMPORT],
        &["p.pmote"],
    ),
    once("export c.plyfold -o out.pgn", &[IMPORT], &["out.pgn"]),
    once("edit c.plyfold --set Event=A -o d.plyfold", &[IMPORT], &["d.plyfold"]),
    once("edit c.plyfold --games 1-9 --set Event=B --later", &[IMPORT, LATER], &["c.edits"]),
    once("edit c.plyfold --undo", &[IMPORT, LATER], &["c.edits"]),
    once("compact c.plyfold -o d.plyfold", &[IMPORT, LATER], &["d.plyfold"]),
    once("dedupe c.plyfold -o d.plyfold", &[IMPORT], &["d.plyfold"]),
    often(PUBLISH, &[IMPORT], &["out/"]),
    often(
        "publish out --corpus small.plyfold --site site",
        &[IMPORT, PUBLISH, "import small.pgn -o small.plyfold"],
        &["out/"],
    ),
    generate("generate KPvK --out t --threads 1"),
    generate("generate KPvK --out t --threads 1 --fleet"),
];

impl Operation {
    /// Those of the files that it creates, updates or removes.
    fn targets_of<'a>(&self, files: impl Iterator<Item = &'a PathBuf>) -> Vec<&'a PathBuf> {
        let is_target = |name: &Path| {
            self.targets.iter().any(|target| match target.strip_suffix('/') {
                Some(folder) => name.starts_with(folder),
                None => name == Path::new(target),
            })
        };
        files.filter(|name| is_target(name)).collect()
    }
}

/// Kills of random operations.
pub struct Kills {
    ready: Vec<Ready>,
}

/// An operation, the files before it, and the results of an undisturbed run.
struct Ready {
    operation: &'static Operation,
    before: Files,
    after: Files,
    /// The most bytes by which the folder grows during the run.
    grown: u64,
}

impl Kills {
    /// Runs every operation once, undisturbed.
    pub fn new() -> Kills {
        let texts = texts();
        Kills { ready: OPERATIONS.iter().map(|operation| ready(operation, &texts)).collect() }
    }
}

/// The texts to import, and an older corpus to upgrade.
fn texts() -> Files {
    let mut texts = Files::new();
    texts.insert("small.pgn".into(), [PGN, RARE].join(&b"\n\n"[..]));
    let game = b"[White \"Anna\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 1-0\n\n";
    texts.insert("big.pgn".into(), game.repeat(30_000));
    add_site(&mut texts);
    texts
}

fn ready(operation: &'static Operation, texts: &Files) -> Ready {
    let sandbox = TortureSandbox::new().expect("a folder");
    texts.iter().for_each(|(name, bytes)| sandbox.put(name, bytes));
    sandbox.put("older.plyfold", &older());
    let run = |line: &str| {
        let ran = sandbox.run(operation.program, &words(line));
        assert!(matches!(ran.code(), Some(0 | 3)), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    operation.before.iter().for_each(|line| run(line));
    let before = sandbox.files();
    run(operation.line);
    let after = sandbox.files();
    let sum = |files: &Files| files.values().map(|bytes| bytes.len() as u64).sum::<u64>();
    // While a file is being replaced, the new one exists beside the old one.
    let replaced: u64 = operation.targets_of(after.keys()).iter().map(|name| after[*name].len() as u64).sum();
    let grown = (sum(&after).saturating_sub(sum(&before))).max(replaced);
    Ready { operation, before, after, grown }
}

/// A corpus of an older version that takes a while to upgrade.
fn older() -> Vec<u8> {
    use plyfold_tests::shards::CorpusParts;
    CorpusParts::of(&crate::subjects::corpus::played(600, 80, 100)).of_old().bytes()
}

impl AttackSeries for Kills {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let Ready { operation, before, after, grown } = &self.ready[random.random_range(0..self.ready.len())];
        let sandbox = TortureSandbox::new().expect("a folder");
        before.iter().for_each(|(name, bytes)| sandbox.put(name, bytes));
        let line = words(operation.line);
        told(operation.program, &line, tried);
        // The generation of a table is killed and resumed several times, each time at another moment.
        let kills = if operation.line.starts_with("generate") { random.random_range(1..5) } else { 1 };
        for _ in 0..kills {
            killed(random, &sandbox, operation, &line, *grown);
            if let Some(lost) = broken(operation, before, after, &sandbox) {
                return AttackOutcome::Lost(lost);
            }
        }
        let is_new = |files: &Files| {
            operation
                .targets_of(before.keys().chain(after.keys()))
                .iter()
                .all(|name| files.get(*name) == after.get(*name))
        };
        if is_new(&sandbox.files()) && !operation.is_repeatable {
            return AttackOutcome::Answered;
        }
        let ran = sandbox.run(operation.program, &line);
        if let Some(fault) = ran.fault(operation.program) {
            return fault;
        }
        if !matches!(ran.code(), Some(0 | 3)) {
            return AttackOutcome::Lost(format!("the same command fails: {}", String::from_utf8_lossy(&ran.stderr)));
        }
        let files = sandbox.files();
        if !is_new(&files) {
            return AttackOutcome::Lost("the same command makes other bytes".into());
        }
        AttackOutcome::Answered
    }
}

/// Starts the program and kills it at a random moment of its work.
fn killed(
    random: &mut StdRng,
    sandbox: &TortureSandbox,
    operation: &Operation,
    line: &[std::ffi::OsString],
    grown: u64,
) {
    let mut command = sandbox.command(operation.program, line);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let base = size(sandbox.path());
    let (threshold, spins) = (random.random_range(0..=grown), random.random_range(0..200_000u32));
    let names = random.random_range(1..4);
    let by_names = random.random_range(0..4) == 0;
    let known: Vec<PathBuf> = entries(sandbox.path()).into_keys().collect();
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut changes = 0;
    let mut last = known;
    while let Ok(None) = child.try_wait() {
        let is_time = if by_names {
            let now: Vec<PathBuf> = entries(sandbox.path()).into_keys().collect();
            changes += usize::from(now != last);
            last = now;
            changes >= names
        } else {
            size(sandbox.path()) >= base + threshold
        };
        if is_time {
            (0..spins).for_each(|_| std::hint::spin_loop());
            break;
        }
        std::thread::yield_now();
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn size(folder: &Path) -> u64 {
    entries(folder).values().sum()
}

/// Files below a folder, with their sizes. Leaves out files that disappear meanwhile.
fn entries(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(about) = entry.metadata() else { continue };
        if about.is_dir() {
            all.extend(entries(&entry.path()));
        } else {
            all.insert(entry.path(), about.len());
        }
    }
    all
}

/// Describes a file that is neither the old one nor the new one.
fn broken(operation: &Operation, before: &Files, after: &Files, sandbox: &TortureSandbox) -> Option<String> {
    let now = sandbox.files();
    let targets = operation.targets_of(before.keys().chain(after.keys()));
    if let Some(lost) = crate::scene::lost(before, &now, &targets) {
        return Some(lost);
    }
    targets.into_iter().find_map(|name| {
        let (old, new, found) = (before.get(name), after.get(name), now.get(name));
        let is_whole = found == old || found == new || is_begun(old, found);
        (!is_whole).then(|| format!("{} is neither the old file nor the new one", name.display()))
    })
}

/// Whether a corpus is the old one, followed by the bytes of an unfinished append, which do not count yet.
fn is_begun(old: Option<&Vec<u8>>, found: Option<&Vec<u8>>) -> bool {
    matches!((old, found), (Some(old), Some(found)) if found.starts_with(b"plyfold\0") && found.starts_with(old))
}
