//! Numbers and tables for reading, and fields for spreadsheets.

use std::io::{self, Write};

/// A number in groups of three digits: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A share: `53.5 %`; `0 %` of nothing.
pub fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "0 %".to_owned(),
        _ => format!("{:.1} %", part as f64 * 100.0 / whole as f64),
    }
}

/// Bytes in a unit that reads well: `4.8 MB`.
pub fn bytes(number: u64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.into_iter().find(|&(size, _)| number as f64 >= size) {
        Some((size, unit)) => format!("{:.1} {unit}", number as f64 / size),
        None => format!("{number} bytes"),
    }
}

/// A column of a table: its heading, how wide it is, and whether it holds numbers, which stand to the right.
pub struct Column(pub &'static str, pub usize, pub bool);

/// Writes a row; what is too long for its column is cut.
///
/// # Errors
///
/// As `out` says.
pub fn row<'a>(out: &mut dyn Write, columns: &[Column], cells: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
    let mut line = String::new();
    for (Column(_, width, right), cell) in columns.iter().zip(cells) {
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
pub fn headings(out: &mut dyn Write, columns: &[Column]) -> io::Result<()> {
    row(out, columns, columns.iter().map(|column| column.0))
}

/// At most `width` characters; control characters, which could move the cursor, as question marks.
fn fitted(text: &str, width: usize) -> String {
    let clean = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(1)).map(clean).chain(['…']).collect(),
        false => text.chars().map(clean).collect(),
    }
}

/// Writes a line of comma-separated values (RFC 4180).
///
/// # Errors
///
/// As `out` says.
pub fn csv(out: &mut dyn Write, fields: impl IntoIterator<Item = impl AsRef<str>>) -> io::Result<()> {
    for (nth, field) in fields.into_iter().enumerate() {
        let field = field.as_ref();
        if nth > 0 {
            out.write_all(b",")?;
        }
        if field.contains([',', '"', '\n', '\r']) {
            write!(out, "\"{}\"", field.replace('"', "\"\""))?;
        } else {
            out.write_all(field.as_bytes())?;
        }
    }
    out.write_all(b"\r\n")
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
    fn fields_are_quoted_where_needed() {
        let mut out = Vec::new();
        csv(&mut out, ["plain", "a, b", "say \"e4\"", ""]).expect("memory takes it");
        assert_eq!(out, b"plain,\"a, b\",\"say \"\"e4\"\"\",\r\n");
    }

    #[test]
    fn long_cells_are_cut_by_characters() {
        let mut out = Vec::new();
        let columns = [Column("player", 6, false), Column("elo", 4, true)];
        row(&mut out, &columns, ["Öküzoğlu", "7"]).expect("memory takes it");
        assert_eq!(String::from_utf8(out).expect("text"), "Öküzo…     7\n");
    }
}
