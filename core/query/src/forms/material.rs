//! `material KRPvKR`: exactly these pieces.
use core::fmt;

use plyfold_scan::scan::combine::Formula;

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::material::MaterialPattern;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::token::{Token, TokenKind};

impl Form for MaterialPattern {
    const STARTS: &'static [&'static str] = &["`material`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("material", "exactly these pieces of both sides")];
    const SIDELESS: Option<&'static str> = Some("material");

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if !parser.take_sideless("material", side)? {
            return Ok(None);
        }
        let side = parser.optional_colour("material", &["`white`", "`black`", "`KRPvKR`"])?;
        match parser.tokens.get(parser.at) {
            Some(Token { kind: TokenKind::Word(word), from, .. }) => {
                let material = MaterialPattern::read(word, side, *from)?;
                parser.at += 1;
                Ok(Some(material.into()))
            }
            _ => Err(parser.expected("a material such as `KRPvKR`", &["`KRPvKR`"])),
        }
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.any_piece_bounds(self.bounds())
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "material {self}")
    }
}
