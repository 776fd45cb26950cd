//! `plyfold query`: one pass over every position, several answers.
//!
//! The scan keeps what is small: counts, the set of games, the heatmap, the structures. Positions are made afterwards, as
//! they are written ([`crate::positions`]), so that memory does not grow with the answer.

pub(super) mod json;
pub(super) mod kept;
mod plan;
pub(super) mod text;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::{Span, spans};
use plyfold_core::reduce::games::GameSet;
use plyfold_core::reduce::{Answers, Asked, Wanted, answer_all, partition};
use plyfold_core::scan::Work;
use plyfold_core::scan::needs::Needs;
use plyfold_core::scan::source::Sorted;
use plyfold_files::{Existing, Outputs};
use serde::Serialize;

use self::kept::Kept;
use super::predicates;
use crate::by::{By, read_key, read_partition};
use crate::failure::{Failure, Result};
use crate::opened::Opened;
use crate::positions::{Form, Stream};
use crate::seek::{Given, Seek};
use crate::tables::{self, Table};
use crate::{notice, out, progress, stored, told};

/// Find games and positions.
///
/// Counts the games that match and the positions that match; the other answers are asked for by options, and all come
/// from the same pass.
#[derive(clap::Args)]
#[command(after_long_help = predicates::help())]
pub struct Arguments {
    /// The corpus.
    corpus: PathBuf,
    #[command(flatten)]
    given: Given,
    #[command(flatten)]
    question: Question,
    /// Write the answer to a file, which appears when it is whole.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Use so many threads; all cores without it.
    #[arg(long, value_name = "N", value_parser = super::threads)]
    threads: Option<usize>,
    /// Write a plan for `plyfold scan` instead: a query for each group of --by structure or --by material, which asks where the men stand. Of
    /// another corpus, say.
    #[arg(long, requires = "by", conflicts_with = "format")]
    plan: bool,
    /// How the answer is written; csv has one table, so it wants exactly one of --games, --positions, --heatmap,
    /// --structures, --by, --partition and --next.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What is asked of a scan beside the query.
#[derive(clap::Args)]
pub(super) struct Question {
    /// Look at the games of a set alone: a file, a named set (@name), or an expression as `plyfold sets` has them.
    #[arg(long, value_name = "SET")]
    pub within: Option<String>,
    /// Keep the set of matching games: as a file, or beside the corpus under a name (@name).
    #[arg(long, value_name = "SET")]
    pub save_games: Option<String>,
    #[command(flatten)]
    pub kept: Kept,
    /// List the matching games, at most N.
    #[arg(long, value_name = "N", num_args = 0..=1)]
    pub games: Option<Option<u64>>,
    /// List the matching positions: by game and ply, as FEN, both, or as hashes.
    #[arg(long, value_name = "FORM")]
    pub positions: Option<Form>,
    /// Each different position only where it first occurs (keeps some 20 bytes for each in memory).
    #[arg(long, requires = "positions")]
    pub unique: bool,
    /// At most so many positions.
    #[arg(long, value_name = "N", requires = "positions")]
    pub limit: Option<u64>,
    /// Where the men stand in matching positions.
    #[arg(long)]
    pub heatmap: bool,
    /// The N most frequent pawn structures of matching positions.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "12")]
    pub structures: Option<usize>,
    /// Count matching positions and their games by a key: `plyfold keys` lists them. Any number of the language is a key, too, as
    /// in `--by 'count(white pawn)'`. May be given several times.
    #[arg(long, value_name = "KEY", value_parser = read_key)]
    pub by: Vec<By>,
    /// At most so many groups, parts and next moves; keys that are numbers are listed whole.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Part the matching games by a key: by their last matching position, or by their first (`KEY:first`), or by all (`KEY:ever`). May be
    /// given several times.
    #[arg(long, value_name = "KEY[:RULE]", value_parser = read_partition)]
    pub partition: Vec<By>,
    /// How games went on from matching positions; here alone the start of a game is a position.
    #[arg(long)]
    pub next: bool,
    /// How long it took, what was looked at, and what the replay kept up.
    #[arg(long)]
    pub stats: bool,
    /// Replace files that exist; sets under a name (@name) need no force.
    #[arg(long)]
    pub force: bool,
}

/// How the answer is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
    Csv,
}

