//! What the engine writes: to a private file of the browser as long as that works, otherwise to arrays of JavaScript.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsCast;
use web_sys::FileSystemSyncAccessHandle;

use crate::error::JsFailure;
use crate::source::{ByteSource, at_byte};

/// Bytes that are read back at a time.
const PIECE_BYTES: u64 = 4 << 20;

/// Bytes that are written one after another, and whose first ones are written again at the end.
pub(crate) struct Sink {
    /// The file; `None` if there is none, it had no room, or it is complete.
    file: Option<FileSystemSyncAccessHandle>,
    /// What has no file.
    arrays: Array,
    end: u64,
}

impl Sink {
    /// Begins to write to an empty file, which belongs to the sink from now on, or to memory. `head` stands in the place of the first bytes
    /// until they are written at the end.
    pub(crate) fn new(file: Option<FileSystemSyncAccessHandle>, head: &[u8]) -> Sink {
        let mut sink = Sink { file, arrays: Array::new(), end: 0 };
        // Nothing was written yet that could be lost, so this goes to memory at worst.
        let _ = sink.append(head);
        sink
    }

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// The file has no room, and what it has cannot be read.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), JsFailure> {
        // A copy, because the engine's memory may be shared, and because memory keeps it if the file cannot.
        let bytes = Uint8Array::from(bytes);
        let length = u64::from(bytes.length());
        if !self.write(&bytes, self.end)? {
            self.arrays.push(&bytes);
        }
        self.end += length;
        Ok(())
    }

    /// Completes what was written, with `head` in the place of its first bytes, and closes the file. Returns the arrays of what is in
    /// memory, and `None` if the file has it.
    ///
    /// # Errors
    ///
    /// The file cannot be completed, and what it has cannot be read.
    pub(crate) fn finish(&mut self, head: &[u8]) -> Result<Option<Array>, JsFailure> {
        let head = Uint8Array::from(head);
        if !self.write(&head, 0)? {
            self.arrays.get(0).unchecked_into::<Uint8Array>().set(&head, 0);
        }
        if let Some(Err(thrown)) = self.file.as_ref().map(FileSystemSyncAccessHandle::flush) {
            self.retreat(JsFailure::of_browser(&thrown))?;
        }
        let is_in_file = self.file.is_some();
        self.close();
        Ok((!is_in_file).then(|| self.arrays.clone()))
    }

    /// Writes bytes to the file and returns true. Returns false if there is no file, or it has just turned out to have no room.
    fn write(&mut self, bytes: &Uint8Array, at: u64) -> Result<bool, JsFailure> {
        let Some(file) = &self.file else { return Ok(false) };
        // A full device writes less than it was given, or throws.
        let written = file.write_with_js_u8_array_and_options(bytes, &at_byte(at));
        if written.is_ok_and(|count| count == f64::from(bytes.length())) {
            return Ok(true);
        }
        self.retreat(JsFailure::new("storage", "the browser lost a part of the written data; import again"))?;
        Ok(false)
    }

    /// Moves what was written so far to memory, and closes the file. If it cannot be read, `lost` is the failure.
    fn retreat(&mut self, lost: JsFailure) -> Result<(), JsFailure> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let file = ByteSource::File(file);
        let (mut at, mut piece) = (0, Vec::new());
        while at < self.end {
            piece.resize((self.end - at).min(PIECE_BYTES) as usize, 0);
            if file.fill(&mut piece, at) != Ok(piece.len()) {
                file.close();
                return Err(lost);
            }
            // The first array begins with the bytes that are written again at the end.
            self.arrays.push(&Uint8Array::from(&piece[..]));
            at += piece.len() as u64;
        }
        file.close();
        Ok(())
    }

    fn close(&mut self) {
        if let Some(file) = self.file.take() {
            file.close();
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.close();
    }
}
