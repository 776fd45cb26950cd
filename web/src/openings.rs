//! The openings, which the page loads as a file when games are imported or a query names one.

use std::sync::{Arc, OnceLock};

use plyfold_core::headers::OpeningNames;
use plyfold_core::pgn::{OpeningTable, read_opening_lines};
use wasm_bindgen::prelude::wasm_bindgen;

/// The openings, once the page has loaded them: lines of code, tab, name, tab and moves.
static OPENING_LINES: OnceLock<String> = OnceLock::new();

/// Loads the openings, as lines of the form `code <tab> name <tab> moves`. Later calls change nothing.
#[wasm_bindgen(js_name = knowOpenings)]
pub fn know_openings(lines: String) {
    let _ = OPENING_LINES.set(lines);
}

/// The names of the openings that the page has loaded; none before.
pub fn known_openings() -> &'static OpeningNames {
    static NAMES: OnceLock<OpeningNames> = OnceLock::new();
    static NONE: OnceLock<OpeningNames> = OnceLock::new();
    match OPENING_LINES.get() {
        Some(lines) => NAMES.get_or_init(|| OpeningNames::new(lines)),
        None => NONE.get_or_init(OpeningNames::default),
    }
}

/// The positions of these openings; none before.
pub fn opening_table() -> Option<Arc<OpeningTable>> {
    static TABLE: OnceLock<Arc<OpeningTable>> = OnceLock::new();
    let lines = OPENING_LINES.get()?;
    Some(Arc::clone(TABLE.get_or_init(|| Arc::new(read_opening_lines(lines)))))
}
