//! The meaning of a query, implemented straight from the definitions: linear temporal logic over the finite trace of a game.
//!
//! It evaluates the tree of a query on the stored positions of one game, ply by ply, as often as it likes. It shares neither
//! the plan nor the windows and gates of the engine, but it uses the engine's predicates on single positions.

mod headers;
mod leaves;
mod numbers;
mod relations;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use plyfold_core::annotations::GameAnnotations;
use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::game::GameSpan;
use plyfold_core::moves::Move;
use plyfold_core::query::header::NameSelector;
use plyfold_core::query::material::Imbalance;
use plyfold_core::query::parse::parse;
use plyfold_core::query::tree::{
    CountExpression, Leaf, NumberSource, QueryTree, SideSelector, SumExpression, TransformedPattern,
};
use plyfold_core::query::window::{GamePhase, OccurrenceRule, WindowClause, WindowQuantifier};
use plyfold_core::scan::ConditionEdge;
use plyfold_core::scan::predicate::NumberComparison;
use shakmaty::Color::{Black, White};
use shakmaty::{Color, Role};

use crate::followed::{Followed, has_names};
use crate::images;
use crate::plays::Plays;
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
}
