//! `egtgen estimate`: estimates what tables will take, before anything is written.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use egtgen::byte_size::{format_bytes, format_limit_bytes};
use egtgen::estimate::{Estimate, EstimateRange, calibrate, estimate};
use egtgen::folder::TableFolder;
use plyfold_tables::layout::ReadAt;
use plyfold_tables::material::TableMaterial;
use plyfold_terminal::table::{TextTable, format_duration, grouped};
use plyfold_terminal::{ReportFormat, output};
use serde::Serialize;

use crate::cli::failure::Result;
use crate::cli::generation_arguments::{MaterialArguments, ResourceArguments};

/// Estimate what tables need: positions, disk, memory and time. It writes nothing.
///
/// Positions and memory are exact. Disk and time depend on how many positions are won, so they are given as a typical value
/// and a range. The speed of this machine is measured for about a second; keep it as busy as it will be during generation.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    materials: MaterialArguments,
    /// The folder for the tables; tables that exist there count as done.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    resources: ResourceArguments,
    /// Format of the estimate; JSON has one object.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// The estimate of all tables, and the JSON object.
#[derive(Serialize)]
struct EstimateReport {
    tables: Vec<TableEstimateRow>,
    to_make: usize,
    positions: u64,
    /// Size of the files to generate, without scratch files.
    disk_bytes: EstimateRange,
    scratch_bytes: u64,
    /// The allowed memory, the memory that keeps all tiles in memory, and the least that is enough for all tables.
    memory: MemoryEstimate,
    seconds: EstimateRange,
    threads: usize,
    calibration_seconds: f64,
}

#[derive(Serialize)]
struct MemoryEstimate {
    allowed: u64,
    in_memory: u64,
    least: u64,
}

/// The estimate of one table.
#[derive(Serialize)]
struct TableEstimateRow {
    table: String,
    /// Whether it is already there and complete; then nothing else is estimated.
    is_there: bool,
    positions: u64,
    cells: u32,
    disk_bytes: EstimateRange,
    memory: MemoryEstimate,
    /// How it will be generated: `in memory`, `streaming`, or `refused`.
    way: &'static str,
    scratch_bytes: u64,
    seconds: EstimateRange,
}

/// Runs the command.
///
/// # Errors
///
/// A name is not a material, or an existing table is damaged.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tables = arguments.materials.tables()?;
    let (memory, threads) = (arguments.resources.memory(), arguments.resources.threads());
    let speed = calibrate(threads)?;
    let folder = arguments.out.as_ref().map(TableFolder::new);
    let (mut rows, mut disk, mut seconds) = (Vec::new(), EstimateRange::ZERO, EstimateRange::ZERO);
    for table in tables {
        let estimate = estimate(table, memory, speed);
        let there = existing_size(folder.as_ref(), table)?;
        if there.is_none() {
            disk = disk.plus(estimate.disk);
            seconds = seconds.plus(estimate.seconds);
        }
        rows.push(estimate_row(&estimate, memory, there));
    }
    let to_make = || rows.iter().filter(|row| !row.is_there);
    let most = |of: fn(&TableEstimateRow) -> u64| to_make().map(of).max().unwrap_or(0);
    let answer = EstimateReport {
        to_make: to_make().count(),
        positions: to_make().map(|row| row.positions).sum(),
        disk_bytes: disk,
        scratch_bytes: most(|row| row.scratch_bytes),
        memory: MemoryEstimate {
            allowed: memory,
            in_memory: most(|row| row.memory.in_memory),
            least: most(|row| row.memory.least),
        },
        seconds,
        threads,
        calibration_seconds: speed.calibration_seconds,
        tables: rows,
    };
    output::report(arguments.format, &answer, |out| write_text(out, &answer))
}

/// The size of a complete table that is already there, in bytes.
fn existing_size(folder: Option<&TableFolder>, table: TableMaterial) -> Result<Option<u64>> {
    let Some(folder) = folder else { return Ok(None) };
    Ok(folder.open(&table.to_string())?.map(|open| open.table().reader().len()))
}

