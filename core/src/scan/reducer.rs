//! Stage 5, reduce: the door through which the fold hands out what it finds.
//!
//! A reducer is part of the type of the fold and compiles into its loop; two in a tuple ride on one pass. Concrete reducers
//! live in `reduce`, which the scan does not know.

use super::needs::Needs;
use crate::board::{Board, Change};
use crate::game::Game;
use crate::moves::Move;

/// A ply just played.
pub struct Ply<'a> {
    /// The board after it.
    pub board: &'a Board,
    /// What it changed.
    pub change: Change,
    /// Its number, from 1.
    pub number: u32,
    /// Matching positions of this game before it.
    pub matched_before: u32,
    /// Whether its position matches.
    pub matches: bool,
}

/// What is known at the end of a game.
pub struct End<'a> {
    /// The game.
    pub game: &'a Game<'a>,
    /// The board after its last ply.
    pub board: &'a Board,
    /// Matching positions in it.
    pub matched: u32,
    /// Whether the game matches.
    pub verdict: bool,
}

/// What is kept of the matches.
///
/// Calls come in the order `begin`, then `before` and `after` for each ply, `end`, for each game. A reducer that does not care for
/// a call leaves it empty, and it costs nothing.
pub trait Reducer: Send + Sized {
    /// True if it keeps only verdicts: a game may be left as soon as its verdict is settled.
    const VERDICT_ONLY: bool = false;

    /// What the replay must keep up for it.
    fn needs(&self) -> Needs;

    /// A game begins.
    #[inline(always)]
    fn begin(&mut self, game: &Game<'_>, board: &Board) {
        let _ = (game, board);
    }

    /// `mv` is about to be made on `board`; `matched` positions of this game have matched so far.
    #[inline(always)]
    fn before(&mut self, board: &Board, mv: Move, matched: u32) {
        let _ = (board, mv, matched);
    }

    /// A ply has been played and tested.
    #[inline(always)]
    fn after(&mut self, ply: &Ply<'_>) {
        let _ = ply;
    }

    /// A game is over.
    fn end(&mut self, end: &End<'_>);

    /// Takes in what another thread found.
    fn merge(&mut self, other: Self);
}

impl<A: Reducer, B: Reducer> Reducer for (A, B) {
    const VERDICT_ONLY: bool = A::VERDICT_ONLY && B::VERDICT_ONLY;

    fn needs(&self) -> Needs {
        self.0.needs().and(self.1.needs())
    }

    #[inline(always)]
    fn begin(&mut self, game: &Game<'_>, board: &Board) {
        self.0.begin(game, board);
        self.1.begin(game, board);
    }

    #[inline(always)]
    fn before(&mut self, board: &Board, mv: Move, matched: u32) {
        self.0.before(board, mv, matched);
        self.1.before(board, mv, matched);
    }

    #[inline(always)]
    fn after(&mut self, ply: &Ply<'_>) {
        self.0.after(ply);
        self.1.after(ply);
    }

    #[inline(always)]
    fn end(&mut self, end: &End<'_>) {
        self.0.end(end);
        self.1.end(end);
    }

    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
        self.1.merge(other.1);
    }
}

/// A reducer that may be absent: for the scan that serves any combination at some cost.
impl<R: Reducer> Reducer for Option<R> {
    fn needs(&self) -> Needs {
        self.as_ref().map_or(Needs::NOTHING, Reducer::needs)
    }

    #[inline(always)]
    fn begin(&mut self, game: &Game<'_>, board: &Board) {
        if let Some(reducer) = self {
            reducer.begin(game, board);
        }
    }

    #[inline(always)]
    fn before(&mut self, board: &Board, mv: Move, matched: u32) {
        if let Some(reducer) = self {
            reducer.before(board, mv, matched);
        }
    }

    #[inline(always)]
    fn after(&mut self, ply: &Ply<'_>) {
        if let Some(reducer) = self {
            reducer.after(ply);
        }
    }

    #[inline(always)]
    fn end(&mut self, end: &End<'_>) {
        if let Some(reducer) = self {
            reducer.end(end);
        }
    }

    fn merge(&mut self, other: Self) {
        if let (Some(reducer), Some(other)) = (self, other) {
            reducer.merge(other);
        }
    }
}
