//! Collections: named sets that remember their query, and are kept current when games are appended.
//!
//! Beside the set, `games.sets/name.bm`, lies its definition, `games.sets/name.json`. A corpus grows by whole shards, so a set of an older
//! state is brought up to date by a scan of the shards that came since; whoever asks for the set by its name gets it current.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::CorpusReader;
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use plyfold_files::{OutputPlan, OverwriteRule, PrintablePath, open};
use serde::{Deserialize, Serialize};

use crate::failure::{CliFailure, Result};
use crate::query_argument::CommandQuery;
use crate::{out, progress, saved_sets};

/// What a collection has of games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionDefinition {
    /// The query, as text.
    pub query: String,
    /// The set within which it is asked, as an expression, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

/// What bringing a collection up to date came to.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct CollectionUpdate {
    /// Its name, with the `@`.
    pub name: String,
    /// Games in it now.
    pub games: u64,
    /// Games of the corpus that were scanned for it: those that came since; 0 if it was current.
    pub scanned: u64,
    /// How many of these are in it.
    pub new: u64,
}

/// Where the definition of a set lies.
fn definition_path(corpus: &Path, name: &str) -> Result<PathBuf> {
    Ok(saved_sets::set_path(corpus, &format!("@{name}"))?.with_extension("json"))
}

/// The definition of the set of this name (without the `@`); none if it is a set and no collection.
///
/// # Errors
///
/// A definition that cannot be read.
pub fn read_definition(corpus: &Path, name: &str) -> Result<Option<CollectionDefinition>> {
    let path = definition_path(corpus, name)?;
    let mut text = String::new();
    match open(&path).and_then(|mut file| file.read_to_string(&mut text)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(CliFailure::file(&path, "cannot be read"))?,
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        let what = format!("is no definition of a collection ({error}): `plyfold collections add` makes it anew");
        CliFailure::UnsuitableFile(path, what)
    })
}

/// Names of the collections of a corpus, sorted, without the `@`.
///
/// # Errors
///
/// A folder that cannot be read.
pub fn collection_names(corpus: &Path) -> Result<Vec<String>> {
    let mut names = saved_sets::set_names(corpus)?;
    let folder = saved_sets::sets_folder(corpus);
    names.retain(|name| folder.join(format!("{name}.json")).exists());
    Ok(names)
}

/// Makes a collection, or gives one another query.
///
/// # Errors
///
/// A mistake in the query; sets that go back to this one; a file that cannot be written.
pub fn add_collection(
    path: &Path,
    corpus: &CorpusReader<'_>,
    name: &str,
    definition: &CollectionDefinition,
) -> Result<CollectionUpdate> {
    let sets = referenced_sets(definition)?;
    if sets.iter().any(|set| set == name) || depends_on(path, name, &sets, 0)? {
        return Err(CliFailure::Usage(format!("@{name} would be defined by itself: name another set")));
    }
    let place_of_set = saved_sets::set_path(path, &format!("@{name}"))?;
    let mut outputs = OutputPlan::new();
    outputs.reads("the corpus", path);
    outputs.writes("the set", &place_of_set, OverwriteRule::Update);
    outputs.writes("its definition", definition_path(path, name)?, OverwriteRule::Update);
    outputs.check()?;
    let found = scan_games(path, corpus, definition, corpus_spans(corpus))?;
    let of = saved_sets::corpus_stamp(corpus);
    let games =
        saved_sets::write_set(&place_of_set, true, of, |sink| Ok(sink(found.words()).map(|()| found.count())?))?;
    write_definition(path, name, definition)?;
    Ok(CollectionUpdate { name: format!("@{name}"), games, scanned: corpus.header.games, new: games })
}

fn write_definition(path: &Path, name: &str, definition: &CollectionDefinition) -> Result<()> {
    out::write(Some(&definition_path(path, name)?), true, |out| {
        serde_json::to_writer_pretty(&mut *out, definition)?;
        Ok(writeln!(out)?)
    })
}

