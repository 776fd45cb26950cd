//! `plyfold repertoire`: where games leave the lines of a repertoire, and by whom.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::ValueEnum;
use plyfold_core::board::make::{FullState, HashOnly};
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{corpus_spans, game_in_spans};
use plyfold_core::moves::Move;
use plyfold_core::notation::notate_move;
use plyfold_core::pgn::{LinePosition, LineTree};
use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultColumn, ResultTable};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_files::OutputPlan;
use rayon::prelude::*;
use serde_json::json;

use super::player::games::{OwnGame, OwnScore, own_games};
use super::player::tables::{ScoreRow, by_name, ranked, score_cells, score_columns, table};
use crate::current_sets::CurrentSets;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{self, LibraryArgument};
use crate::progress::ScanProgress;
use crate::query_argument::CommandQuery;
use crate::repertoire_lines::{line_to, read_lines, with_move};
use crate::report::{Report, ReportArguments, ReportSection};

/// Show where games leave the lines of a repertoire: the moves of its side that the lines do not play, and the moves of opponents that they do
/// not answer.
///
/// The lines are games of a PGN file with their variations. A game leaves them at the last of their positions that it has, so an order of moves
/// that transposes does not leave them. Scores are those of the repertoire's side.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// The PGN file with the lines.
    lines: PathBuf,
    /// The side for which the repertoire is.
    #[arg(long, value_enum)]
    side: RepertoireSide,
    /// Only games in which this player, or pattern, has that side.
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only games that match a query.
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// Only moves of at least N games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    least: u64,
    #[command(flatten)]
    report: ReportArguments,
}

const EXAMPLES: &str = "\
Example:
  plyfold repertoire mine.plyfold white.pgn --side white --player 'Petrova, Eva'
  plyfold repertoire games.plyfold black.pgn --side black --query 'elo >= 2300' --section holes --least 20";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RepertoireSide {
    White,
    Black,
}

/// The names of the tables, in the order of the report.
const SECTIONS: [&str; 4] = ["outcomes", "deviations", "holes", "players"];

/// How a game and the lines went apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Parting {
    /// The game has no position of the lines.
    Never,
    /// The game ended within them.
    Ended,
    /// The line ended before the game.
    LineEnded,
    /// The repertoire's side played another move, from the position with this hash.
    Own(u64, Move),
    /// The opponent did.
    Opponent(u64, Move),
}

/// Runs the command.
///
/// # Errors
///
/// The lines, the corpus or the query cannot be read, or the output cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    arguments.report.check(&SECTIONS)?;
    let mut query = CommandQuery::new(&query_text(arguments)?)?;
    let mut outputs = OutputPlan::new();
    mapped_corpus::declare_inputs(&mut outputs, &arguments.library.path);
    outputs.reads("the file of lines", &arguments.lines);
    arguments.report.aliases.declare_inputs(&mut outputs);
    query.declare_set_inputs(&mut outputs, &arguments.library.path);
    arguments.report.declare_outputs(&mut outputs);
    outputs.check()?;
    let lines = read_lines(&arguments.lines)?;
    super::with_threads(arguments.report.threads, || {
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus(&opened, CorpusCheck::WithoutTexts)?;
        let aliases = arguments.report.aliases.read()?;
        aliases.bind(&mut query.query);
        CurrentSets::new(&arguments.library.path, &corpus).bind(&mut query)?;
        let bar = ScanProgress::for_games(corpus.header.games);
        let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
        let set = run_query(&corpus_spans(&corpus), &query.query, &selection, &bar)?.games.unwrap_or_default();
        let is_black = arguments.side == RepertoireSide::Black;
        let games = own_games(&corpus, &aliases, &set, is_black);
        arguments.report.write(report(arguments, &corpus, &lines, &games, &query.text))
    })
}

fn query_text(arguments: &Arguments) -> Result<String> {
    let side = if arguments.side == RepertoireSide::Black { "black" } else { "white" };
    let player = match arguments.player.as_deref() {
        Some(name) if name.contains('"') => {
            return Err(CliFailure::Usage(format!("{name}: a name has no quotation marks; write * in their place")));
        }
        Some(name) => Some(format!("{side} \"{name}\"")),
        None => None,
    };
    Ok(match (player, arguments.query.as_deref()) {
        (None, None) => String::new(),
        (Some(player), None) => player,
        (None, Some(query)) => query.to_owned(),
        (Some(player), Some(query)) => format!("{player} and ({query})"),
    })
}

/// How each game and the lines went apart.
fn partings(corpus: &JoinedCorpus<'_>, lines: &LineTree, games: &[OwnGame<'_>]) -> Vec<Parting> {
    let spans = corpus_spans(corpus);
    let parting = |own: &OwnGame<'_>| {
        let Some(game) = game_in_spans(&spans, own.id) else { return Parting::Never };
        let mut board = game.start_board();
        let (mut last, mut next) = (lines.get(board.hash), game.moves.first());
        for (nth, &mv) in game.moves.iter().enumerate() {
            board.make::<HashOnly>(mv);
            if let Some(position) = lines.get(board.hash) {
                (last, next) = (Some(position), game.moves.get(nth + 1));
            }
        }
        match (last, next) {
            (None, _) => Parting::Never,
            (Some(_), None) => Parting::Ended,
            (Some(position), Some(_)) if position.moves.is_empty() => Parting::LineEnded,
            (Some(position), Some(&mv)) => {
                let is_own = position.board.side_to_move().is_black() == own.is_black;
                let hash = position.board.hash;
                if is_own { Parting::Own(hash, mv) } else { Parting::Opponent(hash, mv) }
            }
        }
    };
    games.par_iter().map(parting).collect()
}

