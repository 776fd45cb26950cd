//! Says where the files of a corpus lie: its named sets and its index.

use std::path::{Path, PathBuf};

/// The extension of a corpus.
const CORPUS_EXTENSION: &str = "plyfold";

/// The path of what belongs to a corpus: `games.sets` for `games.plyfold`, `games.db.sets-of-file` for a file of another name, and
/// `library/.sets` for a folder of corpora. So no two corpora share it.
///
/// Earlier versions wrote `games.sets` for all three. What they wrote is used as long as no `games.plyfold` claims it.
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn corpora_of_one_name_share_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("games")).expect("room");
        let of = |name: &str| companion(&at(name), "sets");
        assert_eq!(
            ["games", "games.plyfold", "games.db"].map(of),
            [at("games/.sets"), at("games.sets"), at("games.db.sets-of-file")]
        );
        fs::create_dir(at("games.sets")).expect("room");
        assert_eq!(of("games"), at("games.sets"), "an earlier version wrote it");
        fs::write(at("games.plyfold"), "").expect("room");
        assert_eq!(of("games"), at("games/.sets"), "it is that of the file");
        assert_eq!(of("games.plyfold"), at("games.sets"));
    }
}
