//! Memory for what requests bring and answers take.
//!
//! Each connection may have some KiB, which are not counted: [`SMALL`] of a body or an answer, a chunk of a file, a buffer for
//! its head. Whatever is larger takes its share of one amount, and waits for it. So the memory of all is bounded by the number of
//! connections and that amount, whatever is asked.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::refusal::Refusal;

/// Bodies and answers of at most so many bytes take no share.
pub const SMALL: usize = 8 << 10;

/// The amount, in bytes: it has room for a body of the largest size, with all that is made of it, and for some others.
const ALL: usize = 5 << 20;

/// Shares are counted in these bytes.
const UNIT: usize = 1 << 10;

/// The amount.
#[derive(Clone, Debug)]
pub struct Memory {
    units: Arc<Semaphore>,
    /// How long one waits for a share.
    patience: Duration,
}

/// A share; given back when it is dropped. Nothing of what is small.
#[derive(Debug, Default)]
pub struct Held {
    _permit: Option<OwnedSemaphorePermit>,
}

/// Bytes with their share.
struct Counted {
    bytes: Vec<u8>,
    _held: Held,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Held {
    /// Bytes that keep this share as long as they are there.
    pub fn bytes(self, bytes: Vec<u8>) -> Bytes {
        Bytes::from_owner(Counted { bytes, _held: self })
    }
}

impl Memory {
    pub fn new(patience: Duration) -> Memory {
        Memory { units: Arc::new(Semaphore::new(ALL / UNIT)), patience }
    }

    /// Takes the share of so many bytes, and waits until there is one.
    ///
    /// # Errors
    ///
    /// Others have it for too long.
    pub async fn take(&self, bytes: usize) -> Result<Held, Refusal> {
        if bytes <= SMALL {
            return Ok(Held::default());
        }
        let units = bytes.min(ALL).div_ceil(UNIT) as u32;
        let taken = timeout(self.patience, Arc::clone(&self.units).acquire_many_owned(units)).await;
        match taken {
            Ok(Ok(permit)) => Ok(Held { _permit: Some(permit) }),
            _ => Err(Refusal::busy("the memory for large requests is in use; ask again, or for less")),
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
            let memory = Memory::new(Duration::from_secs(10));
            let held = memory.take(ALL - SMALL).await.expect("all is free");
            assert!(memory.take(SMALL).await.is_ok());
            assert!(memory.take(2 * SMALL).await.is_err());
            drop(held);
            // More than there is takes all.
            let bytes = memory.take(10 * ALL).await.expect("all is free").bytes(vec![7; 3]);
            assert_eq!((memory.units.available_permits(), &bytes[..]), (0, &[7; 3][..]));
            drop(bytes);
            assert_eq!(memory.units.available_permits(), ALL / UNIT);
        });
    }
}
