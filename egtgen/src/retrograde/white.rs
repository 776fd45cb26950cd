//! White's step: finds the positions with White to move that reach newly lost positions.

use plyfold_transform::symmetry::Symmetry;

use super::black::{PawnSliceContext, occupied_without, scatter_newly_decided_pawn_moves};
use super::conversion::Conversion;
use super::geometry::{GEOMETRY, attacked, king_attacks};
use super::layout::ChunkLayout;
use super::setwise_moves;
use super::shape::DimensionSquares;
use super::shape::{RowPlacement, TableChunk};
use crate::rows::{MarkedRows, RowWords, lanes, nonzero_lanes};

/// The moves of the inner white pieces: `out` gains the positions of a chunk that reach `lost`, rows of the chunk with their
/// words. The chunk's rows in `out` begin at `base`.
#[inline(always)]
pub fn inner_predecessors<'a>(
    slice: &PawnSliceContext,
    chunk: &TableChunk,
    lost: impl Iterator<Item = (usize, RowWords<'a>)>,
    out: &mut MarkedRows,
    base: usize,
) {
    let shape = slice.shape;
    let Some(lane) = shape.innermost_piece() else { return };
    for (row, words) in lost {
        let squares = slice.squares_in_row(chunk, row);
        if shape.pieces[lane].is_white {
            let Some(occupied) = shape.occupied(chunk.white_king, &squares) else { continue };
            setwise_moves::scatter_innermost_moves(shape.pieces[lane].role, occupied, words, out, base + row);
        }
        for man in (slice.outer_count..lane).filter(|&man| shape.pieces[man].is_white) {
            let Some(occupied) = occupied_without(slice, chunk.white_king, &squares, man) else { continue };
            let stride = slice.stride(man);
            let first = base + row - stride * usize::from(squares[man]);
            let rows = setwise_moves::StridedRows { rows: &mut *out, first, stride, wanted: u64::MAX };
            setwise_moves::scatter_retro_moves(shape.pieces[man].role, squares[man], occupied, words, rows);
        }
    }
}

/// The moves of an outer piece from the squares of `wanted`: `newly_won` gains the positions that reach `lost`, rows of `chunk`
/// with their words. It has the rows of the chunks for all squares of the piece.
#[inline(always)]
pub fn outer_predecessors<'a>(
    slice: &PawnSliceContext,
    chunk: &TableChunk,
    (man, wanted): (usize, u64),
    lost: impl Iterator<Item = (usize, RowWords<'a>)>,
    newly_won: &mut MarkedRows,
) {
    let to = chunk.squares[man];
    let role = slice.shape.pieces[man].role;
    for (row, words) in lost {
        let squares = slice.squares_in_row(chunk, row);
        let Some(occupied) = occupied_without(slice, chunk.white_king, &squares, man) else { continue };
        let rows = setwise_moves::StridedRows { rows: &mut *newly_won, first: row, stride: slice.row_count(), wanted };
        setwise_moves::scatter_retro_moves(role, to, occupied, words, rows);
    }
}

/// Adds rows of a chunk to `out` after a symmetry of the board, which maps the squares of the inner pieces and of the black
/// king. The rows in `out` begin at `base`.
#[inline(always)]
pub fn add_images<'a>(
    (inner, layout): (usize, ChunkLayout),
    symmetry: Symmetry,
    rows: impl Iterator<Item = (usize, RowWords<'a>)>,
    out: &mut MarkedRows,
    base: usize,
) {
    let images: [u8; 64] = std::array::from_fn(|square| symmetry.square(square as u8));
    for (row, words) in rows {
        if inner == 0 {
            words.iter().for_each(|(_, word)| out.add(base, 0, symmetry.bitboard(word)));
            continue;
        }
        if symmetry == Symmetry::IDENTITY {
            words.add_to(out.row_mut(base + row, words.lanes));
            continue;
        }
        let there =
            (0..inner - 1).fold(0, |there, man| there | usize::from(images[row >> (6 * man) & 63]) << (6 * man));
        let mut turned = [0u64; 64];
        for (turned, (_, word)) in turned.iter_mut().zip(words.iter()) {
            *turned = symmetry.bitboard(word);
        }
        if layout == ChunkLayout::Folded {
            for (lane, turned) in lanes(words.lanes).zip(turned) {
                let (row, lane) = layout.stored_as(there, usize::from(images[lane]));
                out.add(base + row, lane, turned);
            }
            continue;
        }
        let out = out.row_mut(base + there, symmetry.bitboard(words.lanes));
        for (lane, turned) in lanes(words.lanes).zip(turned) {
            out[usize::from(images[lane])] |= turned;
        }
    }
}

