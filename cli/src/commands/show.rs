//! `plyfold show`: one game at one ply.

use std::io::Write;
use std::path::PathBuf;

use plyfold_core::board::Board;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::spans;
use plyfold_core::notation::{Written, written};
use plyfold_core::reduce::positions::Which;
use plyfold_core::reduce::{Wanted, answer};
use serde::Serialize;

use crate::facts::Facts;
use crate::failure::{Failure, Result};
use crate::opened::Opened;
use crate::replay::{board_at, game};
use crate::seek::Seek;
use crate::{Format, draw, out};

/// Lines of moves are broken before this column.
const WIDTH: usize = 80;

/// Show a game with its board at a ply.
#[derive(clap::Args)]
pub struct Arguments {
    /// The corpus.
    corpus: PathBuf,
    /// Number of the game, from 1.
    #[arg(value_name = "GAME")]
    number: u64,
    /// The position after this ply, 0 for the start. Without it: the first that matches --query, or the last.
    #[arg(long, value_name = "N")]
    ply: Option<u32>,
    /// Black below.
    #[arg(long)]
    flip: bool,
    /// Letters instead of chess figures.
    #[arg(long)]
    ascii: bool,
    /// Mark the plies whose positions match.
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// What is shown, and the object in JSON.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    facts: Facts<'a>,
    ply: u32,
    fen: String,
    start_fen: String,
    /// Rank 8 first.
    board: Vec<String>,
    moves: Vec<Ply>,
    /// Plies that match, if there is a query.
    #[serde(skip_serializing_if = "Option::is_none")]
    matching: Option<Vec<u32>>,
    /// The original text, what is no UTF-8 in it replaced.
    text: String,
}

#[derive(Serialize)]
struct Ply {
    ply: u32,
    /// As printed in a score: `12.` or `12...`.
    number: String,
    san: String,
    uci: String,
}

/// Runs the command.
///
/// # Errors
///
/// A corpus that cannot be read, no such game, no such ply, a mistake in the query.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut seek = arguments.query.as_deref().map(Seek::new).transpose()?;
    let opened = Opened::at(&arguments.corpus)?;
    let corpus = opened.corpus(Check::Scan)?;
    if let Some(seek) = &mut seek {
        seek.bind(&arguments.corpus, &corpus)?;
    }
    let games = corpus.header.games;
    let number = arguments.number;
    let missing = || Failure::corpus(&arguments.corpus)(CorpusError::NoSuchGame { number, games });
    let id = number.checked_sub(1).and_then(|id| u32::try_from(id).ok()).ok_or_else(missing)?;
    let game = game(&corpus, id).ok_or_else(missing)?;
    let facts = Facts::of(&corpus, id).ok_or_else(missing)?;
    let matching = seek.as_ref().map(|seek| matching(&corpus, id, seek)).transpose()?;

    let plies = game.moves.len() as u32;
    let first_match = matching.as_ref().and_then(|plies| plies.first().copied());
    let ply = arguments.ply.or(first_match).unwrap_or(plies);
    if ply > plies {
        return Err(Failure::Usage(format!("game {number} has {plies} plies, so there is no ply {ply}")));
    }
    let board = board_at(&game, ply);
    let text = corpus.text(id).map_err(Failure::corpus(opened.path()))?;
    let number_of =
        |written: &Written| format!("{}{}", written.number, if written.by.is_white() { "." } else { "..." });
    let moves = (1..).zip(written(&game)).map(|(ply, written)| Ply {
        ply,
        number: number_of(&written),
        san: written.san,
        uci: written.uci,
    });
    let shown = Shown {
        facts,
        ply,
        fen: board.fen().to_string(),
        start_fen: game.start().fen().to_string(),
        board: draw::ranks(&board),
        moves: moves.collect(),
        matching,
        text: String::from_utf8_lossy(&text).into_owned(),
    };
    out::report(arguments.format, &shown, |out| write_text(out, arguments, &shown, &board, games))
}

/// Plies of game `id` whose positions match.
fn matching(corpus: &Corpus<'_>, id: u32, seek: &Seek) -> Result<Vec<u32>> {
    let spans = spans(corpus);
    let span = spans.into_iter().find(|span| (span.first..span.first + span.len()).contains(&id));
    let game = span.and_then(|span| span.split(1).nth((id - span.first) as usize));
    let wanted = Wanted { positions: Some(Which::default()), ..Wanted::default() };
    let answers = answer(game.as_slice(), &seek.query, &wanted, &());
    let answers = answers.map_err(|cancelled| Failure::Other(cancelled.to_string()))?;
    Ok(answers.positions.unwrap_or_default().into_iter().map(|position| position.ply).collect())
}

fn write_text(out: &mut dyn Write, arguments: &Arguments, shown: &Shown<'_>, board: &Board, games: u64) -> Result<()> {
    let Facts { number, white, black, white_elo, black_elo, result, event, site, date, .. } = &shown.facts;
    let player = |name: &str, elo: &Option<u16>| elo.map_or(name.to_owned(), |elo| format!("{name} ({elo})"));
    writeln!(out, "Game {number} of {games}")?;
    writeln!(out, "{} - {}  {result}", player(white, white_elo), player(black, black_elo))?;
    let known = |text: &&str| !text.is_empty() && *text != "?";
    let eco = shown.facts.eco.as_deref().unwrap_or("");
    let facts: Vec<&str> = [*event, *site, date.as_str(), eco].into_iter().filter(known).collect();
    writeln!(out, "{}", facts.join(", "))?;
    writeln!(out, "{} plies, ended: {}\n", shown.facts.plies, shown.facts.ending)?;
    match shown.ply.checked_sub(1).and_then(|nth| shown.moves.get(nth as usize)) {
        None => writeln!(out, "Start position")?,
        Some(Ply { ply, number, san, .. }) => writeln!(out, "After ply {ply}: {number} {san}")?,
    }
    writeln!(out, "{}", draw::board(board, arguments.ascii, arguments.flip))?;
    writeln!(out, "{}\n", shown.fen)?;

    let mut line = String::new();
    for ply in &shown.moves {
        let marked = shown.matching.as_ref().is_some_and(|plies| plies.binary_search(&ply.ply).is_ok());
        let mut word = if ply.number.ends_with("...") && ply.ply > 1 {
            ply.san.clone()
        } else {
            format!("{} {}", ply.number, ply.san)
        };
        if marked {
            word.push('*');
        }
        if ply.ply == shown.ply {
            word = format!("[{word}]");
        }
        if line.len() + 1 + word.len() > WIDTH {
            writeln!(out, "{line}")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += &word;
    }
    line = if line.is_empty() { (*result).to_owned() } else { line + " " + result };
    writeln!(out, "{line}")?;
    if let Some(plies) = &shown.matching {
        writeln!(out, "\n{} of {} positions match (*)", plies.len(), shown.facts.plies)?;
    }
    Ok(())
}
