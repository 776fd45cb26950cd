//! `cargo xtask linear`: checks that every reader takes time in proportion to the bytes that it reads. It counts
//! instructions, so the result depends neither on the machine nor on its load.
//!
//! The constructs are those of `tests/bench/src/linear`. `tests/bench/src/bin/linear.rs` reads each at several lengths under
//! valgrind's callgrind, which writes a file of counts after each reading.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::command::{debug_program, linting_cargo, program, run as run_command};
use crate::machine;
use crate::paths::in_project;

/// The function whose work is counted.
const COUNTED_FUNCTION: &str = "linear::counted_read";

/// How many times more a further byte of a longer text may cost than one of a shorter text, apart from
/// [`GROWTH_ALLOWANCE`] instructions. Sorting and growing hash tables stay within it; code that looks at each byte
/// again for each byte exceeds it at once.
const MAX_GROWTH: f64 = 1.5;
const GROWTH_ALLOWANCE: f64 = 30.0;

/// How many times more a byte of PGN may cost than in the median construct.
const MAX_RATIO: f64 = 20.0;
/// The reader that is compared with its median.
const COMPARED_READER: &str = "import";
/// Three bytes that are a whole game, which is played, judged and stored: a byte of it may cost this many times the
/// median. A game takes about 3,500 instructions, spread thinly over twenty functions: a record, seven names, event
/// streams, a signature and a checksum of each.
const WHOLE_GAME: (&str, f64) = ("e4*", 32.0);

#[derive(Args, Default)]
pub struct LinearOptions {
    /// Longer texts, more pairs of constructs, every word completed: takes an hour
    #[arg(long)]
    long: bool,
    /// Which pairs are chosen
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only constructs whose reader or name has this in it
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
}

/// The counts of a construct: bytes and instructions, ascending.
type InstructionCounts = Vec<(f64, f64)>;

/// What the counts say about a construct.
struct CostVerdict {
    name: String,
    /// Instructions per further byte, between the first two lengths and between the last two.
    short: f64,
    long: f64,
    grows: bool,
}

/// Counts and compares.
///
/// # Errors
/// Valgrind is missing, a reader fails, or a construct costs too much.
pub fn run(options: &LinearOptions) -> Result<()> {
    let valgrind = machine::valgrind()?;
    measure_and_judge(options, &valgrind)
}

/// Does the same as a step of the tests. Without valgrind the step is skipped, except in an automatic build (CI=true).
///
/// # Errors
/// As [`run`].
pub fn check() -> Result<()> {
    match machine::valgrind() {
        Ok(valgrind) => measure_and_judge(&LinearOptions { seed: 1, ..LinearOptions::default() }, &valgrind),
        Err(error) if std::env::var_os("CI").is_some_and(|ci| ci == "true") => Err(error),
        Err(error) => {
            println!("\n!! SKIPPED: time in proportion to bytes was not tested.\n!! {error:#}\n");
            Ok(())
        }
    }
}

fn measure_and_judge(options: &LinearOptions, valgrind: &Path) -> Result<()> {
    let driver = build_driver()?;
    let folder = in_project("target/linear");
    // Removes the files of an interrupted run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let parts = thread::available_parallelism()?.get();
    let run = CountingRun { options, valgrind, driver: &driver, folder: &folder, parts };
    let counts = thread::scope(|scope| {
        let run = &run;
        let running: Vec<_> = (0..parts).map(|part| scope.spawn(move || run.count_part(part))).collect();
        let mut all = BTreeMap::new();
        for part in running {
            all.extend(part.join().expect("counting does not panic")?);
        }
        anyhow::Ok(all)
    })?;
    fs::remove_dir_all(&folder)?;
    print_verdicts(&counts)
}

/// Builds the driver as the tests are built, so that little is built again after them.
fn build_driver() -> Result<PathBuf> {
    run_command(linting_cargo()?.args(["build", "--quiet", "--profile", "test", "--workspace", "--bin", "linear"]))?;
    Ok(debug_program("linear"))
}

/// One run of the driver under valgrind, cut into parts that run at the same time.
struct CountingRun<'a> {
    options: &'a LinearOptions,
    valgrind: &'a Path,
    driver: &'a Path,
    /// Where valgrind writes its counts.
    folder: &'a Path,
    parts: usize,
}

