//! The position index of a corpus: a file beside it, `games.plyindex` for `games.plyfold`.

use std::path::{Path, PathBuf};

use plyfold_core::index::error::IndexError;
use plyfold_core::index::layout::{Check, Layout};
use plyfold_core::index::probe::Index;
use plyfold_files::open;

use crate::failure::{Failure, Result};
use crate::map::Map;

/// Where the index of the corpus at `corpus` lies.
pub fn place_of(corpus: &Path) -> PathBuf {
    corpus.with_extension("plyindex")
}

/// An index file that is mapped, its heads checked.
pub struct Indexed {
    map: Map,
    layout: Layout,
}

/// Why a mapped file is no index.
pub enum Unread {
    /// It is missing.
    Missing,
    /// It is something else, or damaged, or newer.
    Not(IndexError),
}

impl Indexed {
    /// Opens the index at `path`.
    ///
    /// # Errors
    ///
    /// The system's; and what else is wrong with it, for the caller to say what is to be done.
    pub fn at(path: &Path) -> Result<Result<Indexed, Unread>> {
        let cannot = || Failure::file(path, "cannot be opened");
        let file = match open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Err(Unread::Missing)),
            file => file.map_err(cannot())?,
        };
        let found = file.metadata().map_err(cannot())?;
        if !found.is_file() {
            return Err(Failure::NotThat(path.into(), "is not a regular file, so no index".into()));
        }
        if found.len() == 0 {
            return Ok(Err(Unread::Not(IndexError::NotAnIndex)));
        }
        let map = Map::of(&file).map_err(Failure::file(path, "cannot be mapped into memory"))?;
        Ok(match Layout::check(map.bytes(), Check::Heads) {
            Ok(layout) => Ok(Indexed { map, layout }),
            Err(error) => Err(Unread::Not(error)),
        })
    }

    /// The index.
    pub fn index(&self) -> Index<'_> {
        self.layout.index(self.map.bytes())
    }
}
