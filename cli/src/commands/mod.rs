//! The commands, one file each, and how several of them read their options.

pub mod collections;
pub mod compact;
pub mod explain;
pub mod export;
pub mod import;
pub mod index;
pub mod info;
pub mod keys;
pub mod position;
pub mod predicates;
pub mod publish;
pub mod query;
pub mod scan;
pub mod schema;
pub mod serve;
pub mod sets;
pub mod show;
pub mod signature;
pub mod sql;
pub mod upgrade;

use rayon::ThreadPoolBuilder;

use crate::failure::{CliFailure, Result};

/// The largest number of threads that can be requested.
const MAX_THREADS: usize = 1024;

/// Reads a number of threads.
fn threads(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=MAX_THREADS).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from 1 to {MAX_THREADS}")),
    }
}

/// Runs `work` with that many threads, or with one per core.
fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.map_err(|error| CliFailure::Other(format!("cannot start threads: {error}")))?.install(work)
}
