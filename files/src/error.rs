//! Defines what can go wrong with a file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::printable::PrintablePath;

/// Why a file cannot be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The system refuses it.
    File {
        /// Which file.
        path: PathBuf,
        /// What was tried: "cannot be written".
        action: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not what it should be. The sentence says what to do.
    Unsuitable(PathBuf, String),
    /// Another program is writing it.
    Busy(PathBuf),
}

impl FileError {
    /// For `map_err`: a file that cannot be written.
    pub fn cannot_write(path: &Path) -> impl Fn(io::Error) -> FileError {
        move |source| FileError::File { path: path.into(), action: "cannot be written", source }
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            FileError::File { path, .. } | FileError::Unsuitable(path, _) | FileError::Busy(path) => path,
        }
    }

    /// Returns what is wrong with it: the message without the path.
    #[must_use]
    pub fn problem(&self) -> String {
        match self {
            FileError::File { action, source, .. } => format!("{action}: {source}"),
            FileError::Unsuitable(_, problem) => problem.clone(),
            FileError::Busy(_) => "another program is writing it: try again when it is done".into(),
        }
    }

    /// Another program is writing the file.
    #[must_use]
    pub fn busy(path: &Path) -> FileError {
        FileError::Busy(path.into())
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", PrintablePath(self.path()), self.problem())
    }
}

impl std::error::Error for FileError {}
