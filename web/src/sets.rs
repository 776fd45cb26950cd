//! Sets of games: kept under names beside the open corpus, combined, and handed out as files of the kind PMOTE-BM.

use js_sys::{Array, Uint8Array};
use plyfold_core::pmote::error::PmoteError;
use plyfold_core::pmote::game_set::{StoredGameSet, encode};
use plyfold_core::pmote::header::CorpusStamp;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::set_expression::{SetError, SetExpression};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::game_rows::js_object;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A set of games as the bytes of a PMOTE-BM file, and how many games are in it. */
export interface SetFile {
  games: number;
  bytes: Uint8Array<ArrayBuffer>;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// A set of games as a file.
    #[wasm_bindgen(typescript_type = "SetFile")]
    pub type JsSetFile;
}

impl From<PmoteError> for JsFailure {
    fn from(error: PmoteError) -> JsFailure {
        JsFailure::new("bad-input", error.to_string())
    }
}

impl From<SetError> for JsFailure {
    fn from(error: SetError) -> JsFailure {
        JsFailure::new("bad-input", error.to_string())
    }
}

#[wasm_bindgen]
impl Corpus {
    /// Gives the engine the set that `@name` stands for from now on, from the bytes of its file; returns how many games are in it.
    ///
    /// # Errors
    ///
    /// Bytes that are no whole set, or one of another corpus.
    #[wasm_bindgen(js_name = putSet)]
    pub fn put_set(&mut self, name: String, bytes: &[u8]) -> Result<f64, JsFailure> {
        let stored = StoredGameSet::open(bytes)?;
        stored.stamp.check_matches(self.stamp())?;
        let set = stored.into_game_set();
        let games = set.count();
        self.sets.insert(name, set);
        Ok(games as f64)
    }

    /// Forgets the set with this name.
    #[wasm_bindgen(js_name = dropSet)]
    pub fn drop_set(&mut self, name: &str) {
        self.sets.remove(name);
    }

    /// What an expression over sets comes to, such as `(@a & @b) - @c`.
    ///
    /// # Errors
    ///
    /// An expression that cannot be read, a name that stands for no set.
    pub fn combine(&self, expression: &str) -> Result<JsSetFile, JsFailure> {
        Ok(self.set_file(&self.evaluate(expression)?))
    }
}

impl Corpus {
    fn stamp(&self) -> CorpusStamp {
        // A corpus numbers its games in 32 bits.
        CorpusStamp { corpus: self.id(), games: self.games() as u32 }
    }

    /// The games of an expression.
    pub(crate) fn evaluate(&self, expression: &str) -> Result<GameSet, JsFailure> {
        let expression = SetExpression::parse(expression)?;
        let sets = expression
            .names()
            .iter()
            .map(|name| self.set_named(&name.text))
            .collect::<Result<Vec<&GameSet>, JsFailure>>()?;
        Ok(expression.evaluate(self.stamp().games, &sets))
    }

    /// The set with this name, with its `@` or without.
    pub(crate) fn set_named(&self, name: &str) -> Result<&GameSet, JsFailure> {
        let name = name.strip_prefix('@').unwrap_or(name);
        let missing = || JsFailure::new("bad-input", format!("there is no set @{name} of this corpus"));
        self.sets.get(name).ok_or_else(missing)
    }

    /// A set as its file.
    pub(crate) fn set_file(&self, set: &GameSet) -> JsSetFile {
        self.set_properties(set, &[]).unchecked_into()
    }

    /// Sets with their names, each as its file.
    pub(crate) fn set_files<'a>(&self, sets: impl Iterator<Item = (&'a str, &'a GameSet)>) -> Array {
        sets.map(|(name, set)| self.set_properties(set, &[("name", name.into())])).collect()
    }

    fn set_properties(&self, set: &GameSet, more: &[(&str, JsValue)]) -> JsValue {
        let bytes = Uint8Array::from(&*encode(set, self.id()));
        let own = [("games", JsValue::from_f64(set.count() as f64)), ("bytes", bytes.into())];
        js_object(&[&own, more].concat()).into()
    }
}
