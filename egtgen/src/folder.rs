//! A folder of tables: `NAME.egt` is a complete table, `NAME.egt.part` one that is being generated, `NAME.egp` a packed one.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use plyfold_files::{PrintablePath, open};
use plyfold_tables::layout::{
    BlockKind, LayoutError, LevelTotals, SetBlock, TableContents, TableInfo, TableReader, TableSection, TableTotals,
};
use plyfold_tables::material::TableMaterial;

use crate::Error;
use crate::packed_folder::{OpenPackedTable, PACKED_EXTENSION};
use crate::pread::FileBytes;

/// The extension of a complete table.
pub const EXTENSION: &str = ".egt";
/// The extension that an unfinished table has in addition.
pub const PARTIAL_EXTENSION: &str = ".part";

/// How many bytes of section directories an open table keeps.
pub(crate) const DIRECTORY_CACHE_BYTES: usize = 4 << 20;

/// A folder with tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableFolder {
    path: PathBuf,
}

/// The state of a file in the folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableFileState {
    /// A complete table. Its header and trailer are sound; [`OpenTable::check`] checks the rest.
    Whole {
        /// Its name and shape.
        facts: TableInfo,
        /// Its counts.
        summary: TableTotals,
    },
    /// A packed table. Its head is sound; [`OpenPackedTable::check`] checks the rest.
    Packed {
        /// Its material; White is the winner.
        table: TableMaterial,
        /// Its counts.
        summary: TableTotals,
    },
    /// A table that is being generated, or whose generation was interrupted.
    Unfinished {
        /// Its name and shape.
        facts: TableInfo,
        /// How many of its pawn slices are complete.
        pawn_slices: u32,
        /// The last complete level of the pawn slice that is being generated, or the highest level of all if none is.
        level: Option<u16>,
    },
    /// A file with the name of a table that cannot be read as one, and the reason.
    Damaged(String),
    /// Any other file.
    Foreign,
}

/// A file in the folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedFile {
    /// Its name.
    pub file: String,
    /// Its path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its state.
    pub state: TableFileState,
}

impl TableFolder {
    /// The folder of this path, which need not exist yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> TableFolder {
        TableFolder { path: path.into() }
    }

    /// Creates the folder if it does not exist.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn create(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.path).map_err(|source| Error::file(&self.path, "cannot be made", source))
    }

    /// The path of the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.path
    }

    /// The path of a table's file, whether it exists or not.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{EXTENSION}"))
    }

    /// Opens the complete table of this name; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is damaged, or holds another table.
    pub fn open(&self, name: &str) -> Result<Option<OpenTable>, Error> {
        let path = self.path(name);
        let Some(table) = OpenTable::open(&path)? else { return Ok(None) };
        let found = table.table().info().name;
        if found.as_str() != name {
            return Err(Error::damaged(&path, format!("holds the table {found}: rename it, or generate {name} again")));
        }
        Ok(Some(table))
    }

    /// All files, sorted by name; none if the folder does not exist. The header and trailer of each table are checked.
    ///
    /// # Errors
    ///
    /// The folder cannot be read. A problem of one file is its [`TableFileState`].
    pub fn list(&self) -> Result<Vec<ListedFile>, Error> {
        let failed = |source| Error::file(&self.path, "cannot be read", source);
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut listed = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let (path, file) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            // The file may have been removed or renamed meanwhile.
            let Ok(about) = fs::metadata(&path) else { continue };
            let state = match () {
                () if !about.is_file() => Ok(TableFileState::Foreign),
                () if file.ends_with(EXTENSION) => finished_state(&path, &file),
                () if file.ends_with(PACKED_EXTENSION) => packed_state(&path, &file),
                () if file.strip_suffix(PARTIAL_EXTENSION).is_some_and(|file| file.ends_with(EXTENSION)) => {
                    unfinished_state(&path)
                }
                () => Ok(TableFileState::Foreign),
            };
            let state = state.unwrap_or_else(|error| TableFileState::Damaged(error.to_string()));
            listed.push(ListedFile { file, path, bytes: about.len(), state });
        }
        listed.sort_by(|one, other| one.file.cmp(&other.file));
        Ok(listed)
    }
}

/// A file that was there when the folder was read.
fn missing(path: &Path) -> TableFileState {
    TableFileState::Damaged(format!("{} is missing: list the folder again", PrintablePath(path)))
}

