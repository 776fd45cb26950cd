//! Runs the built program as a user does: command lines in; exit codes, results and tables out.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod damage;
mod estimate;
mod fleet;
mod forge;
mod generate;
mod interrupt;
mod list;
mod outputs;
mod pack;
mod plan;
mod probe;
mod program;
mod serve;
mod stats;
mod syzygy;
mod transform;
mod verify;
