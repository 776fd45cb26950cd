//! The columns of `games`, made from the columns of a shard.
//!
//! Names are views: the table of names of a shard is copied once, and a row costs 16 bytes whatever the name. Unknown values are
//! NULL; a date is NULL unless its year, month and day are known, and `year` and `month` are columns of their own.

use std::sync::{Arc, LazyLock};

use chrono::NaiveDate;
use datafusion::arrow::array::{
    Array, ArrayRef, BooleanArray, Date32Array, Int8Array, Int16Array, Int32Array, Int64Array, StringViewArray,
    StringViewBuilder, UInt32Array,
};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Date32Type, Field, Schema, SchemaRef};
use plyfold_core::corpus::record::{self, CHESS960, GameResult, HeaderRecord, INCOMPLETE};
use plyfold_core::corpus::shard::Shard;
use plyfold_core::corpus::{GameOpening, HeaderColumns, HeaderText, ShardParts, StringTable};

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
    Opening,
    EcoTag,
    Date,
    Year,
    Month,
    Event,
    Site,
    Plies,
    Ending,
    TimeClass,
    Chess960,
    Incomplete,
    Round,
    WhiteTitle,
    BlackTitle,
    TimeControl,
    Annotator,
    File,
    FileGame,
}

use GameColumn::*;

/// The columns in the order of the schema: the name, the type, and whether the value of a game can be unknown.
static COLUMNS: [(GameColumn, &str, DataType, bool); 26] = [
    (Game, "game", DataType::Int64, false),
    (White, "white", DataType::Utf8View, false),
    (Black, "black", DataType::Utf8View, false),
    (WhiteElo, "white_elo", DataType::Int16, true),
    (BlackElo, "black_elo", DataType::Int16, true),
    (Result, "result", DataType::Utf8View, false),
    (Eco, "eco", DataType::Utf8View, true),
    (Opening, "opening", DataType::Utf8View, true),
    (EcoTag, "eco_tag", DataType::Utf8View, true),
    (Date, "date", DataType::Date32, true),
    (Year, "year", DataType::Int16, true),
    (Month, "month", DataType::Int8, true),
    (Event, "event", DataType::Utf8View, false),
    (Site, "site", DataType::Utf8View, false),
    (Plies, "plies", DataType::Int32, false),
    (Ending, "ending", DataType::Utf8View, false),
    (TimeClass, "time_class", DataType::Utf8View, false),
    (Chess960, "chess960", DataType::Boolean, false),
    (Incomplete, "incomplete", DataType::Boolean, false),
    (Round, "round", DataType::Utf8View, true),
    (WhiteTitle, "white_title", DataType::Utf8View, true),
    (BlackTitle, "black_title", DataType::Utf8View, true),
    (TimeControl, "time_control", DataType::Utf8View, true),
    (Annotator, "annotator", DataType::Utf8View, true),
    (File, "file", DataType::Utf8View, false),
    (FileGame, "file_game", DataType::Int64, false),
];

impl GameColumn {
    /// The column with this name.
    pub fn named(name: &str) -> Option<GameColumn> {
        COLUMNS.iter().find(|column| column.1 == name).map(|column| column.0)
    }

    /// What is read of a shard for the column.
    pub fn parts(self) -> ShardParts {
        match self {
            White | Black => ShardParts::PLAYERS | ShardParts::COLUMNS,
            Event => ShardParts::EVENTS | ShardParts::COLUMNS,
            Site => ShardParts::SITES | ShardParts::COLUMNS,
            Round | WhiteTitle | BlackTitle | TimeControl | Annotator => ShardParts::HEADER_TEXTS,
            Chess960 | Incomplete => ShardParts::RECORDS,
            Eco => ShardParts::OPENINGS | ShardParts::COLUMNS,
            Opening => ShardParts::OPENINGS,
            WhiteElo | BlackElo | Result | EcoTag | Date | Year | Month | Plies | Ending | TimeClass => {
                ShardParts::COLUMNS
            }
            Game | File | FileGame => ShardParts::NONE,
        }
    }

    /// Whether the value of a game can be unknown.
    pub fn is_nullable(self) -> bool {
        COLUMNS.iter().any(|column| column.0 == self && column.3)
    }
}

/// The schema of `games` and `search(…)`.
pub(crate) static GAMES_SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let field = |(_, name, kind, nullable): &(_, &str, DataType, bool)| Field::new(*name, kind.clone(), *nullable);
    Arc::new(Schema::new(COLUMNS.iter().map(field).collect::<Vec<_>>()))
});

