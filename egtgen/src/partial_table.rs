//! A table that is being written: sections are appended to `NAME.egt.part`, which is renamed to `NAME.egt` when it is
//! complete.
//!
//! The blocks of a section are written first, then its directory, and its header last. So if the program is killed, the file
//! has complete sections and then a rest without a header. [`PartialTable::resume`] keeps the sections and cuts off the
//! rest. The bytes depend only on the calls: a resumed table is the same as one that was never interrupted.
//!
//! Sections are synced to the disk on a thread of its own, at most once a second, so that they also survive a power cut and
//! generation does not wait for the disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plyfold_tables::layout::{
    BlockKind, HEADER_BYTES, LayoutError, LegalCounts, LevelTotals, ReadAt, SectionBuilder, TableHeader, TableInfo,
    TableReader, TableSection,
};

use plyfold_files::{
    FileError, FileLock, PartialFile, is_at, open_own, open_to_update, publish_new, publish_own, remove_earlier_name,
    sync_folder,
};

use crate::Error;
use crate::background_sync::{BackgroundSync, SYNC_INTERVAL};
use crate::folder::{OpenTable, PARTIAL_EXTENSION};
use crate::lease::Lease;
use crate::pread::FileBytes;

/// How many bytes are collected before they are written.
const BUFFER_BYTES: usize = 1 << 20;

/// A table that is being written. If it is dropped without [`finish`](PartialTable::finish), [`resume`](PartialTable::resume)
/// can continue it.
#[derive(Debug)]
pub struct PartialTable {
    open: OpenTable,
    final_path: PathBuf,
    building: Option<SectionBuilder>,
    /// Bytes that are not written yet; they belong at `flushed_end`.
    buffer: Vec<u8>,
    flushed_end: u64,
    /// Syncs the sections that have ended. None before the first one.
    sync: Option<BackgroundSync>,
    /// Asked before each write, if others may take the table over.
    lease: Option<Lease>,
    /// Keeps other programs from writing the table.
    _lock: FileLock,
}

impl PartialTable {
    /// Begins or resumes the table that will be at `final_path`: the complete sections of `NAME.egt.part` are read, checked and kept, and
    /// the rest is cut off. If that file is of another table or version, nothing of it is kept.
    ///
    /// # Errors
    ///
    /// The folder is missing, full or cannot be written, the file cannot be read, or another program writes the same table.
    pub fn resume(final_path: &Path, facts: TableInfo) -> Result<PartialTable, Error> {
        let LockedFile { path, file, lock } = open_locked(final_path)?;
        let is_same = TableHeader::read(&file).is_ok_and(|header| header.info == facts);
        let mut table = TableReader::empty(file, facts);
        let mut has_next = is_same;
        while has_next {
            has_next = match read_checked_section(&table) {
                Err(LayoutError::Read { source, .. }) => return Err(Error::file(&path, "cannot be read", source)),
                Ok(section) => table.push(&section).is_ok(),
                Err(_) => false,
            };
        }
        let flushed_end = table.contents().end();
        let part = PartialTable {
            open: OpenTable::new(path, table),
            final_path: final_path.into(),
            building: None,
            buffer: vec![],
            flushed_end,
            sync: None,
            lease: None,
            _lock: lock,
        };
        part.map_write_error(part.file().truncate(if is_same { flushed_end } else { 0 }))?;
        // The header may have a trailer, if the program was killed between the last byte and the renaming.
        part.map_write_error(part.file().write_at(0, &TableHeader { info: facts, trailer: None }.to_bytes()))?;
        Ok(part)
    }

