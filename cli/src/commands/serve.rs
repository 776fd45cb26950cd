//! `plyfold serve`: shows a folder of a site on this machine, with the headers that its file `_headers` names and with ranges.
//!
//! It is for looking at a published folder before it goes to a host. No other part of the program uses the network.

use std::future;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use plyfold_serve::listen::{self, ServerLimits};
use plyfold_serve::{ServedSite, UnsuitableSite};
use plyfold_terminal::{interrupt, output};
use tokio::net::TcpListener;

use crate::failure::{CliFailure, Result};

/// The port that is tried first if none is named.
const FIRST_PORT: u16 = 8380;

/// The most connections at a time.
const MAX_CONNECTIONS: usize = 512;

/// How long a connection may be silent.
const TIMEOUT: Duration = Duration::from_secs(60);

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
    let unsuitable = |site: UnsuitableSite| CliFailure::unsuitable(site.path, site.what);
    let router = ServedSite::open(&arguments.folder).map_err(unsuitable)?.router();
    let failed = |error: io::Error| CliFailure::Other(format!("the folder cannot be served: {error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let listener = listener(arguments)?;
        let address = listener.local_addr().map_err(failed)?;
        interrupt::expect();
        output::print::<CliFailure>(|out| Ok(writeln!(out, "http://{address}/ (Ctrl-C ends it)")?))?;
        let limits = ServerLimits {
            connections: MAX_CONNECTIONS,
            connections_per_client: MAX_CONNECTIONS,
            proxies: Vec::new(),
            timeout: TIMEOUT,
        };
        listen::serve(listener, router, limits, future::pending()).await;
        Ok(())
    })
}

fn listener(arguments: &Arguments) -> Result<TcpListener> {
    let listen = |port| listen::listener(SocketAddr::new(arguments.host, port));
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
