//! A shard that is ready for a scan: mapped into memory, or fetched from object storage as far as the scan needs it.

use std::sync::Arc;

use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::partial_shard::PartialShard;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::game::{GameId, GameSpan};
use plyfold_core::scan::parts::{header_parts, headers_rule_out, parts_read};

use crate::bound_query::BoundQuery;
use crate::library::{Library, SharedLibrary};
use crate::remote::{RemoteCorpus, RemoteFailure};

/// What is read of each shard.
#[derive(Debug)]
pub(crate) struct ShardNeeds {
    /// The query whose headers may rule out shards, and whether positions are wanted.
    query: Option<(Arc<BoundQuery>, bool)>,
    header_parts: ShardParts,
    parts: ShardParts,
}

impl ShardNeeds {
    /// What a scan for a query reads, and `output` for what becomes of its matches.
    pub fn of_scan(query: &Arc<BoundQuery>, wants_positions: bool, output: ShardParts) -> Arc<ShardNeeds> {
        let header_parts = header_parts(query.query());
        let parts = parts_read(query.query()) | output;
        Arc::new(ShardNeeds { query: Some((query.clone(), wants_positions)), header_parts, parts })
    }

    /// These parts of every shard.
    pub fn of_parts(parts: ShardParts) -> Arc<ShardNeeds> {
        Arc::new(ShardNeeds { query: None, header_parts: ShardParts::RECORDS, parts })
    }

    /// Fetches a shard of a corpus, its headers first; nothing if they rule out all of its games. `first_game` is that of the shard in
    /// the library.
    pub async fn fetch(
        &self,
        corpus: &RemoteCorpus,
        index: usize,
        first_game: GameId,
    ) -> Result<Option<PartialShard>, RemoteFailure> {
        let mut shard = corpus.empty_shard(index);
        if let Some((query, wants_positions)) = &self.query
            && self.header_parts != ShardParts::RECORDS
        {
            corpus.fetch(index, &mut shard, self.header_parts).await?;
            let span = shard.shard().map(|shard| GameSpan::from_shard(&shard, 0, first_game));
            if span.is_some_and(|span| headers_rule_out(query.query(), *wants_positions, &span)) {
                return Ok(None);
            }
        }
        corpus.fetch(index, &mut shard, self.parts).await?;
        Ok(Some(shard))
    }
}

/// A shard of a library whose parts can be read.
pub(crate) struct LoadedShard {
    library: SharedLibrary,
    nth: usize,
    /// The shard, unless it is mapped.
    fetched: Option<PartialShard>,
}

impl LoadedShard {
    pub fn new(library: SharedLibrary, nth: usize, fetched: Option<PartialShard>) -> LoadedShard {
        LoadedShard { library, nth, fetched }
    }

    /// The number of the shard in the library.
    pub fn nth(&self) -> usize {
        self.nth
    }

    /// The library.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The slices of the shard.
    pub fn shard(&self) -> Shard<'_> {
        let shard = match &self.fetched {
            Some(fetched) => fetched.shard(),
            None => self.library.mapped_shard(self.nth),
        };
        shard.unwrap_or_else(|| unreachable!("a shard that is loaded can be read"))
    }

    /// Its games.
    pub fn span(&self) -> GameSpan<'_> {
        GameSpan::from_shard(&self.shard(), self.nth as u32, self.library.first_game(self.nth))
    }
}
