//! Reads a query that a player typed in plain words, such as `Karpov lost rook endgames 1980-1990`, by the names that a corpus knows.

use std::cell::OnceCell;

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::headers::{CountedName, NameCount, count_names, folded_name};
use plyfold_core::query::error::QueryError;
use plyfold_core::query::phrases::{
    KnownNames, LANGUAGES, NameKind, PhraseReading, UnderstoodWords, Vocabulary, read_phrase,
};
use plyfold_core::query::span::TextSpan;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_terminal::table::grouped;

use crate::failure::{CliFailure, Result};
use crate::query_argument::{CommandQuery, OPENING_NAMES};

/// Signs that only a query has: its mistakes are told in the words of the language.
const SIGNS_OF_QUERIES: [char; 12] = ['"', '{', '}', '(', ')', '_', '<', '>', '=', '&', '@', '*'];

/// The most names that are told where a text is no name.
const MOST_NEAREST: usize = 3;

/// Whether a text is to be read as plain words: it is no query, nor looks like one, or the words of a language mean something else by it.
pub fn are_in(text: &str) -> bool {
    !text.trim().is_empty()
        && !text.contains(SIGNS_OF_QUERIES)
        && !readings(text, &()).first().is_some_and(|best| best.is_query)
}

/// Reads plain words by the names of a corpus. The notes of the query say what was understood, and what else the words may mean, with its
/// number of games.
///
/// # Errors
///
/// Words are not understood; the error has their places, and what the others mean. `written` is the error of the text as a query, for a
/// text of which nothing is understood.
pub fn read(text: &str, corpus: &JoinedCorpus<'_>, written: Option<CliFailure>) -> Result<CommandQuery> {
    let names = CorpusNames { spans: corpus_spans(corpus), lists: Default::default() };
    let all = readings(text, &names);
    let Some(best) = all.first().filter(|best| !best.query.is_empty()) else {
        let nearest = count_names(&names.spans, &OPENING_NAMES, CountedName::Player, text, MOST_NEAREST);
        return Err(match written {
            Some(CliFailure::Query(error, text)) if !nearest.is_empty() => {
                let nearest: Vec<String> = nearest.iter().map(|one| format!("\"{}\"", one.name)).collect();
                let message = format!(
                    "\"{text}\" is not understood, and no player is called so; the nearest names are {}",
                    nearest.join(", ")
                );
                CliFailure::Query(QueryError { message, to: text.len(), ..error }, text)
            }
            Some(failure) => failure,
            None => CliFailure::Usage(format!("\"{text}\" is not understood")),
        });
    };
    if let Some(unknown) = best.unknown.first() {
        return Err(not_understood(text, *unknown, best));
    }
    let mut query = CommandQuery::new(&best.query)?;
    query.notes.push(format!("the words mean: {}", what_they_mean(text, &best.understood)));
    let mut others = Vec::new();
    for other in &all[1..] {
        let plan = CommandQuery::new(&other.query)?.query;
        let games = run_query(&names.spans, &plan, &ReducerSelection::default(), &())?.count.games;
        let noun = if games == 1 { "game" } else { "games" };
        others.extend((games > 0).then(|| format!("{} ({} {noun})", other.query, grouped(games))));
    }
    if !others.is_empty() {
        query.notes.push(format!("they may also mean: {}", others.join(", ")));
    }
    Ok(query)
}

/// The readings in the language that understands the most.
fn readings(text: &str, names: &dyn KnownNames) -> Vec<PhraseReading> {
    let in_language = |words: &&str| Vocabulary::new(words).ok().map(|words| read_phrase(text, &words, names));
    let unknown = |best: &PhraseReading| {
        let bytes: usize = best.unknown.iter().map(|span| span.to - span.from).sum();
        (!best.is_query, bytes, best.cost)
    };
    LANGUAGES.iter().filter_map(in_language).min_by_key(|all| all.first().map(unknown)).unwrap_or_default()
}

fn not_understood(text: &str, place: TextSpan, reading: &PhraseReading) -> CliFailure {
    let rest = match reading.understood.is_empty() {
        true => String::new(),
        false => format!("; the other words are the query: {}", reading.query),
    };
    let words = text.get(place.from..place.to).unwrap_or(text);
    let message = format!("\"{words}\" is not understood{rest}");
    let (from, to) = (place.from, place.to);
    CliFailure::Query(QueryError { message, from, to, expected: Vec::new(), nearest: None }, text.to_owned())
}

/// `Karpov` is "Karpov*" (Karpov, Anatoly), `lost` is …
fn what_they_mean(text: &str, understood: &[UnderstoodWords]) -> String {
    let one = |words: &UnderstoodWords| {
        let typed = text.get(words.span.from..words.span.to).unwrap_or_default();
        let whom = if words.notes.is_empty() { String::new() } else { format!(" ({})", words.notes.join("; ")) };
        format!("`{typed}` is {}{whom}", words.meaning)
    };
    understood.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The names of a corpus with their numbers of games, those of most games first; each list is made when it is first asked.
struct CorpusNames<'c> {
    spans: Vec<GameSpan<'c>>,
    lists: [OnceCell<Vec<(String, NameCount)>>; 3],
}

impl CorpusNames<'_> {
    fn list(&self, kind: NameKind) -> &[(String, NameCount)] {
        let counted = match kind {
            NameKind::Player => CountedName::Player,
            NameKind::Event => CountedName::Event,
            NameKind::Opening => CountedName::Opening,
        };
        self.lists[kind as usize].get_or_init(|| {
            let mut names = count_names(&self.spans, &OPENING_NAMES, counted, "", usize::MAX);
            if kind == NameKind::Opening {
                // Openings that no game has are openings, too.
                let known = names.iter().map(|one| one.name.clone()).collect::<std::collections::HashSet<_>>();
                let others = OPENING_NAMES.iter().map(|(_, name)| name).filter(|name| !known.contains(*name));
                names.extend(others.map(|name| NameCount { name: name.into(), games: 0 }));
            }
            names.into_iter().map(|one| (folded_name(&one.name), one)).collect()
        })
    }
}

impl KnownNames for CorpusNames<'_> {
    fn find(&self, kind: NameKind, words: &str) -> Vec<NameCount> {
        let american = words.replace("defence", "defense").replace("centre", "center");
        let words: Vec<&str> = if kind == NameKind::Opening { &american } else { words }.split(' ').collect();
        let has_all = |name: &str| words.iter().all(|word| name.contains(word));
        let found = self.list(kind).iter().filter(|(folded, _)| has_all(folded));
        found.map(|(_, one)| NameCount { name: one.name.clone(), games: one.games }).collect()
    }
}
