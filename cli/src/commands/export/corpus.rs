//! Writes games as a corpus of their own: records, moves and texts unchanged, in shards of about the size that an import makes.

use plyfold_files::PrintablePath;

use super::Export;
use crate::appendable_corpus::AppendableCorpus;
use crate::failure::{CliFailure, Result};
use crate::shard_copies;

/// Writes the corpus.
pub(super) fn write(export: &Export<'_>) -> Result<()> {
    // Without an output file, this format is refused earlier.
    let Some(place) = &export.arguments.output else { return Ok(()) };
    let games = export.games()?;
    if games.count() == 0 {
        return Err(CliFailure::Other(format!("no game matches: {} was not written", PrintablePath(place))));
    }
    let mut growing = AppendableCorpus::new(place, export.arguments.force)?;
    let bar = export.bar(games.count());
    shard_copies::copy_into(&mut growing, (export.corpus, &export.arguments.library.path), games.iter(), &bar)?;
    growing.finish().map(drop)
}
