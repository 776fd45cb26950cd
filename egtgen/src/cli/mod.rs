//! What the commands share: failures, interrupts, output, and options.

pub mod arena;
pub mod disk_space;
pub mod failure;
pub mod fens;
pub mod generation_arguments;
pub mod interrupt;
pub mod out;
pub mod peak;
pub mod progress;
pub mod size;
pub mod table;
pub mod table_folder;

use clap::ValueEnum;

/// Format of an output that is a text or JSON.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}
