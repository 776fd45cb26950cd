//! A table on its way to the disk: `NAME.egt.part`, to which sections are appended, and which becomes `NAME.egt` when it
//! is whole.
//!
//! A section is written pieces first, then its directory, and its header last, so that whatever is there when the program
//! is killed is a row of whole sections and a rest without a header. [`Part::resume`] keeps the former and cuts off the
//! latter. The bytes depend on the calls alone: a table that was resumed is the same as one made in one go.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use plyfold_core::table::layout::{
    Building, Entry, Facts, HEADER, Header, Kind, LayoutError, Legal, Level, Section, Table,
};

use crate::Error;
use crate::folder::{OpenTable, PART, file_error};
use crate::pread::FileBytes;

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 20;

/// What a section that was found says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SectionFacts {
    /// Cell, levels, whether the cell ends with it, and where it lies.
    pub entry: Entry,
    /// Counts of its levels.
    pub levels: Vec<Level>,
    /// Legal positions of its cell if it is its first section.
    pub legal: Legal,
}

/// A table that is being written. Dropped without [`finish`](Part::finish), it stays for [`resume`](Part::resume).
#[derive(Debug)]
pub struct Part {
    open: OpenTable,
    place: PathBuf,
    building: Option<Building>,
    /// Bytes for the end of the file, and where they go.
    buffer: Vec<u8>,
    at: u64,
}

impl Part {
    /// Begins the table that will be at `place`, and forgets what was begun before.
    ///
    /// # Errors
    ///
    /// A folder that is missing, full or cannot be written; another program that writes the same table.
    pub fn create(place: &Path, facts: Facts) -> Result<Part, Error> {
        let (path, file) = open(place)?;
        Part::anew(place, path, file, facts)
    }

    /// Goes on with a table: what is whole of `NAME.egt.part` stays, the rest is cut off. Every byte that stays has been
    /// read and checked. Without such a file, or with one of another table or version, the table is begun.
    ///
    /// # Errors
    ///
    /// As [`create`](Part::create); a file that cannot be read.
    pub fn resume(place: &Path, facts: Facts) -> Result<(Part, Vec<SectionFacts>), Error> {
        let (path, file) = open(place)?;
        match Header::read(&file) {
            Err(LayoutError::Read { source, .. }) => return Err(file_error(&path, "cannot be read", source)),
            Ok(header) if header.facts == facts => {}
            Ok(_) | Err(_) => return Ok((Part::anew(place, path, file, facts)?, Vec::new())),
        }
        let mut table = Table::begun(file, facts);
        let mut found = Vec::new();
        loop {
            match whole_section(&table) {
                Err(LayoutError::Read { source, .. }) => return Err(file_error(&path, "cannot be read", source)),
                Ok(section) if table.push(&section).is_ok() => {
                    found.push(SectionFacts { entry: section.entry, levels: section.levels, legal: section.legal });
                }
                Ok(_) | Err(_) => break,
            }
        }
        let at = table.contents().end();
        let part = Part { open: OpenTable::new(path, table), place: place.into(), building: None, buffer: vec![], at };
        part.written(part.file().cut(at))?;
        // It may have been killed between its last byte and its new name.
        part.written(part.file().write_at(0, &Header { facts, trailer: None }.to_bytes()))?;
        Ok((part, found))
    }

    fn anew(place: &Path, path: PathBuf, file: FileBytes, facts: Facts) -> Result<Part, Error> {
        let open = OpenTable::new(path, Table::begun(file, facts));
        let part = Part { open, place: place.into(), building: None, buffer: vec![], at: HEADER };
        part.written(part.file().cut(0))?;
        part.written(part.file().write_at(0, &Header { facts, trailer: None }.to_bytes()))?;
        Ok(part)
    }

    /// What has been written so far, for reading back: all sections that were ended.
    #[must_use]
    pub fn written_table(&self) -> &OpenTable {
        &self.open
    }

    /// Bytes read and written so far.
    #[must_use]
    pub fn traffic(&self) -> (u64, u64) {
        self.open.traffic()
    }

    /// Begins a section of a cell.
    ///
    /// # Errors
    ///
    /// As [`piece`](Part::piece).
    ///
    /// # Panics
    ///
    /// If a section is not ended yet.
    pub fn begin(&mut self, cell: u32) -> Result<(), Error> {
        assert!(self.building.is_none(), "sections are written one after the other");
        self.building = Some(Building::new(cell, self.end_of_file()));
        self.append(&[0; HEADER as usize])
    }

    /// Adds a piece to the section. It is with the system at the latest when the section ends.
    ///
    /// # Errors
    ///
    /// A disk that is full or cannot be written. The table can then only be resumed.
    ///
    /// # Panics
    ///
    /// If no section was begun, or the piece is impossible.
    pub fn piece(&mut self, kind: Kind, n: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        self.building.as_mut().expect("a section was begun").piece(kind, n, tile, bytes);
        self.append(bytes)
    }

