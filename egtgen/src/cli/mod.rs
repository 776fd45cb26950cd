//! What commands share: how they fail, how they are interrupted, where answers go, and what they read from their command
//! lines.

pub mod arena;
pub mod failure;
pub mod fens;
pub mod interrupt;
pub mod kept;
pub mod out;
pub mod peak;
pub mod progress;
pub mod size;
pub mod table;
pub mod wanted;

use clap::ValueEnum;

/// How an answer is written, where only these two make sense.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading.
    Text,
    /// For programs.
    Json,
}