fn finished_state(path: &Path, file: &str) -> Result<TableFileState, Error> {
    let Some(table) = OpenTable::open(path)? else { return Ok(missing(path)) };
    let (facts, summary) = (*table.table().info(), table.table().counts().clone());
    if file.strip_suffix(EXTENSION) != Some(facts.name.as_str()) {
        let what = format!("{} holds the table {}: rename it", PrintablePath(path), facts.name);
        return Ok(TableFileState::Damaged(what));
    }
    Ok(TableFileState::Whole { facts, summary })
}

fn packed_state(path: &Path, file: &str) -> Result<TableFileState, Error> {
    let name = file.strip_suffix(PACKED_EXTENSION).unwrap_or(file);
    let Some(table) = TableMaterial::parse(name).ok().filter(|table| table.to_string() == name) else {
        let what = format!("{} has not the name of a table: rename it", PrintablePath(path));
        return Ok(TableFileState::Damaged(what));
    };
    let Some(open) = OpenPackedTable::open(path, table)? else { return Ok(missing(path)) };
    Ok(TableFileState::Packed { table, summary: open.table().facts.totals.clone() })
}

fn unfinished_state(path: &Path) -> Result<TableFileState, Error> {
    let file = open(path).and_then(FileBytes::new).map_err(|source| Error::file(path, "cannot be read", source))?;
    let table = TableReader::open_unfinished(file).map_err(|error| layout_error(path, error))?;
    let contents = table.contents();
    let ended = contents.sections().iter().filter(|section| section.is_last).count();
    let running = contents.sections().last().filter(|section| !section.is_last);
    let levels = match running {
        Some(section) => contents.levels(section.pawn_slice),
        None => contents.counts().levels.len() as u16,
    };
    let level = levels.checked_sub(1);
    Ok(TableFileState::Unfinished { facts: *table.info(), pawn_slices: ended as u32, level })
}

/// An open table that several threads can read. It keeps up to 4 MiB of the directories that it has read.
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
    /// Opens a complete table; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is unfinished or is damaged.
    pub fn open(path: &Path) -> Result<Option<OpenTable>, Error> {
        let file = match open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.and_then(FileBytes::new).map_err(|source| Error::file(path, "cannot be read", source))?,
        };
        let table = TableReader::open(file).map_err(|error| layout_error(path, error))?;
        Ok(Some(OpenTable::new(path.to_path_buf(), table)))
    }

    pub(crate) fn new(path: PathBuf, table: TableReader<FileBytes>) -> OpenTable {
        OpenTable { path, table, directories: Mutex::default() }
    }

    /// The table: name, shape, sections and totals.
    #[must_use]
    pub fn table(&self) -> &TableReader<FileBytes> {
        &self.table
    }

    #[cfg(feature = "generate")]
    pub(crate) fn table_mut(&mut self) -> &mut TableReader<FileBytes> {
        &mut self.table
    }

    /// The sections and totals.
    #[must_use]
    pub fn contents(&self) -> &TableContents {
        self.table.contents()
    }

    /// The path of its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory of a section by its number in the file; from memory if it was read before.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is damaged.
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

    /// The directory of a section by its number in the file, read from the file.
    pub(crate) fn read_section(&self, number: usize) -> Result<TableSection, Error> {
        self.table.section(number).map_err(|error| layout_error(&self.path, error))
    }

    /// The blocks of a pawn slice of one kind and level, sorted by tile.
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

    /// Reads and checks a block into a buffer, whose memory is reused.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is damaged.
    pub fn read_into(&self, piece: &SetBlock, buffer: &mut Vec<u8>) -> Result<(), Error> {
        piece.read_into(self.table.reader(), buffer).map_err(|error| layout_error(&self.path, error))
    }

    /// The totals of a pawn slice by level, from 0 on.
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

    /// Reads and checks the whole file.
    ///
    /// # Errors
    ///
    /// The first fault that is found.
    pub fn check(&self) -> Result<(), Error> {
        self.table.check_everything().map_err(|error| layout_error(&self.path, error))
    }

    /// The XXH3-64 checksum of the whole file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn checksum(&self) -> Result<u64, Error> {
        self.table.reader().checksum().map_err(|source| Error::file(&self.path, "cannot be read", source))
    }
}

pub(crate) fn layout_error(path: &Path, error: LayoutError<io::Error>) -> Error {
    match error {
        LayoutError::Read { source, .. } => Error::file(path, "cannot be read", source),
        other => Error::damaged(path, other),
    }
}
