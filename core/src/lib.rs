//! The engine of plyfold: position search as one pass over every ply of every game.
//!
//! `no_std` with `alloc`; no I/O, no threads of its own, no clocks. See ARCHITECTURE.md for the way through.
#![no_std]

extern crate alloc;

pub mod board;
pub mod corpus;
pub mod game;
pub mod headers;
pub mod index;
pub mod irreversible;
pub mod keys;
pub mod matsig;
pub mod moves;
pub mod notation;
pub mod pgn;
pub mod pmote;
pub mod query;
pub mod reduce;
pub mod scan;
pub mod table;
pub mod transform;