/// White's captures, promotions and pawn moves: `out` gains the positions of a chunk that win by them. The chunk's rows in
/// `out` begin at `base`.
#[inline(always)]
pub fn conversion_predecessors(
    slice: &PawnSliceContext,
    chunk: &TableChunk,
    layout: ChunkLayout,
    out: &mut MarkedRows,
    base: usize,
) {
    let shape = slice.shape;
    let width = shape.row_words();
    slice.conversions.white_pawn_steps.iter().for_each(|step| step.add_predecessors(chunk, out, base));
    if !slice.conversions.has_new_white_tables() {
        return;
    }
    for row in 0..slice.row_count() {
        let Some(spot) = slice.row_placement(chunk, row) else { continue };
        let mut won = [0; 64];
        let won = &mut won[..width];
        let stored = layout.stored_lanes(row);
        for (man, feed) in slice.conversions.piece_captures().filter(|(man, _)| !shape.pieces[*man].is_white) {
            if !feed.table.has_new {
                continue;
            }
            if Some(man) == shape.innermost_piece() {
                capture_innermost(slice, &spot, feed, won);
            } else {
                capture(slice, &spot, spot.squares[man], feed, won);
            }
        }
        for (square, _, feed) in slice.conversions.pawn_captures().filter(|(_, white, _)| !white) {
            if feed.table.has_new {
                capture(slice, &spot, square, feed, won);
            }
        }
        for found in &slice.conversions.white_pawn_moves {
            scatter_newly_decided_pawn_moves(slice, found, &spot, (out, base + row, stored));
        }
        let here = nonzero_lanes(won);
        if here & stored != 0 {
            lanes(here & !stored).for_each(|lane| won[lane] = 0);
            for (out, won) in out.row_mut(base + row, here & stored).iter_mut().zip(won) {
                *out |= *won;
            }
        }
    }
}

/// White captures the innermost piece on any square.
#[inline(always)]
fn capture_innermost(slice: &PawnSliceContext, placement: &RowPlacement, target: Conversion, out: &mut [u64]) {
    let RowPlacement { white_king, squares: men, occupied } = *placement;
    let geometry = &**GEOMETRY;
    for to in lanes(king_attacks(1 << white_king) & !occupied) {
        let (word, symmetry) = target.stored_word(to as u8, &men);
        let decided = target.newly_decided(word);
        if decided != 0 {
            out[to] |= symmetry.inverse().bitboard(decided);
        }
    }
    let lane = slice.shape.innermost_piece().unwrap_or(0);
    for man in (0..lane).filter(|&man| slice.shape.pieces[man].is_white) {
        let from = men[man];
        let mut reach = attacked(slice.shape.pieces[man].role, from, occupied) & !occupied;
        while reach != 0 {
            let to = reach.trailing_zeros() as u8;
            reach &= reach - 1;
            let mut after = men;
            after[man] = to;
            let between = geometry.between[usize::from(from)][usize::from(to)];
            out[usize::from(to)] |= target.newly_decided(target.word_index(white_king, &after)) & !between;
        }
    }
}

