//! `/tables/`: serves the list of tables, and their files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use egtgen::folder::{EXTENSION, TableFolder};
use egtgen::packed_folder::PACKED_EXTENSION;
use egtgen::prober::CachedTables;
use egtgen::{Error, Tablebase};

use super::files;
use super::http_error::HttpError;
use super::routes::{ServiceState, run_with_permit};
use crate::cli::failure::{Result as Ran, describe_table_error};
use crate::cli::table_folder::{OpenTablebase, TablebaseArguments};
use crate::commands::list::{ChecksumMode, TableListEntry};

/// The tables of the named folders.
pub struct ServedTables {
    /// The folder of egtgen's tables, as a path without links.
    folder: Option<PathBuf>,
    /// All folders, as they are named in errors.
    folders: Vec<PathBuf>,
    pub own: Option<Arc<CachedTables>>,
    pub tables: Tablebase,
}

impl ServedTables {
    /// # Errors
    ///
    /// The folder does not exist.
    pub fn open(named: &TablebaseArguments, cache: usize) -> Ran<ServedTables> {
        let OpenTablebase { own, tables } = named.open(cache, CachedTables::open_strict)?;
        let mut folders = named.syzygy().to_vec();
        let mut folder = None;
        if named.folder.is_named() {
            let path = named.folder.path()?;
            folder = Some(std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()));
            folders.extend(folder.clone());
            folders.push(path.to_path_buf());
        }
        Ok(ServedTables { folder, folders, own, tables })
    }

    /// Returns whether there are Syzygy tables, which may read a file for each position.
    pub fn has_syzygy(&self) -> bool {
        !self.tables.syzygy().is_empty()
    }

    /// The error of a table, without the paths of this machine.
    pub fn table_error(&self, error: &Error) -> HttpError {
        let status = match error {
            Error::Cache { .. } | Error::Busy => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        HttpError::new(status, self.hide_folders(&describe_table_error(error)))
    }

    /// Replaces paths of files in a sentence by their names.
    fn hide_folders(&self, text: &str) -> String {
        self.folders.iter().fold(text.to_owned(), |text, folder| hide_folder(folder, &text))
    }
}

/// Replaces paths of files in a sentence by their names.
fn hide_folder(folder: &Path, text: &str) -> String {
    let folder = folder.display().to_string();
    let separator = std::path::MAIN_SEPARATOR;
    text.replace(&format!("{}{separator}", folder.trim_end_matches(separator)), "")
}

/// The error if no folder is named.
pub fn no_tables() -> HttpError {
    HttpError::not_found("this service has no tables; --tables DIR adds them")
}

/// Answers with the list of `egtgen list`, without the checksums.
///
/// # Errors
///
/// No folder is named, or it cannot be read.
pub async fn list(State(service): State<Arc<ServiceState>>) -> Result<Response, HttpError> {
    let again = Arc::clone(&service);
    let rows = run_with_permit(&service.blocking_permits, move || {
        let tables = again.tables.as_ref().ok_or_else(no_tables)?;
        let folder = tables.folder.as_ref().ok_or_else(no_tables)?;
        let listed = TableFolder::new(folder).list().map_err(|error| tables.table_error(&error))?;
        let rows = listed.into_iter().filter_map(|listed| TableListEntry::from_file(listed, ChecksumMode::None));
        let mut rows: Vec<TableListEntry> = rows.collect();
        for error in rows.iter_mut().filter_map(|row| row.error.as_mut()) {
            *error = hide_folder(folder, error);
        }
        Ok(rows)
    });
    service.json(&rows.await??).await
}

/// Whether this is the file name of a complete table, packed or not.
fn is_table(name: &str) -> bool {
    let stem = name.strip_suffix(EXTENSION).or_else(|| name.strip_suffix(PACKED_EXTENSION));
    stem.is_some_and(|stem| !stem.is_empty() && stem.bytes().all(|sign| sign.is_ascii_alphanumeric()))
}

/// Answers with the file of a table. Other files of the folder are not served.
///
/// # Errors
///
/// There is no such table.
pub async fn file(State(service): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let folder = service.tables.as_ref().and_then(|tables| tables.folder.as_ref()).ok_or_else(no_tables)?;
    let name = request.uri().path().strip_prefix("/tables/").unwrap_or("");
    let file = if is_table(name) { files::find_file(folder, name).await } else { None };
    // A link must lead to a table of this folder.
    let is_here = |file: &PathBuf| {
        file.parent() == Some(folder) && file.file_name().and_then(|name| name.to_str()).is_some_and(is_table)
    };
    let file = file
        .filter(is_here)
        .ok_or_else(|| HttpError::not_found("this table does not exist; /tables/ lists the tables"))?;
    files::serve_file(request, &file).await
}
