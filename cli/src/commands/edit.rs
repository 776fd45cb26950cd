//! `plyfold edit`: writes a corpus anew with changed tags and results, and without games that are deleted.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader};
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::pgn::{TagEdit, edit_tags, is_tag_name};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_terminal::output;
use plyfold_terminal::table::grouped;
use serde::Serialize;

use super::RunArguments;
use crate::aliases::AliasArgument;
use crate::appendable_corpus::AppendableCorpus;
use crate::current_sets::CurrentSets;
use crate::failure::{CliFailure, Result};
use crate::game_numbers::GameNumberRanges;
use crate::game_rewriter::changed;
use crate::mapped_corpus::{self, LibraryArgument};
use crate::plain_words::GivenQuery;
use crate::progress::ScanProgress;
use crate::query_argument::CommandQuery;
use crate::{set_expression, shard_copies};

/// Write a corpus with changed games.
///
/// The changes are made in the games that match --query, are in the list of --games and are in the set of --within, alone or together; without
/// any of these, in all games. All other games, and all other bytes of these, stay. The corpus itself is never changed: the games are written
/// to another file.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("changes").required(true).multiple(true).args(["set", "rename", "remove", "delete"])))]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// Change the games that match a query.
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// Change games by number, from 1: `1,5-9,100-`.
    #[arg(long, value_name = "LIST")]
    games: Option<GameNumberRanges>,
    /// Change the games of a set: a file, a named set (@name), or an expression as in `plyfold sets`.
    #[arg(long, value_name = "SET")]
    within: Option<String>,
    /// Give a tag a value, or add it. `Result=1-0` also changes the result that ends the moves. May be repeated, as all changes may.
    #[arg(long, value_name = "TAG=VALUE")]
    set: Vec<TagValue>,
    /// Give a tag another name, where the game has none of this name. Tags are renamed first, then removed, then set.
    #[arg(long, value_name = "TAG=NAME")]
    rename: Vec<TagRename>,
    /// Remove a tag.
    #[arg(long, value_name = "TAG", value_parser = read_tag_name)]
    remove: Vec<String>,
    /// Delete the games.
    #[arg(long, conflicts_with_all = ["set", "rename", "remove"])]
    delete: bool,
    #[command(flatten)]
    aliases: AliasArgument,
    /// The corpus to write.
    #[arg(long, short, value_name = "NEW.plyfold")]
    output: PathBuf,
    /// Replace an existing file.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    run: RunArguments,
}

const EXAMPLES: &str = "\
Example:
  plyfold edit games.plyfold --query 'event \"Wijk*\" and year 1999' --set 'Event=Hoogovens' --set Site=Wijk -o new.plyfold
  plyfold edit games.plyfold --games 17 --set Result=1/2-1/2 -o new.plyfold
  plyfold edit games.plyfold --remove Annotator --rename WhiteTeam=TeamWhite -o new.plyfold
  plyfold edit games.plyfold --query 'plies < 10' --delete -o new.plyfold";

/// `TAG=VALUE`.
#[derive(Clone, Debug)]
struct TagValue {
    name: String,
    value: String,
}

/// `TAG=NAME`.
#[derive(Clone, Debug)]
struct TagRename {
    name: String,
    to: String,
}

/// The name of a tag that may be changed.
fn read_tag_name(name: &str) -> Result<String, String> {
    /// Tags without which the moves are others.
    const OF_THE_MOVES: [&str; 3] = ["fen", "setup", "variant"];
    if !is_tag_name(name) {
        return Err(format!("`{name}` is no name of a tag: it has letters, digits and _ alone"));
    }
    match OF_THE_MOVES.contains(&&*name.to_lowercase()) {
        true => Err(format!("the tag {name} says what the moves mean, so it cannot be changed")),
        false => Ok(name.into()),
    }
}

impl FromStr for TagValue {
    type Err = String;

    fn from_str(text: &str) -> Result<TagValue, String> {
        let (name, value) = text.split_once('=').ok_or("write the tag and its value: Event=Hastings")?;
        let name = read_tag_name(name)?;
        if name.eq_ignore_ascii_case("Result") && !["1-0", "0-1", "1/2-1/2", "*"].contains(&value) {
            return Err(format!("`{value}` is no result: write 1-0, 0-1, 1/2-1/2 or *"));
        }
        Ok(TagValue { name, value: value.into() })
    }
}

impl FromStr for TagRename {
    type Err = String;

    fn from_str(text: &str) -> Result<TagRename, String> {
        let (name, to) = text.split_once('=').ok_or("write the tag and its new name: WhiteTeam=TeamWhite")?;
        Ok(TagRename { name: read_tag_name(name)?, to: read_tag_name(to)? })
    }
}

/// The result of the command, and the object in JSON.
#[derive(Serialize)]
struct EditReport {
    output: String,
    /// Games of the new corpus.
    games: u64,
    /// Games that were selected.
    selected: u64,
    /// Of these, games that are other than before.
    changed: u64,
    deleted: u64,
}

/// Runs the command.
///
/// # Errors
///
/// The query has a mistake, no game is selected, the corpus cannot be read, or the new one cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let prepare = |query: CommandQuery| -> Result<CommandQuery> {
        outputs(arguments, &query).check()?;
        Ok(query)
    };
    let given = GivenQuery::new(arguments.query.as_deref().unwrap_or(""))?.prepared(prepare)?;
    let report = super::with_threads(arguments.run.threads, || {
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus(&opened, CorpusCheck::WithoutTexts)?;
        let mut command_query = given.read_aloud(&corpus, prepare)?;
        arguments.aliases.read()?.bind(&mut command_query.query);
        CurrentSets::new(&arguments.library.path, &corpus).bind(&mut command_query)?;
        let selected = selected_games(arguments, &corpus, &command_query)?;
        edit(arguments, &corpus, &selected)
    })?;
    output::report(arguments.run.format, &report, |out| write_text(out, &report))
}

