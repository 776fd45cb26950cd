//! The sets of a corpus, brought up to date before they are read.
//!
//! A corpus grows by whole shards. If a collection was made of an older state, only the shards that were added since
//! are scanned. Its query may name other collections, which are updated first.

use std::collections::BTreeSet;
use std::path::Path;

use plyfold_core::comment_search::{asks_texts, bind_comments_of_all, bind_texts};
use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameSpan;
use plyfold_core::game_numbers::GameNumberRanges;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use plyfold_core::scan::Query;
use plyfold_core::scan::parts::parts_read;
use plyfold_files::OutputPlan;
use serde::Serialize;

use crate::bound_lines::bind_lines;
use crate::collections::{CollectionDefinition, definition_path, is_definition, read_definition, write_definition};
use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::{self, require_parts, spans_with};
use crate::progress;
use crate::query_argument::CommandQuery;
use crate::saved_sets::{MappedSetFile, corpus_stamp, rewrite_collection_set, set_path, why_no_set, write_set};
use crate::set_expression::{SetExpressionSource, names_in_expression};

/// The sets of a corpus.
#[derive(Clone, Copy)]
pub struct CurrentSets<'a> {
    path: &'a Path,
    corpus: &'a JoinedCorpus<'a>,
}

/// What an update of a collection did.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct CollectionUpdate {
    /// Its name, with the `@`.
    pub name: String,
    /// Games in it now.
    pub games: u64,
    /// Games of the corpus that were scanned for it: those that were added since, or 0 if it was current.
    pub scanned: u64,
    /// How many of the scanned games it got.
    pub new: u64,
}

