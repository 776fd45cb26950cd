//! `plyfold tree`: what was played from a position on, as PGN with variations, as a Polyglot book, or as JSON.

mod json;
mod pgn;
mod polyglot;

use std::path::PathBuf;

use clap::ValueEnum;
use plyfold_core::board::Board;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::index::fen::board_from_fen;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::opening_tree::{OpeningTree, TreeCounts, TreeRequest, TreeSketch};
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use plyfold_files::{OutputPlan, OverwriteRule, is_standard_output};
use plyfold_terminal::{output, write_note};
use rayon::prelude::*;

use crate::aliases::AliasArgument;
use crate::current_sets::CurrentSets;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{self, LibraryArgument};
use crate::plain_words::GivenQuery;
use crate::progress::ScanProgress;
use crate::query_argument::CommandQuery;

/// Write what was played from a position on as a tree.
///
/// The games are those that match the query. Positions that arise by several orders of moves are joined: each move counts all games that
/// played it there.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// The query that selects the games; '' takes all of them.
    #[arg(default_value = "")]
    query: String,
    /// The position from which the tree grows, as a FEN.
    #[arg(long, value_name = "FEN", default_value = "startpos")]
    position: String,
    /// Go at most N plies from there.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=200))]
    depth: u16,
    /// A move has at least N games.
    #[arg(long, value_name = "N", default_value_t = 10)]
    least: u32,
    #[command(flatten)]
    aliases: AliasArgument,
    /// What is written.
    #[arg(long, value_enum, default_value_t = TreeFormat::Pgn)]
    format: TreeFormat,
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
  plyfold tree games.plyfold 'white \"Carlsen*\"' --depth 16 --least 20 -o carlsen.pgn
  plyfold tree games.plyfold --position 'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -' -o sicilian.pgn
  plyfold tree games.plyfold 'elo >= 2500' --format polyglot -o strong.bin";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TreeFormat {
    /// One game with variations; a comment has the games and scores of each move.
    Pgn,
    /// A book for engines; a move's weight is two for each win of its player and one for each draw.
    Polyglot,
    /// The positions and their moves.
    Json,
}

/// Runs the command.
///
/// # Errors
///
/// The query or the position has a mistake, the corpus cannot be read, or the output cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.format == TreeFormat::Polyglot && arguments.output.as_deref().is_none_or(is_standard_output) {
        return Err(CliFailure::Usage("a Polyglot book is a file: give its name with -o".into()));
    }
    let root = read_position(&arguments.position)?;
    let prepare = |query: CommandQuery| -> Result<CommandQuery> {
        outputs(arguments, &query).check()?;
        Ok(query)
    };
    let given = GivenQuery::new(&arguments.query)?.prepared(prepare)?;
    super::with_threads(arguments.threads, || {
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus(&opened, CorpusCheck::WithoutTexts)?;
        let mut command_query = given.read_aloud(&corpus, prepare)?;
        arguments.aliases.read()?.bind(&mut command_query.query);
        CurrentSets::new(&arguments.library.path, &corpus).bind(&mut command_query)?;
        let request = TreeRequest { root, depth: arguments.depth, least_games: arguments.least };
        let tree = make_tree(&corpus, &command_query, &request)?;
        if tree[0].moves.is_empty() {
            let least = arguments.least;
            write_note(&format!("no move from this position has {least} games: --least takes fewer"));
        }
        output::write(arguments.output.as_deref(), arguments.force, |out| match arguments.format {
            TreeFormat::Pgn => pgn::write(out, &tree, &command_query.text),
            TreeFormat::Polyglot => polyglot::write(out, &tree),
            TreeFormat::Json => json::write(out, &tree),
        })
    })
}

fn read_position(text: &str) -> Result<Board> {
    match text.trim() {
        "startpos" => Ok(Board::initial()),
        fen => board_from_fen(fen).map_err(|error| CliFailure::Usage(format!("--position: {error}"))),
    }
}

fn outputs(arguments: &Arguments, query: &CommandQuery) -> OutputPlan {
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
    arguments.aliases.declare_inputs(&mut outputs);
    query.declare_set_inputs(&mut outputs, &arguments.library.path);
    if let Some(output) = &arguments.output {
        outputs.streams("-o", output, OverwriteRule::from_force(arguments.force));
    }
    outputs
}

/// The tree of the games that match and have the root.
fn make_tree(corpus: &JoinedCorpus<'_>, query: &CommandQuery, request: &TreeRequest) -> Result<OpeningTree> {
    let spans = corpus_spans(corpus);
    let matching = games(corpus, &spans, query)?;
    let root = CommandQuery::new(&format!("fen \"{}\"", request.root.fen()))?;
    // A position other than the start is found by the scan, which leaves out games that cannot have it.
    let games = match request.root.hash == Board::initial().hash {
        true => matching,
        false => {
            let mut games = games(corpus, &spans, &root)?;
            games.and(&matching);
            games
        }
    };
    Ok(tree_of(&spans, &games, request))
}

/// The tree of these games, each of which has the root.
pub(in crate::commands) fn tree_of(spans: &[GameSpan<'_>], games: &GameSet, request: &TreeRequest) -> OpeningTree {
    /// Games that a thread follows at a time.
    const CHUNK: u32 = 1024;
    let chunks: Vec<GameSpan<'_>> = spans.iter().flat_map(|span| span.split(CHUNK)).collect();
    let sketch = TreeSketch::new(request, games.count());
    chunks.par_iter().for_each(|span| sketch.look_at(span, games));
    let counts =
        chunks.par_iter().map(|span| sketch.count(span, games)).reduce(TreeCounts::default, |mut one, other| {
            one.merge(other);
            one
        });
    counts.into_tree(request)
}

/// The games that match.
fn games(corpus: &JoinedCorpus<'_>, spans: &[GameSpan<'_>], query: &CommandQuery) -> Result<GameSet> {
    if query.text.is_empty() {
        return Ok(GameSet::all(corpus.header.games as u32));
    }
    let bar = ScanProgress::for_games(corpus.header.games);
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let found = run_query_within(spans, &query.query, None, &selection, &bar)?;
    Ok(found.games.unwrap_or_default())
}
