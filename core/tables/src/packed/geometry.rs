//! Finds the places of a unit that are positions with White to move, and what is attacked there.
//!
//! A row has the squares of all pieces but the black king's. Rays end at every piece of the row; a black king in their way is not looked
//! at. What is found here chooses probabilities alone, so it must be the same wherever levels are written and read.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Color, Piece, Square, attacks};

use crate::index::{PawnPlacement, PieceSquares, TableAddress, TableIndex};

/// A unit of a table: 64 words of a tile, or all if it has fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitAddress {
    /// The number of the pawn slice.
    pub pawn_slice: u32,
    /// The number of the tile in the pawn slice.
    pub tile: u32,
    /// The number of the unit in the tile.
    pub unit: u32,
}

impl UnitAddress {
    /// All units of a table, in the order of their addresses.
    pub fn all(index: &TableIndex) -> impl Iterator<Item = UnitAddress> + '_ {
        let tiles = move |pawn_slice| (0..index.tiles()).map(move |tile| (pawn_slice, tile));
        (0..index.pawn_slices().len() as u32).flat_map(tiles).flat_map(|(pawn_slice, tile)| {
            let units = index.tile_words(tile).div_ceil(MAX_ROWS) as u32;
            (0..units).map(move |unit| UnitAddress { pawn_slice, tile, unit })
        })
    }

    /// The unit of a position, and the number of the position's place in it.
    pub const fn of(address: TableAddress) -> (UnitAddress, usize) {
        let TableAddress { pawn_slice, tile, bit } = address;
        (UnitAddress { pawn_slice, tile, unit: (bit / UNIT_BITS) as u32 }, (bit % UNIT_BITS) as usize)
    }

    /// The address of a place of the unit.
    pub const fn place(self, place: usize) -> TableAddress {
        let UnitAddress { pawn_slice, tile, unit } = self;
        TableAddress { pawn_slice, tile, bit: unit as u64 * UNIT_BITS + place as u64 }
    }

    /// The rows of the unit. Those that hold no canonical positions have no legal ones.
    pub fn rows(self, index: &TableIndex) -> Vec<Row> {
        let rows = index.tile_words(self.tile).min(MAX_ROWS);
        let squares = |row: usize| index.squares(self.place(64 * row));
        let canonical = |row: usize| index.canonical_words(self.pawn_slice, &squares(row));
        let has_lane = index.row_words() == MAX_ROWS;
        let of_lane = if has_lane { canonical(0) } else { 0 };
        let pawns = index.pawn_slices()[self.pawn_slice as usize];
        let row = |number: usize| {
            let is_canonical = if has_lane { of_lane >> number & 1 != 0 } else { canonical(number) != 0 };
            if is_canonical { Row::new(index, pawns, &squares(number)) } else { Row::default() }
        };
        (0..rows).map(row).collect()
    }
}

/// The most rows of a unit.
pub const MAX_ROWS: usize = 64;
const UNIT_BITS: u64 = 64 * MAX_ROWS as u64;

/// A row of 64 places, one for each square of the black king.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The squares where the black king makes a legal position, White to move.
    pub legal: u64,
    /// Whether Black attacks the white king.
    pub in_check: bool,
    /// Whether White attacks a black piece, and whether one of them that no other black piece defends.
    pub attacks: [bool; 2],
    /// The squares of the black king where White attacks a black piece that nothing defends.
    pub black_hangs: u64,
    /// The squares of the black king where Black attacks a white piece that nothing defends.
    pub white_hangs: u64,
}

/// The number of [classes](Row::class).
pub const CLASSES: usize = 32;

