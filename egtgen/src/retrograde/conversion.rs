//! Conversion tables: the results of smaller tables and earlier pawn slices, as arrays that a pawn slice can index.
//!
//! A capture, a promotion or a pawn move leaves the pawn slice. It leads to a position with the same pieces, less the captured
//! one, in another table or pawn slice. A conversion table is an array of such positions. In each cycle it is filled from
//! the lists of the table that they belong to. A position of those lists stands for all its images, and all are entered.

use plyfold_tables::index::{MAX_PIECES, PawnPlacement, TableAddress, TableIndex};
use plyfold_transform::symmetry::Symmetry;
use shakmaty::Role;

use super::geometry::to_corner;
use super::pawn_step::PawnStep;
use super::result_lists::{LevelList, PromotedPiece, ResultList, ResultLists, TableLibrary};
use super::shape::{ArrayShape, DimensionSquares, EndgamePiece};
use crate::rows::{MarkedRows, RowWords};

/// The lists that fill a conversion table.
struct SourceList {
    lists: std::sync::Arc<dyn ResultLists>,
    pawn_slice: u32,
    /// The symmetries that map positions of the stored pawn slice to the pawns of this array.
    symmetries: Vec<Symmetry>,
    /// Where each of them moves the squares.
    image_squares: Vec<[u8; 64]>,
    /// The piece of that table that is fixed in this array, and its square.
    fixed: Option<(usize, u8)>,
    list: ResultList,
    /// The last level with positions.
    last_level: Option<u16>,
    /// The orders of identical pieces. Each maps every dimension of that table to one of this array, or to `MAX_PIECES` if the
    /// piece is fixed.
    permutations: Vec<[usize; MAX_PIECES]>,
}

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
        let all = (0..classes.len()).flat_map(|class| classes.squares(class));
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
    fn advance(&mut self, level: u16) -> Result<(), crate::Error> {
        if self.has_new {
            self.newly_decided.clear(0..self.row_count());
            self.has_new = false;
        }
        // PERF: a row has 1 or 64 words, and a shift takes a tenth of the time of a division.
        let width = self.shape.row_words();
        let place = |word: usize| (word >> width.trailing_zeros(), word & (width - 1));
        let ConversionTable { sources, dimensions, kings, newly_decided, not_won, en_passant, .. } = self;
        if let Some(replies) = en_passant {
            for origin in sources {
                let lost = &mut replies.lost_but_for_captures;
                origin.add_level(level, dimensions, kings, |word, bits| lost[word] |= bits)?;
            }
            replies.decide(level, |word, bits| {
                let (row, lane) = place(word);
                newly_decided.add(row, lane, bits);
            })?;
            self.has_new = !self.newly_decided.is_empty();
            return Ok(());
        }
        for origin in sources {
            let at = match origin.list {
                ResultList::Won => level + 1,
                ResultList::Lost | ResultList::Stale => level,
            };
            origin.add_level(at, dimensions, kings, |word, bits| {
                let (row, lane) = place(word);
                newly_decided.add(row, lane, bits);
            })?;
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
        let mut attacked = vec![0; width];
        let outer_count = shape.innermost_piece().unwrap_or(0);
        for (row, open) in open.chunks_exact_mut(width).enumerate() {
            let mut squares = DimensionSquares::default();
            let mut rest = row;
            for man in (0..outer_count).rev() {
                squares[man] = (rest & 63) as u8;
                rest >>= 6;
            }
            let white_king = self.kings.squares[rest];
            if let Some(occupied) = shape.occupied(white_king, &squares) {
                shape.attacked(white_king, &squares, occupied, &mut attacked);
                shape.legal_white_to_move(occupied, &attacked, open);
            }
        }
        open
    }
}

