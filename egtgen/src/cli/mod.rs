//! What the commands share: failures, options, and the progress of a generation.

pub mod arena;
pub mod disk_space;
pub mod failure;
pub mod fens;
pub mod generation_arguments;
pub mod peak;
pub mod progress;
pub mod size;
pub mod table_folder;
