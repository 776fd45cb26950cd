//! Replay needs say what a replay must maintain on its board: the union of what the predicates and reducers need.

use core::fmt;

/// What a predicate or reducer needs the replay to maintain. A union is the bitwise or.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct ReplayNeeds(u8);

impl ReplayNeeds {
    /// The number of plies only.
    pub const NONE: ReplayNeeds = ReplayNeeds(0);
    /// The pieces by square.
    pub const MAILBOX: ReplayNeeds = ReplayNeeds(1);
    /// The bitboards of the pawns.
    pub const PAWN_BITBOARDS: ReplayNeeds = ReplayNeeds(16);
    /// All bitboards.
    pub const BITBOARDS: ReplayNeeds = ReplayNeeds(1 | 2 | 16);
    /// The piece counts.
    pub const PIECE_COUNTS: ReplayNeeds = ReplayNeeds(ReplayNeeds::BITBOARDS.0 | 4);
    /// The hash.
    pub const HASH: ReplayNeeds = ReplayNeeds(1 | 32);
    /// The castling rights, en passant and clocks.
    pub const RIGHTS: ReplayNeeds = ReplayNeeds(ReplayNeeds::BITBOARDS.0 | 8);
    /// The castling rights, en passant, clocks and hash.
    pub const RIGHTS_AND_HASH: ReplayNeeds = ReplayNeeds(ReplayNeeds::RIGHTS.0 | 32);
    /// The number of times that the position has occurred; needs rights and hash.
    pub const REPETITIONS: ReplayNeeds = ReplayNeeds(ReplayNeeds::RIGHTS_AND_HASH.0 | 64);

    /// Returns the union of both.
    #[must_use]
    pub const fn union(self, other: ReplayNeeds) -> ReplayNeeds {
        ReplayNeeds(self.0 | other.0)
    }

    /// Returns whether these include `other`.
    pub const fn contains(self, other: ReplayNeeds) -> bool {
        self.0 & other.0 == other.0
    }
}

impl fmt::Display for ReplayNeeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rights, hash, repetitions) = ((8, "rights, clocks"), (32, "hash"), (64, "repetitions"));
        let parts = [(1, "mailbox"), (16, "pawns"), (2, "bitboards"), (4, "piece counts"), rights, hash, repetitions];
        if *self == ReplayNeeds::NONE {
            return f.write_str("nothing");
        }
        let mut kept = parts.into_iter().filter(|(bit, _)| self.0 & bit != 0).map(|(_, name)| name);
        f.write_str(kept.next().unwrap_or(""))?;
        kept.try_for_each(|name| write!(f, ", {name}"))
    }
}
