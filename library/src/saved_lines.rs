//! The lines of repertoires, as PGN files: any file, or one with a name (`@name`) beside the sets of a corpus.

use std::io::Read;
use std::path::{Path, PathBuf};

use plyfold_core::pgn::LineTree;
use plyfold_files::open_text;

use crate::error::{LibraryError, Result};
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
    LineTree::read(text).map_err(|fault| LibraryError::Unsuitable(path.into(), fault.to_string()))
}

/// The bytes of a file of lines.
///
/// # Errors
///
/// The file cannot be read, or is too large.
pub fn read_text_of_lines(path: &Path) -> Result<Vec<u8>> {
    let cannot = || LibraryError::file(path, "the lines cannot be read");
    let file = open_text(path).map_err(cannot())?;
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(cannot())?;
    if text.len() as u64 > MAX_BYTES {
        return Err(LibraryError::Unsuitable(path.into(), "a file of lines has at most 256 MiB".into()));
    }
    Ok(text)
}

/// The message that there are no such lines, with a list of the existing ones.
///
/// # Errors
///
/// Their folder cannot be read.
pub fn unknown_lines_message(corpus: &Path, name: &str) -> Result<String> {
    let saved = names_of_lines(corpus)?.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(", ");
    let others = if saved.is_empty() { String::new() } else { format!(", as {saved} were") };
    Ok(format!(
        "there are no lines @{name}: save them by `plyfold repertoire CORPUS LINES.pgn --side white --save @{name}`{others}"
    ))
}
