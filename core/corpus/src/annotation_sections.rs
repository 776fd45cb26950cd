//! Fills the sections of annotations: the bytes of all games, where those of each game begin, and their bounds.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_annotations::bounds::AnnotationBounds;
use plyfold_annotations::columns::{AnnotatedGame, AnnotationColumns};
use plyfold_annotations::{GameAnnotations, PackedAnnotations};
use plyfold_board::board::Board;
use shakmaty::Color;

use super::layout::ShardSection;
use super::record::HeaderRecord;
use super::shard::{StartEntry, annotations_at, with_starts};

/// The annotations of the games of a shard.
#[derive(Default)]
pub struct AnnotationSections {
    /// Where each game begins, and at the end also where the last one ends.
    index: Vec<u32>,
    bytes: Vec<u8>,
    /// What the annotations of each game reach, once all games are there; none if no game has annotations.
    bounds: Vec<AnnotationBounds>,
    /// A game came from a shard whose texts have not been read for annotations.
    is_incomplete: bool,
}

impl AnnotationSections {
    /// Adds a game without annotations.
    pub fn push_game(&mut self) {
        self.index.push(self.bytes.len() as u32);
    }

    /// Adds annotations to the last game, which has none so far.
    pub fn annotate_last(&mut self, annotations: &GameAnnotations) {
        let before = self.bytes.len();
        annotations.pack(&mut self.bytes);
        self.drop_overflow(before);
    }

    /// Adds annotations of another shard to the last game, which has none so far.
    pub fn copy_to_last(&mut self, annotations: PackedAnnotations<'_>) {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(annotations.bytes());
        self.drop_overflow(before);
    }

    /// Notes that the annotations of a game are not known, so that the shard stores none.
    pub fn mark_incomplete(&mut self) {
        self.is_incomplete = true;
    }

    /// Drops the annotations of a game that the index cannot address. A shard with so many would have 4 GiB of text.
    fn drop_overflow(&mut self, before: usize) {
        if u32::try_from(self.bytes.len()).is_err() {
            self.bytes.truncate(before);
        }
    }

    /// The sections, in their order, for games with these records and starts; no game may be added afterwards. If no game has annotations,
    /// two are empty and there are no bounds. None if the annotations of a game are not known.
    pub(super) fn finish(&mut self, records: &[HeaderRecord], starts: &[StartEntry]) -> Vec<(ShardSection, &[u8])> {
        if self.is_incomplete {
            return Vec::new();
        }
        let end = self.bytes.len() as u32;
        self.index.push(end);
        self.bounds = annotation_bounds((records, starts), (&self.index, &self.bytes));
        let index = if self.bytes.is_empty() { &[][..] } else { &self.index };
        let mut sections = vec![
            (ShardSection::AnnotationIndex, bytemuck::cast_slice(index)),
            (ShardSection::Annotations, &self.bytes[..]),
        ];
        if !self.bounds.is_empty() {
            sections.push((ShardSection::AnnotationBounds, bytemuck::cast_slice(&self.bounds)));
        }
        sections
    }

    /// Forgets all games.
    pub fn clear(&mut self) {
        self.index.clear();
        self.bytes.clear();
        self.bounds.clear();
        self.is_incomplete = false;
    }
}

/// The bounds of the annotations of the games of a shard, one per game; none if no game has annotations.
#[inline(never)]
pub(super) fn annotation_bounds(
    (records, starts): (&[HeaderRecord], &[StartEntry]),
    (index, annotations): (&[u32], &[u8]),
) -> Vec<AnnotationBounds> {
    let mut columns = AnnotationColumns::default();
    let games = if annotations.is_empty() { &[][..] } else { records };
    let bounds = (0..).zip(with_starts(games, starts)).map(|(number, (record, start))| {
        let game = AnnotatedGame {
            number,
            packed: annotations_at(index, annotations, number as usize),
            plies: record.plies.into(),
            first_mover: start.map_or(Color::White, |start| Board::from_start(start).side_to_move()),
            has_initial_start: start.is_none(),
        };
        AnnotationBounds::of_game(&mut columns, &game)
    });
    bounds.collect()
}
