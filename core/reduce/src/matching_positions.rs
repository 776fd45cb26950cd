//! The matching positions themselves, by game and ply; their FENs are made when they are shown.

use alloc::vec::Vec;

use hashbrown::HashTable;
use plyfold_scan::game::{GameId, Ply};
use plyfold_scan::scan::reducer::{MatchingPosition, Reducer, ScanMatch};
use plyfold_scan::scan::replay_needs::ReplayNeeds;

use super::runs::{self, RunArena};

/// The position after ply `ply` of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct PositionRef {
    /// The game.
    pub game: GameId,
    /// The ply.
    pub ply: Ply,
}

/// Which of the matching positions are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PositionSelection {
    /// The most positions to keep, the first ones; none for all.
    pub limit: Option<usize>,
    /// Which positions may be kept.
    pub choice: PositionChoice,
}

/// Which matching positions may be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PositionChoice {
    /// Every one.
    #[default]
    Every,
    /// Each distinct position at its first occurrence. Positions are the same if placement, side to move, castling rights and legal
    /// en passant are the same (a 64-bit Zobrist hash decides).
    Distinct,
    /// The first one of each game.
    FirstOfGame,
}

impl PositionSelection {
    fn is_distinct(self) -> bool {
        self.choice == PositionChoice::Distinct
    }
}

/// Positions in the order of the corpus. Memory: 16 bytes for each kept position, or about 20 bytes if positions are unique.
/// Counting the other distinct positions takes 8 bytes for each position until these take 256 MiB, then up to 24 bytes for each
/// distinct one.
pub struct PositionReducer {
    selection: PositionSelection,
    selected: Vec<(PositionRef, u64)>,
    /// Hashes of the positions that are kept or were candidates.
    seen_hashes: SeenHashes,
    /// Hashes of all positions, to count the distinct ones.
    hash_runs: Option<RunArena>,
    /// The positions of other threads.
    other_hash_runs: Vec<RunArena>,
}

/// Bytes that the hashes of all threads together should not exceed, unless there are more distinct ones.
const HASH_BUDGET_BYTES: usize = 256 << 20;

impl PositionReducer {
    /// A reducer without positions; the reducers of `threads` threads share the memory.
    pub fn new(which: PositionSelection, threads: usize) -> PositionReducer {
        // If there is no limit, all positions are kept.
        let counts = which.is_distinct() && which.limit.is_some();
        let hash_runs = counts.then(|| RunArena::new(HASH_BUDGET_BYTES / threads.max(1)));
        PositionReducer {
            selection: which,
            selected: Vec::new(),
            seen_hashes: SeenHashes::default(),
            hash_runs,
            other_hash_runs: Vec::new(),
        }
    }

    /// The number of distinct positions, if it was requested, and the kept positions by game and ply.
    pub fn finish(mut self) -> (Option<u64>, Vec<PositionRef>) {
        self.selected.sort_unstable();
        let distinct = match self.hash_runs {
            Some(all) => {
                self.other_hash_runs.push(all);
                runs::count_runs(self.other_hash_runs, 0).iter().map(|part| part.distinct).sum()
            }
            None => self.seen_hashes.count(),
        };
        let selected = self.selected.into_iter().map(|(position, _)| position).collect();
        (self.selection.is_distinct().then_some(distinct), selected)
    }

    fn limit(&self) -> usize {
        self.selection.limit.unwrap_or(usize::MAX)
    }
}

/// The hashes of positions that have been seen. A position's hash is as good as random, so the table uses it directly.
#[derive(Default)]
pub struct SeenHashes(HashTable<u64>);

impl SeenHashes {
    /// Adds a hash; false if it was already there.
    pub fn insert(&mut self, hash: u64) -> bool {
        match self.0.entry(hash, |&other| other == hash, |&other| other) {
            hashbrown::hash_table::Entry::Occupied(_) => false,
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                vacant.insert(hash);
                true
            }
        }
    }

    /// How many different hashes there are.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

impl Reducer for PositionReducer {
    const NEEDS_BOARDS: bool = true;

    fn needs(&self) -> ReplayNeeds {
        if self.selection.is_distinct() { ReplayNeeds::HASH } else { ReplayNeeds::NONE }
    }

    #[inline(always)]
    fn position(&mut self, ply: &MatchingPosition<'_>) {
        // Another reducer may have requested the boards.
        if !self.selection.is_distinct() {
            return;
        }
        let hash = ply.board.hash;
        if let Some(hash_runs) = &mut self.hash_runs {
            hash_runs.push(hash, 1);
        }
        // A thread takes its games in ascending order, so it finds its first positions first.
        if self.selected.len() < self.limit() && self.seen_hashes.insert(hash) {
            self.selected.push((PositionRef { game: ply.game.id, ply: ply.ply }, hash));
        }
    }

    #[inline(always)]
    fn game(&mut self, found_game: &ScanMatch<'_>) {
        if !self.selection.is_distinct() {
            let of_game = if self.selection.choice == PositionChoice::FirstOfGame { 1 } else { usize::MAX };
            let remaining = of_game.min(self.limit() - self.selected.len());
            let game = found_game.game.id;
            self.selected.extend(found_game.matches.iter().take(remaining).map(|ply| (PositionRef { game, ply }, 0)));
        }
    }

    fn merge(&mut self, other: Self) {
        self.other_hash_runs.extend(other.other_hash_runs);
        self.other_hash_runs.extend(other.hash_runs);
        self.selected.extend(other.selected);
        self.selected.sort_unstable();
        if self.selection.is_distinct() {
            let mut seen = SeenHashes::default();
            self.selected.retain(|&(_, hash)| seen.insert(hash));
            for hash in other.seen_hashes.0 {
                self.seen_hashes.insert(hash);
            }
        }
        self.selected.truncate(self.limit());
    }
}
