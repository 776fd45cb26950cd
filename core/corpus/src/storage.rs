//! Reads the bytes of a corpus from where they lie: in memory, in a mapped file, or in a browser's storage.

use alloc::vec;
use alloc::vec::Vec;

use super::error::CorpusError;

/// The bytes of a corpus file, which can be read at any offset.
pub trait CorpusStorage {
    /// Why bytes cannot be read, or are no corpus.
    type Error: From<CorpusError>;

    /// Bytes that were read, 8-byte aligned if their offset is a multiple of 8.
    type Bytes: AsRef<[u8]> + Send + Sync;

    /// How many bytes there are.
    fn size_bytes(&self) -> u64;

    /// Reads the `length` bytes from `offset` on; fewer only at the end of the file.
    ///
    /// # Errors
    ///
    /// As the storage says.
    fn read(&self, offset: u64, length: u64) -> Result<Self::Bytes, Self::Error>;
}

/// The whole file, 8-byte aligned (a memory map is): nothing is copied.
impl<'a> CorpusStorage for &'a [u8] {
    type Error = CorpusError;
    type Bytes = &'a [u8];

    fn size_bytes(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, offset: u64, length: u64) -> Result<&'a [u8], CorpusError> {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(self.len());
        Ok(&self[place(offset)..place(offset.saturating_add(length))])
    }
}

/// Bytes in their own memory, 8-byte aligned.
pub struct AlignedBytes {
    words: Vec<u64>,
    length: usize,
}

impl AlignedBytes {
    /// `length` zero bytes.
    pub fn zeroed(length: usize) -> AlignedBytes {
        AlignedBytes { words: vec![0; length.div_ceil(8)], length }
    }

    /// A copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> AlignedBytes {
        let mut copy = AlignedBytes::zeroed(bytes.len());
        copy.as_mut().copy_from_slice(bytes);
        copy
    }

    /// Keeps the first `length` bytes.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }
}

impl AsRef<[u8]> for AlignedBytes {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }
}

impl AsMut<[u8]> for AlignedBytes {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.length]
    }
}
