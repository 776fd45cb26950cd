//! A folder of tables: `NAME.egt` for a whole one, `NAME.egt.part` for one that is being generated.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use plyfold_core::table::layout::{
    Contents, Facts, Kind, LayoutError, Legal, Level, Piece, ReadAt, Section, Summary, Table,
};
use plyfold_files::{Shown, open};
use xxhash_rust::xxh3::Xxh3;

use crate::Error;
use crate::pread::FileBytes;

/// How the name of a table's file ends.
pub const ENDING: &str = ".egt";
/// What is added while it is unfinished.
pub const PART: &str = ".part";

/// Directories of sections are kept up to so many bytes.
pub(crate) const KEPT: usize = 4 << 20;

/// A folder with tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// What a file in the folder is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// A whole table: header and trailer are sound; [`OpenTable::check`] looks at the rest.
    Whole {
        /// What it is.
        facts: Facts,
        /// Its counts.
        summary: Summary,
    },
    /// A table that is being generated, or whose generation was broken off.
    Unfinished {
        /// What it is.
        facts: Facts,
        /// How many of its cells are done.
        cells: u32,
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
pub struct Listed {
    /// Its name.
    pub file: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// What it is.
    pub state: State,
}

impl Folder {
    /// A folder, which need not be there yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder { path: path.into() }
    }

    /// Makes the folder if it is not there.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub fn make(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.path).map_err(|source| file_error(&self.path, "cannot be made", source))
    }

    /// Where the file of a table is, or would be.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{ENDING}"))
    }

    /// Opens a whole table; `None` if there is none of this name.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is damaged, or holds another table.
    pub fn open(&self, name: &str) -> Result<Option<OpenTable>, Error> {
        let path = self.path(name);
        let Some(table) = OpenTable::open(&path)? else { return Ok(None) };
        let found = table.table().facts().name;
        if found.as_str() != name {
            let what = format!("holds the table {found}: give it that name, or generate {name} anew");
            return Err(Error::Damaged { path, what });
        }
        Ok(Some(table))
    }

    /// All files by name. A folder that is not there is empty. Of each table header and trailer are checked.
    ///
    /// # Errors
    ///
    /// The folder cannot be read. What is wrong with a file is its [`State`].
    pub fn list(&self) -> Result<Vec<Listed>, Error> {
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
                () if !about.is_file() => State::Foreign,
                () if file.ends_with(ENDING) => whole(&path, &file),
                () if file.strip_suffix(PART).is_some_and(|file| file.ends_with(ENDING)) => unfinished(&path),
                () => State::Foreign,
            };
            listed.push(Listed { file, path, bytes: about.len(), state });
        }
        listed.sort_by(|one, other| one.file.cmp(&other.file));
        Ok(listed)
    }
}

fn whole(path: &Path, file: &str) -> State {
    match OpenTable::open(path) {
        Ok(Some(table)) => {
            let (facts, summary) = (*table.table().facts(), table.table().summary().clone());
            if file.strip_suffix(ENDING) != Some(facts.name.as_str()) {
                return State::Damaged(format!("{} holds the table {}: give it that name", Shown(path), facts.name));
            }
            State::Whole { facts, summary }
        }
        Ok(None) => State::Damaged(format!("{} is gone: list the folder again", Shown(path))),
        Err(error) => State::Damaged(error.to_string()),
    }
}

fn unfinished(path: &Path) -> State {
    let table = open(path)
        .and_then(FileBytes::new)
        .map_err(|source| file_error(path, "cannot be read", source))
        .and_then(|file| Table::open_unfinished(file).map_err(|error| layout_error(path, error)));
    let table = match table {
        Ok(table) => table,
        Err(error) => return State::Damaged(error.to_string()),
    };
    let contents = table.contents();
    let ended = contents.sections().iter().filter(|section| section.is_last).count();
    let running = contents.sections().last().filter(|section| !section.is_last);
    let levels = match running {
        Some(section) => contents.levels(section.cell),
        None => contents.summary().levels.len() as u16,
    };
    State::Unfinished { facts: *table.facts(), cells: ended as u32, level: levels.checked_sub(1) }
}

