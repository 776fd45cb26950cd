//! What takes longest, half of it in runs of the program. `cargo xtask test` runs everything else meanwhile.

mod bounds;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod crash;
