//! A connection that counts what its client takes, and ends when the client takes nothing for too long.
//!
//! Progress is any byte that the system takes from us. How much of that the client has taken is not seen, so the system is asked
//! for a small buffer (see `listen`): then it takes new bytes as soon as the client has taken some tens of KiB.

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

use super::log::Account;

/// Why an answer did not reach its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cut {
    /// The client took nothing for too long.
    Slow,
    /// The client left.
    Left,
    /// We could not go on: a file that cannot be read any more.
    Fault,
    /// The service ended.
    Ended,
}

impl Cut {
    /// As it stands in the log.
    pub fn name(self) -> &'static str {
        match self {
            Cut::Slow => "slow",
            Cut::Left => "left",
            Cut::Fault => "fault",
            Cut::Ended => "ended",
        }
    }
}

/// What is known of a connection, shared by the stream and the answers that go over it.
#[derive(Default)]
pub struct Link {
    /// Our address on it.
    pub local: Option<IpAddr>,
    /// Whether the service ends, and connections with it.
    is_over: Arc<AtomicBool>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes that the system has taken.
    written: u64,
    /// Whether the head of an answer is written next.
    is_head_next: bool,
    /// Where the body of the last answer begins.
    body: u64,
    /// Answers that are ready as a whole and have not left as a whole.
    leaving: Vec<Account>,
    /// Why the connection cannot go on.
    end: Option<Cut>,
}

