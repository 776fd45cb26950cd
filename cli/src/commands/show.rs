//! `plyfold show`: shows one game at one ply.

use std::io::Write;

use plyfold_core::board::Board;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{GameId, Ply, game_by_id, span_of_game};
use plyfold_core::notation::{MoveNotation, notate_game};
use plyfold_core::reduce::matching_positions::PositionSelection;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_terminal::style::Style;
use plyfold_terminal::{ReportFormat, output};
use serde::Serialize;

use crate::current_sets::CurrentSets;
use crate::endgame_tables::TablesArgument;
use crate::failure::{CliFailure, Result};
use crate::game_row::GameRow;
use crate::mapped_corpus::{LibraryArgument, require_games};
use crate::plain_words::GivenQuery;
use crate::query_argument::CommandQuery;
use crate::{diagram, game_text};

/// Lines of moves are broken before this column.
const LINE_WIDTH: usize = 80;

/// Show a game with its board at a ply.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    library: LibraryArgument,
    /// Number of the game, from 1.
    #[arg(value_name = "GAME")]
    number: u64,
    /// Show the position after this ply, 0 for the start [default: the first that matches --query, else the last].
    #[arg(long, value_name = "N")]
    ply: Option<u32>,
    /// Show the board from Black's side.
    #[arg(long)]
    flip: bool,
    /// Use letters instead of chess symbols.
    #[arg(long)]
    ascii: bool,
    /// Mark the plies whose positions match a query.
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// Mark only the evidence, if the game matches: where the conditions were fulfilled.
    #[arg(long, requires = "query")]
    evidence: bool,
    #[command(flatten)]
    tables: TablesArgument,
    /// Format of the output.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// What the command shows, and the object in JSON.
#[derive(Serialize)]
struct GameReport<'a> {
    #[serde(flatten)]
    facts: GameRow<'a>,
    ply: u32,
    fen: String,
    start_fen: String,
    /// Rank 8 first.
    board: Vec<String>,
    moves: Vec<PlyReport>,
    /// Plies that match, if there is a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    matching: Option<Vec<u32>>,
    /// What the query may not mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
    /// The original text, or one written from headers and moves; invalid UTF-8 in it is replaced.
    text: String,
}

#[derive(Serialize)]
struct PlyReport {
    ply: u32,
    /// As printed in a game score: `12.` or `12...`.
    number: String,
    san: String,
    uci: String,
}

/// Runs the command.
///
/// # Errors
///
/// The corpus cannot be read, there is no such game or ply, or the query has a mistake.
pub fn run(arguments: &Arguments) -> Result<()> {
    let tables = arguments.tables.open()?;
    let prepare = |query: CommandQuery| -> Result<CommandQuery> {
        let query = if arguments.evidence { query.with_evidence()? } else { query };
        Ok(query.with_tables(&tables))
    };
    let given = arguments.query.as_deref().map(|text| GivenQuery::new(text)?.prepared(prepare)).transpose()?;
    let opened = arguments.library.open()?;
    let corpus = arguments.library.corpus(&opened, CorpusCheck::WhenUsed)?;
    let mut command_query = given.map(|given| given.read_aloud(&corpus, prepare)).transpose()?;
    if let Some(command_query) = &mut command_query {
        command_query.asks_for_notes = arguments.format == ReportFormat::Json;
        CurrentSets::new(&arguments.library.path, &corpus).bind(command_query)?;
    }
    let games = corpus.header.games;
    let number = arguments.number;
    let missing = || CliFailure::corpus(&arguments.library.path)(CorpusError::NoSuchGame { number, games });
    let id = number.checked_sub(1).and_then(|id| u32::try_from(id).ok()).map(GameId).ok_or_else(missing)?;
    require_games(&corpus, [id])?;
    let game = game_by_id(&corpus, id).ok_or_else(missing)?;
    let facts = GameRow::from_game(&corpus, id).ok_or_else(missing)?;
    let matching =
        command_query.as_ref().map(|command_query| matching_plies(&corpus, id, command_query)).transpose()?;

    let plies = game.moves.len() as u32;
    let first_match = matching.as_ref().and_then(|plies| plies.first().copied());
    let ply = arguments.ply.or(first_match).unwrap_or(plies);
    if ply > plies {
        return Err(CliFailure::Usage(format!("game {number} has {plies} plies, so there is no ply {ply}")));
    }
    let board = game.board_at(Ply(ply));
    let text = corpus.text(id.0).map_err(CliFailure::corpus(opened.path()))?;
    let number_of = |written: &MoveNotation| {
        format!("{}{}", written.move_number, if written.color.is_white() { "." } else { "..." })
    };
    let moves = (1..).zip(notate_game(&game)).map(|(ply, written)| PlyReport {
        ply,
        number: number_of(&written),
        san: written.san,
        uci: written.uci,
    });
    let shown = GameReport {
        facts,
        ply,
        fen: board.fen().to_string(),
        start_fen: game.start_board().fen().to_string(),
        board: diagram::ranks(&board),
        moves: moves.collect(),
        matching,
        notices: command_query.map(|command_query| command_query.notes).unwrap_or_default(),
        text: String::from_utf8_lossy(&game_text::kept_or_written(&corpus, id, &text)).into_owned(),
    };
    output::report(arguments.format, &shown, |out| write_text(out, arguments, &shown, &board, games))
}

