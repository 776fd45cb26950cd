//! Makes Black's step after the first cycle, at a cost in proportion to the newly won positions.
//!
//! First come the candidates, the positions from which a move leads to a newly won position. Then each word of candidates loses
//! what has an escape, by one move after another, until nothing is left of it; few words are left after the king's moves.
//! A row with many candidates is swept as a whole.

use super::black::{self, PawnSliceContext, add_pawn_move_predecessors, scatter_newly_decided_pawn_moves};
use super::geometry::{GEOMETRY, attacked, king_attacks};
use super::layout::ChunkLayout;
use super::setwise_moves::{self, StridedRows};
use super::shape::{LegalBlackToMove, RowPlacement, TableChunk};
use crate::rows::{DENSE_WORDS, MarkedRows, PackedRows, RowWords, lanes, nonzero_lanes};

/// From a row with at least this many words of candidates, all escapes are found at once.
const SWEPT_WORDS: u32 = 14;

/// The newly won positions of a chunk.
#[derive(Clone, Copy)]
pub struct NewlyWon<'a> {
    /// Rows that include those of the chunk.
    pub rows: &'a MarkedRows,
    /// The chunk's first row among them.
    pub base: usize,
    /// Whether newly won positions after Black's conversions count.
    pub with_conversions: bool,
}

/// Fills `candidates`, which must be empty, with the positions of a chunk from which a move leads to a newly won position, and
/// with others that are not legal. Tells whether there are any.
#[inline(always)]
pub fn find_candidates(
    slice: &PawnSliceContext,
    chunk: &TableChunk,
    new: NewlyWon,
    candidates: &mut MarkedRows,
) -> bool {
    let rows = slice.row_count();
    let mut next = new.rows.next_live(new.base, new.base + rows);
    while let Some(at) = next {
        let row = at - new.base;
        if let Some(placement) = slice.row_placement(chunk, row) {
            add_move_candidates(slice, &placement, row, new.rows.row_words(at), candidates);
        }
        next = new.rows.next_live(at + 1, new.base + rows);
    }
    if new.with_conversions {
        add_conversion_candidates(slice, chunk, candidates);
    }
    !candidates.is_empty()
}

/// Adds the positions that reach the newly won positions of a row by moves inside the chunk.
#[inline(always)]
fn add_move_candidates(
    slice: &PawnSliceContext,
    placement: &RowPlacement,
    row: usize,
    new: RowWords,
    candidates: &mut MarkedRows,
) {
    let shape = slice.shape;
    let out = candidates.row_mut(row, new.lanes);
    if new.is_dense() {
        for (out, word) in out.iter_mut().zip(new.whole(&mut [0; 64])) {
            *out |= king_attacks(*word);
        }
    } else {
        new.iter().for_each(|(lane, word)| out[lane] |= king_attacks(word));
    }
    let Some(lane) = shape.innermost_piece() else { return };
    if !shape.pieces[lane].is_white {
        setwise_moves::scatter_innermost_moves(shape.pieces[lane].role, placement.occupied, new, candidates, row);
    }
    for piece in (slice.outer_count..lane).filter(|&piece| !shape.pieces[piece].is_white) {
        let (square, stride) = (placement.squares[piece], slice.stride(piece));
        let rows = StridedRows {
            rows: &mut *candidates,
            first: row - stride * usize::from(square),
            stride,
            requested: u64::MAX,
        };
        setwise_moves::scatter_retro_moves(
            shape.pieces[piece].role,
            square,
            placement.occupied & !(1 << square),
            new,
            rows,
        );
    }
}

