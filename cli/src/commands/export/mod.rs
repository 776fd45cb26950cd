//! `plyfold export`: games as they came, and answers as files that other programs read.
//!
//! Which games, and what of them, is said the same way whatever is written; what a format has to say of its own is a file here.

mod corpus;
mod list;
mod pgn;
mod positions;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::{Span, spans};
use plyfold_core::reduce::games::GameSet;
use plyfold_core::reduce::partition::Kept;
use plyfold_core::reduce::{Answers, Wanted, answer_within};
use plyfold_files::{Existing, Outputs};

use self::list::List;
use self::pgn::Mark;
use crate::by::{By, read_key, read_partition};
use crate::failure::{Failure, Result};
use crate::opened::Opened;
use crate::positions::{Form, Stream};
use crate::seek::Seek;
use crate::tables::{self, Table};
use crate::{notice, out, progress, stored, told};

/// Write games, positions or tables to a file that other programs read.
///
/// Games are those that match --query, are in the list of --games and in the set of --within; all without these. As PGN each is its own
/// text, byte for byte as it was imported. Positions are those that match.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The corpus.
    corpus: PathBuf,
    /// The games that match, or the positions.
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// These games, by number from 1: `1,5-9,100-`.
    #[arg(long, value_name = "LIST")]
    games: Option<List>,
    /// The games of a set: a file, a named set (@name), or an expression as `plyfold sets` has them.
    #[arg(long, value_name = "SET")]
    within: Option<String>,
    /// What is written.
    #[arg(long, value_enum, default_value_t = Format::Pgn)]
    format: Format,
    /// Put a comment behind each matching move of a game, {match} or {TEXT}; nothing else of its text is changed.
    #[arg(
        long, value_name = "TEXT", num_args = 0..=1, require_equals = true, default_missing_value = "match", requires = "query",
    )]
    mark: Option<Mark>,
    /// The table of matching positions: by game and ply, as FEN, both (this is the default), or as hashes.
    #[arg(long, value_name = "FORM", num_args = 0..=1, default_missing_value = "both")]
    positions: Option<Form>,
    /// Each different position only where it first occurs (keeps some 20 bytes for each in memory).
    #[arg(long)]
    unique: bool,
    /// At most so many positions.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// The table of where the men stand in matching positions.
    #[arg(long)]
    heatmap: bool,
    /// The table of the pawn structures of matching positions.
    #[arg(long)]
    structures: bool,
    /// The table of matching positions and their games by a key: `plyfold keys` lists them.
    #[arg(long, value_name = "KEY", value_parser = read_key)]
    by: Option<By>,
    /// The table of matching games by a key: of their last matching position, or of the first (`KEY:first`), or of all (`KEY:ever`).
    #[arg(long, value_name = "KEY[:RULE]", value_parser = read_partition)]
    partition: Option<By>,
    /// The table of how games went on from matching positions; here alone the start of a game is a position.
    #[arg(long)]
    next: bool,
    /// At most so many rows of --structures, --by, --partition and --next; all without it.
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Write to a file, which appears when it is whole.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
    /// Use so many threads; all cores without it.
    #[arg(long, value_name = "N", value_parser = super::threads)]
    threads: Option<usize>,
}

const EXAMPLES: &str = "\
Example:
  plyfold export games.plyfold --query '{ queens_off and white bishop_pair }' --mark -o endings.pgn
  plyfold export games.plyfold --query 'both rook_on_seventh' --format epd --unique --limit 1000
  plyfold export games.plyfold --by player --format parquet -o players.parquet
  plyfold export games.plyfold --within '@carlsen - @blitz' --format corpus -o some.plyfold";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Each game's own text with its comments and variations.
    Pgn,
    /// A position a line.
    Fen,
    /// A position a line, with clocks, players and date, number of the game and ply.
    Epd,
    /// A table of games, or the one that was asked for, its first line the names of the columns.
    Csv,
    /// An object a line: of games facts and text, of a table a row.
    Json,
    /// The same table as csv, its columns typed.
    Parquet,
    /// The games as a corpus of their own.
    Corpus,
}

impl Format {
    fn is_table(self) -> bool {
        matches!(self, Format::Csv | Format::Json | Format::Parquet)
    }
}

