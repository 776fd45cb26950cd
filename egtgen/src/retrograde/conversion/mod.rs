//! Conversion tables: the results of smaller tables and earlier pawn slices, as arrays that a pawn slice can index.
//!
//! A capture, a promotion or a pawn move leaves the pawn slice. It leads to a position with the same pieces, less the captured
//! one, in another table or pawn slice. A conversion table is an array of such positions. In each cycle it is filled from
//! the lists of the table that they belong to. A position of those lists stands for all its images, and all are entered.

mod builder;
mod source_list;

use plyfold_tables::index::{PawnPlacement, TableIndex};
use plyfold_transform::symmetry::Symmetry;

use super::geometry::to_corner;
use super::pawn_step::PawnStep;
use super::result_lists::{ResultList, TableLibrary};
use super::shape::{ArrayShape, DimensionSquares, EndgamePiece};
use crate::Error;
use crate::rows::{MarkedRows, RowWords, lanes};

use builder::ConversionTableBuilder;
use source_list::SourceList;

pub use source_list::identical_piece_permutations;

/// An array of the positions that some conversions lead to.
pub struct ConversionTable {
    shape: ArrayShape,
    /// The pieces of the pawn slice that index it.
    dimensions: Vec<usize>,
    kings: StoredKings,
    sources: Vec<SourceList>,
    /// After Black's conversions: legal positions with White to move that are not won so far. Empty after White's.
    pub not_won: Vec<u64>,
    /// Decided in this cycle: won positions after Black's conversions, lost positions after White's.
    pub newly_decided: MarkedRows,
    /// Whether `newly_decided` has any position.
    pub has_new: bool,
    /// The captures en passant by which Black may answer a double step of White.
    en_passant: Option<Box<EnPassantReplies>>,
    /// Bytes of all arrays.
    bytes: u64,
}

/// The squares of the white king that an array has: those that the table has.
#[derive(Clone)]
struct StoredKings {
    squares: Vec<u8>,
    /// The number of each square among them, or [`NO_NUMBER`](StoredKings::NO_NUMBER).
    numbers: [u8; 64],
    /// The symmetry that leads from each square to one of them.
    to_stored: [Symmetry; 64],
}

impl StoredKings {
    const NO_NUMBER: u8 = u8::MAX;

    fn new(index: &TableIndex) -> StoredKings {
        let classes = index.king_classes();
        let all = (0..classes.count()).flat_map(|class| classes.squares(class));
        let set = all.fold(0u64, |set, square| set | 1 << square);
        let mut numbers = [StoredKings::NO_NUMBER; 64];
        (0..).zip(squares(set)).for_each(|(number, square)| numbers[usize::from(square)] = number);
        let to_stored = std::array::from_fn(|square| match numbers[square] {
            StoredKings::NO_NUMBER => to_corner(square as u8),
            _ => Symmetry::IDENTITY,
        });
        StoredKings { squares: squares(set).collect(), numbers, to_stored }
    }

    /// The number of a square; `None` if the array does not have it.
    #[inline(always)]
    fn find(&self, square: u8) -> Option<usize> {
        let number = self.numbers[usize::from(square)];
        (number != StoredKings::NO_NUMBER).then_some(usize::from(number))
    }
}

/// A conversion table as the conversions of one piece see it.
#[derive(Clone, Copy)]
pub struct Conversion<'a> {
    /// The table.
    pub table: &'a ConversionTable,
    dimensions: &'a [usize],
}

