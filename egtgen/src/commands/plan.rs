//! `egtgen plan`: writes the jobs that make tables, for the programs that run jobs: make, Slurm, or any that reads JSON.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use egtgen::byte_size::{format_bytes, format_limit_bytes};
use egtgen::estimate::{MachineSpeed, calibrate, estimate};
use egtgen::jobs::{Job, jobs};
use plyfold_terminal::output;
use serde::Serialize;

use crate::cli::failure::{EgtgenFailure, Result};
use crate::cli::generation_arguments::{MaterialArguments, ResourceArguments};

/// A job may take so many times as long as the longest estimate, before a scheduler ends it.
const TIME_MARGIN: f64 = 3.0;
const LEAST_MINUTES: u64 = 10;

/// Write the jobs that make tables, for a program that runs jobs. It writes no tables.
///
/// A job makes the tables of one material, for both winners; it can run once the jobs that it needs are done. Processes on one
/// machine or on many work in one folder, as with `generate --fleet`: one process at a time makes a table, which appears under its
/// name when it is complete, and is resumed after an interruption. --memory and --threads are for each job.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  egtgen plan --all 5 --out tables --memory 1GiB --threads 1 --format make > Makefile && make -j8
  egtgen plan --all 6 --out /shared/tables --memory 16GiB --threads 8 --format slurm | sh")]
pub struct Arguments {
    #[command(flatten)]
    materials: MaterialArguments,
    /// The folder for the tables.
    #[arg(long, value_name = "DIR", default_value = "tables")]
    out: PathBuf,
    #[command(flatten)]
    resources: ResourceArguments,
    /// What reads the jobs.
    #[arg(long, value_enum, default_value_t = PlanFormat::Json)]
    format: PlanFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlanFormat {
    /// One object, with memory, disk and time of each job.
    Json,
    /// A file for GNU make 4.3 or newer: `make -j8`.
    Make,
    /// A shell script that submits an array job for each stage to Slurm.
    Slurm,
}

/// The JSON object.
#[derive(Serialize)]
struct PlanReport<'a> {
    out: &'a Path,
    threads: usize,
    jobs: Vec<JobReport>,
}

/// A job with what it takes.
#[derive(Default, Serialize)]
struct JobReport {
    material: String,
    tables: Vec<String>,
    /// The materials of the jobs that must be done before.
    needs: Vec<String>,
    stage: usize,
    /// Bytes of memory that the job uses at most.
    memory_bytes: u64,
    /// Bytes of its files, typically.
    disk_bytes: u64,
    /// Bytes of its scratch files.
    scratch_bytes: u64,
    /// Typically, and at most, on this machine.
    seconds: f64,
    most_seconds: f64,
}

/// Runs the command.
///
/// # Errors
///
/// A name is not a material; a job needs more memory than is allowed; the folder's path cannot stand in a file of make or a script.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tables = arguments.materials.tables()?;
    let folder = arguments.out.to_str().filter(|path| is_plain(path) || arguments.format == PlanFormat::Json);
    let Some(folder) = folder else {
        let what = "--out: a path for make and for scripts has only letters, digits and `/._-`; use another one, or --format json";
        return Err(EgtgenFailure::Usage(what.into()));
    };
    let (memory, threads) = (arguments.resources.memory(), arguments.resources.threads());
    let speed = calibrate(threads)?;
    let listed = jobs(&tables);
    let told = listed.iter().map(|job| job_report(job, &listed, memory, speed)).collect::<Result<Vec<_>>>()?;
    let report = PlanReport { out: &arguments.out, threads, jobs: told };
    output::print(|out| match arguments.format {
        PlanFormat::Json => Ok(output::json(out, &report)?),
        PlanFormat::Make => write_make(out, &report, folder, memory),
        PlanFormat::Slurm => write_slurm(out, &report, folder, memory),
    })
}

/// Whether neither make nor a shell gives any letter of a text a meaning of its own.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('-') && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
}

fn job_report(job: &Job, all: &[Job], memory: u64, speed: MachineSpeed) -> Result<JobReport> {
    let mut report = JobReport {
        material: job.material.to_string(),
        tables: job.tables.iter().map(ToString::to_string).collect(),
        needs: job.needs.iter().map(|&need| all[need].material.to_string()).collect(),
        stage: job.stage,
        ..JobReport::default()
    };
    for &table in &job.tables {
        let estimate = estimate(table, memory, speed);
        let Some(plan) = estimate.plan else {
            let (least, allowed) = (format_bytes(estimate.needs.least_memory()), format_limit_bytes(memory));
            let what = format!(
                "{table} needs at least {least} of memory, and each job may use {allowed}: allow more with --memory"
            );
            return Err(EgtgenFailure::Usage(what));
        };
        report.memory_bytes = report.memory_bytes.max(plan.bytes);
        report.disk_bytes += estimate.disk.typical as u64;
        report.scratch_bytes = report.scratch_bytes.max(if plan.streams { estimate.needs.scratch } else { 0 });
        report.seconds += estimate.seconds.typical;
        report.most_seconds += estimate.seconds.high;
    }
    Ok(report)
}

