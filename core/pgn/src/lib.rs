//! Reads PGN: bytes go in, and games with resolved moves and their own text come out.
//!
//! ```text
//! split   boundaries at which a text may be cut, so that its chunks can be read independently
//! game    a chunk → one game after another
//! tags    tag pairs → header                setup   Variant and FEN → start position
//! tokens  comments, variations              san     bytes → what a move says
//! words   results, numbers, odd words       rules   what a move says → the one legal move
//! comments       what comments and glyphs say of a move
//! time_control   how much time players have    legacy_text   bytes that are not UTF-8
//! shard   all games of a text → a shard of a corpus and a report, with notes of what was not understood
//! omission   a game without comments, variations, glyphs and so on
//! line_tree  games with their variations as positions
//! tag_edits  all tags of a game, and changes of them
//! upgrade   the annotations of a shard of an older version, out of its text
//! ```
//!
//! No existing reader is used, because a corpus keeps the text of each game, a rejection has the byte of the move at fault, and
//! this code decides the speed of an import. DIFFERENCES.md beside this file explains where it reads PGN differently from
//! python-chess. Memory: buffers for one game, which are reused; nothing is allocated per ply.
#![no_std]

extern crate alloc;

#[cfg(test)]
mod buffer_tests;
mod comment_reader;
mod comments;
mod game;
#[cfg(test)]
mod game_tests;
#[cfg(test)]
mod joined_tests;
mod legacy_text;
mod line_tree;
mod movetext;
mod notes;
mod omission;
mod opening_lines;
mod rejection;
mod rules;
mod san;
mod setup;
mod shard;
mod split;
mod tag_edits;
mod tags;
mod time_control;
mod tokens;
mod upgrade;
mod words;

pub use comment_reader::CommentReader;
pub use line_tree::{LineFault, LinePosition, LineTree};
pub use notes::{GameNote, NoteKind};
pub use omission::Omission;
pub use opening_lines::read_opening_lines;
pub use plyfold_corpus::OpeningTable;
pub use plyfold_corpus::game_identity::KnownGames;
pub use rejection::{RejectedGame, RejectionReason};
pub use shard::{PgnImportReport, ShardPacker, pack_shard};
pub use split::last_game_boundary;
pub use tag_edits::{GameTag, TagEdit, edit_tags, is_tag_name, read_tags};
pub use upgrade::upgrade_shard;

use alloc::borrow::Cow;

use plyfold_annotations::GameAnnotations;
use plyfold_board::board::start::PackedStart;
use plyfold_board::moves::Move;
use plyfold_corpus::record::GameHeader;

/// An entry of a text: a game, or why it was rejected.
// Whether it is large depends on the target, so this is no `expect`.
#[allow(clippy::large_enum_variant, reason = "an entry is passed once and never stored")]
#[derive(Debug)]
#[non_exhaustive]
pub enum PgnEntry<'a> {
    /// A game, all of its moves legal.
    Game {
        /// The header, from its tags.
        header: GameHeader<'a>,
        /// Its start position; none for the initial position.
        start: Option<PackedStart>,
        /// The moves of the main line.
        moves: &'a [Move],
        /// What comments and glyphs say of these moves.
        annotations: &'a GameAnnotations,
        /// The bytes of the game: tags, comments, variations and result, without the blank lines around.
        text: &'a [u8],
        /// Where these bytes begin in the decompressed file.
        offset: u64,
        /// Whether there are null moves among the moves.
        null_moves: bool,
        /// Why the game has only the moves before, if it goes on with what cannot be played or read.
        fault: Option<&'a RejectedGame>,
        /// What else was not understood of it.
        notes: &'a [GameNote],
    },
    /// A game that was rejected.
    Rejected(RejectedGame),
}

