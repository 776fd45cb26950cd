//! Cancelling a request while the engine is too busy to read messages.
//!
//! Requests have numbers. To cancel a request, the page writes its number into `CANCELLED`, which lies in
//! shared memory; long tasks compare that number with the number of their own request. In the single
//! flavour the page cannot write there, so no request is ever cancelled.

use std::sync::atomic::{AtomicU32, Ordering};

use plyfold_core::scan::fold::ScanObserver;
use wasm_bindgen::prelude::wasm_bindgen;

static CANCELLED: AtomicU32 = AtomicU32::new(0);
static CURRENT: AtomicU32 = AtomicU32::new(0);

/// Byte address in the wasm memory of the 32-bit number of the cancelled request.
#[wasm_bindgen(js_name = cancelAddress)]
#[must_use]
pub fn cancel_address() -> usize {
    CANCELLED.as_ptr() as usize
}

/// Begins the request with this number; numbers start at 1.
#[wasm_bindgen(js_name = beginRequest)]
pub fn begin_request(number: u32) {
    CURRENT.store(number, Ordering::Relaxed);
}

/// Whether the current request is cancelled.
#[wasm_bindgen(js_name = isCancelled)]
#[must_use]
pub fn is_cancelled() -> bool {
    let current = CURRENT.load(Ordering::Relaxed);
    current != 0 && CANCELLED.load(Ordering::Relaxed) == current
}

/// Ends the scan of a cancelled request.
pub struct CancellationWatch;

impl ScanObserver for CancellationWatch {
    fn advance(&self, _: u32) -> bool {
        !is_cancelled()
    }
}
