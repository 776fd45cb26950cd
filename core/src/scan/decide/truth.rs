//! Truth at 64 plies is either known or bounded: where something must be so, and where it may be.
//!
//! While predicates are untested, each step of the evaluation is taken for the plies at which something must be so, and once more for those
//! at which it may be ([`TruthBounds`]). When all are tested, one word is enough.

/// Plies of a word at which something is so.
pub(in crate::scan) trait TruthWord: Copy + PartialEq {
    /// At none of them.
    const NONE: Self;
    /// At all of them.
    const ALL: Self;
    /// Where it must be, and where it may.
    fn new(must: u64, may: u64) -> Self;
    /// Where it must be.
    fn must(self) -> u64;
    /// Where it may be.
    fn may(self) -> u64;
    /// Where both are.
    fn and(self, other: Self) -> Self;
    /// Where one of them is.
    fn or(self, other: Self) -> Self;
    /// Where it is not.
    fn not(self) -> Self;
    /// Each of the words that it has, by a function that carries a number of its own.
    fn map_with_carry(self, numbers: &mut [u32; 2], step: impl Fn(u64, &mut u32) -> u64) -> Self;

    fn map(self, of: impl Fn(u64) -> u64) -> Self {
        self.map_with_carry(&mut [0; 2], |word, _| of(word))
    }

    fn from_bool(holds: bool) -> Self {
        if holds { Self::ALL } else { Self::NONE }
    }

    /// Where it is not known.
    fn undecided(self) -> u64 {
        self.may() & !self.must()
    }
}

/// It is known where.
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

/// It is known where it must be, and where it may.
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
