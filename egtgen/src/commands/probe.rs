//! `egtgen probe`: looks up the results of positions: value, distance, every move, and the main line.

use std::io::Write;

use egtgen::prober::CachedTables;
use egtgen::{Error, Tablebase};
use plyfold_tables::material::TableMaterial;
use plyfold_tables::probe::ProbeValue;
use plyfold_tables::successors::TablePosition;
use plyfold_terminal::input::{STDIN_MARK, for_each_line};
use plyfold_terminal::table::TextTable;
use plyfold_terminal::{ReportFormat, output};
use serde::Serialize;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, FromSetup, Position, PositionError};

use crate::cli::failure::{EgtgenFailure, Result};
use crate::cli::fens::join_fens;
use crate::cli::table_folder::{TablebaseArguments, default_cache_bytes};
use crate::commands::known_position::{
    Category, Judge, KnownMove, KnownPosition, KnownValue, MainLine, check_material, table_position,
};

/// Look up positions: win, draw or loss, the distance to mate, and the best moves.
///
/// Distances are to mate with best play of both sides, in plies and in moves of the winner. There is no castling. There is no
/// fifty-move rule either, unless Syzygy tables are given: then each result also says what the rule makes of it, and how many
/// plies the next capture or pawn move is away (DTZ).
#[derive(clap::Args)]
pub struct Arguments {
    /// Positions as FEN [default, and for `-`: one from each line of standard input].
    #[arg(value_name = "FEN")]
    fens: Vec<String>,
    #[command(flatten)]
    tables: TablebaseArguments,
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
    #[serde(flatten)]
    result: ProbeResult,
    dtm_moves: Option<u16>,
    /// The moves that keep the value and the distance.
    best_moves: Vec<ProbedMove>,
    /// All moves, best first.
    moves: Vec<ProbedMove>,
    /// Best play up to mate; without a distance to mate, up to a draw by the fifty-move rule at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<Vec<String>>,
    #[serde(skip)]
    turn: Color,
}

/// A result for the side to move in the position that was asked for, as all results here.
#[derive(Clone, PartialEq, Serialize)]
struct ProbeResult {
    result: &'static str,
    /// Distance to mate; `null` for a draw, and if only Syzygy tables have the position.
    dtm_plies: Option<u32>,
    #[serde(flatten)]
    syzygy: Option<SyzygyResult>,
}

/// What Syzygy tables add.
#[derive(Clone, PartialEq, Serialize)]
struct SyzygyResult {
    category: Category,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
}

/// A move. Distances include it.
#[derive(Clone, Serialize)]
struct ProbedMove {
    san: String,
    uci: String,
    #[serde(flatten)]
    result: ProbeResult,
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
    let mut fens = join_fens(&arguments.fens);
    if fens.is_empty() {
        fens.push(STDIN_MARK.to_owned());
    }
    let tables = arguments.tables.open(default_cache_bytes(), CachedTables::open)?.tables;
    let mut probe_run = ProbeRun {
        arguments,
        tables,
        is_single: fens.len() == 1 && fens[0] != STDIN_MARK,
        number: 0,
        failed: 0,
        is_usage: false,
    };
    for fen in &fens {
        if fen == STDIN_MARK {
            for_each_line(|_, line| probe_run.answer(line))?;
        } else {
            probe_run.answer(fen)?;
        }
    }
    match probe_run.failed {
        0 => Ok(()),
        failed => Err(EgtgenFailure::unanswered(failed, probe_run.number, probe_run.is_usage)),
    }
}

/// Probes positions one after the other.
struct ProbeRun<'a> {
    arguments: &'a Arguments,
    tables: Tablebase,
    is_single: bool,
    number: u64,
    failed: u64,
    is_usage: bool,
}