/// Brings a set up to date if it is a collection of an older state of the corpus, after those that it is defined by. None if it is no
/// collection. With `whole`, all games are scanned again, whatever the set was of.
///
/// # Errors
///
/// A definition or a set that cannot be read, a set of another corpus, a scan that is broken off; the set is as it was then.
pub fn update_collection(
    path: &Path,
    corpus: &CorpusReader<'_>,
    name: &str,
    rescan: bool,
) -> Result<Option<CollectionUpdate>> {
    let Some(definition) = read_definition(path, name)? else { return Ok(None) };
    let now = saved_sets::corpus_stamp(corpus);
    let place = saved_sets::set_path(path, &format!("@{name}"))?;
    let done = |games, scanned, new| Ok(Some(CollectionUpdate { name: format!("@{name}"), games, scanned, new }));
    let mut all = GameSet::empty(now.games);
    let mut from = 0;
    if !rescan {
        let file = saved_sets::MappedSetFile::open(&place)?;
        let set = file.read_unbound()?;
        if set.stamp == now {
            return done(set.into_game_set().count(), 0, 0);
        }
        from = set.stamp.games;
        if set.stamp.corpus != now.corpus || from > now.games {
            // Says what is wrong with it.
            file.read(now)?;
        }
        all = set.into_game_set().extended_to(now.games);
    }
    if depends_on(path, name, &referenced_sets(&definition)?, 0)? {
        let what = format!("defines @{name} by itself: `plyfold collections add` makes it anew");
        return Err(CliFailure::UnsuitableFile(self::definition_path(path, name)?, what));
    }
    let before = all.count();
    all.or(&scan_games(
        path,
        corpus,
        &definition,
        corpus_spans(corpus).into_iter().filter(|span| span.first_game.0 >= from).collect(),
    )?);
    let games = saved_sets::rewrite_collection_set(&place, now, &all)?;
    done(games, u64::from(now.games - from), games - before)
}

fn scan_games(
    path: &Path,
    corpus: &CorpusReader<'_>,
    definition: &CollectionDefinition,
    spans: Vec<GameSpan<'_>>,
) -> Result<GameSet> {
    let game_count = saved_sets::corpus_stamp(corpus).games;
    let mut query = CommandQuery::new(&definition.query)?;
    query.bind(path, corpus)?;
    let within =
        definition.within.as_deref().map(|text| saved_sets::set_from_argument(path, corpus, text)).transpose()?;
    let bar = progress::ScanProgress::for_games(spans.iter().map(|span| u64::from(span.len())).sum());
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let answers = run_query_within(&spans, &query.query, within.as_ref(), &selection, &bar);
    let answers = answers.map_err(|cancelled| CliFailure::Other(cancelled.to_string()))?;
    Ok(answers.games.unwrap_or_default().extended_to(game_count))
}

/// The named sets that a definition goes by, without the `@`.
fn referenced_sets(definition: &CollectionDefinition) -> Result<Vec<String>> {
    let mut names: Vec<String> = CommandQuery::new(&definition.query)?.query.set_names().map(str::to_owned).collect();
    if let Some(within) = &definition.within {
        let names_within = saved_sets::names_in_expression(within)?;
        names.extend(names_within.iter().filter_map(|name| name.strip_prefix('@').map(str::to_owned)));
    }
    Ok(names)
}

/// Whether some of these sets goes by `name`.
fn depends_on(path: &Path, name: &str, sets: &[String], depth: usize) -> Result<bool> {
    /// No chain of collections that do not go in a circle is longer than there are collections.
    const LONGEST: usize = 1000;
    if depth > LONGEST {
        return Ok(true);
    }
    for set in sets {
        if set == name {
            return Ok(true);
        }
        if let Some(definition) = read_definition(path, set)?
            && depends_on(path, name, &referenced_sets(&definition)?, depth + 1)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Forgets a collection: its set and its definition.
///
/// # Errors
///
/// There is none of this name; a file that cannot be removed.
pub fn remove_collection(path: &Path, name: &str) -> Result<()> {
    let definition = definition_path(path, name)?;
    let set = saved_sets::set_path(path, &format!("@{name}"))?;
    if !definition.exists() {
        let what = match set.exists() {
            true => format!("@{name} is a set and no collection: {} may be deleted", PrintablePath(&set)),
            false => format!("there is no collection @{name}"),
        };
        return Err(CliFailure::Usage(what));
    }
    // The set first: without it the definition can be scanned again, without a definition the set would grow old unnoticed.
    match fs::remove_file(&set) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        removed => removed.map_err(CliFailure::file(&set, "cannot be removed"))?,
    }
    fs::remove_file(&definition).map_err(CliFailure::file(&definition, "cannot be removed"))
}
