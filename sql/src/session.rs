//! A session of DataFusion that knows a library.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::error::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::scan::tables::BoundTables;
use plyfold_library::TableFiles;

use crate::bound_query::BoundQuery;
use crate::error::SqlFailure;
use crate::functions;
use crate::library::{Library, SharedLibrary};
use crate::named_files::{NamedFile, check_names};
use crate::shard_rows::FoldOutput;
use crate::tables::FoldTable;

/// The table that is the library.
pub(crate) const LIBRARY_TABLE: &str = "games";

/// What a session works with beside its library.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Folders of endgame tables made by egtgen.
    pub tables: Vec<PathBuf>,
    /// Folders of Syzygy tables.
    pub syzygy: Vec<PathBuf>,
    /// How many partitions of a query run at the same time; one per core if there is no number.
    pub partitions: Option<usize>,
    /// Files that statements may read beside the library. [`register_files`](crate::register_files) makes those that are tables known.
    pub files: Vec<NamedFile>,
    /// Whether files that are damaged or no corpora are left out of a library; [`SessionWork`](crate::SessionWork) names them.
    pub skip_damaged: bool,
}

/// What all tables and functions of a session share.
pub(crate) struct SessionLibraries {
    pub main: SharedLibrary,
    pub tables: Option<Arc<TableFiles>>,
    others: Mutex<HashMap<String, SharedLibrary>>,
    /// The games of the library that match each query of `matches`.
    pub found: Mutex<HashMap<String, Arc<GameSet>>>,
    /// The other libraries that statements may name, with their addresses.
    named: HashMap<String, String>,
    skip_damaged: bool,
}

impl SessionLibraries {
    /// Opens a library, and the endgame tables of folders.
    ///
    /// # Errors
    ///
    /// The library or a folder cannot be opened, or two files have the same name.
    pub fn open(address: &str, options: &SessionOptions) -> Result<SessionLibraries> {
        let skip_damaged = options.skip_damaged;
        check_names(&options.files)?;
        let main = Arc::new(Library::open_within(address, Arc::default(), skip_damaged)?);
        let tables = TableFiles::open(&options.tables, &options.syzygy).map_err(SqlFailure::from)?;
        let named = options.files.iter().filter(|file| file.is_library());
        let named = named.map(|file| (file.name.clone(), file.address())).collect();
        Ok(SessionLibraries { main, tables, others: Mutex::default(), found: Mutex::default(), named, skip_damaged })
    }

    /// A library that was named beside the statement.
    ///
    /// # Errors
    ///
    /// None was, or it cannot be opened.
    pub fn named(&self, name: &str) -> Result<SharedLibrary> {
        if name == LIBRARY_TABLE {
            return Ok(self.main.clone());
        }
        let address = self.named.get(name).ok_or_else(|| {
            SqlFailure::usage(format!(
                "no library is named `{name}`: statements read only what is named beside them, by `plyfold-sql --file NAME=FILE` or in \
                 Python by `open(…, files={{NAME: FILE}})`"
            ))
        })?;
        self.at(address)
    }

    /// The library at an address, opened once.
    pub fn at(&self, address: &str) -> Result<SharedLibrary> {
        if address == self.main.address() {
            return Ok(self.main.clone());
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = others.get(address) {
            return Ok(opened.clone());
        }
        let opened = Arc::new(Library::open_within(address, self.main.work().clone(), self.skip_damaged)?);
        others.insert(address.into(), opened.clone());
        Ok(opened)
    }

    /// The endgame tables as a query asks them.
    pub fn bound_tables(&self) -> BoundTables {
        self.tables.as_ref().map(TableFiles::bound).unwrap_or_default()
    }
}

impl std::fmt::Debug for SessionLibraries {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.main.fmt(out)
    }
}

/// Opens a library, and a session in which it is the table `games`. [`register_files`](crate::register_files) adds tables of files.
///
/// # Errors
///
/// The library or a folder of endgame tables cannot be opened.
pub fn open_session(address: &str, options: &SessionOptions) -> Result<(SessionContext, Arc<Library>)> {
    let mut config = SessionConfig::new().with_information_schema(true);
    if let Some(partitions) = options.partitions {
        config = config.with_target_partitions(partitions);
    }
    open_session_in(SessionContext::new_with_config(config), address, options)
}

/// As [`open_session`], in a session that has been configured.
pub(crate) fn open_session_in(
    context: SessionContext,
    address: &str,
    options: &SessionOptions,
) -> Result<(SessionContext, Arc<Library>)> {
    let libraries = Arc::new(SessionLibraries::open(address, options)?);
    let main = libraries.main.clone();
    let bound = libraries.bound_tables();
    let every_game = BoundQuery::read("", &main, &bound)?;
    let games = FoldTable::new(main.clone(), every_game, FoldOutput::Games, bound);
    context.register_table(LIBRARY_TABLE, Arc::new(games))?;
    functions::register(&context, &libraries);
    Ok((context, main))
}
