//! One file for each command.

pub mod estimate;
pub mod generate;
pub mod list;
pub mod pack;
pub mod probe;
pub mod serve;
pub mod stats;
pub mod transform;
pub mod verify;
