//! Says why a command fails: in one sentence, with an exit code.

use std::io;
use std::path::PathBuf;

use egtgen::byte_size::{format_bytes, format_limit_bytes};
use plyfold_files::FileError;
use plyfold_terminal::Failure;
use thiserror::Error;

/// The result of a command.
pub type Result<T, E = EgtgenFailure> = std::result::Result<T, E>;

/// Why a command failed.
#[derive(Debug, Error)]
pub enum EgtgenFailure {
    /// The command line, or a position, is wrong.
    #[error("{0}")]
    Usage(String),
    /// A table cannot be generated or read, or a file or folder is not what it should be.
    #[error("{}", describe_table_error(.0))]
    Table(#[from] egtgen::Error),
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

impl EgtgenFailure {
    /// A file or folder that is not what it should be.
    pub fn unsuitable(path: impl Into<PathBuf>, what: impl Into<String>) -> EgtgenFailure {
        egtgen::Error::Damaged { path: path.into(), what: what.into() }.into()
    }

    /// Makes the failure of so many positions without a result; `is_usage` if some are wrong themselves, rather than only files.
    pub fn unanswered(failed: u64, asked: u64, is_usage: bool) -> EgtgenFailure {
        let what = format!("{failed} of {asked} positions could not be answered");
        if is_usage { EgtgenFailure::Usage(what) } else { EgtgenFailure::Other(what) }
    }
}

impl Failure for EgtgenFailure {
    fn other(sentence: String) -> EgtgenFailure {
        EgtgenFailure::Other(sentence)
    }

    fn exit_code(&self) -> u8 {
        match self {
            EgtgenFailure::Usage(_) => 2,
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
