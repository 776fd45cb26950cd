//! Endgame tables in the browser: make them, and ask them about positions.
//!
//! As `web`, the same source makes two packages (see `cargo xtask wasm`), with a pool of threads and without. The page
//! loads one of them when it first needs a table, in a worker of its own.
//!
//! ```text
//! generation   all tables of a few men, one after another, with progress
//! packed       the tables as the worker has them
//! tables       a position ─► its value, its moves, the best line, a map of squares
//! statistics   a material ─► shares of wins, longest wins, distances
//! panic        what stopped the module
//! reply        a result, or what must be known first
//! ```

pub mod error;
pub mod generation;
pub mod packed;
pub mod panic;
pub mod reply;
pub mod statistics;
pub mod tables;

use wasm_bindgen::prelude::wasm_bindgen;

/// `initThreadPool(n)`: starts `n` workers and resolves when all of them are ready. Call it once, from a worker.
#[cfg(all(feature = "threads", target_arch = "wasm32"))]
pub use wasm_bindgen_rayon::init_thread_pool;

/// Returns the number of threads that make tables: the size of the pool, or 1 in the single flavour.
#[wasm_bindgen]
#[must_use]
pub fn threads() -> usize {
    rayon::current_num_threads()
}
