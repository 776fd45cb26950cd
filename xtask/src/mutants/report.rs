//! The outcome of the mutants, as lines and as JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::folders::folder_of;
use super::list::Mutant;
use super::tree::MutantTree;
use super::trial::{MutantVerdict, RUNS};

/// A report that grows while the mutants are tried. The file always has its current state.
pub struct MutantReport {
    path: PathBuf,
    seed: u64,
    dropped: Vec<Value>,
    tried: Mutex<Vec<(Mutant, MutantVerdict)>>,
}

impl MutantReport {
    pub fn new(tree: &MutantTree, seed: u64, path: &Path) -> Self {
        let dropped = tree.dropped.iter().map(|(mutant, reason)| json!({"mutant": mutant.name(), "reason": reason}));
        Self { path: path.to_owned(), seed, dropped: dropped.collect(), tried: Mutex::new(Vec::new()) }
    }

    /// Adds the outcome of one mutant, and prints it if the mutant was not killed.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&self, mutant: &Mutant, verdict: &MutantVerdict) -> Result<()> {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.push((mutant.clone(), verdict.clone()));
        println!("{:4} {} {}", tried.len(), verdict_name(verdict), mutant.name());
        self.write(&tried)
    }

    fn write(&self, tried: &[(Mutant, MutantVerdict)]) -> Result<()> {
        let mut mutants = Vec::new();
        for (mutant, verdict) in tried {
            let mut value = json!({
                "file": mutant.file, "line": mutant.line, "column": mutant.column, "genre": mutant.genre,
                "description": mutant.description, "verdict": verdict_name(verdict).trim(),
                "diff": mutant.diff,
            });
            match verdict {
                MutantVerdict::Killed { by, hung } => {
                    value["by"] = json!(by);
                    value["hung"] = json!(hung);
                }
                MutantVerdict::Flaky { by, failed } => {
                    value["by"] = json!(by);
                    value["failed"] = json!(failed);
                }
                MutantVerdict::Survived { tests } => value["tests"] = json!(tests),
            }
            mutants.push(value);
        }
        let whole = json!({"seed": self.seed, "runs": RUNS, "mutants": mutants, "dropped": self.dropped});
        fs::write(&self.path, serde_json::to_string_pretty(&whole)?)
            .with_context(|| format!("{} cannot be written", self.path.display()))
    }

    /// Prints the survivors with their diffs, and the counts.
    ///
    /// # Errors
    /// A source file cannot be read.
    pub fn finish(self, elapsed: Duration) -> Result<()> {
        let mut tried = self.tried.into_inner().unwrap_or_else(PoisonError::into_inner);
        tried.sort_by(|(a, _), (b, _)| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        for (mutant, verdict) in &tried {
            let note = match verdict {
                MutantVerdict::Killed { by, hung: true } => format!("hangs in {by}"),
                MutantVerdict::Killed { .. } => continue,
                MutantVerdict::Flaky { by, failed } => format!("{failed} runs of {RUNS} fail in {by}"),
                MutantVerdict::Survived { tests: 0 } => "no test reaches it".to_owned(),
                MutantVerdict::Survived { tests } => format!("{tests} tests reach it"),
            };
            println!("\n{} {}\n  {note}", verdict_name(verdict).trim(), mutant.name());
            print!("{}", mutant.diff);
        }
        println!("\n{:24} {:>7} {:>7} {:>6} {:>9}", "folder", "sampled", "killed", "flaky", "survived");
        let mut folders: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
        for (mutant, verdict) in &tried {
            let counts = folders.entry(folder_of(&mutant.file).map_or("", |(folder, _)| folder)).or_default();
            counts[0] += 1;
            counts[match verdict {
                MutantVerdict::Killed { .. } => 1,
                MutantVerdict::Flaky { .. } => 2,
                MutantVerdict::Survived { .. } => 3,
            }] += 1;
        }
        let mut sum = [0; 4];
        for (folder, counts) in &folders {
            println!("{folder:24} {:7} {:7} {:6} {:9}", counts[0], counts[1], counts[2], counts[3]);
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        println!("{:24} {:7} {:7} {:6} {:9}", "all", sum[0], sum[1], sum[2], sum[3]);
        let hung =
            tried.iter().filter(|(_, verdict)| matches!(verdict, MutantVerdict::Killed { hung: true, .. })).count();
        println!(
            "killed in {RUNS} runs of {RUNS}: {} of {}; of these {hung} hung; dropped, for they cannot be switched: {}; {:.1} min",
            sum[1],
            sum[0],
            self.dropped.len(),
            elapsed.as_secs_f64() / 60.0
        );
        println!("report: {}", self.path.display());
        Ok(())
    }
}

fn verdict_name(verdict: &MutantVerdict) -> &'static str {
    match verdict {
        MutantVerdict::Killed { .. } => "killed  ",
        MutantVerdict::Flaky { .. } => "flaky   ",
        MutantVerdict::Survived { .. } => "survived",
    }
}

/// File, description and line of the mutants that a report does not call killed.
///
/// # Errors
/// The text is not a report.
pub fn survivors(text: &str) -> Result<Vec<(String, String, usize)>> {
    let whole: Value = serde_json::from_str(text).context("the report is not JSON")?;
    let mutants = whole["mutants"].as_array().context("the report has no mutants")?;
    mutants
        .iter()
        .filter(|mutant| mutant["verdict"] != "killed")
        .map(|mutant| {
            let word = |key: &str| mutant[key].as_str().map(str::to_owned).with_context(|| format!("no {key}"));
            let line = mutant["line"].as_u64().context("no line")?;
            Ok((word("file")?, word("description")?, usize::try_from(line)?))
        })
        .collect()
}
