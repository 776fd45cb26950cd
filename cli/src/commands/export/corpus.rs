//! Games as a corpus of their own: records, moves and texts unchanged, in shards of about the size that an import
//! makes.

use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameId;
use plyfold_files::PrintablePath;
use rayon::prelude::*;

use super::Export;
use crate::appendable_corpus::AppendableCorpus;
use crate::failure::{CliFailure, Result};

/// Bytes of text in a shard.
const SHARD_BYTES: usize = 4 << 20;

/// Writes the corpus. It makes as many shards at a time as there are threads.
pub(super) fn write(export: &Export<'_>) -> Result<()> {
    // Without an output file, this format is refused earlier.
    let Some(place) = &export.arguments.output else { return Ok(()) };
    let games = export.games()?;
    if games.count() == 0 {
        return Err(CliFailure::Other(format!("no game matches: {} was not written", PrintablePath(place))));
    }
    let mut growing = AppendableCorpus::new(place, export.arguments.force)?;
    let bar = export.bar(games.count());
    let mut ids = games.iter().peekable();
    while ids.peek().is_some() {
        let round: Vec<Vec<GameId>> =
            (0..rayon::current_num_threads()).map(|_| take_shard_games(export.corpus, &mut ids)).collect();
        let shards: Vec<Result<Vec<u8>>> = round.par_iter().map(|ids| build_shard(export, ids)).collect();
        for (ids, made) in round.iter().zip(shards) {
            growing.push(&made?)?;
            bar.add_games(ids.len() as u32);
        }
    }
    growing.finish().map(drop)
}

/// The next games whose texts fill a shard.
fn take_shard_games(corpus: &JoinedCorpus<'_>, ids: &mut impl Iterator<Item = GameId>) -> Vec<GameId> {
    let mut of_shard = Vec::new();
    let mut bytes = 0;
    while bytes < SHARD_BYTES
        && let Some(id) = ids.next()
    {
        let place = corpus.find_game(id.0).and_then(|(shard, game)| shard.text_location(game));
        bytes += place.map_or(0, |place| place.text_bytes());
        of_shard.push(id);
    }
    of_shard
}

fn build_shard(export: &Export<'_>, ids: &[GameId]) -> Result<Vec<u8>> {
    let mut builder = ShardBuilder::new();
    let mut texts = export.corpus.texts();
    for &id in ids {
        let text = texts.get(id.0).map_err(CliFailure::corpus(&export.arguments.corpus))?;
        if let Some((shard, game)) = export.corpus.find_game(id.0) {
            let copied = builder.copy_game(&shard, game, text);
            copied.map_err(|error| CliFailure::Other(format!("game {}: {error}", id.number())))?;
        }
    }
    Ok(builder.into_bytes())
}
