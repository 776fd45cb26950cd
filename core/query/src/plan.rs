//! Turns a tree into the query that the scan runs. A query has predicates, each once; conditions over them; gates; and the
//! verdict over the conditions.
//!
//! A window can only change from *not yet* to *fulfilled*. `never`, `always`, `at most` and `exactly` are made of such windows and
//! `not`: `always A` is `never not A`, and `at most 3 times` is `not at least 4 times`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::{ByPiece, PieceCode};
use plyfold_scan::headers::{
    Date, EcoCodes, GameResult, HeaderTest, HeaderText, NameField, NamePattern, NamedSet, RatingField,
};
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::evidence::{EvidenceTree, PositionRule};
use plyfold_scan::scan::measure::numbers::{NumberOrigin, NumericFeature};
use plyfold_scan::scan::measure::{BoardFeature, FEATURES};
use plyfold_scan::scan::plan::quantified::{MAX_CHOICES, QuantifiedPart};
use plyfold_scan::scan::ply_filter::PlyFilter;
use plyfold_scan::scan::predicate::PlacementImages;
use plyfold_scan::scan::predicate::{
    AnnotationTest, AttackPredicate, BoardQuantity, CommentTest, FeatureSquares, FollowedTest, NameDomain, NamedPiece,
    NumberComparison, PawnPattern, PieceCountBounds, PieceName, Placement, PlyMark, PositionPredicate, SquareSet,
    TableQuestion, TableTest, WeightedTerm,
};
use plyfold_scan::scan::replay_needs::ReplayNeeds;
use plyfold_scan::scan::tables::BoundTables;
use plyfold_scan::scan::{self, ConditionGate, Occurrence, Query, ScanCondition};
use shakmaty::{Color, Role};

use super::diagram::Diagram;
use super::error::{QueryError, error_at};
use super::fen_pattern::FenPattern;
use super::header::{EloLead, EloSelector, HeaderCondition, NameSelector, PartialDate, PlayerSelector};
use super::material::Imbalance;
use super::names::{self, IntroducedPlace, Introduction, PieceReference};
use super::played::{MovePattern, role_name};
use super::region::Region;
use super::relation::{RelatedSquares, RelationExpression};
use super::span::{SpannedName, TextSpan};
use super::squares::{SquareExpression, SquareTarget};
use super::three_valued::{self, intern, negate};
use super::tree::{
    CountExpression, Leaf, QueryTree, SideSelector, SumExpression, TargetExpression, TransformedPattern,
};
use super::window::{GamePhase, OccurrenceRule, WindowClause, WindowQuantifier};

/// Points of the pieces that `points` counts.
pub(crate) const POINTS: [(Role, i64); 5] =
    [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];

/// If there are more different piece counts than these, one predicate with widened bounds replaces them.
const MAX_PIECE_BOUNDS: usize = 4;

/// Why a sum has no numbers of both kinds.
pub(super) const MIXED_NUMBERS: &str = "numbers of the text, such as `eval`, and of tables, such as `tb_dtm`, are not added to or compared with numbers of the board";

/// If images restrict at most this many squares in all, without those of pawns, they are tested one by one.
// PERF: watching this many squares takes less time than replaying a board.
const MAX_WATCHED_SQUARES: u32 = 16;

/// Finds the ECO codes that the name of an opening means.
pub type OpeningResolver<'a> = &'a dyn Fn(&str) -> Result<EcoCodes, QueryError>;

/// Turns a tree into the query that the scan runs.
///
/// # Errors
///
/// More than 64 different predicates, conditions or gates; an unknown opening; a tree that no text describes.
pub fn plan(tree: &QueryTree, openings: OpeningResolver<'_>) -> Result<Query, QueryError> {
    plan_positions(tree, openings, PositionRule::Everywhere)
}

/// The same for a scan whose positions are those of a rule.
///
/// # Errors
///
/// Those of [`plan`].
pub fn plan_positions(
    tree: &QueryTree,
    openings: OpeningResolver<'_>,
    rule: PositionRule,
) -> Result<Query, QueryError> {
    let wants_evidence = match rule {
        PositionRule::Everywhere => false,
        PositionRule::Evidence => true,
        PositionRule::EvidenceOfWindows => tree.has_windows(),
    };
    plan_with_names((tree, tree), openings, wants_evidence)
}

/// The plan of a part of a query, in which names mean what the whole query says.
///
/// # Errors
///
/// Those of [`plan`].
pub fn plan_part(part: &QueryTree, whole: &QueryTree, openings: OpeningResolver<'_>) -> Result<Query, QueryError> {
    plan_with_names((part, whole), openings, false)
}

fn plan_with_names(
    (tree, whole): (&QueryTree, &QueryTree),
    openings: OpeningResolver<'_>,
    wants_evidence: bool,
) -> Result<Query, QueryError> {
    let introductions = names::introductions(whole).map_err(|mistake| error_at(&mistake.message, 0, 0, &[]))?;
    let names = introductions.into_iter().map(FollowedPiece::new).collect();
    let mut plan = QueryPlanner { query: Query::match_all(), openings, wants_evidence, names };
    let Lowered { verdict, matching, evidence, .. } = plan.lower(tree, None)?;
    (plan.query.verdict, plan.query.position_verdict) = (verdict, matching);
    // Headers alone choose games with all their positions.
    let is_of_headers = plan.query.verdict == plan.query.position_verdict
        && plan.query.conditions.iter().all(|one| one.window.occurrence == Occurrence::Header);
    if wants_evidence && !is_of_headers {
        plan.query.evidence = Some(if evidence.is_nowhere() { EvidenceTree::EveryPly } else { evidence });
    }
    plan.query.names = plan.names.into_iter().map(|piece| piece.domain).collect();
    check_choices(&plan.query)?;
    Ok(plan.query)
}

struct QueryPlanner<'a> {
    query: Query,
    openings: OpeningResolver<'a>,
    wants_evidence: bool,
    /// The names, in the order of the text.
    names: Vec<FollowedPiece>,
}

/// A part of a query, over the bits of its conditions.
struct Lowered {
    /// Which games match.
    verdict: Formula,
    /// Which positions match.
    matching: Formula,
    /// The formula that opens the gate of a `then` after this part; none if the part is known only at the end of the game.
    fulfilled_at: Option<Formula>,
    /// Where the evidence lies.
    evidence: EvidenceTree,
}

impl Lowered {
    fn of_condition(n: u8) -> Lowered {
        let bit = Formula::Bit(n);
        Lowered {
            verdict: bit.clone(),
            matching: bit.clone(),
            fulfilled_at: Some(bit),
            evidence: EvidenceTree::Condition(n),
        }
    }

    /// A part of these verdicts that is known only at the end of the game.
    fn known_at_end(verdict: Formula, matching: Formula, evidence: EvidenceTree) -> Lowered {
        Lowered { verdict, matching, fulfilled_at: None, evidence }
    }
}

