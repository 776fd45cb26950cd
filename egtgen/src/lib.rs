//! Exact endgame tables by leapfrog.

mod code;
mod error;
pub mod generate;
pub mod leapfrog;
pub mod make;
pub mod memory;
pub mod plan;
pub mod step;
pub mod store;

pub use error::Error;
