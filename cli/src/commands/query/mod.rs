//! `plyfold query`: one pass over every position, several answers.
//!
//! The scan keeps what is small: counts, the set of games, the heatmap, the structures. Positions are made afterwards, as
//! they are written ([`crate::positions`]), so that memory does not grow with the answer.

pub(super) mod csv;
pub(super) mod json;
mod kept;
pub(super) mod text;
mod told;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::{Span, spans};
use plyfold_core::keys::key;
use plyfold_core::reduce::games::GameSet;
use plyfold_core::reduce::key::Key;
use plyfold_core::reduce::partition::Rule;
use plyfold_core::reduce::{Answers, Wanted, answer_within};
use plyfold_core::scan::Work;
use plyfold_core::scan::needs::Needs;
use plyfold_core::scan::source::Sorted;
use serde::Serialize;

use self::kept::Kept;
use super::predicates;
use crate::failure::{Failure, Result};
use crate::opened::Opened;
use crate::positions::Stream;
use crate::seek::{Given, Seek};
use crate::{notice, out, progress, stored};

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
    /// Look at the games of a set alone: a file, a named set (@name), or an expression as `plyfold sets` has them.
    #[arg(long, value_name = "SET")]
    within: Option<String>,
    /// Keep the set of matching games: as a file, or beside the corpus under a name (@name).
    #[arg(long, value_name = "SET")]
    save_games: Option<String>,
    #[command(flatten)]
    kept: Kept,
    /// List the matching games, at most N.
    #[arg(long, value_name = "N", num_args = 0..=1)]
    games: Option<Option<u64>>,
    /// List the matching positions: by game and ply, as FEN, both, or as hashes.
    #[arg(long, value_name = "FORM")]
    positions: Option<Form>,
    /// Each different position only where it first occurs (keeps some 20 bytes for each in memory).
    #[arg(long, requires = "positions")]
    unique: bool,
    /// At most so many positions.
    #[arg(long, value_name = "N", requires = "positions")]
    limit: Option<u64>,
    /// Where the men stand in matching positions.
    #[arg(long)]
    heatmap: bool,
    /// The N most frequent pawn structures of matching positions.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "12")]
    structures: Option<usize>,
    /// Count matching positions and their games by a key: `plyfold keys` lists them. Any number of the language is a key, too, as
    /// in `--by 'count(white pawn)'`. May be given several times.
    #[arg(long, value_name = "KEY", value_parser = read_key)]
    by: Vec<By>,
    /// At most so many groups, parts and next moves; keys that are numbers are listed whole.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Part the matching games by a key: by their last matching position, or by their first (`KEY:first`), or by all (`KEY:ever`). May be
    /// given several times.
    #[arg(long, value_name = "KEY[:RULE]", value_parser = read_partition)]
    partition: Vec<By>,
    /// How games went on from matching positions; here alone the start of a game is a position.
    #[arg(long)]
    next: bool,
    /// How long it took, what was looked at, and what the replay kept up.
    #[arg(long)]
    stats: bool,
    /// Write the answer to a file, which appears when it is whole.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Use so many threads; all cores without it.
    #[arg(long, value_name = "N", value_parser = super::threads)]
    threads: Option<usize>,
    /// How the answer is written; csv has one table, so it wants exactly one of --games, --positions, --heatmap,
    /// --structures, --by, --partition and --next.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A key, and which position of a game says where it belongs.
#[derive(Clone)]
struct By {
    key: Key,
    rule: Rule,
}

impl By {
    fn rule(&self) -> &'static str {
        Rule::NAMED.iter().find(|(_, rule)| *rule == self.rule).map_or("", |(name, _)| name)
    }
}

fn read_key(text: &str) -> std::result::Result<By, String> {
    match key(text) {
        Ok(key) => Ok(By { key, rule: Rule::default() }),
        Err(error) => Err(match error.nearest {
            Some(nearest) => format!("{}: did you mean `{nearest}`? (`plyfold keys` lists them)", error.message),
            None => format!("{} (`plyfold keys` lists them)", error.message),
        }),
    }
}

fn read_partition(text: &str) -> std::result::Result<By, String> {
    let Some((key, rule)) = text.rsplit_once(':') else { return read_key(text) };
    let known = Rule::NAMED.iter().find(|(name, _)| *name == rule.trim());
    let Some((_, rule)) = known else {
        return Err(format!("`{rule}` is no rule: write `final`, `first` or `ever` after the colon"));
    };
    Ok(By { rule: *rule, ..read_key(key)? })
}

/// How the answer is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
    Csv,
}

/// How positions are listed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Number of the game and number of the ply.
    Ref,
    /// FEN.
    Fen,
    /// Game, ply and FEN.
    Both,
    /// What tells positions apart, in 16 hexadecimal digits: the Zobrist hash of Polyglot's opening books (en passant counts only where
    /// it is legal), the same in every run and every corpus.
    Hash,
}

impl Form {
    fn has_ref(self) -> bool {
        matches!(self, Form::Ref | Form::Both)
    }

