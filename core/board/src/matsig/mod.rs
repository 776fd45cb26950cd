//! Material signatures (MatSig): the pawns and piece counts of a position, which change irreversibly, in two words.
//!
//! Pawns never retreat and captured pieces never return, so the signature of a position limits both the positions that can
//! follow and those that can have come before. A corpus keeps the signature of the last position of each game, and a scan tests
//! it first.
//!
//! There is a word for White and a word for Black, laid out alike:
//!
//! ```text
//! bit  0..48  pawns, a byte a rank from the second to the seventh, the a-file lowest; ranks as White counts, for both sides
//! bit 48..50  knights                    each number 0, 1, 2, or 3 for three or more
//! bit 50..52  bishops on light squares
//! bit 52..54  bishops on dark squares
//! bit 54..56  rooks
//! bit 56..58  queens
//! bit 58..64  steps of this side's pawns since the usual array: 0 unknown, 1–47 one more than the number, 48 for 47 or 48
//! ```
//!
//! A pawn bit is eight lower than the bit of its square on a bitboard, since no pawn stands on the first rank. The bits of White's
//! pawns in [`MatSig::INITIAL`] and those of Black's:
//!
//! ```
//! use plyfold_board::matsig::MatSig;
//! use shakmaty::{Bitboard, Color};
//! let pawns = MatSig::INITIAL.pawns(Color::White) | MatSig::INITIAL.pawns(Color::Black);
//! assert_eq!(pawns, (MatSig::INITIAL.white | MatSig::INITIAL.black) << 8 & !(0xff << 56));
//! assert_eq!(format!("\n{:?}", Bitboard(pawns)), "
//! . . . . . . . .
//! 1 1 1 1 1 1 1 1
//! . . . . . . . .
//! . . . . . . . .
//! . . . . . . . .
//! . . . . . . . .
//! 1 1 1 1 1 1 1 1
//! . . . . . . . .
//! ");
//! ```
//!
//! A step is a rank: a double step counts two, a capture and a promotion one. Kings and the side to move are not part of a
//! signature. [`MatSig::from_board`] sees a single position, so it knows the steps only if all eight pawns stand; a
//! [`SignatureTracker`](tracker::SignatureTracker) follows a game and always knows them. A query has no history: compare games
//! with [`MatSig::from_board`] of its position, or transpositions by other pawn moves would not be found.

mod pawn_matching;
pub mod reach;
mod side_word;
pub mod target;
pub mod tracker;
mod vanished_pawns;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use bytemuck::{Pod, Zeroable};
use shakmaty::{Bitboard, Color, Role, Setup, Square};
use thiserror::Error;

use crate::board::{Board, ByPiece, ColorCode, PieceCode};

/// The material signature of a position, see the [module](self) for its bits.
///
/// ```
/// use plyfold_board::board::Board;
/// use plyfold_board::matsig::{MatSig, SignaturePiece};
/// use shakmaty::Color;
/// let signature = MatSig::from_board(&Board::initial());
/// assert_eq!(signature.to_string(), "05960000000000ff 0596ff0000000000");
/// assert_eq!(signature.pawns(Color::Black), 0x00ff_0000_0000_0000);
/// assert_eq!(signature.count(Color::White, SignaturePiece::LightBishop), 1);
/// assert_eq!(signature.steps(Color::White), Some(0..=0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct MatSig {
    /// White's pawns, numbers and steps.
    pub white: u64,
    /// Black's.
    pub black: u64,
}

/// The kinds of pieces that a signature counts, in the order of its bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SignaturePiece {
    /// Knights.
    Knight,
    /// Bishops on light squares.
    LightBishop,
    /// Bishops on dark squares.
    DarkBishop,
    /// Rooks.
    Rook,
    /// Queens.
    Queen,
}

