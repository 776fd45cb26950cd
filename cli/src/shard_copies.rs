//! Games of open corpora, copied into new shards of the usual size: records, moves, annotations and texts unchanged, or with changed texts,
//! which are read anew.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::OpenCorpus;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::storage::CorpusStorage;
use plyfold_core::edited_corpus::EditedGame;
use plyfold_core::game::GameId;
use rayon::prelude::*;

use crate::appendable_corpus::AppendableCorpus;
use crate::failure::{CliFailure, Result};
use crate::game_text::kept_or_written;
use crate::progress::ScanProgress;
use crate::query_argument::OPENING_TABLE;

/// Bytes of text in a shard, as an import makes them.
const SHARD_BYTES: usize = 4 << 20;
/// The bytes that a ply counts for where the text is not kept: the text of a usual PGN has so many bytes a ply.
const BYTES_PER_PLY: usize = 8;

/// Copies games of the corpus at `path` into `to`, in this order. As many shards as there are threads are in memory at a time.
///
/// # Errors
///
/// A text is damaged, or the file cannot be written.
pub fn copy_into(
    to: &mut AppendableCorpus,
    (corpus, path): (&JoinedCorpus<'_>, &Path),
    games: impl Iterator<Item = GameId>,
    bar: &ScanProgress,
) -> Result<()> {
    copy_shards(to, corpus, games, bar, |games| copy_games(corpus, path, games.iter().map(|game| game.0)))
}

/// What a game is after a change.
pub struct ChangedGame<'t> {
    pub text: Cow<'t, [u8]>,
    /// Whether its moves may be others than before.
    pub has_other_moves: bool,
}

impl<'t> From<Cow<'t, [u8]>> for ChangedGame<'t> {
    fn from(text: Cow<'t, [u8]>) -> ChangedGame<'t> {
        ChangedGame { text, has_other_moves: false }
    }
}

/// What a game becomes. The text so far is the kept one, or one written from headers and moves.
pub type GameChanges<'f> = &'f (dyn for<'t> Fn(GameId, Cow<'t, [u8]>) -> ChangedGame<'t> + Sync);

/// Copies games as [`copy_into`] does, with changes, and returns how many games are other than before. Where the corpus keeps no text, the
/// copy keeps none, unless the game has other moves.
///
/// # Errors
///
/// Those of [`copy_into`]; a changed text does not read as the moves of its game.
pub fn copy_changed(
    to: &mut AppendableCorpus,
    (corpus, path): (&JoinedCorpus<'_>, &Path),
    games: impl Iterator<Item = GameId>,
    bar: &ScanProgress,
    change: GameChanges<'_>,
) -> Result<u64> {
    let number_changed = AtomicU64::new(0);
    copy_shards(to, corpus, games, bar, |games| {
        let mut builder = ShardBuilder::new().with_openings(Arc::clone(&OPENING_TABLE));
        let mut texts = corpus.texts();
        for &id in games {
            let text = texts.get(id.0).map_err(CliFailure::corpus(path))?;
            let Some((shard, game)) = corpus.find_game(id.0) else { continue };
            let before = kept_or_written(corpus, id, text);
            let after = change(id, Cow::Borrowed(&before));
            if *after.text == *before {
                let copied = builder.copy_game(&shard, game, text);
                copied.map_err(|error| CliFailure::Other(format!("game {}: {error}", id.number())))?;
                continue;
            }
            number_changed.fetch_add(1, Ordering::Relaxed);
            let ChangedGame { text: changed, has_other_moves } = &after;
            let edited = EditedGame {
                text: changed,
                has_other_moves: *has_other_moves,
                keeps_text: *has_other_moves || !text.is_empty(),
            };
            edited.push_to(&mut builder, (&shard, game)).map_err(|why| {
                CliFailure::unsuitable(path, format!("game {}: {why}, so nothing was written", id.number()))
            })?;
        }
        Ok(builder.into_bytes())
    })?;
    Ok(number_changed.into_inner())
}

/// Copies games by shards, which `copy` makes on all threads.
fn copy_shards(
    to: &mut AppendableCorpus,
    corpus: &JoinedCorpus<'_>,
    games: impl Iterator<Item = GameId>,
    bar: &ScanProgress,
    copy: impl Fn(&[GameId]) -> Result<Vec<u8>> + Sync,
) -> Result<()> {
    let mut games = games.peekable();
    while games.peek().is_some() {
        let threads = rayon::current_num_threads();
        let round: Vec<Vec<GameId>> = (0..threads).map(|_| take_shard_games(corpus, &mut games)).collect();
        let made: Vec<Result<Vec<u8>>> = round.par_iter().map(|games| copy(games)).collect();
        for (games, shard) in round.iter().zip(made) {
            to.push(&shard?)?;
            bar.add_games(games.len() as u32);
        }
    }
    Ok(())
}

/// The next games whose texts fill a shard.
fn take_shard_games(corpus: &JoinedCorpus<'_>, games: &mut impl Iterator<Item = GameId>) -> Vec<GameId> {
    let mut of_shard = Vec::new();
    let mut bytes = 0;
    while bytes < SHARD_BYTES
        && let Some(id) = games.next()
    {
        if let Some((shard, game)) = corpus.find_game(id.0) {
            let plies = usize::from(shard.records[game as usize].plies);
            let text = shard.text_location(game).map(|place| place.text_bytes()).filter(|&bytes| bytes > 0);
            bytes += text.unwrap_or(BYTES_PER_PLY * (plies + 1));
        }
        of_shard.push(id);
    }
    of_shard
}

/// A shard of these games of the corpus at `path`, by their numbers from 0; it is empty without games.
///
/// # Errors
///
/// A text is damaged, or a game is too large.
pub fn copy_games<S>(corpus: &OpenCorpus<S, S::Bytes>, path: &Path, games: impl Iterator<Item = u32>) -> Result<Vec<u8>>
where
    S: CorpusStorage<Error = CorpusError>,
{
    let mut builder = ShardBuilder::new();
    let mut texts = corpus.texts();
    for id in games {
        let text = texts.get(id).map_err(CliFailure::corpus(path))?;
        if let Some((shard, game)) = corpus.find_game(id) {
            let copied = builder.copy_game(&shard, game, text);
            copied.map_err(|error| CliFailure::Other(format!("game {}: {error}", GameId(id).number())))?;
        }
    }
    Ok(builder.into_bytes())
}
