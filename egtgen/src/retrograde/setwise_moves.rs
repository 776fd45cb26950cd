//! Makes the moves of one piece from all its squares at once.
//!
//! `out[s]` gains the positions from which a piece on `s` reaches the set: for each move from `s` to `t` the bits of `input[t]`,
//! without those in which the black king or the innermost piece blocks the move. Every move can be reversed, so the
//! same sweep serves moves and retro-moves.
//!
//! A sweep follows the lines of the board with an accumulator: the positions reachable ahead of a square are those on the next
//! square, and those ahead of it if it can be passed. So a slider costs one step per square and direction.

use shakmaty::{Role, Square, attacks};

use super::BlackKingRow;
use super::geometry::{GEOMETRY, attacked, king_step};
use crate::rows::{MarkedRows, RowWords, lanes};

/// One sweep over the ranks, up or down, with a shift of files.
#[inline(always)]
fn sweep<const SHIFT: isize, const UP: bool>(propagator: &BlackKingRow, input: &BlackKingRow, out: &mut BlackKingRow) {
    let mut ahead = [0u64; 8];
    for step in 0..8 {
        // A piece that moves up reaches higher ranks, so the sweep starts at the top rank.
        let rank = 8 * if UP { 7 - step } else { step };
        let mut seen = [0u64; 8];
        for (file, seen) in seen.iter_mut().enumerate() {
            // Nothing lies beyond the edge.
            *seen = file.checked_add_signed(SHIFT).and_then(|from| ahead.get(from).copied()).unwrap_or(0);
        }
        for file in 0..8 {
            out[rank + file] |= seen[file];
            ahead[file] = input[rank + file] | (seen[file] & propagator[rank + file]);
        }
    }
}

#[inline(always)]
fn transpose(row: &BlackKingRow) -> BlackKingRow {
    let mut transposed = [0; 64];
    for rank in 0..8 {
        for file in 0..8 {
            transposed[file * 8 + rank] = row[rank * 8 + file];
        }
    }
    transposed
}

#[inline(always)]
fn sweep_orthogonals(propagator: &BlackKingRow, input: &BlackKingRow, out: &mut BlackKingRow) {
    sweep::<0, true>(propagator, input, out);
    sweep::<0, false>(propagator, input, out);
    let (pass, input) = (transpose(propagator), transpose(input));
    let mut transposed = [0; 64];
    sweep::<0, true>(&pass, &input, &mut transposed);
    sweep::<0, false>(&pass, &input, &mut transposed);
    let turned = transpose(&transposed);
    for (out, seen) in out.iter_mut().zip(turned) {
        *out |= seen;
    }
}

#[inline(always)]
fn sweep_diagonals(propagator: &BlackKingRow, input: &BlackKingRow, out: &mut BlackKingRow) {
    sweep::<1, true>(propagator, input, out);
    sweep::<-1, true>(propagator, input, out);
    sweep::<1, false>(propagator, input, out);
    sweep::<-1, false>(propagator, input, out);
}

/// The moves of the innermost piece within a row.
///
/// `pass[s]` has the positions in which square `s` can be passed: none if a piece stands there, otherwise all but that with the
/// king on `s`.
#[inline(always)]
pub fn innermost_moves(role: Role, propagator: &BlackKingRow, input: &BlackKingRow, out: &mut BlackKingRow) {
    match role {
        Role::Queen => {
            sweep_orthogonals(propagator, input, out);
            sweep_diagonals(propagator, input, out);
        }
        Role::Rook => sweep_orthogonals(propagator, input, out),
        Role::Bishop => sweep_diagonals(propagator, input, out),
        Role::Knight => {
            for (files, ranks) in [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)] {
                let (files, ranks): (isize, isize) = (files, ranks);
                for rank in 0.max(-ranks)..8.min(8 - ranks) {
                    for file in 0.max(-files)..8.min(8 - files) {
                        let (s, t) = (rank * 8 + file, (rank + ranks) * 8 + file + files);
                        out[s as usize] |= input[t as usize];
                    }
                }
            }
        }
        Role::King | Role::Pawn => {}
    }
}

/// For each square, the positions in which it can be passed if the squares of `occupied` have pieces.
#[inline(always)]
#[must_use]
pub fn propagators(occupied: u64) -> BlackKingRow {
    let mut propagators = [0; 64];
    for (square, pass) in propagators.iter_mut().enumerate() {
        *pass = if occupied >> square & 1 != 0 { 0 } else { !(1 << square) };
    }
    propagators
}

/// The rows for the squares of a piece: the row of square `s` is `first + stride * s`.
pub struct StridedRows<'a> {
    /// All rows.
    pub rows: &'a mut MarkedRows,
    /// The row of a1.
    pub first: usize,
    /// The distance from one row to the next.
    pub stride: usize,
    /// The squares whose rows are requested.
    pub requested: u64,
}

