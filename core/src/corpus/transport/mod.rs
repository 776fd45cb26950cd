//! The scan part of a shard packed for the way to a visitor of a published library. FORMAT.md beside this file describes every byte.
//!
//! Unpacking gives the scan part byte for byte, so a corpus that came over the network is the corpus that was published.

use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use super::error::CorpusError;
use super::layout::{ShardLayout, inconsistent};
use super::storage::AlignedBytes;

/// First bytes of a packed scan part.
const MAGIC: [u8; 8] = *b"plyscan\0";
/// The version that this program writes, and the newest that it reads.
const VERSION: u32 = 1;
/// Bytes before the packed ones.
const HEAD_BYTES: usize = 32;
/// LZ4 compresses at most this many bytes into one.
const MOST_BYTES_OF_ONE: u64 = 255;

const SECTION: &str = "packed scan part";

/// Packs the scan part of a shard. `shard` has at least the scan part, 8-byte aligned.
///
/// # Errors
///
/// Bytes that are no sound shard: see [`ShardLayout::check`].
pub fn pack_scan_part(shard: &[u8]) -> Result<Vec<u8>, CorpusError> {
    let layout = ShardLayout::check(shard)?;
    let scan_part = &shard[..layout.header.scan_length as usize];
    let mut packed = Vec::with_capacity(HEAD_BYTES);
    packed.extend_from_slice(&MAGIC);
    packed.extend_from_slice(&VERSION.to_le_bytes());
    packed.extend_from_slice(&0u32.to_le_bytes());
    packed.extend_from_slice(&(scan_part.len() as u64).to_le_bytes());
    packed.extend_from_slice(&xxh3_64(scan_part).to_le_bytes());
    packed.extend_from_slice(&lz4_flex::block::compress(scan_part));
    Ok(packed)
}

/// Unpacks a scan part of at most `limit` bytes. It has been compared with the checksum that it was published with, but not checked
/// as a shard.
///
/// # Errors
///
/// Bytes that are no packed scan part, that are damaged, or that would take more than `limit`.
pub fn unpack_scan_part(packed: &[u8], limit: u64) -> Result<AlignedBytes, CorpusError> {
    let missing = HEAD_BYTES.saturating_sub(packed.len()) as u64;
    if missing > 0 {
        return Err(CorpusError::Truncated { section: SECTION, offset: 0, missing });
    }
    let (head, body) = packed.split_at(HEAD_BYTES);
    let word = |at: usize| u64::from_le_bytes(core::array::from_fn(|byte| head[at + byte]));
    if !head.starts_with(&MAGIC) {
        return Err(inconsistent(SECTION, 0, "it does not begin with the magic of a packed scan part"));
    }
    let version = word(8) as u32;
    if version > VERSION {
        return Err(CorpusError::UnsupportedVersion { part: "a packed scan part", found: version, known: VERSION });
    }
    if word(8) != u64::from(VERSION) {
        return Err(CorpusError::Corrupt { section: SECTION, offset: 8 });
    }
    let length = word(16);
    if length > limit || length > MOST_BYTES_OF_ONE.saturating_mul(body.len() as u64) {
        return Err(inconsistent(SECTION, 16, "it says that it is larger than it can be"));
    }
    let mut scan_part = AlignedBytes::zeroed(length as usize);
    let corrupt = CorpusError::Corrupt { section: SECTION, offset: 24 };
    let written = lz4_flex::block::decompress_into(body, scan_part.as_mut()).map_err(|_| corrupt.clone())?;
    if written as u64 != length || xxh3_64(scan_part.as_ref()) != word(24) {
        return Err(corrupt);
    }
    Ok(scan_part)
}
