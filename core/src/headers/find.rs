//! Which names of a table are asked for, found without folding most of them.

use alloc::string::String;

use wide::u8x16;

use super::fold::fold_into;
use super::pattern::NamePattern;
use crate::corpus::strings::StringTable;

/// A bit in each byte by which a capital differs from a small letter.
const SMALL: u64 = 0x2020_2020_2020_2020;
/// A bit in each byte that ASCII does not have.
const BEYOND: u64 = 0x8080_8080_8080_8080;
/// Letters and digits, the most frequent in names first.
const FREQUENT: &[u8] = b"eaionrstlhcm2d1k0uvgb9pyz8f34w567jxq";

/// A pattern with what the search for it wants at hand.
///
/// PERF: as long as names are ASCII, a letter is one byte and its small form one bit away. So most names need no more than a look at their
/// first byte, or at their last, or at all bytes of all names by vectors where the pattern has a star at both ends. What a look cannot
/// tell is folded.
pub(super) struct Finder<'p> {
    pattern: &'p NamePattern,
    way: Way<'p>,
}

/// Where to look.
enum Way<'p> {
    /// Every name is asked for.
    Everything,
    /// At the beginnings of names.
    First(Ends<'p>),
    /// At their ends.
    Last(Ends<'p>),
    /// At all bytes.
    Inside(Run<'p>),
    /// All names are to be folded.
    Nowhere,
}

/// ASCII letters and digits with which names begin or end.
struct Ends<'p> {
    letters: &'p [u8],
    /// 255 if a name with this byte there is to be looked at, which is one of the letters or none at all, else 0.
    looked_at: [u8; 256],
    /// Whether nothing else is asked for.
    whole: bool,
}

/// ASCII letters and digits that stand side by side in every name asked for.
struct Run<'p> {
    letters: &'p [u8],
    /// Two of them, by place, ascending; the rarest, so that few places of all have both.
    pair: [usize; 2],
    /// Whether nothing else is asked for.
    whole: bool,
}

/// What a look says of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Asked,
    NotAsked,
    /// It must be folded.
    Open,
}

