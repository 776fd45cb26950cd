//! The position index: which games have a position, how they ended and how they went on, without a scan.
//!
//! A game *has* a position if it begins with it or reaches it after a ply. The index holds a pair (hash, game) for each position
//! that a game has, and knows two kinds of positions:
//!
//! - *few*: at most [`MAX_PAIRED_GAMES`](build::MAX_PAIRED_GAMES) games of a segment have it. Only the pairs are stored, with a few bits of the hash; a
//!   probe replays the games that may have it and sees for itself. That is most positions: a middlegame belongs to one game.
//! - *many*: the results, the next moves and the list of games are stored ready, under the whole hash.
//!
//! So each answer is decided by the whole 64-bit Zobrist hash that a [`Board`](crate::board::Board) keeps: placement, side to
//! move, castling rights and en passant where legal. Two positions of one hash are one to the index, as they are elsewhere
//! in this project.
//!
//! A *segment* is the index of consecutive games and knows nothing of the others; answers of segments are added up. New games
//! make new segments, and small ones are made anew together with them ([`plan`]). FORMAT.md beside this file describes every byte.

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
