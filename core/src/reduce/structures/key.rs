//! A pawn structure in 64 bits.
//!
//! A file has at most three pawns, white and black together, in all but a few structures of a million: then a byte says which of 233
//! states it has, and eight bytes say all. A multiplication spreads them, and can be undone.

/// Pawns of White and of Black on ranks 2 to 7, a1 lowest.
pub(super) type Pawns = [u64; 2];

/// Says that a file has more than three pawns.
const MANY: u8 = 255;
/// Pawns of a file: six bits of White's, above them six of Black's.
const STATES: usize = 1 << 12;

/// The byte of each state, and the state of each byte.
const TABLES: ([u8; STATES], [u16; 256]) = {
    let (mut bytes, mut states) = ([MANY; STATES], [0; 256]);
    let (mut state, mut next) = (0, 0);
    while state < STATES {
        if (state & state >> 6) & 63 == 0 && state.count_ones() <= 3 {
            bytes[state] = next;
            states[next as usize] = state as u16;
            next += 1;
        }
        state += 1;
    }
    assert!(next == 233);
    (bytes, states)
};
static BYTES: [u8; STATES] = TABLES.0;
static FILES: [u16; 256] = TABLES.1;

/// The pawns of one side on a file, second rank lowest.
///
/// PERF: six bits, eight apart, come together in one multiplication; no two of its sums meet.
#[inline(always)]
const fn on_file(pawns: u64, file: usize) -> usize {
    const GATHER: u64 = 1 << 42 | 1 << 35 | 1 << 28 | 1 << 21 | 1 << 14 | 1 << 7;
    let apart = pawns >> (8 + file) & 0x0000_0101_0101_0101;
    (apart.wrapping_mul(GATHER) >> 42 & 63) as usize
}

/// A structure while it changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    files: u64,
    /// Files with more than three pawns.
    many: u32,
}

impl Key {
    /// The structure with these pawns.
    pub fn new(pawns: Pawns) -> Key {
        (0..8).fold(Key { files: 0, many: 0 }, |key, file| key.with(pawns, file))
    }

    /// The structure after the pawns of a file have changed.
    #[inline(always)]
    #[must_use]
    pub fn with(self, pawns: Pawns, file: usize) -> Key {
        let byte = BYTES[on_file(pawns[0], file) | on_file(pawns[1], file) << 6];
        let files = self.files & !(0xff << (8 * file)) | u64::from(byte) << (8 * file);
        Key { files, many: self.many & !(1 << file) | u32::from(byte == MANY) << file }
    }

    /// A word that no other structure has; none where a file has more than three pawns.
    #[inline(always)]
    pub fn word(self) -> Option<u64> {
        (self.many == 0).then(|| self.files.wrapping_mul(SPREAD))
    }
}

/// Odd, so that multiplying by it loses nothing.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Undoes it, modulo 2^64: each step doubles the bits that are right.
const UNDO: u64 = {
    let (mut inverse, mut step) = (SPREAD, 0);
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(SPREAD.wrapping_mul(inverse)));
        step += 1;
    }
    assert!(SPREAD.wrapping_mul(inverse) == 1);
    inverse
};

/// The pawns of a structure's word.
pub(super) fn pawns(word: u64) -> Pawns {
    let files = word.wrapping_mul(UNDO).to_le_bytes();
    let mut pawns = [0; 2];
    for (file, byte) in files.into_iter().enumerate() {
        let state = u64::from(FILES[usize::from(byte)]);
        for rank in 0..6 {
            pawns[0] |= (state >> rank & 1) << (8 * (rank + 1) + file as u64);
            pawns[1] |= (state >> (6 + rank) & 1) << (8 * (rank + 1) + file as u64);
        }
    }
    pawns
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_are_structures(squares in prop::collection::vec((8u32..56, any::<bool>()), 0..17)) {
            let mut board = [0u64; 2];
            for &(square, black) in &squares {
                if (board[0] | board[1]) >> square & 1 == 0 {
                    board[usize::from(black)] |= 1 << square;
                }
            }
            let crowded = (0..8).any(|file| (board[0] | board[1]) >> file & 0x0101_0101_0101_0101 != 0
                && ((board[0] | board[1]) >> file & 0x0101_0101_0101_0101).count_ones() > 3);
            let key = Key::new(board);
            prop_assert_eq!(key.word().is_none(), crowded);
            if let Some(word) = key.word() {
                prop_assert_eq!(pawns(word), board);
            }
            // One file after the other leads to the same key.
            let mut changed = Key::new([0; 2]);
            for file in 0..8 {
                changed = changed.with(board, file);
            }
            prop_assert_eq!(changed, key);
        }
    }
}
