//! `/`: the built site, with the headers without which its page gets no threads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

use super::files;
use super::http_error::HttpError;
use super::routes::ServiceState;
use crate::cli::failure::{EgtgenFailure, Result as Ran};

/// What hosts that read such a file send with the site, which is the one place where its headers are written.
const HEADERS_FILE: &str = include_str!("../../../../www/public/_headers");

/// Names and values: cross-origin isolation, which shared memory asks for; no guessing of types; no telling others where a link came from;
/// what the page may load and run.
static HEADERS: LazyLock<Vec<(HeaderName, HeaderValue)>> = LazyLock::new(|| {
    HEADERS_FILE
        .lines()
        .filter(|line| line.starts_with(' '))
        .filter_map(|line| line.trim().split_once(": "))
        .filter_map(|(name, value)| Some((name.parse().ok()?, HeaderValue::from_static(value))))
        .collect()
});

/// The folder of a site, without links.
///
/// # Errors
///
/// There is none, or no page in it.
pub fn site_folder(path: &Path) -> Ran<PathBuf> {
    let failed = |what: String| EgtgenFailure::UnsuitableFile(path.to_path_buf(), what);
    let folder = fs::canonicalize(path).map_err(|error| failed(format!("the site cannot be read: {error}")))?;
    if !folder.join("index.html").is_file() {
        return Err(failed("has no index.html; `cargo xtask dist` makes a site in dist".to_owned()));
    }
    Ok(folder)
}

/// Answers whatever no other route does.
///
/// # Errors
///
/// There is no such file, or no site.
pub async fn get(State(service): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let Some(folder) = &service.site else {
        return Err(HttpError::not_found(
            "there is nothing here; /openapi.json lists the paths, and --site DIR adds a site",
        ));
    };
    let file = files::find_file(folder, request.uri().path()).await.ok_or_else(files::file_not_found)?;
    let mut response = files::serve_file(request, &file).await?;
    for (name, value) in HEADERS.iter() {
        response.headers_mut().insert(name, value.clone());
    }
    Ok(response)
}
