//! Draws the places of tables that are verified: all of them, a fraction, or a sample of so many positions.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plyfold_tables::index::{PieceSquares, TableAddress, TableIndex};
use plyfold_tables::successors::TablePosition;
use plyfold_transform::symmetry::Symmetry;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::VerificationExtent;
use crate::prober::{IndexedTable, ListSide};

/// How many words of a tile one thread takes at a time.
const SPAN_WORDS: usize = 1024;

/// How many places are drawn at most for each position of a sample; far fewer do, unless a table has no positions.
const DRAWS_FOR_A_POSITION: u64 = 10_000;

/// A place that was drawn.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    pub at: TableAddress,
    pub side: ListSide,
    pub is_canonical: bool,
    /// How many positions on the whole board it stands for.
    pub weight: u64,
}

impl Draw {
    /// Its position, if it is legal and canonical.
    pub fn position(&self, index: &TableIndex) -> Option<TablePosition> {
        let board = if self.is_canonical { index.board_at(self.at)? } else { return None };
        TablePosition::from_board(board, self.side.side_to_move(), None).ok()
    }
}

/// Draws positions of all tables, each as likely as any other up to symmetry. Gives those of each table, in its order.
pub(super) fn draw_positions(
    opened: &[Arc<IndexedTable>],
    positions: u64,
    seed: u64,
    stop: &AtomicBool,
) -> Vec<Vec<Draw>> {
    let ends = running_sums(opened.iter().map(|table| table_words(&table.index)));
    let tiles: Vec<Vec<u64>> = opened.iter().map(|table| tile_ends(&table.index)).collect();
    let (mut random, mut words) = (StdRng::seed_from_u64(seed), vec![CurrentWord::default(); opened.len()]);
    let (mut draws, mut missing) = (vec![Vec::new(); opened.len()], positions);
    for _ in 0..positions.saturating_mul(DRAWS_FOR_A_POSITION) {
        if missing == 0 || stop.load(Ordering::Relaxed) {
            break;
        }
        let (number, side) = (random.random_range(0..ends[ends.len() - 1]), ListSide::BOTH[random.random_range(0..2)]);
        let (at, word) = split(&ends, number);
        let index = &opened[at].index;
        let (pawn_slice, word) = (word / index.pawn_slice_words() as u64, word % index.pawn_slice_words() as u64);
        let (tile, word) = split(&tiles[at], word);
        words[at].go_to(index, pawn_slice as u32, tile as u32, word as usize);
        let bit = word * 64 + random.random_range(0..64);
        let draw = words[at].draw(TableAddress { pawn_slice: pawn_slice as u32, tile: tile as u32, bit }, side);
        if draw.position(index).is_some() {
            draws[at].push(draw);
            missing -= 1;
        }
    }
    draws.iter_mut().for_each(|draws| draws.sort_by_key(|draw| (draw.at.pawn_slice, draw.at.tile, draw.at.bit)));
    draws
}

/// The words of all tiles of a table.
pub(super) fn table_words(index: &TableIndex) -> u64 {
    index.pawn_slice_words() as u64 * index.pawn_slices().len() as u64
}

/// Where the words of each tile of a pawn slice end.
fn tile_ends(index: &TableIndex) -> Vec<u64> {
    running_sums((0..index.tiles()).map(|tile| index.tile_words(tile) as u64))
}

fn running_sums(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let add = |sum: &mut u64, number: u64| {
        *sum += number;
        Some(*sum)
    };
    numbers.scan(0, add).collect()
}

/// Which part a number falls into, and where in it. `ends` has the end of each part.
fn split(ends: &[u64], number: u64) -> (usize, u64) {
    let at = ends.partition_point(|end| *end <= number);
    (at, number - at.checked_sub(1).map_or(0, |before| ends[before]))
}

/// The drawn places of some words of a tile.
pub(super) fn draw_in_words(
    index: &TableIndex,
    (pawn_slice, tile): (u32, u32),
    words: Range<usize>,
    extent: VerificationExtent,
) -> impl Iterator<Item = Draw> {
    let name = [pawn_slice, tile, words.start as u32].map(u32::to_le_bytes).concat();
    let seed = xxh3_64_with_seed(&name, extent.seed);
    let mut word = CurrentWord::default();
    sampled_places(words.len() as u64 * 128, extent, seed).map(move |place| {
        let number = words.start + (place / 128) as usize;
        word.go_to(index, pawn_slice, tile, number);
        let bit = number as u64 * 64 + (place / 2) % 64;
        word.draw(TableAddress { pawn_slice, tile, bit }, ListSide::BOTH[(place & 1) as usize])
    })
}

