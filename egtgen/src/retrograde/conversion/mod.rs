//! Conversion tables: the results of smaller tables and earlier pawn slices, as arrays that a pawn slice can index.
//!
//! A capture, a promotion or a pawn move leaves the pawn slice. It leads to a position with the same pieces, less the captured
//! one, in another table or pawn slice. A conversion table is an array of such positions. In each cycle it is filled from
//! the lists of the table that they belong to. A position of those lists stands for all its images, and all are entered.

mod builder;
mod en_passant;
#[cfg(test)]
pub(crate) mod invented_lists;
mod source_list;
mod table;

use plyfold_tables::index::{PawnPlacement, TableIndex};

use super::pawn_step::PawnStep;
use super::result_lists::TableLibrary;
use super::shape::EndgamePiece;
use crate::Error;
use crate::rows::lanes;

use builder::ConversionTableBuilder;
use table::StoredKings;

pub use source_list::identical_piece_permutations;
pub use table::{Conversion, ConversionTable};

/// A move of a pawn.
pub struct PawnMove {
    /// The positions that it leads to.
    pub target: ConversionTable,
    /// The piece that it captures, and on which square.
    pub captured: Option<(usize, u8)>,
    /// The squares that must be empty on its way.
    pub must_be_empty: u64,
}

/// All conversions of a pawn slice.
pub struct ConversionTables {
    /// The positions after the capture of a piece by a piece.
    piece_tables: Vec<ConversionTable>,
    /// For each piece with a dimension: the number of its table, which identical pieces share, and the pieces that index it.
    piece_captures: Vec<Option<(usize, Vec<usize>)>>,
    /// For each pawn: its square, whether it is White's, and the positions after its capture by a piece.
    pawn_captures: Vec<(u8, bool, Option<ConversionTable>)>,
    /// Moves of white pawns, but for those of `white_pawn_steps`.
    pub white_pawn_moves: Vec<PawnMove>,
    /// Steps of white pawns that leave all pieces in their places.
    pub white_pawn_steps: Vec<PawnStep>,
    /// Moves of black pawns.
    pub black_pawn_moves: Vec<PawnMove>,
    last_level: Option<u16>,
}

impl ConversionTables {
    /// All conversions of a pawn slice.
    ///
    /// # Errors
    ///
    /// A table that a conversion leads to is missing or damaged.
    pub fn new(index: &TableIndex, pawn_slice: u32, library: &dyn TableLibrary) -> Result<ConversionTables, Error> {
        ConversionTables::build(index, pawn_slice, Some(library))
    }

    /// Bytes of all conversion tables of a pawn slice.
    #[must_use]
    pub fn memory_bytes(index: &TableIndex, pawn_slice: u32) -> u64 {
        let tables = ConversionTables::build(index, pawn_slice, None);
        tables.map_or(0, |mut tables| {
            let of_steps: u64 = tables.white_pawn_steps.iter().map(PawnStep::bytes).sum();
            tables.iter_mut().map(|table| table.bytes).sum::<u64>() + of_steps
        })
    }

    fn build(
        index: &TableIndex,
        pawn_slice: u32,
        library: Option<&dyn TableLibrary>,
    ) -> Result<ConversionTables, Error> {
        let pawns = index.pawn_slices()[pawn_slice as usize];
        let (kings, pieces) = (StoredKings::new(index), EndgamePiece::of_table(index));
        let builder = ConversionTableBuilder { index, kings, library, pieces, pawns };
        let (piece_tables, piece_captures) = builder.piece_captures()?;
        let mut by_pawn = Vec::new();
        for (set, white) in [(pawns.white, true), (pawns.black, false)] {
            for square in squares(set) {
                let rest = PawnPlacement { white: pawns.white & !(1 << square), black: pawns.black & !(1 << square) };
                by_pawn.push((square, white, builder.conversion_table(!white, None, rest, None)?));
            }
        }
        let (white, black) = (builder.pawn_moves(true)?, builder.pawn_moves(false)?);
        let mut tables = ConversionTables {
            piece_tables,
            piece_captures,
            pawn_captures: by_pawn,
            white_pawn_moves: white.moves,
            white_pawn_steps: white.steps,
            black_pawn_moves: black.moves,
            last_level: None,
        };
        let of_steps = tables.white_pawn_steps.iter().filter_map(PawnStep::last_level).max();
        tables.last_level = tables.iter_mut().filter_map(|table| table.last_level()).max().max(of_steps);
        Ok(tables)
    }

