//! The folder in which tables are kept, for commands that read them.

use std::fs;
use std::path::{Path, PathBuf};

use egtgen::Error;
use egtgen::folder::Folder;
use egtgen::prober::{Tables, USUAL_BOUND};

use super::failure::{Failure, Result};
use super::size;

/// Where tables are.
#[derive(clap::Args)]
pub struct Kept {
    /// The folder of tables.
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
}

impl Kept {
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
            let what = "say with --tables DIR where the tables are; `egtgen generate KRvK --out DIR` makes some";
            Failure::Usage(what.to_owned())
        })?;
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Ok(path),
            Ok(_) => {
                Err(Failure::NotThat(path.to_path_buf(), "is no folder; --tables wants that of the tables".into()))
            }
            Err(error) => {
                let what =
                    format!("the folder of tables cannot be read: {error}; `egtgen generate KRvK --out DIR` makes one");
                Err(Failure::NotThat(path.to_path_buf(), what))
            }
        }
    }

    /// Opens the tables.
    ///
    /// # Errors
    ///
    /// As [`path`](Self::path).
    pub fn open(&self) -> Result<Tables> {
        let bound = size::half_of_machine().min(USUAL_BOUND as u64);
        Ok(Tables::open(Folder::new(self.path()?), bound as usize))
    }

    /// Opens the tables with so many bytes for all that is read of them, and never more.
    ///
    /// # Errors
    ///
    /// As [`path`](Self::path).
    pub fn open_within(&self, bytes: usize) -> Result<Tables> {
        Ok(Tables::open_within(Folder::new(self.path()?), bytes))
    }

    /// For `map_err`: that a table is not there, with the folder's name.
    pub fn failure(&self, error: Error) -> Failure {
        match (error, &self.tables) {
            (Error::Missing(table), Some(folder)) => Failure::NoTable { folder: folder.clone(), table },
            (error, _) => error.into(),
        }
    }
}
