//! Sets of games: kept under names beside the open corpus, combined, and handed out as files of the kind PMOTE-BM.

use js_sys::{Array, Uint8Array};
use plyfold_core::pmote::error::PmoteError;
use plyfold_core::pmote::games::{Stored, encode};
use plyfold_core::pmote::header::Of;
use plyfold_core::reduce::games::GameSet;
use plyfold_core::reduce::sets::{Expression, SetError};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::corpus::Corpus;
use crate::error::Failure;
use crate::table::object;

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
    pub type SetFile;
}

impl From<PmoteError> for Failure {
    fn from(error: PmoteError) -> Failure {
        Failure::new("bad-input", error.to_string())
    }
}

impl From<SetError> for Failure {
    fn from(error: SetError) -> Failure {
        Failure::new("bad-input", error.to_string())
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
    pub fn put_set(&mut self, name: String, bytes: &[u8]) -> Result<f64, Failure> {
        let stored = Stored::open(bytes)?;
        stored.of.is(self.of())?;
        let set = stored.into_set();
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
    pub fn combine(&self, expression: &str) -> Result<SetFile, Failure> {
        Ok(self.file(&self.combined(expression)?))
    }
}

impl Corpus {
    fn of(&self) -> Of {
        // A corpus numbers its games in 32 bits.
        Of { corpus: self.id(), games: self.games() as u32 }
    }

    /// The games of an expression.
    pub(crate) fn combined(&self, expression: &str) -> Result<GameSet, Failure> {
        let expression = Expression::parse(expression)?;
        let sets =
            expression.names().iter().map(|name| self.named(&name.text)).collect::<Result<Vec<&GameSet>, Failure>>()?;
        Ok(expression.evaluate(self.of().games, &sets))
    }

    /// The set with this name, with its `@` or without.
    pub(crate) fn named(&self, name: &str) -> Result<&GameSet, Failure> {
        let name = name.strip_prefix('@').unwrap_or(name);
        let missing = || Failure::new("bad-input", format!("there is no set @{name} of this corpus"));
        self.sets.get(name).ok_or_else(missing)
    }

    /// A set as its file.
    pub(crate) fn file(&self, set: &GameSet) -> SetFile {
        self.properties(set, &[]).unchecked_into()
    }

    /// Sets with their names, each as its file.
    pub(crate) fn files<'a>(&self, sets: impl Iterator<Item = (&'a str, &'a GameSet)>) -> Array {
        sets.map(|(name, set)| self.properties(set, &[("name", name.into())])).collect()
    }

    fn properties(&self, set: &GameSet, more: &[(&str, JsValue)]) -> JsValue {
        let bytes = Uint8Array::from(&*encode(set, self.id()));
        let own = [("games", JsValue::from_f64(set.count() as f64)), ("bytes", bytes.into())];
        object(&[&own, more].concat()).into()
    }
}
