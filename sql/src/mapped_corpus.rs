//! A corpus in a local file, which is mapped. Its parts are checked when a query first reads them.

use std::path::{Path, PathBuf};

use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusFileHeader, GameTexts, OpenCorpus};
use plyfold_core::corpus::shard::Shard;
use plyfold_files::PrintablePath;
use plyfold_library::{LibraryError, MappedBytes, MappedFile, corpus_files};

use crate::error::SqlFailure;

/// An open corpus in a local file.
pub(crate) struct MappedCorpus {
    path: PathBuf,
    corpus: OpenCorpus<MappedFile, MappedBytes>,
}

impl MappedCorpus {
    /// Opens the corpora that a path means: a file, a folder or a pattern. If `checks_all`, all of their bytes but the texts are checked.
    ///
    /// # Errors
    ///
    /// As [`corpus_files`]; in the list, the corpora that are missing, damaged or no corpora.
    pub fn open_all(path: &str, checks_all: bool) -> Result<Vec<Result<MappedCorpus, SqlFailure>>, SqlFailure> {
        let open = |path: PathBuf| {
            let corpus = MappedFile::open(path.clone())?.into_corpus()?;
            let corpus = MappedCorpus { path, corpus };
            if checks_all {
                corpus.corpus.require(ShardParts::ALL).map_err(LibraryError::corpus(&corpus.path))?;
            }
            Ok(corpus)
        };
        Ok(corpus_files(Path::new(path))?.into_iter().map(open).collect())
    }

    /// The path, as a message shows it.
    pub fn name(&self) -> String {
        PrintablePath(&self.path).to_string()
    }

    /// Its header.
    pub fn header(&self) -> &CorpusFileHeader {
        &self.corpus.header
    }

    /// The numbers of games and plies of each shard.
    pub fn shard_sizes(&self) -> impl Iterator<Item = (u32, u64)> {
        self.corpus.shard_sizes()
    }

    /// A shard with these parts, which are checked at their first use.
    ///
    /// # Errors
    ///
    /// They are damaged.
    pub fn shard(&self, index: usize, parts: ShardParts) -> Result<Shard<'_>, LibraryError> {
        self.corpus.shard_with(index as u32, parts).map_err(LibraryError::corpus(&self.path))
    }

    /// A reader for the texts of its games.
    pub fn texts(&self) -> GameTexts<'_, MappedFile> {
        self.corpus.texts()
    }

    /// What an error of a text is.
    pub fn damaged(&self, error: CorpusError) -> SqlFailure {
        LibraryError::corpus(&self.path)(error).into()
    }
}