    /// Resumes a table as [`resume`](PartialTable::resume) does, under a lease. If an earlier holder of it may still write the
    /// partial file, this process goes on with a copy.
    ///
    /// # Errors
    ///
    /// As [`resume`](PartialTable::resume), or [`Error::TakenOver`], here and at each later write.
    pub fn resume_leased(final_path: &Path, facts: TableInfo, mut lease: Lease) -> Result<PartialTable, Error> {
        if lease.is_shared() {
            let path = partial_path(final_path)?;
            // What is no file of egtgen, or a link to one, is refused below.
            if let Some(mut shared) = open_to_update(&path).ok().filter(|file| is_begun(&path, file)) {
                let mut copy = PartialFile::create(&path, true)?;
                let copied = io::copy(&mut shared, copy.file()).and_then(|_| copy.publish());
                copied.map_err(|source| Error::file(&path, "cannot be copied", source))?;
            }
        }
        let mut part = PartialTable::resume(final_path, facts)?;
        if lease.is_shared() {
            lease.set_unshared()?;
        }
        part.lease = Some(lease);
        Ok(part)
    }

    /// The sections that have ended, for reading.
    #[must_use]
    pub fn written_table(&self) -> &OpenTable {
        &self.open
    }

    /// Begins a section of a pawn slice.
    ///
    /// # Errors
    ///
    /// As [`add_block`](PartialTable::add_block).
    ///
    /// # Panics
    ///
    /// The previous section has not ended.
    pub fn begin_section(&mut self, pawn_slice: u32) -> Result<(), Error> {
        assert!(self.building.is_none(), "sections are written one after the other");
        self.building = Some(SectionBuilder::new(pawn_slice, self.end_offset()));
        self.append(&[0; HEADER_BYTES as usize])
    }

    /// Adds a block to the section. It is written at the latest when the section ends.
    ///
    /// # Errors
    ///
    /// The disk is full or cannot be written. The table can then only be resumed.
    ///
    /// # Panics
    ///
    /// No section was begun, or the block is impossible.
    pub fn add_block(&mut self, kind: BlockKind, n: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        self.building.as_mut().expect("a section was begun").add_block(kind, n, tile, bytes);
        self.append(bytes)
    }

    /// Ends the section. From now on it stays, even if the program is killed. `levels` continue without gaps after the last
    /// level of the pawn slice, and include those of all blocks. `legal` counts the legal positions of the pawn slice in its
    /// first section, and is zero in others. `is_last` says that the pawn slice is complete.
    ///
    /// # Errors
    ///
    /// As [`add_block`](PartialTable::add_block).
    ///
    /// # Panics
    ///
    /// No section was begun, or the section cannot be the next one of the pawn slice.
    pub fn end_section(&mut self, levels: &[LevelTotals], legal: LegalCounts, is_last: bool) -> Result<(), Error> {
        let building = self.building.take().expect("a section was begun");
        let built = building.finish(self.open.table().info(), levels, legal, is_last);
        let offset = built.section.entry.offset;
        if offset >= self.flushed_end {
            let at = (offset - self.flushed_end) as usize;
            self.buffer.extend_from_slice(&built.tail);
            self.buffer[at..at + built.header.len()].copy_from_slice(&built.header);
            self.flush()?;
        } else {
            self.append(&built.tail)?;
            self.flush()?;
            self.map_write_error(self.file().write_at(offset, &built.header))?;
        }
        self.open.table_mut().push(&built.section).unwrap_or_else(|what| panic!("a section of which {what}"));
        self.request_sync()
    }

    /// Lets another thread sync what is written, and reports an earlier sync that failed.
    fn request_sync(&mut self) -> Result<(), Error> {
        if self.sync.is_none() {
            let file = self.file().with(fs::File::try_clone);
            let file = file.map_err(|source| Error::file(self.open.path(), "cannot be written", source))?;
            let (path, mut is_named) = (self.open.path().to_path_buf(), false);
            self.sync = Some(BackgroundSync::start(SYNC_INTERVAL, move || {
                if !std::mem::replace(&mut is_named, true) {
                    sync_folder(&path);
                }
                file.sync_data()
            }));
        }
        let requested = self.sync.as_ref().map_or(Ok(()), BackgroundSync::request);
        self.map_write_error(requested)
    }

