//! `plyfold names`: lists names that are probably one, and writes those that its user confirms as a file of aliases.

use std::io::Write;
use std::path::PathBuf;

use plyfold_core::aliases::{Alias, AliasKind, Aliases};
use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::fide_ids::FideIds;
use plyfold_core::headers::{NameCount, NameGroup, SimilarNames, similar_names};
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_terminal::style::Style;
use plyfold_terminal::table::grouped;
use plyfold_terminal::{output, write_note};
use rayon::prelude::*;
use serde::Serialize;

use super::QueryFormat;
use crate::aliases::AliasArgument;
use crate::csv_table::CsvTable;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{self, LibraryArgument, spans_with};
use crate::query_argument::OPENING_NAMES;

/// List names of players, events and sites that are probably one.
///
/// Names differ in case, accents, signs or the order of their words, by initials or missing first names, or in the spelling of a word; FIDE
/// ids of the games join and part players, and players who met are two. A name that may be one of several is listed as unclear. Nothing is
/// changed: --confirm writes chosen groups into a file, which export, compact and query take as --aliases.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// What is named: player, event, site.
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = read_kind, default_values = ["player", "event", "site"])]
    kind: Vec<AliasKind>,
    #[command(flatten)]
    known: AliasArgument,
    /// Confirm groups: `all`, `sure` (those that differ in case, accents and signs alone, or have one FIDE id), or their numbers, as in
    /// `1,3-5`. Writes their names to the file -o.
    #[arg(long, value_name = "GROUPS", requires = "output")]
    confirm: Option<Confirmed>,
    /// The file of aliases to write; it also gets those of --aliases.
    #[arg(long, short, value_name = "FILE", requires = "confirm")]
    output: Option<PathBuf>,
    /// Replace an existing file.
    #[arg(long, requires = "output")]
    force: bool,
    /// Show at most N groups, and N unclear names, in the report as text.
    #[arg(long, value_name = "N", default_value_t = 50)]
    top: usize,
    /// Format of the report; csv has a line for each name that is not that of its group.
    #[arg(long, value_enum, default_value_t = QueryFormat::Text)]
    format: QueryFormat,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = super::parse_threads)]
    threads: Option<usize>,
}

const EXAMPLES: &str = "\
Example:
  plyfold names games.plyfold
  plyfold names games.plyfold --confirm sure -o aliases.tsv
  plyfold names games.plyfold --aliases aliases.tsv --confirm 1,4-6 -o more.tsv
  plyfold compact games.plyfold --aliases more.tsv -o clean.plyfold";

fn read_kind(text: &str) -> Result<AliasKind, String> {
    let known = AliasKind::NAMED.iter().find(|(name, _)| *name == text);
    known.map(|(_, kind)| *kind).ok_or_else(|| format!("`{text}` has no names: write player, event or site"))
}

/// The groups that are confirmed.
#[derive(Clone, Debug)]
enum Confirmed {
    All,
    Sure,
    /// Ranges of numbers from 1, both ends included.
    Numbers(Vec<(usize, usize)>),
}

impl std::str::FromStr for Confirmed {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Confirmed, String> {
        let number = |text: &str| match text.trim().parse::<usize>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("`{text}` is no number of a group: write all, sure, or a list such as 1,3-5")),
        };
        let range = |part: &str| match part.split_once('-') {
            None => number(part).map(|one| (one, one)),
            Some((from, to)) => Ok((number(from)?, number(to)?)),
        };
        match text {
            "all" => Ok(Confirmed::All),
            "sure" => Ok(Confirmed::Sure),
            list => list.split(',').map(range).collect::<std::result::Result<_, _>>().map(Confirmed::Numbers),
        }
    }
}

impl Confirmed {
    fn has(&self, group: &GroupReport) -> bool {
        match self {
            Confirmed::All => true,
            Confirmed::Sure => group.aliases.iter().all(|alias| alias.is_sure),
            Confirmed::Numbers(ranges) => ranges.iter().any(|&(from, to)| (from..=to).contains(&group.number)),
        }
    }
}

