//! The columns of `games`, made from the columns of a shard.
//!
//! Names are views: the table of names of a shard is copied once, and a row costs 16 bytes whatever the name. Unknown values are
//! NULL; a date is NULL unless its year, month and day are known, and `year` and `month` are columns of their own.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Int8Array, Int16Array, Int32Array, Int64Array, StringViewArray,
    StringViewBuilder,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use plyfold_core::corpus::record::{CHESS960, Date, Eco, HeaderRecord};
use plyfold_core::corpus::shard::Shard;
use plyfold_core::corpus::{HeaderText, ShardParts, StringTable};

/// The columns, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GameColumn {
    Game,
    White,
    Black,
    WhiteElo,
    BlackElo,
    Result,
    Eco,
    Date,
    Year,
    Month,
    Event,
    Site,
    Plies,
    Ending,
    TimeClass,
    Chess960,
    Round,
    WhiteTitle,
    BlackTitle,
    TimeControl,
    Annotator,
    File,
    FileGame,
}

use GameColumn::*;

impl GameColumn {
    const ALL: [GameColumn; 23] = [
        Game,
        White,
        Black,
        WhiteElo,
        BlackElo,
        Result,
        Eco,
        Date,
        Year,
        Month,
        Event,
        Site,
        Plies,
        Ending,
        TimeClass,
        Chess960,
        Round,
        WhiteTitle,
        BlackTitle,
        TimeControl,
        Annotator,
        File,
        FileGame,
    ];

    /// The column with this name.
    pub fn named(name: &str) -> Option<GameColumn> {
        GameColumn::ALL.into_iter().find(|column| column.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Game => "game",
            White => "white",
            Black => "black",
            WhiteElo => "white_elo",
            BlackElo => "black_elo",
            Result => "result",
            Eco => "eco",
            Date => "date",
            Year => "year",
            Month => "month",
            Event => "event",
            Site => "site",
            Plies => "plies",
            Ending => "ending",
            TimeClass => "time_class",
            Chess960 => "chess960",
            Round => "round",
            WhiteTitle => "white_title",
            BlackTitle => "black_title",
            TimeControl => "time_control",
            Annotator => "annotator",
            File => "file",
            FileGame => "file_game",
        }
    }

    fn field(self) -> Field {
        let kind = match self {
            Game | FileGame => DataType::Int64,
            WhiteElo | BlackElo | Year => DataType::Int16,
            Month => DataType::Int8,
            Date => DataType::Date32,
            Plies => DataType::Int32,
            Chess960 => DataType::Boolean,
            _ => DataType::Utf8View,
        };
        Field::new(self.name(), kind, self.is_nullable())
    }

    /// What is read of a shard for the column.
    pub fn parts(self) -> ShardParts {
        match self {
            White | Black => ShardParts::PLAYERS,
            Event => ShardParts::EVENTS,
            Site => ShardParts::SITES,
            Round | WhiteTitle | BlackTitle | TimeControl | Annotator => ShardParts::HEADER_TEXTS,
            Game | WhiteElo | BlackElo | Result | Eco | Date | Year | Month | Plies | Ending | TimeClass | Chess960
            | File | FileGame => ShardParts::RECORDS,
        }
    }

    /// Whether the value of a game can be unknown.
    pub fn is_nullable(self) -> bool {
        !matches!(
            self,
            Game | White | Black | Result | Event | Site | Plies | Ending | TimeClass | Chess960 | File | FileGame
        )
    }
}

/// The schema of `games` and `search(…)`.
pub(crate) static GAMES_SCHEMA: LazyLock<SchemaRef> =
    LazyLock::new(|| Arc::new(Schema::new(GameColumn::ALL.map(GameColumn::field).to_vec())));

/// The columns of some projection of the schema.
pub(crate) fn projected_columns(projection: Option<&Vec<usize>>) -> Vec<GameColumn> {
    match projection {
        None => GameColumn::ALL.to_vec(),
        Some(chosen) => chosen.iter().map(|&nth| GameColumn::ALL[nth]).collect(),
    }
}

/// The columns of a shard, made for some of its games at a time.
pub(crate) struct ShardColumns<'a> {
    shard: Shard<'a>,
    /// The number of the shard's first game, from 1, in the library and in its file.
    first: i64,
    file: (&'a str, i64),
    columns: Vec<(GameColumn, Option<StringViewArray>)>,
}

