//! Limits the memory of requests and responses.
//!
//! Each connection may use some KiB that are not counted: [`SMALL`] bytes of a body or response, a chunk of a file, a buffer for its
//! head. Larger bodies and responses take a share of one budget, and wait until it is free. So the number of connections and the
//! budget bound the memory, whatever clients request.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::http_error::HttpError;

/// Bodies and responses of at most this many bytes take no share.
pub const SMALL_BYTES: usize = 8 << 10;

/// The budget in bytes. It is enough for a body of the largest size with its response, and for some others.
const BUDGET_BYTES: usize = 5 << 20;

/// Shares are multiples of this many bytes.
const UNIT_BYTES: usize = 1 << 10;

/// The budget.
#[derive(Clone, Debug)]
pub struct MemoryBudget {
    units: Arc<Semaphore>,
    /// How long a request waits for a share.
    timeout: Duration,
}

/// A share, which is released when it is dropped; empty for small bodies.
#[derive(Debug, Default)]
pub struct MemoryPermit {
    _permit: Option<OwnedSemaphorePermit>,
}

/// Bytes with their share.
struct BudgetedBytes {
    bytes: Vec<u8>,
    _held: MemoryPermit,
}

impl AsRef<[u8]> for BudgetedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl MemoryPermit {
    /// Bytes that hold this share until they are dropped.
    pub fn bytes(self, bytes: Vec<u8>) -> Bytes {
        Bytes::from_owner(BudgetedBytes { bytes, _held: self })
    }
}

impl MemoryBudget {
    pub fn new(timeout: Duration) -> MemoryBudget {
        MemoryBudget { units: Arc::new(Semaphore::new(BUDGET_BYTES / UNIT_BYTES)), timeout }
    }

    /// Takes a share for this many bytes, and waits until it is free.
    ///
    /// # Errors
    ///
    /// No share is free in time.
    pub async fn acquire(&self, bytes: usize) -> Result<MemoryPermit, HttpError> {
        if bytes <= SMALL_BYTES {
            return Ok(MemoryPermit::default());
        }
        let units = bytes.min(BUDGET_BYTES).div_ceil(UNIT_BYTES) as u32;
        let taken = timeout(self.timeout, Arc::clone(&self.units).acquire_many_owned(units)).await;
        match taken {
            Ok(Ok(permit)) => Ok(MemoryPermit { _permit: Some(permit) }),
            _ => Err(HttpError::service_unavailable(
                "the memory for large requests is in use; try again, or send a smaller request",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_waits_and_what_is_small_does_not() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(async {
            let memory = MemoryBudget::new(Duration::from_secs(10));
            let held = memory.acquire(BUDGET_BYTES - SMALL_BYTES).await.expect("all is free");
            assert!(memory.acquire(SMALL_BYTES).await.is_ok());
            assert!(memory.acquire(2 * SMALL_BYTES).await.is_err());
            drop(held);
            // A request for more than the budget takes all of it.
            let bytes = memory.acquire(10 * BUDGET_BYTES).await.expect("all is free").bytes(vec![7; 3]);
            assert_eq!((memory.units.available_permits(), &bytes[..]), (0, &[7; 3][..]));
            drop(bytes);
            assert_eq!(memory.units.available_permits(), BUDGET_BYTES / UNIT_BYTES);
        });
    }
}
