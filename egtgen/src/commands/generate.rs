//! `egtgen generate`: generates tables into a folder, smaller ones first, and resumes interrupted ones.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use egtgen::Error;
use egtgen::byte_size::{format_bytes, format_limit_bytes};
use egtgen::folder::{TableFileState, TableFolder};
use egtgen::generation::{self, FleetMember, GenerationEvent, GenerationRequest};
use egtgen::lease::LeaseTimes;
use egtgen::packed_folder::{OpenPackedTable, check_replaceable, packed_path};
use egtgen::plan;
use egtgen::prober::open_generated;
use plyfold_tables::index::TableIndex;
use plyfold_tables::layout::ReadAt;
use plyfold_tables::material::{TableMaterial, closure};
use plyfold_terminal::progress::ProgressBar;
use plyfold_terminal::table::{TextTable, format_duration};
use plyfold_terminal::{ReportFormat, interrupt, output};
use serde::Serialize;

use crate::cli::failure::{EgtgenFailure, Result};
use crate::cli::generation_arguments::{MaterialArguments, ResourceArguments};
use crate::cli::progress::{GenerationProgress, TableDone};
use crate::cli::{disk_space, peak};
use crate::commands::pack::{self, Packer};

/// Generate tables, and all smaller tables that they need.
///
/// Generates a table for each side of a material as the winner, and every smaller table that it converts into. Complete tables
/// stay unchanged, and partial tables are continued, so after an interruption you can run the same command again to finish
/// the work. A table appears under its name when it is complete.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    materials: MaterialArguments,
    /// The folder of tables; it is created if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    resources: ResourceArguments,
    /// Pack each table into this folder once it is complete, and remove the generated one as soon as no other needs it. Generated
    /// tables that were there before stay.
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// With --pack: read each packed table again and compare every position before the generated one is removed.
    #[arg(long, requires = "pack")]
    check: bool,
    /// Work together with other processes, on this machine or others, that run the same command over the same folder: each makes a
    /// table that none has taken, waits for what the others make, and follows one that has ended.
    #[arg(long, conflicts_with = "pack")]
    fleet: bool,
    /// Start even if the disk seems to be too small for the tables; with --pack, also remove generated tables that were there before.
    #[arg(long)]
    force: bool,
    /// Write one line per cycle to standard error.
    #[arg(long, short)]
    verbose: bool,
    /// Format of the list of tables at the end; JSON has one object per line.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// A generated table, and the JSON object.
#[derive(Serialize)]
struct GeneratedTable {
    table: String,
    /// Whether this run generated it; otherwise it was already there.
    made: bool,
    /// The longest win in moves; `null` if there is none.
    longest_win_moves: Option<u16>,
    bytes: u64,
    /// Cycles and time of this run.
    cycles: Option<u64>,
    seconds: Option<f64>,
}

/// Runs the command.
///
/// # Errors
///
/// The command line is wrong, the folder cannot be written, a smaller table is missing or damaged, or the user interrupts.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tables = arguments.materials.tables()?;
    make_folder(&arguments.out)?;
    if let Some(packed) = &arguments.pack {
        make_folder(packed)?;
        return generate_packed(arguments, tables, packed);
    }
    let mut request = GenerationRequest::without_closure(tables, &arguments.out)
        .with_memory(arguments.resources.memory())
        .with_threads(arguments.resources.threads());
    if !arguments.force {
        disk_space::check(&request)?;
    }
    if arguments.fleet {
        let machine = sysinfo::System::host_name().unwrap_or_else(|| "unknown machine".to_owned());
        let name = format!("{machine}, process {}", std::process::id());
        request = request.with_fleet(FleetMember { name, times: LeaseTimes::default() });
    }
    let folder = TableFolder::new(&arguments.out);
    let progress = GenerationProgress::for_tables(request.tables(), arguments.verbose);
    let outcome = generation::generate_tables(
        &request,
        &|event: GenerationEvent| progress.handle_event(&event),
        interrupt::stop_flag(),
    );
    match outcome {
        Ok(()) => {}
        Err(Error::Stopped) => {
            drop(progress);
            return Err(EgtgenFailure::Interrupted(describe_saved_work(&folder, request.tables())?));
        }
        Err(Error::Memory { table, least, .. }) => return Err(insufficient_memory(&folder, &request, (least, table))?),
        Err(error) => return Err(error.into()),
    }
    let mut done = progress.finish();
    // Several are made at once, so they end in no fixed order.
    done.sort_by_key(|done| request.tables().iter().position(|table| *table == done.table));
    let rows = done.iter().map(|done| generated_table(&folder, done)).collect::<Result<Vec<GeneratedTable>>>()?;
    let peak = peak::peak_memory();
    output::report_rows::<EgtgenFailure>(arguments.format, &rows, |out| {
        write_text(out, &rows)?;
        if let Some(peak) = peak {
            writeln!(out, "peak memory {} of {}", format_bytes(peak), format_bytes(request.memory()))?;
        }
        Ok(())
    })?;
    check_peak_memory(peak, request.memory())
}

