//! Which words of a cell go to files: one of each set of equivalent places.

use plyfold_core::table::index::{TableAddress, TableIndex};

/// The kept lanes of each row of a cell, as cheaply as the material allows.
pub struct CanonicalWords {
    /// Whether every word is kept.
    is_all_canonical: bool,
    /// For each tile, the lanes of each row; or of each chunk, where `rows` has those within a chunk.
    tile_masks: Vec<Vec<u64>>,
    /// Lanes of the rows of a chunk by the inner men alone; empty if `tiles` goes by rows.
    row_masks: Vec<u64>,
    chunk_rows: usize,
}

impl CanonicalWords {
    /// For a cell.
    #[must_use]
    pub fn new(index: &TableIndex, pawn_slice: u32) -> CanonicalWords {
        let width = index.row_words();
        let chunk_rows = index.chunk_words() / width;
        let roles = index.roles();
        let same = |man: usize, other: usize| {
            roles[man] == roles[other] && (man < index.white_count()) == (other < index.white_count())
        };
        let pawns = index.pawn_slices()[pawn_slice as usize];
        let has_images = !index.has_pawns() || pawns == pawns.mirrored();
        let any_same = (1..roles.len()).any(|man| same(man - 1, man));
        if !has_images && !any_same {
            return CanonicalWords {
                is_all_canonical: true,
                tile_masks: Vec::new(),
                row_masks: Vec::new(),
                chunk_rows,
            };
        }
        let outer = index.outer_count();
        let straddles = outer > 0 && outer < roles.len() && same(outer - 1, outer);
        let bit = |chunk: usize, row: usize| ((chunk * chunk_rows + row) * width) as u64 * 64;
        let lanes = |tile: u32, chunk: usize, row: usize| {
            index.canonical_words(pawn_slice, &index.squares(TableAddress { pawn_slice, tile, bit: bit(chunk, row) }))
        };
        if straddles {
            let tile = |tile: u32| {
                let rows = 0..index.tile_chunks(tile) * chunk_rows;
                rows.map(|row| lanes(tile, row / chunk_rows, row % chunk_rows)).collect()
            };
            return CanonicalWords {
                is_all_canonical: false,
                tile_masks: (0..index.tiles()).map(tile).collect(),
                row_masks: Vec::new(),
                chunk_rows,
            };
        }
        // Outer men decide for a chunk as a whole, and inner men for its rows.
        let chunk = |tile: u32, chunk: usize| {
            let squares = index.squares(TableAddress { pawn_slice, tile, bit: bit(chunk, 0) });
            let canonical = index.canonical(pawn_slice, &squares);
            let is_canonical =
                canonical.white_king == squares.white_king && canonical.pieces[..outer] == squares.pieces[..outer];
            if is_canonical { u64::MAX } else { 0 }
        };
        let tiles = (0..index.tiles()).map(|tile| (0..index.tile_chunks(tile)).map(|at| chunk(tile, at)).collect());
        let tiles = tiles.collect();
        let row = |row: usize| {
            let mut canonical = u64::MAX;
            let square = |man: usize| (row >> (6 * (roles.len() - 2 - man))) as u8 & 63;
            for man in outer + 1..roles.len() {
                if same(man - 1, man) {
                    let below = square(man - 1);
                    canonical &= if man + 1 == roles.len() {
                        // The lane's square must not be below.
                        u64::MAX << below
                    } else if square(man) >= below {
                        u64::MAX
                    } else {
                        0
                    };
                }
            }
            canonical
        };
        CanonicalWords {
            is_all_canonical: false,
            tile_masks: tiles,
            row_masks: (0..chunk_rows).map(row).collect(),
            chunk_rows,
        }
    }

    /// Whether a word of a tile is kept, for rows of `width` words.
    #[inline]
    #[must_use]
    pub fn is_canonical(&self, tile: u32, word: usize, width: usize) -> bool {
        if self.is_all_canonical {
            return true;
        }
        let (row, lane) = (word / width, word % width);
        let tile = &self.tile_masks[tile as usize];
        let lanes = if self.row_masks.is_empty() {
            tile[row]
        } else {
            tile[row / self.chunk_rows] & self.row_masks[row % self.chunk_rows]
        };
        lanes >> lane & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use plyfold_core::table::material::TableMaterial;

    use super::*;

    #[test]
    fn the_quick_rule_is_the_slow_one() {
        for name in ["KRvK", "KBBvK", "KQvKR", "KPPvK", "KRRvKN", "KvKNN", "KRvKNN", "KRPvK", "KPvKP"] {
            let index = TableIndex::new(TableMaterial::parse(name).expect("a material"));
            let width = index.row_words();
            for cell in (0..index.pawn_slices().len() as u32).step_by(17) {
                let keep = CanonicalWords::new(&index, cell);
                for tile in (0..index.tiles()).step_by(7) {
                    for row in (0..index.tile_words(tile) / width).step_by(13) {
                        let squares =
                            index.squares(TableAddress { pawn_slice: cell, tile, bit: (row * width * 64) as u64 });
                        let kept = index.canonical_words(cell, &squares);
                        for lane in 0..width {
                            let is_kept = keep.is_canonical(tile, row * width + lane, width);
                            assert_eq!(is_kept, kept >> lane & 1 != 0, "{name} {cell} {tile} {squares:?} {lane}");
                        }
                    }
                }
            }
        }
    }
}
