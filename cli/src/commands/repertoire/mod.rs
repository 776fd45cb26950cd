//! `plyfold repertoire`: where games leave the lines of a repertoire, and by whom.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use plyfold_core::board::make::FullState;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{corpus_spans, game_in_spans};
use plyfold_core::line_search::{LineParting, line_parting};
use plyfold_core::moves::Move;
use plyfold_core::notation::notate_move;
use plyfold_core::pgn::{LinePosition, LineTree};
use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultColumn, ResultTable};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_files::OutputPlan;
use plyfold_library::{lines_path, parse_lines, read_text_of_lines};
use plyfold_terminal::partial_output::PartialOutput;
use rayon::prelude::*;
use serde_json::json;

use super::player::games::{OwnGame, OwnScore, own_games};
use super::player::tables::{ScoreRow, by_name, ranked, score_cells, score_columns, table};
use crate::current_sets::CurrentSets;
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{self, LibraryArgument};
use crate::progress::ScanProgress;
use crate::query_argument::CommandQuery;
use crate::repertoire_lines::{line_to, with_move};
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
    /// Save the lines under a name, for conditions such as `in_repertoire @mine` and `white left @mine`.
    #[arg(long, value_name = "@NAME")]
    save: Option<LinesName>,
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

/// `@mine`, without the `@`.
#[derive(Clone)]
struct LinesName(String);

impl FromStr for LinesName {
    type Err = String;

    fn from_str(text: &str) -> Result<LinesName, String> {
        let name = text.strip_prefix('@').filter(|name| !name.is_empty());
        name.map(|name| LinesName(name.into())).ok_or_else(|| "write a name such as @mine".into())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RepertoireSide {
    White,
    Black,
}

/// The names of the tables, in the order of the report.
const SECTIONS: [&str; 4] = ["outcomes", "deviations", "holes", "players"];

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
    let text = read_text_of_lines(&arguments.lines)?;
    let saved = arguments.save.as_ref().map(|LinesName(name)| lines_path(&arguments.library.path, name)).transpose()?;
    let is_kept = |place: &PathBuf| read_text_of_lines(place).is_ok_and(|kept| kept == text);
    let saved = saved.filter(|place| !is_kept(place));
    if let Some(saved) = &saved {
        outputs.writes("--save", saved, arguments.report.overwrite_rule());
    }
    outputs.check()?;
    let lines = parse_lines(&arguments.lines, &text)?;
    super::with_threads(arguments.report.threads, || {
        let opened = arguments.library.open()?;
        let corpus = arguments.library.corpus(&opened, CorpusCheck::WithoutTexts)?;
        saved.iter().try_for_each(|place| save(place, &text))?;
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

/// Writes the lines beside the sets of the corpus.
fn save(place: &Path, text: &[u8]) -> Result<()> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).map_err(CliFailure::file(folder, "cannot be made"))?;
    }
    let mut file = PartialOutput::begin(place, true)?;
    file.write_all(text).and_then(|()| file.finish()).map_err(CliFailure::file(place, "cannot be written"))
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
fn partings(corpus: &JoinedCorpus<'_>, lines: &LineTree, games: &[OwnGame<'_>]) -> Vec<LineParting> {
    let spans = corpus_spans(corpus);
    let parting = |own: &OwnGame<'_>| match game_in_spans(&spans, own.id) {
        None => LineParting::Never,
        Some(game) => line_parting(&game, lines, &mut |_| {}),
    };
    games.par_iter().map(parting).collect()
}

/// Whether the repertoire's side made the move that left the lines, or the opponent; none if no move left them.
fn left_by_own(lines: &LineTree, game: &OwnGame<'_>, parting: &LineParting) -> Option<bool> {
    let LineParting::Left { position, .. } = parting else { return None };
    lines.get(*position).map(|position| position.board.side_to_move().is_black() == game.is_black)
}

fn report(
    arguments: &Arguments,
    corpus: &JoinedCorpus<'_>,
    lines: &LineTree,
    games: &[OwnGame<'_>],
    query: &str,
) -> Report<'static> {
    let partings = partings(corpus, lines, games);
    let of = |is_wanted: &dyn Fn(&OwnGame<'_>, &LineParting) -> bool| -> Vec<&OwnGame<'_>> {
        let chosen = games.iter().zip(&partings).filter(|(game, parting)| is_wanted(game, parting));
        chosen.map(|(game, _)| game).collect()
    };
    let left_by = |is_own: bool| of(&|game, parting| left_by_own(lines, game, parting) == Some(is_own));
    let went = |parting: LineParting| of(&|_, other| *other == parting);
    let outcomes = || {
        let row = |name: &str, games: Vec<&OwnGame<'_>>| ScoreRow {
            name: name.into(),
            score: OwnScore::of(games),
            condition: None,
        };
        table(
            "outcome",
            vec![
                row("the repertoire's side left the lines", left_by(true)),
                row("the opponent left the lines", left_by(false)),
                row("the line ended", went(LineParting::LineEnded)),
                row("the game ended within the lines", went(LineParting::Ended)),
                row("no position of the lines", went(LineParting::Never)),
            ],
        )
    };
    let moves = |is_own: bool| {
        let chosen = games.iter().zip(&partings).filter_map(|(game, parting)| match *parting {
            LineParting::Left { position, mv, .. } if left_by_own(lines, game, parting) == Some(is_own) => {
                Some((game, (position, mv)))
            }
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
                let rows = ranked(by_name(left_by(true), |game| game.name, |_| None));
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
