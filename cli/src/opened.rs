//! Opening a corpus: what could be given instead of one is told apart, and each gets its own sentence.

use std::path::{Path, PathBuf};

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_files::open;

use crate::failure::{Failure, Result};
use crate::map::Map;

/// A corpus file that is mapped but not yet checked.
pub struct Opened {
    path: PathBuf,
    map: Map,
}

impl Opened {
    /// Opens the file.
    ///
    /// # Errors
    ///
    /// It is missing, a directory, or empty.
    pub fn at(path: &Path) -> Result<Opened> {
        let file = open(path).map_err(Failure::file(path, "cannot be opened"))?;
        let found = file.metadata().map_err(Failure::file(path, "cannot be opened"))?;
        let not = |what: &str| Err(Failure::NotThat(path.to_path_buf(), what.to_owned()));
        if found.is_dir() {
            return not("is a directory, not a corpus");
        }
        if found.len() == 0 {
            return not("is empty (0 bytes), not a corpus: import PGN files first");
        }
        let map = Map::of(&file).map_err(Failure::file(path, "cannot be mapped into memory"))?;
        Ok(Opened { path: path.to_path_buf(), map })
    }

    /// Checks the bytes and reads them as a corpus.
    ///
    /// # Errors
    ///
    /// It is something else, or damaged.
    pub fn corpus(&self, check: Check) -> Result<Corpus<'_>> {
        Corpus::open(self.map.bytes(), check).map_err(|error| match (&error, self.looks_like()) {
            (CorpusError::NotACorpus, Some(kind)) => {
                let what = format!("is {kind}, not a corpus: import it first (plyfold import FILE -o OUT.plyfold)");
                Failure::NotThat(self.path.clone(), what)
            }
            _ => Failure::corpus(&self.path)(error),
        })
    }

    /// Bytes of the file.
    pub fn size_bytes(&self) -> u64 {
        self.map.bytes().len() as u64
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was given instead of a corpus, if it is something that import reads.
    fn looks_like(&self) -> Option<&'static str> {
        let bytes = self.map.bytes();
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        match bytes {
            [0x1f, 0x8b, ..] => Some("a gzip file"),
            // A frame, or one of the frames to skip with which some begin.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some("a zstd file"),
            [b'B', b'Z', b'h', ..] => Some("a bzip2 file"),
            _ if text.starts_with(b"[") || text.starts_with(b"1.") => Some("a PGN file"),
            _ => None,
        }
    }
}
