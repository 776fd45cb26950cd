//! Upgrades a shard of an older version with all that an import writes: what follows from its games, and what their
//! texts say beside the moves.

use alloc::vec::Vec;

use plyfold_corpus::annotation_sections::AnnotationSections;
use plyfold_corpus::error::CorpusError;
use plyfold_corpus::layout::ShardLayout;
use plyfold_corpus::record::GameHeader;
use plyfold_corpus::shard::Shard;
use plyfold_corpus::upgrade::{NewSections, upgrade_shard_with};
use plyfold_corpus::{HeaderTextsBuilder, OpeningTable};

use super::PgnEntry;
use super::game::PgnReader;

/// The same shard with all that this version stores of its games; none if it has that. `bytes` is the whole shard, 8-byte aligned.
///
/// `openings` has the positions by which games get their openings; without it they get none. A text that does not read as the moves of its game gives nothing. Cost: one pass over the bytes, and if the texts have not been read
/// for all of it yet, the time of an import.
///
/// # Errors
///
/// Bytes that are no sound shard: see [`ShardLayout::check`] and [`ShardLayout::check_text`].
pub fn upgrade_shard(bytes: &[u8], openings: Option<&OpeningTable>) -> Result<Option<Vec<u8>>, CorpusError> {
    let layout = ShardLayout::check(bytes)?;
    if layout.has_annotations() && layout.has_header_texts() {
        return upgrade_shard_with(bytes, NewSections { openings, ..NewSections::default() });
    }
    layout.check_text(bytes)?;
    let shard = Shard::new(&layout, bytes);
    let mut annotations_of_games = AnnotationSections::default();
    let mut header_texts = HeaderTextsBuilder::default();
    let mut reader = PgnReader::new();
    let mut block: Option<(u64, Vec<u8>)> = None;
    for (game, record) in (0..).zip(shard.records) {
        annotations_of_games.push_game();
        let mut is_read = false;
        if let Some(place) = shard.text_location(game) {
            // Neighbouring games share a block.
            if block.as_ref().is_none_or(|(offset, _)| *offset != place.offset) {
                let from = place.offset as usize;
                block = Some((place.offset, place.unpack(bytes.get(from..).unwrap_or(&[]))?));
            }
            let raw = block.as_ref().map_or(&[][..], |(_, raw)| raw);
            let mut games = 0;
            reader.read_games(place.game_text(raw)?, 0, &mut |entry| {
                games += 1;
                if let (1, PgnEntry::Game { header, moves, annotations, .. }) = (games, entry)
                    && moves == shard.moves_of(record)
                {
                    annotations_of_games.annotate_last(annotations);
                    header_texts.push_game(&header);
                    is_read = true;
                }
            });
        }
        if !is_read {
            header_texts.push_game(&GameHeader::default());
        }
    }
    let texts = NewSections {
        annotations: (!layout.has_annotations()).then_some(annotations_of_games),
        header_texts: (!layout.has_header_texts()).then_some(header_texts),
        openings,
    };
    upgrade_shard_with(bytes, texts)
}
