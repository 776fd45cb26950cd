//! `egtgen pack`: turns generated tables into packed ones, which are small and quick to probe.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use egtgen::Error;
use egtgen::byte_size::format_bytes;
use egtgen::folder::{TableFileState, TableFolder};
use egtgen::packed_folder::{OpenPackedTable, check_replaceable, packed_path};
use egtgen::packing::{PackingContext, compare_packed, pack_table};
use egtgen::prober::Archive;
use plyfold_tables::material::TableMaterial;
use plyfold_terminal::progress::{self, ProgressBar};
use plyfold_terminal::table::{TextTable, format_duration, grouped};
use plyfold_terminal::threads::{parse_threads, thread_pool};
use plyfold_terminal::{ReportFormat, interrupt, output};
use serde::Serialize;

use crate::cli::failure::{EgtgenFailure, Result};
use crate::cli::generation_arguments::{self, WinnerArgument, default_threads};
use crate::cli::table_folder::TableFolderArgument;

/// Pack tables: distances of both winners in a few bits a position, which are probed with one or two short reads.
///
/// Makes NAME.egp of each NAME.egt. Tables that are packed already stay as they are. A packed table says the same as the table it was
/// made from, which --check proves for every position; then the generated table can be removed. Every command takes packed tables
/// with --tables.
#[derive(clap::Args)]
pub struct Arguments {
    /// The materials, such as KRBvKR, for both winners or the one of --winner [default: all tables of the folder].
    #[arg(value_name = "MATERIAL")]
    named: Vec<String>,
    #[command(flatten)]
    winner: WinnerArgument,
    #[command(flatten)]
    folder: TableFolderArgument,
    /// The folder for the packed tables; it is created if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Read each packed table again and compare every position.
    #[arg(long)]
    check: bool,
    /// Pack tables again that are packed already, and replace other files of their names.
    #[arg(long)]
    force: bool,
    /// Number of threads [default: one per core].
    #[arg(long, value_parser = parse_threads)]
    threads: Option<usize>,
    /// Format of the list of tables at the end; JSON has one object per line.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// A packed table, and the JSON object.
#[derive(Serialize)]
pub(super) struct PackedRow {
    table: String,
    /// Whether this run packed it; otherwise it was already there.
    made: bool,
    bytes: u64,
    /// Bytes of the table that it was made from.
    generated_bytes: Option<u64>,
    seconds: Option<f64>,
    /// Positions that were compared with the generated table.
    compared: Option<u64>,
}

/// Runs the command.
///
/// # Errors
///
/// The command line is wrong, a table is missing or damaged, the folder cannot be written, or the user interrupts.
pub fn run(arguments: &Arguments) -> Result<()> {
    let source = arguments.folder.path()?;
    let tables = chosen_tables(arguments, source)?;
    TableFolder::new(&arguments.out).create()?;
    if !arguments.force {
        tables.iter().try_for_each(|table| check_replaceable(&packed_path(&arguments.out, *table)))?;
    }
    let archive = egtgen::prober::open_generated(TableFolder::new(source));
    let pool = thread_pool::<EgtgenFailure>(Some(arguments.threads.unwrap_or_else(default_threads)))?;
    let bar = progress::bar(tables.len() as u64 * STEPS, "{bar:30} {percent} %  {msg}  {elapsed}, {eta} left");
    let packer = Packer { source: &*archive, out: &arguments.out, force: arguments.force, check: arguments.check, bar };
    let mut rows = Vec::new();
    for table in &tables {
        let row = pool.install(|| packer.pack(*table));
        let row = row.map_err(|error| match error {
            Error::Stopped => interrupted(&rows, tables.len()),
            error => arguments.folder.failure(error),
        })?;
        rows.push(PackedRow { generated_bytes: generated_bytes(source, *table), ..row });
    }
    packer.bar.finish_and_clear();
    output::report_rows(arguments.format, &rows, |out| write_text(out, &rows))
}

pub(super) fn interrupted(rows: &[PackedRow], tables: usize) -> EgtgenFailure {
    let done = rows.len();
    EgtgenFailure::Interrupted(format!("{done} of {tables} tables are packed; run the same command again to continue"))
}

fn generated_bytes(folder: &Path, table: TableMaterial) -> Option<u64> {
    std::fs::metadata(TableFolder::new(folder).path(&table.to_string())).ok().map(|about| about.len())
}

/// The named tables for either winner, or all that the folder has.
fn chosen_tables(arguments: &Arguments, folder: &Path) -> Result<Vec<TableMaterial>> {
    let mut tables = Vec::new();
    for name in &arguments.named {
        let material = generation_arguments::parse_material(name)?;
        tables.extend(arguments.winner.tables(material)?);
    }
    if arguments.named.is_empty() {
        for listed in TableFolder::new(folder).list()? {
            if let TableFileState::Whole { facts, .. } = listed.state {
                tables.push(generation_arguments::parse_material(facts.name.as_str())?);
            }
        }
        if tables.is_empty() {
            let what = "has no generated tables (NAME.egt); `egtgen generate KRvK --out DIR` makes some";
            return Err(EgtgenFailure::unsuitable(folder, what));
        }
    }
    tables.sort_by_key(|table| (table.men(), table.pawns(), *table));
    tables.dedup();
    Ok(tables)
}

/// Packs tables one after the other.
pub(super) struct Packer<'a> {
    pub source: &'a dyn Archive,
    pub out: &'a Path,
    pub force: bool,
    pub check: bool,
    /// Counts [`STEPS`] for each table.
    pub bar: ProgressBar,
}

