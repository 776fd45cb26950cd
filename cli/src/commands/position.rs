//! `plyfold position`: looks up a position in the index beside the corpus.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use plyfold_core::board::Board;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{corpus_spans, game_by_id};
use plyfold_core::index::error::IndexError;
use plyfold_core::index::fen;
use plyfold_core::index::position_match::{IndexedNextMove, IndexedResults, PositionMatch, plies_with_hash};
use plyfold_core::notation::{MoveNotation, notate_move};
use plyfold_core::reduce::result_table::ResultColumn;
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath};
use plyfold_terminal::table::{TextColumn, grouped, percent, write_headings, write_row};
use plyfold_terminal::{output, printable, write_note};
use serde::Serialize;

use crate::csv_table::CsvTable;
use crate::failure::{CliFailure, Result};
use crate::game_row::GameRow;
use crate::index_file::{MappedIndex, index_path};
use crate::read_in_passing;
use crate::result_tables::{self, StreamedTable};

/// How many games are listed by default.
const MAX_GAMES_SHOWN: usize = 10;

/// Show how games continued from a position.
///
/// Reads the position index, which `plyfold index` makes, or, of PGN without one, makes it in memory. Says how many games have the position, their results, the next moves,
/// and the first of the games. Two positions are the same if they have the same placement, side to move, castling rights and legal
/// en passant captures.
#[derive(clap::Args)]
pub struct Arguments {
    /// The corpus, or PGN as `plyfold query` reads it.
    corpus: PathBuf,
    /// The position as a FEN, whose clocks are ignored. `startpos` is the normal start position.
    fen: String,
    /// List at most N games, or all without N. CSV then holds these instead of the next moves.
    #[arg(long, value_name = "N", num_args = 0..=1)]
    games: Option<Option<u64>>,
    /// Format of the output.
    #[arg(long, value_enum, default_value_t = PositionOutputFormat::Text)]
    format: PositionOutputFormat,
    /// Write the output to a file, which appears when it is complete.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
}

/// Format of the output.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PositionOutputFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For spreadsheets.
    Csv,
}

/// The result, and the object in JSON.
#[derive(Serialize)]
struct PositionReport {
    fen: String,
    games_total: u64,
    /// Games that begin with the position or reach it.
    games: u64,
    /// Games that begin with it.
    begin: u64,
    /// Games that reach it by a move.
    reach: u64,
    /// Plies after which it is on the board.
    positions: u64,
    #[serde(flatten)]
    results: GamesByResult,
    elapsed_ms: f64,
    next_moves: Vec<PositionNextMove>,
}

/// Games by result.
#[derive(Serialize)]
struct GamesByResult {
    white: u64,
    draw: u64,
    black: u64,
    unknown: u64,
}

impl From<IndexedResults> for GamesByResult {
    fn from(IndexedResults { white, draw, black, unknown }: IndexedResults) -> GamesByResult {
        GamesByResult { white, draw, black, unknown }
    }
}

/// A next move.
#[derive(Serialize)]
struct PositionNextMove {
    san: String,
    uci: String,
    games: u64,
    #[serde(flatten)]
    results: GamesByResult,
}

/// A game that has the position.
#[derive(Serialize)]
struct GameWithPosition<'a> {
    /// The first ply after which it is on the board; 0 for the start.
    ply: u32,
    #[serde(flatten)]
    facts: GameRow<'a>,
}

