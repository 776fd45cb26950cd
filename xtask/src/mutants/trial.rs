//! Runs the tests one by one: how long each takes, which mutants it reaches, and whether it notices one.
//!
//! A first run of every test without a mutant finds its time and which mutants it reaches. A mutant is tried only on
//! the tests that reach it, the quickest first. Tests of random input get their seed from here, another one in each of
//! three runs.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::tree::Binary;
use crate::command::output_of;

/// How many times a test must fail on a mutant, each time with another seed.
pub const RUNS: u64 = 3;

/// A test counts as hung after this many times its time without a mutant, and some seconds more.
const TIMEOUT: (u32, Duration) = (8, Duration::from_secs(15));

/// Memory of a test in KiB, and the size of a file in blocks: a mutant may want everything there is.
const MEMORY_KIB: u64 = 8 << 20;
const FILE_BLOCKS: u64 = 4 << 20;

/// One test function.
pub struct Test {
    pub binary: Binary,
    pub name: String,
    pub time: Duration,
    /// Numbers of the mutants that it reaches.
    pub reaches: BTreeSet<u32>,
}

/// The outcome of a mutant.
#[derive(Clone, Debug, PartialEq)]
pub enum MutantVerdict {
    /// A test failed in all runs.
    Killed {
        by: String,
        hung: bool,
    },
    /// A test failed in some runs, and no test in all.
    Flaky {
        by: String,
        failed: u64,
    },
    Survived {
        tests: usize,
    },
}

#[derive(Clone, Copy, PartialEq)]
enum TestOutcome {
    Passed,
    Failed,
    Hung,
}

impl Test {
    pub fn title(&self) -> String {
        format!("{} {} {}", self.binary.package, self.binary.name, self.name)
    }

    fn limit(&self) -> Duration {
        self.time * TIMEOUT.0 + TIMEOUT.1
    }
}

/// Runs every test of the binaries once without a mutant. A test that fails there says nothing about mutants: it is reported
/// and left out.
///
/// # Errors
/// A binary cannot be run.
pub fn baseline(binaries: &[Binary], scratch: &Path, jobs: usize) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for binary in binaries {
        let mut list = command(binary, scratch, TIMEOUT.1 * 100);
        list.args(["--list", "--format", "terse"]);
        let names = output_of(&mut list)?;
        tests.extend(names.lines().filter_map(|line| line.strip_suffix(": test")).map(|name| Test {
            binary: binary.clone(),
            name: name.to_owned(),
            time: Duration::from_secs(200),
            reaches: BTreeSet::new(),
        }));
    }
    let measured = in_parallel(jobs, tests, |at, mut test| {
        let seen = scratch.join(format!("seen-{at}"));
        let _ = fs::remove_file(&seen);
        let start = Instant::now();
        let outcome = run(&test, scratch, |command| {
            command.env("MUTANTS_SEEN", &seen).env("PROPTEST_RNG_SEED", "1");
        });
        test.time = start.elapsed();
        let lines = fs::read_to_string(&seen).unwrap_or_default();
        test.reaches = lines.lines().filter_map(|line| line.parse().ok()).collect();
        let _ = fs::remove_file(&seen);
        outcome.map(|outcome| (test, outcome))
    });
    let mut tests = Vec::new();
    for one in measured {
        let (test, outcome) = one?;
        if outcome == TestOutcome::Passed {
            tests.push(test);
        } else {
            println!("left out, it fails without a mutant: {}", test.title());
        }
    }
    if tests.is_empty() {
        bail!("no test passes without a mutant");
    }
    tests.sort_by_key(|test| test.time);
    Ok(tests)
}

/// Tries one mutant on the tests of its folder that reach it; `tests` begins with the quickest.
///
/// # Errors
/// A test cannot be run.
pub fn verdict(number: u32, tests: &[&Test], scratch: &Path) -> Result<MutantVerdict> {
    let mut by_luck: Option<(String, u64)> = None;
    let reaching: Vec<_> = tests.iter().filter(|test| test.reaches.contains(&number)).collect();
    for test in &reaching {
        let (mut failed, mut hung) = (0, false);
        for seed in 1..=RUNS {
            let outcome = run(test, scratch, |command| {
                command.env("MUTANT", number.to_string()).env("PROPTEST_RNG_SEED", seed.to_string());
            })?;
            failed += u64::from(outcome != TestOutcome::Passed);
            hung |= outcome == TestOutcome::Hung;
            // If the test passes at first, the next test may notice the mutant.
            if failed == 0 {
                break;
            }
        }
        if failed == RUNS {
            return Ok(MutantVerdict::Killed { by: test.title(), hung });
        }
        if failed > by_luck.as_ref().map_or(0, |(_, most)| *most) {
            by_luck = Some((test.title(), failed));
        }
    }
    Ok(match by_luck {
        Some((by, failed)) => MutantVerdict::Flaky { by, failed },
        None => MutantVerdict::Survived { tests: reaching.len() },
    })
}

/// Does `work` with all `items` on some threads; the results have the order of the items.
pub fn in_parallel<T: Send, R: Send>(jobs: usize, items: Vec<T>, work: impl Fn(usize, T) -> R + Sync) -> Vec<R> {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    let item = item.lock().unwrap_or_else(PoisonError::into_inner).take();
                    if let Some(item) = item {
                        *results[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(work(at, item));
                    }
                }
            });
        }
    });
    results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

fn run(test: &Test, scratch: &Path, prepare: impl FnOnce(&mut Command)) -> Result<TestOutcome> {
    let limit = test.limit();
    let mut command = command(&test.binary, scratch, limit);
    command.args(["--exact", &test.name]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    prepare(&mut command);
    let mut child = command.spawn().with_context(|| format!("{} cannot be run", test.title()))?;
    Ok(match wait(&mut child, limit)? {
        Some(status) if status.success() => TestOutcome::Passed,
        Some(_) => TestOutcome::Failed,
        None => TestOutcome::Hung,
    })
}

/// A test binary within limits, which also hold if this program is ended first.
fn command(binary: &Binary, scratch: &Path, limit: Duration) -> Command {
    // The limits of all its threads together.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let seconds = (limit.as_secs() + 1) * u64::try_from(cores).unwrap_or(1);
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!(
            "ulimit -c 0; ulimit -v {MEMORY_KIB}; ulimit -f {FILE_BLOCKS}; ulimit -t {seconds}; exec \"$0\" \"$@\""
        ))
        .arg(&binary.path)
        .current_dir(&binary.folder)
        .stdin(Stdio::null())
        .env("CARGO_MANIFEST_DIR", &binary.folder)
        .env("TMPDIR", scratch)
        // Cases of earlier runs are not tried again, and no time is spent on making a case smaller.
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "true")
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .env_remove("MUTANT")
        .env_remove("MUTANTS_SEEN")
        .process_group(0);
    command
}

/// Waits for the end; after `limit` the process and its children are ended.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            let group = format!("-{}", child.id());
            Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(40));
    }
}

/// An empty folder for the files of tests.
///
/// # Errors
/// The folder cannot be made.
pub fn scratch(home: &Path) -> Result<PathBuf> {
    let folder = home.join("files");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
