//! One file a command.

pub mod estimate;
pub mod generate;
pub mod list;
pub mod probe;
pub mod stats;
pub mod verify;
