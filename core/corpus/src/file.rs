//! A corpus file: a header of 64 bytes, then shards one after another.
//!
//! New games are appended as new shards. The header says how many bytes of the file belong to the corpus (`length`) and is written
//! last, so an interrupted append leaves the corpus as it was.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::checked_parts::CheckedParts;
use super::edited_shards::TextChange;
use super::error::CorpusError;
pub use super::file_header::{CorpusFileHeader, MAGIC, VERSION};
use super::layout::{ShardSection, inconsistent};
use super::record::HeaderRecord;
use super::shard::Shard;
use super::shard_parts::ShardParts;
use super::storage::CorpusStorage;
pub use super::stored_shard::{CorpusCheck, OldShards};
use super::stored_shard::{StoredShard, check_shards, place_shards, read_shards};

/// An open corpus: everything that scans read is in memory or mapped; texts are read from the storage when they are needed.
///
/// `S` is the [storage](CorpusStorage), and `B` the bytes that it reads.
pub struct OpenCorpus<S, B> {
    /// The file's header.
    pub header: CorpusFileHeader,
    pub(super) storage: S,
    pub(super) shards: Vec<StoredShard<B>>,
    /// Number of the first game of each shard, and the number of games at the end.
    pub(super) first_games: Vec<u32>,
    /// What becomes of the texts.
    pub(super) text_change: Option<Arc<TextChange>>,
}

/// A corpus whose bytes are in memory or mapped.
pub type CorpusReader<'a> = OpenCorpus<&'a [u8], &'a [u8]>;

/// Where a game lies in a corpus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameLocation {
    /// Index of its shard.
    pub shard: u32,
    /// Its index in the shard.
    pub game: u32,
}

impl<'a> OpenCorpus<&'a [u8], &'a [u8]> {
    /// Opens a corpus in memory, its shards as they are stored: `bytes` is the whole file, 8-byte aligned. A memory map is
    /// aligned; of other bytes, make a [`CorpusBuffer`](super::buffer::CorpusBuffer).
    ///
    /// # Errors
    ///
    /// As [`open_storage`](OpenCorpus::open_storage).
    pub fn open(bytes: &'a [u8], check: CorpusCheck) -> Result<CorpusReader<'a>, CorpusError> {
        OpenCorpus::open_storage(bytes, check, OldShards::AsStored)
    }
}

impl<'a, S: CorpusStorage<Error = CorpusError, Bytes = &'a [u8]>> OpenCorpus<S, &'a [u8]> {
    /// Returns where each shard begins in the file, and its bytes, in order.
    pub fn shard_bytes(&self) -> impl ExactSizeIterator<Item = (u64, &'a [u8])> {
        self.shards.iter().map(|shard| {
            let bytes = self.storage.read(shard.offset, shard.header().length);
            (shard.offset, bytes.unwrap_or_default())
        })
    }
}

impl<S: CorpusStorage> OpenCorpus<S, S::Bytes> {
    /// Opens a corpus, wherever its bytes are.
    ///
    /// Cost: one pass over the bytes that `check` names, on all threads of the rayon pool with feature `rayon`; a replay of the shards
    /// that are upgraded.
    ///
    /// # Errors
    ///
    /// The first thing wrong, with its offset in the file; storage that cannot be read.
    pub fn open_storage(storage: S, check: CorpusCheck, old_shards: OldShards) -> Result<Self, S::Error> {
        let head = storage.read(0, CorpusFileHeader::BYTES as u64)?;
        let header = CorpusFileHeader::read(head.as_ref())?;
        let shards = match check {
            CorpusCheck::WhenUsed => place_shards(&storage, head.as_ref(), old_shards)?,
            check => check_shards(read_shards(&storage, &header, check)?, check, old_shards)?,
        };
        header.check_counts(shards.iter().map(StoredShard::header))?;
        let mut first_games = alloc::vec![0];
        first_games.extend(shards.iter().scan(0, |games, shard| {
            *games += shard.header().games;
            Some(*games)
        }));
        Ok(OpenCorpus { header, storage, shards, first_games, text_change: None })
    }

