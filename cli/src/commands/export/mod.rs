//! `plyfold export`: writes games in their original text, and results as files for other programs.
//!
//! Games and tables are selected in the same way for every format. Each format has a file of its own here.

mod corpus;
mod pgn;
mod positions;
mod split;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::edit_list::EditsByGame;
use plyfold_core::game::{GameId, GameSpan, corpus_spans};
use plyfold_core::game_numbers::GameNumberRanges;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::output::Output;
use plyfold_core::reduce::{QueryResults, ReducerSelection, run_query_within};
use plyfold_core::tag_search::bind_tag_keys;
use plyfold_files::{OutputPlan, OverwriteRule};
use plyfold_terminal::{output, write_note};

use self::pgn::Mark;
use self::split::SplitKey;

use crate::aliases::AliasArgument;
use crate::current_sets::CurrentSets;
use crate::endgame_tables::TablesArgument;
use crate::failure::{CliFailure, Result};
use crate::game_order::{self, GameOrder};
use crate::game_rewriter::{GameRewriter, RewriteArguments};
use crate::mapped_corpus::{self, LibraryArgument};
use crate::outputs::RequestedOutputs;
use crate::pending_edits::{edits_by_game, edits_path, note_edits};
use crate::plain_words::GivenQuery;
use crate::positions::{PositionFormat, PositionStream};
use crate::query_argument::CommandQuery;
use crate::result_tables::{self, StreamedTable};
use crate::{progress, set_expression, warning};

/// Write games, positions or tables to a file that other programs read.
///
/// The games are those that match --query, are in the list of --games and are in the set of --within. As PGN, each game is its
/// own text, byte for byte as it was imported, with the edits that `plyfold edit --later` has kept. The positions are those that match --query.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// Select the games, or positions, that match a query.
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// Select games by number, from 1: `1,5-9,100-`.
    #[arg(long, value_name = "LIST")]
    games: Option<GameNumberRanges>,
    /// Select the games of a set: a file, a named set (@name), or an expression as in `plyfold sets`.
    #[arg(long, value_name = "SET")]
    within: Option<String>,
    /// Take as positions, also for --mark, only the evidence of the games that match: where the conditions were fulfilled.
    #[arg(long, requires = "query")]
    evidence: bool,
    /// What is written.
    #[arg(long, value_enum, default_value_t = Format::Pgn)]
    format: Format,
    /// Add a comment, {match} or {TEXT}, after each matching move of a game; the rest of its text stays unchanged. --mark=tb
    /// writes instead what endgame tables say: the verdict where it changes, and the moves that threw a win or a draw away.
    #[arg(
        long, value_name = "TEXT", num_args = 0..=1, require_equals = true, default_missing_value = "match", requires = "query",
    )]
    mark: Option<Mark>,
    #[command(flatten)]
    rewrite: RewriteArguments,
    #[command(flatten)]
    aliases: AliasArgument,
    /// Order of the games; of several, those that are equal in the first are in the order of the next.
    #[arg(long, value_name = "ORDERS", value_enum, value_delimiter = ',', conflicts_with = "mark")]
    order: Vec<GameOrder>,
    /// Write a file for each value of a key into the folder -o: `--split-by eco -o openings/`.
    #[arg(long, value_name = "KEY", value_enum, requires = "output", conflicts_with = "mark")]
    split_by: Option<SplitKey>,
    #[command(flatten)]
    tables: TablesArgument,
    /// Table of the matching positions: by game and ply, as FEN, both (the default), or as hashes.
    #[arg(long, value_name = "FORM", num_args = 0..=1, default_missing_value = "both")]
    positions: Option<PositionFormat>,
    /// List each distinct position only at its first occurrence (needs about 20 bytes of memory for each).
    #[arg(long)]
    unique: bool,
    /// List at most N positions.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    outputs: RequestedOutputs,
    /// At most N rows of an output [default: all].
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Write to a file, which appears when it is complete.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = super::parse_threads)]
    threads: Option<usize>,
}

