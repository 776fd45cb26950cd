//! The meaning of a query, implemented straight from the definitions: linear temporal logic over the finite trace of a game.
//!
//! It evaluates the tree of a query on the stored positions of one game, ply by ply, as often as it likes. It shares neither
//! the plan nor the windows and gates of the engine, but it uses the engine's predicates on single positions.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use plyfold_core::annotations::judgement::Judgement;
use plyfold_core::annotations::{GameAnnotations, Score, UNKNOWN_TIME};
use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::corpus::record::INCOMPLETE;
use plyfold_core::game::GameSpan;
use plyfold_core::headers::{HeaderText, NamePattern};
use plyfold_core::moves::Move;
use plyfold_core::query::header::{EloLead, EloSelector, HeaderCondition, NameSelector, PlayerSelector};
use plyfold_core::query::material::Imbalance;
use plyfold_core::query::parse::parse;
use plyfold_core::query::plan::plan;
use plyfold_core::query::relation::{RelatedSquares, RelationExpression, XRayExpression};
use plyfold_core::query::span::SpannedName;
use plyfold_core::query::squares::{SquareExpression, SquareTarget};
use plyfold_core::query::tree::{
    CountExpression, Leaf, NumberSource, QueryTree, SideNumber, SideSelector, SumExpression, TargetExpression,
    TransformedPattern,
};
use plyfold_core::query::window::{GamePhase, OccurrenceRule, WindowClause, WindowQuantifier};
use plyfold_core::query::{region::Region, reject_opening};
use plyfold_core::scan::ConditionEdge;
use plyfold_core::scan::measure::BoardFeature;
use plyfold_core::scan::predicate::{NumberComparison, PlyMark, SquareRelation, ThrownAway};
use shakmaty::Color::{Black, White};
use shakmaty::{Color, Role, Square};

use crate::followed::{Followed, has_names};
use crate::games::comment;
use crate::images;
use crate::plays::Plays;
use crate::queries::is_in_set;
use crate::tables::{FakeTables, OracleVerdict, half_points_of};

/// The stored trace of a game.
pub struct Trace<'a> {
    /// The boards before the first ply and after each.
    boards: Vec<Board>,
    span: GameSpan<'a>,
    nth: u32,
    /// What the text says of the plies.
    annotations: GameAnnotations,
    /// Images that have been parsed, by the text of their pattern.
    images: RefCell<HashMap<String, Vec<Leaf>>>,
    /// The moves as shakmaty has them.
    plays: Plays,
    /// The pieces of the game, and those that names mean.
    followed: Followed,
    /// The plies, from 0, at which parts of queries hold, by the text of the part. Filled on demand.
    held: RefCell<HashMap<String, Rc<[Truth]>>>,
    /// What endgame tables say before the first ply and after each.
    verdicts: Vec<Option<OracleVerdict>>,
}

/// Whether something holds at a position; none if that is unknown.
type Truth = Option<bool>;

/// The colour of a player whose name is in a comparison.
type ColourOfPlayer<'a> = &'a dyn Fn(&str) -> Color;

/// Whether all parts hold, by Kleene's logic.
fn all_hold(parts: impl Iterator<Item = Truth>) -> Truth {
    let parts: Vec<Truth> = parts.collect();
    if parts.contains(&Some(false)) {
        return Some(false);
    }
    if parts.contains(&None) { None } else { Some(true) }
}

/// Whether some part holds, by Kleene's logic.
fn some_holds(parts: impl Iterator<Item = Truth>) -> Truth {
    fails(all_hold(parts.map(fails)))
}

/// Whether at least so many parts hold, by Kleene's logic.
fn so_many_hold(wanted: usize, parts: impl Iterator<Item = Truth>) -> Truth {
    let parts: Vec<Truth> = parts.collect();
    let number = |truth: &[Truth]| parts.iter().filter(|part| truth.contains(part)).count();
    match (number(&[Some(true)]) >= wanted, number(&[Some(true), None]) >= wanted) {
        (true, _) => Some(true),
        (false, true) => None,
        (false, false) => Some(false),
    }
}

/// Every choice of so many parts, as GRAMMAR.md defines a list.
fn written_out(wanted: usize, parts: &[QueryTree]) -> QueryTree {
    let choices = (0..1u32 << parts.len()).filter(|choice| choice.count_ones() as usize == wanted);
    let all = |choice: u32| {
        let chosen = parts.iter().enumerate().filter(|(nth, _)| choice >> nth & 1 != 0);
        QueryTree::And(chosen.map(|(_, part)| part.clone()).collect())
    };
    QueryTree::Or(choices.map(all).collect())
}

/// Whether something does not hold.
fn fails(truth: Truth) -> Truth {
    truth.map(|holds| !holds)
}

/// Whether a condition counts at a ply: it is known to hold there, or to have changed.
fn counts_at(held: &[Truth], edge: Option<ConditionEdge>, ply: usize) -> bool {
    match edge {
        None => held[ply] == Some(true),
        Some(ConditionEdge::Became) => held[ply] == Some(true) && held[ply - 1] == Some(false),
        Some(ConditionEdge::Ceased) => held[ply] == Some(false) && held[ply - 1] == Some(true),
    }
}

/// Whether a condition is fulfilled, and at which plies. Index 0 stands for the position before the first ply.
struct Fulfilled {
    verdict: bool,
    at: Vec<bool>,
}

/// Each image as a leaf of its own.
fn images_of(under: &TransformedPattern) -> Vec<Leaf> {
    let written = under.pattern.to_string();
    let (word, text) = written.split_once(' ').expect("a word and a text");
    let images = images::images(word, text.trim_matches('"'), &under.families);
    let parsed = images.iter().map(|(_, text)| match parse(&format!("{word} \"{text}\"")).expect(text) {
        QueryTree::Leaf(leaf) => leaf,
        other => panic!("{other} is no leaf"),
    });
    parsed.collect()
}

/// Whether the pieces differ so on a board.
fn has_imbalance(board: &Board, imbalance: &Imbalance) -> bool {
    let more = |first: Color| {
        (0..5).all(|nth| {
            let role = Role::ALL[nth];
            let men = |colour| board.pieces(colour, role).count_ones() as i32;
            men(first) - men(!first) == i32::from(imbalance.difference[nth])
        })
    };
    imbalance.first.map_or_else(|| more(White) || more(Black), more)
}

/// The side that a number counts for.
fn side_of(counted: &CountExpression) -> Option<&SideSelector> {
    match counted {
        CountExpression::Squares { side, .. }
        | CountExpression::Points(side)
        | CountExpression::OfSide { side, .. } => Some(side),
        CountExpression::Number(_) => None,
    }
}

/// Whether a sum has numbers that this source knows.
fn has_numbers_of(sum: &SumExpression, source: NumberSource) -> bool {
    sum.terms.iter().any(|(_, counted)| counted.source() == source)
}

/// Whether two numbers compare so.
fn compare(left: i64, comparison: NumberComparison, right: i64) -> bool {
    match comparison {
        NumberComparison::Equal => left == right,
        NumberComparison::Unequal => left != right,
        NumberComparison::Less => left < right,
        NumberComparison::AtMost => left <= right,
        NumberComparison::More => left > right,
        NumberComparison::AtLeast => left >= right,
    }
}

