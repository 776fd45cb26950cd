//! The names of a corpus, for a form that completes what somebody types.

use js_sys::Array;
use plyfold_core::aliases::AliasKind;
use plyfold_core::headers::{CountedName, NameCount, count_names};
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::{Corpus, ROW_PARTS};
use crate::error::JsFailure;
use crate::openings::known_openings;
use crate::plain::{List, plain_object};

/// A name of the corpus.
#[derive(Tsify)]
pub struct NamedGames {
    /// The name as the games write it.
    pub name: String,
    /// Number of games.
    pub games: f64,
}
plain_object!(NamedGames { name, games });

#[wasm_bindgen]
impl Corpus {
    /// Lists the names that are shown for those that contain the words of `text`, in any order, those of most games first; if none does, the
    /// nearest names. `field` is `player`, `white`, `black`, `event`, `site`, `eco` or `opening`.
    ///
    /// # Errors
    ///
    /// There is no such field.
    #[wasm_bindgen(unchecked_return_type = "NamedGames[]")]
    pub fn names(&self, field: &str, text: &str, most: usize) -> Result<Array, JsFailure> {
        let Some(&(_, counted)) = CountedName::NAMED.iter().find(|(name, _)| *name == field) else {
            return Err(JsFailure::new("bad-input", format!("games have no names of the kind {field}")));
        };
        let spans = self.kept_spans(ROW_PARTS)?;
        let count = |text: &str, most: usize| count_names(&spans, known_openings(), counted, text, most);
        let aliases = &self.names.list;
        let names = match AliasKind::of_counted(counted) {
            Some(kind) if !aliases.is_empty() => {
                let of_both = if counted == CountedName::Player { &spans[..] } else { &[] };
                aliases.shown_counts(kind, count(text, usize::MAX), || count("", usize::MAX), of_both)
            }
            _ => count(text, most),
        };
        let names =
            names.into_iter().take(most).map(|NameCount { name, games }| NamedGames { name, games: games as f64 });
        Ok(names.collect::<List<_>>().0)
    }
}