const EXAMPLES: &str = "\
Example:
  plyfold export games.plyfold --query '{ queens_off and white bishop_pair }' --mark -o endings.pgn
  plyfold export games.plyfold --query 'both rook_on_seventh' --format epd --unique --limit 1000
  plyfold export games.plyfold --without comments,variations --add-tags eco,opening --order date -o plain.pgn
  plyfold export games.plyfold --query 'eco B90' --split-by white -o najdorf/
  plyfold export games.plyfold --by player --format parquet -o players.parquet
  plyfold export games.plyfold --within '@carlsen - @blitz' --format corpus -o some.plyfold";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Each game's own text with its comments and variations.
    Pgn,
    /// One position per line.
    Fen,
    /// One position per line, with clocks, players, date, game number and ply.
    Epd,
    /// The requested table, or a table of games; the first line names the columns.
    Csv,
    /// One object per line: a game with its header and text, or a row of the table.
    Json,
    /// The same table as csv, with typed columns.
    Parquet,
    /// The games as a new corpus.
    Corpus,
}

impl Format {
    fn is_table(self) -> bool {
        matches!(self, Format::Csv | Format::Json | Format::Parquet)
    }
}

impl Arguments {
    /// Whether a table is requested.
    ///
    /// # Errors
    ///
    /// The options contradict each other.
    fn asks_table(&self) -> Result<bool> {
        let usage = |message: &str| Err(CliFailure::Usage(message.into()));
        let tables = usize::from(self.positions.is_some()) + self.outputs.0.len();
        let lists_positions = matches!(self.format, Format::Fen | Format::Epd) || self.positions.is_some();
        if tables > 1 {
            let options = RequestedOutputs::options();
            return usage(&format!("a file holds one table: choose one of --positions, {options}"));
        }
        if tables == 1 && !self.format.is_table() {
            return usage("a table needs --format csv, json or parquet");
        }
        if self.mark.is_some() && self.format != Format::Pgn {
            return usage("--mark writes into the text of games: it needs --format pgn");
        }
        let writes_games = tables == 0 && matches!(self.format, Format::Pgn | Format::Json | Format::Corpus);
        if !writes_games && !self.rewrites().is_idle() {
            return usage("--without and --add-tags change the texts of games: they need --format pgn, json or corpus");
        }
        if self.split_by.is_some() && self.format != Format::Pgn {
            return usage("--split-by writes games: it needs --format pgn");
        }
        if !self.order.is_empty() && !writes_games && (tables > 0 || self.format != Format::Csv) {
            return usage("--order sorts games: it needs --format pgn, json, csv or corpus, and no table");
        }
        if (self.unique || self.limit.is_some()) && !lists_positions {
            return usage(
                "--unique and --limit apply to positions: they need --positions, --format fen or --format epd",
            );
        }
        if self.top.is_some() && self.outputs.0.is_empty() {
            return usage(&format!("--top needs one of {}", RequestedOutputs::options()));
        }
        match (self.format, &self.output) {
            (Format::Corpus, None) => usage("a corpus is a file: give its name with -o"),
            (Format::Parquet, None) if std::io::stdout().is_terminal() => {
                usage("parquet cannot be written to a terminal: give a file with -o")
            }
            _ => Ok(tables == 1),
        }
    }

    fn rewrites(&self) -> GameRewriter {
        GameRewriter::new(&self.rewrite)
    }

