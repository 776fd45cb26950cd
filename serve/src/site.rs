//! The folder of a built or published site, with the headers that its file `_headers` names.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use tower_http::services::ServeDir;

use crate::files::{CHUNK_BYTES, serve_file};
use crate::header_rules::HeaderRules;

/// The folder of a site.
#[derive(Clone, Debug)]
pub struct ServedSite {
    folder: PathBuf,
    headers: HeaderRules,
}

/// A folder that is no site, or its file that is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{}: {what}", path.display())]
pub struct UnsuitableSite {
    /// The folder, or the file.
    pub path: PathBuf,
    /// What is wrong.
    pub what: String,
}

impl ServedSite {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// The folder has no `index.html`, or its `_headers` cannot be read.
    pub fn open(path: &Path) -> Result<ServedSite, UnsuitableSite> {
        let wrong = |path: &Path, what| UnsuitableSite { path: path.to_path_buf(), what };
        let folder = fs::canonicalize(path)
            .map_err(|error| wrong(path, format!("has no index.html, since it cannot be read: {error}")))?;
        if !folder.join("index.html").is_file() {
            let what = "has no index.html: name a folder that `plyfold publish` has written, or a built site, such as that of \
                        `cargo xtask dist`";
            return Err(wrong(path, what.into()));
        }
        let rules = path.join("_headers");
        if fs::metadata(&rules).is_ok_and(|found| !found.is_file()) {
            return Err(wrong(&rules, "is no regular file".into()));
        }
        let text = match fs::read_to_string(&rules) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.map_err(|error| wrong(&rules, format!("cannot be read: {error}")))?,
        };
        let headers = HeaderRules::read(&text).map_err(|(line, what)| wrong(&rules, format!("line {line}: {what}")))?;
        Ok(ServedSite { folder, headers })
    }

    /// The folder, as a path without links.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sets the headers of a path. What is no header by the rules of HTTP is left out, as hosts do.
    pub fn add_headers(&self, path: &str, response: &mut Response) {
        for (name, value) in self.headers.of_path(path) {
            if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(&value)) {
                response.headers_mut().insert(name, value);
            }
        }
    }

    /// Whether what a path leads to is neither a file nor a folder. Opening a FIFO would keep a thread for ever.
    fn is_special(&self, path: &str) -> bool {
        let names = percent_decode_str(path.trim_start_matches('/')).decode_utf8_lossy();
        let place = self.folder.join(&*names);
        let is_special = |place: &Path| fs::metadata(place).is_ok_and(|found| !found.is_file() && !found.is_dir());
        is_special(&place) || is_special(&place.join("index.html"))
    }

    /// Answers every path with the file of this name, and that of a folder with its `index.html`.
    pub fn router(self) -> Router {
        let files = ServeDir::new(&self.folder).with_buf_chunk_size(CHUNK_BYTES);
        let site = Arc::new(self);
        Router::new().fallback(async move |request: Request| {
            let path = request.uri().path().to_owned();
            let mut response = match site.is_special(&path) {
                true => StatusCode::NOT_FOUND.into_response(),
                false => serve_file(files, request).await,
            };
            site.add_headers(&path, &mut response);
            response
        })
    }
}
