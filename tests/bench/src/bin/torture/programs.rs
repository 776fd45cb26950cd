//! Runs the programs in a folder of their own: their output, their exit codes, and how hung ones are ended.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::attack::{AttackOutcome, Tried};

/// A program that runs longer hangs. These attacks take less than a second on an idle machine.
const LIMIT: Duration = Duration::from_secs(90);

/// One of the programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The engine.
    Plyfold,
    /// The table generator.
    Egtgen,
    /// The engine under SQL, of a workspace of its own.
    Sql,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Program::Plyfold => "plyfold",
            Program::Egtgen => "egtgen",
            Program::Sql => "plyfold-sql",
        }
    }

    /// The path of the program, beside this one, or in the folder where the tests of `sql` are built.
    pub fn path(self) -> PathBuf {
        let own = std::env::current_exe().unwrap_or_default();
        let folder = if self == Program::Sql { "../sql/debug" } else { "" };
        own.with_file_name(folder).join(self.name()).with_extension(std::env::consts::EXE_EXTENSION)
    }

    /// The exit codes that the program's help explains.
    fn codes(self) -> &'static [i32] {
        match self {
            Program::Plyfold => &[0, 1, 2, 3, 130],
            Program::Egtgen | Program::Sql => &[0, 1, 2, 130],
        }
    }
}

/// The result of a run.
pub struct ProgramRun {
    /// How the program ended; `None` if it had to be killed.
    pub status: Option<ExitStatus>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// A folder to run programs in, deleted when it is dropped.
pub struct TortureSandbox {
    folder: TempDir,
}

impl TortureSandbox {
    /// An empty folder.
    pub fn new() -> io::Result<TortureSandbox> {
        Ok(TortureSandbox { folder: tempfile::tempdir()? })
    }

    /// An existing folder.
    pub fn at(folder: TempDir) -> TortureSandbox {
        TortureSandbox { folder }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file.
    pub fn put(&self, name: impl AsRef<Path>, bytes: &[u8]) {
        let path = self.path().join(name);
        if let Some(folder) = path.parent() {
            let _ = fs::create_dir_all(folder);
        }
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// All regular files below the folder by name, with their bytes. Links are not followed.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.path(), Path::new(""), &mut files);
        files
    }

    /// A command that runs in the folder.
    pub fn command(&self, program: Program, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(program.path());
        command.current_dir(self.path()).args(arguments);
        command
    }

    /// Runs a program until it ends, or kills it at the limit.
    pub fn run(&self, program: Program, arguments: &[impl AsRef<OsStr>]) -> ProgramRun {
        run(self.command(program, arguments))
    }
}

fn collect(folder: &Path, prefix: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), prefix.join(entry.file_name()));
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&path, &name, files),
            Ok(kind) if kind.is_file() => drop(files.insert(name, fs::read(&path).unwrap_or_default())),
            _ => {}
        }
    }
}

/// Runs a command until it ends, or kills it at the limit.
pub fn run(mut command: Command) -> ProgramRun {
    // Files instead of pipes, so that nobody has to read while the program writes.
    let file = || tempfile::tempfile().expect("a temporary file");
    let (out, err) = (file(), file());
    let copy = |file: &File| file.try_clone().expect("a handle more");
    command.stdin(Stdio::null()).stdout(copy(&out)).stderr(copy(&err));
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
    let status = wait(&mut child, LIMIT);
    ProgramRun { status, stdout: read(out), stderr: read(err) }
}

/// What was written to a file.
pub fn read(mut file: File) -> Vec<u8> {
    use io::{Read, Seek};
    let mut bytes = Vec::new();
    let _ = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    bytes
}

/// Waits for the program to end. Kills it and returns `None` if it takes too long.
pub fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let (begin, mut pause) = (Instant::now(), Duration::from_micros(500));
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if begin.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

impl ProgramRun {
    /// The exit code, if the program ended by itself.
    pub fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// A failure of any run: a hang, a panic, an exit code that the help does not explain, or an error without a message.
    pub fn fault(&self, program: Program) -> Option<AttackOutcome> {
        let stderr = String::from_utf8_lossy(&self.stderr);
        let Some(status) = self.status else {
            return Some(AttackOutcome::Hung(format!("no end after {} s; {stderr}", LIMIT.as_secs())));
        };
        let Some(code) = status.code() else {
            return Some(AttackOutcome::Panicked(format!("{status}: {stderr}")));
        };
        if stderr.contains("panicked") || !program.codes().contains(&code) {
            return Some(AttackOutcome::Panicked(format!("exit code {code}: {stderr}")));
        }
        if code != 0 && stderr.trim().is_empty() {
            return Some(AttackOutcome::Panicked(format!("exit code {code}, and not a word")));
        }
        // Names and contents of files in messages must not affect the terminal.
        if let Some(byte) = self.stderr.iter().find(|byte| **byte < b' ' && !b"\n\t\r".contains(byte)) {
            return Some(AttackOutcome::Wrong(format!(
                "byte {byte:#04x} goes to the terminal: {}",
                stderr.escape_debug()
            )));
        }
        None
    }

    /// The output without the parts that differ from run to run.
    pub fn answer(&self) -> String {
        let text = String::from_utf8_lossy(&self.stdout);
        let line = |line: &str| match serde_json::from_str::<Value>(line) {
            Ok(mut value) => {
                without_times(&mut value);
                value.to_string()
            }
            Err(_) => line.to_owned(),
        };
        // The bytes that an interrupted append leaves are no part of the corpus, but `info` mentions them.
        let is_of_broken_append =
            |line: &&str| line.trim_start().starts_with("unused") && line.contains("left by an interrupted append");
        text.lines().filter(|line| !is_of_broken_append(line)).map(line).collect::<Vec<String>>().join("\n")
    }
}

fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in ["elapsed_ms", "seconds", "games_per_second", "plies_per_second", "bytes_per_second"] {
                fields.remove(name);
            }
            fields.values_mut().for_each(without_times);
        }
        Value::Array(all) => all.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// Describes the command line as the current attack.
pub fn told(program: Program, arguments: &[impl AsRef<OsStr>], tried: &Tried) {
    let name = program.name();
    let words: Vec<String> = arguments.iter().map(|word| format!("{:?}", word.as_ref())).collect();
    tried.says(format!("{name} {}", words.join(" ")));
}

/// Splits a line into arguments.
pub fn words(line: &str) -> Vec<OsString> {
    line.split(' ').filter(|word| !word.is_empty()).map(|word| word.replace('·', " ").into()).collect()
}
