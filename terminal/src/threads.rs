//! The threads of a command, as its user chooses their number.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::program::Failure;

/// The largest number of threads that can be requested.
const MAX_THREADS: usize = 1024;

/// Reads a number of threads.
///
/// # Errors
///
/// The text is not such a number; the message has the range.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=MAX_THREADS).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from 1 to {MAX_THREADS}")),
    }
}

/// Starts that many threads, or one per core.
///
/// # Errors
///
/// The system does not allow it.
pub fn thread_pool<F: Failure>(threads: Option<usize>) -> Result<ThreadPool, F> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.map_err(|error| F::other(format!("cannot start threads: {error}")))
}
