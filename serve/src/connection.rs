//! A connection that counts the bytes its client reads, and closes if the client reads nothing for too long.
//!
//! Progress is any byte that the system accepts from this program. The program cannot see how many of these the client has
//! read, so it asks the system for a small buffer (see `listen`). Then the system accepts new bytes as soon as the client has read
//! some tens of KiB.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use serde::Serialize;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::log::RequestRecord;

/// Why a response was not completed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CutReason {
    /// The client read nothing for too long.
    Slow,
    /// The client left.
    Left,
    /// The service failed, for instance because a file could not be read any more.
    Fault,
    /// The service ended.
    Ended,
}

impl CutReason {
    /// The word for the log.
    pub fn name(self) -> &'static str {
        match self {
            CutReason::Slow => "slow",
            CutReason::Left => "left",
            CutReason::Fault => "fault",
            CutReason::Ended => "ended",
        }
    }
}

/// What ends the head of a response.
const HEAD_END: &[u8; 4] = b"\r\n\r\n";

/// The state of a connection, shared by its stream and its responses.
#[derive(Default)]
pub struct ClientConnection {
    /// The address of this service on the connection.
    pub local: Option<IpAddr>,
    /// Whether the service is ending.
    is_shutting_down: Arc<AtomicBool>,
    state: Mutex<ConnectionState>,
}

#[derive(Default)]
struct ConnectionState {
    /// Responses that are not completely sent, the next one first, and the length of the body of each, if it is known.
    unsent: VecDeque<(RequestRecord, Option<u64>)>,
    /// How many of the four bytes that end the head of the next response have been sent.
    head_end: usize,
    /// Why the connection cannot go on.
    end: Option<CutReason>,
}