fn outputs(arguments: &Arguments, query: &CommandQuery) -> OutputPlan {
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
    arguments.aliases.declare_inputs(&mut outputs);
    query.declare_set_inputs(&mut outputs, &arguments.library.path);
    if let Some(within) = &arguments.within {
        set_expression::declare_inputs(&mut outputs, &arguments.library.path, within);
    }
    outputs.writes("-o", &arguments.output, OverwriteRule::from_force(arguments.force));
    outputs
}

/// The games that are changed.
fn selected_games(arguments: &Arguments, corpus: &JoinedCorpus<'_>, query: &CommandQuery) -> Result<GameSet> {
    let sets = CurrentSets::new(&arguments.library.path, corpus);
    let chosen = sets.chosen_games(arguments.games.as_ref(), arguments.within.as_deref())?;
    let mut games = chosen.unwrap_or_else(|| GameSet::all(corpus.header.games as u32));
    if arguments.query.is_some() {
        let bar = ScanProgress::for_games(corpus.header.games);
        let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
        let found = run_query_within(&corpus_spans(corpus), &query.query, Some(&games), &selection, &bar)?;
        games = found.games.unwrap_or_default();
    }
    match games.count() {
        0 => {
            Err(CliFailure::Other(format!("no game is selected: {} was not written", PrintablePath(&arguments.output))))
        }
        _ => Ok(games),
    }
}

/// Writes the new corpus.
fn edit(arguments: &Arguments, corpus: &JoinedCorpus<'_>, selected: &GameSet) -> Result<EditReport> {
    if arguments.delete && selected.count() == corpus.header.games {
        return Err(CliFailure::Other("no game would be left: choose games by --query, --games or --within".into()));
    }
    let edits = arguments.edits();
    check_texts(&edits, corpus, selected)?;
    let mut to = AppendableCorpus::new(&arguments.output, arguments.force)?;
    let bar = ScanProgress::for_games(corpus.header.games);
    let source = (corpus, &*arguments.library.path);
    let is_written = |game: &GameId| !(arguments.delete && selected.contains(*game));
    let games = (0..corpus.header.games as u32).map(GameId).filter(is_written);
    let number_changed = AtomicU64::new(0);
    if arguments.delete {
        shard_copies::copy_into(&mut to, source, games, &bar)?;
    } else {
        shard_copies::copy_changed(&mut to, source, games, &bar, &|id, text| {
            if !selected.contains(id) {
                return Some(text);
            }
            let before = text.clone();
            let after = changed(text, |text| edit_tags(text, &edits));
            number_changed.fetch_add(u64::from(before != after), Ordering::Relaxed);
            Some(after)
        })?;
    }
    let CorpusFileHeader { games, .. } = to.finish()?;
    Ok(EditReport {
        output: arguments.output.display().to_string(),
        games,
        selected: selected.count(),
        changed: number_changed.into_inner(),
        deleted: corpus.header.games - games,
    })
}

impl Arguments {
    /// The changes of the tags, in the order in which they are made.
    fn edits(&self) -> Vec<TagEdit<'_>> {
        let renamed = self.rename.iter().map(|TagRename { name, to }| TagEdit::Rename { name, to });
        let removed = self.remove.iter().map(|name| TagEdit::Remove { name });
        let set = self.set.iter().map(|TagValue { name, value }| TagEdit::Set { name, value });
        renamed.chain(removed).chain(set).collect()
    }
}

/// Checks that the changes are kept where the corpus has no texts: there it has the tags of its headers alone.
fn check_texts(edits: &[TagEdit<'_>], corpus: &JoinedCorpus<'_>, selected: &GameSet) -> Result<()> {
    const OF_HEADERS: [&str; 15] = [
        "event",
        "site",
        "date",
        "round",
        "white",
        "black",
        "result",
        "whiteelo",
        "blackelo",
        "whitetitle",
        "blacktitle",
        "eco",
        "timecontrol",
        "termination",
        "annotator",
    ];
    let others = edits.iter().filter_map(|edit| match edit {
        TagEdit::Set { name, .. } | TagEdit::Rename { to: name, .. } => Some(*name),
        TagEdit::Remove { .. } => None,
    });
    let Some(other) = others.into_iter().find(|name| !OF_HEADERS.contains(&&*name.to_lowercase())) else {
        return Ok(());
    };
    let keeps_text = |id: &GameId| {
        let place = corpus.find_game(id.0).and_then(|(shard, game)| shard.text_location(game));
        place.is_some_and(|place| place.text_bytes() > 0)
    };
    match selected.iter().find(|id| !keeps_text(id)) {
        None => Ok(()),
        Some(id) => Err(CliFailure::Other(format!(
            "game {} keeps no text, so it cannot have the tag {other}: import the PGN again with its texts",
            id.number()
        ))),
    }
}

fn write_text(out: &mut dyn Write, report: &EditReport) -> Result<()> {
    let EditReport { output, games, selected, changed, deleted } = report;
    writeln!(out, "{}", PrintablePath(Path::new(output)))?;
    for (name, number) in [("games", games), ("selected", selected), ("changed", changed), ("deleted", deleted)] {
        writeln!(out, "  {name:<9} {:>13}", grouped(*number))?;
    }
    Ok(())
}