    /// A corpus whose shards have yet to [arrive](Self::push_shard), with the id of the file that they come from. The storage is read
    /// for texts alone.
    pub fn arriving(id: u64, storage: S) -> Self {
        let header = CorpusFileHeader::empty_with_id(id);
        OpenCorpus { header, storage, shards: Vec::new(), first_games: alloc::vec![0], text_change: None }
    }

    /// Checks the scan part of the next shard and adds its games at the end of the corpus.
    ///
    /// # Errors
    ///
    /// The first thing wrong, with its offset in the file; the corpus is as before.
    pub fn push_shard(&mut self, scan_part: S::Bytes) -> Result<(), CorpusError> {
        let offset = self.header.length;
        let at = |error: CorpusError| error.with_offset_base(offset);
        let mut header = self.header;
        header.append(scan_part.as_ref()).map_err(at)?;
        if header.games > u64::from(u32::MAX) {
            return Err(at(inconsistent("shard header", 32, "the corpus would have more games than numbers")));
        }
        self.shards.push(StoredShard::of_scan_part(offset, scan_part).map_err(at)?);
        self.first_games.push(header.games as u32);
        self.header = header;
        Ok(())
    }

    /// The text of game `id` (from 0), byte for byte as it was imported unless it is [changed](Self::change_texts).
    ///
    /// # Errors
    ///
    /// No such game; text that is damaged; storage that cannot be read.
    pub fn text(&self, id: u32) -> Result<Vec<u8>, S::Error> {
        self.texts().get(id).map(<[u8]>::to_vec)
    }

    /// A reader for the texts of many games.
    pub fn texts(&self) -> GameTexts<'_, S> {
        GameTexts { change: self.text_change.as_deref(), ..self.imported_texts() }
    }

    /// A reader for the texts as they were imported.
    pub fn imported_texts(&self) -> GameTexts<'_, S> {
        GameTexts { corpus: self, current_block: None, unpacked: Vec::new(), change: None, changed: Vec::new() }
    }
}

impl<S, B: AsRef<[u8]> + Sync> OpenCorpus<S, B> {
    /// Checks these parts of all shards as far as they have not been, so that they can be read from now on; on all threads of the rayon
    /// pool with feature `rayon`. What was taken of the corpus before does not have them.
    ///
    /// Cost: one pass over the bytes that have not been checked. Nothing if the corpus was checked when it was opened.
    ///
    /// # Errors
    ///
    /// The first thing wrong, with its offset in the file.
    pub fn require(&self, parts: ShardParts) -> Result<(), CorpusError> {
        self.first_damage(parts).map_or(Ok(()), |(shard, error)| Err(error.with_offset_base(shard.offset)))
    }

    /// The first shard in which these parts are damaged, and the error with its offset in the shard.
    pub(super) fn first_damage(&self, parts: ShardParts) -> Option<(&StoredShard<B>, CorpusError)> {
        let damage = |shard| StoredShard::require(shard, parts).err().map(|error| (shard, error));
        #[cfg(feature = "rayon")]
        return rayon::iter::ParallelIterator::find_map_first(
            rayon::iter::IntoParallelRefIterator::par_iter(&self.shards),
            damage,
        );
        #[cfg(not(feature = "rayon"))]
        self.shards.iter().find_map(damage)
    }
}