impl<'a> ShardColumns<'a> {
    /// Prepares columns; `file` is the name of the corpus, and the number of the shard's first game there.
    pub fn new(columns: &[GameColumn], shard: Shard<'a>, first: i64, file: (&'a str, i64)) -> ShardColumns<'a> {
        let names = |column| match column {
            White | Black => Some(views(shard.players)),
            Event => Some(views(shard.events)),
            Site => Some(views(shard.sites)),
            _ => None,
        };
        let columns = columns.iter().map(|&column| (column, names(column))).collect();
        ShardColumns { shard, first, file, columns }
    }

    /// The values of the games with these indices in the shard.
    pub fn arrays(&self, games: &[u32]) -> Vec<ArrayRef> {
        self.columns.iter().map(|(column, names)| self.array(*column, names.as_ref(), games)).collect()
    }

    fn array(&self, column: GameColumn, names: Option<&StringViewArray>, games: &[u32]) -> ArrayRef {
        let records = || games.iter().map(|&game| &self.shard.records[game as usize]);
        let named = |index: fn(&HeaderRecord) -> u32| {
            names.map_or_else(
                || Arc::new(StringViewArray::new_null(games.len())) as ArrayRef,
                |names| Arc::new(select_views(names, records().map(index))),
            )
        };
        let known = |value: i16| (value != 0).then_some(value);
        match column {
            Game => Arc::new(numbers(games, self.first)),
            FileGame => Arc::new(numbers(games, self.file.1)),
            File => Arc::new(games.iter().map(|_| Some(self.file.0)).collect::<StringViewArray>()),
            White => named(|record| record.white),
            Black => named(|record| record.black),
            Event => named(|record| record.event),
            Site => named(|record| record.site),
            WhiteElo => Arc::new(records().map(|record| known(record.white_elo as i16)).collect::<Int16Array>()),
            BlackElo => Arc::new(records().map(|record| known(record.black_elo as i16)).collect::<Int16Array>()),
            Year => Arc::new(records().map(|record| known(record.date.year() as i16)).collect::<Int16Array>()),
            Month => {
                let month = |record: &HeaderRecord| Some(record.date.month() as i8).filter(|&month| month != 0);
                Arc::new(records().map(month).collect::<Int8Array>())
            }
            Date => Arc::new(records().map(|record| days_since_1970(record.date)).collect::<Date32Array>()),
            Plies => Arc::new(Int32Array::from_iter_values(records().map(|record| i32::from(record.plies)))),
            Chess960 => Arc::new(BooleanArray::from_iter(records().map(|record| Some(record.flags() & CHESS960 != 0)))),
            Result => short(records().map(|record| Some(record.result().name()))),
            Ending => short(records().map(|record| Some(record.ending().name()))),
            TimeClass => short(records().map(|record| Some(record.time_class().name()))),
            Eco => short(records().map(|record| eco_name(record.eco))),
            Round => self.texts(HeaderText::Round, games),
            WhiteTitle => self.texts(HeaderText::WhiteTitle, games),
            BlackTitle => self.texts(HeaderText::BlackTitle, games),
            TimeControl => self.texts(HeaderText::TimeControl, games),
            Annotator => self.texts(HeaderText::Annotator, games),
        }
    }

    fn texts(&self, text: HeaderText, games: &[u32]) -> ArrayRef {
        let column = self.shard.header_texts.column(text);
        let of_game = |&game: &u32| Some(column.of_game(game)).filter(|text| !text.is_empty());
        Arc::new(games.iter().map(of_game).collect::<StringViewArray>())
    }
}

/// Numbers of games, of which the first has the number `first`.
pub(crate) fn numbers(games: &[u32], first: i64) -> Int64Array {
    Int64Array::from_iter_values(games.iter().map(|&game| first + i64::from(game)))
}

fn short<'t>(values: impl Iterator<Item = Option<&'t str>>) -> ArrayRef {
    Arc::new(values.collect::<StringViewArray>())
}

/// All names of a table.
fn views(table: StringTable<'_>) -> StringViewArray {
    let mut builder = StringViewBuilder::new().with_fixed_block_size(1 << 16);
    table.iter().for_each(|name| builder.append_value(name));
    builder.finish()
}

/// The names with these indices, which share the text of the table.
fn select_views(names: &StringViewArray, indices: impl Iterator<Item = u32>) -> StringViewArray {
    let views = names.views();
    let chosen: Vec<u128> = indices.map(|index| views.get(index as usize).copied().unwrap_or(0)).collect();
    StringViewArray::try_new(chosen.into(), names.data_buffers().to_vec(), None)
        .unwrap_or_else(|_| unreachable!("the views are those of an array"))
}

/// The text of an opening code.
fn eco_name(code: Eco) -> Option<&'static str> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| Eco::all().map(|code| code.to_string()).collect());
    NAMES.get(usize::from(code.number()).checked_sub(1)?).map(String::as_str)
}

/// The day of a date, counted from 1 January 1970; none unless the whole date is known and exists.
pub(crate) fn days_since_1970(date: Date) -> Option<i32> {
    let (year, month, day) = (date.year() as i32, date.month(), date.day());
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_in_month = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if year == 0 || month == 0 || !(1..=days_in_month).contains(&day) {
        return None;
    }
    // Years that begin in March, so that the leap day is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(days + (153 * month as i32 + 2) / 5 + day as i32 - 719_469)
}
