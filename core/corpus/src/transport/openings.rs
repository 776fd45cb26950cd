//! Remembers the moves that were played in positions of earlier games: while a game follows them, a move takes a bit or less.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::moves::Move;

use super::adaptive::BitModel;
use super::entropy::Coder;

/// Positions that are remembered, as a power of two; later ones replace earlier ones.
const PLACES: u32 = 16;
/// A game that has left the known positions so often is no longer compared.
const MOST_MISSES: usize = 3;
const MOST_CONFIDENCE: u8 = 7;
const LONGEST_RUN: usize = 15;

/// A position that was seen: its last move, and how often in succession it was played.
#[derive(Clone, Copy)]
struct Seen {
    hash: u32,
    mv: Move,
    confidence: u8,
}

/// The known positions, and how far the present game has followed them.
pub(super) struct Openings {
    seen: Vec<Seen>,
    is_repeated: Vec<BitModel>,
    /// Known moves that the present game has played in succession.
    run: usize,
    /// Positions of the present game that were not known.
    misses: usize,
}

impl Default for Openings {
    fn default() -> Openings {
        let contexts = (usize::from(MOST_CONFIDENCE) + 1) * (LONGEST_RUN + 1) * MOST_MISSES;
        Openings {
            seen: vec![Seen { hash: 0, mv: Move::NULL, confidence: 0 }; 1 << PLACES],
            is_repeated: vec![BitModel::NEW; contexts],
            run: 0,
            misses: 0,
        }
    }
}

impl Openings {
    /// Starts a game.
    pub fn start_game(&mut self) {
        (self.run, self.misses) = (0, 0);
    }

    /// Codes the move at the position with this hash, by `code_other` unless it is the expected one, and remembers it.
    pub fn code<C: Coder>(
        &mut self,
        coder: &mut C,
        hash: u64,
        played: Move,
        code_other: impl FnOnce(&mut C) -> Move,
    ) -> Move {
        if self.misses >= MOST_MISSES {
            return code_other(coder);
        }
        let place = (hash >> (64 - PLACES)) as usize;
        let hash = hash as u32;
        let seen = self.seen[place];
        let is_known = seen.confidence > 0 && seen.hash == hash;
        let mut is_repeated = false;
        if is_known {
            let context = (usize::from(seen.confidence) * (LONGEST_RUN + 1) + self.run.min(LONGEST_RUN)) * MOST_MISSES;
            is_repeated = self.is_repeated[context + self.misses].code(coder, seen.mv == played);
            self.run = if is_repeated { self.run + 1 } else { 0 };
        } else {
            self.misses += 1;
        }
        let mv = if is_repeated { seen.mv } else { code_other(coder) };
        let confidence = if is_repeated { (seen.confidence + 1).min(MOST_CONFIDENCE) } else { seen.confidence / 2 };
        self.seen[place] = match is_known && confidence > 0 {
            true => Seen { confidence, ..seen },
            false => Seen { hash, mv, confidence: 1 },
        };
        mv
    }
}
