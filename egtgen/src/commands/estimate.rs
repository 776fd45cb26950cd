//! `egtgen estimate`: what tables would take, before anything is written.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use egtgen::estimate::{Estimate, Guess, calibrate, estimate};
use egtgen::folder::Folder;
use egtgen::plan;
use plyfold_core::table::layout::ReadAt;
use plyfold_core::table::material::Material;
use serde::Serialize;

use crate::cli::failure::Result;
use crate::cli::table::{Rows, duration, grouped};
use crate::cli::wanted::{Means, Wanted};
use crate::cli::{Format, out};

/// Say what tables would take: positions, disk, memory and time. Nothing is written.
///
/// Positions and memory are exact. Disk and time hang on how much is won, and are given as what is usual and between what it
/// may lie. For time this machine is measured, for about a second; it wants to be as busy then as it will be.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    wanted: Wanted,
    /// The folder that tables would go to: what is there need not be made.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    means: Means,
    /// How the estimate is written; in JSON, one object.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What tables would take, and the object in JSON.
#[derive(Serialize)]
struct Answer {
    tables: Vec<Row>,
    to_make: usize,
    positions: u64,
    /// Of the files to make; a scratch file comes and goes besides.
    disk_bytes: Range,
    scratch_bytes: u64,
    /// What would be allowed, what would keep everything in memory, and the least that does for all tables.
    memory: Memory,
    seconds: Range,
    threads: usize,
    calibration_seconds: f64,
}

#[derive(Serialize)]
struct Memory {
    allowed: u64,
    in_memory: u64,
    least: u64,
}

/// A table.
#[derive(Serialize)]
struct Row {
    table: String,
    /// Whether it is there and whole; then nothing else is a guess.
    is_there: bool,
    positions: u64,
    cells: u32,
    disk_bytes: Range,
    memory: Memory,
    /// How it would be made: `in memory`, `streaming`, or `refused`.
    way: &'static str,
    scratch_bytes: u64,
    seconds: Range,
}

/// Something guessed.
#[derive(Clone, Copy, Serialize)]
struct Range {
    low: f64,
    usual: f64,
    high: f64,
}

impl From<Guess> for Range {
    fn from(guess: Guess) -> Range {
        Range { low: guess.low, usual: guess.usual, high: guess.high }
    }
}

/// Runs the command.
///
/// # Errors
///
/// What is no material; a table that is there and damaged.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tables = arguments.wanted.tables()?;
    let (memory, threads) = (arguments.means.memory(), arguments.means.threads());
    let speed = calibrate(threads)?;
    let folder = arguments.out.as_ref().map(Folder::new);
    let (mut rows, mut disk, mut seconds) = (Vec::new(), Guess::NONE, Guess::NONE);
    for table in tables {
        let estimate = estimate(table, memory, speed);
        let there = size_there(folder.as_ref(), table)?;
        if there.is_none() {
            disk = disk.plus(estimate.disk);
            seconds = seconds.plus(estimate.seconds);
        }
        rows.push(row(&estimate, memory, there));
    }
    let to_make = || rows.iter().filter(|row| !row.is_there);
    let most = |of: fn(&Row) -> u64| to_make().map(of).max().unwrap_or(0);
    let answer = Answer {
        to_make: to_make().count(),
        positions: to_make().map(|row| row.positions).sum(),
        disk_bytes: disk.into(),
        scratch_bytes: most(|row| row.scratch_bytes),
        memory: Memory {
            allowed: memory,
            in_memory: most(|row| row.memory.in_memory),
            least: most(|row| row.memory.least),
        },
        seconds: seconds.into(),
        threads,
        calibration_seconds: speed.took,
        tables: rows,
    };
    out::write(|out| match arguments.format {
        Format::Text => write_text(out, &answer),
        Format::Json => out::json(out, &answer),
    })
}

/// Bytes of a whole table that is there.
fn size_there(folder: Option<&Folder>, table: Material) -> Result<Option<u64>> {
    let Some(folder) = folder else { return Ok(None) };
    Ok(folder.open(&table.to_string())?.map(|open| open.table().reader().len()))
}

