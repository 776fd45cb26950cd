//! Says why a table cannot be generated or read.

use std::path::{Path, PathBuf};

use plyfold_files::{FileError, PrintablePath};
use plyfold_tables::material::TableMaterial;

use crate::byte_size::{format_bytes, format_limit_bytes};

/// The reason why a table cannot be generated or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table that is needed is not there.
    #[error("the table {0} is needed but missing")]
    Missing(TableMaterial),
    /// A file cannot be read or written.
    #[error("{}: {doing}: {source}", PrintablePath(.path))]
    File {
        /// The path of the file.
        path: PathBuf,
        /// What was tried: "cannot be read".
        doing: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{}: {what}", PrintablePath(.path))]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// What is wrong, where, and what to do.
        what: String,
    },
    /// Another program is writing a file.
    #[error("{}: another program is writing it: try again when it is done", PrintablePath(.0))]
    Locked(PathBuf),
    /// Another process has taken over the work on a file, because this one gave no sign of life for too long.
    #[error("{}: another process has taken it over, because this one gave no sign of life for too long", PrintablePath(.0))]
    TakenOver(PathBuf),
    /// The allowed memory is too small.
    #[error("{table} needs at least {} of memory: {} was allowed", format_bytes(*.least), format_limit_bytes(*.allowed))]
    Memory {
        /// The table.
        table: TableMaterial,
        /// The least memory that is enough, in bytes.
        least: u64,
        /// The allowed memory, in bytes.
        allowed: u64,
    },
    /// The lists of won and lost positions outgrew the memory that was left for them.
    #[error("the lists of a table outgrew the {} that were left for them", format_bytes(*.0))]
    Outgrown(u64),
    /// The memory for the cache of tables is too small.
    #[error("{table} needs at least {} of cache: {} was allowed", format_bytes(*.least), format_limit_bytes(*.allowed))]
    Cache {
        /// The table.
        table: TableMaterial,
        /// The least memory that is enough for this step, in bytes.
        least: u64,
        /// The allowed memory, in bytes.
        allowed: u64,
    },
    /// Other reads use the memory for the cache of tables, and none of them can continue without more.
    #[error("the memory for tables is in use; try again")]
    Busy,
    /// The caller stopped the request.
    #[error("stopped; run the same request again to continue")]
    Stopped,
}

impl Error {
    pub(crate) fn file(path: &Path, doing: &'static str, source: std::io::Error) -> Error {
        Error::File { path: path.to_path_buf(), doing, source }
    }

    pub(crate) fn damaged(path: &Path, what: impl ToString) -> Error {
        Error::Damaged { path: path.to_path_buf(), what: what.to_string() }
    }
}

impl From<FileError> for Error {
    fn from(problem: FileError) -> Error {
        match problem {
            FileError::File { path, action: doing, source } => Error::File { path, doing, source },
            FileError::Busy(path) => Error::Locked(path),
            other => Error::Damaged { path: other.path().into(), what: other.problem() },
        }
    }
}
