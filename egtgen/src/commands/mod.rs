//! One file for each command, and [`known_position`], which two of them share.

pub mod estimate;
pub mod generate;
mod known_position;
pub mod list;
pub mod pack;
pub mod plan;
pub mod probe;
pub mod serve;
pub mod stats;
pub mod transform;
pub mod verify;
