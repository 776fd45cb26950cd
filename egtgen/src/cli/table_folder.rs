//! The options for folders of tables, for commands that read tables.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egtgen::Error;
use egtgen::folder::TableFolder;
use egtgen::prober::{CachedTables, DEFAULT_CACHE_BYTES};
use egtgen::syzygy::SyzygyTables;
use egtgen::tablebase::{SharedSource, Tablebase, syzygy_share};
use plyfold_files::{PrintablePath, escape_control_lines};

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
    /// Returns whether a folder is named.
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
            Ok(_) => Err(EgtgenFailure::unsuitable(path, "is not a folder; --tables needs the folder of tables")),
            Err(error) => {
                let what =
                    format!("the folder of tables cannot be read: {error}; `egtgen generate KRvK --out DIR` makes one");
                Err(EgtgenFailure::unsuitable(path, what))
            }
        }
    }

    /// Opens the tables.
    ///
    /// # Errors
    ///
    /// As [`path`](Self::path).
    pub fn open(&self) -> Result<CachedTables> {
        Ok(CachedTables::open(TableFolder::new(self.path()?), default_cache_bytes()))
    }

    /// For `map_err`: names the folder if a table is missing.
    pub fn failure(&self, error: Error) -> EgtgenFailure {
        match (error, &self.tables) {
            (Error::Missing(table), Some(folder)) => {
                let (path, name, out) = (PrintablePath(folder), table.canonical(), shell_path(folder));
                let what =
                    format!("{path}: the table {table} is missing; `egtgen generate {name} --out {out}` makes it");
                EgtgenFailure::Other(what)
            }
            (error, _) => error.into(),
        }
    }
}

/// Where tables of both kinds are.
#[derive(clap::Args)]
pub struct TablebaseArguments {
    #[command(flatten)]
    pub folder: TableFolderArgument,
    /// A folder of Syzygy tables (NAME.rtbw, NAME.rtbz), which know the fifty-move rule and up to seven men; may be repeated.
    #[arg(long, value_name = "DIR")]
    syzygy: Vec<PathBuf>,
}

impl TablebaseArguments {
    /// Returns whether any folder is named.
    pub fn is_named(&self) -> bool {
        self.folder.is_named() || self.has_syzygy()
    }

    /// Returns whether a folder of Syzygy tables is named.
    pub fn has_syzygy(&self) -> bool {
        !self.syzygy.is_empty()
    }

    /// The named folders of Syzygy tables.
    pub fn syzygy(&self) -> &[PathBuf] {
        &self.syzygy
    }

    /// Opens the tables of all folders. `open` opens egtgen's with its part of `bytes` bytes of memory. Syzygy files that cannot be
    /// used are reported, and the rest is used.
    ///
    /// # Errors
    ///
    /// No folder is named, the folder of egtgen's tables does not exist, or nothing is there but Syzygy files that cannot be used.
    pub fn open(&self, bytes: usize, open: fn(TableFolder, usize) -> CachedTables) -> Result<OpenTablebase> {
        if !self.is_named() {
            let what = "give the folder of tables with --tables DIR, or Syzygy tables with --syzygy DIR; `egtgen generate KRvK --out DIR` makes \
                        some";
            return Err(EgtgenFailure::Usage(what.to_owned()));
        }
        let syzygy_bytes = syzygy_share(self.folder.is_named(), self.has_syzygy(), bytes);
        let own = match self.folder.is_named() {
            true => Some(Arc::new(open(TableFolder::new(self.folder.path()?), bytes - syzygy_bytes))),
            false => None,
        };
        let mut left_out = Vec::new();
        let syzygy = SyzygyTables::open(&self.syzygy, syzygy_bytes, &mut left_out);
        if own.is_none() && syzygy.is_empty() && !left_out.is_empty() {
            return Err(left_out.swap_remove(0).into());
        }
        for error in left_out {
            let _ = writeln!(io::stderr(), "{}", escape_control_lines(&format!("warning: {error}")));
        }
        let sources = own.iter().map(|own| Arc::clone(own) as SharedSource).collect();
        Ok(OpenTablebase { own, tables: Tablebase::new(sources, syzygy) })
    }
}

/// The tables of the named folders.
pub struct OpenTablebase {
    /// egtgen's tables, if their folder is named.
    pub own: Option<Arc<CachedTables>>,
    /// All tables as one source.
    pub tables: Tablebase,
}

/// The bound of a cache that is not set by the user.
pub fn default_cache_bytes() -> usize {
    size::half_of_memory().min(DEFAULT_CACHE_BYTES as u64) as usize
}

/// A path as it can be typed in a shell.
fn shell_path(path: &Path) -> String {
    let text = PrintablePath(path).to_string();
    if text.contains(char::is_whitespace) { format!("'{text}'") } else { text }
}
