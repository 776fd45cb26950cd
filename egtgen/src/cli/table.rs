//! Numbers, durations and tables as text.

use std::io::{self, Write};
use std::time::Duration;

/// A number with its digits in groups of three: `1,234,567`.
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

/// Rows under headings, each column as wide as its longest entry.
pub struct TextTable {
    /// The headings, and whether the column has numbers, which are aligned to the right.
    headings: Vec<(&'static str, bool)>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with these headings and no rows; a heading says whether its column has numbers.
    pub fn with_headings(headings: &[(&'static str, bool)]) -> TextTable {
        TextTable { headings: headings.to_vec(), rows: Vec::new() }
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
        let headings: Vec<String> = self.headings.iter().map(|(heading, _)| (*heading).to_owned()).collect();
        let length = |text: &String| text.chars().count();
        let widths: Vec<usize> = (0..headings.len())
            .map(|column| self.rows.iter().chain([&headings]).map(|row| length(&row[column])).max().unwrap_or(0))
            .collect();
        for row in [&headings].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for ((cell, width), (_, is_number)) in row.iter().zip(&widths).zip(&self.headings) {
                line += &if *is_number { format!("{cell:>width$}  ") } else { format!("{cell:<width$}  ") };
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_rounded() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")];
        assert!(cases.into_iter().all(|(number, text)| grouped(number) == text));
        let cases = [(0.0, "0"), (999.7, "1.0 k"), (12_345.0, "12.3 k"), (140e6, "140 M"), (2.5e9, "2.5 G")];
        assert!(cases.into_iter().all(|(number, text)| rounded(number) == text));
    }

    #[test]
    fn durations_have_their_unit() {
        for (seconds, text) in [
            (0.0, "0.00 s"),
            (0.049, "0.05 s"),
            (4.21, "4.2 s"),
            (100.0, "100 s"),
            (130.0, "2 min"),
            (5400.0, "90 min"),
            (9000.0, "2.5 h"),
            (90_000.0, "25 h"),
            (400_000.0, "5 days"),
        ] {
            assert_eq!(format_duration(Duration::from_secs_f64(seconds)), text);
        }
    }

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let mut rows = TextTable::with_headings(&[("table", false), ("size", true)]);
        rows.push(["KRBvKR".into(), "7".into()]);
        rows.push(["KRvK".into(), "12345".into()]);
        let mut out = Vec::new();
        rows.write(&mut out).expect("memory takes it");
        assert_eq!(String::from_utf8(out).expect("text"), "table    size\nKRBvKR      7\nKRvK    12345\n");
    }
}
