//! Invents lists of results, with which tests fill conversion tables.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use plyfold_tables::index::{TableAddress, TableIndex};
use plyfold_tables::material::TableMaterial;
use plyfold_tables::successors::TablePosition;
use plyfold_transform::symmetry::Symmetry;
use shakmaty::{Board, Color};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Error;
use crate::retrograde::result_lists::{LevelList, NeededWords, ResultList, ResultLists, TableLibrary, VisitWord};
use crate::rows::lanes;

/// Tables with invented lists: on the list of each level is a random sixteenth of the legal positions.
#[derive(Clone, Copy)]
pub(crate) struct Invented {
    pub(crate) seed: u64,
    /// The last level with positions; `None` if all lists are empty.
    pub(crate) last: Option<u16>,
}

struct InventedLists {
    of: Invented,
    index: Arc<TableIndex>,
    /// The seed of this table's lists.
    seed: u64,
}

impl TableLibrary for Invented {
    fn lists(&self, table: TableMaterial) -> Result<Arc<dyn ResultLists>, Error> {
        Ok(Arc::new(InventedLists::new(*self, table)))
    }
}

impl InventedLists {
    fn new(of: Invented, table: TableMaterial) -> InventedLists {
        static SHAPES: LazyLock<Mutex<HashMap<TableMaterial, Arc<TableIndex>>>> = LazyLock::new(Mutex::default);
        let mut shapes = SHAPES.lock().expect("no thread panics with it");
        let index = Arc::clone(shapes.entry(table).or_insert_with(|| Arc::new(TableIndex::new(table))));
        InventedLists { of, index, seed: xxh3_64_with_seed(table.to_string().as_bytes(), of.seed) }
    }

    fn word(&self, at: LevelList, tile: u32, word: usize) -> u64 {
        let place = [at.pawn_slice, u32::from(at.level), tile, word as u32, at.list as u32];
        let place = place.map(u32::to_le_bytes).concat();
        (0..4).fold(u64::MAX, |bits, time| bits & xxh3_64_with_seed(&place, self.seed.wrapping_add(time)))
    }
}

fn turn(list: ResultList) -> Color {
    Color::from_white(list == ResultList::Won)
}

impl ResultLists for InventedLists {
    fn index(&self) -> &TableIndex {
        &self.index
    }

    fn last_level(&self, _: u32, list: ResultList) -> Result<Option<u16>, Error> {
        Ok(self.of.last.filter(|_| list != ResultList::Stale))
    }

    fn visit(&self, at: LevelList, needed: NeededWords, visit: VisitWord) -> Result<(), Error> {
        let pawn_slice = at.pawn_slice;
        for tile in (0..self.index.tiles()).filter(|tile| (needed.tile)(*tile)) {
            let width = self.index.row_words();
            for row in 0..self.index.tile_words(tile) / width {
                let bit = |word: usize| 64 * word as u64;
                let squares = self.index.squares(TableAddress { pawn_slice, tile, bit: bit(row * width) });
                let canonical = self.index.canonical_words(pawn_slice, &squares);
                for word in (0..width).filter(|lane| canonical >> lane & 1 != 0).map(|lane| row * width + lane) {
                    let mut bits = self.word(at, tile, word);
                    for king in lanes(bits) {
                        let board =
                            self.index.board_at(TableAddress { pawn_slice, tile, bit: bit(word) + king as u64 });
                        if board.and_then(|board| TablePosition::from_board(board, turn(at.list), None).ok()).is_none()
                        {
                            bits &= !(1 << king);
                        }
                    }
                    if bits != 0 {
                        visit(tile, word, bits);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Invented {
    /// Whether a legal position is on a list, found by its addresses.
    pub(crate) fn has(&self, board: &Board, list: ResultList, level: u16) -> bool {
        let material = TableMaterial::of_board(board);
        if !material.can_win() || self.last.is_none_or(|last| level > last) {
            return false;
        }
        let lists = InventedLists::new(*self, material);
        let symmetries =
            if lists.index.has_pawns() { &[Symmetry::IDENTITY, Symmetry::FLIP_H] } else { &Symmetry::ALL[..] };
        // Either of two addresses that are images of each other may be on the list.
        symmetries.iter().any(|by| {
            let mut image = Board::empty();
            for (square, piece) in board {
                image.set_piece_at(by.map_square(square), piece);
            }
            let place = lists.index.canonical_address(&image).expect("its own table");
            let at = LevelList { pawn_slice: place.pawn_slice, list, level };
            lists.word(at, place.tile, (place.bit >> 6) as usize) >> (place.bit & 63) & 1 != 0
        })
    }
}
