//! Passes files that are not regular as each argument of each command: pipes, folders, devices, sockets, dangling and
//! circular links, missing files. Also passes names that are hard on programs, terminals and shells.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, thread};

use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::programs::{Program, TortureSandbox, told, words};
use crate::scene::{self, COMMANDS, Files};

/// Commands that write, to be followed by the output file as the last argument.
const WRITERS: &[(Program, &str)] = &[
    (Program::Plyfold, "import games.pgn -o"),
    (Program::Plyfold, "import games.pgn --force -o"),
    (Program::Plyfold, "import games.pgn --append -o"),
    (Program::Plyfold, "import games.pgn -o new.plyfold --ledger"),
    (Program::Plyfold, "query c.plyfold check --format json -o"),
    (Program::Plyfold, "query c.plyfold check --save-games"),
    (Program::Plyfold, "query c.plyfold check --positions ref --save-positions"),
    (Program::Plyfold, "query c.plyfold check --heatmap --save-heatmap"),
    (Program::Plyfold, "query c.plyfold check --by ply --save-by"),
    (Program::Plyfold, "sets c.plyfold s.pmote -o"),
    (Program::Plyfold, "export c.plyfold -o"),
    (Program::Plyfold, "position c.plyfold startpos -o"),
    (Program::Plyfold, "scan c.plyfold plan.json --format json -o"),
    (Program::Plyfold, "schema -o"),
    (Program::Egtgen, "generate KNvK --out"),
];

/// The kinds of things that replace a file.
const STRANGE: &[&str] =
    &["fifo", "folder", "socket", "empty", "nowhere", "circle", "null", "zero", "full", "link", "sparse", "denied"];

/// Attacks with files that are not regular.
pub struct Strange {
    scene: Files,
}

impl Strange {
    /// Makes the scene.
    pub fn new() -> Strange {
        Strange { scene: scene::files() }
    }
}

impl AttackSeries for Strange {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let sandbox = scene::sandbox(&self.scene);
        let what = STRANGE[random.random_range(0..STRANGE.len())];
        let reader = random.random_range(0..COMMANDS.len() + WRITERS.len());
        let (program, line, file, writes): (_, _, &str, &[&str]) = match COMMANDS.get(reader) {
            Some(command) => {
                let file = command.reads[random.random_range(0..command.reads.len())];
                (command.program, words(command.line), file, command.writes)
            }
            None => {
                let (program, line) = WRITERS[reader - COMMANDS.len()];
                (program, [words(line), words("strange")].concat(), "strange", &["new.plyfold"])
            }
        };
        told(program, &line, tried);
        let _ = fs::remove_file(sandbox.path().join(file));
        if let Err(error) = put(&sandbox, what, file) {
            return AttackOutcome::Skipped(format!("{what}: {error}"));
        }
        let before = sandbox.files();
        // A text may come through a pipe. For files that are mapped, nobody opens the other end.
        let is_text = file.ends_with(".pgn") || file.ends_with(".txt") || file.ends_with(".json");
        let is_written = file == "strange";
        let is_over = AtomicBool::new(false);
        let ran = thread::scope(|scope| {
            if what == "fifo" && is_text {
                scope.spawn(|| write_to(&sandbox.path().join(file), &is_over));
            }
            // An output may be a pipe to another program, which reads it here.
            if what == "fifo" && is_written {
                scope.spawn(|| read_from(&sandbox.path().join(file), &is_over));
            }
            let ran = sandbox.run(program, &line);
            is_over.store(true, Ordering::Relaxed);
            ran
        });
        tried.says(format!(
            "{file} is a {what}: {}",
            line.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        ));
        let fault = ran.fault(program);
        let lost = scene::lost(&before, &sandbox.files(), &[writes, &[file, "target"]].concat());
        let target = sandbox.files().get(Path::new("target")).cloned();
        match (fault, lost) {
            (Some(fault), _) => fault,
            (None, Some(lost)) => AttackOutcome::Lost(lost),
            // The target of a link belongs to somebody else, unless the command line names it as an output.
            (None, None)
                if what == "link" && target.as_ref() != before.get(Path::new("target")) && !is_asked(&line) =>
            {
                AttackOutcome::Lost("what the link leads to was written".into())
            }
            (None, None) if ran.code() == Some(0) || ran.code() == Some(3) => AttackOutcome::Answered,
            (None, None) => AttackOutcome::Refused,
        }
    }
}

/// Whether the command line asks to overwrite a file or to update it.
fn is_asked(line: &[OsString]) -> bool {
    line.iter().any(|word| {
        word == "--force" || word == "--append" || word == "upgrade" || word == "index" || word == "generate"
    })
}

/// Replaces a file with something of this kind.
fn put(sandbox: &TortureSandbox, what: &str, file: &str) -> std::io::Result<()> {
    let path = sandbox.path().join(file);
    match what {
        "fifo" => {
            let made = std::process::Command::new("mkfifo").arg(&path).status()?;
            made.success().then_some(()).ok_or_else(|| std::io::Error::other("mkfifo failed"))
        }
        "folder" => fs::create_dir(&path),
        "socket" => UnixListener::bind(&path).map(drop),
        "empty" => fs::write(&path, b""),
        "nowhere" => symlink("there/is/nothing", &path),
        "circle" => symlink(path.file_name().unwrap_or_default(), &path),
        "null" => symlink("/dev/null", &path),
        "zero" => symlink("/dev/zero", &path),
        "full" => symlink("/dev/full", &path),
        "link" => {
            sandbox.put("target", b"the file of somebody else");
            symlink(sandbox.path().join("target"), &path)
        }
        "sparse" => fs::File::create(&path)?.set_len(3 << 40),
        _ => {
            fs::write(&path, b"plyfold\0")?;
            let mut rights = fs::metadata(&path)?.permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0);
            fs::set_permissions(&path, rights)
        }
    }
}

