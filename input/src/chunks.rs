//! A stream cut at game borders into chunks that can be read apart.

use plyfold_core::pgn::{is_utf16, last_border};

use crate::{InputError, Source};

/// A part of a text that begins and ends at borders between games.
#[derive(Debug)]
pub struct Chunk {
    /// Where it begins in the decompressed file.
    pub offset: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Cuts a source into chunks. Memory: one chunk and what has been read beyond it.
pub struct Chunks<'s> {
    source: &'s mut Source,
    chunk_bytes: usize,
    most_bytes: usize,
    offset: u64,
    /// Read, but after the border where the last chunk was cut.
    ahead: Vec<u8>,
    ended: bool,
    /// Memory of chunks that are done with.
    spare: Vec<Vec<u8>>,
}

impl<'s> Chunks<'s> {
    /// Chunks of about `chunk_bytes`; more where a game is longer, up to `most_bytes`.
    pub fn new(source: &'s mut Source, chunk_bytes: usize, most_bytes: usize) -> Chunks<'s> {
        let chunk_bytes = chunk_bytes.max(1);
        Chunks { source, chunk_bytes, most_bytes, offset: 0, ahead: Vec::new(), ended: false, spare: Vec::new() }
    }

    /// Bytes of the file itself taken so far.
    pub fn bytes_in(&self) -> u64 {
        self.source.bytes_in()
    }

    /// Takes the memory of a chunk that is done with, for a later one.
    pub fn reuse(&mut self, chunk: Chunk) {
        // A game of uncommon length has left more than any other chunk will need.
        if chunk.bytes.capacity() <= self.chunk_bytes.saturating_mul(2) {
            self.spare.push(chunk.bytes);
        }
    }

    /// The next chunk, none at the end.
    ///
    /// # Errors
    ///
    /// As [`Source::read`], and a game of more than `most_bytes`.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>, InputError> {
        let mut bytes = std::mem::take(&mut self.ahead);
        let mut wanted = self.chunk_bytes;
        // The bytes ahead have no border, as far as they go: looking for one again would be in vain.
        while bytes.len() >= wanted && wanted < self.most_bytes && !self.ended {
            wanted = wanted.saturating_mul(2).min(self.most_bytes);
        }
        loop {
            if !self.ended && bytes.len() < wanted {
                let missing = wanted - bytes.len();
                bytes.reserve_exact(missing);
                let before = bytes.len();
                self.source.read(missing, &mut bytes)?;
                // There are no borders in UTF-16; its beginning is enough to refuse it.
                self.ended = bytes.len() - before < missing || self.offset == 0 && is_utf16(&bytes);
            }
            let offset = self.offset;
            if self.ended {
                self.offset += bytes.len() as u64;
                return Ok((!bytes.is_empty()).then_some(Chunk { offset, bytes }));
            }
            if let Some(border) = last_border(&bytes) {
                self.ahead = self.spare.pop().unwrap_or_default();
                self.ahead.clear();
                self.ahead.reserve_exact(self.chunk_bytes.max(bytes.len() - border));
                self.ahead.extend_from_slice(&bytes[border..]);
                bytes.truncate(border);
                self.offset += border as u64;
                return Ok(Some(Chunk { offset, bytes }));
            }
            if wanted >= self.most_bytes {
                return Err(InputError::GameTooLong { at: offset, most: self.most_bytes });
            }
            wanted = wanted.saturating_mul(2).min(self.most_bytes);
        }
    }
}
