//! The edits of a corpus that are kept beside it, `games.edits` for `games.plyfold`, until `compact`, `edit` or `export` write games with them.
//!
//! The file is written under another name and renamed when it is complete. While it is written no other program writes it, so of two edits at the
//! same time one is refused and none is lost.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::edit_list::{EditList, EditsByGame};
use plyfold_files::PrintablePath;
use plyfold_library::companion;
use plyfold_terminal::partial_output::PartialOutput;
use plyfold_terminal::table::grouped;
use plyfold_terminal::write_note;

use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::corpus_files;
use crate::query_argument::read_text;

/// The largest list that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// The path of the edits of a corpus.
pub fn edits_path(corpus: &Path) -> PathBuf {
    companion(corpus, "edits")
}

/// The edits of the corpus at `path` with this id; none if there is no list.
///
/// # Errors
///
/// The list cannot be read, has a mistake, or belongs to another corpus.
pub fn read_edits(path: &Path, corpus: u64) -> Result<Option<EditList>> {
    let place = edits_path(path);
    if std::fs::symlink_metadata(&place).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    let text = read_text(&place, MAX_BYTES, "the edits cannot be read", "a list of edits has at most 256 MiB")?;
    let list = EditList::parse(&text).and_then(|list| list.check_texts().map(|()| list));
    let list = list.map_err(|what| CliFailure::unsuitable(&place, what))?;
    match list.corpus() == corpus {
        true => Ok(Some(list)),
        false => {
            let what = format!("has edits of another corpus than {}: move it away", PrintablePath(path));
            Err(CliFailure::unsuitable(&place, what))
        }
    }
}

/// What becomes of each game by the edits of the corpus at `path`.
///
/// # Errors
///
/// Those of [`read_edits`]; an edit names a game that there is not; the path means several corpora, one of which has edits.
pub fn edits_by_game(path: &Path, corpus: &JoinedCorpus<'_>) -> Result<EditsByGame> {
    if corpus.members().len() > 1 {
        return match corpus_files(path)?.iter().map(|file| edits_path(file)).find(|edits| edits.exists()) {
            None => Ok(EditsByGame::default()),
            Some(edits) => {
                let what = "has edits of one of several corpora: write this one with them first, by `plyfold compact`";
                Err(CliFailure::unsuitable(edits, what))
            }
        };
    }
    let Some(list) = read_edits(path, corpus.header.id)? else { return Ok(EditsByGame::default()) };
    // A corpus numbers its games in 32 bits.
    EditsByGame::new(&list, corpus.header.games as u32).map_err(CliFailure::corpus(&edits_path(path)))
}

/// Says that a corpus has edits which a command does not see.
pub fn note_edits(path: &Path, corpus: &JoinedCorpus<'_>) {
    let is_single = corpus.members().len() <= 1;
    for file in corpus_files(path).unwrap_or_default() {
        let edits = edits_path(&file);
        if !edits.exists() {
            continue;
        }
        let count = match is_single {
            true => read_edits(&file, corpus.header.id).map(|list| list.map_or(0, |list| list.edits().len())),
            // They are counted when one of the corpora is opened alone.
            false => Ok(usize::MAX),
        };
        let what = match count {
            Ok(0) => continue,
            Ok(1) => "1 edit is".to_owned(),
            Ok(usize::MAX) => "edits are".to_owned(),
            Ok(count) => format!("{} edits are", grouped(count as u64)),
            Err(failure) => {
                write_note(&format!("the games are as they were before their edits: {failure}"));
                continue;
            }
        };
        let edits = PrintablePath(&edits);
        write_note(&format!(
            "{what} not in the games yet, but in {edits}: `plyfold compact` writes a corpus with them"
        ));
    }
}

/// Changes the list of the corpus at `path` with this id, and begins it if there is none. Killed at any moment, the old list or the new one
/// is there.
///
/// # Errors
///
/// Those of [`read_edits`] and of `change`; another program is changing the list; it cannot be written.
pub fn change_edits<T>(path: &Path, corpus: u64, change: impl FnOnce(&mut EditList) -> Result<T>) -> Result<T> {
    let place = edits_path(path);
    // No other program can begin this file before it is complete, so the list that is read is the last one.
    let mut file = PartialOutput::begin_saying(String::new(), &place, true)?;
    let mut list = read_edits(path, corpus)?.unwrap_or_else(|| EditList::new(corpus));
    let changed = change(&mut list)?;
    file.write_all(list.text().as_bytes())
        .and_then(|()| file.finish())
        .map_err(CliFailure::file(&place, "cannot be written"))?;
    Ok(changed)
}
