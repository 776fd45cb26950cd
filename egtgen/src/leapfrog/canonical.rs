//! Decides which words of a pawn slice are stored: of all equivalent positions, files have the canonical one.

use plyfold_tables::index::{PieceSquares, TableAddress, TableIndex};

/// The canonical words of a pawn slice, as masks over the squares of the innermost piece. What the material does not need
/// takes no memory.
pub struct CanonicalWords {
    /// Whether every word is canonical.
    is_all_canonical: bool,
    /// For each tile, the mask of each row; or of each chunk, if `row_masks` has those of the rows in a chunk.
    tile_masks: Vec<Vec<u64>>,
    /// The mask of each row of a chunk by its inner pieces alone; empty if `tile_masks` has a mask for each row.
    row_masks: Vec<u64>,
    chunk_rows: usize,
}

impl CanonicalWords {
    /// The canonical words of a pawn slice.
    #[must_use]
    pub fn new(index: &TableIndex, pawn_slice: u32) -> CanonicalWords {
        let chunk_rows = index.chunk_words() / index.row_words();
        let pawns = index.pawn_slices()[pawn_slice as usize];
        let has_images = !index.has_pawns() || pawns == pawns.mirrored();
        let roles = index.roles().len();
        if !has_images && !(1..roles).any(|piece| index.is_same_as_before(piece)) {
            let (tile_masks, row_masks) = (Vec::new(), Vec::new());
            return CanonicalWords { is_all_canonical: true, tile_masks, row_masks, chunk_rows };
        }
        let (tile_masks, row_masks) = if straddles(index) {
            let mask = |squares: &PieceSquares| index.canonical_words(pawn_slice, squares);
            (masks(index, pawn_slice, index.row_words(), mask), Vec::new())
        } else {
            // The outer pieces decide for a whole chunk, and the inner pieces for its rows.
            let mask = |squares: &PieceSquares| chunk_mask(index, pawn_slice, squares);
            let row_masks = (0..chunk_rows).map(|row| row_mask(index, row)).collect();
            (masks(index, pawn_slice, index.chunk_words(), mask), row_masks)
        };
        CanonicalWords { is_all_canonical: false, tile_masks, row_masks, chunk_rows }
    }

    /// Bytes of the masks of a pawn slice, at most.
    #[must_use]
    pub fn bytes(index: &TableIndex) -> u64 {
        let chunk_rows = index.chunk_words() / index.row_words();
        let chunks = (0..index.tiles()).map(|tile| index.tile_chunks(tile)).sum::<usize>();
        8 * if straddles(index) { chunks * chunk_rows } else { chunks + chunk_rows } as u64
    }

    /// Returns whether a word of a tile is canonical, for rows of `width` words.
    #[inline]
    #[must_use]
    pub fn is_canonical(&self, tile: u32, word: usize, width: usize) -> bool {
        self.in_row(tile, word / width) >> (word % width) & 1 != 0
    }

    /// The canonical words of a row of a tile.
    #[inline]
    #[must_use]
    pub fn in_row(&self, tile: u32, row: usize) -> u64 {
        if self.is_all_canonical {
            return u64::MAX;
        }
        let tile = &self.tile_masks[tile as usize];
        if self.row_masks.is_empty() {
            tile[row]
        } else {
            tile[row / self.chunk_rows] & self.row_masks[row % self.chunk_rows]
        }
    }
}

/// Whether an outer piece is identical to an inner one, so that their order decides row by row.
fn straddles(index: &TableIndex) -> bool {
    let outer = index.outer_count();
    outer > 0 && outer < index.roles().len() && index.is_same_as_before(outer)
}

/// For each tile, the masks of its parts of so many words, given the squares of the pieces in the first word of each.
fn masks(index: &TableIndex, pawn_slice: u32, part_words: usize, mask: impl Fn(&PieceSquares) -> u64) -> Vec<Vec<u64>> {
    let part = |tile: u32, part: usize| {
        let bit = (part * part_words) as u64 * 64;
        mask(&index.squares(TableAddress { pawn_slice, tile, bit }))
    };
    let of_tile = |tile: u32| (0..index.tile_words(tile) / part_words).map(|number| part(tile, number)).collect();
    (0..index.tiles()).map(of_tile).collect()
}

