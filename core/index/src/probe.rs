//! Looks up a position in an index.

use alloc::vec::Vec;

use plyfold_scan::game::{Game, GameId, GameSpan, game_in_spans};

use super::error::IndexError;
use super::layout::{IndexFileHeader, IndexLayout, IndexSection, Segment};
use super::position_match::PositionMatch;

/// An index whose bytes are in memory or mapped: see [`IndexLayout::index`].
#[derive(Clone, Debug)]
pub struct IndexReader<'a> {
    header: IndexFileHeader,
    segments: Vec<Segment<'a>>,
}

impl IndexLayout {
    /// The index in bytes of this layout. This is cheap.
    ///
    /// # Panics
    ///
    /// If `bytes` are not those (or a copy of those) that were checked, or not 8-byte aligned.
    pub fn index<'a>(&self, bytes: &'a [u8]) -> IndexReader<'a> {
        IndexReader { header: self.header, segments: self.segments(bytes).collect() }
    }
}

impl<'a> IndexReader<'a> {
    /// The header of the file.
    pub fn header(&self) -> &IndexFileHeader {
        &self.header
    }

    /// The number of frequent positions, which have a summary, in all segments.
    pub fn summaries(&self) -> usize {
        self.segments.iter().map(|segment| segment.frequent_positions()).sum()
    }

    /// Checks every byte, including those that are otherwise checked when they are read.
    ///
    /// Cost: one pass over the file.
    ///
    /// # Errors
    ///
    /// The first damaged place.
    pub fn check_whole(&self) -> Result<(), IndexError> {
        self.segments.iter().try_for_each(Segment::check)
    }

    pub(super) fn segments(&self) -> &[Segment<'a>] {
        &self.segments
    }

    /// Looks up the position with this hash, as a board has it. `spans` are the games of the corpus, for which
    /// [`covers`](super::plan::covers) must have confirmed that the index belongs to them.
    ///
    /// Cost: for each segment a few reads of the index, and a replay of each game that may have the position, of which there are
    /// not many more than [`MAX_PAIRED_GAMES`](super::build::MAX_PAIRED_GAMES).
    ///
    /// # Errors
    ///
    /// Damaged bytes; games that are not those of the index.
    pub fn look_up(&self, spans: &[GameSpan<'_>], hash: u64) -> Result<PositionMatch<'a>, IndexError> {
        let mut position = PositionMatch::default();
        for segment in &self.segments {
            match segment.find(hash)? {
                Some(nth) => position.add_summary(segment, segment.summary(nth)?)?,
                None => position.add_replayed(candidates(segment, spans, hash)?.into_iter(), hash),
            }
        }
        Ok(position.finish())
    }
}

/// The games of a segment that may have the position, ascending.
fn candidates<'g>(segment: &Segment<'_>, spans: &[GameSpan<'g>], hash: u64) -> Result<Vec<Game<'g>>, IndexError> {
    let shape = segment.header.shape();
    let mut numbers: Vec<u32> = shape.games(segment.bucket(shape.bucket(hash))?, hash).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let game = |number: u32| {
        if number >= segment.header.games {
            return Err(segment.inconsistent(IndexSection::Pairs, "a game lies outside its segment"));
        }
        game_in_spans(spans, GameId(segment.header.first_game + number)).ok_or(IndexError::Foreign)
    };
    numbers.into_iter().map(game).collect()
}
