//! Finds where everything lies in a corpus, by the header of its file and the directories of its shards. They are a few kilobytes,
//! and say what to read next, so that a corpus can be opened before anything else of it has been read, wherever it is.

use alloc::vec::Vec;
use core::ops::Range;

use super::check::check_entries;
use super::error::CorpusError;
use super::file_header::CorpusFileHeader;
use super::layout::{MAX_SECTIONS, SHARD_HEADER_BYTES, ShardDirectoryEntry, ShardHeader, ShardLayout, ShardSection};
use super::shard_parts::ShardParts;

/// The header and the directory of a shard: where each section lies, and its checksum.
#[derive(Clone, Debug)]
pub struct ShardDirectory {
    pub(super) layout: ShardLayout,
    /// Of the known sections, by their slots.
    pub(super) checksums: [u64; ShardSection::COUNT],
}

impl ShardDirectory {
    /// The most bytes that header and directory take.
    pub const MAX_BYTES: u64 = (SHARD_HEADER_BYTES + MAX_SECTIONS as usize * size_of::<ShardDirectoryEntry>()) as u64;

    /// Reads and checks the header and the directory of a shard that begins with `bytes`: [`MAX_BYTES`](Self::MAX_BYTES) of it, or
    /// all that there are.
    ///
    /// # Errors
    ///
    /// Too few bytes, another magic, a newer version, a checksum that does not fit, sections that are missing or lie elsewhere.
    pub fn read(bytes: &[u8]) -> Result<ShardDirectory, CorpusError> {
        let header = ShardLayout::read_header(bytes)?;
        let end = header.directory_end();
        let Some(head) = bytes.get(..end) else {
            let missing = (end - bytes.len()) as u64;
            let offset = SHARD_HEADER_BYTES as u64;
            return Err(CorpusError::Truncated { section: "shard directory", offset, missing });
        };
        let layout = check_entries(head, None, header)?;
        let mut checksums = [0; ShardSection::COUNT];
        for entry in ShardLayout::directory(head, &header) {
            if let Some(section) = ShardSection::of_kind(entry.kind) {
                checksums[section.slot()] = entry.checksum;
            }
        }
        Ok(ShardDirectory { layout, checksums })
    }

    /// The header.
    pub fn header(&self) -> &ShardHeader {
        &self.layout.header
    }

    /// These parts, those that they need, and those that stand for them: a shard of an older version has no event streams, so they are
    /// computed from its moves, and no columns beside the records.
    pub(super) fn with_replacements(&self, parts: ShardParts) -> ShardParts {
        let events = ShardParts::MATERIAL_EVENTS | ShardParts::PAWN_EVENTS;
        let lacks_events = parts.intersects(events) && !self.layout.has_event_streams();
        let parts = if lacks_events { parts | ShardParts::MOVES } else { parts };
        let names = ShardParts::PLAYERS | ShardParts::EVENTS | ShardParts::SITES;
        let are_there = parts.contains(ShardParts::COLUMNS) && self.layout.has(ShardSection::Columns);
        let columns_are_enough = are_there && (ShardParts::COLUMNS | names).contains(parts);
        if parts == ShardParts::NONE || columns_are_enough { parts } else { parts | ShardParts::RECORDS }
    }

    /// The sections of these parts that the shard has.
    pub(super) fn sections(&self, parts: ShardParts) -> impl Iterator<Item = ShardSection> {
        self.with_replacements(parts).sections().filter(|&section| self.layout.has(section))
    }
}

/// The header of a corpus and the directories of its shards.
pub struct CorpusDirectory {
    /// The header of the file.
    pub header: CorpusFileHeader,
    /// The shards, in order.
    pub shards: Vec<PlacedShard>,
}

/// A shard: where it begins in its file, and what it has.
pub struct PlacedShard {
    /// Where it begins, in bytes from the start of the file.
    pub offset: u64,
    /// Its header and directory.
    pub directory: ShardDirectory,
}

/// Reads a [`CorpusDirectory`]. It does no I/O: it says which bytes it needs next.
pub struct CorpusDirectoryReader {
    directory: CorpusDirectory,
    /// Where the next shard begins.
    offset: u64,
}

impl CorpusDirectoryReader {
    /// Begins with the first 64 bytes of a file, or more, that has so many bytes.
    ///
    /// # Errors
    ///
    /// No corpus, a newer version, a checksum that does not fit, a file that is shorter than its header says.
    pub fn new(head: &[u8], size_bytes: u64) -> Result<CorpusDirectoryReader, CorpusError> {
        let header = CorpusFileHeader::read(head)?;
        if size_bytes < header.length {
            let missing = header.length - size_bytes;
            return Err(CorpusError::Truncated { section: "the shards", offset: size_bytes, missing });
        }
        let offset = CorpusFileHeader::BYTES as u64;
        Ok(CorpusDirectoryReader { directory: CorpusDirectory { header, shards: Vec::new() }, offset })
    }

    /// The bytes of the file that [`push`](Self::push) needs next; none if there are no more shards.
    pub fn next_range(&self) -> Option<Range<u64>> {
        let length = self.directory.header.length;
        (self.offset < length).then(|| self.offset..length.min(self.offset + ShardDirectory::MAX_BYTES))
    }

    /// Reads the directory of the next shard, which begins with `bytes`.
    ///
    /// # Errors
    ///
    /// As [`ShardDirectory::read`]; a shard that is longer than the corpus.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), CorpusError> {
        let offset = self.offset;
        let directory = ShardDirectory::read(bytes).map_err(|error| error.with_offset_base(offset))?;
        let end = offset.saturating_add(directory.header().length);
        if end > self.directory.header.length {
            return Err(CorpusError::Corrupt { section: "shard header", offset });
        }
        self.directory.shards.push(PlacedShard { offset, directory });
        self.offset = end;
        Ok(())
    }

    /// Checks that the header counts what the shards have, once there are no more.
    ///
    /// # Errors
    ///
    /// The counts differ.
    pub fn finish(self) -> Result<CorpusDirectory, CorpusError> {
        let CorpusDirectory { header, shards } = &self.directory;
        header.check_counts(shards.iter().map(|shard| shard.directory.header()))?;
        Ok(self.directory)
    }
}
