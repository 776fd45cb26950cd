//! Collections: named sets with a definition, which is used to update them when games are appended.
//!
//! The definition lies beside the set `games.sets/name.bm` as `games.sets/name.json`. This file reads and writes definitions;
//! [`current_sets`](crate::current_sets) scans for them.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use plyfold_files::{PrintablePath, open};
use plyfold_terminal::output;
use serde::{Deserialize, Serialize};

use crate::failure::{CliFailure, Result};
use crate::saved_sets;

/// More bytes than a definition has.
const MAX_DEFINITION_BYTES: u64 = 1 << 20;

/// How a collection is defined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionDefinition {
    /// The query, as text.
    pub query: String,
    /// The set within which it searches, as an expression, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

/// The path of the definition of a set.
///
/// # Errors
///
/// The name has a character that is not allowed.
pub fn definition_path(corpus: &Path, name: &str) -> Result<PathBuf> {
    Ok(saved_sets::set_path(corpus, &format!("@{name}"))?.with_extension("json"))
}

/// Reads the definition of the set of this name (without the `@`); `None` if the set is not a collection.
///
/// # Errors
///
/// The definition cannot be read.
pub fn read_definition(corpus: &Path, name: &str) -> Result<Option<CollectionDefinition>> {
    let path = definition_path(corpus, name)?;
    let mut text = String::new();
    match open(&path).and_then(|file| file.take(MAX_DEFINITION_BYTES).read_to_string(&mut text)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(CliFailure::file(&path, "cannot be read"))?,
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        let what =
            format!("is not the definition of a collection ({error}): make it again by `plyfold collections add`");
        CliFailure::unsuitable(path, what)
    })
}

/// Returns whether a file is the definition of a collection, whatever its name.
pub fn is_definition(path: &Path) -> bool {
    let mut text = String::new();
    open(path).and_then(|file| file.take(MAX_DEFINITION_BYTES).read_to_string(&mut text)).is_ok()
        && serde_json::from_str::<CollectionDefinition>(&text).is_ok()
}

/// The names of the collections of a corpus, sorted, without the `@`.
///
/// # Errors
///
/// The folder cannot be read.
pub fn collection_names(corpus: &Path) -> Result<Vec<String>> {
    let mut names = saved_sets::set_names(corpus)?;
    let folder = saved_sets::sets_folder(corpus);
    names.retain(|name| folder.join(format!("{name}.json")).exists());
    Ok(names)
}

/// Writes the definition of a collection.
///
/// # Errors
///
/// The file cannot be written.
pub fn write_definition(path: &Path, name: &str, definition: &CollectionDefinition) -> Result<()> {
    output::write(Some(&definition_path(path, name)?), true, |out| {
        serde_json::to_writer_pretty(&mut *out, definition)?;
        Ok(writeln!(out)?)
    })
}

/// Removes a collection: its set and its definition.
///
/// # Errors
///
/// There is no collection of this name; a file cannot be removed.
pub fn remove_collection(path: &Path, name: &str) -> Result<()> {
    let definition = definition_path(path, name)?;
    let set = saved_sets::set_path(path, &format!("@{name}"))?;
    saved_sets::check_replaceable(&set)?;
    if !is_definition(&definition) {
        let what = match set.exists() {
            true => format!("@{name} is a set, not a collection: delete {} to remove it", PrintablePath(&set)),
            false => format!("there is no collection @{name}"),
        };
        return Err(CliFailure::Usage(what));
    }
    // The set goes first: a definition without its set can be scanned again, but a set without its definition would
    // silently go out of date.
    match fs::remove_file(&set) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        removed => removed.map_err(CliFailure::file(&set, "cannot be removed"))?,
    }
    fs::remove_file(&definition).map_err(CliFailure::file(&definition, "cannot be removed"))
}
