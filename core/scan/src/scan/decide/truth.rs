//! Truth at 64 plies is either known, or bounded by the plies at which something must hold and those at which it may hold.
//!
//! While predicates are untested, the evaluation calculates both bounds at every step ([`TruthBounds`]). Once all are tested, one
//! word is enough.

/// The truth of one statement at the 64 plies of a word.
pub(in crate::scan) trait TruthWord: Copy + PartialEq {
    /// False at every ply.
    const NONE: Self;
    /// True at every ply.
    const ALL: Self;
    /// Makes a value from the plies at which it must hold and those at which it may.
    fn new(must: u64, may: u64) -> Self;
    /// The plies at which it must hold.
    fn must(self) -> u64;
    /// The plies at which it may hold.
    fn may(self) -> u64;
    /// Holds where both hold.
    fn and(self, other: Self) -> Self;
    /// Holds where at least one of them holds.
    fn or(self, other: Self) -> Self;
    /// Holds where this does not hold.
    fn not(self) -> Self;
    /// Applies a function to each word of the value. The function carries one number per word from one call to the next.
    fn map_with_carry(self, numbers: &mut [u32; 2], step: impl Fn(u64, &mut u32) -> u64) -> Self;

    fn map(self, of: impl Fn(u64) -> u64) -> Self {
        self.map_with_carry(&mut [0; 2], |word, _| of(word))
    }

    /// The plies at which it may hold but need not.
    fn undecided(self) -> u64 {
        self.may() & !self.must()
    }
}

/// The plies at which it holds, where everything is known.
impl TruthWord for u64 {
    const NONE: u64 = 0;
    const ALL: u64 = u64::MAX;

    fn new(must: u64, _: u64) -> u64 {
        must
    }

    fn must(self) -> u64 {
        self
    }

    fn may(self) -> u64 {
        self
    }

    fn and(self, other: u64) -> u64 {
        self & other
    }

    fn or(self, other: u64) -> u64 {
        self | other
    }

    fn not(self) -> u64 {
        !self
    }

    fn map_with_carry(self, numbers: &mut [u32; 2], of: impl Fn(u64, &mut u32) -> u64) -> u64 {
        of(self, &mut numbers[0])
    }
}

/// The plies at which it must hold, and those at which it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::scan) struct TruthBounds {
    must: u64,
    may: u64,
}

impl TruthWord for TruthBounds {
    const NONE: TruthBounds = TruthBounds { must: 0, may: 0 };
    const ALL: TruthBounds = TruthBounds { must: u64::MAX, may: u64::MAX };

    fn new(must: u64, may: u64) -> TruthBounds {
        TruthBounds { must, may }
    }

    fn must(self) -> u64 {
        self.must
    }

    fn may(self) -> u64 {
        self.may
    }

    fn and(self, other: TruthBounds) -> TruthBounds {
        TruthBounds { must: self.must & other.must, may: self.may & other.may }
    }

    fn or(self, other: TruthBounds) -> TruthBounds {
        TruthBounds { must: self.must | other.must, may: self.may | other.may }
    }

    fn not(self) -> TruthBounds {
        TruthBounds { must: !self.may, may: !self.must }
    }

    fn map_with_carry(self, [must, may]: &mut [u32; 2], of: impl Fn(u64, &mut u32) -> u64) -> TruthBounds {
        TruthBounds { must: of(self.must, must), may: of(self.may, may) }
    }
}
