//! `plyfold`: the engine on files of this machine.
//!
//! This file lists the commands; each has a file of its own in `commands`. The other modules are shared by the commands: they
//! open a corpus ([`mapped_corpus`]), write results ([`out`]), and make sure that no unfinished file remains
//! ([`partial_output`], [`interrupt`]).

mod appendable_corpus;
mod collections;
mod commands;
mod csv_table;
mod current_sets;
mod diagram;
mod endgame_tables;
mod failure;
mod game_row;
mod game_text;
mod index_file;
mod interrupt;
mod key_argument;
mod mapped_corpus;
mod out;
mod output_format;
mod partial_output;
mod positions;
mod progress;
mod query_argument;
mod report;
mod saved_sets;
mod set_expression;
mod shard_copies;
mod split_corpora;
mod table;
mod tables;
mod warning;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use plyfold_files::{escape_control_lines, escape_controls};

use commands::{
    collections as collection, compact, explain, export, import, index, info, keys, position, predicates, publish,
    query, scan, schema, serve, sets, show, signature, sql, upgrade,
};
use failure::CliFailure;

/// Search every position of every game.
///
/// Import PGN files into a corpus once; then search it as often as you like.
#[derive(Parser)]
#[command(version, propagate_version = true, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 success; 1 a problem with a file; 2 a mistake in the command line or in a query; 3 the import finished, \
but some games were refused; 130 interrupted.

Example:
  plyfold import games.pgn -o games.plyfold
  plyfold query games.plyfold 'queens_off and white bishop_pair' --games 20
  plyfold show games.plyfold 12 --query queens_off";

#[derive(Subcommand)]
enum Command {
    Import(import::Arguments),
    Index(index::Arguments),
    Info(info::Arguments),
    Query(Box<query::Arguments>),
    Scan(scan::Arguments),
    Sets(sets::Arguments),
    Collections(collection::Arguments),
    Position(position::Arguments),
    Show(show::Arguments),
    Explain(explain::Arguments),
    Export(Box<export::Arguments>),
    Predicates(predicates::Arguments),
    Keys(keys::Arguments),
    Schema(schema::Arguments),
    Signature(signature::Arguments),
    Sql(sql::Arguments),
    Upgrade(upgrade::Arguments),
    Compact(compact::Arguments),
    Publish(publish::Arguments),
    Serve(serve::Arguments),
}

fn main() -> ExitCode {
    let Arguments { command } = Arguments::try_parse().unwrap_or_else(|error| exit_with_usage_error(&error));
    let outcome = interrupt::install().and_then(|()| match command {
        Command::Import(arguments) => import::run(&arguments),
        Command::Index(arguments) => index::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Scan(arguments) => scan::run(&arguments),
        Command::Sets(arguments) => sets::run(&arguments),
        Command::Collections(arguments) => collection::run(&arguments),
        Command::Position(arguments) => position::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Predicates(arguments) => predicates::run(&arguments),
        Command::Keys(arguments) => keys::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Signature(arguments) => signature::run(&arguments),
        Command::Sql(arguments) => sql::run(&arguments),
        Command::Upgrade(arguments) => upgrade::run(&arguments),
        Command::Compact(arguments) => compact::run(&arguments),
        Command::Publish(arguments) => publish::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output has closed it.
        Err(CliFailure::BrokenPipe) => ExitCode::SUCCESS,
        Err(failure) => {
            // A library's message can quote a file unchanged. If the message cannot be written, the exit code still
            // tells.
            let _ = writeln!(std::io::stderr(), "plyfold: {}", escape_control_lines(&failure.to_string()));
            failure.exit_code()
        }
    }
}

/// Ends the program with clap's message: the help, the version, or a mistake. The message may quote what the user typed or
/// what a shell expanded, and that must not steer the terminal.
fn exit_with_usage_error(error: &clap::Error) -> ! {
    let has_names = error.use_stderr()
        && std::env::args_os().any(|word| escape_controls(&word.to_string_lossy()) != word.to_string_lossy());
    if !has_names {
        error.exit();
    }
    let text = error.render().to_string();
    // If even this cannot be written, the exit code still tells.
    let _ = write!(std::io::stderr(), "{}", escape_control_lines(&text));
    std::process::exit(error.exit_code())
}