impl<'p> Finder<'p> {
    /// What is to be looked for. Cost: a microsecond.
    pub fn new(pattern: &'p NamePattern) -> Finder<'p> {
        let (first, last) = match &pattern.pieces[..] {
            [only] => (only.as_bytes(), &[][..]),
            [first, .., last] => (first.as_bytes(), last.as_bytes()),
            [] => (&[][..], &[][..]),
        };
        let alone = pattern.pieces.len() == 2;
        let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric();
        let begins = &first[..first.iter().take_while(is_letter).count()];
        let ends = &last[last.len() - last.iter().rev().take_while(is_letter).count()..];
        let way = if pattern.is_everything() {
            Way::Everything
        } else if let Some(&letter) = begins.first() {
            Way::First(Ends::new(begins, letter, alone && last.is_empty() && begins.len() == first.len()))
        } else if let Some(&letter) = ends.last() {
            Way::Last(Ends::new(ends, letter, alone && first.is_empty() && ends.len() == last.len()))
        } else {
            Run::longest(pattern).map_or(Way::Nowhere, Way::Inside)
        };
        Finder { pattern, way }
    }

    /// Whether every name is asked for.
    pub fn is_everything(&self) -> bool {
        matches!(self.way, Way::Everything)
    }

    /// Calls `found` for the index of every name of `table` that is asked for, ascending.
    pub fn find(&self, table: &StringTable<'_>, mut found: impl FnMut(u32)) {
        let mut folded = String::new();
        let mut tell = |index: u32, look: Look| {
            let asked = match look {
                Look::Asked => true,
                Look::NotAsked => false,
                Look::Open => {
                    folded.clear();
                    fold_into(table.get(index), &mut folded);
                    self.pattern.matches_folded(&folded)
                }
            };
            if asked {
                found(index);
            }
        };
        let (offsets, bytes) = table.parts();
        match &self.way {
            Way::Everything => (0..table.len()).for_each(found),
            Way::Nowhere => (0..table.len()).for_each(|index| tell(index, Look::Open)),
            Way::First(first) => {
                let firsts = offsets.split_last().map_or(&[][..], |(_, firsts)| firsts);
                let at = |&offset: &u32| offset as usize;
                first.survivors(firsts, bytes, at, |index| {
                    let [from, to] = [offsets[index], offsets[index + 1]].map(|offset| offset as usize);
                    tell(index as u32, first.begins(bytes, from, to));
                });
            }
            Way::Last(last) => {
                let ends = offsets.get(1..).unwrap_or(&[]);
                // Before the first byte there is none, which is to be looked at.
                let at = |&end: &u32| (end as usize).wrapping_sub(1);
                last.survivors(ends, bytes, at, |index| {
                    let [from, to] = [offsets[index], offsets[index + 1]].map(|offset| offset as usize);
                    tell(index as u32, last.ends(bytes.get(from..to).unwrap_or(&[])));
                });
            }
            Way::Inside(run) => run.search(offsets, bytes, tell),
        }
    }
}

impl<'p> Ends<'p> {
    fn new(letters: &'p [u8], letter: u8, whole: bool) -> Ends<'p> {
        let looked_at = core::array::from_fn(|byte| {
            let byte = byte as u8;
            let is_looked_at = !byte.is_ascii_alphanumeric() || byte.eq_ignore_ascii_case(&letter);
            u8::from(is_looked_at).wrapping_neg()
        });
        Ends { letters, looked_at, whole }
    }

    /// Calls `look` for the index of each name that is to be looked at, where `at` says where its first or last byte is.
    #[inline(always)]
    fn survivors(&self, offsets: &[u32], bytes: &[u8], at: impl Fn(&u32) -> usize, mut look: impl FnMut(usize)) {
        // PERF: no branch for each name, so that none is guessed wrong, and no shift.
        let byte_of = |offset: &u32| self.looked_at[usize::from(bytes.get(at(offset)).copied().unwrap_or(0))];
        for (nth, offsets) in offsets.chunks(64).enumerate() {
            let (eights, rest) = offsets.as_chunks::<8>();
            let mut left = 0;
            for (nth, eight) in eights.iter().enumerate() {
                let one = |bit: usize| byte_of(&eight[bit]) & 1 << bit;
                let all = [one(0), one(1), one(2), one(3), one(4), one(5), one(6), one(7)];
                left |= u64::from(all.into_iter().fold(0, |all, one| all | one)) << (nth * 8);
            }
            for (nth, offset) in rest.iter().enumerate() {
                left |= u64::from(byte_of(offset) & 1) << (eights.len() * 8 + nth);
            }
            while left != 0 {
                look(nth * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// Whether the name in the bytes from `from` to `to` begins with the letters.
    #[inline(always)]
    fn begins(&self, bytes: &[u8], from: usize, to: usize) -> Look {
        let length = self.letters.len().min(8);
        let (word, want) = (first_bytes(bytes, from), first_bytes(self.letters, 0));
        let mask = u64::MAX >> (64 - 8 * length);
        let plain = word & mask & BEYOND == 0 && (word as u8).is_ascii_alphanumeric();
        match ((word | SMALL) ^ (want | SMALL)) & mask {
            _ if !plain => Look::Open,
            0 if self.whole && length == self.letters.len() && to - from >= length => Look::Asked,
            0 => Look::Open,
            _ => Look::NotAsked,
        }
    }

    /// Whether a name ends with the letters, and with space and punctuation behind them.
    #[inline(always)]
    fn ends(&self, name: &[u8]) -> Look {
        let behind = name.iter().rev().take_while(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()).count();
        let name = &name[..name.len() - behind];
        let end = &name[name.len().saturating_sub(self.letters.len())..];
        if !end.is_ascii() {
            Look::Open
        } else if !end.eq_ignore_ascii_case(self.letters) {
            Look::NotAsked
        } else if self.whole {
            Look::Asked
        } else {
            Look::Open
        }
    }
}

impl<'p> Run<'p> {
    /// The longest one of a pattern, if it has any.
    fn longest(pattern: &'p NamePattern) -> Option<Run<'p>> {
        let runs = pattern.pieces.iter().flat_map(|piece| piece.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()));
        let letters = runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty())?;
        let frequency = |place: &usize| FREQUENT.iter().position(|letter| *letter == letters[*place]).unwrap_or(0);
        let rarest = (0..letters.len()).max_by_key(frequency)?;
        let other = (0..letters.len()).filter(|&place| place != rarest).max_by_key(frequency).unwrap_or(rarest);
        let whole = match &pattern.pieces[..] {
            [first, inner, last] => first.is_empty() && last.is_empty() && inner.len() == letters.len(),
            _ => false,
        };
        Some(Run { letters, pair: [rarest.min(other), rarest.max(other)], whole })
    }

    /// Tells of each name that may have these letters: they stand in its bytes, or these are not all ASCII.
    fn search(&self, offsets: &[u32], bytes: &[u8], mut tell: impl FnMut(u32, Look)) {
        let [before, apart] = [self.pair[0], self.pair[1] - self.pair[0]];
        let small = u8x16::splat(0x20);
        let [want_here, want_there] = self.pair.map(|place| u8x16::splat(self.letters[place] | 0x20));
        // The highest bit of a byte is what a mask is made of.
        let hits =
            |here: u8x16, there: u8x16| (here | small).simd_eq(want_here) & (there | small).simd_eq(want_there) | here;
        // Names before this one have been told of.
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
                (true, _) if self.whole => Look::Asked,
                // They begin in one name and end in the next.
                (false, true) => return,
                _ => Look::Open,
            };
            tell(index as u32, look);
            index += 1;
        };
        let mut at = 0;
        while at < bytes.len() {
            let chunk = |from: usize| bytes.get(from..).and_then(|rest| rest.first_chunk::<64>());
            if let (Some(here), Some(there)) = (chunk(at), chunk(at + apart)) {
                // PERF: hits are rare, so that one question for four vectors is mostly enough.
                let [here, there] = [here, there].map(|bytes| bytes.as_chunks::<16>().0);
                let four: [u8x16; 4] = core::array::from_fn(|nth| hits(u8x16::new(here[nth]), u8x16::new(there[nth])));
                if ((four[0] | four[1]) | (four[2] | four[3])).to_bitmask() & 0xffff != 0 {
                    for (nth, hits) in four.into_iter().enumerate() {
                        ones(hits, |bit| at_hit(at + nth * 16 + bit));
                    }
                }
                at += 64;
            } else {
                ones(hits(sixteen(bytes, at), sixteen(bytes, at + apart)), |bit| at_hit(at + bit));
                at += 16;
            }
        }
    }
}

/// Calls `each` for every byte whose highest bit is set.
#[inline(always)]
fn ones(bytes: u8x16, mut each: impl FnMut(usize)) {
    let mut left = bytes.to_bitmask() & 0xffff;
    while left != 0 {
        each(left.trailing_zeros() as usize);
        left &= left - 1;
    }
}

/// Sixteen bytes from `at` on, zeros beyond the end.
#[inline(always)]
fn sixteen(bytes: &[u8], at: usize) -> u8x16 {
    u8x16::new(match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(&chunk) => chunk,
        None => {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let mut chunk = [0; 16];
            chunk[..rest.len()].copy_from_slice(rest);
            chunk
        }
    })
}

/// Eight bytes from `at` on, zeros beyond the end.
#[inline(always)]
fn first_bytes(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(&chunk) => u64::from_le_bytes(chunk),
        None => {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let mut chunk = [0; 8];
            chunk[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(chunk)
        }
    }
}
