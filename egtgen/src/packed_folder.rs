//! The packed tables of a folder, for probing by any number of threads.
//!
//! Each thread that probes takes a session, a [`PackedTables`] with its own blocks and units; open tables are shared. A session says
//! which bytes it needs, and they are read from the file at their offset.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::available_parallelism;

use plyfold_files::open;
use plyfold_tables::index::TableIndex;
use plyfold_tables::layout::ReadAt;
use plyfold_tables::material::TableMaterial;
use plyfold_tables::packed::geometry::{MAX_ROWS, UnitAddress};
use plyfold_tables::packed::head::{BLOCK_UNITS, HEADER_BYTES, MAGIC, PackedHeader, PackedLayout};
use plyfold_tables::packed::model::Unit;
use plyfold_tables::packed::tables::{Answer, ByteRange, PackedFault, PackedTable, PackedTables};
use shakmaty::{Board, Color};

use crate::Error;
use crate::pread::FileBytes;

/// The extension of a packed table.
pub const PACKED_EXTENSION: &str = ".egp";

/// The path of a packed table in a folder.
#[must_use]
pub fn packed_path(folder: &Path, table: TableMaterial) -> PathBuf {
    folder.join(format!("{table}{PACKED_EXTENSION}"))
}

/// Checks that a packed table may be written to `path`: nothing is there, or a packed table, sound or not.
///
/// # Errors
///
/// The file is another one, which would be lost, or cannot be read.
pub fn check_replaceable(path: &Path) -> Result<(), Error> {
    if fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(());
    }
    let failed = |source| Error::file(path, "cannot be read", source);
    let file = open(path).and_then(FileBytes::new).map_err(failed)?;
    let mut head = vec![0; MAGIC.len().min(file.len() as usize)];
    file.read_at(0, &mut head).map_err(failed)?;
    match head == MAGIC {
        true => Ok(()),
        false => {
            Err(Error::damaged(path, "is not a packed table, so it is not replaced: move it, or choose another folder"))
        }
    }
}

/// A packed table that is open.
pub struct OpenPackedTable {
    path: PathBuf,
    file: FileBytes,
    table: Arc<PackedTable>,
}

impl OpenPackedTable {
    /// Opens a packed table; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is damaged, or holds another table.
    pub fn open(path: &Path, table: TableMaterial) -> Result<Option<OpenPackedTable>, Error> {
        let failed = |source| Error::file(path, "cannot be read", source);
        let file = match open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.and_then(FileBytes::new).map_err(failed)?,
        };
        let mut header = vec![0; HEADER_BYTES.min(file.len()) as usize];
        file.read_at(0, &mut header).map_err(failed)?;
        let read = PackedHeader::read(&header, table).map_err(|error| Error::damaged(path, error))?;
        if read.file_bytes != file.len() {
            let what =
                format!("it has {} bytes instead of {}; copy or pack the table again", file.len(), read.file_bytes);
            return Err(Error::damaged(path, what));
        }
        let index = TableIndex::new(table);
        let layout = PackedLayout::new(&index);
        let end = layout.summary_offset() + u64::from(read.summary_bytes);
        if end > file.len() {
            return Err(Error::damaged(path, "it is shorter than its head; copy or pack the table again"));
        }
        let mut head = vec![0; end as usize];
        file.read_at(0, &mut head).map_err(failed)?;
        let table = Arc::new(PackedTable::open(table, &head).map_err(|error| Error::damaged(path, error))?);
        Ok(Some(OpenPackedTable { path: path.to_path_buf(), file, table }))
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &Arc<PackedTable> {
        &self.table
    }