/// White captures a piece that stands on `to` in the whole row.
#[inline(always)]
fn capture(slice: &PawnSliceContext, placement: &RowPlacement, to: u8, target: Conversion, out: &mut [u64]) {
    let RowPlacement { white_king, squares: men, occupied } = *placement;
    let geometry = &**GEOMETRY;
    let lane = slice.shape.innermost_piece();
    if attacked(shakmaty::Role::King, white_king, 0) >> to & 1 != 0 {
        let (word, symmetry) = target.stored_word(to, &men);
        let back = symmetry.inverse();
        for (square, word) in target.newly_decided_words(word).iter().flat_map(RowWords::iter) {
            let lane = if out.len() == 64 { back.square(square as u8).into() } else { square };
            out[lane] |= back.bitboard(word);
        }
    }
    let mut add = |men: &DimensionSquares, between: u64| {
        let at = target.word_index(white_king, men);
        let Some(decided) = target.newly_decided_row(at) else { return };
        for (square, (out, word)) in out.iter_mut().zip(decided).enumerate() {
            let is_blocked = lane.is_some() && between >> square & 1 != 0;
            *out |= if is_blocked { 0 } else { word & !between };
        }
    };
    for man in (0..lane.unwrap_or(0)).filter(|&man| slice.shape.pieces[man].is_white) {
        let from = men[man];
        if attacked(slice.shape.pieces[man].role, from, occupied) >> to & 1 != 0 {
            let mut after = men;
            after[man] = to;
            add(&after, geometry.between[usize::from(from)][usize::from(to)]);
        }
    }
    if let Some(lane) = lane.filter(|&lane| slice.shape.pieces[lane].is_white) {
        let mut after = men;
        after[lane] = to;
        let word = target.newly_decided(target.word_index(white_king, &after));
        let role = slice.shape.pieces[lane].role;
        // The squares from which it reaches `to`.
        let mut from = attacked(role, to, occupied & !(1 << to));
        while word != 0 && from != 0 {
            let square = from.trailing_zeros() as usize;
            from &= from - 1;
            out[square] |= word & !geometry.between[square][usize::from(to)];
        }
    }
}

#[cfg(test)]
mod tests {
    use plyfold_tables::index::TableIndex;
    use plyfold_tables::material::TableMaterial;
    use plyfold_tables::successors::TablePosition;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use shakmaty::{Board, Color, Role};

    use super::super::conversion::ConversionTables;
    use super::super::conversion::tests::{Invented, board};
    use super::super::result_lists::ResultList;
    use super::super::shape::{ArrayShape, EndgamePiece};
    use super::*;
    use crate::rows::PackedRows;

    /// A table, one of its pawn slices, and a chunk of it.
    struct Case {
        index: TableIndex,
        shape: ArrayShape,
        number: u32,
        chunk: TableChunk,
    }

    impl Case {
        fn new(name: &str, number: u32, random: &mut StdRng) -> Case {
            let index = TableIndex::new(TableMaterial::parse(name).expect("a material"));
            let shape = crate::pawn_slice::pawn_slice_shape(&index, number);
            // The king and the outer pieces stand on different squares, or there is nothing to compare.
            let mut squares: Vec<u8> = (0..64).filter(|square| shape.static_occupancy() >> square & 1 == 0).collect();
            let kings = index.king_classes();
            let kings = kings.squares(random.random_range(0..kings.len()));
            let white_king = kings[random.random_range(0..kings.len())];
            squares.retain(|&square| square != white_king);
            let mut square = || squares.swap_remove(random.random_range(0..squares.len()));
            let chunk = TableChunk { white_king, squares: std::array::from_fn(|_| square()) };
            Case { index, shape, number, chunk }
        }

        fn feeds(&self, library: Invented) -> ConversionTables {
            let mut feeds = ConversionTables::new(&self.index, self.number, &library).expect("lists of all tables");
            feeds.advance(0).expect("lists of all tables");
            feeds
        }

        /// The squares of the pieces in a word.
        fn men(&self, cell: &PawnSliceContext, word: usize) -> DimensionSquares {
            let width = self.index.row_words();
            let mut men = cell.squares_in_row(&self.chunk, word / width);
            if let Some(lane) = self.shape.innermost_piece() {
                men[lane] = (word % width) as u8;
            }
            men
        }
    }

