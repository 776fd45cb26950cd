//! The file of aliases of a command line.

use std::path::PathBuf;

use plyfold_core::aliases::Aliases;
use plyfold_files::OutputPlan;

use crate::failure::{CliFailure, Result};
use crate::query_argument::read_text;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// The file of aliases of a command.
#[derive(clap::Args)]
pub struct AliasArgument {
    /// Take names for others: a file with lines `player<TAB>alias<TAB>name` (or event, site), as `plyfold names --confirm` writes it.
    #[arg(long, value_name = "FILE")]
    pub aliases: Option<PathBuf>,
}

impl AliasArgument {
    /// Declares the file.
    pub fn declare_inputs(&self, outputs: &mut OutputPlan) {
        if let Some(path) = &self.aliases {
            outputs.reads("the file of aliases", path);
        }
    }

    /// Reads the file; there are no aliases without one.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is too large; those of [`Aliases::parse`].
    pub fn read(&self) -> Result<Aliases> {
        let Some(path) = self.aliases.as_deref() else { return Ok(Aliases::default()) };
        let text = read_text(path, MAX_BYTES, "the aliases cannot be read", "a file of aliases has at most 256 MiB")?;
        Aliases::parse(&text).map_err(|what| CliFailure::unsuitable(path, what))
    }
}