/// Reads all games of `text`, which begins at byte `base` of its decompressed file, in their order.
///
/// If `text` is a part of a file, it must begin at the start of the file or at a boundary, and end at a boundary or at the end of
/// the file: see [`last_game_boundary`]. Reading never fails; a game that cannot be read is a [`PgnEntry::Rejected`].
///
/// A game of which a move cannot be played or read has the moves before, and a [`fault`](PgnEntry::Game::fault); it is rejected if there
/// are none. If the file ends within a comment, a variation or a tag, the game has the moves before it.
///
/// ```
/// use plyfold_pgn::{PgnEntry, read_games};
/// let mut plies = Vec::new();
/// read_games(b"1. e4 e5 (1... c5) 2. Nf3 *\n\n1. e4 e5 2. Ke3 *\n\n1. Ke2 *", 0, &mut |entry| match entry {
///     PgnEntry::Game { moves, fault, .. } => plies.push((moves.len(), fault.map(|fault| fault.to_string()))),
///     PgnEntry::Rejected(rejected) => assert_eq!(rejected.to_string(), "game 3 at byte 51, ply 1: illegal move \"Ke2\""),
///     _ => unreachable!(),
/// });
/// assert_eq!(plies, [(3, None), (2, Some("game 2 at byte 41, ply 3: illegal move \"Ke3\"".into()))]);
/// ```
pub fn read_games(text: &[u8], base: u64, visit: &mut impl FnMut(PgnEntry<'_>)) {
    game::PgnReader::new().read_games(text, base, visit);
}

/// The start of a game, by its tags alone. Its position may be one from which no game can be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnGameStart<'a> {
    /// The byte of the decompressed file where the game begins.
    pub offset: u64,
    /// The value of its FEN tag, which need not be a valid FEN; none if the tag is missing or empty, so that the game begins with the
    /// initial position.
    pub fen: Option<Cow<'a, str>>,
}

/// Finds where all games of `text` begin, which itself begins at byte `base` of its decompressed file. Moves are skipped.
///
/// As with [`read_games`], a part of a file must begin and end at its ends or at boundaries.
///
/// # Errors
///
/// A game without a FEN is of a variant with another initial position.
///
/// ```
/// use plyfold_pgn::find_game_starts;
/// let mut fens = Vec::new();
/// let text = b"[Event \"?\"]\n\n1. e4 *\n\n[FEN \"8/2k5/3p4/4P3/8/1N6/2K5/8 w - -\"]\n\n*\n";
/// find_game_starts(text, 0, &mut |game| fens.push(game.map(|game| game.fen.map(|fen| fen.len()))));
/// assert_eq!(fens, [Ok(None), Ok(Some(31))]);
/// ```
pub fn find_game_starts(text: &[u8], base: u64, visit: &mut impl FnMut(Result<PgnGameStart<'_>, RejectionReason>)) {
    game::PgnReader::new().find_game_starts(text, base, visit);
}

/// Finds where the moves of games end in their texts; its buffers are reused.
#[derive(Default)]
pub struct MoveEndFinder(Option<game::PgnReader>);

impl MoveEndFinder {
    /// For each move of the main line of the game `text`, the byte behind it and behind its check, marks and glyphs: a comment on the
    /// position after the move may be inserted there. There are as many as [`read_games`] has moves; for a text that it rejects, those
    /// before the fault.
    ///
    /// ```
    /// use plyfold_pgn::MoveEndFinder;
    /// assert_eq!(MoveEndFinder::default().find(b"1.e4! $1 (1. d4) e5{so} 2. Nf3+ *"), [8, 19, 31]);
    /// ```
    pub fn find(&mut self, text: &[u8]) -> &[usize] {
        self.0.get_or_insert_with(game::PgnReader::new).find_move_ends(text)
    }
}

/// Returns whether a text is UTF-16, by its byte order mark or by the bytes of a tag at its beginning.
pub fn is_utf16(text: &[u8]) -> bool {
    matches!(text, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'[', 0, _, 0, ..] | [0, b'[', 0, ..])
}
