//! Why a command ends without having done what it was asked: one sentence, and the exit code that goes with it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use plyfold_core::table::material::Material;
use plyfold_files::Shown;
use thiserror::Error;

/// What a command returns.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a command failed.
#[derive(Debug, Error)]
pub enum Failure {
    /// The command line asks for what cannot be.
    #[error("{0}")]
    Usage(String),
    /// A file or folder is not what it should be.
    #[error("{}: {what}", Shown(.0), what = .1)]
    NotThat(PathBuf, String),
    /// A table cannot be made or read.
    #[error(transparent)]
    Table(#[from] egtgen::Error),
    /// A table that the answer needs is not in the folder.
    #[error("{}: the table {table} is not there; `egtgen generate {canonical} --out {}` makes it",
        Shown(.folder), shown(.folder), canonical = .table.canonical())]
    NoTable {
        /// The folder.
        folder: PathBuf,
        /// The table.
        table: Material,
    },
    /// Some of many positions got no answer.
    #[error("{failed} of {asked} positions got no answer")]
    Unanswered {
        /// How many got none.
        failed: u64,
        /// How many there were.
        asked: u64,
        /// Whether positions themselves were at fault, not only files.
        is_usage: bool,
    },
    /// Tables say what does not follow.
    #[error("{0} differences were found: generate the tables anew")]
    Differences(u64),
    /// The user has interrupted; what is true then.
    #[error("interrupted; {0}")]
    Interrupted(String),
    /// An answer cannot be written.
    #[error("the answer cannot be written: {0}")]
    Output(io::Error),
    /// The reader of our output has closed it.
    #[error("nobody reads the answer any more")]
    ReaderLeft,
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// The code with which the program ends.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Usage(_) | Failure::Unanswered { is_usage: true, .. } => ExitCode::from(2),
            Failure::Interrupted(_) => ExitCode::from(130),
            _ => ExitCode::FAILURE,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe { Failure::ReaderLeft } else { Failure::Output(error) }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        io::Error::from(error).into()
    }
}

/// A path as it can be typed.
fn shown(path: &Path) -> String {
    let text = Shown(path).to_string();
    if text.contains(char::is_whitespace) { format!("'{text}'") } else { text }
}