/// The table that was asked for.
#[derive(Clone, Copy)]
enum What<'a> {
    Positions(Form),
    Heatmap,
    Structures,
    By(&'a By),
    Partition(&'a By),
    Next,
}

impl Arguments {
    /// The table that was asked for, if it was one.
    ///
    /// # Errors
    ///
    /// What does not go together.
    fn what(&self) -> Result<Option<What<'_>>> {
        let usage = |message: &str| Err(Failure::Usage(message.into()));
        let wanted = [
            self.positions.map(What::Positions),
            self.heatmap.then_some(What::Heatmap),
            self.structures.then_some(What::Structures),
            self.by.as_ref().map(What::By),
            self.partition.as_ref().map(What::Partition),
            self.next.then_some(What::Next),
        ];
        let mut wanted = wanted.into_iter().flatten();
        let what = wanted.next();
        let lists_positions = matches!(self.format, Format::Fen | Format::Epd) || self.positions.is_some();
        if wanted.next().is_some() {
            return usage(
                "a file has one table: ask for one of --positions, --heatmap, --structures, --by, --partition and --next",
            );
        }
        if what.is_some() && !self.format.is_table() {
            return usage("a table is written with --format csv, json or parquet");
        }
        if self.mark.is_some() && self.format != Format::Pgn {
            return usage("--mark writes into the text of games: it goes with --format pgn");
        }
        if (self.unique || self.limit.is_some()) && !lists_positions {
            return usage("--unique and --limit are of positions: they go with --positions or --format fen or epd");
        }
        if self.top.is_some() && matches!(what, None | Some(What::Positions(_) | What::Heatmap)) {
            return usage("--top goes with --structures, --by, --partition or --next");
        }
        match (self.format, &self.output) {
            (Format::Corpus, None) => usage("a corpus is a file: name it with -o"),
            (Format::Parquet, None) if std::io::stdout().is_terminal() => {
                usage("parquet is nothing for a terminal: name a file with -o")
            }
            _ => Ok(what),
        }
    }
}

impl Arguments {
    /// Writes the answer where it is to go.
    fn write(&self, answer: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        out::write(self.output.as_deref(), self.force, answer)
    }
}

/// All that the formats write from.
struct Export<'a> {
    arguments: &'a Arguments,
    corpus: &'a Corpus<'a>,
    seek: &'a Seek,
    spans: Vec<Span<'a>>,
    /// The games of --games and --within, if not all.
    set: Option<GameSet>,
}

/// Runs the command.
///
/// # Errors
///
/// A corpus or set that cannot be read, a mistake in the query, no such game, an answer that cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let what = arguments.what()?;
    let mut seek = Seek::new(arguments.query.as_deref().unwrap_or(""))?;
    outputs(arguments, &seek).check()?;
    super::with_threads(arguments.threads, || {
        let opened = Opened::at(&arguments.corpus)?;
        let corpus = opened.corpus(Check::Scan)?;
        let spans = spans(&corpus);
        seek.bind(&arguments.corpus, &corpus)?;
        let set = chosen(arguments, &corpus)?;
        let export = Export { arguments, corpus: &corpus, seek: &seek, spans, set };
        match arguments.format {
            Format::Pgn => pgn::write(&export),
            Format::Fen => positions::fen(&export),
            Format::Epd => positions::epd(&export),
            Format::Corpus => corpus::write(&export),
            Format::Json if what.is_none() => pgn::json(&export),
            Format::Csv | Format::Json | Format::Parquet => export.table(what),
        }
    })
}

/// What is read and written.
fn outputs(arguments: &Arguments, seek: &Seek) -> Outputs {
    let mut outputs = Outputs::new();
    outputs.reads("the corpus", &arguments.corpus);
    seek.read_by(&mut outputs, &arguments.corpus);
    if let Some(within) = &arguments.within {
        stored::read_by(&mut outputs, &arguments.corpus, within);
    }
    let existing = Existing::forced(arguments.force);
    match &arguments.output {
        Some(output) if arguments.format == Format::Corpus => outputs.writes("-o", output, existing),
        Some(output) => outputs.streams("-o", output, existing),
        None => {}
    }
    outputs
}

