//! Runs the program in a folder of its own.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Four games with 23 plies: a mate in 7; a game without queens from ply 8 to 10; a pawn ending from a FEN with a null move
/// (4 plies, all without queens); and a Chess960 game. An export must reproduce the comments, variations, Latin-1 letters and
/// odd spaces.
pub const SAMPLE: &[u8] = b"[Event \"Caf\xe9\"]
[Site \"Paris\"]
[Date \"2001.02.03\"]
[White \"Anna\"]
[Black \"Bert\"]
[Result \"1-0\"]
[WhiteElo \"2100\"]
[BlackElo \"1900\"]
[ECO \"C20\"]

1. e4 {best  by test} e5 2. Qh5 (2. Nf3 Nc6 $1) Nc6 3. Bc4 Nf6?? 4. Qxf7# 1-0

[Event \"Trade, \"\"of\"\" queens\"]
[Site \"?\"]
[Date \"2002.??.??\"]
[White \"Carla\"]
[Black \"Anna\"]
[Result \"1/2-1/2\"]

1. d4 e5 2. dxe5 d6 3. exd6 Qxd6 4. Qxd6 Bxd6 5. Nf3 Nf6 1/2-1/2

[Event \"Ending\"]
[White \"Bert\"]
[Black \"Carla\"]
[Result \"*\"]
[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]

1. e4 Kd7 2. Kd2 -- *

[Event \"960\"]
[White \"Dora\"]
[Black \"Emil\"]
[Result \"0-1\"]
[Variant \"Chess960\"]
[FEN \"rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w CAca - 0 1\"]

1. e3 e6 0-1
";

/// A game that the import refuses, and one that it accepts.
pub const ONE_BAD: &[u8] = b"[White \"Anna\"]\n[Black \"Bert\"]\n\n1. e4 e5 2. Ke3 *\n\n[White \"Carla\"]\n\n1. d4 *\n";

/// The corpus of [`SAMPLE`] as the first version wrote it, without signatures and event streams.
pub const OLDER: &[u8] = include_bytes!("sample-0.1.plyfold");

/// A folder that is deleted with the test.
pub struct CliSandbox(TempDir);

/// The exit code and the output of one run.
pub struct CliRun {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

/// A file of the reference data beside the project. If it is missing, this says so, and what is compared instead.
pub fn reference_data(name: &str, instead: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    if path.exists() {
        return Some(path.to_str().unwrap().to_owned());
    }
    // The test harness captures `eprintln!` of tests that pass, and this line must be seen.
    let line = format!("\nSKIPPED: {} is not there; {instead}\n", path.display());
    std::io::stderr().write_all(line.as_bytes()).ok();
    None
}

impl CliSandbox {
    pub fn new() -> CliSandbox {
        CliSandbox(tempfile::tempdir().unwrap())
    }

    /// A folder with `sample.plyfold`, the corpus of [`SAMPLE`].
    pub fn with_sample() -> CliSandbox {
        let sandbox = CliSandbox::new();
        sandbox.put("sample.pgn", SAMPLE);
        sandbox.run(&["import", "sample.pgn", "-o", "sample.plyfold"]).succeeded();
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn get(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The sorted names of all files in the folder.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The partial file of `name`, if there is one.
    pub fn partial(&self, name: &str) -> Option<PathBuf> {
        let path = self.path(name);
        let begins = format!(".{}.", path.file_name().unwrap().to_str().unwrap());
        let entries = fs::read_dir(path.parent().unwrap()).unwrap();
        let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let name = names.find(|name| name.starts_with(&begins) && name.ends_with(".plyfold-part"))?;
        Some(path.with_file_name(name))
    }

    /// Creates a partial file of `name`, as a program does while it writes.
    pub fn put_partial(&self, name: &str) -> fs::File {
        let path = self.path(name);
        let name = path.file_name().unwrap().to_str().unwrap();
        let part = fs::File::create(path.with_file_name(format!(".{name}.aB3dE6gH.plyfold-part"))).unwrap();
        part.lock().unwrap();
        part
    }

    /// The program with these arguments, to be run in the folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plyfold"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> CliRun {
        CliRun::of(self.command(arguments).output().unwrap())
    }

    /// Runs the command with `--format json` and returns its output.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--format", "json"]].concat()).succeeded();
        serde_json::from_slice(&ran.stdout).unwrap()
    }
}

/// The positions of a heatmap in JSON in which a side's king stands somewhere.
pub fn kings(answer: &Value, colour: &str) -> u64 {
    let rows = answer["heatmap"]["rows"].as_array().unwrap().iter();
    let kings = rows.filter(|row| row["man"] == "king" && row["colour"] == colour);
    kings.map(|row| row["positions"].as_u64().unwrap()).sum()
}

impl CliRun {
    pub fn of(output: Output) -> CliRun {
        let stderr = String::from_utf8(output.stderr).unwrap();
        CliRun { code: output.status.code(), stdout: output.stdout, stderr }
    }

    #[track_caller]
    pub fn succeeded(self) -> CliRun {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// Asserts that the run ended with this code and that its error message contains all of `says`.
    #[track_caller]
    pub fn failed(self, code: i32, says: &[&str]) -> CliRun {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        assert!(self.stderr.starts_with("plyfold: "), "{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for part in says {
            assert!(self.stderr.contains(part), "{:?} does not say {part:?}", self.stderr);
        }
        self
    }

    /// As [`failed`](Self::failed), and asserts that the message is a single line.
    #[track_caller]
    pub fn failed_in_a_line(self, code: i32, says: &[&str]) -> CliRun {
        let ran = self.failed(code, says);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        ran
    }

    /// Asserts that the argument parser refused the command line.
    #[track_caller]
    pub fn failed_usage(self) {
        assert_eq!(self.code, Some(2), "{}", self.stderr);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap()
    }
}
