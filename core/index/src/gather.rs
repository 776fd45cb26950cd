//! Collects every position of every game of a segment in sorted order. Games are replayed, positions are distributed by the first
//! bits of their hashes, and each part is sorted in cache.
//!
//! ```text
//! batches ─► replay, on all threads ─► a list for each part ─► sort ─► the consumer, part by part
//! ```

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use plyfold_board::board::Board;
use plyfold_board::board::make::{MakeState, WithHash};
use plyfold_board::moves::Move;
use plyfold_scan::game::Game;

/// A position of a game. The order is by hash, then by game, then by ply.
///
/// From the highest bit down: 64 bits hash, 24 bits game (its number in the segment), 16 bits ply (0 the start), 16 bits the
/// next move of the game, 1 bit whether there is one, 2 bits the result, 5 bits 0.
///
/// PERF: move and result are stored here because looking them up in the games, once for each game of each frequent position, took a
/// fifth of the time of building.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct IndexedPosition(u128);

impl IndexedPosition {
    /// `game` below 2^24; `result` below 4, the number of a result in header records.
    fn new(hash: u64, game: u32, ply: u16, next: Option<Move>, result: u8) -> IndexedPosition {
        let next = next.map_or(0, |mv| u128::from(mv.bits()) << 1 | 1);
        let location = u128::from(game) << 40 | u128::from(ply) << 24;
        IndexedPosition(u128::from(hash) << 64 | location | next << 7 | u128::from(result & 3) << 5)
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

    pub fn next_move(self) -> Option<Move> {
        (self.0 & 1 << 7 != 0).then(|| Move::from_bits((self.0 >> 8) as u16))
    }

    pub fn result(self) -> usize {
        (self.0 >> 5) as usize & 3
    }
}

/// Games that a thread takes at a time.
const BATCH_GAMES: usize = 32;
/// The approximate number of plies after which the threads wait for each other and progress is reported.
const ROUND_PLIES: u64 = 1 << 19;

/// The binary logarithm of the number of parts. PERF: a part is sorted in the second-level cache, and the ends of the lists of all
/// parts fit into the page tables.
const MAX_PARTITION_BITS: u32 = 11;

/// Positions of one part, in one list per thread.
pub(super) struct HashPartition {
    /// Number of the part: the first bits of each hash.
    pub number: usize,
    lists: Vec<Vec<IndexedPosition>>,
}

/// The number of first bits of a hash that choose the part, given the number that choose the bucket: a part has whole buckets.
pub(super) fn partition_bits(bucket_bits: u32) -> u32 {
    bucket_bits.min(MAX_PARTITION_BITS)
}

/// Replays all games and collects their positions; none if `progress`, which gets the number of replayed plies, returns false.
/// `positions` is the expected number of positions.
pub(super) fn gather_positions(
    games: &[Game<'_>],
    positions: u64,
    part_bits: u32,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Option<Vec<HashPartition>> {
    let workers = threads().min(games.len().div_ceil(BATCH_GAMES)).max(1);
    let mut worker_lists: Vec<PartitionLists> =
        (0..workers).map(|_| PartitionLists::new(positions as usize / workers, part_bits)).collect();
    let initial = Board::initial();
    let games_a_round = (games.len() as u64 * ROUND_PLIES / positions.max(1)).max(BATCH_GAMES as u64) as usize;
    for (round_index, round) in games.chunks(games_a_round).enumerate() {
        let first = round_index * games_a_round;
        let next = AtomicUsize::new(0);
        let work = |lists: &mut PartitionLists| loop {
            let from = next.fetch_add(BATCH_GAMES, Ordering::Relaxed);
            let Some(batch) = round.get(from..round.len().min(from + BATCH_GAMES)).filter(|batch| !batch.is_empty())
            else {
                break;
            };
            (first + from..).zip(batch).for_each(|(number, game)| lists.replay(number as u32, game, &initial));
        };
        #[cfg(feature = "rayon")]
        rayon::iter::ParallelIterator::for_each(
            rayon::iter::IntoParallelRefMutIterator::par_iter_mut(&mut worker_lists),
            work,
        );
        #[cfg(not(feature = "rayon"))]
        worker_lists.iter_mut().for_each(work);
        if !progress(round.iter().map(|game| game.moves.len() as u64).sum()) {
            return None;
        }
    }
    let mut gathered: Vec<HashPartition> =
        (0..1 << part_bits).map(|number| HashPartition { number, lists: Vec::new() }).collect();
    for lists in worker_lists {
        gathered.iter_mut().zip(lists.lists).for_each(|(part, list)| part.lists.push(list));
    }
    Some(gathered)
}

/// The positions that one thread collects: a list for each part.
struct PartitionLists {
    partition_bits: u32,
    lists: Vec<Vec<IndexedPosition>>,
}

impl PartitionLists {
    /// Empty lists with room for this many positions in all.
    fn new(positions: usize, part_bits: u32) -> PartitionLists {
        // A little more than an equal share, so that few lists must grow.
        let share = positions >> part_bits;
        let list = |_| Vec::with_capacity(share + share / 32 + 8);
        PartitionLists { partition_bits: part_bits, lists: (0..1usize << part_bits).map(list).collect() }
    }

    fn replay(&mut self, number: u32, game: &Game<'_>, initial: &Board) {
        let mut board = game.custom_start_board().unwrap_or_else(|| initial.clone());
        let result = game.record.result() as u8;
        let mut walk = MakeState::for_board(&board);
        for (&mv, ply) in game.moves.iter().zip(0..) {
            self.push(IndexedPosition::new(board.hash, number, ply, Some(mv), result));
            board.make_with::<WithHash>(mv, &mut walk);
        }
        self.push(IndexedPosition::new(board.hash, number, game.moves.len() as u16, None, result));
    }

    #[inline(always)]
    fn push(&mut self, position: IndexedPosition) {
        let list = &mut self.lists[(position.hash() >> 1 >> (63 - self.partition_bits)) as usize];
        if list.len() == list.capacity() {
            list.reserve_exact(list.len() / 8 + 8);
        }
        list.push(position);
    }
}

impl HashPartition {
    /// The positions in order.
    ///
    /// PERF: hashes are as good as random, so one distribution by the bits behind those of the part leaves few positions in each
    /// place, and few comparisons to sort them.
    pub fn sorted(self, part_bits: u32) -> Vec<IndexedPosition> {
        let count: usize = self.lists.iter().map(Vec::len).sum();
        let bits = (count / 4).checked_ilog2().unwrap_or(0).min(16);
        let slot = |standing: &IndexedPosition| ((standing.hash() << part_bits) >> 1 >> (63 - bits)) as usize;
        let mut ends = alloc::vec![0u32; (1 << bits) + 1];
        for standing in self.lists.iter().flatten() {
            ends[slot(standing) + 1] += 1;
        }
        for bucket in 1..ends.len() {
            ends[bucket] += ends[bucket - 1];
        }
        let starts = ends.clone();
        let mut sorted = alloc::vec![IndexedPosition(0); count];
        for standing in self.lists.iter().flatten() {
            let end = &mut ends[slot(standing)];
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

/// The number of threads.
fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}
