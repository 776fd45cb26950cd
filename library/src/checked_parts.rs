//! Checks parts of a library before they are read, if they have not been checked when it was opened. The message names the file.

use std::path::Path;

use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{GameId, GameSpan, corpus_spans};

use crate::error::{LibraryError, Result};

/// Checks these parts of all shards, so that they can be read from now on.
///
/// # Errors
///
/// They are damaged.
pub fn require_parts(corpus: &JoinedCorpus<'_>, parts: ShardParts) -> Result<()> {
    corpus.require_of_members(parts).map_err(damaged)
}

/// The games of a library, with these parts and their [companions](ShardParts::with_companions).
///
/// # Errors
///
/// They are damaged.
pub fn spans_with<'c>(corpus: &'c JoinedCorpus<'_>, parts: ShardParts) -> Result<Vec<GameSpan<'c>>> {
    require_parts(corpus, parts.with_companions())?;
    Ok(corpus_spans(corpus))
}

/// Checks everything but the texts of the shards that have some games, so that what is listed of these games can be read.
///
/// # Errors
///
/// It is damaged.
pub fn require_games(corpus: &JoinedCorpus<'_>, games: impl IntoIterator<Item = GameId>) -> Result<()> {
    games.into_iter().try_for_each(|game| corpus.require_of_game(game.0, ShardParts::ALL).map_err(damaged))
}

fn damaged((member, error): (&str, CorpusError)) -> LibraryError {
    LibraryError::corpus(Path::new(member))(error)
}
