//! One corpus file, mapped. If it is something else, the message says what it is and what to do.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader, OldShards, OpenCorpus};
use plyfold_core::corpus::storage::CorpusStorage;
use plyfold_files::open;

use crate::error::{LibraryError, Result};
use crate::map::FileMap;
use crate::remembered_checks::{FileState, RememberedParts};

/// A corpus file that is mapped but not yet checked. Cheap to clone.
#[derive(Clone)]
pub struct MappedFile {
    path: PathBuf,
    map: Arc<FileMap>,
    /// What other programs have checked; none of games in memory and of small files.
    remembered: Option<Arc<RememberedParts>>,
}

/// Some bytes of a mapped file, which keep it mapped.
pub struct MappedBytes {
    map: Arc<FileMap>,
    range: Range<usize>,
}

impl MappedFile {
    /// Maps a file.
    ///
    /// # Errors
    ///
    /// It is missing or a directory.
    pub fn open(path: PathBuf) -> Result<MappedFile> {
        let file = open(&path).map_err(LibraryError::file(&path, "cannot be opened"))?;
        let found = file.metadata().map_err(LibraryError::file(&path, "cannot be opened"))?;
        if found.is_dir() {
            return Err(LibraryError::Unsuitable(path, "is a directory, not a corpus".into()));
        }
        let map = FileMap::of_file(&file).map_err(LibraryError::file(&path, "cannot be mapped into memory"))?;
        let remembered = FileState::of(&found).map(|state| Arc::new(RememberedParts::of(state)));
        Ok(MappedFile { path, map: Arc::new(map), remembered })
    }

    /// A corpus in memory, made of the games of the file at `path`: its header and its shards.
    ///
    /// # Errors
    ///
    /// There is no room in memory.
    pub fn in_memory(path: PathBuf, pieces: Vec<Vec<u8>>) -> Result<MappedFile> {
        let map = FileMap::of_pieces(pieces).map_err(LibraryError::file(&path, "cannot be kept in memory"))?;
        Ok(MappedFile { path, map: Arc::new(map), remembered: None })
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.map.bytes()
    }

    /// Checks the bytes that `check` names and reads them where they lie.
    ///
    /// # Errors
    ///
    /// The file is something else, or damaged.
    pub fn corpus(&self, check: CorpusCheck) -> Result<CorpusReader<'_>> {
        let knows_all = self.remembered.as_ref().is_some_and(|remembered| remembered.know_all());
        let check_now = if knows_all && check == CorpusCheck::WithoutTexts { CorpusCheck::WhenUsed } else { check };
        let corpus = CorpusReader::open(self.bytes(), check_now).map_err(|error| self.explain(error))?;
        self.recall_checks(&corpus);
        if check_now != check {
            corpus.require(ShardParts::ALL_WITH_TEXT_PLACES).map_err(|error| self.explain(error))?;
        }
        Ok(corpus)
    }

    /// Opens the file as a corpus that keeps it mapped and whose parts are checked [when they are used](CorpusCheck::WhenUsed).
    ///
    /// # Errors
    ///
    /// The file is something else, or its directories are damaged.
    pub fn into_corpus(self) -> Result<OpenCorpus<MappedFile, MappedBytes>> {
        let opened = OpenCorpus::open_storage(self.clone(), CorpusCheck::WhenUsed, OldShards::AsStored);
        let corpus = opened.map_err(|error| self.explain(error))?;
        self.recall_checks(&corpus);
        Ok(corpus)
    }

    fn recall_checks<S, B: AsRef<[u8]>>(&self, corpus: &OpenCorpus<S, B>) {
        if let Some(remembered) = &self.remembered {
            remembered.follow(corpus);
        }
    }

    /// The state of the file by which one remembers what was found out about it.
    pub fn state(&self) -> Option<&FileState> {
        self.remembered.as_deref().map(RememberedParts::state)
    }

    fn explain(&self, error: CorpusError) -> LibraryError {
        if self.bytes().is_empty() {
            let what = "is empty (0 bytes), not a corpus: import PGN files first";
            return LibraryError::Unsuitable(self.path.clone(), what.into());
        }
        match (&error, self.detect_import_format()) {
            (CorpusError::NotACorpus, Some(kind)) => {
                let what = format!("is {kind}, not a corpus: import it first (plyfold import FILE -o OUT.plyfold)");
                LibraryError::Unsuitable(self.path.clone(), what)
            }
            _ => LibraryError::corpus(&self.path)(error),
        }
    }

    /// Returns what the file is, if it is something that `plyfold import` reads.
    #[must_use]
    pub fn detect_import_format(&self) -> Option<&'static str> {
        let bytes = self.bytes();
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        match bytes {
            [0x1f, 0x8b, ..] => Some("a gzip file"),
            // A zstd frame, or one of the skippable frames with which some files begin.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some("a zstd file"),
            [b'B', b'Z', b'h', ..] => Some("a bzip2 file"),
            [b'P', b'K', 3, 4, ..] => Some("a zip archive"),
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Some("a 7z archive"),
            _ if bytes.get(257..262) == Some(b"ustar") => Some("a tar archive"),
            _ if text.starts_with(b"[") || text.starts_with(b"1.") => Some("a PGN file"),
            _ => None,
        }
    }
}

impl CorpusStorage for MappedFile {
    type Error = CorpusError;
    type Bytes = MappedBytes;

    fn size_bytes(&self) -> u64 {
        self.bytes().len() as u64
    }

    fn read(&self, offset: u64, length: u64) -> Result<MappedBytes, CorpusError> {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(self.bytes().len());
        Ok(MappedBytes { map: self.map.clone(), range: place(offset)..place(offset.saturating_add(length)) })
    }
}

impl AsRef<[u8]> for MappedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.map.bytes()[self.range.clone()]
    }
}