    /// Ends the section: from now on it stays, even if the program is killed. `levels` ascend without gaps from the
    /// level behind the cell's last one, and include those of all pieces; `legal` counts the legal positions of the cell in
    /// its first section, else it is zeros; `is_last` says that the cell is done.
    ///
    /// # Errors
    ///
    /// As [`piece`](Part::piece).
    ///
    /// # Panics
    ///
    /// If no section was begun, or the section is none that the cell can have next.
    pub fn end(&mut self, levels: &[Level], legal: Legal, is_last: bool) -> Result<(), Error> {
        let building = self.building.take().expect("a section was begun");
        let built = building.finish(self.open.table().facts(), levels, legal, is_last);
        let offset = built.section.entry.offset;
        if offset >= self.at {
            let at = (offset - self.at) as usize;
            self.append_unwritten(&built.tail);
            self.buffer[at..at + built.header.len()].copy_from_slice(&built.header);
            self.flush()?;
        } else {
            self.append(&built.tail)?;
            self.flush()?;
            self.written(self.file().write_at(offset, &built.header))?;
        }
        self.open.table_mut().push(&built.section).unwrap_or_else(|what| panic!("a section of which {what}"));
        Ok(())
    }

    /// The table is whole: it goes to the disk and to its place.
    ///
    /// # Errors
    ///
    /// As the system says; the part stays, and can be resumed and finished again.
    ///
    /// # Panics
    ///
    /// If a section or a cell is not ended.
    pub fn finish(mut self) -> Result<(), Error> {
        let contents = self.open.contents();
        let facts = *contents.facts();
        assert!(self.building.is_none(), "the last section is ended");
        assert!((0..facts.cells).all(|cell| contents.is_ended(cell)), "all cells are ended");
        let trailer = contents.trailer();
        let header = Header { facts, trailer: Some((contents.end(), trailer.len() as u64)) };
        self.append(&trailer)?;
        self.flush()?;
        self.written(self.file().write_at(0, &header.to_bytes()))?;
        self.written(self.file().sync())?;
        fs::rename(self.open.path(), &self.place)
            .map_err(|source| file_error(&self.place, "cannot be put in its place", source))?;
        sync_folder(&self.place);
        Ok(())
    }

    fn file(&self) -> &FileBytes {
        self.open.table().reader()
    }

    fn end_of_file(&self) -> u64 {
        self.at + self.buffer.len() as u64
    }

    fn written(&self, done: std::io::Result<()>) -> Result<(), Error> {
        done.map_err(|source| file_error(self.open.path(), "cannot be written", source))
    }

    fn append_unwritten(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.append_unwritten(bytes);
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.written(self.file().write_at(self.at, &self.buffer))?;
        self.at = self.end_of_file();
        self.buffer.clear();
        Ok(())
    }
}

/// Opens and locks the part of a table.
fn open(place: &Path) -> Result<(PathBuf, FileBytes), Error> {
    let damaged = |what: &str| Error::Damaged { path: place.to_path_buf(), what: what.into() };
    if fs::metadata(place).is_ok_and(|about| !about.is_file()) {
        return Err(damaged("is not a regular file: name another folder"));
    }
    let mut name: OsString = place.file_name().ok_or_else(|| damaged("is no name of a file"))?.into();
    name.push(PART);
    let path = place.with_file_name(name);
    let failed = |source| file_error(&path, "cannot be written", source);
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    let busy = || Error::Damaged {
        path: path.clone(),
        what: "another program is writing it: try again when it is done".into(),
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Err(busy()),
        // Some file systems know no locks; there the user has to see to it.
        Err(TryLockError::Error(_)) | Ok(()) => {}
    }
    if !is_at(&file, &path) {
        // Between our opening and our locking, the other program was done and gave the file its name.
        return Err(busy());
    }
    let file = FileBytes::new(file).map_err(failed)?;
    Ok((path, file))
}

/// Whether the open file still is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let named = fs::metadata(path).map(|found| (found.dev(), found.ino()));
    let opened = file.metadata().map(|found| (found.dev(), found.ino()));
    matches!((named, opened), (Ok(named), Ok(opened)) if named == opened)
}

/// Whether the open file still is the one at `path`: elsewhere an open file cannot be renamed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// The new name reaches the disk too. Not every system lets a folder be opened; the file is whole in any case.
fn sync_folder(place: &Path) {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// The next section, with every byte checked.
fn whole_section(table: &Table<FileBytes>) -> Result<Section, LayoutError<std::io::Error>> {
    let section = Section::read(table.reader(), table.facts(), table.contents().end())?;
    let mut buffer = Vec::new();
    for piece in section.all() {
        piece.read_into(table.reader(), &mut buffer)?;
    }
    Ok(section)
}
