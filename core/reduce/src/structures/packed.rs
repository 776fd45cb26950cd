//! Any pawn structure as one word, including files with more than three pawns.
//!
//! ```text
//! up to three pawns on each file   a byte per file, each below 233
//! else, up to sixteen pawns        233 << 56 plus: which squares, as a rank among all such choices, above 16 bits that say which of the
//!                                  pawns are Black's, a1 lowest
//! else                             255 << 56 plus 56 bits of a hash: only a custom start position has more than sixteen pawns
//! ```

use alloc::format;
use alloc::string::{String, ToString};

use shakmaty::{Bitboard, Board, ByColor, ByRole};

use super::key::{self, PawnBitboards};

/// Squares where pawns may stand, and the lowest of them.
const SQUARES: usize = 48;
const LOWEST_SQUARE: u32 = 8;
/// The most pawns whose squares are ranked.
const MAX_RANKED_PAWNS: usize = 16;
const RANKED: u64 = (key::BYTES_USED as u64) << 56;
const HASHED: u64 = 255 << 56;

/// For a number of squares and a number of pawns, the number of ways to place the pawns on the squares.
const BINOMIALS: [[u64; MAX_RANKED_PAWNS + 1]; SQUARES + 1] = {
    let mut binomials = [[0; MAX_RANKED_PAWNS + 1]; SQUARES + 1];
    let mut squares = 0;
    while squares <= SQUARES {
        binomials[squares][0] = 1;
        let mut chosen = 1;
        while chosen <= MAX_RANKED_PAWNS && squares > 0 {
            binomials[squares][chosen] = binomials[squares - 1][chosen - 1] + binomials[squares - 1][chosen];
            chosen += 1;
        }
        squares += 1;
    }
    binomials
};

/// The word of a structure that changes. No two structures have the same word, unless their hashes collide.
///
/// PERF: only the files that change are looked at.
pub(crate) struct PackedStructure {
    pawns: PawnBitboards,
    files: u64,
}

impl PackedStructure {
    /// A structure.
    pub fn new(pawns: PawnBitboards) -> PackedStructure {
        PackedStructure { pawns, files: key::encode_all(pawns) }
    }

    /// The word after the pawns have changed on one file or two.
    #[inline(always)]
    pub fn change_to(&mut self, pawns: PawnBitboards) -> u64 {
        let changed = (pawns[0] ^ self.pawns[0]) | (pawns[1] ^ self.pawns[1]);
        self.files = key::encode_changed(self.files, pawns, changed);
        self.pawns = pawns;
        self.word()
    }

    /// The word.
    #[inline(always)]
    pub fn word(&self) -> u64 {
        if key::is_crowded(self.files) { pack_crowded(self.pawns) } else { self.files }
    }
}

#[cold]
fn pack_crowded([white, black]: PawnBitboards) -> u64 {
    let occupied = (white | black) >> LOWEST_SQUARE;
    if occupied.count_ones() as usize > MAX_RANKED_PAWNS {
        // The steps of SplitMix64.
        let mixed =
            (white.wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31) ^ black).wrapping_mul(0x94d0_49bb_1331_11eb);
        return HASHED | (mixed ^ mixed >> 29) & !HASHED;
    }
    let (mut rank, mut colours) = (BINOMIALS[SQUARES][..occupied.count_ones() as usize].iter().sum::<u64>(), 0);
    for (index, square) in Bitboard(occupied).into_iter().map(usize::from).enumerate() {
        rank += BINOMIALS[square][index + 1];
        colours |= (black >> LOWEST_SQUARE >> square & 1) << index;
    }
    RANKED + (rank << MAX_RANKED_PAWNS | colours)
}

