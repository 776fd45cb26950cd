//! Any pawn structure as one word, files with more than three pawns and all.
//!
//! ```text
//! up to three pawns on each file   a byte a file, each below 233
//! else, up to sixteen pawns        233 << 56, and there to added: which squares, by rank among all such choices, above 16 bits of which
//!                                  of the pawns are Black's, a1 lowest
//! else                             255 << 56, and 56 bits of a hash: only a start of the game's own has so many pawns
//! ```

use alloc::format;
use alloc::string::String;

use super::key::{self, Pawns};

/// Squares where pawns may stand, and the lowest of them.
const SQUARES: usize = 48;
const LOWEST: u32 = 8;
/// Most pawns of which the squares are ranked.
const MOST: usize = 16;
const RANKED: u64 = (key::BYTES_USED as u64) << 56;
const HASHED: u64 = 255 << 56;

/// By squares and men: in how many ways so many men stand on so many squares.
const WAYS: [[u64; MOST + 1]; SQUARES + 1] = {
    let mut ways = [[0; MOST + 1]; SQUARES + 1];
    let mut squares = 0;
    while squares <= SQUARES {
        ways[squares][0] = 1;
        let mut men = 1;
        while men <= MOST && squares > 0 {
            ways[squares][men] = ways[squares - 1][men - 1] + ways[squares - 1][men];
            men += 1;
        }
        squares += 1;
    }
    ways
};

/// The word of a structure; no two have the same, but for hashes that meet.
#[inline]
pub(in crate::reduce) fn word(pawns: Pawns) -> u64 {
    key::files(pawns).unwrap_or_else(|| crowded(pawns))
}

#[cold]
fn crowded([white, black]: Pawns) -> u64 {
    let all = (white | black) >> LOWEST;
    if all.count_ones() as usize > MOST {
        // The steps of SplitMix64.
        let mixed =
            (white.wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31) ^ black).wrapping_mul(0x94d0_49bb_1331_11eb);
        return HASHED | (mixed ^ mixed >> 29) & !HASHED;
    }
    let (mut rank, mut colours) = (WAYS[SQUARES][..all.count_ones() as usize].iter().sum::<u64>(), 0);
    for (nth, square) in squares(all).enumerate() {
        rank += WAYS[square][nth + 1];
        colours |= (black >> LOWEST >> square & 1) << nth;
    }
    RANKED + (rank << MOST | colours)
}

/// The pawns of a word; none if it only is a hash.
pub(in crate::reduce) fn pawns(word: u64) -> Option<Pawns> {
    if word < RANKED {
        return Some(key::pawns(key::word(word)));
    }
    if word >= HASHED {
        return None;
    }
    let (mut rank, colours) = ((word - RANKED) >> MOST, word);
    let mut men = 0;
    while rank >= WAYS[SQUARES][men] {
        rank -= WAYS[SQUARES][men];
        men += 1;
    }
    let mut pawns = [0; 2];
    for nth in (0..men).rev() {
        // The highest square that does not say too much.
        let square = (0..SQUARES).rev().find(|&square| WAYS[square][nth + 1] <= rank).unwrap_or_default();
        rank -= WAYS[square][nth + 1];
        pawns[(colours >> nth & 1) as usize] |= 1 << square << LOWEST;
    }
    Some(pawns)
}

/// A structure as the language writes it: the placement of a FEN with pawns alone.
pub(in crate::reduce) fn written(word: u64) -> String {
    let Some([white, black]) = pawns(word) else {
        return format!("more than {MOST} pawns, {:014x}", word & !HASHED);
    };
    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut gap = b'0';
        for file in 0..8 {
            let square = 1u64 << (8 * rank + file);
            let letter = match (white & square != 0, black & square != 0) {
                (true, _) => 'P',
                (_, true) => 'p',
                _ => {
                    gap += 1;
                    continue;
                }
            };
            if gap > b'0' {
                text.push(char::from(core::mem::replace(&mut gap, b'0')));
            }
            text.push(letter);
        }
        if gap > b'0' {
            text.push(char::from(gap));
        }
        if rank > 0 {
            text.push('/');
        }
    }
    text
}

/// The squares of a set, ascending.
fn squares(mut set: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let square = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (square < 64).then_some(square)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_are_structures(squares in prop::collection::vec((8u32..56, any::<bool>()), 0..24), on_one_file in 0u32..8) {
            let mut board = [0u64; 2];
            for (nth, &(square, black)) in squares.iter().enumerate() {
                // Some on one file, so that it is crowded.
                let square = if nth < 6 { square & !7 | on_one_file } else { square };
                if (board[0] | board[1]) >> square & 1 == 0 {
                    board[usize::from(black)] |= 1 << square;
                }
            }
            let word = word(board);
            match pawns(word) {
                Some(pawns) => prop_assert_eq!(pawns, board),
                None => prop_assert!((board[0] | board[1]).count_ones() as usize > MOST && word >= HASHED),
            }
        }
    }

    #[test]
    fn structures_are_written_as_placements() {
        let usual = word([0xff << 8, 0xff << 48]);
        assert_eq!(written(usual), "8/pppppppp/8/8/8/8/PPPPPPPP/8");
        let file = 0x0001_0101_0101_0100;
        let crowded = word([file & 0xffff_ffff, file & !0xffff_ffff]);
        assert!(crowded >= RANKED);
        assert_eq!(written(crowded), "8/p7/p7/p7/P7/P7/P7/8");
        assert_eq!(written(word([0, 0])), "8/8/8/8/8/8/8/8");
        // As many as can be ranked, on the last squares: the highest word of its kind.
        let last = word([0, 0xffff << 40]);
        assert!(last < HASHED && pawns(last) == Some([0, 0xffff << 40]));
        let many = word([0x00ff_ffff_ffff_ff00, 0]);
        assert!(written(many).starts_with("more than 16 pawns, "));
    }
}
