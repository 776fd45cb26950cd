//! Packs the scan part of a shard for its way to a visitor of a published library. FORMAT.md beside this file has its bytes.
//!
//! Unpacking gives the scan part byte for byte, so a corpus that came over the network is the corpus that was published.
//!
//! ```text
//! entropy      choices ─► bytes, and back
//! adaptive     bits, numbers and text, by models that learn
//! candidates, move_model, openings, moves   the moves of all games
//! records, names     headers
//! sections     everything else, and what follows from the moves
//! ```

use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use self::entropy::{Reader, Writer};
use self::sections::{Frame, code_sections};
use super::build::{SectionBytes, build_scan_part};
use super::error::CorpusError;
use super::layout::{ShardLayout, inconsistent};
use super::storage::AlignedBytes;
use super::upgrade::stored_sections;

mod adaptive;
mod candidates;
mod entropy;
mod move_model;
mod moves;
mod names;
mod openings;
mod records;
mod sections;

/// First bytes of a packed scan part.
const MAGIC: [u8; 8] = *b"plyscan\0";
/// The version that this program writes, and the newest that it reads.
const VERSION: u32 = 1;
/// Bytes before the packed ones.
const HEAD_BYTES: usize = 32;
/// The sections are coded by models.
const MODELLED: u32 = 1;
/// The scan part is one LZ4 block: a shard that was written by another program in another way.
const LZ4: u32 = 0;
/// LZ4 compresses at most this many bytes into one.
const MOST_BYTES_OF_ONE: u64 = 255;

const SECTION: &str = "packed scan part";

/// Packs the scan part of a shard. `shard` has at least the scan part, 8-byte aligned.
///
/// Cost: some 500 ns a ply.
///
/// # Errors
///
/// Bytes that are no sound shard: see [`ShardLayout::check`].
pub fn pack_scan_part(shard: &[u8]) -> Result<Vec<u8>, CorpusError> {
    let layout = ShardLayout::check(shard)?;
    let header = layout.header;
    let scan_part = &shard[..header.scan_length as usize];
    let (sections, text) = stored_sections(scan_part, &header);
    let frame = Frame { games: header.games, plies: header.plies, text };
    let mut writer = Writer::default();
    // What comes out of the writer is what a reader gets, so nothing but a comparison is needed.
    let coded = code_sections(&mut writer, header.scan_length, frame, &sections);
    let is_same = coded.is_some_and(|(frame, sections)| rebuild(frame, &sections) == scan_part);
    let (method, body) =
        if is_same { (MODELLED, writer.into_bytes()) } else { (LZ4, lz4_flex::block::compress(scan_part)) };
    let (length, checksum) = (header.scan_length.to_le_bytes(), xxh3_64(scan_part).to_le_bytes());
    Ok([&MAGIC[..], &VERSION.to_le_bytes(), &method.to_le_bytes(), &length, &checksum, &body].concat())
}

/// Returns whether a file that begins with these bytes is a packed scan part of the version that this program writes. 12 bytes are
/// enough.
pub fn is_of_this_version(packed: &[u8]) -> bool {
    packed.starts_with(&MAGIC) && packed.get(8..12) == Some(&VERSION.to_le_bytes())
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
    let (version, method) = (word(8) as u32, (word(8) >> 32) as u32);
    if version > VERSION {
        return Err(CorpusError::UnsupportedVersion { part: "a packed scan part", found: version, known: VERSION });
    }
    let length = word(16);
    if length > limit {
        return Err(inconsistent(SECTION, 16, "it says that it is larger than it can be"));
    }
    let scan_part = match method {
        _ if version != VERSION => None,
        LZ4 => unpack_lz4(body, length),
        MODELLED => unpack_modelled(body, length),
        _ => None,
    };
    let is_sound = |part: &AlignedBytes| part.as_ref().len() as u64 == length && xxh3_64(part.as_ref()) == word(24);
    scan_part.filter(is_sound).ok_or(CorpusError::Corrupt { section: SECTION, offset: 0 })
}

fn unpack_lz4(body: &[u8], length: u64) -> Option<AlignedBytes> {
    if length > MOST_BYTES_OF_ONE.saturating_mul(body.len() as u64) {
        return None;
    }
    let mut scan_part = AlignedBytes::zeroed(length as usize);
    let written = lz4_flex::block::decompress_into(body, scan_part.as_mut()).ok()?;
    (written as u64 == length).then_some(scan_part)
}

fn unpack_modelled(body: &[u8], length: u64) -> Option<AlignedBytes> {
    let mut reader = Reader::new(body);
    let nothing = Frame { games: 0, plies: 0, text: (0, 0) };
    let (frame, sections) = code_sections(&mut reader, length, nothing, &[])?;
    let bytes: u64 = sections.iter().map(|section| section.bytes.len() as u64).sum();
    (reader.is_at_end() && bytes <= length).then(|| AlignedBytes::copy_of(&rebuild(frame, &sections)))
}

/// The scan part with these sections.
fn rebuild(frame: Frame, sections: &[sections::Section]) -> Vec<u8> {
    let sections: Vec<SectionBytes<'_>> = sections
        .iter()
        .map(|section| SectionBytes { kind: section.kind, flags: section.flags, bytes: &section.bytes })
        .collect();
    build_scan_part(&sections, frame.text, frame.games, frame.plies, 0)
}
