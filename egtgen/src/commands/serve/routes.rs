//! The routes, and what applies to every request: a deadline, a log line, limits, and allowed origins.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT_RANGES, CONTENT_RANGE, CONTENT_TYPE, ETAG, RANGE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, Method};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use plyfold_serve::ServedSite;
use plyfold_serve::connection::ClientConnection;
use plyfold_serve::log::{RequestLog, RequestRecord};
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tower_http::cors::{Any, CorsLayer};

use super::host::AllowedHosts;
use super::http_error::HttpError;
use super::memory_budget::MemoryBudget;
use super::tables::ServedTables;
use super::{detect, files, tablebase, tables, transform};

/// The description of the interface, as OpenAPI 3.1.
const DESCRIPTION: &str = include_str!("openapi.json");

/// The state that requests share.
pub struct ServiceState {
    pub tables: Option<ServedTables>,
    pub site: Option<ServedSite>,
    /// Limits the number of long tasks at a time.
    pub blocking_permits: Arc<Semaphore>,
    /// Limits the number of tasks that read tables at a time.
    pub table_read_permits: Arc<Semaphore>,
    /// The memory of large bodies and responses.
    pub memory: MemoryBudget,
    /// How long a body may take to arrive. The request may take twice as long in all.
    pub timeout: Duration,
    pub log: Arc<RequestLog>,
    /// The host names that requests may be addressed to.
    pub hosts: AllowedHosts,
}

impl ServiceState {
    /// A JSON response. Its memory is counted if it is large.
    ///
    /// # Errors
    ///
    /// There is no memory for the response.
    pub async fn json(&self, answer: &impl Serialize) -> Result<Response, HttpError> {
        let bytes = serde_json::to_vec(answer).map_err(|error| HttpError::service_unavailable(error.to_string()))?;
        let held = self.memory.acquire(bytes.len()).await?;
        Ok(([(CONTENT_TYPE, "application/json")], Body::from(held.bytes(bytes))).into_response())
    }
}

/// Runs a task that is long or waits for a disk on a thread of its own, once one of the permits is free. It runs to its end even if the
/// client leaves, and counts until then.
///
/// # Errors
///
/// The task panicked.
pub async fn run_with_permit<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, HttpError> {
    let turn = Arc::clone(permits).acquire_owned().await;
    let done = spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    });
    done.await.map_err(|_| HttpError::service_unavailable("the response was cut off"))
}

/// All routes.
pub fn router(service: Arc<ServiceState>, origins: &[HeaderValue]) -> Router {
    let tablebase = Router::new()
        // Some clients, such as berserk, add these paths to the address that they are given, others also `/tablebase`.
        .route("/standard", get(tablebase::get))
        .route("/standard/mainline", get(tablebase::main_line))
        .route("/tablebase", get(tablebase::get))
        .route("/tablebase/standard", get(tablebase::get))
        .route("/tablebase/mainline", get(tablebase::main_line))
        .route("/tablebase/standard/mainline", get(tablebase::main_line))
        .method_not_allowed_fallback(only_get)
        // Results of positions are not secret, and pages that use Lichess's tablebase expect to be allowed.
        .layer(CorsLayer::new().allow_origin(Any).allow_methods([Method::GET, Method::HEAD]));
    let mut others = Router::new()
        .route("/health", get(health))
        .route("/openapi.json", get(description))
        .route("/tables", get(tables::list))
        .route("/tables/", get(tables::list))
        .route("/tables/{*file}", get(tables::file))
        .method_not_allowed_fallback(only_get)
        .merge(
            Router::new()
                .route("/transform", get(transform::get).post(transform::post))
                .route("/detect", get(detect::get).post(detect::post))
                .method_not_allowed_fallback(get_or_post),
        );
    if !origins.is_empty() {
        let allowed = CorsLayer::new()
            .allow_methods([Method::GET, Method::HEAD, Method::POST])
            .allow_headers([CONTENT_TYPE, RANGE])
            .expose_headers([ETAG, CONTENT_RANGE, ACCEPT_RANGES]);
        let is_any = origins.iter().any(|origin| origin == "*");
        others = others.layer(if is_any { allowed.allow_origin(Any) } else { allowed.allow_origin(origins.to_vec()) });
    }
    tablebase
        .merge(others)
        .fallback(files::site)
        .layer(from_fn_with_state(Arc::clone(&service), wrap_request))
        .with_state(service)
}

/// Wraps every request.
async fn wrap_request(State(service): State<Arc<ServiceState>>, request: Request, next: Next) -> Response {
    let account = RequestRecord::begin(&service.log, request.method(), request.uri().path());
    let link = request.extensions().get::<Arc<ClientConnection>>().cloned();
    let local = link.as_ref().and_then(|link| link.local);
    let is_ours = service.hosts.check(request.version(), request.uri(), request.headers(), local);
    let mut response = match is_ours {
        // The deadline is for the beginning of the response. Sending it is limited by the client's progress.
        Ok(()) => timeout(2 * service.timeout, next.run(request)).await.unwrap_or_else(|_| {
            HttpError::service_unavailable("the response takes too long; try again").into_response()
        }),
        Err(refusal) => refusal.into_response(),
    };
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(link) = link {
        account.follow(&response, &link);
    }
    response
}

async fn only_get() -> HttpError {
    HttpError::method_not_allowed("GET, HEAD")
}

async fn get_or_post() -> HttpError {
    HttpError::method_not_allowed("GET, HEAD, POST")
}

/// Reports that the service runs, and what it offers.
#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
    /// Whether there is a folder of egtgen's tables.
    tables: bool,
    syzygy: bool,
    site: bool,
}

async fn health(State(service): State<Arc<ServiceState>>) -> Json<Health> {
    let version = env!("CARGO_PKG_VERSION");
    let tables = service.tables.as_ref();
    Json(Health {
        status: "ok",
        version,
        tables: tables.is_some_and(|tables| tables.own.is_some()),
        syzygy: tables.is_some_and(ServedTables::has_syzygy),
        site: service.site.is_some(),
    })
}

async fn description() -> Response {
    ([(CONTENT_TYPE, "application/json")], DESCRIPTION).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_description_has_every_route() {
        let text = include_str!("routes.rs");
        let parts = text.split(".route(\"").skip(1).filter_map(|rest| rest.split_once('"'));
        // A file of a table is requested by its name.
        let routes: BTreeSet<String> =
            parts.map(|(path, _)| path.replace("{*file}", "{file}")).filter(|path| path.starts_with('/')).collect();
        let described: serde_json::Value = serde_json::from_str(DESCRIPTION).expect("JSON");
        let paths = described["paths"].as_object().expect("paths").keys().filter(|path| *path != "/{path}").cloned();
        assert_eq!(paths.collect::<BTreeSet<String>>(), routes);
        assert_eq!(described["info"]["version"], env!("CARGO_PKG_VERSION"));
    }
}
