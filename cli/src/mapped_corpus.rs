//! Opens the corpus or library of a command line.

use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_files::OutputPlan;
pub use plyfold_library::{MappedCorpus, corpus_files, is_pattern, require_games, require_parts, spans_with};

use plyfold_terminal::write_note;

use crate::failure::Result;
use crate::pending_edits::note_edits;
use crate::read_in_passing;

/// What a command asks: a corpus, or several as one library.
#[derive(clap::Args)]
pub struct LibraryArgument {
    /// The corpus; a folder of corpora, or a pattern such as 'games/*.plyfold', is one library. PGN files, also compressed, zipped
    /// or in a folder, are read in passing.
    #[arg(value_name = "CORPUS")]
    pub path: PathBuf,
    /// Leave out files of a library that are damaged or no corpora, with a note.
    #[arg(long)]
    skip_damaged: bool,
}

impl LibraryArgument {
    /// Opens it.
    ///
    /// # Errors
    ///
    /// Those of [`read_in_passing::open`].
    pub fn open(&self) -> Result<MappedCorpus> {
        read_in_passing::open(&self.path)
    }

    /// Reads its files, after `check`, and says if there are edits that are not in its games. To leave out what is damaged, all but the
    /// texts is checked at once.
    ///
    /// # Errors
    ///
    /// A file is something else, or damaged, and is not left out; there are more games than numbers.
    pub fn corpus<'a>(&self, opened: &'a MappedCorpus, check: CorpusCheck) -> Result<JoinedCorpus<'a>> {
        let corpus = self.corpus_without_edits(opened, check)?;
        note_edits(&self.path, &corpus);
        Ok(corpus)
    }

    /// Reads its files as [`corpus`](Self::corpus) does, for a command that sees the edits itself.
    ///
    /// # Errors
    ///
    /// Those of [`corpus`](Self::corpus).
    pub fn corpus_without_edits<'a>(&self, opened: &'a MappedCorpus, check: CorpusCheck) -> Result<JoinedCorpus<'a>> {
        let check = if check == CorpusCheck::WhenUsed && self.skip_damaged { CorpusCheck::WithoutTexts } else { check };
        let corpus = opened.corpus_without(check, |failure| {
            if !self.skip_damaged {
                return Err(failure);
            }
            write_note(&format!("left out: {failure}"));
            Ok(())
        });
        Ok(corpus?)
    }
}

/// Declares every file of a corpus or library as one that is read. What cannot be listed is reported when it is opened.
pub fn declare_inputs(outputs: &mut OutputPlan, path: &Path) {
    for file in corpus_files(path).unwrap_or_default() {
        outputs.reads("the corpus", &file);
    }
}