/// Adds the positions that reach newly won positions of other tables or pawn slices.
#[inline(always)]
fn add_conversion_candidates(slice: &PawnSliceContext, chunk: &TableChunk, candidates: &mut MarkedRows) {
    let shape = slice.shape;
    for row in 0..slice.row_count() {
        if let Some(placement) = slice.row_placement(chunk, row) {
            add_row_conversion_candidates(slice, &placement, row, candidates);
        }
    }
    let lane = shape.innermost_piece().unwrap_or(0);
    for piece in (slice.outer_count..lane).filter(|&piece| !shape.pieces[piece].is_white) {
        let stride = slice.stride(piece);
        for first in (0..slice.row_count()).filter(|row| (row / stride).is_multiple_of(64)) {
            let mut squares = slice.squares_in_row(chunk, first);
            let Some(occupied) = slice.shape.occupied_without(chunk.white_king, &squares, piece) else { continue };
            squares[lane] = 0;
            for (square, conversion) in slice.captures_of_white(&squares) {
                let mut taking = squares;
                taking[piece] = square;
                let decided = conversion.newly_decided_words(conversion.word_index(chunk.white_king, &taking));
                let Some(decided) = decided else { continue };
                let rows = StridedRows { rows: &mut *candidates, first, stride, requested: u64::MAX };
                setwise_moves::scatter_retro_moves(shape.pieces[piece].role, square, occupied, decided, rows);
            }
        }
    }
}

/// Adds the positions of a row that reach them by moves of the king, a black innermost piece and the pawns.
#[inline(always)]
fn add_row_conversion_candidates(
    slice: &PawnSliceContext,
    placement: &RowPlacement,
    row: usize,
    candidates: &mut MarkedRows,
) {
    let shape = slice.shape;
    let lane = shape.innermost_piece();
    for (square, conversion) in slice.captures_of_white(&placement.squares) {
        let at = conversion.word_index(placement.white_king, &placement.squares);
        let Some(taken) = conversion.newly_decided_words(at) else { continue };
        let by_king = taken.lanes_with(square);
        if by_king != 0 {
            let (out, near) = (candidates.row_mut(row, by_king), king_attacks(1 << square));
            lanes(by_king).for_each(|lane| out[lane] |= near);
        }
        if let Some(lane) = lane.filter(|&lane| !shape.pieces[lane].is_white && taken.lanes >> square & 1 != 0) {
            let words = [conversion.newly_decided(at + usize::from(square))];
            let source = RowWords::packed(1 << square, &words);
            let role = shape.pieces[lane].role;
            setwise_moves::scatter_innermost_moves(role, placement.occupied, source, candidates, row);
        }
    }
    for (_, conversion) in slice.conversions.piece_captures().filter(|(piece, _)| Some(*piece) == lane) {
        // The innermost piece is White's: the king captures it on the square of each word.
        if shape.pieces[lane.unwrap_or(0)].is_white && conversion.table.has_new {
            let word = conversion.newly_decided(conversion.word_index(placement.white_king, &placement.squares));
            lanes(word).for_each(|lane| candidates.add(row, lane, king_attacks(1 << lane)));
        }
    }
    for found in &slice.conversions.black_pawn_moves {
        scatter_newly_decided_pawn_moves(slice, found, placement, (candidates, row, u64::MAX));
    }
}

/// The positions of a chunk that are not won.
#[derive(Clone, Copy)]
pub struct NotWon<'a> {
    /// The stored words.
    pub words: &'a [u64],
    /// Which these are.
    pub layout: ChunkLayout,
}

impl NotWon<'_> {
    #[inline(always)]
    fn word(&self, row: usize, lane: usize) -> u64 {
        self.words[self.layout.word(row, lane)]
    }
}

/// Adds the candidates of a chunk that are legal and have no escape to `lost`, and empties `candidates`. `not_won` has the
/// chunk's positions that are not won, the newly won ones excluded. Of candidates that are not stored, none are taken.
/// `unfolded` is memory for the chunk.
#[inline(always)]
pub fn take_lost(
    slice: &PawnSliceContext,
    chunk: &TableChunk,
    not_won: NotWon,
    candidates: &mut MarkedRows,
    (lost, unfolded): (&mut PackedRows, &mut Vec<u64>),
) {
    let rows = slice.row_count();
    let layout = not_won.layout;
    let mut whole = not_won;
    if layout == ChunkLayout::Folded && candidates.marked_words() >= rows {
        // With so many candidates, it pays to have all words in whole rows.
        unfolded.resize(rows * 64, 0);
        layout.unfold(not_won.words, unfolded);
        whole = NotWon { words: unfolded, layout: ChunkLayout::Whole { width: 64 } };
    }
    let mut next = candidates.next_live(0, rows);
    while let Some(row) = next {
        if let Some(placement) = slice.row_placement(chunk, row) {
            let marked = candidates.lanes(row) & layout.stored_lanes(row);
            let words = candidates.row_mut(row, 0);
            let legal = LegalBlackToMove::new(slice.shape, chunk.white_king, &placement.squares, placement.occupied);
            let search = EscapeSearch { slice, placement: &placement, row, not_won: whole };
            let left = search.remove(&legal, marked, words);
            if left != 0 {
                lost.push_packed(row, RowWords::of_row(left, words));
            }
        }
        next = candidates.next_live(row + 1, rows);
    }
    candidates.clear(0..rows);
}

