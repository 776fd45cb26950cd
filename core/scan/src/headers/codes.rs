//! Sets of opening codes.

use plyfold_corpus::record::Eco;

/// A set of opening codes A00–E99, one bit per code. A game without a code is in no set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct EcoCodes([u64; 8]);

impl EcoCodes {
    /// The codes from `from` to `to`, both included; none if one of them is unknown.
    pub fn range(from: Eco, to: Eco) -> EcoCodes {
        let mut codes = EcoCodes::default();
        if !from.is_unknown() && !to.is_unknown() {
            (from.number()..=to.number()).for_each(|number| codes.0[usize::from(number / 64)] |= 1 << (number % 64));
        }
        codes
    }

    /// Adds a code unless it is unknown.
    pub fn insert(&mut self, code: Eco) {
        self.insert_all(&EcoCodes::range(code, code));
    }

    /// Adds the codes of another set.
    pub fn insert_all(&mut self, other: &EcoCodes) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    /// Returns whether `code` is one of them.
    #[inline(always)]
    pub fn contains(&self, code: Eco) -> bool {
        self.contains_number(code.number())
    }

    /// The same for the number of a code, as stored.
    #[inline(always)]
    pub(crate) fn contains_number(&self, number: u16) -> bool {
        // No set has a bit beyond 500, and none has bit 0.
        self.0[usize::from(number / 64) % 8] >> (number % 64) & 1 != 0 && number < 512
    }

    /// Returns how many there are.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Eco> + '_ {
        Eco::all().filter(|&code| self.contains(code))
    }

    /// The codes as ranges of neighbours, both ends included, ascending.
    pub fn ranges(&self) -> impl Iterator<Item = (Eco, Eco)> + '_ {
        let mut codes = self.iter().peekable();
        core::iter::from_fn(move || {
            let from = codes.next()?;
            let mut to = from;
            while let Some(next) = codes.next_if(|next| next.number() == to.number() + 1) {
                to = next;
            }
            Some((from, to))
        })
    }
}

impl FromIterator<Eco> for EcoCodes {
    fn from_iter<T: IntoIterator<Item = Eco>>(codes: T) -> EcoCodes {
        let mut all = EcoCodes::default();
        codes.into_iter().for_each(|code| all.insert(code));
        all
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn ranges_go_in_and_come_out() {
        let eco = Eco::from_pgn;
        let mut codes = EcoCodes::range(eco("B80"), eco("B99"));
        codes.insert(eco("A00"));
        codes.insert(eco("E99"));
        codes.insert(eco("E98"));
        codes.insert(eco("?"));
        assert_eq!(codes.len(), 23);
        let ranges: Vec<_> = codes.ranges().collect();
        assert_eq!(ranges, [(eco("A00"), eco("A00")), (eco("B80"), eco("B99")), (eco("E98"), eco("E99"))]);
        assert!(codes.contains(eco("B90")) && !codes.contains(eco("B79")) && !codes.contains(eco("")));
        assert_eq!(codes.iter().collect::<EcoCodes>(), codes);
        assert!(EcoCodes::range(eco("B99"), eco("B80")).is_empty() && EcoCodes::range(eco("?"), eco("B80")).is_empty());
    }
}
