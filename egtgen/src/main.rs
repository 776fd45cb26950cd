//! `egtgen`: endgame tables in folders of this machine.
//!
//! This file is the list of commands. Each command is a file in `commands`; what they share is in `cli`. The library of the same
//! name does the work.

mod cli;
mod commands;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use cli::failure::EgtgenFailure;
use cli::interrupt;
use plyfold_files::{escape_control_lines, escape_controls};

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
    let Arguments { command } = Arguments::try_parse().unwrap_or_else(|error| exit_with_usage_error(&error));
    let outcome = interrupt::install().and_then(|()| match command {
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
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has read enough.
        Err(EgtgenFailure::BrokenPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            // A message can quote a file with its control characters. If it cannot be written, the exit code still reports the
            // failure.
            let _ = writeln!(std::io::stderr(), "egtgen: {}", escape_control_lines(&failure.to_string()));
            failure.exit_code()
        }
    }
}

/// Ends the program with clap's message: help, the version, or a mistake. The message quotes the command line, and control
/// characters in it must not reach the terminal.
fn exit_with_usage_error(error: &clap::Error) -> ! {
    let has_names = error.use_stderr()
        && std::env::args_os().any(|word| escape_controls(&word.to_string_lossy()) != word.to_string_lossy());
    if !has_names {
        error.exit();
    }
    let text = error.render().to_string();
    // If this cannot be written, the exit code still reports the failure.
    let _ = write!(std::io::stderr(), "{}", escape_control_lines(&text));
    std::process::exit(error.exit_code())
}
