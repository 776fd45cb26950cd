//! The texts of the games of shards that have been loaded, for queries that ask what texts alone say.

use std::collections::BTreeMap;

use bytes::Bytes;
use plyfold_core::comment_search::TextSource;
use plyfold_core::corpus::file::GameTexts;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::game::GameId;
use plyfold_library::MappedFile;

use crate::error::SqlFailure;
use crate::library::MemberCorpus;
use crate::loaded_shard::LoadedShard;

/// Reads texts of shards whose games ascend. Neighbouring games share a block of text, which is unpacked once for all of them.
pub(crate) struct ShardTexts<'s> {
    shards: &'s [LoadedShard],
    /// The shard of the last game.
    current: Option<(usize, CurrentTexts<'s>)>,
}

/// How the texts of a shard are read.
enum CurrentTexts<'s> {
    Mapped(GameTexts<'s, MappedFile>),
    /// The block that was unpacked last, by its first byte in the shard.
    Fetched(Option<(u64, Vec<u8>)>),
}

/// The blocks of texts of a shard that have been fetched, by their first bytes in the shard.
pub(crate) type FetchedTexts = BTreeMap<u64, Bytes>;

/// The blocks that have the texts of some games of a shard, by their first bytes in the shard, with their lengths.
pub(crate) fn text_blocks(shard: &Shard<'_>, games: impl Iterator<Item = u32>) -> BTreeMap<u64, usize> {
    games.filter_map(|game| shard.text_location(game)).map(|place| (place.offset, place.length)).collect()
}

impl<'s> ShardTexts<'s> {
    /// A reader for these shards.
    pub fn new(shards: &'s [LoadedShard]) -> ShardTexts<'s> {
        ShardTexts { shards, current: None }
    }
}

impl TextSource for ShardTexts<'_> {
    type Error = SqlFailure;

    fn text(&mut self, game: GameId) -> Result<&[u8], SqlFailure> {
        let first_game = |shard: &LoadedShard| shard.library().place(shard.nth()).first_game;
        let at = self.shards.partition_point(|shard| first_game(shard) <= game).saturating_sub(1);
        let shard = &self.shards[at];
        let (nth, library) = (shard.nth(), shard.library());
        let corpus = library.corpus_of(nth);
        let current = match self.current.take() {
            Some((before, current)) if before == at => current,
            _ => match corpus {
                MemberCorpus::Mapped(corpus) => CurrentTexts::Mapped(corpus.texts()),
                MemberCorpus::Remote(_) => CurrentTexts::Fetched(None),
            },
        };
        let (_, current) = self.current.insert((at, current));
        match (current, corpus) {
            (CurrentTexts::Mapped(texts), MemberCorpus::Mapped(corpus)) => {
                texts.get(game.0 - library.first_game_of_corpus(nth)).map_err(|error| corpus.damaged(error))
            }
            (CurrentTexts::Fetched(unpacked), MemberCorpus::Remote(corpus)) => {
                let index = library.place(nth).index;
                let damaged = |error| corpus.damaged(index, error);
                let Some(place) = shard.shard().text_location(game.0 - first_game(shard).0) else { return Ok(&[]) };
                if unpacked.as_ref().is_none_or(|(offset, _)| *offset != place.offset) {
                    let block = shard.fetched_texts().and_then(|texts| texts.get(&place.offset));
                    *unpacked = Some((place.offset, place.unpack(block.map_or(&[], |block| block)).map_err(damaged)?));
                }
                let raw = unpacked.as_ref().map_or(&[][..], |(_, raw)| raw);
                Ok(place.game_text(raw).map_err(damaged)?)
            }
            _ => unreachable!("the reader is that of the corpus"),
        }
    }
}