    /// Completes the table: syncs it to the disk and renames it.
    ///
    /// # Errors
    ///
    /// The file cannot be written or renamed. The partial file stays and can be resumed.
    ///
    /// # Panics
    ///
    /// A section or a pawn slice has not ended.
    pub fn finish(mut self) -> Result<(), Error> {
        let contents = self.open.contents();
        let facts = *contents.info();
        assert!(self.building.is_none(), "the last section is ended");
        assert!((0..facts.pawn_slices).all(|pawn_slice| contents.is_complete(pawn_slice)), "all pawn slices are ended");
        let trailer = contents.trailer();
        let header = TableHeader { info: facts, trailer: Some((contents.end(), trailer.len() as u64)) };
        self.append(&trailer)?;
        self.flush()?;
        self.map_write_error(self.file().write_at(0, &header.to_bytes()))?;
        let synced = self.sync.take().map_or(Ok(()), BackgroundSync::end);
        self.map_write_error(synced.and_then(|()| self.file().sync()))?;
        let published = match &self.lease {
            None => publish_new(self.open.path(), &self.final_path),
            Some(lease) => {
                lease.check()?;
                self.file().with(|file| publish_own(file, self.open.path(), &self.final_path))
            }
        };
        published.map_err(|source| Error::file(&self.final_path, "cannot be put in its place", source))
    }

    fn file(&self) -> &FileBytes {
        self.open.table().reader()
    }

    fn end_offset(&self) -> u64 {
        self.flushed_end + self.buffer.len() as u64
    }

    fn map_write_error(&self, done: std::io::Result<()>) -> Result<(), Error> {
        done.map_err(|source| Error::file(self.open.path(), "cannot be written", source))
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        if let Some(lease) = &self.lease {
            lease.check()?;
        }
        self.map_write_error(self.file().write_at(self.flushed_end, &self.buffer))?;
        self.flushed_end = self.end_offset();
        self.buffer.clear();
        Ok(())
    }
}

/// A partial file that this program has locked.
struct LockedFile {
    path: PathBuf,
    file: FileBytes,
    lock: FileLock,
}

/// The path of the partial file of a table.
fn partial_path(final_path: &Path) -> Result<PathBuf, Error> {
    let name = final_path.file_name().ok_or_else(|| Error::damaged(final_path, "is not the name of a file"))?;
    let mut name = name.to_os_string();
    name.push(PARTIAL_EXTENSION);
    Ok(final_path.with_file_name(name))
}

/// Removes the name of a partial file from a table that also has its final name.
///
/// # Errors
///
/// As the system says.
pub(crate) fn remove_partial_name(final_path: &Path) -> Result<(), Error> {
    let path = partial_path(final_path)?;
    remove_earlier_name(&path, final_path).map_err(|source| Error::file(&path, "cannot be removed", source))
}

/// Opens and locks a partial file. A link of its name is not followed, and a FIFO is not waited for.
fn open_locked(final_path: &Path) -> Result<LockedFile, Error> {
    if fs::symlink_metadata(final_path).is_ok_and(|about| !about.is_file()) {
        return Err(Error::damaged(final_path, "is not a regular file: remove it, or use another folder"));
    }
    let path = partial_path(final_path)?;
    let file = open_own(&path).map_err(FileError::cannot_write(&path))?;
    let lock = FileLock::take(&file, &path)?;
    if !is_at(&file, &path) {
        // Between opening and locking, another program completed the table and renamed the file.
        return Err(FileError::busy(&path).into());
    }
    let file = FileBytes::new(file).map_err(FileError::cannot_write(&path))?;
    if !is_egtgen_file(&path, &file)? {
        return Err(Error::damaged(&path, "is not a partial table of egtgen: remove it, or use another folder"));
    }
    Ok(LockedFile { path, file, lock })
}

/// Whether an open file is the beginning of a table, and can be read.
fn is_begun(path: &Path, file: &fs::File) -> bool {
    let bytes = file.try_clone().and_then(FileBytes::new);
    bytes.is_ok_and(|bytes| is_egtgen_file(path, &bytes).unwrap_or(false))
}

