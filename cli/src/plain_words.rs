//! Reads a query that a player typed in plain words, such as `Karpov lost rook endgames 1980-1990`, by the names that a corpus knows.

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus_names::CorpusNames;
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::{CountedName, count_names};
use plyfold_core::query::error::QueryError;
use plyfold_core::query::phrases::{PhraseReading, UnderstoodWords, read_plain_words};
use plyfold_core::query::span::TextSpan;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_terminal::table::grouped;

use crate::failure::{CliFailure, Result};
use crate::query_argument::{CommandQuery, OPENING_NAMES};

/// The most names that are told where a text is no name.
const MOST_NEAREST: usize = 3;

/// Reads plain words by the names of a corpus. The notes of the query say what was understood, and what else the words may mean, with its
/// number of games.
///
/// # Errors
///
/// Words are not understood; the error has their places, and what the others mean. `written` is the error of the text as a query, for a
/// text of which nothing is understood.
pub fn read(text: &str, corpus: &JoinedCorpus<'_>, written: Option<CliFailure>) -> Result<CommandQuery> {
    let spans = corpus_spans(corpus);
    let all = read_plain_words(text, &CorpusNames::new(&spans, &OPENING_NAMES));
    let Some(best) = all.first().filter(|best| !best.query.is_empty()) else {
        let nearest = count_names(&spans, &OPENING_NAMES, CountedName::Player, text, MOST_NEAREST);
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
        let games = run_query(&spans, &plan, &ReducerSelection::default(), &())?.count.games;
        let noun = if games == 1 { "game" } else { "games" };
        others.extend((games > 0).then(|| format!("{} ({} {noun})", other.query, grouped(games))));
    }
    if !others.is_empty() {
        query.notes.push(format!("they may also mean: {}", others.join(", ")));
    }
    Ok(query)
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
