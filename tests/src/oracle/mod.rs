//! The meaning of a query, implemented straight from the definitions: linear temporal logic over the finite trace of a game.
//!
//! It evaluates the tree of a query on the stored positions of one game, ply by ply, as often as it likes. It shares neither
//! the plan nor the windows and gates of the engine, but it uses the engine's predicates on single positions.

mod evidence;
mod headers;
mod leaves;
mod lines;
mod numbers;
mod relations;
mod truth;
mod windows;
mod written;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use plyfold_core::annotations::GameAnnotations;
use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::game::GameSpan;
use plyfold_core::moves::Move;
use plyfold_core::query::forms::Leaf;
use plyfold_core::query::forms::compare::Compare;
use plyfold_core::query::forms::tb::TableCondition;
use plyfold_core::query::forms::threw_away::ThrewAway;
use plyfold_core::query::forms::zugzwang::Zugzwang;
use plyfold_core::query::header::NameSelector;
use plyfold_core::query::side::SideSelector;
use plyfold_core::query::sum::NumberSource;
use plyfold_core::query::sum::SumExpression;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::window::WindowQuantifier;
use shakmaty::Color;
use shakmaty::Color::{Black, White};

use crate::followed::{Followed, has_names};
use crate::lines::identity;
use crate::plays::Plays;
use crate::tables::{FakeTables, OracleVerdict, half_points_of};

use truth::{Truth, all_hold, fails, so_many_hold, some_holds};
use windows::Before;

/// The stored trace of a game.
pub struct Trace<'a> {
    /// The boards before the first ply and after each.
    boards: Vec<Board>,
    /// What makes the positions of the boards equal to others.
    identities: Vec<String>,
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

/// Whether a sum has numbers that this source knows.
fn has_numbers_of(sum: &SumExpression, source: NumberSource) -> bool {
    sum.terms.iter().any(|(_, counted)| counted.source() == source)
}

/// Plies in order, each once.
fn ascending(mut plies: Vec<u32>) -> Vec<u32> {
    plies.sort_unstable();
    plies.dedup();
    plies
}