/// The words of a tile in parts.
pub(super) fn tile_spans(index: &TableIndex, tile: u32) -> impl Iterator<Item = Range<usize>> + use<> {
    let words = index.tile_words(tile);
    (0..words.div_ceil(SPAN_WORDS)).map(move |span| span * SPAN_WORDS..((span + 1) * SPAN_WORDS).min(words))
}

/// The current word: 64 positions that differ only in the square of the black king.
#[derive(Clone, Default)]
struct CurrentWord {
    /// Its pawn slice, its tile and its number there.
    at: Option<(u32, u32, usize)>,
    /// The canonical words of its row.
    canonical_words: u64,
    is_canonical: bool,
    /// How many positions on the whole board each of its positions stands for.
    weight: u64,
}

impl CurrentWord {
    fn go_to(&mut self, index: &TableIndex, pawn_slice: u32, tile: u32, number: usize) {
        let at = (pawn_slice, tile, number);
        if self.at == Some(at) {
            return;
        }
        let squares = index.squares(TableAddress { pawn_slice, tile, bit: number as u64 * 64 });
        let (row, lane) = (number / index.row_words(), number % index.row_words());
        if self.at.is_none_or(|before| (before.0, before.1, before.2 / index.row_words()) != (pawn_slice, tile, row)) {
            self.canonical_words = index.canonical_words(pawn_slice, &squares);
        }
        self.at = Some(at);
        self.is_canonical = self.canonical_words >> lane & 1 != 0;
        self.weight = weight(index, &squares);
    }

    /// A place of the word.
    fn draw(&self, at: TableAddress, side: ListSide) -> Draw {
        Draw { at, side, is_canonical: self.is_canonical, weight: self.weight }
    }
}

/// How many positions on the whole board a canonical one stands for.
fn weight(index: &TableIndex, squares: &PieceSquares) -> u64 {
    if index.has_pawns() {
        // Mirroring moves every piece to another square, so each position has an image, and one of the two is canonical.
        return 2;
    }
    let is_on_diagonal = squares.white_king >> 3 == squares.white_king & 7;
    if !is_on_diagonal {
        return 8;
    }
    // If the outer pieces are their own image, the image is canonical too, or is the same position.
    let mut image = index.transformed(squares, Symmetry::FLIP_D);
    let is_same = |one: &usize, other: &usize| {
        let role = |piece: usize| (index.roles()[piece], piece < index.white_count());
        role(*one) == role(*other)
    };
    let pieces: Vec<usize> = (0..index.roles().len()).collect();
    for same in pieces.chunk_by(is_same) {
        image.pieces[same[0]..same[0] + same.len()].sort_unstable();
    }
    if image.pieces[..index.outer_count()] == squares.pieces[..index.outer_count()] { 4 } else { 8 }
}

/// The drawn numbers below `end`, ascending. The gaps between them have a geometric distribution.
fn sampled_places(end: u64, extent: VerificationExtent, seed: u64) -> impl Iterator<Item = u64> {
    // The random generator, and the logarithm of the probability that an address is skipped.
    let mut random = (!extent.is_whole()).then(|| (StdRng::seed_from_u64(seed), (-extent.fraction.max(0.0)).ln_1p()));
    let mut next = 0_u64;
    std::iter::from_fn(move || {
        if let Some((random, chance)) = &mut random {
            // In (0, 1], so that the logarithm is finite. A fraction of zero gives a gap beyond every span.
            let gap = (1.0 - random.random::<f64>()).ln() / *chance;
            next = if gap.is_nan() { end } else { next.saturating_add(gap as u64) };
        }
        let place = (next < end).then_some(next)?;
        next += 1;
        Some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_are_as_many_as_requested() {
        let count = |fraction: f64| sampled_places(1_000_000, VerificationExtent { fraction, seed: 0 }, 5).count();
        assert_eq!((count(0.0), count(1.0), count(7.0)), (0, 1_000_000, 1_000_000));
        assert!((9_000..11_000).contains(&count(0.01)), "{}", count(0.01));
        assert!((890_000..910_000).contains(&count(0.9)), "{}", count(0.9));
    }
}
