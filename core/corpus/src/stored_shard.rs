//! Reads the shards of a corpus file from any storage and checks them.

use alloc::vec::Vec;

use super::checked_parts::CheckedParts;
use super::directory::{CorpusDirectoryReader, PlacedShard, ShardDirectory};
use super::error::CorpusError;
use super::file_header::CorpusFileHeader;
use super::layout::{SHARD_HEADER_BYTES, ShardHeader, ShardLayout, ShardSection};
use super::shard::Shard;
use super::shard_parts::ShardParts;
use super::storage::{AlignedBytes, CorpusStorage};
use super::text::TextLocation;
use super::upgrade::upgrade_scan_part;

/// How much of a corpus is checked when it is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CorpusCheck {
    /// The directories. The parts of a shard are checked when they are first [required](super::file::OpenCorpus::require), and can be
    /// read from then on. If a shard has to be upgraded, it is as for [`WithoutTexts`](Self::WithoutTexts).
    WhenUsed,
    /// Everything but the texts, which is enough for any scan. A text is checked when it is read.
    WithoutTexts,
    /// Every byte.
    EveryByte,
}

/// How shards of older versions are opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OldShards {
    /// As they are stored; scans of them take longer.
    AsStored,
    /// The missing sections are added in memory: see [`upgrade`](super::upgrade).
    Upgraded,
}

/// A shard whose bytes have been read.
pub(super) struct UncheckedShard<B> {
    /// Where it begins in the file.
    offset: u64,
    /// How many of its bytes there are.
    size_bytes: u64,
    /// Its scan part, or the whole shard if every byte is to be checked; shorter if the file is truncated.
    bytes: B,
}

/// A shard that has passed its checks.
pub(super) struct StoredShard<B> {
    /// Where it begins in the file.
    pub offset: u64,
    directory: ShardDirectory,
    bytes: ShardBytes<B>,
    pub checked: CheckedParts,
    /// By how many bytes the text is later than in the file.
    text_shift: i64,
}

enum ShardBytes<B> {
    AsStored(B),
    Upgraded(AlignedBytes),
    /// Some games are other than in the file.
    Edited(AlignedBytes),
}

/// Reads the shards that belong to the corpus, up to one that is truncated.
pub(super) fn read_shards<S: CorpusStorage>(
    storage: &S,
    header: &CorpusFileHeader,
    check: CorpusCheck,
) -> Result<Vec<UncheckedShard<S::Bytes>>, S::Error> {
    let mut shards = Vec::new();
    let mut offset = CorpusFileHeader::BYTES as u64;
    while offset < header.length {
        let head = storage.read(offset, SHARD_HEADER_BYTES as u64)?;
        let shard = ShardLayout::read_header(head.as_ref()).map_err(|error| error.with_offset_base(offset))?;
        if offset.saturating_add(shard.length) > header.length {
            return Err(CorpusError::Corrupt { section: "shard header", offset }.into());
        }
        // A damaged header may name any length, so memory is allocated only for bytes that exist.
        let size_bytes = shard.length.min(storage.size_bytes() - offset);
        let length = if check == CorpusCheck::EveryByte { size_bytes } else { size_bytes.min(shard.scan_length) };
        shards.push(UncheckedShard { offset, size_bytes, bytes: storage.read(offset, length)? });
        if size_bytes < shard.length {
            // The check of this shard reports what is cut.
            break;
        }
        offset += shard.length;
    }
    Ok(shards)
}

/// Reads the shards of a corpus by their directories. Nothing else of them has been checked. If one of them has to be upgraded, they all
/// are checked now.
pub(super) fn place_shards<S: CorpusStorage>(
    storage: &S,
    head: &[u8],
    old_shards: OldShards,
) -> Result<Vec<StoredShard<S::Bytes>>, S::Error> {
    let mut reader = CorpusDirectoryReader::new(head, storage.size_bytes())?;
    while let Some(range) = reader.next_range() {
        reader.push(storage.read(range.start, range.end - range.start)?.as_ref())?;
    }
    let placed = reader.finish()?.shards;
    let is_upgraded =
        old_shards == OldShards::Upgraded && !placed.iter().all(|shard| shard.directory.layout.is_current());
    if is_upgraded {
        let unchecked = |PlacedShard { offset, directory }| {
            let ShardHeader { length: size_bytes, scan_length, .. } = *directory.header();
            Ok(UncheckedShard { offset, size_bytes, bytes: storage.read(offset, scan_length)? })
        };
        let shards = placed.into_iter().map(unchecked).collect::<Result<Vec<_>, S::Error>>()?;
        return Ok(check_shards(shards, CorpusCheck::WithoutTexts, old_shards)?);
    }
    let shard = |PlacedShard { offset, directory }| {
        let bytes = ShardBytes::AsStored(storage.read(offset, directory.header().scan_length)?);
        Ok(StoredShard { offset, directory, bytes, checked: CheckedParts::nothing(), text_shift: 0 })
    };
    placed.into_iter().map(shard).collect()
}

/// Checks every shard, on all threads of the rayon pool with feature `rayon`.
pub(super) fn check_shards<B: AsRef<[u8]> + Send + Sync>(
    shards: Vec<UncheckedShard<B>>,
    check: CorpusCheck,
    old_shards: OldShards,
) -> Result<Vec<StoredShard<B>>, CorpusError> {
    let checked = |shard: UncheckedShard<B>| {
        let offset = shard.offset;
        shard.check(check, old_shards).map_err(|error| error.with_offset_base(offset))
    };
    #[cfg(feature = "rayon")]
    let shards: Vec<_> = rayon::iter::ParallelIterator::collect(rayon::iter::ParallelIterator::map(
        rayon::iter::IntoParallelIterator::into_par_iter(shards),
        checked,
    ));
    #[cfg(not(feature = "rayon"))]
    let shards = shards.into_iter().map(checked);
    shards.into_iter().collect()
}

