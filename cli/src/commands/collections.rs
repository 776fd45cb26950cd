//! `plyfold collections`: manages named sets that remember their query and grow with their corpus.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_files::PrintablePath;
use plyfold_terminal::table::grouped;
use plyfold_terminal::{ReportFormat, output};
use serde::Serialize;

use super::RunArguments;
use crate::collections::{self, CollectionDefinition};
use crate::current_sets::{CollectionUpdate, CurrentSets};
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::MappedCorpus;
use crate::{read_in_passing, saved_sets, set_expression};

/// Manage sets that remember their query and grow when games are appended.
///
/// A collection is a named set (@name) stored with its query. After games are appended, only these are scanned: by
/// `plyfold import --append`, by `plyfold collections update`, or by the next command that uses the set.
#[derive(clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLE: &str = "\
Example:
  plyfold collections add games.plyfold @rook-endings 'endgame rook'
  plyfold import more.pgn -o games.plyfold --append
  plyfold query games.plyfold 'in @rook-endings and \"Carlsen*\"' --games 20";

#[derive(Subcommand)]
enum Command {
    /// Create a collection of the games that match a query, or change its query.
    Add {
        /// The corpus, or PGN as `plyfold query` reads it.
        corpus: PathBuf,
        /// Its name.
        #[arg(value_name = "@NAME")]
        name: String,
        /// The query that its games match.
        query: String,
        /// Search only the games of a set: a named set, or an expression of named sets.
        #[arg(long, value_name = "SET")]
        within: Option<String>,
        #[command(flatten)]
        run: RunArguments,
    },
    /// List the collections of a corpus.
    List {
        /// The corpus, or PGN as `plyfold query` reads it.
        corpus: PathBuf,
        /// Format of the list.
        #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
        format: ReportFormat,
    },
    /// Scan the games appended since the last update, for some collections or for all.
    Update {
        /// The corpus, or PGN as `plyfold query` reads it.
        corpus: PathBuf,
        /// The collection [default: all].
        #[arg(value_name = "@NAME")]
        names: Vec<String>,
        /// Scan all games again, for instance after a change of a set that the collection uses.
        #[arg(long)]
        whole: bool,
        #[command(flatten)]
        run: RunArguments,
    },
    /// Remove a collection.
    Remove {
        /// The corpus.
        corpus: PathBuf,
        /// The name of the collection.
        #[arg(value_name = "@NAME")]
        name: String,
    },
}

/// Runs the command.
///
/// # Errors
///
/// There is no such collection or corpus, a query has a mistake, or a file cannot be read or written.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::Add { corpus, name, query, within, run } => {
            let definition = CollectionDefinition { query: query.trim().to_owned(), within: within.clone() };
            let name = plain_name(name)?;
            // An expression may name files, which are not saved with the collection.
            if let Some(text) = within {
                let named = set_expression::names_in_expression(text)?;
                if let Some(file) = named.iter().find(|name| !name.starts_with('@')) {
                    let message = format!(
                        "a collection uses only named sets, but `{file}` is a file: save it under a name (plyfold sets -o @name)"
                    );
                    return Err(CliFailure::Usage(message));
                }
            }
            super::with_threads(run.threads, || {
                let opened = open_corpus(corpus)?;
                let opened = opened.corpus(CorpusCheck::WhenUsed)?;
                let updated = CurrentSets::new(corpus, &opened).add_collection(name, &definition)?;
                write_updates(&[updated], run.format)
            })
        }
        Command::List { corpus, format } => list(corpus, *format),
        Command::Update { corpus, names, whole, run } => super::with_threads(run.threads, || {
            let opened = open_corpus(corpus)?;
            let opened = opened.corpus(CorpusCheck::WhenUsed)?;
            let names: Vec<String> = match names.is_empty() {
                true => collections::collection_names(corpus)?,
                false => names.iter().map(|name| plain_name(name).map(str::to_owned)).collect::<Result<_>>()?,
            };
            let updated = names.iter().map(|name| {
                let updated = CurrentSets::new(corpus, &opened).update(name, *whole)?;
                updated.ok_or_else(|| CliFailure::Usage(format!("there is no collection @{name}")))
            });
            write_updates(&updated.collect::<Result<Vec<_>>>()?, run.format)
        }),
        Command::Remove { corpus, name } => collections::remove_collection(corpus, plain_name(name)?),
    }
}

