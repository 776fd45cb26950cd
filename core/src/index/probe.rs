//! Asking an index for a position.

use alloc::vec::Vec;

use super::error::IndexError;
use super::layout::{IndexFileHeader, IndexSection, Segment};
use super::position_match::PositionMatch;
use crate::game::{Game, GameId, GameSpan};

/// An index whose bytes are in memory or mapped: see [`IndexLayout::index`](super::layout::IndexLayout::index).
#[derive(Clone, Debug)]
pub struct IndexReader<'a> {
    header: IndexFileHeader,
    segments: Vec<Segment<'a>>,
}

impl<'a> IndexReader<'a> {
    pub(super) fn new(header: IndexFileHeader, segments: Vec<Segment<'a>>) -> IndexReader<'a> {
        IndexReader { header, segments }
    }

    /// The header of the file.
    pub fn header(&self) -> &IndexFileHeader {
        &self.header
    }

    /// Frequent positions: those that have a summary, in all segments.
    pub fn summaries(&self) -> usize {
        self.segments.iter().map(|segment| segment.hashes().len()).sum()
    }

    /// Checks every byte, also of what is otherwise checked when it is read.
    ///
    /// Cost: one pass over the file.
    ///
    /// # Errors
    ///
    /// The first damaged place.
    pub fn check_whole(&self) -> Result<(), IndexError> {
        self.segments.iter().try_for_each(Segment::check_whole)
    }

    pub(super) fn segments(&self) -> &[Segment<'a>] {
        &self.segments
    }

    /// What is known of the position with this hash, as a board keeps it. `spans` are the games of the corpus, of which
    /// [`covers`](super::plan::covers) must have said that the index is theirs.
    ///
    /// Cost: for each segment a few places of the index, and a replay for each game that may have the position, of which there
    /// are not many more than [`MAX_PAIRED_GAMES`](super::build::MAX_PAIRED_GAMES).
    ///
    /// # Errors
    ///
    /// Damaged bytes; games that are not those of the index.
    pub fn look_up(&self, spans: &[GameSpan<'_>], hash: u64) -> Result<PositionMatch<'a>, IndexError> {
        let mut position = PositionMatch::default();
        for segment in &self.segments {
            match segment.hashes().binary_search(&hash) {
                Ok(nth) => position.add_summary(segment, segment.summary(nth)?)?,
                Err(_) => position.add_replayed(candidates(segment, spans, hash)?.into_iter(), hash),
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
        let id = GameId(segment.header.first_game + number);
        let span = spans[..spans.partition_point(|span| span.first_game <= id)].last();
        span.and_then(|span| Some(span.game(span.index_of(id)?))).ok_or(IndexError::Foreign)
    };
    numbers.into_iter().map(game).collect()
}
