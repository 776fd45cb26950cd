//! A corpus of a published library: its shards arrive one after another, and its texts are fetched when they are needed.

use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::OpenCorpus;
use plyfold_core::corpus::storage::AlignedBytes;
use plyfold_core::corpus::transport::unpack_scan_part;
#[cfg(feature = "threads")]
use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};
use sha2::{Digest, Sha256};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use xxhash_rust::xxh3::xxh3_64;

use crate::aliases::ConfirmedNames;
use crate::corpus::Corpus;
use crate::edits::PendingEdits;
use crate::error::JsFailure;
use crate::memory::ensure_room;
use crate::source::{BrowserStorage, ByteSource, CorpusFile, JsTextSource};

#[wasm_bindgen]
impl Corpus {
    /// Begins a corpus whose shards have yet to arrive. `id` is its number in 16 hexadecimal digits; `texts` is read at
    /// offsets of the whole corpus file, and only for texts.
    ///
    /// # Errors
    ///
    /// `id` is something else.
    pub fn arriving(id: &str, texts: JsTextSource) -> Result<Corpus, JsFailure> {
        let id = u64::from_str_radix(id, 16)
            .map_err(|_| JsFailure::new("bad-corpus", "the id of a corpus has 16 hexadecimal digits"))?;
        let file = CorpusFile::hold(ByteSource::Fetched(texts), None)?;
        let opened = OpenCorpus::arriving(id, BrowserStorage(Rc::clone(&file)));
        let (edits, names) = (PendingEdits::none(id), ConfirmedNames::default());
        Ok(Corpus { opened, file, sets: Default::default(), edits, names })
    }

    /// Checks the scan part of the next shard and adds its games at the end.
    ///
    /// # Errors
    ///
    /// The bytes are no sound scan part, or there is no memory for them; the corpus is as before.
    #[wasm_bindgen(js_name = addShard)]
    pub fn add_shard(&mut self, scan_part: &Uint8Array) -> Result<(), JsFailure> {
        ensure_room(u64::from(scan_part.length()))?;
        let mut bytes = AlignedBytes::zeroed(scan_part.length() as usize);
        scan_part.copy_to(bytes.as_mut());
        Ok(self.opened.push_shard(bytes)?)
    }

    /// Which bytes of the corpus file hold the text of game `id` (from 0): offset and length; empty if it has no text or
    /// there is no such game.
    #[wasm_bindgen(js_name = textRange)]
    #[must_use]
    pub fn text_range(&self, id: u32) -> Vec<f64> {
        self.opened.text_range(id).map_or_else(Vec::new, |(offset, length)| vec![offset as f64, length as f64])
    }
}

/// Unpacks the scan parts of several shards, on all threads if there are some. `limits` has the most bytes of each.
///
/// Returns a `Uint8Array` for each, in their order, or an `Error` for one that is no packed scan part, or damaged, or takes more.
///
/// # Errors
///
/// There is no memory for them.
#[wasm_bindgen(js_name = unpackShards, unchecked_return_type = "(Uint8Array<ArrayBuffer> | Error)[]")]
pub fn unpack_shards(packed: Vec<Uint8Array>, limits: &[f64]) -> Result<Array, JsFailure> {
    ensure_room(limits.iter().map(|&limit| limit as u64).sum())?;
    let parts: Vec<(Vec<u8>, u64)> =
        packed.iter().zip(limits).map(|(bytes, &limit)| (bytes.to_vec(), limit as u64)).collect();
    let unpack = |(bytes, limit): &(Vec<u8>, u64)| unpack_scan_part(bytes, *limit);
    #[cfg(feature = "threads")]
    let unpacked: Vec<_> = parts.par_iter().map(unpack).collect();
    #[cfg(not(feature = "threads"))]
    let unpacked: Vec<_> = parts.iter().map(unpack).collect();
    let plain = |one: Result<AlignedBytes, CorpusError>| match one {
        Ok(bytes) => Uint8Array::from(bytes.as_ref()).into(),
        Err(error) => JsValue::from(JsFailure::from(error)),
    };
    Ok(unpacked.into_iter().map(plain).collect())
}

/// Returns the SHA-256 of bytes as 64 hexadecimal digits, as files of a published library are named.
#[wasm_bindgen(js_name = sha256Of)]
#[must_use]
pub fn sha256_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the XXH3-64 checksum of bytes as 16 hexadecimal digits, as files of a library of version 1 are named.
#[wasm_bindgen(js_name = checksumOf)]
#[must_use]
pub fn checksum_of(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}