/// Opens the corpus. If it is missing, the message lists the files that remain beside it.
fn open_corpus(corpus: &Path) -> Result<MappedCorpus> {
    let names = if corpus.exists() { Vec::new() } else { collections::collection_names(corpus)? };
    if names.is_empty() {
        return read_in_passing::open_one(corpus);
    }
    let (number, folder) = (names.len(), saved_sets::sets_folder(corpus));
    let what = format!(
        "is missing, but its {} still in {}: put the corpus back, or delete them",
        if number == 1 { "collection is".to_owned() } else { format!("{number} collections are") },
        PrintablePath(&folder)
    );
    Err(CliFailure::unsuitable(corpus, what))
}

/// The name without the `@`.
fn plain_name(name: &str) -> Result<&str> {
    let message = || CliFailure::Usage(format!("a collection has a name beside the corpus: write `@{name}`"));
    name.strip_prefix('@').ok_or_else(message)
}

fn write_updates(updated: &[CollectionUpdate], format: ReportFormat) -> Result<()> {
    output::report(format, &serde_json::json!({ "collections": updated }), |out| {
        for update in updated {
            let CollectionUpdate { name, .. } = update;
            let [games, scanned, new] = [update.games, update.scanned, update.new].map(grouped);
            match update.scanned {
                0 => writeln!(out, "{name}  {games} games, current")?,
                _ => writeln!(out, "{name}  {games} games, {new} of {scanned} scanned")?,
            }
        }
        Ok(())
    })
}

/// A collection in the list.
#[derive(Serialize)]
struct CollectionEntry {
    name: String,
    #[serde(flatten)]
    definition: Option<CollectionDefinition>,
    /// The number of games at its last update.
    games: Option<u64>,
    /// The number of games added to the corpus since then.
    behind: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
}

fn list(path: &Path, format: ReportFormat) -> Result<()> {
    let opened = open_corpus(path)?;
    let corpus = opened.corpus(CorpusCheck::WhenUsed)?;
    let now = saved_sets::corpus_stamp(&corpus);
    let listed = collections::collection_names(path)?.into_iter().map(|name| {
        let definition = collections::read_definition(path, &name);
        let state = saved_sets::set_path(path, &format!("@{name}")).and_then(|place| {
            let file = saved_sets::MappedSetFile::open(&place)?;
            let set = file.read_unbound()?;
            let behind = now.games.checked_sub(set.stamp.games).filter(|_| set.stamp.corpus == now.corpus);
            // If the set belongs to another corpus, the number of missing games is unknown.
            let behind = behind.map_or_else(|| file.read(now).map(|_| 0), Ok)?;
            Ok((set.into_game_set().count(), u64::from(behind)))
        });
        let trouble = definition.as_ref().err().map(ToString::to_string);
        let trouble = trouble.or_else(|| state.as_ref().err().map(ToString::to_string));
        let (games, behind) = state.ok().unzip();
        CollectionEntry { name: format!("@{name}"), definition: definition.ok().flatten(), games, behind, trouble }
    });
    let listed: Vec<CollectionEntry> = listed.collect();
    output::report(format, &serde_json::json!({ "collections": listed }), |out| {
        if listed.is_empty() {
            return Ok(writeln!(out, "there are no collections: `plyfold collections add` makes one")?);
        }
        for CollectionEntry { name, definition, games, behind, trouble } in &listed {
            let (query, within) = definition.as_ref().map_or(("", None), |one| (&*one.query, one.within.as_deref()));
            let within = within.map_or_else(String::new, |within| format!("  within {within}"));
            let state = match (games, behind, trouble) {
                (_, _, Some(trouble)) => trouble.clone(),
                (Some(games), Some(behind), _) if *behind > 0 => {
                    format!("{} games, {} games of the corpus not yet scanned", grouped(*games), grouped(*behind))
                }
                (games, ..) => format!("{} games", grouped(games.unwrap_or(0))),
            };
            writeln!(out, "{name}  {state}\n  {query}{within}")?;
        }
        Ok(())
    })
}
