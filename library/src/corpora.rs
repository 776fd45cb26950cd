//! The corpora that a path means, and several of them as one library.

use std::fs;
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_files::PrintablePath;

use crate::error::{LibraryError, Result};
use crate::mapped_file::MappedFile;
use crate::remembered_checks::FileState;

/// How the files of corpora end.
const ENDING: &str = "plyfold";
/// How files of games end that `plyfold import` reads.
const NAMES_OF_GAMES: [&str; 7] = [".pgn", ".pgn.gz", ".pgn.zst", ".pgn.bz2", ".zip", ".tar", ".7z"];
/// What makes a path a pattern.
const WILDCARDS: [char; 3] = ['*', '?', '['];
/// How addresses of object storage begin.
const ADDRESSES: [&str; 4] = ["s3://", "gs://", "https://", "http://"];

/// Corpus files that are mapped but not yet checked.
pub struct MappedCorpus {
    path: PathBuf,
    files: Vec<MappedFile>,
}

/// The corpora that a path means: the files of a folder or of a pattern, by their names, or one file. A folder without corpora means
/// the files of games in it, as `plyfold import` reads them.
///
/// # Errors
///
/// A folder that cannot be read or has neither; a pattern that is wrong or matches nothing; an address.
pub fn corpus_files(path: &Path) -> Result<Vec<PathBuf>> {
    refuse_address(path)?;
    let unsuitable = |what: String| LibraryError::Unsuitable(path.to_path_buf(), what);
    if path.is_dir() {
        let cannot = || LibraryError::file(path, "cannot be read");
        let entries = fs::read_dir(path).map_err(cannot())?.map(|entry| entry.map(|entry| entry.path()));
        let mut files = entries.collect::<std::io::Result<Vec<_>>>().map_err(cannot())?;
        files.retain(|file| file.is_file());
        files.sort_unstable();
        let (corpora, mut files): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| is_corpus_name(file));
        if !corpora.is_empty() {
            return Ok(corpora);
        }
        files.retain(|file| is_name_of_games(file));
        if files.is_empty() {
            return Err(unsuitable(format!(
                "is a folder without corpora (files that end with .{ENDING}) and without PGN files"
            )));
        }
        return Ok(files);
    }
    let Some(pattern) = path.to_str().filter(|_| is_pattern(path)) else {
        return Ok(vec![path.to_path_buf()]);
    };
    let matches = glob::glob(pattern).map_err(|error| unsuitable(format!("is no pattern: {error}")))?;
    let mut files = Vec::new();
    for found in matches {
        let found = found.map_err(|error| LibraryError::Other(error.to_string()))?;
        if found.is_file() {
            files.push(found);
        }
    }
    if files.is_empty() {
        return Err(unsuitable("matches no file".into()));
    }
    Ok(files)
}

/// Returns whether a file is called a corpus, so that it must be one.
#[must_use]
pub fn is_corpus_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}

/// Returns whether a file is called PGN, also compressed, or an archive.
fn is_name_of_games(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    // A hidden file is not the user's.
    !name.starts_with('.') && NAMES_OF_GAMES.iter().any(|ending| name.ends_with(ending))
}

/// Returns whether a text is an address of object storage, and not a path.
#[must_use]
pub fn is_address(text: &str) -> bool {
    ADDRESSES.iter().any(|scheme| text.starts_with(scheme))
}

/// Refuses the address of a corpus on object storage, which only SQL reads.
fn refuse_address(path: &Path) -> Result<()> {
    if !path.to_str().is_some_and(is_address) || path.exists() {
        return Ok(());
    }
    let what = "is an address: `plyfold sql` asks libraries there; other commands read local files alone";
    Err(LibraryError::Unsuitable(path.to_path_buf(), what.into()))
}

/// Returns whether a path is a pattern of files, and no file itself.
#[must_use]
pub fn is_pattern(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains(WILDCARDS)) && !path.exists()
}

impl MappedCorpus {
    /// Opens a corpus, or those of a folder or pattern as one library.
    ///
    /// # Errors
    ///
    /// Those of [`corpus_files`]; a file is missing or empty.
    pub fn open(path: &Path) -> Result<MappedCorpus> {
        let files = corpus_files(path)?.into_iter().map(MappedFile::open).collect::<Result<_>>()?;
        Ok(MappedCorpus { path: path.to_path_buf(), files })
    }

    /// Corpora that are open already, by the path that means them.
    #[must_use]
    pub fn of_files(path: &Path, files: Vec<MappedFile>) -> MappedCorpus {
        MappedCorpus { path: path.to_path_buf(), files }
    }

    /// Opens one corpus, for a command that writes into it or beside it.
    ///
    /// # Errors
    ///
    /// The path means several; the file is missing, a directory, or empty.
    pub fn open_one(path: &Path) -> Result<MappedCorpus> {
        refuse_address(path)?;
        let files = vec![MappedFile::open(path.to_path_buf())?];
        Ok(MappedCorpus { path: path.to_path_buf(), files })
    }

    /// Checks the bytes and reads them: one corpus, or several whose games are numbered through.
    ///
    /// # Errors
    ///
    /// A file is something else, or damaged; there are more games than numbers.
    pub fn corpus(&self, check: CorpusCheck) -> Result<JoinedCorpus<'_>> {
        self.corpus_without(check, Err)
    }

    /// Reads the corpora as [`corpus`](Self::corpus) does, without the files that are damaged or no corpora if `left_out` allows
    /// that.
    ///
    /// # Errors
    ///
    /// Those of `left_out`; no file can be read; there are more games than numbers.
    pub fn corpus_without(
        &self,
        check: CorpusCheck,
        mut left_out: impl FnMut(LibraryError) -> Result<()>,
    ) -> Result<JoinedCorpus<'_>> {
        let mut corpora = Vec::new();
        for file in &self.files {
            match file.corpus(check) {
                Ok(corpus) => corpora.push((PrintablePath(file.path()).to_string(), corpus)),
                Err(failure) => left_out(failure)?,
            }
        }
        if corpora.is_empty() && !self.files.is_empty() {
            return Err(LibraryError::Unsuitable(self.path.clone(), "has no corpus that can be read".into()));
        }
        JoinedCorpus::join(corpora).map_err(LibraryError::corpus(&self.path))
    }

    /// Bytes of the files.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes().len() as u64).sum()
    }

    /// The state of the only file, if something is remembered of it.
    #[must_use]
    pub fn state(&self) -> Option<&FileState> {
        match &self.files[..] {
            [file] => file.state(),
            _ => None,
        }
    }

    /// The path by which they were named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}
