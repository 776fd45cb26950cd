//! A corpus file in memory, for programs that write no file.

use alloc::vec::Vec;

use super::error::CorpusError;
use super::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use super::layout::{ShardLayout, inconsistent};

/// The bytes of a corpus file, at an address that is a multiple of eight, as [`CorpusReader::open`] needs them.
#[derive(Clone, Debug)]
pub struct CorpusBuffer {
    header: CorpusFileHeader,
    /// The file. Its parts are whole words, and words are aligned.
    words: Vec<u64>,
}

impl CorpusBuffer {
    /// A corpus without games.
    pub fn new() -> CorpusBuffer {
        let header = CorpusFileHeader::empty();
        CorpusBuffer { header, words: words_of(&header.to_bytes()) }
    }

    /// A copy of the bytes of a corpus file, up to the length that its header says. The shards are checked by [`reader`](Self::reader).
    ///
    /// # Errors
    ///
    /// Bytes that do not begin with a sound header; fewer bytes than the header says.
    pub fn from_bytes(bytes: &[u8]) -> Result<CorpusBuffer, CorpusError> {
        let header = CorpusFileHeader::read(bytes)?;
        let Some(counted) = usize::try_from(header.length).ok().and_then(|length| bytes.get(..length)) else {
            let missing = header.length - bytes.len() as u64;
            return Err(CorpusError::Truncated { section: "file", offset: 0, missing });
        };
        if !counted.len().is_multiple_of(8) {
            return Err(inconsistent("file header", 0, "its length is no multiple of 8"));
        }
        Ok(CorpusBuffer { header, words: words_of(counted) })
    }

    /// Adds the games of a shard, as `pack_shard` of plyfold-pgn returns it; a shard of no bytes has no games.
    ///
    /// # Errors
    ///
    /// Bytes that are no shard, or not one whole shard; the corpus is as before.
    pub fn append(&mut self, shard: &[u8]) -> Result<(), CorpusError> {
        if shard.is_empty() {
            return Ok(());
        }
        let length = ShardLayout::read_header(shard)?.length;
        if let Some(missing) = length.checked_sub(shard.len() as u64).filter(|&missing| missing > 0) {
            return Err(CorpusError::Truncated { section: "shard", offset: 0, missing });
        }
        if length < shard.len() as u64 {
            return Err(inconsistent("shard", length, "bytes follow its end"));
        }
        self.header.append(shard)?;
        self.words.extend(words_of(shard));
        let header = words_of(&self.header.to_bytes());
        self.words[..header.len()].copy_from_slice(&header);
        Ok(())
    }

    /// The bytes of the file, to write or to send.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    /// Opens the corpus for reading. Cost: as [`CorpusReader::open`].
    ///
    /// # Errors
    ///
    /// The first thing wrong, with its offset in the file.
    pub fn reader(&self, check: CorpusCheck) -> Result<CorpusReader<'_>, CorpusError> {
        CorpusReader::open(self.bytes(), check)
    }
}

impl Default for CorpusBuffer {
    fn default() -> CorpusBuffer {
        CorpusBuffer::new()
    }
}

/// The same bytes as words; there are whole words of them.
fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|&word| u64::from_ne_bytes(word)).collect()
}