impl QueryPlanner<'_> {
    /// Outside braces: every part is a condition of its own.
    fn lower(&mut self, tree: &QueryTree, gate: Option<u8>) -> Result<Lowered, QueryError> {
        match tree {
            QueryTree::Everything => Ok(Lowered::known_at_end(Formula::True, Formula::True, EvidenceTree::Nowhere)),
            QueryTree::And(parts) => self.lower_list(parts, gate, Formula::And),
            QueryTree::Or(parts) => self.lower_list(parts, gate, Formula::Or),
            QueryTree::Not(inner) => {
                let inner = self.lower(inner, gate)?;
                self.negated(inner)
            }
            QueryTree::Together(_) | QueryTree::Leaf(_) => self.lower_window(tree, &WindowClause::EVER, gate),
            QueryTree::Condition { inner: what, window } => self.lower_window(what, window, gate),
            QueryTree::Header(_) => {
                let formula = self.lower_position(tree)?;
                let window = scan::PlyWindow { occurrence: Occurrence::Header, ..scan::PlyWindow::ANY_PLY };
                let n = self.intern_condition(formula, window, None)?;
                Ok(Lowered { evidence: EvidenceTree::Nowhere, ..Lowered::of_condition(n) })
            }
            QueryTree::Then { first, within, second } => {
                let first = self.lower(first, gate)?;
                let Some(fires) = first.fulfilled_at else {
                    return Err(error_at(
                        "the condition before `then` is known only at the end of the game",
                        0,
                        0,
                        &[],
                    ));
                };
                let within = within.map(|plies| plies.max(1));
                let gate = ConditionGate { opens_after: fires, open_for: within };
                let gate = intern(&mut self.query.gates, gate, "`then`s")?;
                let second = self.lower(second, Some(gate))?;
                Ok(Lowered {
                    verdict: Formula::And(vec![first.verdict, second.verdict]),
                    matching: Formula::Or(vec![first.matching, second.matching]),
                    fulfilled_at: second.fulfilled_at,
                    evidence: EvidenceTree::Then {
                        first: Box::new(first.evidence),
                        within,
                        second: Box::new(second.evidence),
                    },
                })
            }
        }
    }

    /// The contrary of a part, which has no place in a game. A game matches if it has no ply at which the part is known to be
    /// fulfilled, a position if the part is known not to hold there.
    fn negated(&mut self, part: Lowered) -> Result<Lowered, QueryError> {
        let matching = three_valued::contrary_of_conditions(part.matching, &mut self.query)?;
        Ok(Lowered::known_at_end(negate(part.verdict), matching, EvidenceTree::Nowhere))
    }

    /// The formula that holds where a formula over predicates is known not to hold.
    fn contrary(&mut self, formula: Formula) -> Result<Formula, QueryError> {
        three_valued::contrary(formula, &mut self.query.predicates)
    }

    fn lower_list(
        &mut self,
        parts: &[QueryTree],
        gate: Option<u8>,
        combine: fn(Vec<Formula>) -> Formula,
    ) -> Result<Lowered, QueryError> {
        let parts = parts.iter().map(|part| self.lower(part, gate)).collect::<Result<Vec<_>, _>>()?;
        let fires = parts.iter().map(|part| part.fulfilled_at.clone()).collect::<Option<Vec<_>>>();
        let evidence = match combine(Vec::new()) {
            Formula::Or(_) => {
                EvidenceTree::Any(parts.iter().map(|part| (part.verdict.clone(), part.evidence.clone())).collect())
            }
            _ => EvidenceTree::All(parts.iter().map(|part| part.evidence.clone()).collect()),
        };
        let (verdicts, matching) = parts.into_iter().map(|part| (part.verdict, part.matching)).unzip();
        Ok(Lowered {
            verdict: combine(verdicts),
            matching: combine(matching),
            fulfilled_at: fires.map(combine),
            evidence,
        })
    }

    /// The conditions of what holds at one position, within its window.
    fn lower_window(
        &mut self,
        what: &QueryTree,
        window: &WindowClause,
        gate: Option<u8>,
    ) -> Result<Lowered, QueryError> {
        let formula = self.lower_position(what)?;
        let phase = window.phase.map_or(Ok(Formula::True), |phase| self.lower_phase(phase))?;
        let scan_window =
            |times| scan::PlyWindow { edge: window.edge, plies: window.when, phase: phase.clone(), occurrence: times };
        if window.quantifier == WindowQuantifier::Always {
            let asks_tables = three_valued::asks_tables(&formula, &self.query.predicates);
            let matching = asks_tables.then(|| formula.clone());
            let contrary = Formula::Bit(self.intern_condition(negate(formula), scan_window(Occurrence::Once), gate)?);
            let matching = match matching {
                // The plan has no test of tables under `not`.
                Some(formula) => Formula::Bit(self.intern_condition(formula, scan::PlyWindow::ANY_PLY, None)?),
                None => negate(contrary.clone()),
            };
            let evidence = if self.wants_evidence {
                EvidenceTree::Counted(self.intern_condition(Formula::True, scan_window(Occurrence::Once), gate)?)
            } else {
                EvidenceTree::Nowhere
            };
            return Ok(Lowered::known_at_end(negate(contrary), matching, evidence));
        }
        let mut condition = |times| self.intern_condition(formula.clone(), scan_window(times), gate);
        let count = |plies: u32| if plies <= 1 { Occurrence::Once } else { Occurrence::Total(plies) };
        let lowered = match window.occurrence {
            OccurrenceRule::Once | OccurrenceRule::Consecutive(0 | 1) => {
                Lowered::of_condition(condition(Occurrence::Once)?)
            }
            OccurrenceRule::Consecutive(plies) => Lowered::of_condition(condition(Occurrence::Consecutive(plies))?),
            OccurrenceRule::Times { min: least, max: most } => {
                let at_least = if least > 0 { Some(condition(count(least))?) } else { None };
                let more = if most < u32::MAX { Some(condition(count(most + 1))?) } else { None };
                match (at_least, more) {
                    (Some(n), None) => Lowered::of_condition(n),
                    (None, Some(more)) => Lowered::known_at_end(
                        negate(Formula::Bit(more)),
                        Formula::Bit(more),
                        EvidenceTree::Counted(more),
                    ),
                    (Some(n), Some(more)) => {
                        let verdict = Formula::And(vec![Formula::Bit(n), negate(Formula::Bit(more))]);
                        Lowered::known_at_end(verdict, Formula::Bit(n), EvidenceTree::Condition(n))
                    }
                    (None, None) => return Err(error_at("any number of times is no restriction", 0, 0, &[])),
                }
            }
        };
        match window.quantifier {
            WindowQuantifier::Never => self.negated(lowered),
            _ => Ok(lowered),
        }
    }

    fn intern_condition(
        &mut self,
        formula: Formula,
        window: scan::PlyWindow,
        gate: Option<u8>,
    ) -> Result<u8, QueryError> {
        let is_change = window.edge.is_some() && three_valued::asks_tables(&formula, &self.query.predicates);
        let contrary = if is_change { Some(self.contrary(formula.clone())?) } else { None };
        let condition = ScanCondition { formula, contrary, window, gate };
        intern(&mut self.query.conditions, condition, "conditions")
    }

    fn intern_predicate(&mut self, predicate: PositionPredicate) -> Result<Formula, QueryError> {
        intern(&mut self.query.predicates, predicate, "predicates").map(Formula::Bit)
    }

    /// Inside braces: everything holds at the same position.
    fn lower_position(&mut self, tree: &QueryTree) -> Result<Formula, QueryError> {
        let mut lower_parts =
            |parts: &[QueryTree]| parts.iter().map(|part| self.lower_position(part)).collect::<Result<Vec<_>, _>>();
        match tree {
            QueryTree::Everything => Ok(Formula::True),
            QueryTree::And(parts) => Ok(flatten_and(lower_parts(parts)?)),
            QueryTree::Or(parts) => Ok(Formula::Or(lower_parts(parts)?)),
            QueryTree::Not(inner) => {
                let inner = self.lower_position(inner)?;
                self.contrary(inner)
            }
            QueryTree::Together(inner) => self.lower_position(inner),
            QueryTree::Leaf(leaf) => self.lower_leaf(leaf),
            QueryTree::Header(header) => self.lower_header(header),
            // No text describes such a tree.
            QueryTree::Condition { .. } => {
                Err(error_at("words about plies cannot stand inside braces, which are one position", 0, 0, &[]))
            }
            QueryTree::Then { .. } => {
                Err(error_at("`then` cannot stand inside braces, which are one position", 0, 0, &[]))
            }
        }
    }

    /// The formula of a phase of the game.
    fn lower_phase(&mut self, phase: GamePhase) -> Result<Formula, QueryError> {
        let pieces = || {
            let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
            let piece_codes =
                Color::ALL.into_iter().flat_map(move |colour| roles.map(|role| PieceCode::new(colour, role)));
            piece_codes
                .map(|piece| WeightedTerm { weight: 1, quantity: BoardQuantity::PieceCount(piece) })
                .collect::<Vec<_>>()
        };
        let mut at_most = |constant| {
            self.intern_predicate(PositionPredicate::Compare {
                terms: pieces(),
                comparison: NumberComparison::AtMost,
                constant,
            })
        };
        if phase == GamePhase::Endgame {
            return at_most(6);
        }
        let mut alternatives = vec![at_most(10)?];
        for colour in Color::ALL {
            let Some(feature) = FEATURES.iter().copied().find(|feature| feature.name == "piece") else { continue };
            let region = Region { squares: 0, own: 0xff }.for_side(colour);
            let terms =
                vec![WeightedTerm { weight: 1, quantity: FeatureSquares { feature, colour, region }.into_quantity() }];
            alternatives.push(self.intern_predicate(PositionPredicate::Compare {
                terms,
                comparison: NumberComparison::Less,
                constant: 4,
            })?);
        }
        let alternatives_formula = Formula::Or(alternatives);
        Ok(match phase {
            GamePhase::Opening => negate(alternatives_formula),
            _ => Formula::And(vec![negate(self.lower_phase(GamePhase::Endgame)?), alternatives_formula]),
        })
    }

    fn lower_leaf(&mut self, leaf: &Leaf) -> Result<Formula, QueryError> {
        match leaf {
            Leaf::Feature { feature, region, .. } if !feature.has_sides => {
                self.any_square(feature, Color::White, region.for_side(Color::White))
            }
            Leaf::Feature { side, feature, region } => {
                self.for_side(side, &mut |plan, colour| plan.any_square(feature, colour, region.for_side(colour)))
            }
            Leaf::Absent { side, feature, region } => {
                let side = if matches!(side, SideSelector::Either | SideSelector::Neither) {
                    &SideSelector::Both
                } else {
                    side
                };
                self.for_side(side, &mut |plan, colour| {
                    Ok(negate(plan.any_square(feature, colour, region.for_side(colour))?))
                })
            }
            Leaf::Attacks { side, feature, region, defends, target } => self.for_side(side, &mut |plan, colour| {
                let by = FeatureSquares { feature, colour, region: region.for_side(colour) };
                let target = match target {
                    TargetExpression::Region(region) => scan::predicate::AttackTarget::Region(region.for_side(colour)),
                    TargetExpression::Feature { feature, region } => {
                        let whose = if *defends { colour } else { !colour };
                        scan::predicate::AttackTarget::Feature(FeatureSquares {
                            feature,
                            colour: whose,
                            region: region.for_side(whose),
                        })
                    }
                };
                plan.intern_predicate(PositionPredicate::Attacks(Box::new(AttackPredicate { attackers: by, target })))
            }),
            Leaf::Marked { side, mark } => self.lower_mark(side, *mark),
            Leaf::Comment { side, pattern } => self.lower_comment(side, pattern),
            Leaf::TableOutcome { side, outcome } => {
                self.lower_table(side, &|colour| TableQuestion::Outcome(colour, *outcome))
            }
            Leaf::ThrewAway { side, thrown } => {
                self.lower_table(side, &|colour| TableQuestion::ThrewAway(colour, *thrown))
            }
            Leaf::Played { side, pattern } => self.for_side(side, &mut |plan, colour| plan.lower_move(pattern, colour)),
            Leaf::Squares { side, squares, is_absent } => self.lower_squares(side, squares, *is_absent),
            Leaf::Empty(region) => self.intern_predicate(PositionPredicate::Empty(region.squares)),
            Leaf::Compare(left, comparison, right) => self.lower_comparison(left, *comparison, right),
            Leaf::Number { is_move_number: of_move, first, last } => {
                self.intern_predicate(PositionPredicate::Ply(number_filter(*of_move, (*first, *last))))
            }
            Leaf::Fen(fen) => self.conjunction(fen_predicates(fen)),
            Leaf::Board(diagram) => self.conjunction(diagram_predicates(diagram, diagram.remaining_placement())),
            Leaf::Structure { white, black } => {
                let pawns = Diagram::from_pawns(*white, *black).pawn_pattern().map(PositionPredicate::PawnPattern);
                self.conjunction(pawns.into_iter().collect())
            }
            Leaf::Under(under) => self.lower_transformed(under),
            Leaf::Material(material) => self.any_piece_bounds(material.bounds()),
            Leaf::Imbalance(imbalance) => self.lower_imbalance(imbalance),
            Leaf::Endgame(endgame) => self.any_piece_bounds(endgame.bounds()),
        }
    }

    fn lower_comment(&mut self, side: &SideSelector, pattern: &str) -> Result<Formula, QueryError> {
        self.for_side(side, &mut |plan, mover| {
            let test = CommentTest::unbound(NamePattern::new(pattern), mover);
            plan.intern_predicate(PositionPredicate::Annotations(AnnotationTest::Comment(test)))
        })
    }

    fn lower_table(
        &mut self,
        side: &SideSelector,
        question: &dyn Fn(Color) -> TableQuestion,
    ) -> Result<Formula, QueryError> {
        self.for_side(side, &mut |plan, colour| plan.intern_predicate(table_predicate(question(colour))))
    }

    fn lower_mark(&mut self, side: &SideSelector, mark: PlyMark) -> Result<Formula, QueryError> {
        self.for_side(side, &mut |plan, mover| {
            plan.intern_predicate(PositionPredicate::Annotations(AnnotationTest::Mark { mark, mover }))
        })
    }

    fn any_square(
        &mut self,
        feature: &'static BoardFeature,
        colour: Color,
        region: u64,
    ) -> Result<Formula, QueryError> {
        self.intern_predicate(PositionPredicate::FeatureInRegion(FeatureSquares { feature, colour, region }))
    }

    /// The formula of a side that has a square of a set, or none.
    fn lower_squares(
        &mut self,
        side: &SideSelector,
        squares: &SquareExpression,
        is_absent: bool,
    ) -> Result<Formula, QueryError> {
        let side = match (squares.has_sides(), side) {
            (false, _) => &SideSelector::White,
            (true, SideSelector::Either | SideSelector::Neither) if is_absent => &SideSelector::Both,
            (true, side) => side,
        };
        self.for_side(side, &mut |plan, colour| {
            let holds = plan.any_square_of_set(plan.squares_for_side(squares, colour))?;
            Ok(if is_absent { negate(holds) } else { holds })
        })
    }

    /// The formula of a set that is not empty: cheap conditions that follow first, then the exact one.
    fn any_square_of_set(&mut self, set: SquareSet) -> Result<Formula, QueryError> {
        let is_cheap = |squares: &FeatureSquares| {
            squares.feature.role().is_some() || squares.feature.needs == ReplayNeeds::PAWN_BITBOARDS
        };
        let mut implied = Vec::new();
        match set {
            SquareSet::Feature(squares) => return self.any_square(squares.feature, squares.colour, squares.region),
            SquareSet::Any(parts) => {
                let parts = parts.into_iter().map(|part| self.any_square_of_set(part));
                return Ok(Formula::Or(parts.collect::<Result<_, _>>()?));
            }
            SquareSet::All(ref parts) => implied.extend(parts.iter()),
            SquareSet::Attacking { ref pieces, .. } | SquareSet::XRaying { ref pieces, .. } => implied.push(&**pieces),
            SquareSet::Named { .. } => implied.push(&set),
            SquareSet::Region(_) | SquareSet::Not(_) | SquareSet::Related { .. } | SquareSet::Between(_) => {}
        }
        // Where nothing is, nothing lies beside it.
        for part in implied.clone() {
            match part {
                SquareSet::Related { to, .. } => implied.push(&**to),
                SquareSet::Between(ends) => implied.extend(ends.iter()),
                _ => {}
            }
        }
        let mut formulas = Vec::new();
        for part in implied {
            if let SquareSet::Feature(squares) = part
                && is_cheap(squares)
            {
                formulas.push(self.any_square(squares.feature, squares.colour, squares.region)?);
            }
            if let SquareSet::Named { piece, colour, region } = part {
                formulas.extend(self.implied_by_name(*piece, *colour, *region)?);
            }
        }
        let test = if set.names() == 0 {
            PositionPredicate::SquareSet(Box::new(set))
        } else {
            PositionPredicate::Followed(FollowedTest::Squares(Box::new(set)))
        };
        formulas.push(self.intern_predicate(test)?);
        Ok(flatten_and(formulas))
    }

    /// What holds without a choice of pieces where a followed piece of a side stands in a region; none if that is nothing.
    fn implied_by_name(
        &mut self,
        piece: NamedPiece,
        colour: Color,
        region: u64,
    ) -> Result<Option<Formula>, QueryError> {
        let Some(FollowedPiece { colours, role, .. }) = self.names.get(usize::from(piece.index)) else {
            return Ok(None);
        };
        if !colours.contains(&colour) {
            // Nothing fulfils this.
            return Ok(Some(Formula::Or(Vec::new())));
        }
        if region == u64::MAX {
            return Ok(None);
        }
        // A pawn may have become any piece, and any piece but a king may have been a pawn.
        let kinds: &[&str] = match role {
            Some(Role::King) => &["king"],
            Some(Role::Knight) => &["knight", "pawn"],
            Some(Role::Bishop) => &["bishop", "pawn"],
            Some(Role::Rook) => &["rook", "pawn"],
            Some(Role::Queen) => &["queen", "pawn"],
            Some(Role::Pawn) | None => &["piece"],
        };
        let features = FEATURES.iter().copied().filter(|feature| kinds.contains(&feature.name));
        let formulas = features.map(|feature| self.any_square(feature, colour, region));
        Ok(Some(Formula::Or(formulas.collect::<Result<_, _>>()?)))
    }

    /// The formula of such a move of a side.
    fn lower_move(&mut self, pattern: &MovePattern, colour: Color) -> Result<Formula, QueryError> {
        let mut predicates = vec![PositionPredicate::Played(pattern.predicate(colour))];
        let named = |reference: PieceReference| named_piece(&self.names, reference.name);
        let followed = [
            pattern.piece_name.map(|reference| FollowedTest::Moves(named(reference))),
            pattern.object_name.map(|reference| FollowedTest::IsCaptured(named(reference))),
        ];
        predicates.extend(followed.into_iter().flatten().map(PositionPredicate::Followed));
        predicates.extend(pattern.effect(colour));
        self.conjunction(predicates)
    }

    fn squares_for_side(&self, squares: &SquareExpression, colour: Color) -> SquareSet {
        squares_for_side(squares, colour, u64::MAX, &self.names)
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

    /// Lowers for a side what `lower` does for a colour.
    fn for_side(
        &mut self,
        side: &SideSelector,
        lower: &mut dyn FnMut(&mut Self, Color) -> Result<Formula, QueryError>,
    ) -> Result<Formula, QueryError> {
        if let Some(colour) = side.colour() {
            return lower(self, colour);
        }
        // If the side depends on the game, the test under which it is White, and the one under which it is Black.
        let outcome_tests: Option<[PositionPredicate; 2]> = match side {
            SideSelector::Mover => {
                Some([PositionPredicate::SideToMove(Color::White), PositionPredicate::SideToMove(Color::Black)])
            }
            SideSelector::Waiter => {
                Some([PositionPredicate::SideToMove(Color::Black), PositionPredicate::SideToMove(Color::White)])
            }
            SideSelector::Winner => {
                Some([GameResult::White, GameResult::Black].map(|one| PositionPredicate::Header(result_test(&[one]))))
            }
            SideSelector::Loser => {
                Some([GameResult::Black, GameResult::White].map(|one| PositionPredicate::Header(result_test(&[one]))))
            }
            SideSelector::Player(name) => Some(
                [NameField::White, NameField::Black].map(|field| PositionPredicate::Header(name_test(field, name))),
            ),
            _ => None,
        };
        let colours = match outcome_tests {
            None => Color::ALL.into_iter().map(|colour| lower(self, colour)).collect::<Result<Vec<_>, _>>()?,
            Some(is) => {
                let parts = Color::ALL.into_iter().zip(is).map(|(colour, is)| {
                    let (is, holds) = (self.intern_predicate(is)?, lower(self, colour)?);
                    Ok(flatten_and(vec![is, holds]))
                });
                parts.collect::<Result<Vec<_>, _>>()?
            }
        };
        Ok(match side {
            SideSelector::Both => flatten_and(colours),
            SideSelector::Neither => self.contrary(Formula::Or(colours))?,
            _ => Formula::Or(colours),
        })
    }

    /// The formula of all `predicates` at one position.
    fn conjunction(&mut self, predicates: Vec<PositionPredicate>) -> Result<Formula, QueryError> {
        let mut formulas = self.intern_predicates(predicates.into_iter())?;
        match formulas.len() {
            0 => Ok(Formula::True),
            1 => Ok(formulas.swap_remove(0)),
            _ => Ok(Formula::And(formulas)),
        }
    }

    /// The formula of the images, at least one of which must hold. Images that differ only in squares are tested together.
    fn lower_transformed(&mut self, under: &TransformedPattern) -> Result<Formula, QueryError> {
        let images: Vec<ImageRequirements> =
            under.images().iter().filter_map(|(_, leaf)| ImageRequirements::of_leaf(leaf)).collect();
        let mut groups: Vec<(StateRequirements, Vec<&ImageRequirements>)> = Vec::new();
        for image in &images {
            let rest = image.state.clone();
            match groups.iter_mut().find(|(other, _)| *other == rest) {
                Some((_, group)) => group.push(image),
                None => groups.push((rest, Vec::from([image]))),
            }
        }
        let groups = groups.into_iter().map(|(rest, group)| {
            let mut formulas = self.intern_predicates(rest.predicates().into_iter())?;
            formulas.extend(self.common_piece_bounds(&group)?);
            let watched_squares =
                group.iter().map(|image| image.other_squares.map_or(0, |others| others.squares.count_ones()));
            // If the pawns decide most positions, the few others are replayed quickly.
            let max_squares =
                if group.iter().any(|way| way.pawns.is_none()) { MAX_WATCHED_SQUARES } else { MAX_WATCHED_SQUARES / 2 };
            if group.len() > 1 && (1..=max_squares).contains(&watched_squares.sum()) {
                let per_image = group.iter().map(|way| self.conjunction(ImageRequirements::square_predicates(&[*way])));
                formulas.push(Formula::Or(per_image.collect::<Result<_, _>>()?));
            } else {
                formulas.extend(self.intern_predicates(ImageRequirements::square_predicates(&group).into_iter())?);
            }
            Ok(flatten_and(formulas))
        });
        let mut groups = groups.collect::<Result<Vec<Formula>, QueryError>>()?;
        Ok(if groups.len() == 1 { groups.swap_remove(0) } else { Formula::Or(groups) })
    }

    /// The formula of the images' piece counts; none unless each image has some.
    fn common_piece_bounds(&mut self, images: &[&ImageRequirements]) -> Result<Option<Formula>, QueryError> {
        let mut bounds: Vec<PieceCountBounds> = Vec::new();
        for image in images {
            let Some(numbers) = image.numbers else { return Ok(None) };
            if !bounds.contains(&numbers) {
                bounds.push(numbers);
            }
        }
        if bounds.len() > MAX_PIECE_BOUNDS {
            let widen = |one: PieceCountBounds, two: &PieceCountBounds| PieceCountBounds {
                min: ByPiece::from_fn(|man| one.min[man].min(two.min[man])),
                max: ByPiece::from_fn(|man| one.max[man].max(two.max[man])),
            };
            bounds = Vec::from([bounds.iter().skip(1).fold(bounds[0], widen)]);
        }
        self.any_piece_bounds(bounds.into_iter()).map(Some)
    }

    /// The formula of piece counts within one of `bounds`, of which there is at least one.
    fn any_piece_bounds(&mut self, bounds: impl Iterator<Item = PieceCountBounds>) -> Result<Formula, QueryError> {
        let mut formulas =
            self.intern_predicates(bounds.map(|bounds| PositionPredicate::PieceCounts(Box::new(bounds))))?;
        Ok(if formulas.len() == 1 { formulas.swap_remove(0) } else { Formula::Or(formulas) })
    }

    fn intern_predicates(
        &mut self,
        predicates: impl Iterator<Item = PositionPredicate>,
    ) -> Result<Vec<Formula>, QueryError> {
        predicates.map(|predicate| self.intern_predicate(predicate)).collect()
    }

    /// The formula of an imbalance: for each role, the pieces of one side minus those of the other.
    fn lower_imbalance(&mut self, imbalance: &Imbalance) -> Result<Formula, QueryError> {
        let mut for_first = |first: Color| {
            let mut parts = Vec::new();
            for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn] {
                // In the order of colours, so that the same condition is one predicate, whichever side is named first.
                let sign = first.fold_wb(1, -1);
                let constant = sign * i64::from(imbalance.difference[role as usize - 1]);
                let terms = [(Color::White, 1), (Color::Black, -1)];
                let terms = terms.map(|(colour, weight)| WeightedTerm {
                    weight,
                    quantity: BoardQuantity::PieceCount(PieceCode::new(colour, role)),
                });
                let comparison = NumberComparison::Equal;
                parts.push(self.intern_predicate(PositionPredicate::Compare {
                    terms: terms.to_vec(),
                    comparison,
                    constant,
                })?);
            }
            Ok(Formula::And(parts))
        };
        match imbalance.first {
            Some(first) => for_first(first),
            None if imbalance.difference == [0; 5] => for_first(Color::White),
            None => Ok(Formula::Or(vec![for_first(Color::White)?, for_first(Color::Black)?])),
        }
    }

    fn lower_header(&mut self, header: &HeaderCondition) -> Result<Formula, QueryError> {
        let clamp = |number: u32| number.min(u32::from(u16::MAX)) as u16;
        let test = match header {
            HeaderCondition::Name { selector, pattern } => return self.lower_name(*selector, pattern),
            HeaderCondition::Elo { selector, range } => {
                return self.lower_elo(*selector, (clamp(range.min), clamp(range.max)));
            }
            HeaderCondition::Title { selector, titles } => return self.lower_titles(*selector, titles),
            HeaderCondition::EloLead(lead) => return self.lower_elo_lead(lead),
            HeaderCondition::Result(outcomes) => result_test(outcomes),
            HeaderCondition::Eco(ranges) => {
                let mut codes = EcoCodes::default();
                ranges.iter().for_each(|&(from, to)| codes.insert_all(&EcoCodes::range(from, to)));
                HeaderTest::Eco(codes)
            }
            HeaderCondition::Opening(name) => {
                let codes = (self.openings)(name).map_err(|error| match name.span {
                    Some(TextSpan { from, to }) => QueryError { from, to, ..error },
                    None => error,
                });
                HeaderTest::Eco(codes?)
            }
            HeaderCondition::Date { from, to } => date_test(*from, *to),
            HeaderCondition::Plies(range) => HeaderTest::Plies { least: clamp(range.min), most: clamp(range.max) },
            HeaderCondition::Set(name) => HeaderTest::Set(NamedSet::unbound(name)),
            HeaderCondition::Ended(endings) => {
                HeaderTest::Ending(bit_mask(endings.iter().map(|&ending| ending as u16)))
            }
            HeaderCondition::TimeClass(classes) => {
                HeaderTest::TimeClass(bit_mask(classes.iter().map(|&class| class as u16)))
            }
        };
        self.intern_header(test)
    }

    fn intern_header(&mut self, test: HeaderTest) -> Result<Formula, QueryError> {
        self.intern_predicate(PositionPredicate::Header(test))
    }

    fn lower_name(&mut self, selector: NameSelector, pattern: &str) -> Result<Formula, QueryError> {
        let mut test = |field| self.intern_header(name_test(field, pattern));
        match selector {
            NameSelector::White => test(NameField::White),
            NameSelector::Black => test(NameField::Black),
            NameSelector::Event => test(NameField::Event),
            NameSelector::Site => test(NameField::Site),
            NameSelector::Source => test(NameField::Source),
            NameSelector::Round => test(NameField::Text(HeaderText::Round)),
            NameSelector::Annotator => test(NameField::Text(HeaderText::Annotator)),
            NameSelector::TimeControl => test(NameField::Text(HeaderText::TimeControl)),
            NameSelector::Player => Ok(Formula::Or(vec![test(NameField::White)?, test(NameField::Black)?])),
            NameSelector::Winner | NameSelector::Loser => {
                let side = if selector == NameSelector::Winner { SideSelector::Winner } else { SideSelector::Loser };
                self.for_side(&side, &mut |plan, colour| {
                    plan.intern_header(name_test(colour.fold_wb(NameField::White, NameField::Black), pattern))
                })
            }
        }
    }

    /// The formula of titles, of which a player has one.
    fn lower_titles(&mut self, players: PlayerSelector, titles: &[SpannedName]) -> Result<Formula, QueryError> {
        self.for_side(&players.side(), &mut |plan, colour| {
            let field = NameField::Text(colour.fold_wb(HeaderText::WhiteTitle, HeaderText::BlackTitle));
            let tests = titles.iter().map(|title| plan.intern_header(name_test(field, title)));
            let mut tests = tests.collect::<Result<Vec<_>, _>>()?;
            Ok(if tests.len() == 1 { tests.remove(0) } else { Formula::Or(tests) })
        })
    }

    /// The formula of a comparison of both ratings. Seen from White, a lead of Black changes its sign.
    fn lower_elo_lead(&mut self, lead: &EloLead) -> Result<Formula, QueryError> {
        let mut of_colour = |plan: &mut Self, colour: Color| {
            let (comparison, margin) = match colour {
                Color::White => (lead.comparison, lead.margin),
                Color::Black => (lead.comparison.reversed(), -lead.margin),
            };
            let tests = elo_lead_tests(comparison, margin).into_iter().map(|test| plan.intern_header(test));
            let mut tests = tests.collect::<Result<Vec<_>, _>>()?;
            Ok(if tests.len() == 1 { tests.remove(0) } else { Formula::Or(tests) })
        };
        self.for_side(&lead.player.side(), &mut of_colour)
    }

    /// The formula of a rating within bounds, both included.
    fn lower_elo(&mut self, selector: EloSelector, (least, most): (u16, u16)) -> Result<Formula, QueryError> {
        let test = |which| HeaderTest::Elo { which, least, most };
        match selector {
            EloSelector::Of(players) => self.for_side(&players.side(), &mut |plan, colour| {
                plan.intern_header(test(colour.fold_wb(RatingField::White, RatingField::Black)))
            }),
            EloSelector::Average => self.intern_header(test(RatingField::Average)),
            EloSelector::Difference => self.intern_header(test(RatingField::Difference)),
        }
    }
}

