#![doc = include_str!("../README.md")]

pub mod input;
pub mod interrupt;
pub mod output;
pub mod partial_output;
pub mod printable;
pub mod program;
pub mod progress;
pub mod style;
pub mod table;
pub mod threads;

pub use output::ReportFormat;
pub use program::{Failure, has_colours, run, run_advised, write_note};
