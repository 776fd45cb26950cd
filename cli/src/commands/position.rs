//! `plyfold position`: what is known of one position, from the index beside the corpus.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use plyfold_core::board::Board;
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::spans;
use plyfold_core::index::ask;
use plyfold_core::index::error::IndexError;
use plyfold_core::index::found::{Found, Next, Results, plies};
use plyfold_core::index::plan::covers;
use plyfold_core::notation::{Written, written_on};
use plyfold_files::{Existing, Outputs, Shown};
use serde::Serialize;

use crate::facts::Facts;
use crate::failure::{Failure, Result};
use crate::indexed::{Indexed, Unread, place_of};
use crate::opened::Opened;
use crate::out;
use crate::replay::game;
use crate::table::{Column, csv, grouped, headings, percent, row};

/// Games that are listed where nobody says how many.
const LISTED: usize = 10;

/// Show how games went on from a position.
///
/// Answers from the position index, which `plyfold index` makes: how many games have the position, how they ended, the next moves,
/// and the first of the games. Positions are the same if placement, side to move, castling rights and en passant, where it is legal,
/// are.
#[derive(clap::Args)]
pub struct Arguments {
    /// The corpus.
    corpus: PathBuf,
    /// The position as a FEN; clocks do not matter. `startpos` is the usual array.
    fen: String,
    /// List at most N games, all without N. In CSV these are written instead of the next moves.
    #[arg(long, value_name = "N", num_args = 0..=1)]
    games: Option<Option<u64>>,
    /// How the answer is written.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Write the answer to a file, which appears when it is whole.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
}

/// How the answer is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For reading.
    Text,
    /// For programs.
    Json,
    /// For spreadsheets.
    Csv,
}

/// The answer, and the object in JSON.
#[derive(Serialize)]
struct Told {
    fen: String,
    games_total: u64,
    /// Games that begin with the position or reach it.
    games: u64,
    /// Games that begin with it.
    begin: u64,
    /// Games that reach it after a ply.
    reach: u64,
    /// Plies after which it stands.
    positions: u64,
    #[serde(flatten)]
    results: ByResult,
    elapsed_ms: f64,
    next_moves: Vec<Move>,
}

/// Games by result.
#[derive(Serialize)]
struct ByResult {
    white: u64,
    draw: u64,
    black: u64,
    unknown: u64,
}

impl From<Results> for ByResult {
    fn from(Results { white, draw, black, unknown }: Results) -> ByResult {
        ByResult { white, draw, black, unknown }
    }
}

/// A next move.
#[derive(Serialize)]
struct Move {
    san: String,
    uci: String,
    games: u64,
    #[serde(flatten)]
    results: ByResult,
}

/// A game that has the position.
#[derive(Serialize)]
struct Having<'a> {
    /// The first ply after which it stands, 0 for the start.
    ply: u32,
    #[serde(flatten)]
    facts: Facts<'a>,
}

/// Runs the command.
///
/// # Errors
///
/// A corpus or an index that cannot be read, an index that is missing or not up to date, a FEN that is none.
pub fn run(arguments: &Arguments) -> Result<()> {
    let board = match arguments.fen.trim() {
        "startpos" => Board::initial(),
        fen => ask::board(fen).map_err(|error| Failure::Usage(error.to_string()))?,
    };
    let place = place_of(&arguments.corpus);
    if let Some(output) = &arguments.output {
        let mut outputs = Outputs::new();
        outputs.reads("the corpus", &arguments.corpus);
        outputs.reads("the index", &place);
        outputs.streams("-o", output, Existing::forced(arguments.force));
        outputs.check()?;
    }
    let opened = Opened::at(&arguments.corpus)?;
    let corpus = opened.corpus(Check::Scan)?;
    let make = format!("plyfold index {}", Shown(&arguments.corpus));
    let says = |what: String| Failure::NotThat(place.clone(), what);
    let unusable = |error: IndexError| says(format!("{error} ({make})"));
    let indexed = Indexed::at(&place)?.map_err(|unread| match unread {
        Unread::Missing => says(format!("is missing: positions are answered from an index, and `{make}` makes it")),
        Unread::Not(error) => unusable(error),
    })?;
    let (index, spans) = (indexed.index(), spans(&corpus));
    covers(&index, corpus.header.id, &spans).map_err(unusable)?;
    let begin = Instant::now();
    let found = index.find(&spans, board.hash).map_err(unusable)?;
    let elapsed = begin.elapsed();
    let most = match (arguments.games, arguments.format) {
        (None, Form::Csv) => 0,
        (None, _) => LISTED,
        (Some(most), _) => most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX)),
    };
    let list = found.list().map_err(unusable)?.take(most);
    let games = list.filter_map(|id| {
        let ply = plies(&game(&corpus, id)?, board.hash).first().copied()?;
        Some(Having { ply, facts: Facts::of(&corpus, id)? })
    });
    let told = told(&board, &corpus, &found, elapsed.as_secs_f64());
    out::write(arguments.output.as_deref(), arguments.force, |out| match arguments.format {
        Form::Text => write_text(out, &told, games),
        Form::Json => write_json(out, &told, games),
        Form::Csv if arguments.games.is_some() => write_games(out, games),
        Form::Csv => write_moves(out, &told.next_moves),
    })
}

