//! Why a command fails: one sentence, and an exit code.

use std::io;
use std::path::{Path, PathBuf};

use egtgen::byte_size::{format_bytes, format_limit_bytes};
use plyfold_files::{FileError, PrintablePath};
use plyfold_tables::material::TableMaterial;
use plyfold_terminal::Failure;
use thiserror::Error;

/// The result of a command.
pub type Result<T, E = EgtgenFailure> = std::result::Result<T, E>;

/// Why a command failed.
#[derive(Debug, Error)]
pub enum EgtgenFailure {
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    /// A file or folder is not what it should be.
    #[error("{}: {what}", PrintablePath(.0), what = .1)]
    UnsuitableFile(PathBuf, String),
    /// A table cannot be generated or read.
    #[error("{}", describe_table_error(.0))]
    Table(#[from] egtgen::Error),
    /// A table that is needed is not in the folder.
    #[error("{}: the table {table} is missing; `egtgen generate {canonical} --out {}` makes it",
        PrintablePath(.folder), shell_path(.folder), canonical = .table.canonical())]
    NoTable {
        /// The folder.
        folder: PathBuf,
        /// The table.
        table: TableMaterial,
    },
    /// Some of many positions have no result.
    #[error("{failed} of {asked} positions could not be answered")]
    Unanswered {
        /// How many have none.
        failed: u64,
        /// How many positions there were.
        asked: u64,
        /// Whether some positions themselves are wrong, rather than only files.
        is_usage: bool,
    },
    /// Tables have wrong values.
    #[error("{0} differences were found: generate the tables again")]
    Differences(u64),
    /// The user interrupted the command; the text says what remains.
    #[error("interrupted; {0}")]
    Interrupted(String),
    /// The output cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    /// Another failure.
    #[error("{0}")]
    Other(String),
}

impl Failure for EgtgenFailure {
    fn other(sentence: String) -> EgtgenFailure {
        EgtgenFailure::Other(sentence)
    }

    fn exit_code(&self) -> u8 {
        match self {
            EgtgenFailure::Usage(_) | EgtgenFailure::Unanswered { is_usage: true, .. } => 2,
            EgtgenFailure::Interrupted(_) => 130,
            _ => 1,
        }
    }

    fn into_output_error(self) -> Result<io::Error> {
        if let EgtgenFailure::Output(error) = self { Ok(error) } else { Err(self) }
    }
}

impl From<FileError> for EgtgenFailure {
    fn from(problem: FileError) -> EgtgenFailure {
        EgtgenFailure::Table(problem.into())
    }
}

/// The message of a library error, with the options of this program that help.
pub fn describe_table_error(error: &egtgen::Error) -> String {
    let sizes =
        |least: &u64, allowed: &u64| format!("{}: {} was allowed", format_bytes(*least), format_limit_bytes(*allowed));
    match error {
        egtgen::Error::Missing(_) => format!("{error}: generate it first, or leave out --no-closure"),
        egtgen::Error::Memory { table, least, allowed } => {
            format!("{table} needs at least --memory {}", sizes(least, allowed))
        }
        egtgen::Error::Cache { table, least, allowed } => {
            format!("{table} needs at least --cache {}", sizes(least, allowed))
        }
        egtgen::Error::Stopped => "stopped; run the same command again to continue".to_owned(),
        _ => error.to_string(),
    }
}

/// A path as it can be typed in a shell.
fn shell_path(path: &Path) -> String {
    let text = PrintablePath(path).to_string();
    if text.contains(char::is_whitespace) { format!("'{text}'") } else { text }
}
