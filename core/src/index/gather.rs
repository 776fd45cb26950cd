//! Every position of every game of a segment, sorted: replayed, put aside by the first bits of its hash, and sorted part by part,
//! in cache.
//!
//! ```text
//! batches ─► replay, on all threads ─► a list for each part ─► sort ─► whoever wants them, part by part
//! ```

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::build::{Steps, Watch};
use crate::board::Board;
use crate::board::make::{Hash, Walk};
use crate::game::Game;
use crate::moves::Move;

/// A position of a game. Orders by hash, then by game, then by ply.
///
/// From the highest bit down: 64 bits hash, 24 bits game (its number in the segment), 16 bits ply (0 the start), 16 bits the move
/// that the game went on with, 1 bit whether it did, 2 bits its result, 5 bits 0.
///
/// PERF: move and result stand here because looking them up in the games, once for each game of each frequent position, took
/// a fifth of the time of building.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Standing(u128);

impl Standing {
    /// `game` below 2^24; `result` below 4, the number of a result in header records.
    fn new(hash: u64, game: u32, ply: u16, next: Option<Move>, result: u8) -> Standing {
        let next = next.map_or(0, |mv| u128::from(mv.bits()) << 1 | 1);
        let place = u128::from(game) << 40 | u128::from(ply) << 24;
        Standing(u128::from(hash) << 64 | place | next << 7 | u128::from(result & 3) << 5)
    }

    pub fn hash(self) -> u64 {
        (self.0 >> 64) as u64
    }

    pub fn game(self) -> u32 {
        (self.0 >> 40) as u32 & 0xff_ffff
    }

    pub fn ply(self) -> u16 {
        (self.0 >> 24) as u16
    }

    pub fn next(self) -> Option<Move> {
        (self.0 & 1 << 7 != 0).then(|| Move::from_bits((self.0 >> 8) as u16))
    }

    pub fn result(self) -> usize {
        (self.0 >> 5) as usize & 3
    }
}

/// Games that a thread takes at a time.
const BATCH: usize = 256;

/// How many parts there are, as a power of two. PERF: a part is sorted in the second cache, and the ends of all parts' lists fit
/// into the tables of pages.
const MOST_PART_BITS: u32 = 11;

/// Positions of one part, as the threads have put them aside.
pub(super) struct Part {
    /// Number of the part: the first bits of each hash.
    pub number: usize,
    lists: Vec<Vec<Standing>>,
}

/// How many first bits of a hash choose the part, for so many positions in `buckets` buckets (a power of two).
pub(super) fn part_bits(bucket_bits: u32) -> u32 {
    bucket_bits.min(MOST_PART_BITS)
}

/// Replays all games and puts aside their positions; none if the watch has ended it. `positions` is how many there will be.
pub(super) fn gather(
    games: &[Game<'_>],
    positions: u64,
    part_bits: u32,
    steps: &Steps<'_, impl Watch>,
) -> Option<Vec<Part>> {
    let parts = 1usize << part_bits;
    let next = AtomicUsize::new(0);
    let batches: Vec<&[Game<'_>]> = games.chunks(BATCH).collect();
    let workers = threads().min(batches.len()).max(1);
    let initial = Board::initial();
    let work = || {
        // A little more than the fair share, so that few lists must grow.
        let share = positions as usize / parts / workers;
        let mut lists: Vec<Vec<Standing>> = (0..parts).map(|_| Vec::with_capacity(share + share / 32 + 8)).collect();
        let mut put = |standing: Standing| {
            let list = &mut lists[(standing.hash() >> 1 >> (63 - part_bits)) as usize];
            if list.len() == list.capacity() {
                list.reserve_exact(list.len() / 8 + 8);
            }
            list.push(standing);
        };
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = batches.get(nth) else { break };
            let mut plies = 0;
            for (number, game) in (nth as u32 * BATCH as u32..).zip(*batch) {
                let mut board = game.own_start().unwrap_or_else(|| initial.clone());
                let result = game.record.result() as u8;
                let mut walk = Walk::on(&board);
                for (&mv, ply) in game.moves.iter().zip(0..) {
                    put(Standing::new(board.hash, number, ply, Some(mv), result));
                    board.make_as::<Hash>(mv, &mut walk);
                }
                put(Standing::new(board.hash, number, game.moves.len() as u16, None, result));
                plies += game.moves.len() as u64;
            }
            if !steps.advance(plies) {
                break;
            }
        }
        lists
    };
    #[cfg(feature = "rayon")]
    let all: Vec<Vec<Vec<Standing>>> = {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        (0..workers).into_par_iter().map(|_| work()).collect()
    };
    #[cfg(not(feature = "rayon"))]
    let all = alloc::vec![work()];
    if steps.is_ended() {
        return None;
    }
    let mut gathered: Vec<Part> = (0..parts).map(|number| Part { number, lists: Vec::new() }).collect();
    for lists in all {
        gathered.iter_mut().zip(lists).for_each(|(part, list)| part.lists.push(list));
    }
    Some(gathered)
}

impl Part {
    /// The positions in order.
    ///
    /// PERF: hashes are as good as random, so one distribution by the bits behind those of the part leaves a handful in each place:
    /// 12 ns a position where sorting by comparison took 27.
    pub fn sorted(self, part_bits: u32) -> Vec<Standing> {
        let count: usize = self.lists.iter().map(Vec::len).sum();
        let bits = (count / 4).checked_ilog2().unwrap_or(0).min(16);
        let place = |standing: &Standing| ((standing.hash() << part_bits) >> 1 >> (63 - bits)) as usize;
        let mut ends = alloc::vec![0u32; (1 << bits) + 1];
        for standing in self.lists.iter().flatten() {
            ends[place(standing) + 1] += 1;
        }
        for nth in 1..ends.len() {
            ends[nth] += ends[nth - 1];
        }
        let starts = ends.clone();
        let mut sorted = alloc::vec![Standing(0); count];
        for standing in self.lists.iter().flatten() {
            let end = &mut ends[place(standing)];
            sorted[*end as usize] = *standing;
            *end += 1;
        }
        drop(self.lists);
        for bounds in starts.windows(2) {
            sorted[bounds[0] as usize..bounds[1] as usize].sort_unstable();
        }
        sorted
    }
}

/// How many threads there are to work with.
fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}
