//! `egtgen probe`: the results of positions: value, distance, every move, and the main line.

use std::io::{self, BufRead, Write};

use egtgen::prober::CachedTables;
use plyfold_core::table::material::{MaterialProblem, TableMaterial};
use plyfold_core::table::probe::{ProbeValue, Prober, RatedMove};
use plyfold_core::table::successors::TablePosition;
use serde::Serialize;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Color};

use crate::cli::failure::{EgtgenFailure, Result};
use crate::cli::fens::{STDIN_MARK, join_fens};
use crate::cli::table::TextTable;
use crate::cli::table_folder::TableFolderArgument;
use crate::cli::{ReportFormat, out};

/// Look up positions: win, draw or loss, the distance to mate, and the best moves.
///
/// Distances are to mate with best play of both sides, in plies and in moves of the winner. There is no castling and no
/// fifty-move rule.
#[derive(clap::Args)]
pub struct Arguments {
    /// Positions as FEN [default, and for `-`: one from each line of standard input].
    #[arg(value_name = "FEN")]
    fens: Vec<String>,
    #[command(flatten)]
    folder: TableFolderArgument,
    /// Leave out the main line.
    #[arg(long)]
    no_line: bool,
    /// Format of the output; JSON has one object per line.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// The result of a position, and the JSON object.
#[derive(Serialize)]
struct ProbeAnswer {
    fen: String,
    material: String,
    /// The value for the side to move, as all values here.
    result: &'static str,
    /// Distance to mate; `null` for a draw.
    dtm_plies: Option<u32>,
    dtm_moves: Option<u16>,
    /// The moves that keep the value and the distance.
    best_moves: Vec<ProbedMove>,
    /// All moves, best first.
    moves: Vec<ProbedMove>,
    /// Best play up to mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<Vec<String>>,
    #[serde(skip)]
    turn: Color,
}

/// A move. Distances include it.
#[derive(Clone, Serialize)]
struct ProbedMove {
    san: String,
    uci: String,
    result: &'static str,
    dtm_plies: Option<u32>,
    #[serde(skip)]
    moves: Option<u16>,
}

/// A position without a result.
#[derive(Serialize)]
struct FailedProbe<'a> {
    fen: &'a str,
    error: String,
}

/// Runs the command.
///
/// # Errors
///
/// A single position that is wrong or in no table; of many positions, the number of those without a result.
pub fn run(arguments: &Arguments) -> Result<()> {
    let fens = join_fens(&arguments.fens);
    let prober = Prober::new(arguments.folder.open()?);
    let mut probe_run = ProbeRun {
        arguments,
        prober,
        is_single: fens.len() == 1 && fens[0] != STDIN_MARK,
        number: 0,
        failed: 0,
        is_usage: false,
    };
    if fens.is_empty() {
        probe_run.answer_input()?;
    }
    for fen in &fens {
        if fen == STDIN_MARK { probe_run.answer_input()? } else { probe_run.answer(fen)? }
    }
    match probe_run.failed {
        0 => Ok(()),
        failed => Err(EgtgenFailure::Unanswered { failed, asked: probe_run.number, is_usage: probe_run.is_usage }),
    }
}

/// Probes positions one after the other.
struct ProbeRun<'a> {
    arguments: &'a Arguments,
    prober: Prober<CachedTables>,
    is_single: bool,
    number: u64,
    failed: u64,
    is_usage: bool,
}

