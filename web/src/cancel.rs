//! Giving up a request while the engine is too busy to read messages.
//!
//! Requests have numbers. The page writes the number that it no longer wants into `UNWANTED`, which lies in shared memory;
//! long tasks compare it with the number they work for. In the single flavour nobody can write there, and nothing is ever cancelled.

use std::sync::atomic::{AtomicU32, Ordering};

use plyfold_core::scan::fold::ScanObserver;
use wasm_bindgen::prelude::wasm_bindgen;

static CANCELLED: AtomicU32 = AtomicU32::new(0);
static CURRENT: AtomicU32 = AtomicU32::new(0);

/// Byte address in the wasm memory of the 32-bit number of the request that is unwanted.
#[wasm_bindgen(js_name = cancelAddress)]
#[must_use]
pub fn cancel_address() -> usize {
    CANCELLED.as_ptr() as usize
}

/// Says which request is worked for from now on; numbers begin at 1.
#[wasm_bindgen(js_name = beginRequest)]
pub fn begin_request(number: u32) {
    CURRENT.store(number, Ordering::Relaxed);
}

/// Whether the present request is unwanted.
#[wasm_bindgen(js_name = isCancelled)]
#[must_use]
pub fn is_cancelled() -> bool {
    let current = CURRENT.load(Ordering::Relaxed);
    current != 0 && CANCELLED.load(Ordering::Relaxed) == current
}

/// Ends a scan for an unwanted request.
pub struct CancellationWatch;

impl ScanObserver for CancellationWatch {
    fn advance(&self, _: u32) -> bool {
        !is_cancelled()
    }
}
