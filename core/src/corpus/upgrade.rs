//! Shards of older versions of this program get the sections that they lack: signatures and courses, by a replay, and header
//! records by column.
//!
//! What they have stays byte for byte, texts and optional sections of other programs included.

use alloc::vec::Vec;

use super::build::{Piece, scan_part};
use super::columns::column_bytes;
use super::courses::CoursesBuilder;
use super::error::CorpusError;
use super::layout::{Layout, MOST_SECTIONS, Section, wrong};

/// The same shard with signatures, courses and header columns; none if it has them all. `bytes` is the whole shard, 8-byte aligned.
///
/// The text is copied as it stands, checked or not. Cost: one pass over the bytes, and a replay.
///
/// # Errors
///
/// Bytes that are no sound shard: see [`Layout::check`].
pub fn upgraded(bytes: &[u8]) -> Result<Option<Vec<u8>>, CorpusError> {
    let header = Layout::header(bytes)?;
    let Some(mut shard) = upgraded_scan_part(bytes)? else {
        return Ok(None);
    };
    let (from, to) = (header.scan_length as usize, header.length as usize);
    let missing = header.length.saturating_sub(bytes.len() as u64);
    let cut = CorpusError::Truncated { section: Section::Text.name(), offset: header.scan_length, missing };
    shard.extend_from_slice(bytes.get(from..to).ok_or(cut)?);
    Ok(Some(shard))
}

/// The same for the scan part of a shard alone. The text then begins where the new scan part ends, in place of the old one's end.
///
/// # Errors
///
/// As [`upgraded`].
pub fn upgraded_scan_part(bytes: &[u8]) -> Result<Option<Vec<u8>>, CorpusError> {
    let layout = Layout::check(bytes)?;
    if layout.is_current() {
        return Ok(None);
    }
    let header = layout.header;
    let lacks_courses = !layout.has_courses();
    let more = if lacks_courses { Section::COURSES.len() } else { 0 } + usize::from(!layout.has_columns());
    if header.sections as usize + more > MOST_SECTIONS as usize {
        return Err(wrong("shard directory", 64, "it has no room for more sections"));
    }
    let shard = layout.shard(bytes);
    let mut courses = CoursesBuilder::default();
    if lacks_courses {
        // No two games share moves, and an event takes a ply at least: so none beyond 2³² can come of this.
        let mut starts = shard.starts.iter().peekable();
        for (game, record) in (0..).zip(shard.records) {
            let start = starts.next_if(|entry| entry.game == game).map(|entry| &entry.start);
            courses.push(start, shard.moves_of(record));
        }
    }
    let columns = column_bytes(shard.records);
    let (mut pieces, mut text) = (Vec::new(), (0, 0));
    for entry in Layout::directory(bytes, &header) {
        if entry.kind == Section::Text as u32 {
            text = (entry.length, entry.checksum);
        } else {
            let from = entry.offset as usize;
            pieces.push(Piece {
                kind: entry.kind,
                flags: entry.flags,
                bytes: &bytes[from..from + entry.length as usize],
            });
        }
    }
    // They stand where an import has them.
    if lacks_courses {
        let after = [Section::Sources, Section::Columns].map(|section| section as u32);
        let at = pieces.iter().position(|piece| after.contains(&piece.kind)).unwrap_or(pieces.len());
        pieces.splice(at..at, courses.finish().map(Piece::from));
    }
    if !layout.has_columns() {
        pieces.push(Piece::from((Section::Columns, &columns[..])));
    }
    Ok(Some(scan_part(&pieces, text, header.games, header.plies)))
}
