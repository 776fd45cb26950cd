//! What one cycle does to words: moves of all men for 64 squares of the black king at once.
//!
//! No disk here, and no order of work: words in, words out.

pub mod black;
pub mod conversion;
pub mod geometry;
pub mod setwise_moves;
pub mod shape;
pub mod white;

/// A row: for each square of the lane man, the set of squares of the black king.
pub type BlackKingRow = [u64; 64];
