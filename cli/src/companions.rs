//! Says where the corpus of a PGN file lies, beside it.

use std::path::{Path, PathBuf};

/// The extension of a corpus.
const CORPUS_EXTENSION: &str = "plyfold";

/// What a corpus leaves out of the name of its games.
const ENDINGS_OF_GAMES: [&str; 9] = ["pgn", "txt", "gz", "zst", "bz2", "zip", "tar", "tgz", "7z"];

/// The corpus of a file of games, beside it: `games.plyfold` for `games.pgn`, `games.pgn.zst` and `games.zip`.
pub fn corpus_beside(games: &Path) -> PathBuf {
    let mut stem = games.to_path_buf();
    while let Some(ending) = stem.extension().and_then(|ending| ending.to_str()) {
        if !ENDINGS_OF_GAMES.contains(&ending.to_ascii_lowercase().as_str()) {
            break;
        }
        stem.set_extension("");
    }
    // What is called a corpus already is no name for one that is made of it.
    stem.with_added_extension(CORPUS_EXTENSION)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use plyfold_library::companion;

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

    #[test]
    fn a_corpus_has_the_name_of_its_games() {
        let beside = |games: &str| corpus_beside(Path::new(games)).to_str().unwrap_or_default().to_owned();
        let games = ["a/games.pgn", "2024-01.pgn.zst", "games.v2.PGN", "games", "my.games", "x.plyfold"];
        let corpora = ["a/games", "2024-01", "games.v2", "games", "my.games", "x.plyfold"]
            .map(|name| name.to_owned() + ".plyfold");
        assert_eq!(games.map(beside), corpora);
    }
}
