//! Black's pass: which positions with Black to move are lost, now that White has newly won some of those they lead to.
//!
//! A position is newly lost if a move of its leads to what is newly won and none leads to what is not won. Both are the
//! same question asked of two sets: what can reach it? In a chunk, where all black men move, that is one sweep for every
//! man. A capture leads elsewhere: what a feed says of it is put on the captured man's square before the sweep.

use super::Row;
use super::feed::{Feed, Feeds, PawnMove};
use super::geometry::king_steps;
use super::scan;
use super::shape::{Men, Shape};

/// Memory for one pass over a chunk.
#[derive(Default)]
pub struct Scratch {
    /// What can reach a position that is not won: the lost are among the rest.
    escapes: Vec<u64>,
    /// What can reach a newly won one.
    candidates: Vec<u64>,
    /// Rows in which two men stand on one square.
    dead: Vec<bool>,
    block: Vec<Row>,
    reached: Vec<Row>,
}

/// Which of a feed's sets a sweep begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    Open,
    Fresh,
}

impl Set {
    #[inline(always)]
    fn of(self, feed: &Feed) -> Option<&[u64]> {
        match self {
            Set::Open => Some(&feed.open),
            Set::Fresh => feed.is_live.then_some(&feed.fresh),
        }
    }
}

/// A chunk: where the outer men stand.
#[derive(Clone, Copy)]
pub struct Chunk {
    /// The white king's square.
    pub white_king: u8,
    /// Squares of all men; those of the inner ones do not matter.
    pub men: Men,
}

/// A row: where all men but lane and black king stand.
pub struct Spot {
    /// The white king's square.
    pub white_king: u8,
    /// Squares of all men; the lane's is a1.
    pub men: Men,
    /// All their squares.
    pub occupied: u64,
}

/// The men of a cell, as a pass needs them.
pub struct Cell<'a> {
    /// Who they are.
    pub shape: &'a Shape,
    /// How many of them are outer.
    pub outer: usize,
    /// What leads out of the cell.
    pub feeds: &'a Feeds,
}

impl Cell<'_> {
    /// Rows of a chunk.
    #[must_use]
    pub fn rows(&self) -> usize {
        1 << (6 * self.shape.lane().map_or(0, |lane| lane - self.outer))
    }

    /// The men in a row of a chunk.
    #[inline]
    #[must_use]
    pub fn men(&self, chunk: &Chunk, row: usize) -> Men {
        let mut men = chunk.men;
        let mut rest = row;
        for man in (self.outer..self.shape.lane().unwrap_or(0)).rev() {
            men[man] = (rest & 63) as u8;
            rest >>= 6;
        }
        men
    }

    /// A row of a chunk; `None` if two men stand on one square.
    #[inline(always)]
    #[must_use]
    pub fn spot(&self, chunk: &Chunk, row: usize) -> Option<Spot> {
        let mut men = self.men(chunk, row);
        if let Some(lane) = self.shape.lane() {
            men[lane] = 0;
        }
        let occupied = self.shape.occupied(chunk.white_king, &men)?;
        Some(Spot { white_king: chunk.white_king, men, occupied })
    }

    /// How far apart the rows of an inner man's neighbouring squares are.
    fn stride(&self, man: usize) -> usize {
        1 << (6 * (self.shape.lane().unwrap_or(0) - 1 - man))
    }
}