impl EnPassantReplies {
    /// Passes the words with the positions that are newly lost at this level to `put`.
    fn decide(&mut self, level: u16, mut put: impl FnMut(usize, u64)) -> Result<(), crate::Error> {
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

impl SourceList {
    /// Passes the words with the positions of a level to `put`, in an array with these dimensions and squares of the king.
    fn add_level(
        &self,
        level: u16,
        dims: &[usize],
        kings: &StoredKings,
        mut put: impl FnMut(usize, u64),
    ) -> Result<(), crate::Error> {
        let index = self.lists.index();
        if self.last_level.is_none_or(|last| level > last) {
            return Ok(());
        }
        // If the fixed piece is an outer piece, its square is in the same class in every image.
        let pinned_class = match self.fixed {
            Some((man, square)) if man < index.outer_count() => {
                index.outer_classes(man).find(square).map(|(class, _)| (man, class))
            }
            _ => None,
        };
        let roles = index.roles();
        let is_identical = |man: usize, other: usize| {
            roles[man] == roles[other] && (man < index.white_count()) == (other < index.white_count())
        };
        let identical_men =
            |man: usize| (0..roles.len()).filter(|&other| is_identical(man, other)).fold(0, |men, man| men | 1 << man);
        let needs_tile = |tile: u32| match pinned_class {
            Some((man, class)) if identical_men(man) == 1 << man => {
                let (_, w1, w2) = index.classes(tile);
                [w1, w2][man] == class
            }
            _ => true,
        };
        let mut row = SourceRow { number: None, images: Vec::new() };
        let at = LevelList { pawn_slice: self.pawn_slice, list: self.list, level };
        let promoted = self.fixed.map(|(man, square)| {
            let origins = self.symmetries.iter().map(|by| by.inverse().square(square));
            PromotedPiece { men: identical_men(man), squares: origins.fold(0, |squares, square| squares | 1 << square) }
        });
        // PERF: if the promoted piece is the innermost one, few words of a row are needed.
        let needed_lanes = match promoted {
            Some(PromotedPiece { men, squares }) if men == 1 << (roles.len() - 1) => squares,
            _ => u64::MAX,
        };
        let mut enter = |tile: u32, word: usize, bits: u64| {
            let (number, lane) = if roles.is_empty() { (word, 0) } else { (word / 64, word % 64) };
            if needed_lanes >> lane & 1 == 0 {
                return;
            }
            if row.number != Some((tile, number)) {
                row.number = Some((tile, number));
                self.collect_row_images((tile, word), dims.len(), kings, &mut row.images);
            }
            for image in &row.images {
                let lane = self.image_squares[image.symmetry][lane];
                let at = match image.innermost {
                    InnermostTarget::None => image.base,
                    InnermostTarget::Dimension(shift) => image.base + (usize::from(lane) << shift),
                    InnermostTarget::Fixed(square) if lane == square => image.base,
                    InnermostTarget::Fixed(_) => continue,
                };
                put(at, self.symmetries[image.symmetry].bitboard(bits));
            }
        };
        match promoted {
            Some(piece) => self.lists.visit_promoted(at, piece, &needs_tile, &mut enter),
            None => self.lists.visit(at, &needs_tile, &mut enter),
        }
    }

    /// Finds the rows of the array that a row of the list is entered into.
    fn collect_row_images(
        &self,
        (tile, word): (u32, usize),
        dims: usize,
        kings: &StoredKings,
        images: &mut Vec<RowImage>,
    ) {
        let index = self.lists.index();
        let men = index.roles().len();
        let squares = index.squares(TableAddress { pawn_slice: self.pawn_slice, tile, bit: (word as u64) << 6 });
        images.clear();
        for (number, symmetry) in self.symmetries.iter().enumerate() {
            let Some(king) = kings.find(symmetry.square(squares.white_king)) else { continue };
            for order in &self.permutations {
                let shift = |man: usize| 6 * (dims - 1 - order[man]);
                let mut base = king << (6 * dims);
                let mut stands = true;
                for (man, &here) in order[..men.saturating_sub(1)].iter().enumerate() {
                    let square = symmetry.square(squares.pieces[man]);
                    if here == MAX_PIECES {
                        stands &= self.fixed.is_some_and(|(_, pinned)| pinned == square);
                    } else {
                        base |= usize::from(square) << shift(man);
                    }
                }
                let lane = match (men.checked_sub(1), self.fixed) {
                    (None, _) => InnermostTarget::None,
                    (Some(lane), Some((_, square))) if order[lane] == MAX_PIECES => InnermostTarget::Fixed(square),
                    (Some(lane), _) => InnermostTarget::Dimension(shift(lane)),
                };
                if stands {
                    images.push(RowImage { symmetry: number, base, innermost: lane });
                }
            }
        }
    }
}

/// A row of a list, and its images in the array.
struct SourceRow {
    number: Option<(u32, usize)>,
    images: Vec<RowImage>,
}

/// An image of a row.
struct RowImage {
    symmetry: usize,
    /// The number of its word for the innermost piece on a1.
    base: usize,
    innermost: InnermostTarget,
}

/// The role of a list's innermost piece in the array.
#[derive(Clone, Copy)]
enum InnermostTarget {
    /// The list has no such piece.
    None,
    /// It has a dimension, which is shifted by this many bits.
    Dimension(usize),
    /// It is the fixed piece, which must stand on this square.
    Fixed(u8),
}

/// A pawn that comes to a square.
#[derive(Clone, Copy)]
struct PawnArrival {
    is_white: bool,
    /// The other pawns of its side.
    other_pawns: u64,
    to: u8,
}

/// What a pawn takes on the square it comes to.
#[derive(Clone, Copy)]
enum PawnCapture {
    Nothing,
    /// The piece of this number.
    Piece(usize),
    Pawn,
}

/// The moves of one side's pawns.
#[derive(Default)]
struct PawnMoves {
    moves: Vec<PawnMove>,
    steps: Vec<PawnStep>,
}

/// Builds the conversion tables of a pawn slice.
struct ConversionTableBuilder<'a> {
    index: &'a TableIndex,
    kings: StoredKings,
    /// `None` to find only the sizes of the arrays.
    library: Option<&'a dyn TableLibrary>,
    pieces: Vec<EndgamePiece>,
    pawns: PawnPlacement,
}

impl ConversionTableBuilder<'_> {
    /// The table for a conversion of one side: without `captured_piece`, with these pawns, and with a promoted piece fixed on its
    /// square.
    fn conversion_table(
        &self,
        by_white: bool,
        captured_piece: Option<usize>,
        pawns: PawnPlacement,
        fixed: Option<(EndgamePiece, u8)>,
    ) -> Result<Option<ConversionTable>, crate::Error> {
        let dims: Vec<usize> = (0..self.pieces.len()).filter(|man| Some(*man) != captured_piece).collect();
        let pieces: Vec<EndgamePiece> = dims.iter().map(|&man| self.pieces[man]).collect();
        let shape = ArrayShape { pieces, white_pawns: pawns.white, black_pawns: pawns.black, fixed };
        let list = if by_white { ResultList::Lost } else { ResultList::Won };
        // White cannot win if the conversion leaves it a lone king. For Black, such a conversion is an escape.
        if by_white && shape.material().white.is_empty() {
            return Ok(None);
        }
        let mut table = ConversionTable {
            dimensions: dims,
            kings: self.kings.clone(),
            sources: self.source_list(&shape, list)?.into_iter().collect(),
            not_won: Vec::new(),
            newly_decided: MarkedRows::default(),
            has_new: false,
            en_passant: None,
            bytes: 0,
            shape,
        };
        let (words, width) = (table.word_count(), table.shape.row_words());
        table.bytes = MarkedRows::bytes(words, width) + if by_white { 0 } else { 8 * words as u64 };
        if self.library.is_some() {
            if !by_white {
                table.not_won = table.all_legal_white_to_move();
            }
            if !table.sources.is_empty() {
                table.newly_decided = MarkedRows::new(table.row_count(), width);
            }
        }
        Ok(Some(table))
    }

