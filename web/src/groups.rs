//! Matches by a key: the keys that have names, groups, and sets of games for each value.

use js_sys::Array;
use plyfold_core::headers::Outcome;
use plyfold_core::keys;
use plyfold_core::reduce::groups::Group;
use plyfold_core::reduce::key::FEATURES;
use plyfold_core::reduce::partition::{Kept, Rule};
use plyfold_core::reduce::results::Results;
use plyfold_core::reduce::{Answers as Found, Wanted};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::cancel;
use crate::corpus::Corpus;
use crate::error::Failure;
use crate::query::{Answers, Problem, Question, answer_of, problem};
use crate::table::object;

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
    pub type Keys;
    /// Groups of a key.
    #[wasm_bindgen(typescript_type = "Groups")]
    pub type GroupsOfKey;
    /// Sets of games by the value of a key.
    #[wasm_bindgen(typescript_type = "PartFile[]")]
    pub type PartFiles;
}

/// The keys that have names.
#[wasm_bindgen]
#[must_use]
pub fn keys() -> Keys {
    let key = |name: &str, summary: &str, ordered: bool| {
        object(&[("name", name.into()), ("summary", summary.into()), ("ordered", ordered.into())])
    };
    let all: Array = FEATURES.iter().map(|one| key(one.name, one.summary, one.is_ordered)).collect();
    all.unchecked_into()
}

/// What is wrong with a key; nothing when it can be grouped by.
#[wasm_bindgen(js_name = checkKey)]
#[must_use]
pub fn check_key(key: &str) -> Option<Problem> {
    keys::key(key).err().map(|error| problem(key, error))
}

/// Counts by result as properties of an object.
pub(crate) fn by_outcome(results: &Results) -> [(&'static str, JsValue); 5] {
    let of = |outcome| results.of(outcome);
    [
        ("games", results.games()),
        ("white", of(Outcome::White)),
        ("draw", of(Outcome::Draw)),
        ("black", of(Outcome::Black)),
        ("unknown", of(Outcome::Unknown)),
    ]
    .map(|(name, count)| (name, JsValue::from_f64(count as f64)))
}

#[wasm_bindgen]
impl Answers {
    /// Groups by the key that was wanted; nothing if none was.
    pub fn groups(&self) -> Option<GroupsOfKey> {
        let all = self.found.groups.first()?;
        let group = |group: &Group| {
            let own = [("name", JsValue::from(&*group.name)), ("positions", (group.positions as f64).into())];
            object(&[&own[..], &by_outcome(&group.results)].concat())
        };
        let groups: Array = all.groups.iter().map(group).collect();
        let ordered = keys::key(&all.key).is_ok_and(|key| key.is_ordered());
        let groups: JsValue = object(&[
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
    pub fn with_value(&self, question: &Question, key: &str, value: &str) -> Result<Question, Failure> {
        let wanted = Wanted {
            partitions: vec![(keys::key(key)?, Rule::Ever)],
            parts: Kept::Named(value.into()),
            ..Wanted::default()
        };
        let found = question.answer(self, &wanted)?.partitions.into_iter().flatten().next();
        Ok(question.among(found.and_then(|part| part.games).unwrap_or_else(|| self.none())))
    }

    /// The games that match by the value of `key`, each of the `most` largest as a set. `rule` is `final`, `first` or `ever`.
    ///
    /// # Errors
    ///
    /// No such key or rule; a request that was given up.
    pub fn parts(&self, question: &Question, key: &str, rule: &str, most: usize) -> Result<PartFiles, Failure> {
        let named = Rule::NAMED.iter().find(|(name, _)| *name == rule);
        let &(_, rule) = named.ok_or_else(|| Failure::new("bad-input", format!("{rule} is no rule of a partition")))?;
        let wanted =
            Wanted { partitions: vec![(keys::key(key)?, rule)], parts: Kept::Largest(most), ..Wanted::default() };
        let found = question.answer(self, &wanted)?;
        let parts = found.partitions.iter().flatten().filter_map(|part| Some((&*part.name, part.games.as_ref()?)));
        Ok(self.files(parts).unchecked_into())
    }
}

impl Question {
    /// Asks it of a corpus.
    pub(crate) fn answer(&self, corpus: &Corpus, wanted: &Wanted) -> Result<Found, Failure> {
        answer_of(&corpus.spans(), &self.query, self.within.as_ref(), wanted, &cancel::Wanted)
    }
}