fn estimate_row(estimate: &Estimate, memory: u64, existing_bytes: Option<u64>) -> TableEstimateRow {
    let needs = &estimate.needs;
    let known = |bytes: u64| EstimateRange { low: bytes as f64, typical: bytes as f64, high: bytes as f64 };
    let streams = estimate.plan.is_some_and(|plan| plan.streams);
    TableEstimateRow {
        table: estimate.table.to_string(),
        is_there: existing_bytes.is_some(),
        positions: needs.positions,
        cells: needs.pawn_slices,
        disk_bytes: existing_bytes.map_or(estimate.disk, known),
        memory: MemoryEstimate { allowed: memory, in_memory: needs.in_memory, least: needs.least_memory() },
        way: match estimate.plan {
            None => "refused",
            Some(plan) if plan.streams => "streaming",
            Some(_) => "in memory",
        },
        scratch_bytes: if streams { needs.scratch } else { 0 },
        seconds: if existing_bytes.is_some() { EstimateRange::ZERO } else { estimate.seconds },
    }
}

fn write_text(out: &mut dyn Write, report: &EstimateReport) -> Result<()> {
    write_tables(out, report)?;
    match (report.tables.len(), report.to_make) {
        (1, 1) => writeln!(out, "1 table is needed")?,
        (1, _) => writeln!(out, "1 table is needed, and it exists")?,
        (all, 0) => writeln!(out, "{all} tables are needed, and all exist")?,
        (all, to_make) if to_make == all => writeln!(out, "{all} tables are needed")?,
        (all, to_make) => writeln!(out, "{all} tables are needed; {} exist", all - to_make)?,
    }
    if report.to_make > 0 { write_sums(out, report) } else { Ok(()) }
}

/// Writes one row for each table.
fn write_tables(out: &mut dyn Write, report: &EstimateReport) -> Result<()> {
    let mut rows = TextTable::with_headings(&[
        ("table", false),
        ("positions", true),
        ("disk", true),
        ("in memory", true),
        ("at least", true),
        ("time", true),
    ]);
    for row in &report.tables {
        let time = match (row.is_there, row.way) {
            (true, _) => "exists".to_owned(),
            (_, "refused") => "too little memory".to_owned(),
            _ => format_seconds(row.seconds.typical),
        };
        let about = if row.is_there { "" } else { "~" };
        rows.push([
            row.table.clone(),
            grouped(row.positions),
            format!("{about}{}", format_bytes(row.disk_bytes.typical as u64)),
            format_bytes(row.memory.in_memory),
            format_bytes(row.memory.least),
            time,
        ]);
    }
    rows.write(out)?;
    writeln!(out)?;
    Ok(())
}

/// Writes the sums of the tables that are not there yet.
fn write_sums(out: &mut dyn Write, report: &EstimateReport) -> Result<()> {
    let EstimateReport { disk_bytes: disk, memory, seconds, .. } = report;
    let bytes = |bytes: f64| format_bytes(bytes as u64);
    writeln!(out, "positions  {}", grouped(report.positions))?;
    writeln!(out, "disk       about {}, between {} and {}", bytes(disk.typical), bytes(disk.low), bytes(disk.high))?;
    if report.scratch_bytes > 0 {
        writeln!(out, "           and up to {} more during generation", format_bytes(report.scratch_bytes))?;
    }
    let (all, least) = (format_bytes(memory.in_memory), format_bytes(memory.least));
    let allowed = format_limit_bytes(memory.allowed);
    match (memory.allowed >= memory.in_memory, memory.allowed >= memory.least) {
        (true, _) => {
            writeln!(out, "memory     {all}, at least {least}; {allowed} is allowed, so everything stays in memory")?
        }
        (_, true) => writeln!(
            out,
            "memory     {all}, at least {least}; with the {allowed} allowed, tables may stream from disk"
        )?,
        _ => writeln!(out, "memory     {all}, at least {least}; the {allowed} allowed is too little")?,
    }
    let threads = if report.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", report.threads) };
    writeln!(
        out,
        "time       about {}, between {} and {} on {threads}; measured on this machine for {}",
        format_seconds(seconds.typical),
        format_seconds(seconds.low),
        format_seconds(seconds.high),
        format_seconds(report.calibration_seconds)
    )?;
    Ok(())
}

fn format_seconds(seconds: f64) -> String {
    format_duration(Duration::from_secs_f64(seconds))
}
