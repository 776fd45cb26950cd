//! The lines of a repertoire, from a PGN file.

use std::io::Read;
use std::path::{Path, PathBuf};

use plyfold_core::board::Board;
use plyfold_core::moves::Move;
use plyfold_core::notation::notate_move;
use plyfold_core::pgn::LineTree;
use plyfold_files::open_text;

use crate::failure::{CliFailure, Result};
use crate::saved_sets::{names_of_kept_files, set_path};

/// The largest file that is read, in bytes: its positions are kept in memory.
const MAX_BYTES: u64 = 256 << 20;

/// The path of the lines with this name, without the `@`: they lie beside the sets of the corpus.
///
/// # Errors
///
/// Those of [`set_path`].
pub fn lines_path(corpus: &Path, name: &str) -> Result<PathBuf> {
    Ok(set_path(corpus, &format!("@{name}"))?.with_extension("pgn"))
}

/// The names of the lines that are kept beside a corpus, sorted, without the `@`.
///
/// # Errors
///
/// Their folder cannot be read.
pub fn names_of_lines(corpus: &Path) -> Result<Vec<String>> {
    names_of_kept_files(corpus, ".pgn")
}

/// Reads the lines of a file.
///
/// # Errors
///
/// Those of [`read_text_of_lines`] and of [`LineTree::read`].
pub fn read_lines(path: &Path) -> Result<LineTree> {
    parse_lines(path, &read_text_of_lines(path)?)
}

/// Reads the lines of a file with this text.
///
/// # Errors
///
/// Those of [`LineTree::read`].
pub fn parse_lines(path: &Path, text: &[u8]) -> Result<LineTree> {
    LineTree::read(text).map_err(|fault| CliFailure::unsuitable(path, fault.to_string()))
}

/// The bytes of a file of lines.
///
/// # Errors
///
/// The file cannot be read, or is too large.
pub fn read_text_of_lines(path: &Path) -> Result<Vec<u8>> {
    let cannot = || CliFailure::file(path, "the lines cannot be read");
    let file = open_text(path).map_err(cannot())?;
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(cannot())?;
    if text.len() as u64 > MAX_BYTES {
        return Err(CliFailure::unsuitable(path, "a file of lines has at most 256 MiB"));
    }
    Ok(text)
}

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
