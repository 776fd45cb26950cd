//! Numbers, durations and tables in text output.

use std::io::{self, Write};
use std::time::Duration;

use indicatif::HumanCount;
use plyfold_files::is_terminal_control;

use crate::style::Style;

/// A number in groups of three digits: `1,234,567`.
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A share in percent, such as `53.5 %`; `0 %` if the whole is 0.
pub fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "0 %".to_owned(),
        _ => format!("{:.1} %", part as f64 * 100.0 / whole as f64),
    }
}

/// Bytes in a readable unit, such as `4.8 MB`.
pub fn format_bytes(number: u64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.into_iter().find(|&(size, _)| number as f64 >= size) {
        Some((size, unit)) => format!("{:.1} {unit}", number as f64 / size),
        None => format!("{number} bytes"),
    }
}

/// A duration with about two digits: `0.05 s`, `4.2 s`, `37 s`, `5 min`, `2.5 h`, `3 days`.
pub fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        ..0.095 => format!("{seconds:.2} s"),
        ..9.95 => format!("{seconds:.1} s"),
        ..119.5 => format!("{seconds:.0} s"),
        ..5970.0 => format!("{:.0} min", seconds / 60.0),
        ..35_820.0 => format!("{:.1} h", seconds / 3600.0),
        ..171_000.0 => format!("{:.0} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

/// A large number with three digits: `930`, `12.3 k`, `140 M`.
pub fn rounded(number: f64) -> String {
    let (value, unit) = match number {
        ..999.5 => return format!("{number:.0}"),
        ..999.5e3 => (number / 1e3, "k"),
        ..999.5e6 => (number / 1e6, "M"),
        _ => (number / 1e9, "G"),
    };
    if value < 99.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// A column of a table: its heading, its width, and whether it is aligned to the right, as numbers are.
pub struct TextColumn<'a>(pub &'a str, pub usize, pub bool);

/// Writes a row; a cell that is too long for its column is cut.
///
/// # Errors
///
/// As `out` says.
pub fn write_row<'a>(
    out: &mut dyn Write,
    columns: &[TextColumn<'_>],
    cells: impl IntoIterator<Item = &'a str>,
) -> io::Result<()> {
    let mut line = String::new();
    for (TextColumn(_, width, right), cell) in columns.iter().zip(cells) {
        let cell = fitted(cell, *width);
        if !line.is_empty() {
            line.push_str("  ");
        }
        line += &if *right { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
    }
    writeln!(out, "{}", line.trim_end())
}

/// Writes the headings.
///
/// # Errors
///
/// As `out` says.
pub fn write_headings(out: &mut dyn Write, columns: &[TextColumn<'_>]) -> io::Result<()> {
    Style::Dim.of(|| write_row(out, columns, columns.iter().map(|column| column.0)))
}

/// Rows under headings, each column as wide as its longest entry.
pub struct TextTable {
    /// The headings, and whether the column has numbers, which are aligned to the right.
    headings: Vec<(String, bool)>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with these headings and no rows; a heading says whether its column has numbers.
    pub fn with_headings(headings: &[(impl AsRef<str>, bool)]) -> TextTable {
        let headings = headings.iter().map(|(heading, is_number)| (heading.as_ref().to_owned(), *is_number));
        TextTable { headings: headings.collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl Into<Vec<String>>) {
        self.rows.push(row.into());
    }

    /// Writes the headings and rows.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = |column: usize, heading: &str| {
            let cells = self.rows.iter().map(|row| row[column].as_str());
            cells.chain([heading]).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let headings = self.headings.iter().enumerate();
        let columns: Vec<TextColumn<'_>> =
            headings.map(|(at, (heading, is_number))| TextColumn(heading, width(at, heading), *is_number)).collect();
        write_headings(out, &columns)?;
        self.rows.iter().try_for_each(|row| write_row(out, &columns, row.iter().map(String::as_str)))
    }
}

/// At most `width` characters. Control characters, which could move the cursor, become question marks.
fn fitted(text: &str, width: usize) -> String {
    let clean = |letter: char| if is_terminal_control(letter) { '\u{fffd}' } else { letter };
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(1)).map(clean).chain(['…']).collect(),
        false => text.chars().map(clean).collect(),
    }
}
