//! Matches by a key: the keys that have names, groups, and sets of games for each value.

use js_sys::Array;
use plyfold_core::headers::GameResult;
use plyfold_core::keys;
use plyfold_core::reduce::groups::Group;
use plyfold_core::reduce::key::KEY_FEATURES;
use plyfold_core::reduce::partition::{PartitionLimit, PartitionRule};
use plyfold_core::reduce::result_counts::ResultCounts;
use plyfold_core::reduce::{QueryResults as Found, ReducerSelection};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::cancel;
use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::game_rows::js_object;
use crate::query::{Answers, Problem, Question, js_problem, run_query};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Something by which matches are grouped. */
export interface Key {
  name: string;
  summary: string;
  /** Whether its values are numbers with an order of their own. */
  ordered: boolean;
}

/** Games by result. */
export interface ByOutcome {
  games: number;
  white: number;
  draw: number;
  black: number;
  unknown: number;
}

/** One value of a key: matching positions, and the games that have them. */
export interface Group extends ByOutcome {
  name: string;
  positions: number;
}

/** All values of a key; `distinct` counts those that are not listed, too. */
export interface Groups {
  key: string;
  ordered: boolean;
  distinct: number;
  positions: number;
  groups: Group[];
}

/** The games of one value as the bytes of a PMOTE-BM file. */
export interface PartFile {
  name: string;
  games: number;
  bytes: Uint8Array<ArrayBuffer>;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// Keys.
    #[wasm_bindgen(typescript_type = "Key[]")]
    pub type JsKeys;
    /// Groups of a key.
    #[wasm_bindgen(typescript_type = "Groups")]
    pub type JsGroups;
    /// Sets of games by the value of a key.
    #[wasm_bindgen(typescript_type = "PartFile[]")]
    pub type JsPartFiles;
}

/// The keys that have names.
#[wasm_bindgen]
#[must_use]
pub fn keys() -> JsKeys {
    let key = |name: &str, summary: &str, ordered: bool| {
        js_object(&[("name", name.into()), ("summary", summary.into()), ("ordered", ordered.into())])
    };
    let all: Array = KEY_FEATURES.iter().map(|one| key(one.name, one.summary, one.is_ordered)).collect();
    all.unchecked_into()
}

/// What is wrong with a key; nothing when it can be grouped by.
#[wasm_bindgen(js_name = checkKey)]
#[must_use]
pub fn check_key(key: &str) -> Option<Problem> {
    keys::parse_key(key).err().map(|error| js_problem(key, error))
}

/// Counts by result as properties of an object.
pub(crate) fn outcome_properties(results: &ResultCounts) -> [(&'static str, JsValue); 5] {
    let count_of = |outcome| results.with_outcome(outcome);
    [
        ("games", results.games()),
        ("white", count_of(GameResult::White)),
        ("draw", count_of(GameResult::Draw)),
        ("black", count_of(GameResult::Black)),
        ("unknown", count_of(GameResult::Unknown)),
    ]
    .map(|(name, count)| (name, JsValue::from_f64(count as f64)))
}

#[wasm_bindgen]
impl Answers {
    /// Groups by the key that was wanted; nothing if none was.
    pub fn groups(&self) -> Option<JsGroups> {
        let all = self.found.groups.first()?;
        let group = |group: &Group| {
            let own = [("name", JsValue::from(&*group.name)), ("positions", (group.positions as f64).into())];
            js_object(&[&own[..], &outcome_properties(&group.results)].concat())
        };
        let groups: Array = all.groups.iter().map(group).collect();
        let ordered = keys::parse_key(&all.key).is_ok_and(|key| key.is_ordered());
        let groups: JsValue = js_object(&[
            ("key", (&*all.key).into()),
            ("ordered", ordered.into()),
            ("distinct", (all.distinct as f64).into()),
            ("positions", (all.positions as f64).into()),
            ("groups", groups.into()),
        ])
        .into();
        Some(groups.unchecked_into())
    }
}

#[wasm_bindgen]
impl Corpus {
    /// Of the games that match, those that have a matching position where `key` is `value`, as one question.
    ///
    /// # Errors
    ///
    /// No such key; a request that was given up.
    #[wasm_bindgen(js_name = withValue)]
    pub fn with_value(&self, question: &Question, key: &str, value: &str) -> Result<Question, JsFailure> {
        let selection = ReducerSelection {
            partitions: vec![(keys::parse_key(key)?, PartitionRule::Ever)],
            partition_limit: PartitionLimit::Named(value.into()),
            ..ReducerSelection::default()
        };
        let matching = question.run(self, &selection)?.partitions.into_iter().flatten().next();
        Ok(question.within_games(matching.and_then(|part| part.games).unwrap_or_else(|| self.empty_set())))
    }

    /// The games that match by the value of `key`, each of the `most` largest as a set. `rule` is `final`, `first` or `ever`.
    ///
    /// # Errors
    ///
    /// No such key or rule; a request that was given up.
    pub fn parts(&self, question: &Question, key: &str, rule: &str, most: usize) -> Result<JsPartFiles, JsFailure> {
        let named = PartitionRule::NAMED.iter().find(|(name, _)| *name == rule);
        let &(_, rule) =
            named.ok_or_else(|| JsFailure::new("bad-input", format!("{rule} is no rule of a partition")))?;
        let selection = ReducerSelection {
            partitions: vec![(keys::parse_key(key)?, rule)],
            partition_limit: PartitionLimit::Largest(most),
            ..ReducerSelection::default()
        };
        let results = question.run(self, &selection)?;
        let parts = results.partitions.iter().flatten().filter_map(|part| Some((&*part.name, part.games.as_ref()?)));
        Ok(self.set_files(parts).unchecked_into())
    }
}

impl Question {
    /// Asks it of a corpus.
    pub(crate) fn run(&self, corpus: &Corpus, selection: &ReducerSelection) -> Result<Found, JsFailure> {
        run_query(&corpus.spans(), &self.query, self.within.as_ref(), selection, &cancel::CancellationWatch)
    }
}
