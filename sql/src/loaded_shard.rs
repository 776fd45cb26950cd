//! Shards of a library that are ready for a scan: checked where they are mapped, or fetched from object storage, as far as it needs them.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::partial_shard::PartialShard;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::game::{GameId, GameSpan};
use plyfold_core::scan::fold::ScanObserver;
use plyfold_core::scan::parts::{header_parts, headers_rule_out};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::bound_query::BoundQuery;
use crate::error::SqlFailure;
use crate::library::{Library, MemberCorpus, ShardPlace, SharedLibrary};
use crate::mapped_corpus::MappedCorpus;
use crate::remote;
use crate::shard_texts::{FetchedTexts, text_blocks};

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
        let header_parts = header_parts(query.by_headers());
        let parts = query.parts() | output;
        Arc::new(ShardNeeds { query: Some((query.clone(), wants_positions)), header_parts, parts })
    }

    /// These parts of every shard.
    pub fn of_parts(parts: ShardParts) -> Arc<ShardNeeds> {
        Arc::new(ShardNeeds { query: None, header_parts: ShardParts::NONE, parts })
    }

    /// Whether the headers of a shard rule out that the query matches any of its games.
    fn are_ruled_out_by(&self, headers: &Shard<'_>, first_game: GameId) -> bool {
        self.query.as_ref().is_some_and(|(query, wants_positions)| {
            headers_rule_out(query.by_headers(), *wants_positions, &GameSpan::from_shard(headers, 0, first_game))
        })
    }

    /// The blocks of text that the query reads of a shard which has all other parts.
    fn text_blocks(&self, shard: &PartialShard, first_game: GameId) -> BTreeMap<u64, usize> {
        let Some((query, _)) = self.query.as_ref().filter(|(query, _)| query.asks_texts()) else {
            return BTreeMap::new();
        };
        let Some(shard) = shard.shard() else { return BTreeMap::new() };
        let games = query.text_candidates(&GameSpan::from_shard(&shard, 0, first_game));
        text_blocks(&shard, games.iter().map(|game| game.0 - first_game.0))
    }
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
    /// In memory, with the texts that the query reads.
    Fetched(Box<PartialShard>, FetchedTexts),
}

impl LoadedShard {
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
        let shard = match (&self.bytes, self.library.corpus_of(self.nth)) {
            (LoadedBytes::Fetched(fetched, _), _) => fetched.shard(),
            (LoadedBytes::Mapped(parts), MemberCorpus::Mapped(corpus)) => {
                corpus.shard(self.library.place(self.nth).index, *parts).ok()
            }
            (LoadedBytes::Mapped(_), MemberCorpus::Remote(_)) => None,
        };
        shard.unwrap_or_else(|| unreachable!("a shard that is loaded can be read"))
    }

    /// The blocks of texts that have been fetched; none of a mapped shard.
    pub fn fetched_texts(&self) -> Option<&FetchedTexts> {
        if let LoadedBytes::Fetched(_, texts) = &self.bytes { Some(texts) } else { None }
    }

    /// Its games.
    pub fn span(&self) -> GameSpan<'_> {
        GameSpan::from_shard(&self.shard(), self.nth as u32, self.library.place(self.nth).first_game)
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

    /// Checks the parts of a mapped shard, those of its headers first.
    fn load_mapped(
        self: &Arc<Self>,
        corpus: &MappedCorpus,
        nth: usize,
        needs: &ShardNeeds,
    ) -> Result<Option<LoadedShard>, SqlFailure> {
        let ShardPlace { index, first_game, .. } = self.place(nth);
        if needs.header_parts != ShardParts::NONE
            && needs.are_ruled_out_by(&corpus.shard(index, needs.header_parts)?, first_game)
        {
            return Ok(None);
        }
        let parts = needs.parts | needs.header_parts;
        corpus.shard(index, parts)?;
        Ok(Some(LoadedShard { library: self.clone(), nth, bytes: LoadedBytes::Mapped(parts) }))
    }

    /// Checks the parts of a mapped shard, or fetches those of another, those of its headers first.
    async fn load_anywhere(
        self: Arc<Self>,
        nth: usize,
        needs: Arc<ShardNeeds>,
    ) -> Result<Option<LoadedShard>, SqlFailure> {
        let corpus = match self.corpus_of(nth) {
            MemberCorpus::Mapped(corpus) => return self.load_mapped(corpus, nth, &needs),
            MemberCorpus::Remote(corpus) => corpus,
        };
        let ShardPlace { index, first_game, .. } = self.place(nth);
        let mut shard = corpus.empty_shard(index)?;
        if needs.header_parts != ShardParts::NONE {
            corpus.fetch(index, &mut shard, needs.header_parts).await?;
            if shard.shard().is_some_and(|headers| needs.are_ruled_out_by(&headers, first_game)) {
                return Ok(None);
            }
        }
        corpus.fetch(index, &mut shard, needs.parts).await?;
        let texts = match needs.text_blocks(&shard, first_game) {
            blocks if blocks.is_empty() => FetchedTexts::new(),
            blocks => corpus.fetch_texts(index, &blocks).await?,
        };
        Ok(Some(LoadedShard { library: self, nth, bytes: LoadedBytes::Fetched(Box::new(shard), texts) }))
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
            self.progress.advance(self.place(nth).games);
        }
        Ok(loaded.into_iter().flatten().collect())
    }
}
