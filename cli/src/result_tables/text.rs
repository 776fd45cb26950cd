//! Writes results as text: columns as wide as their entries, and numbers as shares of what they are parts of.

use std::io::Write;

use plyfold_core::reduce::count::MatchCount;
use plyfold_core::reduce::output::OutputResult;
use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultColumn, ResultTable};
use plyfold_terminal::style::Style;
use plyfold_terminal::table::{TextTable, grouped, percent};

use crate::failure::Result;

/// What a column of the text shows of the column of the table with this index.
enum Shown {
    /// The cell.
    Cell(usize),
    /// The share of this number in all.
    ShareOf(usize, u64),
    /// The share of this number in the number of another column.
    ShareOfColumn(usize, usize),
}

/// Writes the table of an output under its title. Conditions are left out, for they are long, and years, for dates say them.
///
/// # Errors
///
/// As `out` says.
pub fn write(out: &mut dyn Write, result: &OutputResult, count: MatchCount) -> Result<()> {
    let (definition, table) = (result.output.definition, result.table());
    let key = result.output.arguments.text().map_or_else(String::new, |key| format!(" {key}"));
    writeln!(out)?;
    Style::Heading.of(|| write!(out, "{}{key}", definition.title))?;
    write!(out, ": {} different", grouped(table.distinct))?;
    for (name, total) in table.totals.iter().filter(|(name, _)| ["games", "positions"].contains(name)) {
        write!(out, ", {} {name}", grouped(*total))?;
    }
    writeln!(out)?;
    if table.rows.is_empty() {
        return Ok(());
    }
    if let Some(legend) = definition.legend {
        writeln!(out, "{legend}")?;
    }
    writeln!(out)?;
    write_rows(out, &table, count)
}

/// Writes the rows of a table under their headings, and how many are left out.
///
/// # Errors
///
/// As `out` says.
pub fn write_rows(out: &mut dyn Write, table: &ResultTable<'_>, count: MatchCount) -> Result<()> {
    let ShownTable { headings, rows } = ShownTable::of(table, count);
    let mut text = TextTable::with_headings(&headings);
    rows.into_iter().for_each(|row| text.push(row));
    text.write(out)?;
    match table.distinct - table.rows.len() as u64 {
        0 => {}
        left => Style::Dim.of(|| writeln!(out, "and {} more (--top lists more)", grouped(left)))?,
    }
    Ok(())
}

/// A table as people read it.
pub struct ShownTable {
    /// The headings, each with whether its entries are numbers.
    pub headings: Vec<(String, bool)>,
    pub rows: Vec<Vec<String>>,
}

impl ShownTable {
    /// The entries of a table; `count` is what shares are shares of.
    pub fn of(table: &ResultTable<'_>, count: MatchCount) -> ShownTable {
        let columns = shown_columns(table, count);
        let headings = columns.iter().map(|shown| heading(&table.columns, shown)).collect();
        let row = |row: &Vec<ResultCell<'_>>| columns.iter().map(|shown| entry(&table.columns, row, shown)).collect();
        ShownTable { headings, rows: table.rows.iter().map(row).collect() }
    }
}

/// The columns of the text: a share stands behind the first number, and results are shares of games.
fn shown_columns(table: &ResultTable<'_>, count: MatchCount) -> Vec<Shown> {
    let named = |name: &str| table.columns.iter().position(|column| column.name == name);
    let first_number = table.columns.iter().position(|column| column.kind == CellKind::Count);
    let mut shown = Vec::new();
    for (at, column) in table.columns.iter().enumerate() {
        match (column.kind, named("games")) {
            (CellKind::Condition | CellKind::Year, _) => {}
            // The rest, which has no result, follows from the others.
            (CellKind::Results, Some(_)) if column.name == "unknown" => {}
            (CellKind::Results, Some(games)) => shown.push(Shown::ShareOfColumn(at, games)),
            _ => shown.push(Shown::Cell(at)),
        }
        if first_number == Some(at) {
            let of_table = table.totals.iter().find(|(name, _)| *name == "games").map(|(_, games)| *games);
            match &*column.name {
                "games" => shown.push(Shown::ShareOf(at, of_table.unwrap_or(count.games))),
                "positions" => shown.push(Shown::ShareOf(at, count.positions)),
                _ => {}
            }
        }
    }
    shown
}

/// The heading of a column, and whether its entries are numbers.
fn heading(columns: &[ResultColumn], shown: &Shown) -> (String, bool) {
    match *shown {
        Shown::ShareOf(..) => ("share".into(), true),
        Shown::Cell(at) | Shown::ShareOfColumn(at, _) => {
            let column = &columns[at];
            let words = match (column.kind, &*column.name) {
                (CellKind::Results, "white") => "White won".into(),
                (CellKind::Results, "draw") => "drawn".into(),
                (CellKind::Results, "black") => "Black won".into(),
                (_, name) => name.replace('_', " "),
            };
            (words, column.kind.is_number())
        }
    }
}

fn entry(columns: &[ResultColumn], row: &[ResultCell<'_>], shown: &Shown) -> String {
    let number = |at: usize| if let ResultCell::Count(number) = row[at] { number } else { 0 };
    match *shown {
        Shown::ShareOf(at, all) => percent(number(at), all),
        Shown::ShareOfColumn(at, all) => percent(number(at), number(all)),
        Shown::Cell(at) => match &row[at] {
            ResultCell::Empty => String::new(),
            // A number that stands for something is written as commands take it.
            ResultCell::Count(number) if columns[at].kind != CellKind::Count => number.to_string(),
            ResultCell::Count(number) => grouped(*number),
            ResultCell::Signed(number) => number.to_string(),
            ResultCell::Date(date) => date.to_string(),
            ResultCell::Text(text) => text.to_string(),
        },
    }
}
