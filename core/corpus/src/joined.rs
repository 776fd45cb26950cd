//! Joins several corpora into one library: their shards follow one another, so that one scan reads them all and their games are
//! numbered consecutively. Each corpus is opened and checked by itself, so an error names it.

use alloc::string::String;
use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use super::error::CorpusError;
use super::file::{CorpusFileHeader, CorpusReader, OpenCorpus};
use super::layout::inconsistent;
use super::shard_parts::ShardParts;
use super::storage::CorpusStorage;
use super::stored_shard::StoredShard;

/// Corpora whose bytes are in memory or mapped, opened together.
pub type JoinedCorpus<'a> = OpenCorpus<JoinedFiles<'a>, &'a [u8]>;

/// The files of a library, as if they were one file: after a header, the shards of the first, those of the second, and so on.
pub struct JoinedFiles<'a> {
    members: Vec<Member>,
    /// The shards of each file, without its header.
    bytes: Vec<&'a [u8]>,
    size_bytes: u64,
}

/// A corpus of a library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// What its user calls it, such as the path of its file.
    pub name: String,
    /// The number of its first game in the library, from 0.
    pub first_game: u32,
    /// Where its first shard begins among the bytes of all.
    begin: u64,
}

impl<'a> CorpusStorage for JoinedFiles<'a> {
    type Error = CorpusError;
    type Bytes = &'a [u8];

    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Reads no further than to the end of the file in which the bytes begin.
    fn read(&self, offset: u64, length: u64) -> Result<&'a [u8], CorpusError> {
        let nth = self.members.partition_point(|member| member.begin <= offset);
        match nth.checked_sub(1) {
            Some(nth) => self.bytes[nth].read(offset - self.members[nth].begin, length),
            None => Ok(&[]),
        }
    }
}

impl<'a> OpenCorpus<JoinedFiles<'a>, &'a [u8]> {
    /// Joins corpora, with what their user calls them, in this order. The library has the id of its only corpus; several have one that
    /// is made of theirs.
    ///
    /// # Errors
    ///
    /// There are more games than numbers.
    pub fn join(corpora: Vec<(String, CorpusReader<'a>)>) -> Result<JoinedCorpus<'a>, CorpusError> {
        let headers: Vec<CorpusFileHeader> = corpora.iter().map(|(_, corpus)| corpus.header).collect();
        let mut header = CorpusFileHeader::empty_with_id(joined_id(&headers));
        let mut storage = JoinedFiles { members: Vec::new(), bytes: Vec::new(), size_bytes: header.length };
        let (mut shards, mut first_games) = (Vec::new(), alloc::vec![0]);
        for (name, corpus) in corpora {
            let (begin, first_game) = (header.length, header.games);
            header.length += corpus.header.length - CorpusFileHeader::BYTES as u64;
            header.shards += corpus.header.shards;
            header.games += corpus.header.games;
            header.plies += corpus.header.plies;
            if header.games > u64::from(u32::MAX) {
                return Err(inconsistent("library", 0, "the corpora have more games together than numbers"));
            }
            storage.members.push(Member { name, first_game: first_game as u32, begin });
            storage.bytes.push(&corpus.storage[CorpusFileHeader::BYTES..corpus.header.length as usize]);
            first_games.extend(corpus.first_games.iter().skip(1).map(|&first| first + first_game as u32));
            shards.extend(corpus.shards.into_iter().map(|mut shard| {
                shard.offset += begin - CorpusFileHeader::BYTES as u64;
                shard
            }));
        }
        storage.size_bytes = header.length;
        Ok(OpenCorpus { header, storage, shards, first_games, text_change: None })
    }

    /// Checks parts of all shards as [`require`](OpenCorpus::require) does.
    ///
    /// # Errors
    ///
    /// The first thing wrong: the name of its corpus, and the offset in this corpus.
    pub fn require_of_members(&self, parts: ShardParts) -> Result<(), (&str, CorpusError)> {
        self.first_damage(parts).map_or(Ok(()), |(shard, error)| Err(self.in_member(shard, error)))
    }

    /// Checks parts of the shard that has game `id` (from 0); nothing if there is no such game.
    ///
    /// # Errors
    ///
    /// As [`require_of_members`](Self::require_of_members).
    pub fn require_of_game(&self, id: u32, parts: ShardParts) -> Result<(), (&str, CorpusError)> {
        let Some(location) = self.locate(id) else { return Ok(()) };
        let shard = &self.shards[location.shard as usize];
        shard.require(parts).map_err(|error| self.in_member(shard, error))
    }

    /// The name of the corpus that has a shard, and an error of the shard with its offset in the corpus.
    fn in_member(&self, shard: &StoredShard<&[u8]>, error: CorpusError) -> (&str, CorpusError) {
        let members = self.members();
        let nth = members.partition_point(|member| member.begin <= shard.offset).saturating_sub(1);
        let offset = shard.offset - members[nth].begin + CorpusFileHeader::BYTES as u64;
        (&members[nth].name, error.with_offset_base(offset))
    }

    /// The corpora, in order.
    pub fn members(&self) -> &[Member] {
        &self.storage.members
    }

    /// The corpus of game `id` (from 0), and the game's number there, from 0; none if there is no such game.
    pub fn member_of(&self, id: u32) -> Option<(&Member, u32)> {
        let members = self.members();
        let nth = members.partition_point(|member| member.first_game <= id);
        let member = members.get(nth.checked_sub(1)?)?;
        (u64::from(id) < self.header.games).then(|| (member, id - member.first_game))
    }
}

/// Returns the id of corpora that are joined in this order, for sets of their games. It changes as soon as a number means another game, and
/// stays the same while games are only added at the end.
pub fn joined_id(headers: &[CorpusFileHeader]) -> u64 {
    let Some((last, others)) = headers.split_last() else { return 0 };
    if others.is_empty() {
        return last.id;
    }
    let fixed = others.iter().flat_map(|header| [header.id, header.games]);
    let bytes: Vec<u8> = fixed.chain([last.id]).flat_map(u64::to_le_bytes).collect();
    xxh3_64(&bytes)
}
