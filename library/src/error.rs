//! Says why something cannot be opened, in one sentence that names the file.

use std::io;
use std::path::{Path, PathBuf};

use plyfold_core::corpus::error::CorpusError;
use plyfold_files::PrintablePath;
use thiserror::Error;

/// What opening returns.
pub type Result<T, E = LibraryError> = std::result::Result<T, E>;

/// The reason why something cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The system refuses it.
    #[error("{}: {doing}: {source}", PrintablePath(.path))]
    File {
        /// The path of the file or folder.
        path: PathBuf,
        /// What was tried: "cannot be read".
        doing: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// A file or folder is not what it should be. The sentence says what to do.
    #[error("{}: {what}", PrintablePath(.0), what = .1)]
    Unsuitable(PathBuf, String),
    /// No set and no lines can have this name. The sentence says which ones can.
    #[error("{0}")]
    Name(String),
    /// A corpus is damaged.
    #[error("{}: {source}", PrintablePath(.path))]
    Corpus {
        /// The path of the corpus.
        path: PathBuf,
        /// What is wrong with it.
        source: CorpusError,
    },
    /// The message of another library.
    #[error("{0}")]
    Other(String),
}

impl LibraryError {
    /// For `map_err`: a file on which something failed.
    pub fn file(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> LibraryError {
        move |source| LibraryError::File { path: path.to_path_buf(), doing, source }
    }

    /// For `map_err`: a corpus that is damaged.
    pub fn corpus(path: &Path) -> impl FnOnce(CorpusError) -> LibraryError {
        move |source| LibraryError::Corpus { path: path.to_path_buf(), source }
    }
}