    /// The tables after captures of pieces, and for each piece the number of its table and the pieces that index it.
    #[expect(clippy::type_complexity, reason = "two fields of one struct")]
    fn piece_captures(&self) -> Result<(Vec<ConversionTable>, Vec<Option<(usize, Vec<usize>)>>), crate::Error> {
        let mut tables: Vec<ConversionTable> = Vec::new();
        let mut captures: Vec<Option<(usize, Vec<usize>)>> = Vec::new();
        for (man, piece) in self.pieces.iter().enumerate() {
            let same = self.pieces[..man].iter().position(|other| other == piece);
            let capture = if let Some(same) = same {
                // After the capture of this piece, the other one stands in its dimension.
                let swap = |&other: &usize| if other == man { same } else { other };
                captures[same].as_ref().map(|(table, pieces)| (*table, pieces.iter().map(swap).collect()))
            } else {
                let table = self.conversion_table(!piece.is_white, Some(man), self.pawns, None)?;
                table.map(|table| {
                    let pieces = table.dimensions.clone();
                    tables.push(table);
                    (tables.len() - 1, pieces)
                })
            };
            captures.push(capture);
        }
        Ok((tables, captures))
    }

    /// The lists that fill an array; `None` if White has a lone king.
    fn source_list(&self, shape: &ArrayShape, list: ResultList) -> Result<Option<SourceList>, crate::Error> {
        let material = shape.material();
        if material.white.is_empty() {
            return Ok(None);
        }
        let Some(library) = self.library else { return Ok(None) };
        let lists = library.lists(material)?;
        let index = lists.index();
        let pawns = PawnPlacement { white: shape.white_pawns, black: shape.black_pawns };
        let (cell, is_mirrored) = index.pawn_slice_of(pawns).expect("a placement of this material's pawns has a cell");
        let images = match index.has_pawns() {
            false => Symmetry::ALL.to_vec(),
            true if pawns == pawns.mirrored() => vec![Symmetry::IDENTITY, Symmetry::FLIP_H],
            true if is_mirrored => vec![Symmetry::FLIP_H],
            true => vec![Symmetry::IDENTITY],
        };
        let table_pieces: Vec<EndgamePiece> = (0..)
            .zip(index.roles())
            .map(|(man, &role)| EndgamePiece { is_white: man < index.white_count(), role })
            .collect();
        let pinned = shape.fixed.map(|(man, square)| {
            (table_pieces.iter().position(|other| *other == man).expect("a promoted man is one of its table"), square)
        });
        let orders = identical_piece_permutations(&table_pieces, &shape.pieces, shape.fixed.map(|(man, _)| man));
        let last = lists.last_level(cell, list)?;
        Ok(Some(SourceList {
            pawn_slice: cell,
            image_squares: images.iter().map(|by| std::array::from_fn(|square| by.square(square as u8))).collect(),
            symmetries: images,
            fixed: pinned,
            list,
            last_level: last,
            permutations: orders,
            lists,
        }))
    }

