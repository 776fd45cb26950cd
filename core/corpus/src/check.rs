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

/// Checks the header and the directory of a shard that begins with `head`, whatever its sections hold.
///
/// # Errors
///
/// As [`ShardLayout::check`].
pub(super) fn check_directory(head: &[u8], header: ShardHeader) -> Result<ShardLayout, CorpusError> {
    check_entries(head, None, header)
}

/// Checks header and directory, and the bytes of the sections if the scan part is given.
fn check_entries(head: &[u8], scan: Option<&[u8]>, header: ShardHeader) -> Result<ShardLayout, CorpusError> {
    check_header(head, &header)?;
    let mut directory = DirectoryCheck::new(scan, header);
    for entry in ShardLayout::directory(head, &header) {
        directory.check_entry(&entry)?;
    }
    directory.finish()
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

/// Checks the entries of the directory, one after another.
struct DirectoryCheck<'a> {
    /// The scan part, if it has been read.
    scan: Option<&'a [u8]>,
    layout: ShardLayout,
    /// Where the previous section ends, or the directory.
    end: u64,
}

impl<'a> DirectoryCheck<'a> {
    fn new(scan: Option<&'a [u8]>, header: ShardHeader) -> DirectoryCheck<'a> {
        DirectoryCheck { scan, layout: ShardLayout::without_sections(header), end: header.directory_end() as u64 }
    }

    fn check_entry(&mut self, entry: &ShardDirectoryEntry) -> Result<(), CorpusError> {
        let section = ShardSection::of_kind(entry.kind);
        let name = section.map_or("unknown section", ShardSection::name);
        self.check_place(entry, section, name)?;
        self.check_bytes(entry, section, name)?;
        self.keep_entry(entry, section, name)
    }

    /// The section must begin where the previous one ends, after padding zeros, and only the text may lie behind the scan part.
    fn check_place(
        &mut self,
        entry: &ShardDirectoryEntry,
        section: Option<ShardSection>,
        name: &'static str,
    ) -> Result<(), CorpusError> {
        let header = &self.layout.header;
        let is_text = section == Some(ShardSection::Text);
        let padded = self.end.next_multiple_of(8);
        let last = entry.offset.saturating_add(entry.length);
        let limit = if is_text { header.length } else { header.scan_length };
        if entry.offset != padded
            || last > limit
            || is_text != (padded == header.scan_length && entry.kind == ShardSection::Text as u32)
        {
            return Err(inconsistent(name, entry.offset, "it does not begin where the section before it ends"));
        }
        let padding = self.scan.map(|scan| &scan[self.end as usize..padded as usize]);
        if padding.is_some_and(|padding| padding.iter().any(|&byte| byte != 0)) {
            return Err(CorpusError::Corrupt { section: name, offset: self.end });
        }
        self.end = last;
        Ok(())
    }

    /// Checks the checksum of the section; that of the text is stored for later.
    fn check_bytes(
        &mut self,
        entry: &ShardDirectoryEntry,
        section: Option<ShardSection>,
        name: &'static str,
    ) -> Result<(), CorpusError> {
        if section == Some(ShardSection::Text) {
            self.layout.text_checksum = entry.checksum;
        } else if let Some(scan) = self.scan
            && xxh3_64(&scan[entry.offset as usize..self.end as usize]) != entry.checksum
        {
            return Err(CorpusError::Corrupt { section: name, offset: entry.offset });
        }
        Ok(())
    }

    /// Stores the place of a known section, which may appear once, and skips an unknown one if its flags allow it.
    fn keep_entry(
        &mut self,
        entry: &ShardDirectoryEntry,
        section: Option<ShardSection>,
        name: &'static str,
    ) -> Result<(), CorpusError> {
        match section {
            Some(section) if !mem::replace(&mut self.layout.present[section.slot()], true) => {
                self.layout.ranges[section.slot()] = entry.offset as usize..self.end as usize;
                Ok(())
            }
            Some(_) => Err(inconsistent(name, entry.offset, "it appears twice")),
            None if entry.flags & OPTIONAL != 0 => Ok(()),
            None => Err(CorpusError::UnsupportedVersion { part: "a section", found: entry.kind, known: VERSION }),
        }
    }

    /// Returns the layout if no section is missing and the shard ends with its last section.
    fn finish(self) -> Result<ShardLayout, CorpusError> {
        let layout = self.layout;
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
        if self.end.next_multiple_of(8) != layout.header.length {
            return Err(inconsistent("text", self.end, "the shard does not end with its last section"));
        }
        Ok(layout)
    }
}
