//! The original text of the games: LZ4 blocks of whole games, in a section that scans never touch.
//!
//! A block is closed when it holds 64 KiB, so little is decompressed to show one game, and a reader that has only the scan part (a
//! browser) can read one block by its offset.

use alloc::vec::Vec;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use super::error::CorpusError;

const BLOCK_BYTES: usize = 64 << 10;

/// An entry of the table of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct TextBlockEntry {
    /// First byte within the text section.
    pub offset: u64,
    /// Checksum of the compressed bytes.
    pub checksum: u64,
    /// First byte within the shard's uncompressed text.
    pub raw_offset: u32,
    pub raw_length: u32,
    /// Compressed bytes.
    pub length: u32,
    pub reserved: u32,
}

/// The text section while it is filled.
#[derive(Default)]
pub(super) struct TextSectionBuilder {
    /// Start of each game in the text of the shard.
    pub starts: Vec<u32>,
    pub blocks: Vec<TextBlockEntry>,
    pub packed: Vec<u8>,
    pending: Vec<u8>,
    packed_length: u32,
}

impl TextSectionBuilder {
    /// Bytes of text so far.
    pub fn raw_length(&self) -> usize {
        self.packed_length as usize + self.pending.len()
    }

    pub fn push_game(&mut self, text: &[u8]) {
        self.starts.push(self.raw_length() as u32);
        self.pending.extend_from_slice(text);
        if self.pending.len() >= BLOCK_BYTES {
            self.close_block();
        }
    }

    /// Forgets all text.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.blocks.clear();
        self.packed.clear();
        self.pending.clear();
        self.packed_length = 0;
    }

    pub fn close_block(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let offset = self.packed.len();
        let most = lz4_flex::block::get_maximum_output_size(self.pending.len());
        self.packed.resize(offset + most, 0);
        // The output has as much room as LZ4 can ever need, so compression cannot fail.
        let length = lz4_flex::block::compress_into(&self.pending, &mut self.packed[offset..]).unwrap_or(0);
        self.packed.truncate(offset + length);
        self.blocks.push(TextBlockEntry {
            offset: offset as u64,
            checksum: xxh3_64(&self.packed[offset..]),
            raw_offset: self.packed_length,
            raw_length: self.pending.len() as u32,
            length: length as u32,
            reserved: 0,
        });
        self.packed_length += self.pending.len() as u32;
        self.pending.clear();
    }
}

/// Where the text of one game lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextLocation {
    /// First byte of its block, from the start of the shard.
    pub offset: u64,
    /// Bytes of the block as stored.
    pub length: usize,
    pub(super) block: TextBlockEntry,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl TextLocation {
    /// Returns how long the game's text is.
    pub fn text_bytes(&self) -> usize {
        self.to - self.from
    }

    /// The text of all games of the block, for [`game_text`](TextLocation::game_text): neighbouring games share a block.
    ///
    /// # Errors
    ///
    /// Truncated or corrupt bytes.
    pub fn unpack(&self, block: &[u8]) -> Result<Vec<u8>, CorpusError> {
        if block.len() < self.length {
            let missing = (self.length - block.len()) as u64;
            return Err(CorpusError::Truncated { section: "text", offset: self.offset, missing });
        }
        let block = &block[..self.length];
        if xxh3_64(block) != self.block.checksum {
            return Err(self.corrupt());
        }
        lz4_flex::block::decompress(block, self.block.raw_length as usize).map_err(|_| self.corrupt())
    }

    /// The game's text within the text of its block.
    ///
    /// # Errors
    ///
    /// `raw` is not the text of its block.
    pub fn game_text<'t>(&self, raw: &'t [u8]) -> Result<&'t [u8], CorpusError> {
        raw.get(self.from..self.to).ok_or(self.corrupt())
    }

    fn corrupt(&self) -> CorpusError {
        CorpusError::Corrupt { section: "text", offset: self.offset }
    }
}