impl CountingRun<'_> {
    /// Runs one of the parts: reader and construct → counts.
    fn count_part(&self, part: usize) -> Result<BTreeMap<(String, String), InstructionCounts>> {
        let dumps = self.folder.join(part.to_string());
        let mut command = program(self.valgrind);
        command
            .args(["-q", "--tool=callgrind", "--dump-line=no"])
            .arg(format!("--toggle-collect={COUNTED_FUNCTION}"))
            .arg(format!("--dump-after={COUNTED_FUNCTION}"))
            .arg(format!("--callgrind-out-file={}", dumps.display()))
            .arg(self.driver)
            .args([part.to_string(), self.parts.to_string()])
            .args(["--seed", &self.options.seed.to_string()])
            .args(self.options.long.then_some("--long"))
            .args(self.options.only.iter().flat_map(|only| ["--only", only]))
            .stderr(Stdio::piped());
        let output = command.output().context("valgrind could not be started")?;
        let said = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let last = said.lines().last().unwrap_or("nothing").replace('\t', ", ");
            bail!(
                "the reader failed after {last} ({}): {}",
                output.status,
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        let mut counts: BTreeMap<_, InstructionCounts> = BTreeMap::new();
        for (nth, line) in said.lines().enumerate() {
            let meaningless = || format!("what does `{line}` mean?");
            let [reader, name, bytes] = line.split('\t').collect::<Vec<_>>()[..] else { bail!(meaningless()) };
            let bytes: f64 = bytes.parse().with_context(meaningless)?;
            let dump = dumps.with_extension((nth + 1).to_string());
            let instructions = total(&fs::read_to_string(&dump).with_context(|| format!("no counts of {line}"))?)
                .with_context(|| format!("no total in {}", dump.display()))?;
            fs::remove_file(&dump)?;
            counts.entry((reader.to_owned(), name.to_owned())).or_default().push((bytes, instructions));
        }
        Ok(counts)
    }
}

/// The line `totals: 123` of a file of counts.
fn total(dump: &str) -> Option<f64> {
    dump.lines().find_map(|line| line.strip_prefix("totals: "))?.trim().parse().ok()
}

/// Prints the results, reader by reader, the most expensive constructs first.
fn print_verdicts(counts: &BTreeMap<(String, String), InstructionCounts>) -> Result<()> {
    let mut readers: BTreeMap<&str, Vec<CostVerdict>> = BTreeMap::new();
    for ((reader, name), counts) in counts {
        readers.entry(reader).or_default().extend(cost_verdict(name, counts));
    }
    let mut broken = 0;
    println!("instructions a byte more, in short and in long texts, and the long ones against the reader's median");
    for (reader, mut all) in readers {
        all.sort_by(|one, other| other.long.total_cmp(&one.long));
        let Some(median) = all.get(all.len() / 2).map(|judged| judged.long.max(1.0)) else { continue };
        println!("\n{reader}: {} constructs, median {median:.0}", all.len());
        for (nth, CostVerdict { name, short, long, grows }) in all.iter().enumerate() {
            let ratio = long / median;
            let most = if name.contains(WHOLE_GAME.0) { WHOLE_GAME.1 } else { MAX_RATIO };
            let is_dear = reader == COMPARED_READER && ratio > most;
            let verdict = match (grows, is_dear) {
                (true, _) => "  GROWS WITH THE LENGTH",
                (_, true) => "  TOO DEAR",
                _ => "",
            };
            broken += usize::from(!verdict.is_empty());
            if nth < 3 || !verdict.is_empty() {
                println!("{short:12.0} {long:12.0} {ratio:8.1}  {name}{verdict}");
            }
        }
    }
    if broken > 0 {
        bail!(
            "{broken} constructs take more time than in proportion to their bytes: `cargo xtask linear --only WORD` repeats some"
        );
    }
    Ok(())
}

/// None if the construct was read at fewer than three lengths.
fn cost_verdict(name: &str, counts: &InstructionCounts) -> Option<CostVerdict> {
    let slope = |from: (f64, f64), to: (f64, f64)| (to.1 - from.1) / (to.0 - from.0).max(1.0);
    let slopes: Vec<f64> = counts.windows(2).map(|pair| slope(pair[0], pair[1])).collect();
    let [short, .., long] = slopes[..] else { return None };
    // The average cost of a byte counts too: a mistake that a reader finds at one place is paid once.
    let grows = slopes.windows(2).zip(&counts[1..]).any(|(slopes, &(bytes, instructions))| {
        slopes[1] > MAX_GROWTH * slopes[0].max(instructions / bytes.max(1.0)) + GROWTH_ALLOWANCE
    });
    Some(CostVerdict { name: name.to_owned(), short, long, grows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_is_seen() {
        let grows = |cost: fn(f64) -> f64| {
            let counts = [1e3, 8e3, 48e3].map(|bytes| (bytes, cost(bytes))).to_vec();
            cost_verdict("", &counts).expect("three lengths").grows
        };
        assert!(!grows(|bytes| 50_000.0 + 40.0 * bytes));
        assert!(!grows(|bytes| 40.0 * bytes * bytes.log2()));
        assert!(!grows(|_| 1e6));
        assert!(grows(|bytes| 0.01 * bytes * bytes));
        assert!(grows(|bytes| 1e5 + 50.0 * bytes + 0.005 * bytes * bytes));
        assert!(grows(|bytes| bytes * bytes.sqrt()));
    }

    #[test]
    fn totals_are_read() {
        assert_eq!(total("version: 1\nsummary: 3\n\nfn=(1)\n1 2\ntotals: 600008\n"), Some(600_008.0));
        assert_eq!(total("version: 1\n"), None);
    }
}
