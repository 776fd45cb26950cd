//! Browser bindings: translate arguments, call the engine, translate back.
//!
//! The same source makes two packages (see `cargo xtask wasm`): one with a pool of threads over shared memory, and one
//! without, for pages that are not cross-origin isolated. Nothing here knows chess, and no result depends on the flavour.

use wasm_bindgen::prelude::wasm_bindgen;

/// `initThreadPool(n)`: starts `n` workers and resolves when all of them wait for work. Call it once, from a worker.
#[cfg(all(feature = "threads", target_arch = "wasm32"))]
pub use wasm_bindgen_rayon::init_thread_pool;

/// Number of threads a scan will use: the size of the pool, or 1 in the single flavour.
#[wasm_bindgen]
#[must_use]
pub fn threads() -> usize {
    #[cfg(feature = "threads")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "threads"))]
    return 1;
}

/// 1² + 2² + … + `n`², modulo 2⁶⁴, added up on all threads: tells a page that its pool really computes.
#[wasm_bindgen(js_name = sumOfSquares)]
#[must_use]
pub fn sum_of_squares(n: u32) -> u64 {
    let square = |i: u32| u64::from(i) * u64::from(i);
    #[cfg(feature = "threads")]
    {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        (1..=n).into_par_iter().map(square).reduce(|| 0, u64::wrapping_add)
    }
    #[cfg(not(feature = "threads"))]
    (1..=n).map(square).fold(0, u64::wrapping_add)
}
