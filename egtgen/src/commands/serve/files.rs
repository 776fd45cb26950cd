//! Finds and serves a file of a folder, and nothing outside it; `/`: the built site.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_RANGE;
use axum::response::{IntoResponse, Response};
use egtgen::folder::PARTIAL_EXTENSION;
use percent_encoding::percent_decode_str;
use plyfold_serve::files::CHUNK_BYTES;
use tokio::fs;
use tower_http::services::ServeFile;

use super::http_error::HttpError;
use super::routes::ServiceState;

/// The file of a URL path below `folder`, whose own path has no links. A folder stands for its `index.html`. `None` if there is no
/// such file, or the path or a link leads out of the folder or to a hidden or unfinished file.
pub async fn find_file(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut file = folder.to_path_buf();
    let path = path.strip_prefix('/').unwrap_or(path);
    let is_folder = path.is_empty() || path.ends_with('/');
    for part in path.strip_suffix('/').unwrap_or(path).split('/') {
        if !path.is_empty() {
            file.push(decode_part(part)?);
        }
    }
    if is_folder {
        file.push("index.html");
    }
    let file = fs::canonicalize(file).await.ok()?;
    // A link must not lead to a file that a URL cannot name.
    let mut names = file.strip_prefix(folder).ok()?.components();
    let is_plain = names.all(|name| name.as_os_str().to_str().is_some_and(is_visible_name));
    (is_plain && fs::metadata(&file).await.ok()?.is_file()).then_some(file)
}

/// Decodes a segment of a path; `None` if the name must not be served.
fn decode_part(part: &str) -> Option<String> {
    let name = percent_decode_str(part).decode_utf8().ok()?.into_owned();
    is_visible_name(&name).then_some(name)
}

/// Whether this is the name of an entry of a folder, and neither hidden nor an unfinished file.
fn is_visible_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && !name.ends_with(PARTIAL_EXTENSION)
        && !name.contains(['/', '\\', '\0', ':'])
}

/// Answers GET and HEAD with a file, or with the requested range of it.
///
/// # Errors
///
/// The file cannot be read, or the method is another one.
pub async fn serve_file(request: Request, file: &Path) -> Result<Response, HttpError> {
    let files = ServeFile::new(file).with_buf_chunk_size(CHUNK_BYTES);
    let response = plyfold_serve::files::serve_file(files, request).await;
    match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => Err(HttpError::method_not_allowed("GET, HEAD")),
        StatusCode::NOT_FOUND | StatusCode::INTERNAL_SERVER_ERROR => Err(file_not_found()),
        StatusCode::RANGE_NOT_SATISFIABLE => {
            let what = "this range does not exist; `Content-Range` has the length of the file";
            let mut refused = HttpError::new(response.status(), what).into_response();
            refused
                .headers_mut()
                .extend(response.headers().get(CONTENT_RANGE).map(|range| (CONTENT_RANGE, range.clone())));
            Ok(refused)
        }
        _ => Ok(response),
    }
}

/// Answers every path without a route of its own: the built site, with the headers of its file `_headers`, which its page needs for
/// threads.
///
/// # Errors
///
/// There is no such file, or no site.
pub async fn site(State(service): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let Some(site) = &service.site else {
        return Err(HttpError::not_found(
            "there is nothing here; /openapi.json lists the paths, and --site DIR adds a site",
        ));
    };
    let path = request.uri().path().to_owned();
    let file = find_file(site.folder(), &path).await.ok_or_else(file_not_found)?;
    let mut response = serve_file(request, &file).await?;
    site.add_headers(&path, &mut response);
    Ok(response)
}

/// The error for a missing file.
fn file_not_found() -> HttpError {
    HttpError::not_found("there is no such file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(decode_part("a%20b.js").as_deref(), Some("a b.js"));
        assert_eq!(decode_part("a%2Bb+c").as_deref(), Some("a+b+c"));
        for wrong in [
            "",
            ".",
            "..",
            "%2e%2e",
            "%2E.",
            ".git",
            "%2ehidden",
            "a%2fb",
            "a%5cb",
            "a\\b",
            "a%00",
            "c:",
            "%ff",
            "a.part",
            "a%2Epart",
        ] {
            assert_eq!(decode_part(wrong), None, "{wrong}");
        }
    }
}
