//! `egtgen generate`: makes tables in a folder, smaller ones first, going on where an earlier run was ended.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use egtgen::Error;
use egtgen::folder::{Folder, State};
use egtgen::make::{self, Event, Request};
use egtgen::plan;
use plyfold_core::table::index::Index;
use plyfold_core::table::layout::ReadAt;
use plyfold_core::table::material::Material;
use serde::Serialize;

use crate::cli::failure::{Failure, Result};
use crate::cli::progress::{Done, Progress};
use crate::cli::table::{Rows, duration};
use crate::cli::wanted::{Means, Wanted};
use crate::cli::{Format, interrupt, out, peak};

/// Make tables, with all smaller ones that they need.
///
/// Both sides of a material are made as winners, and every smaller table that it converts into. What is there and whole is
/// left as it is, and a table that was broken off is gone on with, so after any interruption the same command finishes the
/// work. A table appears under its name when it is whole.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    wanted: Wanted,
    /// The folder of tables; made if it is not there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    means: Means,
    /// A line on standard error for every cycle.
    #[arg(long, short)]
    verbose: bool,
    /// How the list of tables is written at the end; in JSON, an object for each in a line of its own.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A table, and the object in JSON.
#[derive(Serialize)]
struct Row {
    table: String,
    /// Whether it was made just now; otherwise it was there.
    made: bool,
    /// The longest win in moves; `null` if there is none.
    longest_win_moves: Option<u16>,
    bytes: u64,
    /// What it took just now.
    cycles: Option<u64>,
    seconds: Option<f64>,
}

/// Runs the command.
///
/// # Errors
///
/// A command line that cannot be; a folder that cannot be written; a smaller table that is missing or damaged; an interrupt.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tables = arguments.wanted.tables()?;
    make_folder(&arguments.out)?;
    let request = Request {
        tables,
        folder: arguments.out.clone(),
        memory: arguments.means.memory(),
        threads: arguments.means.threads(),
    };
    let folder = Folder::new(&arguments.out);
    let progress = Progress::over(&request.tables, arguments.verbose);
    let done = make::make(&request, &|event: Event| progress.watch(&event), interrupt::flag());
    match done {
        Ok(()) => {}
        Err(Error::Stopped) => {
            drop(progress);
            return Err(Failure::Interrupted(what_is_safe(&folder, &request.tables)?));
        }
        Err(Error::Memory { table, least, .. }) => return Err(too_little(&folder, &request, (least, table))?),
        Err(error) => return Err(error.into()),
    }
    let rows = progress.finish().iter().map(|done| row(&folder, done)).collect::<Result<Vec<Row>>>()?;
    let peak = peak::peak();
    out::write(|out| match arguments.format {
        Format::Text => {
            write_text(out, &rows)?;
            if let Some(peak) = peak {
                writeln!(out, "peak memory {} of {}", plan::bytes(peak), plan::bytes(request.memory))?;
            }
            Ok(())
        }
        Format::Json => rows.iter().try_for_each(|row| out::json(out, row)),
    })?;
    kept_promise(peak, request.memory)
}

/// What was allowed is a promise: that it was broken is not passed over in silence.
fn kept_promise(peak: Option<u64>, allowed: u64) -> Result<()> {
    match peak {
        Some(peak) if peak > allowed => Err(Failure::Other(format!(
            "the tables are whole, but this took {} of memory, more than --memory {}: please report it",
            plan::bytes(peak),
            plan::bytes(allowed)
        ))),
        _ => Ok(()),
    }
}

/// Makes the folder if it is not there.
fn make_folder(folder: &Path) -> Result<()> {
    if fs::metadata(folder).is_ok_and(|found| !found.is_dir()) {
        return Err(Failure::NotThat(folder.to_path_buf(), "is no folder; say with --out where tables go".to_owned()));
    }
    Ok(Folder::new(folder).make()?)
}

/// The memory does not do for a table: what would do for all that are to be made, so that it need not be tried out.
fn too_little(folder: &Folder, request: &Request, mut most: (u64, Material)) -> Result<Failure> {
    for &table in &request.tables {
        if folder.open(&table.to_string())?.is_none() {
            let needs = plan::needs(&Index::new(table), request.threads);
            most = most.max((needs.in_memory.min(needs.streaming.first().copied().unwrap_or(u64::MAX)), table));
        }
    }
    let (least, table) = most;
    let (least, allowed) = (plan::bytes(least), plan::bytes(request.memory));
    Ok(Failure::Usage(format!("{table} needs at least --memory {least}; {allowed} was allowed")))
}

/// What an interrupted run leaves.
fn what_is_safe(folder: &Folder, tables: &[Material]) -> Result<String> {
    let mut says = String::new();
    let mut whole = 0;
    for listed in folder.list()? {
        let is_ours = |name: &str| tables.iter().any(|table| table.to_string() == name);
        match listed.state {
            State::Whole { facts, .. } if is_ours(facts.name.as_str()) => whole += 1,
            State::Unfinished { facts, cells, level } if is_ours(facts.name.as_str()) => {
                let cells = if facts.cells > 1 { format!("{cells} of {} cells", facts.cells) } else { String::new() };
                let level = level.filter(|_| facts.tiles > 1).map(|level| format!("N = {level}"));
                let parts: Vec<String> =
                    [Some(cells).filter(|cells| !cells.is_empty()), level].into_iter().flatten().collect();
                if !parts.is_empty() {
                    says += &format!(", {} up to {}", facts.name, parts.join(" and "));
                }
            }
            _ => {}
        }
    }
    Ok(format!("safe are {whole} of {} tables{says}; the same command goes on from there", tables.len()))
}

fn row(folder: &Folder, done: &Done) -> Result<Row> {
    let open = folder.open(&done.table.to_string())?.ok_or(Error::Missing(done.table))?;
    let won = open.table().summary().levels.iter().filter(|level| level.won > 0);
    let (seconds, cycles) = done.made.unzip();
    Ok(Row {
        table: done.table.to_string(),
        made: done.made.is_some(),
        longest_win_moves: won.map(|level| level.n).max(),
        bytes: open.table().reader().len(),
        cycles,
        seconds,
    })
}

fn write_text(out: &mut dyn Write, rows: &[Row]) -> Result<()> {
    let mut table = Rows::under(&[("table", false), ("longest win", true), ("size", true), ("time", true)]);
    for row in rows {
        table.push([
            row.table.clone(),
            row.longest_win_moves.map_or("-".to_owned(), |moves| format!("{moves} moves")),
            plan::bytes(row.bytes),
            row.seconds.map_or("was there".to_owned(), |seconds| duration(Duration::from_secs_f64(seconds))),
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
        assert!(kept_promise(Some(48 << 20), 48 << 20).is_ok());
        assert!(kept_promise(None, 1).is_ok());
        let failure = kept_promise(Some(49 << 20), 48 << 20).expect_err("a broken promise");
        assert!(failure.to_string().contains("49MiB of memory, more than --memory 48MiB"), "{failure}");
    }
}
