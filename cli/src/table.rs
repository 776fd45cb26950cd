//! Numbers and tables for reading, and fields for spreadsheets.

use std::borrow::Cow;
use std::io::{self, Write};

/// A number in groups of three digits: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
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
pub fn format_bytes(number: u64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.into_iter().find(|&(size, _)| number as f64 >= size) {
        Some((size, unit)) => format!("{:.1} {unit}", number as f64 / size),
        None => format!("{number} bytes"),
    }
}

/// A column of a table: its heading, how wide it is, and whether it holds numbers, which stand to the right.
pub struct TextColumn(pub &'static str, pub usize, pub bool);

/// Writes a row; what is too long for its column is cut.
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

/// At most `width` characters; control characters, which could move the cursor, as question marks.
fn fitted(text: &str, width: usize) -> String {
    let clean = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(1)).map(clean).chain(['…']).collect(),
        false => text.chars().map(clean).collect(),
    }
}

/// How a field begins that a spreadsheet runs: the list of OWASP's page on CSV injection.
const FORMULA_STARTS: [char; 11] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// The field as text that no spreadsheet runs.
fn escape_formula(field: &str) -> Cow<'_, str> {
    if field.starts_with(FORMULA_STARTS) && !is_number(field) { format!("'{field}").into() } else { field.into() }
}

/// Whether the text is a number with its sign, such as `-3` or `+0.25`.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = text.strip_prefix(['-', '+']).unwrap_or(text);
    plain.split_once('.').map_or_else(|| digits(plain), |(whole, part)| digits(whole) && digits(part))
}

/// Writes a line of comma-separated values (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe before
/// it, by which spreadsheets know text; numbers stay as they are.
///
/// # Errors
///
/// As `out` says.
pub fn write_csv_row(out: &mut dyn Write, fields: impl IntoIterator<Item = impl AsRef<str>>) -> io::Result<()> {
    for (index, field) in fields.into_iter().enumerate() {
        let field = escape_formula(field.as_ref());
        if index > 0 {
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
        write_csv_row(&mut out, ["plain", "a, b", "say \"e4\"", ""]).expect("memory takes it");
        assert_eq!(out, b"plain,\"a, b\",\"say \"\"e4\"\"\",\r\n");
    }

    #[test]
    fn no_field_is_run_by_a_spreadsheet() {
        let line = |field: &str| {
            let mut out = Vec::new();
            write_csv_row(&mut out, [field]).expect("memory takes it");
            String::from_utf8(out).expect("text").trim_end_matches("\r\n").to_owned()
        };
        for runs in
            ["=1+1", "+A1", "-A1", "-1-1", "@SUM(1)", "\tx", "\u{ff1d}1+1", "-", "--", "-1.", "+.5", "-1e5", "=-3"]
        {
            assert_eq!(line(runs), format!("'{runs}"));
        }
        assert_eq!(line("=HYPERLINK(\"http://x\",1)"), "\"'=HYPERLINK(\"\"http://x\"\",1)\"");
        assert_eq!(line("\r=1"), "\"'\r=1\"");
        for plain in ["-3", "+12", "-0.25", "0", "1-0", "a=b", "Anna", "'=1", ""] {
            assert_eq!(line(plain), plain);
        }
    }

    #[test]
    fn long_cells_are_cut_by_characters() {
        let mut out = Vec::new();
        let columns = [TextColumn("player", 6, false), TextColumn("elo", 4, true)];
        write_row(&mut out, &columns, ["Öküzoğlu", "7"]).expect("memory takes it");
        assert_eq!(String::from_utf8(out).expect("text"), "Öküzo…     7\n");
    }
}
