//! Says why and where a game was rejected, or was cut to its first moves.

use alloc::boxed::Box;
use alloc::string::String;

use thiserror::Error;

/// A game that was rejected, or of which only the moves before a fault are kept. The other games of its file are not affected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("game {game}{} at byte {offset}{}: {reason}", names(white, black), at_ply(*ply))]
pub struct RejectedGame {
    /// Byte in the decompressed file: of the move at fault, or the first byte of the game if no move is at fault.
    pub offset: u64,
    /// Number of the game in its text, from 1; rejected games count.
    pub game: u64,
    /// The ply that could not be played, from 1; 0 if no move is at fault.
    pub ply: u32,
    /// What is wrong.
    pub reason: RejectionReason,
    /// White's name, empty if unknown.
    pub white: String,
    /// Black's name, empty if unknown.
    pub black: String,
    /// Whether the moves before are kept as a game.
    pub kept_in_part: bool,
}

fn names(white: &str, black: &str) -> String {
    if white.is_empty() && black.is_empty() { String::new() } else { alloc::format!(" ({white} - {black})") }
}

fn at_ply(ply: u32) -> String {
    if ply == 0 { String::new() } else { alloc::format!(", ply {ply}") }
}

/// The reason why a game was rejected or cut.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum RejectionReason {
    /// The text is UTF-16.
    #[error("the text is UTF-16; save it as UTF-8")]
    Utf16,
    /// There is neither a tag nor a move.
    #[error("no PGN here")]
    NoPgn,
    /// The game is of a chess variant.
    #[error("variant {0} is not supported")]
    Variant(Box<str>),
    /// The value of the FEN tag is not a FEN.
    #[error("{0}: \"{1}\"")]
    Fen(Box<str>, Box<str>),
    /// No game can be played from the position of the FEN tag.
    #[error("{0}")]
    Position(Box<str>),
    /// A word among the moves is not a move.
    #[error("cannot read \"{0}\" as a move (write pieces as KQRBN)")]
    Unreadable(Box<str>),
    /// No piece can legally make the move.
    #[error("illegal move \"{0}\"")]
    Illegal(Box<str>),
    /// Several pieces can make the move.
    #[error("ambiguous move \"{0}\"")]
    Ambiguous(Box<str>),
    /// A pawn arrives on the last rank without a promotion.
    #[error("move \"{0}\" does not name the piece of the promotion")]
    MissingPromotion(Box<str>),
    /// The game has more plies than a corpus can store.
    #[error("more than 65535 plies")]
    TooLong,
    /// The game has more text than a shard can store.
    #[error("the game does not fit in a shard")]
    TooLarge,
}

impl RejectionReason {
    /// Whether a certain move is at fault, rather than the game as a whole.
    pub(super) fn is_about_a_move(&self) -> bool {
        use RejectionReason::{Ambiguous, Illegal, MissingPromotion, TooLong, Unreadable};
        matches!(self, Unreadable(_) | Illegal(_) | Ambiguous(_) | MissingPromotion(_) | TooLong)
    }
}