/// The test whether White's rating minus Black's compares so with `margin`; for "not equal", those of less and of more.
fn elo_lead_tests(comparison: NumberComparison, margin: i32) -> Vec<HeaderTest> {
    let (before, after) = (margin - 1, margin + 1);
    let bounds = match comparison {
        NumberComparison::Equal => vec![(margin, margin)],
        NumberComparison::Unequal => vec![(i32::MIN, before), (after, i32::MAX)],
        NumberComparison::Less => vec![(i32::MIN, before)],
        NumberComparison::AtMost => vec![(i32::MIN, margin)],
        NumberComparison::More => vec![(after, i32::MAX)],
        NumberComparison::AtLeast => vec![(margin, i32::MAX)],
    };
    bounds.into_iter().map(|(least, most)| HeaderTest::EloLead { least, most }).collect()
}

/// The test of a range of dates. A part that a date leaves open means its first value in `from` and its last in `to`.
fn date_test(from: Option<PartialDate>, to: Option<PartialDate>) -> HeaderTest {
    let part = |part: u8, last: u8| u32::from(if part == 0 { last } else { part });
    let from = from.map_or(Date::default(), |day| Date::new(day.year.into(), day.month.into(), day.day.into()));
    let to =
        to.map_or(Date::new(9999, 12, 31), |day| Date::new(day.year.into(), part(day.month, 12), part(day.day, 31)));
    HeaderTest::Date { from, to }
}