/// Plies of a game whose positions match.
fn matching_plies(corpus: &JoinedCorpus<'_>, id: GameId, command_query: &CommandQuery) -> Result<Vec<u32>> {
    let game = span_of_game(corpus, id);
    let selection = ReducerSelection { positions: Some(PositionSelection::default()), ..ReducerSelection::default() };
    let answers = run_query(game.as_slice(), &command_query.query, &selection, &())?;
    Ok(answers.positions.unwrap_or_default().into_iter().map(|position| position.ply.0).collect())
}

fn write_text(
    out: &mut dyn Write,
    arguments: &Arguments,
    report: &GameReport<'_>,
    board: &Board,
    games: u64,
) -> Result<()> {
    let GameRow { number, white, black, white_elo, black_elo, result, event, site, date, .. } = &report.facts;
    let player = |name: &str, elo: &Option<u16>| elo.map_or(name.to_owned(), |elo| format!("{name} ({elo})"));
    let place = report.facts.corpus.zip(report.facts.corpus_number);
    let place = place.map_or(String::new(), |(name, number)| format!(", {name} {number}"));
    writeln!(out, "Game {number} of {games}{place}")?;
    let (white, black) = (player(white, white_elo), player(black, black_elo));
    Style::Heading.of(|| writeln!(out, "{white} - {black}  {result}"))?;
    let known = |text: &&str| !text.is_empty() && *text != "?";
    let opening = [report.facts.eco.as_deref(), report.facts.opening].map(|part| part.unwrap_or("")).join(" ");
    let facts: Vec<&str> = [*event, *site, date.as_str(), opening.trim()].into_iter().filter(known).collect();
    writeln!(out, "{}", facts.join(", "))?;
    writeln!(out, "{} plies, ended: {}\n", report.facts.plies, report.facts.ending)?;
    match report.ply.checked_sub(1).and_then(|nth| report.moves.get(nth as usize)) {
        None => writeln!(out, "Start position")?,
        Some(PlyReport { ply, number, san, .. }) => writeln!(out, "After ply {ply}: {number} {san}")?,
    }
    writeln!(out, "{}", diagram::draw_board(board, arguments.ascii, arguments.flip))?;
    writeln!(out, "{}\n", report.fen)?;

    write_moves(out, report)?;
    if let Some(plies) = &report.matching {
        writeln!(out, "\n{} of {} positions match (*)", plies.len(), report.facts.plies)?;
    }
    Ok(())
}

/// The moves in lines, and the result. A move whose position matches has a mark, and the one that is shown stands in brackets.
fn write_moves(out: &mut dyn Write, report: &GameReport<'_>) -> Result<()> {
    let mut column = 0;
    for ply in &report.moves {
        let marked = report.matching.as_ref().is_some_and(|plies| plies.binary_search(&ply.ply).is_ok());
        let mut word = if ply.number.ends_with("...") && ply.ply > 1 {
            ply.san.clone()
        } else {
            format!("{} {}", ply.number, ply.san)
        };
        if marked {
            word.push('*');
        }
        if ply.ply == report.ply {
            word = format!("[{word}]");
        }
        if column + 1 + word.len() > LINE_WIDTH {
            writeln!(out)?;
            column = 0;
        }
        if column > 0 {
            write!(out, " ")?;
            column += 1;
        }
        column += word.len();
        let style = match (marked, ply.ply == report.ply) {
            (true, _) => Style::Match,
            (false, true) => Style::Figure,
            (false, false) => Style::Plain,
        };
        style.of(|| write!(out, "{word}"))?;
    }
    let space = if column > 0 { " " } else { "" };
    Ok(writeln!(out, "{space}{}", report.facts.result)?)
}
