//! Says where what belongs to a corpus lies beside it: its named sets, its lines, its index, its edits.

use std::path::{Path, PathBuf};

/// The extension of a corpus.
const CORPUS_EXTENSION: &str = "plyfold";

/// The path of what belongs to a corpus: `games.sets` for `games.plyfold`, `games.db.sets-of-file` for a file of another name, and
/// `library/.sets` for a folder of corpora. So no two corpora share it.
///
/// Earlier versions wrote `games.sets` for all three. What they wrote is used as long as no `games.plyfold` claims it.
#[must_use]
pub fn companion(corpus: &Path, extension: &str) -> PathBuf {
    let beside = corpus.with_extension(extension);
    if corpus.extension().is_some_and(|ending| ending == CORPUS_EXTENSION) && !corpus.is_dir() {
        return beside;
    }
    let own = match corpus.is_dir() {
        true => corpus.join(format!(".{extension}")),
        false => corpus.with_added_extension(format!("{extension}-of-file")),
    };
    let is_of_earlier_version = !own.exists() && beside.exists() && !corpus.with_extension(CORPUS_EXTENSION).exists();
    if is_of_earlier_version { beside } else { own }
}
