//! `read_phrase(words)`: what a player typed, as queries, with what each word means and how many games match.

use std::sync::Arc;

use datafusion::arrow::array::{Int32Array, RecordBatch, StringArray, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::{MemTable, TableProvider};
use datafusion::error::Result;
use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus_names::CorpusNames;
use plyfold_core::game::GameSpan;
use plyfold_core::query::phrases::{PhraseReading, read_plain_words};
use plyfold_core::reduce::ReducerSelection;
use plyfold_core::scan::tables::BoundTables;

use crate::bound_query::{BoundQuery, OPENING_NAMES};
use crate::error::SqlFailure;
use crate::library::SharedLibrary;
use crate::loaded_shard::{LoadedShard, ShardNeeds};
use crate::whole_scan::scan_shards;

/// What the names of players, events and openings are read from.
const NAMES: ShardParts = ShardParts::RECORDS
    .union(ShardParts::COLUMNS)
    .union(ShardParts::PLAYERS)
    .union(ShardParts::EVENTS)
    .union(ShardParts::OPENINGS);

/// A row for each part of the words that is understood, and for each that is not, of each reading; the best reading comes first.
///
/// # Errors
///
/// Nothing of the words is understood; a shard cannot be read.
pub(super) fn table(library: &SharedLibrary, words: &str, tables: &BoundTables) -> Result<Arc<dyn TableProvider>> {
    let shards = library.load_all(&ShardNeeds::of_parts(NAMES))?;
    let spans: Vec<GameSpan<'_>> = shards.iter().map(LoadedShard::span).collect();
    let readings = read_plain_words(words, &CorpusNames::new(&spans, &OPENING_NAMES));
    let mut rows = Rows::default();
    for (number, reading) in (1..).zip(readings.iter().filter(|reading| !reading.query.is_empty())) {
        let games =
            if reading.unknown.is_empty() { Some(matching_games(library, &reading.query, tables)?) } else { None };
        rows.add(number, reading, words, games);
    }
    if rows.reading.is_empty() {
        return Err(SqlFailure::usage(format!("nothing of '{words}' is understood")));
    }
    rows.into_table()
}

fn matching_games(library: &SharedLibrary, text: &str, tables: &BoundTables) -> Result<u64> {
    let query = Arc::new(BoundQuery::read(text, library, tables)?);
    Ok(scan_shards(library, 0..library.shards(), &query, &ReducerSelection::default())?.count.games)
}

/// The rows, by column.
#[derive(Default)]
struct Rows {
    reading: Vec<i32>,
    query: Vec<String>,
    games: Vec<Option<u64>>,
    words: Vec<String>,
    /// None of words that are not understood.
    meaning: Vec<Option<String>>,
}

impl Rows {
    fn add(&mut self, number: i32, reading: &PhraseReading, text: &str, games: Option<u64>) {
        let understood = reading.understood.iter().map(|words| {
            let notes = words.notes.iter().map(|note| format!("; {note}"));
            (words.span, Some(words.meaning.clone() + &notes.collect::<String>()))
        });
        let unknown = reading.unknown.iter().map(|&place| (place, None));
        for (place, meaning) in understood.chain(unknown) {
            self.reading.push(number);
            self.query.push(reading.query.clone());
            self.games.push(games);
            self.words.push(text[place.from..place.to].to_owned());
            self.meaning.push(meaning);
        }
    }

    fn into_table(self) -> Result<Arc<dyn TableProvider>> {
        let fields = [
            ("reading", DataType::Int32, false),
            ("query", DataType::Utf8, false),
            ("games", DataType::UInt64, true),
            ("words", DataType::Utf8, false),
            ("meaning", DataType::Utf8, true),
        ];
        let fields = fields.map(|(name, kind, may_be_null)| Field::new(name, kind, may_be_null));
        let schema = Arc::new(Schema::new(fields.to_vec()));
        let batch = RecordBatch::try_new(
            schema.clone(),
            vec![
                Arc::new(Int32Array::from(self.reading)),
                Arc::new(StringArray::from(self.query)),
                Arc::new(UInt64Array::from(self.games)),
                Arc::new(StringArray::from(self.words)),
                Arc::new(StringArray::from(self.meaning)),
            ],
        )?;
        Ok(Arc::new(MemTable::try_new(schema, vec![vec![batch]])?))
    }
}
