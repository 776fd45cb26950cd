//! The retrograde steps of one cycle: moves of all pieces, for 64 squares of the black king at once.
//!
//! These are plain functions from words to words, without files and without an order of work.
//!
//! A *word* is a set of positions that differ only in the square of the black king, one bit for each square: bit 0 is a1,
//! bit 7 is h1, bit 63 is h8. With the white king on c3, a white rook on f6 and White to move, these are the legal positions:
//!
//! ```text
//!   8   1 1 1 1 1 0 1 1     bits 56 to 63
//!   7   1 1 1 1 1 0 1 1
//!   6   0 0 0 0 0 R 0 0     a 0 marks a square where the black king
//!   5   1 1 1 1 1 0 1 1     would be in check, or on another piece
//!   4   1 0 0 0 1 0 1 1
//!   3   1 0 K 0 1 0 1 1
//!   2   1 0 0 0 1 0 1 1
//!   1   1 1 1 1 1 0 1 1     bits 0 to 7
//!       a b c d e f g h
//! ```
//!
//! A *row* has 64 such words, one for each square of the innermost piece (here the rook, if there is no other).
//! A *chunk* has the rows for all squares of the inner pieces; the white king and the outer pieces stand still in it.

pub mod black;
pub mod conversion;
pub mod geometry;
pub mod layout;
pub mod newly_lost;
pub mod pawn_step;
pub mod result_lists;
pub mod setwise_moves;
pub mod shape;
pub mod white;

/// A row: for each square of the innermost piece, a set of squares of the black king.
pub type BlackKingRow = [u64; 64];