/// Retro-moves of an outer or inner piece, but not of the innermost one, from one square: the rows of all squares from which it
/// reaches `to` gain `source`, without the positions in which the move is blocked.
///
/// `occupied` has the other pieces except the innermost piece and the black king, which may block the move, too.
#[inline(always)]
pub fn scatter_retro_moves(role: Role, to: u8, occupied: u64, source: RowWords, rows: StridedRows) {
    let StridedRows { rows, first, stride, requested } = rows;
    let between = &GEOMETRY.between[usize::from(to)];
    let mut from = attacked(role, to, occupied) & !occupied & requested;
    let mut memory = [0; 64];
    let dense = source.is_dense().then(|| source.whole(&mut memory));
    while from != 0 {
        let square = from.trailing_zeros() as usize;
        from &= from - 1;
        let blocked = between[square];
        let free = source.lanes & !blocked;
        if free == 0 {
            continue;
        }
        let out = rows.row_mut(first + stride * square, free);
        if let Some(dense) = dense {
            // PERF: it is quicker to put back the few words in which the innermost piece blocks than to mask all.
            let kept: [u64; 6] = blocked_words(source.lanes & blocked, out);
            let out: &mut BlackKingRow = out.try_into().expect("a row with a lane has 64 words");
            for (out, word) in out.iter_mut().zip(dense) {
                *out |= *word & !blocked;
            }
            for (lane, kept) in lanes(source.lanes & blocked).zip(kept) {
                out[lane] = kept;
            }
        } else {
            for (lane, word) in source.iter() {
                let passes = (blocked >> lane & 1).wrapping_sub(1);
                out[lane] |= word & !blocked & passes;
            }
        }
    }
}

/// The words of a row with these numbers; at most six squares lie between two others.
#[inline(always)]
fn blocked_words(blocked: u64, row: &[u64]) -> [u64; 6] {
    let mut words = [0; 6];
    for (word, lane) in words.iter_mut().zip(lanes(blocked)) {
        *word = row[lane];
    }
    words
}

/// Retro-moves of the innermost piece within a row, which gains the positions that reach `source`.
#[inline(always)]
pub fn scatter_innermost_moves(role: Role, occupied: u64, source: RowWords, rows: &mut MarkedRows, row: usize) {
    if source.is_dense() {
        let out = rows.row_mut(row, u64::MAX).try_into().expect("a row with a lane has 64 words");
        innermost_moves(role, &propagators(occupied), source.whole(&mut [0; 64]), out);
        return;
    }
    for (lane, word) in source.iter() {
        let between = &GEOMETRY.between[lane];
        let mut from = attacked(role, lane as u8, occupied) & !occupied;
        let out = rows.row_mut(row, from);
        while from != 0 {
            let square = from.trailing_zeros() as usize;
            from &= from - 1;
            out[square] |= word & !between[square];
        }
    }
}

/// The moves of a piece other than the innermost one, from all its squares at once. `input` and `out` have its 64 rows.
///
/// Squares of `occupied` cannot be passed; `input` on such a square has the results of a capture.
#[inline(always)]
pub fn block_moves(role: Role, occupied: u64, input: &[BlackKingRow; 64], out: &mut [BlackKingRow; 64]) {
    const DIRECTIONS: [(i8, i8); 8] = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)];
    if role == Role::Knight {
        for from in Square::ALL {
            for to in attacks::knight_attacks(from) {
                for (out, input) in out[from as usize].iter_mut().zip(&input[to as usize]) {
                    *out |= *input;
                }
            }
        }
        return;
    }
    let directions = match role {
        Role::Queen => &DIRECTIONS[..],
        Role::Rook => &DIRECTIONS[..4],
        Role::Bishop => &DIRECTIONS[4..],
        _ => return,
    };
    for &(files, ranks) in directions {
        // Each line begins at the edge that the piece moves towards.
        for start in 0..64u8 {
            if king_step(start, (files, ranks)).is_some() {
                continue;
            }
            let (mut ahead, mut next) = ([0u64; 64], Some(start));
            while let Some(at) = next {
                let square = usize::from(at);
                let passes = if occupied >> square & 1 != 0 { 0 } else { !(1u64 << square) };
                for (out, ahead) in out[square].iter_mut().zip(&ahead) {
                    *out |= *ahead;
                }
                ahead[square] = 0;
                for (ahead, input) in ahead.iter_mut().zip(&input[square]) {
                    *ahead = *input | (*ahead & passes);
                }
                next = king_step(at, (-files, -ranks));
            }
        }
    }
}