fn bit_mask(bits: impl Iterator<Item = u16>) -> u16 {
    bits.fold(0, |all, bit| all | 1 << bit)
}

fn result_test(outcomes: &[GameResult]) -> HeaderTest {
    HeaderTest::Result(bit_mask(outcomes.iter().map(|&outcome| outcome as u16)))
}

fn name_test(field: NameField, pattern: &str) -> HeaderTest {
    HeaderTest::Name { field, pattern: NamePattern::new(pattern) }
}

/// The formula of all parts, with nested `and`s flattened, so that the scan sees every part that it can test first.
fn flatten_and(parts: Vec<Formula>) -> Formula {
    let flat = parts.into_iter().flat_map(|part| match part {
        Formula::And(inner) => inner,
        part => vec![part],
    });
    Formula::And(flat.collect())
}

/// What an image requires.
struct ImageRequirements {
    state: StateRequirements,
    /// The piece counts that its squares imply.
    numbers: Option<PieceCountBounds>,
    pawns: Option<PawnPattern>,
    /// The requirements that [`pawns`](Self::pawns) does not have.
    other_squares: Option<Placement>,
    /// Every square that the image restricts.
    all_squares: Placement,
}

/// What an image requires besides pieces.
#[derive(Clone, PartialEq)]
struct StateRequirements {
    turn: Option<Color>,
    rights: Option<PositionPredicate>,
}

