//! Reads a query that a player typed in plain words, such as `Karpov lost rook endgames 1980-1990`, by the names that a corpus knows.

use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus_names::CorpusNames;
use plyfold_core::game::GameSpan;
use plyfold_core::headers::{CountedName, NameCount, count_names};
use plyfold_core::query::error::{QueryError, nearest};
use plyfold_core::query::phrases::{PhraseReading, UnderstoodWords, are_plain_words, read_plain_words};
use plyfold_core::query::span::TextSpan;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_terminal::table::grouped;
use plyfold_terminal::write_note;

use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::spans_with;
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
    let spans = corpus.map(|corpus| spans_with(corpus, ShardParts::ALL)).transpose()?.unwrap_or_default();
    let all = read_plain_words(text, &CorpusNames::new(&spans, &OPENING_NAMES));
    let Some(best) = all.first().filter(|best| !best.query.is_empty()) else {
        return Err(nothing_understood(text, &spans, written));
    };
    if let Some(unknown) = best.unknown.first() {
        let is_misspelt =
            |error: &QueryError| error.nearest.is_some() && unknown.from <= error.from && error.to <= unknown.to;
        return Err(match written {
            Some(CliFailure::Query(error, text)) if is_misspelt(&error) => CliFailure::Query(error, text),
            _ => not_understood(text, *unknown, best, &spans),
        });
    }
    let mut query = CommandQuery::new(&best.query)?;
    query.notes.push(format!("the words mean: {}", what_they_mean(text, &best.understood)));
    for words in best.understood.iter().filter(|words| words.notes.iter().any(|note| note.ends_with(" (0 games)"))) {
        let players = nearest_players(&spans, text.get(words.span.from..words.span.to).unwrap_or_default());
        if !players.is_empty() {
            query.notes.push(format!("players with nearly this name: {}", players.join(", ")));
        }
    }
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

/// The error of a text of which nothing is understood. `written` is its error as a query, which may say what is meant.
fn nothing_understood(text: &str, spans: &[GameSpan<'_>], written: Option<CliFailure>) -> CliFailure {
    let Some(CliFailure::Query(error, text)) = written else {
        return written.unwrap_or_else(|| CliFailure::Usage(format!("\"{text}\" is not understood")));
    };
    let nearest = nearest_players(spans, &text);
    let is_of_one_word =
        error.message.starts_with("unknown name") || error.message.ends_with("has no meaning in a query");
    let message = match () {
        () if error.nearest.is_some() || !is_of_one_word && !misses_a_link(&error, &text) => {
            return CliFailure::Query(error, text);
        }
        () if !nearest.is_empty() => format!(
            "\"{text}\" is not understood, and no player is called so; the nearest names are {}",
            nearest.join(", ")
        ),
        () if spans.is_empty() => format!("\"{text}\" is not understood: it is no word of a query{WITHOUT_NAMES}"),
        () => format!(
            "\"{text}\" is not understood: it is no word of a query, and no player, event or opening of these games is called so"
        ),
    };
    CliFailure::Query(QueryError { message, from: 0, to: text.len(), ..error }, text)
}

/// Whether a text has words alone, of which the language misses an `and`: that helps nobody.
fn misses_a_link(error: &QueryError, text: &str) -> bool {
    let are_words = text.chars().all(|sign| sign.is_alphabetic() || matches!(sign, ' ' | '-' | '\''));
    are_words && error.message.starts_with("`and`")
}

/// The players whose names are nearest to a text and near enough to be meant, in quotes.
fn nearest_players(spans: &[GameSpan<'_>], text: &str) -> Vec<String> {
    let small = text.to_lowercase();
    let is_near = |one: &NameCount| {
        let name = one.name.to_lowercase();
        let parts = name.split([',', ' ']).chain([&*name]).filter(|part| !part.is_empty());
        nearest(&small, parts).is_some()
    };
    // A text of signs is no name.
    if spans.is_empty() || !small.contains(char::is_alphabetic) {
        return Vec::new();
    }
    let found = count_names(spans, &OPENING_NAMES, CountedName::Player, text, MOST_NEAREST);
    found.into_iter().filter(is_near).map(|one| format!("\"{}\"", one.name)).collect()
}

fn not_understood(text: &str, place: TextSpan, reading: &PhraseReading, spans: &[GameSpan<'_>]) -> CliFailure {
    let rest = match reading.understood.is_empty() {
        true => String::new(),
        false => format!("; the other words are the query: {}", reading.query),
    };
    let words = text.get(place.from..place.to).unwrap_or(text);
    let may_be_name = |word: &str| word.len() > 5 || word.len() > 3 && word.starts_with(char::is_uppercase);
    // A name is misspelt behind a word that is not understood for that reason: `beat Karpow`.
    let meant: Vec<String> =
        words.split(' ').filter(|word| may_be_name(word)).flat_map(|word| nearest_players(spans, word)).collect();
    let names = match (meant.is_empty(), spans.is_empty()) {
        (false, _) => format!("; the nearest names are {}", meant.join(", ")),
        (true, true) => WITHOUT_NAMES.to_owned(),
        (true, false) => String::new(),
    };
    let message = format!("\"{words}\" is not understood{rest}{names}");
    let (from, to) = (place.from, place.to);
    CliFailure::Query(QueryError { message, from, to, ..QueryError::default() }, text.to_owned())
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