    fn has_fen(self) -> bool {
        matches!(self, Form::Fen | Form::Both)
    }
}

/// All that the three formats write from.
struct Found<'a> {
    arguments: &'a Arguments,
    seek: &'a Seek,
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
    let alone = [
        arguments.games.is_some(),
        arguments.positions.is_some(),
        arguments.heatmap,
        arguments.structures.is_some(),
        arguments.next,
    ];
    let tables = alone.into_iter().filter(|&wanted| wanted).count() + arguments.by.len() + arguments.partition.len();
    if arguments.format == Format::Csv && tables != 1 {
        let message = "csv is one table: ask for exactly one of --games, --positions, --heatmap, --structures, --by, --partition and --next";
        return Err(Failure::Usage(message.into()));
    }
    kept::check(&arguments.kept, arguments.by.len(), arguments.partition.len())?;
    let mut seek = Seek::given(&arguments.given)?;
    super::with_threads(arguments.threads, || answer_it(arguments, &mut seek))
}

fn answer_it(arguments: &Arguments, seek: &mut Seek) -> Result<()> {
    let begin = Instant::now();
    let opened = Opened::at(&arguments.corpus)?;
    let corpus = opened.corpus(Check::Scan)?;
    let open_ms = milliseconds(begin.elapsed());
    let spans = spans(&corpus);
    let wanted = Wanted {
        games: arguments.games.is_some() || arguments.save_games.is_some(),
        positions_count: true,
        heatmap: arguments.heatmap,
        structures: arguments.structures,
        positions: None,
        groups: arguments.by.iter().map(|by| (by.key.clone(), arguments.top)).collect(),
        partitions: arguments.partition.iter().map(|by| (by.key.clone(), by.rule)).collect(),
        next: arguments.next,
    };
    seek.bind(&arguments.corpus, &corpus)?;
    let seek = &*seek;
    let of = stored::of(&corpus);
    let set = arguments.within.as_deref().map(|text| stored::given(&arguments.corpus, &corpus, text)).transpose()?;
    let saved = arguments.save_games.as_deref().map(|name| stored::place(&arguments.corpus, name)).transpose()?;
    let begin = Instant::now();
    let answers = {
        let bar = progress::Scan::over(corpus.header.games);
        let answers = answer_within(&spans, &seek.query, set.as_ref(), &wanted, &bar);
        answers.map_err(|cancelled| Failure::Other(cancelled.to_string()))?
    };
    let scan = begin.elapsed();
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
    let tells = arguments.positions.is_some()
        || arguments.heatmap
        || arguments.structures.is_some()
        || arguments.next
        || !arguments.by.is_empty();
    if let (Format::Csv, true, Some(notice)) = (arguments.format, tells, notice::of_positions(&seek.tree)) {
        // A table has no place for it. If it cannot be written, the table still can.
        let _ = writeln!(std::io::stderr(), "plyfold: note: {notice}");
    }
    if let (Some(place), Some(games)) = (&saved, &answers.games) {
        stored::write(place, of, |sink| Ok(sink(games.words()).map(|()| games.count())?))?;
    }
    let within = arguments.within.as_deref().zip(set.as_ref().map(GameSet::count));
    let mut found =
        Found { arguments, seek, corpus: &corpus, spans, set, within, saved, parts: Vec::new(), answers, stats };
    found.parts = kept::keep(&found)?;
    out::write(arguments.output.as_deref(), |out| match arguments.format {
        Format::Text => text::write(out, &found),
        Format::Json => json::write(out, &found),
        Format::Csv => csv::write(out, &found),
    })
}

impl Found<'_> {
    /// The matching games that are to be listed, from 0.
    fn games(&self) -> impl Iterator<Item = u32> + '_ {
        let most = self.arguments.games.flatten().map_or(usize::MAX, |most| most as usize);
        self.answers.games.iter().flat_map(|games| games.iter()).take(most)
    }

    fn groups(&self) -> impl Iterator<Item = told::Groups> + '_ {
        self.answers.groups.iter().map(told::Groups::from)
    }

    fn partitions(&self) -> impl Iterator<Item = told::Partition> + '_ {
        let each = self.arguments.partition.iter().zip(&self.answers.partitions);
        each.map(|(by, parts)| {
            let most = if by.key.is_ordered() { usize::MAX } else { self.arguments.top };
            told::Partition::new(by.key.name(), by.rule(), parts, most)
        })
    }

    fn next(&self) -> Option<told::NextMoves> {
        self.answers.next.as_ref().map(|next| told::NextMoves::new(next, self.corpus, self.arguments.top))
    }

    /// The matching positions that are to be listed.
    fn positions(&self, form: Form) -> Stream<'_> {
        let Arguments { unique, limit, .. } = *self.arguments;
        let all = Stream::new(self.spans.clone(), &self.seek.query, form.has_fen(), unique, limit);
        all.with_hashes(form == Form::Hash).within(self.set.as_ref())
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