impl StateRequirements {
    fn predicates(self) -> Vec<PositionPredicate> {
        [self.turn.map(PositionPredicate::SideToMove), self.rights].into_iter().flatten().collect()
    }
}

impl ImageRequirements {
    /// The requirements of a leaf that describes the whole board.
    fn of_leaf(leaf: &Leaf) -> Option<ImageRequirements> {
        let requirements = |diagram: &Diagram, turn, rights| ImageRequirements {
            state: StateRequirements { turn, rights },
            numbers: diagram.piece_bounds(),
            pawns: diagram.pawn_pattern(),
            other_squares: diagram.remaining_placement(),
            all_squares: diagram.constrained_placement(),
        };
        match leaf {
            Leaf::Fen(fen) => Some(requirements(&fen.placement, fen.turn, rights_predicate(fen))),
            Leaf::Board(diagram) => Some(requirements(diagram, None, None)),
            Leaf::Structure { white, black } => {
                let diagram = Diagram::from_pawns(*white, *black);
                let rest = StateRequirements { turn: None, rights: None };
                Some(ImageRequirements {
                    state: rest,
                    numbers: None,
                    pawns: diagram.pawn_pattern(),
                    other_squares: None,
                    all_squares: diagram.constrained_placement(),
                })
            }
            _ => None,
        }
    }

