//! Searches the comments and the tags of a query in the texts that a corpus keeps, before its scan.
//!
//! Reading a text takes far longer than scanning a game. So the query is scanned without its comments first, and only the texts of
//! games that match the rest are read.

use alloc::sync::Arc;
use alloc::vec::Vec;

use plyfold_corpus::file::OpenCorpus;
use plyfold_corpus::storage::CorpusStorage;
use plyfold_pgn::CommentReader;
use plyfold_reduce::game_set::GameSet;
use plyfold_reduce::{ReduceRequest, ReducerSelection, run_queries};
use plyfold_scan::game::{GameSpan, corpus_spans};
use plyfold_scan::headers::NamePattern;
use plyfold_scan::scan::Query;
use plyfold_scan::scan::fold::ScanObserver;
use plyfold_scan::scan::predicate::FoundPlies;

use super::tag_search::bind_tags;

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
    let mut searches: Vec<CommentSearch> = queries.iter().map(|_| CommentSearch::default()).collect();
    for (search, without) in searches.iter_mut().zip(bind_tags(queries, corpus, watch)?) {
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
    let spans = corpus_spans(corpus);
    let candidates = candidates(queries, &spans);
    let mut found: Vec<FoundPlies> = patterns.iter().map(|_| FoundPlies::default()).collect();
    let mut texts = corpus.texts();
    let mut reader = CommentReader::default();
    for span in &spans {
        for game in span.games() {
            let mut asking =
                searches.iter_mut().zip(&candidates).filter(|(_, games)| games.contains(game.id)).peekable();
            if asking.peek().is_none() || span.stores_annotations() && !game.annotations.has_comment() {
                continue;
            }
            let text = texts.get(game.id.0)?;
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

/// The games that match each query without its comments; none for a query that has none.
fn candidates(queries: &[&mut Query], spans: &[GameSpan<'_>]) -> Vec<GameSet> {
    let games = spans.iter().map(|span| span.first_game.0 + span.len()).max().unwrap_or(0);
    let marks_are_stored = spans.iter().all(GameSpan::stores_annotations);
    let weakened: Vec<Query> = queries
        .iter()
        .filter(|query| !query.comment_patterns().is_empty())
        .map(|query| query.without_comments(marks_are_stored))
        .collect();
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let requests: Vec<ReduceRequest<'_>> =
        weakened.iter().map(|query| ReduceRequest { query, within: None, selection: &selection }).collect();
    // Nobody cancels this scan.
    let mut found = run_queries(spans, &requests, &()).unwrap_or_default().into_iter();
    let mut of_query = |query: &&mut Query| match query.comment_patterns().is_empty() {
        true => GameSet::default(),
        false => found.next().and_then(|found| found.games).unwrap_or_else(|| GameSet::all(games)),
    };
    queries.iter().map(&mut of_query).collect()
}
