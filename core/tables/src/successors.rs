//! Positions of few men and their legal moves, by the rules of chess alone: tables are checked against them.
//!
//! Nothing here depends on an index or a generator. There is no castling, as in all tables; there is en passant.

use alloc::string::{String, ToString};
use core::fmt;

use plyfold_transform::playable::{UnplayablePosition, check_kings};
use plyfold_transform::position_text::read_fen;
use shakmaty::PositionError as Refusal;
use shakmaty::fen::Fen;
use shakmaty::{Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, Position as _, Setup, Square};
use thiserror::Error;

use super::material::{MAX_MEN, TableMaterial};

/// A legal position of at most [`MAX_MEN`] men without castling rights.
///
/// Legal means that each side has one king, no pawn stands on the first or last rank, and the side to move cannot capture the
/// king. The position need not be reachable in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablePosition(Chess);

impl TablePosition {
    /// Reads a FEN. Clocks are ignored, and missing fields get their usual values.
    ///
    /// # Errors
    /// One sentence that says why tables cannot contain the position.
    pub fn from_fen(fen: &str) -> Result<TablePosition, PositionError> {
        let setup = read_fen(fen).map_err(|error| PositionError::Fen { fault: error.message })?;
        if setup.castling_rights.any() {
            return Err(PositionError::Castling);
        }
        TablePosition::from_board(setup.board, setup.turn, setup.ep_square)
    }

    /// A position from its parts: the board, the side to move, and the square that a pawn has just passed over.
    ///
    /// # Errors
    /// One sentence that says why tables cannot contain the position.
    pub fn from_board(board: Board, turn: Color, passed: Option<Square>) -> Result<TablePosition, PositionError> {
        let count = board.occupied().count();
        let setup = Setup { board, turn, ep_square: passed, ..Setup::empty() };
        match check_kings(&setup) {
            Ok(()) if count > MAX_MEN => return Err(PositionError::TooManyMen { men: count }),
            kings => kings?,
        }
        // Tables also hold positions with checks that no game can lead to.
        Chess::from_setup(setup, CastlingMode::Standard)
            .or_else(Refusal::ignore_impossible_check)
            .or_else(Refusal::ignore_too_much_material)
            .map(TablePosition)
            .map_err(|error| UnplayablePosition::of(error.kinds(), !turn).into())
    }

    /// The board.
    pub fn board(&self) -> &Board {
        self.0.board()
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.0.turn()
    }

    /// The material, White's first.
    pub fn material(&self) -> TableMaterial {
        TableMaterial::of_board(self.board())
    }

    /// Returns whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.0.is_check()
    }

    /// Whether a pawn can legally be captured en passant.
    pub(crate) fn has_en_passant(&self) -> bool {
        self.0.maybe_ep_square().is_some() && self.0.legal_ep_square().is_some()
    }

    /// Every legal move with the position after it. If there are none, the game is over: it is mate in check, otherwise stalemate.
    pub fn successors(&self) -> impl ExactSizeIterator<Item = (Move, TablePosition)> + '_ {
        self.0.legal_moves().into_iter().map(|next| {
            let mut after = self.0.clone();
            after.play_unchecked(next);
            (next, TablePosition(after))
        })
    }

    /// The position as a position of shakmaty.
    pub fn as_chess(&self) -> &Chess {
        &self.0
    }
}

/// The position as a FEN, with an en passant square only if a pawn can be captured there.
impl fmt::Display for TablePosition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut setup = self.0.to_setup(EnPassantMode::Legal);
        // Clocks are not part of a position here.
        setup.halfmoves = 0;
        setup.fullmoves = Setup::empty().fullmoves;
        out.write_str(&Fen::try_from_setup(setup).map_err(|_| fmt::Error)?.to_string())
    }
}