/// The report, and the object in JSON.
#[derive(Serialize)]
struct NamesReport {
    groups: Vec<GroupReport>,
    unclear: Vec<UnclearReport>,
}

#[derive(Serialize)]
struct GroupReport {
    /// From 1, as --confirm takes it.
    number: usize,
    kind: &'static str,
    name: String,
    games: u64,
    aliases: Vec<AliasReport>,
}

#[derive(Serialize)]
struct AliasReport {
    name: String,
    games: u64,
    /// Why it may be the name of the group.
    why: &'static str,
    is_sure: bool,
}

/// A name that may be one of several.
#[derive(Serialize)]
struct UnclearReport {
    kind: &'static str,
    name: String,
    games: u64,
    may_be: Vec<String>,
}

/// Runs the command.
///
/// # Errors
///
/// The corpus or the aliases cannot be read; a group that is confirmed does not exist; the file cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
    arguments.known.declare_inputs(&mut outputs);
    if let Some(output) = &arguments.output {
        outputs.writes("-o", output, OverwriteRule::from_force(arguments.force));
    }
    outputs.check()?;
    super::with_threads(arguments.threads, || {
        let known = arguments.known.read()?;
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus(&opened, CorpusCheck::WhenUsed)?;
        let report = NamesReport::new(arguments, &corpus, &known)?;
        write_aliases(arguments, &report, known)?;
        output::print(|out| match arguments.format {
            QueryFormat::Text => plyfold_terminal::printable::text(out, |out| report.write_text(out, arguments.top)),
            QueryFormat::Json => Ok(output::json(out, &report)?),
            QueryFormat::Csv => report.write_csv(out),
        })
    })
}

/// Writes the names of the groups that are confirmed, after those that are known.
fn write_aliases(arguments: &Arguments, report: &NamesReport, mut known: Aliases) -> Result<()> {
    let (Some(confirmed), Some(path)) = (&arguments.confirm, &arguments.output) else { return Ok(()) };
    if let Confirmed::Numbers(ranges) = confirmed
        && let Some(&(from, to)) = ranges.iter().find(|(from, to)| from > to || *to > report.groups.len())
    {
        let what = format!("--confirm {from}-{to}: there are {} groups", report.groups.len());
        return Err(CliFailure::Usage(what));
    }
    let mut added = 0;
    for group in report.groups.iter().filter(|group| confirmed.has(group)) {
        let Ok(kind) = read_kind(group.kind) else { continue };
        for alias in &group.aliases {
            let line = Alias { kind, alias: alias.name.clone(), name: group.name.clone() };
            known.add(line).map_err(CliFailure::Other)?;
            added += 1;
        }
    }
    output::write(Some(path), arguments.force, |out| -> Result<()> { Ok(out.write_all(known.to_text().as_bytes())?) })?;
    write_note(&format!(
        "{} aliases were confirmed; {} has {}",
        grouped(added),
        PrintablePath(path),
        grouped(known.lines().len() as u64)
    ));
    Ok(())
}

impl NamesReport {
    fn new(arguments: &Arguments, corpus: &JoinedCorpus<'_>, known: &Aliases) -> Result<NamesReport> {
        let names = ShardParts::PLAYERS | ShardParts::EVENTS | ShardParts::SITES;
        let spans = spans_with(corpus, names | ShardParts::RECORDS)?;
        let numbers = match arguments.kind.contains(&AliasKind::Player) {
            true => fide_ids(arguments, corpus)?,
            false => FideIds::default(),
        };
        let mut report = NamesReport { groups: Vec::new(), unclear: Vec::new() };
        for &kind in &arguments.kind {
            report.add(kind, similar_names(&spans, &OPENING_NAMES, kind.counted(), numbers.of_names()), known);
        }
        Ok(report)
    }

