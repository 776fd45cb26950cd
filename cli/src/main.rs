//! `plyfold`: the engine on files of this machine.
//!
//! This file lists the commands; each has a file of its own in `commands`. The other modules are shared by the commands: they
//! open a corpus ([`mapped_corpus`]), say what was found ([`result_tables`]) and why a command failed ([`failure`]).

mod advice;
mod aliases;
mod appendable_corpus;
mod bound_lines;
mod collections;
mod commands;
mod companions;
mod csv_table;
mod current_sets;
mod diagram;
mod endgame_tables;
mod failure;
mod game_order;
mod game_rewriter;
mod game_row;
mod game_text;
mod html_text;
mod import_account;
mod index_file;
mod key_argument;
mod mapped_corpus;
mod outputs;
mod pending_edits;
mod plain_words;
mod positions;
mod progress;
mod query_argument;
mod read_in_passing;
mod repertoire_lines;
mod report;
mod result_tables;
mod saved_sets;
mod set_expression;
mod shard_copies;
mod split_corpora;
mod tag_columns;
mod warning;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{
    collections as collection, compact, dedupe, edit, explain, export, import, index, info, keys, names, opening,
    player, position, predicates, publish, query, repertoire, scan, schema, serve, sets, show, signature, sql, tree,
    upgrade,
};

/// Search every position of every game.
///
/// Import PGN files into a corpus once; then search it as often as you like. A search also reads PGN files in passing.
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
  plyfold import games.pgn
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
    Opening(opening::Arguments),
    Player(player::Arguments),
    Predicates(predicates::Arguments),
    Keys(keys::Arguments),
    Names(names::Arguments),
    Repertoire(repertoire::Arguments),
    Schema(schema::Arguments),
    Signature(signature::Arguments),
    Sql(sql::Arguments),
    Tree(tree::Arguments),
    Upgrade(upgrade::Arguments),
    Compact(compact::Arguments),
    Dedupe(dedupe::Arguments),
    Edit(edit::Arguments),
    Publish(publish::Arguments),
    Serve(serve::Arguments),
}

fn main() -> ExitCode {
    if let Some(folder) = plyfold_terminal::program::cache_folder() {
        plyfold_library::remember_checks_in(folder);
    }
    plyfold_terminal::run_advised("plyfold", advice::advise, |Arguments { command }| match command {
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
        Command::Opening(arguments) => opening::run(&arguments),
        Command::Player(arguments) => player::run(&arguments),
        Command::Predicates(arguments) => predicates::run(&arguments),
        Command::Keys(arguments) => keys::run(&arguments),
        Command::Names(arguments) => names::run(&arguments),
        Command::Repertoire(arguments) => repertoire::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Signature(arguments) => signature::run(&arguments),
        Command::Sql(arguments) => sql::run(&arguments),
        Command::Tree(arguments) => tree::run(&arguments),
        Command::Upgrade(arguments) => upgrade::run(&arguments),
        Command::Compact(arguments) => compact::run(&arguments),
        Command::Dedupe(arguments) => dedupe::run(&arguments),
        Command::Edit(arguments) => edit::run(&arguments),
        Command::Publish(arguments) => publish::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
    })
}
