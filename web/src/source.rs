//! The bytes of a corpus, in a private file of the browser or in an array in memory. JavaScript implements the reading.

use plyfold_core::corpus::storage::{AlignedBytes, CorpusStorage};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::JsFailure;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Bytes of a corpus. `read` fills `into` from byte `at` on and returns how many bytes there were. */
export interface Source {
  read(into: Uint8Array, at: number): number;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// The bytes of a corpus.
    #[wasm_bindgen(typescript_type = "Source")]
    pub type JsSource;

    #[wasm_bindgen(method, structural, catch)]
    fn read(this: &JsSource, into: &mut [u8], at: f64) -> Result<f64, wasm_bindgen::JsValue>;
}

impl JsSource {
    /// Fills `into` with the bytes from `at` on. Returns how many bytes there were: fewer than requested only at the end.
    ///
    /// # Errors
    ///
    /// The storage threw an error.
    pub fn fill(&self, into: &mut [u8], at: u64) -> Result<usize, JsFailure> {
        let mut done = 0;
        while done < into.len() {
            let read = self
                .read(&mut into[done..], (at + done as u64) as f64)
                .map_err(|thrown| JsFailure::storage(&thrown))?;
            // NaN and negative numbers become 0, which means the end.
            let read = (read as usize).min(into.len() - done);
            if read == 0 {
                break;
            }
            done += read;
        }
        Ok(done)
    }
}

/// A corpus whose length is known and whose bytes JavaScript reads.
pub struct BrowserStorage {
    /// The JavaScript object that reads the bytes.
    pub source: JsSource,
    /// Length in bytes.
    pub size_bytes: u64,
}

impl CorpusStorage for BrowserStorage {
    type Error = JsFailure;
    type Bytes = AlignedBytes;

    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    fn read(&self, offset: u64, length: u64) -> Result<AlignedBytes, JsFailure> {
        let mut bytes = AlignedBytes::zeroed(length.min(self.size_bytes.saturating_sub(offset)) as usize);
        let read = self.source.fill(bytes.as_mut(), offset)?;
        bytes.truncate(read);
        Ok(bytes)
    }
}
