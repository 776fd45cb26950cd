//! Applies Black's moves to the whole of a chunk or a row: it finds the positions with Black to move that can reach a position that
//! is not won. Such a move is an *escape*, and a position without an escape is lost or stalemate.
//!
//! In a chunk, one sweep for each black piece finds them. A capture leads to another table; its results are taken from the conversion
//! table and put on the square of the captured piece before the sweep. After the first cycle few positions are looked at, see
//! [`newly_lost`](super::newly_lost).

use super::BlackKingRow;
use super::conversion::{Conversion, ConversionTables, PawnMove};
use super::geometry::king_attacks;
use super::setwise_moves;
use super::shape::{ArrayShape, DimensionSquares, RowPlacement, TableChunk};
use crate::rows::MarkedRows;

/// Working memory of Black's step on a chunk.
#[derive(Default)]
pub struct ChunkScratch {
    /// Positions that can reach a position that is not won. The lost positions are among the others.
    escapes: Vec<u64>,
    /// Whether two pieces share a square in a row.
    invalid_rows: Vec<bool>,
    block: Vec<BlackKingRow>,
    reached: Vec<BlackKingRow>,
}

impl ChunkScratch {
    /// Clears the memory for a chunk with this many words and rows.
    #[inline(always)]
    fn clear(&mut self, words: usize, rows: usize) {
        self.escapes.clear();
        self.escapes.resize(words, 0);
        self.invalid_rows.clear();
        self.invalid_rows.resize(rows, false);
    }
}

/// A pawn slice, as the retrograde steps need it.
pub struct PawnSliceContext<'a> {
    /// Its pieces.
    pub shape: &'a ArrayShape,
    /// How many of its pieces are outer pieces.
    pub outer_count: usize,
    /// Its conversions.
    pub conversions: &'a ConversionTables,
}

impl PawnSliceContext<'_> {
    /// Number of rows of a chunk.
    #[must_use]
    pub fn row_count(&self) -> usize {
        1 << (6 * self.shape.innermost_piece().map_or(0, |lane| lane - self.outer_count))
    }

    /// The squares of the pieces in a row of a chunk.
    #[inline(always)]
    #[must_use]
    pub fn squares_in_row(&self, chunk: &TableChunk, row: usize) -> DimensionSquares {
        let mut squares = chunk.squares;
        let mut rest = row;
        for piece in (self.outer_count..self.shape.innermost_piece().unwrap_or(0)).rev() {
            squares[piece] = (rest & 63) as u8;
            rest >>= 6;
        }
        squares
    }

    /// A row of a chunk; `None` if two pieces share a square.
    #[inline(always)]
    #[must_use]
    pub fn row_placement(&self, chunk: &TableChunk, row: usize) -> Option<RowPlacement> {
        let mut squares = self.squares_in_row(chunk, row);
        if let Some(lane) = self.shape.innermost_piece() {
            squares[lane] = 0;
        }
        let occupied = self.shape.occupied(chunk.white_king, &squares)?;
        Some(RowPlacement { white_king: chunk.white_king, squares, occupied })
    }

    /// Black's captures of white pieces and pawns, besides the innermost piece: the square and the positions after it.
    #[inline(always)]
    pub fn captures_of_white(&self, squares: &DimensionSquares) -> impl Iterator<Item = (u8, Conversion<'_>)> {
        let lane = self.shape.innermost_piece();
        let pieces = self.conversions.piece_captures().filter(move |(piece, _)| Some(*piece) != lane);
        let pieces = pieces
            .filter(|(piece, _)| self.shape.pieces[*piece].is_white)
            .map(|(piece, conversion)| (squares[piece], conversion));
        let pawns = self.conversions.pawn_captures().filter(|(_, white, _)| *white);
        pieces.chain(pawns.map(|(square, _, conversion)| (square, conversion)))
    }

    /// The distance between the rows of two neighbouring squares of an inner piece.
    #[inline(always)]
    #[must_use]
    pub fn stride(&self, piece: usize) -> usize {
        1 << (6 * (self.shape.innermost_piece().unwrap_or(0) - 1 - piece))
    }
}

