//! `endgame rook`, `rook endgame`: a kind of endgame.
use core::fmt;

use plyfold_scan::scan::combine::Formula;

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::material::EndgameKind;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;

const ENDGAMES: &[&str] = &["`pawn`", "`knight`", "`bishop`", "`minor`", "`rook`", "`queen`"];

impl Form for EndgameKind {
    const STARTS: &'static [&'static str] = &["`endgame`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("endgame", "a kind of endgame"), ("minor", "")];
    const SIDELESS: Option<&'static str> = Some("endgame");

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if let Some(endgame) = endgame_after_its_kind(parser).filter(|_| !side.is_named()) {
            parser.at += 2;
            return Ok(Some(endgame.into()));
        }
        if !parser.take_sideless("endgame", side)? {
            return Ok(None);
        }
        let kinds = EndgameKind::NAMED.iter().map(|&(name, endgame, _)| (name, endgame));
        parser.choose_named("a kind of endgame", kinds, ENDGAMES).map(|endgame| Some(endgame.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.any_piece_bounds(self.bounds())
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "endgame {}", self.name())
    }
}

/// The kind of `rook endgame`, if these words stand here.
fn endgame_after_its_kind(parser: &QueryParser) -> Option<EndgameKind> {
    let word = parser.word()?;
    let &(_, endgame, _) = EndgameKind::NAMED.iter().find(|(name, ..)| *name == word)?;
    let next = parser.word_at(parser.at + 1)?;
    (next.strip_suffix('s').unwrap_or(next) == "endgame").then_some(endgame)
}
