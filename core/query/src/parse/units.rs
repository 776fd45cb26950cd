//! Reads numbers with a unit in a comparison: `eval >= 2.5` counts pawns, as `eval >= 2` does; `clock < 0:30` and `clock_time(white) < 90s` a time.
//!
//! A query keeps centipawns and seconds, so this decides whether such a number may stand there, and multiplies. Where `eval` or
//! `eval_change` stands, every number counts pawns: all others are multiplied by 100.

use plyfold_scan::scan::measure::numbers::{CLOCK_TIME, NumberOrigin};

use super::QueryParser;
use crate::error::QueryError;
use crate::side::SideSelector;
use crate::sum::{CountExpression, SideNumber, SumExpression};
use crate::token::{Token, TokenKind};

/// How the numbers of a comparison are read, and where its constants stand, the last one of each kind.
#[derive(Clone, Copy, Default)]
pub(crate) struct Constants {
    /// Whether all numbers are multiplied by 100, because one of them counts pawns.
    hundredths: bool,
    /// Whether a number is named that counts pawns.
    names_pawns: bool,
    /// A whole number.
    whole: Option<usize>,
    /// A number with a fraction, of pawns.
    pawns: Option<usize>,
    /// A time.
    time: Option<usize>,
}

impl Constants {
    /// How a comparison with pawns is read.
    pub(crate) fn in_hundredths() -> Constants {
        Constants { hundredths: true, ..Constants::default() }
    }

    /// Returns whether a number was named that counts pawns.
    pub(crate) fn name_pawns(self) -> bool {
        self.names_pawns
    }
}

const UNITS: &[(&str, i64)] = &[("s", 1), ("m", 60), ("min", 60), ("h", 3600)];

impl QueryParser {
    /// The constant that stands here, if one does.
    pub(crate) fn constant(&mut self) -> Result<Option<i64>, QueryError> {
        let at = self.at;
        let Some(&TokenKind::Number(whole)) = self.peek() else { return Ok(None) };
        self.at += 1;
        let hundredths = if self.constants.hundredths { 100 } else { 1 };
        let constant = if let Some((digits, text)) = fraction(&self.tokens, at) {
            self.at += 2;
            self.constants.pawns = Some(at);
            if text.1 - text.0 > 2 {
                return Err(self.error_at(
                    at,
                    "a pawn has a hundred parts: write at most two digits after the point",
                    &[],
                ));
            }
            whole * 100 + if text.1 - text.0 == 1 { digits * 10 } else { digits }
        } else if let Some(factor) = unit(&self.tokens, at) {
            self.at += 1;
            self.constants.time = Some(at);
            whole * factor
        } else if let Some(seconds) = clock_face(&self.tokens, at) {
            let (seconds, numbers) = seconds.map_err(|()| {
                self.error_at(at, "a time is written as in `0:30`, `1:30:00` or `90s`", &["`0:30`", "`30s`"])
            })?;
            self.at = at + 2 * numbers - 1;
            self.constants.time = Some(at);
            seconds
        } else {
            self.constants.whole = Some(at);
            whole * hundredths
        };
        Ok(Some(constant))
    }

    /// What is counted, in hundredths if the comparison is read so.
    pub(crate) fn in_unit(&mut self, sum: SumExpression) -> Result<SumExpression, QueryError> {
        if let [(1, CountExpression::Number(number))] = &sum.terms[..]
            && let Some(centipawns) = number.centipawns
        {
            self.constants.names_pawns = true;
            return Ok(SumExpression::of(CountExpression::Number(centipawns)));
        }
        if !self.constants.hundredths {
            return Ok(sum);
        }
        let mut hundredfold = SumExpression::default();
        self.add(&mut hundredfold, sum, 100)?;
        Ok(hundredfold)
    }

