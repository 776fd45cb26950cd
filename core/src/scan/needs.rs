//! What a scan wants the replay to keep up: the union of what its predicates and reducers want.

use core::fmt;

/// What a predicate or reducer wants the replay to keep up. A union is the bitwise or.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Needs(u8);

impl Needs {
    /// Only the count of plies.
    pub const NOTHING: Needs = Needs(0);
    /// The men on their squares.
    pub const MAILBOX: Needs = Needs(1);
    /// Bitboards of the pawns.
    pub const PAWNS: Needs = Needs(16);
    /// All bitboards.
    pub const BITS: Needs = Needs(1 | 2 | 16);
    /// The numbers of men.
    pub const TALLY: Needs = Needs(Needs::BITS.0 | 4);
    /// The hash.
    pub const HASH: Needs = Needs(1 | 32);
    /// Castling rights, en passant, clocks.
    pub const RIGHTS: Needs = Needs(Needs::BITS.0 | 8);
    /// Castling rights, en passant, clocks, hash.
    pub const RIGHTS_AND_HASH: Needs = Needs(Needs::RIGHTS.0 | 32);
    /// How often the position has occurred; wants rights and hash.
    pub const HISTORY: Needs = Needs(Needs::RIGHTS_AND_HASH.0 | 64);

    /// What serves both.
    #[must_use]
    pub const fn and(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }

    /// Whether these include `other`.
    pub const fn include(self, other: Needs) -> bool {
        self.0 & other.0 == other.0
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rights, hash, repetitions) = ((8, "rights, clocks"), (32, "hash"), (64, "repetitions"));
        let kept = [(1, "mailbox"), (16, "pawns"), (2, "bitboards"), (4, "numbers of men"), rights, hash, repetitions];
        if *self == Needs::NOTHING {
            return f.write_str("nothing");
        }
        let mut kept = kept.into_iter().filter(|(bit, _)| self.0 & bit != 0).map(|(_, name)| name);
        f.write_str(kept.next().unwrap_or(""))?;
        kept.try_for_each(|name| write!(f, ", {name}"))
    }
}
