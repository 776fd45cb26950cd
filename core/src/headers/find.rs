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

/// Calls `found` for the index of every name of `table` that `pattern` asks for, ascending.
///
/// PERF: as long as names are ASCII, a letter is one byte and its small form one bit away. So most names need no more than a look at their
/// first bytes, or at no byte of theirs where the pattern begins with a star; what a look cannot tell is folded.
pub(super) fn find(table: &StringTable<'_>, pattern: &NamePattern, mut found: impl FnMut(u32)) {
    if pattern.is_everything() {
        return (0..table.len()).for_each(found);
    }
    let mut folded = String::new();
    let mut asked = |index: u32| {
        folded.clear();
        fold_into(table.get(index), &mut folded);
        pattern.matches_folded(&folded)
    };
    let first = pattern.pieces.first().map_or(&[][..], |piece| piece.as_bytes());
    let letters = plain_run(first);
    if let [first, last] = &pattern.pieces[..]
        && (1..=8).contains(&letters)
        && (first.len(), last.len()) == (letters, 0)
    {
        // A look at the letters settles it.
        by_first_letters(table, first.as_bytes(), |index, decided| {
            if decided || asked(index) {
                found(index);
            }
        });
        return;
    }
    let mut check = |index: u32| {
        if asked(index) {
            found(index);
        }
    };
    if letters > 0 {
        by_first_letters(table, &first[..letters], |index, _| check(index));
    } else if let Some(letters) = longest_run(pattern) {
        by_any_letters(table, letters, &mut check);
    } else {
        (0..table.len()).for_each(check);
    }
}

/// How many ASCII letters and digits come first.
fn plain_run(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// The longest run of ASCII letters and digits that every name asked for has.
fn longest_run(pattern: &NamePattern) -> Option<&[u8]> {
    let runs = pattern.pieces.iter().flat_map(|piece| piece.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()));
    runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty())
}

/// Calls `check` for each name that may begin with these letters, and says whether it surely does.
#[inline(always)]
fn by_first_letters(table: &StringTable<'_>, letters: &[u8], mut check: impl FnMut(u32, bool)) {
    let length = letters.len().min(8);
    let mut want = [0; 8];
    want[..length].copy_from_slice(&letters[..length]);
    let (want, mask) = (u64::from_le_bytes(want), u64::MAX >> (64 - 8 * length));
    let (offsets, bytes) = table.parts();
    for (index, ends) in (0..table.len()).zip(offsets.windows(2)) {
        let offset = ends[0];
        let word = first_bytes(bytes, offset as usize);
        let differs = ((word | SMALL) ^ want) & mask != 0;
        let plain = word & mask & BEYOND == 0 && (word as u8).is_ascii_alphanumeric();
        if !(differs && plain) {
            check(index, !differs && plain && length == letters.len() && (ends[1] - offset) as usize >= length);
        }
    }
}

/// Calls `check` for each name that may have these letters side by side: they stand somewhere in the bytes of all names, or the name is
/// not all ASCII.
fn by_any_letters(table: &StringTable<'_>, letters: &[u8], check: &mut dyn FnMut(u32)) {
    let (offsets, bytes) = table.parts();
    let (small, last) = (u8x16::splat(0x20), letters.len() - 1);
    let (want_first, want_last) = (u8x16::splat(letters[0] | 0x20), u8x16::splat(letters[last] | 0x20));
    let mut index = 0;
    let mut at = 0;
    while at < bytes.len() {
        let (here, there) = (sixteen(bytes, at), sixteen(bytes, at + last));
        let both = (here | small).simd_eq(want_first) & (there | small).simd_eq(want_last);
        // The highest bit of a byte is what a mask is made of.
        let mut hits = (both | here).to_bitmask() & 0xffff;
        while hits != 0 {
            let hit = at + hits.trailing_zeros() as usize;
            hits &= hits - 1;
            // Names before `index` have been looked at.
            if offsets.get(index as usize).is_none_or(|&begin| begin as usize > hit) {
                continue;
            }
            let ends = offsets.get(index as usize + 1..).unwrap_or(&[]);
            index += ends.partition_point(|&end| end as usize <= hit) as u32;
            check(index);
            index += 1;
        }
        at += 16;
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
