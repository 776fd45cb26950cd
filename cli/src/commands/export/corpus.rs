//! Games as a corpus of their own: records, moves and texts as they are, in shards of about the size that an import makes.

use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::file::Corpus;
use plyfold_files::Shown;
use rayon::prelude::*;

use super::Export;
use crate::failure::{Failure, Result};
use crate::growing::Growing;

/// Bytes of text in a shard.
const SHARD: usize = 4 << 20;

/// Writes the corpus; as many shards as there are threads are made at a time.
pub(super) fn write(export: &Export<'_>) -> Result<()> {
    // The format was refused without one.
    let Some(place) = &export.arguments.output else { return Ok(()) };
    let games = export.games()?;
    if games.count() == 0 {
        return Err(Failure::Other(format!("no game matches, so {} was not written", Shown(place))));
    }
    let mut growing = Growing::new(place, export.arguments.force)?;
    let bar = export.bar(games.count());
    let mut ids = games.iter().peekable();
    while ids.peek().is_some() {
        let round: Vec<Vec<u32>> =
            (0..rayon::current_num_threads()).map(|_| of_a_shard(export.corpus, &mut ids)).collect();
        let made: Vec<Result<Vec<u8>>> = round.par_iter().map(|ids| shard(export, ids)).collect();
        for (ids, made) in round.iter().zip(made) {
            growing.push(&made?)?;
            bar.done(ids.len() as u32);
        }
    }
    growing.finish().map(drop)
}

/// The next games whose text fills a shard.
fn of_a_shard(corpus: &Corpus<'_>, ids: &mut impl Iterator<Item = u32>) -> Vec<u32> {
    let mut of_shard = Vec::new();
    let mut bytes = 0;
    while bytes < SHARD
        && let Some(id) = ids.next()
    {
        let place = corpus.find(id).and_then(|(shard, game)| shard.text_place(game));
        bytes += place.map_or(0, |place| place.text_bytes());
        of_shard.push(id);
    }
    of_shard
}

fn shard(export: &Export<'_>, ids: &[u32]) -> Result<Vec<u8>> {
    let mut builder = ShardBuilder::new();
    let mut texts = export.corpus.texts();
    for &id in ids {
        let text = texts.get(id).map_err(Failure::corpus(&export.arguments.corpus))?;
        if let Some((shard, game)) = export.corpus.find(id) {
            let copied = builder.copy(shard, game, text);
            copied.map_err(|error| Failure::Other(format!("game {}: {error}", u64::from(id) + 1)))?;
        }
    }
    Ok(builder.finish())
}
