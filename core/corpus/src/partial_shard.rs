//! A shard of which only some parts have been fetched, for storage in which every byte has a price.
//!
//! The directory of a shard says where its sections lie ([`ShardDirectory`]). A [`PartialShard`] has room for the whole scan part,
//! but only sections whose bytes have been put there and have passed their checksums can be read: a [`Shard`] of it knows which
//! parts it has, and a scan refuses one that lacks a part that its query reads.

use alloc::vec::Vec;
use core::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::consistency::check_consistency;
use super::directory::ShardDirectory;
use super::error::CorpusError;
use super::layout::{ShardSection, inconsistent};
use super::shard::Shard;
use super::shard_parts::ShardParts;
use super::storage::AlignedBytes;

/// The most bytes of a scan part. The memory for one is there before its bytes are, so no header may ask for any amount; those of real
/// shards have some megabytes.
const MAX_SCAN_BYTES: u64 = 1 << 30;

/// A shard with the parts that have been fetched.
pub struct PartialShard {
    directory: ShardDirectory,
    /// The scan part; the places of other sections are zero, and their memory is not touched.
    bytes: AlignedBytes,
    /// The sections that have been put, by their slots.
    put: [bool; ShardSection::COUNT],
    /// The parts that can be read.
    parts: ShardParts,
    /// Whether anything can be read.
    is_complete: bool,
}

impl PartialShard {
    /// A shard of which nothing has been fetched.
    ///
    /// # Errors
    ///
    /// Its scan part is larger than 1 GiB.
    pub fn new(directory: ShardDirectory) -> Result<PartialShard, CorpusError> {
        let scan_length = directory.layout.header.scan_length;
        let Some(scan_length) = usize::try_from(scan_length).ok().filter(|_| scan_length <= MAX_SCAN_BYTES) else {
            return Err(inconsistent("shard header", 0, "its scan part is larger than 1 GiB"));
        };
        let (bytes, put) = (AlignedBytes::zeroed(scan_length), [false; ShardSection::COUNT]);
        Ok(PartialShard { directory, bytes, put, parts: ShardParts::NONE, is_complete: false })
    }

    /// Returns where the sections of `parts` lie that have not been put, from the start of the shard, in ascending order. Each of
    /// these ranges has to be [put](Self::put) as a whole.
    pub fn missing(&self, parts: ShardParts) -> Vec<Range<u64>> {
        let sections = self.directory.sections(parts).filter(|section| !self.put[section.slot()]);
        let ranges = sections.map(|section| self.directory.layout.range(section)).filter(|range| !range.is_empty());
        let mut missing: Vec<Range<u64>> = ranges.map(|range| range.start as u64..range.end as u64).collect();
        missing.sort_unstable_by_key(|range| range.start);
        missing
    }

    /// Puts the bytes of one of the [missing](Self::missing) ranges, which begins at `offset`, if their checksum fits.
    ///
    /// # Errors
    ///
    /// The bytes are not those of the section that begins there.
    pub fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<(), CorpusError> {
        let is_there = |section: &ShardSection| {
            let range = self.directory.layout.range(*section);
            self.directory.layout.has(*section) && range.start as u64 == offset && range.len() == bytes.len()
        };
        let mut found = ShardParts::ALL_WITH_TEXT_PLACES.sections().filter(is_there);
        let Some(section) = found.find(|section| xxh3_64(bytes) == self.directory.checksums[section.slot()]) else {
            let name = self.section_at(offset).map_or("section", ShardSection::name);
            return Err(CorpusError::Corrupt { section: name, offset });
        };
        self.bytes.as_mut()[self.directory.layout.range(section)].copy_from_slice(bytes);
        self.put[section.slot()] = true;
        Ok(())
    }

    fn section_at(&self, offset: u64) -> Option<ShardSection> {
        let layout = &self.directory.layout;
        let mut sections = ShardParts::ALL_WITH_TEXT_PLACES.sections();
        sections.find(|&section| !layout.range(section).is_empty() && layout.range(section).start as u64 == offset)
    }

    /// Checks that `parts` have been put and agree with each other, so that [`shard`](Self::shard) has them.
    ///
    /// # Errors
    ///
    /// A section has not been put; the sections contradict each other.
    pub fn complete(&mut self, parts: ShardParts) -> Result<(), CorpusError> {
        let asked = self.directory.with_replacements(parts) | self.parts;
        let layout = &self.directory.layout;
        let is_there = |section: ShardSection| self.put[section.slot()] || layout.range(section).is_empty();
        if let Some(section) = self.directory.sections(asked).find(|&section| !is_there(section)) {
            let offset = layout.range(section).start as u64;
            return Err(CorpusError::NotFetched { section: section.name(), offset });
        }
        check_consistency(&Shard::new(layout, self.bytes.as_ref()), layout, Some(asked))?;
        (self.parts, self.is_complete) = (asked, true);
        Ok(())
    }

    /// The slices of the shard, with the [completed](Self::complete) parts; none before any are.
    pub fn shard(&self) -> Option<Shard<'_>> {
        self.is_complete.then(|| Shard::new(&self.directory.layout, self.bytes.as_ref()).with_parts(self.parts))
    }
}
