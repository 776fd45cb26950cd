//! A folder of tables: `NAME.egt` for a whole one, `NAME.egt.part` for one that is being generated.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use plyfold_core::table::layout::{
    BlockKind, LayoutError, LegalCounts, LevelTotals, ReadAt, SetBlock, TableContents, TableInfo, TableReader,
    TableSection, TableTotals,
};
use plyfold_files::{PrintablePath, open};
use xxhash_rust::xxh3::Xxh3;

use crate::Error;
use crate::pread::FileBytes;

/// How the name of a table's file ends.
pub const EXTENSION: &str = ".egt";
/// What is added while it is unfinished.
pub const PARTIAL_EXTENSION: &str = ".part";

/// Directories of sections are kept up to so many bytes.
pub(crate) const DIRECTORY_CACHE_BYTES: usize = 4 << 20;

/// A folder with tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableFolder {
    path: PathBuf,
}

/// What a file in the folder is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableFileState {
    /// A whole table: header and trailer are sound; [`OpenTable::check`] looks at the rest.
    Whole {
        /// What it is.
        facts: TableInfo,
        /// Its counts.
        summary: TableTotals,
    },
    /// A table that is being generated, or whose generation was broken off.
    Unfinished {
        /// What it is.
        facts: TableInfo,
        /// How many of its cells are done.
        pawn_slices: u32,
        /// The last level of the cell that is being generated, or of any cell.
        level: Option<u16>,
    },
    /// A file that should be a table and cannot be read as one, and why.
    Damaged(String),
    /// Something else.
    Foreign,
}

/// A file in the folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedFile {
    /// Its name.
    pub file: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// What it is.
    pub state: TableFileState,
}

impl TableFolder {
    /// A folder, which need not be there yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> TableFolder {
        TableFolder { path: path.into() }
    }

    /// Makes the folder if it is not there.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub fn create(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.path).map_err(|source| file_error(&self.path, "cannot be made", source))
    }

    /// Where the file of a table is, or would be.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{EXTENSION}"))
    }

    /// Opens a whole table; `None` if there is none of this name.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is damaged, or holds another table.
    pub fn open(&self, name: &str) -> Result<Option<OpenTable>, Error> {
        let path = self.path(name);
        let Some(table) = OpenTable::open(&path)? else { return Ok(None) };
        let found = table.table().info().name;
        if found.as_str() != name {
            let what = format!("holds the table {found}: rename it, or generate {name} again");
            return Err(Error::Damaged { path, what });
        }
        Ok(Some(table))
    }

    /// All files by name. A folder that is not there is empty. Of each table header and trailer are checked.
    ///
    /// # Errors
    ///
    /// The folder cannot be read. What is wrong with a file is its [`TableFileState`].
    pub fn list(&self) -> Result<Vec<ListedFile>, Error> {
        let failed = |source| file_error(&self.path, "cannot be read", source);
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut listed = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let (path, file) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            // Something may have been removed or finished meanwhile.
            let Ok(about) = fs::metadata(&path) else { continue };
            let state = match () {
                () if !about.is_file() => TableFileState::Foreign,
                () if file.ends_with(EXTENSION) => finished_state(&path, &file),
                () if file.strip_suffix(PARTIAL_EXTENSION).is_some_and(|file| file.ends_with(EXTENSION)) => {
                    unfinished_state(&path)
                }
                () => TableFileState::Foreign,
            };
            listed.push(ListedFile { file, path, bytes: about.len(), state });
        }
        listed.sort_by(|one, other| one.file.cmp(&other.file));
        Ok(listed)
    }
}

fn finished_state(path: &Path, file: &str) -> TableFileState {
    match OpenTable::open(path) {
        Ok(Some(table)) => {
            let (facts, summary) = (*table.table().info(), table.table().counts().clone());
            if file.strip_suffix(EXTENSION) != Some(facts.name.as_str()) {
                return TableFileState::Damaged(format!(
                    "{} holds the table {}: rename it",
                    PrintablePath(path),
                    facts.name
                ));
            }
            TableFileState::Whole { facts, summary }
        }
        Ok(None) => TableFileState::Damaged(format!("{} is missing: list the folder again", PrintablePath(path))),
        Err(error) => TableFileState::Damaged(error.to_string()),
    }
}

fn unfinished_state(path: &Path) -> TableFileState {
    let table = open(path)
        .and_then(FileBytes::new)
        .map_err(|source| file_error(path, "cannot be read", source))
        .and_then(|file| TableReader::open_unfinished(file).map_err(|error| layout_error(path, error)));
    let table = match table {
        Ok(table) => table,
        Err(error) => return TableFileState::Damaged(error.to_string()),
    };
    let contents = table.contents();
    let ended = contents.sections().iter().filter(|section| section.is_last).count();
    let running = contents.sections().last().filter(|section| !section.is_last);
    let levels = match running {
        Some(section) => contents.levels(section.pawn_slice),
        None => contents.counts().levels.len() as u16,
    };
    TableFileState::Unfinished { facts: *table.info(), pawn_slices: ended as u32, level: levels.checked_sub(1) }
}

/// A table that can be read by several threads. It keeps directories that it has read, up to 4 MiB of them.
pub struct OpenTable {
    path: PathBuf,
    table: TableReader<FileBytes>,
    directories: Mutex<DirectoryCache>,
}

#[derive(Default)]
struct DirectoryCache {
    sections: HashMap<usize, Arc<TableSection>>,
    bytes: usize,
}

impl fmt::Debug for OpenTable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("OpenTable").field("path", &self.path).finish_non_exhaustive()
    }
}