/// A table that can be read by several threads. It keeps directories that it has read, up to 4 MiB of them.
pub struct OpenTable {
    path: PathBuf,
    table: Table<FileBytes>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    sections: HashMap<usize, Arc<Section>>,
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
        let table = Table::open(file).map_err(|error| layout_error(path, error))?;
        Ok(Some(OpenTable::new(path.to_path_buf(), table)))
    }

    pub(crate) fn new(path: PathBuf, table: Table<FileBytes>) -> OpenTable {
        OpenTable { path, table, kept: Mutex::default() }
    }

    /// The table: its facts, sections and sums.
    #[must_use]
    pub fn table(&self) -> &Table<FileBytes> {
        &self.table
    }

    pub(crate) fn table_mut(&mut self) -> &mut Table<FileBytes> {
        &mut self.table
    }

    /// Sections and sums.
    #[must_use]
    pub fn contents(&self) -> &Contents {
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
    pub fn section(&self, number: usize) -> Result<Arc<Section>, Error> {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(section) = lock().sections.get(&number) {
            return Ok(Arc::clone(section));
        }
        let section = Arc::new(self.read_section(number)?);
        let bytes = size_of::<Section>() + size_of_val(section.all()) + size_of_val(&section.levels[..]);
        let mut kept = lock();
        if kept.bytes + bytes > KEPT {
            *kept = Kept::default();
        }
        if kept.sections.insert(number, Arc::clone(&section)).is_none() {
            kept.bytes += bytes;
        }
        Ok(section)
    }

    /// The directory of a section by its number in the file, read anew.
    pub(crate) fn read_section(&self, number: usize) -> Result<Section, Error> {
        self.table.section(number).map_err(|error| layout_error(&self.path, error))
    }

    /// The pieces of a cell of one kind and level, by tile.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn pieces(&self, cell: u32, kind: Kind, n: u16) -> Result<Vec<Piece>, Error> {
        let mut pieces = Vec::new();
        for number in self.contents().that_can_have(cell, kind, n) {
            pieces.extend_from_slice(self.section(number)?.pieces(kind, n));
        }
        pieces.sort_by_key(|piece| piece.tile);
        Ok(pieces)
    }

    /// Where the piece of a tile is; `None` if it has none.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn find(&self, cell: u32, tile: u32, kind: Kind, n: u16) -> Result<Option<Piece>, Error> {
        for number in self.contents().that_can_have(cell, kind, n) {
            if let Some(piece) = self.section(number)?.piece(tile, kind, n) {
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
    pub fn piece(&self, cell: u32, tile: u32, kind: Kind, n: u16) -> Result<Option<Vec<u8>>, Error> {
        let Some(piece) = self.find(cell, tile, kind, n)? else { return Ok(None) };
        let mut bytes = Vec::new();
        self.read_into(&piece, &mut bytes)?;
        Ok(Some(bytes))
    }

    /// The bytes of a piece, checked, into a buffer that is used again.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is damaged.
    pub fn read_into(&self, piece: &Piece, buffer: &mut Vec<u8>) -> Result<(), Error> {
        piece.read_into(self.table.reader(), buffer).map_err(|error| layout_error(&self.path, error))
    }

    /// Counts of a cell by distance, from 0 on.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn levels(&self, cell: u32) -> Result<Vec<Level>, Error> {
        let mut levels = Vec::new();
        for number in self.contents().of_cell(cell) {
            levels.extend_from_slice(&self.section(number)?.levels);
        }
        Ok(levels)
    }

    /// Legal positions of a cell: White to move, Black to move.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn legal(&self, cell: u32) -> Result<Legal, Error> {
        let first = self.contents().of_cell(cell).next();
        first.map_or(Ok([0; 2]), |number| Ok(self.section(number)?.legal))
    }

    /// Reads everything and checks it.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), Error> {
        self.table.check().map_err(|error| layout_error(&self.path, error))
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
