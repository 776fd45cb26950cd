//! Writes the lines of a repertoire as moves.

use plyfold_core::board::Board;
use plyfold_core::moves::Move;
use plyfold_core::notation::notate_move;
use plyfold_core::pgn::LineTree;

/// The moves to the position of the lines with this hash: `1. e4 c5`.
pub fn line_to(lines: &LineTree, hash: u64) -> String {
    lines.moves_to(hash).into_iter().fold(String::new(), |text, (before, mv)| with_move(&before.board, &text, mv))
}

/// The text of a line with one more move: `1. e4 c5 2. Nf3`.
pub fn with_move(board: &Board, text: &str, mv: Move) -> String {
    let notation = notate_move(board, mv);
    let number = match (notation.color.is_white(), text.is_empty()) {
        (true, _) => format!("{}. ", notation.move_number),
        (false, true) => format!("{}... ", notation.move_number),
        (false, false) => String::new(),
    };
    let space = if text.is_empty() { "" } else { " " };
    format!("{text}{space}{number}{}", notation.san)
}
