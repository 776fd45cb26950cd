//! Commands on a full disk: a small tmpfs in a mount namespace of its own. This requires root and is skipped otherwise.
//!
//! Either a command reports the full disk and leaves the old files, or the space suffices and it makes exactly the right
//! files. With more space, the same command then succeeds as if nothing had happened.

use std::fs;
use std::path::Path;
use std::process::Command;

use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::programs::{Program, TortureSandbox, run, words};
use crate::scene::{self, Files};

/// Commands that write, and the files that they create or update.
const COMMANDS: &[(Program, &str, &[&str])] = &[
    (Program::Plyfold, "import games.pgn -o new.plyfold", &["new.plyfold"]),
    (Program::Plyfold, "import games.pgn -o c.plyfold --append", &["c.plyfold"]),
    (Program::Plyfold, "import games.pgn -o c.plyfold --force", &["c.plyfold"]),
    (Program::Plyfold, "import games.pgn -o new.plyfold --ledger refused.json", &["new.plyfold", "refused.json"]),
    (Program::Plyfold, "index c.plyfold --force", &["c.plyindex"]),
    (Program::Plyfold, "query c.plyfold check --save-games new.bm", &["new.bm"]),
    (Program::Plyfold, "query c.plyfold check --heatmap --save-heatmap new.hm", &["new.hm"]),
    (Program::Plyfold, "export c.plyfold -o out.pgn", &["out.pgn"]),
    (Program::Plyfold, "sets c.plyfold s.pmote -o @new", &["c.sets/new.bm"]),
    (Program::Plyfold, "schema -o schema.json", &["schema.json"]),
    (Program::Egtgen, "generate KPvK --out u", &["u/KPvK.egt"]),
];

/// Runs commands on full disks.
pub struct FullDisk {
    scene: Files,
    whole: Vec<Files>,
}

impl FullDisk {
    /// Runs every command once with enough space. The error says why this machine cannot run the attack.
    pub fn new() -> Result<FullDisk, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut probe = Command::new("unshare");
        probe.args(["-m", "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(folder.path());
        match probe.output() {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                return Err(format!("no tmpfs can be mounted: {}", String::from_utf8_lossy(&output.stderr).trim()));
            }
            Err(error) => return Err(format!("no mount namespace can be made (unshare: {error})")),
        }
        let scene = scene::files();
        let whole = |(program, line, _): &(Program, &str, &[&str])| {
            let sandbox = scene::sandbox(&scene);
            let ran = sandbox.run(*program, &words(line));
            assert!(matches!(ran.code(), Some(0 | 3)), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
            sandbox.files()
        };
        let whole = COMMANDS.iter().map(whole).collect();
        Ok(FullDisk { scene, whole })
    }
}

impl AttackSeries for FullDisk {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let nth = random.random_range(0..COMMANDS.len());
        let (program, line, targets) = COMMANDS[nth];
        let sandbox = scene::sandbox(&self.scene);
        let left = random.random_range(0..48);
        tried.says(format!("{line}, with {left} KiB left"));
        let (ran, files) = on_small_disk(&sandbox, program, line, left);
        let Some(files) = files else { return AttackOutcome::Skipped("the small disk cannot be made".into()) };
        if let Some(fault) = ran.fault(program) {
            return fault;
        }
        if let Some(lost) = scene::lost(&self.scene, &files, &[targets, &["u/KPvK.egt.part"]].concat()) {
            return AttackOutcome::Lost(lost);
        }
        let is_done = matches!(ran.code(), Some(0 | 3));
        for name in targets.iter().map(Path::new) {
            let (old, new, found) = (self.scene.get(name), self.whole[nth].get(name), files.get(name));
            // An interrupted append may leave bytes behind the end of a corpus.
            let is_old = found == old || matches!((found, old), (Some(found), Some(old)) if found.starts_with(old));
            if !(found == new || !is_done && is_old) {
                return AttackOutcome::Lost(format!("{} is neither the old file nor the new one", name.display()));
            }
        }
        if is_done {
            return AttackOutcome::Answered;
        }
        // The disk as it was left, with enough space.
        let again = scene::sandbox(&files);
        let ran = again.run(program, &words(line));
        // The first run may have finished its work, so the second may find nothing to do or refuse to repeat it.
        let files = again.files();
        if let Some(fault) = ran.fault(program) {
            return fault;
        }
        let wrong = targets.iter().map(Path::new).find(|name| files.get(*name) != self.whole[nth].get(*name));
        wrong.map_or(AttackOutcome::Refused, |name| {
            let said = String::from_utf8_lossy(&ran.stderr).into_owned();
            AttackOutcome::Lost(format!("with room again, {} is not made: {said}", name.display()))
        })
    }
}

/// Runs a command with so many KiB left, and copies the files that are there afterwards.
fn on_small_disk(
    sandbox: &TortureSandbox,
    program: Program,
    line: &str,
    left: u64,
) -> (crate::programs::ProgramRun, Option<Files>) {
    let disk = tempfile::tempdir().expect("a folder");
    let out = tempfile::tempdir().expect("a folder");
    // Copies the folder to the disk, then fills it with a file up to the space to be left. A file takes at least one page.
    let script = format!(
        "mount -t tmpfs -o size=4m tmpfs \"$1\" && cp -a \"$2/.\" \"$1/\" && cd \"$1\" || exit 125\n\
         free=$(df -k --output=avail . | tail -n 1); head -c \"$((free - {left}))k\" /dev/zero > .filler\n\
         shift 2; out=$1; shift; \"$@\"; code=$?; rm -f .filler; cp -a . \"$out/\"; exit $code"
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script, "sh"]).arg(disk.path()).arg(sandbox.path()).arg(out.path());
    command.arg(program.path()).args(words(line));
    let ran = run(command);
    if ran.code() == Some(125) {
        return (ran, None);
    }
    let copied = TortureSandbox::at(out);
    let files = copied.files();
    let _ = fs::remove_dir(disk.path());
    (ran, Some(files))
}