impl<'a> CurrentSets<'a> {
    /// The sets of the corpus at `path`.
    pub fn new(path: &'a Path, corpus: &'a JoinedCorpus<'a>) -> CurrentSets<'a> {
        CurrentSets { path, corpus }
    }

    /// The set of a command line: a file, a name, or an expression of files and names.
    ///
    /// # Errors
    ///
    /// The text has a mistake; a set cannot be read, or belongs to another corpus.
    pub fn set_of_argument(self, text: &str) -> Result<GameSet> {
        if !text.starts_with('@') && Path::new(text).exists() {
            return Ok(MappedSetFile::open(Path::new(text))?.read(corpus_stamp(self.corpus))?.into_game_set());
        }
        self.open_expression(text)?.set()
    }

    /// The games of a list that are in the set of an argument; none where neither chooses.
    ///
    /// # Errors
    ///
    /// There is no such game; those of [`set_of_argument`](Self::set_of_argument).
    pub fn chosen_games(self, list: Option<&GameNumberRanges>, within: Option<&str>) -> Result<Option<GameSet>> {
        let games = corpus_stamp(self.corpus).games;
        let listed = list.map(|list| list.set(games)).transpose().map_err(CliFailure::corpus(self.path))?;
        let Some(mut within) = within.map(|text| self.set_of_argument(text)).transpose()? else { return Ok(listed) };
        listed.iter().for_each(|listed| within.and(listed));
        Ok(Some(within))
    }

    /// The set of this name, without the `@`.
    ///
    /// # Errors
    ///
    /// There is no such set; it cannot be read, or belongs to another corpus.
    pub fn named_set(self, name: &str) -> Result<GameSet> {
        self.open_expression(&format!("@{name}"))?.set()
    }

    /// Reads an expression, and opens the sets that it names.
    ///
    /// # Errors
    ///
    /// Those of [`SetExpressionSource::open`] and of [`CurrentSets::update`].
    pub fn open_expression(self, text: &str) -> Result<SetExpressionSource> {
        let update = |name: &str| self.update(name, false).map(drop);
        SetExpressionSource::open(self.path, corpus_stamp(self.corpus), text, update)
    }

    /// Binds a query to the corpus, its sets, the lines that it names and the comments in its texts.
    ///
    /// # Errors
    ///
    /// Those of [`bind_sets`](Self::bind_sets); a text in which a comment is searched is damaged.
    pub fn bind(self, query: &mut CommandQuery) -> Result<()> {
        self.bind_sets(query)?;
        self.bind_comments(&mut [query])
    }

    /// Binds a query to the corpus, its sets and the lines that it names, but not to the comments.
    ///
    /// # Errors
    ///
    /// Those of [`CommandQuery::bind`] and of [`bind_lines`].
    pub fn bind_sets(self, query: &mut CommandQuery) -> Result<()> {
        query.bind(self.corpus, |name| self.named_set(name))?;
        if query.query.line_names().is_empty() {
            return Ok(());
        }
        let parts = parts_read(&query.query) | ShardParts::MOVES | ShardParts::RECORDS;
        bind_lines(query, self.path, &spans_with(self.corpus, parts)?)
    }

    /// Binds a query as [`bind`](Self::bind) does, but to the lines, comments and tags of these games alone.
    ///
    /// # Errors
    ///
    /// Those of [`bind`](Self::bind).
    pub fn bind_to_games(self, query: &mut CommandQuery, games: &[GameSpan<'_>]) -> Result<()> {
        query.bind(self.corpus, |name| self.named_set(name))?;
        bind_lines(query, self.path, games)?;
        bind_texts(&mut [&mut query.query], games, &mut self.corpus.texts(), &())
            .map_err(CliFailure::corpus(self.path))?;
        Ok(())
    }

    /// Binds queries to the comments in the texts of the corpus. Each text is read once for all of them.
    ///
    /// # Errors
    ///
    /// A text is damaged, or cannot be read.
    pub fn bind_comments(self, queries: &mut [&mut CommandQuery]) -> Result<()> {
        let mut plans: Vec<&mut Query> = queries.iter_mut().map(|query| &mut query.query).collect();
        if plans.iter().any(|query| asks_texts(query)) {
            require_parts(self.corpus, ShardParts::ALL)?;
        }
        let searches = bind_comments_of_all(&mut plans, self.corpus, &()).map_err(CliFailure::corpus(self.path))?;
        for (query, search) in queries.iter_mut().zip(searches) {
            query.notes.extend(search.note());
        }
        Ok(())
    }

    /// Makes a collection, or gives an existing one another definition.
    ///
    /// # Errors
    ///
    /// The query has a mistake; the definition refers to the collection itself; a file cannot be written.
    pub fn add_collection(self, name: &str, definition: &CollectionDefinition) -> Result<CollectionUpdate> {
        if self.depends_on(name, referenced_sets(definition)?)? {
            return Err(CliFailure::Usage(format!("the query of @{name} uses @{name} itself: use another set")));
        }
        let path_of_set = set_path(self.path, &format!("@{name}"))?;
        let path_of_definition = definition_path(self.path, name)?;
        let mut outputs = OutputPlan::new();
        mapped_corpus::declare_inputs(&mut outputs, self.path);
        outputs.updates("the set", &path_of_set, why_no_set);
        outputs.updates("its definition", path_of_definition, |path| {
            (!is_definition(path)).then_some("is not the definition of a collection")
        });
        outputs.check()?;
        let found = self.scan(definition, 0)?;
        let stamp = corpus_stamp(self.corpus);
        let games = write_set(&path_of_set, true, stamp, |sink| Ok(sink(found.words()).map(|()| found.count())?))?;
        write_definition(self.path, name, definition)?;
        Ok(CollectionUpdate { name: format!("@{name}"), games, scanned: self.corpus.header.games, new: games })
    }

    /// Updates the set of this name if it is a collection of an older state of the corpus, after the collections that its
    /// definition uses. Returns `None` if the set is not a collection. With `rescan`, scans all games again, whatever the
    /// state of the set.
    ///
    /// # Errors
    ///
    /// A definition or a set cannot be read, the set belongs to another corpus, or the scan is interrupted. The set is
    /// then unchanged.
    pub fn update(self, name: &str, rescan: bool) -> Result<Option<CollectionUpdate>> {
        let Some(definition) = read_definition(self.path, name)? else { return Ok(None) };
        let now = corpus_stamp(self.corpus);
        let path_of_set = set_path(self.path, &format!("@{name}"))?;
        let done = |games, scanned, new| Ok(Some(CollectionUpdate { name: format!("@{name}"), games, scanned, new }));
        let mut games = GameSet::empty(now.games);
        let mut from = 0;
        if !rescan {
            let file = MappedSetFile::open(&path_of_set)?;
            let set = file.read_unbound()?;
            if set.stamp == now {
                return done(set.into_game_set().count(), 0, 0);
            }
            from = set.stamp.games;
            if set.stamp.corpus != now.corpus || from > now.games {
                // This fails with the reason why the set cannot be read.
                file.read(now)?;
            }
            games = set.into_game_set().extended_to(now.games);
        }
        if self.depends_on(name, referenced_sets(&definition)?)? {
            let what = format!("uses @{name} to define @{name}: make it again by `plyfold collections add`");
            return Err(CliFailure::unsuitable(definition_path(self.path, name)?, what));
        }
        let before = games.count();
        games.or(&self.scan(&definition, from)?);
        let count = rewrite_collection_set(&path_of_set, now, &games)?;
        done(count, u64::from(now.games - from), count - before)
    }

    /// The games that match a definition, of the shards that begin with game `from` or a later one.
    fn scan(self, definition: &CollectionDefinition, from: u32) -> Result<GameSet> {
        let mut query = CommandQuery::new(&definition.query)?;
        if query.query.asks_tables() {
            let message = "a collection cannot ask endgame tables, because none are named when it is updated: save the games of a query \
                           with --save-games instead";
            return Err(CliFailure::Usage(message.into()));
        }
        self.bind(&mut query)?;
        let within = definition.within.as_deref().map(|text| self.set_of_argument(text)).transpose()?;
        let mut spans = spans_with(self.corpus, parts_read(&query.query))?;
        spans.retain(|span| span.first_game.0 >= from);
        let bar = progress::ScanProgress::for_games(spans.iter().map(|span| u64::from(span.len())).sum());
        let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
        let results = run_query_within(&spans, &query.query, within.as_ref(), &selection, &bar)?;
        Ok(results.games.unwrap_or_default().extended_to(corpus_stamp(self.corpus).games))
    }

    /// Whether the definition of one of the sets uses the set `name`, directly or through others. Each definition is read once.
    fn depends_on(self, name: &str, mut sets: Vec<String>) -> Result<bool> {
        let mut read = BTreeSet::new();
        while let Some(set) = sets.pop() {
            if set == name {
                return Ok(true);
            }
            if read.insert(set.clone())
                && let Some(definition) = read_definition(self.path, &set)?
            {
                sets.extend(referenced_sets(&definition)?);
            }
        }
        Ok(false)
    }
}

/// The named sets that a definition refers to, without the `@`.
fn referenced_sets(definition: &CollectionDefinition) -> Result<Vec<String>> {
    let mut names: Vec<String> = CommandQuery::new(&definition.query)?.query.set_names().map(str::to_owned).collect();
    if let Some(within) = &definition.within {
        let names_within = names_in_expression(within)?;
        names.extend(names_within.iter().filter_map(|name| name.strip_prefix('@').map(str::to_owned)));
    }
    Ok(names)
}
