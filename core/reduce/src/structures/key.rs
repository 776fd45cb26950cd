//! A pawn structure in 64 bits.
//!
//! In all but a few of a million structures, each file has at most three pawns, white and black together. Then one byte gives the
//! state of a file, one of 233, and eight bytes give the structure. An invertible multiplication spreads the bits.

use alloc::boxed::Box;
use alloc::vec;

use plyfold_board::board::ColorCode;
use plyfold_board::irreversible::pawns::{KIND_MASK, PawnEvent, changed_squares};

/// Pawns of White and of Black on ranks 2 to 7, a1 lowest.
pub(super) type PawnBitboards = [u64; 2];

/// The number of bytes for files with up to three pawns; they count from 0.
pub(super) const BYTES_USED: u8 = 233;
/// The byte of a file with more than three pawns.
const TOO_MANY_PAWNS: u8 = 255;
/// The number of states of a file: six bits for White's pawns, above them six for Black's.
const STATES: usize = 1 << 12;

/// The byte of each state, and the state of each byte.
const TABLES: ([u8; STATES], [u16; 256]) = {
    let (mut bytes, mut states) = ([TOO_MANY_PAWNS; STATES], [0; 256]);
    let (mut state, mut next) = (0, 0);
    while state < STATES {
        if (state & state >> 6) & 63 == 0 && state.count_ones() <= 3 {
            bytes[state] = next;
            states[next as usize] = state as u16;
            next += 1;
        }
        state += 1;
    }
    assert!(next == BYTES_USED);
    (bytes, states)
};
static BYTES: [u8; STATES] = TABLES.0;
static FILES: [u16; 256] = TABLES.1;

/// The pawns of one side on a file, second rank lowest.
///
/// PERF: one multiplication gathers the six bits, which are eight apart, without carries.
#[inline(always)]
const fn file_pawns(pawns: u64, file: usize) -> usize {
    const GATHER: u64 = 1 << 42 | 1 << 35 | 1 << 28 | 1 << 21 | 1 << 14 | 1 << 7;
    let apart = pawns >> (8 + file) & 0x0000_0101_0101_0101;
    (apart.wrapping_mul(GATHER) >> 42 & 63) as usize
}

/// The pawns of both sides on a file.
#[inline(always)]
const fn file_state(pawns: PawnBitboards, file: usize) -> usize {
    file_pawns(pawns[0], file) | file_pawns(pawns[1], file) << 6
}

/// The bytes of a structure's files; that of a file with more than three pawns is not used.
pub(super) fn encode_all(pawns: PawnBitboards) -> u64 {
    u64::from_le_bytes(core::array::from_fn(|file| BYTES[file_state(pawns, file)]))
}

/// The bytes of a structure's files; none if a file has more than three pawns.
pub(super) fn encode_files(pawns: PawnBitboards) -> Option<u64> {
    Some(encode_all(pawns)).filter(|&files| !is_crowded(files))
}

/// The bytes of a structure's files after pawns have changed on some squares of one or two files. A file with more than three pawns has
/// a byte that is not used.
#[inline(always)]
pub(super) fn encode_changed(files: u64, pawns: PawnBitboards, changed: u64) -> u64 {
    let halves = changed | changed >> 32;
    let quarters = halves | halves >> 16;
    let on_files = (quarters | quarters >> 8) & 0xff | 0x100;
    // PERF: no branch, since captures are unpredictable.
    let (first, last) = (on_files.trailing_zeros(), 63u32.wrapping_sub((on_files & 0xff).leading_zeros()));
    [first & 7, last & 7].into_iter().fold(files, |files, file| {
        let byte = BYTES[file_state(pawns, file as usize)];
        files & !(0xff << (8 * file)) | u64::from(byte) << (8 * file)
    })
}

/// Whether a file has more than three pawns.
#[inline(always)]
pub(super) const fn is_crowded(files: u64) -> bool {
    // A byte of ones is one of zeros in the complement.
    let zeros = !files;
    zeros.wrapping_sub(0x0101_0101_0101_0101) & !zeros & 0x8080_8080_8080_8080 != 0
}

/// A word that no other structure has, by the bytes of its files.
#[inline(always)]
pub(super) const fn structure_word(files: u64) -> u64 {
    files.wrapping_mul(SPREAD)
}

/// The most kinds of changes of a file's pawns.
const KINDS: usize = 128;

/// How events change the bytes of files.
///
/// PERF: the current byte of a file and the kind of change give the next byte by one look-up, so no bitboards are needed.
pub(super) struct FileTransitions {
    /// The changes on two files, for the mover's bit and [the kind](KIND_MASK) of an event. Each is a kind of change with the
    /// file's first bit in the word above it. If only one file changes, the second is an unused byte that stays the same.
    effects: Box<[[u16; 2]; 2048]>,
    /// The next byte, for a kind of change and a byte.
    next_byte: Box<[u8; KINDS * 256]>,
}

