//! `egtgen serve`: transforms, tables and the built site over HTTP.
//!
//! - [`routes`]: the routes, and what applies to every request;
//! - [`request_input`]: parameters, bodies and formats; [`http_error`]: error responses;
//! - [`transform`], [`detect`], [`tablebase`], [`tables`], [`site`]: the responses;
//! - [`files`]: a file of a folder, and nothing outside it;
//! - [`host`]: the host names that the service answers to;
//! - [`memory_budget`]: the memory of large bodies and responses;
//! - [`listen`]: the number and lifetime of connections; [`peers`]: the connections of one client; [`connection`]: clients that
//!   read nothing; [`log`]: a line for each request.
//!
//! No other part of the program uses HTTP or threads that wait for it.

mod connection;
mod detect;
mod files;
mod host;
mod http_error;
mod listen;
mod log;
mod memory_budget;
mod peers;
mod request_input;
mod routes;
mod site;
mod tablebase;
mod tables;
mod transform;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use tokio::runtime;

use crate::cli::failure::{EgtgenFailure, Result};
use crate::cli::table_folder::TableFolderArgument;
use crate::cli::{arena, generation_arguments, interrupt, out, size};
use host::AllowedHosts;
use listen::ServerLimits;
use log::{LogFormat, RequestLog};
use memory_budget::MemoryBudget;
use peers::ConnectionCounts;
use routes::ServiceState;

/// The greatest number of connections.
const MAX_CONNECTIONS: usize = 65_536;

/// The number of threads that read files for downloads.
const FILE_THREADS: usize = 16;

/// By default a client may have this share of all connections, but never fewer than [`LEAST_OF_ONE`].
const CLIENT_CONNECTION_DIVISOR: usize = 8;
const MIN_CONNECTIONS_PER_CLIENT: usize = 16;

/// Answer over HTTP: transforms of positions, probes of tables, the tables themselves, and the built site.
///
/// /openapi.json describes what can be asked. The address is written to standard output as soon as it can be asked; with
/// port 0 the system chooses a free one. Ctrl-C or SIGTERM ends the service: what runs is answered, nothing new is taken, and
/// the exit code is 0.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    folder: TableFolderArgument,
    /// The folder of the built site, to answer at /.
    #[arg(long, value_name = "DIR")]
    site: Option<PathBuf>,
    /// Memory for what is read of tables: decoded tiles, directories, tables that are open. Never more is taken; a table that
    /// needs more is refused, with the size that would do. All the rest of the program takes about 32MiB besides, with the usual
    /// --connections.
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = size::parse_size)]
    cache: u64,
    /// The address to listen at. Others than those of this machine let others ask.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8384")]
    listen: SocketAddr,
    /// Let pages of this origin ask: scheme and host, as browsers send it, or * for all; may be repeated. Whatever is said here,
    /// all may ask /tablebase.
    #[arg(long, value_name = "ORIGIN", value_parser = parse_origin)]
    allow_origin: Vec<HeaderValue>,
    /// Answer to this name as well: the host of our address as clients write it, or * for any name; may be repeated. Without it we
    /// answer to localhost, 127.0.0.1, [::1] and the address at which a client reaches us, so that a page whose name was made to
    /// lead here reads nothing.
    #[arg(long, value_name = "NAME", value_parser = host::parse_host)]
    host: Vec<String>,
    /// Seconds that a request may take to arrive, that a client may take none of its answer, and that what runs has to end.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Connections at a time; one more is told to come again.
    #[arg(long, value_name = "NUMBER", default_value_t = 512, value_parser = parse_connections)]
    connections: usize,
    /// Connections of one client at a time: of an IPv4 address, or of a /64 of IPv6. Without it an eighth of --connections, and
    /// at least 16.
    #[arg(long, value_name = "NUMBER", value_parser = parse_connections)]
    connections_per_client: Option<usize>,
    /// The address of a proxy before us, which speaks for many clients and may have any number of --connections; may be repeated.
    #[arg(long, value_name = "ADDRESS")]
    proxy: Vec<IpAddr>,
    /// A line for each request, on standard error.
    #[arg(long, value_enum, default_value_t = LogFormat::Json)]
    log: LogFormat,
}