impl Link {
    pub fn new(local: Option<IpAddr>, is_over: &Arc<AtomicBool>) -> Link {
        Link { local, is_over: Arc::clone(is_over), state: Mutex::default() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer begins.
    pub fn begin(&self) {
        let state = &mut *self.state();
        state.is_head_next = true;
        // Until its head is seen, nothing of its body has left.
        state.body = u64::MAX;
    }

    /// The whole answer is ready; its line is written when it has left.
    pub fn ready(&self, account: Account) {
        self.state().leaving.push(account);
    }

    /// The answer ends before all of it was ready.
    pub fn broken(&self, account: Account, cut: Option<Cut>) {
        let otherwise = if self.is_over.load(Ordering::Relaxed) { Cut::Ended } else { Cut::Left };
        let (cut, bytes) = {
            let state = self.state();
            (state.end.or(cut).unwrap_or(otherwise), state.written.saturating_sub(state.body))
        };
        account.end(Some((cut, bytes)));
    }

    /// Notes why the connection ends, if nothing else was the cause.
    pub fn end(&self, cut: Cut) {
        self.state().end.get_or_insert(cut);
    }

    /// Bytes have left: the first `written` of `bytes` and what comes after them.
    fn written(&self, bytes: &[u8], written: usize) {
        let state = &mut *self.state();
        if state.is_head_next
            && let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n")
        {
            state.is_head_next = false;
            state.body = state.written + end as u64 + 4;
        }
        state.written += written as u64;
    }

    /// Takes the answers that are ready. The state is free again when this returns: a guard in the head of a loop would
    /// be held until the loop ends.
    fn take_leaving(&self) -> Vec<Account> {
        std::mem::take(&mut self.state().leaving)
    }

    /// All that was ready has left.
    fn flushed(&self) {
        for account in self.take_leaving() {
            account.end(None);
        }
    }

    /// The connection is gone.
    fn closed(&self) {
        for account in self.take_leaving() {
            self.broken(account, None);
        }
    }
}

/// A stream whose client must take something from time to time.
pub struct Paced<S> {
    stream: S,
    link: Arc<Link>,
    patience: Duration,
    /// Rings when patience ends.
    alarm: Option<Pin<Box<Sleep>>>,
    /// Whether we wait for the client.
    is_waiting: bool,
}

impl<S> Paced<S> {
    pub fn new(stream: S, link: Arc<Link>, patience: Duration) -> Paced<S> {
        Paced { stream, link, patience, alarm: None, is_waiting: false }
    }

    /// Watches how long a try to write has been in vain.
    fn wait<T>(&mut self, context: &mut Context<'_>, tried: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match tried {
            Poll::Ready(Ok(done)) => {
                self.is_waiting = false;
                Poll::Ready(Ok(done))
            }
            Poll::Ready(Err(error)) => {
                self.link.end(Cut::Left);
                Poll::Ready(Err(error))
            }
            Poll::Pending => {
                let patience = self.patience;
                let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(patience)));
                if !self.is_waiting {
                    alarm.as_mut().reset(Instant::now() + patience);
                    self.is_waiting = true;
                }
                ready!(alarm.as_mut().poll(context));
                self.link.end(Cut::Slow);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<S> Drop for Paced<S> {
    fn drop(&mut self) {
        self.link.closed();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        let written = ready!(self.wait(context, tried))?;
        self.link.written(bytes, written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        let written = ready!(self.wait(context, tried))?;
        self.link.written(slices.first().map_or(&[], |first| first), written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called by hyper when it has nothing left to write.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_flush(context);
        ready!(self.wait(context, tried))?;
        self.link.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_shutdown(context);
        self.wait(context, tried)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use axum::http::Method;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time;

    use super::super::log::{Form, Log};
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    /// The clock stands still but for what is waited for.
    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(test);
    }

    #[test]
    fn a_client_that_takes_anything_is_waited_for() {
        run(async {
            let (ours, mut theirs) = duplex(64);
            let link = Arc::new(Link::default());
            let mut paced = Paced::new(ours, Arc::clone(&link), PATIENCE);
            // One write that takes 64 times as long as patience lasts.
            let sent = vec![7; 128];
            let reader = async {
                for _ in 0..sent.len() {
                    time::sleep(PATIENCE - Duration::from_millis(1)).await;
                    assert_eq!(theirs.read_u8().await.expect("a byte"), 7);
                }
            };
            let (written, ()) = tokio::join!(paced.write_all(&sent), reader);
            written.expect("each byte counts");
            assert_eq!(link.state().written, 128);
            assert_eq!(link.state().end, None);
        });
    }

    #[test]
    fn a_client_that_leaves_with_an_answer_on_the_way_is_closed() {
        let log = Arc::new(Log::start(Form::None).expect("no thread is asked for"));
        let link = Arc::new(Link::default());
        link.ready(Account::begin(&log, &Method::GET, "/"));
        let paced = Paced::new((), Arc::clone(&link), PATIENCE);
        let (closed, is_closed) = mpsc::channel();
        let closing = thread::spawn(move || {
            drop(paced);
            closed.send(()).expect("somebody waits");
        });
        // A lock that is taken twice is waited for without end; a minute is long enough to say so.
        is_closed.recv_timeout(Duration::from_secs(60)).expect("it is closed");
        closing.join().expect("no panic");
        assert!(link.state().leaving.is_empty());
    }

    #[test]
    fn a_client_that_takes_nothing_is_cut() {
        run(async {
            let (ours, mut theirs) = duplex(64);
            let link = Arc::new(Link::default());
            let mut paced = Paced::new(ours, Arc::clone(&link), PATIENCE);
            let start = Instant::now();
            let reader = async {
                time::sleep(PATIENCE / 2).await;
                theirs.read_u8().await.expect("a byte");
                // And no more, with the connection held open.
                time::sleep(100 * PATIENCE).await;
            };
            let writing = async {
                let error = paced.write_all(&[7; 1000]).await.expect_err("nobody takes it");
                assert_eq!(error.kind(), io::ErrorKind::TimedOut);
                assert_eq!(start.elapsed(), PATIENCE / 2 + PATIENCE);
            };
            tokio::join!(reader, writing);
            assert_eq!(link.state().written, 65);
            assert_eq!(link.state().end, Some(Cut::Slow));
        });
    }
}