/// Why tables cannot contain a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PositionError {
    /// The text is not a FEN.
    #[error("this is not a FEN: {fault}; an example is `8/8/8/8/8/2k5/1R6/K7 w - - 0 1`")]
    Fen {
        /// What is wrong with it.
        fault: String,
    },
    /// Somebody may castle.
    #[error("tables have no positions with castling rights; write - if nobody will castle")]
    Castling,
    /// More men than tables are made of.
    #[error("there are {men} men on the board; tables have at most {MAX_MEN}, kings included")]
    TooManyMen {
        /// How many, kings included.
        men: usize,
    },
    /// No game can be played from it.
    #[error("{0}")]
    Unplayable(#[from] UnplayablePosition),
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn position(fen: &str) -> TablePosition {
        TablePosition::from_fen(fen).expect("a position of the test")
    }

    fn moves(fen: &str) -> usize {
        position(fen).successors().len()
    }

    #[test]
    fn what_tables_do_not_know_gets_one_sentence() {
        let cases = [
            (
                "8/8/8/8/8/2k5/1R6/K7 x",
                "this is not a FEN: the second field is the side to move: `w` or `b`; an example is `8/8/8/8/8/2k5/1R6/K7 w - - 0 1`",
            ),
            (
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
                "tables have no positions with castling rights; write - if nobody will castle",
            ),
            ("8/8/8/8/8/2k5/1R6/8 w - - 0 1", "White has 0 kings; each side needs one"),
            ("k7/k7/8/8/8/8/1R6/K7 w - - 0 1", "Black has 2 kings; each side needs one"),
            ("rrrrk3/8/8/8/8/8/8/K6R w - - 0 1", ""),
            (
                "rrrrrk2/8/8/8/8/8/8/K6R w - - 0 1",
                "there are 8 men on the board; tables have at most 7, kings included",
            ),
            ("P7/8/8/8/8/2k5/8/K7 w - - 0 1", "a pawn stands on the first or the last rank"),
            ("8/8/8/8/8/8/1k6/K7 w - - 0 1", "the kings stand next to each other"),
            (
                "8/8/8/8/8/1k6/8/KR6 w - - 0 1",
                "Black is in check with the other side to move; it must be Black's turn, `b`",
            ),
            (
                "8/8/8/3pP3/8/8/8/K1k5 b - d6 0 1",
                "no pawn can have just passed over the en passant square; write - instead",
            ),
            (
                "8/8/8/8/8/2k5/1R6/K7[Q] w - - 0 1",
                "this is not a FEN: a board here has no pocket of pieces in hand; an example is `8/8/8/8/8/2k5/1R6/K7 w - - 0 1`",
            ),
        ];
        for (fen, sentence) in cases {
            let said = TablePosition::from_fen(fen).map_or_else(|error| error.to_string(), |_| String::new());
            assert_eq!(said, sentence, "{fen}");
        }
    }

    #[test]
    fn positions_come_back_as_fen() {
        for fen in ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "8/8/8/3pP3/8/8/8/K1k5 w - d6 0 1"] {
            assert_eq!(position(fen).to_string(), fen);
        }
        assert_eq!(position("8/8/8/3p4/8/8/4P3/K1k5 w - d6 7 30").to_string(), "8/8/8/3p4/8/8/4P3/K1k5 w - - 0 1");
    }

    #[test]
    fn moves_are_those_of_chess() {
        assert_eq!(moves("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"), 16, "rook 14, king 2");
        assert_eq!(moves("k7/8/KQ6/8/8/8/8/8 b - - 0 1"), 0);
        assert!(!position("k7/8/KQ6/8/8/8/8/8 b - - 0 1").is_check());
        // Four promotions, four more with a capture, and three of the king's five are not beside the other king.
        assert_eq!(moves("1n6/P7/8/8/8/8/8/k1K5 w - - 0 1"), 4 + 4 + 3);
        // Three checkers, as no game has them, are a position none the less: d7 alone is left.
        assert_eq!(moves("R3k3/8/8/4Q2B/8/8/8/K7 b - - 0 1"), 1);
    }

    #[test]
    fn a_pawn_is_taken_en_passant_at_once_or_not_at_all() {
        let start = position("8/3p4/8/4P3/8/8/8/K1k5 b - - 0 1");
        let passed: Vec<TablePosition> =
            start.successors().map(|(_, after)| after).filter(TablePosition::has_en_passant).collect();
        assert_eq!(passed.len(), 1);
        let taken = passed[0].successors().filter(|(next, _)| next.is_en_passant()).count();
        assert_eq!(taken, 1);
        assert!(passed[0].successors().all(|(_, after)| !after.has_en_passant()));
    }
}