/// The columns of a projection of the schema.
pub(crate) fn projected_columns(projection: &[usize]) -> Vec<GameColumn> {
    projection.iter().map(|&nth| COLUMNS[nth].0).collect()
}

/// The columns of a shard, made for some of its games at a time.
pub(crate) struct ShardColumns<'a> {
    shard: Shard<'a>,
    /// The number of the shard's first game, from 1, in the library and in its file.
    first: i64,
    file: (&'a str, i64),
    /// Each with the texts that its values are chosen from, if they are few.
    columns: Vec<(GameColumn, Option<StringViewArray>)>,
}

impl<'a> ShardColumns<'a> {
    /// Prepares columns for about so many rows; `file` is the name of the corpus, and the number of the shard's first game there.
    pub fn new(
        (columns, rows): (&[GameColumn], usize),
        shard: Shard<'a>,
        first: i64,
        file: (&'a str, i64),
    ) -> ShardColumns<'a> {
        // A table of names is prepared as a whole if many of them are wanted.
        let of_table = |table: StringTable<'_>| (rows >= table.len() as usize / 4).then(|| views(table.iter()));
        let names = |column| match column {
            White | Black => of_table(shard.players),
            Event => of_table(shard.events),
            Site => of_table(shard.sites),
            Eco | EcoTag => Some(FACT_NAMES.ecos.clone()),
            Result => Some(FACT_NAMES.results.clone()),
            Ending => Some(FACT_NAMES.endings.clone()),
            TimeClass => Some(FACT_NAMES.time_classes.clone()),
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
        let Shard { players, events, sites, .. } = self.shard;
        let known = |value: u16| (value != 0).then_some(value as i16);
        match column {
            Game => Arc::new(numbers(games, self.first)),
            FileGame => Arc::new(numbers(games, self.file.1)),
            File => Arc::new(games.iter().map(|_| Some(self.file.0)).collect::<StringViewArray>()),
            White => named(names, players, self.facts(games, HeaderColumns::white_names, |record| record.white)),
            Black => named(names, players, self.facts(games, HeaderColumns::black_names, |record| record.black)),
            Event => named(names, events, self.facts(games, HeaderColumns::event_names, |record| record.event)),
            Site => named(names, sites, self.facts(games, HeaderColumns::site_names, |record| record.site)),
            WhiteElo => {
                let elos = self.facts(games, HeaderColumns::white_elos, |record| record.white_elo);
                Arc::new(elos.map(known).collect::<Int16Array>())
            }
            BlackElo => {
                let elos = self.facts(games, HeaderColumns::black_elos, |record| record.black_elo);
                Arc::new(elos.map(known).collect::<Int16Array>())
            }
            Year => Arc::new(self.dates(games).map(|date| known(date.year() as u16)).collect::<Int16Array>()),
            Month => {
                let month = |date: record::Date| Some(date.month() as i8).filter(|&month| month != 0);
                Arc::new(self.dates(games).map(month).collect::<Int8Array>())
            }
            Date => Arc::new(self.dates(games).map(days_since_1970).collect::<Date32Array>()),
            Plies => {
                let plies = self.facts(games, HeaderColumns::plies, |record| record.plies);
                Arc::new(Int32Array::from_iter_values(plies.map(i32::from)))
            }
            Chess960 => self.flags(games, CHESS960),
            Incomplete => self.flags(games, INCOMPLETE),
            Result => {
                let results = self.facts(games, HeaderColumns::results, |record| record.result() as u8);
                fact(names, results, GameResult::Unknown as u8)
            }
            Ending => {
                let endings = self.facts(games, HeaderColumns::endings, |record| record.ending() as u8);
                fact(names, endings, record::Ending::Unknown as u8)
            }
            TimeClass => {
                let classes = self.facts(games, HeaderColumns::time_classes, |record| record.time_class() as u8);
                fact(names, classes, record::TimeClass::Unknown as u8)
            }
            Eco if self.shard.openings.is_stored() => {
                let codes = self.openings(games).map(|opening| opening.map_or_else(Default::default, |one| one.code));
                choose(names, &codes.map(eco_index).collect())
            }
            Eco | EcoTag => {
                let codes = self.facts(games, HeaderColumns::ecos, |record| record.eco);
                choose(names, &codes.map(eco_index).collect())
            }
            Opening => {
                let openings = self.openings(games).map(|opening| opening.map(|one| one.name));
                Arc::new(openings.collect::<StringViewArray>())
            }
            Round => self.texts(HeaderText::Round, games),
            WhiteTitle => self.texts(HeaderText::WhiteTitle, games),
            BlackTitle => self.texts(HeaderText::BlackTitle, games),
            TimeControl => self.texts(HeaderText::TimeControl, games),
            Annotator => self.texts(HeaderText::Annotator, games),
        }
    }

    /// A fact of each game: from its column, or from the records of a shard of an older version, which has no columns.
    fn facts<'g, T: Copy>(
        &self,
        games: &'g [u32],
        column: fn(&HeaderColumns<'a>) -> &'a [T],
        field: fn(&HeaderRecord) -> T,
    ) -> impl Iterator<Item = T> + use<'a, 'g, T> {
        let column = self.shard.columns.as_ref().map_or(&[][..], column);
        let records = self.shard.records;
        games.iter().map(move |&game| match column.get(game as usize) {
            Some(&fact) => fact,
            None => field(&records[game as usize]),
        })
    }

    /// Whether each game has this flag.
    fn flags(&self, games: &[u32], flag: u8) -> ArrayRef {
        let flags = games.iter().map(|&game| self.shard.records[game as usize].flags());
        Arc::new(BooleanArray::from_iter(flags.map(|flags| Some(flags & flag != 0))))
    }

    fn dates<'g>(&self, games: &'g [u32]) -> impl Iterator<Item = record::Date> + use<'a, 'g> {
        self.facts(games, HeaderColumns::dates, |record| record.date)
    }