/// Runs the command.
///
/// # Errors
///
/// A folder does not exist, or the address cannot be used.
pub fn run(arguments: &Arguments) -> Result<()> {
    arena::return_freed_memory();
    let log = Arc::new(RequestLog::start(arguments.log).map_err(failure("start a thread"))?);
    let patience = Duration::from_secs(arguments.timeout);
    let (cache, threads) = (arguments.cache as usize, generation_arguments::default_threads().max(2));
    let service = ServiceState {
        tables: arguments
            .folder
            .is_named()
            .then(|| tables::ServedTables::open(&arguments.folder, cache))
            .transpose()?,
        site: arguments.site.as_deref().map(site::site_folder).transpose()?,
        blocking_permits: Arc::new(tokio::sync::Semaphore::new(2 * threads)),
        // One processor is left for requests that need no table or only cached ones.
        table_read_permits: Arc::new(tokio::sync::Semaphore::new(threads - 1)),
        memory: MemoryBudget::new(patience),
        timeout: patience,
        log: Arc::clone(&log),
        hosts: AllowedHosts::new(&arguments.host, arguments.listen.ip()),
    };
    let limits = ServerLimits { connections: arguments.connections, timeout: service.timeout };
    let router = routes::router(Arc::new(service), &arguments.allow_origin);

    let blocking = 3 * threads + FILE_THREADS;
    let runtime = runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(blocking)
        .build()
        .map_err(failure("start threads"))?;
    let of_one = arguments
        .connections_per_client
        .unwrap_or((limits.connections / CLIENT_CONNECTION_DIVISOR).max(MIN_CONNECTIONS_PER_CLIENT));
    let peers = Arc::new(ConnectionCounts::new(of_one, &arguments.proxy));
    let listener = runtime.block_on(async { listen::listener(arguments.listen) }).map_err(|error| {
        let what = "choose another with --listen; port 0 takes any free one";
        EgtgenFailure::Other(format!("{} cannot be had: {error}; {what}", arguments.listen))
    })?;
    let address = listener.local_addr().map_err(failure("learn its address"))?;
    // From here on an interrupt ends the service in an orderly way.
    let _ = interrupt::stop_flag();
    out::write(|out| Ok(writeln!(out, "listening on http://{address}")?))?;

    let stop = Arc::new(tokio::sync::Notify::new());
    let answering = runtime.spawn(listen::serve(listener, router, limits, peers, Arc::clone(&stop)));
    interrupt::wait_for_stop();
    stop.notify_one();
    let ended = runtime.block_on(answering);
    // Tasks that wait for a disk do not delay the end.
    runtime.shutdown_background();
    log.finish();
    ended.map_err(|error| EgtgenFailure::Other(format!("the service broke off: {error}")))
}

fn failure(what: &str) -> impl Fn(std::io::Error) -> EgtgenFailure {
    move |error| EgtgenFailure::Other(format!("the system does not let us {what}: {error}"))
}

fn parse_connections(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=MAX_CONNECTIONS).contains(&number) => Ok(number),
        _ => Err(format!("a number from 1 to {MAX_CONNECTIONS} is wanted")),
    }
}

/// Reads an origin as browsers send it: scheme, host, and perhaps a port.
fn parse_origin(text: &str) -> std::result::Result<HeaderValue, String> {
    let is_origin = text.split_once("://").is_some_and(|(scheme, host)| {
        !scheme.is_empty() && !host.is_empty() && !host.contains(|sign: char| sign == '/' || sign.is_whitespace())
    });
    let value = HeaderValue::from_str(text).ok().filter(|_| is_origin || text == "*");
    value
        .ok_or_else(|| "an origin is wanted, such as https://example.org, with nothing after the host; or *".to_owned())
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