/// Plies in order, each once.
fn ascending(mut plies: Vec<u32>) -> Vec<u32> {
    plies.sort_unstable();
    plies.dedup();
    plies
}

/// Whether a query has conditions on headers alone, outside and inside braces.
fn is_of_headers(tree: &QueryTree) -> bool {
    match tree {
        QueryTree::Everything | QueryTree::Header(_) => true,
        QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf(_, parts) => parts.iter().all(is_of_headers),
        QueryTree::Not(inner) => is_of_headers(inner),
        QueryTree::Then { first, second, .. } => is_of_headers(first) && is_of_headers(second),
        QueryTree::Leaf(_) | QueryTree::Together(_) | QueryTree::Condition { .. } => false,
    }
}

/// Whether some condition of a query has evidence of its own.
fn has_place(tree: &QueryTree) -> bool {
    match tree {
        QueryTree::Everything | QueryTree::Header(_) | QueryTree::Not(_) => false,
        QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf(_, parts) => parts.iter().any(has_place),
        QueryTree::Then { first, second, .. } => has_place(first) || has_place(second),
        QueryTree::Condition { window, .. } => window.quantifier != WindowQuantifier::Never,
        QueryTree::Leaf(_) | QueryTree::Together(_) => true,
    }
}

impl<'a> Trace<'a> {
    /// The trace of game `nth` of `span`.
    pub fn of(span: GameSpan<'a>, nth: u32) -> Trace<'a> {
        let game = span.game(nth);
        let mut board = game.start_board();
        // How often each position has occurred, by everything that makes positions equal.
        let mut seen: HashMap<String, u16> = HashMap::new();
        let mut boards = Vec::new();
        for ply in 0..=game.moves.len() {
            if ply > 0 {
                board.make::<FullState>(game.moves[ply - 1]);
            }
            let fen = board.fen().to_string();
            let same = fen.rsplitn(3, ' ').last().unwrap_or("").to_owned();
            let times = seen.entry(same).or_default();
            *times += 1;
            board.repetition = *times;
            boards.push(board.clone());
        }
        let annotations = game.annotations.unpack();
        Trace {
            verdicts: boards.iter().map(|board| OracleVerdict::of_board(board, &FakeTables)).collect(),
            boards,
            span,
            nth,
            annotations,
            images: RefCell::default(),
            plays: Plays::default(),
            followed: Followed::default(),
            held: RefCell::default(),
        }
    }

    /// Whether the game matches, for some choice of pieces for the names.
    pub fn matches(&self, tree: &QueryTree) -> bool {
        let mut any = false;
        self.for_each_choice(tree, || any |= self.matches_as_chosen(tree));
        any
    }

    /// Plies whose positions match, from 1, for some choice of pieces. Windows do not apply.
    pub fn matching_plies(&self, tree: &QueryTree) -> Vec<u32> {
        let mut plies = Vec::new();
        self.for_each_choice(tree, || plies.extend(self.matching_as_chosen(tree)));
        ascending(plies)
    }

    /// Plies that are evidence, from 1: where the conditions of a query were fulfilled, in a game that matches, for the choices
    /// of pieces that fulfil the query.
    pub fn evidence_plies(&self, tree: &QueryTree) -> Vec<u32> {
        let mut plies = Vec::new();
        self.for_each_choice(tree, || plies.extend(self.evidence_as_chosen(tree)));
        ascending(plies)
    }

    fn for_each_choice(&self, tree: &QueryTree, mut evaluate: impl FnMut()) {
        if !has_names(tree) {
            return evaluate();
        }
        self.followed.for_each_choice(self, tree, || {
            // What holds depends on the choice.
            self.held.borrow_mut().clear();
            evaluate();
        });
        self.held.borrow_mut().clear();
    }

    fn matches_as_chosen(&self, tree: &QueryTree) -> bool {
        self.fulfilled(tree, &|_| true).verdict
    }

    fn matching_as_chosen(&self, tree: &QueryTree) -> Vec<u32> {
        let matching = self.matching(tree);
        (1..=self.plies()).filter(|&ply| matching[ply] == Some(true)).map(|ply| ply as u32).collect()
    }

    /// Plies from 1 of whose positions tables would have to tell whether they match. A position with more pieces than a table can
    /// have is none.
    pub fn unknown_plies(&self, tree: &QueryTree) -> Vec<u32> {
        let mut plies = Vec::new();
        self.for_each_choice(tree, || {
            let matching = self.matching(tree);
            let has_few_pieces = |ply: usize| self.boards[ply].occupied().count_ones() <= 7;
            plies.extend((1..=self.plies()).filter(|&ply| matching[ply].is_none() && has_few_pieces(ply)));
        });
        ascending(plies.into_iter().map(|ply| ply as u32).collect())
    }

    /// The boards before the first ply and after each.
    pub(crate) fn boards(&self) -> &[Board] {
        &self.boards
    }

    /// The moves of the game.
    pub(crate) fn moves(&self) -> &'a [Move] {
        self.span.game(self.nth).moves
    }

    /// The move that led to the position after `ply`, if there is one, and who made it.
    pub(crate) fn played_at(&self, ply: usize) -> Option<(Color, shakmaty::Move)> {
        self.plays.at(self, ply)
    }

    fn evidence_as_chosen(&self, tree: &QueryTree) -> Vec<u32> {
        if is_of_headers(tree) {
            return if self.matches_as_chosen(tree) { (1..=self.plies() as u32).collect() } else { Vec::new() };
        }
        if !self.matches_as_chosen(tree) {
            return Vec::new();
        }
        let everywhere = |_: usize| true;
        let evidence =
            if has_place(tree) { self.evidence(tree, &everywhere, None) } else { vec![true; self.boards.len()] };
        (1..=self.plies()).filter(|&ply| evidence[ply]).map(|ply| ply as u32).collect()
    }

