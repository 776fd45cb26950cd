//! Shards of a library that are ready for a scan: checked where they are mapped, or fetched from object storage, as far as it needs them.

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::partial_shard::PartialShard;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::game::{GameId, GameSpan};
use plyfold_core::scan::fold::ScanObserver;
use plyfold_core::scan::parts::{header_parts, headers_rule_out, parts_read};
use plyfold_library::LibraryError;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::bound_query::BoundQuery;
use crate::error::SqlFailure;
use crate::library::{Library, MemberCorpus, SharedLibrary};
use crate::mapped_corpus::MappedCorpus;
use crate::remote::{self, RemoteCorpus, RemoteFailure};

/// Shards that are fetched at the same time: one is scanned meanwhile.
pub(crate) const SHARDS_AT_ONCE: usize = 3;

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
        Arc::new(ShardNeeds { query: None, header_parts: ShardParts::NONE, parts })
    }

    /// Fetches a shard of a corpus, its headers first; nothing if they rule out all of its games. `first_game` is that of the shard in
    /// the library.
    pub async fn fetch(
        &self,
        corpus: &RemoteCorpus,
        index: usize,
        first_game: GameId,
    ) -> Result<Option<PartialShard>, RemoteFailure> {
        let mut shard = corpus.empty_shard(index)?;
        if let Some((query, wants_positions)) = &self.query
            && self.header_parts != ShardParts::NONE
        {
            corpus.fetch(index, &mut shard, self.header_parts).await?;
            let headers = shard.shard();
            if headers.is_some_and(|headers| rules_out(query, *wants_positions, &headers, first_game)) {
                return Ok(None);
            }
        }
        corpus.fetch(index, &mut shard, self.parts).await?;
        Ok(Some(shard))
    }

    /// Checks the parts of a mapped shard, those of its headers first; nothing if they rule out all of its games. `first_game` is that of
    /// the shard in the library.
    pub fn check(
        &self,
        corpus: &MappedCorpus,
        index: usize,
        first_game: GameId,
    ) -> Result<Option<ShardParts>, LibraryError> {
        if let Some((query, wants_positions)) = &self.query
            && self.header_parts != ShardParts::NONE
            && rules_out(query, *wants_positions, &corpus.shard(index, self.header_parts)?, first_game)
        {
            return Ok(None);
        }
        let parts = self.parts | self.header_parts;
        corpus.shard(index, parts)?;
        Ok(Some(parts))
    }
}

/// Whether the headers of a shard rule out that a query matches any of its games.
fn rules_out(query: &BoundQuery, wants_positions: bool, headers: &Shard<'_>, first_game: GameId) -> bool {
    headers_rule_out(query.query(), wants_positions, &GameSpan::from_shard(headers, 0, first_game))
}

/// A shard of a library whose parts can be read.
pub(crate) struct LoadedShard {
    library: SharedLibrary,
    nth: usize,
    bytes: LoadedBytes,
}

/// Where the bytes of a loaded shard are.
enum LoadedBytes {
    /// In a mapped file; these parts have been checked.
    Mapped(ShardParts),
    /// In memory.
    Fetched(Box<PartialShard>),
}

impl LoadedShard {
    /// A mapped shard of which these parts have been checked.
    pub fn mapped(library: SharedLibrary, nth: usize, parts: ShardParts) -> LoadedShard {
        LoadedShard { library, nth, bytes: LoadedBytes::Mapped(parts) }
    }

    /// A shard that has been fetched.
    pub fn fetched(library: SharedLibrary, nth: usize, shard: PartialShard) -> LoadedShard {
        LoadedShard { library, nth, bytes: LoadedBytes::Fetched(Box::new(shard)) }
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
        match &self.bytes {
            LoadedBytes::Mapped(parts) => self.library.mapped_shard(self.nth, *parts),
            LoadedBytes::Fetched(fetched) => {
                fetched.shard().unwrap_or_else(|| unreachable!("a shard that is loaded can be read"))
            }
        }
    }

    /// Its games.
    pub fn span(&self) -> GameSpan<'_> {
        GameSpan::from_shard(&self.shard(), self.nth as u32, self.library.first_game(self.nth))
    }
}

impl Library {
    /// Loads what is needed of a shard; nothing if its headers rule out that any of its games matches.
    ///
    /// # Errors
    ///
    /// Its file cannot be read, has changed, or is damaged.
    pub(crate) async fn load(
        self: Arc<Self>,
        nth: usize,
        needs: Arc<ShardNeeds>,
    ) -> Result<Option<LoadedShard>, SqlFailure> {
        match self.corpus_of(nth) {
            MemberCorpus::Mapped(corpus) => self.load_mapped(corpus, nth, &needs),
            MemberCorpus::Remote(_) => remote::run(self.load_anywhere(nth, needs)).await,
        }
    }

    fn load_mapped(
        self: &Arc<Self>,
        corpus: &MappedCorpus,
        nth: usize,
        needs: &ShardNeeds,
    ) -> Result<Option<LoadedShard>, SqlFailure> {
        let parts = needs.check(corpus, self.index_in_corpus(nth), self.first_game(nth))?;
        Ok(parts.map(|parts| LoadedShard::mapped(self.clone(), nth, parts)))
    }

    async fn load_anywhere(
        self: Arc<Self>,
        nth: usize,
        needs: Arc<ShardNeeds>,
    ) -> Result<Option<LoadedShard>, SqlFailure> {
        let corpus = match self.corpus_of(nth) {
            MemberCorpus::Mapped(corpus) => return self.load_mapped(corpus, nth, &needs),
            MemberCorpus::Remote(corpus) => corpus,
        };
        let fetched = needs.fetch(corpus, self.index_in_corpus(nth), self.first_game(nth)).await?;
        Ok(fetched.map(|fetched| LoadedShard::fetched(self, nth, fetched)))
    }

    /// Loads what is needed of all shards, and blocks the calling thread until it is there.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub(crate) fn load_all(self: &Arc<Self>, needs: &Arc<ShardNeeds>) -> Result<Vec<LoadedShard>, SqlFailure> {
        self.load_shards((0..self.shards()).collect(), needs)
    }

    /// Loads what is needed of some shards, and blocks the calling thread until it is there. Shards whose headers rule out that any of
    /// their games matches are not among them.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub(crate) fn load_shards(
        self: &Arc<Self>,
        shards: Vec<usize>,
        needs: &Arc<ShardNeeds>,
    ) -> Result<Vec<LoadedShard>, SqlFailure> {
        let mapped = |&nth: &usize| match self.corpus_of(nth) {
            MemberCorpus::Mapped(corpus) => Some((nth, corpus)),
            MemberCorpus::Remote(_) => None,
        };
        let loaded: Vec<Option<LoadedShard>> = if let Some(mapped) =
            shards.iter().map(mapped).collect::<Option<Vec<_>>>()
        {
            mapped.par_iter().map(|&(nth, corpus)| self.load_mapped(corpus, nth, needs)).collect::<Result<_, _>>()?
        } else {
            let (library, needs, shards) = (self.clone(), needs.clone(), shards.clone());
            remote::wait(async move {
                let loads = shards.into_iter().map(|nth| library.clone().load_anywhere(nth, needs.clone()));
                futures::stream::iter(loads).buffered(SHARDS_AT_ONCE).try_collect().await
            })?
        };
        for (&nth, _) in shards.iter().zip(&loaded).filter(|(_, loaded)| loaded.is_none()) {
            self.progress.advance(self.games_of_shard(nth));
        }
        Ok(loaded.into_iter().flatten().collect())
    }
}
