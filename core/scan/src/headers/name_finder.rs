//! Finds the names of a table that match a pattern, without folding most of them.

use alloc::string::String;

use plyfold_corpus::StringTable;
use wide::u8x16;

use super::name_folding::fold_into;
use super::pattern::NamePattern;

/// A bit in each byte by which a capital differs from a small letter.
const LOWERCASE_BITS: u64 = 0x2020_2020_2020_2020;
/// A bit in each byte that ASCII does not have.
const NON_ASCII_BITS: u64 = 0x8080_8080_8080_8080;
/// Letters and digits, the most frequent in names first.
const LETTERS_BY_FREQUENCY: &[u8] = b"eaionrstlhcm2d1k0uvgb9pyz8f34w567jxq";

/// A pattern, prepared for the search.
///
/// PERF: in an ASCII name a letter is one byte, and its lower-case form differs in one bit. For most names it is enough to test the
/// first byte or the last one, or, if the pattern has a star at both ends, all bytes of all names with vectors. A name is folded only
/// if such a test does not decide.
pub(super) struct NameFinder<'p> {
    pattern: &'p NamePattern,
    strategy: SearchStrategy<'p>,
}

/// Where names are tested.
enum SearchStrategy<'p> {
    /// Every name matches.
    Everything,
    /// At the beginnings of names.
    Prefix(AffixSearch<'p>),
    /// At their ends.
    Suffix(AffixSearch<'p>),
    /// At all bytes.
    Substring(SubstringSearch<'p>),
    /// Nowhere: all names must be folded.
    FoldAll,
}

/// ASCII letters and digits with which names begin or end.
struct AffixSearch<'p> {
    letters: &'p [u8],
    /// For each byte 255 if a name with it there may match, because it is one of the letters or no ASCII letter or digit; else 0.
    candidate_bytes: [u8; 256],
    /// Whether nothing else is asked for.
    is_whole_pattern: bool,
}

/// ASCII letters and digits that stand side by side in every matching name.
struct SubstringSearch<'p> {
    letters: &'p [u8],
    /// Two of them, by place, ascending; the rarest, so that few places of all have both.
    rarest_pair: [usize; 2],
    /// Whether nothing else is asked for.
    is_whole_pattern: bool,
}

/// What a test says of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QuickMatch {
    Match,
    NoMatch,
    /// It must be folded.
    Undecided,
}