/// Opens a pipe without waiting for its other end.
const O_NONBLOCK: i32 = 0o4000;

/// Reads from a pipe until the run is over.
fn read_from(path: &Path, is_over: &AtomicBool) {
    use std::io::Read;
    let Ok(mut pipe) = fs::OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(path) else { return };
    let mut rest = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let _ = pipe.read_to_end(&mut rest);
        rest.clear();
        thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Writes some text to a pipe once somebody reads from it.
fn write_to(path: &Path, is_over: &AtomicBool) {
    use std::io::Write;
    while !is_over.load(Ordering::Relaxed) {
        if let Ok(mut pipe) = fs::OpenOptions::new().write(true).custom_flags(O_NONBLOCK).open(path) {
            let _ = pipe.write_all(b"[White \"a\"]\n\n1. e4 e5 *\n");
        }
        thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Attacks with hostile names.
pub struct HostileNames {
    scene: Files,
}

impl HostileNames {
    /// Makes the scene.
    pub fn new() -> HostileNames {
        HostileNames { scene: scene::files() }
    }
}

/// Names that are hard on some program.
const NAMES: &[&[u8]] = &[
    b"\x1b[31mred\x1b]0;title\x07",
    b"new\nline",
    b"-o",
    b"--help",
    b"-",
    b" ",
    b"a b",
    b"'",
    b"\"",
    b"$(id)",
    b"`id`",
    b"\xff\xfe",
    b"\xc3(",
    "\u{202e}gpj".as_bytes(),
    "\u{1f9e8}".as_bytes(),
    b"\r",
    b"\x7f",
    b"\t",
    b"...",
    b"..",
    b".",
    b"*",
    b"a\\b",
    b"c.plyfold.part",
    b"@",
    b"@kept",
    b"@../outside",
    b"@a/b",
    b"NUL",
    b"=cmd",
    b"%s%n",
    b"%2e%2e",
    b"./c.plyfold",
    b"sub/../c.plyfold",
    b"https://example.org/x",
    b"",
];

impl AttackSeries for HostileNames {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let long = vec![b'n'; random.random_range(200..4200)];
        let name = match random.random_range(0..NAMES.len() + 1) {
            0 => &long[..],
            nth => NAMES[nth - 1],
        };
        let name = OsString::from_vec(name.to_vec());
        // The scene is in a subfolder of the sandbox, so files that are written outside of it are noticed.
        let sandbox = TortureSandbox::new().expect("a folder");
        for (file, bytes) in &self.scene {
            sandbox.put(Path::new("inside").join(file), bytes);
        }
        sandbox.put("outside.pmote", b"the file of somebody else");
        let (program, line, source, writes) = line_with(random, &name);
        if let Some(source) = source {
            let _ = fs::copy(sandbox.path().join("inside").join(source), sandbox.path().join("inside").join(&name));
        }
        told(program, &line, tried);
        let before = sandbox.files();
        let mut command = sandbox.command(program, &line);
        command.current_dir(sandbox.path().join("inside"));
        let ran = crate::programs::run(command);
        if let Some(fault) = ran.fault(program) {
            return fault;
        }
        let after = sandbox.files();
        // `generate` writes its tables to any folder that the command line names.
        let leads_out = name == ".." && line.iter().any(|word| word == "generate");
        let outside = |file: &&std::path::PathBuf| !file.starts_with("inside") && !before.contains_key(*file);
        if let Some(file) = after.keys().find(outside).filter(|_| !leads_out) {
            return AttackOutcome::Lost(format!("{} was written outside of the folder", file.display()));
        }
        // Files that the command may write, and those that the command line asks to overwrite or update.
        let mut asked: Vec<&Path> =
            writes.iter().copied().chain(["new.plyfold", "c.sets/kept.bm"]).map(Path::new).collect();
        if is_asked(&line) {
            asked.extend(["c.plyfold", "c.plyindex"].map(Path::new));
            asked.push(Path::new(&name));
        }
        let asked: Vec<_> = asked.into_iter().map(|file| Path::new("inside").join(file)).collect();
        match scene::lost(&before, &after, &asked) {
            Some(lost) => AttackOutcome::Lost(lost),
            None if matches!(ran.code(), Some(0 | 3)) => AttackOutcome::Answered,
            None => AttackOutcome::Refused,
        }
    }
}

/// A command line, the file of the scene that gets the hostile name, and the files that the command writes.
type Line = (Program, Vec<OsString>, Option<&'static str>, &'static [&'static str]);

/// A random command line that contains this name.
fn line_with(random: &mut StdRng, name: &OsString) -> Line {
    if random.random() {
        let (program, line) = WRITERS[random.random_range(0..WRITERS.len())];
        return (program, [words(line), vec![name.clone()]].concat(), None, &[]);
    }
    let command = &COMMANDS[random.random_range(0..COMMANDS.len())];
    let file = command.reads[0];
    let line = words(command.line).into_iter().map(|word| if word == file { name.clone() } else { word });
    (command.program, line.collect(), Some(file), command.writes)
}