/// Whether a file is the beginning of a table of any version; other files must not be emptied. A file that was just begun
/// when the machine stopped may be empty or all zeros.
fn is_egtgen_file(path: &Path, file: &FileBytes) -> Result<bool, Error> {
    match TableHeader::read(file) {
        Err(LayoutError::Read { source, .. }) => Err(Error::file(path, "cannot be read", source)),
        Err(LayoutError::NotATable) => {
            let mut head = vec![0; file.len().min(HEADER_BYTES) as usize];
            file.read_at(0, &mut head).map_err(|source| Error::file(path, "cannot be read", source))?;
            Ok(head.iter().all(|&byte| byte == 0))
        }
        Ok(_) | Err(_) => Ok(true),
    }
}

/// Reads the next section and checks every byte.
fn read_checked_section(table: &TableReader<FileBytes>) -> Result<TableSection, LayoutError<std::io::Error>> {
    let section = TableSection::read(table.reader(), table.info(), table.contents().end())?;
    let mut buffer = Vec::new();
    for piece in section.all_blocks() {
        piece.read_into(table.reader(), &mut buffer)?;
    }
    Ok(section)
}

#[cfg(test)]
mod tests {
    use plyfold_tables::layout::{SectionEntry, TableName};

    use std::time::Duration;

    use super::*;
    use crate::folder::{TableFileState, TableFolder};
    use crate::lease::{LeaseTaker, LeaseTimes};

    fn facts() -> TableInfo {
        TableInfo { name: TableName::new("KRvK").expect("a name"), pawn_slices: 3, tiles: 7 }
    }

    /// The sections of a table: pawn slice, level, and whether the section is the last of the pawn slice.
    const SECTIONS: [(u32, u16, bool); 4] = [(0, 0, false), (0, 1, true), (1, 0, true), (2, 0, true)];

    fn bytes(n: u16, tile: u32) -> Vec<u8> {
        // The second tile is larger than the buffer, so that sections are written in several steps.
        let length = if tile == 1 { BUFFER_BYTES + 5 } else { 40 };
        (0..length).map(|at| (at * 7 + usize::from(n) + tile as usize) as u8).collect()
    }

    fn write(part: &mut PartialTable, sections: &[(u32, u16, bool)]) {
        for &(pawn_slice, n, is_last) in sections {
            part.begin_section(pawn_slice).expect("room");
            for tile in [3, if pawn_slice == 0 { 1 } else { 4 }] {
                part.add_block(BlockKind::Lost, n, tile, &bytes(n, tile)).expect("room");
            }
            if is_last {
                part.add_block(BlockKind::Bitmap, 0, 0, b"bitmap").expect("room");
            }
            let legal = if n == 0 { [5, 6] } else { [0, 0] };
            part.end_section(&[LevelTotals { n, won: 1, lost: 2 }], legal, is_last).expect("room");
        }
    }

    fn new_folder() -> (tempfile::TempDir, TableFolder) {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = TableFolder::new(temporary.path());
        (temporary, folder)
    }

    /// The bytes of a tile's block.
    fn block(table: &OpenTable, pawn_slice: u32, tile: u32, kind: BlockKind, n: u16) -> Option<Vec<u8>> {
        let blocks = table.blocks(pawn_slice, kind, n).expect("sound");
        let mut bytes = Vec::new();
        table.read_into(blocks.iter().find(|block| block.tile == tile)?, &mut bytes).expect("sound");
        Some(bytes)
    }

    fn whole(folder: &TableFolder) -> Vec<u8> {
        let place = folder.path("KRvK");
        let mut part = PartialTable::resume(&place, facts()).expect("a folder");
        write(&mut part, &SECTIONS);
        part.finish().expect("room");
        fs::read(place).expect("a file")
    }