/// Looks for escapes from the positions of a row.
struct EscapeSearch<'a> {
    slice: &'a PawnSliceContext<'a>,
    placement: &'a RowPlacement,
    row: usize,
    not_won: NotWon<'a>,
}

impl EscapeSearch<'_> {
    /// Removes the positions of a row's words that are illegal or have an escape. Returns the words that are not zero afterwards.
    #[inline(always)]
    fn remove(&self, legal: &LegalBlackToMove, marked: u64, words: &mut [u64]) -> u64 {
        let has_lane = self.slice.shape.innermost_piece().is_some();
        let start = self.not_won.layout.row_start(self.row);
        let mut left = 0;
        if marked.count_ones() >= DENSE_WORDS {
            // Before the stored words of a folded row are others, which do not matter.
            let open = &self.not_won.words[start..start + words.len()];
            for (word, open) in words.iter_mut().zip(open) {
                *word &= !king_attacks(*open);
            }
            left = marked & nonzero_lanes(words);
        } else {
            for lane in lanes(marked) {
                words[lane] &= !king_attacks(self.not_won.words[start + lane]);
                left |= u64::from(words[lane] != 0) << lane;
            }
        }
        if left.count_ones() >= DENSE_WORDS
            && let Ok(row) = <&mut [u64; 64]>::try_from(&mut *words)
        {
            legal.keep_in_row(row);
            left &= nonzero_lanes(row);
        } else {
            for lane in lanes(left) {
                words[lane] &= legal.word(has_lane.then_some(lane));
                left &= !(u64::from(words[lane] == 0) << lane);
            }
        }
        if left.count_ones() >= SWEPT_WORDS && self.not_won.layout != ChunkLayout::Folded {
            return self.remove_from_row(left, words);
        }
        let mut kept = 0;
        for lane in lanes(left) {
            words[lane] = self.without_escapes(lane, words[lane]);
            kept |= u64::from(words[lane] != 0) << lane;
        }
        kept
    }

    /// Removes the positions with an escape from many words of a row.
    #[inline(always)]
    fn remove_from_row(&self, mut left: u64, words: &mut [u64]) -> u64 {
        let RowPlacement { squares, occupied, .. } = self.placement;
        let mut escapes = [0; 64];
        let open = &self.not_won.words[self.row * words.len()..][..words.len()];
        black::add_row_escapes(self.slice, self.placement, open, &mut escapes[..words.len()]);
        let shape = self.slice.shape;
        let lane = shape.innermost_piece().unwrap_or(0);
        for piece in (self.slice.outer_count..lane).filter(|&piece| !shape.pieces[piece].is_white) {
            let (from, stride) = (squares[piece], self.slice.stride(piece));
            let reach = attacked(shape.pieces[piece].role, from, *occupied);
            for square in lanes(reach & !occupied) {
                let row = self.row + stride * square - stride * usize::from(from);
                let blocked = GEOMETRY.between[usize::from(from)][square];
                add_unblocked(&self.not_won.words[64 * row..64 * (row + 1)], blocked, &mut escapes);
            }
            for (square, conversion) in
                self.slice.captures_of_white(squares).filter(|(square, _)| reach >> square & 1 != 0)
            {
                let mut taking = *squares;
                taking[piece] = square;
                let at = conversion.word_index(self.placement.white_king, &taking);
                let blocked = GEOMETRY.between[usize::from(from)][usize::from(square)];
                add_unblocked(&conversion.table.not_won[at..at + 64], blocked, &mut escapes);
            }
        }
        for lane in lanes(left) {
            words[lane] &= !escapes[lane];
            left &= !(u64::from(words[lane] == 0) << lane);
        }
        left
    }

    /// What is left of a word without the positions that have an escape.
    #[inline(always)]
    fn without_escapes(&self, lane: usize, mut word: u64) -> u64 {
        let RowPlacement { white_king, squares, occupied } = *self.placement;
        let shape = self.slice.shape;
        let Some(innermost) = shape.innermost_piece() else {
            return self.without_other_escapes(lane, word);
        };
        if !shape.pieces[innermost].is_white {
            let between = &GEOMETRY.between[lane];
            let reach = attacked(shape.pieces[innermost].role, lane as u8, occupied);
            for square in lanes(reach & !occupied) {
                word &= !(self.not_won.word(self.row, square) & !between[square]);
                if word == 0 {
                    return 0;
                }
            }
            for (square, conversion) in
                self.slice.captures_of_white(&squares).filter(|(square, _)| reach >> square & 1 != 0)
            {
                let at = conversion.word_index(white_king, &squares) + usize::from(square);
                word &= !(conversion.table.not_won[at] & !between[usize::from(square)]);
            }
        }
        let others = occupied | 1 << lane;
        for piece in (self.slice.outer_count..innermost).filter(|&piece| !shape.pieces[piece].is_white) {
            let (from, stride) = (squares[piece], self.slice.stride(piece));
            let between = &GEOMETRY.between[usize::from(from)];
            let reach = attacked(shape.pieces[piece].role, from, others);
            let mut to = reach & !others;
            while to != 0 && word != 0 {
                let square = to.trailing_zeros() as usize;
                to &= to - 1;
                let row = self.row + stride * square - stride * usize::from(from);
                word &= !(self.not_won.word(row, lane) & !between[square]);
            }
            for (square, conversion) in
                self.slice.captures_of_white(&squares).filter(|(square, _)| reach >> square & 1 != 0)
            {
                let mut taking = squares;
                taking[piece] = square;
                let at = conversion.word_index(white_king, &taking) + lane;
                word &= !(conversion.table.not_won[at] & !between[usize::from(square)]);
            }
        }
        if word == 0 { 0 } else { self.without_other_escapes(lane, word) }
    }

    /// The same for captures by the king and moves of pawns.
    #[inline(always)]
    fn without_other_escapes(&self, lane: usize, mut word: u64) -> u64 {
        let RowPlacement { white_king, squares, .. } = self.placement;
        let shape = self.slice.shape;
        for (square, conversion) in self.slice.captures_of_white(squares) {
            let near = king_attacks(1 << square);
            if word & near != 0 {
                let at = conversion.word_index(*white_king, squares) + lane;
                if conversion.table.not_won[at] >> square & 1 != 0 {
                    word &= !near;
                }
            }
        }
        let innermost = shape.innermost_piece();
        for (_, conversion) in self.slice.conversions.piece_captures().filter(|(piece, _)| Some(*piece) == innermost) {
            // The innermost piece is White's.
            if !conversion.table.not_won.is_empty()
                && conversion.table.not_won[conversion.word_index(*white_king, squares)] >> lane & 1 != 0
            {
                word &= !king_attacks(1 << lane);
            }
        }
        if word != 0 && !self.slice.conversions.black_pawn_moves.is_empty() {
            let mut escapes = [0; 64];
            let escapes = &mut escapes[..shape.row_words()];
            for found in &self.slice.conversions.black_pawn_moves {
                add_pawn_move_predecessors(self.slice, found, &found.target.not_won, self.placement, escapes);
            }
            word &= !escapes[lane];
        }
        word
    }
}

/// Adds the words of a row to another, without the positions in which the innermost piece or the king stands on a square of
/// `blocked`.
#[inline(always)]
fn add_unblocked(words: &[u64], blocked: u64, out: &mut [u64; 64]) {
    for (lane, (out, word)) in out.iter_mut().zip(words).enumerate() {
        *out |= word & !blocked & (blocked >> lane & 1).wrapping_sub(1);
    }
}
