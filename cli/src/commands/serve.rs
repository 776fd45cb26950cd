//! `plyfold serve`: shows a folder of a site on this machine, with the headers that its file `_headers` names and with ranges.
//!
//! It is for looking at a published folder before it goes to a host. No other part of the program uses the network.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use plyfold_files::open;
use tower::{ServiceExt, service_fn};
use tower_http::services::ServeDir;

use crate::failure::{CliFailure, Result};
use crate::site_headers::HeaderRules;
use crate::{interrupt, out};

/// The port that is tried first if none is named.
const FIRST_PORT: u16 = 8380;

/// Show a published folder on this machine.
///
/// The address is written to standard output as soon as the page can be opened; Ctrl-C ends it. Files are sent as a good host sends
/// them: with the headers of the folder's file _headers, and in parts if a part is asked for. A browser asks again for a file whose
/// headers say nothing of caches.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder, such as that of plyfold publish.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The port; 0 takes any free one [default: 8380, or any free one if that is taken].
    #[arg(long)]
    port: Option<u16>,
    /// The address to listen at. An address other than this machine's own lets other machines see the folder.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
}

/// Runs the command, until it is interrupted.
///
/// # Errors
///
/// The folder has no page, its headers cannot be read, or the address cannot be used.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = &arguments.folder;
    if !folder.join("index.html").is_file() {
        let what = "has no index.html: name a folder that `plyfold publish` has written, or a built site";
        return Err(CliFailure::UnsuitableFile(folder.clone(), what.into()));
    }
    let router = router(folder, headers_of(folder)?);
    let failed = |error: std::io::Error| CliFailure::Other(format!("the folder cannot be served: {error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_io().build().map_err(failed)?;
    let listener = listener(arguments)?;
    let address = listener.local_addr().map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    interrupt::expect();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        out::write(None, false, |out| Ok(writeln!(out, "http://{address}/ (Ctrl-C ends it)")?))?;
        axum::serve(listener, router).await.map_err(failed)
    })
}

fn listener(arguments: &Arguments) -> Result<TcpListener> {
    let listen = |port| TcpListener::bind(SocketAddr::new(arguments.host, port));
    let opened = match arguments.port {
        Some(port) => listen(port),
        None => listen(FIRST_PORT)
            .or_else(|error| if error.kind() == ErrorKind::AddrInUse { listen(0) } else { Err(error) }),
    };
    opened.map_err(|error| {
        let address = SocketAddr::new(arguments.host, arguments.port.unwrap_or(FIRST_PORT));
        CliFailure::Other(format!("{address} cannot be opened: {error}; choose another --port or --host"))
    })
}

/// The rules of the folder's file; a folder without one has none.
fn headers_of(folder: &Path) -> Result<HeaderRules> {
    let path = folder.join("_headers");
    let text = match open(&path).and_then(std::io::read_to_string) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(HeaderRules::default()),
        text => text.map_err(CliFailure::file(&path, "cannot be read"))?,
    };
    HeaderRules::read(&text).map_err(|(line, what)| CliFailure::UnsuitableFile(path, format!("line {line}: {what}")))
}

fn router(folder: &Path, headers: HeaderRules) -> Router {
    let files = ServeDir::new(folder);
    let serve = service_fn(move |request: Request| {
        let path = request.uri().path().to_owned();
        let headers = headers.of_path(&path);
        let files = files.clone();
        async move {
            let served = files.oneshot(request).await;
            let mut response = served
                .map_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response(), |served| served.map(Body::new));
            // Without a rule, a browser would decide by itself how long a page that is built again stays as it was.
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            for (name, value) in headers {
                add_header(&mut response, &name, &value);
            }
            Ok::<Response, Infallible>(response)
        }
    });
    Router::new().fallback_service(serve)
}

/// What is no header by the rules of HTTP is left out, as hosts do.
fn add_header(response: &mut Response, name: &str, value: &str) {
    let (name, value) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value));
    if let (Ok(name), Ok(value)) = (name, value) {
        response.headers_mut().insert(name, value);
    }
}