impl SignaturePiece {
    /// All kinds, in the order of their bits.
    pub const ALL: [SignaturePiece; 5] = [
        SignaturePiece::Knight,
        SignaturePiece::LightBishop,
        SignaturePiece::DarkBishop,
        SignaturePiece::Rook,
        SignaturePiece::Queen,
    ];

    /// The kind of a piece of `role` on `square` (0–63); none for pawns and kings.
    pub(crate) const fn from_role(role: Role, square: usize) -> Option<SignaturePiece> {
        match role {
            Role::Knight => Some(SignaturePiece::Knight),
            Role::Bishop if LIGHT_SQUARES >> (square & 63) & 1 != 0 => Some(SignaturePiece::LightBishop),
            Role::Bishop => Some(SignaturePiece::DarkBishop),
            Role::Rook => Some(SignaturePiece::Rook),
            Role::Queen => Some(SignaturePiece::Queen),
            Role::Pawn | Role::King => None,
        }
    }
}

/// The light squares.
const LIGHT_SQUARES: u64 = 0x55aa_55aa_55aa_55aa;
/// Bits of a word that hold pawns.
const PAWN_BITS: u64 = (1 << COUNTS_SHIFT) - 1;
/// The lowest bit of the counts.
const COUNTS_SHIFT: u32 = 48;
/// The lowest bit of the steps.
const STEPS_SHIFT: u32 = 58;
/// The code of the steps that means 47 or 48.
const MAX_STEPS_CODE: u64 = 48;

/// The word of one side: its pawns as a bitboard, its counts by [`SignaturePiece`], its steps if they are known.
fn pack_side(pawns: u64, counts: [u8; 5], steps: Option<u8>) -> u64 {
    let counts = counts.iter().rev().fold(0, |word, &count| word << 2 | u64::from(count.min(3)));
    // Eight pawns make at most 48 steps; a larger number is not the count of a game.
    let steps = match steps {
        Some(steps @ 0..=48) => (u64::from(steps) + 1).min(MAX_STEPS_CODE),
        _ => 0,
    };
    pawns >> 8 & PAWN_BITS | counts << COUNTS_SHIFT | steps << STEPS_SHIFT
}

/// Steps that pawns on these squares (a board's bitboard) have made from their home rank.
fn pawn_steps(pawns: u64, colour: Color) -> u8 {
    let steps: u32 = (0..6).map(|rank| rank * (pawns >> (8 * (rank + 1)) & 0xff).count_ones()).sum();
    match colour {
        Color::White => steps as u8,
        Color::Black => (5 * (pawns >> 8 & PAWN_BITS).count_ones() - steps) as u8,
    }
}

/// The steps, if a single position shows them: only while all eight pawns stand do their squares show all steps.
fn steps_without_history(pawns: u64, colour: Color) -> Option<u8> {
    (pawns.count_ones() == 8).then(|| pawn_steps(pawns, colour))
}

/// The pawns and counts of each side on a mailbox, White's first. Pawns are bitboards without the first and last rank, counts are
/// by [`SignaturePiece`].
fn count_pieces(mailbox: &[PieceCode; 64]) -> ([u64; 2], [[u8; 5]; 2]) {
    let (mut pawns, mut counts) = ([0; 2], [[0; 5]; 2]);
    for (square, &code) in mailbox.iter().enumerate() {
        let side = code.side().index();
        match code.role() {
            Some(Role::Pawn) => pawns[side] |= 1 << square,
            Some(role) => {
                if let Some(kind) = SignaturePiece::from_role(role, square) {
                    counts[side][kind as usize] += 1;
                }
            }
            None => {}
        }
    }
    (pawns.map(|pawns| pawns & PAWN_BITS << 8), counts)
}

impl MatSig {
    /// The signature of the initial position.
    pub const INITIAL: MatSig = MatSig { white: 0x0596_0000_0000_00ff, black: 0x0596_ff00_0000_0000 };

