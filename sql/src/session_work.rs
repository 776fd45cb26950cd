//! What a session has read from object storage, and what it left out.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What the libraries of a session have read, and the corpora that were left out.
#[derive(Debug, Default)]
pub struct SessionWork {
    bytes: AtomicU64,
    requests: AtomicU64,
    size_bytes: AtomicU64,
    left_out: Mutex<Vec<String>>,
}

impl SessionWork {
    /// Bytes that have been read from object storage.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Requests to object storage; lists of files are not counted, nor are repetitions.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Bytes of the corpora on object storage that have been opened.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes.load(Ordering::Relaxed)
    }

    /// Why corpora have been left out since the last call, a sentence each.
    pub fn take_left_out(&self) -> Vec<String> {
        std::mem::take(&mut *self.left_out.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn count_size(&self, bytes: u64) {
        self.size_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn leave_out(&self, why: String) {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner).push(why);
    }
}
