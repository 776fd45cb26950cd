//! A corpus on object storage: its header and the directories of its shards are in memory, everything else is fetched.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::directory::{CorpusDirectory, CorpusDirectoryReader, PlacedShard, ShardDirectory};
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::corpus::partial_shard::PartialShard;

use super::failure::RemoteFailure;
use super::file::{RemoteFile, RemotePlace};
use crate::session_work::SessionWork;

/// An open corpus on object storage.
pub(crate) struct RemoteCorpus {
    file: RemoteFile,
    directory: CorpusDirectory,
}

impl RemoteCorpus {
    /// Reads the header of a corpus and the directories of its shards, one after another.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is damaged, or is no corpus.
    pub async fn open(place: RemotePlace, work: Arc<SessionWork>) -> Result<RemoteCorpus, RemoteFailure> {
        const HEAD: u64 = CorpusFileHeader::BYTES as u64 + ShardDirectory::MAX_BYTES;
        let (file, head) = RemoteFile::open(place, HEAD, work.clone()).await?;
        let address = file.address().to_owned();
        let damaged = RemoteFailure::corpus(&address);
        let mut reader = CorpusDirectoryReader::new(&head, file.size_bytes()).map_err(&damaged)?;
        while let Some(range) = reader.next_range() {
            let bytes = match head.get(range.start as usize..range.end as usize) {
                Some(known) => Bytes::copy_from_slice(known),
                None => file.read(range).await?,
            };
            reader.push(&bytes).map_err(&damaged)?;
        }
        let directory = reader.finish().map_err(&damaged)?;
        work.count_size(directory.header.length);
        Ok(RemoteCorpus { file, directory })
    }

    /// The address.
    pub fn address(&self) -> &str {
        self.file.address()
    }

    /// Its header.
    pub fn header(&self) -> &CorpusFileHeader {
        &self.directory.header
    }

    /// The numbers of games and plies of each shard.
    pub fn shard_sizes(&self) -> impl Iterator<Item = (u32, u64)> {
        self.directory.shards.iter().map(|shard| (shard.directory.header().games, shard.directory.header().plies))
    }

    /// A shard of which nothing has been fetched.
    ///
    /// # Errors
    ///
    /// It is too large to be fetched.
    pub fn empty_shard(&self, index: usize) -> Result<PartialShard, RemoteFailure> {
        let PlacedShard { offset, directory } = &self.directory.shards[index];
        PartialShard::new(directory.clone()).map_err(self.damaged_at(*offset))
    }

    /// Fetches those of the parts that a shard does not have yet, and checks them.
    ///
    /// # Errors
    ///
    /// The file cannot be read, has changed, or is damaged.
    pub async fn fetch(&self, index: usize, shard: &mut PartialShard, parts: ShardParts) -> Result<(), RemoteFailure> {
        let offset = self.directory.shards[index].offset;
        let missing = shard.missing(parts);
        let in_file: Vec<_> = missing.iter().map(|range| range.start + offset..range.end + offset).collect();
        let fetched = self.file.read_ranges(&in_file).await?;
        let damaged = self.damaged_at(offset);
        for (range, place) in missing.iter().zip(&in_file) {
            shard.put(range.start, &fetched.get(place)).map_err(&damaged)?;
        }
        shard.complete(parts).map_err(damaged)
    }

    /// Fetches blocks of text of a shard, each by its first byte in the shard and its length. They are checked when they are unpacked.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has changed.
    pub async fn fetch_texts(
        &self,
        index: usize,
        blocks: &BTreeMap<u64, usize>,
    ) -> Result<BTreeMap<u64, Bytes>, RemoteFailure> {
        let offset = self.directory.shards[index].offset;
        let in_file: Vec<_> =
            blocks.iter().map(|(&start, &length)| start + offset..start + offset + length as u64).collect();
        let fetched = self.file.read_ranges(&in_file).await?;
        Ok(blocks.keys().zip(&in_file).map(|(&start, place)| (start, fetched.get(place))).collect())
    }

    /// What an error is of a shard, which tells places from its beginning on.
    pub fn damaged(&self, index: usize, error: CorpusError) -> RemoteFailure {
        self.damaged_at(self.directory.shards[index].offset)(error)
    }

    /// What an error is that tells places from the shard at `offset` on.
    fn damaged_at(&self, offset: u64) -> impl Fn(CorpusError) -> RemoteFailure {
        move |error| RemoteFailure::corpus(self.file.address())(error.with_offset_base(offset))
    }
}