impl OpenTable {
    /// Opens a whole table; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, is unfinished or damaged.
    pub fn open(path: &Path) -> Result<Option<OpenTable>, Error> {
        let file = match open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.and_then(FileBytes::new).map_err(|source| file_error(path, "cannot be read", source))?,
        };
        let table = TableReader::open(file).map_err(|error| layout_error(path, error))?;
        Ok(Some(OpenTable::new(path.to_path_buf(), table)))
    }

    pub(crate) fn new(path: PathBuf, table: TableReader<FileBytes>) -> OpenTable {
        OpenTable { path, table, directories: Mutex::default() }
    }

    /// The table: its facts, sections and sums.
    #[must_use]
    pub fn table(&self) -> &TableReader<FileBytes> {
        &self.table
    }

    pub(crate) fn table_mut(&mut self) -> &mut TableReader<FileBytes> {
        &mut self.table
    }

    /// Sections and sums.
    #[must_use]
    pub fn contents(&self) -> &TableContents {
        self.table.contents()
    }

    /// Where its file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes read and written so far.
    #[must_use]
    pub fn traffic(&self) -> (u64, u64) {
        self.table.reader().traffic()
    }

    /// The directory of a section by its number in the file, from memory if it is kept.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is damaged.
    pub fn section(&self, number: usize) -> Result<Arc<TableSection>, Error> {
        let lock = || self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(section) = lock().sections.get(&number) {
            return Ok(Arc::clone(section));
        }
        let section = Arc::new(self.read_section(number)?);
        let bytes = size_of::<TableSection>() + size_of_val(section.all_blocks()) + size_of_val(&section.levels[..]);
        let mut directories = lock();
        if directories.bytes + bytes > DIRECTORY_CACHE_BYTES {
            *directories = DirectoryCache::default();
        }
        if directories.sections.insert(number, Arc::clone(&section)).is_none() {
            directories.bytes += bytes;
        }
        Ok(section)
    }

    /// The directory of a section by its number in the file, read anew.
    pub(crate) fn read_section(&self, number: usize) -> Result<TableSection, Error> {
        self.table.section(number).map_err(|error| layout_error(&self.path, error))
    }

    /// The pieces of a cell of one kind and level, by tile.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn blocks(&self, pawn_slice: u32, kind: BlockKind, n: u16) -> Result<Vec<SetBlock>, Error> {
        let mut pieces = Vec::new();
        for number in self.contents().sections_that_may_have(pawn_slice, kind, n) {
            pieces.extend_from_slice(self.section(number)?.blocks(kind, n));
        }
        pieces.sort_by_key(|piece| piece.tile);
        Ok(pieces)
    }

    /// Where the piece of a tile is; `None` if it has none.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn find_block(&self, pawn_slice: u32, tile: u32, kind: BlockKind, n: u16) -> Result<Option<SetBlock>, Error> {
        for number in self.contents().sections_that_may_have(pawn_slice, kind, n) {
            if let Some(piece) = self.section(number)?.block_of(tile, kind, n) {
                return Ok(Some(*piece));
            }
        }
        Ok(None)
    }

    /// The bytes of the piece of a tile, checked; `None` if it has none.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is damaged.
    pub fn read_block(&self, pawn_slice: u32, tile: u32, kind: BlockKind, n: u16) -> Result<Option<Vec<u8>>, Error> {
        let Some(piece) = self.find_block(pawn_slice, tile, kind, n)? else { return Ok(None) };
        let mut bytes = Vec::new();
        self.read_into(&piece, &mut bytes)?;
        Ok(Some(bytes))
    }

    /// The bytes of a piece, checked, into a buffer that is used again.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is damaged.
    pub fn read_into(&self, piece: &SetBlock, buffer: &mut Vec<u8>) -> Result<(), Error> {
        piece.read_into(self.table.reader(), buffer).map_err(|error| layout_error(&self.path, error))
    }

    /// Counts of a cell by distance, from 0 on.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn levels(&self, pawn_slice: u32) -> Result<Vec<LevelTotals>, Error> {
        let mut levels = Vec::new();
        for number in self.contents().pawn_slice_sections(pawn_slice) {
            levels.extend_from_slice(&self.section(number)?.levels);
        }
        Ok(levels)
    }

    /// Legal positions of a cell: White to move, Black to move.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn legal(&self, pawn_slice: u32) -> Result<LegalCounts, Error> {
        let first = self.contents().pawn_slice_sections(pawn_slice).next();
        first.map_or(Ok([0; 2]), |number| Ok(self.section(number)?.legal))
    }

    /// Reads everything and checks it.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), Error> {
        self.table.check_everything().map_err(|error| layout_error(&self.path, error))
    }

    /// XXH3-64 of the whole file; shown as 16 hexadecimal digits.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn checksum(&self) -> Result<u64, Error> {
        let (file, mut at, mut sum) = (self.table.reader(), 0, Xxh3::new());
        let mut buffer = vec![0; 1 << 20];
        while at < file.len() {
            let length = (file.len() - at).min(buffer.len() as u64) as usize;
            let read = file.read_at(at, &mut buffer[..length]);
            read.map_err(|source| file_error(&self.path, "cannot be read", source))?;
            sum.update(&buffer[..length]);
            at += length as u64;
        }
        Ok(sum.digest())
    }
}

pub(crate) fn file_error(path: &Path, doing: &'static str, source: io::Error) -> Error {
    Error::File { path: path.to_path_buf(), doing, source }
}

pub(crate) fn layout_error(path: &Path, error: LayoutError<io::Error>) -> Error {
    match error {
        LayoutError::Read { source, .. } => file_error(path, "cannot be read", source),
        other => Error::Damaged { path: path.to_path_buf(), what: other.to_string() },
    }
}
