//! Positions asked: their value, their moves, the best line, and the map of one piece.

use std::cmp::Reverse;

use plyfold_tables::packed::tables::{Answer, PackedTables};
use plyfold_tables::probe::ProbeValue;
use plyfold_tables::successors::TablePosition;
use serde::Serialize;
use shakmaty::{CastlingMode, Square};
use tsify::Tsify;

use crate::error::Failure;

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
}

/// The values of several positions.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct TableValues {
    /// In their order; null where no table can know the position.
    pub values: Vec<Option<TableValue>>,
}

/// Reads a position that tables may know.
fn read(fen: &str) -> Result<TablePosition, Failure> {
    Ok(TablePosition::from_fen(fen)?)
}

/// A position, its value and its moves, best first, with the positions after them.
struct Rated {
    value: ProbeValue,
    moves: Vec<(TableMove, TablePosition)>,
}

/// Asks for the value of a position and of all its moves, in one round.
///
/// Among equal moves, the winner prefers one that takes or moves a pawn, and the loser one that does not, as on Lichess.
fn rated(tables: &PackedTables, position: &TablePosition) -> Result<Answer<Rated>, Failure> {
    let successors: Vec<(shakmaty::Move, TablePosition)> = position.successors().collect();
    let mut positions = vec![position.clone()];
    positions.extend(successors.iter().map(|(_, after)| after.clone()));
    let mut known = match tables.every_value(&positions)? {
        Answer::Known(values) => values.into_iter(),
        Answer::Needs(needs) => return Ok(Answer::Needs(needs)),
    };
    let value = known.next().unwrap_or(ProbeValue::Draw);
    let mut moves: Vec<_> = known.map(ProbeValue::before_move).zip(successors).collect();
    moves.sort_by_key(|(value, (played, _))| {
        (Reverse(*value), played.is_zeroing() != matches!(value, ProbeValue::Win(_)))
    });
    let plain = |(value, (played, after)): (ProbeValue, (shakmaty::Move, TablePosition))| {
        let uci = played.to_uci(CastlingMode::Standard).to_string();
        (TableMove { uci, zeroing: played.is_zeroing(), value: value.into() }, after)
    };
    Ok(Answer::Known(Rated { value, moves: moves.into_iter().map(plain).collect() }))
}