/// Runs the command.
///
/// # Errors
///
/// The corpus or the index cannot be read, the index is missing or out of date, or the FEN is invalid.
pub fn run(arguments: &Arguments) -> Result<()> {
    let board = match arguments.fen.trim() {
        "startpos" => Board::initial(),
        fen => {
            let board = fen::board_from_fen(fen).map_err(|error| CliFailure::Usage(error.to_string()))?;
            if !fen.contains([' ', '_']) {
                write_note("the FEN does not name the side to move, so it is White: add ` w` or ` b`");
            }
            board
        }
    };
    let place = index_path(&arguments.corpus);
    if let Some(output) = &arguments.output {
        let mut outputs = OutputPlan::new();
        outputs.reads("the corpus", &arguments.corpus);
        outputs.reads("the index", &place);
        outputs.streams("-o", output, OverwriteRule::from_force(arguments.force));
        outputs.check()?;
    }
    let opened = read_in_passing::open_one(&arguments.corpus)?;
    let corpus = opened.corpus(CorpusCheck::WithoutTexts)?;
    let index_command = format!("plyfold index {}", PrintablePath(&arguments.corpus));
    let says = |what: String| CliFailure::unsuitable(&place, what);
    let unusable = |error: IndexError| says(format!("{error} ({index_command})"));
    let missing = || says(format!("is missing: positions are looked up in an index, and `{index_command}` makes it"));
    let spans = corpus_spans(&corpus);
    let indexed = match MappedIndex::open(&place)? {
        // Games that are read in passing are indexed in passing.
        None if read_in_passing::means_games(&arguments.corpus) => MappedIndex::in_memory(&place, &corpus)?,
        found => found.ok_or_else(missing)?.map_err(unusable)?,
    };
    let index = indexed.index();
    indexed.check_covers(&opened, &corpus, &spans).map_err(unusable)?;
    let begin = Instant::now();
    let found = index.look_up(&spans, board.hash).map_err(unusable)?;
    let elapsed = begin.elapsed();
    let most = match (arguments.games, arguments.format) {
        (None, PositionOutputFormat::Csv) => 0,
        (None, _) => MAX_GAMES_SHOWN,
        (Some(most), _) => most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX)),
    };
    let list = found.game_ids().map_err(unusable)?.take(most);
    let games = list.filter_map(|id| {
        let ply = plies_with_hash(&game_by_id(&corpus, id)?, board.hash).first().copied()?;
        Some(GameWithPosition { ply: ply.0, facts: GameRow::from_game(&corpus, id)? })
    });
    let told = position_report(&board, &corpus, &found, elapsed.as_secs_f64());
    output::write(arguments.output.as_deref(), arguments.force, |out| match arguments.format {
        PositionOutputFormat::Text => printable::text(out, |out| write_text(out, &told, games)),
        PositionOutputFormat::Json => write_json(out, &told, games),
        PositionOutputFormat::Csv if arguments.games.is_some() => write_games(out, games),
        PositionOutputFormat::Csv => write_moves(out, &told.next_moves),
    })
}

fn position_report(
    board: &Board,
    corpus: &JoinedCorpus<'_>,
    found: &PositionMatch<'_>,
    seconds: f64,
) -> PositionReport {
    let next = |next: &IndexedNextMove| {
        let MoveNotation { san, uci, .. } = notate_move(board, next.mv);
        PositionNextMove { san, uci, games: next.results.games(), results: next.results.into() }
    };
    PositionReport {
        fen: board.fen().to_string(),
        games_total: corpus.header.games,
        games: found.games(),
        begin: found.started_games,
        reach: found.reached_games,
        positions: found.occurrences,
        results: found.results.into(),
        elapsed_ms: (seconds * 1e6).round() / 1e3,
        next_moves: found.next_moves.iter().map(next).collect(),
    }
}

const MOVES: &[TextColumn] = &[
    TextColumn("move", 7, false),
    TextColumn("games", 11, true),
    TextColumn("share", 7, true),
    TextColumn("White won", 9, true),
    TextColumn("drawn", 7, true),
    TextColumn("Black won", 9, true),
];

const GAMES: &[TextColumn] = &[
    TextColumn("game", 7, true),
    TextColumn("ply", 4, true),
    TextColumn("white", 22, false),
    TextColumn("elo", 4, true),
    TextColumn("black", 22, false),
    TextColumn("elo", 4, true),
    TextColumn("result", 7, false),
    TextColumn("date", 10, false),
    TextColumn("event", 26, false),
];