/// All that the three formats write from.
pub(super) struct Found<'a> {
    question: &'a Question,
    seek: &'a Seek,
    path: &'a Path,
    corpus: &'a Corpus<'a>,
    spans: Vec<Span<'a>>,
    /// The games that were looked at, if not all.
    set: Option<GameSet>,
    /// That set as it was asked for, and how many games it has.
    within: Option<(&'a str, u64)>,
    /// Where the set of matching games was kept.
    saved: Option<PathBuf>,
    /// The names under which parts were kept.
    parts: Vec<String>,
    answers: Answers,
    stats: Stats,
}

/// How it went.
#[derive(Serialize)]
struct Stats {
    open_ms: f64,
    scan_ms: f64,
    threads: usize,
    /// Plies of the corpus by the time of the scan; more than were looked at where games could be skipped or left early.
    plies_per_second: f64,
    /// What the replay kept up for the query; nothing where nothing was replayed.
    keeps: String,
    #[serde(flatten)]
    looked_at: LookedAt,
}

/// What the scan looked at to find games and positions. What a heatmap reads of matching games is not counted.
#[derive(Serialize)]
struct LookedAt {
    /// Games that were left by their milestones and last signature, without a test.
    games_skipped: u64,
    games_replayed: u64,
    /// Moves that were made on a board; those of a game that was replayed twice count twice.
    plies_replayed: u64,
    /// Moves among which those that touch some squares were sought.
    plies_filtered: u64,
    /// Moves that were not looked at. Where a game was filtered and then replayed these are at least so many.
    plies_skipped: u64,
    /// Captures, promotions and changes of pawns.
    events: u64,
}

impl From<Work> for LookedAt {
    fn from(Work { plies, games_cut, games_replayed, events, plies_filtered, plies_replayed, .. }: Work) -> LookedAt {
        LookedAt {
            games_skipped: games_cut,
            games_replayed,
            plies_replayed,
            plies_filtered,
            plies_skipped: plies.saturating_sub(plies_replayed + plies_filtered),
            events,
        }
    }
}

/// Runs the command.
///
/// # Errors
///
/// A mistake in the query, a corpus that cannot be read, an answer that cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let question = &arguments.question;
    if arguments.format == Format::Csv && question.tables() != 1 {
        let message = "csv is one table: ask for exactly one of --games, --positions, --heatmap, --structures, --by, --partition and --next";
        return Err(Failure::Usage(message.into()));
    }
    let plan = arguments.plan.then(|| plan::Condition::of(&question.by)).transpose()?;
    kept::check(&question.kept, question.by.len(), question.partition.len())?;
    let mut seek = Seek::given(&arguments.given)?;
    outputs(arguments, &seek)?.check()?;
    super::with_threads(arguments.threads, || {
        let begin = Instant::now();
        let opened = Opened::at(&arguments.corpus)?;
        let corpus = opened.corpus(Check::Scan)?;
        let open_ms = milliseconds(begin.elapsed());
        seek.bind(&arguments.corpus, &corpus)?;
        let mut found = answer(&arguments.corpus, &corpus, &[(&seek, question)], open_ms)?;
        let Some(found) = found.pop() else { return Ok(()) };
        if let (Format::Csv, true, Some(notice)) =
            (arguments.format, question.tells_positions(), notice::of_positions(&seek.tree))
        {
            // A table has no place for it. If it cannot be written, the table still can.
            let _ = writeln!(std::io::stderr(), "plyfold: note: {notice}");
        }
        if let Some(plan) = plan {
            return out::write(arguments.output.as_deref(), question.force, |out| plan.write(out, &found));
        }
        out::write(arguments.output.as_deref(), question.force, |out| match arguments.format {
            Format::Text => text::write(out, &found),
            Format::Json => json::write(out, &found),
            Format::Csv => found.table().map_or(Ok(()), |table| table.csv(out)),
        })
    })
}

