//! Opens a corpus, or several as one library. If a file is something else, the message says what it is and what to do.

use std::fs;
use std::path::{Path, PathBuf};

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_files::{OutputPlan, PrintablePath, open};

use crate::failure::{CliFailure, Result};
use crate::map::FileMap;
use crate::warning;

/// How the files of corpora end.
const ENDING: &str = "plyfold";
/// What makes a path a pattern.
const WILDCARDS: [char; 3] = ['*', '?', '['];

/// What a command asks: a corpus, or several as one library.
#[derive(clap::Args)]
pub struct LibraryArgument {
    /// The corpus; a folder of corpora, or a pattern such as 'games/*.plyfold', is one library.
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
    /// Those of [`MappedCorpus::open`].
    pub fn open(&self) -> Result<MappedCorpus> {
        let opened = MappedCorpus::open(&self.path)?;
        Ok(MappedCorpus { skips_damaged: self.skip_damaged, ..opened })
    }
}

/// Corpus files that are mapped but not yet checked.
pub struct MappedCorpus {
    path: PathBuf,
    files: Vec<MappedFile>,
    skips_damaged: bool,
}

struct MappedFile {
    path: PathBuf,
    map: FileMap,
}

/// The corpora that a path means: the files of a folder or of a pattern, by their names, or one file.
///
/// # Errors
///
/// A folder that cannot be read or has no corpora; a pattern that is wrong or matches nothing.
pub fn corpus_files(path: &Path) -> Result<Vec<PathBuf>> {
    let unsuitable = |what: String| CliFailure::UnsuitableFile(path.to_path_buf(), what);
    if path.is_dir() {
        let cannot = || CliFailure::file(path, "cannot be read");
        let entries = fs::read_dir(path).map_err(cannot())?.map(|entry| entry.map(|entry| entry.path()));
        let mut files = entries.collect::<std::io::Result<Vec<_>>>().map_err(cannot())?;
        files.retain(|file| file.extension().is_some_and(|ending| ending == ENDING) && file.is_file());
        files.sort_unstable();
        if files.is_empty() {
            return Err(unsuitable(format!("is a folder without corpora (files that end with .{ENDING})")));
        }
        return Ok(files);
    }
    let Some(pattern) = path.to_str().filter(|_| is_pattern(path)) else {
        return Ok(vec![path.to_path_buf()]);
    };
    let matches = glob::glob(pattern).map_err(|error| unsuitable(format!("is no pattern: {error}")))?;
    let mut files = Vec::new();
    for found in matches {
        let found = found.map_err(|error| CliFailure::Other(error.to_string()))?;
        if found.is_file() {
            files.push(found);
        }
    }
    if files.is_empty() {
        return Err(unsuitable("matches no file".into()));
    }
    Ok(files)
}

/// Whether a path is a pattern of files, and no file itself.
pub fn is_pattern(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains(WILDCARDS)) && !path.exists()
}

/// Declares every file of a corpus or library as one that is read. What cannot be listed is reported when it is opened.
pub fn declare_inputs(outputs: &mut OutputPlan, path: &Path) {
    for file in corpus_files(path).unwrap_or_default() {
        outputs.reads("the corpus", &file);
    }
}

impl MappedCorpus {
    /// Opens a corpus, or those of a folder or pattern as one library.
    ///
    /// # Errors
    ///
    /// Those of [`corpus_files`]; a file is missing or empty.
    pub fn open(path: &Path) -> Result<MappedCorpus> {
        let files = corpus_files(path)?.into_iter().map(MappedFile::open).collect::<Result<_>>()?;
        Ok(MappedCorpus { path: path.to_path_buf(), files, skips_damaged: false })
    }

    /// Opens one corpus, for a command that writes into it or beside it.
    ///
    /// # Errors
    ///
    /// The path means several; the file is missing, a directory, or empty.
    pub fn open_one(path: &Path) -> Result<MappedCorpus> {
        let files = vec![MappedFile::open(path.to_path_buf())?];
        Ok(MappedCorpus { path: path.to_path_buf(), files, skips_damaged: false })
    }

    /// Checks the bytes and reads them: one corpus, or several whose games are numbered through.
    ///
    /// # Errors
    ///
    /// A file is something else, or damaged, and is not left out; there are more games than numbers.
    pub fn corpus(&self, check: CorpusCheck) -> Result<JoinedCorpus<'_>> {
        let mut corpora = Vec::new();
        for file in &self.files {
            match file.corpus(check) {
                Ok(corpus) => corpora.push((PrintablePath(&file.path).to_string(), corpus)),
                Err(failure) if self.skips_damaged => warning::write_note(&format!("left out: {failure}")),
                Err(failure) => return Err(failure),
            }
        }
        if corpora.is_empty() && !self.files.is_empty() {
            return Err(CliFailure::UnsuitableFile(self.path.clone(), "has no corpus that can be read".into()));
        }
        JoinedCorpus::join(corpora).map_err(CliFailure::corpus(&self.path))
    }

    /// Bytes of the files.
    pub fn size_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.map.bytes().len() as u64).sum()
    }

    /// The path by which they were named.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl MappedFile {
    fn open(path: PathBuf) -> Result<MappedFile> {
        let file = open(&path).map_err(CliFailure::file(&path, "cannot be opened"))?;
        let found = file.metadata().map_err(CliFailure::file(&path, "cannot be opened"))?;
        if found.is_dir() {
            return Err(CliFailure::UnsuitableFile(path, "is a directory, not a corpus".into()));
        }
        if found.len() == 0 {
            let what = "is empty (0 bytes), not a corpus: import PGN files first";
            return Err(CliFailure::UnsuitableFile(path, what.into()));
        }
        let map = FileMap::of_file(&file).map_err(CliFailure::file(&path, "cannot be mapped into memory"))?;
        Ok(MappedFile { path, map })
    }

    fn corpus(&self, check: CorpusCheck) -> Result<CorpusReader<'_>> {
        CorpusReader::open(self.map.bytes(), check).map_err(|error| match (&error, self.detect_import_format()) {
            (CorpusError::NotACorpus, Some(kind)) => {
                let what = format!("is {kind}, not a corpus: import it first (plyfold import FILE -o OUT.plyfold)");
                CliFailure::UnsuitableFile(self.path.clone(), what)
            }
            _ => CliFailure::corpus(&self.path)(error),
        })
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