impl ProbeRun<'_> {
    /// Probes each line of standard input.
    fn answer_input(&mut self) -> Result<()> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = io::stdin().lock().read_until(b'\n', &mut line);
            if read.map_err(|error| EgtgenFailure::Other(format!("standard input cannot be read: {error}")))? == 0 {
                return Ok(());
            }
            let text = String::from_utf8_lossy(&line);
            if !text.trim().is_empty() {
                self.answer(text.trim())?;
            }
        }
    }

    /// Probes a position. One of many may fail, and the next ones are probed.
    fn answer(&mut self, fen: &str) -> Result<()> {
        self.number += 1;
        let is_json = self.arguments.format == ReportFormat::Json;
        let answer = match self.probe(fen) {
            Ok(answer) => answer,
            Err(failure) => {
                if self.is_single && !is_json {
                    return Err(failure);
                }
                self.failed += 1;
                self.is_usage |= matches!(failure, EgtgenFailure::Usage(_));
                if is_json {
                    let error = FailedProbe { fen, error: failure.to_string() };
                    return out::write(|out| out::json(out, &error));
                }
                return out::write(|out| Ok(writeln!(out, "{fen}\n  {failure}\n")?));
            }
        };
        out::write(|out| if is_json { out::json(out, &answer) } else { write_text(out, &answer) })
    }

    fn probe(&self, fen: &str) -> Result<ProbeAnswer> {
        let position =
            TablePosition::from_fen(fen).map_err(|error| EgtgenFailure::Usage(format!("`{fen}`: {error}")))?;
        let material = position.material();
        check_material(material)
            .map_err(|problem| EgtgenFailure::Usage(format!("`{fen}`: its material {material} {problem}")))?;
        let failed = |error| self.arguments.folder.failure(error);
        let value = self.prober.value(&position).map_err(failed)?;
        let choices = self.prober.rated_moves(&position).map_err(failed)?;
        let moves: Vec<ProbedMove> = choices.iter().map(|choice| probed_move(&position, choice)).collect();
        let best = choices.first().map_or(0, |best| choices.iter().filter(|choice| choice.value == best.value).count());
        let line = match self.arguments.no_line {
            true => None,
            false => Some(self.main_line(&position)?),
        };
        Ok(ProbeAnswer {
            fen: fen.to_owned(),
            material: material.to_string(),
            result: result_name(value),
            dtm_plies: value.plies(),
            dtm_moves: value.moves(),
            best_moves: moves[..best].to_vec(),
            moves,
            line,
            turn: position.turn(),
        })
    }

    fn main_line(&self, position: &TablePosition) -> Result<Vec<String>> {
        let line = self.prober.main_line(position).map_err(|error| self.arguments.folder.failure(error))?;
        let mut before = position;
        let mut sans = Vec::new();
        for choice in &line {
            sans.push(san(before, choice));
            before = &choice.after;
        }
        Ok(sans)
    }
}

/// Checks that a material can have tables; lone kings need none.
pub(super) fn check_material(material: TableMaterial) -> std::result::Result<(), MaterialProblem> {
    match TableMaterial::parse(&material.to_string()) {
        Ok(_) => Ok(()),
        Err(error) if error.problem == MaterialProblem::OnlyKings => Ok(()),
        Err(error) => Err(error.problem),
    }
}

fn result_name(value: ProbeValue) -> &'static str {
    match value {
        ProbeValue::Win(_) => "win",
        ProbeValue::Draw => "draw",
        ProbeValue::Loss(_) => "loss",
    }
}

fn san(before: &TablePosition, choice: &RatedMove) -> String {
    SanPlus::from_move(before.as_chess().clone(), choice.played).to_string()
}

fn probed_move(before: &TablePosition, choice: &RatedMove) -> ProbedMove {
    ProbedMove {
        san: san(before, choice),
        uci: choice.played.to_uci(CastlingMode::Standard).to_string(),
        result: result_name(choice.value),
        dtm_plies: choice.value.plies(),
        moves: choice.value.moves(),
    }
}

fn write_text(out: &mut dyn Write, answer: &ProbeAnswer) -> Result<()> {
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
        _ => writeln!(out, "{side} to move: draw")?,
    }
    if !answer.moves.is_empty() {
        let mut rows =
            TextTable::with_headings(&[("move", false), ("result", false), ("mate in", true), ("plies", true)]);
        for played in &answer.moves {
            let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
            let moves = number(played.moves.map(u32::from));
            rows.push([played.san.clone(), played.result.to_owned(), moves, number(played.dtm_plies)]);
        }
        writeln!(out)?;
        rows.write(out)?;
    }
    if let Some(line) = answer.line.as_ref().filter(|line| !line.is_empty()) {
        writeln!(out, "\n{}", number_moves(line, answer.turn))?;
    }
    writeln!(out)?;
    Ok(())
}

/// The main line with move numbers.
fn number_moves(line: &[String], first: Color) -> String {
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
        assert_eq!(number_moves(&line, Color::White), "1. Ra1 Kb8 2. Kb6");
        assert_eq!(number_moves(&line, Color::Black), "1... Ra1 2. Kb8 Kb6");
    }
}