/// Fills `stuck` with the legal positions of a chunk with Black to move in which no move leads to a position of `not_won`, and tells
/// whether there are any. Before the first cycle they are mates and stalemates.
#[inline(always)]
pub fn find_stuck(
    slice: &PawnSliceContext,
    chunk: &TableChunk,
    not_won: &[u64],
    scratch: &mut ChunkScratch,
    stuck: &mut [u64],
) -> bool {
    let width = slice.shape.row_words();
    scratch.clear(not_won.len(), slice.row_count());
    for row in 0..slice.row_count() {
        let here = row * width..(row + 1) * width;
        match slice.row_placement(chunk, row) {
            Some(spot) => add_row_escapes(slice, &spot, &not_won[here.clone()], &mut scratch.escapes[here]),
            None => scratch.invalid_rows[row] = true,
        }
    }
    for piece in slice.outer_count..slice.shape.innermost_piece().unwrap_or(0) {
        if !slice.shape.pieces[piece].is_white {
            add_block_escapes(slice, chunk, piece, not_won, scratch);
        }
    }
    collect_stuck(slice, chunk, scratch, stuck)
}

/// Fills `stuck` from the escapes of a chunk, and tells whether there is any such position.
#[inline(always)]
fn collect_stuck(slice: &PawnSliceContext, chunk: &TableChunk, scratch: &ChunkScratch, stuck: &mut [u64]) -> bool {
    let width = slice.shape.row_words();
    let mut any = false;
    for (row, (stuck, escapes)) in stuck.chunks_exact_mut(width).zip(scratch.escapes.chunks_exact(width)).enumerate() {
        stuck.fill(0);
        if scratch.invalid_rows[row] || escapes.iter().all(|&escapes| escapes == u64::MAX) {
            continue;
        }
        let spot = slice.row_placement(chunk, row).expect("a live row has no two men on one square");
        slice.shape.legal_black_to_move(chunk.white_king, &spot.squares, spot.occupied, stuck);
        for (stuck, escapes) in stuck.iter_mut().zip(escapes) {
            *stuck &= !escapes;
            any |= *stuck != 0;
        }
    }
    any
}

/// Adds the positions of a row from which Black reaches a position that is not won, by moves of the king, a black innermost
/// piece and the pawns.
#[inline(always)]
pub fn add_row_escapes(slice: &PawnSliceContext, placement: &RowPlacement, not_won: &[u64], out: &mut [u64]) {
    let lane = slice.shape.innermost_piece();
    let width = not_won.len();
    let mut king = [0u64; 64];
    king[..width].copy_from_slice(not_won);
    let mut innermost_input = king;
    let black_innermost = lane.filter(|&lane| !slice.shape.pieces[lane].is_white);
    let mut any = not_won.iter().any(|&word| word != 0);
    for (square, conversion) in slice.captures_of_white(&placement.squares) {
        let at = conversion.word_index(placement.white_king, &placement.squares);
        let taken = &conversion.table.not_won[at..at + width];
        any |= add_king_capture(taken, square, &mut king);
        if black_innermost.is_some() {
            let word = taken[usize::from(square)];
            innermost_input[usize::from(square)] = word;
            any |= word != 0;
        }
    }
    for (_, conversion) in slice.conversions.piece_captures().filter(|(piece, _)| Some(*piece) == lane) {
        // If the innermost piece is White's, the king captures it on the square of each word.
        if black_innermost.is_none() {
            let word = conversion.table.not_won[conversion.word_index(placement.white_king, &placement.squares)];
            any |= word != 0;
            for (square, king) in king.iter_mut().enumerate() {
                *king |= word & 1 << square;
            }
        }
    }
    for found in &slice.conversions.black_pawn_moves {
        add_pawn_move_predecessors(slice, found, &found.target.not_won, placement, out);
    }
    if !any {
        return;
    }
    for (out, king) in out.iter_mut().zip(&king) {
        *out |= king_attacks(*king);
    }
    if let Some(lane) = black_innermost {
        let pass = setwise_moves::propagators(placement.occupied);
        let out: &mut BlackKingRow = out.try_into().expect("a row with a lane has 64 words");
        setwise_moves::innermost_moves(slice.shape.pieces[lane].role, &pass, &innermost_input, out);
    }
}

