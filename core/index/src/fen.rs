//! Reads the position to look up from a FEN.

use alloc::string::String;

use plyfold_board::board::Board;
use plyfold_board::board::start::PackedStart;
use plyfold_transform::playable::{UnplayablePosition, playable};
use plyfold_transform::position_text::read_fen;
use thiserror::Error;

/// Why a text does not describe a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum FenPositionError {
    /// The text is not a FEN.
    #[error("not a FEN: {0}")]
    Fen(String),
    /// No game can have this position.
    #[error("{0}")]
    Position(#[from] UnplayablePosition),
}

/// The position that a FEN describes, with castling rights as in X-FEN or Shredder-FEN. Missing fields mean White to move, no castling
/// rights, no en passant.
///
/// Like an import, it accepts too much material and impossible checks, and drops castling rights and en passant squares that are not
/// possible.
///
/// # Errors
///
/// A text that is not a FEN, or a position that no game can have.
pub fn board_from_fen(fen: &str) -> Result<Board, FenPositionError> {
    let setup = read_fen(fen).map_err(|error| FenPositionError::Fen(error.message))?;
    let position = playable(setup)?;
    Ok(Board::from_start(&PackedStart::from_position(&position)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_counts_counts() {
        let hash = |fen: &str| board_from_fen(fen).expect(fen).hash;
        let usual = hash("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert_eq!(usual, Board::initial().hash);
        // Clocks do not matter, and neither does an en passant square if no pawn can capture there.
        let e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq";
        let e4 = |rest| hash(&alloc::format!("{e4} {rest}"));
        assert_eq!(e4("e3 0 1"), e4("- 17 40"));
        // An en passant square matters if a pawn can capture there, and so do the side to move and the castling rights.
        let taken = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 40";
        assert_ne!(hash(taken), hash("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 40"));
        assert_ne!(usual, hash("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"));
        assert_ne!(usual, hash("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1"));
        assert_eq!(usual, hash(" rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1\n"));
    }

    #[test]
    fn nonsense_is_an_error() {
        for text in ["", "e4", "8/8/8/8/8/8/8/8 w - - 0 1", "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"] {
            assert!(board_from_fen(text).is_err(), "{text}");
        }
    }
}
