//! A corpus on object storage: its header and the directories of its shards are in memory, everything else is fetched.

use std::sync::Arc;

use bytes::Bytes;
use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::corpus::partial_shard::{PartialShard, ShardDirectory};

use super::failure::RemoteFailure;
use super::file::{RemoteFile, RemotePlace};
use crate::session_work::SessionWork;

/// An open corpus on object storage.
pub(crate) struct RemoteCorpus {
    file: RemoteFile,
    #[cfg_attr(not(feature = "cluster"), expect(dead_code, reason = "only machines of a cluster compare libraries"))]
    header: CorpusFileHeader,
    shards: Vec<RemoteShard>,
}

/// A shard: where it begins in the file, and what it has.
struct RemoteShard {
    offset: u64,
    directory: ShardDirectory,
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
        let header = CorpusFileHeader::read(&head).map_err(&damaged)?;
        if file.size_bytes() < header.length {
            let missing = header.length - file.size_bytes();
            return Err(damaged(CorpusError::Truncated { section: "the shards", offset: file.size_bytes(), missing }));
        }
        let (mut shards, mut offset) = (Vec::new(), CorpusFileHeader::BYTES as u64);
        while offset < header.length {
            let end = header.length.min(offset + ShardDirectory::MAX_BYTES);
            let bytes = match head.get(offset as usize..end as usize) {
                Some(known) => Bytes::copy_from_slice(known),
                None => file.read(offset..end).await?,
            };
            let directory = ShardDirectory::read(&bytes).map_err(|error| damaged(error.with_offset_base(offset)))?;
            let length = directory.header().length;
            if offset.saturating_add(length) > header.length {
                return Err(damaged(CorpusError::Corrupt { section: "shard header", offset }));
            }
            shards.push(RemoteShard { offset, directory });
            offset += length;
        }
        let headers = || shards.iter().map(|shard| shard.directory.header());
        let games: u64 = headers().map(|shard| u64::from(shard.games)).sum();
        let plies: u64 = headers().map(|shard| shard.plies).sum();
        if (shards.len() as u32, games, plies) != (header.shards, header.games, header.plies) {
            let what = "its counts differ from those of the shards";
            return Err(damaged(CorpusError::Inconsistent { section: "file header", offset: 0, what }));
        }
        work.count_size(header.length);
        Ok(RemoteCorpus { file, header, shards })
    }

    /// The address.
    pub fn address(&self) -> &str {
        self.file.address()
    }

    /// Its header.
    #[cfg(feature = "cluster")]
    pub fn header(&self) -> &CorpusFileHeader {
        &self.header
    }

    /// The numbers of games and plies of each shard.
    pub fn shard_sizes(&self) -> impl Iterator<Item = (u32, u64)> {
        self.shards.iter().map(|shard| (shard.directory.header().games, shard.directory.header().plies))
    }

    /// A shard of which nothing has been fetched.
    pub fn empty_shard(&self, index: usize) -> PartialShard {
        PartialShard::new(self.shards[index].directory.clone())
    }

    /// Fetches those of the parts that a shard does not have yet, and checks them.
    ///
    /// # Errors
    ///
    /// The file cannot be read, has changed, or is damaged.
    pub async fn fetch(&self, index: usize, shard: &mut PartialShard, parts: ShardParts) -> Result<(), RemoteFailure> {
        let offset = self.shards[index].offset;
        let missing = shard.missing(parts);
        let in_file: Vec<_> = missing.iter().map(|range| range.start + offset..range.end + offset).collect();
        let fetched = self.file.read_ranges(&in_file).await?;
        let damaged = |error: CorpusError| RemoteFailure::corpus(self.file.address())(error.with_offset_base(offset));
        for (range, place) in missing.iter().zip(&in_file) {
            shard.put(range.start, &fetched.get(place)).map_err(damaged)?;
        }
        shard.complete(parts).map_err(damaged)
    }
}