/// The pawns of a word; none if the word is a hash.
pub(crate) fn unpack(word: u64) -> Option<PawnBitboards> {
    if word < RANKED {
        return Some(key::decode_word(key::structure_word(word)));
    }
    if word >= HASHED {
        return None;
    }
    let (mut rank, colours) = ((word - RANKED) >> MAX_RANKED_PAWNS, word);
    let mut pawn_count = 0;
    while rank >= BINOMIALS[SQUARES][pawn_count] {
        rank -= BINOMIALS[SQUARES][pawn_count];
        pawn_count += 1;
    }
    let mut pawns = [0; 2];
    for index in (0..pawn_count).rev() {
        // The highest square whose binomial does not exceed the rank.
        let square = (0..SQUARES).rev().find(|&square| BINOMIALS[square][index + 1] <= rank).unwrap_or_default();
        rank -= BINOMIALS[square][index + 1];
        pawns[(colours >> index & 1) as usize] |= 1 << square << LOWEST_SQUARE;
    }
    Some(pawns)
}

/// A structure as the language writes it: the placement of a FEN with pawns alone.
pub(crate) fn placement_text(word: u64) -> String {
    match unpack(word) {
        Some(pawns) => placement(pawns),
        None => format!("more than {MAX_RANKED_PAWNS} pawns, {:014x}", word & !HASHED),
    }
}

/// The placement of a FEN with these pawns alone.
pub(super) fn placement(pawns: PawnBitboards) -> String {
    let [white, black] = pawns.map(Bitboard);
    let roles = ByRole { pawn: white | black, ..ByRole::default() };
    // No square has pawns of both sides.
    let board = Board::try_from_bitboards(roles, ByColor { white, black }).unwrap_or_else(|_| Board::empty());
    board.board_fen().to_string()
}

#[cfg(test)]
mod tests {
    use plyfold_board::board::ColorCode;
    use plyfold_board::irreversible::pawns::{KIND_MASK, changed_squares};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_are_structures(squares in prop::collection::vec((8u32..56, any::<bool>()), 0..24), on_one_file in 0u32..8) {
            let mut board = [0u64; 2];
            for (nth, &(square, black)) in squares.iter().enumerate() {
                // Several pawns stand on one file, so that it is crowded.
                let square = if nth < 6 { square & !7 | on_one_file } else { square };
                if (board[0] | board[1]) >> square & 1 == 0 {
                    board[usize::from(black)] |= 1 << square;
                }
            }
            let word = PackedStructure::new(board).word();
            match unpack(word) {
                Some(pawns) => prop_assert_eq!(pawns, board),
                None => prop_assert!((board[0] | board[1]).count_ones() as usize > MAX_RANKED_PAWNS && word >= HASHED),
            }
        }

        /// After each of any events, valid or not, the word is that of the squares, with crowded files and without.
        #[test]
        fn changed_words_are_those_of_the_squares(events in prop::collection::vec((0..=KIND_MASK, any::<bool>()), 0..200)) {
            let mut board = [0xff << 8, 0xff << 48];
            let mut structure = PackedStructure::new(board);
            for (event, black) in events {
                let changed = changed_squares(event, if black { ColorCode::BLACK } else { ColorCode::WHITE });
                let next = [board[0] ^ changed[0], board[1] ^ changed[1]];
                if next[0] & next[1] == 0 {
                    board = next;
                    prop_assert_eq!(structure.change_to(board), PackedStructure::new(board).word());
                }
            }
        }
    }

    #[test]
    fn structures_are_written_as_placements() {
        let pack = |pawns| PackedStructure::new(pawns).word();
        let usual = pack([0xff << 8, 0xff << 48]);
        assert_eq!(placement_text(usual), "8/pppppppp/8/8/8/8/PPPPPPPP/8");
        let file = 0x0001_0101_0101_0100;
        let crowded = pack([file & 0xffff_ffff, file & !0xffff_ffff]);
        assert!(crowded >= RANKED);
        assert_eq!(placement_text(crowded), "8/p7/p7/p7/P7/P7/P7/8");
        assert_eq!(placement_text(pack([0, 0])), "8/8/8/8/8/8/8/8");
        // The most pawns that can be ranked, on the last squares: the highest word of this form.
        let last = pack([0, 0xffff << 40]);
        assert!(last < HASHED && unpack(last) == Some([0, 0xffff << 40]));
        let many = pack([0x00ff_ffff_ffff_ff00, 0]);
        assert!(placement_text(many).starts_with("more than 16 pawns, "));
    }
}
