//! `egtgen list`: which tables are in a folder, and whether they are whole.

use std::io::Write;

use egtgen::folder::{Folder, Listed, OpenTable, State};
use egtgen::plan;
use plyfold_files::escaped;
use serde::Serialize;

use crate::cli::failure::{Failure, Result};
use crate::cli::kept::Kept;
use crate::cli::table::{Rows, grouped};
use crate::cli::{Format, out};

/// List the tables of a folder: state, size, checksum.
///
/// The checksum is XXH3-64 of the whole file. Header and trailer of each table are checked, with --check every byte.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    kept: Kept,
    /// Check every byte of every table.
    #[arg(long)]
    check: bool,
    /// How the list is written; in JSON, an object for each table in a line of its own.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A file, and the object in JSON.
#[derive(Serialize)]
pub(super) struct Row {
    file: String,
    /// `whole`, `unfinished` or `damaged`.
    state: &'static str,
    table: Option<String>,
    bytes: u64,
    /// XXH3-64 of the file, if it is a whole table.
    checksum: Option<String>,
    /// The longest win so far, in moves.
    longest_win_moves: Option<u16>,
    /// Cells that are done, of all.
    cells: Option<[u32; 2]>,
    /// Of an unfinished table: the last level that is done.
    level: Option<u16>,
    /// What is wrong.
    pub(super) error: Option<String>,
}

/// What is read of whole tables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sums {
    /// Header and trailer.
    None,
    /// All, for its checksum.
    Whole,
    /// All, twice: each piece is checked as well.
    Checked,
}

/// Runs the command.
///
/// # Errors
///
/// A folder that cannot be read; tables that are damaged, after all were listed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let path = arguments.kept.path()?;
    let listed = Folder::new(path).list()?;
    let sums = if arguments.check { Sums::Checked } else { Sums::Whole };
    let rows: Vec<Row> = listed.into_iter().filter_map(|listed| Row::of(listed, sums)).collect();
    out::write(|out| match arguments.format {
        Format::Text => write_text(out, &rows),
        Format::Json => rows.iter().try_for_each(|row| out::json(out, row)),
    })?;
    match rows.iter().filter(|row| row.error.is_some()).count() {
        0 => Ok(()),
        1 => Err(Failure::NotThat(path.to_path_buf(), "a table is damaged: remove it and generate it anew".to_owned())),
        many => {
            let what = format!("{many} tables are damaged: remove them and generate them anew");
            Err(Failure::NotThat(path.to_path_buf(), what))
        }
    }
}

impl Row {
    /// A file; `None` for what is no table.
    pub(super) fn of(listed: Listed, sums: Sums) -> Option<Row> {
        let mut row = Row {
            file: listed.file,
            state: "damaged",
            table: None,
            bytes: listed.bytes,
            checksum: None,
            longest_win_moves: None,
            cells: None,
            level: None,
            error: None,
        };
        match listed.state {
            State::Foreign => return None,
            State::Damaged(what) => row.error = Some(what),
            State::Unfinished { facts, cells, level } => {
                row.state = "unfinished";
                row.table = Some(facts.name.to_string());
                row.cells = Some([cells, facts.cells]);
                row.level = level;
            }
            State::Whole { facts, summary } => {
                row.table = Some(facts.name.to_string());
                row.cells = Some([facts.cells; 2]);
                row.longest_win_moves = summary.levels.iter().filter(|level| level.won > 0).map(|level| level.n).max();
                let sum = match OpenTable::open(&listed.path) {
                    // It has gone meanwhile.
                    Ok(None) => return None,
                    Ok(Some(table)) => match sums {
                        Sums::None => Ok(None),
                        Sums::Whole => table.checksum().map(Some),
                        Sums::Checked => table.check().and_then(|()| table.checksum().map(Some)),
                    },
                    Err(error) => Err(error),
                };
                match sum {
                    Ok(sum) => {
                        row.state = "whole";
                        row.checksum = sum.map(|sum| format!("{sum:016x}"));
                    }
                    Err(error) => row.error = Some(error.to_string()),
                }
            }
        }
        Some(row)
    }
}

fn write_text(out: &mut dyn Write, rows: &[Row]) -> Result<()> {
    let mut table =
        Rows::under(&[("file", false), ("state", false), ("longest win", true), ("size", true), ("checksum", false)]);
    for row in rows {
        let state = match (row.state, row.cells, row.level) {
            ("unfinished", Some([done, all]), _) if all > 1 => {
                format!("unfinished, {} of {} cells", grouped(done.into()), grouped(all.into()))
            }
            ("unfinished", _, Some(level)) => format!("unfinished, up to N = {level}"),
            (state, ..) => state.to_owned(),
        };
        table.push([
            escaped(&row.file),
            state,
            row.longest_win_moves.map_or("-".to_owned(), |moves| format!("{moves} moves")),
            plan::bytes(row.bytes),
            row.checksum.clone().unwrap_or("-".to_owned()),
        ]);
    }
    if !rows.is_empty() {
        table.write(out)?;
        writeln!(out)?;
    }
    for error in rows.iter().filter_map(|row| row.error.as_ref()) {
        writeln!(out, "{error}\n")?;
    }
    let bytes = rows.iter().map(|row| row.bytes).sum();
    let whole = rows.iter().filter(|row| row.state == "whole").count() as u64;
    let tables = if whole == 1 { "table" } else { "tables" };
    writeln!(out, "{} whole {tables}; {} in all", grouped(whole), plan::bytes(bytes))?;
    Ok(())
}
