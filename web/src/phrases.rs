//! Reads plain words: what a player typed becomes a query, with an account of each word. Places count in UTF-16 units, as JavaScript does.

use plyfold_core::corpus_names::CorpusNames;
use plyfold_core::query::phrases::{PhraseReading, are_plain_words, read_plain_words};
use plyfold_core::query::span::TextSpan;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::{Corpus, ROW_PARTS};
use crate::editor::utf16_units;
use crate::error::JsFailure;
use crate::openings::known_openings;
use crate::plain::{Js, List, plain_object, to_js};

/// What a text means.
#[derive(Tsify)]
pub struct Phrase {
    /// The query; empty if nothing was understood. A text that is a query, or has signs of one such as quotes, is its own query.
    pub query: String,
    /// The words that were understood, in their order; none for a text that is a query.
    pub understood: List<UnderstoodWords>,
    /// The words that were not understood.
    pub unknown: List<WordPlace>,
    /// The queries of what else the text may mean, the likelier first.
    pub others: List<String>,
}
plain_object!(Phrase { query, understood, unknown, others });

/// Words of a text, and what they stand for.
#[derive(Tsify)]
pub struct UnderstoodWords {
    /// Where they begin.
    pub from: u32,
    /// One past their end.
    pub to: u32,
    /// The piece of the query.
    pub meaning: String,
    /// Whom names among them mean.
    pub notes: List<String>,
}
plain_object!(UnderstoodWords { from, to, meaning, notes });

/// Where words stand.
#[derive(Tsify)]
pub struct WordPlace {
    /// Where they begin.
    pub from: u32,
    /// One past their end.
    pub to: u32,
}
plain_object!(WordPlace { from, to });

/// Returns whether a text is read as plain words, and not as a query.
#[wasm_bindgen(js_name = arePlainWords)]
#[must_use]
pub fn plain_words(text: &str) -> bool {
    are_plain_words(text)
}

#[wasm_bindgen]
impl Corpus {
    /// Reads what a player typed, such as `Karpov lost rook endgames 1980-1990`, by the names of the corpus. `own` is
    /// the name of the user in the games, whom `my` means; an empty text if it is not known.
    ///
    /// # Errors
    ///
    /// The names are damaged.
    #[wasm_bindgen(js_name = readPhrase)]
    pub fn read_phrase(&self, text: &str, own: &str) -> Result<Js<Phrase>, JsFailure> {
        let mut readings = Vec::new().into_iter();
        if are_plain_words(text) {
            let spans = self.kept_spans(ROW_PARTS)?;
            readings = read_plain_words(text, &CorpusNames::new(&spans, known_openings()).of_user(own)).into_iter();
        }
        let itself = PhraseReading { query: text.trim().into(), ..PhraseReading::default() };
        let best = readings.next().unwrap_or(itself);
        let others = readings.map(|reading| reading.query).collect();
        let place = |span: TextSpan| (utf16_units(text, span.from), utf16_units(text, span.to));
        let understood = best.understood.into_iter().map(|words| {
            let (from, to) = place(words.span);
            UnderstoodWords { from, to, meaning: words.meaning, notes: words.notes.into_iter().collect() }
        });
        let unknown = best.unknown.into_iter().map(place).map(|(from, to)| WordPlace { from, to });
        Ok(to_js(Phrase { query: best.query, understood: understood.collect(), unknown: unknown.collect(), others }))
    }
}
