//! Connections: how many at a time, how long they may keep us waiting, and how they end.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

/// Most bytes of a request's head: its first line and all headers.
const MOST_OF_HEAD: usize = 16 << 10;
/// Most headers of a request.
const MOST_HEADERS: usize = 64;
/// So many clients are told at a time that there are too many; more are not even told.
const TOLD: usize = 32;
/// How long telling one of them may take.
const TELLING: Duration = Duration::from_secs(1);
/// How long to wait where the system has no more room for connections.
const BREATH: Duration = Duration::from_millis(100);

const TOO_MANY: &str = "{\"error\":\"too many are here; come again\"}";

/// What is allowed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at a time.
    pub connections: usize,
    /// How long the head of a request may take to arrive, the time since the last answer included; how long a client may take
    /// nothing of an answer; and how long answers may take once we are to stop.
    pub patience: Duration,
}

/// Answers until `stop`, then what runs, and no more.
pub async fn answer(listener: TcpListener, router: Router, limits: Limits, stop: Arc<Notify>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.patience)
        .max_header_size(MOST_OF_HEAD)
        .max_buf_size(4 * MOST_OF_HEAD)
        .max_headers(MOST_HEADERS);
    let (room, telling) = (Arc::new(Semaphore::new(limits.connections)), Arc::new(Semaphore::new(TOLD)));
    let running = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.notified() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) if is_of_one(&error) => continue,
            Err(_) => {
                sleep(BREATH).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
            if let Ok(turn) = Arc::clone(&telling).try_acquire_owned() {
                tokio::spawn(async move {
                    // One that does not listen is not told.
                    let _ = timeout(TELLING, turn_away(stream)).await;
                    drop(turn);
                });
            }
            continue;
        };
        // Without it answers wait for the client's acknowledgement; slower is all that it would be.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.patience));
        let connection =
            http.serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router.clone()));
        let connection = running.watch(connection);
        tokio::spawn(async move {
            // What a client does to its connection is its own affair.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    // Whoever has not taken its answer by then has had its time.
    let _ = timeout(limits.patience, running.shutdown()).await;
}

/// Whether accepting failed because of the one that came, and not for want of room.
fn is_of_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Says that there are too many.
async fn turn_away(mut stream: TcpStream) -> io::Result<()> {
    let head =
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close";
    let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{TOO_MANY}", TOO_MANY.len());
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // An answer gets lost where what was sent to us is left unread.
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}
