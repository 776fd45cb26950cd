//! The values of `--format` that several commands share.

use clap::ValueEnum;

/// How a command writes its report, where only these two make sense.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For reading.
    Text,
    /// For programs.
    Json,
}

/// How a command writes results that can also be a table.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum QueryFormat {
    Text,
    Json,
    Csv,
}