/// Adds the king's capture on a square, and tells whether it reaches the set.
#[inline(always)]
fn add_king_capture(taken: &[u64], square: u8, king: &mut BlackKingRow) -> bool {
    let mut any = 0;
    for (king, taken) in king.iter_mut().zip(taken) {
        let word = taken & 1 << square;
        any |= word;
        *king |= word;
    }
    any != 0
}

/// Adds the positions of a row in which a pawn can make a move that reaches a set.
#[inline(always)]
pub fn add_pawn_move_predecessors(
    slice: &PawnSliceContext,
    pawn_move: &PawnMove,
    words: &[u64],
    placement: &RowPlacement,
    out: &mut [u64],
) {
    if placement.occupied & pawn_move.must_be_empty != 0 {
        return;
    }
    let lane = slice.shape.innermost_piece();
    let pass = !pawn_move.must_be_empty;
    let at = pawn_move.target.conversion().word_index(placement.white_king, &placement.squares);
    match pawn_move.captured {
        Some((piece, square)) if Some(piece) == lane => out[usize::from(square)] |= words[at] & pass,
        Some((piece, square)) if placement.squares[piece] != square => {}
        _ => {
            let width = out.len();
            for (square, (out, word)) in out.iter_mut().zip(&words[at..at + width]).enumerate() {
                let is_blocked = lane.is_some() && pawn_move.must_be_empty >> square & 1 != 0;
                *out |= if is_blocked { 0 } else { word & pass };
            }
        }
    }
}

/// Adds the positions of a row in which a pawn can make a move that reaches a position decided in this cycle, those of the words in
/// `stored`. Most rows have none.
#[inline(always)]
pub fn scatter_newly_decided_pawn_moves(
    slice: &PawnSliceContext,
    pawn_move: &PawnMove,
    placement: &RowPlacement,
    (out, row, stored): (&mut MarkedRows, usize, u64),
) {
    let (target, must_be_empty) = (pawn_move.target.conversion(), pawn_move.must_be_empty);
    if !pawn_move.target.has_new || placement.occupied & must_be_empty != 0 {
        return;
    }
    let at = target.word_index(placement.white_king, &placement.squares);
    let Some(words) = target.newly_decided_words(at) else { return };
    let lane = slice.shape.innermost_piece();
    match pawn_move.captured {
        Some((piece, square)) if Some(piece) == lane => {
            let word = target.newly_decided(at) & !must_be_empty;
            if word != 0 && stored >> square & 1 != 0 {
                out.add(row, square.into(), word);
            }
        }
        Some((piece, square)) if placement.squares[piece] != square => {}
        _ => {
            let passed = if lane.is_some() { must_be_empty } else { 0 };
            let free = words.lanes & stored & !passed;
            let out = out.row_mut(row, free);
            if must_be_empty == 0 && free == words.lanes {
                words.add_to(out);
                return;
            }
            for (lane, word) in words.iter().filter(|(lane, _)| free >> lane & 1 != 0) {
                out[lane] |= word & !must_be_empty;
            }
        }
    }
}

