//! Searches the tags of a query in the texts that a corpus keeps, before its scan, and reads those by which games are grouped.
//!
//! As with [comments](crate::comment_search), only the texts of games are read that match the rest of the query.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_corpus::file::OpenCorpus;
use plyfold_corpus::storage::CorpusStorage;
use plyfold_pgn::read_tags;
use plyfold_reduce::key::{GroupingKey, TagKey, TagKeyValues};
use plyfold_reduce::output::Output;
use plyfold_scan::game::{GameId, GameSpan};
use plyfold_scan::headers::TagTest;
use plyfold_scan::scan::Query;
use plyfold_scan::scan::fold::ScanObserver;

use super::comment_search::{TextSource, candidates};

/// Binds the tags of several queries to the games of some spans that have them: each text is read once for all of them. Returns for each query
/// how many games should have been read, but keep no text.
///
/// # Errors
///
/// A text is damaged, or the storage cannot be read.
pub(crate) fn bind_tags<T: TextSource>(
    queries: &mut [&mut Query],
    spans: &[GameSpan<'_>],
    texts: &mut T,
    watch: &dyn ScanObserver,
) -> Result<Vec<u64>, T::Error> {
    let mut without_text = vec![0; queries.len()];
    let mut tests: Vec<TagTest> = Vec::new();
    for test in queries.iter().flat_map(|query| query.tag_tests()) {
        if !tests.iter().any(|other| other.asks_the_same(test)) {
            tests.push(test.clone());
        }
    }
    if tests.is_empty() {
        return Ok(without_text);
    }
    let marks_are_stored = spans.iter().all(GameSpan::stores_annotations);
    let rest =
        |query: &Query| query.tag_tests().next().map(|_| query.without_tags().without_comments(marks_are_stored));
    let candidates = candidates(queries, spans, &rest);
    let games = spans.iter().map(|span| (span.first_game.0 + span.len()) as usize).max().unwrap_or(0);
    let mut found = vec![vec![0_u64; games.div_ceil(64)]; tests.len()];
    for id in spans.iter().flat_map(|span| span.first_game.0..span.first_game.0 + span.len()).map(GameId) {
        let mut asking = without_text.iter_mut().zip(&candidates).filter(|(_, games)| games.contains(id)).peekable();
        if asking.peek().is_some() {
            let text = texts.text(id)?;
            asking.for_each(|(without, _)| *without += u64::from(text.is_empty()));
            for tag in read_tags(text) {
                for (test, found) in tests.iter().zip(&mut found) {
                    found[id.index() / 64] |= u64::from(test.has(&tag.name, &tag.value)) << (id.0 % 64);
                }
            }
        }
        // As often as a shard would end.
        if id.0 % 4096 == 0 && !watch.advance(0) {
            break;
        }
    }
    let found: Vec<Arc<[u64]>> = found.into_iter().map(Arc::from).collect();
    for query in queries {
        query.bind_tags(|asked| {
            let nth = tests.iter().position(|test| test.asks_the_same(asked));
            nth.map_or_else(|| Arc::from([]), |nth| Arc::clone(&found[nth]))
        });
    }
    Ok(without_text)
}

/// Binds the keys of tags of these outputs to the games of `corpus`: each text is read once for all of them.
///
/// # Errors
///
/// A text is damaged, or the storage cannot be read.
pub fn bind_tag_keys<S: CorpusStorage>(
    outputs: &mut [Output],
    corpus: &OpenCorpus<S, S::Bytes>,
) -> Result<(), S::Error> {
    let mut keys: Vec<(&mut TagKey, TagKeyValues)> = Vec::new();
    for output in outputs {
        if let Some(GroupingKey::Tag(key)) = &mut output.arguments.key {
            keys.push((key, TagKeyValues::default()));
        }
    }
    if keys.is_empty() {
        return Ok(());
    }
    let mut texts = corpus.texts();
    for id in 0..corpus.header.games as u32 {
        let tags = read_tags(texts.get(id)?);
        for (key, values) in &mut keys {
            // As everywhere, the later of two tags counts.
            let tag = tags.iter().rev().find(|tag| tag.name.eq_ignore_ascii_case(key.tag()));
            values.push_game(tag.map_or("", |tag| &tag.value));
        }
    }
    keys.into_iter().for_each(|(key, values)| key.bind(Arc::new(values)));
    Ok(())
}
