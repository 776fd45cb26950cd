//! Plans what holds at one position: conditions, each by its form, for a side, and phases of the game.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::PieceCode;
use plyfold_scan::headers::{GameResult, NameField};
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::measure::pieces::ANY_PIECE;
use plyfold_scan::scan::predicate::{
    BoardQuantity, FeatureSquares, NumberComparison, PieceCountBounds, PositionPredicate, SideToMove, SumComparison,
    TableQuestion, TableTest, WeightedTerm,
};
use plyfold_scan::scan::tables::BoundTables;
use shakmaty::{Color, Role};

use super::header::{name_test, result_test};
use super::{QueryPlanner, any_of, flatten_and};
use crate::error::{QueryError, error_of_query};
use crate::region::Region;
use crate::side::SideSelector;
use crate::span::SpannedName;
use crate::three_valued::negate;
use crate::tree::QueryTree;
use crate::window::GamePhase;

impl QueryPlanner<'_> {
    /// Inside braces: everything holds at the same position.
    pub(super) fn lower_position(&mut self, tree: &QueryTree) -> Result<Formula, QueryError> {
        let mut lower_parts =
            |parts: &[QueryTree]| parts.iter().map(|part| self.lower_position(part)).collect::<Result<Vec<_>, _>>();
        match tree {
            QueryTree::Everything => Ok(Formula::True),
            QueryTree::And(parts) => Ok(flatten_and(lower_parts(parts)?)),
            QueryTree::Or(parts) => Ok(Formula::Or(lower_parts(parts)?)),
            QueryTree::SomeOf { number, parts } => Ok(Formula::SomeOf(*number, lower_parts(parts)?)),
            QueryTree::Not(inner) => {
                let inner = self.lower_position(inner)?;
                self.contrary(inner)
            }
            QueryTree::Together(inner) => self.lower_position(inner),
            QueryTree::Leaf(leaf) => leaf.lower(self),
            QueryTree::Header(header) => self.lower_header(header),
            // No text describes such a tree.
            QueryTree::Condition { .. } => {
                Err(error_of_query("words about plies cannot stand inside braces, which are one position"))
            }
            QueryTree::Then { .. } => Err(error_of_query("`then` cannot stand inside braces, which are one position")),
        }
    }

    /// The formula of a phase of the game.
    pub(super) fn lower_phase(&mut self, phase: GamePhase) -> Result<Formula, QueryError> {
        let mut at_most = |constant| {
            let codes = Color::ALL.into_iter().flat_map(|colour| {
                [Role::Queen, Role::Rook, Role::Bishop, Role::Knight].map(|role| PieceCode::new(colour, role))
            });
            let terms =
                codes.map(|code| WeightedTerm { weight: 1, quantity: BoardQuantity::PieceCount(code) }).collect();
            self.intern_predicate(SumComparison { terms, comparison: NumberComparison::AtMost, constant })
        };
        if phase == GamePhase::Endgame {
            return at_most(6);
        }
        let mut alternatives = vec![at_most(10)?];
        for colour in Color::ALL {
            let region = Region { squares: 0, own: 0xff }.for_side(colour);
            let quantity = FeatureSquares { feature: &ANY_PIECE, colour, region }.into_quantity();
            let (terms, comparison) = (vec![WeightedTerm { weight: 1, quantity }], NumberComparison::Less);
            alternatives.push(self.intern_predicate(SumComparison { terms, comparison, constant: 4 })?);
        }
        let alternatives = Formula::Or(alternatives);
        Ok(match phase {
            GamePhase::Opening => negate(alternatives),
            _ => Formula::And(vec![negate(self.lower_phase(GamePhase::Endgame)?), alternatives]),
        })
    }

    /// The formula of a side for which a predicate holds.
    pub(crate) fn predicate_for_side(
        &mut self,
        side: &SideSelector,
        predicate: &dyn Fn(Color) -> PositionPredicate,
    ) -> Result<Formula, QueryError> {
        self.for_side(side, &mut |plan, colour| plan.intern_predicate(predicate(colour)))
    }

    /// Lowers for a side what `lower` does for a colour.
    pub(crate) fn for_side(
        &mut self,
        side: &SideSelector,
        lower: &mut dyn FnMut(&mut Self, Color) -> Result<Formula, QueryError>,
    ) -> Result<Formula, QueryError> {
        if let Some(colour) = side.colour() {
            return lower(self, colour);
        }
        // If the side depends on the game, the test under which it is White, and the one under which it is Black.
        let has_name = |field, name: &SpannedName| PositionPredicate::Header(name_test(field, name));
        let won_by = |result| PositionPredicate::Header(result_test(&[result]));
        let tests: Option<[PositionPredicate; 2]> = match side {
            SideSelector::Mover => Some(Color::ALL.map(|colour| SideToMove(colour).into())),
            SideSelector::Waiter => Some(Color::ALL.map(|colour| SideToMove(!colour).into())),
            SideSelector::Winner => Some([GameResult::White, GameResult::Black].map(won_by)),
            SideSelector::Loser => Some([GameResult::Black, GameResult::White].map(won_by)),
            SideSelector::Player(name) => Some([NameField::White, NameField::Black].map(|field| has_name(field, name))),
            SideSelector::Opponent(name) => {
                Some([NameField::Black, NameField::White].map(|field| has_name(field, name)))
            }
            _ => None,
        };
        let Some(tests) = tests else {
            let colours = Color::ALL.into_iter().map(|colour| lower(self, colour)).collect::<Result<Vec<_>, _>>()?;
            return match side {
                SideSelector::Both => Ok(flatten_and(colours)),
                SideSelector::Neither => self.contrary(Formula::Or(colours)),
                _ => Ok(Formula::Or(colours)),
            };
        };
        let colours = Color::ALL.into_iter().zip(tests).map(|(colour, is_side)| {
            let (is_side, holds) = (self.intern_predicate(is_side)?, lower(self, colour)?);
            Ok(flatten_and(vec![is_side, holds]))
        });
        colours.collect::<Result<_, _>>().map(Formula::Or)
    }

    /// The formula of all `predicates` at one position.
    pub(crate) fn conjunction(
        &mut self,
        predicates: impl IntoIterator<Item = PositionPredicate>,
    ) -> Result<Formula, QueryError> {
        let mut formulas = self.intern_predicates(predicates)?;
        match formulas.len() {
            0 => Ok(Formula::True),
            1 => Ok(formulas.swap_remove(0)),
            _ => Ok(Formula::And(formulas)),
        }
    }

    /// The formula of piece counts within one of `bounds`, of which there is at least one.
    pub(crate) fn any_piece_bounds(
        &mut self,
        bounds: impl Iterator<Item = PieceCountBounds>,
    ) -> Result<Formula, QueryError> {
        self.intern_predicates(bounds.map(|bounds| PositionPredicate::PieceCounts(Box::new(bounds)))).map(any_of)
    }
}

/// The test of a question to endgame tables.
pub(crate) fn table_predicate(question: TableQuestion) -> PositionPredicate {
    PositionPredicate::Table(Box::new(TableTest { question, is_negated: false, tables: BoundTables::default() }))
}
