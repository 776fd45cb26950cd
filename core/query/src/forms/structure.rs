//! `structure "…"`: these pawns and no others.

use core::fmt;

use plyfold_board::board::PieceCode;
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::PositionPredicate;
use shakmaty::{Color, Role};

use super::under::with_transforms;
use super::{Form, Leaf};
use crate::diagram::{Diagram, DiagramSyntax};
use crate::error::QueryError;
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;

/// The pawns of both sides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Structure {
    /// Squares of White's pawns.
    pub white: u64,
    /// Squares of Black's pawns.
    pub black: u64,
}

impl Structure {
    /// The structure that a text describes: eight ranks as in a FEN. `at` is its first byte in the query.
    ///
    /// # Errors
    ///
    /// Those of [`Diagram::read`].
    pub(crate) fn from_text(text: &str, at: usize) -> Result<Structure, QueryError> {
        let pawns = Diagram::read(text, at, DiagramSyntax::Pawns)?;
        let [white, black] =
            [Color::White, Color::Black].map(|colour| pawns.must_hold(PieceCode::new(colour, Role::Pawn)));
        Ok(Structure { white, black })
    }

    /// The pawns as a diagram.
    pub fn diagram(&self) -> Diagram {
        Diagram::from_pawns(self.white, self.black)
    }
}

impl Form for Structure {
    const STARTS: &'static [&'static str] = &["`structure`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[("structure", "exactly these pawns of both sides")];
    const SIDELESS: Option<&'static str> = Some("structure");

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if !parser.take_sideless("structure", side)? {
            return Ok(None);
        }
        let (text, at) = parser.quoted_text("a board of pawns in quotes")?;
        with_transforms(parser, Structure::from_text(&text, at)?.into()).map(Some)
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.conjunction(self.diagram().pawn_pattern().map(PositionPredicate::PawnPattern))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "structure \"{}\"", self.diagram())
    }
}
