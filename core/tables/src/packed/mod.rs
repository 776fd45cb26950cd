//! Packed tables: levels of positions as few bits, for probing from a file, from memory or over a network.
//!
//! A *unit* has the levels of the positions of 64 words of a table with White, the winner, to move: all squares of the lane and of the
//! black king. Levels of positions with Black to move follow by one ply. Units are read one by one; a *block* of a few has a checksum.
//!
//! [`geometry`] finds which places of a unit are positions, and what is attacked there; [`model`] foretells the level of each from its
//! neighbours and gives the difference as a symbol; `distributions` has how frequent each symbol is in this table, and `ans` turns
//! symbols into bytes, the expected ones into less than a bit. [`head`] says where everything is in the file, and [`tables`] answers
//! questions about positions without any I/O: it says which bytes it needs and is given them.

mod ans;
mod coder;
mod distributions;
pub mod geometry;
pub mod head;
pub mod model;
pub mod pack;
pub mod tables;