    /// Adds what was found, without the names that are aliases already.
    fn add(&mut self, kind: AliasKind, found: SimilarNames, known: &Aliases) {
        let new = found.groups.into_iter().filter_map(|group| known.new_names(kind, group));
        for NameGroup { name, aliases } in new {
            let report = aliases.into_iter().map(|alias| AliasReport {
                name: alias.name.name,
                games: alias.name.games,
                why: alias.why.name(),
                is_sure: alias.why.is_sure(),
            });
            let (number, aliases) = (self.groups.len() + 1, report.collect());
            self.groups.push(GroupReport { number, kind: kind.name(), name: name.name, games: name.games, aliases });
        }
        let is_new = |name: &NameCount| known.name_of(kind, &name.name).is_none();
        self.unclear.extend(found.unclear.into_iter().filter(|unclear| is_new(&unclear.name)).map(|unclear| {
            let may_be = unclear.may_be.into_iter().map(|name| name.name).collect();
            UnclearReport { kind: kind.name(), name: unclear.name.name, games: unclear.name.games, may_be }
        }));
    }

    fn write_text(&self, out: &mut dyn Write, top: usize) -> Result<()> {
        writeln!(out, "{} groups of names that are probably one", grouped(self.groups.len() as u64))?;
        for group in self.groups.iter().take(top) {
            writeln!(out)?;
            Style::Heading
                .of(|| writeln!(out, "{:>4}  {}  {}  {}", group.number, group.kind, group.name, games(group.games)))?;
            for alias in &group.aliases {
                writeln!(out, "      {}  {}  {}", alias.name, games(alias.games), alias.why.replace('_', " "))?;
            }
        }
        if !self.unclear.is_empty() {
            writeln!(out)?;
            writeln!(out, "{} names may be one of several", grouped(self.unclear.len() as u64))?;
            for unclear in self.unclear.iter().take(top) {
                let may_be = unclear.may_be.iter().take(4).map(String::as_str).collect::<Vec<_>>().join(" or ");
                writeln!(out, "      {}  {}  {}: {may_be}", unclear.kind, unclear.name, games(unclear.games))?;
            }
        }
        let more = self.groups.len().max(self.unclear.len()).saturating_sub(top);
        if more > 0 {
            Style::Dim.of(|| writeln!(out, "and more (--top lists them)"))?;
        }
        Ok(())
    }

    fn write_csv(&self, out: &mut dyn Write) -> Result<()> {
        let mut table = CsvTable::new(out);
        table.write_row(["group", "kind", "alias", "games", "name", "why", "sure"])?;
        for group in &self.groups {
            for alias in &group.aliases {
                let [number, games] = [group.number as u64, alias.games].map(|number| number.to_string());
                let sure = if alias.is_sure { "yes" } else { "no" };
                table.write_row([&*number, group.kind, &*alias.name, &*games, &*group.name, alias.why, sure])?;
            }
        }
        for unclear in &self.unclear {
            let games = unclear.games.to_string();
            let may_be = unclear.may_be.join(" | ");
            table.write_row(["", unclear.kind, &*unclear.name, &*games, &*may_be, "unclear", "no"])?;
        }
        Ok(table.finish()?)
    }
}

fn games(number: u64) -> String {
    format!("({} {})", grouped(number), if number == 1 { "game" } else { "games" })
}

/// The FIDE ids of players, for names that have one.
fn fide_ids(arguments: &Arguments, corpus: &JoinedCorpus<'_>) -> Result<FideIds> {
    /// Games that a thread reads at a time.
    const CHUNK: u32 = 4096;
    let games = corpus.header.games as u32;
    let read = |from: u32| -> Result<FideIds> {
        let (mut found, mut texts) = (FideIds::default(), corpus.texts());
        for id in from..games.min(from + CHUNK) {
            found.add_game(texts.get(id).map_err(CliFailure::corpus(&arguments.library.path))?);
        }
        Ok(found)
    };
    let chunks: Vec<u32> = (0..games).step_by(CHUNK as usize).collect();
    let found: Vec<FideIds> = chunks.into_par_iter().map(read).collect::<Result<_>>()?;
    let mut all = FideIds::default();
    found.iter().for_each(|one| all.add_all(one));
    Ok(all)
}