impl<'p> NameFinder<'p> {
    /// Prepares the search for a pattern. Cost: a microsecond.
    pub fn new(pattern: &'p NamePattern) -> NameFinder<'p> {
        let (first, last) = match &pattern.pieces[..] {
            [only] => (only.as_bytes(), &[][..]),
            [first, .., last] => (first.as_bytes(), last.as_bytes()),
            [] => (&[][..], &[][..]),
        };
        let alone = pattern.pieces.len() == 2;
        let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric();
        let begins = &first[..first.iter().take_while(is_letter).count()];
        let ends = &last[last.len() - last.iter().rev().take_while(is_letter).count()..];
        let way = if pattern.matches_everything() {
            SearchStrategy::Everything
        } else if pattern.has_other_names() {
            SearchStrategy::FoldAll
        } else if let Some(&letter) = begins.first() {
            SearchStrategy::Prefix(AffixSearch::new(
                begins,
                letter,
                alone && last.is_empty() && begins.len() == first.len(),
            ))
        } else if let Some(&letter) = ends.last() {
            SearchStrategy::Suffix(AffixSearch::new(
                ends,
                letter,
                alone && first.is_empty() && ends.len() == last.len(),
            ))
        } else {
            SubstringSearch::longest_of(pattern).map_or(SearchStrategy::FoldAll, SearchStrategy::Substring)
        };
        NameFinder { pattern, strategy: way }
    }

    /// Returns whether every name matches.
    pub fn matches_everything(&self) -> bool {
        matches!(self.strategy, SearchStrategy::Everything)
    }

    /// Calls `found` for the index of every matching name of `table`, ascending.
    pub fn find(&self, table: &StringTable<'_>, mut found: impl FnMut(u32)) {
        let mut folded = String::new();
        let mut report = |index: u32, look: QuickMatch| {
            let asked = match look {
                QuickMatch::Match => true,
                QuickMatch::NoMatch => false,
                QuickMatch::Undecided => {
                    folded.clear();
                    fold_into(table.get(index), &mut folded);
                    self.pattern.matches_folded(&folded)
                }
            };
            if asked {
                found(index);
            }
        };
        let (offsets, bytes) = table.offsets_and_bytes();
        match &self.strategy {
            SearchStrategy::Everything => (0..table.len()).for_each(found),
            SearchStrategy::FoldAll => (0..table.len()).for_each(|index| report(index, QuickMatch::Undecided)),
            SearchStrategy::Prefix(first) => {
                let firsts = offsets.split_last().map_or(&[][..], |(_, firsts)| firsts);
                let at = |&offset: &u32| offset as usize;
                first.for_each_candidate(firsts, bytes, at, |index| {
                    let [from, to] = [offsets[index], offsets[index + 1]].map(|offset| offset as usize);
                    report(index as u32, first.match_prefix(bytes, from, to));
                });
            }
            SearchStrategy::Suffix(last) => {
                let ends = offsets.get(1..).unwrap_or(&[]);
                // There is no byte before the first one.
                let at = |&end: &u32| (end as usize).wrapping_sub(1);
                last.for_each_candidate(ends, bytes, at, |index| {
                    let [from, to] = [offsets[index], offsets[index + 1]].map(|offset| offset as usize);
                    report(index as u32, last.match_suffix(bytes.get(from..to).unwrap_or(&[])));
                });
            }
            SearchStrategy::Substring(run) => run.find_in(offsets, bytes, report),
        }
    }
}

impl<'p> AffixSearch<'p> {
    fn new(letters: &'p [u8], letter: u8, whole: bool) -> AffixSearch<'p> {
        let looked_at = core::array::from_fn(|byte| {
            let byte = byte as u8;
            let is_looked_at = !byte.is_ascii_alphanumeric() || byte.eq_ignore_ascii_case(&letter);
            u8::from(is_looked_at).wrapping_neg()
        });
        AffixSearch { letters, candidate_bytes: looked_at, is_whole_pattern: whole }
    }

    /// Calls `look` for the index of each name that is to be looked at, where `at` says where its first or last byte is.
    #[inline(always)]
    fn for_each_candidate(
        &self,
        offsets: &[u32],
        bytes: &[u8],
        at: impl Fn(&u32) -> usize,
        mut look: impl FnMut(usize),
    ) {
        // PERF: there is no branch per name that could be mispredicted, and no shift.
        let byte_of = |offset: &u32| self.candidate_bytes[usize::from(bytes.get(at(offset)).copied().unwrap_or(0))];
        for (nth, offsets) in offsets.chunks(64).enumerate() {
            let (eights, rest) = offsets.as_chunks::<8>();
            let mut candidates = 0;
            for (nth, eight) in eights.iter().enumerate() {
                let one = |bit: usize| byte_of(&eight[bit]) & 1 << bit;
                let all = [one(0), one(1), one(2), one(3), one(4), one(5), one(6), one(7)];
                candidates |= u64::from(all.into_iter().fold(0, |all, one| all | one)) << (nth * 8);
            }
            for (nth, offset) in rest.iter().enumerate() {
                candidates |= u64::from(byte_of(offset) & 1) << (eights.len() * 8 + nth);
            }
            while candidates != 0 {
                look(nth * 64 + candidates.trailing_zeros() as usize);
                candidates &= candidates - 1;
            }
        }
    }

    /// Whether the name in the bytes from `from` to `to` begins with the letters.
    #[inline(always)]
    fn match_prefix(&self, bytes: &[u8], from: usize, to: usize) -> QuickMatch {
        let length = self.letters.len().min(8);
        let eight = |bytes: &[u8], at: usize| u64::from_le_bytes(load_values(bytes, at));
        let (word, want) = (eight(bytes, from), eight(self.letters, 0));
        let mask = u64::MAX >> (64 - 8 * length);
        let plain = word & mask & NON_ASCII_BITS == 0 && (word as u8).is_ascii_alphanumeric();
        match ((word | LOWERCASE_BITS) ^ (want | LOWERCASE_BITS)) & mask {
            _ if !plain => QuickMatch::Undecided,
            0 if self.is_whole_pattern && length == self.letters.len() && to - from >= length => QuickMatch::Match,
            0 => QuickMatch::Undecided,
            _ => QuickMatch::NoMatch,
        }
    }

    /// Whether a name ends with the letters, and with space and punctuation behind them.
    #[inline(always)]
    fn match_suffix(&self, name: &[u8]) -> QuickMatch {
        let trailing = name.iter().rev().take_while(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()).count();
        let name = &name[..name.len() - trailing];
        let end = &name[name.len().saturating_sub(self.letters.len())..];
        if !end.is_ascii() {
            QuickMatch::Undecided
        } else if !end.eq_ignore_ascii_case(self.letters) {
            QuickMatch::NoMatch
        } else if self.is_whole_pattern {
            QuickMatch::Match
        } else {
            QuickMatch::Undecided
        }
    }
}

impl<'p> SubstringSearch<'p> {
    /// The longest such part of a pattern, if it has any.
    fn longest_of(pattern: &'p NamePattern) -> Option<SubstringSearch<'p>> {
        let runs = pattern.pieces.iter().flat_map(|piece| piece.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()));
        let letters = runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty())?;
        let frequency =
            |place: &usize| LETTERS_BY_FREQUENCY.iter().position(|letter| *letter == letters[*place]).unwrap_or(0);
        let rarest = (0..letters.len()).max_by_key(frequency)?;
        let other = (0..letters.len()).filter(|&place| place != rarest).max_by_key(frequency).unwrap_or(rarest);
        let whole = match &pattern.pieces[..] {
            [first, inner, last] => first.is_empty() && last.is_empty() && inner.len() == letters.len(),
            _ => false,
        };
        Some(SubstringSearch { letters, rarest_pair: [rarest.min(other), rarest.max(other)], is_whole_pattern: whole })
    }

