//! Levels of positions as few bits: what is known of a position's neighbours and of its attacks foretells most of its level.
//!
//! A *unit* has the levels of the positions of 64 words of a table with White, the winner, to move: all squares of the lane and of the
//! black king. Units are read one by one. [`geometry`] finds which of their places are positions, and what is attacked there;
//! [`model`] asks questions about the level of each until it is known; [`probabilities`] has how probable each answer is in this table,
//! and [`coder`] writes the answers, the expected ones in less than a bit.

pub mod coder;
pub mod geometry;
pub mod model;
pub mod probabilities;
