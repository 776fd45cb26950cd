//! `plyfold edit`: changes tags, results and texts of games and deletes games, in another corpus or as edits that are kept beside this one.

mod changes;
mod list;

use std::io::Write;
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader};
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::edit_list::{EditList, EditsByGame, GameChange, GameEdit};
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::game_numbers::GameNumberRanges;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_terminal::output;
use plyfold_terminal::table::grouped;
use serde::Serialize;

use self::changes::ChangeArguments;
use super::RunArguments;
use crate::aliases::AliasArgument;
use crate::appendable_corpus::AppendableCorpus;
use crate::current_sets::CurrentSets;
use crate::failure::{CliFailure, Result};
use crate::game_rewriter::GameRewriter;
use crate::mapped_corpus::{self, LibraryArgument};
use crate::pending_edits::{edits_by_game, edits_path, read_edits};
use crate::plain_words::GivenQuery;
use crate::progress::ScanProgress;
use crate::query_argument::CommandQuery;
use crate::{set_expression, shard_copies};

/// Write a corpus with changed games, or keep the changes as edits.
///
/// The changes are made in the games that match --query, are in the list of --games and are in the set of --within, alone or together; without
/// any of these, in all games. All other games, and all other bytes of these, stay. The corpus itself is never changed: -o writes the games to
/// another file, and --later adds an edit to a list beside the corpus, games.edits for games.plyfold, which can be undone. `plyfold compact`,
/// `plyfold export` and -o write the games with the edits of the list; everything else sees them as they were.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("target").required(true).args(["output", "later", "list", "undo"])))]
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
    #[command(flatten)]
    changes: ChangeArguments,
    #[command(flatten)]
    aliases: AliasArgument,
    /// The corpus to write.
    #[arg(long, short, value_name = "NEW.plyfold")]
    output: Option<PathBuf>,
    /// Add the changes as an edit to the list beside the corpus.
    #[arg(long)]
    later: bool,
    /// Print the edits of the list.
    #[arg(long)]
    list: bool,
    /// Take the last edit of the list away, or the last N.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    undo: Option<u32>,
    /// Replace an existing file.
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    run: RunArguments,
}

const EXAMPLES: &str = "\
Example:
  plyfold edit games.plyfold --query 'event \"Wijk*\" and year 1999' --set 'Event=Hoogovens' --set Site=Wijk -o new.plyfold
  plyfold edit games.plyfold --remove Annotator --rename WhiteTeam=TeamWhite -o new.plyfold
  plyfold edit games.plyfold --games 17 --set Result=1/2-1/2 --later
  plyfold edit games.plyfold --games 17 --text analysed.pgn --later
  plyfold edit games.plyfold --query 'plies < 10' --delete --later
  plyfold edit games.plyfold --undo
  plyfold compact games.plyfold -o new.plyfold";

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
/// The query has a mistake, no game is selected, the corpus cannot be read, or the new one or the list cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let chooses = arguments.query.is_some() || arguments.games.is_some() || arguments.within.is_some();
    if arguments.list || arguments.undo.is_some() {
        if chooses || !arguments.changes.is_empty() {
            return Err(CliFailure::Usage("--list and --undo take no games and no changes".into()));
        }
        return match arguments.undo {
            Some(count) => list::undo(arguments, count as usize),
            None => list::list(arguments),
        };
    }
    if arguments.changes.is_empty() {
        let message = "nothing is changed: give --set, --rename, --remove, --text, --delete or --restore";
        return Err(CliFailure::Usage(message.into()));
    }
    let prepare = |query: CommandQuery| -> Result<CommandQuery> {
        outputs(arguments, &query).check()?;
        Ok(query)
    };
    let given = GivenQuery::new(arguments.query.as_deref().unwrap_or(""))?.prepared(prepare)?;
    let changes = arguments.changes.changes()?;
    if arguments.later {
        list::corpus_of_list(&arguments.library.path)?;
    }
    super::with_threads(arguments.run.threads, || {
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus_without_edits(&opened, CorpusCheck::WithoutTexts)?;
        let mut command_query = given.read_aloud(&corpus, prepare)?;
        arguments.aliases.read()?.bind(&mut command_query.query);
        CurrentSets::new(&arguments.library.path, &corpus).bind(&mut command_query)?;
        let selected = selected_games(arguments, &corpus, &command_query)?;
        check_changes(&changes, &corpus, &selected)?;
        let edit = GameEdit { games: GameNumberRanges::of_set(&selected), changes };
        let Some(output) = &arguments.output else { return list::add(arguments, edit, selected.count()) };
        let report = write_corpus(arguments, output, &corpus, edit)?;
        let report = EditReport { selected: selected.count(), ..report };
        output::report(arguments.run.format, &report, |out| write_text(out, &report))
    })
}

