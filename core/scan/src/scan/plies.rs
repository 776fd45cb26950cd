//! Sets of plies of one game have one bit per ply, 64 to a word. Bit `k` stands for ply `k + 1`.

/// The sets of all predicates in one game, one after the other; each has `width` words.
pub(crate) struct PredicateSets<'a> {
    pub words: &'a mut [u64],
    pub width: usize,
}

impl PredicateSets<'_> {
    /// Returns the set of a predicate.
    #[inline(always)]
    pub fn of(&mut self, predicate: usize) -> &mut [u64] {
        &mut self.words[predicate * self.width..][..self.width]
    }

    /// Returns one word of the set of a predicate.
    #[inline(always)]
    pub fn word(&mut self, predicate: usize, word: usize) -> &mut u64 {
        &mut self.words[predicate * self.width + word]
    }

    /// Returns the predicates, of the first 64, whose sets have a ply, a bit each.
    pub fn holding_at(&self, ply: usize) -> u64 {
        let sets = self.words.iter().skip(ply / 64).step_by(self.width).take(64);
        sets.enumerate().fold(0, |all, (n, word)| all | (word >> (ply % 64) & 1) << n)
    }

    /// Borrows the same sets, for a function that takes them by value.
    #[inline(always)]
    pub fn reborrow(&mut self) -> PredicateSets<'_> {
        PredicateSets { words: self.words, width: self.width }
    }
}

/// Returns the number of words that a set of this many plies needs.
#[inline(always)]
pub const fn word_count(plies: usize) -> usize {
    plies.div_ceil(64)
}

/// Returns the bits of a word that are plies of a game of `plies`.
#[inline(always)]
pub const fn valid_bits(plies: usize, word: usize) -> u64 {
    let rest = plies.saturating_sub(word * 64);
    if rest >= 64 { u64::MAX } else { (1 << rest) - 1 }
}

/// Packs the first 64 of these into a word.
///
/// PERF: each is a byte first, so that the compiler makes many at once; a multiplication makes bits of eight bytes.
#[inline(always)]
pub fn pack_bits(bits: impl ExactSizeIterator<Item = bool>) -> u64 {
    const ONE_BIT_OF_EACH: u64 = 0x0102_0408_1020_4080;
    let count = bits.len().min(64);
    let mut bytes = [0u8; 64];
    bytes.iter_mut().zip(bits).for_each(|(byte, bit)| *byte = u8::from(bit));
    let (eights, _) = bytes[..count.next_multiple_of(8)].as_chunks();
    let packed = |&eight: &[u8; 8]| u64::from_le_bytes(eight).wrapping_mul(ONE_BIT_OF_EACH) >> 56;
    eights.iter().rev().fold(0, |word, eight| word << 8 | packed(eight))
}

/// Returns the bits of a word that have the parity of `first`, 0 or 1.
#[inline(always)]
pub const fn every_second_from(first: usize) -> u64 {
    0x5555_5555_5555_5555 << first
}

/// Sets the bits from `from` up to, not including, `to`.
#[inline(always)]
pub fn set_range(set: &mut [u64], from: usize, to: usize) {
    if from >= to {
        return;
    }
    let (first, last) = (from / 64, (to - 1) / 64);
    let (low, high) = (u64::MAX << (from % 64), u64::MAX >> (63 - (to - 1) % 64));
    if first == last {
        set[first] |= low & high;
    } else {
        set[first] |= low;
        set[first + 1..last].fill(u64::MAX);
        set[last] |= high;
    }
}

/// Counts the set bits from `from` up to, not including, `to`.
#[inline(always)]
pub fn count_range(set: &[u64], from: usize, to: usize) -> u32 {
    if from >= to {
        return 0;
    }
    let (first, last) = (from / 64, (to - 1) / 64);
    let (low, high) = (u64::MAX << (from % 64), u64::MAX >> (63 - (to - 1) % 64));
    if first == last {
        return (set[first] & low & high).count_ones();
    }
    let middle: u32 = set[first + 1..last].iter().map(|word| word.count_ones()).sum();
    (set[first] & low).count_ones() + middle + (set[last] & high).count_ones()
}