/// The games of --games and --within.
fn chosen(arguments: &Arguments, corpus: &Corpus<'_>) -> Result<Option<GameSet>> {
    let of = stored::of(corpus);
    let listed = arguments.games.as_ref().map(|list| list.set(of.games)).transpose();
    let mut set = listed.map_err(Failure::corpus(&arguments.corpus))?;
    if let Some(text) = &arguments.within {
        let within = stored::given(&arguments.corpus, corpus, text)?;
        match &mut set {
            Some(set) => set.and(&within),
            None => set = Some(within),
        }
    }
    Ok(set)
}

impl<'a> Export<'a> {
    /// The games that match.
    fn games(&self) -> Result<GameSet> {
        if self.arguments.query.is_none() {
            return Ok(self.set.clone().unwrap_or_else(|| GameSet::all(self.corpus.header.games as u32)));
        }
        let found = self.answer(&Wanted { games: true, ..Wanted::default() })?;
        Ok(found.games.unwrap_or_default())
    }

    fn answer(&self, wanted: &Wanted) -> Result<Answers> {
        let bar = progress::Scan::over(self.corpus.header.games);
        let found = answer_within(&self.spans, &self.seek.query, self.set.as_ref(), wanted, &bar);
        found.map_err(|cancelled| Failure::Other(cancelled.to_string()))
    }

    /// A bar for writing what comes of so many games.
    fn bar(&self, games: u64) -> progress::Scan {
        progress::Scan::beside(self.arguments.output.as_deref(), games)
    }

    /// The positions that match.
    fn positions(&'a self, form: Form, bar: &'a progress::Scan) -> Stream<'a> {
        let Arguments { unique, limit, .. } = *self.arguments;
        let all = Stream::new(self.spans.clone(), &self.seek.query, form.has_fen(), unique, limit);
        all.with_hashes(form == Form::Hash)
            .with_images(self.seek.images.as_ref())
            .within(self.set.as_ref())
            .watched(bar)
    }

    /// That words about plies speak of games, where that matters: a file of positions has no place for it.
    fn notice(&self) {
        if let Some(notice) = notice::of_positions(&self.seek.tree) {
            // If it cannot be written, the answer still can.
            let _ = writeln!(std::io::stderr(), "plyfold: note: {notice}");
        }
    }

    /// A table, or that of the games.
    fn table(&self, what: Option<What<'_>>) -> Result<()> {
        let Some(what) = what else {
            let games = self.games()?;
            let bar = self.bar(games.count());
            return self.write(tables::games(self.corpus, games.iter().inspect(|_| bar.done(1))));
        };
        if !matches!(what, What::Partition(_)) {
            self.notice();
        }
        let most = self.arguments.top.unwrap_or(usize::MAX);
        let mut wanted = Wanted { positions_count: true, ..Wanted::default() };
        match what {
            What::Positions(form) => {
                let bar = self.bar(self.corpus.header.games);
                return self.write(tables::positions(self.positions(form, &bar), form));
            }
            What::Heatmap => wanted.heatmap = true,
            What::Structures => wanted.structures = Some(most),
            What::By(by) => wanted.groups.push((by.key.clone(), most)),
            What::Partition(by) => {
                wanted.partitions.push((by.key.clone(), by.rule));
                wanted.parts = Kept::Largest(0);
            }
            What::Next => wanted.next = true,
        }
        let found = self.answer(&wanted)?;
        match what {
            What::By(by) => found.groups.iter().try_for_each(|all| {
                let mut groups = told::Groups::from(all);
                groups.groups.truncate(most);
                self.write(tables::groups(groups, &by.key))
            }),
            What::Partition(by) => found.partitions.iter().try_for_each(|parts| {
                let parts = told::Partition::new(by.key.name(), by.rule(), parts, most);
                self.write(tables::partition(parts, &by.key))
            }),
            _ => {
                let heatmap = found.heatmap.as_ref().map(tables::heatmap);
                let table = heatmap.or_else(|| found.structures.as_ref().map(tables::structures));
                let next = found.next.as_ref().map(|next| told::NextMoves::new(next, self.corpus, most));
                let table = table.or_else(|| next.map(tables::next));
                table.map_or(Ok(()), |table| self.write(table))
            }
        }
    }

    fn write(&self, table: Table<'_>) -> Result<()> {
        self.arguments.write(|out| match self.arguments.format {
            Format::Json => table.json(out),
            Format::Parquet => table.parquet(out),
            _ => table.csv(out),
        })
    }
}