fn report(
    arguments: &Arguments,
    corpus: &JoinedCorpus<'_>,
    lines: &LineTree,
    games: &[OwnGame<'_>],
    query: &str,
) -> Report<'static> {
    let partings = partings(corpus, lines, games);
    let of = |is_wanted: fn(&Parting) -> bool| {
        games.iter().zip(&partings).filter(move |(_, parting)| is_wanted(parting)).map(|(game, _)| game)
    };
    let outcomes = || {
        let row = |name: &str, score| ScoreRow { name: name.into(), score, condition: None };
        table(
            "outcome",
            vec![
                row("the repertoire's side left the lines", OwnScore::of(of(|one| matches!(one, Parting::Own(..))))),
                row("the opponent left the lines", OwnScore::of(of(|one| matches!(one, Parting::Opponent(..))))),
                row("the line ended", OwnScore::of(of(|one| *one == Parting::LineEnded))),
                row("the game ended within the lines", OwnScore::of(of(|one| *one == Parting::Ended))),
                row("no position of the lines", OwnScore::of(of(|one| *one == Parting::Never))),
            ],
        )
    };
    let moves = |is_own: bool| {
        let chosen = games.iter().zip(&partings).filter_map(|(game, parting)| match *parting {
            Parting::Own(hash, mv) if is_own => Some((game, (hash, mv))),
            Parting::Opponent(hash, mv) if !is_own => Some((game, (hash, mv))),
            _ => None,
        });
        moves_table(lines, chosen, arguments.least)
    };
    let sections = SECTIONS.into_iter().filter(|name| arguments.report.wants(name)).map(|name| {
        let (title, is_ordered, table) = match name {
            "outcomes" => ("How games and lines went apart", true, outcomes()),
            "deviations" => ("Moves of the repertoire's side that the lines do not play", false, moves(true)),
            "holes" => ("Moves of opponents that the lines do not answer", false, moves(false)),
            _ => {
                let left = of(|one| matches!(one, Parting::Own(..)));
                let rows = ranked(by_name(left, |game| game.name, |_| None));
                ("Who left the lines on the repertoire's side", false, table("player", rows))
            }
        };
        ReportSection { name, title, is_ordered, table }
    });
    let side = if arguments.side == RepertoireSide::Black { "Black" } else { "White" };
    Report {
        title: format!("Repertoire for {side}: {}", arguments.lines.display()),
        facts: vec![
            ("query", json!(Some(query).filter(|query| !query.is_empty()))),
            ("positions_of_the_lines", json!(lines.len())),
            ("games", json!(games.len())),
        ],
        games: games.len() as u64,
        sections: sections.collect(),
    }
}

/// The moves by which games left the lines, those of most games first.
fn moves_table<'g>(
    lines: &LineTree,
    games: impl Iterator<Item = (&'g OwnGame<'g>, (u64, Move))>,
    least: u64,
) -> ResultTable<'static> {
    let mut moves: HashMap<(u64, Move), (OwnScore, u64)> = HashMap::new();
    for (game, place) in games {
        moves.entry(place).or_insert_with(|| (OwnScore::default(), game.id.number())).0.add(game);
    }
    let known = moves.into_iter().filter(|(_, (score, _))| score.games() >= least);
    let mut rows: Vec<(u64, u64, Vec<ResultCell<'static>>)> = known
        .filter_map(|((hash, mv), (score, first))| Some((score.games(), first, row(lines, (hash, mv), &score, first)?)))
        .collect();
    // No two moves have the same first game.
    rows.sort_by_key(|(games, first, _)| (std::cmp::Reverse(*games), *first));
    let mut columns = Vec::from(["line", "move", "lines_play"].map(ResultColumn::text));
    columns.extend(score_columns());
    columns.extend([ResultColumn::new(CellKind::Game, "first_game"), ResultColumn::condition("condition")]);
    ResultTable::new(columns, rows.into_iter().map(|(.., row)| row))
}

fn row(lines: &LineTree, (hash, mv): (u64, Move), score: &OwnScore, first: u64) -> Option<Vec<ResultCell<'static>>> {
    let LinePosition { board, moves, .. } = lines.get(hash)?;
    let played: Vec<String> = moves.iter().map(|&mv| notate_move(board, mv).san).collect();
    let mut after = board.clone();
    after.make::<FullState>(mv);
    let mut row: Vec<ResultCell<'static>> =
        vec![line_to(lines, hash).into(), with_move(board, "", mv).into(), played.join(", ").into()];
    row.extend(score_cells(score));
    row.extend([first.into(), format!("fen \"{}\"", after.fen()).into()]);
    Some(row)
}
