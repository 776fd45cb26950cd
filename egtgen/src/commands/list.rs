//! `egtgen list`: lists the tables of a folder with their state.

use std::io::Write;

use egtgen::Error;
use egtgen::byte_size::format_bytes;
use egtgen::folder::{ListedFile, OpenTable, TableFileState, TableFolder};
use egtgen::packed_folder::OpenPackedTable;
use plyfold_files::escape_controls;
use plyfold_tables::layout::TableTotals;
use plyfold_terminal::table::{TextTable, grouped};
use plyfold_terminal::{ReportFormat, output};
use serde::Serialize;

use crate::cli::failure::{EgtgenFailure, Result};
use crate::cli::table_folder::TableFolderArgument;

/// List the tables of a folder: state, size, checksum.
///
/// The checksum is XXH3-64 of the whole file. The header and trailer of each table are checked; --check checks every byte.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    folder: TableFolderArgument,
    /// Check every byte of every table.
    #[arg(long)]
    check: bool,
    /// Format of the list; JSON has one object per line.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// A file of the folder, and the JSON object.
#[derive(Default, Serialize)]
pub(super) struct TableListEntry {
    file: String,
    /// `whole`, `packed`, `unfinished` or `damaged`.
    state: &'static str,
    table: Option<String>,
    bytes: u64,
    /// The XXH3-64 checksum of the file, if it is a complete table.
    checksum: Option<String>,
    /// The longest win so far, in moves.
    longest_win_moves: Option<u16>,
    /// Complete pawn slices, and all.
    cells: Option<[u32; 2]>,
    /// Of an unfinished table: the last complete level.
    level: Option<u16>,
    /// The error of a file that cannot be used.
    pub(super) error: Option<String>,
}

/// How much of a complete table is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChecksumMode {
    /// Header and trailer only.
    None,
    /// The whole file, for its checksum.
    Whole,
    /// The whole file twice: for its checksum, and to check each block.
    Checked,
}

/// Runs the command.
///
/// # Errors
///
/// The folder cannot be read. If tables are damaged, it fails after listing all of them.
pub fn run(arguments: &Arguments) -> Result<()> {
    let path = arguments.folder.path()?;
    let listed = TableFolder::new(path).list()?;
    let sums = if arguments.check { ChecksumMode::Checked } else { ChecksumMode::Whole };
    let rows: Vec<TableListEntry> =
        listed.into_iter().filter_map(|listed| TableListEntry::from_file(listed, sums)).collect();
    output::report_rows(arguments.format, &rows, |out| write_text(out, &rows))?;
    match rows.iter().filter(|row| row.error.is_some()).count() {
        0 => Ok(()),
        1 => Err(EgtgenFailure::unsuitable(path, "a table is damaged: remove it and generate it again")),
        many => {
            let what = format!("{many} tables are damaged: remove them and generate them again");
            Err(EgtgenFailure::unsuitable(path, what))
        }
    }
}

impl TableListEntry {
    /// A file of the folder; `None` if it is not a table.
    pub(super) fn from_file(listed: ListedFile, sums: ChecksumMode) -> Option<TableListEntry> {
        let mut row =
            TableListEntry { file: listed.file, state: "damaged", bytes: listed.bytes, ..TableListEntry::default() };
        match listed.state {
            TableFileState::Foreign => return None,
            TableFileState::Damaged(what) => row.error = Some(what),
            TableFileState::Unfinished { facts, pawn_slices, level } => {
                row.state = "unfinished";
                row.table = Some(facts.name.to_string());
                row.cells = Some([pawn_slices, facts.pawn_slices]);
                row.level = level;
            }
            TableFileState::Whole { facts, summary } => {
                row.table = Some(facts.name.to_string());
                row.cells = Some([facts.pawn_slices; 2]);
                row.longest_win_moves = longest_win(&summary);
                // The file may have been removed meanwhile.
                let open = OpenTable::open(&listed.path).transpose()?;
                row.set_checksum("whole", open, sums, (OpenTable::check, OpenTable::checksum));
            }
            TableFileState::Packed { table, summary } => {
                row.table = Some(table.to_string());
                row.longest_win_moves = longest_win(&summary);
                let open = OpenPackedTable::open(&listed.path, table).transpose()?;
                row.set_checksum("packed", open, sums, (OpenPackedTable::check, OpenPackedTable::checksum));
            }
        }
        Some(row)
    }

    /// The state and the checksum of a complete table, or its error.
    fn set_checksum<T>(
        &mut self,
        state: &'static str,
        table: std::result::Result<T, Error>,
        sums: ChecksumMode,
        (check, checksum): (
            impl Fn(&T) -> std::result::Result<(), Error>,
            impl Fn(&T) -> std::result::Result<u64, Error>,
        ),
    ) {
        let sum = table.and_then(|table| match sums {
            ChecksumMode::None => Ok(None),
            ChecksumMode::Whole => checksum(&table).map(Some),
            ChecksumMode::Checked => check(&table).and_then(|()| checksum(&table).map(Some)),
        });
        match sum {
            Ok(sum) => {
                self.state = state;
                self.checksum = sum.map(|sum| format!("{sum:016x}"));
            }
            Err(error) => self.error = Some(error.to_string()),
        }
    }
}

fn longest_win(totals: &TableTotals) -> Option<u16> {
    totals.levels.iter().filter(|level| level.won > 0).map(|level| level.n).max()
}

fn write_text(out: &mut dyn Write, rows: &[TableListEntry]) -> Result<()> {
    let mut table = TextTable::with_headings(&[
        ("file", false),
        ("state", false),
        ("longest win", true),
        ("size", true),
        ("checksum", false),
    ]);
    for row in rows {
        let state = match (row.state, row.cells, row.level) {
            ("unfinished", Some([done, all]), _) if all > 1 => {
                format!("unfinished, {} of {} pawn slices", grouped(done.into()), grouped(all.into()))
            }
            ("unfinished", _, Some(level)) => format!("unfinished, up to N = {level}"),
            (state, ..) => state.to_owned(),
        };
        table.push([
            escape_controls(&row.file),
            state,
            row.longest_win_moves.map_or("-".to_owned(), |moves| format!("{moves} moves")),
            format_bytes(row.bytes),
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
    let in_state = |state: &str| rows.iter().filter(|row| row.state == state).count() as u64;
    let (whole, packed) = (in_state("whole"), in_state("packed"));
    let tables = if whole == 1 { "table" } else { "tables" };
    let and_packed = if packed > 0 { format!(" and {} packed", grouped(packed)) } else { String::new() };
    writeln!(out, "{} whole {tables}{and_packed}, {} in total", grouped(whole), format_bytes(bytes))?;
    Ok(())
}
