//! Asking an index for a position.

use alloc::vec::Vec;

use super::error::IndexError;
use super::found::Found;
use super::layout::{FileHeader, Section, Segment};
use crate::game::{Game, Span};

/// An index whose bytes are in memory or mapped: see [`Layout::index`](super::layout::Layout::index).
#[derive(Clone, Debug)]
pub struct Index<'a> {
    header: FileHeader,
    segments: Vec<Segment<'a>>,
}

impl<'a> Index<'a> {
    pub(super) fn new(header: FileHeader, segments: Vec<Segment<'a>>) -> Index<'a> {
        Index { header, segments }
    }

    /// The header of the file.
    pub fn header(&self) -> &FileHeader {
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
    /// are not many more than [`FEW`](super::build::FEW).
    ///
    /// # Errors
    ///
    /// Damaged bytes; games that are not those of the index.
    pub fn find(&self, spans: &[Span<'_>], hash: u64) -> Result<Found<'a>, IndexError> {
        let mut found = Found::default();
        for segment in &self.segments {
            match segment.hashes().binary_search(&hash) {
                Ok(nth) => found.add_many(segment, segment.summary(nth)?)?,
                Err(_) => found.add_few(candidates(segment, spans, hash)?.into_iter(), hash),
            }
        }
        Ok(found.finish())
    }
}

/// The games of a segment that may have the position, ascending.
fn candidates<'g>(segment: &Segment<'_>, spans: &[Span<'g>], hash: u64) -> Result<Vec<Game<'g>>, IndexError> {
    let shape = segment.header.shape();
    let mut numbers: Vec<u32> = shape.games(segment.bucket(shape.bucket(hash))?, hash).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let game = |number: u32| {
        if number >= segment.header.games {
            return Err(segment.inconsistent(Section::Pairs, "a game lies outside its segment"));
        }
        let id = segment.header.first_game + number;
        let span = spans[..spans.partition_point(|span| span.first <= id)].last();
        let span = span.filter(|span| id - span.first < span.len()).ok_or(IndexError::Foreign)?;
        Ok(span.game(id - span.first))
    };
    numbers.into_iter().map(game).collect()
}