    #[test]
    fn a_table_is_written_read_and_listed() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = TableFolder::new(temporary.path().join("tables"));
        assert_eq!(folder.list().expect("nothing"), []);
        folder.create().expect("a folder");
        assert!(folder.open("KRvK").expect("nothing").is_none());
        whole(&folder);
        let table = folder.open("KRvK").expect("sound").expect("there");
        table.check().expect("sound");
        assert_eq!(block(&table, 0, 1, BlockKind::Lost, 1), Some(bytes(1, 1)));
        assert_eq!(block(&table, 1, 0, BlockKind::Bitmap, 0).as_deref(), Some(&b"bitmap"[..]));
        assert_eq!(block(&table, 1, 1, BlockKind::Lost, 0), None);
        let tiles: Vec<u32> =
            table.blocks(0, BlockKind::Lost, 0).expect("sound").iter().map(|piece| piece.tile).collect();
        assert_eq!(tiles, [1, 3]);
        assert_eq!(table.levels(0).expect("sound").len(), 2);
        assert_eq!(table.section(3).expect("sound").legal, [5, 6]);
        let sum = xxhash_rust::xxh3::xxh3_64(&fs::read(folder.path("KRvK")).expect("a file"));
        assert_eq!(table.checksum().expect("readable"), sum);
        fs::write(temporary.path().join("tables/notes.txt"), "hello").expect("room");
        fs::write(folder.path("KQvK"), "hello").expect("room");
        fs::copy(folder.path("KRvK"), folder.path("KBvK")).expect("room");
        let listed = folder.list().expect("a folder");
        let files: Vec<&str> = listed.iter().map(|listed| listed.file.as_str()).collect();
        assert_eq!(files, ["KBvK.egt", "KQvK.egt", "KRvK.egt", "notes.txt"]);
        assert!(matches!(&listed[0].state, TableFileState::Damaged(why) if why.contains("holds the table KRvK")));
        assert!(matches!(&listed[1].state, TableFileState::Damaged(why) if why.contains("not a table")));
        assert!(matches!(&listed[2].state, TableFileState::Whole { summary, .. } if summary.legal == [15, 18]));
        assert_eq!((&listed[3].state, listed[3].bytes), (&TableFileState::Foreign, 5));
        assert!(folder.open("KBvK").is_err());
    }

    /// Wherever a run is killed, its complete sections stay, and the resumed file is the same.
    #[test]
    fn a_resumed_table_is_the_same() {
        let (temporary, folder) = new_folder();
        let sound = whole(&folder);
        let place = folder.path("KRvK");
        let part = temporary.path().join("KRvK.egt.part");
        let table = OpenTable::open(&place).expect("sound").expect("there");
        let ends: Vec<u64> = table.contents().sections().iter().map(SectionEntry::end).collect();
        let near = ends.iter().flat_map(|&end| [end - 70, end - 1, end, end + 1, end + 63, end + 64, end + 80]);
        for length in [0, 10, 64, 65, 200].into_iter().chain(near) {
            fs::write(&part, &sound[..(length as usize).min(sound.len())]).expect("room");
            let mut part = PartialTable::resume(&place, facts()).expect("readable");
            let table = part.written_table();
            let found = table.contents().sections();
            // The header says that there is a trailer, as after a kill just before the renaming.
            assert_eq!(found.len(), ends.iter().filter(|&&end| end <= length).count(), "{length} bytes");
            for (number, (section, &(pawn_slice, n, is_last))) in found.iter().zip(&SECTIONS).enumerate() {
                assert_eq!((section.pawn_slice, section.first_level, section.is_last), (pawn_slice, n, is_last));
                let levels = &table.section(number).expect("sound").levels;
                assert_eq!(levels, &[LevelTotals { n, won: 1, lost: 2 }]);
                assert_eq!(block(table, pawn_slice, 3, BlockKind::Lost, n), Some(bytes(n, 3)));
            }
            let kept = found.len();
            write(&mut part, &SECTIONS[kept..]);
            // A table is renamed only if the name is free.
            fs::remove_file(&place).expect("it is there");
            part.finish().expect("room");
            assert_eq!(fs::read(&place).expect("a file"), sound, "{length} bytes");
        }
    }

    #[test]
    fn a_damaged_part_is_cut_before_the_damage() {
        let (temporary, folder) = new_folder();
        let sound = whole(&folder);
        let part = temporary.path().join("KRvK.egt.part");
        let second = OpenTable::open(&folder.path("KRvK")).expect("sound").expect("there").contents().sections()[1];
        // In the header, in a block, in the directory.
        for at in [second.offset + 9, second.offset + 64 + 50_000, second.end() - 20] {
            let mut damaged = sound.clone();
            damaged[at as usize] ^= 4;
            fs::write(&part, &damaged).expect("room");
            let resumed = PartialTable::resume(&folder.path("KRvK"), facts()).expect("readable");
            assert_eq!(resumed.written_table().contents().sections().len(), 1, "byte {at}");
            drop(resumed);
            assert_eq!(fs::metadata(&part).expect("it stays").len(), second.offset);
        }
        fs::write(&part, &sound).expect("room");
        let other = TableInfo { tiles: 8, ..facts() };
        let begun = PartialTable::resume(&folder.path("KRvK"), other).expect("readable");
        assert_eq!(begun.written_table().contents().sections(), [], "another table is begun");
    }

    #[test]
    fn an_unfinished_table_stays_and_is_listed() {
        let (_temporary, folder) = new_folder();
        let mut part = PartialTable::resume(&folder.path("KRvK"), facts()).expect("a folder");
        write(&mut part, &SECTIONS[..2]);
        part.begin_section(1).expect("room");
        part.add_block(BlockKind::Lost, 0, 0, b"lost with the program").expect("room");
        let busy = PartialTable::resume(&folder.path("KRvK"), facts()).expect_err("locked");
        assert!(busy.to_string().contains("another program is writing it"), "{busy}");
        drop(part);
        let listed = folder.list().expect("a folder");
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].file, "KRvK.egt.part");
        assert_eq!(listed[0].state, TableFileState::Unfinished { facts: facts(), pawn_slices: 1, level: Some(1) });
        assert!(folder.open("KRvK").expect("nothing").is_none());
    }

    /// A holder that was silent goes on writing after another has followed it, and disturbs nothing.
    #[test]
    fn two_holders_never_write_the_same_file() {
        let (temporary, folder) = new_folder();
        let sound = whole(&folder);
        let place = folder.path("KRvK");
        fs::remove_file(&place).expect("it is there");
        let times = LeaseTimes { heartbeat: Duration::from_secs(3600), silence: Duration::ZERO };
        let lease = |name: &str| {
            let mut taker = LeaseTaker::new(temporary.path(), name, times).expect("room").on_other_machine(name);
            // A lease that another machine holds is seen for the first time, and then again.
            (0..2).find_map(|_| taker.take("KRvK").expect("a folder"))
        };
        let mut first = PartialTable::resume_leased(&place, facts(), lease("a").expect("free")).expect("room");
        write(&mut first, &SECTIONS[..2]);
        let mut second =
            PartialTable::resume_leased(&place, facts(), lease("b").expect("it was silent")).expect("room");
        assert_eq!(second.written_table().contents().sections().len(), 2, "it goes on where the first was");
        let taken_over = |done: Result<(), Error>| assert!(matches!(done, Err(Error::TakenOver(_))), "{done:?}");
        taken_over(first.flush());
        // Even what it was just about to write goes nowhere.
        first.file().write_at(HEADER_BYTES, &[0xFF; 1000]).expect("room");
        assert!(first.file().with(|file| publish_own(file, first.open.path(), &place)).is_err());
        drop(first);
        write(&mut second, &SECTIONS[2..]);
        second.finish().expect("room");
        assert_eq!(fs::read(&place).expect("a file"), sound);
        let names = fs::read_dir(temporary.path()).expect("a folder").flatten();
        let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, [".fleet", "KRvK.egt"]);
    }

    #[test]
    fn places_that_cannot_be_written_are_named() {
        let temporary = tempfile::tempdir().expect("a folder");
        let missing = TableFolder::new(temporary.path().join("missing"));
        let error = PartialTable::resume(&missing.path("KRvK"), facts()).expect_err("no folder").to_string();
        assert!(error.contains("KRvK.egt.part") && error.contains("cannot be written"), "{error}");
        let folder = TableFolder::new(temporary.path());
        fs::create_dir(folder.path("KRvK")).expect("room");
        let error = PartialTable::resume(&folder.path("KRvK"), facts()).expect_err("a folder").to_string();
        assert!(error.contains("is not a regular file"), "{error}");
    }
}
