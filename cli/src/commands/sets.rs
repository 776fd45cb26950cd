//! `plyfold sets`: combines sets of games, and lists the named sets of a corpus.

use std::io::Write;
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameId;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_terminal::table::{grouped, percent};
use plyfold_terminal::{output, printable, write_note};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::query::json::StreamedList;
use super::query::text;
use crate::commands::QueryFormat;
use crate::csv_table::CsvTable;
use crate::current_sets::CurrentSets;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{self, require_games};
use crate::read_in_passing;
use crate::result_tables;
use crate::saved_sets::{MappedSetFile, corpus_stamp, declare_output, set_names, set_path, write_set};
use crate::set_expression::declare_inputs;
use crate::tag_columns::{ListedTags, TagColumns, games_with_tags};

/// Combine sets of games, or list the named sets.
///
/// A set is a file written by `plyfold query --save-games` or by this command; `@name` is a set in the folder beside the
/// corpus, `games.sets` for `games.plyfold`.
#[derive(clap::Args)]
#[command(after_help = EXPRESSIONS)]
pub struct Arguments {
    /// The corpus.
    corpus: PathBuf,
    /// The sets to combine, such as '(@a & @b) - @c' [default: list the named sets].
    expression: Option<String>,
    /// Save the set as a file, or under a name (@name).
    #[arg(long, short, value_name = "SET", requires = "expression")]
    output: Option<String>,
    /// Replace the file if it exists; a named set is replaced without it.
    #[arg(long, requires = "output")]
    force: bool,
    /// List the games of the set, at most N.
    #[arg(long, value_name = "N", num_args = 0..=1, requires = "expression")]
    games: Option<Option<u64>>,
    #[command(flatten)]
    tags: TagColumns,
    /// Format of the output; csv holds only the list of games, or the list of sets.
    #[arg(long, value_enum, default_value_t = QueryFormat::Text)]
    format: QueryFormat,
}

const EXPRESSIONS: &str = "\
Expressions: a & b (both), a | b (either), a ^ b (exactly one), a - b (the first without the second), ~a (all other games); or the \
words and, or, xor, sub, not. ~ binds tightest, then & and - from left to right, then ^, then |. A name consists of letters, \
digits and _ . / @ - (write a space before a - that subtracts); put other names in double quotes.

Example:
  plyfold query games.plyfold 'queens_off' --save-games @endings
  plyfold query games.plyfold 'white \"Carlsen*\"' --save-games @carlsen
  plyfold sets games.plyfold '@carlsen - @endings' --games 20";

/// Runs the command.
///
/// # Errors
///
/// The expression has a mistake, a set cannot be read or belongs to another corpus, or the result cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let opened = read_in_passing::open(&arguments.corpus)?;
    let corpus = opened.corpus(CorpusCheck::WhenUsed)?;
    match &arguments.expression {
        None => list(arguments, &corpus),
        Some(expression) => combine(arguments, &corpus, expression),
    }
}

/// A named set in the list.
#[derive(Serialize)]
struct SetEntry {
    name: String,
    /// `None` if the set cannot be used.
    games: Option<u64>,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
}

impl SetEntry {
    fn read(path: &Path, corpus: &JoinedCorpus<'_>, name: &str) -> SetEntry {
        let read = || -> Result<u64> {
            CurrentSets::new(path, corpus).update(name, false)?;
            let file = MappedSetFile::open(&set_path(path, &format!("@{name}"))?)?;
            Ok(file.read(corpus_stamp(corpus))?.into_game_set().count())
        };
        let games = read();
        let trouble = games.as_ref().err().map(ToString::to_string);
        SetEntry { name: format!("@{name}"), games: games.ok(), trouble }
    }
}

fn list(arguments: &Arguments, corpus: &JoinedCorpus<'_>) -> Result<()> {
    let names = set_names(&arguments.corpus)?;
    let sets: Vec<SetEntry> = names.iter().map(|name| SetEntry::read(&arguments.corpus, corpus, name)).collect();
    let total = corpus.header.games;
    output::print(|out| match arguments.format {
        QueryFormat::Json => Ok(output::json(out, &serde_json::json!({ "games_total": total, "sets": sets }))?),
        QueryFormat::Csv => {
            let mut table = CsvTable::new(out);
            table.write_row(["set", "games", "trouble"])?;
            for set in &sets {
                let games = set.games.map_or(String::new(), |games| games.to_string());
                // Spreadsheets read an @ as the beginning of a formula.
                let name = set.name.trim_start_matches('@');
                table.write_row([name, &games, set.trouble.as_deref().unwrap_or("")])?;
            }
            Ok(table.finish()?)
        }
        QueryFormat::Text if sets.is_empty() => {
            Ok(writeln!(out, "there are no sets: `plyfold query --save-games @name` makes one")?)
        }
        QueryFormat::Text => {
            let wide = sets.iter().map(|set| set.name.len()).max().unwrap_or_default();
            let digits = grouped(total).len();
            for SetEntry { name, games, trouble } in &sets {
                match (games, trouble) {
                    (Some(games), _) => {
                        let share = percent(*games, total);
                        writeln!(out, "{name:<wide$}  {:>digits$} games  ({share})", grouped(*games))?;
                    }
                    (None, trouble) => writeln!(out, "{name:<wide$}  {}", trouble.as_deref().unwrap_or(""))?,
                }
            }
            Ok(())
        }
    })
}

