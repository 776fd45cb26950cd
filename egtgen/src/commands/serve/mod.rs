//! `egtgen serve`: serves transforms, tables and the built site over HTTP.
//!
//! - [`routes`]: the routes, and what applies to every request;
//! - [`request_input`]: parameters, bodies and formats; [`http_error`]: error responses;
//! - [`transform`], [`detect`], [`tablebase`], [`tables`]: the responses;
//! - [`files`]: a file of a folder, and nothing outside it; the built site;
//! - [`host`]: the host names that the service answers to;
//! - [`memory_budget`]: the memory of large bodies and responses.
//!
//! Connections, files and the log are those of [`plyfold_serve`]. No other part of the program uses HTTP or threads that wait for it.

mod detect;
mod files;
mod host;
mod http_error;
mod memory_budget;
mod request_input;
mod routes;
mod tablebase;
mod tables;
mod transform;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use plyfold_terminal::{interrupt, output};
use tokio::runtime;

use crate::cli::failure::{EgtgenFailure, Result};
use crate::cli::table_folder::TablebaseArguments;
use crate::cli::{arena, generation_arguments, size};
use host::AllowedHosts;
use memory_budget::MemoryBudget;
use plyfold_serve::listen::{self, ServerLimits};
use plyfold_serve::log::{LogFormat, RequestLog};
use plyfold_serve::{ServedSite, UnsuitableSite};
use routes::ServiceState;

/// The greatest number of connections.
const MAX_CONNECTIONS: usize = 65_536;

/// The number of threads that read files for downloads.
const FILE_THREADS: usize = 16;

/// By default a client may have this share of all connections, but never fewer than [`LEAST_OF_ONE`].
const CLIENT_CONNECTION_DIVISOR: usize = 8;
const MIN_CONNECTIONS_PER_CLIENT: usize = 16;

/// Serve transforms of positions, probes of tables, the tables themselves and the built site over HTTP.
///
/// /openapi.json describes the requests. The address is written to standard output as soon as the service answers; with
/// port 0 the system chooses a free port. Ctrl-C or SIGTERM ends the service: it finishes running requests, takes no new ones, and
/// exits with code 0.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    tables: TablebaseArguments,
    /// The folder of the built site, served at /.
    #[arg(long, value_name = "DIR")]
    site: Option<PathBuf>,
    /// Memory for tables: decoded tiles, directories and open tables. The service never uses more; it refuses a table that
    /// needs more and reports the size needed. The rest of the program takes about 32MiB more with the default
    /// --connections.
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = size::parse_size)]
    cache: u64,
    /// The address to listen at. An address other than this machine's own lets other machines connect.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8384")]
    listen: SocketAddr,
    /// Allow pages of this origin: scheme and host as browsers send it, or * for all; may be repeated. Pages of every origin
    /// may use /tablebase.
    #[arg(long, value_name = "ORIGIN", value_parser = parse_origin)]
    allow_origin: Vec<HeaderValue>,
    /// Also answer to this name: the host as clients write it, or * for any name; may be repeated. By default the service
    /// answers to localhost, 127.0.0.1, [::1] and the address at which a client reaches it, so a page whose host name was redirected
    /// to this address (DNS rebinding) can read nothing.
    #[arg(long, value_name = "NAME", value_parser = host::parse_host)]
    host: Vec<String>,
    /// Seconds allowed for a request to arrive, for a client to read nothing of its response, and for running requests at the end.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Maximum number of connections; further clients are asked to try again.
    #[arg(long, value_name = "NUMBER", default_value_t = 512, value_parser = parse_connections)]
    connections: usize,
    /// Maximum number of connections per client, that is, per IPv4 address or IPv6 /64 [default: an eighth of --connections, at
    /// least 16].
    #[arg(long, value_name = "NUMBER", value_parser = parse_connections)]
    connections_per_client: Option<usize>,
    /// The address of a proxy, which serves many clients and may use all --connections; may be repeated.
    #[arg(long, value_name = "ADDRESS")]
    proxy: Vec<IpAddr>,
    /// The log of requests on standard error.
    #[arg(long, value_enum, default_value_t = LogArgument::Json)]
    log: LogArgument,
}

/// How lines of the log are written.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum LogArgument {
    /// One object per line.
    Json,
    /// For people.
    Text,
    /// No log.
    None,
}