/// The mask of a chunk: full if its outer pieces are canonical, and empty otherwise.
fn chunk_mask(index: &TableIndex, pawn_slice: u32, squares: &PieceSquares) -> u64 {
    let (canonical, outer) = (index.canonical(pawn_slice, squares), index.outer_count());
    let is_canonical =
        canonical.white_king == squares.white_king && canonical.pieces[..outer] == squares.pieces[..outer];
    if is_canonical { u64::MAX } else { 0 }
}

/// The mask of a row of a chunk: squares of the innermost piece with which identical inner pieces stand in order.
fn row_mask(index: &TableIndex, row: usize) -> u64 {
    let roles = index.roles().len();
    let square = |piece: usize| (row >> (6 * (roles - 2 - piece))) as u8 & 63;
    let mut canonical = u64::MAX;
    for piece in index.outer_count() + 1..roles {
        if index.is_same_as_before(piece) {
            let below = square(piece - 1);
            canonical &= if piece + 1 == roles {
                // The innermost piece must not stand on a lower square.
                u64::MAX << below
            } else if square(piece) >= below {
                u64::MAX
            } else {
                0
            };
        }
    }
    canonical
}

#[cfg(test)]
mod tests {
    use plyfold_tables::material::TableMaterial;

    use super::*;
    use crate::rows::lanes;

    /// The canonical words of a row by their definition, one position at a time.
    fn canonical_by_definition(index: &TableIndex, pawn_slice: u32, squares: &PieceSquares) -> u64 {
        let outer = index.outer_count();
        let Some(last) = index.roles().len().checked_sub(1) else {
            return u64::from(index.canonical(pawn_slice, squares).white_king == squares.white_king);
        };
        (0..index.row_words() as u8).fold(0, |kept, lane| {
            let mut squares = *squares;
            squares.pieces[last] = lane;
            let in_order =
                |piece: usize| !index.is_same_as_before(piece) || squares.pieces[piece - 1] <= squares.pieces[piece];
            let best = index.canonical(pawn_slice, &squares);
            let is_kept = (1..=last).all(in_order)
                && (best.white_king, &best.pieces[..outer]) == (squares.white_king, &squares.pieces[..outer]);
            kept | u64::from(is_kept) << lane
        })
    }

    #[test]
    fn the_quick_rule_is_the_slow_one() {
        for name in [
            "KRvK", "KBBvK", "KQvKR", "KPPvK", "KRRvKN", "KvKNN", "KRvKNN", "KRPvK", "KPvKP", "KNNNvK", "KvKNNN",
            "KNNNvKN", "KBNNvKN", "KRvKNNN", "KNNPvK",
        ] {
            let index = TableIndex::new(TableMaterial::parse(name).expect("a material"));
            let width = index.row_words();
            for pawn_slice in (0..index.pawn_slices().len() as u32).step_by(17) {
                let keep = CanonicalWords::new(&index, pawn_slice);
                for tile in (0..index.tiles()).step_by(7) {
                    for row in (0..index.tile_words(tile) / width).step_by(13) {
                        let squares = index.squares(TableAddress { pawn_slice, tile, bit: (row * width * 64) as u64 });
                        let expected = canonical_by_definition(&index, pawn_slice, &squares);
                        assert_eq!(
                            index.canonical_words(pawn_slice, &squares),
                            expected,
                            "{name} {pawn_slice} {tile} {squares:?}"
                        );
                        let kept = lanes(u64::MAX >> (64 - width))
                            .filter(|&lane| keep.is_canonical(tile, row * width + lane, width));
                        assert_eq!(
                            kept.fold(0, |kept, lane| kept | 1 << lane),
                            expected,
                            "{name} {pawn_slice} {tile} {squares:?}"
                        );
                    }
                }
            }
        }
    }
}