fn told(board: &Board, corpus: &Corpus<'_>, found: &Found<'_>, seconds: f64) -> Told {
    let next = |next: &Next| {
        let Written { san, uci, .. } = written_on(board, next.mv);
        Move { san, uci, games: next.results.games(), results: next.results.into() }
    };
    Told {
        fen: board.fen().to_string(),
        games_total: corpus.header.games,
        games: found.games(),
        begin: found.begun,
        reach: found.reached,
        positions: found.occurrences,
        results: found.results.into(),
        elapsed_ms: (seconds * 1e6).round() / 1e3,
        next_moves: found.next.iter().map(next).collect(),
    }
}

const MOVES: &[Column] = &[
    Column("move", 7, false),
    Column("games", 11, true),
    Column("share", 7, true),
    Column("White won", 9, true),
    Column("drawn", 7, true),
    Column("Black won", 9, true),
];

const GAMES: &[Column] = &[
    Column("game", 7, true),
    Column("ply", 4, true),
    Column("white", 22, false),
    Column("elo", 4, true),
    Column("black", 22, false),
    Column("elo", 4, true),
    Column("result", 7, false),
    Column("date", 10, false),
    Column("event", 26, false),
];

fn write_text<'a>(out: &mut dyn Write, told: &Told, games: impl Iterator<Item = Having<'a>>) -> Result<()> {
    writeln!(out, "{}", told.fen)?;
    let wide = grouped(told.games_total.max(told.positions)).len();
    let line = |name: &str, count: u64| format!("  {name:<10} {:>wide$}", grouped(count));
    let (all, share) = (grouped(told.games_total), percent(told.games, told.games_total));
    writeln!(out, "{} of {all}  ({share})", line("games", told.games))?;
    if told.begin > 0 {
        writeln!(out, "{}", line("begin here", told.begin))?;
        writeln!(out, "{}", line("come here", told.reach))?;
    }
    writeln!(out, "{}", line("positions", told.positions))?;
    let ByResult { white, draw, black, unknown } = told.results;
    for (name, count) in [("White won", white), ("drawn", draw), ("Black won", black), ("unknown", unknown)] {
        if count > 0 {
            writeln!(out, "{}  ({})", line(name, count), percent(count, told.games))?;
        }
    }
    if !told.next_moves.is_empty() {
        writeln!(out)?;
        headings(out, MOVES)?;
        for Move { san, games, results, .. } in &told.next_moves {
            let of = |part: u64| percent(part, *games);
            let (share, games) = (percent(*games, told.games), grouped(*games));
            let shares = [of(results.white), of(results.draw), of(results.black)];
            row(out, MOVES, [san, &games, &share].into_iter().chain(&shares).map(String::as_str))?;
        }
    }
    let mut listed = 0;
    for Having { ply, facts } in games {
        if listed == 0 {
            writeln!(out)?;
            headings(out, GAMES)?;
        }
        listed += 1;
        let elo = |elo: Option<u16>| elo.map_or(String::new(), |elo| elo.to_string());
        let (number, ply) = (facts.number.to_string(), ply.to_string());
        let (white_elo, black_elo) = (elo(facts.white_elo), elo(facts.black_elo));
        let Facts { white, black, result, ref date, event, .. } = facts;
        row(out, GAMES, [&number, &ply, white, &white_elo, black, &black_elo, result, date, event])?;
    }
    if listed > 0 && listed < told.games {
        writeln!(out, "and {} more (--games lists all)", grouped(told.games - listed))?;
    }
    Ok(())
}

fn write_json<'a>(out: &mut dyn Write, told: &Told, games: impl Iterator<Item = Having<'a>>) -> Result<()> {
    #[derive(Serialize)]
    struct Whole<'t, 'a> {
        #[serde(flatten)]
        told: &'t Told,
        game_list: Vec<Having<'a>>,
    }
    serde_json::to_writer(&mut *out, &Whole { told, game_list: games.collect() })?;
    writeln!(out)?;
    Ok(())
}

fn write_moves(out: &mut dyn Write, moves: &[Move]) -> Result<()> {
    csv(out, ["san", "uci", "games", "white", "draw", "black", "unknown"])?;
    for Move { san, uci, games, results } in moves {
        let ByResult { white, draw, black, unknown } = results;
        let numbers = [games, white, draw, black, unknown].map(u64::to_string);
        csv(out, [san, uci].into_iter().chain(&numbers))?;
    }
    Ok(())
}

fn write_games<'a>(out: &mut dyn Write, games: impl Iterator<Item = Having<'a>>) -> Result<()> {
    csv(
        out,
        [
            "number",
            "ply",
            "white",
            "black",
            "white_elo",
            "black_elo",
            "result",
            "eco",
            "date",
            "event",
            "site",
            "plies",
        ],
    )?;
    for Having { ply, facts } in games {
        let elo = |elo: Option<u16>| elo.map_or(String::new(), |elo| elo.to_string());
        csv(
            out,
            [
                &facts.number.to_string(),
                &ply.to_string(),
                facts.white,
                facts.black,
                &elo(facts.white_elo),
                &elo(facts.black_elo),
                facts.result,
                facts.eco.as_deref().unwrap_or(""),
                &facts.date,
                facts.event,
                facts.site,
                &facts.plies.to_string(),
            ],
        )?;
    }
    Ok(())
}
