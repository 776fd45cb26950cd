//! A corpus whose bytes are at hand, such as a mapped file, and whose parts are checked when they are first used: opening it reads the
//! directories alone, and nobody waits for the checksums of what no query reads.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use super::consistency::check_consistency;
use super::directory::{CorpusDirectoryReader, PlacedShard, ShardDirectory};
use super::error::CorpusError;
use super::file_header::CorpusFileHeader;
use super::shard::Shard;
use super::shard_parts::ShardParts;
use super::storage::CorpusStorage;

/// A corpus whose parts are checked when they are first used. `B` holds the bytes.
pub struct LazyCorpus<B> {
    /// The header of the file.
    pub header: CorpusFileHeader,
    /// The shards, in order.
    pub shards: Vec<LazyShard<B>>,
}

impl<B: AsRef<[u8]>> LazyCorpus<B> {
    /// Opens a corpus by its directories.
    ///
    /// # Errors
    ///
    /// No corpus, or a damaged directory; storage that cannot be read.
    pub fn open<S: CorpusStorage<Bytes = B>>(storage: &S) -> Result<LazyCorpus<B>, S::Error> {
        let head = storage.read(0, CorpusFileHeader::BYTES as u64)?;
        let mut reader = CorpusDirectoryReader::new(head.as_ref(), storage.size_bytes())?;
        while let Some(range) = reader.next_range() {
            reader.push(storage.read(range.start, range.end - range.start)?.as_ref())?;
        }
        let directory = reader.finish()?;
        let shard = |PlacedShard { offset, directory }| {
            let bytes = storage.read(offset, directory.header().scan_length)?;
            Ok(LazyShard { offset, directory, bytes, checked: AtomicU32::new(NOTHING_CHECKED) })
        };
        let shards = directory.shards.into_iter().map(shard).collect::<Result<_, S::Error>>()?;
        Ok(LazyCorpus { header: directory.header, shards })
    }
}

/// A shard whose parts are checked when they are first used.
pub struct LazyShard<B> {
    /// Where it begins in the file.
    offset: u64,
    directory: ShardDirectory,
    /// The scan part.
    bytes: B,
    /// The parts that have been checked together, and [`LAYOUT_CHECKED`]; or [`NOTHING_CHECKED`].
    checked: AtomicU32,
}

const NOTHING_CHECKED: u32 = 0;
/// What no part is needed for: the numbers of games and plies.
const LAYOUT_CHECKED: u32 = 1 << 16;

impl<B: AsRef<[u8]>> LazyShard<B> {
    /// The number of its games.
    pub fn games(&self) -> u32 {
        self.directory.header().games
    }

    /// The number of its plies.
    pub fn plies(&self) -> u64 {
        self.directory.header().plies
    }

    /// The shard with these parts, as far as it has them. The first call for a part checks its bytes.
    ///
    /// Cost: one pass over the parts that have not been checked, and over what they are compared with.
    ///
    /// # Errors
    ///
    /// A section that is damaged or contradicts another, with its offset in the file.
    pub fn with_parts(&self, parts: ShardParts) -> Result<Shard<'_>, CorpusError> {
        let parts = self.directory.with_replacements(parts);
        let mut checked = self.checked.load(Ordering::Acquire);
        while !is_checked(checked, parts) {
            self.check(checked, parts).map_err(|error| error.with_offset_base(self.offset))?;
            let now = checked | LAYOUT_CHECKED | u32::from(parts.bits());
            // Parts that another thread has checked meanwhile were not compared with these.
            checked = match self.checked.compare_exchange(checked, now, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => now,
                Err(other) => other,
            };
        }
        Ok(Shard::new(&self.directory.layout, self.bytes.as_ref()).with_parts(parts))
    }

    /// Checks the sections of `parts` that have not been checked, and that all of them agree with each other.
    fn check(&self, checked: u32, parts: ShardParts) -> Result<(), CorpusError> {
        let (bytes, layout) = (self.bytes.as_ref(), &self.directory.layout);
        if !bytes.as_ptr().cast::<u64>().is_aligned() {
            return Err(CorpusError::Unaligned);
        }
        let known = ShardParts::from_bits(checked as u16);
        for section in self.directory.sections(parts) {
            let range = layout.range(section);
            let offset = range.start as u64;
            let Some(content) = bytes.get(range) else {
                let missing = layout.header.scan_length.saturating_sub(bytes.len() as u64);
                return Err(CorpusError::Truncated { section: section.name(), offset, missing });
            };
            if !known.has(section) && xxh3_64(content) != self.directory.checksums[section.slot()] {
                return Err(CorpusError::Corrupt { section: section.name(), offset });
            }
        }
        check_consistency(&Shard::new(layout, bytes), layout, Some(known | parts))
    }
}

fn is_checked(checked: u32, parts: ShardParts) -> bool {
    checked != NOTHING_CHECKED && ShardParts::from_bits(checked as u16).contains(parts)
}
