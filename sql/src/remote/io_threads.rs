//! Threads for requests, apart from those that compute: a scan that keeps all of its threads busy delays no answer.

use std::io;
use std::pin::Pin;
use std::sync::LazyLock;
use std::sync::mpsc::sync_channel;
use std::task::{Context, Poll};

use futures::FutureExt;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinError, JoinHandle};

/// A scan waits for the network most of the time.
const THREADS: usize = 2;

static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(THREADS).thread_name("plyfold-requests").enable_all().build()
});

/// Work on these threads, which ends when nobody waits for it any more.
struct Task<T>(JoinHandle<T>);

impl<T> Future for Task<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll_unpin(context)
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs work on these threads.
///
/// # Errors
///
/// Those of the work; the threads cannot be started, or one of them failed.
pub(crate) async fn run<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<io::Error> + Send + 'static,
{
    let runtime = RUNTIME.as_ref().map_err(cannot_start)?;
    Task(runtime.spawn(work)).await.map_err(io::Error::other)?
}

/// Runs work on these threads, and blocks the calling thread, which is none of them, until it is done.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn wait<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<io::Error> + Send + 'static,
{
    let runtime = RUNTIME.as_ref().map_err(cannot_start)?;
    let (sender, receiver) = sync_channel(1);
    // The receiver waits, so that sending cannot fail.
    runtime.spawn(async move { drop(sender.send(work.await)) });
    receiver.recv().map_err(io::Error::other)?
}

fn cannot_start(error: &io::Error) -> io::Error {
    io::Error::other(format!("cannot start threads for requests: {error}"))
}
