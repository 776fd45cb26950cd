//! The option for the folder of tables, for commands that read tables.

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
    /// Whether a folder is named.
    pub fn is_named(&self) -> bool {
        self.tables.is_some()
    }

    /// The path of the folder.
    ///
    /// # Errors
    ///
    /// No folder is named, or it does not exist.
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

    /// Opens the tables with at most `bytes` bytes for everything that is read of them.
    ///
    /// # Errors
    ///
    /// As [`path`](Self::path).
    pub fn open_strict(&self, bytes: usize) -> Result<CachedTables> {
        Ok(CachedTables::open_strict(TableFolder::new(self.path()?), bytes))
    }

    /// For `map_err`: names the folder if a table is missing.
    pub fn failure(&self, error: Error) -> EgtgenFailure {
        match (error, &self.tables) {
            (Error::Missing(table), Some(folder)) => EgtgenFailure::NoTable { folder: folder.clone(), table },
            (error, _) => error.into(),
        }
    }
}
