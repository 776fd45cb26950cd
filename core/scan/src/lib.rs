//! One pass over every ply of every game.
//!
//! [`scan`] has the pass and its stages, [`game`] a game as the pass reads it, [`headers`] the tests of what a game's header says,
//! and [`notation`] writes moves as people read them.
#![no_std]

extern crate alloc;

pub mod duplicates;
pub mod game;
pub mod headers;
pub mod notation;
pub mod scan;
pub mod sorted;