    fn openings<'g>(&self, games: &'g [u32]) -> impl Iterator<Item = Option<GameOpening<'a>>> + use<'a, 'g> {
        let openings = self.shard.openings;
        games.iter().map(move |&game| openings.of_game(game))
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

/// Texts by their places in a prepared array. All rows share the text of the array.
fn choose(texts: Option<&StringViewArray>, places: &UInt32Array) -> ArrayRef {
    let chosen = texts.and_then(|texts| take(texts, places, None).ok());
    chosen.unwrap_or_else(|| unreachable!("the texts are prepared, and every place was checked"))
}

/// Names by their places in the table of a shard, which is prepared if many are wanted.
fn named(prepared: Option<&StringViewArray>, table: StringTable<'_>, places: impl Iterator<Item = u32>) -> ArrayRef {
    match prepared {
        Some(_) => choose(prepared, &UInt32Array::from_iter_values(places)),
        None => Arc::new(places.map(|place| Some(table.get(place))).collect::<StringViewArray>()),
    }
}

/// Facts by their numbers, of which others than those that have a name are unknown.
fn fact(names: Option<&StringViewArray>, numbers: impl Iterator<Item = u8>, unknown: u8) -> ArrayRef {
    let count = names.map_or(0, Array::len);
    let known = |number: u8| u32::from(if usize::from(number) < count { number } else { unknown });
    choose(names, &UInt32Array::from_iter_values(numbers.map(known)))
}

/// These texts as an array.
fn views<'t>(texts: impl Iterator<Item = &'t str>) -> StringViewArray {
    let mut builder = StringViewBuilder::new().with_fixed_block_size(1 << 16);
    texts.for_each(|text| builder.append_value(text));
    builder.finish()
}

/// The texts of the facts that a header has by number, in the order of these.
struct FactNames {
    ecos: StringViewArray,
    results: StringViewArray,
    endings: StringViewArray,
    time_classes: StringViewArray,
}

static FACT_NAMES: LazyLock<FactNames> = LazyLock::new(|| {
    let ecos: Vec<String> = record::Eco::all().map(|code| code.to_string()).collect();
    FactNames {
        ecos: views(ecos.iter().map(String::as_str)),
        results: views(GameResult::ALL.iter().map(|result| result.name())),
        endings: views(record::Ending::ALL.iter().map(|ending| ending.name())),
        time_classes: views(record::TimeClass::ALL.iter().map(|class| class.name())),
    }
});

/// The place of an opening code among all of them; none if it is unknown.
fn eco_index(code: record::Eco) -> Option<u32> {
    u32::from(code.number()).checked_sub(1).filter(|&index| (index as usize) < FACT_NAMES.ecos.len())
}

/// The day of a date, counted from 1 January 1970; none unless the whole date is known and exists.
pub(crate) fn days_since_1970(date: record::Date) -> Option<i32> {
    let year = date.year() as i32;
    let known = NaiveDate::from_ymd_opt(year, date.month(), date.day()).filter(|_| year != 0);
    known.map(Date32Type::from_naive_date)
}