impl ProbeRun<'_> {
    /// Probes a position. One of many may fail, and the next ones are probed.
    fn answer(&mut self, fen: &str) -> Result<()> {
        self.number += 1;
        let answer = match self.probe(fen) {
            Ok(answer) => answer,
            Err(failure) => {
                if self.is_single && self.arguments.format == ReportFormat::Text {
                    return Err(failure);
                }
                self.failed += 1;
                self.is_usage |= matches!(failure, EgtgenFailure::Usage(_));
                let error = FailedProbe { fen, error: failure.to_string() };
                return output::report(self.arguments.format, &error, |out| Ok(writeln!(out, "{fen}\n  {failure}\n")?));
            }
        };
        output::report(self.arguments.format, &answer, |out| write_text(out, &answer))
    }

    fn probe(&self, fen: &str) -> Result<ProbeAnswer> {
        let usage = |problem: String| EgtgenFailure::Usage(format!("`{fen}`: {problem}"));
        let position = TablePosition::from_fen(fen).map_err(|error| usage(error.to_string()))?;
        let material = position.material();
        if !self.arguments.tables.has_syzygy() {
            check_material(material).map_err(|problem| usage(format!("its material {material} {problem}")))?;
        }
        // Of one winner's tables alone, what is not known is said so. Otherwise a missing table is an error, which says how to make it.
        let missing = self.missing_winner(&position);
        let has_unknown = !self.tables.syzygy().is_empty() || missing.is_some();
        let position = with_clock(&position, fen).map_err(usage)?;
        let judge = Judge {
            ask: |position: &Chess| self.ask(position, has_unknown),
            has_fifty_moves: !self.tables.syzygy().is_empty(),
        };
        let failed = |error| self.arguments.tables.folder.failure(error);
        let known = KnownPosition::new(&position, &judge).map_err(failed)?;
        if known.standing.category == Category::Unknown {
            let name = material.canonical();
            if let Some((winner, table)) = missing {
                let (winner, other) = winner.fold_wb(("White", "Black"), ("Black", "White"));
                let missing = failed(Error::Missing(table));
                let what = format!("`{fen}`: {other} does not win, and whether {winner} wins is not known: {missing}");
                return Err(EgtgenFailure::Other(what));
            }
            let what = format!("`{fen}`: no table that is here knows {name}, or one that it converts into is missing");
            return Err(EgtgenFailure::Other(what));
        }
        let line = match self.arguments.no_line {
            true => None,
            false => Some(self.main_line(&position).map_err(failed)?),
        };
        let moves: Vec<ProbedMove> = known.moves.iter().map(|next| self.probed_move(next)).collect();
        let best = moves.iter().take_while(|next| next.result == moves[0].result).count();
        Ok(ProbeAnswer {
            fen: fen.to_owned(),
            material: material.to_string(),
            result: self.result(known.standing.category, known.standing.known),
            dtm_moves: known.standing.known.value.and_then(ProbeValue::moves),
            best_moves: moves[..best].to_vec(),
            moves,
            line,
            turn: position.turn(),
        })
    }

    /// What the tables have of a position. A missing table is an error, unless what it has may be unknown.
    fn ask(&self, position: &Chess, has_unknown: bool) -> std::result::Result<KnownValue, Error> {
        if has_unknown {
            return KnownValue::of_position(position, &self.tables);
        }
        let value = table_position(position).map(|position| self.tables.distances().value(&position)).transpose()?;
        Ok(KnownValue { value, ..KnownValue::default() })
    }

    /// The winner whose table of a position is missing, and that table, if the table of the other winner is there.
    fn missing_winner(&self, position: &TablePosition) -> Option<(Color, TableMaterial)> {
        let table = |winner: Color| winner.fold_wb(position.material(), position.material().swapped());
        let is_missing =
            |winner: Color| matches!(self.tables.distances().level(winner, position), Err(Error::Missing(_)));
        let winner = Color::ALL.into_iter().find(|winner| table(*winner).can_win() && is_missing(*winner))?;
        (table(!winner).can_win() && !is_missing(!winner)).then(|| (winner, table(winner)))
    }

    fn result(&self, category: Category, known: KnownValue) -> ProbeResult {
        let syzygy = (!self.tables.syzygy().is_empty()).then(|| SyzygyResult {
            category,
            dtz: known.dtz(),
            precise_dtz: known.precise_dtz(),
        });
        ProbeResult { result: category.outcome(), dtm_plies: known.value.and_then(ProbeValue::plies), syzygy }
    }

    /// A move with the result for the side that makes it.
    fn probed_move(&self, next: &KnownMove) -> ProbedMove {
        let before = next.known_before();
        ProbedMove {
            san: next.san.clone(),
            uci: next.played.to_uci(CastlingMode::Standard).to_string(),
            result: self.result(next.standing.category.for_opponent(), before),
            moves: before.value.and_then(ProbeValue::moves),
        }
    }

    /// Best play up to mate if the distance is known, otherwise that of Syzygy tables.
    fn main_line(&self, position: &Chess) -> std::result::Result<Vec<String>, Error> {
        let line = match MainLine::to_mate(position, &self.tables)? {
            None => MainLine::new(position, &self.tables)?,
            line => line,
        };
        Ok(line.map_or_else(Vec::new, |line| line.steps.into_iter().map(|step| step.san).collect()))
    }
}