    /// The signature of a position without its history: steps are known only if eight pawns stand. Only the mailbox of the board is
    /// used; pawns on the first and last rank are ignored.
    pub fn from_board(board: &Board) -> MatSig {
        MatSig::of_mailbox(board, steps_without_history)
    }

    /// The signature of a board, of which only the mailbox is used, with the steps of a colour and its pawns.
    fn of_mailbox(board: &Board, steps: impl Fn(u64, Color) -> Option<u8>) -> MatSig {
        let ([white, black], counts) = count_pieces(&board.mailbox);
        MatSig {
            white: pack_side(white, counts[0], steps(white, Color::White)),
            black: pack_side(black, counts[1], steps(black, Color::Black)),
        }
    }

    /// The signature with these pawns, these counts by [`SignaturePiece`] and these steps, White's first; `None` for unknown steps.
    pub fn from_parts(pawns: [u64; 2], counts: [[u8; 5]; 2], steps: [Option<u32>; 2]) -> MatSig {
        let steps = steps.map(|steps| steps.and_then(|steps| u8::try_from(steps).ok()));
        MatSig { white: pack_side(pawns[0], counts[0], steps[0]), black: pack_side(pawns[1], counts[1], steps[1]) }
    }

    /// The signature of the position of a FEN, which may break every rule: it may have any number of kings and other pieces.
    ///
    /// # Errors
    ///
    /// A pawn on the first or last rank, or a pocket: a signature has no place for them.
    pub fn from_setup(setup: &Setup) -> Result<MatSig, MatSigError> {
        if let Some(pawn) = (setup.board.pawns() & Bitboard::BACKRANKS).first() {
            return Err(MatSigError::Pawn(pawn));
        }
        if setup.pockets.is_some() {
            return Err(MatSigError::Pocket);
        }
        let mut board = Board::initial();
        board.mailbox = [PieceCode::NONE; 64];
        for (square, piece) in &setup.board {
            board.mailbox[square as usize] = PieceCode::new(piece.color, piece.role);
        }
        Ok(MatSig::from_board(&board))
    }

    /// The word of `colour`.
    #[inline(always)]
    pub const fn side(&self, colour: Color) -> u64 {
        match colour {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }

    /// The pawns of `colour` as a bitboard.
    #[inline(always)]
    pub const fn pawns(&self, colour: Color) -> u64 {
        (self.side(colour) & PAWN_BITS) << 8
    }

    /// The number of pieces of this kind: 0, 1, 2, or 3 for three or more.
    #[inline(always)]
    pub const fn count(&self, colour: Color, kind: SignaturePiece) -> u8 {
        (self.side(colour) >> (COUNTS_SHIFT + 2 * kind as u32) & 3) as u8
    }

    /// The number of pieces of each code, as [`Board::piece_counts`] has them, with one king for each side. Codes 7 and 15 also
    /// count White's and Black's bishops on dark squares. None if a side has three or more pieces of a kind.
    pub fn piece_counts(&self) -> Option<ByPiece<u8>> {
        let mut counts = [0; 16];
        for colour in [Color::White, Color::Black] {
            let offset = ColorCode::new(colour).index() * 8;
            let kinds = SignaturePiece::ALL.map(|kind| self.count(colour, kind));
            if kinds.contains(&3) {
                return None;
            }
            let [knights, light, dark, rooks, queens] = kinds;
            let pawns = self.pawns(colour).count_ones() as u8;
            counts[offset..offset + 8].copy_from_slice(&[0, pawns, knights, light + dark, rooks, queens, 1, dark]);
        }
        Some(ByPiece::new(counts))
    }

    /// Returns how many steps the pawns of `colour` have made, including those that are gone; none if it is unknown.
    pub const fn steps(&self, colour: Color) -> Option<RangeInclusive<u8>> {
        match self.side(colour) >> STEPS_SHIFT {
            code @ 1..MAX_STEPS_CODE => Some(code as u8 - 1..=code as u8 - 1),
            MAX_STEPS_CODE => Some(47..=48),
            _ => None,
        }
    }

    /// The signature of the position without its history: steps are known only if eight pawns stand.
    pub fn without_history(&self) -> MatSig {
        let forget = |colour| {
            let code = steps_without_history(self.pawns(colour), colour).map_or(0, |steps| u64::from(steps) + 1);
            self.side(colour) & ((1 << STEPS_SHIFT) - 1) | code << STEPS_SHIFT
        };
        MatSig { white: forget(Color::White), black: forget(Color::Black) }
    }

    /// The signature of the position as the other side sees it: colours and ranks are swapped.
    pub const fn flipped(&self) -> MatSig {
        const fn flip(word: u64) -> u64 {
            (word & PAWN_BITS).swap_bytes() >> 16 | swap_bishop_colors(word)
        }
        MatSig { white: flip(self.black), black: flip(self.white) }
    }

    /// The signature of the mirrored position: the a-file becomes the h-file.
    pub const fn mirrored(&self) -> MatSig {
        const fn mirror(word: u64) -> u64 {
            (word & PAWN_BITS).reverse_bits().swap_bytes() | swap_bishop_colors(word)
        }
        MatSig { white: mirror(self.white), black: mirror(self.black) }
    }
}

/// The counts and steps of a word, with light and dark bishops swapped.
const fn swap_bishop_colors(word: u64) -> u64 {
    const LIGHT_BISHOPS: u64 = 3 << 50;
    const DARK_BISHOPS: u64 = 3 << 52;
    word & !(PAWN_BITS | LIGHT_BISHOPS | DARK_BISHOPS) | (word & LIGHT_BISHOPS) << 2 | (word & DARK_BISHOPS) >> 2
}

impl fmt::Display for MatSig {
    /// Two words of sixteen hexadecimal digits, White's first.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x} {:016x}", self.white, self.black)
    }
}

