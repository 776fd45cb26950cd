//! What is to be indexed: which segments of an older index stay, and how the games behind them are cut into new ones.
//!
//! A segment is at most so large that building it takes a bounded memory. Segments that are not more than twice as large as what
//! is new behind them are made anew together with it: so there are few, however often games are appended, and a game is indexed
//! anew only when its segment grows by half.
//!
//! Games are taken in batches, the same for ever: shards do not change, and each is cut from its beginning.

use alloc::vec::Vec;
use core::ops::Range;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::error::IndexError;
use super::probe::Index;
use crate::game::Span;

/// Games of a batch.
const BATCH: u32 = 512;
/// Games of a segment at most, whatever their plies: their numbers have room for 24 bits, and then for a few bits of a hash.
const MOST_GAMES: u32 = 1 << 20;

/// Plies of a segment at most, unless the one who builds says otherwise: building takes about 19 bytes of memory for each.
pub const MOST_PLIES: u64 = 20_000_000;

/// What is to be indexed.
pub struct Plan<'a> {
    /// Id of the corpus.
    pub corpus: u64,
    /// Segments of the older index that stay.
    pub kept: usize,
    /// Batches of each new segment.
    pub new: Vec<Vec<Span<'a>>>,
}

impl<'a> Plan<'a> {
    /// A plan for all games of the corpus with this id, going on from `old` where that is an index of its first games.
    ///
    /// Cost: as `fingerprint` of what `old` covers.
    ///
    /// # Errors
    ///
    /// [`IndexError::Foreign`]: `old` is the index of other games.
    pub fn new(
        corpus: u64,
        spans: &[Span<'a>],
        old: Option<&Index<'_>>,
        most_plies: u64,
    ) -> Result<Plan<'a>, IndexError> {
        let batches = batches(spans);
        let (mut kept, mut from, mut new_plies) = (0, 0, 0);
        let borders = old.map_or(Ok(Vec::new()), |old| verify(old, corpus, &batches))?;
        if let Some(&covered) = borders.last() {
            (kept, from) = (borders.len(), covered);
            new_plies = plies(&batches[from..]);
        }
        // Nothing new needs nothing anew.
        while kept > 0 && from < batches.len() {
            let before = if kept > 1 { borders[kept - 2] } else { 0 };
            let plies = plies(&batches[before..from]);
            if plies > 2 * new_plies || plies + new_plies > most_plies {
                break;
            }
            (kept, from, new_plies) = (kept - 1, before, new_plies + plies);
        }
        let mut new: Vec<Vec<Span<'a>>> = Vec::new();
        let (mut plies, mut games) = (0, 0);
        for batch in &batches[from..] {
            let (more_plies, more_games) = (batch.plies(), batch.len());
            let room = plies + more_plies <= most_plies && games + more_games <= MOST_GAMES;
            match new.last_mut().filter(|_| room) {
                Some(segment) => segment.push(*batch),
                None => {
                    (plies, games) = (0, 0);
                    new.push([*batch].into());
                }
            }
            (plies, games) = (plies + more_plies, games + more_games);
        }
        Ok(Plan { corpus, kept, new })
    }

    /// Plies that are to be indexed.
    pub fn plies(&self) -> u64 {
        self.new.iter().map(|segment| plies(segment)).sum()
    }

    /// Games that are to be indexed.
    pub fn games(&self) -> u64 {
        self.new.iter().flatten().map(|batch| u64::from(batch.len())).sum()
    }
}

/// Whether `index` is that of all these games, the games of the corpus with this id.
///
/// Cost: as `fingerprint` of all games.
///
/// # Errors
///
/// [`IndexError::Foreign`] and [`IndexError::Behind`].
pub fn covers(index: &Index<'_>, corpus: u64, spans: &[Span<'_>]) -> Result<(), IndexError> {
    let batches = batches(spans);
    verify(index, corpus, &batches)?;
    let (covered, games) = (index.header().games, batches.iter().map(|batch| u64::from(batch.len())).sum());
    if covered < games { Err(IndexError::Behind { covered, games }) } else { Ok(()) }
}

/// Checks that each segment of `index` is that of the batches that it covers, and says at which batch each ends.
fn verify(index: &Index<'_>, corpus: u64, batches: &[Span<'_>]) -> Result<Vec<usize>, IndexError> {
    if index.header().games > 0 && index.header().corpus != corpus {
        return Err(IndexError::Foreign);
    }
    let mut from = 0;
    let mut borders = Vec::new();
    for segment in index.segments() {
        let header = segment.header;
        let end = u64::from(header.first_game) + u64::from(header.games);
        let within = batches[from..].iter().take_while(|batch| u64::from(batch.first) < end).count();
        let range: Range<usize> = from..from + within;
        let reached = batches[range.clone()].last().map_or(0, |batch| u64::from(batch.first) + u64::from(batch.len()));
        if reached != end || fingerprint(&batches[range.clone()]) != header.fingerprint {
            return Err(IndexError::Foreign);
        }
        from = range.end;
        borders.push(from);
    }
    Ok(borders)
}

fn batches<'a>(spans: &[Span<'a>]) -> Vec<Span<'a>> {
    spans.iter().flat_map(|span| span.split(BATCH)).collect()
}

fn plies(batches: &[Span<'_>]) -> u64 {
    batches.iter().map(Span::plies).sum()
}

/// Checksum of all that an index is made of: the records, the starts and the moves of these batches of games.
///
/// Cost: one pass over them, on all threads of the rayon pool with feature `rayon`.
pub(super) fn fingerprint(batches: &[Span<'_>]) -> u64 {
    let of = |batch: &Span<'_>| {
        batch.games().fold(0, |seed, game| {
            let seed = xxh3_64_with_seed(bytemuck::bytes_of(game.record), seed);
            let seed = game.own_start().map_or(seed, |start| seed ^ start.hash);
            xxh3_64_with_seed(bytemuck::cast_slice(game.moves), seed)
        })
    };
    #[cfg(feature = "rayon")]
    let sums: Vec<u64> = rayon::iter::ParallelIterator::collect(rayon::iter::ParallelIterator::map(
        rayon::iter::IntoParallelRefIterator::par_iter(batches),
        of,
    ));
    #[cfg(not(feature = "rayon"))]
    let sums: Vec<u64> = batches.iter().map(of).collect();
    xxh3_64(bytemuck::cast_slice(&sums))
}
