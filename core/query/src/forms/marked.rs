//! `white blunder`, `time_trouble`, `nag "??"`: what the text says about a move in a word.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::{AnnotationTest, PlyMark, PositionPredicate};

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::side::SideSelector;
use crate::token::{Token, TokenKind};

/// A mark of a move in the text of the game.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Marked {
    /// Who moved; no "both", "neither", "mover" or "waiter".
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "SideSelector::is_either"))]
    pub side: SideSelector,
    /// The mark as in a query: "blunder", "mistake", "inaccuracy", "time_trouble", "commented" or "nag 4".
    #[cfg_attr(feature = "json", serde(with = "crate::json::mark"), schemars(with = "alloc::string::String"))]
    pub mark: PlyMark,
}

impl Form for Marked {
    const STARTS: &'static [&'static str] = &[];
    const WORDS: &'static [(&'static str, &'static str)] = &[
        ("nag", "a glyph on the move, as `!?` or a number"),
        ("blunder", ""),
        ("mistake", ""),
        ("inaccuracy", ""),
        ("time_trouble", ""),
        ("commented", ""),
    ];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        let mark = if let Some((mark, after)) = parser.longest_name(PlyMark::named) {
            parser.check_mover(side)?;
            parser.at = after;
            mark
        } else if parser.word() == Some("nag") {
            parser.check_mover(side)?;
            parser.at += 1;
            glyph(parser)?
        } else {
            return Ok(None);
        };
        Ok(Some(Marked { side: side.side.clone(), mark }.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.predicate_for_side(&self.side, &|mover| {
            PositionPredicate::Annotations(AnnotationTest::Mark { mark: self.mark, mover })
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.side.fmt_before(f)?;
        write!(f, "{}", self.mark)
    }

    fn sides(&self) -> Vec<&SideSelector> {
        vec![&self.side]
    }
}

/// What comes after `nag`.
fn glyph(parser: &mut QueryParser) -> Result<PlyMark, QueryError> {
    const GLYPH: &[&str] = &["a number from 1 to 255", "`\"??\"`"];
    let mark = match parser.tokens.get(parser.at) {
        Some(Token { kind: TokenKind::Number(number), .. }) => {
            u8::try_from(*number).ok().filter(|&number| number > 0).map(PlyMark::Nag)
        }
        Some(Token { kind: TokenKind::Text(signs), .. }) => PlyMark::of_glyph(signs.trim()),
        _ => return Err(parser.expected("a glyph", GLYPH)),
    };
    let Some(mark) = mark else {
        let message = "a glyph is one of `!`, `?`, `!!`, `??`, `!?`, `?!` in quotes, or a number from 1 to 255";
        return Err(parser.error(message, GLYPH));
    };
    parser.at += 1;
    Ok(mark)
}
