//! `imbalance RvBN`: what each side has that the other has not.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_board::board::PieceCode;
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::{BoardQuantity, NumberComparison, PositionPredicate, SumComparison, WeightedTerm};
use shakmaty::{Color, Role};

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::keywords::is_keyword;
use crate::material::Imbalance;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::token::TokenKind;

impl Form for Imbalance {
    const STARTS: &'static [&'static str] = &["`imbalance`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("imbalance", "the difference in material")];
    const SIDELESS: Option<&'static str> = Some("imbalance");

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if parser.take_sideless("imbalance", side)? { difference(parser).map(|one| Some(one.into())) } else { Ok(None) }
    }

    /// For each role, the pieces of one side minus those of the other.
    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        let mut for_first = |first: Color| {
            let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
            let predicates = roles.map(|role| {
                // In the order of colours, so that the same condition is one predicate, whichever side is named first.
                let constant = first.fold_wb(1, -1) * i64::from(self.difference[role as usize - 1]);
                let terms = [(Color::White, 1), (Color::Black, -1)].map(|(colour, weight)| WeightedTerm {
                    weight,
                    quantity: BoardQuantity::PieceCount(PieceCode::new(colour, role)),
                });
                let comparison = NumberComparison::Equal;
                PositionPredicate::from(SumComparison { terms: terms.to_vec(), comparison, constant })
            });
            plan.conjunction(predicates)
        };
        match self.first {
            Some(first) => for_first(first),
            None if self.difference == [0; 5] => for_first(Color::White),
            None => Ok(Formula::Or(vec![for_first(Color::White)?, for_first(Color::Black)?])),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "imbalance {self}")
    }
}

/// `RvBN`, `R+2P v BN`, `2P v 0`.
fn difference(parser: &mut QueryParser) -> Result<Imbalance, QueryError> {
    const EXAMPLE: &[&str] = &["`RvBN`"];
    let first = parser.optional_colour("imbalance", &["`white`", "`black`", "`RvBN`"])?;
    let begin = parser.at;
    let mut sides: [Vec<(u8, char)>; 2] = [Vec::new(), Vec::new()];
    let mut side = 0;
    let mut number = None;
    // Whether each side has pieces, or a 0 for none.
    let mut has_pieces = [false; 2];
    loop {
        match parser.peek() {
            Some(TokenKind::Word(word)) if !is_keyword(word) && word.chars().all(|one| "kqrbnpv".contains(one)) => {
                for letter in word.chars() {
                    if letter == 'v' {
                        if side == 1 || number.is_some() || !has_pieces[0] {
                            return Err(parser.expected("a piece", EXAMPLE));
                        }
                        side = 1;
                    } else {
                        sides[side].push((number.take().unwrap_or(1), letter));
                        has_pieces[side] = true;
                    }
                }
            }
            Some(&TokenKind::Number(0)) if !has_pieces[side] => has_pieces[side] = true,
            Some(&TokenKind::Number(many)) if number.is_none() => {
                let many = u8::try_from(many).ok().filter(|many| (1..=64).contains(many));
                number = Some(many.ok_or_else(|| parser.error("a number of pieces is from 1 to 64", EXAMPLE))?);
            }
            Some(TokenKind::Sign("+")) if has_pieces[side] && number.is_none() => {}
            _ => break,
        }
        parser.at += 1;
    }
    if number.is_some() || !has_pieces[1] {
        return Err(parser.expected("the material of both sides, as in `RvBN` or `R+2P v BN`,", EXAMPLE));
    }
    let range = (parser.tokens[begin].from, parser.tokens[parser.at - 1].to);
    Imbalance::from_pieces(first, [&sides[0], &sides[1]], range)
}
