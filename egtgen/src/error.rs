//! Why a table cannot be generated or read.

use std::path::PathBuf;

use plyfold_core::table::material::TableMaterial;
use plyfold_files::{FileError, PrintablePath};

use crate::plan::format_bytes;

/// Why a table cannot be generated or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table that is needed is not there.
    #[error("the table {0} is needed but missing")]
    Missing(TableMaterial),
    /// A file cannot be read or written.
    #[error("{}: {doing}: {source}", PrintablePath(.path))]
    File {
        /// Which.
        path: PathBuf,
        /// What was tried: "cannot be read".
        doing: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{}: {what}", PrintablePath(.path))]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong, where, and what to do.
        what: String,
    },
    /// The memory that was allowed does not do.
    #[error("{table} needs at least {} of memory: {} was allowed", format_bytes(*.least), format_bytes(*.allowed))]
    Memory {
        /// Which table.
        table: TableMaterial,
        /// What would do, in bytes.
        least: u64,
        /// What was allowed, in bytes.
        allowed: u64,
    },
    /// The memory for what is read of tables does not do.
    #[error("{table} needs at least {} of cache: {} was allowed", format_bytes(*.least), format_bytes(*.allowed))]
    Cache {
        /// Which table.
        table: TableMaterial,
        /// What would do for this step, in bytes.
        least: u64,
        /// What was allowed, in bytes.
        allowed: u64,
    },
    /// Others use the memory for what is read of tables, and none of them can go on without more.
    #[error("the memory for tables is in use; try again")]
    Busy,
    /// The caller wanted no more.
    #[error("stopped; run the same request again to continue")]
    Stopped,
}

impl From<FileError> for Error {
    fn from(problem: FileError) -> Error {
        match problem {
            FileError::File { path, action: doing, source } => Error::File { path, doing, source },
            other => Error::Damaged { path: other.path().into(), what: other.problem() },
        }
    }
}