    /// Every conversion table.
    fn iter_mut(&mut self) -> impl Iterator<Item = &mut ConversionTable> {
        let moves = self.white_pawn_moves.iter_mut().chain(&mut self.black_pawn_moves).map(|found| &mut found.target);
        let pawns = self.pawn_captures.iter_mut().filter_map(|(_, _, table)| table.as_mut());
        self.piece_tables.iter_mut().chain(pawns).chain(moves)
    }

    /// The captures of pieces by pieces, each with the number of the captured piece.
    #[inline(always)]
    pub fn piece_captures(&self) -> impl Iterator<Item = (usize, Conversion<'_>)> {
        self.piece_captures.iter().enumerate().filter_map(|(piece, capture)| {
            let (table, dimensions) = capture.as_ref()?;
            Some((piece, Conversion::new(&self.piece_tables[*table], dimensions)))
        })
    }

    /// The captures of pawns by pieces: the square of the pawn, whether it is White's, and the positions.
    #[inline(always)]
    pub fn pawn_captures(&self) -> impl Iterator<Item = (u8, bool, Conversion<'_>)> {
        self.pawn_captures.iter().filter_map(|(square, white, table)| {
            let table = table.as_ref()?;
            Some((*square, *white, table.conversion()))
        })
    }

    /// Advances to the next cycle: adds the positions lost at `level` after White's conversions, and those won at `level + 1`
    /// after Black's.
    ///
    /// # Errors
    ///
    /// The lists cannot be read.
    pub fn advance(&mut self, level: u16) -> Result<(), Error> {
        self.advance_tables(level)?;
        self.white_pawn_steps.iter_mut().try_for_each(|step| {
            let lost = step.read(level, &(0..step.tiles()))?;
            step.set_lost(lost.into_iter());
            Ok(())
        })
    }

    /// The same, but for `white_pawn_steps`.
    ///
    /// # Errors
    ///
    /// As [`advance`](Self::advance).
    pub fn advance_tables(&mut self, level: u16) -> Result<(), Error> {
        self.iter_mut().try_for_each(|table| table.advance(level))
    }

    /// Returns whether positions may be decided at this level or later.
    #[must_use]
    pub fn has_more(&self, level: u16) -> bool {
        self.last_level.is_some_and(|last| level <= last)
    }

    /// Returns whether positions after Black's conversions were decided in this cycle.
    #[must_use]
    pub fn has_new_black_conversions(&self) -> bool {
        self.captures().any(|table| table.has_new && !table.not_won.is_empty())
            || self.black_pawn_moves.iter().any(|found| found.target.has_new)
    }

    /// Returns whether positions after White's conversions were decided in this cycle.
    #[must_use]
    pub fn has_new_white_conversions(&self) -> bool {
        self.has_new_white_tables() || self.white_pawn_steps.iter().any(PawnStep::has_new)
    }

    /// The same, but for steps of pawns.
    #[must_use]
    pub fn has_new_white_tables(&self) -> bool {
        self.captures().any(|table| table.has_new && table.not_won.is_empty())
            || self.white_pawn_moves.iter().any(|found| found.target.has_new)
    }

    /// The tables after captures by pieces.
    fn captures(&self) -> impl Iterator<Item = &ConversionTable> {
        self.piece_tables.iter().chain(self.pawn_captures.iter().filter_map(|(_, _, table)| table.as_ref()))
    }
}

/// The squares of a set.
fn squares(set: u64) -> impl Iterator<Item = u8> {
    lanes(set).map(|square| square as u8)
}

#[cfg(test)]
mod tests {
    use plyfold_tables::material::TableMaterial;
    use plyfold_tables::successors::TablePosition;
    use shakmaty::Color;

    use super::invented_lists::Invented;
    use super::*;
    use crate::retrograde::result_lists::ResultList;
    use crate::retrograde::shape::DimensionSquares;
    use crate::retrograde::shape::tests::board;
    use crate::rows::MarkedRows;

