//! Writes games as a corpus of their own, in shards of about the size that an import makes: records, moves and texts are unchanged, but for the
//! changes that are asked for.

use plyfold_files::PrintablePath;

use super::Export;
use crate::appendable_corpus::AppendableCorpus;
use crate::failure::{CliFailure, Result};
use crate::shard_copies;

/// Writes the corpus.
pub(super) fn write(export: &Export<'_>) -> Result<()> {
    // Without an output file, this format is refused earlier.
    let Some(place) = &export.arguments.output else { return Ok(()) };
    let games = export.ordered_games()?;
    if games.is_empty() {
        return Err(CliFailure::Other(format!("no game matches: {} was not written", PrintablePath(place))));
    }
    let mut growing = AppendableCorpus::new(place, export.arguments.force)?;
    let bar = export.bar(games.len() as u64);
    let source = (export.corpus, &*export.arguments.library.path);
    match export.rewriter.is_idle() {
        true => shard_copies::copy_into(&mut growing, source, games.into_iter(), &bar)?,
        false => shard_copies::copy_changed(&mut growing, source, games.into_iter(), &bar, &|id, text| {
            export.rewriter.changed_game(export.corpus, id, text)
        })
        .map(drop)?,
    }
    growing.finish().map(drop)
}