fn write_text<'a>(
    out: &mut dyn Write,
    report: &PositionReport,
    games: impl Iterator<Item = GameWithPosition<'a>>,
) -> Result<()> {
    writeln!(out, "{}", report.fen)?;
    let wide = grouped(report.games_total.max(report.positions)).len();
    let line = |name: &str, count: u64| format!("  {name:<10} {:>wide$}", grouped(count));
    let (all, share) = (grouped(report.games_total), percent(report.games, report.games_total));
    writeln!(out, "{} of {all}  ({share})", line("games", report.games))?;
    if report.begin > 0 {
        writeln!(out, "{}", line("begin here", report.begin))?;
        writeln!(out, "{}", line("come here", report.reach))?;
    }
    writeln!(out, "{}", line("positions", report.positions))?;
    let GamesByResult { white, draw, black, unknown } = report.results;
    for (name, count) in [("White won", white), ("drawn", draw), ("Black won", black), ("unknown", unknown)] {
        if count > 0 {
            writeln!(out, "{}  ({})", line(name, count), percent(count, report.games))?;
        }
    }
    if !report.next_moves.is_empty() {
        writeln!(out)?;
        write_headings(out, MOVES)?;
        for PositionNextMove { san, games, results, .. } in &report.next_moves {
            let of = |part: u64| percent(part, *games);
            let (share, games) = (percent(*games, report.games), grouped(*games));
            let shares = [of(results.white), of(results.draw), of(results.black)];
            write_row(out, MOVES, [san, &games, &share].into_iter().chain(&shares).map(String::as_str))?;
        }
    }
    let mut listed = 0;
    for GameWithPosition { ply, facts } in games {
        if listed == 0 {
            writeln!(out)?;
            write_headings(out, GAMES)?;
        }
        listed += 1;
        let elo = |elo: Option<u16>| elo.map_or(String::new(), |elo| elo.to_string());
        let (number, ply) = (facts.number.to_string(), ply.to_string());
        let (white_elo, black_elo) = (elo(facts.white_elo), elo(facts.black_elo));
        let GameRow { white, black, result, ref date, event, .. } = facts;
        write_row(out, GAMES, [&number, &ply, white, &white_elo, black, &black_elo, result, date, event])?;
    }
    if listed > 0 && listed < report.games {
        writeln!(out, "and {} more (--games lists all)", grouped(report.games - listed))?;
    }
    Ok(())
}

fn write_json<'a>(
    out: &mut dyn Write,
    report: &PositionReport,
    games: impl Iterator<Item = GameWithPosition<'a>>,
) -> Result<()> {
    #[derive(Serialize)]
    struct JsonReport<'t, 'a> {
        #[serde(flatten)]
        told: &'t PositionReport,
        game_list: Vec<GameWithPosition<'a>>,
    }
    Ok(output::json(out, &JsonReport { told: report, game_list: games.collect() })?)
}

fn write_moves(out: &mut dyn Write, moves: &[PositionNextMove]) -> Result<()> {
    let mut table = CsvTable::new(out);
    table.write_row(["san", "uci", "games", "white", "draw", "black", "unknown"])?;
    for PositionNextMove { san, uci, games, results } in moves {
        let GamesByResult { white, draw, black, unknown } = results;
        let numbers = [games, white, draw, black, unknown].map(u64::to_string);
        table.write_row([san, uci].into_iter().chain(&numbers))?;
    }
    Ok(table.finish()?)
}

fn write_games<'a>(out: &mut dyn Write, games: impl Iterator<Item = GameWithPosition<'a>> + 'a) -> Result<()> {
    let (mut columns, cells): (Vec<ResultColumn>, Vec<_>) = result_tables::game_columns().into_iter().unzip();
    columns.insert(1, ResultColumn::count("ply"));
    let rows = games.map(move |GameWithPosition { ply, mut facts }| {
        let mut row: Vec<_> = cells.iter().map(|cell| cell(&mut facts)).collect();
        row.insert(1, u64::from(ply).into());
        row
    });
    StreamedTable::new(columns, rows).write_csv(out)
}