/// Returns the set bits, ascending.
#[inline]
pub fn iter_ones(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(nth, &word)| {
        let mut rest = word;
        core::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (bit < 64).then_some(nth * 64 + bit)
        })
    })
}

/// Returns the highest set bit.
#[inline]
pub fn last_one(set: &[u64]) -> Option<usize> {
    let nth = set.iter().rposition(|&word| word != 0)?;
    Some(nth * 64 + 63 - set[nth].leading_zeros() as usize)
}

/// Returns the highest set bit below `to`.
#[inline]
pub fn last_one_before(set: &[u64], to: usize) -> Option<usize> {
    let (whole, rest) = (to / 64, to % 64);
    let part = if rest == 0 { 0 } else { set[whole] & ((1 << rest) - 1) };
    if part != 0 { Some(whole * 64 + 63 - part.leading_zeros() as usize) } else { last_one(&set[..whole]) }
}

/// Returns the first bit from `from` on that is set, or that is not set; if there is none, the number of bits in the words.
#[inline]
pub fn next_bit(set: &[u64], from: usize, is_set: bool) -> usize {
    let end = set.len() * 64;
    let mut at = from;
    while at < end {
        let word = if is_set { set[at / 64] } else { !set[at / 64] } >> (at % 64);
        if word != 0 {
            return at + word.trailing_zeros() as usize;
        }
        at = (at / 64 + 1) * 64;
    }
    end
}

/// Returns the runs of at least `min_length` set bits: the first bit, and one past the last.
pub fn runs(set: &[u64], min_length: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    core::iter::from_fn(move || {
        loop {
            let from = next_bit(set, at, true);
            if from == set.len() * 64 {
                return None;
            }
            at = next_bit(set, from, false);
            if at - from >= min_length {
                return Some((from, at));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_are_packed_in_their_order(bits in prop::collection::vec(any::<bool>(), 0..=70)) {
            let expected = (0..bits.len().min(64)).filter(|&bit| bits[bit]).fold(0u64, |all, bit| all | 1 << bit);
            prop_assert_eq!(pack_bits(bits.iter().copied()), expected);
        }

        #[test]
        fn sets_are_sets(
            ranges in prop::collection::vec((0usize..300, 0usize..300), 0..6), from in 0usize..300, to in 0usize..300,
            least in 1usize..40, plies in 0usize..300,
        ) {
            let mut set = vec![0; word_count(300)];
            let mut expected = vec![false; 320];
            for &(from, to) in &ranges {
                set_range(&mut set, from, to);
                expected.iter_mut().take(to).skip(from).for_each(|bit| *bit = true);
            }
            let bits: Vec<usize> = (0..320).filter(|&bit| expected[bit]).collect();
            prop_assert_eq!(iter_ones(&set).collect::<Vec<_>>(), bits.clone());
            prop_assert_eq!(last_one(&set), bits.last().copied());
            prop_assert_eq!(last_one_before(&set, to), bits.iter().copied().rfind(|&bit| bit < to));
            let counted = bits.iter().filter(|&&bit| from <= bit && bit < to).count();
            prop_assert_eq!(count_range(&set, from, to) as usize, counted);
            let mut found = vec![false; 320];
            let mut end = 0;
            for (from, to) in runs(&set, least) {
                prop_assert!(to - from >= least && (from == 0 || from > end));
                prop_assert!(from == 0 || !expected[from - 1]);
                end = to;
                found[from..to].fill(true);
            }
            for (bit, &found) in found.iter().enumerate() {
                let start = (0..=bit).rev().take_while(|&bit| expected[bit]).last();
                let stop = (bit..320).take_while(|&bit| expected[bit]).last();
                let long = start.zip(stop).is_some_and(|(start, stop)| stop + 1 - start >= least);
                prop_assert_eq!(found, long);
            }
            for nth in 0..word_count(300) {
                let expected = (0..64).filter(|bit| nth * 64 + bit < plies).fold(0, |all, bit| all | 1 << bit);
                prop_assert_eq!(valid_bits(plies, nth), expected);
            }
        }
    }
}
