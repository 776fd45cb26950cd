//! Positions asked: their value, their moves, the best line, and the map of one piece.
//!
//! Everything follows from values of single positions, so whatever gives those can be a set of tables.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use plyfold_core::table::probe::ProbeValue;
use plyfold_core::table::successors::TablePosition;
use serde::Serialize;
use shakmaty::{CastlingMode, Square};
use tsify::Tsify;

use crate::answer::Answer;
use crate::error::Failure;

/// Tables that know the value of each position of their materials.
pub trait TableSet {
    /// The value of a position for the side to move.
    ///
    /// # Errors
    /// A table is missing or damaged.
    fn value(&mut self, position: &TablePosition) -> Result<Answer<ProbeValue>, Failure>;
}

/// The value of a position for the side to move, if both sides play their best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct TableValue {
    /// What the side to move gets.
    pub result: TableResult,
    /// Moves of the winner up to mate, 0 in mate itself; null in a draw.
    pub moves: Option<u16>,
}

/// A result of the game for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum TableResult {
    /// It mates.
    Win,
    /// Nobody mates.
    Draw,
    /// It is mated.
    Loss,
}

impl From<ProbeValue> for TableValue {
    fn from(value: ProbeValue) -> TableValue {
        let result = match value {
            ProbeValue::Win(_) => TableResult::Win,
            ProbeValue::Draw => TableResult::Draw,
            ProbeValue::Loss(_) => TableResult::Loss,
        };
        TableValue { result, moves: value.moves() }
    }
}

/// A legal move and its value for the side that moves.
#[derive(Debug, Serialize, Tsify)]
pub struct TableMove {
    /// In UCI notation.
    pub uci: String,
    /// Whether it takes a piece or moves a pawn.
    pub zeroing: bool,
    /// What it leads to.
    pub value: TableValue,
}

/// A position and its moves.
#[derive(Debug, Serialize, Tsify)]
pub struct TableVerdict {
    /// The position as tables have it.
    pub fen: String,
    /// The name of its material, the stronger side first.
    pub material: String,
    /// Its value.
    pub value: TableValue,
    /// The legal moves, best first; equal ones in the order of the rules.
    pub moves: Vec<TableMove>,
}

/// The moves of best play up to mate.
#[derive(Debug, Serialize, Tsify)]
pub struct TableLine {
    /// In UCI notation; empty in a draw.
    pub moves: Vec<String>,
}

/// The values of a position with one piece elsewhere.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct TableMap {
    /// By square, from a1 to h8; null where the piece cannot stand.
    pub squares: Vec<Option<TableValue>>,
    /// Names of missing tables, which would know some of the others.
    pub missing: Vec<String>,
}

/// The values of several positions.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct TableValues {
    /// In their order; null where no table can know the position.
    pub values: Vec<Option<TableValue>>,
    /// Names of missing tables, which would know some of the others.
    pub missing: Vec<String>,
}

/// Reads a position that tables may know.
fn read(fen: &str) -> Result<TablePosition, Failure> {
    Ok(TablePosition::from_fen(fen)?)
}

/// The value before a move, for the side that moves, given the value after it for the other side.
fn before(after: ProbeValue) -> ProbeValue {
    match after {
        ProbeValue::Win(moves) => ProbeValue::Loss(moves),
        ProbeValue::Draw => ProbeValue::Draw,
        ProbeValue::Loss(moves) => ProbeValue::Win(moves + 1),
    }
}

/// The moves of a position, best first, with the positions after them.
///
/// Among equal moves, the winner prefers one that takes or moves a pawn, and the loser one that does not, as on Lichess.
fn moves(
    tables: &mut impl TableSet,
    position: &TablePosition,
) -> Result<Answer<Vec<(TableMove, TablePosition)>>, Failure> {
    let rated = Answer::all(position.successors().map(|(played, after)| {
        let answer = tables.value(&after)?;
        Ok(answer.map(|value| (before(value), played, after)))
    }))?;
    Ok(rated.map(|mut rated| {
        rated.sort_by_key(|(value, played, _)| {
            (Reverse(*value), played.is_zeroing() != matches!(value, ProbeValue::Win(_)))
        });
        let plain = |(value, played, after): (ProbeValue, shakmaty::Move, TablePosition)| {
            let uci = played.to_uci(CastlingMode::Standard).to_string();
            (TableMove { uci, zeroing: played.is_zeroing(), value: value.into() }, after)
        };
        rated.into_iter().map(plain).collect()
    }))
}

