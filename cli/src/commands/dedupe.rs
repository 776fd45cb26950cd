//! `plyfold dedupe`: finds games that a corpus has several times, and writes a corpus without them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::record::Date;
use plyfold_core::duplicates::{DuplicateGroup, DuplicateRules, HeaderDifference, find_duplicates};
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::pgn::{GameTag, TagEdit, edit_tags, read_tags};
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_terminal::style::Style;
use plyfold_terminal::table::grouped;
use plyfold_terminal::{output, write_note};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::QueryFormat;
use super::query::json::StreamedList;
use crate::appendable_corpus::AppendableCorpus;
use crate::csv_table::CsvTable;
use crate::failure::{CliFailure, Result};
use crate::game_rewriter::changed;
use crate::game_row::GameRow;
use crate::game_text::kept_or_written;
use crate::mapped_corpus::{self, LibraryArgument};
use crate::progress::ScanProgress;
use crate::shard_copies;

/// Find games that a corpus or library has several times.
///
/// These are exact doubles; games with the same moves whose headers may be those of one game (names by initials, case, accents or order,
/// dates that are partly unknown, rounds spelled otherwise; the result is the same or unknown); and games that are the beginning of a
/// longer one. A group keeps the game with the most moves, and of those the one with the longest text.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// Write the games without their doubles as a new corpus.
    #[arg(long, short, value_name = "NEW.plyfold")]
    output: Option<PathBuf>,
    /// Give the game that is kept the tags of the others that it does not have or know.
    #[arg(long, requires = "output")]
    merge_tags: bool,
    /// A game that is the beginning of a longer one has at least N plies.
    #[arg(long, value_name = "N", default_value_t = DuplicateRules::default().least_plies)]
    least_plies: u16,
    /// Show at most N groups in the report as text.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Replace an existing file.
    #[arg(long, requires = "output")]
    force: bool,
    /// Format of the report; csv has a line for each game of a group.
    #[arg(long, value_enum, default_value_t = QueryFormat::Text)]
    format: QueryFormat,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = super::parse_threads)]
    threads: Option<usize>,
}

/// The report, and the object in JSON. The rows of its groups are made while they are written: of a corpus that was imported several times they
/// would take more memory than all else.
struct DuplicateReport<'a> {
    corpus: &'a JoinedCorpus<'a>,
    groups: &'a [DuplicateGroup],
}

#[derive(serde::Serialize)]
struct GroupReport<'a> {
    kept: GameRow<'a>,
    others: Vec<DuplicateRow<'a>>,
}

/// A game that is not kept.
#[derive(serde::Serialize)]
struct DuplicateRow<'a> {
    /// What differs from the game that is kept; nothing of an exact double.
    differences: Vec<&'static str>,
    #[serde(flatten)]
    game: GameRow<'a>,
}

/// Runs the command.
///
/// # Errors
///
/// The corpus cannot be read, or the new one cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
    if let Some(output) = &arguments.output {
        outputs.writes("-o", output, OverwriteRule::from_force(arguments.force));
    }
    outputs.check()?;
    super::with_threads(arguments.threads, || {
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus(&opened, CorpusCheck::WithoutTexts)?;
        let groups = find(arguments, &corpus);
        if arguments.output.is_some() {
            write_corpus(arguments, &corpus, &groups)?;
        }
        let report = DuplicateReport { corpus: &corpus, groups: &groups };
        output::print(|out| match arguments.format {
            QueryFormat::Text => plyfold_terminal::printable::text(out, |out| report.write_text(out, arguments.top)),
            QueryFormat::Json => Ok(output::json(out, &report)?),
            QueryFormat::Csv => report.write_csv(out),
        })
    })
}

/// Finds the doubles.
fn find(arguments: &Arguments, corpus: &JoinedCorpus<'_>) -> Vec<DuplicateGroup> {
    let spans = corpus_spans(corpus);
    // Every game is looked at twice.
    let bar = ScanProgress::for_games(2 * corpus.header.games);
    let says = |id: GameId| {
        let place = corpus.find_game(id.0).and_then(|(shard, game)| shard.text_location(game));
        place.map_or(0, |place| place.text_bytes() as u64)
    };
    let rules = DuplicateRules { least_plies: arguments.least_plies };
    find_duplicates(&spans, rules, &says, &|games| bar.add_games(games))
}

