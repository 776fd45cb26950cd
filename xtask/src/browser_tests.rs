//! The end-to-end tests, which `tests/e2e/run.mjs` runs: which of them the tiers run, and which with late timers.

use std::fs;
use std::process::Command;

use anyhow::{Result, anyhow};

use crate::command::{debug_program, program, run as run_command};
use crate::paths::in_project;
use crate::{dist, machine, slowest, test};

/// How the files of tests end.
const ENDING: &str = ".test.mjs";

/// The browser tests of the first tier: the main walk in three browsers, the story of a player, the layout at four sizes, accessibility, and
/// first visits to what `cargo xtask run` serves.
const MAIN_WALKS: [&str; 5] = ["axe", "layout", "story", "visits", "walk"];

/// The browser tests that other steps run completely. The first tier looks at fewer sizes of window and states than `axe` and
/// `layout` have.
const WHOLE_ELSEWHERE: [&str; 3] = ["npm", "story", "walk"];

/// End-to-end tests of what does not depend on when a result arrives: pages that do not change, words, headers of hosts, files that are
/// saved, texts of games, failures, newer builds, a package that has no page. Tables in queries wait for one thing after the other, and what
/// other libraries send comes late by itself.
#[rustfmt::skip]
const NEVER_LATE: [&str; 17] = [
    "axe", "axe_tables", "chunks", "empty", "errors", "example", "export", "gametext", "hosts", "language", "layout", "npm", "policy",
    "strangers", "tablequeries", "update", "visits",
];

/// Runs the main walks.
///
/// # Errors
/// A test fails, or a browser cannot be installed.
pub fn test_main_walks() -> Result<()> {
    test(&[&["--main"], &MAIN_WALKS[..]].concat(), &[])
}

/// Runs a part of the end-to-end tests, without those that other steps run completely: half of those for which it can make a difference
/// with timers and results that are late, and the others as they are.
///
/// # Errors
/// As [`test_main_walks`].
pub fn test_part(part: &str) -> Result<()> {
    dist::build()?;
    let late = late_tests(test::sum_of_commit()?)?;
    let late = late.iter().flat_map(|name| ["--late", name]);
    let options: Vec<&str> = ["--part", part, "--delay", "250"].into_iter().chain(late).collect();
    test(&options, &WHOLE_ELSEWHERE)
}

/// The end-to-end tests that are late in this commit: every second one, so that all of them are late in one commit of two.
fn late_tests(sum_of_commit: usize) -> Result<Vec<String>> {
    let mut names: Vec<String> = fs::read_dir(in_project("tests/e2e"))?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(ENDING).map(str::to_owned))
        .filter(|name| !NEVER_LATE.contains(&name.as_str()))
        .collect();
    names.sort();
    Ok(names.into_iter().skip(sum_of_commit % 2).step_by(2).collect())
}

/// Runs the end-to-end tests but some, with these options of `tests/e2e/run.mjs`. The error ends with what failed, since the output
/// is long.
///
/// # Errors
/// As [`test_main_walks`].
pub fn test<'a>(options: &[&'a str], without: &[&'a str]) -> Result<()> {
    let without = without.iter().flat_map(|name| ["--without", name]);
    let options: Vec<&str> = options.iter().copied().chain(without).collect();
    let [failures, times] = ["target/e2e-failures.txt", "target/e2e-times.txt"].map(in_project);
    let outcome = run_command(command(&options)?.arg("--failures").arg(&failures).arg("--times").arg(&times))
        .map_err(|error| anyhow!("{error:#}\n{}", fs::read_to_string(&failures).unwrap_or_default()));
    slowest::keep_browser(&fs::read_to_string(&times).unwrap_or_default());
    outcome
}

/// Returns the command that runs the end-to-end tests, with these options of `tests/e2e/run.mjs`.
///
/// # Errors
/// A browser or a package is missing and cannot be installed.
pub fn command(options: &[&str]) -> Result<Command> {
    let browsers = machine::browsers()?;
    machine::ensure_npm_packages("tests/e2e")?;
    // The tests of the workspace have built this program; alone it would be built again, with other features of its dependencies.
    let plyfold = debug_program("plyfold");
    let mut tests = program("node");
    tests
        .arg(in_project("tests/e2e/run.mjs"))
        .args(options)
        .env("PLYFOLD_DIST", in_project("dist"))
        .envs(plyfold.is_file().then_some(("PLYFOLD_CLI", plyfold)))
        .envs(browsers);
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_as_their_files() {
        for name in MAIN_WALKS.iter().chain(&WHOLE_ELSEWHERE).chain(&NEVER_LATE) {
            assert!(in_project(&format!("tests/e2e/{name}{ENDING}")).is_file(), "{name}");
        }
    }

    #[test]
    fn each_test_is_late_in_one_commit_of_two() {
        let [even, odd] = [8, 9].map(|sum| late_tests(sum).expect("the folder of tests"));
        assert!(even.iter().all(|name| !odd.contains(name)));
        let mut all = [even, odd].concat();
        all.sort();
        assert!(all.contains(&"walk".to_owned()) && !all.contains(&"hosts".to_owned()), "{all:?}");
        let files = fs::read_dir(in_project("tests/e2e")).expect("the folder of tests").flatten();
        let tests = files.filter(|file| file.file_name().to_string_lossy().ends_with(ENDING)).count();
        assert_eq!(all.len() + NEVER_LATE.len(), tests);
    }
}
