//! Groups of matches by a key: the named keys, the groups, and a set of games for each value.

use js_sys::Array;
use plyfold_core::keys;
use plyfold_core::reduce::groups::GroupTable;
use plyfold_core::reduce::key::{KEY_FEATURES, TableKey};
use plyfold_core::reduce::output::Output;
use plyfold_core::reduce::partition::{PARTITION, Partition, PartitionLimit, PartitionRule};
use plyfold_core::reduce::result_counts::ResultCounts;
use plyfold_core::reduce::{QueryResults as Found, ReduceRequest, ReducerSelection};
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::cancel;
use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::plain::{Js, List, plain_object, to_js};
use crate::query::{PreparedQuestion, QueryProblem, key_named, query_problem, run_query};
use crate::sets::PartFile;

/// A key that matches can be grouped by.
#[derive(Tsify)]
pub struct Key {
    /// The name as the command line and the page write it.
    pub name: &'static str,
    /// A summary of one line.
    pub summary: &'static str,
    /// Whether its values are numbers with an order of their own.
    pub ordered: bool,
}
plain_object!(Key { name, summary, ordered });
/// Games counted by result.
#[derive(Tsify)]
pub struct OutcomeCounts {
    /// All games.
    pub games: f64,
    /// Games that White won.
    pub white: f64,
    /// Drawn games.
    pub draw: f64,
    /// Games that Black won.
    pub black: f64,
    /// Games without a result.
    pub unknown: f64,
}
plain_object!(OutcomeCounts { games, white, draw, black, unknown });

impl From<&ResultCounts> for OutcomeCounts {
    fn from(results: &ResultCounts) -> OutcomeCounts {
        let [white, draw, black, unknown] = results.in_columns().map(|games| games as f64);
        OutcomeCounts { games: results.games() as f64, white, draw, black, unknown }
    }
}

/// One value of a key: its matching positions, and the games with such positions by result.
#[derive(Tsify)]
#[tsify(missing_as_null)]
pub struct Group {
    /// The value in words.
    pub name: String,
    /// Number of matching positions.
    pub positions: f64,
    /// The condition of the query language that holds at exactly the positions with this value; null if the language has none.
    pub condition: Option<String>,
    /// The games by result.
    #[serde(flatten)]
    pub results: OutcomeCounts,
}
plain_object!(Group { name, positions, condition, ..results });

/// All values of a key.
#[derive(Tsify)]
pub struct Groups {
    /// The name of the key.
    pub key: String,
    /// Whether its values are numbers with an order of their own.
    pub ordered: bool,
    /// The number of values, including those that are not listed.
    pub distinct: f64,
    /// Matching positions of all values together.
    pub positions: f64,
    /// The values: in their order if they have one, otherwise the most frequent first.
    pub groups: List<Group>,
}
plain_object!(Groups { key, ordered, distinct, positions, groups });

/// Which matching position decides the group of a game: the last, the first, or each of them.
#[derive(Tsify)]
#[tsify(type = "'final' | 'first' | 'ever'")]
pub struct Rule;

/// Lists the named keys.
#[wasm_bindgen(unchecked_return_type = "Key[]")]
#[must_use]
pub fn keys() -> Array {
    let keys = KEY_FEATURES.iter().map(|key| Key { name: key.name, summary: key.summary, ordered: key.is_ordered });
    let tables = Key { name: TableKey::NAME, summary: TableKey::SUMMARY, ordered: false };
    keys.chain([tables]).collect::<List<_>>().0
}

/// Returns what is wrong with a key, or nothing if it is valid.
#[wasm_bindgen(js_name = checkKey)]
#[must_use]
pub fn check_key(key: &str) -> Option<Js<QueryProblem>> {
    keys::parse_key(key).err().map(|error| to_js(query_problem(key, error)))
}

impl From<&GroupTable> for Groups {
    fn from(table: &GroupTable) -> Groups {
        let key = keys::parse_key(&table.key).ok();
        let groups = table.groups.iter().map(|group| Group {
            name: group.name.clone(),
            positions: group.positions as f64,
            condition: key.as_ref().and_then(|key| key.condition(&group.name)),
            results: (&group.results).into(),
        });
        Groups {
            key: table.key.clone(),
            ordered: key.as_ref().is_some_and(|key| key.is_ordered()),
            distinct: table.distinct as f64,
            positions: table.positions as f64,
            groups: groups.collect(),
        }
    }
}

#[wasm_bindgen]
impl Corpus {
    /// Partitions the matching games by the value of `key` and returns each of the `most` largest parts as
    /// a set.
    ///
    /// `rule` is `final`, `first` or `ever`.
    ///
    /// # Errors
    ///
    /// There is no such key or rule; the request was cancelled.
    #[wasm_bindgen(unchecked_return_type = "PartFile[]")]
    pub fn parts(
        &self,
        question: &PreparedQuestion,
        key: &str,
        #[wasm_bindgen(unchecked_param_type = "Rule")] rule: &str,
        most: usize,
    ) -> Result<Array, JsFailure> {
        let named = PartitionRule::NAMED.iter().find(|(name, _)| *name == rule);
        let &(_, rule) =
            named.ok_or_else(|| JsFailure::new("bad-input", format!("{rule} is no rule of a partition")))?;
        let output = PARTITION.by(key_named(key)?).ruled_by(rule).with_sets(PartitionLimit::Largest(most));
        let results = question.run(self, output.showing(&self.names.shown))?;
        let parts = results.summaries::<Partition>().flat_map(|partition| &partition.sets);
        let parts = parts.filter_map(|part| Some((&*part.name, part.games.as_ref()?)));
        let files = parts.map(|(name, games)| PartFile { name: name.into(), set: self.set_file(games) });
        Ok(files.collect::<List<_>>().0)
    }
}

impl PreparedQuestion {
    /// Scans a corpus for this question and one output.
    pub(crate) fn run(&self, corpus: &Corpus, output: Output) -> Result<Found, JsFailure> {
        self.run_selection(corpus, &ReducerSelection::of(output))
    }

    /// Scans a corpus for this question.
    pub(crate) fn run_selection(&self, corpus: &Corpus, selection: &ReducerSelection) -> Result<Found, JsFailure> {
        let (query, within) = (&self.query, self.within.as_ref());
        let spans = corpus.spans_with(ReduceRequest { query, within, selection }.parts())?;
        run_query(&spans, query, within, selection, &cancel::CancellationWatch)
    }
}

impl Corpus {
    /// Narrows the games of a question to those with a matching position where `key` is `value`.
    ///
    /// # Errors
    ///
    /// There is no such key; the request was cancelled.
    pub(crate) fn with_value(
        &self,
        question: &PreparedQuestion,
        key: &str,
        value: &str,
    ) -> Result<PreparedQuestion, JsFailure> {
        let output = PARTITION.by(key_named(key)?).ruled_by(PartitionRule::Ever).showing(&self.names.shown);
        let found = question.run(self, output.with_sets(PartitionLimit::Named(value.into())))?;
        let matching = found.summary().and_then(|partition: &Partition| partition.sets.first()?.games.clone());
        Ok(question.within_games(matching.unwrap_or_else(|| self.empty_set())))
    }
}
