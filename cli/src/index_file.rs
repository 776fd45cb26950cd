//! The position index of a corpus, a file beside it: `games.plyindex` for `games.plyfold`, or in memory.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::index::build::build_index;
use plyfold_core::index::error::IndexError;
use plyfold_core::index::layout::{IndexCheck, IndexLayout};
use plyfold_core::index::plan::{IndexPlan, MAX_SEGMENT_PLIES, covers};
use plyfold_core::index::probe::IndexReader;
use plyfold_files::open;
use plyfold_library::{FileMap, FileState, MappedCorpus, companion};

use crate::failure::{CliFailure, Result};

/// The path of the index of the corpus at `corpus`.
pub fn index_path(corpus: &Path) -> PathBuf {
    companion(corpus, "plyindex")
}

/// An index file that is mapped, or an index in memory, and whose headers are checked.
pub struct MappedIndex {
    map: FileMap,
    layout: IndexLayout,
    state: Option<FileState>,
}

impl MappedIndex {
    /// Opens the index at `path`; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The system cannot open the file. The inner result says that it is something else, or damaged, or newer, so that the caller can
    /// say what to do.
    pub fn open(path: &Path) -> Result<Option<Result<MappedIndex, IndexError>>> {
        let cannot = || CliFailure::file(path, "cannot be opened");
        let file = match open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(cannot())?,
        };
        let found = file.metadata().map_err(cannot())?;
        if !found.is_file() {
            return Err(CliFailure::unsuitable(path, "is not a regular file, so it is not an index"));
        }
        if found.len() == 0 {
            return Ok(Some(Err(IndexError::NotAnIndex)));
        }
        let map = FileMap::of_file(&file).map_err(CliFailure::file(path, "cannot be mapped into memory"))?;
        let layout = IndexLayout::check(map.bytes(), IndexCheck::Headers);
        let state = FileState::of(&found);
        Ok(Some(layout.map(|layout| MappedIndex { map, layout, state })))
    }

    /// Makes the index of a corpus in memory. `path` is where it would lie.
    ///
    /// # Errors
    ///
    /// There is no room, or a segment would have too many plies.
    pub fn in_memory(path: &Path, corpus: &JoinedCorpus<'_>) -> Result<MappedIndex> {
        let unsuitable = |error: IndexError| CliFailure::unsuitable(path, error.to_string());
        let spans = corpus_spans(corpus);
        let plan = IndexPlan::new(corpus.header.id, &spans, None, MAX_SEGMENT_PLIES).map_err(unsuitable)?;
        let mut pieces = vec![Vec::new()];
        let header = build_index(&plan, None, &mut |_| true, &mut |piece| {
            pieces.push(piece.to_vec());
            Ok::<(), Infallible>(())
        });
        pieces[0] = header.map_err(|error| CliFailure::Other(error.to_string()))?.to_bytes().to_vec();
        let map = FileMap::of_pieces(pieces).map_err(CliFailure::file(path, "does not fit into memory"))?;
        let layout = IndexLayout::check(map.bytes(), IndexCheck::Headers).map_err(unsuitable)?;
        Ok(MappedIndex { map, layout, state: None })
    }

    /// Checks that the index is that of all games of a corpus. Of large files, it is remembered.
    ///
    /// # Errors
    ///
    /// It is that of other games, or of fewer.
    pub fn check_covers(
        &self,
        opened: &MappedCorpus,
        corpus: &JoinedCorpus<'_>,
        spans: &[GameSpan<'_>],
    ) -> Result<(), IndexError> {
        let states = self.state.as_ref().zip(opened.state());
        let known = states.map(|(index, corpus)| (index, format!("covers {}", corpus.identity())));
        if known.as_ref().is_some_and(|(index, known)| index.recall().as_ref() == Some(known)) {
            return Ok(());
        }
        covers(&self.index(), corpus.header.id, spans)?;
        if let Some((index, known)) = known {
            index.remember(&known);
        }
        Ok(())
    }

    /// The index.
    pub fn index(&self) -> IndexReader<'_> {
        self.layout.index(self.map.bytes())
    }
}
