//! The file of a table: a header, sections of coded blocks, and a trailer that says where they are.
//!
//! FORMAT.md beside this folder describes the bytes. The file layer knows no chess: a table has a name, pawn slices, tiles and
//! levels, and blocks are bytes. A reader ([`ReadAt`]) provides them, and the trailer stays in memory. The directory
//! of a section ([`TableSection`]) is read on demand, and the caller keeps it as long as it likes.

mod contents;
mod error;
mod header;
mod read;
mod section;
pub(super) mod varint;

use alloc::vec::Vec;

pub use contents::{TableContents, TableTotals};
pub use error::LayoutError;
pub use header::{HEADER_BYTES, TableHeader, TableInfo, TableName, VERSION};
pub use read::{PastEnd, ReadAt};
pub use section::{
    BlockKind, FinishedSection, LegalCounts, LevelTotals, SectionBuilder, SectionEntry, SetBlock, TableSection,
};

/// A table that can be read: its bytes and its contents.
#[derive(Clone, Debug)]
pub struct TableReader<R> {
    reader: R,
    contents: TableContents,
}

impl<R: ReadAt> TableReader<R> {
    /// Opens a finished table. Only its header and its trailer are read and checked.
    ///
    /// # Errors
    ///
    /// The first fault found; [`LayoutError::Unfinished`] for a table that is still being generated.
    pub fn open(reader: R) -> Result<TableReader<R>, LayoutError<R::Error>> {
        let header = TableHeader::read(&reader)?;
        let trailer = header.trailer.ok_or(LayoutError::Unfinished)?;
        let contents = TableContents::read(&reader, header.info, trailer)?;
        Ok(TableReader { reader, contents })
    }

    /// Opens a table that is still being generated: its header and the sections up to the first incomplete one, with their
    /// directories. Everything from [`TableContents::end`] on is ignored.
    ///
    /// # Errors
    ///
    /// The header is damaged or missing, or the reader fails.
    pub fn open_unfinished(reader: R) -> Result<TableReader<R>, LayoutError<R::Error>> {
        let header = TableHeader::read(&reader)?;
        let mut contents = TableContents::new(header.info);
        loop {
            match TableSection::read(&reader, &header.info, contents.end()) {
                Err(LayoutError::Read { offset, source }) => return Err(LayoutError::Read { offset, source }),
                Ok(section) if contents.push(&section).is_ok() => {}
                Ok(_) | Err(_) => return Ok(TableReader { reader, contents }),
            }
        }
    }

    /// A table that is being written and has no sections yet.
    pub fn empty(reader: R, info: TableInfo) -> TableReader<R> {
        TableReader { reader, contents: TableContents::new(info) }
    }

    /// Adds a section that has been written behind the others.
    ///
    /// # Errors
    ///
    /// As [`TableContents::push`].
    pub fn push(&mut self, section: &TableSection) -> Result<(), &'static str> {
        self.contents.push(section)
    }

    /// Returns the name and the shape of the table.
    pub fn info(&self) -> &TableInfo {
        self.contents.info()
    }

    /// Sections and sums.
    pub fn contents(&self) -> &TableContents {
        &self.contents
    }

    /// Counts of the whole table.
    pub fn counts(&self) -> &TableTotals {
        self.contents.counts()
    }

    /// Its bytes.
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// Reads the directory of a section, by its number in the file. The table does not keep it; a caller with many lookups should.
    ///
    /// # Errors
    ///
    /// The directory is damaged, or it contradicts the trailer.
    ///
    /// # Panics
    ///
    /// If there is no section of this number.
    pub fn section(&self, number: usize) -> Result<TableSection, LayoutError<R::Error>> {
        let entry = &self.contents.sections()[number];
        let section = TableSection::read(&self.reader, self.info(), entry.offset)?;
        if section.entry != *entry {
            let (section, offset) = ("section header", entry.offset);
            return Err(LayoutError::Inconsistent { section, offset, what: "the trailer differs" });
        }
        Ok(section)
    }

    /// The blocks of a pawn slice with this kind and level, by tile. Reads directories.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn blocks(&self, pawn_slice: u32, kind: BlockKind, n: u16) -> Result<Vec<SetBlock>, LayoutError<R::Error>> {
        let mut pieces = Vec::new();
        for number in self.contents.sections_that_may_have(pawn_slice, kind, n) {
            pieces.extend_from_slice(self.section(number)?.blocks(kind, n));
        }
        pieces.sort_by_key(|piece| piece.tile);
        Ok(pieces)
    }

    /// The bytes of a block, checked.
    ///
    /// # Errors
    ///
    /// The reader fails, or the bytes do not match their checksum.
    pub fn read_block(&self, block: &SetBlock) -> Result<Vec<u8>, LayoutError<R::Error>> {
        let mut bytes = Vec::new();
        block.read_into(&self.reader, &mut bytes)?;
        Ok(bytes)
    }

    /// Counts of a pawn slice by distance, from 0 on. Reads its directories.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn levels(&self, pawn_slice: u32) -> Result<Vec<LevelTotals>, LayoutError<R::Error>> {
        let mut levels = Vec::new();
        for number in self.contents.pawn_slice_sections(pawn_slice) {
            levels.extend(self.section(number)?.levels);
        }
        Ok(levels)
    }

    /// Legal positions of a pawn slice: White to move, Black to move. Reads its first directory.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn legal(&self, pawn_slice: u32) -> Result<LegalCounts, LayoutError<R::Error>> {
        let first = self.contents.pawn_slice_sections(pawn_slice).next();
        first.map_or(Ok([0; 2]), |number| Ok(self.section(number)?.legal))
    }

    /// Reads everything: directories, the sums of their counts, and all blocks.
    ///
    /// # Errors
    ///
    /// The first fault found.
    pub fn check_everything(&self) -> Result<(), LayoutError<R::Error>> {
        let mut sums = TableContents::new(*self.info());
        let mut buffer = Vec::new();
        let inconsistent = |section, offset, what| LayoutError::Inconsistent { section, offset, what };
        for (number, entry) in self.contents.sections().iter().enumerate() {
            let section = self.section(number)?;
            for piece in section.all_blocks() {
                piece.read_into(&self.reader, &mut buffer)?;
            }
            sums.push(&section).map_err(|what| inconsistent("section header", entry.offset, what))?;
        }
        if sums.counts() != self.counts() {
            return Err(inconsistent("trailer", self.contents.end(), "its counts differ from those of the sections"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