/// The position with the halfmove clock of its FEN, which counts for the fifty-move rule.
fn with_clock(position: &TablePosition, fen: &str) -> std::result::Result<Chess, String> {
    let mut setup = position.as_chess().to_setup(EnPassantMode::Legal);
    setup.halfmoves = Fen::from_ascii(fen.trim().as_bytes()).map_or(0, |fen| fen.into_setup().halfmoves);
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|error| error.to_string())
}

fn write_text(out: &mut dyn Write, answer: &ProbeAnswer) -> Result<()> {
    writeln!(out, "{}", answer.fen)?;
    writeln!(out, "{}", sentence(answer))?;
    if !answer.moves.is_empty() {
        let has_syzygy = answer.result.syzygy.is_some();
        let mut headings = vec![("move", false), ("result", false), ("mate in", true), ("plies", true)];
        headings.extend(has_syzygy.then_some(("dtz", true)));
        let mut rows = TextTable::with_headings(&headings);
        let text = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
        for ProbedMove { san, result, moves, .. } in &answer.moves {
            let name = result.syzygy.as_ref().map_or(result.result, |syzygy| syzygy.category.name());
            let mut row = vec![san.clone(), name.to_owned(), text(moves.map(u32::from)), text(result.dtm_plies)];
            row.extend(result.syzygy.as_ref().map(|syzygy| text(syzygy.dtz.map(i32::unsigned_abs))));
            rows.push(row);
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

/// The result in words.
fn sentence(answer: &ProbeAnswer) -> String {
    let (side, other) = answer.turn.fold_wb(("White", "Black"), ("Black", "White"));
    let plural = |number: u16| if number == 1 { "move" } else { "moves" };
    let mut text = match (answer.result.result, answer.dtm_moves, answer.result.dtm_plies) {
        ("win", Some(moves), Some(plies)) => {
            format!("{side} to move wins: mate in {moves} {} ({plies} plies)", plural(moves))
        }
        ("win", ..) => format!("{side} to move wins"),
        ("loss", Some(0), _) => format!("{side} is mated"),
        ("loss", Some(moves), Some(plies)) => {
            format!("{side} to move loses: {other} mates in {moves} {} ({plies} plies)", plural(moves))
        }
        ("loss", ..) => format!("{side} to move loses"),
        _ => format!("{side} to move: draw"),
    };
    if let Some(syzygy) = &answer.result.syzygy {
        text += syzygy.category.fifty_move_note();
        if let Some(plies) = syzygy.dtz.map(i32::unsigned_abs).filter(|plies| *plies > 0) {
            let about = if syzygy.precise_dtz.is_some() { "" } else { ", perhaps one more" };
            text += &format!("; DTZ {plies}{about}");
        }
    }
    text
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
