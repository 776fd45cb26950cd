//! Reads sums of numbers and counts, compared: `count(white rook) >= 2`; and the numbers of plies and moves: `move < 20`.

use alloc::vec::Vec;

use plyfold_scan::scan::measure::numbers::{MOVES_OF_PIECES, NUMBERS, NumericFeature, SIDED_NUMBERS, SidedNumber};
use plyfold_scan::scan::predicate::NumberComparison;

use super::QueryParser;
use crate::error::QueryError;
use crate::keywords::named;
use crate::side::SideSelector;
use crate::sum::CountExpression;
use crate::sum::SideNumber;
use crate::sum::SumExpression;
use crate::token::TokenKind;

/// Signs of comparisons; the first one of a comparison is the one that is printed.
pub(crate) const COMPARISON_SIGNS: &[(&str, NumberComparison)] = &[
    ("=", NumberComparison::Equal),
    ("==", NumberComparison::Equal),
    ("!=", NumberComparison::Unequal),
    ("<>", NumberComparison::Unequal),
    ("<", NumberComparison::Less),
    ("<=", NumberComparison::AtMost),
    (">", NumberComparison::More),
    (">=", NumberComparison::AtLeast),
];

impl QueryParser {
    /// The sign of a comparison at a token.
    pub(crate) fn comparison_at(&self, at: usize) -> Option<NumberComparison> {
        match self.kind_at(at)? {
            TokenKind::Sign(sign) => named(sign, COMPARISON_SIGNS),
            _ => None,
        }
    }

    /// The sign of a comparison, if one comes next.
    pub(crate) fn comparison_sign(&mut self) -> Option<NumberComparison> {
        let comparison = self.comparison_at(self.at)?;
        self.at += 1;
        Some(comparison)
    }

    /// Takes what stands between the ends of a range: `..`, `-` or `to`.
    pub(crate) fn take_range_sign(&mut self) -> bool {
        self.take_sign("..") || self.take_sign("-") || !self.is_in_move && self.take_word("to")
    }

    /// `>= 8`, `8..20` or `8`: the first and the last number, at most `max`. `what` is the name of the compared number, for
    /// messages.
    pub(crate) fn range(&mut self, what: &str, max: u32) -> Result<(u32, u32), QueryError> {
        const RANGE: &[&str] = &["a number", "`..`", "`=`", "`<`", "`<=`", "`>`", "`>=`"];
        let at = self.at;
        let comparison = self.comparison_sign();
        if comparison == Some(NumberComparison::Unequal) {
            let message = alloc::format!("write `not {what} = …` instead");
            return Err(self.error_at(at, &message, RANGE));
        }
        let (missing, expected) = match comparison {
            Some(_) => ("a number", &RANGE[..1]),
            None => ("a comparison or a number", RANGE),
        };
        let first = self.number_at_most(what, max, missing, expected)?;
        match comparison {
            None if self.take_range_sign() => {
                let at = self.at;
                let last = self.number_at_most(what, max, missing, expected)?;
                if last < first {
                    return Err(self.error_at(at, &alloc::format!("{last} comes before {first}"), &["a number"]));
                }
                Ok((first, last))
            }
            None | Some(NumberComparison::Equal | NumberComparison::Unequal) => Ok((first, first)),
            Some(NumberComparison::AtLeast) => Ok((first, u32::MAX)),
            Some(NumberComparison::More) if first == max => {
                Err(self.error_at(at, &alloc::format!("{what} is at most {max}"), RANGE))
            }
            Some(NumberComparison::More) => Ok((first + 1, u32::MAX)),
            Some(NumberComparison::AtMost) => Ok((0, first)),
            Some(NumberComparison::Less) => match first.checked_sub(1) {
                Some(last) => Ok((0, last)),
                None => Err(self.error_at(at, "no number is smaller than this", &["a number"])),
            },
        }
    }

