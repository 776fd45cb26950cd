//! What endgame tables say of a position: who wins, and in how many moves.

use alloc::format;
use alloc::string::String;

use shakmaty::Color;

use plyfold_board::board::Board;
use plyfold_scan::scan::tables::{BoundTables, TableNumber, WinnerVerdict};

/// The value of a position that no table knows.
const UNKNOWN: u64 = i64::MAX as u64;
/// The value of a position without a distance to mate.
const NOT_WON: u64 = UNKNOWN - 1;
/// The values of the key of who wins, and the conditions of the language for them.
const OUTCOMES: [(&str, &str); 3] =
    [("White wins", "white tb win"), ("draw", "tb draw"), ("Black wins", "black tb win")];

/// A key of what tables say.
#[derive(Clone, PartialEq, Debug)]
pub struct TableKey {
    /// The number; none for who wins.
    number: Option<TableNumber>,
    name: String,
    tables: BoundTables,
}

impl TableKey {
    /// The name of the key of who wins.
    pub const NAME: &'static str = "tb";
    /// One line for help.
    pub const SUMMARY: &'static str = "who wins by best play, as endgame tables say: White, Black, or nobody";

    /// The key of who wins, if this is its name.
    pub(super) fn named(name: &str) -> Option<TableKey> {
        let key = TableKey { number: None, name: Self::NAME.into(), tables: BoundTables::default() };
        (name == Self::NAME || name == "tablebase").then_some(key)
    }

    /// The key of a number with this text.
    pub fn of_number(number: TableNumber, text: &str) -> TableKey {
        TableKey { number: Some(number), name: text.into(), tables: BoundTables::default() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_ordered(&self) -> bool {
        self.number.is_some()
    }

    pub(super) fn bind(&mut self, tables: &BoundTables) {
        self.tables = tables.clone();
    }

    pub(super) fn value(&self, board: &Board) -> u64 {
        let Some(WinnerVerdict { winner, moves_to_mate }) = self.tables.verdict(board) else { return UNKNOWN };
        let side = match self.number {
            None => {
                return match winner {
                    Some(Color::White) => 0,
                    None => 1,
                    Some(Color::Black) => 2,
                };
            }
            Some(TableNumber::MovesToMateBy(side)) => Some(side),
            Some(_) => None,
        };
        match winner {
            Some(winner) if side.is_none_or(|side| side == winner) => moves_to_mate.map_or(UNKNOWN, u64::from),
            _ => NOT_WON,
        }
    }

    pub(super) fn describe(&self, value: u64) -> String {
        match (value, self.number) {
            (UNKNOWN, _) => "unknown".into(),
            (NOT_WON, _) => "not won".into(),
            (moves, Some(_)) => format!("{moves}"),
            (outcome, None) => OUTCOMES.get(outcome as usize).map_or("", |(name, _)| name).into(),
        }
    }

    pub(super) fn condition(&self, value: &str) -> Option<String> {
        match self.number {
            Some(_) => value.parse::<u16>().ok().map(|moves| format!("{} = {moves}", self.name)),
            None => OUTCOMES.iter().find(|(name, _)| *name == value).map(|(_, condition)| (*condition).into()),
        }
    }
}