/// Adds the positions of a chunk that reach a position that is not won by moves of a black inner piece other than the innermost.
#[inline(always)]
fn add_block_escapes(
    slice: &PawnSliceContext,
    chunk: &TableChunk,
    piece: usize,
    not_won: &[u64],
    scratch: &mut ChunkScratch,
) {
    let stride = slice.stride(piece);
    let role = slice.shape.pieces[piece].role;
    let ChunkScratch { escapes, block, reached, .. } = scratch;
    block.resize(64, [0; 64]);
    reached.resize(64, [0; 64]);
    let block: &mut [BlackKingRow; 64] = block.as_mut_slice().try_into().expect("64 rows");
    let reached: &mut [BlackKingRow; 64] = reached.as_mut_slice().try_into().expect("64 rows");
    for first in (0..slice.row_count()).filter(|row| (row / stride).is_multiple_of(64)) {
        let mut squares = slice.squares_in_row(chunk, first);
        // The piece itself may be anywhere; the others must not share a square.
        let Some(occupied) = slice.shape.occupied_without(chunk.white_king, &squares, piece) else { continue };
        for (square, block) in block.iter_mut().enumerate() {
            let at = 64 * (first + stride * square);
            block.copy_from_slice(&not_won[at..at + 64]);
        }
        let lane = slice.shape.innermost_piece().expect("a piece that is not the lane has one after it");
        squares[lane] = 0;
        for (square, conversion) in slice.captures_of_white(&squares) {
            let mut taking = squares;
            taking[piece] = square;
            let at = conversion.word_index(chunk.white_king, &taking);
            block[usize::from(square)].copy_from_slice(&conversion.table.not_won[at..at + 64]);
        }
        reached.fill([0; 64]);
        setwise_moves::block_moves(role, occupied, block, reached);
        for (square, reached) in reached.iter().enumerate() {
            let at = 64 * (first + stride * square);
            for (out, reached) in escapes[at..at + 64].iter_mut().zip(reached) {
                *out |= reached;
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use plyfold_tables::index::TableIndex;
    use plyfold_tables::material::TableMaterial;
    use plyfold_tables::successors::TablePosition;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use shakmaty::{Board, Color, Piece, Role};

    use super::super::conversion::invented_lists::Invented;
    use super::super::layout::ChunkLayout;
    use super::super::newly_lost::{self, NewlyWon, NotWon};
    use super::super::result_lists::ResultList;
    use super::super::shape::tests::board;
    use super::*;
    use crate::rows::{MarkedRows, PackedRows};

    /// The word of a position in its chunk, and the square of the black king.
    fn place(slice: &PawnSliceContext, board: &Board) -> (usize, u8) {
        let square = |color: Color, role: Role| board.by_piece(Piece { color, role }).first().expect("a piece") as u8;
        let inner = &slice.shape.pieces[slice.outer_count..];
        let square_of =
            |piece: &super::super::shape::EndgamePiece| square(Color::from_white(piece.is_white), piece.role);
        (inner.iter().fold(0, |at, piece| at << 6 | usize::from(square_of(piece))), square(Color::Black, Role::King))
    }

    /// A chunk of a pawn slice, with invented lists of the tables that it leads to.
    pub(crate) struct Case {
        name: &'static str,
        pub(crate) index: TableIndex,
        pub(crate) shape: ArrayShape,
        pub(crate) conversions: ConversionTables,
        pub(crate) library: Invented,
        with_conversions: bool,
        is_beginning: bool,
        pub(crate) chunk: TableChunk,
    }

    impl Case {
        pub(crate) fn new(name: &'static str, pawn_slice: u32, library: Invented, random: &mut StdRng) -> Case {
            let index = TableIndex::new(TableMaterial::parse(name).expect("a material"));
            let shape = crate::pawn_slice::pawn_slice_shape(&index, pawn_slice);
            let conversions = ConversionTables::new(&index, pawn_slice, &library).expect("lists of all tables");
            // The king and the outer pieces stand on different squares, or there is nothing to compare.
            let mut squares: Vec<u8> = (0..64).filter(|square| shape.static_occupancy() >> square & 1 == 0).collect();
            let kings = index.king_classes();
            let kings = kings.squares(random.random_range(0..kings.count()));
            let white_king = kings[random.random_range(0..kings.len())];
            squares.retain(|&square| square != white_king);
            let mut square = || squares.swap_remove(random.random_range(0..squares.len()));
            let chunk = TableChunk { white_king, squares: std::array::from_fn(|_| square()) };
            Case { name, index, shape, conversions, library, with_conversions: false, is_beginning: true, chunk }
        }

        /// The same in the first cycle, with or without Black's conversions.
        pub(crate) fn in_first_cycle(mut self, with_conversions: bool) -> Case {
            self.conversions.advance(0).expect("lists of all tables");
            Case { with_conversions, is_beginning: false, ..self }
        }

        pub(crate) fn slice(&self) -> PawnSliceContext<'_> {
            let outer_count = self.index.outer_count();
            PawnSliceContext { shape: &self.shape, outer_count, conversions: &self.conversions }
        }

        /// The squares of the pieces in a word.
        pub(crate) fn squares(&self, word: usize) -> DimensionSquares {
            let width = self.index.row_words();
            let mut squares = self.slice().squares_in_row(&self.chunk, word / width);
            if let Some(innermost) = self.shape.innermost_piece() {
                squares[innermost] = (word % width) as u8;
            }
            squares
        }

        /// Random positions that are not won, and newly won ones. Few are not won, so that not every position has an escape.
        /// Before the first cycle all are not won.
        fn results(&self, random: &mut StdRng) -> (Vec<u64>, Vec<u64>) {
            let (words, width) = (self.index.chunk_words(), self.index.row_words());
            let (mut not_won, mut newly_won) = (vec![0; words], vec![0; words]);
            for (row, not_won) in not_won.chunks_exact_mut(width).enumerate() {
                let squares = self.slice().squares_in_row(&self.chunk, row);
                self.shape.legal_row_white_to_move(self.chunk.white_king, &squares, not_won);
            }
            if !self.is_beginning {
                // Where many words are new, nearly all positions are candidates, whatever conversions add.
                let has_many = random.random();
                for (at, (not_won, newly_won)) in not_won.iter_mut().zip(&mut newly_won).enumerate() {
                    // In every other row few words are new.
                    let is_new = has_many && at / 64 % 2 == 0 || random.random_range(0..12) == 0;
                    let of_word = if has_many { u64::MAX } else { random.random::<u64>() & random.random::<u64>() };
                    *newly_won = if is_new { *not_won & of_word & random.random::<u64>() } else { 0 };
                    *not_won &= !*newly_won & (0..5).fold(u64::MAX, |few, _| few & random.random::<u64>());
                }
            }
            (not_won, newly_won)
        }

        /// Whether a position is lost by the rules of chess, given what each of its moves leads to.
        fn is_lost(&self, position: &TablePosition, not_won: &[u64], newly_won: &[u64]) -> bool {
            let (mut is_new, mut escapes) = (false, false);
            for (_, after) in position.successors() {
                let stays = after.board().pawns() == position.board().pawns()
                    && after.board().occupied().count() == position.board().occupied().count();
                if stays {
                    let (word, king) = place(&self.slice(), after.board());
                    escapes |= not_won[word] >> king & 1 != 0;
                    is_new |= newly_won[word] >> king & 1 != 0;
                } else {
                    let is_won = !self.is_beginning && self.library.has(after.board(), ResultList::Won, 1);
                    escapes |= !is_won;
                    is_new |= is_won && self.with_conversions;
                }
            }
            !escapes && (is_new || self.is_beginning)
        }

        /// The newly lost positions as [`newly_lost`] finds them.
        fn newly_lost(&self, not_won: &[u64], newly_won: &[u64]) -> Vec<u64> {
            let (rows, width) = (self.slice().row_count(), self.index.row_words());
            // Rows of other chunks come before those of this one.
            let base = 3;
            let mut new = MarkedRows::new(base + rows, width);
            for (at, word) in newly_won.iter().enumerate().filter(|(_, word)| **word != 0) {
                new.add(base + at / width, at % width, *word);
            }
            let (mut candidates, mut lost) = (MarkedRows::new(rows, width), PackedRows::default());
            let new = NewlyWon { rows: &new, base, with_conversions: self.with_conversions };
            newly_lost::find_candidates(&self.slice(), &self.chunk, new, &mut candidates);
            let not_won = NotWon { words: not_won, layout: ChunkLayout::whole(&self.shape) };
            let out = (&mut lost, &mut Vec::new());
            newly_lost::take_lost(&self.slice(), &self.chunk, not_won, &mut candidates, out);
            assert!(candidates.is_empty() && candidates.words().iter().all(|&word| word == 0));
            let mut found = vec![0; not_won.words.len()];
            lost.words(width).for_each(|(at, word)| found[at] = word);
            found
        }

        /// Compares the step with the rules of chess, one position at a time, and counts the lost ones.
        fn compare(&self, random: &mut StdRng) -> usize {
            let (not_won, newly_won) = self.results(random);
            let lost = if self.is_beginning {
                let mut stuck = vec![u64::MAX; self.index.chunk_words()];
                let any = find_stuck(&self.slice(), &self.chunk, &not_won, &mut ChunkScratch::default(), &mut stuck);
                assert_eq!(any, stuck.iter().any(|&word| word != 0), "{}", self.name);
                stuck
            } else {
                self.newly_lost(&not_won, &newly_won)
            };
            let mut found = 0;
            for (word, lost) in lost.iter().enumerate() {
                let squares = self.squares(word);
                for king in 0..64 {
                    let position = board(&self.shape, self.chunk.white_king, &squares, Some(king))
                        .and_then(|board| TablePosition::from_board(board, Color::Black, None).ok());
                    let is_lost = position.is_some_and(|position| self.is_lost(&position, &not_won, &newly_won));
                    let white_king = self.chunk.white_king;
                    assert_eq!(lost >> king & 1 != 0, is_lost, "{}: {squares:?} {king} in {white_king}", self.name);
                    found += usize::from(is_lost);
                }
            }
            found
        }
    }

    const CASES: [(&str, u32); 18] = [
        ("KQvK", 0),
        ("KBNvK", 0),
        ("KRvKR", 0),
        ("KRBvKN", 0),
        ("KRvKQN", 0),
        ("KNvKRB", 0),
        ("KPvK", 5),
        ("KRPvK", 9),
        ("KRPvKB", 14),
        ("KRvKP", 2),
        ("KRvKBP", 4),
        ("KRvKNP", 20),
        // The innermost piece may stand in the way of a double step.
        ("KRvKBP", 21),
        ("KRvKBP", 22),
        ("KRvKNP", 23),
        ("KNvKRP", 20),
        ("KNvKRP", 21),
        ("KNvKRP", 22),
    ];

    #[test]
    #[ignore = "slow"]
    fn the_pass_is_the_rules_position_by_position() {
        let mut random = StdRng::seed_from_u64(3);
        let mut found = 0;
        for (name, pawn_slice) in CASES {
            for round in 0..2 {
                let library = Invented { seed: round, last: Some(1) };
                let case = Case::new(name, pawn_slice, library, &mut random).in_first_cycle(round == 0);
                found += case.compare(&mut random);
            }
        }
        assert!(found > 10_000, "{found} positions were lost");
    }

    #[test]
    fn in_the_beginning_what_has_no_move_is_left() {
        let mut random = StdRng::seed_from_u64(4);
        let mut found = 0;
        for (name, pawn_slice) in CASES {
            for _ in 0..2 {
                let case = Case::new(name, pawn_slice, Invented { seed: 0, last: None }, &mut random);
                found += case.compare(&mut random);
            }
        }
        assert!(found > 10, "{found} positions without a move");
    }
}
