//! Turns a tree into the query that the scan runs. A query has predicates, each once; conditions over them; gates; and the
//! verdict over the conditions.
//!
//! This file makes the conditions: it reads what stands outside braces, with its windows and gates. `position` reads what holds at
//! one position, `squares` sets of squares and names of pieces, `images` boards and their images, and `header` facts about the
//! game.
//!
//! A window can only change from *not yet* to *fulfilled*. `never`, `always`, `at most` and `exactly` are made of such windows and
//! `not`: `always A` is `never not A`, and `at most 3 times` is `not at least 4 times`.

mod header;
mod headers_after;
mod images;
mod position;
pub(crate) mod squares;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_scan::headers::ResolvedOpening;
use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::evidence::{EvidenceTree, PositionRule};
use plyfold_scan::scan::plan::quantified::{MAX_CHOICES, QuantifiedPart};
use plyfold_scan::scan::predicate::PositionPredicate;
use plyfold_scan::scan::{ConditionGate, Occurrence, PlyWindow, Query, ScanCondition};

use super::error::{QueryError, error_of_query};
use super::header::NumberRange;
use super::names;
use super::three_valued::{self, intern, negate};
use super::tree::QueryTree;
use super::window::{OccurrenceRule, WindowClause, WindowQuantifier};
use squares::FollowedPiece;

pub(crate) use position::table_predicate;

/// Finds the ECO codes that the name of an opening means.
pub type OpeningResolver<'a> = &'a dyn Fn(&str) -> Result<ResolvedOpening, QueryError>;

/// Turns a tree into the query that the scan runs.
///
/// # Errors
///
/// More than 65536 different predicates, conditions or gates; an unknown opening; a tree that no text describes.
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
    let introductions = names::introductions(whole).map_err(|mistake| error_of_query(&mistake.message))?;
    let names = introductions.into_iter().map(FollowedPiece::new).collect();
    let mut plan = QueryPlanner { query: Query::match_all(), openings, wants_evidence, names };
    let Lowered { verdict, matching, evidence, .. } = plan.lower(&tree.expanded(), None)?;
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