fn combine(arguments: &Arguments, corpus: &JoinedCorpus<'_>, expression: &str) -> Result<()> {
    if arguments.format == QueryFormat::Csv && arguments.games.is_none() {
        return Err(CliFailure::Usage("csv is a list of games: add --games".into()));
    }
    let of = corpus_stamp(corpus);
    if let Some(output) = &arguments.output {
        let mut outputs = OutputPlan::new();
        mapped_corpus::declare_inputs(&mut outputs, &arguments.corpus);
        declare_inputs(&mut outputs, &arguments.corpus, expression);
        declare_output(&mut outputs, "-o", &arguments.corpus, output, OverwriteRule::from_force(arguments.force))?;
        outputs.check()?;
    }
    let source = CurrentSets::new(&arguments.corpus, corpus).open_expression(expression)?;
    let place = arguments.output.as_deref().map(|set| set_path(&arguments.corpus, set)).transpose()?;
    // A set whose games are not listed need not be in memory.
    let listed = arguments.games.map(|_| source.set()).transpose()?;
    let games = match (&place, &listed) {
        (Some(place), _) => {
            let replaces = arguments.force || arguments.output.as_ref().is_some_and(|set| set.starts_with('@'));
            write_set(place, replaces, of, |sink| source.stream(sink))?
        }
        (None, Some(set)) => set.count(),
        (None, None) => source.stream(|_| Ok(()))?,
    };
    let tags = ListedTags::default();
    let mut combined = CombinedSet { arguments, corpus, expression, games, path: place, listed, tags };
    require_games(corpus, combined.listed_games())?;
    combined.tags = ListedTags::read(&arguments.tags, &arguments.corpus, corpus, combined.listed_games())?;
    combined.tags.note().iter().for_each(|note| write_note(note));
    output::print(|out| match arguments.format {
        QueryFormat::Csv => {
            result_tables::games_with_tags(corpus, combined.listed_games(), &combined.tags).write_csv(out)
        }
        QueryFormat::Json => combined.write_json(out),
        QueryFormat::Text => printable::text(out, |out| combined.write_text(out)),
    })
}

/// The set of an expression, ready to be written.
struct CombinedSet<'a> {
    arguments: &'a Arguments,
    corpus: &'a JoinedCorpus<'a>,
    expression: &'a str,
    /// How many games it has.
    games: u64,
    /// Where it was saved.
    path: Option<PathBuf>,
    /// The set, if its games are listed.
    listed: Option<GameSet>,
    /// The tags of the listed games.
    tags: ListedTags,
}

impl CombinedSet<'_> {
    /// The games to list.
    fn listed_games(&self) -> impl Iterator<Item = GameId> + '_ {
        let most = self.arguments.games.flatten().map_or(usize::MAX, |most| most as usize);
        self.listed.iter().flat_map(GameSet::iter).take(most)
    }

    fn write_json(&self, out: &mut dyn Write) -> Result<()> {
        let mut serializer = serde_json::Serializer::new(&mut *out);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("expression", self.expression)?;
        map.serialize_entry("games_total", &self.corpus.header.games)?;
        map.serialize_entry("games", &self.games)?;
        if let Some(path) = &self.path {
            map.serialize_entry("saved_games", &path.display().to_string())?;
        }
        if self.listed.is_some() {
            let rows = games_with_tags(self.corpus, self.listed_games(), &self.tags);
            map.serialize_entry("game_list", &StreamedList::new(rows))?;
        }
        map.end()?;
        Ok(writeln!(out)?)
    }

    fn write_text(&self, out: &mut dyn Write) -> Result<()> {
        let (games, total) = (self.games, self.corpus.header.games);
        let (number, share) = (grouped(games), percent(games, total));
        writeln!(out, "{}\n  games  {number} of {}  ({share})", self.expression, grouped(total))?;
        if let Some(path) = &self.path {
            writeln!(out, "  saved in {}", PrintablePath(path))?;
        }
        if self.listed.is_some() {
            writeln!(out)?;
            text::games(out, self.corpus, self.listed_games(), &self.tags)?;
        }
        Ok(())
    }
}
