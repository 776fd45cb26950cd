//! A stream cut at game borders into chunks that can be read apart.

use plyfold_core::pgn::{is_utf16, last_game_boundary};

use crate::error::InputError;
use crate::source::PgnSource;

/// A part of a text that begins and ends at borders between games.
#[derive(Debug)]
pub struct PgnChunk {
    /// Where it begins in the decompressed file.
    pub offset: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Cuts a source into chunks. Memory: one chunk and what has been read beyond it.
pub struct ChunkReader<'s> {
    source: &'s mut PgnSource,
    chunk_bytes: usize,
    max_bytes: usize,
    offset: u64,
    /// Read, but after the border where the last chunk was cut.
    read_ahead: Vec<u8>,
    ended: bool,
    /// Memory of chunks that are done with.
    spare: Vec<Vec<u8>>,
}

impl<'s> ChunkReader<'s> {
    /// Chunks of about `chunk_bytes`; more where a game is longer, up to `most_bytes`.
    pub fn new(source: &'s mut PgnSource, chunk_bytes: usize, most_bytes: usize) -> ChunkReader<'s> {
        let chunk_bytes = chunk_bytes.max(1);
        ChunkReader {
            source,
            chunk_bytes,
            max_bytes: most_bytes,
            offset: 0,
            read_ahead: Vec::new(),
            ended: false,
            spare: Vec::new(),
        }
    }

    /// Bytes of the file itself taken so far.
    pub fn bytes_in(&self) -> u64 {
        self.source.bytes_in()
    }

    /// Takes the memory of a chunk that is done with, for a later one.
    pub fn reuse(&mut self, chunk: PgnChunk) {
        // A game of uncommon length has left more than any other chunk will need.
        if chunk.bytes.capacity() <= self.chunk_bytes.saturating_mul(2) {
            self.spare.push(chunk.bytes);
        }
    }

    /// The next chunk, none at the end.
    ///
    /// # Errors
    ///
    /// As [`PgnSource::read`], and a game of more than `most_bytes`.
    pub fn next_chunk(&mut self) -> Result<Option<PgnChunk>, InputError> {
        let mut bytes = std::mem::take(&mut self.read_ahead);
        let mut target_bytes = self.chunk_bytes;
        // The bytes ahead have no border, as far as they go: looking for one again would be in vain.
        while bytes.len() >= target_bytes && target_bytes < self.max_bytes && !self.ended {
            target_bytes = target_bytes.saturating_mul(2).min(self.max_bytes);
        }
        loop {
            if !self.ended && bytes.len() < target_bytes {
                let missing = target_bytes - bytes.len();
                bytes.reserve_exact(missing);
                let before = bytes.len();
                self.source.read(missing, &mut bytes)?;
                // There are no borders in UTF-16; its beginning is enough to refuse it.
                self.ended = bytes.len() - before < missing || self.offset == 0 && is_utf16(&bytes);
            }
            let offset = self.offset;
            if self.ended {
                self.offset += bytes.len() as u64;
                return Ok((!bytes.is_empty()).then_some(PgnChunk { offset, bytes }));
            }
            if let Some(border) = last_game_boundary(&bytes) {
                self.read_ahead = self.spare.pop().unwrap_or_default();
                self.read_ahead.clear();
                self.read_ahead.reserve_exact(self.chunk_bytes.max(bytes.len() - border));
                self.read_ahead.extend_from_slice(&bytes[border..]);
                bytes.truncate(border);
                self.offset += border as u64;
                return Ok(Some(PgnChunk { offset, bytes }));
            }
            if target_bytes >= self.max_bytes {
                return Err(InputError::GameTooLong { at: offset, most: self.max_bytes });
            }
            target_bytes = target_bytes.saturating_mul(2).min(self.max_bytes);
        }
    }
}
