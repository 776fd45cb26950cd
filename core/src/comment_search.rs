//! Searches the comments and the tags of a query in the texts that a corpus keeps, before its scan.
//!
//! Reading a text takes far longer than scanning a game. So the query is scanned without its comments first, and only the texts of
//! games that match the rest are read.

use alloc::sync::Arc;
use alloc::vec::Vec;

use plyfold_corpus::file::{GameTexts, OpenCorpus};
use plyfold_corpus::storage::CorpusStorage;
use plyfold_pgn::CommentReader;
use plyfold_reduce::game_set::GameSet;
use plyfold_reduce::{ReduceRequest, ReducerSelection, run_queries, run_query};
use plyfold_scan::game::{GameId, GameSpan, corpus_spans};
use plyfold_scan::headers::NamePattern;
use plyfold_scan::scan::Query;
use plyfold_scan::scan::fold::ScanObserver;
use plyfold_scan::scan::predicate::FoundPlies;

use super::tag_search::bind_tags;

/// Where the texts of games are read.
pub trait TextSource {
    /// Why one cannot be read.
    type Error;

    /// The text of a game; empty if it keeps none.
    ///
    /// # Errors
    ///
    /// The text is damaged, or cannot be read.
    fn text(&mut self, game: GameId) -> Result<&[u8], Self::Error>;
}

impl<S: CorpusStorage> TextSource for GameTexts<'_, S> {
    type Error = S::Error;

    fn text(&mut self, game: GameId) -> Result<&[u8], S::Error> {
        self.get(game.0)
    }
}

/// What a search of comments has read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CommentSearch {
    /// Games whose texts were read.
    pub games: u64,
    /// Games whose texts should have been read, but that keep none.
    pub without_text: u64,
    /// The same for tags.
    pub without_tags: u64,
}

impl CommentSearch {
    /// A note on games that keep no text, a sentence without its full stop; none if all do.
    pub fn note(&self) -> Option<alloc::string::String> {
        let (what, these) = if self.without_tags > 0 { ("tag", "tags") } else { ("comment", "comments") };
        let games = match self.without_text.max(self.without_tags) {
            0 => return None,
            1 => alloc::string::String::from("1 game keeps"),
            many => alloc::format!("{many} games keep"),
        };
        Some(alloc::format!("{games} no text, so no {what} is found there: import the PGN again to search its {these}"))
    }
}

/// Binds the comments of a query to the moves of `corpus` that have them, and its tags to the games. A query without both costs nothing.
///
/// If `watch` ends the search, the comments that were found by then are bound; the scan of the query asks `watch` again.
///
/// # Errors
///
/// A text is damaged, or the storage cannot be read.
pub fn bind_comments<S: CorpusStorage>(
    query: &mut Query,
    corpus: &OpenCorpus<S, S::Bytes>,
    watch: &dyn ScanObserver,
) -> Result<CommentSearch, S::Error> {
    bind_comments_of_all(&mut [query], corpus, watch).map(|searches| searches.first().copied().unwrap_or_default())
}

/// [`bind_comments`] for several queries: each text is read once for all of them. Returns what was read for each query.
///
/// # Errors
///
/// Those of [`bind_comments`].
pub fn bind_comments_of_all<S: CorpusStorage>(
    queries: &mut [&mut Query],
    corpus: &OpenCorpus<S, S::Bytes>,
    watch: &dyn ScanObserver,
) -> Result<Vec<CommentSearch>, S::Error> {
    if !queries.iter().any(|query| asks_texts(query)) {
        return Ok(queries.iter().map(|_| CommentSearch::default()).collect());
    }
    bind_texts(queries, &corpus_spans(corpus), &mut corpus.texts(), watch)
}

/// Whether a query has comments or tags, which are found in texts alone.
pub fn asks_texts(query: &Query) -> bool {
    query.tag_tests().next().is_some() || !query.comment_patterns().is_empty()
}

