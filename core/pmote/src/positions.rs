//! PMOTE-PS: positions by shard, game and ply, in records of twelve bytes.
//!
//! Other programs know the header and the records. Everything else is in a trailer behind the records: programs that do not know the
//! trailer do not read it, and a writer knows its contents only at the end.

use alloc::vec::Vec;
use core::ops::Range;

use bytemuck::{Pod, Zeroable};
use plyfold_scan::game::Ply;
use xxhash_rust::xxh3::Xxh3;

use super::error::PmoteError;
use super::header::{CorpusStamp, FilePart, VERSION, check_head, u32_at, u64_at};
use super::kind::PmoteKind;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 16;
/// Bytes of the trailer.
pub(crate) const TRAILER_BYTES: usize = 32;

/// Where a position stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PositionRecord {
    /// Index of the shard in the corpus, from 0.
    pub shard: u32,
    /// Index of the game in its shard, from 0.
    pub game: u32,
    /// The ply.
    pub ply: Ply,
}

/// A count as the header has it: as much as it can say.
#[must_use]
pub fn header_count(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The bytes of a list of positions.
pub fn encode(positions: &[PositionRecord], stamp: CorpusStamp) -> Vec<u8> {
    let (records, count): (&[u8], _) = (bytemuck::cast_slice(positions), positions.len() as u64);
    let mut trailer = [0; TRAILER_BYTES];
    trailer[..8].copy_from_slice(&count.to_le_bytes());
    trailer[8..16].copy_from_slice(&stamp.corpus.to_le_bytes());
    trailer[16..20].copy_from_slice(&stamp.games.to_le_bytes());
    let checksum = checksum(records, &trailer);
    trailer[24..].copy_from_slice(&checksum.to_le_bytes());
    let [version, count] = [VERSION, header_count(count)].map(u32::to_le_bytes);
    [&PmoteKind::Positions.magic()[..], &version, &count, records, &trailer].concat()
}

/// The checksum of the records and of the trailer before it.
fn checksum(records: &[u8], trailer: &[u8]) -> u64 {
    let mut checksum = Xxh3::new();
    checksum.update(records);
    checksum.update(&trailer[..24]);
    checksum.digest()
}

/// A list of positions in bytes that passed every check.
#[derive(Clone, Debug)]
pub struct StoredPositions<'a> {
    /// What it is of.
    pub stamp: CorpusStamp,
    records: &'a [u8],
}

impl<'a> StoredPositions<'a> {
    /// Reads and checks a list: `bytes` is the whole file.
    ///
    /// # Errors
    ///
    /// The first thing wrong, with its place.
    pub fn open(bytes: &'a [u8]) -> Result<StoredPositions<'a>, PmoteError> {
        let count_in_header = u32_at(check_head(PmoteKind::Positions, bytes, HEADER_BYTES)?, 12);
        let min_length = HEADER_BYTES as u64 + u64::from(count_in_header) * 12;
        let length = bytes.len() as u64;
        let truncated = |part, offset, missing| Err(PmoteError::Truncated { part, offset, missing });
        if length < min_length {
            return truncated("records", HEADER_BYTES as u64, min_length - length);
        }
        let Some(trailer) = bytes.len().checked_sub(TRAILER_BYTES).filter(|&at| at as u64 >= min_length) else {
            return truncated("trailer", min_length, min_length + TRAILER_BYTES as u64 - length);
        };
        let records = HEADER_BYTES..trailer;
        if count_in_header < u32::MAX {
            FilePart { name: "trailer", offset: min_length, end: min_length + TRAILER_BYTES as u64 }
                .check_end(bytes)?;
        }
        StoredPositions::checked(bytes, count_in_header, records)
    }

    /// Header and trailer are there; the records are what lies between them.
    #[doc(hidden)]
    pub fn checked(
        bytes: &'a [u8],
        count_in_header: u32,
        records: Range<usize>,
    ) -> Result<StoredPositions<'a>, PmoteError> {
        let offset = records.end as u64;
        let (records, trailer) = (&bytes[records.clone()], &bytes[records.end..]);
        if checksum(records, trailer) != u64_at(trailer, 24) {
            return Err(PmoteError::Corrupt);
        }
        let count = u64_at(trailer, 0);
        if header_count(count) != count_in_header
            || count.checked_mul(12) != Some(records.len() as u64)
            || u32_at(trailer, 20) != 0
        {
            let what = "its counts are wrong";
            return Err(PmoteError::Inconsistent { part: "trailer", offset, what });
        }
        Ok(StoredPositions { stamp: CorpusStamp { corpus: u64_at(trailer, 8), games: u32_at(trailer, 16) }, records })
    }

    /// Returns how many positions there are.
    pub fn count(&self) -> u64 {
        (self.records.len() / 12) as u64
    }

    /// The positions, in the order in which they were written.
    pub fn positions(&self) -> impl Iterator<Item = PositionRecord> + 'a {
        self.records.chunks_exact(12).map(bytemuck::pod_read_unaligned)
    }
}
