//! `fen "…"`: this position.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::PositionPredicate;

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
        // Cheap predicates first, then exact ones.
        let mut predicates: Vec<PositionPredicate> = self.turn.map(PositionPredicate::SideToMove).into_iter().collect();
        predicates.extend(diagram_predicates(&self.placement, Some(self.placement.full_placement())));
        predicates.extend(rights_predicate(self));
        plan.conjunction(predicates)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fen \"{self}\"")
    }
}

/// The test of castling rights and en passant, if the FEN has these fields.
pub(crate) fn rights_predicate(fen: &FenPattern) -> Option<PositionPredicate> {
    let (castling, en_passant) = (fen.castling, fen.en_passant);
    (castling.is_some() || en_passant.is_some()).then_some(PositionPredicate::Rights { castling, en_passant })
}