impl Conversion<'_> {
    /// The number of the word for the squares of the white king and the pieces. Squares of pieces without a dimension do not
    /// matter.
    #[inline(always)]
    #[must_use]
    pub fn word_index(&self, white_king: u8, squares: &DimensionSquares) -> usize {
        self.word_of(white_king, |man| squares[man])
    }

    /// The number of the word for the squares of the white king and of each piece.
    #[inline(always)]
    fn word_of(&self, white_king: u8, square: impl Fn(usize) -> u8) -> usize {
        let king = usize::from(self.table.kings.numbers[usize::from(white_king)]);
        self.dimensions.iter().fold(king, |at, &man| at << 6 | usize::from(square(man)))
    }

    /// The same for any square of the white king, and the symmetry that leads to the positions of that word.
    #[inline(always)]
    #[must_use]
    pub fn stored_word(&self, white_king: u8, squares: &DimensionSquares) -> (usize, Symmetry) {
        let symmetry = self.table.kings.to_stored[usize::from(white_king)];
        (self.word_of(symmetry.square(white_king), |man| symmetry.square(squares[man])), symmetry)
    }

    /// The positions of a word that were decided in this cycle.
    #[inline(always)]
    #[must_use]
    pub fn newly_decided(&self, word: usize) -> u64 {
        self.table.newly_decided.words()[word]
    }

    /// The positions of the row that begins with this word, if any was decided in this cycle.
    #[inline(always)]
    #[must_use]
    pub fn newly_decided_row(&self, word: usize) -> Option<&[u64]> {
        let row = word / self.table.shape.row_words();
        self.table.newly_decided.is_live(row).then(|| self.table.newly_decided.row(row))
    }

    /// The words of the row that begins with this word, if any position of it was decided in this cycle.
    #[inline(always)]
    #[must_use]
    pub fn newly_decided_words(&self, word: usize) -> Option<RowWords<'_>> {
        let row = word / self.table.shape.row_words();
        self.table.newly_decided.is_live(row).then(|| self.table.newly_decided.row_words(row))
    }
}

/// Decides positions after a double step of White that Black may answer by capturing en passant.
struct EnPassantReplies {
    /// The positions after each such capture, with White to move.
    captures: Vec<ConversionTable>,
    /// Positions that are lost, and those that are stalemate, if the captures are ignored.
    lost_but_for_captures: Vec<u64>,
    stalemate_but_for_captures: Vec<u64>,
    /// Positions that are lost with the captures, so far.
    known_lost: Vec<u64>,
}

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

impl ConversionTable {
    /// The table as its own pieces index it.
    #[inline(always)]
    #[must_use]
    pub fn conversion(&self) -> Conversion<'_> {
        Conversion { table: self, dimensions: &self.dimensions }
    }

    /// Adds the positions decided at this level, or at `level + 1` after Black's conversions.
    fn advance(&mut self, level: u16) -> Result<(), Error> {
        if self.has_new {
            self.newly_decided.clear(0..self.row_count());
            self.has_new = false;
        }
        // PERF: a row has 1 or 64 words, and a shift takes a tenth of the time of a division.
        let width = self.shape.row_words();
        let ConversionTable { sources, dimensions, kings, newly_decided, not_won, en_passant, .. } = self;
        let mut put = |word: usize, bits: u64| {
            newly_decided.add(word >> width.trailing_zeros(), word & (width - 1), bits);
        };
        if let Some(replies) = en_passant {
            for origin in sources {
                let lost = &mut replies.lost_but_for_captures;
                origin.add_level(level, dimensions, kings, |word, bits| lost[word] |= bits)?;
            }
            replies.decide(level, put)?;
        } else {
            for origin in sources {
                let at = if origin.list == ResultList::Won { level + 1 } else { level };
                origin.add_level(at, dimensions, kings, &mut put)?;
            }
        }
        // After White's conversions there is no `not_won`, and all positions are new.
        if !not_won.is_empty() && newly_decided.row_count() > 0 {
            let rows = not_won.len() / width;
            let mut next = newly_decided.next_live(0, rows);
            while let Some(row) = next {
                newly_decided.take_from(row, &mut not_won[row * width..(row + 1) * width]);
                next = newly_decided.next_live(row + 1, rows);
            }
        }
        self.has_new = !self.newly_decided.is_empty();
        Ok(())
    }

    /// The last level at which positions can be decided.
    fn last_level(&self) -> Option<u16> {
        let last = |origin: &SourceList| {
            let last = origin.last_level?;
            Some(if origin.list == ResultList::Won { last.saturating_sub(1) } else { last })
        };
        let own = self.sources.iter().filter_map(last).max();
        let after = self.en_passant.iter().flat_map(|replies| &replies.captures);
        own.max(after.filter_map(|after| Some(after.last_level()? + 1)).max())
    }

    /// Number of words of its arrays.
    fn word_count(&self) -> usize {
        self.kings.squares.len() << (6 * self.shape.pieces.len())
    }

    fn row_count(&self) -> usize {
        self.word_count() / self.shape.row_words()
    }

    /// All legal positions with White to move.
    fn all_legal_white_to_move(&self) -> Vec<u64> {
        let shape = &self.shape;
        let mut open = vec![0; self.word_count()];
        let width = shape.row_words();
        let outer_count = shape.innermost_piece().unwrap_or(0);
        for (row, open) in open.chunks_exact_mut(width).enumerate() {
            let mut squares = DimensionSquares::default();
            let mut rest = row;
            for man in (0..outer_count).rev() {
                squares[man] = (rest & 63) as u8;
                rest >>= 6;
            }
            shape.legal_row_white_to_move(self.kings.squares[rest], &squares, open);
        }
        open
    }
}

