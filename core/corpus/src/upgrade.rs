//! Adds to shards of older versions the sections that they lack: signatures and event streams, by a replay, header records by column,
//! and the bounds of annotations.
//!
//! All sections that they have are copied byte for byte, including texts and optional sections of other programs.

use alloc::vec::Vec;

use super::annotation_sections::{AnnotationSections, annotation_bounds};
use super::build::{SectionBytes, build_scan_part};
use super::columns::column_bytes;
use super::error::CorpusError;
use super::event_streams::EventStreamsBuilder;
use super::header_texts::HeaderTextsBuilder;
use super::layout::{MAX_SECTIONS, ShardDirectoryEntry, ShardHeader, ShardLayout, ShardSection, inconsistent};
use super::openings::OpeningTable;
use super::shard::{Shard, with_starts};
use super::text_columns::TextColumnsBuilder;

/// The same shard with signatures, event streams and header columns; none if it has them all. `bytes` is the whole shard, 8-byte aligned.
///
/// The text is copied without a check. Cost: one pass over the bytes, and a replay.
///
/// # Errors
///
/// Bytes that are no sound shard: see [`ShardLayout::check`].
pub fn upgrade_shard(bytes: &[u8]) -> Result<Option<Vec<u8>>, CorpusError> {
    upgrade_shard_with(bytes, NewSections::default())
}

/// What does not follow from the other bytes of a shard before its text; each section is added only if the shard lacks it.
#[derive(Default)]
pub struct NewSections<'t> {
    /// What the texts say of the plies.
    pub annotations: Option<AnnotationSections>,
    /// Rounds, annotators, time controls.
    pub header_texts: Option<HeaderTextsBuilder>,
    /// The positions that name the openings of the games.
    pub openings: Option<&'t OpeningTable>,
}

/// Upgrades a shard as [`upgrade_shard`] does, and adds these sections if it lacks them.
pub fn upgrade_shard_with(bytes: &[u8], sections: NewSections<'_>) -> Result<Option<Vec<u8>>, CorpusError> {
    let header = ShardLayout::read_header(bytes)?;
    let Some(mut shard) = upgrade_sections(bytes, sections)? else {
        return Ok(None);
    };
    let (from, to) = (header.scan_length as usize, header.length as usize);
    let missing = header.length.saturating_sub(bytes.len() as u64);
    let cut = CorpusError::Truncated { section: ShardSection::Text.name(), offset: header.scan_length, missing };
    shard.extend_from_slice(bytes.get(from..to).ok_or(cut)?);
    Ok(Some(shard))
}

/// Upgrades the scan part of a shard alone. The text then begins where the new scan part ends.
///
/// # Errors
///
/// As [`upgrade_shard`].
pub fn upgrade_scan_part(bytes: &[u8]) -> Result<Option<Vec<u8>>, CorpusError> {
    upgrade_sections(bytes, NewSections::default())
}

fn upgrade_sections(bytes: &[u8], sections: NewSections<'_>) -> Result<Option<Vec<u8>>, CorpusError> {
    let layout = ShardLayout::check(bytes)?;
    let (header, shard) = (layout.header, Shard::new(&layout, bytes));
    let NewSections { mut annotations, header_texts, openings } = sections;
    let header_texts = header_texts.and_then(|texts| texts.to_bytes());
    let openings = openings.filter(|_| !layout.has_openings()).and_then(|table| opening_bytes(&shard, table));
    if layout.is_current() && annotations.is_none() && header_texts.is_none() && openings.is_none() {
        return Ok(None);
    }
    let mut new: Vec<(ShardSection, &[u8])> = Vec::new();
    // No two games share moves, and each event takes at least one ply, so there are fewer than 2³² events.
    let mut streams;
    if !layout.has_event_streams() {
        streams = EventStreamsBuilder::of_games(shard.records, shard.starts, shard.moves);
        new.extend(streams.finish());
    }
    let columns = column_bytes(shard.records);
    if !layout.has(ShardSection::Columns) {
        new.push((ShardSection::Columns, &columns));
    }
    if let Some(annotations) = &mut annotations {
        new.extend(annotations.finish(shard.records, shard.starts));
    }
    new.extend(header_texts.as_deref().map(|texts| (ShardSection::HeaderTexts, texts)));
    let bounds;
    if layout.lacks_annotation_bounds() {
        bounds = annotation_bounds((shard.records, shard.starts), (shard.annotation_index, shard.annotations));
        new.push((ShardSection::AnnotationBounds, bytemuck::cast_slice(&bounds)));
    }
    new.extend(openings.as_deref().map(|openings| (ShardSection::Openings, openings)));
    if header.sections as usize + new.len() > MAX_SECTIONS as usize {
        return Err(inconsistent("shard directory", 64, "it has no room for more sections"));
    }
    let (mut section_bytes, text) = stored_sections(bytes, &header);
    for (section, bytes) in new {
        // Where an import writes it: before the known ones that come later.
        let is_later =
            |piece: &SectionBytes<'_>| ShardSection::of_kind(piece.kind).is_some_and(|one| one.slot() > section.slot());
        let at = section_bytes.iter().position(is_later).unwrap_or(section_bytes.len());
        section_bytes.insert(at, SectionBytes::from((section, bytes)));
    }
    Ok(Some(build_scan_part(&section_bytes, text, header.games, header.plies, 0)))
}

/// The openings of all games of a shard, as stored.
fn opening_bytes(shard: &Shard<'_>, table: &OpeningTable) -> Option<Vec<u8>> {
    let mut openings = TextColumnsBuilder::<1>::default();
    for (record, start) in with_starts(shard.records, shard.starts) {
        openings.push_game([table.of_game(start, record.moves_among(shard.moves))]);
    }
    openings.to_bytes()
}

/// The sections of a shard but the text, and the length and the checksum of the text.
pub(super) fn stored_sections<'a>(bytes: &'a [u8], header: &ShardHeader) -> (Vec<SectionBytes<'a>>, (u64, u64)) {
    let (mut sections, mut text) = (Vec::new(), (0, 0));
    for ShardDirectoryEntry { kind, flags, offset, length, checksum } in ShardLayout::directory(bytes, header) {
        if kind == ShardSection::Text as u32 {
            text = (length, checksum);
        } else {
            let from = offset as usize;
            sections.push(SectionBytes { kind, flags, bytes: &bytes[from..from + length as usize] });
        }
    }
    (sections, text)
}