    /// By ply, the evidence of a part on the plies for which `counts` holds; with `uses`, as far as these of its fulfilments need.
    fn evidence(
        &self,
        tree: &QueryTree,
        counts: &dyn Fn(usize) -> bool,
        uses: Option<&dyn Fn(usize) -> bool>,
    ) -> Vec<bool> {
        let plies = self.boards.len();
        let none = vec![false; plies];
        let join =
            |parts: Vec<Vec<bool>>| (0..plies).map(|ply| parts.iter().any(|part| part[ply])).collect::<Vec<bool>>();
        let is_used = |ply: usize| uses.is_none_or(|uses| uses(ply));
        match tree {
            QueryTree::Everything | QueryTree::Not(_) | QueryTree::Header(_) => none,
            QueryTree::And(parts) => join(
                parts
                    .iter()
                    .map(|part| {
                        let mine = self.fulfilled(part, counts).at;
                        // Where another part completes them all, the earlier fulfilments of this one are needed.
                        let completes = |ply: usize| (ply + 1..plies).any(|later| is_used(later) && !mine[later]);
                        let needed = |ply: usize| ply > 0 && mine[ply] && (is_used(ply) || completes(ply));
                        self.evidence(part, counts, if uses.is_some() { Some(&needed) } else { None })
                    })
                    .collect(),
            ),
            QueryTree::Or(parts) => join(
                parts
                    .iter()
                    .filter(|part| self.fulfilled(part, counts).verdict)
                    .map(|part| {
                        let mine = self.fulfilled(part, counts).at;
                        let needed = |ply: usize| mine[ply] && is_used(ply);
                        self.evidence(part, counts, if uses.is_some() { Some(&needed) } else { None })
                    })
                    .collect(),
            ),
            QueryTree::SomeOf(wanted, parts) => self.evidence(&written_out(*wanted, parts), counts, uses),
            QueryTree::Then { first, within, second } => {
                let opened = self.fulfilled(first, counts).at;
                let limit = within.map_or(usize::MAX, |plies| plies as usize);
                let after = |ply: usize| (0..ply).any(|earlier| opened[earlier] && ply - earlier <= limit);
                let later = self.evidence(second, &after, uses);
                let leads = |ply: usize| {
                    ply > 0 && opened[ply] && (ply + 1..plies).any(|next| later[next] && next - ply <= limit)
                };
                let needed: Option<&dyn Fn(usize) -> bool> = if later.contains(&true) { Some(&leads) } else { None };
                join(vec![self.evidence(first, counts, needed), later])
            }
            QueryTree::Leaf(_) | QueryTree::Together(_) => {
                self.evidence_of_window(tree, &WindowClause::EVER, counts, &is_used)
            }
            QueryTree::Condition { inner, window } => self.evidence_of_window(inner, window, counts, &is_used),
        }
    }

    fn evidence_of_window(
        &self,
        what: &QueryTree,
        window: &WindowClause,
        counts: &dyn Fn(usize) -> bool,
        is_used: &dyn Fn(usize) -> bool,
    ) -> Vec<bool> {
        let plies = self.boards.len();
        let inside = |ply: usize| ply > 0 && counts(ply) && self.is_within(window, ply);
        if window.quantifier == WindowQuantifier::Never {
            return vec![false; plies];
        }
        if window.quantifier == WindowQuantifier::Always {
            return (0..plies).map(inside).collect();
        }
        let all = self.held(what);
        let hit = |ply: usize| inside(ply) && counts_at(&all, window.edge, ply);
        let at = self.windowed(what, window, counts).at;
        let ends = |ply: usize| at[ply] && is_used(ply);
        let shows = |ply: usize| match window.occurrence {
            // Once is what a condition without words means.
            OccurrenceRule::Once | OccurrenceRule::Times { min: 1, .. } => ends(ply),
            OccurrenceRule::Consecutive(least) => (ply..plies).take(least.max(1) as usize).any(ends),
            OccurrenceRule::Times { min: 0, .. } => hit(ply),
            OccurrenceRule::Times { .. } => hit(ply) && (ply..plies).any(ends),
        };
        (0..plies).map(|ply| ply > 0 && shows(ply)).collect()
    }

    fn plies(&self) -> usize {
        self.boards.len() - 1
    }

    /// For each ply, from 0, whether its position matches: the same combination of conditions, but without windows. With
    /// `then`, either side suffices.
    fn matching(&self, tree: &QueryTree) -> Rc<[Truth]> {
        let each = |parts: &[QueryTree]| parts.iter().map(|part| self.matching(part)).collect::<Vec<_>>();
        let at = |holds: &dyn Fn(usize) -> Truth| (0..=self.plies()).map(holds).collect::<Rc<[Truth]>>();
        match tree {
            QueryTree::And(parts) => {
                let parts = each(parts);
                at(&|ply| all_hold(parts.iter().map(|part| part[ply])))
            }
            QueryTree::Or(parts) => {
                let parts = each(parts);
                at(&|ply| some_holds(parts.iter().map(|part| part[ply])))
            }
            QueryTree::SomeOf(wanted, parts) => {
                let parts = each(parts);
                at(&|ply| so_many_hold(*wanted, parts.iter().map(|part| part[ply])))
            }
            QueryTree::Not(inner) => {
                let inner = self.matching(inner);
                at(&|ply| fails(inner[ply]))
            }
            QueryTree::Then { first, second, .. } => {
                let (first, second) = (self.matching(first), self.matching(second));
                at(&|ply| some_holds([first[ply], second[ply]].into_iter()))
            }
            QueryTree::Condition { inner: what, window } => {
                let what = self.held(what);
                at(&|ply| if window.quantifier == WindowQuantifier::Never { fails(what[ply]) } else { what[ply] })
            }
            tree => self.held(tree),
        }
    }

    /// For each ply, from 0, whether a part of a query without windows holds.
    fn held(&self, tree: &QueryTree) -> Rc<[Truth]> {
        let text = tree.to_string();
        if let Some(held) = self.held.borrow().get(&text) {
            return held.clone();
        }
        let each = |parts: &[QueryTree]| parts.iter().map(|part| self.held(part)).collect::<Vec<_>>();
        let at = |holds: &dyn Fn(usize) -> Truth| (0..=self.plies()).map(holds).collect::<Rc<[Truth]>>();
        let held = match tree {
            QueryTree::And(parts) => {
                let parts = each(parts);
                at(&|ply| all_hold(parts.iter().map(|part| part[ply])))
            }
            QueryTree::Or(parts) => {
                let parts = each(parts);
                at(&|ply| some_holds(parts.iter().map(|part| part[ply])))
            }
            QueryTree::SomeOf(wanted, parts) => {
                let parts = each(parts);
                at(&|ply| so_many_hold(*wanted, parts.iter().map(|part| part[ply])))
            }
            QueryTree::Not(inner) => {
                let inner = self.held(inner);
                at(&|ply| fails(inner[ply]))
            }
            QueryTree::Together(inner) => self.held(inner),
            tree => at(&|ply| self.holds(tree, ply)),
        };
        self.held.borrow_mut().insert(text, held.clone());
        held
    }

    /// Evaluates a part of a query on the plies for which `counts` holds.
    fn fulfilled(&self, tree: &QueryTree, counts: &dyn Fn(usize) -> bool) -> Fulfilled {
        let each = |parts: &[QueryTree]| parts.iter().map(|part| self.fulfilled(part, counts)).collect::<Vec<_>>();
        let by = |part: &Fulfilled, ply: usize| part.at[..=ply].contains(&true);
        let at = |holds: &dyn Fn(usize) -> bool| (0..=self.plies()).map(holds).collect::<Vec<_>>();
        match tree {
            QueryTree::Everything => Fulfilled { verdict: true, at: at(&|ply| ply == 0) },
            QueryTree::And(parts) => {
                let parts = each(parts);
                // By this ply all parts are fulfilled, the last of them at this very ply.
                let now = |ply: usize| parts.iter().any(|part| part.at[ply]) && parts.iter().all(|part| by(part, ply));
                Fulfilled { verdict: parts.iter().all(|part| part.verdict), at: at(&now) }
            }
            QueryTree::Or(parts) => {
                let parts = each(parts);
                let now = |ply: usize| parts.iter().any(|part| part.at[ply]);
                Fulfilled { verdict: parts.iter().any(|part| part.verdict), at: at(&now) }
            }
            QueryTree::SomeOf(wanted, parts) => self.fulfilled(&written_out(*wanted, parts), counts),
            QueryTree::Not(inner) => Fulfilled { verdict: !self.fulfilled(inner, counts).verdict, at: at(&|_| false) },
            QueryTree::Header(_) => {
                let holds = self.holds(tree, 0) == Some(true);
                Fulfilled { verdict: holds, at: at(&|ply| ply == 0 && holds) }
            }
            QueryTree::Leaf(_) | QueryTree::Together(_) => self.windowed(tree, &WindowClause::EVER, counts),
            QueryTree::Condition { inner: what, window } => self.windowed(what, window, counts),
            QueryTree::Then { first, within, second } => {
                let first = self.fulfilled(first, counts);
                let after = |ply: usize| {
                    let limit = within.map_or(usize::MAX, |plies| plies as usize);
                    (0..ply).any(|earlier| first.at[earlier] && ply - earlier <= limit)
                };
                let second = self.fulfilled(second, &after);
                Fulfilled { verdict: first.verdict && second.verdict, at: second.at }
            }
        }
    }

