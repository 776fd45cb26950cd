//! Plans what holds at one position: leaves, each for its side, comparisons of sums, and phases of the game.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::PieceCode;
use plyfold_scan::headers::{GameResult, NameField, NamePattern};
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::measure::BoardFeature;
use plyfold_scan::scan::measure::numbers::{NumberOrigin, NumericFeature};
use plyfold_scan::scan::measure::pieces::ANY_PIECE;
use plyfold_scan::scan::predicate::{
    AnnotationTest, AttackPredicate, AttackTarget, BoardQuantity, CommentTest, FeatureSquares, NumberComparison,
    PieceCountBounds, PositionPredicate, TableQuestion, TableTest, WeightedTerm,
};
use plyfold_scan::scan::tables::BoundTables;
use shakmaty::{Color, Role};

use super::header::{name_test, result_test};
use super::images::{diagram_predicates, fen_predicates};
use super::squares::squares_for_side;
use super::{QueryPlanner, any_of, flatten_and};
use crate::diagram::Diagram;
use crate::error::{QueryError, error_of_query};
use crate::material::Imbalance;
use crate::region::Region;
use crate::squares::SquareExpression;
use crate::three_valued::negate;
use crate::tree::{CountExpression, Leaf, QueryTree, SideSelector, SumExpression, TargetExpression};
use crate::window::{GamePhase, ply_filter};

/// Points of the pieces that `points` counts.
const POINTS: [(Role, i64); 5] =
    [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];

/// Why a sum has no numbers of both kinds.
pub(crate) const MIXED_NUMBERS: &str = "numbers of the text, such as `eval`, and of tables, such as `tb_dtm`, are not added to or compared with numbers of the board";

