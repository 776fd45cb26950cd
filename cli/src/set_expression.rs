//! Expressions over sets of games, as in `(@a & @b) - other.bm`.

use std::io;
use std::path::Path;

use plyfold_core::pmote::game_set::StoredGameSet;
use plyfold_core::pmote::header::CorpusStamp;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::set_expression::{SetError, SetExpression};
use plyfold_files::OutputPlan;
use plyfold_library::{MappedSetFile, set_path, unknown_set_message};

use crate::failure::{CliFailure, Result};

/// An expression over sets of a corpus, with its files open.
pub struct SetExpressionSource {
    expression: SetExpression,
    files: Vec<MappedSetFile>,
    of: CorpusStamp,
}

impl SetExpressionSource {
    /// Reads an expression, and opens the sets that it names. `update` gets the name of each named set (without the
    /// `@`) before the set is opened, and brings it up to date.
    ///
    /// # Errors
    ///
    /// The text has a mistake, with its place; a set cannot be opened; those of `update`.
    pub fn open(
        path: &Path,
        of: CorpusStamp,
        text: &str,
        update: impl Fn(&str) -> Result<()>,
    ) -> Result<SetExpressionSource> {
        let wrong = |error: SetError| CliFailure::Expression(error, text.to_owned());
        let expression = SetExpression::parse(text).map_err(wrong)?;
        let mut files = Vec::new();
        for name in expression.names() {
            let place = set_path(path, &name.text)?;
            if name.text.starts_with('@') && !place.exists() {
                return Err(wrong(SetError::at(unknown_set_message(path, &name.text)?, name.from, name.to)));
            }
            if let Some(name) = name.text.strip_prefix('@') {
                update(name)?;
            }
            files.push(MappedSetFile::open(&place)?);
        }
        Ok(SetExpressionSource { expression, files, of })
    }

    /// Passes the words of the set to `sink`, and returns how many games it has.
    ///
    /// # Errors
    ///
    /// A set is damaged or belongs to another corpus; those of the sink.
    pub fn stream(&self, sink: impl FnMut(&[u64]) -> io::Result<()>) -> Result<u64> {
        let stored: Vec<StoredGameSet<'_>> =
            self.files.iter().map(|file| file.read(self.of)).collect::<plyfold_library::Result<_>>()?;
        let words: Vec<&[u64]> = stored.iter().map(|stored| &*stored.words).collect();
        self.expression.stream(self.of.games, &words, sink).map_err(CliFailure::Output)
    }

    /// The set, in memory.
    ///
    /// # Errors
    ///
    /// A set is damaged or belongs to another corpus.
    pub fn set(&self) -> Result<GameSet> {
        let mut all = Vec::with_capacity(self.of.games.div_ceil(64) as usize);
        self.stream(|words| {
            all.extend_from_slice(words);
            Ok(())
        })?;
        // There are always as many words as the set needs.
        Ok(GameSet::from_words(self.of.games, all).unwrap_or_default())
    }
}

/// The sets that an expression names: named sets with their `@`, and files.
///
/// # Errors
///
/// The text has a mistake, with its place.
pub fn names_in_expression(text: &str) -> Result<Vec<String>> {
    let expression = SetExpression::parse(text).map_err(|error| CliFailure::Expression(error, text.to_owned()))?;
    Ok(expression.names().iter().map(|name| name.text.clone()).collect())
}

/// Declares the files that a command reads for the set that
/// [`CurrentSets::set_of_argument`](crate::current_sets::CurrentSets::set_of_argument) finds.
pub fn declare_inputs(outputs: &mut OutputPlan, path: &Path, text: &str) {
    if !text.starts_with('@') && Path::new(text).exists() {
        return outputs.reads("the set", text);
    }
    // A mistake in the expression is reported when it is read.
    for name in names_in_expression(text).unwrap_or_default() {
        match (set_path(path, &name), name.starts_with('@')) {
            (Ok(place), true) => outputs.reads_own("the set", place),
            (Ok(place), false) => outputs.reads("the set", place),
            (Err(_), _) => {}
        }
    }
}