    fn windowed(&self, what: &QueryTree, window: &WindowClause, counts: &dyn Fn(usize) -> bool) -> Fulfilled {
        let plies = self.plies();
        let all = self.held(what);
        let within: Vec<bool> = (0..=plies).map(|ply| ply > 0 && counts(ply) && self.is_within(window, ply)).collect();
        let hit = |ply: usize| within[ply] && counts_at(&all, window.edge, ply);
        if window.quantifier == WindowQuantifier::Always {
            let verdict = (1..=plies).all(|ply| !within[ply] || all[ply] == Some(true));
            return Fulfilled { verdict, at: vec![false; plies + 1] };
        }
        let hits: Vec<bool> = (0..=plies).map(hit).collect();
        let times = |ply: usize| hits[..=ply].iter().filter(|&&hit| hit).count() as u64;
        let (at, verdict): (Vec<bool>, bool) = match window.occurrence {
            OccurrenceRule::Once => (hits.clone(), hits.contains(&true)),
            OccurrenceRule::Consecutive(least) => {
                let ends =
                    |ply: usize| ply >= least as usize && hits[ply + 1 - least as usize..=ply].iter().all(|&hit| hit);
                let at: Vec<bool> = (0..=plies).map(ends).collect();
                let verdict = at.contains(&true);
                (at, verdict)
            }
            OccurrenceRule::Times { min: least, max: most } => {
                let at = (0..=plies).map(|ply| hits[ply] && times(ply) >= u64::from(least)).collect();
                (at, (u64::from(least)..=u64::from(most)).contains(&times(plies)))
            }
        };
        match window.quantifier {
            WindowQuantifier::Never => Fulfilled { verdict: !verdict, at: vec![false; plies + 1] },
            _ => Fulfilled { verdict, at },
        }
    }

    /// Whether a window contains a ply, whatever holds there.
    fn is_within(&self, window: &WindowClause, ply: usize) -> bool {
        let within = |number: usize, (first, last): (u32, u32)| first as usize <= number && number <= last as usize;
        within(ply, window.when.ply_bounds)
            && within(self.number_of_move(ply), window.when.move_bounds)
            && (!window.when.at_end || ply == self.plies())
            && window.phase.is_none_or(|phase| self.phase(ply) == phase)
    }

    /// The move number as printed in the score: it starts at that of the start position and increases after each move of
    /// Black.
    fn number_of_move(&self, ply: usize) -> usize {
        let start = &self.boards[0];
        let blacks = (1..ply).filter(|&played| (played % 2 == 1) == (start.side_to_move() == Black)).count();
        usize::from(start.fullmoves.max(1)) + blacks
    }

    fn phase(&self, ply: usize) -> GamePhase {
        let board = &self.boards[ply];
        let pieces: u32 = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .into_iter()
            .map(|role| (board.pieces(White, role) | board.pieces(Black, role)).count_ones())
            .sum();
        let at_home = |colour: Color| (board.occupied_by(colour) & colour.fold_wb(0xff, 0xff << 56)).count_ones();
        if pieces <= 6 {
            GamePhase::Endgame
        } else if pieces <= 10 || at_home(White) < 4 || at_home(Black) < 4 {
            GamePhase::Middlegame
        } else {
            GamePhase::Opening
        }
    }

    /// Whether a leaf of a query holds at one position.
    fn holds(&self, tree: &QueryTree, ply: usize) -> Truth {
        match tree {
            QueryTree::Everything => Some(true),
            QueryTree::Leaf(Leaf::TableOutcome { side, outcome }) => self.of_side(side, ply, &|colour| {
                self.verdicts[ply].map(|verdict| verdict.half_points(colour) == half_points_of(*outcome))
            }),
            QueryTree::Leaf(Leaf::ThrewAway { side, thrown }) => {
                self.of_side(side, ply, &|colour| self.threw_away(colour, *thrown, ply))
            }
            QueryTree::Leaf(Leaf::Compare(left, comparison, right))
                if [left, right].into_iter().any(|sum| has_numbers_of(sum, NumberSource::Tables)) =>
            {
                self.compares_by_tables((left, *comparison, right), ply)
            }
            QueryTree::Leaf(leaf) => Some(self.leaf(leaf, ply)),
            QueryTree::Header(header) => Some(self.header(header)),
            tree => panic!("{tree} is put together of parts"),
        }
    }

    /// Applies a test of a colour to a side.
    fn side(&self, side: &SideSelector, ply: usize, of: &dyn Fn(Color) -> bool) -> bool {
        self.of_side(side, ply, &|colour| Some(of(colour))) == Some(true)
    }

    /// Applies a test of a colour whose result may be unknown to a side.
    fn of_side(&self, side: &SideSelector, ply: usize, of: &dyn Fn(Color) -> Truth) -> Truth {
        let turn = self.boards[ply].side_to_move();
        let record = self.span.record(self.nth);
        let winner = match record.result().name() {
            "1-0" => Some(White),
            "0-1" => Some(Black),
            _ => None,
        };
        match side {
            SideSelector::White => of(White),
            SideSelector::Black => of(Black),
            SideSelector::Either => some_holds([White, Black].into_iter().map(of)),
            SideSelector::Both => all_hold([White, Black].into_iter().map(of)),
            SideSelector::Neither => all_hold([White, Black].into_iter().map(|colour| fails(of(colour)))),
            SideSelector::Mover => of(turn),
            SideSelector::Waiter => of(!turn),
            SideSelector::Winner => winner.map_or(Some(false), of),
            SideSelector::Loser => winner.map_or(Some(false), |winner| of(!winner)),
            SideSelector::Player(name) => {
                let plays = [(NameSelector::White, White), (NameSelector::Black, Black)].into_iter();
                let plays = plays.filter(|(selector, _)| self.named(*selector, name));
                some_holds(plays.map(|(_, colour)| of(colour)))
            }
        }
    }

