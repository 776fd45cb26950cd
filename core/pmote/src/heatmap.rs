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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::damage;

    const OF: CorpusStamp = CorpusStamp { corpus: 0x0123_4567_89ab_cdef, games: 70 };

    fn sample() -> HeatmapCounts {
        core::array::from_fn(|colour| {
            core::array::from_fn(|man| core::array::from_fn(|square| (colour << 40 | man << 8 | square) as u64))
        })
    }

    #[test]
    fn its_bytes_are_those_of_the_format() {
        let bytes = encode(&sample(), OF);
        assert_eq!(bytes.len(), 32 + 6144);
        assert_eq!(bytes[..24], *b"PMOTE-HM\x01\0\0\0\x46\0\0\0\xef\xcd\xab\x89\x67\x45\x23\x01");
        assert_eq!(bytes[24..32], 0xcacd_8b53_6c57_bfed_u64.to_le_bytes());
        // Black's knights on b1.
        assert_eq!(bytes[32 + ((6 + 1) * 64 + 1) * 8..][..8], [1, 1, 0, 0, 0, 1, 0, 0]);
        assert_eq!(decode(&bytes), Ok((OF, Box::new(sample()))));
    }

    #[test]
    fn damage_is_found() {
        damage::is_found(&encode(&sample(), OF), |bytes| decode(bytes).map(drop));
    }
}