impl ClientConnection {
    pub(crate) fn new(local: Option<IpAddr>, is_over: &Arc<AtomicBool>) -> ClientConnection {
        ClientConnection { local, is_shutting_down: Arc::clone(is_over), state: Mutex::default() }
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a response, whose line is logged when it has been sent.
    pub(crate) fn await_sent(&self, record: RequestRecord, length: Option<u64>) {
        self.lock_state().unsent.push_back((record, length));
    }

    /// Notes why the connection closes, unless a cause is known.
    pub(crate) fn close_with(&self, cut: CutReason) {
        self.lock_state().end.get_or_insert(cut);
    }

    /// Notes that the first `written` bytes of `slices` were sent.
    fn record_written(&self, slices: &[IoSlice<'_>], mut written: usize) {
        let state = &mut *self.lock_state();
        for slice in slices {
            let mut sent = &slice[..written.min(slice.len())];
            written -= sent.len();
            while !sent.is_empty()
                && let Some((record, length)) = state.unsent.front_mut()
            {
                if state.head_end < HEAD_END.len() {
                    let end = sent.iter().position(|byte| {
                        let is_next = *byte == HEAD_END[state.head_end];
                        state.head_end = if is_next { state.head_end + 1 } else { usize::from(*byte == b'\r') };
                        state.head_end == HEAD_END.len()
                    });
                    let Some(end) = end else { break };
                    sent = &sent[end + 1..];
                }
                let missing = length.map_or(u64::MAX, |length| length - record.bytes);
                let (body, rest) = sent.split_at(missing.min(sent.len() as u64) as usize);
                record.bytes += body.len() as u64;
                sent = rest;
                if Some(record.bytes) == *length {
                    state.unsent.pop_front();
                    state.head_end = 0;
                }
            }
        }
    }

    /// Notes that the connection has closed.
    fn record_close(&self) {
        let otherwise = if self.is_shutting_down.load(Ordering::Relaxed) { CutReason::Ended } else { CutReason::Left };
        let state = &mut *self.lock_state();
        for (record, _) in &mut state.unsent {
            record.cut = Some(state.end.unwrap_or(otherwise));
        }
        state.unsent.clear();
    }
}

/// A stream whose client must read something from time to time.
pub(crate) struct WriteTimeoutStream<S> {
    stream: S,
    link: Arc<ClientConnection>,
    timeout: Duration,
    /// Fires when the time limit is reached.
    alarm: Option<Pin<Box<Sleep>>>,
    /// Whether a write waits for the client.
    is_waiting: bool,
}

impl<S> WriteTimeoutStream<S> {
    pub fn new(stream: S, link: Arc<ClientConnection>, timeout: Duration) -> WriteTimeoutStream<S> {
        WriteTimeoutStream { stream, link, timeout, alarm: None, is_waiting: false }
    }

    /// Checks how long a write has made no progress.
    fn check_timeout<T>(&mut self, context: &mut Context<'_>, attempt: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match attempt {
            Poll::Ready(Ok(done)) => {
                self.is_waiting = false;
                Poll::Ready(Ok(done))
            }
            Poll::Ready(Err(error)) => {
                self.link.close_with(CutReason::Left);
                Poll::Ready(Err(error))
            }
            Poll::Pending => {
                let patience = self.timeout;
                let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(patience)));
                if !self.is_waiting {
                    alarm.as_mut().reset(Instant::now() + patience);
                    self.is_waiting = true;
                }
                ready!(alarm.as_mut().poll(context));
                self.link.close_with(CutReason::Slow);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<S> Drop for WriteTimeoutStream<S> {
    fn drop(&mut self) {
        self.link.record_close();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeoutStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        let written = ready!(self.check_timeout(context, tried))?;
        self.link.record_written(&[IoSlice::new(bytes)], written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        let written = ready!(self.check_timeout(context, tried))?;
        self.link.record_written(slices, written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_flush(context);
        self.check_timeout(context, tried)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check_timeout(context, tried)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use axum::http::Method;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time;

    use super::*;
    use crate::log::RequestLog;

    const PATIENCE: Duration = Duration::from_secs(10);

    /// The clock of the test advances only while the test waits.
    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(test);
    }

    #[test]
    fn a_client_that_takes_anything_is_waited_for() {
        run(async {
            let (ours, mut theirs) = duplex(64);
            let link = Arc::new(ClientConnection::default());
            let mut paced = WriteTimeoutStream::new(ours, Arc::clone(&link), PATIENCE);
            // One write takes 64 times the time limit.
            let sent = vec![7; 128];
            let reader = async {
                for _ in 0..sent.len() {
                    time::sleep(PATIENCE - Duration::from_millis(1)).await;
                    assert_eq!(theirs.read_u8().await.expect("a byte"), 7);
                }
            };
            let (written, ()) = tokio::join!(paced.write_all(&sent), reader);
            written.expect("each byte counts");
            assert_eq!(link.lock_state().end, None);
        });
    }

    #[test]
    fn bytes_of_bodies_are_counted_after_their_heads() {
        let (log, link) = (Arc::new(RequestLog::default()), ClientConnection::default());
        for length in [3, 0, 9] {
            link.await_sent(RequestRecord::begin(&log, &Method::GET, "/"), Some(length));
        }
        let next = |sent: &[&[u8]], written| {
            let slices: Vec<IoSlice<'_>> = sent.iter().map(|slice| IoSlice::new(slice)).collect();
            link.record_written(&slices, written);
            let state = link.lock_state();
            (state.unsent.len(), state.unsent.front().map_or(0, |(record, _)| record.bytes))
        };
        assert_eq!(next(&[b"HTTP/1.1 200 OK\r\na: b\r\n\r\nabc"], 24), (3, 0));
        assert_eq!(next(&[b"\na", b"bc"], 3), (3, 2));
        let heads = b"HTTP/1.1 304 Not Modified\r\n\r\nHTTP/1.1 200 OK\r\n\r\r\n\r\n";
        assert_eq!(next(&[b"c", heads, b"12345"], 1 + heads.len() + 4), (1, 4));
        assert_eq!(next(&[b"56789"], 5), (0, 0));
        // What hyper sends by itself has no line.
        assert_eq!(next(&[b"HTTP/1.1 400 Bad Request\r\n\r\n"], 28), (0, 0));
    }

    #[test]
    fn a_client_that_leaves_with_an_answer_on_the_way_is_closed() {
        let log = Arc::new(RequestLog::default());
        let link = Arc::new(ClientConnection::default());
        link.await_sent(RequestRecord::begin(&log, &Method::GET, "/"), Some(1));
        let paced = WriteTimeoutStream::new((), Arc::clone(&link), PATIENCE);
        let (closed, is_closed) = mpsc::channel();
        let closing = thread::spawn(move || {
            drop(paced);
            closed.send(()).expect("somebody waits");
        });
        // A lock that is taken twice would wait forever; the test fails after a minute.
        is_closed.recv_timeout(Duration::from_secs(60)).expect("it is closed");
        closing.join().expect("no panic");
        assert!(link.lock_state().unsent.is_empty());
    }

    #[test]
    fn a_client_that_takes_nothing_is_cut() {
        run(async {
            let (ours, mut theirs) = duplex(64);
            let link = Arc::new(ClientConnection::default());
            let mut paced = WriteTimeoutStream::new(ours, Arc::clone(&link), PATIENCE);
            let start = Instant::now();
            let reader = async {
                time::sleep(PATIENCE / 2).await;
                theirs.read_u8().await.expect("a byte");
                // No more arrives, although the connection stays open.
                time::sleep(100 * PATIENCE).await;
            };
            let writing = async {
                let error = paced.write_all(&[7; 1000]).await.expect_err("nobody takes it");
                assert_eq!(error.kind(), io::ErrorKind::TimedOut);
                assert_eq!(start.elapsed(), PATIENCE / 2 + PATIENCE);
            };
            tokio::join!(reader, writing);
            assert_eq!(link.lock_state().end, Some(CutReason::Slow));
        });
    }
}
