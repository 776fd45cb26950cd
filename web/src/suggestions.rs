//! Suggests what a player may be about to write: names of the corpus, and phrases. Places count in UTF-16 units, as JavaScript does.

use js_sys::Array;
use plyfold_core::aliases::{AliasKind, Aliases};
use plyfold_core::corpus_names::CorpusNames;
use plyfold_core::game::GameSpan;
use plyfold_core::headers::NameCount;
use plyfold_core::query::phrases::{KnownNames, NameKind, read_plain_words, suggest_phrases};
use plyfold_core::query::span::TextSpan;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::{Corpus, ROW_PARTS};
use crate::editor::utf16_units;
use crate::error::JsFailure;
use crate::openings::known_openings;
use crate::plain::{List, plain_object};

/// The fewest letters that names are sought for.
const MIN_LETTERS: usize = 3;
/// A name is sought by at most so many of the last words.
const MAX_WORDS: usize = 4;
/// Phrases that are suggested at once.
const MAX_PHRASES: usize = 5;
/// Whose names are suggested, each with the most of them and with what the page calls it.
const KINDS: [(NameKind, usize, &str); 3] =
    [(NameKind::Player, 4, "player"), (NameKind::Opening, 3, "opening"), (NameKind::Event, 2, "event")];

/// Words that a player may be about to write.
#[derive(Tsify)]
#[tsify(missing_as_null)]
pub struct Suggestion {
    /// Where the words begin that it would replace.
    pub from: u32,
    /// One past their end.
    pub to: u32,
    /// The words.
    pub text: String,
    /// What they are; a surname means all players of this surname.
    #[tsify(type = "'surname' | 'player' | 'opening' | 'event' | 'phrase'")]
    pub kind: &'static str,
    /// Number of games of a name; null for what a search has to count.
    pub games: Option<f64>,
    /// What the words mean by themselves.
    pub query: String,
}
plain_object!(Suggestion { from, to, text, kind, games, query });

#[wasm_bindgen]
impl Corpus {
    /// Suggests how the last words of a text go on: names of the corpus, and phrases that the reader of plain words understands; the
    /// likelier first.
    ///
    /// # Errors
    ///
    /// The names are damaged.
    #[wasm_bindgen(unchecked_return_type = "Suggestion[]")]
    pub fn suggest(&self, text: &str) -> Result<Array, JsFailure> {
        let spans = self.kept_spans(ROW_PARTS)?;
        let names = CorpusNames::new(&spans, known_openings());
        let names = suggested_names(text, &names, (&self.names.list, &spans));
        let phrases = suggest_phrases(text, MAX_PHRASES).into_iter().map(|phrase| {
            let place = Place::of(text, phrase.span);
            place.suggestion(phrase.words, "phrase", None, phrase.query)
        });
        let phrases: Vec<Suggestion> = phrases.collect();
        // Who begins with a capital letter writes a name.
        let word = text.split_whitespace().next_back().unwrap_or_default();
        let (first, second) = if word.starts_with(char::is_uppercase) { (names, phrases) } else { (phrases, names) };
        Ok(first.into_iter().chain(second).collect::<List<_>>().0)
    }
}

/// Where the words begin and end that a suggestion would replace.
#[derive(Clone, Copy)]
struct Place {
    from: u32,
    to: u32,
}

impl Place {
    fn of(text: &str, span: TextSpan) -> Place {
        Place { from: utf16_units(text, span.from), to: utf16_units(text, span.to) }
    }

    fn suggestion(self, text: String, kind: &'static str, games: Option<f64>, query: String) -> Suggestion {
        Suggestion { from: self.from, to: self.to, text, kind, games, query }
    }
}

/// The names that have the last words of a text, as many words as there are such names.
fn suggested_names(text: &str, names: &CorpusNames<'_>, shown: (&Aliases, &[GameSpan<'_>])) -> Vec<Suggestion> {
    let typed: Vec<&str> = text.split_whitespace().collect();
    let first = if text.ends_with(char::is_whitespace) { typed.len() } else { typed.len().saturating_sub(MAX_WORDS) };
    let places = typed[first..].iter().map(|word| word.as_ptr().addr() - text.as_ptr().addr());
    let begun = places.filter(|&from| text.len() - from >= MIN_LETTERS);
    begun
        .map(|from| names_of(&text[from..], names, shown, Place::of(text, TextSpan { from, to: text.len() })))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// The names that are shown for those in which words begin as these do, by aliases and the games that are counted.
fn names_of(
    words: &str,
    names: &CorpusNames<'_>,
    (aliases, spans): (&Aliases, &[GameSpan<'_>]),
    place: Place,
) -> Vec<Suggestion> {
    let mut all = Vec::new();
    for (kind, most, called) in KINDS {
        let folded = kind.folded(words);
        let begins = |name: &str| {
            let name = format!(" {}", kind.folded(name));
            folded.split(' ').all(|word| name.contains(&format!(" {word}")))
        };
        let found = names.find(kind, words).into_iter().filter(|one| one.games > 0 && begins(&one.name)).collect();
        let found: Vec<NameCount> = match kind {
            NameKind::Player => aliases.shown_counts(AliasKind::Player, found, || names.find(kind, ""), spans),
            NameKind::Event => aliases.shown_counts(AliasKind::Event, found, || names.find(kind, ""), &[]),
            NameKind::Opening => found,
        };
        if kind == NameKind::Player {
            let players = found.iter().map(|one| &*one.name);
            all.extend(
                surname(names, &folded, players).map(|(name, query)| place.suggestion(name, "surname", None, query)),
            );
        }
        all.extend(found.into_iter().take(most).map(|NameCount { name, games }| {
            let query = format!("{called} \"{name}\"");
            place.suggestion(name, called, Some(games as f64), query)
        }));
    }
    all
}

/// The surname of the first of these players, if others of them have it too, and what it means.
fn surname<'n>(
    names: &CorpusNames<'_>,
    folded: &str,
    mut players: impl Iterator<Item = &'n str>,
) -> Option<(String, String)> {
    let of = |name: &'n str| name.split([',', ' ']).next().unwrap_or(name);
    let surname = of(players.next()?);
    let is_meant = NameKind::Player.folded(surname).starts_with(folded) && players.any(|name| of(name) == surname);
    let query = is_meant.then(|| read_plain_words(surname, names).swap_remove(0).query)?;
    (!query.is_empty()).then(|| (surname.into(), query))
}
