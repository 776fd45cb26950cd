//! `/tables/`: the list of tables, and their files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use egtgen::Error;
use egtgen::folder::{EXTENSION, TableFolder};
use egtgen::packing::PACKED_EXTENSION;
use egtgen::prober::CachedTables;
use plyfold_core::table::probe::Prober;

use super::files;
use super::http_error::HttpError;
use super::routes::ServiceState;
use crate::cli::failure::{Result as Ran, describe_table_error};
use crate::cli::table_folder::TableFolderArgument;
use crate::commands::list::{ChecksumMode, TableListEntry};

/// The tables of a folder.
pub struct ServedTables {
    /// The folder, as a path without links.
    folder: PathBuf,
    pub prober: Prober<CachedTables>,
}

impl ServedTables {
    /// # Errors
    ///
    /// The folder does not exist.
    pub fn open(kept: &TableFolderArgument, cache: usize) -> Ran<ServedTables> {
        let path = kept.path()?;
        let folder = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        Ok(ServedTables { folder, prober: Prober::new(kept.open_strict(cache)?) })
    }

    /// The error of a table, without the paths of this machine.
    pub fn table_error(&self, error: &Error) -> HttpError {
        let status = match error {
            Error::Cache { .. } | Error::Busy => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        HttpError::new(status, hide_folder(&self.folder, &describe_table_error(error)))
    }
}

/// Replaces paths of files in a sentence by their names.
fn hide_folder(folder: &Path, text: &str) -> String {
    text.replace(&format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR), "")
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
    if service.tables.is_none() {
        return Err(no_tables());
    }
    let again = Arc::clone(&service);
    let rows = service.run_blocking(move || {
        let Some(tables) = &again.tables else { return Err(no_tables()) };
        let listed = TableFolder::new(&tables.folder).list().map_err(|error| tables.table_error(&error))?;
        let rows = listed.into_iter().filter_map(|listed| TableListEntry::from_file(listed, ChecksumMode::None));
        let mut rows: Vec<TableListEntry> = rows.collect();
        for error in rows.iter_mut().filter_map(|row| row.error.as_mut()) {
            *error = hide_folder(&tables.folder, error);
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
    let tables = service.tables.as_ref().ok_or_else(no_tables)?;
    let name = request.uri().path().strip_prefix("/tables/").unwrap_or("");
    let file = if is_table(name) { files::find_file(&tables.folder, name).await } else { None };
    // A link must lead to a table of this folder.
    let is_here = |file: &PathBuf| {
        file.parent() == Some(&tables.folder) && file.file_name().and_then(|name| name.to_str()).is_some_and(is_table)
    };
    let file = file
        .filter(is_here)
        .ok_or_else(|| HttpError::not_found("this table does not exist; /tables/ lists the tables"))?;
    files::serve_file(request, &file).await
}
