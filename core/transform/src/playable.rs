//! Positions from which a game can be played, and why it cannot be played from others.

use shakmaty::{CastlingMode, Chess, Color, FromSetup, PositionError, PositionErrorKinds, Setup};
use thiserror::Error;

/// Why no game can be played from a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum UnplayablePosition {
    /// A side without a king, or with several.
    #[error("{side} has {kings} kings; each side needs one")]
    Kings {
        /// Whose.
        side: &'static str,
        /// How many.
        kings: usize,
    },
    /// A pawn on the first or last rank.
    #[error("a pawn stands on the first or the last rank")]
    Pawns,
    /// The kings stand side by side.
    #[error("the kings stand next to each other")]
    KingsTouch,
    /// The side that is not to move is in check.
    #[error("{side} is in check with the other side to move; it must be {side}'s turn, `{letter}`")]
    OppositeCheck {
        /// The side in check.
        side: &'static str,
        /// How a FEN says that it is to move.
        letter: char,
    },
    /// An en passant square that no pawn has passed over.
    #[error("no pawn can have just passed over the en passant square; write - instead")]
    EnPassant,
}

/// The position of a setup, with castling rights as in Chess960.
///
/// It may have too much material and checks that no game leads to. Castling rights and an en passant square that are not possible are dropped.
///
/// # Errors
///
/// No game can be played from it.
pub fn playable(setup: Setup) -> Result<Chess, UnplayablePosition> {
    check_kings(&setup)?;
    let waiting = !setup.turn;
    Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .map_err(|error| UnplayablePosition::of(error.kinds(), waiting))
}

/// Checks that each side has one king, and that they do not touch.
///
/// # Errors
///
/// They do, or a side has none or several.
pub fn check_kings(setup: &Setup) -> Result<(), UnplayablePosition> {
    for color in Color::ALL {
        let kings = (setup.board.kings() & setup.board.by_color(color)).count();
        if kings != 1 {
            return Err(UnplayablePosition::Kings { side: side_name(color), kings });
        }
    }
    let reach = setup.board.king_of(setup.turn).map(shakmaty::attacks::king_attacks).unwrap_or_default();
    if (reach & setup.board.kings()).any() { Err(UnplayablePosition::KingsTouch) } else { Ok(()) }
}

impl UnplayablePosition {
    /// The reason behind an error about a position with one king each, where this side is not to move.
    pub fn of(kinds: PositionErrorKinds, waiting: Color) -> UnplayablePosition {
        if kinds.contains(PositionErrorKinds::PAWNS_ON_BACKRANK) {
            UnplayablePosition::Pawns
        } else if kinds.contains(PositionErrorKinds::OPPOSITE_CHECK) {
            UnplayablePosition::OppositeCheck { side: side_name(waiting), letter: waiting.char() }
        } else {
            UnplayablePosition::EnPassant
        }
    }
}

fn side_name(side: Color) -> &'static str {
    side.fold_wb("White", "Black")
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use super::*;
    use crate::position_text::read_fen;

    #[test]
    fn what_cannot_be_played_gets_one_sentence() {
        for (fen, sentence) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ""),
            ("4k3/8/8/8/8/8/8/4K3 w KQkq e3 0 1", ""),
            ("8/8/8/8/8/8/8/8 w - -", "White has 0 kings; each side needs one"),
            ("kk6/8/8/8/8/8/8/K7 w - -", "Black has 2 kings; each side needs one"),
            ("P7/8/8/8/8/2k5/8/K7 w - -", "a pawn stands on the first or the last rank"),
            ("8/8/8/8/8/8/1k6/K7 b - -", "the kings stand next to each other"),
            (
                "8/8/8/8/8/1k6/8/KR6 w - -",
                "Black is in check with the other side to move; it must be Black's turn, `b`",
            ),
        ] {
            let said = playable(read_fen(fen).expect(fen)).map_or_else(|error| error.to_string(), |_| String::new());
            assert_eq!(said, sentence, "{fen}");
        }
    }
}
