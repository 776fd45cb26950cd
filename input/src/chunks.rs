//! Cuts a stream at game borders into chunks that can be read independently.

use plyfold_pgn::last_game_boundary;

use crate::error::InputError;
use crate::source::PgnSource;

/// A part of a text that begins and ends at a border between games.
#[derive(Debug)]
pub struct PgnChunk {
    /// Where it begins in the decompressed file.
    pub offset: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Cuts a source into chunks. It holds one chunk and what has been read beyond it in memory.
pub struct ChunkReader<'s> {
    source: &'s mut PgnSource,
    chunk_bytes: usize,
    max_bytes: usize,
    offset: u64,
    /// What has been read beyond the border at which the last chunk was cut.
    read_ahead: Vec<u8>,
    ended: bool,
    /// Buffers of chunks that are no longer used.
    spare: Vec<Vec<u8>>,
}

impl<'s> ChunkReader<'s> {
    /// Chunks of about `chunk_bytes`, or more if a game is longer, up to `most_bytes`.
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

    /// Skips so many bytes of the text at its start, up to a border between games.
    ///
    /// # Errors
    ///
    /// As [`PgnSource::read`]; the text is shorter.
    pub fn skip(&mut self, bytes: u64) -> Result<(), InputError> {
        let mut skipped = self.spare.pop().unwrap_or_default();
        while self.offset < bytes {
            let step = (bytes - self.offset).min(self.chunk_bytes as u64);
            skipped.clear();
            self.source.read(step as usize, &mut skipped)?;
            self.offset += skipped.len() as u64;
            if (skipped.len() as u64) < step {
                return Err(InputError::Shorter { expected: bytes, found: self.offset });
            }
        }
        self.spare.push(skipped);
        Ok(())
    }

    /// Bytes of the file itself that have been read so far.
    pub fn bytes_in(&self) -> u64 {
        self.source.bytes_in()
    }

    /// Takes the buffer of a chunk that is no longer used, for a later chunk.
    pub fn reuse(&mut self, chunk: PgnChunk) {
        // After an uncommonly long game the buffer is larger than any other chunk needs.
        if chunk.bytes.capacity() <= self.chunk_bytes.saturating_mul(2) {
            self.spare.push(chunk.bytes);
        }
    }

    /// The next chunk; `None` at the end.
    ///
    /// # Errors
    ///
    /// As [`PgnSource::read`]; a game is longer than `most_bytes`.
    pub fn next_chunk(&mut self) -> Result<Option<PgnChunk>, InputError> {
        let mut bytes = std::mem::take(&mut self.read_ahead);
        let mut target_bytes = self.chunk_bytes;
        // The bytes that have been read ahead have no border, so there is no point in searching them again.
        while bytes.len() >= target_bytes && target_bytes < self.max_bytes && !self.ended {
            target_bytes = target_bytes.saturating_mul(2).min(self.max_bytes);
        }
        loop {
            if !self.ended && bytes.len() < target_bytes {
                let missing = target_bytes - bytes.len();
                bytes.reserve_exact(missing);
                let before = bytes.len();
                self.source.read(missing, &mut bytes)?;
                self.ended = bytes.len() - before < missing;
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
