//! Results as tables: columns with their kinds, and rows of cells.
//!
//! Each output makes its table in its own file; the command line, the page and other programs only write it down.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use plyfold_scan::headers::Date;

use super::key::GroupingKey;
use super::matching_positions::PositionRef;
use super::result_counts::ResultCounts;

/// What the cells of a column are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellKind {
    /// A number from 0.
    Count,
    /// A number that may be negative.
    Signed,
    /// A text.
    Text,
    /// A number of games, of those of the column `games`: the first of three such columns are wins, then come draws and losses.
    Results,
    /// A rating.
    Rating,
    /// A date, parts of which may be unknown.
    Date,
    /// The year of the date in the column before, which programs that know no unknown days can read.
    Year,
    /// The number of a game, from 1.
    Game,
    /// The number of a ply of the game in the column before.
    Ply,
    /// A condition of the query language. It holds where the column does that it is named after (`won_condition` for `won`), or the
    /// whole row (`condition`).
    Condition,
}

impl CellKind {
    /// Whether the cells are numbers.
    pub const fn is_number(self) -> bool {
        !matches!(self, CellKind::Text | CellKind::Date | CellKind::Condition)
    }
}

/// A column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultColumn {
    /// Its name, which no other column of the table has.
    pub name: Cow<'static, str>,
    /// What its cells are.
    pub kind: CellKind,
    /// Whether cells may be empty.
    pub is_optional: bool,
}

impl ResultColumn {
    /// A column whose cells are never empty.
    pub const fn new(kind: CellKind, name: &'static str) -> ResultColumn {
        ResultColumn { name: Cow::Borrowed(name), kind, is_optional: false }
    }

    /// A column of numbers from 0.
    pub const fn count(name: &'static str) -> ResultColumn {
        ResultColumn::new(CellKind::Count, name)
    }

    /// A column of conditions, which may be missing.
    pub const fn condition(name: &'static str) -> ResultColumn {
        ResultColumn { name: Cow::Borrowed(name), kind: CellKind::Condition, is_optional: true }
    }

    /// A column of the conditions behind the numbers of another column.
    pub fn condition_of(name: &str) -> ResultColumn {
        ResultColumn { name: [name, "_condition"].concat().into(), ..ResultColumn::condition("") }
    }

    /// A column of texts.
    pub const fn text(name: &'static str) -> ResultColumn {
        ResultColumn::new(CellKind::Text, name)
    }

    /// The same column, whose cells may be empty.
    #[must_use]
    pub fn optional(self) -> ResultColumn {
        ResultColumn { is_optional: true, ..self }
    }

    /// The column of a key beside these others. Values that are numbers are empty if they are unknown.
    pub(super) fn of_key(key: Option<&GroupingKey>, others: &[ResultColumn]) -> ResultColumn {
        let Some(key) = key else { return ResultColumn::text("key") };
        let name = match key.name() {
            // `white` and `black` are players as keys, and results as columns.
            name if others.iter().any(|other| other.name == name) => ["by_", name].concat(),
            name => name.into(),
        };
        let (kind, is_optional) = if key.has_numbers() { (CellKind::Signed, true) } else { (CellKind::Text, false) };
        ResultColumn { name: name.into(), kind, is_optional }
    }

    /// The cell of a value of a key.
    pub(super) fn key_cell<'a>(&self, name: &'a str) -> ResultCell<'a> {
        match self.kind {
            CellKind::Signed => name.parse().map_or(ResultCell::Empty, ResultCell::Signed),
            _ => name.into(),
        }
    }
}

/// A cell, of the kind of its column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResultCell<'a> {
    /// Nothing is known.
    Empty,
    /// A number from 0.
    Count(u64),
    /// A number that may be negative.
    Signed(i64),
    /// A date.
    Date(Date),
    /// A text or a condition.
    Text(Cow<'a, str>),
}

impl From<u64> for ResultCell<'_> {
    fn from(number: u64) -> Self {
        ResultCell::Count(number)
    }
}

impl From<Date> for ResultCell<'_> {
    fn from(date: Date) -> Self {
        ResultCell::Date(date)
    }
}

impl From<i64> for ResultCell<'_> {
    fn from(number: i64) -> Self {
        ResultCell::Signed(number)
    }
}

impl<'a> From<&'a str> for ResultCell<'a> {
    fn from(text: &'a str) -> Self {
        ResultCell::Text(text.into())
    }
}

impl From<String> for ResultCell<'_> {
    fn from(text: String) -> Self {
        ResultCell::Text(text.into())
    }
}

impl<'a, T: Into<ResultCell<'a>>> From<Option<T>> for ResultCell<'a> {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(ResultCell::Empty, T::into)
    }
}

/// A table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultTable<'a> {
    /// The columns.
    pub columns: Vec<ResultColumn>,
    /// The rows, with a cell for each column.
    pub rows: Vec<Vec<ResultCell<'a>>>,
    /// How many rows there are with those that are left out.
    pub distinct: u64,
    /// Numbers of all rows together, each with its name.
    pub totals: Vec<(&'static str, u64)>,
}

impl<'a> ResultTable<'a> {
    /// A table of these rows.
    ///
    /// # Panics
    ///
    /// If two columns have one name.
    pub fn new(columns: Vec<ResultColumn>, rows: impl Iterator<Item = Vec<ResultCell<'a>>>) -> ResultTable<'a> {
        let is_taken =
            |(nth, column): (usize, &ResultColumn)| columns[..nth].iter().any(|other| other.name == column.name);
        assert!(!columns.iter().enumerate().any(is_taken), "two columns have one name: {columns:?}");
        let rows: Vec<_> = rows.collect();
        ResultTable { columns, distinct: rows.len() as u64, rows, totals: Vec::new() }
    }

    /// The table, of so many rows in all.
    #[must_use]
    pub fn of_distinct(self, distinct: u64) -> ResultTable<'a> {
        ResultTable { distinct, ..self }
    }

    /// The table with numbers of all rows together.
    #[must_use]
    pub fn with_totals(self, totals: &[(&'static str, u64)]) -> ResultTable<'a> {
        ResultTable { totals: totals.to_vec(), ..self }
    }
}

/// The columns of games by their results.
pub(super) const RESULT_COLUMNS: [ResultColumn; 4] = [
    ResultColumn::new(CellKind::Results, "white"),
    ResultColumn::new(CellKind::Results, "draw"),
    ResultColumn::new(CellKind::Results, "black"),
    ResultColumn::new(CellKind::Results, "unknown"),
];

/// The columns of a position: the first of a row.
pub(super) const FIRST_COLUMNS: [ResultColumn; 2] =
    [ResultColumn::new(CellKind::Game, "first_game"), ResultColumn::new(CellKind::Ply, "first_ply")];

/// The cells of a position.
pub(super) fn first_cells(first: PositionRef) -> [ResultCell<'static>; 2] {
    [first.game.number(), u64::from(first.ply.0)].map(ResultCell::Count)
}

/// The cells of games by their results.
pub(super) fn result_cells(results: &ResultCounts) -> [ResultCell<'static>; 4] {
    results.in_columns().map(ResultCell::Count)
}