    /// The predicates of squares that at least one image must satisfy: first the pawns alone, then the exact test.
    fn square_predicates(images: &[&ImageRequirements]) -> Vec<PositionPredicate> {
        let exactly = |placement: &Placement| PositionPredicate::Placement(Box::new(*placement));
        if let [way] = images {
            return [way.pawns.map(PositionPredicate::PawnPattern), way.other_squares.as_ref().map(exactly)]
                .into_iter()
                .flatten()
                .collect();
        }
        let mut pawns: Vec<PawnPattern> = Vec::new();
        for image in images {
            pawns.extend(image.pawns.filter(|pattern| !pawns.contains(pattern)));
        }
        let mut predicates = Vec::new();
        if images.iter().all(|way| way.pawns.is_some()) {
            predicates.push(PositionPredicate::PawnPatternImages(pawns.into()));
        }
        if images.iter().any(|way| way.other_squares.is_some()) {
            let placements = images.iter().map(|way| way.all_squares).collect();
            predicates.push(PositionPredicate::PlacementImages(Box::new(PlacementImages::new(placements))));
        }
        predicates
    }
}

/// A placement and the other fields of a FEN, as predicates: cheap ones first, then exact ones.
fn fen_predicates(fen: &FenPattern) -> Vec<PositionPredicate> {
    let mut predicates: Vec<PositionPredicate> = fen.turn.map(PositionPredicate::SideToMove).into_iter().collect();
    predicates.extend(diagram_predicates(&fen.placement, Some(fen.placement.full_placement())));
    predicates.extend(rights_predicate(fen));
    predicates
}