/// Why a position has no signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum MatSigError {
    /// A pawn on the first or last rank.
    #[error("a pawn stands on {0}, on the first or last rank")]
    Pawn(Square),
    /// The position has pieces in hand.
    #[error("a signature has no room for pieces in a pocket")]
    Pocket,
}

/// Why a text cannot be read as a signature.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum MatSigParseError {
    /// The text does not have two words.
    #[error("a signature has two words, White's and Black's, with a space or / between them; this has {0}")]
    WordCount(usize),
    /// A word that is not hexadecimal, or too long.
    #[error("{side}'s word of a signature is {word:?}: expected 1 to 16 hexadecimal digits")]
    Digits {
        /// Whose word.
        side: Color,
        /// Its first forty letters.
        word: String,
    },
}

impl FromStr for MatSig {
    type Err = MatSigParseError;

    /// Reads what [`Display`](fmt::Display) writes. More white space, a `/` between the words, capital letters and words without
    /// their leading zeros are valid too.
    ///
    /// # Errors
    ///
    /// The text does not have two words, or a word is not 1 to 16 hexadecimal digits.
    fn from_str(text: &str) -> Result<MatSig, MatSigParseError> {
        let words = text.split(|letter: char| letter.is_whitespace() || letter == '/');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let [white, black] = words[..] else { return Err(MatSigParseError::WordCount(words.len())) };
        let read = |side: Color, word: &str| {
            let hexadecimal = word.len() <= 16 && word.bytes().all(|letter| letter.is_ascii_hexdigit());
            u64::from_str_radix(word, 16)
                .ok()
                .filter(|_| hexadecimal)
                .ok_or_else(|| MatSigParseError::Digits { side, word: word.chars().take(40).collect() })
        };
        Ok(MatSig { white: read(Color::White, white)?, black: read(Color::Black, black)? })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::*;

    fn board(pieces: &[(Color, Role, usize)]) -> Board {
        let mut board = Board::initial();
        board.mailbox = [PieceCode::NONE; 64];
        for &(colour, role, square) in pieces {
            board.mailbox[square] = PieceCode::new(colour, role);
        }
        board
    }

    #[test]
    fn each_piece_has_its_bits() {
        let of = |role, square| MatSig::from_board(&board(&[(Color::White, role, square)])).white;
        for square in 8..56 {
            assert_eq!(of(Role::Pawn, square), 1 << (square - 8));
        }
        assert_eq!(of(Role::Knight, 0), 1 << 48);
        // a1 is dark, b1 is light.
        assert_eq!(of(Role::Bishop, 1), 1 << 50);
        assert_eq!(of(Role::Bishop, 0), 1 << 52);
        assert_eq!(of(Role::Rook, 0), 1 << 54);
        assert_eq!(of(Role::Queen, 0), 1 << 56);
        assert_eq!(of(Role::King, 0), 0);
        assert_eq!(of(Role::Pawn, 3) | of(Role::Pawn, 60), 0, "no rank for them");
    }

    #[test]
    fn nonsense_pieces_count_as_nobody() {
        let mut nobody = board(&[]);
        [nobody.mailbox[20], nobody.mailbox[21], nobody.mailbox[22]] = [7, 8, 15].map(PieceCode::from_bits);
        assert_eq!(MatSig::from_board(&nobody), MatSig::default());
    }

    #[test]
    fn steps_have_a_code_for_each_number() {
        for (code, steps) in
            [(0, None), (1, Some(0..=0)), (47, Some(46..=46)), (48, Some(47..=48)), (49, None), (63, None)]
        {
            assert_eq!(MatSig { white: 0, black: code << STEPS_SHIFT }.steps(Color::Black), steps);
        }
        let written = |steps| pack_side(0, [0; 5], steps) >> STEPS_SHIFT;
        assert_eq!([None, Some(0), Some(46), Some(47), Some(48), Some(49)].map(written), [0, 1, 47, 48, 48, 0]);
    }

    #[test]
    fn what_is_no_signature_is_refused() {
        for text in ["", "0", "0 0 0", "0/0/0", "0 g", "0 00000000000000000", "+1 0", "0x1 0", "é 0"] {
            assert!(text.parse::<MatSig>().is_err(), "{text:?}");
        }
        assert_eq!(
            "1 -2".parse::<MatSig>().expect_err("a minus").to_string(),
            "black's word of a signature is \"-2\": expected 1 to 16 hexadecimal digits"
        );
        assert_eq!(" FF/\t1\n".parse(), Ok(MatSig { white: 255, black: 1 }));
    }

    proptest! {
        #[test]
        fn text_comes_back(white: u64, black: u64) {
            let signature = MatSig { white, black };
            prop_assert_eq!(signature.to_string().parse(), Ok(signature));
        }

        #[test]
        fn turning_twice_is_nothing(white: u64, black: u64) {
            let signature = MatSig { white, black };
            prop_assert_eq!(signature.flipped().flipped(), signature);
            prop_assert_eq!(signature.mirrored().mirrored(), signature);
        }

        /// Flipped and mirrored signatures are those of the flipped and mirrored boards.
        #[test]
        fn turned_boards_have_turned_signatures(pieces in prop::collection::vec((any::<bool>(), 1u8..7, 0usize..64), 0..40)) {
            let signature_of = |turn: fn(Color, usize) -> (Color, usize)| {
                let mut board = board(&[]);
                for &(white, role, square) in &pieces {
                    let (colour, square) = turn(Color::from_white(white), square);
                    board.mailbox[square] = PieceCode::new(colour, Role::ALL[usize::from(role) - 1]);
                }
                MatSig::from_board(&board)
            };
            let signature = signature_of(|colour, square| (colour, square));
            prop_assert_eq!(signature.flipped(), signature_of(|colour, square| (!colour, square ^ 56)));
            prop_assert_eq!(signature.mirrored(), signature_of(|colour, square| (colour, square ^ 7)));
            prop_assert_eq!(signature.without_history(), signature);
        }
    }
}
