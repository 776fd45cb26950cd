//! Says why a command failed: in one sentence, with the exit code that goes with it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::query::error::QueryError;
use plyfold_core::query::json::JsonError;
use plyfold_core::reduce::set_expression::SetError;
use plyfold_core::scan::fold::ScanCancelled;
use plyfold_files::{FileError, OutputError};
use plyfold_library::LibraryError;
use plyfold_terminal::Failure;
use thiserror::Error;

/// What a command returns.
pub type Result<T, E = CliFailure> = std::result::Result<T, E>;

/// Why a command failed.
#[derive(Debug, Error)]
pub enum CliFailure {
    /// The command line asks for something impossible.
    #[error("{0}")]
    Usage(String),
    /// A query has a mistake.
    #[error("{}\n{}\n(`plyfold predicates` lists what a query can contain)", .0, .0.with_carets(.1).trim_end())]
    Query(QueryError, String),
    /// An expression over sets has a mistake.
    #[error("{}\n{}\n(`plyfold sets --help` explains how to combine sets)", .0, .0.with_carets(.1).trim_end())]
    Expression(SetError, String),
    /// A query in JSON has a mistake.
    #[error("the query in JSON: {0}")]
    Json(#[from] JsonError),
    /// A file cannot be opened, read or written, or is not what it should be.
    #[error("{0}{more}", more = file_hint(.0))]
    File(#[from] LibraryError),
    /// A result cannot be written; [`output::write`](plyfold_terminal::output::write) says where.
    #[error("the output cannot be written: {0}{more}", more = disk_full_hint(.0))]
    Output(#[from] io::Error),
    /// The import is complete, but some games were refused.
    #[error("{refused} of {read} games were refused")]
    Refused {
        /// Games refused.
        refused: u64,
        /// Games read.
        read: u64,
    },
    /// A scan was ended before its end.
    #[error(transparent)]
    Cancelled(#[from] ScanCancelled),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

/// Advice for a full disk.
fn disk_full_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "; make room there or write elsewhere, and try again"
        }
        _ => "",
    }
}

fn file_hint(problem: &LibraryError) -> &'static str {
    if let LibraryError::File { source, .. } = problem { disk_full_hint(source) } else { "" }
}

impl CliFailure {
    /// For `map_err`: a file on which something failed.
    pub fn file(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> CliFailure {
        move |source| LibraryError::file(path, doing)(source).into()
    }

    /// For `map_err`: a corpus that is damaged.
    pub fn corpus(path: &Path) -> impl FnOnce(CorpusError) -> CliFailure {
        move |source| LibraryError::corpus(path)(source).into()
    }

    /// A file that is not what it should be.
    pub fn unsuitable(path: impl Into<PathBuf>, what: impl Into<String>) -> CliFailure {
        LibraryError::Unsuitable(path.into(), what.into()).into()
    }
}

impl Failure for CliFailure {
    fn other(sentence: String) -> CliFailure {
        CliFailure::Other(sentence)
    }

    fn exit_code(&self) -> u8 {
        match self {
            CliFailure::Usage(_) | CliFailure::Query(..) | CliFailure::Expression(..) | CliFailure::Json(_) => 2,
            CliFailure::File(LibraryError::Name(_)) => 2,
            CliFailure::Refused { .. } => 3,
            _ => 1,
        }
    }

    fn into_output_error(self) -> Result<io::Error> {
        if let CliFailure::Output(error) = self { Ok(error) } else { Err(self) }
    }
}

impl From<OutputError> for CliFailure {
    fn from(refused: OutputError) -> CliFailure {
        let or = if refused.is_replaceable() { ", or replace it with --force" } else { "" };
        CliFailure::Usage(format!("{refused}{or}"))
    }
}

impl From<FileError> for CliFailure {
    fn from(problem: FileError) -> CliFailure {
        match problem {
            FileError::File { path, action, source } => CliFailure::file(&path, action)(source),
            other => CliFailure::unsuitable(other.path(), other.problem()),
        }
    }
}

impl From<serde_json::Error> for CliFailure {
    fn from(error: serde_json::Error) -> CliFailure {
        CliFailure::Output(error.into())
    }
}
