//! Stores ascending numbers of games in few bytes: each as its distance from the previous one, seven bits per byte, lowest first.
//!
//! Games that have a frequent position lie close together, so most distances take one byte.

use alloc::vec::Vec;

/// Appends `games`, strictly ascending, to `bytes`.
pub(super) fn append_game_ids(bytes: &mut Vec<u8>, games: impl IntoIterator<Item = u32>) {
    // The first number is a distance from the number before 0.
    let mut next = 0;
    for game in games {
        let mut distance = game - next;
        next = game + 1;
        while distance >= 128 {
            bytes.push(distance as u8 | 128);
            distance >>= 7;
        }
        bytes.push(distance as u8);
    }
}

/// The numbers of a list, in order, all below `end`. Damaged bytes end early.
#[derive(Clone, Debug)]
pub(super) struct GameIdReader<'a> {
    bytes: &'a [u8],
    next: u32,
    end: u32,
}

impl<'a> GameIdReader<'a> {
    pub fn new(bytes: &'a [u8], end: u32) -> GameIdReader<'a> {
        GameIdReader { bytes, next: 0, end }
    }
}

impl Iterator for GameIdReader<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let mut distance = 0u64;
        for shift in [0, 7, 14, 21, 28] {
            let byte = *self.bytes.split_off_first()?;
            distance |= u64::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        let number = u32::try_from(u64::from(self.next) + distance).ok().filter(|&number| number < self.end)?;
        self.next = number + 1;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(set in prop::collection::btree_set(0u32..u32::MAX, 0..200)) {
            let mut bytes = Vec::new();
            append_game_ids(&mut bytes, set.iter().copied());
            prop_assert!(GameIdReader::new(&bytes, u32::MAX).eq(set.iter().copied()));
            let end = set.iter().copied().nth(set.len() / 2).unwrap_or(7);
            prop_assert!(GameIdReader::new(&bytes, end).eq(set.iter().copied().filter(|&number| number < end)));
        }

        #[test]
        fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let numbers: Vec<u32> = GameIdReader::new(&bytes, u32::MAX).collect();
            prop_assert!(numbers.is_sorted_by(|one, other| one < other));
        }
    }

    #[test]
    fn neighbours_take_a_byte() {
        let mut bytes = Vec::new();
        append_game_ids(&mut bytes, [0, 1, 2, 130, 259]);
        assert_eq!(bytes, [0, 0, 0, 127, 0x80, 1]);
    }
}
