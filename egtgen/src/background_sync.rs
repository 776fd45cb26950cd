//! Syncs a file that grows, on a thread of its own: what was written survives a power cut, and the writer does not wait.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A file is synced at most once in this time. So a table that takes less is synced once, when it is complete.
pub(crate) const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The thread that syncs a file. When this is dropped, what was requested is synced a last time.
#[derive(Debug)]
pub(crate) struct BackgroundSync {
    shared: Arc<(Mutex<SyncState>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct SyncState {
    is_requested: bool,
    has_ended: bool,
    failed: Option<io::Error>,
}

impl BackgroundSync {
    /// Starts the thread, which calls `sync` at most once in `interval`.
    pub fn start(interval: Duration, mut sync: impl FnMut() -> io::Result<()> + Send + 'static) -> BackgroundSync {
        let shared = Arc::new((Mutex::new(SyncState::default()), Condvar::new()));
        let own = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let mut state = lock(&own.0);
            loop {
                let paused = own.1.wait_timeout_while(state, interval, |state| !state.has_ended);
                state = paused.unwrap_or_else(PoisonError::into_inner).0;
                let is_idle = |state: &mut SyncState| !state.has_ended && !state.is_requested;
                state = own.1.wait_while(state, is_idle).unwrap_or_else(PoisonError::into_inner);
                if state.is_requested {
                    state.is_requested = false;
                    drop(state);
                    let synced = sync();
                    state = lock(&own.0);
                    state.failed = synced.err().or(state.failed.take());
                }
                if state.has_ended {
                    return;
                }
            }
        });
        BackgroundSync { shared, thread: Some(thread) }
    }

    /// Requests that what is written by now is synced, and does not wait for it.
    ///
    /// # Errors
    ///
    /// An earlier sync has failed.
    pub fn request(&self) -> io::Result<()> {
        let mut state = lock(&self.shared.0);
        state.is_requested = true;
        self.shared.1.notify_all();
        state.failed.take().map_or(Ok(()), Err)
    }

    /// Ends the thread without another sync, because the caller syncs the file itself.
    ///
    /// # Errors
    ///
    /// An earlier sync has failed.
    pub fn end(mut self) -> io::Result<()> {
        lock(&self.shared.0).is_requested = false;
        self.join();
        lock(&self.shared.0).failed.take().map_or(Ok(()), Err)
    }

    fn join(&mut self) {
        lock(&self.shared.0).has_ended = true;
        self.shared.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for BackgroundSync {
    fn drop(&mut self) {
        self.join();
    }
}

fn lock(state: &Mutex<SyncState>) -> MutexGuard<'_, SyncState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_writer_does_not_wait_for_a_sync() {
        let ((begun, has_begun), (go_on, may_go_on)) = (channel(), channel());
        let sync = BackgroundSync::start(Duration::ZERO, move || {
            begun.send(()).expect("the test waits");
            may_go_on.recv().map_err(io::Error::other)
        });
        sync.request().expect("nothing has failed");
        has_begun.recv().expect("it is synced");
        // The first sync has not ended, and these requests are one.
        (0..3).for_each(|_| sync.request().expect("nothing has failed"));
        go_on.send(()).expect("it waits");
        has_begun.recv().expect("it is synced again");
        go_on.send(()).expect("it waits");
        sync.end().expect("nothing has failed");
        assert!(has_begun.recv().is_err(), "nothing more is synced");
    }

    #[test]
    fn what_is_requested_is_synced_at_the_end() {
        let (synced, syncs) = channel();
        let sync = BackgroundSync::start(Duration::from_secs(3600), move || synced.send(()).map_err(io::Error::other));
        sync.request().expect("nothing has failed");
        drop(sync);
        assert_eq!(syncs.iter().count(), 1);
    }

    #[test]
    fn a_sync_that_fails_is_an_error_of_the_next_request() {
        let (begun, has_begun) = channel();
        let sync = BackgroundSync::start(Duration::ZERO, move || {
            begun.send(()).map_err(io::Error::other)?;
            Err(io::ErrorKind::StorageFull.into())
        });
        sync.request().expect("nothing has failed");
        has_begun.recv().expect("it is synced");
        let error = std::iter::repeat_with(|| sync.request()).find_map(Result::err).expect("it has failed");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
