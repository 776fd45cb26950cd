//! The matching positions themselves, by game and ply; a FEN is made of one when it is shown.

use alloc::vec::Vec;

use hashbrown::HashTable;

use super::runs::{self, Runs};
use crate::scan::needs::Needs;
use crate::scan::reducer::{Found, Ply, Reducer};

/// The position after ply `ply` of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// Corpus-wide number of the game, from 0.
    pub game: u32,
    /// Number of the ply, from 1.
    pub ply: u32,
}

/// Which of the matching positions are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Which {
    /// The first so many; none for all.
    pub limit: Option<usize>,
    /// Each different position only where it first occurs. Positions are the same if placement, side to move, castling rights and
    /// legal en passant are (a 64-bit Zobrist hash decides).
    pub unique: bool,
}

/// Positions in the order of the corpus. Memory: 16 bytes for each that is kept; if unique, some 20 for each different one that is kept,
/// and to count the others 8 for each until these have 256 MiB, then up to 24 for each different one.
pub struct Positions {
    which: Which,
    kept: Vec<(Position, u64)>,
    /// Hashes of those that are kept, or could have been.
    seen: HashTable<u64>,
    /// Hashes of all, to be counted.
    all: Option<Runs>,
    /// Those of other threads.
    others: Vec<Runs>,
}

/// Bytes that the hashes of all threads together should not outgrow, unless there are more different ones.
const BUDGET: usize = 256 << 20;

impl Positions {
    /// None yet; `threads` of these share the memory.
    pub fn new(which: Which, threads: usize) -> Positions {
        // Where all are kept, those that are kept are all.
        let counts = which.unique && which.limit.is_some();
        let all = counts.then(|| Runs::new(BUDGET / threads.max(1)));
        Positions { which, kept: Vec::new(), seen: HashTable::new(), all, others: Vec::new() }
    }

    /// How many different ones there are, if that was asked, and the positions by game and ply.
    pub fn finish(mut self) -> (Option<u64>, Vec<Position>) {
        self.kept.sort_unstable();
        let distinct = match self.all {
            Some(all) => {
                self.others.push(all);
                runs::count(self.others, 0).iter().map(|part| part.distinct).sum()
            }
            None => self.seen.len() as u64,
        };
        let kept = self.kept.into_iter().map(|(position, _)| position).collect();
        (self.which.unique.then_some(distinct), kept)
    }

    fn limit(&self) -> usize {
        self.which.limit.unwrap_or(usize::MAX)
    }
}

/// Whether `hash` is new to `seen`; it is not afterwards.
fn first_seen(seen: &mut HashTable<u64>, hash: u64) -> bool {
    // The hash of a position is as good as random and serves as its own hash.
    match seen.entry(hash, |&other| other == hash, |&other| other) {
        hashbrown::hash_table::Entry::Occupied(_) => false,
        hashbrown::hash_table::Entry::Vacant(vacant) => {
            vacant.insert(hash);
            true
        }
    }
}

impl Reducer for Positions {
    const WANTS_BOARDS: bool = true;

    fn needs(&self) -> Needs {
        if self.which.unique { Needs::HASH } else { Needs::NOTHING }
    }

    #[inline(always)]
    fn position(&mut self, ply: &Ply<'_>) {
        // Another reducer may be the one that wants the boards.
        if !self.which.unique {
            return;
        }
        let hash = ply.board.hash;
        if let Some(all) = &mut self.all {
            all.push(hash, 1);
        }
        // A thread takes its games in ascending order, so the first it meets are the first it has.
        if self.kept.len() < self.limit() && first_seen(&mut self.seen, hash) {
            self.kept.push((Position { game: ply.game.id, ply: ply.number }, hash));
        }
    }

    #[inline(always)]
    fn game(&mut self, found: &Found<'_>) {
        if !self.which.unique {
            let left = self.limit() - self.kept.len();
            let game = found.game.id;
            self.kept.extend(found.matches.iter().take(left).map(|ply| (Position { game, ply }, 0)));
        }
    }

    fn merge(&mut self, other: Self) {
        self.others.extend(other.others);
        self.others.extend(other.all);
        self.kept.extend(other.kept);
        self.kept.sort_unstable();
        if self.which.unique {
            let mut seen = HashTable::new();
            self.kept.retain(|&(_, hash)| first_seen(&mut seen, hash));
            for hash in other.seen {
                first_seen(&mut self.seen, hash);
            }
        }
        self.kept.truncate(self.limit());
    }
}