/// The value of a position and of its moves.
///
/// # Errors
/// The text is no position that tables know; a table is missing or damaged.
pub fn verdict(tables: &mut impl TableSet, fen: &str) -> Result<Answer<TableVerdict>, Failure> {
    let position = read(fen)?;
    let value = match tables.value(&position)? {
        Answer::Known(value) => value,
        // The moves need most of the same bytes, so both are fetched in one round.
        Answer::Needs(mut needs) => {
            if let Answer::Needs(more) = moves(tables, &position)? {
                needs.extend(more.into_iter().filter(|need| !needs.contains(need)).collect::<Vec<_>>());
            }
            return Ok(Answer::Needs(needs));
        }
    };
    Ok(moves(tables, &position)?.map(|moves| TableVerdict {
        fen: position.to_string(),
        material: position.material().canonical().to_string(),
        value: value.into(),
        moves: moves.into_iter().map(|(played, _)| played).collect(),
    }))
}

/// Best play of both sides up to mate.
///
/// # Errors
/// As [`verdict`].
pub fn line(tables: &mut impl TableSet, fen: &str) -> Result<Answer<TableLine>, Failure> {
    let mut position = read(fen)?;
    let mut line = Vec::new();
    // No table has a win that is longer.
    while line.len() < usize::from(u16::MAX) {
        let best = match moves(tables, &position)? {
            Answer::Known(moves) => moves.into_iter().next(),
            Answer::Needs(needs) => return Ok(Answer::Needs(needs)),
        };
        let Some((played, after)) = best.filter(|(played, _)| played.value.moves.is_some()) else { break };
        line.push(played.uci);
        position = after;
    }
    Ok(Answer::Known(TableLine { moves: line }))
}

/// The positions with the piece of a square on every square, from 0 for a1 to 63 for h8; `None` where it cannot stand.
///
/// # Errors
/// The text is no position that tables know; the square is empty.
pub fn elsewhere(fen: &str, square: u32) -> Result<impl Iterator<Item = Option<TablePosition>> + use<>, Failure> {
    let position = read(fen)?;
    let mut board = position.board().clone();
    let from = Square::try_from(square).map_err(|error| Failure::new("bad-input", error))?;
    let piece =
        board.remove_piece_at(from).ok_or_else(|| Failure::new("bad-input", "there is no piece on this square"))?;
    let placed = move |to: Square| {
        let mut moved = board.clone();
        if moved.occupied().contains(to) {
            return None;
        }
        moved.set_piece_at(to, piece);
        TablePosition::from_board(moved, position.turn(), None).ok()
    };
    Ok(Square::ALL.into_iter().map(placed))
}

/// The values of the position with the piece of a square on every square.
///
/// # Errors
/// As [`verdict`]; the square is empty.
pub fn map(tables: &mut impl TableSet, fen: &str, square: u32) -> Result<Answer<TableMap>, Failure> {
    Ok(values(tables, elsewhere(fen, square)?)?.map(|(squares, missing)| TableMap { squares, missing }))
}

/// The position after a move in UCI notation.
///
/// # Errors
/// The text is no position that tables know; the move is not legal.
pub fn after(fen: &str, uci: &str) -> Result<TablePosition, Failure> {
    let position = read(fen)?;
    let found = position.successors().find(|(played, _)| played.to_uci(CastlingMode::Standard).to_string() == uci);
    found.map(|(_, after)| after).ok_or_else(|| Failure::new("bad-input", format!("{uci} is not a legal move here")))
}

/// The values of positions; null for those that no table can know.
///
/// # Errors
/// A table is damaged. A missing one makes its positions null.
pub fn values_of(tables: &mut impl TableSet, fens: &[String]) -> Result<Answer<TableValues>, Failure> {
    let positions = fens.iter().map(|fen| TablePosition::from_fen(fen).ok());
    Ok(values(tables, positions)?.map(|(values, missing)| TableValues { values, missing }))
}

