//! White's step: finds the positions with White to move that reach newly lost positions.

use plyfold_transform::symmetry::Symmetry;

use super::black::{PawnSliceContext, scatter_newly_decided_pawn_moves};
use super::conversion::Conversion;
use super::geometry::{GEOMETRY, attacked, king_attacks};
use super::layout::ChunkLayout;
use super::setwise_moves;
use super::shape::{DimensionSquares, RowPlacement, TableChunk};
use crate::rows::{MarkedRows, RowWords, lanes, nonzero_lanes};

/// Makes the moves of the inner white pieces: `out` gains the positions of a chunk that reach `lost`, rows of the chunk with their
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
        for piece in (slice.outer_count..lane).filter(|&piece| shape.pieces[piece].is_white) {
            let Some(occupied) = slice.shape.occupied_without(chunk.white_king, &squares, piece) else { continue };
            let stride = slice.stride(piece);
            let first = base + row - stride * usize::from(squares[piece]);
            let rows = setwise_moves::StridedRows { rows: &mut *out, first, stride, requested: u64::MAX };
            setwise_moves::scatter_retro_moves(shape.pieces[piece].role, squares[piece], occupied, words, rows);
        }
    }
}

/// Makes the moves of an outer piece from the squares of `requested`: `newly_won` gains the positions that reach `lost`, rows of
/// `chunk` with their words. It has the rows of the chunks for all squares of the piece.
#[inline(always)]
pub fn outer_predecessors<'a>(
    slice: &PawnSliceContext,
    chunk: &TableChunk,
    (piece, requested): (usize, u64),
    lost: impl Iterator<Item = (usize, RowWords<'a>)>,
    newly_won: &mut MarkedRows,
) {
    let to = chunk.squares[piece];
    let role = slice.shape.pieces[piece].role;
    for (row, words) in lost {
        let squares = slice.squares_in_row(chunk, row);
        let Some(occupied) = slice.shape.occupied_without(chunk.white_king, &squares, piece) else { continue };
        let rows =
            setwise_moves::StridedRows { rows: &mut *newly_won, first: row, stride: slice.row_count(), requested };
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
            (0..inner - 1).fold(0, |there, piece| there | usize::from(images[row >> (6 * piece) & 63]) << (6 * piece));
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

/// Makes White's captures, promotions and pawn moves: `out` gains the positions of a chunk that win by them. The chunk's rows in
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
        for (piece, conversion) in
            slice.conversions.piece_captures().filter(|(piece, _)| !shape.pieces[*piece].is_white)
        {
            if !conversion.table.has_new {
                continue;
            }
            if Some(piece) == shape.innermost_piece() {
                capture_innermost(slice, &spot, conversion, won);
            } else {
                capture(slice, &spot, spot.squares[piece], conversion, won);
            }
        }
        for (square, _, conversion) in slice.conversions.pawn_captures().filter(|(_, white, _)| !white) {
            if conversion.table.has_new {
                capture(slice, &spot, square, conversion, won);
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

/// Adds White's captures of the innermost piece on any square.
#[inline(always)]
fn capture_innermost(slice: &PawnSliceContext, placement: &RowPlacement, target: Conversion, out: &mut [u64]) {
    let RowPlacement { white_king, squares, occupied } = *placement;
    let geometry = &**GEOMETRY;
    for to in lanes(king_attacks(1 << white_king) & !occupied) {
        let (word, symmetry) = target.stored_word(to as u8, &squares);
        let decided = target.newly_decided(word);
        if decided != 0 {
            out[to] |= symmetry.inverse().bitboard(decided);
        }
    }
    let lane = slice.shape.innermost_piece().unwrap_or(0);
    for piece in (0..lane).filter(|&piece| slice.shape.pieces[piece].is_white) {
        let from = squares[piece];
        for to in lanes(attacked(slice.shape.pieces[piece].role, from, occupied) & !occupied) {
            let mut after = squares;
            after[piece] = to as u8;
            let between = geometry.between[usize::from(from)][to];
            out[to] |= target.newly_decided(target.word_index(white_king, &after)) & !between;
        }
    }
}

/// Adds White's captures of a piece that stands on `to` in the whole row.
#[inline(always)]
fn capture(slice: &PawnSliceContext, placement: &RowPlacement, to: u8, target: Conversion, out: &mut [u64]) {
    let RowPlacement { white_king, squares, occupied } = *placement;
    let geometry = &**GEOMETRY;
    let lane = slice.shape.innermost_piece();
    if attacked(shakmaty::Role::King, white_king, 0) >> to & 1 != 0 {
        let (word, symmetry) = target.stored_word(to, &squares);
        let back = symmetry.inverse();
        for (square, word) in target.newly_decided_words(word).iter().flat_map(RowWords::iter) {
            let lane = if out.len() == 64 { back.square(square as u8).into() } else { square };
            out[lane] |= back.bitboard(word);
        }
    }
    let mut add = |squares: &DimensionSquares, between: u64| {
        let at = target.word_index(white_king, squares);
        let Some(decided) = target.newly_decided_row(at) else { return };
        for (square, (out, word)) in out.iter_mut().zip(decided).enumerate() {
            let is_blocked = lane.is_some() && between >> square & 1 != 0;
            *out |= if is_blocked { 0 } else { word & !between };
        }
    };
    for piece in (0..lane.unwrap_or(0)).filter(|&piece| slice.shape.pieces[piece].is_white) {
        let from = squares[piece];
        if attacked(slice.shape.pieces[piece].role, from, occupied) >> to & 1 != 0 {
            let mut after = squares;
            after[piece] = to;
            add(&after, geometry.between[usize::from(from)][usize::from(to)]);
        }
    }
    if let Some(lane) = lane.filter(|&lane| slice.shape.pieces[lane].is_white) {
        let mut after = squares;
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

    use super::super::black::tests::Case;
    use super::super::conversion::ConversionTables;
    use super::super::conversion::invented_lists::Invented;
    use super::super::result_lists::ResultList;
    use super::super::shape::tests::board;
    use super::super::shape::{ArrayShape, EndgamePiece};
    use super::*;
    use crate::rows::PackedRows;

    #[test]
    #[ignore = "slow"]
    fn conversions_are_the_rules_position_by_position() {
        let mut random = StdRng::seed_from_u64(5);
        let mut found = 0;
        for (name, pawn_slice) in [
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
            let library = Invented { seed: 9, last: Some(0) };
            let case = Case::new(name, pawn_slice, library, &mut random).in_first_cycle(false);
            assert!(case.conversions.has_new_white_conversions(), "{name}");
            let slice = case.slice();
            let mut won = MarkedRows::new(slice.row_count(), case.index.row_words());
            conversion_predecessors(&slice, &case.chunk, ChunkLayout::whole(&case.shape), &mut won, 0);
            for (word, won) in won.words().iter().enumerate() {
                let squares = case.squares(word);
                for king in 0..64 {
                    let position = board(&case.shape, case.chunk.white_king, &squares, Some(king));
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
        squares: &DimensionSquares,
        board: &Board,
        is_lost: impl Fn(&DimensionSquares) -> bool,
    ) -> bool {
        movers.iter().any(|&mover| {
            let from = squares[mover];
            let others = board.occupied().0 & !(1 << from);
            (0..64u8).filter(|to| others >> to & 1 == 0).any(|to| {
                let mut after = *squares;
                after[mover] = to;
                setwise_moves::can_move(shape.pieces[mover].role, from, to, others) && is_lost(&after)
            })
        })
    }

    /// The number of the word for the squares of the inner pieces.
    fn word_of(squares: &[u8]) -> usize {
        squares.iter().fold(0, |word, &square| word << 6 | usize::from(square))
    }

    /// Compares moves of an outer piece, or of the inner pieces, with the rules of chess, and counts the positions that reach
    /// lost ones.
    fn compare_moves(slice: &PawnSliceContext, chunk: &TableChunk, outer: Option<usize>, random: &mut StdRng) -> usize {
        let (shape, outer_count, pieces) = (slice.shape, slice.outer_count, &slice.shape.pieces);
        let (inner, width) = (pieces.len() - outer_count, shape.row_words());
        let words = 1usize << (6 * inner);
        let squares_at = |at: usize| {
            let mut squares = chunk.squares;
            (0..inner).for_each(|nth| squares[outer_count + nth] = (at >> (6 * (inner - 1 - nth)) & 63) as u8);
            if let Some(piece) = outer {
                squares[piece] = (at / words) as u8;
            }
            squares
        };
        // Random positions are lost, but only legal placements. Some rows have few words.
        let size = if outer.is_some() { 64 * words } else { words };
        let mut random_word = |at: usize| {
            let standing = squares_at(at).into_iter().take(pieces.len()).map(|square| 1u64 << square);
            let occupied = standing.fold(shape.static_occupancy() | 1 << chunk.white_king, |all, one| all | one);
            let piece_count = 1 + pieces.len() as u32 + shape.static_occupancy().count_ones();
            let is_empty = occupied.count_ones() < piece_count || (at / 64).is_multiple_of(2) && at * 7 % 61 > 6;
            if is_empty { 0 } else { random.random::<u64>() & random.random::<u64>() & !occupied }
        };
        let lost: Vec<u64> = (0..size).map(&mut random_word).collect();
        let mut reached = MarkedRows::new(size / width, width);
        for (to, lost) in (0..).zip(lost.chunks_exact(words)) {
            let lost = PackedRows::from_words(lost.iter().copied().enumerate(), width);
            let rows = lost.rows(0..lost.len());
            if let Some(piece) = outer {
                let mut chunk = *chunk;
                chunk.squares[piece] = to;
                outer_predecessors(slice, &chunk, (piece, u64::MAX), rows, &mut reached);
            } else {
                inner_predecessors(slice, chunk, rows, &mut reached, 0);
            }
        }
        let inner_white = (outer_count..pieces.len()).filter(|&piece| pieces[piece].is_white);
        let movers: Vec<usize> = outer.map_or_else(|| inner_white.collect(), |piece| vec![piece]);
        // The steps are odd, so that all squares of all pieces occur.
        let mut found = 0;
        for at in (0..size).step_by(if size > 4096 { 61 } else { 1 }) {
            let (squares, word) = (squares_at(at), reached.words()[at]);
            let is_marked = reached.is_live(at / width) && reached.lanes(at / width) >> (at % width) & 1 != 0;
            assert!(word == 0 || is_marked, "word {at}");
            for king in (at as u8 % 5..64).step_by(5) {
                let Some(board) = board(shape, chunk.white_king, &squares, Some(king)) else { continue };
                let is_reached = can_reach(shape, &movers, &squares, &board, |after| {
                    let first = outer.map_or(0, |piece| usize::from(after[piece]) * words);
                    lost[first + word_of(&after[outer_count..pieces.len()])] >> king & 1 != 0
                });
                assert_eq!(word >> king & 1 != 0, is_reached, "{pieces:?}: piece {outer:?} in {board} king {king}");
                found += usize::from(is_reached);
            }
        }
        found
    }

    #[test]
    fn moves_of_one_piece_are_the_rules_position_by_position() {
        let mut random = StdRng::seed_from_u64(6);
        let mut found = 0;
        for (name, number) in
            [("KRvKN", 0), ("KQBvKR", 0), ("KBNvK", 0), ("KNNvKN", 0), ("KQQQvK", 0), ("KBPvK", 3), ("KRBPvK", 7)]
        {
            let case = Case::new(name, number, Invented { seed: 0, last: None }, &mut random);
            let slice = case.slice();
            for outer in (0..slice.outer_count).map(Some).chain([None]) {
                found += compare_moves(&slice, &case.chunk, outer, &mut random);
            }
        }
        assert!(found > 10_000, "{found} positions were reached");
    }

    /// Real tables have at most one inner white piece, so the shapes are made by hand.
    #[test]
    fn moves_of_several_inner_pieces_are_the_rules_position_by_position() {
        let mut random = StdRng::seed_from_u64(7);
        let index = TableIndex::new(TableMaterial::parse("KRvK").expect("a material"));
        let none = ConversionTables::new(&index, 0, &Invented { seed: 0, last: None }).expect("lists of all tables");
        let piece = |is_white: bool, role: Role| EndgamePiece { is_white, role };
        let (white, black) = (|role| piece(true, role), |role| piece(false, role));
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
            let mut squares = DimensionSquares::default();
            squares[0] = 42;
            let found = compare_moves(&slice, &TableChunk { white_king: 10, squares }, None, &mut random);
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
                let packed = PackedRows::from_words(from.iter().copied().enumerate(), width);
                add_images((inner, ChunkLayout::Whole { width }), symmetry, packed.rows(0..packed.len()), &mut out, 0);
                let mut expected = before;
                for (at, &word) in from.iter().enumerate() {
                    let there = (0..inner).fold(0, |there, piece| {
                        let square = (at >> (6 * piece) & 63) as u8;
                        there | usize::from(symmetry.square(square)) << (6 * piece)
                    });
                    for king in (0..64u8).filter(|king| word >> king & 1 != 0) {
                        expected[there] |= 1 << symmetry.square(king);
                    }
                }
                assert_eq!(out.words(), expected, "{inner} inner pieces, {symmetry:?}");
            }
        }
    }
}
