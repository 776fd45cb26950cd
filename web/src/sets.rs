//! Named sets of games of the open corpus: stored, combined, and written as PMOTE-BM files.

use js_sys::Uint8Array;
use plyfold_core::pmote::game_set::{StoredGameSet, encode};
use plyfold_core::pmote::header::CorpusStamp;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::set_expression::SetExpression;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::plain::{Js, plain_object, to_js};

/// A set of games as a file.
#[derive(Tsify)]
pub struct SetFile {
    /// Number of games.
    pub games: f64,
    /// The bytes of a PMOTE-BM file.
    #[tsify(type = "Uint8Array<ArrayBuffer>")]
    pub bytes: Uint8Array,
}
plain_object!(SetFile { games, bytes });

/// The games of one value of a key as a file.
#[derive(Tsify)]
pub struct PartFile {
    /// The value in words.
    pub name: String,
    /// The games.
    #[serde(flatten)]
    pub set: SetFile,
}
plain_object!(PartFile { name, ..set });
#[wasm_bindgen]
impl Corpus {
    /// Reads a set from the bytes of its file, and names it `@name`.
    ///
    /// # Errors
    ///
    /// The bytes are not a complete set, or the set belongs to another corpus.
    #[wasm_bindgen(js_name = putSet)]
    pub fn put_set(&mut self, name: String, bytes: &[u8]) -> Result<(), JsFailure> {
        let stored = StoredGameSet::open(bytes)?;
        stored.stamp.check_matches(self.stamp())?;
        self.sets.insert(name, stored.into_game_set());
        Ok(())
    }

    /// Returns how many games the set with this name has, without those that are deleted.
    ///
    /// # Errors
    ///
    /// There is no such set.
    #[wasm_bindgen(js_name = setSize)]
    pub fn set_size(&self, name: &str) -> Result<f64, JsFailure> {
        Ok(self.without_deleted(self.set_named(name)?.clone()).count() as f64)
    }

    /// Forgets the set with this name.
    #[wasm_bindgen(js_name = dropSet)]
    pub fn drop_set(&mut self, name: &str) {
        self.sets.remove(name);
    }

    /// Returns the games of an expression over sets, such as `(@a & @b) - @c`, without those that are deleted, as a file.
    ///
    /// # Errors
    ///
    /// The expression cannot be read; there is no such set.
    pub fn combine(&self, expression: &str) -> Result<Js<SetFile>, JsFailure> {
        Ok(to_js(self.set_file(&self.evaluate(expression)?)))
    }
}

impl Corpus {
    fn stamp(&self) -> CorpusStamp {
        // A corpus numbers its games in 32 bits.
        CorpusStamp { corpus: self.id(), games: self.games() as u32 }
    }

    /// Evaluates an expression over sets, without deleted games.
    pub(crate) fn evaluate(&self, expression: &str) -> Result<GameSet, JsFailure> {
        let expression = SetExpression::parse(expression)?;
        let sets = expression
            .names()
            .iter()
            .map(|name| self.set_named(&name.text))
            .collect::<Result<Vec<&GameSet>, JsFailure>>()?;
        Ok(self.without_deleted(expression.evaluate(self.stamp().games, &sets)))
    }

    /// Finds the set with this name, with or without its `@`.
    pub(crate) fn set_named(&self, name: &str) -> Result<&GameSet, JsFailure> {
        let name = name.strip_prefix('@').unwrap_or(name);
        let missing = || JsFailure::new("bad-input", format!("this corpus has no set @{name}"));
        self.sets.get(name).ok_or_else(missing)
    }

    /// Makes a file of a set.
    pub(crate) fn set_file(&self, set: &GameSet) -> SetFile {
        SetFile { games: set.count() as f64, bytes: Uint8Array::from(&*encode(set, self.id())) }
    }
}
