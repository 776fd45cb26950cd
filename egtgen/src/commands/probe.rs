//! `egtgen probe`: what tables say of positions: the result, the distance, every move, the way to mate.

use std::io::{self, BufRead, Write};

use egtgen::prober::Tables;
use plyfold_core::table::material::{Material, Problem};
use plyfold_core::table::probe::{Choice, Prober, Value};
use plyfold_core::table::successors::Position;
use serde::Serialize;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Color};

use crate::cli::failure::{Failure, Result};
use crate::cli::fens::{INPUT, joined};
use crate::cli::kept::Kept;
use crate::cli::table::Rows;
use crate::cli::{Format, out};

/// Say what positions are worth: win, draw or loss, how far it is to mate, which moves are best.
///
/// Distances are to mate, with best play of both sides, in plies and in moves of the winner; castling and the fifty-move rule
/// do not exist.
#[derive(clap::Args)]
pub struct Arguments {
    /// The positions as FEN. Without any, or for `-`, one is read from each line of standard input.
    #[arg(value_name = "FEN")]
    fens: Vec<String>,
    #[command(flatten)]
    kept: Kept,
    /// Leave out the main line.
    #[arg(long)]
    no_line: bool,
    /// How answers are written; in JSON, an object for each position in a line of its own.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// A position that was asked about, and the object in JSON.
#[derive(Serialize)]
struct Answer {
    fen: String,
    material: String,
    /// For the side to move, as all results here.
    result: &'static str,
    /// To mate; `null` for a draw.
    dtm_plies: Option<u32>,
    dtm_moves: Option<u16>,
    /// Those that keep the result and the distance.
    best_moves: Vec<Played>,
    /// All, best first.
    moves: Vec<Played>,
    /// Best play to mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<Vec<String>>,
    #[serde(skip)]
    turn: Color,
}

/// A move; distances count from before it.
#[derive(Clone, Serialize)]
struct Played {
    san: String,
    uci: String,
    result: &'static str,
    dtm_plies: Option<u32>,
    #[serde(skip)]
    moves: Option<u16>,
}

/// Something that got no answer.
#[derive(Serialize)]
struct Unanswered<'a> {
    fen: &'a str,
    error: String,
}

/// Runs the command.
///
/// # Errors
///
/// What is no position, or in no table, if it is the only one asked about; else how many there were.
pub fn run(arguments: &Arguments) -> Result<()> {
    let fens = joined(&arguments.fens);
    let prober = Prober::new(arguments.kept.open()?);
    let mut asked =
        Asked { arguments, prober, is_one: fens.len() == 1 && fens[0] != INPUT, number: 0, failed: 0, is_usage: false };
    if fens.is_empty() {
        asked.input()?;
    }
    for fen in &fens {
        if fen == INPUT { asked.input()? } else { asked.answer(fen)? }
    }
    match asked.failed {
        0 => Ok(()),
        failed => Err(Failure::Unanswered { failed, asked: asked.number, is_usage: asked.is_usage }),
    }
}

/// Positions one after the other.
struct Asked<'a> {
    arguments: &'a Arguments,
    prober: Prober<Tables>,
    is_one: bool,
    number: u64,
    failed: u64,
    is_usage: bool,
}

impl Asked<'_> {
    /// Answers each line of standard input.
    fn input(&mut self) -> Result<()> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = io::stdin().lock().read_until(b'\n', &mut line);
            if read.map_err(|error| Failure::Other(format!("standard input cannot be read: {error}")))? == 0 {
                return Ok(());
            }
            let text = String::from_utf8_lossy(&line);
            if !text.trim().is_empty() {
                self.answer(text.trim())?;
            }
        }
    }

    /// Answers, and goes on after what cannot be answered if it is one of many.
    fn answer(&mut self, fen: &str) -> Result<()> {
        self.number += 1;
        let is_json = self.arguments.format == Format::Json;
        let answer = match self.ask(fen) {
            Ok(answer) => answer,
            Err(failure) => {
                if self.is_one && !is_json {
                    return Err(failure);
                }
                self.failed += 1;
                self.is_usage |= matches!(failure, Failure::Usage(_));
                if is_json {
                    let error = Unanswered { fen, error: failure.to_string() };
                    return out::write(|out| out::json(out, &error));
                }
                return out::write(|out| Ok(writeln!(out, "{fen}\n  {failure}\n")?));
            }
        };
        out::write(|out| if is_json { out::json(out, &answer) } else { write_text(out, &answer) })
    }

    fn ask(&self, fen: &str) -> Result<Answer> {
        let position = Position::from_fen(fen).map_err(|error| Failure::Usage(format!("`{fen}`: {error}")))?;
        let material = position.material();
        makeable(material).map_err(|problem| Failure::Usage(format!("`{fen}`: its material {material} {problem}")))?;
        let failed = |error| self.arguments.kept.failure(error);
        let value = self.prober.value(&position).map_err(failed)?;
        let choices = self.prober.choices(&position).map_err(failed)?;
        let moves: Vec<Played> = choices.iter().map(|choice| played(&position, choice)).collect();
        let best = choices.first().map_or(0, |best| choices.iter().filter(|choice| choice.value == best.value).count());
        let line = match self.arguments.no_line {
            true => None,
            false => Some(self.line(&position)?),
        };
        Ok(Answer {
            fen: fen.to_owned(),
            material: material.to_string(),
            result: result(value),
            dtm_plies: value.plies(),
            dtm_moves: value.moves(),
            best_moves: moves[..best].to_vec(),
            moves,
            line,
            turn: position.turn(),
        })
    }

    fn line(&self, position: &Position) -> Result<Vec<String>> {
        let line = self.prober.main_line(position).map_err(|error| self.arguments.kept.failure(error))?;
        let mut before = position;
        let mut sans = Vec::new();
        for choice in &line {
            sans.push(san(before, choice));
            before = &choice.after;
        }
        Ok(sans)
    }
}