    /// Compares some positions of a conversion table with its lists, and counts those on a list.
    fn compare(table: &ConversionTable, library: Invented, level: u16, by_white: bool, what: &str) -> usize {
        let dims = table.shape.pieces.len();
        let (list, turn) = if by_white { (ResultList::Lost, Color::Black) } else { (ResultList::Won, Color::White) };
        let mut listed = 0;
        // The step is odd, so that all squares of all pieces occur.
        for at in (0..64 * table.word_count()).step_by(if dims > 1 { 1531 } else { 1 }) {
            let (word, king) = (at / 64, (at % 64) as u8);
            let mut squares = DimensionSquares::default();
            for (piece, square) in squares.iter_mut().enumerate().take(dims) {
                *square = (word >> (6 * (dims - 1 - piece)) & 63) as u8;
            }
            let white_king = table.kings.squares[word >> (6 * dims)];
            let legal = board(&table.shape, white_king, &squares, Some(king))
                .filter(|board| TablePosition::from_board(board.clone(), turn, None).is_ok());
            let bit = |words: &[u64]| words.get(word).is_some_and(|word| word >> king & 1 != 0);
            let is_on = |level| legal.as_ref().is_some_and(|board| library.has(board, list, level));
            let (fresh, open) = if by_white {
                (is_on(level), false)
            } else {
                let before = (1..=level).any(is_on);
                (is_on(level + 1) && !before, legal.is_some() && !before && !is_on(level + 1))
            };
            listed += usize::from(fresh);
            assert_eq!(bit(table.newly_decided.words()), fresh, "{what}, {:?}, fresh at {word} {king}", table.shape);
            assert_eq!(bit(&table.not_won), open, "{what}, {:?}, open at {word} {king}", table.shape);
        }
        listed
    }

    #[test]
    #[ignore = "slow"]
    fn arrays_are_their_lists_position_by_position() {
        let library = Invented { seed: 1, last: Some(2) };
        for (name, pawn_slices) in [
            ("KRRvKN", &[0][..]),
            ("KRBvKR", &[0]),
            ("KRvKNN", &[0]),
            ("KPvK", &[0, 3, 20]),
            ("KRPvK", &[0, 1, 13]),
            ("KPPvK", &[0, 40, 300]),
            ("KPvKR", &[23]),
            ("KRvKP", &[0, 22]),
        ] {
            let index = TableIndex::new(TableMaterial::parse(name).expect("a material"));
            for &pawn_slice in pawn_slices {
                let mut tables = ConversionTables::new(&index, pawn_slice, &library).expect("lists of all tables");
                // After Black's conversions, the first list is that of positions won in one.
                for level in 0..2 {
                    tables.advance(level).expect("lists of all tables");
                    let mut listed = 0;
                    for (_, conversion) in tables.piece_captures() {
                        listed += compare(conversion.table, library, level, conversion.table.not_won.is_empty(), name);
                    }
                    for (_, white, conversion) in tables.pawn_captures() {
                        listed += compare(conversion.table, library, level, !white, name);
                    }
                    for (moves, by_white) in [(&tables.white_pawn_moves, true), (&tables.black_pawn_moves, false)] {
                        for found in moves {
                            listed += compare(&found.target, library, level, by_white, name);
                        }
                    }
                    // What they have is compared in `pawn_step.rs` and, by the rules, in `white.rs`.
                    listed += tables.white_pawn_steps.iter().filter(|step| step.has_new()).count();
                    assert!(listed > 0, "{name}: nothing was compared but nothing");
                }
                assert!(tables.has_more(1) && !tables.has_more(3));
            }
        }
    }

    #[test]
    fn memory_is_what_the_arrays_take() {
        let library = Invented { seed: 1, last: Some(2) };
        // Words of an array with the ten squares of the king and two pieces, and with one piece.
        let (two, one) = (10 * 64 * 64, 10 * 64);
        let fresh = |words| MarkedRows::bytes(words, 64) as usize;
        let both = |words| fresh(words) + 8 * words;
        for (name, expected) in [
            // White captures the knight; Black captures a rook, which needs a second array.
            ("KRRvKN", fresh(two) + both(two)),
            ("KRBvKR", fresh(two) + 2 * both(two)),
            // White captures the rook or the knight; White wins nothing with a lone king.
            ("KRvKNR", 2 * fresh(two)),
            ("KRvKNN", fresh(two)),
            ("KRvKN", fresh(one)),
        ] {
            let index = TableIndex::new(TableMaterial::parse(name).expect("a material"));
            let mut tables = ConversionTables::new(&index, 0, &library).expect("lists of all tables");
            let of_white = |table: &ConversionTable| !table.shape.material().white.is_empty();
            let arrays = |table: &ConversionTable| {
                let decided = table.newly_decided.words().len();
                8 * table.not_won.len() + if decided == 0 { 0 } else { fresh(decided) }
            };
            let listed: usize = tables.iter_mut().filter(|table| of_white(table)).map(|table| arrays(table)).sum();
            assert_eq!(listed, expected, "{name}");
            // A conversion by which White keeps a lone king is planned like any other.
            let bare: usize =
                tables.iter_mut().filter(|table| !of_white(table)).map(|table| both(table.word_count())).sum();
            assert_eq!(ConversionTables::memory_bytes(&index, 0), (expected + bare) as u64, "{name}");
        }
    }
}
