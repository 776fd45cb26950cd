//! Exact endgame tables by leapfrog.

pub mod disk;
mod error;
pub mod estimate;
pub mod folder;
pub mod generation;
pub mod leapfrog;
pub mod memory_tables;
pub mod partial_table;
pub mod pawn_slice;
pub mod plan;
pub mod pread;
pub mod prober;
pub mod retrograde;
pub mod stats;
pub mod store;
pub mod verify;

pub use error::Error;
