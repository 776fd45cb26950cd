//! Upgrades a shard of an older version with all that an import writes: what follows from its games, and the annotations in their
//! texts.

use alloc::vec::Vec;

use super::PgnEntry;
use super::game::PgnReader;
use crate::corpus::annotation_sections::AnnotationSections;
use crate::corpus::error::CorpusError;
use crate::corpus::layout::ShardLayout;
use crate::corpus::shard::Shard;
use crate::corpus::upgrade::{upgrade_shard as upgrade_without_text, upgrade_shard_with};

/// The same shard with all that this version stores of its games; none if it has that. `bytes` is the whole shard, 8-byte aligned.
///
/// A text that does not read as the moves of its game gives no annotations. Cost: one pass over the bytes, and if there are no
/// annotations yet, the time of an import.
///
/// # Errors
///
/// Bytes that are no sound shard: see [`ShardLayout::check`] and [`ShardLayout::check_text`].
pub fn upgrade_shard(bytes: &[u8]) -> Result<Option<Vec<u8>>, CorpusError> {
    let layout = ShardLayout::check(bytes)?;
    if layout.has_annotations() {
        return upgrade_without_text(bytes);
    }
    layout.check_text(bytes)?;
    let shard = Shard::new(&layout, bytes);
    let mut sections = AnnotationSections::default();
    let mut reader = PgnReader::new();
    let mut block: Option<(u64, Vec<u8>)> = None;
    for (game, record) in (0..).zip(shard.records) {
        sections.push_game();
        let Some(place) = shard.text_location(game) else { continue };
        // Neighbouring games share a block.
        if block.as_ref().is_none_or(|(offset, _)| *offset != place.offset) {
            let from = place.offset as usize;
            block = Some((place.offset, place.unpack(bytes.get(from..).unwrap_or(&[]))?));
        }
        let Some((_, raw)) = &block else { continue };
        let mut games = 0;
        reader.read_games(place.game_text(raw)?, 0, &mut |entry| {
            games += 1;
            if let (1, PgnEntry::Game { moves, annotations, .. }) = (games, entry)
                && moves == shard.moves_of(record)
            {
                sections.annotate_last(annotations);
            }
        });
    }
    upgrade_shard_with(bytes, Some(sections))
}