    #[test]
    #[ignore = "slow"]
    fn conversions_are_the_rules_position_by_position() {
        let mut random = StdRng::seed_from_u64(5);
        let mut found = 0;
        for (name, cell) in [
            ("KRvKN", 0),
            ("KRBvKN", 0),
            ("KRvKBN", 0),
            ("KBBvKR", 0),
            ("KQvKNN", 0),
            ("KPvK", 0),
            ("KPvK", 20),
            ("KNPvK", 0),
            ("KBPvKR", 2),
            ("KPvKN", 22),
            ("KPPvKN", 30),
            ("KRvKNP", 11),
            // A piece may stand in the way of a double step: outer, inner and innermost ones.
            ("KBPvKN", 23),
            ("KNPvK", 22),
            ("KPvKRN", 21),
            ("KRBPvK", 20),
        ] {
            let case = Case::new(name, cell, &mut random);
            let library = Invented { seed: 9, last: Some(0) };
            let feeds = case.feeds(library);
            assert!(feeds.has_new_white_conversions(), "{name}");
            let cell =
                PawnSliceContext { shape: &case.shape, outer_count: case.index.outer_count(), conversions: &feeds };
            let mut won = MarkedRows::new(cell.row_count(), case.index.row_words());
            conversion_predecessors(&cell, &case.chunk, ChunkLayout::whole(&case.shape), &mut won, 0);
            for (word, won) in won.words().iter().enumerate() {
                let men = case.men(&cell, word);
                for king in 0..64 {
                    let position = board(&case.shape, case.chunk.white_king, &men, king);
                    // Illegal positions are removed later.
                    let Some(position) =
                        position.and_then(|board| TablePosition::from_board(board, Color::White, None).ok())
                    else {
                        continue;
                    };
                    let is_won = position.successors().any(|(_, after)| {
                        let leaves = after.board().pawns() != position.board().pawns()
                            || after.board().occupied().count() < position.board().occupied().count();
                        leaves && library.has(after.board(), ResultList::Lost, 0)
                    });
                    assert_eq!(won >> king & 1 != 0, is_won, "{name}: {position}");
                    found += usize::from(is_won);
                }
            }
        }
        assert!(found > 1000, "{found} positions were won");
    }

    /// Whether a white piece of this group has a move after which `is_lost` holds for the squares.
    fn can_reach(
        shape: &ArrayShape,
        movers: &[usize],
        men: &DimensionSquares,
        board: &Board,
        is_lost: impl Fn(&DimensionSquares) -> bool,
    ) -> bool {
        movers.iter().any(|&mover| {
            let from = men[mover];
            let others = board.occupied().0 & !(1 << from);
            (0..64u8).filter(|to| others >> to & 1 == 0).any(|to| {
                let mut after = *men;
                after[mover] = to;
                setwise_moves::can_move(shape.pieces[mover].role, from, to, others) && is_lost(&after)
            })
        })
    }

    /// The number of the word for the squares of the inner pieces.
    fn word_of(squares: &[u8]) -> usize {
        squares.iter().fold(0, |word, &square| word << 6 | usize::from(square))
    }

    impl Case {
        /// The positions that reach `lost` by moves of an outer piece, or of the inner pieces. For an outer piece, `lost` has the
        /// chunks for all its squares.
        fn reached(&self, cell: &PawnSliceContext, outer: Option<usize>, lost: &[u64], name: &str) -> Vec<u64> {
            let words = self.index.chunk_words();
            let (rows, width) = (cell.row_count(), self.index.row_words());
            let mut reached = MarkedRows::new(lost.len() / width, width);
            if let Some(man) = outer {
                for (to, lost) in (0..).zip(lost.chunks_exact(words)) {
                    let mut chunk = self.chunk;
                    chunk.squares[man] = to;
                    let lost = PackedRows::of_words(lost, width);
                    outer_predecessors(cell, &chunk, (man, u64::MAX), lost.rows(0..lost.len()), &mut reached);
                }
            } else {
                let lost = PackedRows::of_words(lost, width);
                inner_predecessors(cell, &self.chunk, lost.rows(0..lost.len()), &mut reached, 0);
            }
            for row in 0..reached.row_count() {
                for (lane, word) in reached.row(row).iter().enumerate() {
                    let is_marked = reached.is_live(row) && reached.lanes(row) >> lane & 1 != 0;
                    assert!(*word == 0 || is_marked, "{name} row {row} of {rows}");
                }
            }
            reached.words().to_vec()
        }