    /// The moves of one side's pawns.
    fn pawn_moves(&self, white: bool) -> Result<PawnMoves, crate::Error> {
        let mut moves = PawnMoves::default();
        let (own, up): (u64, i32) = if white { (self.pawns.white, 8) } else { (self.pawns.black, -8) };
        for from in squares(own) {
            let lifted = own & !(1 << from);
            let arrival = |to: u8| PawnArrival { is_white: white, other_pawns: lifted, to };
            let to = (i32::from(from) + up) as u8;
            if self.pawns.occupied() >> to & 1 == 0 {
                self.add_arrivals(&mut moves, arrival(to), PawnCapture::Nothing)?;
                let is_home = from >> 3 == if white { 1 } else { 6 };
                let beyond = (i32::from(to) + up) as u8;
                if is_home && self.pawns.occupied() >> beyond & 1 == 0 {
                    self.add_double_step(&mut moves, arrival(beyond), to)?;
                }
            }
            for to in squares(super::geometry::pawn_attacks(1 << from, white)) {
                let theirs = if white { self.pawns.black } else { self.pawns.white };
                if theirs >> to & 1 != 0 {
                    self.add_arrivals(&mut moves, arrival(to), PawnCapture::Pawn)?;
                } else if own >> to & 1 == 0 {
                    for man in 0..self.pieces.len() {
                        if self.pieces[man].is_white != white {
                            self.add_arrivals(&mut moves, arrival(to), PawnCapture::Piece(man))?;
                        }
                    }
                }
            }
        }
        Ok(moves)
    }

    /// The step of a white pawn that leads to these pawns.
    fn pawn_step(&self, pawns: PawnPlacement, must_be_empty: u64) -> Result<PawnStep, crate::Error> {
        let lists = self.library.map(|library| library.lists(self.index.material())).transpose()?;
        PawnStep::new(self.index, lists, pawns, must_be_empty)
    }

    /// The pawns after a move: `own_pawns` of the side that moves, and those of the other side without `captured_pawn`.
    fn pawns_after(&self, white: bool, own_pawns: u64, captured_pawn: u64) -> PawnPlacement {
        match white {
            true => PawnPlacement { white: own_pawns, black: self.pawns.black & !captured_pawn },
            false => PawnPlacement { white: self.pawns.white & !captured_pawn, black: own_pawns },
        }
    }

