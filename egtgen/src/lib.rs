//! Exact endgame tables by leapfrog.

pub mod disk;
mod error;
pub mod estimate;
pub mod folder;
pub mod generate;
pub mod leapfrog;
pub mod make;
pub mod memory;
pub mod part;
pub mod plan;
pub mod pread;
pub mod prober;
pub mod stats;
pub mod step;
pub mod store;
pub mod verify;

pub use error::Error;