/// What is read and written.
fn outputs(arguments: &Arguments, seek: &Seek) -> Result<Outputs> {
    let Arguments { corpus, given, question, output, .. } = arguments;
    let mut outputs = Outputs::new();
    outputs.reads("the corpus", corpus);
    given.read_by(&mut outputs);
    let role = |option: &str| format!("--{option}");
    let existing = Existing::forced(question.force);
    if let Some(output) = output {
        outputs.streams("-o", output, existing);
    }
    question.read_and_written_by(&mut outputs, corpus, seek, &role, existing)?;
    Ok(outputs)
}

/// Answers questions in one pass over a corpus to which their queries are bound, and keeps what is to be kept.
///
/// # Errors
///
/// Sets that cannot be read, files that cannot be written.
pub(super) fn answer<'a>(
    path: &'a Path,
    corpus: &'a Corpus<'a>,
    asked: &[(&'a Seek, &'a Question)],
    open_ms: f64,
) -> Result<Vec<Found<'a>>> {
    let spans = spans(corpus);
    let of = stored::of(corpus);
    // All that can be wrong is found before the scan, which may take long.
    let mut ready = Vec::new();
    for (_, question) in asked {
        let set = question.within.as_deref().map(|text| stored::given(path, corpus, text)).transpose()?;
        let saved = question.save_games.as_deref().map(|name| stored::place(path, name)).transpose()?;
        ready.push((set, saved, question.wanted()));
    }
    let begin = Instant::now();
    let answers = {
        let bar = progress::Scan::over(corpus.header.games);
        let each = asked.iter().zip(&ready);
        let each = each.map(|((seek, _), (set, _, wanted))| Asked { query: &seek.query, within: set.as_ref(), wanted });
        let answers = answer_all(&spans, &each.collect::<Vec<_>>(), &bar);
        answers.map_err(|cancelled| Failure::Other(cancelled.to_string()))?
    };
    let scan = begin.elapsed();
    let mut all = Vec::new();
    for ((&(seek, question), (set, saved, _)), answers) in asked.iter().zip(ready).zip(answers) {
        let kept = match answers.work.plies_replayed {
            0 => Needs::NOTHING,
            // None of the answers wants a board.
            _ => Sorted::kept(&Sorted::all(&seek.query.predicates)),
        };
        let stats = Stats {
            open_ms,
            scan_ms: milliseconds(scan),
            threads: rayon::current_num_threads(),
            plies_per_second: (corpus.header.plies as f64 / scan.as_secs_f64().max(1e-9)).round(),
            keeps: kept.to_string(),
            looked_at: answers.work.into(),
        };
        if let (Some(place), Some(games)) = (&saved, &answers.games) {
            let replaces = question.force || question.save_games.as_ref().is_some_and(|set| set.starts_with('@'));
            stored::write(place, replaces, of, |sink| Ok(sink(games.words()).map(|()| games.count())?))?;
        }
        let within = question.within.as_deref().zip(set.as_ref().map(GameSet::count));
        let (spans, parts) = (spans.clone(), Vec::new());
        let mut found = Found { question, seek, path, corpus, spans, set, within, saved, parts, answers, stats };
        found.parts = kept::keep(&found)?;
        all.push(found);
    }
    Ok(all)
}