    /// The edits with which games are written; none for what does not write their texts, with a note.
    ///
    /// # Errors
    ///
    /// Those of [`edits_by_game`]; an edit gives a game other moves, and what is written follows from those of the corpus.
    fn edits(&self, corpus: &JoinedCorpus<'_>) -> Result<EditsByGame> {
        let path = &self.library.path;
        if !matches!(self.format, Format::Pgn | Format::Corpus) {
            note_edits(path, corpus);
            return Ok(EditsByGame::default());
        }
        let edits = edits_by_game(path, corpus)?;
        if edits.replaces_any_moves() && (self.mark.is_some() || self.rewrites().adds_tags()) {
            let what = "has edits of moves, which --mark and --add-tags do not see: write a corpus with them first, by `plyfold compact`";
            return Err(CliFailure::unsuitable(edits_path(path), what));
        }
        Ok(edits)
    }

    /// Writes the output to its file, or to standard output.
    fn write(&self, answer: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        output::write(self.output.as_deref(), self.force, answer)
    }
}

/// The values from which all formats are written.
struct Export<'a> {
    arguments: &'a Arguments,
    corpus: &'a JoinedCorpus<'a>,
    command_query: &'a CommandQuery,
    spans: Vec<GameSpan<'a>>,
    /// The games of --games and --within, if not all.
    set: Option<GameSet>,
    rewriter: GameRewriter,
}

/// Runs the command.
///
/// # Errors
///
/// The corpus or a set cannot be read, the query has a mistake, there is no such game, or the output cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    let has_table = arguments.asks_table()?;
    let prepare = |query: CommandQuery| -> Result<CommandQuery> {
        let query = if arguments.evidence { query.with_evidence()? } else { query };
        outputs(arguments, &query).check()?;
        Ok(query.with_tables(&arguments.tables.open()?))
    };
    let given = GivenQuery::new(arguments.query.as_deref().unwrap_or(""))?.prepared(prepare)?;
    super::with_threads(arguments.threads, || {
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus_without_edits(&opened, CorpusCheck::WithoutTexts)?;
        let edits = arguments.edits(&corpus)?;
        let spans = corpus_spans(&corpus);
        let mut command_query = given.read_aloud(&corpus, prepare)?;
        let aliases = arguments.aliases.read()?;
        aliases.bind(&mut command_query.query);
        let sets = CurrentSets::new(&arguments.library.path, &corpus);
        sets.bind(&mut command_query)?;
        let set = sets.chosen_games(arguments.games.as_ref(), arguments.within.as_deref())?;
        print_unknown(&command_query, &spans, set.as_ref())?;
        let rewriter = arguments.rewrites().with_aliases(aliases).with_edits(edits);
        let export = Export { arguments, corpus: &corpus, command_query: &command_query, spans, set, rewriter };
        match arguments.format {
            Format::Pgn => match arguments.split_by {
                Some(key) => split::write(&export, key),
                None => pgn::write(&export),
            },
            Format::Fen => positions::write_fens(&export),
            Format::Epd => positions::write_epds(&export),
            Format::Corpus => corpus::write(&export),
            Format::Json if !has_table => pgn::json(&export),
            Format::Csv | Format::Json | Format::Parquet if has_table => export.table(),
            Format::Csv | Format::Json | Format::Parquet => export.table_of_games(),
        }
    })
}

