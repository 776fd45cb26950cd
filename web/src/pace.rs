//! When JavaScript is told how far a task has come, by the browser's clock.

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Performance;

/// How many milliseconds pass between two reports.
const REPORT_EVERY_MS: f64 = 80.0;

#[wasm_bindgen]
extern "C" {
    /// The clock of the worker; Node has it under the same name.
    #[wasm_bindgen(thread_local_v2, js_name = performance)]
    static CLOCK: Performance;
}

/// Reports are not made more often than somebody can read them.
#[derive(Default)]
pub(crate) struct Pace {
    /// When the last report was made; `None` before the first one.
    reported_ms: Option<f64>,
}

impl Pace {
    /// Whether it is time for a report, which is then made.
    pub(crate) fn is_due(&mut self) -> bool {
        let now = CLOCK.with(Performance::now);
        let is_due = self.reported_ms.is_none_or(|reported| now - reported >= REPORT_EVERY_MS);
        if is_due {
            self.reported_ms = Some(now);
        }
        is_due
    }
}
