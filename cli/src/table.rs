//! Numbers and tables in text output.

use std::io::{self, Write};

use indicatif::HumanCount;

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

/// A column of a table: its heading, its width, and whether it is aligned to the right, as numbers are.
pub struct TextColumn(pub &'static str, pub usize, pub bool);

/// Writes a row; a cell that is too long for its column is cut.
///
/// # Errors
///
/// As `out` says.
pub fn write_row<'a>(
    out: &mut dyn Write,
    columns: &[TextColumn],
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
pub fn write_headings(out: &mut dyn Write, columns: &[TextColumn]) -> io::Result<()> {
    write_row(out, columns, columns.iter().map(|column| column.0))
}

/// At most `width` characters. Control characters, which could move the cursor, become question marks.
fn fitted(text: &str, width: usize) -> String {
    let clean = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(1)).map(clean).chain(['…']).collect(),
        false => text.chars().map(clean).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (741_956, "741,956"), (1_234_567, "1,234,567")];
        assert!(cases.into_iter().all(|(number, text)| grouped(number) == text));
    }

    #[test]
    fn long_cells_are_cut_by_characters() {
        let mut out = Vec::new();
        let columns = [TextColumn("player", 6, false), TextColumn("elo", 4, true)];
        write_row(&mut out, &columns, ["Öküzoğlu", "7"]).expect("memory takes it");
        assert_eq!(String::from_utf8(out).expect("text"), "Öküzo…     7\n");
    }
}
