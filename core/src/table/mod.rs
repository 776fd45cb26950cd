//! Endgame tables: names of materials, where a position stands in a table, the file format, and probing.
//!
//! A *table* is one material and one winning side, turned so that the winner is White: `KRvKRB` says where a lone rook
//! beats rook and bishop. Distances are in moves of the winner: `won(N)` is White to move who mates in `N` moves,
//! `lost(N)` Black to move who is mated in `N`, so `lost(0)` is mate.

pub mod codec;
pub mod index;
pub mod layout;
pub mod material;
pub mod probe;
pub mod successors;
