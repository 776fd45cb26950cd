//! The first 64 bytes of a corpus file.

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use super::error::CorpusError;
use super::layout::{ShardHeader, ShardLayout, inconsistent};

/// The version of files that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;
/// First bytes of a corpus file.
pub const MAGIC: [u8; 8] = *b"plyfold\0";

/// The first 64 bytes of a corpus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct CorpusFileHeader {
    magic: [u8; 8],
    version: u32,
    /// How many shards there are.
    pub shards: u32,
    /// Bytes that belong to the corpus, header included; bytes behind them are left over from an interrupted append.
    pub length: u64,
    /// How many games there are.
    pub games: u64,
    /// How many plies there are.
    pub plies: u64,
    /// Identifies the corpus for sets of its games; it does not change when games are appended.
    pub id: u64,
    reserved: u64,
    checksum: u64,
}

impl CorpusFileHeader {
    /// Bytes of a header.
    pub const BYTES: usize = 64;

    /// The header of a corpus without games.
    pub fn empty() -> CorpusFileHeader {
        let length = Self::BYTES as u64;
        CorpusFileHeader { magic: MAGIC, version: VERSION, length, ..CorpusFileHeader::zeroed() }
    }

    /// The header of a corpus without games that has this id: for writing the games of another corpus again in new shards.
    pub fn empty_with_id(id: u64) -> CorpusFileHeader {
        CorpusFileHeader { id, ..CorpusFileHeader::empty() }
    }

    /// The header after `shard` has been written at its `length`. The first shard gives the corpus its id, if it has none.
    ///
    /// # Errors
    ///
    /// Bytes that are no shard.
    pub fn append(&mut self, shard: &[u8]) -> Result<(), CorpusError> {
        let header = ShardLayout::read_header(shard)?;
        if self.shards == 0 && self.id == 0 {
            self.id = xxh3_64(shard);
        }
        self.shards += 1;
        self.length += header.length;
        self.games += u64::from(header.games);
        self.plies += header.plies;
        Ok(())
    }

    /// Checks that it counts what the shards with these headers have.
    pub(super) fn check_counts<'h>(&self, shards: impl Iterator<Item = &'h ShardHeader>) -> Result<(), CorpusError> {
        let (mut number, mut games, mut plies) = (0, 0u64, 0u64);
        for shard in shards {
            (number, games, plies) = (number + 1, games + u64::from(shard.games), plies.saturating_add(shard.plies));
        }
        let is_right = (number, games, plies) == (self.shards, self.games, self.plies) && games <= u64::from(u32::MAX);
        let what = "its counts differ from those of the shards";
        if is_right { Ok(()) } else { Err(inconsistent("file header", 0, what)) }
    }

    /// The 64 bytes to write, checksum included.
    pub fn to_bytes(mut self) -> [u8; 64] {
        self.checksum = 0;
        self.checksum = xxh3_64(&bytemuck::bytes_of(&self)[..56]);
        bytemuck::cast(self)
    }

    /// Reads and checks a header.
    ///
    /// # Errors
    ///
    /// Too few bytes, another magic, a newer version, a checksum that does not fit.
    pub fn read(bytes: &[u8]) -> Result<CorpusFileHeader, CorpusError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(match bytes.is_empty() || !MAGIC.starts_with(bytes) {
                true => CorpusError::NotACorpus,
                false => Self::truncated(bytes),
            });
        }
        let head = bytes.get(..Self::BYTES).ok_or_else(|| Self::truncated(bytes))?;
        let header: CorpusFileHeader = bytemuck::pod_read_unaligned(head);
        if header.version > VERSION {
            return Err(CorpusError::UnsupportedVersion { part: "the file", found: header.version, known: VERSION });
        }
        if xxh3_64(&head[..56]) != header.checksum || header.length < Self::BYTES as u64 {
            return Err(CorpusError::Corrupt { section: "file header", offset: 0 });
        }
        if header.reserved != 0 {
            return Err(inconsistent("file header", 0, "reserved bytes are not zero"));
        }
        Ok(header)
    }

    fn truncated(bytes: &[u8]) -> CorpusError {
        let missing = (Self::BYTES - bytes.len()) as u64;
        CorpusError::Truncated { section: "file header", offset: 0, missing }
    }
}
