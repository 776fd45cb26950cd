//! Opens a corpus. If the file is something else, the message says what it is and what to do.

use std::path::{Path, PathBuf};

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_files::open;

use crate::failure::{CliFailure, Result};
use crate::map::FileMap;

/// A corpus file that is mapped but not yet checked.
pub struct MappedCorpus {
    path: PathBuf,
    map: FileMap,
}

impl MappedCorpus {
    /// Opens the file.
    ///
    /// # Errors
    ///
    /// It is missing, a directory, or empty.
    pub fn open(path: &Path) -> Result<MappedCorpus> {
        let file = open(path).map_err(CliFailure::file(path, "cannot be opened"))?;
        let found = file.metadata().map_err(CliFailure::file(path, "cannot be opened"))?;
        let not = |what: &str| Err(CliFailure::UnsuitableFile(path.to_path_buf(), what.to_owned()));
        if found.is_dir() {
            return not("is a directory, not a corpus");
        }
        if found.len() == 0 {
            return not("is empty (0 bytes), not a corpus: import PGN files first");
        }
        let map = FileMap::of_file(&file).map_err(CliFailure::file(path, "cannot be mapped into memory"))?;
        Ok(MappedCorpus { path: path.to_path_buf(), map })
    }

    /// Checks the bytes and reads them as a corpus.
    ///
    /// # Errors
    ///
    /// It is something else, or damaged.
    pub fn corpus(&self, check: CorpusCheck) -> Result<CorpusReader<'_>> {
        CorpusReader::open(self.map.bytes(), check).map_err(|error| match (&error, self.detect_import_format()) {
            (CorpusError::NotACorpus, Some(kind)) => {
                let what = format!("is {kind}, not a corpus: import it first (plyfold import FILE -o OUT.plyfold)");
                CliFailure::UnsuitableFile(self.path.clone(), what)
            }
            _ => CliFailure::corpus(&self.path)(error),
        })
    }

    /// Bytes of the file.
    pub fn size_bytes(&self) -> u64 {
        self.map.bytes().len() as u64
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file is, if it is something that `plyfold import` reads.
    fn detect_import_format(&self) -> Option<&'static str> {
        let bytes = self.map.bytes();
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        match bytes {
            [0x1f, 0x8b, ..] => Some("a gzip file"),
            // A zstd frame, or one of the skippable frames with which some files begin.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some("a zstd file"),
            [b'B', b'Z', b'h', ..] => Some("a bzip2 file"),
            _ if text.starts_with(b"[") || text.starts_with(b"1.") => Some("a PGN file"),
            _ => None,
        }
    }
}
