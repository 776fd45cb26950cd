//! What can go wrong with a file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::PrintablePath;

/// Why a file cannot be written.
#[derive(Debug)]
pub enum FileError {
    /// The system refuses.
    File {
        /// Which file.
        path: PathBuf,
        /// What was tried: "cannot be written".
        action: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not what it should be, or another program is writing it: the sentence says what to do.
    Unsuitable(PathBuf, String),
}

impl FileError {
    /// For `map_err`: a file that cannot be written.
    pub fn cannot_write(path: &Path) -> impl Fn(io::Error) -> FileError {
        move |source| FileError::File { path: path.into(), action: "cannot be written", source }
    }

    /// Another program is writing the file.
    #[must_use]
    pub fn busy(path: &Path) -> FileError {
        FileError::Unsuitable(path.into(), "another program is writing it: try again when it is done".into())
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::File { path, action: doing, source } => {
                write!(out, "{}: {doing}: {source}", PrintablePath(path))
            }
            FileError::Unsuitable(path, what) => write!(out, "{}: {what}", PrintablePath(path)),
        }
    }
}

impl std::error::Error for FileError {}
