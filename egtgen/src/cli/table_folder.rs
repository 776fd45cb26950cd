//! The folder in which tables are kept, for commands that read them.

use std::fs;
use std::path::{Path, PathBuf};

use egtgen::Error;
use egtgen::folder::TableFolder;
use egtgen::prober::{CachedTables, DEFAULT_CACHE_BYTES};

use super::failure::{EgtgenFailure, Result};
use super::size;

/// Where tables are.
#[derive(clap::Args)]
pub struct TableFolderArgument {
    /// The folder of tables.
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
}

impl TableFolderArgument {
    /// Whether a folder was named.
    pub fn is_named(&self) -> bool {
        self.tables.is_some()
    }

    /// The folder.
    ///
    /// # Errors
    ///
    /// It was not named, or is not there.
    pub fn path(&self) -> Result<&Path> {
        let path = self.tables.as_deref().ok_or_else(|| {
            let what = "give the folder of tables with --tables DIR; `egtgen generate KRvK --out DIR` makes some";
            EgtgenFailure::Usage(what.to_owned())
        })?;
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Ok(path),
            Ok(_) => Err(EgtgenFailure::UnsuitableFile(
                path.to_path_buf(),
                "is not a folder; --tables needs the folder of tables".into(),
            )),
            Err(error) => {
                let what =
                    format!("the folder of tables cannot be read: {error}; `egtgen generate KRvK --out DIR` makes one");
                Err(EgtgenFailure::UnsuitableFile(path.to_path_buf(), what))
            }
        }
    }

    /// Opens the tables.
    ///
    /// # Errors
    ///
    /// As [`path`](Self::path).
    pub fn open(&self) -> Result<CachedTables> {
        let bound = size::half_of_memory().min(DEFAULT_CACHE_BYTES as u64);
        Ok(CachedTables::open(TableFolder::new(self.path()?), bound as usize))
    }

    /// Opens the tables with so many bytes for all that is read of them, and never more.
    ///
    /// # Errors
    ///
    /// As [`path`](Self::path).
    pub fn open_strict(&self, bytes: usize) -> Result<CachedTables> {
        Ok(CachedTables::open_strict(TableFolder::new(self.path()?), bytes))
    }

    /// For `map_err`: that a table is not there, with the folder's name.
    pub fn failure(&self, error: Error) -> EgtgenFailure {
        match (error, &self.tables) {
            (Error::Missing(table), Some(folder)) => EgtgenFailure::NoTable { folder: folder.clone(), table },
            (error, _) => error.into(),
        }
    }
}
