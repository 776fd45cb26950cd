//! The two sections of annotations while they are filled: the bytes of all games, and where those of each game begin.

use alloc::vec::Vec;

use super::layout::ShardSection;
use crate::annotations::{GameAnnotations, PackedAnnotations};

/// The annotations of the games of a shard.
#[derive(Default)]
pub(crate) struct AnnotationSections {
    /// Where each game begins, and at the end also where the last one ends.
    index: Vec<u32>,
    bytes: Vec<u8>,
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

    /// The annotations of a game are not known, so the shard stores none.
    pub fn mark_incomplete(&mut self) {
        self.is_incomplete = true;
    }

    /// Drops the annotations of a game that the index cannot address. A shard with so many would have 4 GiB of text.
    fn drop_overflow(&mut self, before: usize) {
        if u32::try_from(self.bytes.len()).is_err() {
            self.bytes.truncate(before);
        }
    }

    /// The sections, in their order; no game may be added afterwards. If no game has annotations, both are empty. None if
    /// the annotations of a game are not known.
    pub(super) fn finish(&mut self) -> Option<[(ShardSection, &[u8]); 2]> {
        if self.is_incomplete {
            return None;
        }
        let end = self.bytes.len() as u32;
        self.index.push(end);
        let index = if self.bytes.is_empty() { &[][..] } else { &self.index };
        Some([(ShardSection::AnnotationIndex, bytemuck::cast_slice(index)), (ShardSection::Annotations, &self.bytes)])
    }

    /// Forgets all games.
    pub fn clear(&mut self) {
        self.index.clear();
        self.bytes.clear();
        self.is_incomplete = false;
    }
}
