//! A corpus file: a header of 64 bytes, then shards one after the other.
//!
//! New games are appended as new shards. The header says up to where the file counts (`length`) and is written last, so
//! that an append that is broken off leaves the corpus as it was.

use alloc::vec::Vec;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use super::error::CorpusError;
use super::layout::{ShardHeader, ShardLayout};
use super::record::HeaderRecord;
use super::shard::Shard;
use super::text::TextLocation;

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
    /// Bytes that count, header included; what follows is left from an append that was broken off.
    pub length: u64,
    /// How many games there are.
    pub games: u64,
    /// How many plies there are.
    pub plies: u64,
    /// Names the corpus for the sets that are made of it; stays when games are appended.
    pub id: u64,
    reserved: u64,
    checksum: u64,
}

impl CorpusFileHeader {
    /// Bytes of a header.
    pub const BYTES: usize = 64;

    /// The header of a corpus without games.
    pub fn empty() -> CorpusFileHeader {
        CorpusFileHeader {
            magic: MAGIC,
            version: VERSION,
            shards: 0,
            length: Self::BYTES as u64,
            games: 0,
            plies: 0,
            id: 0,
            reserved: 0,
            checksum: 0,
        }
    }

    /// The header of a corpus without games that will have the same id: for the same games in shards made anew.
    #[must_use]
    pub fn empty_with_same_id(&self) -> CorpusFileHeader {
        CorpusFileHeader { id: self.id, ..CorpusFileHeader::empty() }
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
            let what = "reserved bytes are not zero";
            return Err(CorpusError::Inconsistent { section: "file header", offset: 0, what });
        }
        Ok(header)
    }

    fn truncated(bytes: &[u8]) -> CorpusError {
        let missing = (Self::BYTES - bytes.len()) as u64;
        CorpusError::Truncated { section: "file header", offset: 0, missing }
    }
}

/// How much of a corpus is checked when it is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CorpusCheck {
    /// All but the texts: enough for any scan. A text is checked when it is read.
    WithoutTexts,
    /// Every byte.
    EveryByte,
}

/// A corpus whose bytes are in memory or mapped.
pub struct CorpusReader<'a> {
    /// The file's header.
    pub header: CorpusFileHeader,
    shards: Vec<(u64, &'a [u8], Shard<'a>)>,
    /// Number of the first game of each shard, and the number of games at the end.
    first_games: Vec<u32>,
}

impl<'a> CorpusReader<'a> {
    /// Opens a corpus: `bytes` is the whole file, 8-byte aligned (a memory map is).
    ///
    /// Cost: one pass over the bytes that `check` names, on all threads of the rayon pool with feature `rayon`.
    ///
    /// # Errors
    ///
    /// The first thing wrong, with its offset in the file.
    pub fn open(bytes: &'a [u8], check: CorpusCheck) -> Result<CorpusReader<'a>, CorpusError> {
        let header = CorpusFileHeader::read(bytes)?;
        let mut shard_ranges = Vec::new();
        let mut offset = CorpusFileHeader::BYTES as u64;
        while offset < header.length {
            let rest = bytes.get(offset as usize..).unwrap_or(&[]);
            let shard = ShardLayout::read_header(rest).map_err(|error| error.with_offset_base(offset))?;
            if offset.saturating_add(shard.length) > header.length {
                return Err(CorpusError::Corrupt { section: "shard header", offset });
            }
            shard_ranges.push((offset, &rest[..rest.len().min(shard.length as usize)]));
            if shard.length > rest.len() as u64 {
                // Opening this one says what is cut.
                break;
            }
            offset += shard.length;
        }
        let open = |&(offset, bytes): &(u64, &'a [u8])| -> Result<(ShardHeader, Shard<'a>), CorpusError> {
            let layout = ShardLayout::check(bytes).map_err(|error| error.with_offset_base(offset))?;
            if check == CorpusCheck::EveryByte {
                layout.check_text(bytes).map_err(|error| error.with_offset_base(offset))?;
            } else if (bytes.len() as u64) < layout.header.length {
                let missing = layout.header.length - bytes.len() as u64;
                let offset = offset + layout.header.scan_length;
                return Err(CorpusError::Truncated { section: "text", offset, missing });
            }
            Ok((layout.header, layout.shard(bytes)))
        };
        #[cfg(feature = "rayon")]
        let opened: Vec<_> = rayon::iter::ParallelIterator::collect(rayon::iter::ParallelIterator::map(
            rayon::iter::IntoParallelRefIterator::par_iter(&shard_ranges),
            open,
        ));
        #[cfg(not(feature = "rayon"))]
        let opened: Vec<_> = shard_ranges.iter().map(open).collect();

        let mut corpus = CorpusReader { header, shards: Vec::new(), first_games: alloc::vec![0] };
        let (mut games, mut plies) = (0, 0);
        for (&(offset, bytes), opened) in shard_ranges.iter().zip(opened) {
            let (shard_header, shard) = opened?;
            games += u64::from(shard_header.games);
            plies += shard_header.plies;
            corpus.shards.push((offset, bytes, shard));
            corpus.first_games.push(games as u32);
        }
        if (corpus.shards.len() as u32, games, plies) != (header.shards, header.games, header.plies)
            || games > u64::from(u32::MAX)
        {
            let what = "its counts differ from those of the shards";
            return Err(CorpusError::Inconsistent { section: "file header", offset: 0, what });
        }
        Ok(corpus)
    }

    /// The shards, in order.
    pub fn shards(&self) -> impl ExactSizeIterator<Item = &Shard<'a>> {
        self.shards.iter().map(|(_, _, shard)| shard)
    }