/// Whether there can be tables of a material; bare kings need none.
pub(super) fn makeable(material: Material) -> std::result::Result<(), Problem> {
    match Material::parse(&material.to_string()) {
        Ok(_) => Ok(()),
        Err(error) if error.problem == Problem::OnlyKings => Ok(()),
        Err(error) => Err(error.problem),
    }
}

fn result(value: Value) -> &'static str {
    match value {
        Value::Win(_) => "win",
        Value::Draw => "draw",
        Value::Loss(_) => "loss",
    }
}

fn san(before: &Position, choice: &Choice) -> String {
    SanPlus::from_move(before.as_chess().clone(), choice.played).to_string()
}

fn played(before: &Position, choice: &Choice) -> Played {
    Played {
        san: san(before, choice),
        uci: choice.played.to_uci(CastlingMode::Standard).to_string(),
        result: result(choice.value),
        dtm_plies: choice.value.plies(),
        moves: choice.value.moves(),
    }
}

fn write_text(out: &mut dyn Write, answer: &Answer) -> Result<()> {
    writeln!(out, "{}", answer.fen)?;
    let (side, other) = answer.turn.fold_wb(("White", "Black"), ("Black", "White"));
    let plural = |number: u16| if number == 1 { "move" } else { "moves" };
    match (answer.result, answer.dtm_moves, answer.dtm_plies) {
        ("win", Some(moves), Some(plies)) => {
            writeln!(out, "{side} to move wins: mate in {moves} {} ({plies} plies)", plural(moves))?;
        }
        ("loss", Some(0), _) => writeln!(out, "{side} is mated")?,
        ("loss", Some(moves), Some(plies)) => {
            writeln!(out, "{side} to move loses: {other} mates in {moves} {} ({plies} plies)", plural(moves))?;
        }
        _ => writeln!(out, "{side} to move: a draw")?,
    }
    if !answer.moves.is_empty() {
        let mut rows = Rows::under(&[("move", false), ("result", false), ("mate in", true), ("plies", true)]);
        for played in &answer.moves {
            let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
            let moves = number(played.moves.map(u32::from));
            rows.push([played.san.clone(), played.result.to_owned(), moves, number(played.dtm_plies)]);
        }
        writeln!(out)?;
        rows.write(out)?;
    }
    if let Some(line) = answer.line.as_ref().filter(|line| !line.is_empty()) {
        writeln!(out, "\n{}", numbered(line, answer.turn))?;
    }
    writeln!(out)?;
    Ok(())
}

/// A line with the numbers of its moves.
fn numbered(line: &[String], first: Color) -> String {
    let mut text = String::new();
    let offset = usize::from(first.is_black());
    for (ply, san) in (offset..).zip(line) {
        let number = ply / 2 + 1;
        if !text.is_empty() {
            text.push(' ');
        }
        match (ply % 2, ply == offset) {
            (0, _) => text += &format!("{number}. {san}"),
            (_, true) => text += &format!("{number}... {san}"),
            _ => text += san,
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_numbered() {
        let line = ["Ra1", "Kb8", "Kb6"].map(str::to_owned);
        assert_eq!(numbered(&line, Color::White), "1. Ra1 Kb8 2. Kb6");
        assert_eq!(numbered(&line, Color::Black), "1... Ra1 2. Kb8 Kb6");
    }
}
