//! Why a command ends without having done what it was asked: one sentence, and the exit code that goes with it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use plyfold_core::table::material::TableMaterial;
use plyfold_files::PrintablePath;
use thiserror::Error;

/// What a command returns.
pub type Result<T, E = EgtgenFailure> = std::result::Result<T, E>;

/// Why a command failed.
#[derive(Debug, Error)]
pub enum EgtgenFailure {
    /// The command line asks for what cannot be.
    #[error("{0}")]
    Usage(String),
    /// A file or folder is not what it should be.
    #[error("{}: {what}", PrintablePath(.0), what = .1)]
    UnsuitableFile(PathBuf, String),
    /// A table cannot be made or read.
    #[error(transparent)]
    Table(#[from] egtgen::Error),
    /// A table that the answer needs is not in the folder.
    #[error("{}: the table {table} is missing; `egtgen generate {canonical} --out {}` makes it",
        PrintablePath(.folder), shell_path(.folder), canonical = .table.canonical())]
    NoTable {
        /// The folder.
        folder: PathBuf,
        /// The table.
        table: TableMaterial,
    },
    /// Some of many positions could not be answered.
    #[error("{failed} of {asked} positions could not be answered")]
    Unanswered {
        /// How many got none.
        failed: u64,
        /// How many there were.
        asked: u64,
        /// Whether positions themselves were at fault, not only files.
        is_usage: bool,
    },
    /// Tables say what does not follow.
    #[error("{0} differences were found: generate the tables again")]
    Differences(u64),
    /// The user has interrupted; what is true then.
    #[error("interrupted; {0}")]
    Interrupted(String),
    /// An answer cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(io::Error),
    /// The reader of our output has closed it.
    #[error("the reader of the output has closed it")]
    BrokenPipe,
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl EgtgenFailure {
    /// The code with which the program ends.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            EgtgenFailure::Usage(_) | EgtgenFailure::Unanswered { is_usage: true, .. } => ExitCode::from(2),
            EgtgenFailure::Interrupted(_) => ExitCode::from(130),
            _ => ExitCode::FAILURE,
        }
    }
}

impl From<io::Error> for EgtgenFailure {
    fn from(error: io::Error) -> EgtgenFailure {
        if error.kind() == io::ErrorKind::BrokenPipe { EgtgenFailure::BrokenPipe } else { EgtgenFailure::Output(error) }
    }
}

impl From<serde_json::Error> for EgtgenFailure {
    fn from(error: serde_json::Error) -> EgtgenFailure {
        io::Error::from(error).into()
    }
}

/// A path as it can be typed.
fn shell_path(path: &Path) -> String {
    let text = PrintablePath(path).to_string();
    if text.contains(char::is_whitespace) { format!("'{text}'") } else { text }
}