fn row(estimate: &Estimate, memory: u64, there: Option<u64>) -> Row {
    let needs = &estimate.needs;
    let known = |bytes: u64| Guess { low: bytes as f64, usual: bytes as f64, high: bytes as f64 };
    let streams = estimate.plan.is_some_and(|plan| plan.streams);
    Row {
        table: estimate.table.to_string(),
        is_there: there.is_some(),
        positions: needs.positions,
        cells: needs.cells,
        disk_bytes: there.map_or(estimate.disk, known).into(),
        memory: Memory {
            allowed: memory,
            in_memory: needs.in_memory,
            least: needs.in_memory.min(needs.streaming.first().copied().unwrap_or(u64::MAX)),
        },
        way: match estimate.plan {
            None => "refused",
            Some(plan) if plan.streams => "streaming",
            Some(_) => "in memory",
        },
        scratch_bytes: if streams { needs.scratch } else { 0 },
        seconds: if there.is_some() { Guess::NONE } else { estimate.seconds }.into(),
    }
}

fn write_text(out: &mut dyn Write, answer: &Answer) -> Result<()> {
    let mut rows = Rows::under(&[
        ("table", false),
        ("positions", true),
        ("disk", true),
        ("in memory", true),
        ("at least", true),
        ("time", true),
    ]);
    for row in &answer.tables {
        let time = match (row.is_there, row.way) {
            (true, _) => "is there".to_owned(),
            (_, "refused") => "too little memory".to_owned(),
            _ => shown(row.seconds.usual),
        };
        let about = if row.is_there { "" } else { "~" };
        rows.push([
            row.table.clone(),
            grouped(row.positions),
            format!("{about}{}", plan::bytes(row.disk_bytes.usual as u64)),
            plan::bytes(row.memory.in_memory),
            plan::bytes(row.memory.least),
            time,
        ]);
    }
    rows.write(out)?;
    writeln!(out)?;
    match (answer.tables.len(), answer.to_make) {
        (1, 1) => writeln!(out, "1 table is needed")?,
        (1, _) => writeln!(out, "1 table is needed, and is there")?,
        (all, 0) => writeln!(out, "{all} tables are needed, and are there")?,
        (all, to_make) if to_make == all => writeln!(out, "{all} tables are needed")?,
        (all, to_make) => writeln!(out, "{all} tables are needed, of which {} are there", all - to_make)?,
    }
    if answer.to_make == 0 {
        return Ok(());
    }
    let Answer { disk_bytes: disk, memory, seconds, .. } = answer;
    let bytes = |bytes: f64| plan::bytes(bytes as u64);
    writeln!(out, "positions  {}", grouped(answer.positions))?;
    writeln!(out, "disk       about {}, between {} and {}", bytes(disk.usual), bytes(disk.low), bytes(disk.high))?;
    if answer.scratch_bytes > 0 {
        writeln!(out, "           and up to {} while a table is made", plan::bytes(answer.scratch_bytes))?;
    }
    let (all, least) = (plan::bytes(memory.in_memory), plan::bytes(memory.least));
    let allowed = plan::bytes(memory.allowed);
    match (memory.allowed >= memory.in_memory, memory.allowed >= memory.least) {
        (true, _) => {
            writeln!(out, "memory     {all}, at least {least}; {allowed} is allowed, which keeps all in memory")?
        }
        (_, true) => {
            writeln!(out, "memory     {all}, at least {least}; with the {allowed} allowed, tables stream from disk")?
        }
        _ => writeln!(out, "memory     {all}, at least {least}: the {allowed} allowed does not do")?,
    }
    let threads = if answer.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", answer.threads) };
    writeln!(
        out,
        "time       about {}, between {} and {} on {threads}; this machine was measured for {}",
        shown(seconds.usual),
        shown(seconds.low),
        shown(seconds.high),
        shown(answer.calibration_seconds)
    )?;
    Ok(())
}

fn shown(seconds: f64) -> String {
    duration(Duration::from_secs_f64(seconds))
}
