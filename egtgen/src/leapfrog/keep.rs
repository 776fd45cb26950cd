//! Which words of a cell go to files: one of each set of equivalent places.

use plyfold_core::table::index::{Index, Place};

/// The kept lanes of each row of a cell, as cheaply as the material allows.
pub struct Keep {
    /// Whether every word is kept.
    is_all: bool,
    /// For each tile, the lanes of each row; or of each chunk, where `rows` has those within a chunk.
    tiles: Vec<Vec<u64>>,
    /// Lanes of the rows of a chunk by the inner men alone; empty if `tiles` goes by rows.
    rows: Vec<u64>,
    chunk_rows: usize,
}

impl Keep {
    /// For a cell.
    #[must_use]
    pub fn new(index: &Index, cell: u32) -> Keep {
        let width = index.row_words();
        let chunk_rows = index.chunk_words() / width;
        let roles = index.roles();
        let same =
            |man: usize, other: usize| roles[man] == roles[other] && (man < index.whites()) == (other < index.whites());
        let pawns = index.cells()[cell as usize];
        let has_images = !index.has_pawns() || pawns == pawns.mirrored();
        let any_same = (1..roles.len()).any(|man| same(man - 1, man));
        if !has_images && !any_same {
            return Keep { is_all: true, tiles: Vec::new(), rows: Vec::new(), chunk_rows };
        }
        let outer = index.outer();
        let straddles = outer > 0 && outer < roles.len() && same(outer - 1, outer);
        let bit = |chunk: usize, row: usize| ((chunk * chunk_rows + row) * width) as u64 * 64;
        let lanes = |tile: u32, chunk: usize, row: usize| {
            index.kept_lanes(cell, &index.squares(Place { cell, tile, bit: bit(chunk, row) }))
        };
        if straddles {
            let tile = |tile: u32| {
                let rows = 0..index.tile_chunks(tile) * chunk_rows;
                rows.map(|row| lanes(tile, row / chunk_rows, row % chunk_rows)).collect()
            };
            return Keep { is_all: false, tiles: (0..index.tiles()).map(tile).collect(), rows: Vec::new(), chunk_rows };
        }
        // Outer men decide for a chunk as a whole, and inner men for its rows.
        let chunk = |tile: u32, chunk: usize| {
            let squares = index.squares(Place { cell, tile, bit: bit(chunk, 0) });
            let kept = index.kept(cell, &squares);
            let is_kept = kept.white_king == squares.white_king && kept.men[..outer] == squares.men[..outer];
            if is_kept { u64::MAX } else { 0 }
        };
        let tiles = (0..index.tiles()).map(|tile| (0..index.tile_chunks(tile)).map(|at| chunk(tile, at)).collect());
        let tiles = tiles.collect();
        let row = |row: usize| {
            let mut kept = u64::MAX;
            let square = |man: usize| (row >> (6 * (roles.len() - 2 - man))) as u8 & 63;
            for man in outer + 1..roles.len() {
                if same(man - 1, man) {
                    let below = square(man - 1);
                    kept &= if man + 1 == roles.len() {
                        // The lane's square must not be below.
                        u64::MAX << below
                    } else if square(man) >= below {
                        u64::MAX
                    } else {
                        0
                    };
                }
            }
            kept
        };
        Keep { is_all: false, tiles, rows: (0..chunk_rows).map(row).collect(), chunk_rows }
    }

    /// Whether a word of a tile is kept, for rows of `width` words.
    #[inline]
    #[must_use]
    pub fn has(&self, tile: u32, word: usize, width: usize) -> bool {
        if self.is_all {
            return true;
        }
        let (row, lane) = (word / width, word % width);
        let tile = &self.tiles[tile as usize];
        let lanes = if self.rows.is_empty() {
            tile[row]
        } else {
            tile[row / self.chunk_rows] & self.rows[row % self.chunk_rows]
        };
        lanes >> lane & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use plyfold_core::table::material::Material;

    use super::*;

    #[test]
    fn the_quick_rule_is_the_slow_one() {
        for name in ["KRvK", "KBBvK", "KQvKR", "KPPvK", "KRRvKN", "KvKNN", "KRvKNN", "KRPvK", "KPvKP"] {
            let index = Index::new(Material::parse(name).expect("a material"));
            let width = index.row_words();
            for cell in (0..index.cells().len() as u32).step_by(17) {
                let keep = Keep::new(&index, cell);
                for tile in (0..index.tiles()).step_by(7) {
                    for row in (0..index.tile_words(tile) / width).step_by(13) {
                        let squares = index.squares(Place { cell, tile, bit: (row * width * 64) as u64 });
                        let kept = index.kept_lanes(cell, &squares);
                        for lane in 0..width {
                            let is_kept = keep.has(tile, row * width + lane, width);
                            assert_eq!(is_kept, kept >> lane & 1 != 0, "{name} {cell} {tile} {squares:?} {lane}");
                        }
                    }
                }
            }
        }
    }
}
