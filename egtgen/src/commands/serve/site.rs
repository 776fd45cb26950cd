//! `/`: the built site, with the headers without which its page gets no threads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

use super::files;
use super::refusal::Refusal;
use super::routes::Service;
use crate::cli::failure::{Failure, Result as Ran};

/// Those of the site's file `_headers`: cross-origin isolation, which shared memory asks for; no guessing of types; no telling others
/// where a link came from.
const HEADERS: [(&str, &str); 5] = [
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
];

/// The folder of a site, without links.
///
/// # Errors
///
/// There is none, or no page in it.
pub fn folder(path: &Path) -> Ran<PathBuf> {
    let failed = |what: String| Failure::NotThat(path.to_path_buf(), what);
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
pub async fn get(State(service): State<Arc<Service>>, request: Request) -> Result<Response, Refusal> {
    let Some(folder) = &service.site else {
        return Err(Refusal::not_found(
            "nothing is answered here; /openapi.json says what is, and --site DIR adds a site",
        ));
    };
    let file = files::find(folder, request.uri().path()).await.ok_or_else(files::gone)?;
    let mut response = files::answer(request, &file).await?;
    for (name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    Ok(response)
}