impl<B: AsRef<[u8]>> UncheckedShard<B> {
    fn check(self, check: CorpusCheck, old_shards: OldShards) -> Result<StoredShard<B>, CorpusError> {
        let UncheckedShard { offset, size_bytes, bytes } = self;
        let directory = checked_directory(bytes.as_ref())?;
        let layout = &directory.layout;
        if check == CorpusCheck::EveryByte {
            layout.check_text(bytes.as_ref())?;
        } else if size_bytes < layout.header.length {
            let ShardHeader { length, scan_length, .. } = layout.header;
            let missing = length - size_bytes;
            return Err(CorpusError::Truncated { section: "text", offset: scan_length, missing });
        }
        let upgraded = match old_shards {
            OldShards::Upgraded if !layout.is_current() => upgrade_scan_part(bytes.as_ref())?,
            _ => None,
        };
        let checked = CheckedParts::everything();
        let Some(upgraded) = upgraded else {
            return Ok(StoredShard { offset, directory, bytes: ShardBytes::AsStored(bytes), checked, text_shift: 0 });
        };
        let stored_length = directory.layout.header.scan_length;
        drop(bytes);
        StoredShard::of_scan_part_in_memory(offset, &upgraded, stored_length, ShardBytes::Upgraded)
    }
}

/// Checks a whole scan part.
fn checked_directory(bytes: &[u8]) -> Result<ShardDirectory, CorpusError> {
    ShardLayout::check(bytes)?;
    ShardDirectory::read(bytes)
}

impl<B: AsRef<[u8]>> StoredShard<B> {
    /// Checks a scan part whose text is elsewhere; it begins at `offset` in the file.
    pub fn of_scan_part(offset: u64, bytes: B) -> Result<StoredShard<B>, CorpusError> {
        let size_bytes = ShardLayout::read_header(bytes.as_ref())?.length;
        UncheckedShard { offset, size_bytes, bytes }.check(CorpusCheck::WithoutTexts, OldShards::AsStored)
    }

    /// Checks a scan part that is in memory alone; that of the file at `offset` has `stored_length` bytes.
    fn of_scan_part_in_memory(
        offset: u64,
        scan_part: &[u8],
        stored_length: u64,
        kind: fn(AlignedBytes) -> ShardBytes<B>,
    ) -> Result<StoredShard<B>, CorpusError> {
        let bytes = AlignedBytes::copy_of(scan_part);
        let directory = checked_directory(bytes.as_ref())?;
        let text_shift = directory.layout.header.scan_length as i64 - stored_length as i64;
        Ok(StoredShard { offset, directory, bytes: kind(bytes), checked: CheckedParts::everything(), text_shift })
    }

    /// The shard with another scan part, whose text places are the same. `self` is as in the file or upgraded.
    pub fn with_edited(&self, scan_part: &[u8]) -> Result<StoredShard<B>, CorpusError> {
        let stored_length = self.header().scan_length.wrapping_add_signed(-self.text_shift);
        StoredShard::of_scan_part_in_memory(self.offset, scan_part, stored_length, ShardBytes::Edited)
    }

    /// Whether some games are other than in the file.
    pub fn is_edited(&self) -> bool {
        matches!(self.bytes, ShardBytes::Edited(_))
    }

    /// Reads the shard as it is in the file, with what an upgrade adds.
    pub fn read_again<S: CorpusStorage<Bytes = B>>(&self, storage: &S) -> Result<StoredShard<B>, S::Error> {
        let in_file = |length: u64| length.wrapping_add_signed(-self.text_shift);
        let (size_bytes, scan_length) = (in_file(self.header().length), in_file(self.header().scan_length));
        let bytes = storage.read(self.offset, scan_length)?;
        let shard = UncheckedShard { offset: self.offset, size_bytes, bytes };
        let shard = shard.check(CorpusCheck::WithoutTexts, OldShards::Upgraded);
        Ok(shard.map_err(|error| error.with_offset_base(self.offset))?)
    }

    pub fn header(&self) -> &ShardHeader {
        &self.directory.layout.header
    }

    pub fn stores(&self, parts: ShardParts) -> bool {
        parts.sections().all(|section| self.directory.layout.has(section))
    }

    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            ShardBytes::AsStored(bytes) => bytes.as_ref(),
            ShardBytes::Upgraded(bytes) | ShardBytes::Edited(bytes) => bytes.as_ref(),
        }
    }

    /// Its slices, with the parts that have been checked. Cheap.
    pub fn shard(&self) -> Shard<'_> {
        let shard = Shard::new(&self.directory.layout, self.bytes());
        match self.checked.get() {
            parts if parts.contains(ShardParts::ALL_WITH_TEXT_PLACES) => shard,
            parts => shard.with_parts(parts),
        }
    }

    /// Checks these parts, as far as they have not been.
    ///
    /// # Errors
    ///
    /// They are damaged; the offset is that in the shard.
    pub fn require(&self, parts: ShardParts) -> Result<(), CorpusError> {
        self.checked.require(&self.directory, self.bytes(), parts)
    }

    /// Name and bytes of each section, in the order of the file.
    pub fn section_sizes(&self) -> [(&'static str, u64); ShardSection::COUNT] {
        ShardSection::ALL.map(|section| (section.name(), self.directory.layout.range(section).len() as u64))
    }

    /// Returns where the text of a game lies in the shard as it is stored; none if it has no text or there is no such game.
    pub fn text_location(&self, game: u32) -> Option<TextLocation> {
        let mut location = self.shard().text_location(game)?;
        location.offset = location.offset.wrapping_add_signed(-self.text_shift);
        Some(location)
    }
}