fn rights_predicate(fen: &FenPattern) -> Option<PositionPredicate> {
    let (castling, en_passant) = (fen.castling, fen.en_passant);
    (castling.is_some() || en_passant.is_some()).then_some(PositionPredicate::Rights { castling, en_passant })
}

/// The piece counts and pawns of a diagram, and `placement`, which makes the test exact.
fn diagram_predicates(diagram: &Diagram, placement: Option<Placement>) -> Vec<PositionPredicate> {
    let numbers = diagram.piece_bounds().map(|bounds| PositionPredicate::PieceCounts(Box::new(bounds)));
    let pawns = diagram.pawn_pattern().map(PositionPredicate::PawnPattern);
    let placement = placement.map(|placement| PositionPredicate::Placement(Box::new(placement)));
    [numbers, pawns, placement].into_iter().flatten().collect()
}

/// A name, and what is known of its piece before the first game.
struct FollowedPiece {
    domain: NameDomain,
    colours: Vec<Color>,
    /// The role that the piece has when it is introduced, if it is one.
    role: Option<Role>,
}

impl FollowedPiece {
    fn new(introduction: Introduction) -> FollowedPiece {
        let Introduction { name, colours, place } = introduction;
        let place = match place {
            IntroducedPlace::Squares(place) => place,
            IntroducedPlace::Role(role) => {
                let kind = role.map_or("piece", role_name);
                let feature = FEATURES.iter().copied().find(|feature| feature.name == kind);
                feature.map_or(SquareExpression::Any(Vec::new()), |feature| SquareExpression::Feature {
                    feature,
                    region: Region::ANYWHERE,
                })
            }
        };
        let role = match &place {
            SquareExpression::Feature { feature, .. } => feature.role(),
            _ => None,
        };
        let places = colours.iter().map(|&colour| squares_for_side(&place, colour, u64::MAX, &[])).collect();
        FollowedPiece { domain: NameDomain { name, places }, colours, role }
    }
}

/// The index of a name, which is one of the query's.
fn named_piece(names: &[FollowedPiece], name: PieceName) -> NamedPiece {
    let index = names.iter().position(|piece| piece.domain.name == name).unwrap_or(0);
    NamedPiece { index: index as u8, name }
}

/// Rejects a query if too many names must be chosen together.
fn check_choices(query: &Query) -> Result<(), QueryError> {
    if query.names.is_empty() {
        return Ok(());
    }
    let parts = [QuantifiedPart::of_verdict(query, None), QuantifiedPart::of_positions(query)];
    let (choices, names) = parts.iter().map(|part| part.max_choices(query)).max().unwrap_or((1, 0));
    if choices <= MAX_CHOICES {
        return Ok(());
    }
    let names: Vec<String> = query
        .names
        .iter()
        .enumerate()
        .filter(|(nth, _)| names >> nth & 1 != 0)
        .map(|(_, domain)| format!("`{}`", domain.name))
        .collect();
    let message = format!(
        "the names {} depend on each other, and there are {choices} ways to choose their pieces; at most {MAX_CHOICES} are tried: \
         name fewer pieces, or kinds of which there are fewer",
        names.join(", ")
    );
    Err(error_at(&message, 0, 0, &[]))
}

