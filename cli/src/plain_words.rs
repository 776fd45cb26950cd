//! Reads a query that a player typed in plain words, such as `Karpov lost rook endgames 1980-1990`, by the names that a corpus knows.

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus_names::CorpusNames;
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::{CountedName, count_names};
use plyfold_core::query::error::QueryError;
use plyfold_core::query::phrases::{PhraseReading, UnderstoodWords, are_plain_words, read_plain_words};
use plyfold_core::query::span::TextSpan;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_terminal::table::grouped;
use plyfold_terminal::write_note;

use crate::failure::{CliFailure, Result};
use crate::query_argument::{CommandQuery, OPENING_NAMES, QueryArgument};

/// The most names that are told where a text is no name.
const MOST_NEAREST: usize = 3;
/// What a message ends with if there is no corpus.
const WITHOUT_NAMES: &str = "; --corpus names the games whose players and events are known";

/// A query as it was given.
pub enum GivenQuery {
    /// A query of the language.
    Written(Box<CommandQuery>),
    /// Plain words, which mean what the names of a corpus make of them; and why they are no query, if they are none.
    Words(String, Option<CliFailure>),
}

impl GivenQuery {
    /// Takes a text.
    ///
    /// # Errors
    ///
    /// It is a query with a mistake.
    pub fn new(text: &str) -> Result<GivenQuery> {
        let written = CommandQuery::new(text);
        match are_plain_words(text) {
            true => Ok(GivenQuery::Words(text.to_owned(), written.err())),
            false => Ok(GivenQuery::Written(Box::new(written?))),
        }
    }

    /// Takes the query of a command line; only one that is given as an argument may be plain words.
    ///
    /// # Errors
    ///
    /// Those of [`CommandQuery::from_argument`].
    pub fn from_argument(given: &QueryArgument) -> Result<GivenQuery> {
        match given.text() {
            Some(text) => GivenQuery::new(text),
            None => Ok(GivenQuery::Written(Box::new(CommandQuery::from_argument(given)?))),
        }
    }

    /// Does with a query of the language what must be done before a corpus is opened. Plain words have to wait.
    ///
    /// # Errors
    ///
    /// Those of `prepare`.
    pub fn prepared(self, prepare: impl Fn(CommandQuery) -> Result<CommandQuery>) -> Result<GivenQuery> {
        match self {
            GivenQuery::Written(query) => Ok(GivenQuery::Written(Box::new(prepare(*query)?))),
            words => Ok(words),
        }
    }

    /// The query, which has been prepared if it is one of the language; plain words by the names of a corpus.
    ///
    /// # Errors
    ///
    /// Words are not understood, or those of `prepare`.
    pub fn read(
        self,
        corpus: Option<&JoinedCorpus<'_>>,
        prepare: impl Fn(CommandQuery) -> Result<CommandQuery>,
    ) -> Result<CommandQuery> {
        match self {
            GivenQuery::Written(query) => Ok(*query),
            GivenQuery::Words(text, written) => prepare(read(&text, corpus, written)?),
        }
    }

    /// The same for a command whose output has no place for notes: what plain words mean is told beside it.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    pub fn read_aloud(
        self,
        corpus: &JoinedCorpus<'_>,
        prepare: impl Fn(CommandQuery) -> Result<CommandQuery>,
    ) -> Result<CommandQuery> {
        let are_words = matches!(self, GivenQuery::Words(..));
        let query = self.read(Some(corpus), prepare)?;
        if are_words {
            write_note(&format!("the query is: {}", query.text));
            query.notes.iter().for_each(|note| write_note(note));
        }
        Ok(query)
    }
}

/// Reads plain words by the names of a corpus. The notes of the query say what was understood, and what else the words may mean, with its
/// number of games.
///
/// # Errors
///
/// Words are not understood; the error has their places, and what the others mean. `written` is the error of the text as a query, for a
/// text of which nothing is understood.
fn read(text: &str, corpus: Option<&JoinedCorpus<'_>>, written: Option<CliFailure>) -> Result<CommandQuery> {
    let spans = corpus.map(corpus_spans).unwrap_or_default();
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
            Some(CliFailure::Query(error, text)) if corpus.is_none() => {
                CliFailure::Query(QueryError { message: error.message + WITHOUT_NAMES, ..error }, text)
            }
            Some(failure) => failure,
            None => CliFailure::Usage(format!("\"{text}\" is not understood")),
        });
    };
    if let Some(unknown) = best.unknown.first() {
        return Err(not_understood(text, *unknown, best, corpus.is_some()));
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

fn not_understood(text: &str, place: TextSpan, reading: &PhraseReading, has_names: bool) -> CliFailure {
    let rest = match reading.understood.is_empty() {
        true => String::new(),
        false => format!("; the other words are the query: {}", reading.query),
    };
    let words = text.get(place.from..place.to).unwrap_or(text);
    let names = if has_names { "" } else { WITHOUT_NAMES };
    let message = format!("\"{words}\" is not understood{rest}{names}");
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