    fn leaf(&self, leaf: &Leaf, ply: usize) -> bool {
        let board = &self.boards[ply];
        let squares = |feature: &BoardFeature, colour: Color, region: Region| {
            (feature.squares)(board, colour) & region.for_side(colour)
        };
        match leaf {
            Leaf::Feature { feature, region, .. } if !feature.has_sides => squares(feature, White, *region) != 0,
            Leaf::Feature { side, feature, region } => {
                self.side(side, ply, &|colour| squares(feature, colour, *region) != 0)
            }
            Leaf::Absent { side, feature, region } => {
                let side = if *side == SideSelector::Either { &SideSelector::Both } else { side };
                self.side(side, ply, &|colour| squares(feature, colour, *region) == 0)
            }
            Leaf::Attacks { side, feature, region, defends, target } => self.side(side, ply, &|colour| {
                let whose = if *defends { colour } else { !colour };
                let target = match target {
                    TargetExpression::Feature { feature, region } => squares(feature, whose, *region),
                    TargetExpression::Region(region) => region.for_side(colour),
                };
                let position = board.to_setup().board;
                shakmaty::Bitboard(squares(feature, colour, *region))
                    .into_iter()
                    .any(|from| position.color_at(from) == Some(colour) && position.attacks_from(from).0 & target != 0)
            }),
            Leaf::Marked { side, mark } => {
                let is_marked = ply > 0 && self.is_marked(*mark, ply);
                self.side(side, ply, &|colour| is_marked && self.boards[ply].side_to_move() != colour)
            }
            Leaf::Comment { side, pattern } => {
                let matches = ply > 0 && self.is_commented(pattern, ply);
                self.side(side, ply, &|colour| matches && self.boards[ply].side_to_move() != colour)
            }
            Leaf::Played { side, pattern } => self.side(side, ply, &|colour| {
                self.plays.holds(self, pattern, colour, ply)
                    && self.followed.moves(self, ply, [pattern.piece_name, pattern.object_name])
            }),
            Leaf::Squares { side, squares, is_absent } => {
                let all = *is_absent && *side == SideSelector::Either;
                let side = if all { &SideSelector::Both } else { side };
                let side = if squares.has_sides() { side } else { &SideSelector::White };
                self.side(side, ply, &|colour| (self.squares(squares, colour, ply) != 0) != *is_absent)
            }
            Leaf::Number { is_move_number: of_move, first, last } => {
                let number = if *of_move { self.number_of_move(ply.max(1)) } else { ply };
                ply > 0 && *first as usize <= number && number <= *last as usize
            }
            Leaf::Imbalance(imbalance) => has_imbalance(board, imbalance),
            Leaf::Under(under) => {
                let mut known = self.images.borrow_mut();
                let images = known.entry(under.to_string()).or_insert_with(|| images_of(under));
                images.iter().any(|image| self.leaf(image, ply))
            }
            Leaf::Compare(left, comparison, right) => self.compares(left, *comparison, right, ply),
            // Other tests compare these predicates with other programs, so the oracle uses the engine's.
            _ => {
                let query = plan(&QueryTree::Leaf(leaf.clone()), &reject_opening).expect("a predicate");
                let predicates = query.predicates.iter().enumerate();
                let bits = predicates.fold(0, |all, (n, predicate)| all | u64::from(predicate.test(board)) << n);
                query.conditions.first().is_none_or(|condition| condition.formula.holds(bits))
            }
        }
    }

    /// Whether the text has such a comment on the move of a ply.
    fn is_commented(&self, pattern: &str, ply: usize) -> bool {
        let said = comment(self.span.first_in_shard + self.nth, ply);
        self.is_marked(PlyMark::Commented, ply) && NamePattern::new(pattern).matches(said)
    }

    /// Whether the text marks the move of a ply so.
    fn is_marked(&self, mark: PlyMark, ply: usize) -> bool {
        let said = &self.annotations;
        let is_said = |mark| said.marks.contains(&(ply as u16, mark));
        match mark {
            PlyMark::Commented => is_said(0),
            PlyMark::Nag(glyph) => is_said(glyph),
            PlyMark::TimeTrouble => {
                let base = f64::from(said.time_control.base);
                let limit = if base > 0.0 { f64::min(base / 10.0, 3000.0) } else { 300.0 };
                said.clocks.get(ply - 1).is_some_and(|&clock| clock != UNKNOWN_TIME && f64::from(clock) < limit)
            }
            PlyMark::Judged(judgement) => self.judgement(ply) == Some(judgement),
        }
    }

    /// The judgement of the move of a ply, by the formula of Lichess.
    fn judgement(&self, ply: usize) -> Option<Judgement> {
        let score = |ply: usize| match ply {
            0 if self.span.game(self.nth).has_custom_start() => None,
            0 => Some(Score::centipawns(15)),
            ply => self.annotations.scores.get(ply - 1).copied().filter(|score| score.is_known()),
        };
        let (before, after) = (score(ply - 1)?, score(ply)?);
        let mover = !self.boards[ply].side_to_move();
        // Of the side that moved: its centipawns, and whether it mates.
        let own = |score: Score| score.as_centipawns().map(|number| mover.fold_wb(number, -number));
        let mates = |score: Score| score.as_mate().map(|(_, white_mates)| white_mates == mover.is_white());
        let by_size = |centipawns: i32| match centipawns {
            size if size > 999 => Some(Judgement::Inaccuracy),
            size if size > 700 => Some(Judgement::Mistake),
            _ => Some(Judgement::Blunder),
        };
        if let (Some(before), Some(after)) = (own(before), own(after)) {
            let chance = |cp: i32| 2.0 / (1.0 + (-0.003_682_08 * f64::from(cp)).exp()) - 1.0;
            let lost = chance(before) - chance(after);
            let rules = [(0.3, Judgement::Blunder), (0.2, Judgement::Mistake), (0.1, Judgement::Inaccuracy)];
            return rules.into_iter().find(|(least, _)| lost >= *least).map(|(_, judgement)| judgement);
        }
        match (mates(before), mates(after)) {
            (None, Some(false)) => by_size(-own(before)?),
            (Some(true), None) => by_size(own(after)?),
            (Some(true), Some(false)) => Some(Judgement::Blunder),
            _ => None,
        }
    }

    /// Whether two sums compare.
    fn compares(&self, left: &SumExpression, comparison: NumberComparison, right: &SumExpression, ply: usize) -> bool {
        let compares =
            |colour_of: &dyn Fn(&str) -> Color| Some(self.compares_for((left, comparison, right), colour_of, ply));
        self.for_players(left, right, &compares) == Some(true)
    }

