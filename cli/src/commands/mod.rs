//! The commands, one file each, and how several of them read their options.

pub mod collections;
pub mod compact;
pub mod dedupe;
pub mod edit;
pub mod explain;
pub mod export;
pub mod import;
pub mod index;
pub mod info;
pub mod keys;
pub mod names;
pub mod opening;
pub mod player;
pub mod position;
pub mod predicates;
pub mod publish;
pub mod query;
pub mod repertoire;
pub mod scan;
pub mod schema;
pub mod serve;
pub mod sets;
pub mod show;
pub mod signature;
pub mod sql;
pub mod tree;
pub mod upgrade;

use clap::ValueEnum;
use plyfold_terminal::ReportFormat;
use plyfold_terminal::threads::{parse_threads, thread_pool};

use crate::failure::{CliFailure, Result};

/// How a command writes results that can also be a table.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum QueryFormat {
    Text,
    Json,
    Csv,
}

/// The threads of a command, and how it reports what it did.
#[derive(clap::Args)]
struct RunArguments {
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// Runs `work` with that many threads, or with one per core.
fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    thread_pool::<CliFailure>(threads)?.install(work)
}