/// Steps of the bar for one table.
const STEPS: u64 = 1000;

impl Packer<'_> {
    /// Packs a table, unless it is packed already.
    ///
    /// # Errors
    ///
    /// The table cannot be read or written, or differs after packing.
    pub(super) fn pack(&self, table: TableMaterial) -> Result<PackedRow, Error> {
        let began = Instant::now();
        let path = packed_path(self.out, table);
        self.bar.set_message(table.to_string());
        let steps = self.bar.position();
        let on_progress = |share: f64| self.bar.set_position(steps + (share * (STEPS - 1) as f64) as u64);
        let context = PackingContext { source: self.source, stop: interrupt::stop_flag(), on_progress: &on_progress };
        let existing = if self.force { None } else { OpenPackedTable::open(&path, table).ok().flatten() };
        if existing.is_none() && !self.force {
            check_replaceable(&path)?;
        }
        let bytes = match &existing {
            Some(open) => open.bytes(),
            None => pack_table(&context, table, self.out)?,
        };
        let compared = if self.check { Some(compare(&context, &path, table)?) } else { None };
        self.bar.set_position(steps + STEPS);
        let seconds = existing.is_none().then(|| began.elapsed().as_secs_f64());
        Ok(PackedRow {
            table: table.to_string(),
            made: existing.is_none(),
            bytes,
            generated_bytes: None,
            seconds,
            compared,
        })
    }
}

/// Compares a packed table with its source, and returns the number of positions.
///
/// # Errors
///
/// A position differs.
pub(super) fn compare(context: &PackingContext, path: &Path, table: TableMaterial) -> Result<u64, Error> {
    let packed = OpenPackedTable::open(path, table)?.ok_or(Error::Missing(table))?;
    let (positions, difference) = compare_packed(context, &packed)?;
    let Some(difference) = difference else { return Ok(positions) };
    let board = packed.table().index.board_at(difference.at);
    let fen = board.map_or_else(|| "a place without a position".to_owned(), |board| format!("{} w", board.board_fen()));
    let said = |level: u16| if level == 0 { "no win".to_owned() } else { format!("mate in {level}") };
    let (packed, expected) = (said(difference.packed), said(difference.expected));
    let what = format!("{fen}: packed {packed}, generated {expected}; pack the table again with --force");
    Err(Error::Damaged { path: path.to_path_buf(), what })
}

pub(super) fn write_text(out: &mut dyn Write, rows: &[PackedRow]) -> Result<()> {
    let mut table = TextTable::with_headings(&[
        ("table", false),
        ("packed", true),
        ("generated", true),
        ("time", true),
        ("compared", true),
    ]);
    for row in rows {
        table.push([
            row.table.clone(),
            format_bytes(row.bytes),
            row.generated_bytes.map_or("-".to_owned(), format_bytes),
            row.seconds.map_or("existed".to_owned(), |seconds| format_duration(Duration::from_secs_f64(seconds))),
            row.compared.map_or("-".to_owned(), grouped),
        ]);
    }
    table.write(out)?;
    let bytes = rows.iter().map(|row| row.bytes).sum();
    let tables = if rows.len() == 1 { "table" } else { "tables" };
    writeln!(out, "\n{} packed {tables}, {} in total", rows.len(), format_bytes(bytes))?;
    Ok(())
}