    /// Whether a comparison holds for the colours of the players whose names are in it.
    fn for_players(
        &self,
        left: &SumExpression,
        right: &SumExpression,
        compares: &dyn Fn(ColourOfPlayer<'_>) -> Truth,
    ) -> Truth {
        // Which player is White and which is Black, once for each colour that a named player may have.
        let mut players: Vec<&str> = Vec::new();
        for (_, counted) in left.terms.iter().chain(&right.terms) {
            if let Some(SideSelector::Player(name)) = side_of(counted)
                && !players.contains(&&**name)
            {
                players.push(name);
            }
        }
        some_holds((0..1u32 << players.len()).map(|cases| {
            let colour_of = |name: &str| {
                let nth = players.iter().position(|player| *player == name).expect("a player of the comparison");
                if cases >> nth & 1 == 0 { White } else { Black }
            };
            let plays =
                |name: &&str| self.named(colour_of(name).fold_wb(NameSelector::White, NameSelector::Black), name);
            if players.iter().all(plays) { compares(&colour_of) } else { Some(false) }
        }))
    }

    /// The colour of a side, `both` for both; none if no colour is that side.
    fn colours_of(&self, side: &SideSelector, colour_of: &dyn Fn(&str) -> Color, ply: usize) -> Option<Vec<Color>> {
        let turn = self.boards[ply].side_to_move();
        let winner = match self.span.record(self.nth).result().name() {
            "1-0" => Some(White),
            "0-1" => Some(Black),
            _ => None,
        };
        Some(match side {
            SideSelector::White => vec![White],
            SideSelector::Black => vec![Black],
            SideSelector::Mover => vec![turn],
            SideSelector::Waiter => vec![!turn],
            SideSelector::Winner => vec![winner?],
            SideSelector::Loser => vec![!winner?],
            SideSelector::Player(name) => vec![colour_of(name)],
            SideSelector::Either | SideSelector::Both | SideSelector::Neither => vec![White, Black],
        })
    }

    fn compares_for(
        &self,
        (left, comparison, right): (&SumExpression, NumberComparison, &SumExpression),
        colour_of: &dyn Fn(&str) -> Color,
        ply: usize,
    ) -> bool {
        let of_text = [left, right].into_iter().any(|sum| has_numbers_of(sum, NumberSource::Text));
        let sum = |sum| if of_text { self.sum_of_text(sum, colour_of, ply) } else { self.sum(sum, colour_of, ply) };
        let sides = (sum(left), sum(right));
        let (Some(left), Some(right)) = sides else { return false };
        compare(left, comparison, right)
    }

    /// Whether two sums of numbers that tables know compare, if that is known.
    fn compares_by_tables(
        &self,
        (left, comparison, right): (&SumExpression, NumberComparison, &SumExpression),
        ply: usize,
    ) -> Truth {
        self.for_players(left, right, &|colour_of| {
            let mut sums = [left.constant, right.constant];
            let mut is_known = true;
            for (sum, total) in [left, right].into_iter().zip(&mut sums) {
                for (factor, counted) in &sum.terms {
                    let number = match counted {
                        CountExpression::Number(number) => self.number_of_tables(number.name, ply),
                        CountExpression::OfSide { side, number } => match self.colours_of(side, colour_of, ply) {
                            None => Some(None),
                            Some(colours) => {
                                let [colour] = colours[..] else { panic!("{side} is two sides") };
                                let name = match number {
                                    SideNumber::MovesToMate => "tb_dtm",
                                    SideNumber::HalfPointsLost => "half_points_lost",
                                    other => panic!("{other:?} is not of tables"),
                                };
                                self.number_of_tables(&format!("{name}({})", colour.fold_wb("white", "black")), ply)
                            }
                        },
                        counted => panic!("{counted:?} is not of tables"),
                    };
                    match number {
                        Some(Some(number)) => *total += factor * number,
                        // There is no such number here.
                        Some(None) => return Some(false),
                        None => is_known = false,
                    }
                }
            }
            is_known.then(|| compare(sums[0], comparison, sums[1]))
        })
    }

    /// A number that tables know: unknown, known not to exist, or known.
    fn number_of_tables(&self, name: &str, ply: usize) -> Option<Option<i64>> {
        let moves = |winner: Option<Color>| {
            let verdict = self.verdicts[ply]?;
            match verdict.winner {
                Some(side) if winner.is_none_or(|winner| winner == side) => verdict.moves.map(Some),
                _ => Some(None),
            }
        };
        match name {
            "tb_dtm" => moves(None),
            "tb_dtm(white)" => moves(Some(White)),
            "tb_dtm(black)" => moves(Some(Black)),
            "half_points_lost(white)" => self.half_points_lost(White, ply).map(Some),
            "half_points_lost(black)" => self.half_points_lost(Black, ply).map(Some),
            name => panic!("{name} has no definition here"),
        }
    }

    /// What the move of a ply gave away, if a side made it. It is known if it follows from one verdict alone.
    fn half_points_lost(&self, side: Color, ply: usize) -> Option<i64> {
        if !self.is_mover(side, ply) {
            return Some(0);
        }
        let points = |ply: usize| self.verdicts[ply].map(|verdict| verdict.half_points(side));
        // All that the verdicts may be.
        let any = |known: Option<i64>| known.map_or(vec![0, 1, 2], |points| vec![points]);
        let lost: Vec<i64> = any(points(ply - 1))
            .iter()
            .flat_map(|before| any(points(ply)).into_iter().map(move |after| (before - after).max(0)))
            .collect();
        lost.iter().all(|one| one == &lost[0]).then(|| lost[0])
    }

    fn threw_away(&self, side: Color, thrown: ThrownAway, ply: usize) -> Truth {
        if !self.is_mover(side, ply) {
            return Some(false);
        }
        let points = |ply: usize| self.verdicts[ply].map(|verdict| verdict.half_points(side));
        match thrown {
            ThrownAway::Win => {
                all_hold([points(ply - 1).map(|had| had == 2), points(ply).map(|has| has < 2)].into_iter())
            }
            ThrownAway::Draw => {
                all_hold([points(ply - 1).map(|had| had == 1), points(ply).map(|has| has == 0)].into_iter())
            }
            ThrownAway::Anything => self.half_points_lost(side, ply).map(|lost| lost > 0),
        }
    }

    /// Whether a side made the move of a ply. A null move is none.
    fn is_mover(&self, side: Color, ply: usize) -> bool {
        ply > 0 && self.boards[ply].side_to_move() != side && !self.moves()[ply - 1].is_null()
    }

    /// The sum of numbers of the text; none if one of them is unknown.
    fn sum_of_text(&self, sum: &SumExpression, colour_of: &dyn Fn(&str) -> Color, ply: usize) -> Option<i64> {
        let numbers = sum.terms.iter().map(|(factor, counted)| match counted {
            CountExpression::Number(number) => Some(factor * self.number_of_text(number.name, ply)?),
            CountExpression::OfSide { side, number: SideNumber::ClockTime } => {
                let [colour] = self.colours_of(side, colour_of, ply)?[..] else { panic!("{side} is two sides") };
                let name = colour.fold_wb("clock_time(white)", "clock_time(black)");
                Some(factor * self.number_of_text(name, ply)?)
            }
            counted => panic!("{counted:?} is not of the text"),
        });
        numbers.sum::<Option<i64>>().map(|numbers| numbers + sum.constant)
    }

    /// A number of the text after a ply, none if it is unknown or before the first ply.
    fn number_of_text(&self, name: &str, ply: usize) -> Option<i64> {
        let said = &self.annotations;
        let eval_after = |ply: usize| {
            let score = match ply {
                0 if self.span.game(self.nth).has_custom_start() => return None,
                0 => return Some(15),
                ply => said.scores.get(ply - 1).filter(|score| score.is_known())?,
            };
            match score.as_mate() {
                Some((_, white_mates)) => Some(if white_mates { 100_000 } else { -100_000 }),
                None => score.as_centipawns().map(i64::from),
            }
        };
        let time = |times: &[u32], ply: usize| {
            let known = times.get(ply.checked_sub(1)?).filter(|&&tenths| tenths != UNKNOWN_TIME);
            known.map(|&tenths| i64::from(tenths))
        };
        // The side that made a ply is not to move after it.
        let mover = |ply: usize| !self.boards[ply].side_to_move();
        if ply == 0 {
            return None;
        }
        let clock = |side: Color| {
            let last = (1..=ply).rev().find(|&ply| mover(ply) == side)?;
            time(&said.clocks, last).map(|tenths| tenths / 10)
        };
        match name {
            "eval" => eval_after(ply),
            "mate_in" => {
                let (moves, white_mates) = said.scores.get(ply - 1)?.as_mate()?;
                Some(if white_mates { i64::from(moves) } else { -i64::from(moves) })
            }
            "eval_change" => {
                let change = eval_after(ply)? - eval_after(ply - 1)?;
                Some(mover(ply).fold_wb(change, -change))
            }
            "clock_time(white)" => clock(White),
            "clock_time(black)" => clock(Black),
            "time_spent" => {
                let by_clocks = || {
                    let (before, after) = (time(&said.clocks, ply.checked_sub(2)?)?, time(&said.clocks, ply)?);
                    Some(before + i64::from(said.time_control.increment) - after).filter(|&tenths| tenths >= 0)
                };
                time(&said.elapsed, ply).or_else(by_clocks).map(|tenths| tenths / 10)
            }
            name => panic!("{name} has no definition here"),
        }
    }

    /// The squares of an expression for a side.
    pub(crate) fn squares(&self, squares: &SquareExpression, colour: Color, ply: usize) -> u64 {
        let board = &self.boards[ply];
        let each = |part: &SquareExpression| self.squares(part, colour, ply);
        match squares {
            SquareExpression::Feature { feature, region } => (feature.squares)(board, colour) & region.for_side(colour),
            SquareExpression::Named { name, region } => {
                self.followed.square_of(self, *name, ply) & board.occupied_by(colour) & region.for_side(colour)
            }
            SquareExpression::Introduced { place, name } => each(place) & self.followed.square_of(self, *name, ply),
            SquareExpression::All(parts) => parts.iter().map(each).fold(u64::MAX, |all, part| all & part),
            SquareExpression::Any(parts) => parts.iter().map(each).fold(0, |any, part| any | part),
            SquareExpression::Not(part) => !each(part),
            SquareExpression::On(part, region) => each(part) & region.for_side(colour),
            SquareExpression::Related(relation) => self.related(relation, colour, ply),
            SquareExpression::XRaying { pieces, ray } => {
                let pieces = each(pieces);
                Square::ALL
                    .into_iter()
                    .filter(|from| pieces >> *from as u32 & 1 != 0)
                    .fold(0, |all, from| all | u64::from(self.xrays(from, ray, colour, ply)) << from as u32)
            }
            SquareExpression::Attacking { pieces, defends, target } => {
                let target = match &**target {
                    SquareTarget::Region(region) => region.for_side(colour),
                    SquareTarget::Squares(target) => self.squares(target, if *defends { colour } else { !colour }, ply),
                };
                let position = board.to_setup().board;
                let attacks = |from: &Square| {
                    position.color_at(*from) == Some(colour) && position.attacks_from(*from).0 & target != 0
                };
                shakmaty::Bitboard(each(pieces)).into_iter().filter(attacks).fold(0, |all, from| all | 1 << from as u32)
            }
        }
    }

    /// The squares that a relation names, each with the side from which it is seen.
    fn ends(&self, end: &RelatedSquares, side: Color, ply: usize) -> Vec<(Square, Color)> {
        let listed = |squares: u64, owner: Color| {
            Square::ALL.into_iter().filter(move |one| squares >> *one as u32 & 1 != 0).map(move |one| (one, owner))
        };
        match &end.squares {
            SquareTarget::Region(region) => listed(region.for_side(side), side).collect(),
            SquareTarget::Squares(squares) => {
                let colours = end.owner.colours(side).iter();
                colours.flat_map(|&owner| listed(self.squares(squares, owner, ply), owner)).collect()
            }
        }
    }

    /// The squares that lie so, each tried by itself.
    fn related(&self, relation: &RelationExpression, side: Color, ply: usize) -> u64 {
        let lies = |on: Square| match relation {
            RelationExpression::To(relation, to) => self.ends(to, side, ply).into_iter().any(|(other, owner)| {
                let files = on.file() as i32 - other.file() as i32;
                let ranks = (on.rank() as i32 - other.rank() as i32) * owner.fold_wb(1, -1);
                (files, ranks) != (0, 0)
                    && match relation {
                        SquareRelation::Behind => files == 0 && ranks < 0,
                        SquareRelation::InFrontOf => files == 0 && ranks > 0,
                        SquareRelation::Beside => files.abs() == 1 && ranks == 0,
                        SquareRelation::NextTo => files.abs() <= 1 && ranks.abs() <= 1,
                        SquareRelation::OnFileOf => files == 0,
                        SquareRelation::OnRankOf => ranks == 0,
                        SquareRelation::OnDiagonalOf => files.abs() == ranks.abs(),
                    }
            }),
            RelationExpression::Between(one, other) => {
                let steps =
                    |from: Square| (from.file() as i32 - on.file() as i32, from.rank() as i32 - on.rank() as i32);
                let others = self.ends(other, side, ply);
                self.ends(one, side, ply).into_iter().any(|(from, _)| {
                    others.iter().any(|&(to, _)| {
                        let ((x, y), (to_x, to_y)) = (steps(from), steps(to));
                        let is_line = (x, y) != (0, 0) && (x == 0 || y == 0 || x.abs() == y.abs());
                        // In the opposite direction, on the same line.
                        is_line
                            && (to_x.signum(), to_y.signum()) == (-x.signum(), -y.signum())
                            && (to_x == 0 || to_y == 0 || to_x.abs() == to_y.abs())
                    })
                })
            }
        };
        Square::ALL.into_iter().filter(|&on| lies(on)).fold(0, |all, on| all | 1 << on as u32)
    }

    /// Whether the second piece or square on a line of the piece on `from` is one that is sought, and the first one fits.
    fn xrays(&self, from: Square, ray: &XRayExpression, side: Color, ply: usize) -> bool {
        let pieces = self.boards[ply].to_setup().board;
        let Some(piece) = pieces.piece_at(from).filter(|piece| piece.color == side) else { return false };
        let (straight, diagonal) = match piece.role {
            Role::Rook => (true, false),
            Role::Bishop => (false, true),
            Role::Queen => (true, true),
            _ => return false,
        };
        let is_in = |end: &RelatedSquares, on: Square| self.ends(end, side, ply).iter().any(|&(one, _)| one == on);
        let ways = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y)));
        ways.filter(|&(x, y)| if x * y == 0 { straight && (x, y) != (0, 0) } else { diagonal }).any(|(x, y)| {
            let mut first = None;
            let mut on = from.offset(0);
            loop {
                on = on.and_then(|on| {
                    let (file, rank) = (on.file().offset(x)?, on.rank().offset(y)?);
                    Some(Square::from_coords(file, rank))
                });
                let Some(on) = on else { return false };
                if let Some(first) = first {
                    let fits = ray.through.as_ref().is_none_or(|through| is_in(through, first));
                    if fits && is_in(&ray.target, on) {
                        return true;
                    }
                    if pieces.piece_at(on).is_some() {
                        return false;
                    }
                } else if pieces.piece_at(on).is_some() {
                    first = Some(on);
                }
            }
        })
    }

    /// A sum, by its terms one after the other.
    fn sum(&self, sum: &SumExpression, colour_of: &dyn Fn(&str) -> Color, ply: usize) -> Option<i64> {
        let board = &self.boards[ply];
        let each = |side: &SideSelector, of: &dyn Fn(Color) -> i64| {
            Some(self.colours_of(side, colour_of, ply)?.into_iter().map(of).sum::<i64>())
        };
        let squares = |side: &SideSelector, squares: &SquareExpression| {
            let number = |colour| i64::from(self.squares(squares, colour, ply).count_ones());
            if squares.has_sides() { each(side, &number) } else { each(side, &number).map(|_| number(White)) }
        };
        let worth = [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
        let number = |counted: &CountExpression| match counted {
            CountExpression::Squares { side, squares: set } => squares(side, set),
            CountExpression::Points(side) => each(side, &|colour| {
                worth.iter().map(|&(role, points)| points * i64::from(board.pieces(colour, role).count_ones())).sum()
            }),
            CountExpression::Number(number) => Some((number.value)(board)),
            CountExpression::OfSide { side, number } => each(side, &|colour| match number {
                SideNumber::MovesOf(_) if board.side_to_move() != colour => 0,
                SideNumber::MovesOf(role) => {
                    let from = role.map_or(board.occupied_by(colour), |role| board.pieces(colour, role));
                    i64::from(board.legal_move_count(from))
                }
                SideNumber::Captures => 16 - i64::from(board.occupied_by(!colour).count_ones()),
                SideNumber::ClockTime | SideNumber::MovesToMate | SideNumber::HalfPointsLost => {
                    panic!("{number:?} is not of the board")
                }
            }),
        };
        let terms = sum.terms.iter().map(|(factor, counted)| Some(factor * number(counted)?));
        Some(terms.sum::<Option<i64>>()? + sum.constant)
    }

    fn named(&self, of: NameSelector, pattern: &str) -> bool {
        let pattern = NamePattern::new(pattern);
        let (record, names) = (self.span.record(self.nth), self.span.names());
        let white = || pattern.matches(names.players.get(record.white));
        let black = || pattern.matches(names.players.get(record.black));
        match (of, record.result().name()) {
            (NameSelector::White, _) | (NameSelector::Winner, "1-0") | (NameSelector::Loser, "0-1") => white(),
            (NameSelector::Black, _) | (NameSelector::Winner, "0-1") | (NameSelector::Loser, "1-0") => black(),
            (NameSelector::Player, _) => white() || black(),
            (NameSelector::Winner | NameSelector::Loser, _) => false,
            (NameSelector::Event, _) => pattern.matches(names.events.get(record.event)),
            (NameSelector::Site, _) => pattern.matches(names.sites.get(record.site)),
            (NameSelector::Source, _) => false,
            (NameSelector::Round, _) => self.has_text(HeaderText::Round, &pattern),
            (NameSelector::Annotator, _) => self.has_text(HeaderText::Annotator, &pattern),
            (NameSelector::TimeControl, _) => self.has_text(HeaderText::TimeControl, &pattern),
        }
    }

    /// Whether a text of the header is known and like this.
    fn has_text(&self, text: HeaderText, pattern: &NamePattern) -> bool {
        let text = self.span.names().texts.of_game(text, self.span.first_in_shard + self.nth);
        !text.is_empty() && pattern.matches(text)
    }

    fn has_title(&self, players: PlayerSelector, titles: &[SpannedName]) -> bool {
        let any = |of| titles.iter().any(|title| self.has_text(of, &NamePattern::new(title)));
        self.of_players(players, any(HeaderText::WhiteTitle), any(HeaderText::BlackTitle))
    }

    /// Whether what holds for White or for Black holds for these players.
    fn of_players(&self, players: PlayerSelector, white: bool, black: bool) -> bool {
        use PlayerSelector::{Black, Both, Either, Loser, White, Winner};
        match (players, self.span.record(self.nth).result().name()) {
            (White, _) | (Winner, "1-0") | (Loser, "0-1") => white,
            (Black, _) | (Winner, "0-1") | (Loser, "1-0") => black,
            (Winner | Loser, _) => false,
            (Either, _) => white || black,
            (Both, _) => white && black,
        }
    }

    fn has_elo_lead(&self, lead: &EloLead) -> bool {
        let record = self.span.record(self.nth);
        let (white, black) = (i32::from(record.white_elo), i32::from(record.black_elo));
        if lead.player.opponent().is_none() || !self.of_players(lead.player, true, true) {
            return false;
        }
        let white_is_first = self.of_players(lead.player, true, false);
        let (first, second) = if white_is_first { (white, black) } else { (black, white) };
        let second_and_margin = second + lead.margin;
        white != 0
            && black != 0
            && match lead.comparison.symbol() {
                "=" => first == second_and_margin,
                "!=" => first != second_and_margin,
                "<" => first < second_and_margin,
                "<=" => first <= second_and_margin,
                ">" => first > second_and_margin,
                _ => first >= second_and_margin,
            }
    }

    fn header(&self, header: &HeaderCondition) -> bool {
        let record = self.span.record(self.nth);
        match header {
            HeaderCondition::Result(results) => results.contains(&record.result()),
            HeaderCondition::Name { selector: of, pattern } => self.named(*of, pattern),
            HeaderCondition::Elo { selector: of, range } => {
                let (white, black) = (u32::from(record.white_elo), u32::from(record.black_elo));
                let within = |elo: u32| elo != 0 && range.min <= elo && elo <= range.max;
                let known = white != 0 && black != 0;
                match *of {
                    EloSelector::Of(players) => self.of_players(players, within(white), within(black)),
                    EloSelector::Average => known && within((white + black) / 2),
                    EloSelector::Difference => {
                        let difference = white.abs_diff(black);
                        known && range.min <= difference && difference <= range.max
                    }
                }
            }
            HeaderCondition::Title { selector, titles } => self.has_title(*selector, titles),
            HeaderCondition::EloLead(lead) => self.has_elo_lead(lead),
            HeaderCondition::Eco(ranges) => {
                !record.eco.is_unknown() && ranges.iter().any(|(from, to)| *from <= record.eco && record.eco <= *to)
            }
            HeaderCondition::Set(name) => is_in_set(name, self.span.first_game.0 + self.nth),
            HeaderCondition::Opening(_) => panic!("no names of openings are at hand"),
            HeaderCondition::Date { from, to } => {
                let date = (record.date.year(), record.date.month(), record.date.day());
                let late =
                    from.is_none_or(|day| (u32::from(day.year), u32::from(day.month), u32::from(day.day)) <= date);
                let end = |part: u8| if part == 0 { 99 } else { u32::from(part) };
                let early = to.is_none_or(|day| date <= (u32::from(day.year), end(day.month), end(day.day)));
                date.0 != 0 && late && early
            }
            HeaderCondition::Plies(range) => (range.min..=range.max).contains(&u32::from(record.plies)),
            HeaderCondition::Incomplete => record.flags() & INCOMPLETE != 0,
            HeaderCondition::Ended(endings) => endings.contains(&record.ending()),
            HeaderCondition::TimeClass(classes) => classes.contains(&record.time_class()),
        }
    }
}