    /// Where each shard begins in the file, and its bytes, in order.
    pub fn shard_bytes(&self) -> impl ExactSizeIterator<Item = (u64, &'a [u8])> {
        self.shards.iter().map(|&(offset, bytes, _)| (offset, bytes))
    }

    /// The shard that holds game `id` (from 0), and the game's index in it.
    pub fn find_game(&self, id: u32) -> Option<(&Shard<'a>, u32)> {
        let (at, game) = self.locate(id)?;
        Some((&self.shards[at].2, game))
    }

    fn locate(&self, id: u32) -> Option<(usize, u32)> {
        let at = self.first_games.partition_point(|&first| first <= id).checked_sub(1)?;
        (at < self.shards.len()).then(|| (at, id - self.first_games[at]))
    }

    /// The header record of game `id` (from 0).
    pub fn record(&self, id: u32) -> Option<&'a HeaderRecord> {
        let (shard, game) = self.find_game(id)?;
        shard.records.get(game as usize)
    }

    /// The text of game `id` (from 0), byte for byte as it was imported.
    ///
    /// # Errors
    ///
    /// No such game; text that is damaged.
    pub fn text(&self, id: u32) -> Result<Vec<u8>, CorpusError> {
        self.texts().get(id).map(<[u8]>::to_vec)
    }

    /// The texts of many games, one after the other.
    pub fn texts(&self) -> GameTexts<'_, 'a> {
        GameTexts { corpus: self, current_block: None, unpacked: Vec::new() }
    }
}

/// Texts of games. Neighbours share a block of text; one that was unpacked for a game serves the next as well.
pub struct GameTexts<'c, 'a> {
    corpus: &'c CorpusReader<'a>,
    /// Shard and offset of the block in `raw`.
    current_block: Option<(usize, u64)>,
    unpacked: Vec<u8>,
}

impl GameTexts<'_, '_> {
    /// The text of game `id` (from 0), byte for byte as it was imported.
    ///
    /// # Errors
    ///
    /// No such game; text that is damaged.
    pub fn get(&mut self, id: u32) -> Result<&[u8], CorpusError> {
        let missing = CorpusError::NoSuchGame { number: u64::from(id) + 1, games: self.corpus.header.games };
        let (at, game) = self.corpus.locate(id).ok_or(missing)?;
        let (offset, bytes, shard) = &self.corpus.shards[at];
        let Some(place): Option<TextLocation> = shard.text_location(game) else {
            return Ok(&[]);
        };
        if self.current_block != Some((at, place.offset)) {
            let block = bytes.get(place.offset as usize..).unwrap_or(&[]);
            self.current_block = None;
            self.unpacked = place.unpack(block).map_err(|error| error.with_offset_base(*offset))?;
            self.current_block = Some((at, place.offset));
        }
        place.game_text(&self.unpacked).map_err(|error| error.with_offset_base(*offset))
    }
}
