//! The named sets and lines beside a library, as queries name them: `in @mine`, `left @mine`. Each is read once in a session, when a query
//! first names it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use plyfold_core::pgn::LineTree;
use plyfold_core::pmote::header::CorpusStamp;
use plyfold_library::{
    LibraryError, MappedSetFile, lines_path, read_lines, set_path, unknown_lines_message, unknown_set_message,
};

use crate::error::SqlFailure;
use crate::remote::is_address;

/// The sets and lines of a library that queries have named.
#[derive(Default)]
pub(crate) struct SavedNames {
    sets: Mutex<HashMap<String, Arc<[u64]>>>,
    lines: Mutex<HashMap<String, Arc<LineTree>>>,
    /// Whether the library is read for a cluster, whose machines need not have the same files beside it.
    is_on_cluster: AtomicBool,
}

/// Why there is nothing of a name.
pub(crate) enum NameFailure {
    /// It is no name of a set or of lines; the message lists those that are.
    Unknown(String),
    /// It cannot be read.
    Failed(SqlFailure),
}

impl From<LibraryError> for NameFailure {
    fn from(error: LibraryError) -> NameFailure {
        match error {
            LibraryError::Name(message) => NameFailure::Unknown(message),
            error => NameFailure::Failed(error.into()),
        }
    }
}

impl SavedNames {
    /// The games of a named set, without the `@`, of the library at `address`: game `id` if bit `id % 64` of word `id / 64` is set.
    ///
    /// # Errors
    ///
    /// There is no such set; it cannot be read, or is of other games.
    pub fn set(&self, address: &str, name: &str, stamp: CorpusStamp) -> Result<Arc<[u64]>, NameFailure> {
        read_once(&self.sets, name, || {
            let (library, written) = (self.local(address)?, format!("@{name}"));
            let place = set_path(library, &written)?;
            if !place.exists() {
                return Err(NameFailure::Unknown(unknown_set_message(library, &written)?));
            }
            Ok(MappedSetFile::open(&place)?.read(stamp)?.into_game_set().words().into())
        })
    }

    /// The lines of this name, without the `@`, of the library at `address`.
    ///
    /// # Errors
    ///
    /// There are no such lines; they cannot be read.
    pub fn lines(&self, address: &str, name: &str) -> Result<Arc<LineTree>, NameFailure> {
        read_once(&self.lines, name, || {
            let library = self.local(address)?;
            let place = lines_path(library, name)?;
            if !place.exists() {
                return Err(NameFailure::Unknown(unknown_lines_message(library, name)?));
            }
            Ok(Arc::new(read_lines(&place)?))
        })
    }

    /// Refuses names from now on, since the library is read for a cluster.
    #[cfg(feature = "cluster")]
    pub fn refuse(&self) {
        self.is_on_cluster.store(true, Ordering::Relaxed);
    }

    fn local<'a>(&self, address: &'a str) -> Result<&'a Path, NameFailure> {
        let refused = |what: &str| Err(NameFailure::Unknown(what.into()));
        match address {
            _ if self.is_on_cluster.load(Ordering::Relaxed) => {
                refused("a cluster has no named sets and lines: ask on one machine, or export the games and join them")
            }
            address if is_address(address) => refused("named sets and lines lie beside local corpora alone"),
            path => Ok(Path::new(path)),
        }
    }
}

fn read_once<T: Clone>(
    known: &Mutex<HashMap<String, T>>,
    name: &str,
    read: impl FnOnce() -> Result<T, NameFailure>,
) -> Result<T, NameFailure> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(name) {
        return Ok(found.clone());
    }
    let found = read()?;
    known.insert(name.to_owned(), found.clone());
    Ok(found)
}
