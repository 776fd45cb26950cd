//! The bytes of corpora and of files to import, where they lie in the browser: in a private file, in a Blob, in arrays. The texts of a
//! published library alone are read by JavaScript, which fetches them.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use plyfold_core::corpus::storage::{AlignedBytes, CorpusStorage};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, FileReaderSync, FileSystemReadWriteOptions, FileSystemSyncAccessHandle};

use crate::error::{JsFailure, text_of};

/// Bytes of a Blob fetched at a time when it is read from beginning to end. Each read costs a round trip to another process.
const AHEAD_BYTES: u64 = 4 << 20;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Bytes that the engine reads: an open private file, a file that only a worker can read at once, or arrays, one after another. */
export type ByteSource = FileSystemSyncAccessHandle | Blob | readonly Uint8Array[];

/** Texts of games that JavaScript has fetched. `read` fills `into` from byte `at` of the corpus file on and returns how many bytes there were. */
export interface TextSource {
  read(into: Uint8Array, at: number): number;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// Bytes that the engine reads.
    #[wasm_bindgen(typescript_type = "ByteSource")]
    pub type JsByteSource;

    /// Texts of games that JavaScript has fetched.
    #[wasm_bindgen(typescript_type = "TextSource")]
    pub type JsTextSource;

    #[wasm_bindgen(method, structural, catch)]
    fn read(this: &JsTextSource, into: &mut [u8], at: f64) -> Result<f64, JsValue>;
}

/// Where bytes are read.
pub enum ByteSource {
    /// A private file of the browser. Whoever opened it closes it.
    File(FileSystemSyncAccessHandle),
    /// A file of the user, or a private file of which this page has no handle.
    Blob(Blob),
    /// A list of `Uint8Array`s, one after another.
    Arrays(Array),
    /// Texts that JavaScript has fetched.
    Fetched(JsTextSource),
    /// A private file that was given up, because the page was left.
    Released,
}

impl ByteSource {
    /// Makes a source of what JavaScript gives.
    pub fn new(source: &JsByteSource) -> ByteSource {
        if let Some(file) = source.dyn_ref::<FileSystemSyncAccessHandle>() {
            ByteSource::File(file.clone())
        } else if let Some(blob) = source.dyn_ref::<Blob>() {
            ByteSource::Blob(blob.clone())
        } else {
            ByteSource::Arrays(source.unchecked_ref::<Array>().clone())
        }
    }

    /// Returns how many bytes there are.
    ///
    /// # Errors
    ///
    /// The browser threw an error.
    pub fn size_bytes(&self) -> Result<u64, JsFailure> {
        let size = match self {
            ByteSource::File(file) => file.get_size().map_err(|thrown| JsFailure::storage(&thrown))?,
            ByteSource::Blob(blob) => blob.size(),
            ByteSource::Arrays(arrays) => return Ok(read_arrays(arrays, &mut [], u64::MAX).1),
            // They are read by the places that the corpus file has for them, wherever it ends.
            ByteSource::Fetched(_) => return Ok(u64::MAX),
            ByteSource::Released => 0.0,
        };
        Ok(size as u64)
    }

    /// Fills `into` with the bytes from `at` on. Returns how many bytes there were: fewer than requested only at the end.
    ///
    /// # Errors
    ///
    /// What the browser threw.
    pub fn fill(&self, into: &mut [u8], at: u64) -> Result<usize, JsValue> {
        let mut done = 0;
        while done < into.len() {
            let read = self.read(&mut into[done..], at + done as u64)?.min(into.len() - done);
            if read == 0 {
                break;
            }
            done += read;
        }
        Ok(done)
    }

    /// Reads some of the bytes from `at` on; none only at the end.
    fn read(&self, into: &mut [u8], at: u64) -> Result<usize, JsValue> {
        match self {
            // Their specification lets handles read into shared memory.
            ByteSource::File(file) => {
                let read = file.read_with_u8_array_and_options(into, &at_byte(at))?;
                // NaN and negative numbers become 0, which means the end.
                Ok(read as usize)
            }
            ByteSource::Blob(blob) => {
                let piece = blob.slice_with_f64_and_f64(at as f64, (at + into.len() as u64) as f64)?;
                let piece = Uint8Array::new(&FileReaderSync::new()?.read_as_array_buffer(&piece)?.into());
                // A slice has no more bytes than it was asked for.
                let count = piece.length() as usize;
                piece.copy_to(&mut into[..count]);
                Ok(count)
            }
            ByteSource::Arrays(arrays) => Ok(read_arrays(arrays, into, at).0),
            ByteSource::Fetched(texts) => Ok(texts.read(into, at as f64)? as usize),
            ByteSource::Released => Ok(0),
        }
    }

    /// Closes a private file.
    pub(crate) fn close(&self) {
        if let ByteSource::File(file) = self {
            file.close();
        }
    }
}

/// The option that reads or writes from this byte on.
pub(crate) fn at_byte(at: u64) -> FileSystemReadWriteOptions {
    let options = FileSystemReadWriteOptions::new();
    options.set_at(at as f64);
    options
}

