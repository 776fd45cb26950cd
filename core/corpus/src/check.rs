//! The checks that every byte of a shard passes before it is used: first the frame (header, directory, checksums), then what the
//! sections say of each other ([`super::consistency`]).

use alloc::vec::Vec;
use core::mem;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::consistency::check_consistency;
use super::error::CorpusError;
use super::layout::{
    OPTIONAL, SHARD_HEADER_BYTES, ShardDirectoryEntry, ShardHeader, ShardLayout, ShardSection, VERSION, inconsistent,
};
use super::shard::Shard;

impl ShardLayout {
    /// Checks the scan part of a shard: header, directory, the checksum of every section but the text, and that all
    /// indices point inside. `bytes` holds at least the scan part, 8-byte aligned; more may follow.
    ///
    /// Cost: one pass over the bytes.
    ///
    /// # Errors
    ///
    /// Whatever is wrong, with section and offset; see [`CorpusError`].
    pub fn check(bytes: &[u8]) -> Result<ShardLayout, CorpusError> {
        let header = ShardLayout::read_header(bytes)?;
        if !bytes.as_ptr().cast::<u64>().is_aligned() {
            return Err(CorpusError::Unaligned);
        }
        let scan_length = usize::try_from(header.scan_length).unwrap_or(usize::MAX);
        let scan = bytes.get(..scan_length).ok_or_else(|| truncated(bytes, &header))?;
        let layout = check_entries(scan, Some(scan), header)?;
        check_consistency(&Shard::new(&layout, bytes), &layout, None)?;
        Ok(layout)
    }

    /// Checks the text section too. `bytes` is the whole shard.
    ///
    /// # Errors
    ///
    /// Truncated or corrupt text.
    pub fn check_text(&self, bytes: &[u8]) -> Result<(), CorpusError> {
        let range = self.range(ShardSection::Text);
        let offset = range.start as u64;
        let end = self.header.length as usize;
        let Some(text) = bytes.get(range.start..end) else {
            return Err(CorpusError::Truncated { section: "text", offset, missing: (end - bytes.len()) as u64 });
        };
        let (text, padding) = text.split_at(range.len());
        if xxh3_64(text) != self.text_checksum || padding.iter().any(|&byte| byte != 0) {
            return Err(CorpusError::Corrupt { section: "text", offset });
        }
        Ok(())
    }
}

/// Checks header and directory of a shard that begins with `head`, and the bytes of its sections if the scan part is given.
///
/// # Errors
///
/// As [`ShardLayout::check`].
pub(super) fn check_entries(head: &[u8], scan: Option<&[u8]>, header: ShardHeader) -> Result<ShardLayout, CorpusError> {
    check_header(head, &header)?;
    let present = [false; ShardSection::COUNT];
    let mut layout = ShardLayout { header, ranges: Default::default(), present, text_checksum: 0 };
    let mut end = header.directory_end() as u64;
    for entry in ShardLayout::directory(head, &header) {
        check_entry(&mut layout, scan, &entry, end)?;
        end = entry.offset + entry.length;
    }
    check_sections(&layout, end)?;
    Ok(layout)
}

/// The error of a shard that is too short: it names the first section that is cut.
fn truncated(bytes: &[u8], header: &ShardHeader) -> CorpusError {
    let missing = header.scan_length - bytes.len() as u64;
    let directory: Vec<ShardDirectoryEntry> = bytes
        .get(SHARD_HEADER_BYTES..header.directory_end())
        .map(|directory| directory.chunks_exact(32).map(bytemuck::pod_read_unaligned).collect())
        .unwrap_or_default();
    let entry = directory.iter().find(|entry| entry.offset.saturating_add(entry.length) > bytes.len() as u64);
    let section =
        entry.and_then(|entry| ShardSection::of_kind(entry.kind)).map_or("shard directory", ShardSection::name);
    CorpusError::Truncated { section, offset: entry.map_or(64, |entry| entry.offset), missing }
}

/// Checks the checksum of header and directory, and the reserved bytes.
fn check_header(scan: &[u8], header: &ShardHeader) -> Result<(), CorpusError> {
    let mut checksum = Xxh3::new();
    checksum.update(&scan[..56]);
    checksum.update(&scan[SHARD_HEADER_BYTES..header.directory_end()]);
    if checksum.digest() != header.checksum {
        return Err(CorpusError::Corrupt { section: "shard header", offset: 0 });
    }
    if header.reserved != 0 || header.reserved2 != 0 {
        return Err(inconsistent("shard header", 0, "reserved bytes are not zero"));
    }
    Ok(())
}

/// Checks an entry of the directory and adds its section to the layout; the section before it, or the directory, ends at `end`.
fn check_entry(
    layout: &mut ShardLayout,
    scan: Option<&[u8]>,
    entry: &ShardDirectoryEntry,
    end: u64,
) -> Result<(), CorpusError> {
    let section = ShardSection::of_kind(entry.kind);
    let name = section.map_or("unknown section", ShardSection::name);
    let (is_text, begin) = (section == Some(ShardSection::Text), end.next_multiple_of(8));
    // Only the text lies behind the scan part.
    let ShardHeader { length, scan_length, .. } = layout.header;
    let (limit, last) = (if is_text { length } else { scan_length }, entry.offset.saturating_add(entry.length));
    if entry.offset != begin || last > limit || is_text && begin != scan_length {
        return Err(inconsistent(name, entry.offset, "it does not begin where the section before it ends"));
    }
    if let Some(scan) = scan {
        if scan[end as usize..begin as usize].iter().any(|&byte| byte != 0) {
            return Err(CorpusError::Corrupt { section: name, offset: end });
        }
        if !is_text && xxh3_64(&scan[begin as usize..last as usize]) != entry.checksum {
            return Err(CorpusError::Corrupt { section: name, offset: begin });
        }
    }
    if is_text {
        // It is checked when it is read.
        layout.text_checksum = entry.checksum;
    }
    match section {
        Some(section) if !mem::replace(&mut layout.present[section.slot()], true) => {
            layout.ranges[section.slot()] = begin as usize..last as usize;
            Ok(())
        }
        Some(_) => Err(inconsistent(name, entry.offset, "it appears twice")),
        None if entry.flags & OPTIONAL != 0 => Ok(()),
        None => Err(CorpusError::UnsupportedVersion { part: "a section", found: entry.kind, known: VERSION }),
    }
}

/// Checks that no section is missing and that the shard ends with its last section, which ends at `end`.
fn check_sections(layout: &ShardLayout, end: u64) -> Result<(), CorpusError> {
    let is_required = |section: &ShardSection| match section {
        ShardSection::AnnotationIndex | ShardSection::Annotations => {
            layout.has_annotations() || layout.has(ShardSection::AnnotationBounds)
        }
        section if section.is_optional() => false,
        section => layout.has_event_streams() || !ShardSection::EVENT_STREAM_SECTIONS.contains(section),
    };
    let mut required = ShardSection::ALL.into_iter().filter(is_required);
    if let Some(missing) = required.find(|&section| !layout.has(section)) {
        return Err(inconsistent(missing.name(), 64, "it is missing from the directory"));
    }
    if end.next_multiple_of(8) != layout.header.length {
        return Err(inconsistent("text", end, "the shard does not end with its last section"));
    }
    Ok(())
}
