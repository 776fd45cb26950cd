//! Collections: named sets that remember their query, and are kept current when games are appended.
//!
//! Beside the set, `games.sets/name.bm`, lies its definition, `games.sets/name.json`. A corpus grows by whole shards, so a set of an older
//! state is brought up to date by a scan of the shards that came since; whoever asks for the set by its name gets it current.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::Corpus;
use plyfold_core::game::{Span, spans};
use plyfold_core::reduce::games::GameSet;
use plyfold_core::reduce::{Wanted, answer_within};
use plyfold_files::{Existing, Outputs, Shown, open};
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Result};
use crate::seek::Seek;
use crate::{out, progress, stored};

/// What a collection has of games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The query, as text.
    pub query: String,
    /// The set within which it is asked, as an expression, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

/// What bringing a collection up to date came to.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Updated {
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
fn place(corpus: &Path, name: &str) -> Result<PathBuf> {
    Ok(stored::place(corpus, &format!("@{name}"))?.with_extension("json"))
}

/// The definition of the set of this name (without the `@`); none if it is a set and no collection.
///
/// # Errors
///
/// A definition that cannot be read.
pub fn definition(corpus: &Path, name: &str) -> Result<Option<Definition>> {
    let path = place(corpus, name)?;
    let mut text = String::new();
    match open(&path).and_then(|mut file| file.read_to_string(&mut text)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(Failure::file(&path, "cannot be read"))?,
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        let what = format!("is no definition of a collection ({error}): `plyfold collections add` makes it anew");
        Failure::NotThat(path, what)
    })
}

/// Names of the collections of a corpus, sorted, without the `@`.
///
/// # Errors
///
/// A folder that cannot be read.
pub fn names(corpus: &Path) -> Result<Vec<String>> {
    let mut names = stored::names(corpus)?;
    let folder = stored::folder_of(corpus);
    names.retain(|name| folder.join(format!("{name}.json")).exists());
    Ok(names)
}

/// Makes a collection, or gives one another query.
///
/// # Errors
///
/// A mistake in the query; sets that go back to this one; a file that cannot be written.
pub fn add(path: &Path, corpus: &Corpus<'_>, name: &str, definition: &Definition) -> Result<Updated> {
    let sets = needed(definition)?;
    if sets.iter().any(|set| set == name) || goes_back(path, name, &sets, 0)? {
        return Err(Failure::Usage(format!("@{name} would be defined by itself: name another set")));
    }
    let place_of_set = stored::place(path, &format!("@{name}"))?;
    let mut outputs = Outputs::new();
    outputs.reads("the corpus", path);
    outputs.writes("the set", &place_of_set, Existing::Updated);
    outputs.writes("its definition", place(path, name)?, Existing::Updated);
    outputs.check()?;
    let found = scan(path, corpus, definition, spans(corpus))?;
    let of = stored::of(corpus);
    let games = stored::write(&place_of_set, true, of, |sink| Ok(sink(found.words()).map(|()| found.count())?))?;
    write(path, name, definition)?;
    Ok(Updated { name: format!("@{name}"), games, scanned: corpus.header.games, new: games })
}

fn write(path: &Path, name: &str, definition: &Definition) -> Result<()> {
    out::write(Some(&place(path, name)?), true, |out| {
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
pub fn update(path: &Path, corpus: &Corpus<'_>, name: &str, whole: bool) -> Result<Option<Updated>> {
    let Some(definition) = definition(path, name)? else { return Ok(None) };
    let now = stored::of(corpus);
    let place = stored::place(path, &format!("@{name}"))?;
    let done = |games, scanned, new| Ok(Some(Updated { name: format!("@{name}"), games, scanned, new }));
    let mut all = GameSet::empty(now.games);
    let mut from = 0;
    if !whole {
        let file = stored::SetFile::at(&place)?;
        let set = file.of_any()?;
        if set.of == now {
            return done(set.into_set().count(), 0, 0);
        }
        from = set.of.games;
        if set.of.corpus != now.corpus || from > now.games {
            // Says what is wrong with it.
            file.stored(now)?;
        }
        all = set.into_set().grown(now.games);
    }
    if goes_back(path, name, &needed(&definition)?, 0)? {
        let what = format!("defines @{name} by itself: `plyfold collections add` makes it anew");
        return Err(Failure::NotThat(self::place(path, name)?, what));
    }
    let before = all.count();
    all.or(&scan(path, corpus, &definition, spans(corpus).into_iter().filter(|span| span.first >= from).collect())?);
    let games = stored::rewrite(&place, now, &all)?;
    done(games, u64::from(now.games - from), games - before)
}

fn scan(path: &Path, corpus: &Corpus<'_>, definition: &Definition, spans: Vec<Span<'_>>) -> Result<GameSet> {
    let all = stored::of(corpus).games;
    let mut seek = Seek::new(&definition.query)?;
    seek.bind(path, corpus)?;
    let within = definition.within.as_deref().map(|text| stored::given(path, corpus, text)).transpose()?;
    let bar = progress::Scan::over(spans.iter().map(|span| u64::from(span.len())).sum());
    let wanted = Wanted { games: true, ..Wanted::default() };
    let answers = answer_within(&spans, &seek.query, within.as_ref(), &wanted, &bar);
    let answers = answers.map_err(|cancelled| Failure::Other(cancelled.to_string()))?;
    Ok(answers.games.unwrap_or_default().grown(all))
}

/// The named sets that a definition goes by, without the `@`.
fn needed(definition: &Definition) -> Result<Vec<String>> {
    let mut names: Vec<String> = Seek::new(&definition.query)?.query.sets().map(str::to_owned).collect();
    if let Some(within) = &definition.within {
        let of = stored::names_of(within)?;
        names.extend(of.iter().filter_map(|name| name.strip_prefix('@').map(str::to_owned)));
    }
    Ok(names)
}

/// Whether some of these sets goes by `name`.
fn goes_back(path: &Path, name: &str, sets: &[String], depth: usize) -> Result<bool> {
    /// No chain of collections that do not go in a circle is longer than there are collections.
    const LONGEST: usize = 1000;
    if depth > LONGEST {
        return Ok(true);
    }
    for set in sets {
        if set == name {
            return Ok(true);
        }
        if let Some(definition) = definition(path, set)?
            && goes_back(path, name, &needed(&definition)?, depth + 1)?
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
pub fn remove(path: &Path, name: &str) -> Result<()> {
    let definition = place(path, name)?;
    let set = stored::place(path, &format!("@{name}"))?;
    if !definition.exists() {
        let what = match set.exists() {
            true => format!("@{name} is a set and no collection: {} may be deleted", Shown(&set)),
            false => format!("there is no collection @{name}"),
        };
        return Err(Failure::Usage(what));
    }
    // The set first: without it the definition can be scanned again, without a definition the set would grow old unnoticed.
    match fs::remove_file(&set) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        removed => removed.map_err(Failure::file(&set, "cannot be removed"))?,
    }
    fs::remove_file(&definition).map_err(Failure::file(&definition, "cannot be removed"))
}