impl<S, B: AsRef<[u8]>> OpenCorpus<S, B> {
    /// The shard with this index, of which these parts have been checked.
    ///
    /// # Errors
    ///
    /// They are damaged; the offset is that in the file.
    ///
    /// # Panics
    ///
    /// If there is no such shard.
    pub fn shard_with(&self, index: u32, parts: ShardParts) -> Result<Shard<'_>, CorpusError> {
        let shard = &self.shards[index as usize];
        shard.require(parts).map_err(|error| error.with_offset_base(shard.offset))?;
        Ok(shard.shard())
    }

    /// What has been checked of each shard, now and from now on.
    pub fn checked_parts(&self) -> impl ExactSizeIterator<Item = &CheckedParts> {
        self.shards.iter().map(|shard| &shard.checked)
    }

    /// The numbers of games and plies of each shard.
    pub fn shard_sizes(&self) -> impl ExactSizeIterator<Item = (u32, u64)> {
        self.shards.iter().map(|shard| (shard.header().games, shard.header().plies))
    }

    /// The shards, in order, with the parts that have been checked.
    pub fn shards(&self) -> impl ExactSizeIterator<Item = Shard<'_>> {
        self.shards.iter().map(StoredShard::shard)
    }

    /// The shard with this index.
    ///
    /// # Panics
    ///
    /// If there is no such shard.
    pub fn shard(&self, index: u32) -> Shard<'_> {
        self.shards[index as usize].shard()
    }

    /// Name and bytes of each section, in the order of the file, of one shard after another.
    pub fn section_sizes(&self) -> impl Iterator<Item = [(&'static str, u64); ShardSection::COUNT]> {
        self.shards.iter().map(StoredShard::section_sizes)
    }

    /// How many shards store these parts, whether they have been checked or not.
    pub fn shards_storing(&self, parts: ShardParts) -> usize {
        self.shards.iter().filter(|shard| shard.stores(parts)).count()
    }

    /// Returns where game `id` (from 0) lies; none if there is no such game.
    pub fn locate(&self, id: u32) -> Option<GameLocation> {
        let shard = self.first_games.partition_point(|&first| first <= id).checked_sub(1)?;
        (shard < self.shards.len()).then(|| GameLocation { shard: shard as u32, game: id - self.first_games[shard] })
    }

    /// The shard that holds game `id` (from 0), and the game's index in it.
    pub fn find_game(&self, id: u32) -> Option<(Shard<'_>, u32)> {
        let GameLocation { shard, game } = self.locate(id)?;
        Some((self.shard(shard), game))
    }

    /// The header record of game `id` (from 0).
    pub fn record(&self, id: u32) -> Option<&HeaderRecord> {
        let (shard, game) = self.find_game(id)?;
        shard.records.get(game as usize)
    }

    /// Returns which bytes of the file hold the text of game `id` (from 0), together with those of its neighbours: offset and
    /// length; none if it has no text or there is no such game, or if [`ShardParts::TEXT_PLACES`] have not been checked.
    pub fn text_range(&self, id: u32) -> Option<(u64, u64)> {
        let GameLocation { shard, game } = self.locate(id)?;
        let shard = &self.shards[shard as usize];
        let block = shard.text_location(game)?;
        Some((shard.offset + block.offset, block.length as u64))
    }

    /// The error of a number that no game has.
    pub fn no_such_game(&self, id: u32) -> CorpusError {
        CorpusError::NoSuchGame { number: u64::from(id) + 1, games: self.header.games }
    }
}

/// Reads texts of games. Neighbouring games share a block of text, which is unpacked once for all of them.
pub struct GameTexts<'c, S: CorpusStorage> {
    corpus: &'c OpenCorpus<S, S::Bytes>,
    /// Where the block in `unpacked` begins in the file.
    current_block: Option<u64>,
    unpacked: Vec<u8>,
    change: Option<&'c TextChange>,
    /// The last text that was changed.
    changed: Vec<u8>,
}

impl<S: CorpusStorage> GameTexts<'_, S> {
    /// The text of game `id` (from 0).
    ///
    /// # Errors
    ///
    /// As [`OpenCorpus::text`].
    pub fn get(&mut self, id: u32) -> Result<&[u8], S::Error> {
        let GameLocation { shard, game } = self.corpus.locate(id).ok_or_else(|| self.corpus.no_such_game(id))?;
        let shard = &self.corpus.shards[shard as usize];
        let in_file = |error: CorpusError| error.with_offset_base(shard.offset);
        shard.require(ShardParts::TEXT_PLACES).map_err(in_file)?;
        let Some(location) = shard.text_location(game) else {
            return Ok(&[]);
        };
        let block_offset = shard.offset + location.offset;
        if self.current_block != Some(block_offset) {
            self.current_block = None;
            let block = self.corpus.storage.read(block_offset, location.length as u64)?;
            self.unpacked = location.unpack(block.as_ref()).map_err(in_file)?;
            self.current_block = Some(block_offset);
        }
        let text = location.game_text(&self.unpacked).map_err(in_file)?;
        let Some(changed) = self.change.and_then(|change| change(id, text)) else { return Ok(text) };
        self.changed = changed;
        Ok(&self.changed)
    }
}
