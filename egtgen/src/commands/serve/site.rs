//! `/`: the built site, with the headers that its page needs for threads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

use super::files;
use super::http_error::HttpError;
use super::routes::ServiceState;
use crate::cli::failure::{EgtgenFailure, Result as Ran};

/// Names and values of the headers of every file of the site. Cross-origin isolation allows shared memory, and with it
/// threads; the others forbid guessing of types, hide where a link came from, and limit what the page loads and runs.
/// A host of the built site sends the same from its file `_headers`; a test compares both.
const HEADERS: [(&str, &str); 6] = [
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; \
         style-src 'self'; img-src 'self' data:; manifest-src 'self'; object-src 'none'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
];

/// The scripts that may ask a host that the user has named, and the policy of each: the worker of tables, which is told positions of
/// few men, and that of other hosts, which is told addresses of files of a published library.
const POLICIES_OF_SCRIPTS: [(&str, &str); 2] = [
    (
        "/assets/tablesworker-",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' https: http:; \
         frame-ancestors 'none'",
    ),
    (
        "/assets/hostworker-",
        "default-src 'none'; script-src 'self'; connect-src 'self' https: http:; frame-ancestors 'none'",
    ),
];

/// The header of a path in place of that of every file.
fn exception(path: &str) -> Option<(&'static str, &'static str)> {
    let (_, policy) = POLICIES_OF_SCRIPTS.into_iter().find(|(begin, _)| path.starts_with(begin))?;
    Some(("content-security-policy", policy))
}

/// The folder of a site, as a path without links.
///
/// # Errors
///
/// The folder does not exist, or has no page.
pub fn site_folder(path: &Path) -> Ran<PathBuf> {
    let failed = |what: String| EgtgenFailure::UnsuitableFile(path.to_path_buf(), what);
    let folder = fs::canonicalize(path).map_err(|error| failed(format!("the site cannot be read: {error}")))?;
    if !folder.join("index.html").is_file() {
        return Err(failed("has no index.html; `cargo xtask dist` makes a site in dist".to_owned()));
    }
    Ok(folder)
}

/// Answers every path without a route of its own.
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
    let path = request.uri().path().to_owned();
    let file = files::find_file(folder, &path).await.ok_or_else(files::file_not_found)?;
    let mut response = files::serve_file(request, &file).await?;
    for (name, value) in HEADERS.into_iter().chain(exception(&path)) {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    Ok(response)
}