    /// Adds the moves by which a pawn comes to a square: one, or one for each promotion.
    fn add_arrivals(
        &self,
        moves: &mut PawnMoves,
        arrival: PawnArrival,
        captured: PawnCapture,
    ) -> Result<(), crate::Error> {
        let PawnArrival { is_white: white, other_pawns, to } = arrival;
        let (captured_piece, captured_pawn) = match captured {
            PawnCapture::Nothing => (None, 0),
            PawnCapture::Piece(piece) => (Some(piece), 0),
            PawnCapture::Pawn => (None, 1 << to),
        };
        let captured = captured_piece.map(|man| (man, to));
        let mut add = |feed: Option<ConversionTable>| {
            moves.moves.extend(feed.map(|feed| PawnMove { target: feed, captured, must_be_empty: 0 }));
        };
        if (8..56).contains(&to) {
            let pawns = self.pawns_after(white, other_pawns | 1 << to, captured_pawn);
            if white && captured.is_none() && captured_pawn == 0 && PawnStep::keeps_places(self.index, pawns) {
                moves.steps.push(self.pawn_step(pawns, 0)?);
            } else {
                add(self.conversion_table(white, captured_piece, pawns, None)?);
            }
        } else {
            for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                add(self.conversion_table(
                    white,
                    captured_piece,
                    self.pawns_after(white, other_pawns, captured_pawn),
                    Some((EndgamePiece { is_white: white, role }, to)),
                )?);
            }
        }
        Ok(())
    }

    /// Adds a double step over the square `over`, with the captures en passant that may answer it.
    fn add_double_step(&self, moves: &mut PawnMoves, arrival: PawnArrival, over: u8) -> Result<(), crate::Error> {
        let PawnArrival { is_white: white, other_pawns, to } = arrival;
        let pawns = self.pawns_after(white, other_pawns | 1 << to, 0);
        let beside = (if to & 7 > 0 { 1u64 << (to - 1) } else { 0 }) | (if to & 7 < 7 { 1u64 << (to + 1) } else { 0 });
        let takers = beside & if white { pawns.black } else { pawns.white };
        if white && takers == 0 && PawnStep::keeps_places(self.index, pawns) {
            moves.steps.push(self.pawn_step(pawns, 1 << over)?);
            return Ok(());
        }
        let Some(mut feed) = self.conversion_table(white, None, pawns, None)? else { return Ok(()) };
        let mut after = Vec::new();
        for taker in squares(takers) {
            let pawns = match white {
                true => {
                    PawnPlacement { white: pawns.white & !(1 << to), black: pawns.black & !(1 << taker) | 1 << over }
                }
                false => {
                    PawnPlacement { white: pawns.white & !(1 << taker) | 1 << over, black: pawns.black & !(1 << to) }
                }
            };
            if white {
                after.extend(self.conversion_table(false, None, pawns, None)?);
            } else {
                // White to move wins by a capture as by any other move, so its lists are added.
                let shape = ArrayShape { white_pawns: pawns.white, black_pawns: pawns.black, ..feed.shape.clone() };
                feed.sources.extend(self.source_list(&shape, ResultList::Lost)?);
                if self.library.is_some() && feed.newly_decided.row_count() == 0 {
                    feed.newly_decided = MarkedRows::new(feed.row_count(), feed.shape.row_words());
                }
            }
        }
        if !after.is_empty() {
            feed.bytes += 8 * 4 * feed.word_count() as u64 + after.iter().map(|after| after.bytes).sum::<u64>();
        }
        if !after.is_empty() && self.library.is_some() {
            let words = feed.word_count();
            let mut stale = vec![0; words];
            if let Some(origin) = self.source_list(&feed.shape, ResultList::Stale)? {
                origin.add_level(0, &feed.dimensions, &feed.kings, |word, bits| stale[word] |= bits)?;
            }
            // It is no stalemate if a pawn can capture.
            for (at, stale) in stale.iter_mut().enumerate() {
                *stale &= after.iter().fold(0, |any, after| any | after.not_won[at]);
            }
            feed.en_passant = Some(Box::new(EnPassantReplies {
                captures: after,
                lost_but_for_captures: vec![0; words],
                stalemate_but_for_captures: stale,
                known_lost: vec![0; words],
            }));
        }
        moves.moves.push(PawnMove { target: feed, captured: None, must_be_empty: 1 << over });
        Ok(())
    }
}

impl ConversionTables {
    /// All conversions of a pawn slice.
    ///
    /// # Errors
    ///
    /// A table that a conversion leads to is missing or damaged.
    pub fn new(
        index: &TableIndex,
        pawn_slice: u32,
        library: &dyn TableLibrary,
    ) -> Result<ConversionTables, crate::Error> {
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
    ) -> Result<ConversionTables, crate::Error> {
        let pawns = index.pawn_slices()[pawn_slice as usize];
        let pieces: Vec<EndgamePiece> = (0..)
            .zip(index.roles())
            .map(|(man, &role)| EndgamePiece { is_white: man < index.white_count(), role })
            .collect();
        let kings = StoredKings::new(index);
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
    pub fn advance(&mut self, level: u16) -> Result<(), crate::Error> {
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
    pub fn advance_tables(&mut self, level: u16) -> Result<(), crate::Error> {
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
pub fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let square = set.trailing_zeros() as u8;
            set &= set - 1;
            square
        })
    })
}