/// The games whose texts [`bind_texts`] may read for a query: those that match the rest of it. Its sets, tables and lines must be bound.
pub fn text_candidates(query: &Query, spans: &[GameSpan<'_>]) -> GameSet {
    if !asks_texts(query) {
        return GameSet::default();
    }
    games_that_match(&query.without_tags().without_comments(spans.iter().all(GameSpan::stores_annotations)), spans)
}

/// [`bind_comments_of_all`] for the games of some spans, in ascending order, whose texts come from anywhere. The queries are bound to these games alone.
///
/// # Errors
///
/// Those of the texts.
pub fn bind_texts<T: TextSource>(
    queries: &mut [&mut Query],
    spans: &[GameSpan<'_>],
    texts: &mut T,
    watch: &dyn ScanObserver,
) -> Result<Vec<CommentSearch>, T::Error> {
    let mut searches: Vec<CommentSearch> = queries.iter().map(|_| CommentSearch::default()).collect();
    for (search, without) in searches.iter_mut().zip(bind_tags(queries, spans, texts, watch)?) {
        search.without_tags = without;
    }
    let mut patterns: Vec<NamePattern> = Vec::new();
    for pattern in queries.iter().flat_map(|query| query.comment_patterns()) {
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    if patterns.is_empty() {
        return Ok(searches);
    }
    let marks_are_stored = spans.iter().all(GameSpan::stores_annotations);
    let rest = |query: &Query| (!query.comment_patterns().is_empty()).then(|| query.without_comments(marks_are_stored));
    let candidates = candidates(queries, spans, &rest);
    let mut found: Vec<FoundPlies> = patterns.iter().map(|_| FoundPlies::default()).collect();
    let mut reader = CommentReader::default();
    for span in spans {
        for game in span.games() {
            let mut asking =
                searches.iter_mut().zip(&candidates).filter(|(_, games)| games.contains(game.id)).peekable();
            if asking.peek().is_none() || span.stores_annotations() && !game.annotations.has_comment() {
                continue;
            }
            let text = texts.text(game.id)?;
            asking.for_each(|(search, _)| {
                search.games += 1;
                search.without_text += u64::from(text.is_empty());
            });
            reader.read(text, game.moves, &mut |ply, words| {
                for (pattern, found) in patterns.iter().zip(&mut found) {
                    if pattern.matches(words) {
                        found.push(game.id.0, ply);
                    }
                }
            });
        }
        if !watch.advance(0) {
            break;
        }
    }
    let found: Vec<Arc<FoundPlies>> = found.into_iter().map(Arc::new).collect();
    let of_pattern = |pattern: &NamePattern| patterns.iter().position(|other| other == pattern);
    for query in queries {
        query.bind_comments(|pattern| of_pattern(pattern).map_or_else(Arc::default, |nth| Arc::clone(&found[nth])));
    }
    Ok(searches)
}

/// The games that match the rest of each query, in one scan; none for a query of which no rest is asked.
pub(crate) fn candidates(
    queries: &[&mut Query],
    spans: &[GameSpan<'_>],
    rest: &dyn Fn(&Query) -> Option<Query>,
) -> Vec<GameSet> {
    let weakened: Vec<Option<Query>> = queries.iter().map(|query| rest(query)).collect();
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let asked = weakened.iter().flatten();
    let requests: Vec<ReduceRequest<'_>> =
        asked.map(|query| ReduceRequest { query, within: None, selection: &selection }).collect();
    // Nobody cancels this scan.
    let mut found = run_queries(spans, &requests, &()).unwrap_or_default().into_iter();
    let mut of_query = |rest: &Option<Query>| match rest {
        None => GameSet::default(),
        Some(_) => found.next().and_then(|found| found.games).unwrap_or_else(|| all_games(spans)),
    };
    weakened.iter().map(&mut of_query).collect()
}

fn games_that_match(query: &Query, spans: &[GameSpan<'_>]) -> GameSet {
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    // Nobody cancels this scan.
    run_query(spans, query, &selection, &()).ok().and_then(|found| found.games).unwrap_or_else(|| all_games(spans))
}

fn all_games(spans: &[GameSpan<'_>]) -> GameSet {
    GameSet::all(spans.iter().map(|span| span.first_game.0 + span.len()).max().unwrap_or(0))
}