/// Prints how many positions the query leaves open, if it asks tables. The output has no place for it.
fn print_unknown(command_query: &CommandQuery, spans: &[GameSpan<'_>], set: Option<&GameSet>) -> Result<()> {
    let Some((query, selection)) = command_query.unknown_positions()? else { return Ok(()) };
    let found = run_query_within(spans, &query, set, &selection, &())?;
    for note in command_query.tables.notes(Some(&command_query.tables.report(&found))) {
        write_note(&note);
    }
    Ok(())
}

/// The files that the command reads and writes.
fn outputs(arguments: &Arguments, command_query: &CommandQuery) -> OutputPlan {
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
    arguments.tables.declare_inputs(&mut outputs);
    arguments.aliases.declare_inputs(&mut outputs);
    command_query.declare_set_inputs(&mut outputs, &arguments.library.path);
    outputs.reads_own("the edits", edits_path(&arguments.library.path));
    if let Some(within) = &arguments.within {
        set_expression::declare_inputs(&mut outputs, &arguments.library.path, within);
    }
    let existing = OverwriteRule::from_force(arguments.force);
    match &arguments.output {
        Some(output) if arguments.format == Format::Corpus => outputs.writes("-o", output, existing),
        // The names of the files are known when the games are.
        Some(_) if arguments.split_by.is_some() => {}
        Some(output) => outputs.streams("-o", output, existing),
        None => {}
    }
    outputs
}

impl<'a> Export<'a> {
    /// The games that match.
    fn games(&self) -> Result<GameSet> {
        if self.arguments.query.is_none() {
            return Ok(self.set.clone().unwrap_or_else(|| GameSet::all(self.corpus.header.games as u32)));
        }
        let found = self.answer(&ReducerSelection { games: true, ..ReducerSelection::default() })?;
        Ok(found.games.unwrap_or_default())
    }

    /// The games that match, in the order that is asked for.
    fn ordered_games(&self) -> Result<Vec<GameId>> {
        let mut games: Vec<GameId> = self.games()?.iter().filter(|game| self.rewriter.keeps(*game)).collect();
        game_order::sort_games(self.corpus, &self.arguments.order, &mut games);
        Ok(games)
    }

    fn answer(&self, selection: &ReducerSelection) -> Result<QueryResults> {
        let bar = progress::ScanProgress::for_games(self.corpus.header.games);
        Ok(run_query_within(&self.spans, &self.command_query.query, self.set.as_ref(), selection, &bar)?)
    }

    /// A bar for writing the output of this many games.
    fn bar(&self, games: u64) -> progress::ScanProgress {
        progress::ScanProgress::for_output(self.arguments.output.as_deref(), games)
    }

    /// The positions that match.
    fn positions(&'a self, form: PositionFormat, progress: Option<&'a progress::ScanProgress>) -> PositionStream<'a> {
        let Arguments { unique, limit, .. } = *self.arguments;
        let mut stream = PositionStream::new(&self.spans, self.command_query, self.set.as_ref(), form, (unique, limit));
        stream.progress = progress;
        stream
    }

    /// Prints the note that windows select games, if that matters. A file of positions has no place for it.
    fn print_warning(&self) {
        if let Some(notice) = warning::window_warning(self.command_query) {
            write_note(&notice);
        }
    }

    /// Writes the table of games.
    fn table_of_games(&self) -> Result<()> {
        let games = self.ordered_games()?;
        let bar = self.bar(games.len() as u64);
        self.write(result_tables::games(self.corpus, games.into_iter().inspect(|_| bar.add_games(1))))
    }

    /// Writes the requested table.
    fn table(&self) -> Result<()> {
        let Arguments { positions, outputs, top, .. } = self.arguments;
        let mut outputs = outputs.outputs((top.unwrap_or(usize::MAX), false), &self.command_query.tables.bound);
        bind_tag_keys(&mut outputs, self.corpus).map_err(CliFailure::corpus(&self.arguments.library.path))?;
        if positions.is_some() || outputs.iter().any(Output::takes_positions) {
            self.print_warning();
        }
        if let Some(form) = *positions {
            let bar = self.bar(self.corpus.header.games);
            return self.write(result_tables::positions(self.corpus, self.positions(form, Some(&bar))));
        }
        let Some(output) = outputs.pop() else { return Ok(()) };
        let found = self.answer(&ReducerSelection { positions_count: true, ..ReducerSelection::of(output) })?;
        found.outputs.first().map_or(Ok(()), |result| self.write(result.table().into()))
    }

    fn write(&self, table: StreamedTable<'_>) -> Result<()> {
        self.arguments.write(|out| match self.arguments.format {
            Format::Json => table.write_json_lines(out),
            Format::Parquet => table.write_parquet(out),
            _ => table.write_csv(out),
        })
    }
}