/// What of a chunk is lost, now that `open` has lost `fresh`: `lost` is filled, and the answer is whether any is.
///
/// With `conversions`, what Black's conversions newly lead to counts as new as well.
/// Without a `fresh`, it is the beginning: `lost` becomes all that cannot move to what is not won.
#[inline(always)]
pub fn pass(
    cell: &Cell,
    chunk: &Chunk,
    open: &[u64],
    fresh: Option<&[u64]>,
    conversions: bool,
    scratch: &mut Scratch,
    lost: &mut [u64],
) -> bool {
    let width = cell.shape.row_words();
    scratch.escapes.clear();
    scratch.escapes.resize(open.len(), 0);
    scratch.candidates.clear();
    scratch.candidates.resize(open.len(), 0);
    scratch.dead.clear();
    scratch.dead.resize(cell.rows(), false);
    for row in 0..cell.rows() {
        let Some(spot) = cell.spot(chunk, row) else {
            scratch.dead[row] = true;
            continue;
        };
        let here = row * width..(row + 1) * width;
        reach(cell, &spot, Set::Open, true, &open[here.clone()], &mut scratch.escapes[here.clone()]);
        if let Some(fresh) = fresh {
            let candidates = &mut scratch.candidates[here.clone()];
            reach(cell, &spot, Set::Fresh, conversions, &fresh[here], candidates);
        }
    }
    for man in cell.outer..cell.shape.lane().unwrap_or(0) {
        if !cell.shape.men[man].white {
            block(cell, chunk, man, Set::Open, true, open, scratch);
            if let Some(fresh) = fresh {
                block(cell, chunk, man, Set::Fresh, conversions, fresh, scratch);
            }
        }
    }
    let mut any = false;
    let mut closed = [0; 64];
    for row in 0..cell.rows() {
        let here = row * width..(row + 1) * width;
        let (escapes, candidates) = (&scratch.escapes[here.clone()], &scratch.candidates[here.clone()]);
        let lost = &mut lost[here];
        if scratch.dead[row] {
            lost.fill(0);
            continue;
        }
        let mut some = 0;
        for ((lost, escapes), candidates) in lost.iter_mut().zip(escapes).zip(candidates) {
            *lost = if fresh.is_some() { candidates & !escapes } else { !escapes };
            some |= *lost;
        }
        if some != 0 {
            let spot = cell.spot(chunk, row).expect("a live row has no two men on one square");
            cell.shape.closed(chunk.white_king, &spot.men, spot.occupied, &mut closed[..width]);
            some = 0;
            for (lost, closed) in lost.iter_mut().zip(&closed) {
                *lost &= closed;
                some |= *lost;
            }
            any |= some != 0;
        }
    }
    any
}

/// What reaches a set by moves of the king, the lane man and the pawns of a row.
#[inline(always)]
fn reach(cell: &Cell, spot: &Spot, set: Set, conversions: bool, row: &[u64], out: &mut [u64]) {
    let lane = cell.shape.lane();
    let width = row.len();
    let mut king = [0u64; 64];
    king[..width].copy_from_slice(row);
    let mut lane_input = king;
    let lane_moves = lane.filter(|&lane| !cell.shape.men[lane].white);
    let mut any = row.iter().any(|&word| word != 0);
    if conversions {
        let captured = cell.feeds.men.iter().enumerate().filter(|(man, _)| cell.shape.men[*man].white);
        for (man, feed) in captured {
            let Some((feed, words)) = feed.as_ref().and_then(|feed| Some((feed, set.of(feed)?))) else { continue };
            if Some(man) == lane {
                // The lane man is White's: the king takes it on the lane's own square.
                let word = words[feed.at(spot.white_king, &spot.men)];
                any |= word != 0;
                for (square, king) in king.iter_mut().enumerate() {
                    *king |= word & 1 << square;
                }
                continue;
            }
            let square = spot.men[man];
            let at = feed.at(spot.white_king, &spot.men);
            let taken = &words[at..at + width];
            any |= take(taken, square, &mut king);
            if lane_moves.is_some() {
                lane_input[usize::from(square)] = taken[usize::from(square)];
                any |= taken[usize::from(square)] != 0;
            }
        }
        for (square, _, feed) in cell.feeds.pawns.iter().filter(|(_, white, _)| *white) {
            let Some((feed, words)) = feed.as_ref().and_then(|feed| Some((feed, set.of(feed)?))) else { continue };
            let at = feed.at(spot.white_king, &spot.men);
            let taken = &words[at..at + width];
            any |= take(taken, *square, &mut king);
            if lane_moves.is_some() {
                lane_input[usize::from(*square)] = taken[usize::from(*square)];
                any |= taken[usize::from(*square)] != 0;
            }
        }
        for found in &cell.feeds.black {
            if let Some(words) = set.of(&found.feed) {
                pawn(cell, found, words, spot, out);
            }
        }
    }
    if !any {
        return;
    }
    for (out, king) in out.iter_mut().zip(&king) {
        *out |= king_steps(*king);
    }
    if let Some(lane) = lane_moves {
        let pass = scan::passing(spot.occupied);
        let out: &mut Row = out.try_into().expect("a row with a lane has 64 words");
        scan::lane(cell.shape.men[lane].role, &pass, &lane_input, out);
    }
}

/// The black king takes on a square; whether it can.
#[inline(always)]
fn take(taken: &[u64], square: u8, king: &mut Row) -> bool {
    let mut any = 0;
    for (king, taken) in king.iter_mut().zip(taken) {
        let word = taken & 1 << square;
        any |= word;
        *king |= word;
    }
    any != 0
}

