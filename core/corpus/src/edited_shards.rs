//! Replaces shards of an open corpus by others whose games are edited, in memory alone. The file stays as it is, and the games keep their numbers; their
//! texts are read from the file and changed on the way.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::build::{SectionBytes, build_scan_part};
use super::error::CorpusError;
use super::file::OpenCorpus;
use super::layout::{ShardLayout, ShardSection};
use super::shard::Shard;
use super::shard_parts::ShardParts;
use super::storage::CorpusStorage;
use super::stored_shard::StoredShard;
use super::upgrade::stored_sections;

/// What becomes of the text of a game, by its number from 0; none if it stays as it is.
pub type TextChange = dyn Fn(u32, &[u8]) -> Option<Vec<u8>> + Send + Sync;

/// A shard that is to take the place of another one.
pub struct ReplacedShard<B> {
    index: u32,
    shard: StoredShard<B>,
}

impl<S: CorpusStorage> OpenCorpus<S, S::Bytes> {
    /// Packs the games of the shard with this index anew, and returns what is to take its place; none if nothing is. `pack` takes the
    /// games as they are in the file, and returns the bytes of a shard of as many games without their texts, or none if they stay so.
    ///
    /// # Errors
    ///
    /// The shard is damaged; the storage cannot be read; the error of `pack`.
    ///
    /// # Panics
    ///
    /// If there is no such shard, or if `pack` returns another number of games.
    pub fn repack_shard<E: From<S::Error>>(
        &self,
        index: u32,
        pack: impl FnOnce(&Shard<'_>) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Option<ReplacedShard<S::Bytes>>, E> {
        let current = &self.shards[index as usize];
        let read = if current.is_edited() { Some(current.read_again(&self.storage)?) } else { None };
        let imported = read.as_ref().unwrap_or(current);
        let in_file = |error: CorpusError| S::Error::from(error.with_offset_base(current.offset));
        imported.require(ShardParts::ALL_WITH_TEXT_PLACES).map_err(in_file)?;
        let shard = match pack(&imported.shard())? {
            Some(packed) => Some(edited(imported, &packed).map_err(in_file)?),
            None => read,
        };
        Ok(shard.map(|shard| ReplacedShard { index, shard }))
    }

    /// Puts a shard in its place. What was taken of the corpus before does not have it.
    pub fn replace_shard(&mut self, ReplacedShard { index, shard }: ReplacedShard<S::Bytes>) {
        self.shards[index as usize] = shard;
        self.header.plies = self.shard_sizes().map(|(_, plies)| plies).sum();
    }

    /// Changes texts when they are read, from now on.
    pub fn change_texts(&mut self, change: Arc<TextChange>) {
        self.text_change = Some(change);
    }
}

/// The shard with the games of another one, which was packed without texts: the texts are where they were.
fn edited<B: AsRef<[u8]>>(imported: &StoredShard<B>, packed: &[u8]) -> Result<StoredShard<B>, CorpusError> {
    let header = ShardLayout::read_header(packed)?;
    assert_eq!(header.games, imported.header().games, "a shard keeps its number of games");
    let (imported_sections, text) = stored_sections(imported.bytes(), imported.header());
    let (mut sections, _) = stored_sections(packed, &header);
    for SectionBytes { kind, bytes, .. } in &mut sections {
        if [ShardSection::TextIndex as u32, ShardSection::TextBlocks as u32].contains(kind)
            && let Some(places) = imported_sections.iter().find(|section| section.kind == *kind)
        {
            *bytes = places.bytes;
        }
    }
    imported.with_edited(&build_scan_part(&sections, text, header.games, header.plies, 0))
}
