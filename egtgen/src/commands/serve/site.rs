//! `/`: the built site, with the headers of its file `_headers`, which its page needs for threads.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use super::files;
use super::http_error::HttpError;
use super::routes::ServiceState;

/// Answers every path without a route of its own.
///
/// # Errors
///
/// There is no such file, or no site.
pub async fn get(State(service): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let Some(site) = &service.site else {
        return Err(HttpError::not_found(
            "there is nothing here; /openapi.json lists the paths, and --site DIR adds a site",
        ));
    };
    let path = request.uri().path().to_owned();
    let file = files::find_file(site.folder(), &path).await.ok_or_else(files::file_not_found)?;
    let mut response = files::serve_file(request, &file).await?;
    site.add_headers(&path, &mut response);
    Ok(response)
}
