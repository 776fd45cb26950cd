//! Completes plain words: the phrases of a vocabulary that begin with the last words of a text.

use alloc::string::String;
use alloc::vec::Vec;

use plyfold_scan::headers::folded_name;
use plyfold_scan::sorted::sorted;

use super::vocabulary::{Part, SECTIONS, Vocabulary};
use super::words::{Word, words};
use super::{LANGUAGES, read_phrase};
use crate::span::TextSpan;

/// Phrases are compared with at most so many of the last words.
const MAX_WORDS_BEFORE: usize = 4;
/// The fewest letters of the words that a phrase is completed from.
const MIN_LETTERS: usize = 3;

/// A phrase that the user may be about to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuggestedPhrase {
    /// The words of the text that it would replace.
    pub span: TextSpan,
    /// The phrase.
    pub words: String,
    /// What it means, as a query.
    pub query: String,
}

/// The phrases that begin with the last words of a text, as many words as there are such phrases; at most `most`, the shortest first, and
/// each meaning once. None after a space, or where these words have fewer than three letters.
pub fn suggest_phrases(text: &str, most: usize) -> Vec<SuggestedPhrase> {
    let typed = words(text);
    let is_begun = typed.last().is_some_and(|word| word.span.to == text.len());
    if !is_begun {
        return Vec::new();
    }
    let vocabularies: Vec<Vocabulary> = LANGUAGES.iter().filter_map(|words| Vocabulary::new(words).ok()).collect();
    let first = typed.len().saturating_sub(MAX_WORDS_BEFORE);
    let letters = |words: &[Word]| words.iter().map(|word| word.folded.len()).sum::<usize>();
    let begun = (first..typed.len()).map(|from| &typed[from..]).filter(|words| letters(words) >= MIN_LETTERS);
    begun.map(|words| completions(words, &vocabularies, most)).find(|found| !found.is_empty()).unwrap_or_default()
}

fn completions(typed: &[Word], vocabularies: &[Vocabulary], most: usize) -> Vec<SuggestedPhrase> {
    let span = TextSpan { from: typed[0].span.from, to: typed[typed.len() - 1].span.to };
    let mut suggested: Vec<SuggestedPhrase> = Vec::new();
    for vocabulary in vocabularies {
        let sections = SECTIONS.iter().filter(|(_, joining)| joining.is_condition());
        let phrases = sections.flat_map(|(section, _)| vocabulary.section(section));
        let completed: Vec<String> = phrases.filter_map(|phrase| complete(&phrase.words, typed)).collect();
        let mut completed = sorted(completed, |one, other| (one.len(), one).cmp(&(other.len(), other)));
        completed.dedup();
        for words in completed {
            if suggested.len() == most {
                return suggested;
            }
            let query = read_phrase(&words, vocabulary, &()).swap_remove(0).query;
            if !query.is_empty() && suggested.iter().all(|known| known.query != query) {
                suggested.push(SuggestedPhrase { span, words, query });
            }
        }
    }
    suggested
}

/// The words of a phrase that begins with the typed words, the last of which may be the beginning of one; none if it has slots.
fn complete(parts: &[Part], typed: &[Word]) -> Option<String> {
    let mut said = Vec::new();
    follow(&parts.iter().collect::<Vec<_>>(), typed, &mut said).then(|| said.join(" "))
}

/// Goes through the parts of a phrase, as long as typed words are left by them, then by the first choices.
fn follow<'v>(parts: &[&'v Part], typed: &[Word], said: &mut Vec<&'v str>) -> bool {
    let Some((first, rest)) = parts.split_first() else { return typed.is_empty() };
    let before = said.len();
    let with = |parts: &'v [Part], said: &mut Vec<&'v str>| {
        let all: Vec<&Part> = parts.iter().chain(rest.iter().copied()).collect();
        let follows = follow(&all, typed, said);
        if !follows {
            said.truncate(before);
        }
        follows
    };
    match first {
        Part::Slot { .. } => false,
        // Once all typed words are there, what may be left out is.
        Part::Optional(parts) => match typed.is_empty() {
            true => with(&[], said),
            false => with(parts, said) || with(&[], said),
        },
        Part::Choice(choices) => choices.iter().any(|parts| with(parts, said)),
        Part::Word { forms, written } => {
            let is_last = typed.len() == 1;
            let fits = |form: &str| match typed.first() {
                None => true,
                Some(word) if is_last => form.starts_with(&*word.folded),
                Some(word) => form == word.folded,
            };
            let form = core::iter::once(written).chain(forms).find(|form| fits(&folded_name(form)));
            form.is_some_and(|form| {
                said.push(form);
                let follows = follow(rest, typed.get(1..).unwrap_or_default(), said);
                if !follows {
                    said.truncate(before);
                }
                follows
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    fn suggested(text: &str) -> Vec<String> {
        suggest_phrases(text, 6).iter().map(|one| format!("{}{}", &text[..one.span.from], one.words)).collect()
    }

    #[test]
    fn phrases_are_completed_from_their_last_words() {
        assert!(suggested("Karpov lost rook end").contains(&"Karpov lost rook endgames".into()));
        assert!(
            suggested("opposite col").iter().any(|text| text.contains("bishop")),
            "{:?}",
            suggested("opposite col")
        );
        assert_eq!(suggested("rook endgame "), Vec::<String>::new(), "after a space, the word is complete");
        assert!(suggested("queens of").contains(&"queens off".into()));
        assert_eq!(suggested("ro"), Vec::<String>::new(), "two letters begin too many");
        assert_eq!(suggested("qwertz"), Vec::<String>::new());
    }

    /// Whatever is offered can be read, whole and alone.
    #[test]
    fn what_is_suggested_is_understood() {
        for begun in ["iso", "bis", "smo", "won", "los", "dop", "tur", "opf", "end", "pas", "mate", "exch"] {
            for one in suggest_phrases(begun, 20) {
                let best = super::super::read_plain_words(&one.words, &()).swap_remove(0);
                assert!(best.unknown.is_empty() && !best.query.is_empty(), "{begun}: {one:?} is read as {best:?}");
            }
        }
    }
}