/// All ways to map the pieces of a table to identical pieces of an array. One piece may map to the fixed piece, as `MAX_PIECES`.
#[must_use]
pub fn identical_piece_permutations(
    table_pieces: &[EndgamePiece],
    array_pieces: &[EndgamePiece],
    fixed: Option<EndgamePiece>,
) -> Vec<[usize; MAX_PIECES]> {
    let mut permutations = vec![([0; MAX_PIECES], vec![false; array_pieces.len()], false)];
    for (man, kind) in table_pieces.iter().enumerate() {
        let mut more = Vec::new();
        for (order, used, has_pinned) in permutations {
            for other in 0..array_pieces.len() {
                if array_pieces[other] == *kind && !used[other] {
                    let (mut order, mut used) = (order, used.clone());
                    order[man] = other;
                    used[other] = true;
                    more.push((order, used, has_pinned));
                }
            }
            if fixed == Some(*kind) && !has_pinned {
                let mut order = order;
                order[man] = MAX_PIECES;
                more.push((order, used, true));
            }
        }
        permutations = more;
    }
    permutations.into_iter().map(|(order, _, _)| order).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::HashMap;
    use std::sync::{Arc, LazyLock, Mutex};

    use plyfold_tables::successors::TablePosition;
    use shakmaty::{Bitboard, Board, Color, Piece, Square};
    use xxhash_rust::xxh3::xxh3_64_with_seed;

    use plyfold_tables::material::TableMaterial;

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
        fn lists(&self, table: TableMaterial) -> Result<Arc<dyn ResultLists>, crate::Error> {
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

        fn last_level(&self, _: u32, list: ResultList) -> Result<Option<u16>, crate::Error> {
            Ok(self.of.last.filter(|_| list != ResultList::Stale))
        }

        fn visit(
            &self,
            at: LevelList,
            wanted: &dyn Fn(u32) -> bool,
            visit: &mut dyn FnMut(u32, usize, u64),
        ) -> Result<(), crate::Error> {
            let cell = at.pawn_slice;
            for tile in (0..self.index.tiles()).filter(|tile| wanted(*tile)) {
                let width = self.index.row_words();
                for row in 0..self.index.tile_words(tile) / width {
                    let bit = |word: usize| 64 * word as u64;
                    let squares = self.index.squares(TableAddress { pawn_slice: cell, tile, bit: bit(row * width) });
                    let lanes = self.index.canonical_words(cell, &squares);
                    for word in (0..width).filter(|lane| lanes >> lane & 1 != 0).map(|lane| row * width + lane) {
                        let mut bits = self.word(at, tile, word);
                        for king in squares_of(bits) {
                            let men = self.index.board_at(TableAddress {
                                pawn_slice: cell,
                                tile,
                                bit: bit(word) + u64::from(king),
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

    fn squares_of(set: u64) -> impl Iterator<Item = u8> {
        Bitboard(set).into_iter().map(|square| square as u8)
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

    /// The board with the pieces of a shape on these squares; `None` if two share a square.
    pub(crate) fn board(shape: &ArrayShape, white_king: u8, men: &DimensionSquares, black_king: u8) -> Option<Board> {
        let mut board = Board::empty();
        let mut put = |square: u8, white: bool, role: Role| {
            let square = Square::new(square.into());
            let is_free = board.piece_at(square).is_none();
            board.set_piece_at(square, Piece { color: Color::from_white(white), role });
            is_free
        };
        let mut is_sound = put(white_king, true, Role::King) & put(black_king, false, Role::King);
        for (man, square) in shape.pieces.iter().zip(men).map(|(man, square)| (*man, *square)).chain(shape.fixed) {
            is_sound &= put(square, man.is_white, man.role);
        }
        for (pawns, white) in [(shape.white_pawns, true), (shape.black_pawns, false)] {
            for square in squares_of(pawns) {
                is_sound &= put(square, white, Role::Pawn);
            }
        }
        is_sound.then_some(board)
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
            let legal = board(&feed.shape, white_king, &men, king)
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
