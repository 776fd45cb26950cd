//! PMOTE-HM: a heatmap, 2 × 6 × 64 counts.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::error::PmoteError;
use super::header::{CorpusStamp, FilePart, HEADER_BYTES, HeaderBuilder, check_body, read_header};
use super::kind::PmoteKind;

/// Counts of positions: White, Black; pawn, knight, bishop, rook, queen, king; a1, b1, … h8.
pub type HeatmapCounts = [[[u64; 64]; 6]; 2];

/// The bytes of a heatmap.
pub fn encode(counts: &HeatmapCounts, stamp: CorpusStamp) -> Vec<u8> {
    let counts = bytemuck::bytes_of(counts);
    let mut builder = HeaderBuilder::new(PmoteKind::Heatmap, stamp);
    builder.update(counts);
    [&builder.finish(), counts].concat()
}

/// Reads and checks a heatmap: `bytes` is the whole file.
///
/// # Errors
///
/// The first thing wrong, with its place.
pub fn decode(bytes: &[u8]) -> Result<(CorpusStamp, Box<HeatmapCounts>), PmoteError> {
    let (stamp, checksum) = read_header(PmoteKind::Heatmap, bytes)?;
    let end = (HEADER_BYTES + size_of::<HeatmapCounts>()) as u64;
    check_body(
        bytes,
        (stamp, checksum),
        PmoteKind::Heatmap,
        FilePart { name: "counts", offset: HEADER_BYTES as u64, end },
    )?;
    Ok((stamp, Box::new(bytemuck::pod_read_unaligned(&bytes[HEADER_BYTES..]))))
}