/// Writes the games that are kept.
fn write_corpus(arguments: &Arguments, corpus: &JoinedCorpus<'_>, groups: &[DuplicateGroup]) -> Result<()> {
    // Without -o there is none to write.
    let Some(path) = &arguments.output else { return Ok(()) };
    if corpus.header.games == 0 {
        return Err(CliFailure::unsuitable(&arguments.library.path, "has no games"));
    }
    let left_out: std::collections::HashSet<GameId> =
        groups.iter().flat_map(|group| group.others.iter().map(|(game, _)| *game)).collect();
    let games = (0..corpus.header.games as u32).map(GameId).filter(|game| !left_out.contains(game));
    let mut to = AppendableCorpus::new(path, arguments.force)?;
    let bar = ScanProgress::for_games(corpus.header.games - left_out.len() as u64);
    let source = (corpus, &*arguments.library.path);
    if arguments.merge_tags {
        let merged = merged_tags(arguments, corpus, groups)?;
        shard_copies::copy_changed(&mut to, source, games, &bar, &|id, text| {
            let Some(tags) = merged.get(&id) else { return text.into() };
            let edits: Vec<TagEdit<'_>> = tags.iter().map(|(name, value)| TagEdit::Set { name, value }).collect();
            changed(text, |text| edit_tags(text, &edits)).into()
        })?;
    } else {
        shard_copies::copy_into(&mut to, source, games, &bar)?;
    }
    let written = to.finish()?;
    write_note(&format!("{} games are in {}", grouped(written.games), PrintablePath(path)));
    Ok(())
}

/// The tags that the kept games get, with their values.
type MergedTags = HashMap<GameId, Vec<(String, String)>>;

/// The tags that the kept games do not have or know, from their doubles.
fn merged_tags(arguments: &Arguments, corpus: &JoinedCorpus<'_>, groups: &[DuplicateGroup]) -> Result<MergedTags> {
    let (mut merged, mut texts) = (HashMap::new(), corpus.texts());
    let mut text_of = |id: GameId| -> Result<Vec<u8>> {
        let text = texts.get(id.0).map_err(CliFailure::corpus(&arguments.library.path))?;
        Ok(kept_or_written(corpus, id, text).into_owned())
    };
    for group in groups {
        let kept = text_of(group.kept)?;
        let mut known: Vec<(String, String)> = read_tags(&kept).into_iter().map(owned).collect();
        let mut added: Vec<(String, String)> = Vec::new();
        for (other, _) in &group.others {
            for (name, value) in read_tags(&text_of(*other)?).into_iter().map(owned).filter(is_of_the_game) {
                let place = known.iter().position(|(known, _)| known.eq_ignore_ascii_case(&name));
                let says_more = place.is_none_or(|at| says_more(&name, &value, &known[at].1));
                if !says_more {
                    continue;
                }
                match place {
                    Some(at) => known[at].1.clone_from(&value),
                    None => known.push((name.clone(), value.clone())),
                }
                added.retain(|(added, _)| !added.eq_ignore_ascii_case(&name));
                added.push((name, value));
            }
        }
        if !added.is_empty() {
            merged.insert(group.kept, added);
        }
    }
    Ok(merged)
}

fn owned(tag: GameTag<'_>) -> (String, String) {
    (tag.name.into_owned(), tag.value.into_owned())
}

/// Whether a tag is true of a game, whichever moves of it a text has.
fn is_of_the_game((name, value): &(String, String)) -> bool {
    const OF_THE_TEXT: [&str; 6] = ["plycount", "incomplete", "setup", "fen", "variant", "termination"];
    !is_unknown(value) && !OF_THE_TEXT.contains(&&*name.to_lowercase())
}

fn is_unknown(value: &str) -> bool {
    matches!(value, "0" | "*") || value.chars().all(|letter| matches!(letter, '?' | '.' | '-' | ' '))
}

