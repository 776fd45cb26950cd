//! `egtgen`: endgame tables in folders of this machine.
//!
//! This file is the list of commands. Each command is a file in `commands`; what they share is in `cli`. The library of the same
//! name does the work.

mod cli;
mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{estimate, generate, list, pack, plan, probe, serve, stats, transform, verify};

/// Exact endgame tables: the value of every position of a few men, and its distance to mate.
///
/// Generate tables into a folder once; then probe them as often as you like. `transform` transforms boards and needs no tables.
#[derive(Parser)]
#[command(version, propagate_version = true, after_help = MORE)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const MORE: &str = "\
A material is named by the pieces of both sides: KRBvKR, KRBKR and krbkr are the same.

Exit codes: 0 success; 1 a problem with a file, or differences found by verify; 2 a mistake in the command line or \
in a FEN; 130 interrupted.

Example:
  egtgen estimate KRBvKR
  egtgen generate KRBvKR --out tables
  egtgen verify KRBvKR --tables tables
  egtgen pack --tables tables --out packed
  egtgen probe '8/8/8/8/8/2k5/1R6/K7 w - - 0 1' --tables tables
  egtgen serve --tables tables";

#[derive(Subcommand)]
enum Command {
    Generate(generate::Arguments),
    Estimate(estimate::Arguments),
    Plan(plan::Arguments),
    Probe(probe::Arguments),
    Stats(stats::Arguments),
    Verify(verify::Arguments),
    Pack(pack::Arguments),
    List(list::Arguments),
    Serve(serve::Arguments),
    Transform(transform::Arguments),
}

fn main() -> ExitCode {
    cli::arena::use_one_arena();
    cli::arena::keep_freed_memory();
    plyfold_terminal::run("egtgen", |Arguments { command }| match command {
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Estimate(arguments) => estimate::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Probe(arguments) => probe::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Pack(arguments) => pack::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Transform(arguments) => transform::run(&arguments),
    })
}
