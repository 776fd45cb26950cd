//! Runs the program in a folder of its own.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder that is deleted with the test. Tables go to its folder `t`.
pub struct EgtgenSandbox(TempDir);

/// The exit code and the output of one run.
pub struct EgtgenRun {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl EgtgenSandbox {
    pub fn new() -> EgtgenSandbox {
        EgtgenSandbox(tempfile::tempdir().unwrap())
    }

    /// A folder with the tables of these materials and of all that they convert into.
    pub fn with(materials: &[&str]) -> EgtgenSandbox {
        let sandbox = EgtgenSandbox::new();
        sandbox.run(&[&["generate", "--out", "t"], materials].concat()).succeeded();
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

    /// The sorted names of all files in a folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program with these arguments, to be run in the folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_egtgen"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> EgtgenRun {
        EgtgenRun::of(self.command(arguments).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs the program with this text on standard input.
    pub fn run_with(&self, arguments: &[&str], input: &str) -> EgtgenRun {
        let mut command = self.command(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        EgtgenRun::of(child.wait_with_output().unwrap())
    }

    /// Runs the command with `--format json` and returns the single object of its output.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--format", "json"]].concat()).succeeded();
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// Runs the command with `--format json` and returns the objects of its output, one a line.
    pub fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        self.run(&[arguments, &["--format", "json"]].concat()).succeeded().objects()
    }
}

impl EgtgenRun {
    pub fn of(output: Output) -> EgtgenRun {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        EgtgenRun { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    #[track_caller]
    pub fn succeeded(self) -> EgtgenRun {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// Asserts that the run ended with this code and that its one line of complaint contains all of `says`.
    #[track_caller]
    pub fn failed(self, code: i32, says: &[&str]) -> EgtgenRun {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        let complaints: Vec<&str> = self.stderr.lines().filter(|line| line.starts_with("egtgen: ")).collect();
        assert_eq!(complaints.len(), 1, "{}", self.stderr);
        assert_eq!(self.stderr.lines().last(), Some(complaints[0]), "nothing comes after it");
        for part in says {
            assert!(complaints[0].contains(part), "{:?} does not say {part:?}", complaints[0]);
        }
        self
    }

    /// The same for a run that may report files before it fails.
    #[track_caller]
    pub fn failed_after_warnings(self, code: i32, says: &[&str]) -> EgtgenRun {
        let stderr = self.stderr.lines().filter(|line| !line.starts_with("warning: "));
        EgtgenRun { stderr: stderr.collect::<Vec<&str>>().join("\n"), ..self }.failed(code, says)
    }

    /// Asserts that the argument parser refused the command line.
    #[track_caller]
    pub fn failed_usage(self, says: &str) {
        assert_eq!(self.code, Some(2), "{}", self.stderr);
        assert!(self.stderr.starts_with("error: ") && self.stderr.contains(says), "{}", self.stderr);
    }

    /// Each line of the output as a JSON object.
    pub fn objects(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
