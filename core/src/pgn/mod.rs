//! Reading PGN: bytes in, games with resolved moves and their own text out.
//!
//! ```text
//! cut     borders, where a text may be cut so that the pieces can be read apart
//! game    one game after another out of a piece
//! tags    tag pairs → facts                 start   Variant and FEN → start position
//! tokens  comments, variations              san     bytes → what a move says
//! rules   what a move says → the one legal move
//! shard   all games of a text → a shard of a corpus and a report
//! ```
//!
//! Why not a reader off the shelf: a corpus keeps each game's text as it stood, a refusal says the byte of the move at
//! fault, and import is bound by this code. Where it reads otherwise than python-chess, DIFFERENCES.md beside this file
//! says why. Memory: buffers for one game, reused; nothing is allocated per ply.

mod game;
mod rejection;
mod rules;
mod san;
mod setup;
mod shard;
mod split;
mod tags;
mod tokens;

pub use rejection::{RejectedGame, RejectionReason};
pub use shard::{PgnImportReport, ShardPacker, pack_shard};
pub use split::last_game_boundary;

use alloc::borrow::Cow;

use crate::board::start::PackedStart;
use crate::corpus::record::GameHeader;
use crate::moves::Move;

/// What stands in a text: a game, or why there is none.
#[derive(Debug)]
#[non_exhaustive]
pub enum PgnEntry<'a> {
    /// A game, all of its moves legal.
    Game {
        /// What its tags say.
        header: GameHeader<'a>,
        /// Where it starts; none for the usual array.
        start: Option<PackedStart>,
        /// The moves of the main line.
        moves: &'a [Move],
        /// The bytes of the game: tags, comments, variations and result, without the blank lines around.
        text: &'a [u8],
        /// Where those begin in the decompressed file.
        offset: u64,
        /// Whether there are null moves among the moves.
        null_moves: bool,
    },
    /// A game that cannot be taken.
    Rejected(RejectedGame),
}

/// Reads all games of `text`, which begins at byte `base` of its decompressed file, in their order.
///
/// A text that is a part of a file must begin at its start or at a border, and end at one: see [`last_game_boundary`].
/// Nothing makes this fail; what cannot be read is an [`PgnEntry::Rejected`].
///
/// A file that ends within a comment, a variation or a tag gives the game as far as it goes; one that ends within a move
/// gives a refusal, unless what is there of the move happens to be one.
///
/// ```
/// use plyfold_core::pgn::{self, PgnEntry};
/// let mut plies = Vec::new();
/// pgn::read_games(b"1. e4 e5 (1... c5) 2. Nf3 *\n\n1. e4 e5 2. Ke3 *", 0, &mut |entry| match entry {
///     PgnEntry::Game { moves, .. } => plies.push(moves.len()),
///     PgnEntry::Rejected(rejected) => assert_eq!(rejected.to_string(), "game 2 at byte 41, ply 3: illegal move \"Ke3\""),
///     _ => unreachable!(),
/// });
/// assert_eq!(plies, [3]);
/// ```
pub fn read_games(text: &[u8], base: u64, visit: &mut impl FnMut(PgnEntry<'_>)) {
    game::PgnReader::new().read_games(text, base, visit);
}

/// Where a game begins, by its tags alone: a position that nobody could play from stands here as well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnGameStart<'a> {
    /// The byte of the decompressed file where the game begins.
    pub offset: u64,
    /// What its FEN tag says, which may be no FEN at all; none where it is missing or empty, and the game begins with the usual array.
    pub fen: Option<Cow<'a, str>>,
}

/// Where all games of `text` begin, which begins at byte `base` of its decompressed file. Moves are passed over.
///
/// As with [`read_games`], a part of a file must begin and end at its ends or at borders.
///
/// # Errors
///
/// Of a game without a FEN, that it is of a variant, whose array is not the usual one.
///
/// ```
/// use plyfold_core::pgn;
/// let mut fens = Vec::new();
/// let text = b"[Event \"?\"]\n\n1. e4 *\n\n[FEN \"8/2k5/3p4/4P3/8/1N6/2K5/8 w - -\"]\n\n*\n";
/// pgn::find_game_starts(text, 0, &mut |game| fens.push(game.map(|game| game.fen.map(|fen| fen.len()))));
/// assert_eq!(fens, [Ok(None), Ok(Some(31))]);
/// ```
pub fn find_game_starts(text: &[u8], base: u64, visit: &mut impl FnMut(Result<PgnGameStart<'_>, RejectionReason>)) {
    game::PgnReader::new().find_game_starts(text, base, visit);
}

/// Finds where the moves of games end in their texts, in the same memory.
#[derive(Default)]
pub struct MoveEndFinder(Option<game::PgnReader>);

impl MoveEndFinder {
    /// For each move of the main line of the game that `text` is, the byte behind it, with its check, marks and glyphs: there a comment on
    /// the position after it may stand. As many as [`read_games`] has moves; of a text that it refuses, those before the fault.
    ///
    /// ```
    /// use plyfold_core::pgn::MoveEndFinder;
    /// assert_eq!(MoveEndFinder::default().find(b"1.e4! $1 (1. d4) e5{so} 2. Nf3+ *"), [8, 19, 31]);
    /// ```
    pub fn find(&mut self, text: &[u8]) -> &[usize] {
        self.0.get_or_insert_with(game::PgnReader::new).find_move_ends(text)
    }
}

/// Whether a text is UTF-16, by its byte order mark or by how a tag would begin it.
pub fn is_utf16(text: &[u8]) -> bool {
    matches!(text, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'[', 0, _, 0, ..] | [0, b'[', 0, ..])
}