fn outputs(arguments: &Arguments, query: &CommandQuery) -> OutputPlan {
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
    arguments.aliases.declare_inputs(&mut outputs);
    query.declare_set_inputs(&mut outputs, &arguments.library.path);
    if let Some(within) = &arguments.within {
        set_expression::declare_inputs(&mut outputs, &arguments.library.path, within);
    }
    if let Some(text) = arguments.changes.text_file() {
        outputs.reads("the file of the text", text);
    }
    match &arguments.output {
        Some(output) => {
            outputs.reads_own("the edits", edits_path(&arguments.library.path));
            outputs.writes("-o", output, OverwriteRule::from_force(arguments.force));
        }
        None => outputs.writes("the edits", edits_path(&arguments.library.path), OverwriteRule::Update),
    }
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
        0 => Err(CliFailure::Other("no game is selected, so nothing was written".into())),
        _ => Ok(games),
    }
}

/// Writes the new corpus, with the edits of the list and this one.
fn write_corpus(arguments: &Arguments, output: &Path, corpus: &JoinedCorpus<'_>, edit: GameEdit) -> Result<EditReport> {
    let path = &*arguments.library.path;
    // Of several corpora, none has a list.
    edits_by_game(path, corpus)?;
    let is_single = corpus.members().len() <= 1;
    let kept = if is_single { read_edits(path, corpus.header.id)? } else { None };
    let mut list = kept.unwrap_or_else(|| EditList::new(corpus.header.id));
    list.push(edit);
    let edits = EditsByGame::new(&list, corpus.header.games as u32).map_err(CliFailure::corpus(path))?;
    if edits.deleted().count() == corpus.header.games {
        return Err(CliFailure::Other("no game would be left: choose games by --query, --games or --within".into()));
    }
    let mut to = AppendableCorpus::new(output, arguments.force)?;
    let bar = ScanProgress::for_games(corpus.header.games);
    let rewriter = GameRewriter::default().with_edits(edits);
    let games = (0..corpus.header.games as u32).map(GameId).filter(|game| rewriter.keeps(*game));
    let changed = match rewriter.is_idle() {
        true => shard_copies::copy_into(&mut to, (corpus, path), games, &bar).map(|()| 0)?,
        false => shard_copies::copy_changed(&mut to, (corpus, path), games, &bar, &|id, text| {
            rewriter.changed_game(corpus, id, text)
        })?,
    };
    let CorpusFileHeader { games, .. } = to.finish()?;
    let deleted = corpus.header.games - games;
    Ok(EditReport { output: output.display().to_string(), games, selected: 0, changed, deleted })
}

/// Checks that the changes can be made in the games.
fn check_changes(changes: &[GameChange], corpus: &JoinedCorpus<'_>, selected: &GameSet) -> Result<()> {
    let has_text = changes.iter().any(|change| matches!(change, GameChange::Text(_)));
    match has_text {
        true if selected.count() > 1 => {
            let message = format!("{} games are selected, and --text is the text of one", grouped(selected.count()));
            Err(CliFailure::Other(message))
        }
        // The new text has all tags.
        true => Ok(()),
        false => check_texts(changes, corpus, selected),
    }
}

/// Checks that the changes are kept where the corpus has no texts: there it has the tags of its headers alone.
fn check_texts(changes: &[GameChange], corpus: &JoinedCorpus<'_>, selected: &GameSet) -> Result<()> {
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
    let mut others = changes.iter().filter_map(|change| match change {
        GameChange::Set { name, .. } | GameChange::Rename { to: name, .. } => Some(name),
        _ => None,
    });
    let Some(other) = others.find(|name| !OF_HEADERS.contains(&&*name.to_lowercase())) else {
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
