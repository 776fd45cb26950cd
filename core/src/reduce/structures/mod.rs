//! Pawn structures of matching positions: how many positions have each.
//!
//! Counted by run: a structure that lasts nine plies of which seven match is one run of seven; `runs` counts those.

mod runs;

use alloc::vec::Vec;

use runs::{Run, Runs};
use shakmaty::{Color, Role};

use super::TopStructures;
use crate::board::{Board, squares_of};
use crate::game::Game;
use crate::scan::needs::Needs;
use crate::scan::reducer::{End, Ply, Reducer};

/// A pawn structure and the number of matching positions that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Structure {
    /// Squares of white pawns, a1 lowest.
    pub white: u64,
    /// Squares of black pawns, a1 lowest.
    pub black: u64,
    /// Positions.
    pub count: u64,
}

const PAWNS: u32 = squares_of(1) | squares_of(9);
/// Counts by pawn structure.
pub struct Structures {
    runs: Runs,
    /// Runs of other threads.
    others: Vec<Runs>,
    /// Structures of the current game, one after the other; longer than the game.
    course: Vec<Spell>,
    /// How many of them there are: the last is the current one.
    spells: usize,
}

/// A structure, and the matches of the game before it came up.
#[derive(Clone, Copy, Default)]
struct Spell {
    white: u64,
    black: u64,
    since: u32,
}

impl Spell {
    #[inline(always)]
    fn new(board: &Board, since: u32) -> Spell {
        Spell { white: board.by(Color::White, Role::Pawn), black: board.by(Color::Black, Role::Pawn), since }
    }
}

/// Bytes that the runs of all threads together should not outgrow, unless there are more structures.
const BUDGET: usize = 60 << 20;

/// Pawns stand on ranks 2–7, 48 squares a side: a structure takes 96 bits, white above black, and leaves 32 for its count.
#[inline(always)]
fn run(spell: &Spell, count: u32) -> Run {
    const MIDDLE: u64 = (1 << 48) - 1;
    (Run::from(spell.white >> 8 & MIDDLE) << 48 | Run::from(spell.black >> 8 & MIDDLE)) << 32 | Run::from(count)
}

/// The pawns of a key.
fn structure((key, count): (Run, u64)) -> Structure {
    Structure { white: ((key >> 80) as u64) << 8, black: ((key >> 32) as u64) << 16 >> 8, count }
}

impl Structures {
    /// None yet; `threads` of these share the memory.
    pub fn new(threads: usize) -> Structures {
        Structures { runs: Runs::new(BUDGET / threads.max(1)), others: Vec::new(), course: Vec::new(), spells: 0 }
    }

    /// The `most` frequent, and the totals.
    pub fn top(self, most: usize) -> TopStructures {
        let mut arenas = self.others;
        arenas.push(self.runs);
        let mut all = TopStructures::default();
        let mut top = Vec::new();
        for part in runs::count(&arenas, most) {
            all.distinct += part.distinct;
            all.total += part.total;
            top.extend(part.top);
        }
        top.sort_unstable_by(runs::order);
        all.top = top.into_iter().take(most).map(structure).collect();
        all
    }
}

impl Reducer for Structures {
    fn needs(&self) -> Needs {
        Needs::PAWNS
    }

    #[inline(always)]
    fn begin(&mut self, game: &Game<'_>, board: &Board) {
        let longest = game.moves.len() + 2;
        if self.course.len() < longest {
            self.course.resize(longest, Spell::default());
        }
        self.course[0] = Spell::new(board, 0);
        self.spells = 1;
    }

    /// PERF: one ply in three changes the structure, and nothing foretells which: so every ply writes the next spell, and only a
    /// change keeps it. A branch here costs 2 ns a ply.
    #[inline(always)]
    fn after(&mut self, ply: &Ply<'_>) {
        self.course[self.spells] = Spell::new(ply.board, ply.matched_before);
        self.spells += usize::from(ply.change & PAWNS != 0);
    }

    fn end(&mut self, end: &End<'_>) {
        self.course[self.spells].since = end.matched;
        for pair in self.course[..=self.spells].windows(2) {
            let count = pair[1].since - pair[0].since;
            if count != 0 {
                self.runs.push(run(&pair[0], count));
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.others.push(other.runs);
        self.others.extend(other.others);
    }
}
