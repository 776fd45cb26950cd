//! The position index: which games have a position, how they ended and how they went on, without a scan.
//!
//! A game *has* a position if it begins with it or reaches it after a ply. The index holds a pair (hash, game) for each position
//! that a game has, and knows two kinds of positions:
//!
//! - *rare*: at most [`MAX_PAIRED_GAMES`](build::MAX_PAIRED_GAMES) games of a segment have it. Only the pairs are stored, with a few
//!   bits of the hash; a probe replays the games that may have the position. Most positions are rare: a middlegame position usually
//!   occurs in one game.
//! - *frequent*: the results, the next moves and the list of games are stored under the whole hash.
//!
//! In both cases the whole 64-bit Zobrist hash of a [`Board`](plyfold_board::board::Board) decides; it covers placement, side to move,
//! castling rights, and en passant where legal. Two positions with the same hash are the same position for the index, as elsewhere in
//! this project.
//!
//! A *segment* is the index of consecutive games and does not depend on other segments; a probe adds up their results. New games get
//! new segments, and small segments before them are rebuilt together with them ([`plan`]). FORMAT.md beside this file describes every
//! byte.
#![no_std]

extern crate alloc;

pub mod build;
pub mod error;
pub mod fen;
mod gather;
mod id_list;
pub mod layout;
mod pairs;
pub mod plan;
pub mod position_match;
pub mod probe;