    /// A number up to `max`, which is one of `what`; `missing` and `expected` say what is missing without it.
    pub(crate) fn number_at_most(
        &mut self,
        what: &str,
        max: u32,
        missing: &str,
        expected: &[&'static str],
    ) -> Result<u32, QueryError> {
        let number = self.require_number(missing, expected)?;
        let Some(number) = u32::try_from(number).ok().filter(|&number| number <= max) else {
            return Err(self.error(&alloc::format!("{what} is at most {max}"), &["a number"]));
        };
        self.at += 1;
        Ok(number)
    }

    /// Whether a number that can be compared is named here.
    pub(crate) fn is_number(&self) -> bool {
        self.peek_number().is_some()
            || self.peek_sided_number().is_some()
            || self.is_number_of_moves()
            || self.is_attackers()
    }

    /// The token after a name of one or more words, if it begins here.
    pub(crate) fn after_name(&self, name: &str) -> Option<usize> {
        self.longest_name(|found| (found == name).then_some(())).map(|((), after)| after)
    }

    /// The number of a side that is named here, and the token after its name. Some are numbers of the position without a side.
    pub(crate) fn peek_sided_number(&self) -> Option<(&'static SidedNumber, usize)> {
        self.longest_name(|name| SIDED_NUMBERS.iter().copied().find(|number| number.name == name))
    }

    /// The number that is named here, and the token after it.
    pub(crate) fn peek_number(&self) -> Option<(&'static NumericFeature, usize)> {
        let is_named = |number: &&NumericFeature, name: &str| number.name == name || number.aliases.contains(&name);
        self.longest_name(|name| NUMBERS.iter().copied().find(|number| is_named(number, name)))
    }

    /// A sum of numbers and counts.
    pub(crate) fn sum(&mut self) -> Result<SumExpression, QueryError> {
        let mut sum = SumExpression::default();
        let mut sign = if self.take_sign("-") { -1 } else { 1 };
        loop {
            let part = self.product()?;
            self.add(&mut sum, part, sign)?;
            if self.take_sign("+") {
                sign = 1;
            } else if self.take_sign("-") {
                sign = -1;
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<SumExpression, QueryError> {
        let mut product = self.factor()?;
        while matches!(self.peek(), Some(TokenKind::Sign("*"))) {
            let sign = self.at;
            self.at += 1;
            let factor = self.factor()?;
            let (sum, by) = match (product.terms.is_empty(), factor.terms.is_empty()) {
                (_, true) => (product, factor.constant),
                (true, false) => (factor, product.constant),
                (false, false) => {
                    self.at = sign;
                    return Err(self.error("one operand of `*` must be a number", &["a number"]));
                }
            };
            product = SumExpression::default();
            self.add(&mut product, sum, by)?;
            product = self.once_in_unit(product)?;
        }
        Ok(product)
    }

    /// Adds `factor` times `part` to `sum`.
    pub(crate) fn add(&self, sum: &mut SumExpression, part: SumExpression, factor: i64) -> Result<(), QueryError> {
        const LARGEST: i64 = 1_000_000_000;
        let bounded = |number: Option<i64>| {
            let number = number.filter(|number| number.abs() <= LARGEST);
            number.ok_or_else(|| self.error("the numbers in this sum exceed 1000000000", &[]))
        };
        for (weight, counted) in part.terms {
            sum.terms.push((bounded(weight.checked_mul(factor))?, counted));
        }
        sum.constant = bounded(part.constant.checked_mul(factor).and_then(|more| sum.constant.checked_add(more)))?;
        Ok(())
    }

    /// The bracket after the name of a number of one side, and the side.
    pub(crate) fn one_side_after_bracket(&mut self, what: &str) -> Result<SideSelector, QueryError> {
        self.require_sign("(", what, &["`(`"])?;
        let at = self.at;
        let side = self.side();
        if side.colour().is_none() && !side.is_relative() {
            self.at = at;
            return Err(self.expected("one side", &["`white`", "`black`", "`mover`", "`winner`", "`loser`"]));
        }
        Ok(side)
    }

    /// The number of a side, up to the closing bracket.
    pub(crate) fn closed_number(
        &mut self,
        side: SideSelector,
        number: SideNumber,
    ) -> Result<SumExpression, QueryError> {
        self.require_sign(")", "`)`", &["`)`"])?;
        Ok(match side.colour() {
            Some(colour) => number.of_colour(colour),
            None => SumExpression::of(CountExpression::OfSide { side, number }),
        })
    }

    /// Whether `moves_of(` or `captures(` stands here.
    pub(crate) fn is_number_of_moves(&self) -> bool {
        let captures = self.word() == Some("captures") && self.is_sign(self.at + 1, "(");
        captures || self.after_name(MOVES_OF_PIECES).is_some()
    }

    /// `moves_of(white king)`, `captures(white)`.
    fn number_of_moves(&mut self) -> Result<SumExpression, QueryError> {
        let is_captures = self.take_word("captures");
        self.at = self.after_name(MOVES_OF_PIECES).unwrap_or(self.at);
        let side = self.one_side_after_bracket("`(` and a side")?;
        if is_captures {
            return self.closed_number(side, SideNumber::Captures);
        }
        let at = self.at;
        let feature = self.feature()?;
        if feature.role().is_none() && feature.name != "piece" {
            let message = "a piece moves: write `pawn`, `knight` and so on, or `piece`";
            return Err(self.error_at(at, message, &["a piece"]));
        }
        self.closed_number(side, SideNumber::MovesOf(feature.role()))
    }

    /// A number by its name, if one is named here.
    fn named_number(&mut self) -> Result<Option<SumExpression>, QueryError> {
        let named = self.peek_number();
        if let Some((number, after)) = self.peek_sided_number()
            && (named.is_none_or(|(_, end)| end != after) || self.is_sign(after, "("))
        {
            self.at = after;
            let side = self.one_side_after_bracket(number.missing)?;
            return self.closed_number(side, SideNumber::Named(number)).map(Some);
        }
        if self.is_number_of_moves() {
            return self.number_of_moves().map(Some);
        }
        if self.is_attackers() {
            return self.attackers().map(Some);
        }
        let Some((number, after)) = named else { return Ok(None) };
        self.at = after;
        Ok(Some(SumExpression::of(CountExpression::Number(number))))
    }

    pub(crate) fn factor(&mut self) -> Result<SumExpression, QueryError> {
        const FACTOR: &[&str] = &[
            "a number",
            "`count(`",
            "`points(`",
            "`clock_time(`",
            "`moves_of(`",
            "`captures(`",
            "`attackers(`",
            "`tb_dtm`",
            "`half_points_lost(`",
            "`(`",
        ];
        if let Some(constant) = self.constant()? {
            return Ok(SumExpression { terms: Vec::new(), constant });
        }
        if self.take_sign("(") {
            let sum = self.nested(QueryParser::sum)?;
            return self.require_sign(")", "`)`", &["`)`", "`+`", "`-`", "`*`"]).map(|()| sum);
        }
        if let Some(number) = self.named_number()? {
            return self.in_unit(number);
        }
        let (count, points) = (self.word() == Some("count"), self.word() == Some("points"));
        if !count && !points {
            return Err(self.expected("a number, its name, `count(…)` or `points(…)`", FACTOR));
        }
        self.at += 1;
        self.require_sign("(", "`(`", &["`(`"])?;
        let at = self.at;
        let side = self.side();
        if side == SideSelector::Neither {
            self.at = at;
            return Err(self.error("`neither` cannot be counted", &["`white`", "`black`", "`both`"]));
        }
        if points && self.at == at {
            return Err(self.expected("a side", &["`white`", "`black`", "`both`"]));
        }
        let counted = if points {
            CountExpression::Points(if side == SideSelector::Both { SideSelector::Either } else { side })
        } else {
            let at = self.at;
            let squares = self.squares_of_side()?;
            if let Some(feature) = squares.without_location() {
                self.at = at;
                let message = alloc::format!("`{}` cannot be counted", feature.name);
                return Err(self.error(&message, &["a predicate with a side"]));
            }
            let side = if side == SideSelector::Both { SideSelector::Either } else { side };
            CountExpression::Squares { side, squares }
        };
        self.require_sign(")", "`)`", &["`)`"])?;
        self.in_unit(SumExpression::of(counted))
    }
}