/// Makes the plan of a query.
pub(crate) struct QueryPlanner<'a> {
    query: Query,
    openings: OpeningResolver<'a>,
    wants_evidence: bool,
    /// The names, in the order of the text.
    pub(crate) names: Vec<FollowedPiece>,
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
    fn of_condition(n: u16) -> Lowered {
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
    fn lower(&mut self, tree: &QueryTree, gate: Option<u16>) -> Result<Lowered, QueryError> {
        match tree {
            QueryTree::Everything => Ok(Lowered::known_at_end(Formula::True, Formula::True, EvidenceTree::Nowhere)),
            QueryTree::And(parts) => self.lower_list(parts, gate, (parts.len(), Formula::And)),
            QueryTree::Or(parts) => self.lower_list(parts, gate, (1, Formula::Or)),
            QueryTree::SomeOf { number, parts } => {
                self.lower_list(parts, gate, (*number, |parts| Formula::SomeOf(*number, parts)))
            }
            QueryTree::Not(inner) => {
                let inner = self.lower(inner, gate)?;
                self.negated(inner)
            }
            QueryTree::Together(_) | QueryTree::Leaf(_) => self.lower_window(tree, &WindowClause::EVER, gate),
            QueryTree::Condition { inner: what, window } => self.lower_window(what, window, gate),
            QueryTree::Header(_) => {
                let formula = self.lower_position(tree)?;
                let window = PlyWindow { occurrence: Occurrence::Header, ..PlyWindow::ANY_PLY };
                let n = self.intern_condition(formula, window, None)?;
                Ok(Lowered { evidence: EvidenceTree::Nowhere, ..Lowered::of_condition(n) })
            }
            QueryTree::Then { first, within, second } => {
                let first = self.lower(first, gate)?;
                let Some(mut fires) = first.fulfilled_at else {
                    return Err(error_of_query("the condition before `then` is known only at the end of the game"));
                };
                if let Some(outer) = gate {
                    let opens_after = &self.query.gates[usize::from(outer)].opens_after;
                    headers_after::fulfil_after(&mut fires, opens_after, &self.query.conditions)?;
                }
                let within = within.map(|plies| plies.max(1));
                let gate = ConditionGate { opens_after: fires.clone(), open_for: within };
                let gate = intern(&mut self.query.gates, gate, "`then`s")?;
                let mut second = self.lower(second, Some(gate))?;
                if let Some(fulfilled) = &mut second.fulfilled_at {
                    headers_after::fulfil_after(fulfilled, &fires, &self.query.conditions)?;
                }
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
        gate: Option<u16>,
        (least, combine): (usize, impl Fn(Vec<Formula>) -> Formula),
    ) -> Result<Lowered, QueryError> {
        let parts = parts.iter().map(|part| self.lower(part, gate)).collect::<Result<Vec<_>, _>>()?;
        let fires = parts.iter().map(|part| part.fulfilled_at.clone()).collect::<Option<Vec<_>>>();
        let evidence = if least == parts.len() {
            EvidenceTree::All(parts.iter().map(|part| part.evidence.clone()).collect())
        } else {
            let parts = parts.iter().map(|part| (part.verdict.clone(), part.evidence.clone()));
            EvidenceTree::SomeOf(least, parts.collect())
        };
        let (verdicts, matching) = parts.into_iter().map(|part| (part.verdict, part.matching)).unzip();
        Ok(Lowered {
            verdict: combine(verdicts),
            matching: combine(matching),
            fulfilled_at: fires.map(&combine),
            evidence,
        })
    }

    /// The conditions of what holds at one position, within its window.
    fn lower_window(
        &mut self,
        what: &QueryTree,
        window: &WindowClause,
        gate: Option<u16>,
    ) -> Result<Lowered, QueryError> {
        let formula = self.lower_position(what)?;
        let phase = window.phase.map_or(Ok(Formula::True), |phase| self.lower_phase(phase))?;
        let scan_window = |times| PlyWindow {
            edge: window.edge,
            plies: window.when,
            phase: phase.clone(),
            occurrence: times,
            counts_start: what.is_place_of_named_pieces(),
        };
        if window.quantifier == WindowQuantifier::Always {
            let asks_tables = three_valued::asks_tables(&formula, &self.query.predicates);
            let matching = asks_tables.then(|| formula.clone());
            let contrary = Formula::Bit(self.intern_condition(negate(formula), scan_window(Occurrence::Once), gate)?);
            let matching = match matching {
                // The plan has no test of tables under `not`.
                Some(formula) => Formula::Bit(self.intern_condition(formula, PlyWindow::ANY_PLY, None)?),
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
            OccurrenceRule::Times(NumberRange { min: least, max: most }) => {
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
                    (None, None) => return Err(error_of_query("any number of times is no restriction")),
                }
            }
        };
        match window.quantifier {
            WindowQuantifier::Never => self.negated(lowered),
            _ => Ok(lowered),
        }
    }

    fn intern_condition(&mut self, formula: Formula, window: PlyWindow, gate: Option<u16>) -> Result<u16, QueryError> {
        let is_change = window.edge.is_some() && three_valued::asks_tables(&formula, &self.query.predicates);
        let contrary = if is_change { Some(self.contrary(formula.clone())?) } else { None };
        let condition = ScanCondition { formula, contrary, window, gate };
        intern(&mut self.query.conditions, condition, "conditions")
    }

    pub(crate) fn intern_predicate(&mut self, predicate: impl Into<PositionPredicate>) -> Result<Formula, QueryError> {
        intern(&mut self.query.predicates, predicate.into(), "predicates").map(Formula::Bit)
    }

    fn intern_predicates(
        &mut self,
        predicates: impl IntoIterator<Item = PositionPredicate>,
    ) -> Result<Vec<Formula>, QueryError> {
        predicates.into_iter().map(|predicate| self.intern_predicate(predicate)).collect()
    }
}

/// The formula of alternatives, of which there is at least one.
fn any_of(mut alternatives: Vec<Formula>) -> Formula {
    if alternatives.len() == 1 { alternatives.swap_remove(0) } else { Formula::Or(alternatives) }
}

/// The formula of all parts, with nested `and`s flattened, so that the scan sees every part that it can test first.
fn flatten_and(parts: Vec<Formula>) -> Formula {
    let flat = parts.into_iter().flat_map(|part| match part {
        Formula::And(inner) => inner,
        part => vec![part],
    });
    Formula::And(flat.collect())
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
    let chosen = query.names.iter().enumerate().filter(|(nth, _)| names >> nth & 1 != 0);
    let names: Vec<String> = chosen.map(|(_, domain)| format!("`{}`", domain.name)).collect();
    let message = format!(
        "the names {} depend on each other, and there are {choices} ways to choose their pieces; at most {MAX_CHOICES} are tried: \
         name fewer pieces, or kinds of which there are fewer",
        names.join(", ")
    );
    Err(error_of_query(&message))
}