impl Row {
    /// The row of these pieces; the black king's square is not read.
    pub fn new(index: &TableIndex, pawns: PawnPlacement, squares: &PieceSquares) -> Row {
        let pieces = || {
            index
                .roles()
                .iter()
                .enumerate()
                .map(|(piece, &role)| (piece < index.white_count(), role, squares.pieces[piece]))
        };
        let white_king = 1u64 << squares.white_king;
        let (mut white, mut black) = (pawns.white, pawns.black);
        for (is_white, _, square) in pieces() {
            *(if is_white { &mut white } else { &mut black }) |= 1 << square;
        }
        let occupied = white | black | white_king;
        let count = index.roles().len() as u32 + pawns.occupied().count_ones() + 1;
        if occupied.count_ones() != count {
            return Row::default();
        }
        let king = Square::new(squares.white_king.into());
        let (mut by_white, mut by_black) = (attacks::king_attacks(king).0, 0);
        for (is_white, role, square) in pieces() {
            let piece = Piece { color: Color::White, role };
            let attacked = attacks::attacks(Square::new(square.into()), piece, Bitboard(occupied)).0;
            *(if is_white { &mut by_white } else { &mut by_black }) |= attacked;
        }
        by_white |= pawn_attacks(pawns.white, Color::White);
        by_black |= pawn_attacks(pawns.black, Color::Black);
        let loose = black & by_white & !by_black;
        let alone = white & !by_white;
        Row {
            legal: !(occupied | by_white),
            in_check: by_black & white_king != 0,
            attacks: [black & by_white != 0, loose != 0],
            black_hangs: Bitboard(loose).into_iter().fold(0, |all, square| all | !attacks::king_attacks(square).0),
            white_hangs: if alone & by_black != 0 {
                u64::MAX
            } else {
                Bitboard(alone).into_iter().fold(0, |all, square| all | attacks::king_attacks(square).0)
            },
        }
    }

    /// Returns what is attacked wherever the black king stands, as a number below 8.
    #[inline(always)]
    pub(super) fn flags(&self) -> u8 {
        u8::from(self.in_check) | u8::from(self.attacks[0]) << 1 | u8::from(self.attacks[1]) << 2
    }

    /// The squares of the black king where this row has a position of the same [class](Self::class), and where it has any.
    pub(super) fn neighbors(&self, other: &Row) -> [u64; 2] {
        let differs = (self.black_hangs ^ other.black_hangs) | (self.white_hangs ^ other.white_hangs);
        [if self.flags() == other.flags() { other.legal & !differs } else { 0 }, other.legal]
    }

    /// The row as it looks from squares of the black king so many further.
    #[must_use]
    pub(super) fn moved(&self, step: u32) -> Row {
        let moved = |squares: u64| squares << step;
        Row {
            legal: moved(self.legal),
            black_hangs: moved(self.black_hangs),
            white_hangs: moved(self.white_hangs),
            ..*self
        }
    }

    /// Returns what is attacked with the black king on this square, as a number below [`CLASSES`].
    #[inline(always)]
    pub fn class(&self, black_king: usize) -> u8 {
        let bit = |squares: u64| (squares >> black_king & 1) as u8;
        self.flags() | bit(self.black_hangs) << 3 | bit(self.white_hangs) << 4
    }
}

fn pawn_attacks(pawns: u64, side: Color) -> u64 {
    Bitboard(pawns).into_iter().fold(0, |all, square| all | attacks::pawn_attacks(side, square).0)
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Chess, FromSetup, PositionError, Setup};

    use super::*;
    use crate::index::TableAddress;

    /// Legal positions are those of shakmaty.
    #[test]
    fn places_are_legal_positions() {
        for name in ["KRvK", "KPvK", "KQvKR", "KBNvK", "KPvKP", "KBPvK", "KRvKP"] {
            let index = TableIndex::new(name.parse().expect("a material"));
            for pawn_slice in (0..index.pawn_slices().len()).step_by(7) {
                let pawns = index.pawn_slices()[pawn_slice];
                for word in (0..index.tile_words(0)).step_by(if index.tile_words(0) > 4096 { 37 } else { 1 }) {
                    let at = |king: usize| TableAddress {
                        pawn_slice: pawn_slice as u32,
                        tile: 0,
                        bit: (word * 64 + king) as u64,
                    };
                    let row = Row::new(&index, pawns, &index.squares(at(0)));
                    for king in 0..64 {
                        let board = index.board_at(at(king));
                        let is_legal = board.is_some_and(|board| {
                            let setup = Setup { board, turn: Color::White, ..Setup::empty() };
                            let position = Chess::from_setup(setup, CastlingMode::Standard);
                            position.or_else(PositionError::ignore_impossible_check).is_ok()
                        });
                        assert_eq!(row.legal >> king & 1 != 0, is_legal, "{name} {pawn_slice} {word} {king}");
                    }
                }
            }
        }
    }
}
