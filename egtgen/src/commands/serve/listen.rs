//! Connections: how many at a time, how long they may keep us waiting, and how they end.

use std::io;
use std::net::SocketAddr;
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
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::connection::{ClientConnection, WriteTimeoutStream};
use super::peers::ConnectionCounts;

/// Most bytes of a request's head: its first line and all headers.
const MAX_HEAD_BYTES: usize = 16 << 10;
/// Most headers of a request.
const MAX_HEADERS: usize = 64;
/// Bytes of a connection's buffer for reading. A head must fit.
const READ_BUFFER_BYTES: usize = 24 << 10;
/// Bytes that the system is asked to keep for a client; Linux takes twice as many. More would hide for longer that a client
/// takes its answer slowly, or not at all; fewer would slow down those who are far away.
const SEND_BUFFER_BYTES: u32 = 128 << 10;
/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;
/// So many clients are told at a time that there are too many; more are not even told.
const MAX_REFUSALS_AT_ONCE: usize = 32;
/// How long telling one of them may take.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);
/// How long to wait where the system has no more room for connections.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

const TOO_MANY_CONNECTIONS: &str = "{\"error\":\"there are too many connections; try again later\"}";
const TOO_MANY_FROM_CLIENT: &str = "{\"error\":\"your address has too many connections; close one and try again\"}";

/// What is allowed.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// Connections at a time.
    pub connections: usize,
    /// How long the head of a request may take to arrive, the time since the last answer included; how long a client may take
    /// nothing of an answer; and how long answers may take once we are to stop.
    pub timeout: Duration,
}

/// Listens at an address.
///
/// # Errors
///
/// As the system says.
pub fn listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // As tokio does it: a service that begins anew gets its address at once.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    // Connections inherit it.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Answers until `stop`, then what runs, and no more.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ServerLimits,
    peers: Arc<ConnectionCounts>,
    stop: Arc<Notify>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.timeout)
        .max_header_size(MAX_HEAD_BYTES)
        .max_buf_size(READ_BUFFER_BYTES)
        .max_headers(MAX_HEADERS);
    let (room, telling) =
        (Arc::new(Semaphore::new(limits.connections)), Arc::new(Semaphore::new(MAX_REFUSALS_AT_ONCE)));
    let running = GracefulShutdown::new();
    let (mut connections, is_over) = (JoinSet::new(), Arc::new(AtomicBool::new(false)));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.notified() => break,
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
                    // One that does not listen is not told.
                    let _ = timeout(REFUSAL_TIMEOUT, refuse_connection(stream, why)).await;
                    drop(turn);
                });
            }
            continue;
        };
        // Without it answers wait for the client's acknowledgement; slower is all that it would be.
        let _ = stream.set_nodelay(true);
        let link = Arc::new(ClientConnection::new(stream.local_addr().ok().map(|local| local.ip()), &is_over));
        let stream = WriteTimeoutStream::new(stream, Arc::clone(&link), limits.timeout);
        let service = TowerToHyperService::new(router.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Arc::clone(&link));
            service.call(request)
        });
        let connection = running.watch(http.serve_connection(TokioIo::new(stream), service));
        connections.spawn(async move {
            // What a client does to its connection is its own affair.
            let _ = connection.await;
            drop((place, own));
        });
    }
    drop(listener);
    // Whoever has not taken its answer by then has had its time.
    let _ = timeout(limits.timeout, running.shutdown()).await;
    is_over.store(true, Ordering::Relaxed);
    // What is cut now is in the log before we end.
    connections.shutdown().await;
}

/// Whether accepting failed because of the one that came, and not for want of room.
fn is_connection_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Says that there are too many.
async fn refuse_connection(mut stream: TcpStream, why: &str) -> io::Result<()> {
    let head =
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close";
    let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{why}", why.len());
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // An answer gets lost where what was sent to us is left unread.
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}
