//! Dates, parts of which may be unknown, and the ways in which people write them.

use core::fmt;

use bytemuck::{Pod, Zeroable};

/// A date, parts of which may be unknown: year × 512 + month × 32 + day, each part 0 if unknown. Dates are ordered by time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Date(u32);

/// A word of a written date.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Question marks, zeros, or nothing.
    Unknown,
    /// A number of four digits.
    Year(u32),
    /// A number of one or two digits.
    Number(u32),
    /// The name of a month.
    Month(u32),
    /// Something else.
    Other,
}

impl Date {
    /// A date; parts out of range (year 0–9999, month 0–12, day 0–31) count as unknown.
    pub fn new(year: u32, month: u32, day: u32) -> Date {
        let within = |part: u32, most| if part <= most { part } else { 0 };
        Date(within(year, 9999) << 9 | within(month, 12) << 5 | within(day, 31))
    }

    /// Reads a PGN date such as `1972.07.11` or `1972.??.??`, or a date with its year of four digits elsewhere. Ambiguous parts are
    /// unknown, such as the day and the month of `3/10/2018`.
    pub fn from_pgn(text: &str) -> Date {
        Date::read(text).0
    }

    /// Reads a date as [`Date::from_pgn`] does, and tells whether a part of the text was not understood.
    pub fn read(text: &str) -> (Date, bool) {
        if let Some(read) = Date::read_standard(text.as_bytes()) {
            return read;
        }
        if let Some(read) = Date::read_digits(text) {
            return (read, false);
        }
        let mut parts = [Part::Unknown; 3];
        let words =
            text.split(|letter: char| !letter.is_alphanumeric() && letter != '?').filter(|word| !word.is_empty());
        let said = words.zip(&mut parts).map(|(word, part)| *part = Part::read(word)).count();
        let is_dotted = text.contains('.');
        let date = match parts {
            // The order of the standard.
            [year @ (Part::Year(_) | Part::Unknown), month, day] => {
                Date::new(year.number(), if let Part::Year(_) = month { 0 } else { month.number() }, day.number())
            }
            [day, Part::Month(month), year @ Part::Year(_)] | [Part::Month(month), day, year @ Part::Year(_)] => {
                Date::new(year.number(), month, day.number())
            }
            [Part::Month(month) | Part::Number(month), Part::Year(year), _] => Date::new(year, month, 0),
            [Part::Number(one), Part::Number(two), Part::Year(year)] => match (one <= 12, two <= 12) {
                (true, false) => Date::new(year, one, two),
                (false, true) => Date::new(year, two, one),
                // Where points stand between, the day stands first.
                (true, true) if is_dotted || one == two => Date::new(year, two, one),
                _ => Date::new(year, 0, 0),
            },
            [Part::Number(day), Part::Unknown, Part::Year(year)] if is_dotted => Date::new(year, 0, day),
            [_, _, Part::Year(year)] => Date::new(year, 0, 0),
            _ => Date::default(),
        };
        let read = [date.year(), date.month(), date.day()].iter().filter(|&&part| part > 0).count();
        let meant = parts[..said].iter().filter(|&&part| part != Part::Unknown).count();
        (date, meant > read)
    }

    /// Does the same as [`Date::read`] for a date in the form of the standard.
    ///
    /// PERF: nearly all dates have it, and an import reads one of every game.
    #[inline]
    fn read_standard(text: &[u8]) -> Option<(Date, bool)> {
        let &[a, b, c, d, b'.', e, f, b'.', g, h] = text else { return None };
        let two = |tens: u8, ones: u8| match [tens, ones] {
            [b'?', b'?'] => Some(0),
            [b'0'..=b'9', b'0'..=b'9'] => Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0')),
            _ => None,
        };
        let (year, month, day) = (two(a, b)? * 100 + two(c, d)?, two(e, f)?, two(g, h)?);
        Some((Date::new(year, month, day), month > 12 || day > 31))
    }

    /// Reads a date such as `20250224`.
    fn read_digits(text: &str) -> Option<Date> {
        let number: u32 =
            (text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())??;
        let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then(|| Date::new(year, month, day))
    }

    /// The year, 0 if unknown.
    pub fn year(self) -> u32 {
        self.0 >> 9
    }

    /// The month 1–12, 0 if unknown.
    pub fn month(self) -> u32 {
        self.0 >> 5 & 15
    }

    /// The day 1–31, 0 if unknown.
    pub fn day(self) -> u32 {
        self.0 & 31
    }
}

impl Part {
    fn read(word: &str) -> Part {
        const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
        // `24th`, `24T10`
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        match (digits, word[..digits].parse()) {
            (0, _) if word.contains('?') => Part::Unknown,
            (0, _) => {
                let begins = |month: &str| word.get(..3).is_some_and(|begin| begin.eq_ignore_ascii_case(month));
                let month = MONTHS.iter().position(|month| begins(month));
                month.map_or(Part::Other, |month| Part::Month(month as u32 + 1))
            }
            (_, Ok(0)) => Part::Unknown,
            (1 | 2, Ok(number)) => Part::Number(number),
            (4, Ok(year)) => Part::Year(year),
            _ => Part::Other,
        }
    }

    fn number(self) -> u32 {
        match self {
            Part::Unknown | Part::Other => 0,
            Part::Year(number) | Part::Number(number) | Part::Month(number) => number,
        }
    }
}

impl fmt::Display for Date {
    /// Writes the date as in PGN: `1972.07.11`, `????.??.??`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year() {
            0 => write!(f, "????")?,
            year => write!(f, "{year:04}")?,
        }
        for part in [self.month(), self.day()] {
            match part {
                0 => write!(f, ".??")?,
                part => write!(f, ".{part:02}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn dates_round_trip() {
        for text in ["1972.07.11", "1972.??.??", "????.??.??", "0900.12.??", "????.07.??"] {
            assert_eq!(Date::read(text), (Date::from_pgn(text), false));
            assert_eq!(Date::from_pgn(text).to_string(), text);
        }
    }

    #[test]
    fn dates_as_people_write_them() {
        for (text, date, is_doubtful) in [
            ("2025-02-24", "2025.02.24", false),
            ("2025/2/4", "2025.02.04", false),
            ("2025.02.24 10:00", "2025.02.24", false),
            ("2025-02-24T10:00:00Z", "2025.02.24", false),
            ("24.02.2025", "2025.02.24", false),
            ("3.10.2018", "2018.10.03", false),
            ("3/10/2018, 2:39:21 PM", "2018.??.??", true),
            ("3/3/2018", "2018.03.03", false),
            ("24/2/2025", "2025.02.24", false),
            ("2/24/2025", "2025.02.24", false),
            ("24 February 2025", "2025.02.24", false),
            ("Feb 24th, 2025", "2025.02.24", false),
            ("2025-Feb-24", "2025.02.24", false),
            ("Feb 2025", "2025.02.??", false),
            ("2025", "2025.??.??", false),
            ("20250224", "2025.02.24", false),
            ("20251324", "????.??.??", true),
            ("24.02.25", "????.??.??", true),
            ("1998.13.45", "1998.??.??", true),
            ("1998/99", "1998.??.??", true),
            ("nonsense", "????.??.??", true),
            ("0000.00.00", "????.??.??", false),
            ("?", "????.??.??", false),
            ("", "????.??.??", false),
        ] {
            let (read, doubt) = Date::read(text);
            assert_eq!((read.to_string().as_str(), doubt), (date, is_doubtful), "{text}");
        }
    }
}
