//! Plans an index: which segments of an older index stay, and how the games behind them are divided into new segments.
//!
//! The size of a segment is limited, so building one takes a limited amount of memory. A segment that is at most twice as large as the
//! new games behind it is rebuilt together with them. Therefore there are few segments however often games are appended, and a game is
//! indexed again only when its segment grows by half.
//!
//! Games are taken in batches that never change: shards do not change, and each shard is divided from its beginning.

use alloc::vec::Vec;
use core::ops::Range;

use plyfold_scan::game::GameSpan;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::error::IndexError;
use super::probe::IndexReader;

/// Games of a batch.
const BATCH_GAMES: u32 = 512;
/// The most games of a segment, regardless of their plies. Their numbers have 24 bits, and a pair has room for a few bits of a
/// hash.
const MAX_SEGMENT_GAMES: u32 = 1 << 20;

/// The most plies of a segment, unless the caller chooses another limit: building takes about 19 bytes of memory per ply.
pub const MAX_SEGMENT_PLIES: u64 = 20_000_000;

/// A plan for an index.
pub struct IndexPlan<'a> {
    /// Id of the corpus.
    pub(crate) corpus: u64,
    /// Segments of the older index that stay.
    pub(crate) kept_segments: usize,
    /// Batches of each new segment.
    pub new_segments: Vec<Vec<GameSpan<'a>>>,
}

impl<'a> IndexPlan<'a> {
    /// A plan for all games of the corpus with this id. It continues `old`, if there is one, which must be an index of the
    /// corpus's first games.
    ///
    /// Cost: that of `fingerprint` of the games that `old` covers.
    ///
    /// # Errors
    ///
    /// [`IndexError::Foreign`]: `old` is the index of other games.
    pub fn new(
        corpus: u64,
        spans: &[GameSpan<'a>],
        old: Option<&IndexReader<'_>>,
        most_plies: u64,
    ) -> Result<IndexPlan<'a>, IndexError> {
        let batches = batches(spans);
        let (mut kept_segments, mut from, mut new_plies) = (0, 0, 0);
        let borders = old.map_or(Ok(Vec::new()), |old| verify_segments(old, corpus, &batches))?;
        if let Some(&covered) = borders.last() {
            (kept_segments, from) = (borders.len(), covered);
            new_plies = plies(&batches[from..]);
        }
        // Without new games no segment is rebuilt.
        while kept_segments > 0 && from < batches.len() {
            let before = if kept_segments > 1 { borders[kept_segments - 2] } else { 0 };
            let plies = plies(&batches[before..from]);
            if plies > 2 * new_plies || plies + new_plies > most_plies {
                break;
            }
            (kept_segments, from, new_plies) = (kept_segments - 1, before, new_plies + plies);
        }
        let mut new: Vec<Vec<GameSpan<'a>>> = Vec::new();
        let (mut plies, mut games) = (0, 0);
        for batch in &batches[from..] {
            let (more_plies, more_games) = (batch.plies(), batch.len());
            let room = plies + more_plies <= most_plies && games + more_games <= MAX_SEGMENT_GAMES;
            match new.last_mut().filter(|_| room) {
                Some(segment) => segment.push(*batch),
                None => {
                    (plies, games) = (0, 0);
                    new.push([*batch].into());
                }
            }
            (plies, games) = (plies + more_plies, games + more_games);
        }
        Ok(IndexPlan { corpus, kept_segments, new_segments: new })
    }

    /// Plies that will be indexed.
    pub fn plies(&self) -> u64 {
        self.new_segments.iter().map(|segment| plies(segment)).sum()
    }

    /// Games that will be indexed.
    pub fn games(&self) -> u64 {
        self.new_segments.iter().flatten().map(|batch| u64::from(batch.len())).sum()
    }
}

/// Checks that `index` covers all games of `spans`, which are the games of the corpus with this id.
///
/// Cost: that of `fingerprint` of all games.
///
/// # Errors
///
/// [`IndexError::Foreign`] and [`IndexError::Behind`].
pub fn covers(index: &IndexReader<'_>, corpus: u64, spans: &[GameSpan<'_>]) -> Result<(), IndexError> {
    let batches = batches(spans);
    verify_segments(index, corpus, &batches)?;
    let (covered, games) = (index.header().games, batches.iter().map(|batch| u64::from(batch.len())).sum());
    if covered < games { Err(IndexError::Behind { covered, games }) } else { Ok(()) }
}

/// Checks that each segment of `index` is that of the batches that it covers, and says at which batch each ends.
fn verify_segments(index: &IndexReader<'_>, corpus: u64, batches: &[GameSpan<'_>]) -> Result<Vec<usize>, IndexError> {
    if index.header().games > 0 && index.header().corpus != corpus {
        return Err(IndexError::Foreign);
    }
    let mut from = 0;
    let mut borders = Vec::new();
    for segment in index.segments() {
        let header = segment.header;
        let end = u64::from(header.first_game) + u64::from(header.games);
        let within = batches[from..].iter().take_while(|batch| u64::from(batch.first_game.0) < end).count();
        let range: Range<usize> = from..from + within;
        let covered_to =
            batches[range.clone()].last().map_or(0, |batch| u64::from(batch.first_game.0) + u64::from(batch.len()));
        if covered_to != end || fingerprint(&batches[range.clone()]) != header.fingerprint {
            return Err(IndexError::Foreign);
        }
        from = range.end;
        borders.push(from);
    }
    Ok(borders)
}

fn batches<'a>(spans: &[GameSpan<'a>]) -> Vec<GameSpan<'a>> {
    spans.iter().flat_map(|span| span.split(BATCH_GAMES)).collect()
}

fn plies(batches: &[GameSpan<'_>]) -> u64 {
    batches.iter().map(GameSpan::plies).sum()
}

/// The checksum of everything that an index is made of: the records, start positions and moves of the games of `batches`.
///
/// Cost: one pass over the games, on all threads of the rayon pool with feature `rayon`.
pub(super) fn fingerprint(batches: &[GameSpan<'_>]) -> u64 {
    let batch_checksum = |batch: &GameSpan<'_>| {
        batch.games().fold(0, |seed, game| {
            let seed = xxh3_64_with_seed(bytemuck::bytes_of(game.record), seed);
            let seed = game.custom_start_board().map_or(seed, |start| seed ^ start.hash);
            xxh3_64_with_seed(bytemuck::cast_slice(game.moves), seed)
        })
    };
    #[cfg(feature = "rayon")]
    let sums: Vec<u64> = rayon::iter::ParallelIterator::collect(rayon::iter::ParallelIterator::map(
        rayon::iter::IntoParallelRefIterator::par_iter(batches),
        batch_checksum,
    ));
    #[cfg(not(feature = "rayon"))]
    let sums: Vec<u64> = batches.iter().map(batch_checksum).collect();
    xxh3_64(bytemuck::cast_slice(&sums))
}