impl<'a> Trace<'a> {
    /// The trace of game `nth` of `span`.
    pub fn of(span: GameSpan<'a>, nth: u32) -> Trace<'a> {
        let game = span.game(nth);
        let mut board = game.start_board();
        // How often each position has occurred, by everything that makes positions equal.
        let mut seen: HashMap<String, u16> = HashMap::new();
        let (mut boards, mut identities) = (Vec::new(), Vec::new());
        for ply in 0..=game.moves.len() {
            if ply > 0 {
                board.make::<FullState>(game.moves[ply - 1]);
            }
            let same = identity(&board);
            identities.push(same.clone());
            let with_other_turn = match same.split(' ').collect::<Vec<_>>()[..] {
                [placement, turn, castling, "-"] => {
                    format!("{placement} {} {castling} -", if turn == "w" { "b" } else { "w" })
                }
                _ => String::new(),
            };
            board.other_turn = seen.get(&with_other_turn).copied().unwrap_or(0);
            let times = seen.entry(same).or_default();
            *times += 1;
            board.repetition = *times;
            boards.push(board.clone());
        }
        let annotations = game.annotations.unpack();
        Trace {
            verdicts: boards.iter().map(|board| OracleVerdict::of_board(board, &FakeTables)).collect(),
            boards,
            identities,
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
        let tree = &tree.expanded();
        let mut any = false;
        self.for_each_choice(tree, || any |= self.matches_as_chosen(tree));
        any
    }

    /// Plies whose positions match, from 1, for some choice of pieces. Windows do not apply.
    pub fn matching_plies(&self, tree: &QueryTree) -> Vec<u32> {
        let tree = &tree.expanded();
        let mut plies = Vec::new();
        self.for_each_choice(tree, || plies.extend(self.matching_as_chosen(tree)));
        ascending(plies)
    }

    /// Plies that are evidence, from 1: where the conditions of a query were fulfilled, in a game that matches, for the choices
    /// of pieces that fulfil the query.
    pub fn evidence_plies(&self, tree: &QueryTree) -> Vec<u32> {
        let tree = &tree.expanded();
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
        self.fulfilled(tree, Before::NOTHING).verdict
    }

    fn matching_as_chosen(&self, tree: &QueryTree) -> Vec<u32> {
        let matching = self.matching(tree);
        (1..=self.plies()).filter(|&ply| matching[ply] == Some(true)).map(|ply| ply as u32).collect()
    }

    /// Plies from 1 of whose positions tables would have to tell whether they match. A position with more pieces than a table can
    /// have is none.
    pub fn unknown_plies(&self, tree: &QueryTree) -> Vec<u32> {
        let tree = &tree.expanded();
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

    fn plies(&self) -> usize {
        self.boards.len() - 1
    }

    /// For each ply, from 0, whether its position matches: the same combination of conditions, but without windows. With
    /// `then`, either side suffices.
    fn matching(&self, tree: &QueryTree) -> Rc<[Truth]> {
        let at = |holds: &dyn Fn(usize) -> Truth| (0..=self.plies()).map(holds).collect::<Rc<[Truth]>>();
        match tree {
            QueryTree::Then { first, second, .. } => {
                let (first, second) = (self.matching(first), self.matching(second));
                at(&|ply| some_holds([first[ply], second[ply]].into_iter()))
            }
            QueryTree::Condition { inner: what, window } => {
                let what = self.held(what);
                at(&|ply| if window.quantifier == WindowQuantifier::Never { fails(what[ply]) } else { what[ply] })
            }
            tree => self.combined(tree, &|part| self.matching(part)).unwrap_or_else(|| self.held(tree)),
        }
    }

    /// For each ply, from 0, what follows from the parts of a combination; none for other parts of a query.
    fn combined(&self, tree: &QueryTree, evaluate: &dyn Fn(&QueryTree) -> Rc<[Truth]>) -> Option<Rc<[Truth]>> {
        let each = |parts: &[QueryTree]| parts.iter().map(evaluate).collect::<Vec<_>>();
        let at = |holds: &dyn Fn(usize) -> Truth| (0..=self.plies()).map(holds).collect::<Rc<[Truth]>>();
        Some(match tree {
            QueryTree::And(parts) => {
                let parts = each(parts);
                at(&|ply| all_hold(parts.iter().map(|part| part[ply])))
            }
            QueryTree::Or(parts) => {
                let parts = each(parts);
                at(&|ply| some_holds(parts.iter().map(|part| part[ply])))
            }
            QueryTree::SomeOf { number: least, parts } => {
                let parts = each(parts);
                at(&|ply| so_many_hold(*least, parts.iter().map(|part| part[ply])))
            }
            QueryTree::Not(inner) => {
                let inner = evaluate(inner);
                at(&|ply| fails(inner[ply]))
            }
            _ => return None,
        })
    }

    /// For each ply, from 0, whether a part of a query without windows holds.
    fn held(&self, tree: &QueryTree) -> Rc<[Truth]> {
        let text = tree.to_string();
        if let Some(held) = self.held.borrow().get(&text) {
            return held.clone();
        }
        let held = match tree {
            QueryTree::Together(inner) => self.held(inner),
            tree => self
                .combined(tree, &|part| self.held(part))
                .unwrap_or_else(|| (0..=self.plies()).map(|ply| self.holds(tree, ply)).collect()),
        };
        self.held.borrow_mut().insert(text, held.clone());
        held
    }

    /// Whether a leaf of a query holds at one position.
    fn holds(&self, tree: &QueryTree, ply: usize) -> Truth {
        match tree {
            QueryTree::Everything => Some(true),
            QueryTree::Leaf(Leaf::Tb(TableCondition { side, outcome })) => self.of_side(side, ply, &|colour| {
                self.verdicts[ply].map(|verdict| verdict.half_points(colour) == half_points_of(*outcome))
            }),
            QueryTree::Leaf(Leaf::ThrewAway(ThrewAway { side, thrown })) => {
                self.of_side(side, ply, &|colour| self.threw_away(colour, *thrown, ply))
            }
            QueryTree::Leaf(Leaf::Zugzwang(Zugzwang { side })) => {
                self.of_side(side, ply, &|colour| self.zugzwang(colour, ply))
            }
            QueryTree::Leaf(Leaf::Compare(Compare { left, comparison, right }))
                if [left, right].into_iter().any(|sum| has_numbers_of(sum, NumberSource::Tables)) =>
            {
                self.compares_by_tables((left, *comparison, right), ply)
            }
            QueryTree::Leaf(leaf) => Some(self.leaf(leaf, ply)),
            QueryTree::Header(header) => Some(self.header(header)),
            tree => panic!("{tree} is put together of parts"),
        }
    }

    /// Who wins the game, by its header.
    pub(crate) fn winner(&self) -> Option<Color> {
        match self.span.record(self.nth).result().name() {
            "1-0" => Some(White),
            "0-1" => Some(Black),
            _ => None,
        }
    }

    /// Applies a test of a colour to a side.
    fn side(&self, side: &SideSelector, ply: usize, of: &dyn Fn(Color) -> bool) -> bool {
        self.of_side(side, ply, &|colour| Some(of(colour))) == Some(true)
    }

    /// Applies a test of a colour whose result may be unknown to a side.
    fn of_side(&self, side: &SideSelector, ply: usize, of: &dyn Fn(Color) -> Truth) -> Truth {
        let turn = self.boards[ply].side_to_move();
        let winner = self.winner();
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
            SideSelector::Player(name) | SideSelector::Opponent(name) => {
                let of = |colour: Color| of(if matches!(side, SideSelector::Opponent(_)) { !colour } else { colour });
                let plays = [(NameSelector::White, White), (NameSelector::Black, Black)].into_iter();
                let plays = plays.filter(|(selector, _)| self.named(*selector, name));
                some_holds(plays.map(|(_, colour)| of(colour)))
            }
        }
    }
}
