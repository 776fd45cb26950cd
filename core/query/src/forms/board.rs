//! `board "…"`: pieces on squares, with wildcards.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::{Placement, PositionPredicate};

use super::under::with_transforms;
use super::{Form, Leaf};
use crate::diagram::{Diagram, DiagramSyntax};
use crate::error::QueryError;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;

impl Form for Box<Diagram> {
    const STARTS: &'static [&'static str] = &["`board`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("board", "pieces on some of the squares")];
    const SIDELESS: Option<&'static str> = Some("board");

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if !parser.take_sideless("board", side)? {
            return Ok(None);
        }
        let (text, at) = parser.quoted_text("a pattern in quotes")?;
        with_transforms(parser, Box::new(Diagram::read(&text, at, DiagramSyntax::Pattern)?).into()).map(Some)
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.conjunction(diagram_predicates(self, self.remaining_placement()))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "board \"{self}\"")
    }
}

/// The piece counts and pawns of a diagram, and `placement`, which makes the test exact.
pub(super) fn diagram_predicates(diagram: &Diagram, placement: Option<Placement>) -> Vec<PositionPredicate> {
    let numbers = diagram.piece_bounds().map(|bounds| PositionPredicate::PieceCounts(Box::new(bounds)));
    let pawns = diagram.pawn_pattern().map(PositionPredicate::PawnPattern);
    let placement = placement.map(|placement| PositionPredicate::Placement(Box::new(placement)));
    [numbers, pawns, placement].into_iter().flatten().collect()
}