        /// Compares moves of an outer piece, or of the inner pieces, with the rules of chess, and counts the positions that reach
        /// the set.
        fn compare_moves(&self, outer: Option<usize>, name: &str, random: &mut StdRng) -> usize {
            let conversions = self.feeds(Invented { seed: 0, last: None });
            let cell = PawnSliceContext {
                shape: &self.shape,
                outer_count: self.index.outer_count(),
                conversions: &conversions,
            };
            let words = self.index.chunk_words();
            let men_at = |at: usize| {
                let mut men = self.men(&cell, at % words);
                if let Some(man) = outer {
                    men[man] = (at / words) as u8;
                }
                men
            };
            // Random positions are lost, but only legal placements.
            let size = if outer.is_some() { 64 * words } else { words };
            let mut lost: Vec<u64> = (0..size).map(|_| random.random::<u64>() & random.random::<u64>()).collect();
            for (at, lost) in lost.iter_mut().enumerate() {
                let is_position = |king: &u8| board(&self.shape, self.chunk.white_king, &men_at(at), *king).is_some();
                *lost &= (0..64).filter(is_position).fold(0, |set, king| set | 1 << king);
                // Some rows have few words.
                if at / 64 % 2 == 0 && at * 7 % 61 > 6 {
                    *lost = 0;
                }
            }
            let reached = self.reached(&cell, outer, &lost, name);
            let pieces = &self.shape.pieces;
            let inner_white = (cell.outer_count..pieces.len()).filter(|&man| pieces[man].is_white);
            let movers: Vec<usize> = outer.map_or_else(|| inner_white.collect(), |man| vec![man]);
            let mut found = 0;
            for (at, reached) in reached.iter().enumerate() {
                let men = men_at(at);
                for king in (0..64u8).step_by(5) {
                    let Some(board) = board(&self.shape, self.chunk.white_king, &men, king) else { continue };
                    let is_reached = can_reach(&self.shape, &movers, &men, &board, |after| {
                        let first = outer.map_or(0, |man| usize::from(after[man]) * words);
                        lost[first + word_of(&after[cell.outer_count..pieces.len()])] >> king & 1 != 0
                    });
                    assert_eq!(reached >> king & 1 != 0, is_reached, "{name}: man {outer:?} in {board} king {king}");
                    found += usize::from(is_reached);
                }
            }
            found
        }
    }

    #[test]
    fn moves_of_one_man_are_the_rules_position_by_position() {
        let mut random = StdRng::seed_from_u64(6);
        let mut found = 0;
        for (name, number) in
            [("KRvKN", 0), ("KQBvKR", 0), ("KBNvK", 0), ("KNNvKN", 0), ("KQQQvK", 0), ("KBPvK", 3), ("KRBPvK", 7)]
        {
            let case = Case::new(name, number, &mut random);
            for outer in (0..case.index.outer_count()).map(Some).chain([None]) {
                found += case.compare_moves(outer, name, &mut random);
            }
        }
        assert!(found > 10_000, "{found} positions were reached");
    }

    /// Compares moves of several inner pieces with the rules of chess, and counts the positions that reach the set.
    fn compare_inner_moves(slice: &PawnSliceContext, inner: usize, random: &mut StdRng) -> usize {
        let (shape, outer_count) = (slice.shape, slice.outer_count);
        let mut squares = DimensionSquares::default();
        squares[0] = 42;
        let chunk = TableChunk { white_king: 10, squares };
        let men_at = |word: usize| {
            let mut men = chunk.squares;
            for nth in 0..inner {
                men[outer_count + nth] = (word >> (6 * (inner - 1 - nth)) & 63) as u8;
            }
            men
        };
        // A sixteenth of the positions is lost, but none in every fifth row.
        let mut sixteenth = |word: usize| match word / 64 % 5 {
            0 => 0,
            _ => (0..4).fold(u64::MAX, |set, _| set & random.random::<u64>()),
        };
        let mut lost: Vec<u64> = (0..1usize << (6 * inner)).map(&mut sixteenth).collect();
        for (word, lost) in lost.iter_mut().enumerate() {
            let standing = shape.pieces.iter().zip(men_at(word)).map(|(_, square)| 1u64 << square);
            let occupied = standing.fold(shape.static_occupancy() | 1 << chunk.white_king, |all, one| all | one);
            let men = 1 + shape.pieces.len() + shape.white_pawns.count_ones() as usize;
            *lost &= if occupied.count_ones() as usize == men { !occupied } else { 0 };
        }
        let width = shape.row_words();
        let mut reached = MarkedRows::new(lost.len() / width, width);
        let rows = PackedRows::of_words(&lost, width);
        inner_predecessors(slice, &chunk, rows.rows(0..rows.len()), &mut reached, 0);
        let reached = reached.words();
        let movers: Vec<usize> = (outer_count..shape.pieces.len()).filter(|&man| shape.pieces[man].is_white).collect();
        // The step is odd, so that all squares of all pieces occur.
        let (mut found, step) = (0, if inner > 2 { 61 } else { 1 });
        for word in (0..lost.len()).step_by(step) {
            let men = men_at(word);
            for king in (word as u8 % 5..64).step_by(5) {
                let Some(board) = board(shape, chunk.white_king, &men, king) else { continue };
                let is_reached = can_reach(shape, &movers, &men, &board, |after| {
                    lost[word_of(&after[outer_count..shape.pieces.len()])] >> king & 1 != 0
                });
                assert_eq!(reached[word] >> king & 1 != 0, is_reached, "{board}, black king on {king}");
                found += usize::from(is_reached);
            }
        }
        found
    }