    /// The path of its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of its file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.file.len()
    }

    fn read(&self, bytes: std::ops::Range<u64>) -> Result<Vec<u8>, Error> {
        let end = bytes.end.min(self.file.len());
        let mut read = vec![0; end.saturating_sub(bytes.start) as usize];
        let done = self.file.read_at(bytes.start, &mut read);
        done.map_err(|source| Error::file(&self.path, "cannot be read", source))?;
        Ok(read)
    }

    fn damaged(&self, error: impl ToString) -> Error {
        Error::damaged(&self.path, error)
    }

    /// Calls `visit` with each unit of a tile, in order.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is damaged.
    pub fn for_each_unit_of_tile(
        &self,
        (pawn_slice, tile): (u32, u32),
        visit: &mut dyn FnMut(UnitAddress, &Unit, usize),
    ) -> Result<(), Error> {
        let (index, layout) = (&self.table.index, &self.table.layout);
        let first = layout.unit_number(UnitAddress { pawn_slice, tile, unit: 0 });
        let units = first..first + index.tile_words(tile).div_ceil(MAX_ROWS) as u64;
        let mut unit = Unit::default();
        for block in units.start / BLOCK_UNITS..units.end.div_ceil(BLOCK_UNITS) {
            let (bytes, ranges) = self.block(block)?;
            for (number, range) in layout.block_units(block).zip(ranges).filter(|(number, _)| units.contains(number)) {
                let at = layout.unit_address(number);
                let rows = at.rows(index);
                let unpacked = self.table.unpack(&mut unit, &rows, 64 * MAX_ROWS - 1, &bytes[range]);
                unpacked.map_err(|error| self.damaged(error))?;
                visit(at, &unit, 64 * rows.len());
            }
        }
        Ok(())
    }

    fn block(&self, block: u64) -> Result<(Vec<u8>, Vec<std::ops::Range<usize>>), Error> {
        let layout = &self.table.layout;
        let entries = self.read(layout.entries(block))?;
        let place = self.table.header.block_place(layout, block, &entries).map_err(|error| self.damaged(error))?;
        let bytes = self.read(place.bytes.clone())?;
        let units = self.table.units_of_block(block, &place, &bytes).map_err(|error| self.damaged(error))?;
        Ok((bytes, units))
    }

    /// The XXH3-64 checksum of the whole file.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn checksum(&self) -> Result<u64, Error> {
        self.file.checksum().map_err(|source| Error::file(&self.path, "cannot be read", source))
    }

    /// Checks every byte.
    ///
    /// # Errors
    ///
    /// The first damage.
    pub fn check(&self) -> Result<(), Error> {
        let layout = &self.table.layout;
        let entries = self.read(HEADER_BYTES..layout.summary_offset())?;
        self.table.header.check_entries(&entries).map_err(|error| self.damaged(error))?;
        (0..layout.blocks()).try_for_each(|block| self.block(block).map(|_| ()))
    }
}

/// The packed tables of a folder.
pub struct PackedFolder {
    folder: PathBuf,
    open: RwLock<HashMap<TableMaterial, Arc<OpenPackedTable>>>,
    sessions: Mutex<Vec<PackedTables>>,
    /// Bytes of a session.
    bound: usize,
}

impl PackedFolder {
    /// The packed tables of a folder, with about `bound` bytes for blocks and units.
    #[must_use]
    pub fn new(folder: &Path, bound: usize) -> PackedFolder {
        let threads = available_parallelism().map_or(1, std::num::NonZero::get);
        let (open, sessions) = (RwLock::default(), Mutex::default());
        PackedFolder { folder: folder.to_path_buf(), open, sessions, bound: bound / threads }
    }

    /// A table, if the folder has it in packed form.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is damaged, or holds another table.
    pub fn table(&self, table: TableMaterial) -> Result<Option<Arc<OpenPackedTable>>, Error> {
        if let Some(open) = self.open.read().unwrap_or_else(PoisonError::into_inner).get(&table) {
            return Ok(Some(Arc::clone(open)));
        }
        let Some(found) = OpenPackedTable::open(&packed_path(&self.folder, table), table)? else { return Ok(None) };
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(Arc::clone(open.entry(table).or_insert_with(|| Arc::new(found)))))
    }

    /// Closes a table.
    pub fn close(&self, table: TableMaterial) {
        self.open.write().unwrap_or_else(PoisonError::into_inner).remove(&table);
    }

    /// The level of a position, as [`TableSource::level`](plyfold_tables::probe::TableSource::level) defines it.
    ///
    /// # Errors
    ///
    /// A table is missing or damaged.
    pub fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, Error> {
        let session = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut session = session.unwrap_or_else(|| PackedTables::new(self.bound));
        let level = self.level_in(&mut session, (table, board, turn));
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        level
    }

    fn level_in(
        &self,
        session: &mut PackedTables,
        (table, board, turn): (TableMaterial, &Board, Color),
    ) -> Result<Option<u16>, Error> {
        loop {
            match session.level_of(table, board, turn) {
                Ok(Answer::Known(level)) => return Ok(level),
                Ok(Answer::Needs(ranges)) => ranges.into_iter().try_for_each(|range| self.supply(session, range))?,
                Err(PackedFault::Missing(table)) => return Err(Error::Missing(table)),
                Err(fault) => {
                    let PackedFault::Damaged { table, error } = &fault else { return Err(Error::Busy) };
                    return Err(Error::damaged(&packed_path(&self.folder, *table), error));
                }
            }
        }
    }

    fn supply(&self, session: &mut PackedTables, range: ByteRange) -> Result<(), Error> {
        let open = self.table(range.table)?.ok_or(Error::Missing(range.table))?;
        if session.table(range.table).is_none() {
            session.insert(Arc::clone(&open.table));
            return Ok(());
        }
        let bytes = open.read(range.bytes.clone())?;
        session.supply(range.table, range.bytes.start, &bytes).map_err(|fault| match fault {
            PackedFault::Damaged { error, .. } => open.damaged(error),
            fault => open.damaged(fault),
        })
    }
}
