//! What a scan wants the replay to keep up: the union of what its predicates and reducers want.

use core::fmt;

/// What a predicate or reducer wants the replay to keep up. A union is the bitwise or.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct ReplayNeeds(u8);

impl ReplayNeeds {
    /// Only the count of plies.
    pub const NONE: ReplayNeeds = ReplayNeeds(0);
    /// The men on their squares.
    pub const MAILBOX: ReplayNeeds = ReplayNeeds(1);
    /// Bitboards of the pawns.
    pub const PAWN_BITBOARDS: ReplayNeeds = ReplayNeeds(16);
    /// All bitboards.
    pub const BITBOARDS: ReplayNeeds = ReplayNeeds(1 | 2 | 16);
    /// The numbers of men.
    pub const PIECE_COUNTS: ReplayNeeds = ReplayNeeds(ReplayNeeds::BITBOARDS.0 | 4);
    /// The hash.
    pub const HASH: ReplayNeeds = ReplayNeeds(1 | 32);
    /// Castling rights, en passant, clocks.
    pub const RIGHTS: ReplayNeeds = ReplayNeeds(ReplayNeeds::BITBOARDS.0 | 8);
    /// Castling rights, en passant, clocks, hash.
    pub const RIGHTS_AND_HASH: ReplayNeeds = ReplayNeeds(ReplayNeeds::RIGHTS.0 | 32);
    /// How often the position has occurred; wants rights and hash.
    pub const REPETITIONS: ReplayNeeds = ReplayNeeds(ReplayNeeds::RIGHTS_AND_HASH.0 | 64);

    /// What serves both.
    #[must_use]
    pub const fn union(self, other: ReplayNeeds) -> ReplayNeeds {
        ReplayNeeds(self.0 | other.0)
    }

    /// Whether these include `other`.
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
