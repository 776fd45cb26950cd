//! A ply of a game at which predicates are tested anew, with all that any of them may ask. The fold has faster ways.

use plyfold_annotations::columns::AnnotationColumns;
use plyfold_board::board::Board;

use super::{NamedPieces, PlayedPly};
use crate::game::{Game, GameSpan};

/// The position after a ply of a game, or the start position.
pub(in crate::scan) struct TestedPly<'a, 's> {
    /// The position.
    pub board: &'a Board,
    pub game: &'a mut GameInSpan<'s>,
    /// The plies of the game.
    pub played: &'a [PlayedPly],
    /// The number of the ply, from 1; 0 for the start position.
    pub ply: usize,
    /// The half-move number of the first ply: 0 for White's first move, 1 for the reply to it, and so on.
    pub first_half_move: u32,
}

impl TestedPly<'_, '_> {
    /// The ply that led to the position; none to the start position.
    pub fn last(&self) -> Option<&PlayedPly> {
        self.played[..self.ply].last()
    }
}

/// A game of a span, and the columns of its annotations.
pub struct GameInSpan<'s> {
    pub(super) span: &'s GameSpan<'s>,
    pub(super) nth: u32,
    pub(super) game: Game<'s>,
    pub(super) columns: AnnotationColumns,
    /// What the named pieces do at the position that is tested.
    pub named: NamedPieces,
}

impl<'s> GameInSpan<'s> {
    /// Game `nth` of the span.
    pub fn new(span: &'s GameSpan<'s>, nth: u32) -> GameInSpan<'s> {
        GameInSpan {
            span,
            nth,
            game: span.game(nth),
            columns: AnnotationColumns::default(),
            named: NamedPieces::default(),
        }
    }
}
