//! The endgame tables of folders, as queries ask them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use egtgen::tablebase::{Tablebase, Wdl};
use egtgen::{DEFAULT_CACHE_BYTES, TableMaterial, TablePosition};
use plyfold_core::scan::tables::{BoundTables, ProbedPosition, TableOutcome, TableVerdict, TableVerdicts};

use crate::error::{LibraryError, Result};

/// The extensions of the tables of egtgen, generated and packed, and of Syzygy tables that say who wins.
const OWN: &[&str] = &["egt", "egp"];
const SYZYGY: &[&str] = &["rtbw"];

/// The tables of some folders.
pub struct TableFiles {
    tablebase: Tablebase,
    /// The materials that have a table, by their canonical names.
    materials: BTreeSet<String>,
    most_pieces: u32,
    /// Why some table could not be read: the first such failure.
    failure: OnceLock<String>,
}

/// The folders, and the extensions of the tables in them.
fn folders<'a>(
    own: &'a [PathBuf],
    syzygy: &'a [PathBuf],
) -> impl Iterator<Item = (&'a PathBuf, &'static [&'static str])> {
    let own = own.iter().map(|folder| (folder, OWN));
    own.chain(syzygy.iter().map(|folder| (folder, SYZYGY)))
}

/// The files of the tables in folders of egtgen's and of Syzygy tables. A folder that cannot be read has none; opening it says so.
pub fn table_files<'a>(own: &'a [PathBuf], syzygy: &'a [PathBuf]) -> impl Iterator<Item = PathBuf> + 'a {
    folders(own, syzygy)
        .flat_map(|(folder, extensions)| files_in(folder, extensions).unwrap_or_default())
        .map(|(_, path)| path)
}

/// The tables of a folder: the canonical name of the material, and the file.
fn files_in(folder: &Path, extensions: &[&str]) -> Result<Vec<(String, PathBuf)>> {
    let cannot = || LibraryError::file(folder, "the folder of tables cannot be read");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot())? {
        let path = entry.map_err(cannot())?.path();
        let material = path.file_stem().and_then(|name| TableMaterial::parse(name.to_str()?).ok());
        if let Some(material) =
            material.filter(|_| path.extension().is_some_and(|found| extensions.iter().any(|known| found == *known)))
        {
            files.push((material.canonical().to_string(), path));
        }
    }
    Ok(files)
}

/// The pieces in the name of a material, kings included.
fn pieces(material: &str) -> usize {
    material.len() - 1
}

impl TableFiles {
    /// Opens folders of egtgen's and of Syzygy tables; none without folders. The tables in them are opened when they are first
    /// needed.
    ///
    /// # Errors
    ///
    /// A folder cannot be read, or has no tables.
    pub fn open(own: &[PathBuf], syzygy: &[PathBuf]) -> Result<Option<Arc<TableFiles>>> {
        let mut materials = BTreeSet::new();
        for (folder, extensions) in folders(own, syzygy) {
            let found = files_in(folder, extensions)?;
            if found.is_empty() {
                let what = if extensions == SYZYGY {
                    "has no Syzygy tables (files such as KRvK.rtbw)"
                } else {
                    "has no endgame tables: `egtgen generate KRvK --out DIR` makes some"
                };
                return Err(LibraryError::Unsuitable(folder.clone(), what.into()));
            }
            materials.extend(found.into_iter().map(|(material, _)| material));
        }
        if materials.is_empty() {
            return Ok(None);
        }
        let most_pieces = materials.iter().map(|name| pieces(name)).max().unwrap_or(0) as u32;
        let tablebase = Tablebase::open(own, syzygy, DEFAULT_CACHE_BYTES)
            .map_err(|error| LibraryError::Other(error.to_string()))?;
        let failure = OnceLock::new();
        if let Some(error) = tablebase.left_out().first() {
            let _ = failure.set(error.to_string());
        }
        Ok(Some(Arc::new(TableFiles { tablebase, materials, most_pieces, failure })))
    }

    /// The same tables as a query asks them.
    #[must_use]
    pub fn bound(self: &Arc<TableFiles>) -> BoundTables {
        BoundTables::new(self.clone())
    }

    /// Returns whether a material has a table, by its canonical name.
    #[must_use]
    pub fn has(&self, material: &str) -> bool {
        self.materials.contains(material)
    }

    /// Returns why some table could not be read, if one could not: the first such failure.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }
}

impl TableVerdicts for TableFiles {
    fn most_pieces(&self) -> u32 {
        self.most_pieces
    }

    fn verdict(&self, position: &ProbedPosition) -> Option<TableVerdict> {
        let ProbedPosition { board, turn, en_passant } = position.clone();
        let position = TablePosition::from_board(board, turn, en_passant).ok()?;
        match self.tablebase.verdict(&position) {
            Ok(verdict) => verdict.map(|verdict| TableVerdict {
                outcome: match verdict.outcome {
                    Wdl::Win => TableOutcome::Win,
                    Wdl::Draw => TableOutcome::Draw,
                    Wdl::Loss => TableOutcome::Loss,
                },
                moves_to_mate: verdict.moves_to_mate,
            }),
            Err(error) => {
                self.failure.get_or_init(|| error.to_string());
                None
            }
        }
    }
}
