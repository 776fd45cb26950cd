//! `fen "…"`: this position.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::{PositionPredicate, RequiredRights, SideToMove};

use super::board::diagram_predicates;
use super::under::with_transforms;
use super::{Form, Leaf};
use crate::error::QueryError;
use crate::fen_pattern::FenPattern;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;

impl Form for Box<FenPattern> {
    const STARTS: &'static [&'static str] = &["`fen`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("fen", "this placement, and any further fields")];
    const SIDELESS: Option<&'static str> = Some("fen");

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if !parser.take_sideless("fen", side)? {
            return Ok(None);
        }
        let (text, at) = parser.quoted_text("a FEN in quotes")?;
        with_transforms(parser, Box::new(FenPattern::read(&text, at)?).into()).map(Some)
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.conjunction(fen_predicates(self))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fen \"{self}\"")
    }
}

/// The tests of the fields that are given: cheap ones first, then exact ones.
pub(super) fn fen_predicates(fen: &FenPattern) -> Vec<PositionPredicate> {
    let mut predicates: Vec<PositionPredicate> = fen.turn.map(|side| SideToMove(side).into()).into_iter().collect();
    predicates.extend(diagram_predicates(&fen.placement, Some(fen.placement.full_placement())));
    predicates.extend(rights_predicate(fen));
    predicates
}

/// The test of castling rights and en passant, if the FEN has these fields.
pub(crate) fn rights_predicate(fen: &FenPattern) -> Option<PositionPredicate> {
    let (castling, en_passant) = (fen.castling, fen.en_passant);
    (castling.is_some() || en_passant.is_some()).then(|| RequiredRights { castling, en_passant }.into())
}