impl Question {
    fn wanted(&self) -> Wanted {
        Wanted {
            games: self.games.is_some() || self.save_games.is_some(),
            positions_count: true,
            heatmap: self.heatmap,
            structures: self.structures,
            positions: None,
            groups: self.by.iter().map(|by| (by.key.clone(), self.top)).collect(),
            partitions: self.partition.iter().map(|by| (by.key.clone(), by.rule)).collect(),
            next: self.next,
            // A set for each value of a key would be many.
            parts: partition::Kept::Largest(if self.kept.save_parts.is_some() { self.top } else { 0 }),
            ..Wanted::default()
        }
    }

    /// Tells the check of `outputs` what is read and written to answer it of the corpus at `corpus`; `role` makes of an option
    /// what messages call it.
    ///
    /// # Errors
    ///
    /// A name that no set can have.
    pub(super) fn read_and_written_by(
        &self,
        outputs: &mut Outputs,
        corpus: &Path,
        seek: &Seek,
        role: &dyn Fn(&str) -> String,
        existing: Existing,
    ) -> Result<()> {
        seek.read_by(outputs, corpus);
        if let Some(within) = &self.within {
            stored::read_by(outputs, corpus, within);
        }
        if let Some(set) = &self.save_games {
            stored::written_as(outputs, role("save-games"), corpus, set, existing)?;
        }
        self.kept.written_by(outputs, corpus, role, existing);
        Ok(())
    }

    /// How many tables the answer has.
    fn tables(&self) -> usize {
        let alone =
            [self.games.is_some(), self.positions.is_some(), self.heatmap, self.structures.is_some(), self.next];
        alone.into_iter().filter(|&wanted| wanted).count() + self.by.len() + self.partition.len()
    }

    /// Whether the answer tells more of positions than how many there are.
    fn tells_positions(&self) -> bool {
        self.positions.is_some() || self.heatmap || self.structures.is_some() || self.next || !self.by.is_empty()
    }
}

impl Found<'_> {
    /// The matching games that are to be listed, from 0.
    fn games(&self) -> impl Iterator<Item = u32> + '_ {
        let most = self.question.games.flatten().map_or(usize::MAX, |most| most as usize);
        self.answers.games.iter().flat_map(|games| games.iter()).take(most)
    }

    fn groups(&self) -> impl Iterator<Item = told::Groups> + '_ {
        self.answers.groups.iter().map(told::Groups::from)
    }

    fn partitions(&self) -> impl Iterator<Item = told::Partition> + '_ {
        let each = self.question.partition.iter().zip(&self.answers.partitions);
        each.map(|(by, parts)| {
            let most = if by.key.is_ordered() { usize::MAX } else { self.question.top };
            told::Partition::new(by.key.name(), by.rule(), parts, most)
        })
    }

    fn next(&self) -> Option<told::NextMoves> {
        self.answers.next.as_ref().map(|next| told::NextMoves::new(next, self.corpus, self.question.top))
    }

    /// The one answer that was asked for.
    fn table(&self) -> Option<Table<'_>> {
        let Question { games, positions, by, partition, .. } = self.question;
        let Answers { heatmap, structures, .. } = &self.answers;
        let wanted = games.map(|_| tables::games(self.corpus, self.games()));
        wanted
            .or_else(|| positions.map(|form| tables::positions(self.positions(form), form)))
            .or_else(|| heatmap.as_ref().map(tables::heatmap))
            .or_else(|| structures.as_ref().map(tables::structures))
            .or_else(|| by.first().zip(self.groups().next()).map(|(by, groups)| tables::groups(groups, &by.key)))
            .or_else(|| {
                let part = partition.first().zip(self.partitions().next());
                part.map(|(by, part)| tables::partition(part, &by.key))
            })
            .or_else(|| self.next().map(tables::next))
    }

    /// The matching positions that are to be listed.
    fn positions(&self, form: Form) -> Stream<'_> {
        let Question { unique, limit, .. } = *self.question;
        let all = Stream::new(self.spans.clone(), &self.seek.query, form.has_fen(), unique, limit);
        all.with_hashes(form == Form::Hash).with_images(self.seek.images.as_ref()).within(self.set.as_ref())
    }
}

pub(super) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