/// The squares of an expression for a colour, within a region.
fn squares_for_side(squares: &SquareExpression, colour: Color, within: u64, names: &[FollowedPiece]) -> SquareSet {
    let each =
        |parts: &[SquareExpression]| parts.iter().map(|part| squares_for_side(part, colour, within, names)).collect();
    let named = |name: PieceName, region: u64| SquareSet::Named { piece: named_piece(names, name), colour, region };
    match squares {
        SquareExpression::Feature { feature, region } => {
            let colour = if feature.has_sides { colour } else { Color::White };
            SquareSet::Feature(FeatureSquares { feature, colour, region: region.for_side(colour) & within })
        }
        SquareExpression::Named { name, region } => named(*name, region.for_side(colour) & within),
        SquareExpression::Introduced { place, name } => {
            SquareSet::All(vec![squares_for_side(place, colour, within, names), named(*name, u64::MAX)])
        }
        SquareExpression::All(parts) => SquareSet::All(each(parts)),
        SquareExpression::Any(parts) => SquareSet::Any(each(parts)),
        SquareExpression::Not(part) => SquareSet::Not(Box::new(squares_for_side(part, colour, u64::MAX, names))),
        SquareExpression::On(part, region) => squares_for_side(part, colour, region.for_side(colour) & within, names),
        SquareExpression::Related(relation) => related_for_side(relation, colour, names),
        SquareExpression::XRaying { pieces, ray } => {
            let end = |end: &RelatedSquares| union_for_side(end, colour, names, &|squares, _| squares);
            SquareSet::XRaying {
                colour,
                pieces: Box::new(squares_for_side(pieces, colour, within, names)),
                line: Box::new([end(&ray.target), ray.through.as_ref().map_or(SquareSet::Region(u64::MAX), end)]),
            }
        }
        SquareExpression::Attacking { pieces, defends, target } => SquareSet::Attacking {
            colour,
            pieces: Box::new(squares_for_side(pieces, colour, within, names)),
            target: Box::new(match &**target {
                SquareTarget::Region(region) => SquareSet::Region(region.for_side(colour)),
                SquareTarget::Squares(squares) => {
                    squares_for_side(squares, if *defends { colour } else { !colour }, u64::MAX, names)
                }
            }),
        },
    }
}

/// The squares that lie so for a side.
fn related_for_side(relation: &RelationExpression, side: Color, names: &[FollowedPiece]) -> SquareSet {
    match relation {
        RelationExpression::To(relation, to) => union_for_side(to, side, names, &|squares, colour| {
            SquareSet::Related { relation: *relation, colour, to: Box::new(squares) }
        }),
        RelationExpression::Between(one, other) => {
            let [one, other] = [one, other].map(|end| union_for_side(end, side, names, &|squares, _| squares));
            SquareSet::Between(Box::new([one, other]))
        }
    }
}

/// What `of` makes of the squares of each of their owners; a region is that of the side in question.
fn union_for_side(
    squares: &RelatedSquares,
    side: Color,
    names: &[FollowedPiece],
    of: &dyn Fn(SquareSet, Color) -> SquareSet,
) -> SquareSet {
    match &squares.squares {
        SquareTarget::Region(region) => of(SquareSet::Region(region.for_side(side)), side),
        SquareTarget::Squares(expression) => {
            let colours = squares.owner.colours(side).iter();
            let mut sets: Vec<SquareSet> =
                colours.map(|&colour| of(squares_for_side(expression, colour, u64::MAX, names), colour)).collect();
            if sets.len() == 1 { sets.swap_remove(0) } else { SquareSet::Any(sets) }
        }
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
    for (sum, sign) in [(left, 1), (right, -1)] {
        for (factor, counted) in &sum.terms {
            let weight = sign * factor;
            let colours = |side: &SideSelector| {
                let colour_named = side.colour();
                Color::ALL.into_iter().filter(move |&colour| colour_named.is_none_or(|one| one == colour))
            };
            match counted {
                CountExpression::Squares { side, feature, region } => {
                    for colour in colours(side).filter(|&colour| feature.has_sides || colour == Color::White) {
                        if feature.name == "piece" && *region == Region::ANYWHERE {
                            // The piece counts are known without the squares.
                            Role::ALL
                                .iter()
                                .for_each(|&role| add(weight, BoardQuantity::PieceCount(PieceCode::new(colour, role))));
                        } else {
                            add(
                                weight,
                                FeatureSquares { feature, colour, region: region.for_side(colour) }.into_quantity(),
                            );
                        }
                    }
                }
                CountExpression::Set { side, squares } => {
                    for colour in colours(side).filter(|&colour| squares.has_sides() || colour == Color::White) {
                        // No name is counted.
                        let set = squares_for_side(squares, colour, u64::MAX, &[]);
                        add(weight, BoardQuantity::SquareSet(Box::new(set)));
                    }
                }
                CountExpression::Number(number) => add(weight, BoardQuantity::Number(number)),
                // A colour stands in its place by now.
                CountExpression::OfSide { side, .. } => {
                    return Err(error_at(&alloc::format!("`{side}` is no side here"), 0, 0, &[]));
                }
                CountExpression::Points(side) => {
                    for colour in colours(side) {
                        for (role, points) in POINTS {
                            add(weight.saturating_mul(points), BoardQuantity::PieceCount(PieceCode::new(colour, role)));
                        }
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
    let of_annotations = |origin| match origin {
        NumberOrigin::Annotations(number) => Some(number),
        _ => None,
    };
    if let Some(terms) = terms_of_origin(&terms, of_annotations)? {
        return Ok(PositionPredicate::Annotations(AnnotationTest::Compare { terms, comparison, constant }));
    }
    let of_tables = |origin| match origin {
        NumberOrigin::Tables(number) => Some(number),
        _ => None,
    };
    if let Some(terms) = terms_of_origin(&terms, of_tables)? {
        return Ok(table_predicate(TableQuestion::Compare { terms, comparison, constant }));
    }
    terms.retain(|term| term.weight != 0);
    Ok(PositionPredicate::Compare { terms, comparison, constant })
}

/// The plies whose number, or that of their move, is in a range.
fn number_filter(of_move: bool, range: (u32, u32)) -> PlyFilter {
    match of_move {
        true => PlyFilter { move_bounds: range, ..PlyFilter::EVERY_PLY },
        false => PlyFilter { ply_bounds: range, ..PlyFilter::EVERY_PLY },
    }
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
    all.map(Some).ok_or_else(|| error_at(MIXED_NUMBERS, 0, 0, &[]))
}
