//! Why a game was not taken, and where.

use alloc::boxed::Box;
use alloc::string::String;

use thiserror::Error;

/// A game that was not taken. The others of its file are not affected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("game {game}{} at byte {offset}{}: {reason}", names(white, black), at_ply(*ply))]
pub struct RejectedGame {
    /// Byte in the decompressed file: of the move at fault, or of the game's first byte where no move is at fault.
    pub offset: u64,
    /// Number of the game in its text, from 1, refused games counted.
    pub game: u64,
    /// The ply that could not be played, from 1; 0 where no move is at fault.
    pub ply: u32,
    /// What is wrong.
    pub reason: RejectionReason,
    /// White's name, empty if unknown.
    pub white: String,
    /// Black's name, empty if unknown.
    pub black: String,
}

fn names(white: &str, black: &str) -> String {
    if white.is_empty() && black.is_empty() { String::new() } else { alloc::format!(" ({white} - {black})") }
}

fn at_ply(ply: u32) -> String {
    if ply == 0 { String::new() } else { alloc::format!(", ply {ply}") }
}

/// What is wrong with a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum RejectionReason {
    /// The text begins with the mark of UTF-16.
    #[error("the text is UTF-16; save it as UTF-8")]
    Utf16,
    /// Neither a tag nor a move.
    #[error("no PGN here")]
    NoPgn,
    /// Another game than chess.
    #[error("variant {0} is not supported")]
    Variant(Box<str>),
    /// The FEN tag is no FEN.
    #[error("{0}: \"{1}\"")]
    Fen(Box<str>, Box<str>),
    /// The FEN tag gives a position that cannot be played from.
    #[error("{0}")]
    Position(Box<str>),
    /// A word among the moves that is no move.
    #[error("cannot read \"{0}\" as a move (write pieces as KQRBN)")]
    Unreadable(Box<str>),
    /// No man can legally do so.
    #[error("illegal move \"{0}\"")]
    Illegal(Box<str>),
    /// Several men can.
    #[error("ambiguous move \"{0}\"")]
    Ambiguous(Box<str>),
    /// A pawn would stay a pawn on the last rank.
    #[error("move \"{0}\" does not name the piece of the promotion")]
    MissingPromotion(Box<str>),
    /// More plies than a corpus can keep of a game.
    #[error("more than 65535 plies")]
    TooLong,
    /// More text than a shard can keep.
    #[error("the game does not fit in a shard")]
    TooLarge,
}
