//! Mangles the small files beside a corpus or tables: definitions of collections, their sets, plans, the journal of an
//! import, leases of a fleet. Each command then ends or is refused, and touches no file that it does not write.
//!
//! A member of a fleet may wait for the holder of a lease, if it says for which table.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use plyfold_core::corpus::file::CorpusFileHeader;
use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::bytes::{cut, flipped};
use crate::mangle::mangled;
use crate::neighbours;
use crate::programs::{Program, ProgramRun, TortureSandbox, told, wait, words};
use crate::random::pick;
use crate::scene::{self, Files};

/// How long a member of a fleet may take before it has to say what it waits for.
const FLEET_LIMIT: Duration = Duration::from_secs(8);

/// How it says so.
const WAITS: &str = "waits for KPvK";

/// A command, the files beside it that are mangled, and the beginnings of the names that it may write.
struct Reader {
    program: Program,
    line: &'static str,
    reads: &'static [&'static str],
    writes: &'static [&'static str],
}

const fn plyfold(line: &'static str, reads: &'static [&'static str], writes: &'static [&'static str]) -> Reader {
    Reader { program: Program::Plyfold, line, reads, writes }
}

const COLLECTION: &[&str] = &["c.sets/coll.json", "c.sets/coll.bm", "c.sets/other.json", "c.sets/other.bm"];
const LEASES: &[&str] =
    &["u/.fleet/KPvK.lease", "u/.fleet/KPvK.00ff.ended", "u/.fleet/.KPvK.lease.aB3dE6gH.plyfold-part"];

const READERS: &[Reader] = &[
    plyfold("collections list c.plyfold", COLLECTION, &[]),
    plyfold("collections update c.plyfold", COLLECTION, &["c.sets/"]),
    plyfold("collections update c.plyfold --whole", COLLECTION, &["c.sets/"]),
    plyfold("collections add c.plyfold @y in·@other", COLLECTION, &["c.sets/"]),
    plyfold("collections add c.plyfold @coll in·@other", COLLECTION, &["c.sets/"]),
    plyfold("collections remove c.plyfold @coll", COLLECTION, &["c.sets/coll"]),
    plyfold("query c.plyfold in·@other", COLLECTION, &["c.sets/"]),
    plyfold("query c.plyfold check --within @other·|·@coll", COLLECTION, &["c.sets/"]),
    plyfold("query c.plyfold check --save-games @coll", COLLECTION, &["c.sets/coll"]),
    plyfold("sets c.plyfold --format json", COLLECTION, &["c.sets/"]),
    plyfold("import games.pgn -o c.plyfold --append", COLLECTION, &["c.sets/", "c.plyfold"]),
    plyfold("scan c.plyfold saving.json", &["saving.json"], &["c.sets/x", "c.sets/kept.bm", "new.hm"]),
    plyfold("import games.pgn -o split/ --split 2", &["split/plyfold-import.json", "split/001.plyfold"], &["split/"]),
    plyfold(
        "import games.pgn -o split/ --split 2 --force",
        &["split/plyfold-import.json", "split/001.plyfold"],
        &["split/"],
    ),
    Reader { program: Program::Egtgen, line: "generate KPvK --out u --fleet", reads: LEASES, writes: &["u/"] },
];

/// Words of these files.
const WORDS: [&str; 14] = [
    "\"query\":",
    "\"within\":\"@coll\"",
    "in @coll",
    "in @other",
    "\"save_games\":\"@kept\"",
    "\"replaces\":true",
    "\"corpora\":[]",
    "null",
    "egtgen lease 1\n",
    "shared 1\n",
    "machine -\n",
    "beats 18446744073709551616\n",
    "held by x\n",
    "\"games_of_chunk\":4294967295",
];

/// Attacks with mangled files beside others.
pub struct Companions {
    scene: Files,
}

impl Companions {
    /// Makes the scene: a collection that uses another one, an interrupted import, and a fleet whose member was killed.
    pub fn new() -> Companions {
        let sandbox = scene::sandbox(&neighbours::files());
        for line in ["collections add c.plyfold @other in·@coll", "import games.pgn -o split/ --split 2"] {
            let ran = sandbox.run(Program::Plyfold, &words(line));
            assert!(matches!(ran.code(), Some(0 | 3)), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
        }
        let mut scene = sandbox.files();
        let journal = journal(&scene[Path::new("split/001.plyfold")]);
        scene.retain(|name, _| !name.starts_with("split") || name.ends_with("001.plyfold"));
        scene.insert("split/plyfold-import.json".into(), journal.into_bytes());
        scene.insert("split/notes.txt".into(), b"notes of somebody else".to_vec());
        scene.insert("u/.fleet/settings.json".into(), b"{\"mine\":1}".to_vec());
        LEASES.iter().for_each(|name| drop(scene.insert(name.into(), lease().into_bytes())));
        Companions { scene }
    }
}

impl AttackSeries for Companions {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let reader = &READERS[random.random_range(0..READERS.len())];
        let sandbox = scene::sandbox(&self.scene);
        let mut before = self.scene.clone();
        for _ in 0..random.random_range(1..3) {
            let name = pick(random, reader.reads);
            let bytes = &self.scene[Path::new(name)];
            let new = match random.random_range(0..6) {
                0 => flipped(random, bytes),
                1 => cut(random, bytes, &[bytes.len() / 2, 64]),
                // A file of another kind.
                2 => self.scene[Path::new(pick(random, &["c.sets/kept.bm", "c.sets/coll.json", "games.pgn"]))].clone(),
                _ => mangled(random, bytes, &WORDS),
            };
            sandbox.put(name, &new);
            tried.input("mangled", &new);
            before.insert(name.into(), new);
        }
        let line = words(reader.line);
        told(reader.program, &line, tried);
        let is_fleet = reader.program == Program::Egtgen;
        let ran = if is_fleet { member(&sandbox, reader.line) } else { sandbox.run(reader.program, &line) };
        let waits = is_fleet && ran.status.is_none() && String::from_utf8_lossy(&ran.stderr).contains(WAITS);
        if let Some(fault) = ran.fault(reader.program).filter(|_| !waits) {
            return fault;
        }
        let is_written = |name: &Path| reader.writes.iter().any(|begin| name.to_string_lossy().starts_with(begin));
        let may: Vec<_> = before.keys().filter(|name| is_written(name) && !is_foreign(name)).cloned().collect();
        match scene::lost(&before, &sandbox.files(), &may) {
            Some(lost) => AttackOutcome::Lost(lost),
            None if waits || matches!(ran.code(), Some(0 | 3)) => AttackOutcome::Answered,
            None => AttackOutcome::Refused,
        }
    }
}

fn is_foreign(name: &Path) -> bool {
    name.ends_with("notes.txt") || name.ends_with("settings.json")
}

/// Runs a member of a fleet, and ends it if it waits.
fn member(sandbox: &TortureSandbox, line: &str) -> ProgramRun {
    let file = || tempfile::tempfile().expect("a temporary file");
    let (out, err) = (file(), file());
    let copy = |file: &std::fs::File| file.try_clone().expect("a handle more");
    let mut command = sandbox.command(Program::Egtgen, &words(line));
    command.stdin(Stdio::null()).stdout(copy(&out)).stderr(copy(&err));
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let begin = Instant::now();
    let status = loop {
        // Who waits for a lease of another machine does so for minutes.
        let mut said = [0; 1000];
        // The place in the file is also that of the program.
        let _ = std::os::unix::fs::FileExt::read_at(&err, &mut said, 0);
        let is_over = begin.elapsed() > FLEET_LIMIT || String::from_utf8_lossy(&said).contains(WAITS);
        match child.try_wait() {
            Ok(None) if !is_over => std::thread::sleep(Duration::from_millis(5)),
            Ok(None) => break wait(&mut child, Duration::from_millis(500)),
            ended => break ended.unwrap_or(None),
        }
    };
    ProgramRun { status, stdout: crate::programs::read(out), stderr: crate::programs::read(err) }
}

/// The journal of an import that was killed after its first corpus.
fn journal(corpus: &[u8]) -> String {
    let zero = serde_json::json!({ "bytes": 0, "imported": 0, "refused": 0, "plies": 0 });
    let head = &corpus[..CorpusFileHeader::BYTES];
    let CorpusFileHeader { id, games, plies, length: bytes, .. } = CorpusFileHeader::read(head).expect("a corpus");
    let place = serde_json::json!({ "read_inputs": [], "input": zero, "games_of_chunk": 2 });
    let entry = serde_json::json!({ "id": id, "games": games, "plies": plies, "bytes": bytes, "place": place });
    let inputs = ["games.pgn"];
    serde_json::json!({
        "inputs": inputs, "games_per_corpus": 2, "keeps_texts": true, "replaces": false, "corpora": [entry]
    })
    .to_string()
}

/// The lease of a killed process of this machine, which is followed at once; of another one where machines have no names.
fn lease() -> String {
    let start = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let device = std::fs::metadata(std::env::temp_dir()).map_or(0, |about| std::os::unix::fs::MetadataExt::dev(&about));
    let machine = format!("{}/{device:x}", start.trim());
    let machine = if start.is_empty() { "-" } else { &machine };
    let (id, beats) = ("0123456789abcdef0123456789abcdef", 7);
    format!("egtgen lease 1\nid {id}\nmachine {machine}\nshared 0\nbeats {beats:020}\nheld by somewhere, process 1\n")
}