/// Whether a value says more of a tag than the value that is known.
fn says_more(name: &str, value: &str, known: &str) -> bool {
    let parts = |text: &str| {
        let date = Date::from_pgn(text);
        [date.year(), date.month(), date.day()].iter().filter(|part| **part > 0).count()
    };
    is_unknown(known) || name.eq_ignore_ascii_case("Date") && parts(value) > parts(known)
}

impl<'a> DuplicateReport<'a> {
    /// How many games there are of which another one is kept.
    fn duplicates(&self) -> u64 {
        self.groups.iter().map(|group| group.others.len() as u64).sum()
    }

    fn rows(&self) -> impl Iterator<Item = GroupReport<'a>> + use<'a> {
        let corpus = self.corpus;
        self.groups.iter().filter_map(|group| {
            let other = |(id, differences): &(GameId, Vec<HeaderDifference>)| {
                let differences = differences.iter().map(|difference| difference.name()).collect();
                Some(DuplicateRow { differences, game: GameRow::from_game(corpus, *id)? })
            };
            let others = group.others.iter().filter_map(other).collect();
            Some(GroupReport { kept: GameRow::from_game(corpus, group.kept)?, others })
        })
    }

    fn write_text(&self, out: &mut dyn Write, top: usize) -> Result<()> {
        writeln!(out, "  {:<10} {:>13}", "games", grouped(self.corpus.header.games))?;
        writeln!(out, "  {:<10} {:>13}", "groups", grouped(self.groups.len() as u64))?;
        writeln!(out, "  {:<10} {:>13}", "doubles", grouped(self.duplicates()))?;
        for group in self.rows().take(top) {
            writeln!(out)?;
            Style::Heading.of(|| writeln!(out, "{}", line_of(&group.kept)))?;
            for other in &group.others {
                let why = match &other.differences[..] {
                    [] => "the same".to_owned(),
                    differences => format!("other {}", differences.join(", ")),
                };
                writeln!(out, "{}  {why}", line_of(&other.game))?;
            }
        }
        let more = self.groups.len().saturating_sub(top) as u64;
        if more > 0 {
            writeln!(out)?;
            Style::Dim.of(|| writeln!(out, "and {} more (--top lists more)", grouped(more)))?;
        }
        Ok(())
    }

    fn write_csv(&self, out: &mut dyn Write) -> Result<()> {
        let mut table = CsvTable::new(out);
        table.write_row([
            "group",
            "game",
            "kept",
            "differences",
            "white",
            "black",
            "result",
            "date",
            "event",
            "site",
            "round",
            "plies",
        ])?;
        for (nth, group) in (1..).zip(self.rows()) {
            let others = group.others.iter().map(|other| (&other.game, "no", other.differences.join(" ")));
            for (game, kept, differences) in [(&group.kept, "yes", String::new())].into_iter().chain(others) {
                let numbers = [nth, game.number, u64::from(game.plies)].map(|number| number.to_string());
                let [nth, number, plies] = numbers;
                let round = game.round.unwrap_or_default();
                let cells: [Cow<'_, str>; 12] = [
                    nth.into(),
                    number.into(),
                    kept.into(),
                    differences.into(),
                    game.white.into(),
                    game.black.into(),
                    game.result.into(),
                    game.date.as_str().into(),
                    game.event.into(),
                    game.site.into(),
                    round.into(),
                    plies.into(),
                ];
                table.write_row(cells)?;
            }
        }
        Ok(table.finish()?)
    }
}

impl Serialize for DuplicateReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("games", &self.corpus.header.games)?;
        map.serialize_entry("duplicates", &self.duplicates())?;
        map.serialize_entry("groups", &StreamedList::new(self.rows()))?;
        map.end()
    }
}

/// A game in a line of the report.
fn line_of(game: &GameRow<'_>) -> String {
    let round = game.round.map_or_else(String::new, |round| format!(" ({round})"));
    format!(
        "{:>9}  {} - {}  {}  {}  {}{round}  {} plies",
        game.number, game.white, game.black, game.result, game.date, game.event, game.plies
    )
}