/// What a pawn's move leads to, where it can be made.
#[inline(always)]
pub fn pawn(cell: &Cell, found: &PawnMove, words: &[u64], spot: &Spot, out: &mut [u64]) {
    if spot.occupied & found.way != 0 {
        return;
    }
    let lane = cell.shape.lane();
    let pass = !found.way;
    let at = found.feed.at(spot.white_king, &spot.men);
    match found.captured {
        Some((man, square)) if Some(man) == lane => out[usize::from(square)] |= words[at] & pass,
        Some((man, square)) if spot.men[man] != square => {}
        _ => {
            let width = out.len();
            for (square, (out, word)) in out.iter_mut().zip(&words[at..at + width]).enumerate() {
                let is_blocked = lane.is_some() && found.way >> square & 1 != 0;
                *out |= if is_blocked { 0 } else { word & pass };
            }
        }
    }
}

/// What reaches a set by moves of a black man that is not the lane.
#[inline(always)]
fn block(cell: &Cell, chunk: &Chunk, man: usize, set: Set, conversions: bool, words: &[u64], scratch: &mut Scratch) {
    let stride = cell.stride(man);
    let role = cell.shape.men[man].role;
    let out = if set == Set::Open { &mut scratch.escapes } else { &mut scratch.candidates };
    scratch.block.resize(64, [0; 64]);
    scratch.reached.resize(64, [0; 64]);
    let block: &mut [Row; 64] = scratch.block.as_mut_slice().try_into().expect("64 rows");
    let reached: &mut [Row; 64] = scratch.reached.as_mut_slice().try_into().expect("64 rows");
    for first in (0..cell.rows()).filter(|row| (row / stride).is_multiple_of(64)) {
        let mut men = cell.men(chunk, first);
        // The man itself is anywhere; the others must be on squares of their own.
        let Some(occupied) = others(cell, chunk.white_king, &men, man) else { continue };
        let mut any = false;
        for (square, block) in block.iter_mut().enumerate() {
            let at = 64 * (first + stride * square);
            block.copy_from_slice(&words[at..at + 64]);
            any |= block.iter().any(|&word| word != 0);
        }
        if conversions {
            let lane = cell.shape.lane().expect("a man that is not the lane has one after it");
            men[lane] = 0;
            let pieces = cell.feeds.men.iter().enumerate().filter(|(other, _)| cell.shape.men[*other].white);
            let pieces = pieces.filter_map(|(other, feed)| Some((men[other], feed.as_ref()?)));
            let pawns = cell.feeds.pawns.iter().filter(|(_, white, _)| *white);
            let pawns = pawns.filter_map(|(square, _, feed)| Some((*square, feed.as_ref()?)));
            for (square, feed) in pieces.chain(pawns) {
                let Some(words) = set.of(feed) else { continue };
                let mut taking = men;
                taking[man] = square;
                let at = feed.at(chunk.white_king, &taking);
                block[usize::from(square)].copy_from_slice(&words[at..at + 64]);
                any |= words[at..at + 64].iter().any(|&word| word != 0);
            }
        }
        if !any {
            continue;
        }
        reached.fill([0; 64]);
        scan::block(role, occupied, block, reached);
        for (square, reached) in reached.iter().enumerate() {
            let at = 64 * (first + stride * square);
            for (out, reached) in out[at..at + 64].iter_mut().zip(reached) {
                *out |= reached;
            }
        }
    }
}

/// Squares with men but the lane, the black king and `man`; `None` if two stand on one.
#[must_use]
pub fn others(cell: &Cell, white_king: u8, men: &Men, man: usize) -> Option<u64> {
    let shape = cell.shape;
    let mut occupied = shape.still();
    let mut is_sound = occupied >> white_king & 1 == 0;
    occupied |= 1 << white_king;
    for (other, &square) in men[..shape.lane().unwrap_or(0)].iter().enumerate() {
        if other != man {
            is_sound &= occupied >> square & 1 == 0;
            occupied |= 1 << square;
        }
    }
    is_sound.then_some(occupied)
}

#[cfg(test)]
mod tests {
    use plyfold_core::table::index::Index;
    use plyfold_core::table::material::Material;
    use plyfold_core::table::successors::Position;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use shakmaty::{Board, Color, Piece, Role};

    use super::super::feed::List;
    use super::super::feed::tests::{Invented, board};
    use super::*;

    /// Where a position stands in a chunk: its word, and the black king's square.
    fn place(cell: &Cell, board: &Board) -> (usize, u8) {
        let square = |color: Color, role: Role| board.by_piece(Piece { color, role }).first().expect("a man") as u8;
        let inner = &cell.shape.men[cell.outer..];
        let square_of = |man: &super::super::shape::Man| square(Color::from_white(man.white), man.role);
        (inner.iter().fold(0, |at, man| at << 6 | usize::from(square_of(man))), square(Color::Black, Role::King))
    }

