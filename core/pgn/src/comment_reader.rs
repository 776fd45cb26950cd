//! Reads the words of the comments on the moves of a stored game.

use plyfold_board::moves::Move;

use super::PgnEntry;
use super::game::PgnReader;

/// Reads comments of one game after another; its buffers are reused.
pub struct CommentReader {
    reader: PgnReader,
}

impl Default for CommentReader {
    fn default() -> CommentReader {
        CommentReader { reader: PgnReader::with_comments() }
    }
}

impl CommentReader {
    /// Calls `visit` with the ply from 1 and the words of each comment on the moves of the game with this text, in order. Commands
    /// such as `[%eval 0.3]` are left out. A text that does not read as these moves has no comments.
    pub fn read(&mut self, text: &[u8], moves: &[Move], visit: &mut dyn FnMut(u16, &str)) {
        let (mut games, mut is_same) = (0, false);
        // What follows the game would begin another one, without comments.
        self.reader.read_games(text.trim_ascii_end(), 0, &mut |entry| {
            games += 1;
            is_same = matches!(entry, PgnEntry::Game { moves: read, .. } if read == moves);
        });
        if games == 1 && is_same {
            let said = self.reader.comments().iter().filter(|(_, words)| !words.is_empty());
            said.for_each(|(ply, words)| visit(*ply, words));
        }
    }
}
