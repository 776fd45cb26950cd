//! What can go wrong with a file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::Shown;

/// Why a file cannot be written.
#[derive(Debug)]
pub enum Problem {
    /// The system refuses.
    File {
        /// Which file.
        path: PathBuf,
        /// What was tried: "cannot be written".
        doing: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not what it should be, or another program is writing it: the sentence says what to do.
    NotThat(PathBuf, String),
}

impl Problem {
    /// For `map_err`: a file that cannot be written.
    pub fn unwritten(path: &Path) -> impl Fn(io::Error) -> Problem {
        move |source| Problem::File { path: path.into(), doing: "cannot be written", source }
    }

    /// Another program is writing the file.
    #[must_use]
    pub fn busy(path: &Path) -> Problem {
        Problem::NotThat(path.into(), "another program is writing it: try again when it is done".into())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::File { path, doing, source } => write!(out, "{}: {doing}: {source}", Shown(path)),
            Problem::NotThat(path, what) => write!(out, "{}: {what}", Shown(path)),
        }
    }
}

impl std::error::Error for Problem {}