impl FileTransitions {
    /// Computes the tables.
    pub fn new() -> FileTransitions {
        let mut steps =
            FileTransitions { effects: Box::new([[0; 2]; 2048]), next_byte: Box::new([TOO_MANY_PAWNS; KINDS * 256]) };
        // A kind is a set of pawns that appear or vanish; kind 0 is no change.
        let mut kinds = vec![0];
        for (shape, on) in steps.effects.iter_mut().enumerate() {
            let changed = changed_squares(shape as u16 & KIND_MASK, ColorCode::from_bits((shape >> 10 << 3) as u8));
            let file = shape & 7;
            let aside = (0..8).find(|&other| other != file && file_state(changed, other) != 0);
            for (on, file) in on.iter_mut().zip([file, aside.unwrap_or(8 + file)]) {
                let pawns = if file < 8 { file_state(changed, file) } else { 0 };
                let kind = kinds.iter().position(|&kind| kind == pawns).unwrap_or_else(|| {
                    kinds.push(pawns);
                    kinds.len() - 1
                });
                *on = (file << 11 | kind) as u16;
            }
        }
        for (kind, pawns) in kinds.into_iter().enumerate() {
            for byte in 0..usize::from(BYTES_USED) {
                steps.next_byte[kind << 8 | byte] = BYTES[usize::from(FILES[byte]) ^ pawns];
            }
        }
        steps
    }

    /// Applies an event. Returns false, and changes nothing, if a file would have more than three pawns.
    #[inline(always)]
    pub fn apply(&self, key: &mut FileKey, event: PawnEvent, mover: ColorCode) -> bool {
        let on = self.effects[usize::from(event & KIND_MASK) | usize::from(mover.bits()) << 7];
        let (at, files) = (on.map(|on| u32::from(on >> 8)), on.map(|on| usize::from(on >> 11 & 15)));
        let old = files.map(|file| key.bytes[file]);
        let kinds = on.map(|on| usize::from(on & 127) << 8);
        let new = [0, 1].map(|side| self.next_byte[kinds[side] | usize::from(old[side])]);
        if new[0] == TOO_MANY_PAWNS || new[1] == TOO_MANY_PAWNS {
            return false;
        }
        (key.bytes[files[0]], key.bytes[files[1]]) = (new[0], new[1]);
        let [one, two] = [0, 1].map(|nth| u64::from(old[nth] ^ new[nth]).wrapping_shl(at[nth]));
        key.files ^= one ^ two;
        true
    }
}

/// A structure that follows events.
///
/// PERF: shifting a word, looking it up and shifting it back takes a dozen cycles for each event in a chain. The bytes in memory
/// are separate for each file, and the word only takes in the changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FileKey {
    /// One byte for each file.
    pub files: u64,
    /// The same bytes in memory, and eight unused ones that stay 0.
    bytes: [u8; 16],
}

impl FileKey {
    /// The structure with these files.
    #[inline(always)]
    pub fn new(files: u64) -> FileKey {
        FileKey { files, bytes: u128::from(files).to_le_bytes() }
    }
}

/// An odd factor, so that multiplying by it loses nothing.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// The inverse of [`SPREAD`] modulo 2^64; each step doubles the number of correct bits.
const SPREAD_INVERSE: u64 = {
    let (mut inverse, mut step) = (SPREAD, 0);
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(SPREAD.wrapping_mul(inverse)));
        step += 1;
    }
    assert!(SPREAD.wrapping_mul(inverse) == 1);
    inverse
};

/// The pawns of a structure's word.
pub(super) fn decode_word(word: u64) -> PawnBitboards {
    let files = word.wrapping_mul(SPREAD_INVERSE).to_le_bytes();
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
            let files = encode_files(board);
            prop_assert_eq!(files.is_none(), crowded);
            if let Some(files) = files {
                prop_assert_eq!(decode_word(structure_word(files)), board);
            }
        }

        /// After any events, valid or not, the bytes of the files agree with the bitboards.
        #[test]
        fn steps_are_changes(events in prop::collection::vec((0..=KIND_MASK, any::<bool>()), 0..60)) {
            let steps = FileTransitions::new();
            let mut board = [0xff << 8, 0xff << 48];
            let mut key = FileKey::new(encode_files(board).expect("few pawns"));
            for (event, black) in events {
                let mover = if black { ColorCode::BLACK } else { ColorCode::WHITE };
                let changed = changed_squares(event, mover);
                let next = [board[0] ^ changed[0], board[1] ^ changed[1]];
                let expected = encode_files(next);
                let before = key;
                prop_assert_eq!(steps.apply(&mut key, event, mover).then_some(key.files), expected);
                // A crowded board is not continued.
                board = if expected.is_some() { next } else { board };
                prop_assert_eq!(key, if let Some(files) = expected { FileKey::new(files) } else { before });
            }
        }
    }
}
