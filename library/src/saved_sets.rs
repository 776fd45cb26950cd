//! Sets of games as files: any file, or one with a name (`@name`) in a folder beside the corpus, `games.sets/name.bm`
//! for `games.plyfold`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::pmote::error::PmoteError;
use plyfold_core::pmote::game_set::StoredGameSet;
use plyfold_core::pmote::header::CorpusStamp;
use plyfold_core::pmote::kind::PmoteKind;
use plyfold_files::{PrintablePath, open};

use crate::companions::companion;
use crate::corpora::is_pattern;
use crate::error::{LibraryError, Result};
use crate::map::FileMap;

/// How many names a message lists if one is unknown.
const MAX_LISTED_NAMES: usize = 8;

/// Identifies the corpus to which sets belong.
#[must_use]
pub fn corpus_stamp(corpus: &JoinedCorpus<'_>) -> CorpusStamp {
    // A corpus numbers its games in 32 bits.
    CorpusStamp { corpus: corpus.header.id, games: corpus.header.games as u32 }
}

/// The folder of the named sets of the corpus at `corpus`.
#[must_use]
pub fn sets_folder(corpus: &Path) -> PathBuf {
    companion(corpus, "sets")
}

/// The names of the sets of a corpus, sorted, without the `@`.
///
/// # Errors
///
/// The folder cannot be read.
pub fn set_names(corpus: &Path) -> Result<Vec<String>> {
    names_of_kept_files(corpus, ".bm")
}

/// The names of the files with this ending beside the sets of a corpus, sorted, without the ending.
///
/// # Errors
///
/// The folder cannot be read.
pub(crate) fn names_of_kept_files(corpus: &Path, ending: &str) -> Result<Vec<String>> {
    let folder = sets_folder(corpus);
    let cannot = || LibraryError::file(&folder, "cannot be read");
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(cannot())?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(cannot())?.file_name();
        names.extend(
            name.to_str().and_then(|name| name.strip_suffix(ending)).filter(|name| is_name(name)).map(str::to_owned),
        );
    }
    names.sort_unstable();
    Ok(names)
}

fn is_name(name: &str) -> bool {
    let sound = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    !name.is_empty() && name.len() <= 100 && !name.starts_with(['.', '-']) && name.chars().all(sound)
}

/// The path of a set: `@name` means a file beside the corpus, anything else is a path.
///
/// # Errors
///
/// The name has a character that is not allowed.
pub fn set_path(corpus: &Path, set: &str) -> Result<PathBuf> {
    match set.strip_prefix('@') {
        None => Ok(set.into()),
        Some(_) if is_pattern(corpus) => {
            let what = "is a pattern, which has no place for named sets: name the folder of the corpora, or a file for the set";
            Err(LibraryError::Unsuitable(corpus.into(), what.into()))
        }
        Some(name) if is_name(name) => Ok(sets_folder(corpus).join(format!("{name}.bm"))),
        Some(_) => {
            let message =
                format!("`{set}` is not the name of a set: use letters, digits, `_`, `.` and `-`, as in @my-games");
            Err(LibraryError::Name(message))
        }
    }
}

/// A set file that is mapped but not yet checked.
pub struct MappedSetFile {
    path: PathBuf,
    map: FileMap,
}

impl MappedSetFile {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// It is missing, no regular file, or empty.
    pub fn open(path: &Path) -> Result<MappedSetFile> {
        let file = open(path).map_err(LibraryError::file(path, "cannot be opened"))?;
        let found = file.metadata().map_err(LibraryError::file(path, "cannot be opened"))?;
        if !found.is_file() || found.len() == 0 {
            let what = if found.is_file() { "is empty (0 bytes)" } else { "is not a regular file" };
            return Err(LibraryError::Unsuitable(path.into(), format!("{what}, so it is not a set of games")));
        }
        let map = FileMap::of_file(&file).map_err(LibraryError::file(path, "cannot be mapped into memory"))?;
        Ok(MappedSetFile { path: path.into(), map })
    }

    /// Checks the bytes and reads them as a set of games of any corpus.
    ///
    /// # Errors
    ///
    /// It is something else, or damaged.
    pub fn read_unbound(&self) -> Result<StoredGameSet<'_>> {
        StoredGameSet::open(self.map.bytes()).map_err(self.map_error())
    }

    /// The same, for a set of this corpus.
    ///
    /// # Errors
    ///
    /// It is something else, or damaged, or belongs to another corpus.
    pub fn read(&self, of: CorpusStamp) -> Result<StoredGameSet<'_>> {
        let stored = self.read_unbound()?;
        stored.stamp.check_matches(of).map_err(self.map_error())?;
        Ok(stored)
    }

    /// Whether it begins as a set does.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.map.bytes().starts_with(&PmoteKind::Games.magic())
    }

    fn map_error(&self) -> impl Fn(PmoteError) -> LibraryError {
        |source| LibraryError::Unsuitable(self.path.clone(), source.to_string())
    }
}

/// The message that there is no such set, with a list of the existing ones.
///
/// # Errors
///
/// Their folder cannot be read.
pub fn unknown_set_message(corpus: &Path, name: &str) -> Result<String> {
    let names = set_names(corpus)?;
    let listed: Vec<String> = names.iter().take(MAX_LISTED_NAMES).map(|name| format!("@{name}")).collect();
    let more = if names.len() > MAX_LISTED_NAMES { " and others" } else { "" };
    let folder = sets_folder(corpus);
    Ok(match listed.is_empty() {
        true => format!("there is no set {name}: {} has none (--save-games makes one)", PrintablePath(&folder)),
        false => format!("there is no set {name}: {} has {}{more}", PrintablePath(&folder), listed.join(", ")),
    })
}