/// The slow twin of all functions above: whether a piece can move from one square to another.
///
/// `occupied` has all other pieces, kings included.
#[must_use]
pub fn can_move(role: Role, from: u8, to: u8, occupied: u64) -> bool {
    let is_in_line = attacked(role, from, 0) >> to & 1 != 0;
    is_in_line && GEOMETRY.between[usize::from(from)][usize::from(to)] & occupied == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ROLES: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

    /// Some squares, few enough to leave lines open.
    fn few() -> impl Strategy<Value = u64> {
        proptest::collection::vec(0u64..64, 0..6)
            .prop_map(|squares| squares.into_iter().fold(0, |set, at| set | 1 << at))
    }

    fn row() -> impl Strategy<Value = BlackKingRow> {
        // Random words, in which about half or an eighth of the bits are set.
        (any::<[u64; 32]>(), any::<[u64; 32]>(), any::<u64>()).prop_map(|(one, other, thin)| {
            let mask = |at: usize| if at.is_multiple_of(2) { u64::MAX } else { thin.rotate_left(at as u32) };
            std::array::from_fn(|at| if at < 32 { one[at] } else { other[at - 32] } & mask(at))
        })
    }

    /// The black king's squares with which a piece can move between two squares, if `others` are occupied.
    fn passing_kings(role: Role, from: u8, to: u8, others: u64) -> u64 {
        (0..64).filter(|king| can_move(role, from, to, others | 1 << king)).fold(0, |set, king| set | 1 << king)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_lane_mans_sweep_is_its_moves_one_by_one(role in 0..4usize, occupied in few(), input in row()) {
            let role = ROLES[role];
            let mut swept = [0; 64];
            innermost_moves(role, &propagators(occupied), &input, &mut swept);
            for from in 0..64 {
                // A piece on `to` is captured: its square counts, and squares beyond it do not.
                let single = (0..64u8).fold(0, |reached, to| {
                    reached | (passing_kings(role, from, to, occupied) & input[usize::from(to)])
                });
                prop_assert_eq!(swept[usize::from(from)], single, "{} from {}", role.upper_char(), from);
            }
        }

        #[test]
        fn a_blocks_sweep_is_its_moves_one_by_one(role in 0..4usize, occupied in few(), rows in proptest::collection::vec(row(), 4)) {
            let role = ROLES[role];
            let input: Box<[BlackKingRow; 64]> = Box::new(std::array::from_fn(|at| rows[at % 4].map(|word| word.rotate_left(at as u32))));
            let mut swept = Box::new([[0; 64]; 64]);
            block_moves(role, occupied, &input, &mut swept);
            for from in 0..64u8 {
                for lane in (0..64).step_by(3) {
                    let single = (0..64u8).fold(0, |reached, to| {
                        let kings = passing_kings(role, from, to, occupied | 1 << lane);
                        reached | (kings & input[usize::from(to)][lane])
                    });
                    prop_assert_eq!(swept[usize::from(from)][lane], single, "{} from {} lane {}", role.upper_char(), from, lane);
                }
            }
        }

        #[test]
        fn scattered_sources_are_moves_one_by_one(
            role in 0..4usize, to in 0..64u8, occupied in few(), source in row(), requested: u64, is_dense: bool, first in 0..9usize,
        ) {
            let role = ROLES[role];
            let occupied = occupied & !(1 << to);
            let requested = if is_dense { u64::MAX } else { requested & requested.rotate_left(7) & requested.rotate_left(19) };
            let source: BlackKingRow = std::array::from_fn(|lane| if requested >> lane & 1 != 0 { source[lane] } else { 0 });
            let mut marked = MarkedRows::new(1, 64);
            source.iter().enumerate().filter(|(_, word)| **word != 0).for_each(|(lane, word)| marked.add(0, lane, *word));
                        let stride = 3;
            let mut scattered = MarkedRows::new(first + 64 * stride, 64);
            scatter_retro_moves(role, to, occupied, marked.row_words(0), StridedRows { rows: &mut scattered, first, stride, requested: u64::MAX });
            let mut within = MarkedRows::new(1, 64);
            scatter_innermost_moves(role, occupied, marked.row_words(0), &mut within, 0);
            for from in (0..64u8).filter(|from| occupied >> from & 1 == 0) {
                let row = first + stride * usize::from(from);
                let mut innermost = 0;
                for (lane, source) in source.iter().enumerate() {
                    let single = passing_kings(role, from, to, occupied | 1 << lane) & source;
                    prop_assert_eq!(scattered.row(row)[lane], single, "{} from {} to {}", role.upper_char(), from, to);
                    prop_assert!(single == 0 || scattered.is_live(row) && scattered.lanes(row) >> lane & 1 != 0);
                    innermost |= passing_kings(role, from, lane as u8, occupied) & source;
                }
                let reached = within.row(0)[usize::from(from)];
                prop_assert_eq!(reached, innermost, "{} from {}", role.upper_char(), from);
                prop_assert!(reached == 0 || within.lanes(0) >> from & 1 != 0);
            }
        }
    }

    #[test]
    fn kings_and_pawns_are_moved_elsewhere() {
        for role in [Role::King, Role::Pawn] {
            let mut out = [0; 64];
            innermost_moves(role, &propagators(0), &[u64::MAX; 64], &mut out);
            assert_eq!(out, [0; 64]);
        }
    }
}