/// Runs the command.
///
/// # Errors
///
/// A folder does not exist, or the address cannot be used.
pub fn run(arguments: &Arguments) -> Result<()> {
    arena::return_freed_memory();
    let format = match arguments.log {
        LogArgument::Json => Some(LogFormat::Json),
        LogArgument::Text => Some(LogFormat::Text),
        LogArgument::None => None,
    };
    let log = Arc::new(RequestLog::start(format).map_err(failure("start a thread"))?);
    let patience = Duration::from_secs(arguments.timeout);
    let (cache, threads) = (arguments.cache as usize, generation_arguments::default_threads().max(2));
    let service = ServiceState {
        tables: arguments
            .tables
            .is_named()
            .then(|| tables::ServedTables::open(&arguments.tables, cache))
            .transpose()?,
        site: arguments.site.as_deref().map(ServedSite::open).transpose().map_err(unsuitable)?,
        blocking_permits: Arc::new(tokio::sync::Semaphore::new(2 * threads)),
        // One processor is left for requests that need no table or only cached ones.
        table_read_permits: Arc::new(tokio::sync::Semaphore::new(threads - 1)),
        memory: MemoryBudget::new(patience),
        timeout: patience,
        log: Arc::clone(&log),
        hosts: AllowedHosts::new(&arguments.host, arguments.listen.ip()),
    };
    let fair = (arguments.connections / CLIENT_CONNECTION_DIVISOR).max(MIN_CONNECTIONS_PER_CLIENT);
    let limits = ServerLimits {
        connections: arguments.connections,
        connections_per_client: arguments.connections_per_client.unwrap_or(fair),
        proxies: arguments.proxy.clone(),
        timeout: patience,
    };
    let router = routes::router(Arc::new(service), &arguments.allow_origin);

    let blocking = 3 * threads + FILE_THREADS;
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(blocking)
        .build()
        .map_err(failure("start threads"))?;
    let listener = runtime.block_on(async { listen::listener(arguments.listen) }).map_err(|error| {
        let what = "choose another with --listen; port 0 takes any free one";
        EgtgenFailure::Other(format!("{} cannot be opened: {error}; {what}", arguments.listen))
    })?;
    let address = listener.local_addr().map_err(failure("learn its address"))?;
    // From here on an interrupt ends the service in an orderly way.
    let _ = interrupt::stop_flag();
    output::print::<EgtgenFailure>(|out| Ok(writeln!(out, "listening on http://{address}")?))?;

    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let answering = runtime.spawn(listen::serve(listener, router, limits, async { drop(stopped.await) }));
    interrupt::wait_for_stop();
    drop(stop);
    let ended = runtime.block_on(answering);
    // Tasks that wait for a disk do not delay the end.
    runtime.shutdown_background();
    log.finish();
    ended.map_err(|error| EgtgenFailure::Other(format!("the service failed: {error}")))
}

fn unsuitable(site: UnsuitableSite) -> EgtgenFailure {
    EgtgenFailure::unsuitable(site.path, site.what)
}

fn failure(what: &str) -> impl Fn(std::io::Error) -> EgtgenFailure {
    move |error| EgtgenFailure::Other(format!("the system did not allow the service to {what}: {error}"))
}

fn parse_connections(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=MAX_CONNECTIONS).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from 1 to {MAX_CONNECTIONS}")),
    }
}

/// Reads an origin as browsers send it: scheme, host, and perhaps a port.
fn parse_origin(text: &str) -> std::result::Result<HeaderValue, String> {
    let is_origin = text.split_once("://").is_some_and(|(scheme, host)| {
        !scheme.is_empty() && !host.is_empty() && !host.contains(|sign: char| sign == '/' || sign.is_whitespace())
    });
    let value = HeaderValue::from_str(text).ok().filter(|_| is_origin || text == "*");
    value.ok_or_else(|| "expected an origin such as https://example.org, with nothing after the host; or *".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_have_no_path() {
        for right in ["*", "https://example.org", "http://127.0.0.1:8000"] {
            assert_eq!(parse_origin(right).expect(right), right);
        }
        for wrong in ["", "example.org", "https://", "https://example.org/", "https://a b", "https://a\nb", "://x"] {
            assert!(parse_origin(wrong).is_err(), "{wrong}");
        }
    }
}