impl EnPassantReplies {
    /// Passes the words with the positions that are newly lost at this level to `put`.
    fn decide(&mut self, level: u16, mut put: impl FnMut(usize, u64)) -> Result<(), Error> {
        let mut escapes = vec![0; self.lost_but_for_captures.len()];
        for after in &mut self.captures {
            // A position is lost at a level if all its moves lead to positions won at that level or below, not at the
            // next one.
            if level > 0 {
                after.advance(level - 1)?;
            }
            for (escapes, open) in escapes.iter_mut().zip(&after.not_won) {
                *escapes |= open;
            }
        }
        for (at, escapes) in escapes.iter().enumerate() {
            let lost = (self.lost_but_for_captures[at] | self.stalemate_but_for_captures[at]) & !escapes;
            let new = lost & !self.known_lost[at];
            if new != 0 {
                self.known_lost[at] |= lost;
                put(at, new);
            }
        }
        Ok(())
    }
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
        let feeds = ConversionTables::build(index, pawn_slice, None);
        feeds.map_or(0, |mut feeds| {
            let of_steps: u64 = feeds.white_pawn_steps.iter().map(PawnStep::bytes).sum();
            feeds.iter_mut().map(|feed| feed.bytes).sum::<u64>() + of_steps
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
        let mut feeds = ConversionTables {
            piece_tables,
            piece_captures,
            pawn_captures: by_pawn,
            white_pawn_moves: white.moves,
            white_pawn_steps: white.steps,
            black_pawn_moves: black.moves,
            last_level: None,
        };
        let of_steps = feeds.white_pawn_steps.iter().filter_map(PawnStep::last_level).max();
        feeds.last_level = feeds.iter_mut().filter_map(|feed| feed.last_level()).max().max(of_steps);
        Ok(feeds)
    }

    /// Every conversion table.
    fn iter_mut(&mut self) -> impl Iterator<Item = &mut ConversionTable> {
        let moves = self.white_pawn_moves.iter_mut().chain(&mut self.black_pawn_moves).map(|found| &mut found.target);
        let pawns = self.pawn_captures.iter_mut().filter_map(|(_, _, feed)| feed.as_mut());
        self.piece_tables.iter_mut().chain(pawns).chain(moves)
    }

    /// The captures of pieces by pieces, each with the number of the captured piece.
    #[inline(always)]
    pub fn piece_captures(&self) -> impl Iterator<Item = (usize, Conversion<'_>)> {
        self.piece_captures.iter().enumerate().filter_map(|(man, capture)| {
            let (table, dimensions) = capture.as_ref()?;
            Some((man, Conversion { table: &self.piece_tables[*table], dimensions }))
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
        self.iter_mut().try_for_each(|feed| feed.advance(level))
    }

    /// Whether positions may be decided at this level or later.
    #[must_use]
    pub fn has_more(&self, level: u16) -> bool {
        self.last_level.is_some_and(|last| level <= last)
    }

    /// Whether positions after Black's conversions were decided in this cycle.
    #[must_use]
    pub fn has_new_black_conversions(&self) -> bool {
        self.captures().any(|table| table.has_new && !table.not_won.is_empty())
            || self.black_pawn_moves.iter().any(|found| found.target.has_new)
    }

    /// Whether positions after White's conversions were decided in this cycle.
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
pub(crate) mod tests {
    use std::collections::HashMap;
    use std::sync::{Arc, LazyLock, Mutex};

    use plyfold_tables::index::{MAX_PIECES, TableAddress};
    use plyfold_tables::successors::TablePosition;
    use shakmaty::{Board, Color, Role};
    use xxhash_rust::xxh3::xxh3_64_with_seed;

    use plyfold_tables::material::TableMaterial;

    use super::super::result_lists::{LevelList, NeededWords, ResultLists, VisitWord};
    use super::super::shape::tests::board;
    use super::*;

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
            let cell = at.pawn_slice;
            for tile in (0..self.index.tiles()).filter(|tile| (needed.tile)(*tile)) {
                let width = self.index.row_words();
                for row in 0..self.index.tile_words(tile) / width {
                    let bit = |word: usize| 64 * word as u64;
                    let squares = self.index.squares(TableAddress { pawn_slice: cell, tile, bit: bit(row * width) });
                    let canonical = self.index.canonical_words(cell, &squares);
                    for word in (0..width).filter(|lane| canonical >> lane & 1 != 0).map(|lane| row * width + lane) {
                        let mut bits = self.word(at, tile, word);
                        for king in lanes(bits) {
                            let men = self.index.board_at(TableAddress {
                                pawn_slice: cell,
                                tile,
                                bit: bit(word) + king as u64,
                            });
                            if men.and_then(|men| TablePosition::from_board(men, turn(at.list), None).ok()).is_none() {
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

    /// Compares some positions of a conversion table with its lists, and counts those on a list.
    fn compare(feed: &ConversionTable, library: Invented, level: u16, by_white: bool, what: &str) -> usize {
        let dims = feed.shape.pieces.len();
        let (list, turn) = if by_white { (ResultList::Lost, Color::Black) } else { (ResultList::Won, Color::White) };
        let mut listed = 0;
        // The step is odd, so that all squares of all pieces occur.
        for at in (0..64 * feed.word_count()).step_by(if dims > 1 { 1531 } else { 1 }) {
            let (word, king) = (at / 64, (at % 64) as u8);
            let mut men = DimensionSquares::default();
            for (man, square) in men.iter_mut().enumerate().take(dims) {
                *square = (word >> (6 * (dims - 1 - man)) & 63) as u8;
            }
            let white_king = feed.kings.squares[word >> (6 * dims)];
            let legal = board(&feed.shape, white_king, &men, Some(king))
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
            assert_eq!(bit(feed.newly_decided.words()), fresh, "{what}, {:?}, fresh at {word} {king}", feed.shape);
            assert_eq!(bit(&feed.not_won), open, "{what}, {:?}, open at {word} {king}", feed.shape);
        }
        listed
    }

    #[test]
    #[ignore = "slow"]
    fn arrays_are_their_lists_position_by_position() {
        let library = Invented { seed: 1, last: Some(2) };
        for (name, cells) in [
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
            for &cell in cells {
                let mut feeds = ConversionTables::new(&index, cell, &library).expect("lists of all tables");
                // After Black's conversions, the first list is that of positions won in one.
                for level in 0..2 {
                    feeds.advance(level).expect("lists of all tables");
                    let mut listed = 0;
                    for (_, feed) in feeds.piece_captures() {
                        listed += compare(feed.table, library, level, feed.table.not_won.is_empty(), name);
                    }
                    for (_, white, feed) in feeds.pawn_captures() {
                        listed += compare(feed.table, library, level, !white, name);
                    }
                    for (moves, by_white) in [(&feeds.white_pawn_moves, true), (&feeds.black_pawn_moves, false)] {
                        for found in moves {
                            listed += compare(&found.target, library, level, by_white, name);
                        }
                    }
                    // What they have is compared in `pawn_step.rs` and, by the rules, in `white.rs`.
                    listed += feeds.white_pawn_steps.iter().filter(|step| step.has_new()).count();
                    assert!(listed > 0, "{name}: nothing was compared but nothing");
                }
                assert!(feeds.has_more(1) && !feeds.has_more(3));
            }
        }
    }

    #[test]
    fn orders_are_all_ways_to_name_identical_men() {
        let man = |white: bool, role: Role| EndgamePiece { is_white: white, role };
        let (rook, knight) = (man(true, Role::Rook), man(false, Role::Knight));
        assert_eq!(identical_piece_permutations(&[rook, knight], &[rook, knight], None).len(), 1);
        assert_eq!(identical_piece_permutations(&[rook, rook, knight], &[rook, rook, knight], None).len(), 2);
        assert_eq!(identical_piece_permutations(&[rook, rook, rook], &[rook, rook, rook], None).len(), 6);
        // Either of two rooks may be the promoted one.
        let pinned = identical_piece_permutations(&[rook, rook, knight], &[rook, knight], Some(rook));
        assert_eq!(pinned.len(), 2);
        for order in pinned {
            assert_eq!(order.iter().take(3).filter(|man| **man == MAX_PIECES).count(), 1);
            assert_eq!(order[2], 1, "the knight stays");
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
