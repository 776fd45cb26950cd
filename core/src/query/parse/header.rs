//! Facts about the game: `result 1-0`, `white "Kasparov*"`, `elo >= 2500`, `eco B80-B99`, `year 1985..1995`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Parser;
use crate::headers::{Eco, Ending, Outcome, TimeClass};
use crate::query::error::QueryError;
use crate::query::header::{Day, EloOf, Header, NameOf, Range};
use crate::query::token::Kind;

/// No rating is higher.
const HIGHEST_ELO: u32 = 9999;
/// No year is later.
const LAST_YEAR: u32 = 9999;

impl Parser {
    /// A fact about the game, if one is asked for here.
    pub(super) fn header(&mut self) -> Result<Option<Header>, QueryError> {
        let begin = self.at;
        // A player or a side may be that of a predicate, too; what follows tells.
        if let Some(Kind::Text(name)) = self.peek() {
            let name = String::from(name.trim());
            if self.word_at(begin + 1) == Some("elo") {
                let message =
                    "a rating is that of a colour, of the winner or of both: `player` and `elo` are two conditions";
                return Err(self.error_at(begin + 1, message, &["`and`"]));
            }
            self.at += 1;
            if self.side_is_followed() {
                self.at = begin;
                return Ok(None);
            }
            return self.named(begin, NameOf::Player, name).map(Some);
        }
        let Some(word) = self.word() else { return Ok(None) };
        if let ("in", Some(Kind::Set(name))) = (word, self.kind_at(begin + 1)) {
            let name = name.clone();
            self.at += 2;
            return Ok(Some(Header::Set(name)));
        }
        let of = NameOf::NAMED.iter().find(|(name, _)| *name == word).map(|&(_, of)| of);
        if let (Some(of), Some(Kind::Text(name))) = (of, self.kind_at(begin + 1)) {
            let name = String::from(name.trim());
            self.at += 2;
            if matches!(of, NameOf::White | NameOf::Black | NameOf::Winner | NameOf::Loser) && self.side_is_followed() {
                let message = format!("one side is enough: `{}` or the name", of.name());
                return Err(self.error_at(begin, &message, &["a predicate"]));
            }
            return self.named(begin + 1, of, name).map(Some);
        }
        if let Some((of, after)) = self.elo_of() {
            self.at = after;
            let (least, most) = self.range("elo", HIGHEST_ELO)?;
            return Ok(Some(Header::Elo { of, range: Range { least, most } }));
        }
        let header = match word {
            "player" | "event" | "site" | "source" => {
                self.at += 1;
                return Err(self.expected("a name in quotes", &["`\"`"]));
            }
            "average" => {
                self.at += 1;
                return Err(self.expected("`elo`", &["`elo`"]));
            }
            "result" => {
                self.at += 1;
                Header::Result(self.result()?)
            }
            "eco" => {
                self.at += 1;
                Header::Eco(self.codes()?)
            }
            "opening" => {
                self.at += 1;
                let (name, at) = self.text("the name of an opening in quotes")?;
                if name.is_empty() {
                    return Err(self.error_at(self.at - 1, "a name stands between the quotes", &["a name"]));
                }
                let _ = at;
                Header::Opening(name)
            }
            "year" => {
                self.at += 1;
                let at = self.at;
                let (first, last) = self.range("year", LAST_YEAR)?;
                let day = |year: u32| Day { year: year as u16, month: 0, day: 0 };
                if last == 0 || (first, last) == (0, u32::MAX) {
                    return Err(self.error_at(at, "years are 1 to 9999", &["a number"]));
                }
                let from = (first > 1).then(|| day(first));
                Header::Date { from, to: (last <= LAST_YEAR).then(|| day(last)) }
            }
            "date" => {
                self.at += 1;
                self.dates()?
            }
            "plies" => {
                self.at += 1;
                let (least, most) = self.range("plies", crate::query::window::MOST_PLIES)?;
                Header::Plies(Range { least, most })
            }
            "ended" => {
                self.at += 1;
                let named: Vec<(&'static str, Ending)> = Ending::ALL.iter().map(|&one| (one.name(), one)).collect();
                Header::Ended(self.several("an ending", &named, ENDINGS)?)
            }
            "time_class" | "time" => {
                let Some(((), after)) = self.longest(|name| (name == "time_class").then_some(())) else {
                    return Ok(None);
                };
                self.at = after;
                let named: Vec<(&'static str, TimeClass)> =
                    TimeClass::ALL.iter().map(|&one| (one.name(), one)).collect();
                Header::TimeClass(self.several("a time class", &named, TIME_CLASSES)?)
            }
            _ => return Ok(None),
        };
        Ok(Some(header))
    }

    /// Whether a predicate follows a side here.
    fn side_is_followed(&self) -> bool {
        self.known_feature().is_some()
            || self.word().is_some_and(|word| {
                let goes_on =
                    ["and", "or", "then", "for", "at", "exactly", "before", "after", "from", "until", "between", "in"];
                !goes_on.contains(&word)
            })
    }

    fn named(&mut self, at: usize, of: NameOf, pattern: String) -> Result<Header, QueryError> {
        if pattern.is_empty() {
            return Err(self.error_at(at, "a name stands between the quotes", &["a name"]));
        }
        Ok(Header::Name { of, pattern })
    }

    /// `elo`, `white elo`, `average elo`, `elo difference`, and the token after it.
    fn elo_of(&self) -> Option<(EloOf, usize)> {
        let known =
            |words: &str| EloOf::NAMED.iter().find(|(name, _)| name.replace(' ', "_") == words).map(|&(_, of)| of);
        match self.word()? {
            // Without a word both are meant.
            "both" if self.word_at(self.at + 1) == Some("elo") => Some((EloOf::Both, self.at + 2)),
            _ => self.longest(known),
        }
    }

    /// What comes after `result`.
    fn result(&mut self) -> Result<Vec<Outcome>, QueryError> {
        const RESULTS: &[&str] = &["`1-0`", "`0-1`", "`1/2-1/2`", "`draw`", "`decisive`", "`*`"];
        let outcome = match self.word() {
            Some("draw" | "drawn") => Some((Outcome::Draw, 1)),
            Some("decisive") => {
                self.at += 1;
                return Ok(alloc::vec![Outcome::White, Outcome::Black]);
            }
            _ => {
                let number = |at: usize| match self.kind_at(self.at + at) {
                    Some(&Kind::Number(number)) => Some(number),
                    _ => None,
                };
                let sign = |at: usize, sign| self.is_sign(self.at + at, sign);
                match (number(0), number(2)) {
                    (Some(1), Some(0)) if sign(1, "-") => Some((Outcome::White, 3)),
                    (Some(0), Some(1)) if sign(1, "-") => Some((Outcome::Black, 3)),
                    (Some(1), Some(2))
                        if sign(1, "/")
                            && sign(3, "-")
                            && number(4) == Some(1)
                            && sign(5, "/")
                            && number(6) == Some(2) =>
                    {
                        Some((Outcome::Draw, 7))
                    }
                    _ if sign(0, "*") => Some((Outcome::Unknown, 1)),
                    _ => None,
                }
            }
        };
        let Some((outcome, tokens)) = outcome else { return Err(self.expected("a result", RESULTS)) };
        self.at += tokens;
        Ok(alloc::vec![outcome])
    }

    /// `B80`, `B80-B99`, `B8`, `C`; several with commas.
    fn codes(&mut self) -> Result<Vec<(Eco, Eco)>, QueryError> {
        let mut ranges = Vec::new();
        loop {
            let (from, to) = self.code()?;
            let at = self.at;
            let last = if self.take_sign("-") || self.take_sign("..") { self.code()?.1 } else { to };
            if last < from {
                return Err(self.error_at(at + 1, &format!("{last} comes before {from}"), &["an ECO code"]));
            }
            ranges.push((from, last));
            if !self.take_sign(",") {
                return Ok(ranges);
            }
        }
    }

    /// The first and the last code that are meant by one, or by the beginning of one.
    fn code(&mut self) -> Result<(Eco, Eco), QueryError> {
        let code = |text: &str| Some(Eco::from_pgn(text)).filter(|eco| text.len() == 3 && !eco.is_unknown());
        let found = self.word().and_then(|word| {
            let padded = |digit: &str| code(&format!("{word}{}", digit.repeat(3usize.checked_sub(word.len())?)));
            padded("0").zip(padded("9"))
        });
        let Some(found) = found else {
            return Err(self.expected("an ECO code such as `B90`", &["an ECO code"]));
        };
        self.at += 1;
        Ok(found)
    }

    /// `>= 1990.05`, `1990.05.01..1991`.
    fn dates(&mut self) -> Result<Header, QueryError> {
        use crate::scan::predicate::Comparison;
        const DATES: &[&str] = &["a date", "`>=`", "`<=`", "`=`"];
        let at = self.at;
        let comparison = self.sign_of_comparison();
        let first = self.day(DATES)?;
        let (from, to) = match comparison {
            None if self.take_sign("..") => {
                let at = self.at;
                let last = self.day(&["a date"])?;
                let whole = |day: Day| {
                    (day.year, if day.month == 0 { 99 } else { day.month }, if day.day == 0 { 99 } else { day.day })
                };
                if whole(last) < (first.year, first.month, first.day) {
                    return Err(self.error_at(at, &format!("{last} comes before {first}"), &["a date"]));
                }
                (Some(first), Some(last))
            }
            None | Some(Comparison::Equal) => (Some(first), Some(first)),
            Some(Comparison::AtLeast) => (Some(first), None),
            Some(Comparison::AtMost) => (None, Some(first)),
            Some(_) => {
                return Err(self.error_at(at, "a date is compared with `>=`, `<=`, `=` or `..`", DATES));
            }
        };
        Ok(Header::Date { from, to })
    }

    /// `1990`, `1990.05` or `1990.05.01`.
    fn day(&mut self, expected: &[&'static str]) -> Result<Day, QueryError> {
        let mut parts = [0; 3];
        for (nth, (part, (least, most))) in parts.iter_mut().zip([(1, 9999), (1, 12), (1, 31)]).enumerate() {
            if nth > 0 && !self.take_sign(".") {
                break;
            }
            let Some(&Kind::Number(number)) = self.peek() else {
                return Err(self.expected("a date such as `1990` or `1990.05.01`", expected));
            };
            let Some(number) = u16::try_from(number).ok().filter(|number| (least..=most).contains(number)) else {
                let name = ["a year", "a month", "a day"][nth];
                return Err(self.error(&format!("{name} is from {least} to {most}"), expected));
            };
            *part = number;
            self.at += 1;
        }
        Ok(Day { year: parts[0], month: parts[1] as u8, day: parts[2] as u8 })
    }

    /// One or several names, with commas between.
    fn several<T: Copy>(
        &mut self,
        what: &str,
        named: &[(&'static str, T)],
        expected: &[&'static str],
    ) -> Result<Vec<T>, QueryError> {
        let mut found = Vec::new();
        loop {
            found.push(self.one_of(what, named, expected)?);
            if !self.take_sign(",") {
                return Ok(found);
            }
        }
    }
}

const ENDINGS: &[&str] = &[
    "`checkmate`",
    "`stalemate`",
    "`insufficient_material`",
    "`normal`",
    "`time_forfeit`",
    "`abandoned`",
    "`adjudication`",
    "`rules_infraction`",
    "`unterminated`",
    "`unknown`",
];
const TIME_CLASSES: &[&str] =
    &["`ultrabullet`", "`bullet`", "`blitz`", "`rapid`", "`classical`", "`correspondence`", "`unknown`"];
