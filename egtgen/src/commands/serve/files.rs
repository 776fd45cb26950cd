//! A file of a folder, and nothing outside it: by its path in a URL, whole or in ranges.

use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, ETAG, IF_RANGE, LAST_MODIFIED, RANGE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use percent_encoding::percent_decode_str;
use tokio::fs;
use tower_http::services::ServeFile;

use super::refusal::Refusal;

/// The file that a path of a URL means below `folder`, which is without links; a folder stands for its `index.html`. None where
/// there is none, where the path or a link leads out of the folder, and of what is hidden.
pub async fn find(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut file = folder.to_path_buf();
    let path = path.strip_prefix('/').unwrap_or(path);
    let is_folder = path.is_empty() || path.ends_with('/');
    for part in path.strip_suffix('/').unwrap_or(path).split('/') {
        if !path.is_empty() {
            file.push(plain(part)?);
        }
    }
    if is_folder {
        file.push("index.html");
    }
    let file = fs::canonicalize(file).await.ok()?;
    let is_inside = file.starts_with(folder) && fs::metadata(&file).await.ok()?.is_file();
    is_inside.then_some(file)
}

/// A part of a path, decoded, if it is the name of something in a folder and not hidden.
fn plain(part: &str) -> Option<String> {
    let name = percent_decode_str(part).decode_utf8().ok()?.into_owned();
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0', ':']);
    is_plain.then_some(name)
}

/// Answers GET and HEAD with a file, or the part of it that is asked for.
///
/// # Errors
///
/// The file cannot be read, or another method.
pub async fn answer(mut request: Request, file: &Path) -> Result<Response, Refusal> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(Refusal::method("GET, HEAD"));
    }
    // A part is wanted of the file as it was, else all of what it is now.
    if let Some(as_it_was) = request.headers_mut().remove(IF_RANGE) {
        let mut look = Request::new(Body::empty());
        *look.method_mut() = Method::HEAD;
        let is = serve(look, file).await?;
        if ![ETAG, LAST_MODIFIED].iter().any(|name| is.headers().get(name) == Some(&as_it_was)) {
            request.headers_mut().remove(RANGE);
        }
    }
    serve(request, file).await
}

async fn serve(request: Request, file: &Path) -> Result<Response, Refusal> {
    let served = ServeFile::new(file).try_call(request).await;
    let mut response = served.map(|response| response.map(Body::new)).map_err(|_| gone())?;
    if response.status() == StatusCode::NOT_FOUND {
        return Err(gone());
    }
    // Asked anew each time, which costs no bytes where the file is the same.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}

/// That there is no such file.
pub fn gone() -> Refusal {
    Refusal::not_found("there is no such file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(plain("a%20b.js").as_deref(), Some("a b.js"));
        assert_eq!(plain("a%2Bb+c").as_deref(), Some("a+b+c"));
        for wrong in
            ["", ".", "..", "%2e%2e", "%2E.", ".git", "%2ehidden", "a%2fb", "a%5cb", "a\\b", "a%00", "c:", "%ff"]
        {
            assert_eq!(plain(wrong), None, "{wrong}");
        }
    }
}