    /// A product of two numbers in the unit of the comparison, of which each had it.
    pub(crate) fn once_in_unit(&self, mut product: SumExpression) -> Result<SumExpression, QueryError> {
        if !self.constants.hundredths {
            return Ok(product);
        }
        let numbers = product.terms.iter_mut().map(|(weight, _)| weight).chain([&mut product.constant]);
        for number in numbers {
            if *number % 100 != 0 {
                return Err(self.error("a product counts whole centipawns: multiply by a whole number", &[]));
            }
            *number /= 100;
        }
        Ok(product)
    }

    /// Checks that the numbers of a comparison have the units of its constants. `clock` beside a time is the clock of the player who has
    /// just moved.
    pub(crate) fn check_units(&mut self, sums: &mut [&mut SumExpression]) -> Result<(), QueryError> {
        let Constants { hundredths, whole, pawns, time, .. } = self.constants;
        if let Some(at) = pawns.filter(|_| !hundredths) {
            let message = "a number with a point counts pawns: compare it with `eval` or `eval_change`";
            return Err(self.error_at(at, message, &[]));
        }
        let Some(at) = time else { return Ok(()) };
        sums.iter_mut().for_each(|sum| read_clock_as_time(sum));
        let mut counted = sums.iter().flat_map(|sum| &sum.terms);
        if hundredths || !counted.all(|(_, counted)| is_time(counted)) {
            let message = "a time is compared with `clock`, `clock_time(white)` or `time_spent`";
            return Err(self.error_at(at, message, &[]));
        }
        match whole {
            Some(at) => Err(self.error_at(at, "write this number as a time too, as in `0:30` or `30s`", &[])),
            None => Ok(()),
        }
    }
}

/// The token at a place, if it follows the one before without a space.
fn joined(tokens: &[Token], at: usize) -> Option<&Token> {
    let [before, token] = tokens.get(at - 1..=at)? else { return None };
    (before.to == token.from).then_some(token)
}

fn number(token: &Token) -> Option<i64> {
    if let TokenKind::Number(number) = token.kind { Some(number) } else { None }
}

/// The digits after a point behind a number, and their place in the text.
fn fraction(tokens: &[Token], at: usize) -> Option<(i64, (usize, usize))> {
    let _point = joined(tokens, at + 1).filter(|token| token.kind == TokenKind::Sign("."))?;
    let digits = joined(tokens, at + 2)?;
    Some((number(digits)?, (digits.from, digits.to)))
}

/// The seconds of the unit behind a number.
fn unit(tokens: &[Token], at: usize) -> Option<i64> {
    let TokenKind::Word(word) = &joined(tokens, at + 1)?.kind else { return None };
    UNITS.iter().find(|(unit, _)| unit == word).map(|&(_, seconds)| seconds)
}

/// The seconds of a time with colons, and how many numbers it has; an error if it is none.
fn clock_face(tokens: &[Token], at: usize) -> Option<Result<(i64, usize), ()>> {
    let mut numbers = alloc::vec![number(tokens.get(at)?)?];
    while joined(tokens, at + 2 * numbers.len() - 1).is_some_and(|token| token.kind == TokenKind::Sign(":")) {
        let Some(next) = joined(tokens, at + 2 * numbers.len()) else { return Some(Err(())) };
        match number(next) {
            Some(number @ 0..60) if next.to - next.from == 2 => numbers.push(number),
            _ => return Some(Err(())),
        }
    }
    match numbers.len() {
        1 => None,
        2 | 3 => Some(Ok((numbers.iter().fold(0, |seconds, number| seconds * 60 + number), numbers.len()))),
        _ => Some(Err(())),
    }
}

fn is_time(counted: &CountExpression) -> bool {
    match counted {
        CountExpression::OfSide { number, .. } => *number == SideNumber::Named(&CLOCK_TIME),
        CountExpression::Number(number) => number.name == "time_spent" || CLOCK_TIME.of.contains(number),
        _ => false,
    }
}

fn read_clock_as_time(sum: &mut SumExpression) {
    for (_, counted) in &mut sum.terms {
        if matches!(counted, CountExpression::Number(number) if number.derived_from == NumberOrigin::Clock) {
            *counted = CountExpression::OfSide { side: SideSelector::Waiter, number: SideNumber::Named(&CLOCK_TIME) };
        }
    }
}
