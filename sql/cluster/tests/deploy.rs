//! The compose file and the manifest start programs with options that these programs have.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use clap::Parser;
use plyfold_cluster::{ExecutorOptions, SchedulerOptions};

/// The commands in a file of `sql/cluster/deploy`, word by word.
fn commands(name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)).unwrap();
    let list = |line: &str| {
        let (key, list) = line.trim().split_once(": [")?;
        let words = list.strip_suffix(']')?.split(", ").map(|word| word.trim_matches('"').to_owned()).collect();
        ["command", "entrypoint"].contains(&key).then_some(words)
    };
    text.lines().filter_map(list).collect()
}

#[test]
fn the_files_start_programs_as_they_are() {
    for file in ["compose.yaml", "kubernetes.yaml"] {
        let commands = commands(file);
        let programs: Vec<&str> = commands.iter().map(|command| command[0].as_str()).collect();
        assert_eq!(programs, ["plyfold-scheduler", "plyfold-executor", "plyfold-sql"], "{file}");
        SchedulerOptions::try_parse_from(&commands[0]).unwrap_or_else(|error| panic!("{file}: {error}"));
        let executor = ExecutorOptions::try_parse_from(&commands[1]).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(executor.scheduler, "scheduler:50050", "{file}");
        assert_eq!(commands[2][1..3], ["--cluster", "scheduler:50050"], "{file}");
    }
}
