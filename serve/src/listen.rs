//! Accepts connections, limits their number and their waiting times, and closes them when the service ends.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::connection::{ClientConnection, CutReason, WriteTimeoutStream};
use crate::peers::ConnectionCounts;

/// The most bytes of a request's head: its first line and all headers.
const MAX_HEAD_BYTES: usize = 12 << 10;
/// The most headers of a request.
const MAX_HEADERS: usize = 64;
/// The size of a connection's read buffer, into which a head must fit. Hyper also reads a body ahead until it holds as much.
const READ_BUFFER_BYTES: usize = 14 << 10;
/// The size of the system's send buffer for a client; Linux doubles it. A larger buffer would hide for longer that a client reads
/// slowly or not at all; a smaller one would slow down distant clients.
const SEND_BUFFER_BYTES: u32 = 128 << 10;
/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;
/// How many surplus clients at a time receive the error 503; further ones are closed without it.
const MAX_REFUSALS_AT_ONCE: usize = 32;
/// How long sending that error may take.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);
/// How long to wait when the system has no room for further connections.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

const TOO_MANY_CONNECTIONS: &str = "{\"error\":\"there are too many connections; try again later\"}";
const TOO_MANY_FROM_CLIENT: &str = "{\"error\":\"your address has too many connections; close one and try again\"}";

/// The limits of connections.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// The most connections at a time.
    pub connections: usize,
    /// The most connections of one client.
    pub connections_per_client: usize,
    /// Addresses of proxies, which have no limit of their own.
    pub proxies: Vec<IpAddr>,
    /// How long the head of a request may take to arrive, including the time since the last response; how long a client may read
    /// nothing of a response; and how long responses may take once the service ends.
    pub timeout: Duration,
}

/// Listens at an address.
///
/// # Errors
///
/// The system refuses.
pub fn listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // As tokio does: a restarted service gets its address at once.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit it.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop`, then completes the running requests.
pub async fn serve(listener: TcpListener, router: Router, limits: ServerLimits, stop: impl Future<Output = ()>) {
    let mut stop = pin!(stop);
    let peers = Arc::new(ConnectionCounts::new(limits.connections_per_client, &limits.proxies));
    let http = http_settings(limits.timeout);
    let (room, telling) =
        (Arc::new(Semaphore::new(limits.connections)), Arc::new(Semaphore::new(MAX_REFUSALS_AT_ONCE)));
    let running = GracefulShutdown::new();
    let (mut connections, is_over) = (JoinSet::new(), Arc::new(AtomicBool::new(false)));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_connection_error(&error) => continue,
            Err(_) => {
                sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        while connections.try_join_next().is_some() {}
        let (place, own) = (Arc::clone(&room).try_acquire_owned().ok(), peers.try_acquire(address.ip()));
        let why = if own.is_none() { TOO_MANY_FROM_CLIENT } else { TOO_MANY_CONNECTIONS };
        let (Some(place), Some(own)) = (place, own) else {
            if let Ok(turn) = Arc::clone(&telling).try_acquire_owned() {
                tokio::spawn(async move {
                    // The client may not read the error.
                    let _ = timeout(REFUSAL_TIMEOUT, refuse_connection(stream, why)).await;
                    drop(turn);
                });
            }
            continue;
        };
        // Without it responses may wait for an acknowledgement of the client, which would only be slower.
        let _ = stream.set_nodelay(true);
        let link = Arc::new(ClientConnection::new(stream.local_addr().ok().map(|local| local.ip()), &is_over));
        let stream = WriteTimeoutStream::new(stream, Arc::clone(&link), limits.timeout);
        let service = TowerToHyperService::new(router.clone());
        let own_link = Arc::clone(&link);
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Arc::clone(&own_link));
            service.call(request)
        });
        let connection = running.watch(http.serve_connection(TokioIo::new(stream), service));
        connections.spawn(async move {
            let mut connection = pin!(connection);
            // A connection that its client breaks is not a failure of the service; a body that cannot be read is one.
            if connection.as_mut().await.is_err_and(|error| error.is_user()) {
                link.close_with(CutReason::Fault);
            }
            drop((place, own));
        });
    }
    drop(listener);
    // Clients that have not read their responses by then are cut off.
    let _ = timeout(limits.timeout, running.shutdown()).await;
    is_over.store(true, Ordering::Relaxed);
    // The responses that are cut off are logged before the service ends.
    connections.shutdown().await;
}

fn http_settings(timeout: Duration) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(timeout)
        .max_header_size(MAX_HEAD_BYTES)
        .max_buf_size(READ_BUFFER_BYTES)
        .max_headers(MAX_HEADERS);
    http
}

/// Whether accepting failed because of this client, and not because the system has no room.
fn is_connection_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Answers that there are too many connections.
async fn refuse_connection(mut stream: TcpStream, why: &str) -> io::Result<()> {
    let head =
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close";
    let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{why}", why.len());
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // If the request is left unread, the system may discard the response.
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}