    /// Real tables have at most one inner white piece, so the shapes are made by hand.
    #[test]
    fn moves_of_several_inner_men_are_the_rules_position_by_position() {
        let mut random = StdRng::seed_from_u64(7);
        let index = TableIndex::new(TableMaterial::parse("KRvK").expect("a material"));
        let none = ConversionTables::new(&index, 0, &Invented { seed: 0, last: None }).expect("lists of all tables");
        let man = |is_white: bool, role: Role| EndgamePiece { is_white, role };
        let (white, black) = (|role| man(true, role), |role| man(false, role));
        let (queen, rook, bishop, knight) = (Role::Queen, Role::Rook, Role::Bishop, Role::Knight);
        for (pieces, outer_count, white_pawns) in [
            (vec![white(rook), white(bishop)], 0, 0),
            (vec![white(queen), white(knight)], 0, 1 << 20),
            (vec![white(bishop), white(rook), white(knight)], 1, 0),
            (vec![white(knight), white(bishop), white(queen)], 1, 0),
            (vec![white(queen), black(rook)], 0, 1 << 29),
            (vec![white(bishop), white(queen), black(knight)], 1, 0),
            (vec![white(knight), white(rook), black(queen)], 0, 0),
            (vec![white(rook), white(queen), white(bishop)], 0, 0),
        ] {
            let shape = ArrayShape { pieces, white_pawns, black_pawns: 0, fixed: None };
            let slice = PawnSliceContext { shape: &shape, outer_count, conversions: &none };
            let inner = shape.pieces.len() - outer_count;
            let found = compare_inner_moves(&slice, inner, &mut random);
            assert!(found > 1000, "{found} positions were reached");
        }
    }

    #[test]
    fn chunks_are_transformed_position_by_position() {
        let mut random = StdRng::seed_from_u64(8);
        for inner in 0..=3 {
            let words = 1usize << (6 * inner);
            for symmetry in Symmetry::ALL {
                // Empty rows, rows with the black king on a1 only, and random rows.
                let rows: Vec<u64> = (0..words.div_ceil(64)).map(|_| random.random_range(0..4)).collect();
                let word = |(at, random): (usize, u64)| match rows[at / 64] {
                    0 => 0,
                    1 => 1,
                    _ => random,
                };
                let from: Vec<u64> =
                    (0..words).map(|at| word((at, random.random::<u64>() & random.random::<u64>()))).collect();
                let before: Vec<u64> = (0..words).map(|at| 1 << (at % 64)).collect();
                let width = words.min(64);
                let mut out = MarkedRows::new(words / width, width);
                before.iter().enumerate().for_each(|(at, word)| out.add(at / width, at % width, *word));
                let packed = PackedRows::of_words(&from, width);
                add_images((inner, ChunkLayout::Whole { width }), symmetry, packed.rows(0..packed.len()), &mut out, 0);
                let mut expected = before;
                for (at, &word) in from.iter().enumerate() {
                    let there = (0..inner).fold(0, |there, man| {
                        let square = (at >> (6 * man) & 63) as u8;
                        there | usize::from(symmetry.square(square)) << (6 * man)
                    });
                    for king in (0..64u8).filter(|king| word >> king & 1 != 0) {
                        expected[there] |= 1 << symmetry.square(king);
                    }
                }
                assert_eq!(out.words(), expected, "{inner} inner men, {symmetry:?}");
            }
        }
    }
}
