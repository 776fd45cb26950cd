//! Which parts of a shard have passed their checks. Bytes that are at hand, such as a mapped file, are checked when they are first
//! used: opening reads the directories alone, and nobody waits for the checksums of what no query reads.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicU32, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use super::consistency::check_consistency;
use super::directory::ShardDirectory;
use super::error::CorpusError;
use super::shard::Shard;
use super::shard_parts::ShardParts;

/// The parts of a shard that have been checked together, and that the layout has been; threads may add parts at the same time. A clone
/// follows what becomes of the shard.
#[derive(Clone, Debug)]
pub struct CheckedParts(Arc<AtomicU32>);

const NOTHING: u32 = 0;
/// What no part is needed for: the numbers of games and plies.
const LAYOUT: u32 = 1 << 16;

impl CheckedParts {
    /// Nothing has been checked.
    pub(super) fn nothing() -> CheckedParts {
        CheckedParts(Arc::new(AtomicU32::new(NOTHING)))
    }

    /// The whole scan part has been checked.
    pub(super) fn everything() -> CheckedParts {
        CheckedParts(Arc::new(AtomicU32::new(LAYOUT | u32::from(ShardParts::ALL_WITH_TEXT_PLACES.bits()))))
    }

    /// The parts that can be read.
    pub fn get(&self) -> ShardParts {
        ShardParts::from_bits(self.0.load(Ordering::Acquire) as u16)
    }

    /// Takes parts as checked that have passed before, together, while the bytes of the shard were the same. Of no parts at all, not even the
    /// layout is known.
    pub fn know(&self, parts: ShardParts) {
        if parts != ShardParts::NONE {
            self.0.fetch_or(LAYOUT | u32::from(parts.bits()), Ordering::AcqRel);
        }
    }

    /// Checks `parts` and those that they need, as far as they have not been. `bytes` begin with the scan part.
    ///
    /// Cost: one pass over the parts that have not been checked, and over what they are compared with.
    ///
    /// # Errors
    ///
    /// A section that is damaged or contradicts another, with its offset in the shard.
    pub(super) fn require(
        &self,
        directory: &ShardDirectory,
        bytes: &[u8],
        parts: ShardParts,
    ) -> Result<(), CorpusError> {
        let parts = directory.with_replacements(parts);
        let mut checked = self.0.load(Ordering::Acquire);
        while checked == NOTHING || !ShardParts::from_bits(checked as u16).contains(parts) {
            check(directory, bytes, ShardParts::from_bits(checked as u16), parts)?;
            let now = checked | LAYOUT | u32::from(parts.bits());
            // Parts that another thread has checked meanwhile were not compared with these.
            checked = match self.0.compare_exchange(checked, now, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => now,
                Err(other) => other,
            };
        }
        Ok(())
    }
}

/// Checks the sections of `parts` that are not among the known ones, and that all of them agree with each other.
fn check(directory: &ShardDirectory, bytes: &[u8], known: ShardParts, parts: ShardParts) -> Result<(), CorpusError> {
    let layout = &directory.layout;
    if !bytes.as_ptr().cast::<u64>().is_aligned() {
        return Err(CorpusError::Unaligned);
    }
    for section in directory.sections(parts) {
        let range = layout.range(section);
        let offset = range.start as u64;
        let Some(content) = bytes.get(range) else {
            let missing = layout.header.scan_length.saturating_sub(bytes.len() as u64);
            return Err(CorpusError::Truncated { section: section.name(), offset, missing });
        };
        if !known.has(section) && xxh3_64(content) != directory.checksums[section.slot()] {
            return Err(CorpusError::Corrupt { section: section.name(), offset });
        }
    }
    check_consistency(&Shard::new(layout, bytes), layout, Some(known | parts))
}