fn write_make(out: &mut dyn Write, report: &PlanReport<'_>, folder: &str, memory: u64) -> Result<()> {
    let PlanReport { threads, jobs, .. } = report;
    let files =
        |tables: &[String]| tables.iter().map(|table| format!("$(TABLES)/{table}.egt")).collect::<Vec<_>>().join(" ");
    writeln!(
        out,
        "# Made by egtgen plan, for GNU make 4.3 or newer: make -j8 runs eight jobs at once, each with this memory."
    )?;
    writeln!(out, "EGTGEN ?= egtgen\nTABLES ?= {folder}\nMEMORY ?= {memory}\nTHREADS ?= {threads}\n")?;
    writeln!(
        out,
        ".PHONY: all\nall: {}",
        jobs.iter().map(|job| files(&job.tables)).collect::<Vec<_>>().join(" \\\n  ")
    )?;
    let tables_of = |material: &String| jobs.iter().find(|job| job.material == *material).map(|job| files(&job.tables));
    for job in jobs {
        // Complete tables never change, so their times mean nothing.
        let needs: Vec<String> = job.needs.iter().filter_map(tables_of).collect();
        let needs = if needs.is_empty() { String::new() } else { format!(" | {}", needs.join(" ")) };
        writeln!(out, "\n{} &:{needs}", files(&job.tables))?;
        writeln!(
            out,
            "\t$(EGTGEN) generate {} --no-closure --fleet --out $(TABLES) --memory $(MEMORY) --threads $(THREADS)",
            job.material
        )?;
    }
    Ok(())
}

const SLURM: &str = r#"#!/bin/sh
# Made by egtgen plan: submits an array job for each stage to Slurm. A stage begins when the one before it is done. After a failure
# run it again: complete tables are left alone, and the others are continued.
set -eu
: "${EGTGEN:=egtgen}"
before=
# stage MEMORY_MIB MINUTES MATERIAL…
stage() {
  mib=$1 minutes=$2
  shift 2
  before=$(sbatch --parsable --job-name=egtgen --array="1-$#" --cpus-per-task=@THREADS@ --mem="${mib}M" --time="$minutes" \
    ${before:+--dependency="afterok:$before"} --wrap "
set -- $*
shift \$((SLURM_ARRAY_TASK_ID - 1))
exec $EGTGEN generate \$1 --no-closure --fleet --out @FOLDER@ --memory @MEMORY@ --threads @THREADS@")
}
"#;

fn write_slurm(out: &mut dyn Write, report: &PlanReport<'_>, folder: &str, memory: u64) -> Result<()> {
    let threads = report.threads.to_string();
    let known = [("@THREADS@", &*threads), ("@FOLDER@", folder), ("@MEMORY@", &*memory.to_string())];
    let script = known.iter().fold(SLURM.to_owned(), |script, (name, value)| script.replace(name, value));
    out.write_all(script.as_bytes())?;
    let stages = report.jobs.iter().map(|job| job.stage + 1).max().unwrap_or(0);
    for stage in 0..stages {
        let jobs: Vec<&JobReport> = report.jobs.iter().filter(|job| job.stage == stage).collect();
        let bytes = jobs.iter().map(|job| job.memory_bytes).max().unwrap_or(0);
        // The system counts pages of files that are written, too.
        let mib = (bytes + bytes / 8).div_ceil(1 << 20) + 64;
        let seconds = jobs.iter().map(|job| job.most_seconds).fold(0.0, f64::max);
        let minutes = ((seconds * TIME_MARGIN / 60.0).ceil() as u64).max(LEAST_MINUTES);
        let names: Vec<&str> = jobs.iter().map(|job| job.material.as_str()).collect();
        writeln!(out, "stage {mib} {minutes} {}", names.join(" "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_letters_that_mean_something_are_refused() {
        for right in ["tables", "/mnt/a_b/c-d.e"] {
            assert!(is_plain(right), "{right}");
        }
        for wrong in ["", "a b", "a$b", "a;b", "-a", "a'b", "a#b", "ä", "a:b", "a%b"] {
            assert!(!is_plain(wrong), "{wrong}");
        }
    }
}