/// Generates and packs tables one by one. What is packed is not generated again, unless a table that is still to come needs it.
fn generate_packed(arguments: &Arguments, tables: Vec<TableMaterial>, packed: &Path) -> Result<()> {
    // A file of somebody else is found before the work of hours.
    tables.iter().try_for_each(|table| check_replaceable(&packed_path(packed, *table)))?;
    let is_packed = |table: &TableMaterial| packed_is_complete(packed, *table);
    let open: Vec<TableMaterial> = tables.iter().copied().filter(|table| !is_packed(table)).collect();
    let needed: BTreeSet<TableMaterial> = closure(&open).into_iter().collect();
    let request = |tables: &[TableMaterial]| {
        GenerationRequest::without_closure(tables.iter().copied(), &arguments.out)
            .with_memory(arguments.resources.memory())
            .with_threads(arguments.resources.threads())
    };
    let all = request(&tables.iter().copied().filter(|table| needed.contains(table)).collect::<Vec<_>>());
    let folder = TableFolder::new(&arguments.out);
    let progress = GenerationProgress::for_tables(all.tables(), arguments.verbose);
    let source = open_generated(folder.clone());
    let packer =
        Packer { source: &*source, out: packed, force: false, check: arguments.check, bar: ProgressBar::hidden() };
    // What was there before this run is the user's, unless the user says otherwise.
    let is_kept = |table: &TableMaterial| !arguments.force && folder.path(&table.to_string()).exists();
    let kept: BTreeSet<TableMaterial> = all.tables().iter().copied().filter(is_kept).collect();
    let mut rows = Vec::new();
    let mut waiting: BTreeSet<TableMaterial> = all.tables().iter().copied().collect();
    for table in all.tables() {
        let made = generation::generate_tables(
            &request(&[*table]),
            &|event| progress.handle_event(&event),
            interrupt::stop_flag(),
        );
        rows.push(made.and_then(|()| packer.pack(*table)).map_err(|error| match error {
            Error::Stopped => pack::interrupted(&rows, all.tables().len()),
            other => other.into(),
        })?);
        waiting.remove(table);
        let still_needed: BTreeSet<TableMaterial> = waiting.iter().flat_map(|table| table.conversions()).collect();
        for done in all.tables().iter().filter(|done| !waiting.contains(done) && !still_needed.contains(done)) {
            source.close(*done);
            if !kept.contains(done) {
                remove_generated(&folder, *done)?;
            }
        }
    }
    progress.finish();
    output::report_rows(arguments.format, &rows, |out| pack::write_text(out, &rows))?;
    check_peak_memory(peak::peak_memory(), arguments.resources.memory())
}

fn packed_is_complete(folder: &Path, table: TableMaterial) -> bool {
    OpenPackedTable::open(&packed_path(folder, table), table).is_ok_and(|open| open.is_some())
}

/// Removes a generated table that has been packed.
fn remove_generated(folder: &TableFolder, table: TableMaterial) -> Result<()> {
    let path = folder.path(&table.to_string());
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::File { path, doing: "cannot be removed", source: error }.into())
        }
        _ => Ok(()),
    }
}