/// The values of positions, and the names of the tables that are missing for some of them.
fn values(
    tables: &mut impl TableSet,
    positions: impl Iterator<Item = Option<TablePosition>>,
) -> Result<Answer<(Vec<Option<TableValue>>, Vec<String>)>, Failure> {
    let mut missing = BTreeSet::new();
    let answers = Answer::all(positions.map(|position| {
        let Some(position) = position else { return Ok(Answer::Known(None)) };
        match tables.value(&position) {
            Ok(answer) => Ok(answer.map(|value| Some(value.into()))),
            Err(failure) => {
                missing.insert(failure.into_missing()?);
                Ok(Answer::Known(None))
            }
        }
    }))?;
    Ok(answers.map(|values| (values, missing.into_iter().collect())))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use egtgen::{CachedTables, Error, MemoryLibrary, Prober};

    use shakmaty::Position as _;

    use super::*;
    use crate::answer::Need;

    const ROOK: &str = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";

    /// Tables in memory, each of which must first be asked for if `asks`.
    struct Slow {
        tables: CachedTables,
        asks: bool,
        supplied: Vec<Need>,
    }

    impl TableSet for Slow {
        fn value(&mut self, position: &TablePosition) -> Result<Answer<ProbeValue>, Failure> {
            let need = Need { table: position.material().to_string(), offset: 0, length: 64 };
            if self.asks && position.material().men() > 2 && !self.supplied.contains(&need) {
                return Ok(Answer::Needs(vec![need]));
            }
            Ok(Answer::Known(Prober::new(&self.tables).value(position)?))
        }
    }

    fn slow(names: &[&str], asks: bool) -> Slow {
        let materials: Vec<_> = names.iter().map(|name| name.parse().expect("a material")).collect();
        let library = MemoryLibrary::generate(&materials, &AtomicBool::new(false)).expect("tables");
        Slow { tables: CachedTables::new(Box::new(library), 1 << 24), asks, supplied: Vec::new() }
    }

    fn known<T>(answer: Result<Answer<T>, Failure>) -> T {
        match answer {
            Ok(Answer::Known(result)) => result,
            Ok(Answer::Needs(needs)) => panic!("{needs:?} were not supplied"),
            Err(failure) => panic!("{failure:?}"),
        }
    }

    #[test]
    fn moves_are_those_of_the_prober_and_the_line_ends_in_mate() {
        let mut tables = slow(&["KRvK", "KPvK"], false);
        for fen in [ROOK, "8/8/8/8/8/2k5/1R6/K7 b - - 0 1", "8/4P3/8/8/8/8/1k6/3K4 w - - 0 1"] {
            let position = read(fen).expect("a position");
            let found = known(verdict(&mut tables, fen));
            let rated = Prober::new(&tables.tables).rated_moves(&position).expect("tables");
            let expected: Vec<TableValue> = rated.iter().map(|rated| rated.value.into()).collect();
            assert_eq!(found.moves.iter().map(|played| played.value).collect::<Vec<_>>(), expected, "{fen}");
            assert_eq!(found.moves.first().map(|best| best.value), Some(found.value), "{fen}");
            let line = known(line(&mut tables, fen)).moves;
            let end = line.iter().fold(fen.to_owned(), |fen, uci| after(&fen, uci).expect("a move").to_string());
            match found.value.moves {
                Some(_) => assert!(read(&end).expect("a position").as_chess().legal_moves().is_empty(), "{end}"),
                None => assert!(line.is_empty(), "{fen}"),
            }
        }
    }

    #[test]
    fn a_map_has_the_value_of_each_square() {
        let mut tables = slow(&["KRvK"], false);
        let map = known(map(&mut tables, ROOK, 9));
        assert_eq!(map.squares.len(), 64);
        for (square, value) in (0..).zip(&map.squares) {
            let mut board = read(ROOK).expect("a position").board().clone();
            let rook = board.remove_piece_at(Square::B2).expect("the rook");
            let is_free = board.piece_at(Square::new(square)).is_none();
            board.set_piece_at(Square::new(square), rook);
            let position = TablePosition::from_board(board, shakmaty::Color::White, None).ok().filter(|_| is_free);
            let alone = position.map(|position| Prober::new(&tables.tables).value(&position).expect("a table").into());
            assert_eq!(*value, alone, "{square}");
        }
        assert!(elsewhere(ROOK, 63).is_err() && elsewhere(ROOK, 64).is_err());
    }

    #[test]
    fn what_is_needed_is_asked_for_in_one_round() {
        let mut tables = slow(&["KRvK"], true);
        let Ok(Answer::Needs(needs)) = verdict(&mut tables, ROOK) else { panic!("it knows without bytes") };
        assert_eq!(needs, [Need { table: "KRvK".into(), offset: 0, length: 64 }]);
        tables.supplied = needs;
        assert_eq!(known(verdict(&mut tables, ROOK)).value.moves, Some(16));
    }

    #[test]
    fn missing_tables_are_named() {
        let mut tables = slow(&["KRvK"], false);
        let fens = [ROOK, "8/8/8/8/8/2k5/1N6/K7 w - - 0 1", "no position"].map(str::to_owned);
        let found = known(values_of(&mut tables, &fens));
        assert_eq!(found.values.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!(found.missing, ["KNvK"]);
        let failure = verdict(&mut tables, &fens[1]).expect_err("no table");
        assert_eq!(failure.into_missing().ok().as_deref(), Some("KNvK"));
        assert!(Failure::from(Error::Stopped).into_missing().is_err());
    }
}