impl QueryPlanner<'_> {
    /// Inside braces: everything holds at the same position.
    pub(super) fn lower_position(&mut self, tree: &QueryTree) -> Result<Formula, QueryError> {
        let mut lower_parts =
            |parts: &[QueryTree]| parts.iter().map(|part| self.lower_position(part)).collect::<Result<Vec<_>, _>>();
        match tree {
            QueryTree::Everything => Ok(Formula::True),
            QueryTree::And(parts) => Ok(flatten_and(lower_parts(parts)?)),
            QueryTree::Or(parts) => Ok(Formula::Or(lower_parts(parts)?)),
            QueryTree::SomeOf(least, parts) => Ok(Formula::SomeOf(*least, lower_parts(parts)?)),
            QueryTree::Not(inner) => {
                let inner = self.lower_position(inner)?;
                self.contrary(inner)
            }
            QueryTree::Together(inner) => self.lower_position(inner),
            QueryTree::Leaf(leaf) => self.lower_leaf(leaf),
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
            self.intern_predicate(PositionPredicate::Compare { terms, comparison: NumberComparison::AtMost, constant })
        };
        if phase == GamePhase::Endgame {
            return at_most(6);
        }
        let mut alternatives = vec![at_most(10)?];
        for colour in Color::ALL {
            let region = Region { squares: 0, own: 0xff }.for_side(colour);
            let quantity = FeatureSquares { feature: &ANY_PIECE, colour, region }.into_quantity();
            let (terms, comparison) = (vec![WeightedTerm { weight: 1, quantity }], NumberComparison::Less);
            alternatives.push(self.intern_predicate(PositionPredicate::Compare { terms, comparison, constant: 4 })?);
        }
        let alternatives = Formula::Or(alternatives);
        Ok(match phase {
            GamePhase::Opening => negate(alternatives),
            _ => Formula::And(vec![negate(self.lower_phase(GamePhase::Endgame)?), alternatives]),
        })
    }

    fn lower_leaf(&mut self, leaf: &Leaf) -> Result<Formula, QueryError> {
        match leaf {
            Leaf::Feature { side, feature, region } => {
                let side = if feature.has_sides { side } else { &SideSelector::White };
                self.predicate_for_side(side, &|colour| any_square(feature, *region, colour))
            }
            Leaf::Absent { side, feature, region } => self.for_side(absent_side(side), &mut |plan, colour| {
                Ok(negate(plan.intern_predicate(any_square(feature, *region, colour))?))
            }),
            Leaf::Attacks { side, feature, region, defends, target } => self.predicate_for_side(side, &|colour| {
                let target = match target {
                    TargetExpression::Region(region) => AttackTarget::Region(region.for_side(colour)),
                    TargetExpression::Feature { feature, region } => {
                        let whose = if *defends { colour } else { !colour };
                        AttackTarget::Feature(squares_of(feature, *region, whose))
                    }
                };
                let attackers = squares_of(feature, *region, colour);
                PositionPredicate::Attacks(Box::new(AttackPredicate { attackers, target }))
            }),
            Leaf::Marked { side, mark } => self.predicate_for_side(side, &|mover| {
                PositionPredicate::Annotations(AnnotationTest::Mark { mark: *mark, mover })
            }),
            Leaf::Comment { side, pattern } => self.predicate_for_side(side, &|mover| {
                let test = CommentTest::unbound(NamePattern::new(pattern), mover);
                PositionPredicate::Annotations(AnnotationTest::Comment(test))
            }),
            Leaf::TableOutcome { side, outcome } => {
                self.predicate_for_side(side, &|colour| table_predicate(TableQuestion::Outcome(colour, *outcome)))
            }
            Leaf::ThrewAway { side, thrown } => {
                self.predicate_for_side(side, &|colour| table_predicate(TableQuestion::ThrewAway(colour, *thrown)))
            }
            Leaf::Played { side, pattern } => self.for_side(side, &mut |plan, colour| plan.lower_move(pattern, colour)),
            Leaf::Squares { side, squares, is_absent } => self.lower_squares(side, squares, *is_absent),
            Leaf::Empty(region) => self.intern_predicate(PositionPredicate::Empty(region.squares)),
            Leaf::Compare(left, comparison, right) => self.lower_comparison(left, *comparison, right),
            Leaf::Number { is_move_number, first, last } => {
                self.intern_predicate(PositionPredicate::Ply(ply_filter(*is_move_number, (*first, *last))))
            }
            Leaf::Fen(fen) => self.conjunction(fen_predicates(fen)),
            Leaf::Board(diagram) => self.conjunction(diagram_predicates(diagram, diagram.remaining_placement())),
            Leaf::Structure { white, black } => {
                let pawns = Diagram::from_pawns(*white, *black).pawn_pattern().map(PositionPredicate::PawnPattern);
                self.conjunction(pawns)
            }
            Leaf::Under(under) => self.lower_transformed(under),
            Leaf::Material(material) => self.any_piece_bounds(material.bounds()),
            Leaf::Imbalance(imbalance) => self.lower_imbalance(imbalance),
            Leaf::Endgame(endgame) => self.any_piece_bounds(endgame.bounds()),
        }
    }

    /// The formula of a side for which a predicate holds.
    fn predicate_for_side(
        &mut self,
        side: &SideSelector,
        predicate: &dyn Fn(Color) -> PositionPredicate,
    ) -> Result<Formula, QueryError> {
        self.for_side(side, &mut |plan, colour| plan.intern_predicate(predicate(colour)))
    }

    /// Lowers for a side what `lower` does for a colour.
    pub(super) fn for_side(
        &mut self,
        side: &SideSelector,
        lower: &mut dyn FnMut(&mut Self, Color) -> Result<Formula, QueryError>,
    ) -> Result<Formula, QueryError> {
        if let Some(colour) = side.colour() {
            return lower(self, colour);
        }
        // If the side depends on the game, the test under which it is White, and the one under which it is Black.
        let won_by = |result| PositionPredicate::Header(result_test(&[result]));
        let tests: Option<[PositionPredicate; 2]> = match side {
            SideSelector::Mover => Some(Color::ALL.map(PositionPredicate::SideToMove)),
            SideSelector::Waiter => Some(Color::ALL.map(|colour| PositionPredicate::SideToMove(!colour))),
            SideSelector::Winner => Some([GameResult::White, GameResult::Black].map(won_by)),
            SideSelector::Loser => Some([GameResult::Black, GameResult::White].map(won_by)),
            SideSelector::Player(name) => Some(
                [NameField::White, NameField::Black].map(|field| PositionPredicate::Header(name_test(field, name))),
            ),
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
    pub(super) fn conjunction(
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
    pub(super) fn any_piece_bounds(
        &mut self,
        bounds: impl Iterator<Item = PieceCountBounds>,
    ) -> Result<Formula, QueryError> {
        self.intern_predicates(bounds.map(|bounds| PositionPredicate::PieceCounts(Box::new(bounds)))).map(any_of)
    }

    /// The formula of an imbalance: for each role, the pieces of one side minus those of the other.
    fn lower_imbalance(&mut self, imbalance: &Imbalance) -> Result<Formula, QueryError> {
        let mut for_first = |first: Color| {
            let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
            let predicates = roles.map(|role| {
                // In the order of colours, so that the same condition is one predicate, whichever side is named first.
                let constant = first.fold_wb(1, -1) * i64::from(imbalance.difference[role as usize - 1]);
                let terms = [(Color::White, 1), (Color::Black, -1)].map(|(colour, weight)| WeightedTerm {
                    weight,
                    quantity: BoardQuantity::PieceCount(PieceCode::new(colour, role)),
                });
                let comparison = NumberComparison::Equal;
                PositionPredicate::Compare { terms: terms.to_vec(), comparison, constant }
            });
            self.conjunction(predicates)
        };
        match imbalance.first {
            Some(first) => for_first(first),
            None if imbalance.difference == [0; 5] => for_first(Color::White),
            None => Ok(Formula::Or(vec![for_first(Color::White)?, for_first(Color::Black)?])),
        }
    }

    /// The formula of a comparison. A side that the game or the position decides is White in one case and Black in the other.
    fn lower_comparison(
        &mut self,
        left: &SumExpression,
        comparison: NumberComparison,
        right: &SumExpression,
    ) -> Result<Formula, QueryError> {
        let Some(side) = left.relative_side().or_else(|| right.relative_side()) else {
            return self.intern_predicate(compare_sums(left, comparison, right)?);
        };
        self.for_side(side, &mut |plan, colour| {
            plan.lower_comparison(&left.with_side(side, colour), comparison, &right.with_side(side, colour))
        })
    }
}

/// The comparison of two sums, with all counts moved to the left and all constants to the right.
fn compare_sums(
    left: &SumExpression,
    comparison: NumberComparison,
    right: &SumExpression,
) -> Result<PositionPredicate, QueryError> {
    let mut terms: Vec<WeightedTerm> = Vec::new();
    let mut add = |weight: i64, size: BoardQuantity| match terms.iter_mut().find(|term| term.quantity == size) {
        Some(term) => term.weight = term.weight.saturating_add(weight),
        None => terms.push(WeightedTerm { weight, quantity: size }),
    };
    let counts = [(left, 1), (right, -1)]
        .into_iter()
        .flat_map(|(sum, sign)| sum.terms.iter().map(move |(factor, counted)| (sign * factor, counted)));
    for (weight, counted) in counts {
        let colours = |side: &SideSelector, has_sides: bool| {
            let named = side.colour();
            let is_counted =
                move |colour: &Color| named.is_none_or(|one| one == *colour) && (has_sides || *colour == Color::White);
            Color::ALL.into_iter().filter(is_counted)
        };
        match counted {
            CountExpression::Squares { side, squares } => {
                for colour in colours(side, squares.has_sides()) {
                    match squares {
                        // The piece counts are known without the squares.
                        SquareExpression::Feature { feature, region: Region::ANYWHERE } if feature.name == "piece" => {
                            let counts = Role::ALL.map(|role| BoardQuantity::PieceCount(PieceCode::new(colour, role)));
                            counts.into_iter().for_each(|count| add(weight, count));
                        }
                        SquareExpression::Feature { feature, region } => {
                            add(weight, squares_of(feature, *region, colour).into_quantity());
                        }
                        // No name is counted.
                        set => {
                            let set = squares_for_side(set, colour, u64::MAX, &[]);
                            add(weight, BoardQuantity::SquareSet(Box::new(set)));
                        }
                    }
                }
            }
            CountExpression::Number(number) => add(weight, BoardQuantity::Number(number)),
            // A colour stands in its place by now.
            CountExpression::OfSide { side, .. } => {
                return Err(error_of_query(&format!("`{side}` is no side here")));
            }
            CountExpression::Points(side) => {
                for colour in colours(side, true) {
                    for (role, points) in POINTS {
                        add(weight.saturating_mul(points), BoardQuantity::PieceCount(PieceCode::new(colour, role)));
                    }
                }
            }
        }
    }
    comparison_of_terms(terms, comparison, right.constant - left.constant)
}

/// The comparison of a sum with a constant, by what knows its numbers.
fn comparison_of_terms(
    mut terms: Vec<WeightedTerm>,
    comparison: NumberComparison,
    constant: i64,
) -> Result<PositionPredicate, QueryError> {
    // A number that is not known makes the comparison false, even if its weight is 0.
    let of_annotations = |origin| if let NumberOrigin::Annotations(number) = origin { Some(number) } else { None };
    if let Some(terms) = terms_of_origin(&terms, of_annotations)? {
        return Ok(PositionPredicate::Annotations(AnnotationTest::Compare { terms, comparison, constant }));
    }
    let of_tables = |origin| if let NumberOrigin::Tables(number) = origin { Some(number) } else { None };
    if let Some(terms) = terms_of_origin(&terms, of_tables)? {
        return Ok(table_predicate(TableQuestion::Compare { terms, comparison, constant }));
    }
    terms.retain(|term| term.weight != 0);
    Ok(PositionPredicate::Compare { terms, comparison, constant })
}

fn table_predicate(question: TableQuestion) -> PositionPredicate {
    PositionPredicate::Table(Box::new(TableTest { question, is_negated: false, tables: BoundTables::default() }))
}

/// The terms as numbers that no board shows, if they are.
fn terms_of_origin<N>(
    terms: &[WeightedTerm],
    of_origin: impl Fn(NumberOrigin) -> Option<N>,
) -> Result<Option<Vec<(i64, N)>>, QueryError> {
    let number = |term: &WeightedTerm| match &term.quantity {
        BoardQuantity::Number(NumericFeature { derived_from, .. }) => Some((term.weight, of_origin(*derived_from)?)),
        _ => None,
    };
    if !terms.iter().any(|term| number(term).is_some()) {
        return Ok(None);
    }
    let all = terms.iter().map(number).collect::<Option<Vec<_>>>();
    all.map(Some).ok_or_else(|| error_of_query(MIXED_NUMBERS))
}

/// The side of which nothing must be there: without a side, both.
pub(super) fn absent_side(side: &SideSelector) -> &SideSelector {
    if matches!(side, SideSelector::Either | SideSelector::Neither) { &SideSelector::Both } else { side }
}

fn squares_of(feature: &'static BoardFeature, region: Region, colour: Color) -> FeatureSquares {
    FeatureSquares { feature, colour, region: region.for_side(colour) }
}

fn any_square(feature: &'static BoardFeature, region: Region, colour: Color) -> PositionPredicate {
    PositionPredicate::FeatureInRegion(squares_of(feature, region, colour))
}