/// The value of a position and of its moves.
///
/// # Errors
/// The text is no position that tables know; a table is missing or damaged.
pub fn verdict(tables: &PackedTables, fen: &str) -> Result<Answer<TableVerdict>, Failure> {
    let position = read(fen)?;
    Ok(rated(tables, &position)?.map(|Rated { value, moves }| TableVerdict {
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
pub fn line(tables: &PackedTables, fen: &str) -> Result<Answer<TableLine>, Failure> {
    let mut position = read(fen)?;
    let mut line = Vec::new();
    // No table has a win that is longer.
    while line.len() < usize::from(u16::MAX) {
        let best = match rated(tables, &position)? {
            Answer::Known(rated) => rated.moves.into_iter().next(),
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
pub fn map(tables: &PackedTables, fen: &str, square: u32) -> Result<Answer<TableMap>, Failure> {
    Ok(values(tables, elsewhere(fen, square)?)?.map(|squares| TableMap { squares }))
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

/// The values of positions; null for those that no table knows.
///
/// # Errors
/// A table is damaged. A missing one makes its positions null.
pub fn values_of(tables: &PackedTables, fens: &[String]) -> Result<Answer<TableValues>, Failure> {
    let positions = fens.iter().map(|fen| TablePosition::from_fen(fen).ok());
    Ok(values(tables, positions)?.map(|values| TableValues { values }))
}

fn values(
    tables: &PackedTables,
    positions: impl Iterator<Item = Option<TablePosition>>,
) -> Result<Answer<Vec<Option<TableValue>>>, Failure> {
    let positions: Vec<Option<TablePosition>> = positions.collect();
    let asked: Vec<TablePosition> = positions.iter().flatten().cloned().collect();
    Ok(tables.values(&asked)?.map(|values| {
        let mut values = values.into_iter();
        let value = |position: &Option<TablePosition>| {
            let known = position.as_ref().and_then(|_| values.next())?;
            known.map(TableValue::from)
        };
        positions.iter().map(value).collect()
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::AtomicBool;

    use egtgen::packing::{PackingContext, pack_in_memory};
    use egtgen::{CachedTables, MemoryLibrary, Prober};
    use plyfold_tables::material::{TableMaterial, closure};
    use plyfold_tables::packed::tables::ByteRange;
    use shakmaty::Position as _;

    use super::*;
    use crate::packed::Tables;

    const ROOK: &str = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";

    /// Packed tables and their files; the files are read as the worker reads them.
    pub(crate) struct Supplied {
        tables: PackedTables,
        files: BTreeMap<TableMaterial, Vec<u8>>,
        pub rounds: usize,
    }

    impl Supplied {
        /// The tables of these winners, and all that they convert into.
        pub fn new(winners: &[TableMaterial]) -> Supplied {
            let stop = AtomicBool::new(false);
            let library = MemoryLibrary::generate(winners, &stop).expect("tables");
            let context = PackingContext { source: &library, stop: &stop, on_progress: &|_| () };
            let file = |table: TableMaterial| (table, pack_in_memory(&context, table).expect("a table"));
            let files = closure(winners).into_iter().map(file).collect();
            Supplied { tables: PackedTables::new(24 << 20), files, rounds: 0 }
        }

        /// Supplies what a question needs until it is answered.
        pub fn answer<T>(&mut self, ask: impl Fn(&PackedTables) -> Result<Answer<T>, Failure>) -> T {
            self.rounds = 0;
            loop {
                let needs = match ask(&self.tables).unwrap_or_else(|failure| panic!("{failure:?}")) {
                    Answer::Known(result) => return result,
                    Answer::Needs(needs) => needs,
                };
                self.supply(needs);
            }
        }

        fn supply(&mut self, needs: Vec<ByteRange>) {
            self.rounds += 1;
            for ByteRange { table, bytes } in needs {
                match self.files.get(&table) {
                    Some(file) => {
                        let end = file.len().min(bytes.end as usize);
                        self.tables.supply(table, bytes.start, &file[bytes.start as usize..end]).expect("sound");
                    }
                    None => self.tables.set_absent(table),
                }
            }
        }
    }

    fn materials(names: &[&str]) -> Vec<TableMaterial> {
        names.iter().map(|name| name.parse().expect("a material")).collect()
    }

    fn prober(names: &[&str]) -> Prober<CachedTables> {
        let library = MemoryLibrary::generate(&materials(names), &AtomicBool::new(false)).expect("tables");
        Prober::new(CachedTables::new(Box::new(library), 1 << 24))
    }

    #[test]
    fn moves_are_those_of_the_prober_and_the_line_ends_in_mate() {
        let names = ["KRvK", "KPvK"];
        let (mut tables, prober) = (Supplied::new(&materials(&names)), prober(&names));
        for fen in [ROOK, "8/8/8/8/8/2k5/1R6/K7 b - - 0 1", "8/4P3/8/8/8/8/1k6/3K4 w - - 0 1"] {
            let position = read(fen).expect("a position");
            let found = tables.answer(|tables| verdict(tables, fen));
            assert!(tables.rounds <= 2, "{} rounds", tables.rounds);
            let rated = prober.rated_moves(&position).expect("tables");
            let expected: Vec<TableValue> = rated.iter().map(|rated| rated.value.into()).collect();
            assert_eq!(found.moves.iter().map(|played| played.value).collect::<Vec<_>>(), expected, "{fen}");
            assert_eq!(found.moves.first().map(|best| best.value), Some(found.value), "{fen}");
            let line = tables.answer(|tables| line(tables, fen)).moves;
            let end = line.iter().fold(fen.to_owned(), |fen, uci| after(&fen, uci).expect("a move").to_string());
            match found.value.moves {
                Some(_) => assert!(read(&end).expect("a position").as_chess().legal_moves().is_empty(), "{end}"),
                None => assert!(line.is_empty(), "{fen}"),
            }
        }
    }

    #[test]
    fn a_map_has_the_value_of_each_square() {
        let (mut tables, prober) = (Supplied::new(&materials(&["KRvK"])), prober(&["KRvK"]));
        let map = tables.answer(|tables| map(tables, ROOK, 9));
        assert_eq!(map.squares.len(), 64);
        for (square, value) in (0..).zip(&map.squares) {
            let mut board = read(ROOK).expect("a position").board().clone();
            let rook = board.remove_piece_at(Square::B2).expect("the rook");
            let is_free = board.piece_at(Square::new(square)).is_none();
            board.set_piece_at(Square::new(square), rook);
            let position = TablePosition::from_board(board, shakmaty::Color::White, None).ok().filter(|_| is_free);
            let alone = position.map(|position| prober.value(&position).expect("a table").into());
            assert_eq!(*value, alone, "{square}");
        }
        assert!(elsewhere(ROOK, 63).is_err() && elsewhere(ROOK, 64).is_err());
    }

    #[test]
    fn missing_tables_are_null_among_others_and_named_alone() {
        let mut tables = Supplied::new(&materials(&["KRvK"]));
        let knight = "8/8/8/8/8/2k5/1N6/K7 w - - 0 1";
        let fens = ["no position", ROOK, knight, ROOK].map(str::to_owned);
        let found = tables.answer(|tables| values_of(tables, &fens));
        assert_eq!(found.values.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false, true]);
        let failure = verdict(&tables.tables, knight).expect_err("no table");
        assert_eq!((failure.code(), failure.to_string().as_str()), ("missing", "KNvK"));
    }

    #[test]
    fn the_table_that_is_missing_is_named_though_it_is_a_smaller_one() {
        let mut tables = Supplied::new(&materials(&["KPvK"]));
        tables.files.remove(&materials(&["KQvK"])[0]);
        let failure = loop {
            match verdict(&tables.tables, "8/4P3/8/8/8/8/1k6/3K4 w - - 0 1") {
                Ok(Answer::Known(_)) => panic!("a table is missing"),
                Ok(Answer::Needs(needs)) => tables.supply(needs),
                Err(failure) => break failure,
            }
        };
        assert_eq!((failure.code(), failure.to_string().as_str()), ("missing", "KQvK"));
    }

    #[test]
    fn files_are_checked_to_the_last_byte() {
        let tables = Supplied::new(&materials(&["KRvK"]));
        let file = &tables.files[&"KRvK".parse().expect("a material")];
        let check = |bytes: &[u8], name: &str| {
            Tables::check(bytes, name, bytes.len() as f64).map_err(|failure| failure.to_string())
        };
        assert_eq!(check(file, "KRvK.egp").as_deref(), Ok("KRvK"));
        assert!(check(file, "KQvK.egp").expect_err("another table").contains("it holds the table KRvK, not KQvK"));
        assert!(check(file, "rook.egp").expect_err("no material").starts_with("rook.egp: a packed table has the name"));
        for cut in [0, 63, file.len() / 2, file.len() - 1] {
            assert!(check(&file[..cut], "KRvK.egp").expect_err("cut").starts_with("KRvK.egp: "), "{cut} bytes");
        }
        for at in (0..file.len()).step_by(file.len() / 50) {
            let mut flipped = file.clone();
            flipped[at] ^= 16;
            assert!(check(&flipped, "KRvK.egp").is_err(), "byte {at}");
        }
    }
}