/// Reads bytes of the array in which byte `at` lies. Returns how many, and how many bytes the arrays have up to the end of that array.
fn read_arrays(arrays: &Array, into: &mut [u8], at: u64) -> (usize, u64) {
    let mut end = 0;
    for nth in 0..arrays.length() {
        let array: Uint8Array = arrays.get(nth).unchecked_into();
        let begin = end;
        end += u64::from(array.length());
        if at < end {
            let count = (end - at).min(into.len() as u64);
            let piece = array.subarray((at - begin) as u32, (at - begin + count) as u32);
            piece.copy_to(&mut into[..count as usize]);
            return (count as usize, end);
        }
    }
    (0, end)
}

/// Reads a source from beginning to end, in large pieces.
pub(crate) struct SequentialReader {
    source: ByteSource,
    /// The bytes that were read last; those from `next` on have yet to be given.
    ahead: Vec<u8>,
    next: usize,
    /// Where the bytes behind `ahead` begin.
    at: u64,
    /// How many bytes the source has.
    pub(crate) size_bytes: u64,
}

impl SequentialReader {
    /// Begins to read.
    ///
    /// # Errors
    ///
    /// The browser does not say how many bytes there are.
    pub(crate) fn new(source: &JsByteSource) -> Result<SequentialReader, JsFailure> {
        let source = ByteSource::new(source);
        let size_bytes = source.size_bytes()?;
        Ok(SequentialReader { source, ahead: Vec::new(), next: 0, at: 0, size_bytes })
    }

    /// Reads the next piece.
    fn advance(&mut self) -> Result<(), JsValue> {
        let length = self.size_bytes.saturating_sub(self.at).min(AHEAD_BYTES);
        self.ahead.resize(length as usize, 0);
        let read = self.source.fill(&mut self.ahead, self.at)?;
        self.ahead.truncate(read);
        self.next = 0;
        self.at += read as u64;
        Ok(())
    }
}

impl Read for SequentialReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.next == self.ahead.len() {
            self.advance().map_err(|thrown| io::Error::other(JsFailure::storage(&thrown)))?;
        }
        let piece = &self.ahead[self.next..];
        let count = piece.len().min(buffer.len());
        buffer[..count].copy_from_slice(&piece[..count]);
        self.next += count;
        Ok(count)
    }
}

/// The file of an open corpus. It is closed when the corpus is dropped.
pub struct CorpusFile {
    source: RefCell<ByteSource>,
    size_bytes: u64,
    /// The name under which the browser stores the corpus, for messages; `None` if it is none of its private files.
    stored_as: Option<String>,
}

impl CorpusFile {
    /// Holds a source from now on.
    ///
    /// # Errors
    ///
    /// The browser does not say how many bytes there are. The file is closed then.
    pub(crate) fn hold(source: ByteSource, stored_as: Option<String>) -> Result<Rc<CorpusFile>, JsFailure> {
        let mut file = CorpusFile { source: RefCell::new(source), size_bytes: 0, stored_as };
        file.size_bytes = file.source.get_mut().size_bytes()?;
        Ok(Rc::new(file))
    }

    /// Closes a private file, and returns nothing of it until [`resume`](Self::resume). Other sources stay.
    pub(crate) fn release(&self) {
        let mut source = self.source.borrow_mut();
        if matches!(*source, ByteSource::File(_)) {
            source.close();
            *source = ByteSource::Released;
        }
    }

    /// Whether the file was released.
    pub(crate) fn is_released(&self) -> bool {
        matches!(*self.source.borrow(), ByteSource::Released)
    }

    /// Reads from here after a release.
    pub(crate) fn resume(&self, source: ByteSource) {
        self.source.replace(source).close();
    }

    /// Explains what the browser threw.
    fn failed(&self, thrown: &JsValue) -> JsFailure {
        let (ByteSource::Blob(..), Some(name)) = (&*self.source.borrow(), &self.stored_as) else {
            return JsFailure::storage(thrown);
        };
        if text_of(thrown, "name").as_deref() != Some("NotFoundError") {
            return JsFailure::of_browser(thrown);
        }
        JsFailure::new("storage", format!("\"{name}\" was deleted in another tab of this browser"))
    }
}

impl Drop for CorpusFile {
    fn drop(&mut self) {
        self.source.get_mut().close();
    }
}

/// The file of a corpus, as the reader of the corpus takes it.
pub struct BrowserStorage(pub(crate) Rc<CorpusFile>);

impl CorpusStorage for BrowserStorage {
    type Error = JsFailure;
    type Bytes = AlignedBytes;

    fn size_bytes(&self) -> u64 {
        self.0.size_bytes
    }

    fn read(&self, offset: u64, length: u64) -> Result<AlignedBytes, JsFailure> {
        let length = length.min(self.size_bytes().saturating_sub(offset)) as usize;
        let mut bytes = AlignedBytes::zeroed(length);
        let read = self.0.source.borrow().fill(bytes.as_mut(), offset);
        bytes.truncate(read.map_err(|thrown| self.0.failed(&thrown))?);
        Ok(bytes)
    }
}