    /// Reports each name that may have these letters: they occur in its bytes, or its bytes are not all ASCII.
    fn find_in(&self, offsets: &[u32], bytes: &[u8], mut report: impl FnMut(u32, QuickMatch)) {
        let [before, apart] = [self.rarest_pair[0], self.rarest_pair[1] - self.rarest_pair[0]];
        let small = u8x16::splat(0x20);
        let [want_here, want_there] = self.rarest_pair.map(|place| u8x16::splat(self.letters[place] | 0x20));
        // A mask is made of the highest bits of the bytes.
        let hits =
            |here: u8x16, there: u8x16| (here | small).simd_eq(want_here) & (there | small).simd_eq(want_there) | here;
        // Names before this one have been reported.
        let mut index = 0usize;
        let mut at_hit = |hit: usize| {
            let Some(&begin) = offsets.get(index).filter(|&&begin| begin as usize <= hit) else { return };
            let letters = hit.checked_sub(before).filter(|&from| from >= begin as usize);
            let from = letters.unwrap_or(hit);
            let stand =
                bytes.get(from..from + self.letters.len()).is_some_and(|run| run.eq_ignore_ascii_case(self.letters));
            if !stand && bytes[hit].is_ascii() {
                return;
            }
            index += offsets[index + 1..].partition_point(|&end| end as usize <= hit);
            let [Some(&begin), Some(&end)] = [index, index + 1].map(|index| offsets.get(index)) else { return };
            let inside = stand && from >= begin as usize && from + self.letters.len() <= end as usize;
            let look = match (inside, bytes[hit].is_ascii()) {
                (true, _) if self.is_whole_pattern => QuickMatch::Match,
                // The letters begin in one name and end in the next.
                (false, true) => return,
                _ => QuickMatch::Undecided,
            };
            report(index as u32, look);
            index += 1;
        };
        let mut at = 0;
        while at < bytes.len() {
            let load = |from: usize| u8x16::new(load_values(bytes, from));
            let chunk = |from: usize| bytes.get(from..).and_then(|rest| rest.first_chunk::<64>());
            if let (Some(here), Some(there)) = (chunk(at), chunk(at + apart)) {
                // PERF: hits are rare, so one test for four vectors is mostly enough.
                let [here, there] = [here, there].map(|bytes| bytes.as_chunks::<16>().0);
                let four: [u8x16; 4] = core::array::from_fn(|nth| hits(u8x16::new(here[nth]), u8x16::new(there[nth])));
                if ((four[0] | four[1]) | (four[2] | four[3])).to_bitmask() & 0xffff != 0 {
                    for (nth, hits) in four.into_iter().enumerate() {
                        for_each_set_byte(hits, |bit| at_hit(at + nth * 16 + bit));
                    }
                }
                at += 64;
            } else {
                for_each_set_byte(hits(load(at), load(at + apart)), |bit| at_hit(at + bit));
                at += 16;
            }
        }
    }
}

/// Calls `each` for every byte whose highest bit is set.
#[inline(always)]
fn for_each_set_byte(bytes: u8x16, mut each: impl FnMut(usize)) {
    let mut remaining = bytes.to_bitmask() & 0xffff;
    while remaining != 0 {
        each(remaining.trailing_zeros() as usize);
        remaining &= remaining - 1;
    }
}

/// So many values from `at` on, zeros beyond the end.
#[inline(always)]
pub(super) fn load_values<T: Copy + Default, const N: usize>(column: &[T], at: usize) -> [T; N] {
    match column.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(values) => *values,
        None => {
            let mut values = [T::default(); N];
            let rest = column.get(at..).unwrap_or(&[]);
            values[..rest.len()].copy_from_slice(rest);
            values
        }
    }
}
