//! Writes comma-separated values (RFC 4180) in which a spreadsheet finds no formula.

use std::borrow::Cow;
use std::io::{self, Write};

use csv::{Terminator, Writer, WriterBuilder};

/// Writes rows of comma-separated values.
pub struct CsvTable<'a>(Writer<&'a mut dyn Write>);

impl<'a> CsvTable<'a> {
    /// A table that is written to `out`.
    pub fn new(out: &'a mut dyn Write) -> CsvTable<'a> {
        CsvTable(WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out))
    }

    /// Writes a row. Text that a spreadsheet would run as a formula gets an apostrophe before it, which marks it as
    /// text; numbers stay as they are.
    ///
    /// # Errors
    ///
    /// As `out` says.
    pub fn write_row(&mut self, fields: impl IntoIterator<Item = impl AsRef<str>>) -> io::Result<()> {
        for field in fields {
            self.0.write_field(escape_formula(field.as_ref()).as_bytes()).map_err(io_error)?;
        }
        // No more fields: the row ends here.
        self.0.write_record(None::<&[u8]>).map_err(io_error)
    }

    /// Writes the rows that are still buffered.
    ///
    /// # Errors
    ///
    /// As `out` says.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The error of `out` itself, whose kind says whether a pipe was closed.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Characters with which a formula begins: the list of OWASP's page on CSV injection.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(fields: &[&str]) -> String {
        let mut out = Vec::new();
        let mut table = CsvTable::new(&mut out);
        table.write_row(fields).and_then(|()| table.finish()).expect("memory takes it");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn fields_are_quoted_where_needed() {
        assert_eq!(written(&["plain", "a, b", "say \"e4\"", ""]), "plain,\"a, b\",\"say \"\"e4\"\"\",\r\n");
        assert_eq!(written(&["", "a\nb", "c\rd", " e ", "#f"]), ",\"a\nb\",\"c\rd\", e ,#f\r\n");
    }

    #[test]
    fn no_field_is_run_by_a_spreadsheet() {
        // With another field beside it, an empty field is not quoted. Alone on a line, it would be.
        let line = |field: &str| written(&["", field]).trim_start_matches(',').trim_end_matches("\r\n").to_owned();
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
}
