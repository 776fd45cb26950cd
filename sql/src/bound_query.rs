//! A query in plyfold's language, bound to a library and ready for a scan of its shards.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use datafusion::error::{DataFusionError, Result};
use plyfold_core::comment_search::{asks_texts, bind_texts, text_candidates};
use plyfold_core::corpus::ShardParts;
use plyfold_core::game::GameSpan;
use plyfold_core::headers::OpeningNames;
use plyfold_core::line_search::bind_lines;
use plyfold_core::pgn::LineTree;
use plyfold_core::query::CompiledQuery;
use plyfold_core::query::error::QueryError;
use plyfold_core::query::phrases::are_plain_words;
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::unknown_names::{unknown_lines_error, unknown_set_error};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::scan::Query;
use plyfold_core::scan::parts::parts_read;
use plyfold_core::scan::tables::BoundTables;

use crate::error::SqlFailure;
use crate::library::Library;
use crate::loaded_shard::LoadedShard;
use crate::saved_names::NameFailure;
use crate::shard_texts::ShardTexts;

/// The names of openings.
pub(crate) static OPENING_NAMES: LazyLock<OpeningNames> = LazyLock::new(|| OpeningNames::new(plyfold_openings::LINES));

/// A query and its text. Its sets are bound; what it asks of texts and lines is bound shard by shard, by [`of_shards`](Self::of_shards).
#[derive(Clone, Debug)]
pub(crate) struct BoundQuery {
    /// As written.
    pub text: String,
    query: Arc<Query>,
    /// The query without what is bound shard by shard: each game that could match it matches this. None if there is nothing.
    rest: Option<Arc<Query>>,
    lines: BTreeMap<String, Arc<LineTree>>,
}

impl BoundQuery {
    /// Reads a query of a library, which asks these tables.
    ///
    /// # Errors
    ///
    /// The query has a mistake, or names a set or lines that are not there; these cannot be read.
    pub fn read(text: &str, library: &Library, tables: &BoundTables) -> Result<BoundQuery> {
        let text = text.trim().to_owned();
        let CompiledQuery { tree, plan: mut query } = match CompiledQuery::read(&text, &OPENING_NAMES) {
            Ok(compiled) => compiled,
            Err(error) if are_plain_words(&text) => {
                let message = format!("{}; `SELECT * FROM read_phrase('…')` reads plain words", error.message);
                return Err(SqlFailure::Query(QueryError { message, ..error }, text).into());
            }
            Err(error) => return Err(SqlFailure::Query(error, text).into()),
        };
        query.bind_sets(|name| {
            library.named_set(name).map_err(|failure| unnamed(failure, unknown_set_error, (&tree, &text, name)))
        })?;
        let mut lines = BTreeMap::new();
        for name in query.line_names() {
            let unknown = |failure| unnamed(failure, unknown_lines_error, (&tree, &text, name));
            lines.insert(name.to_owned(), library.named_lines(name).map_err(unknown)?);
        }
        query.bind_tables(tables);
        let is_bound = lines.is_empty() && !asks_texts(&query);
        let rest = (!is_bound).then(|| Arc::new(query.without_lines().without_tags().without_comments(false)));
        Ok(BoundQuery { text, query: Arc::new(query), rest, lines })
    }

    /// The query that headers can decide before anything else of a shard is read: each game that could match matches it.
    pub fn by_headers(&self) -> &Query {
        self.rest.as_ref().unwrap_or(&self.query)
    }

    /// Whether it asks what texts alone say.
    pub fn asks_texts(&self) -> bool {
        asks_texts(&self.query)
    }

    /// The parts of a shard that a scan for it reads.
    pub fn parts(&self) -> ShardParts {
        let Some(rest) = &self.rest else { return parts_read(&self.query) };
        let parts = parts_read(&self.query) | parts_read(rest) | ShardParts::RECORDS;
        let asks_moves = !self.lines.is_empty() || !self.query.comment_patterns().is_empty();
        let parts = if asks_moves { parts | ShardParts::MOVES } else { parts };
        if self.asks_texts() { parts | ShardParts::TEXT_PLACES } else { parts }
    }

    /// The games of a span whose texts [`of_shards`](Self::of_shards) reads.
    pub fn text_candidates(&self, span: &GameSpan<'_>) -> GameSet {
        text_candidates(&self.query, &[*span])
    }

    /// The query for a scan of these shards, which have its [parts](Self::parts): bound to what their texts say and to where their games are
    /// in lines.
    ///
    /// # Errors
    ///
    /// A text is damaged, or cannot be read.
    pub fn of_shards(&self, shards: &[LoadedShard]) -> Result<Arc<Query>, SqlFailure> {
        if self.rest.is_none() {
            return Ok(self.query.clone());
        }
        let mut query = Query::clone(&self.query);
        let spans: Vec<GameSpan<'_>> = shards.iter().map(LoadedShard::span).collect();
        // Nobody cancels this.
        bind_lines(&mut query, &spans, &self.lines, &()).unwrap_or_default();
        bind_texts(&mut [&mut query], &spans, &mut ShardTexts::new(shards), &())?;
        Ok(Arc::new(query))
    }

    /// The query with more conditions on the games.
    ///
    /// # Errors
    ///
    /// There are too many conditions.
    pub fn with_conditions<'a>(
        &'a self,
        conditions: impl Iterator<Item = &'a str>,
        library: &Library,
        tables: &BoundTables,
    ) -> Result<BoundQuery> {
        let own = (!self.text.is_empty()).then_some(&*self.text);
        let mut parts: Vec<&str> = own.into_iter().chain(conditions).collect();
        let text = match parts.len() {
            0 => String::new(),
            1 => parts.remove(0).to_owned(),
            _ => parts.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" and "),
        };
        BoundQuery::read(&text, library, tables)
    }

    /// Whether every game matches, and every position.
    pub fn matches_all(&self) -> bool {
        self.text.is_empty()
    }
}

/// The failure of a query whose set or lines cannot be read; those that are not there are a mistake at their place in the text.
fn unnamed(
    failure: NameFailure,
    at: fn(&QueryTree, &str, &str, &str) -> QueryError,
    (tree, text, name): (&QueryTree, &str, &str),
) -> DataFusionError {
    match failure {
        NameFailure::Unknown(message) => SqlFailure::Query(at(tree, text, name, &message), text.to_owned()).into(),
        NameFailure::Failed(failure) => failure.into(),
    }
}