/// Fails if the program used more memory than was allowed.
fn check_peak_memory(peak: Option<u64>, allowed: u64) -> Result<()> {
    match peak {
        Some(peak) if peak > allowed => Err(EgtgenFailure::Other(format!(
            "the tables are complete, but generation used {} of memory, more than --memory {}: please report this",
            format_bytes(peak),
            format_limit_bytes(allowed)
        ))),
        _ => Ok(()),
    }
}

/// Creates the folder if it does not exist.
fn make_folder(folder: &Path) -> Result<()> {
    if fs::metadata(folder).is_ok_and(|found| !found.is_dir()) {
        let what = "is not a folder; give the folder for the tables with --out";
        return Err(EgtgenFailure::unsuitable(folder, what));
    }
    Ok(TableFolder::new(folder).create()?)
}

/// The failure for too little memory. It names the memory that is enough for all tables, so that the user need not try.
fn insufficient_memory(
    folder: &TableFolder,
    request: &GenerationRequest,
    mut most: (u64, TableMaterial),
) -> Result<EgtgenFailure> {
    for &table in request.tables() {
        if folder.open(&table.to_string())?.is_none() {
            let needs = plan::resource_needs(&TableIndex::new(table), request.threads());
            most = most.max((needs.least_memory(), table));
        }
    }
    let (least, table) = most;
    let (least, allowed) = (format_bytes(least), format_limit_bytes(request.memory()));
    Ok(EgtgenFailure::Usage(format!("{table} needs at least --memory {least}; {allowed} was allowed")))
}

/// Describes what an interrupted run has saved.
fn describe_saved_work(folder: &TableFolder, tables: &[TableMaterial]) -> Result<String> {
    let mut description = String::new();
    let mut whole = 0;
    for listed in folder.list()? {
        let is_ours = |name: &str| tables.iter().any(|table| table.to_string() == name);
        match listed.state {
            TableFileState::Whole { facts, .. } if is_ours(facts.name.as_str()) => whole += 1,
            TableFileState::Unfinished { facts, pawn_slices, level } if is_ours(facts.name.as_str()) => {
                let slices =
                    (facts.pawn_slices > 1).then(|| format!("{pawn_slices} of {} pawn slices", facts.pawn_slices));
                let level = level.filter(|_| facts.tiles > 1).map(|level| format!("N = {level}"));
                let parts: Vec<String> = [slices, level].into_iter().flatten().collect();
                if !parts.is_empty() {
                    description += &format!(", {} up to {}", facts.name, parts.join(" and "));
                }
            }
            _ => {}
        }
    }
    Ok(format!("{whole} of {} tables are complete{description}; run the same command again to continue", tables.len()))
}

fn generated_table(folder: &TableFolder, table_done: &TableDone) -> Result<GeneratedTable> {
    let open = folder.open(&table_done.table.to_string())?.ok_or(Error::Missing(table_done.table))?;
    let won = open.table().counts().levels.iter().filter(|level| level.won > 0);
    let (seconds, cycles) = table_done.effort.unzip();
    Ok(GeneratedTable {
        table: table_done.table.to_string(),
        made: table_done.effort.is_some(),
        longest_win_moves: won.map(|level| level.n).max(),
        bytes: open.table().reader().len(),
        cycles,
        seconds,
    })
}

fn write_text(out: &mut dyn Write, rows: &[GeneratedTable]) -> Result<()> {
    let mut table =
        TextTable::with_headings(&[("table", false), ("longest win", true), ("size", true), ("time", true)]);
    for row in rows {
        table.push([
            row.table.clone(),
            row.longest_win_moves.map_or("-".to_owned(), |moves| format!("{moves} moves")),
            format_bytes(row.bytes),
            row.seconds.map_or("existed".to_owned(), |seconds| format_duration(Duration::from_secs_f64(seconds))),
        ]);
    }
    table.write(out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_memory_than_allowed_is_a_failure() {
        assert!(check_peak_memory(Some(48 << 20), 48 << 20).is_ok());
        assert!(check_peak_memory(None, 1).is_ok());
        let failure = check_peak_memory(Some(49 << 20), 48 << 20).expect_err("a broken promise");
        assert!(failure.to_string().contains("49MiB of memory, more than --memory 48MiB"), "{failure}");
    }
}