    /// Chunks of these cells, with lists that are invented: what the pass finds, and what the rules of chess say of each
    /// position, one by one.
    fn compare(
        name: &str,
        cell_number: u32,
        library: Invented,
        conversions: bool,
        is_beginning: bool,
        random: &mut StdRng,
    ) -> usize {
        let index = Index::new(Material::parse(name).expect("a material"));
        let shape = crate::generate::shape(&index, cell_number);
        let mut feeds = Feeds::new(&index, cell_number, &library).expect("lists of all tables");
        if !is_beginning {
            feeds.advance(0).expect("lists of all tables");
        }
        let cell = Cell { shape: &shape, outer: index.outer(), feeds: &feeds };
        let mut square = || random.random_range(0..64);
        let chunk = Chunk { white_king: square(), men: std::array::from_fn(|_| square()) };
        let (words, width) = (index.chunk_words(), index.row_words());

        // Few positions are open, so that not everything escapes; in the beginning all are.
        let (mut open, mut fresh, mut attacked) = (vec![0; words], vec![0; words], [0; 64]);
        for (row, open) in open.chunks_exact_mut(width).enumerate() {
            let men = cell.men(&chunk, row);
            if let Some(occupied) = shape.occupied(chunk.white_king, &men) {
                shape.attacked(chunk.white_king, &men, occupied, &mut attacked[..width]);
                shape.open(occupied, &attacked[..width], open);
            }
        }
        if !is_beginning {
            for (open, fresh) in open.iter_mut().zip(&mut fresh) {
                *fresh = *open & random.random::<u64>();
                *open &= !*fresh & (0..5).fold(u64::MAX, |few, _| few & random.random::<u64>());
            }
        }

        let mut lost = vec![u64::MAX; words];
        let fresh = (!is_beginning).then_some(&fresh[..]);
        let any = pass(&cell, &chunk, &open, fresh, conversions, &mut Scratch::default(), &mut lost);
        assert_eq!(any, lost.iter().any(|&word| word != 0), "{name}");

        let mut found = 0;
        for (word, lost) in lost.iter().enumerate() {
            for king in 0..64 {
                let mut men = cell.men(&chunk, word / width);
                if let Some(lane) = shape.lane() {
                    men[lane] = (word % width) as u8;
                }
                let position = board(&shape, chunk.white_king, &men, king)
                    .and_then(|board| Position::from_board(board, Color::Black, None).ok());
                let is_lost = position.is_some_and(|position| {
                    // Whether a move leads to what is new, and whether one leads to what is not won.
                    let (mut is_new, mut escapes) = (false, false);
                    for (_, after) in position.successors() {
                        let stays = after.board().pawns() == position.board().pawns()
                            && after.board().occupied().count() == position.board().occupied().count();
                        if stays {
                            let (word, king) = place(&cell, after.board());
                            escapes |= open[word] >> king & 1 != 0;
                            is_new |= fresh.is_some_and(|fresh| fresh[word] >> king & 1 != 0);
                        } else {
                            let is_won = !is_beginning && library.has(after.board(), List::Won, 1);
                            escapes |= !is_won;
                            is_new |= is_won && conversions;
                        }
                    }
                    !escapes && (is_new || is_beginning)
                });
                assert_eq!(
                    lost >> king & 1 != 0,
                    is_lost,
                    "{name} {cell_number}: {men:?} {king} in {}",
                    chunk.white_king
                );
                found += usize::from(is_lost);
            }
        }
        found
    }

    const CASES: [(&str, u32); 12] = [
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
    ];

    #[test]
    fn the_pass_is_the_rules_position_by_position() {
        let mut random = StdRng::seed_from_u64(3);
        let mut found = 0;
        for (name, cell) in CASES {
            for round in 0..2 {
                let library = Invented { seed: round, last: Some(1) };
                found += compare(name, cell, library, round == 0, false, &mut random);
            }
        }
        assert!(found > 10_000, "{found} positions were lost");
    }

    #[test]
    fn in_the_beginning_what_has_no_move_is_left() {
        let mut random = StdRng::seed_from_u64(4);
        let mut found = 0;
        for (name, cell) in CASES {
            for _ in 0..2 {
                found += compare(name, cell, Invented { seed: 0, last: None }, false, true, &mut random);
            }
        }
        assert!(found > 10, "{found} positions without a move");
    }
}
