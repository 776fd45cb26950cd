//! The replay board: moves in 16 bits, material signatures, and the irreversible moves of a game.
//!
//! ```
//! use plyfold_board::board::Board;
//! assert_eq!(plyfold_board::matsig::MatSig::from_board(&Board::initial()), plyfold_board::matsig::MatSig::INITIAL);
//! ```
#![no_std]

extern crate alloc;

pub mod board;
pub mod irreversible;
pub mod matsig;
pub mod moves;
#[cfg(test)]
mod random_games;
