//! The file of a table: a header, sections of coded pieces, and a trailer that says where they are.
//!
//! FORMAT.md beside this folder describes the bytes. The file layer knows no chess: a table has a name, cells, tiles and
//! levels, and pieces are bytes. Reading goes through [`ReadAt`] and keeps the trailer in memory; the directory of a
//! section ([`TableSection`]) is read when it is wanted, and its owner keeps it as long as it likes.

mod contents;
mod error;
mod header;
mod read;
mod section;
mod varint;

use alloc::vec::Vec;

pub use contents::{TRAILER_MAGIC, TableContents, TableTotals};
pub use error::LayoutError;
pub use header::{HEADER_BYTES, MAGIC, TableHeader, TableInfo, TableName, VERSION};
pub use read::{PastEnd, ReadAt};
pub use section::{
    BlockKind, FinishedSection, LegalCounts, LevelTotals, SECTION_MAGIC, SectionBuilder, SectionEntry, SetBlock,
    TableSection,
};

/// A table that can be read: its bytes, and what is in it.
#[derive(Clone, Debug)]
pub struct TableReader<R> {
    reader: R,
    contents: TableContents,
    is_finished: bool,
}

impl<R: ReadAt> TableReader<R> {
    /// Opens a whole table: header and trailer are read and checked, nothing else.
    ///
    /// # Errors
    ///
    /// Whatever is wrong; [`LayoutError::Unfinished`] for one that is still generated.
    pub fn open(reader: R) -> Result<TableReader<R>, LayoutError<R::Error>> {
        let header = TableHeader::read(&reader)?;
        let trailer = header.trailer.ok_or(LayoutError::Unfinished)?;
        let contents = TableContents::read(&reader, header.info, trailer)?;
        Ok(TableReader { reader, contents, is_finished: true })
    }

    /// Opens what is whole of a table that is still generated: its header and, one after the other, its sections with
    /// their directories, up to the first that is not whole. What follows ([`TableContents::end`]) does not count.
    ///
    /// # Errors
    ///
    /// A header that is damaged or missing; what the reader says.
    pub fn open_unfinished(reader: R) -> Result<TableReader<R>, LayoutError<R::Error>> {
        let header = TableHeader::read(&reader)?;
        let mut contents = TableContents::new(header.info);
        loop {
            match TableSection::read(&reader, &header.info, contents.end()) {
                Err(LayoutError::Read { offset, source }) => return Err(LayoutError::Read { offset, source }),
                Ok(section) if contents.push(&section).is_ok() => {}
                Ok(_) | Err(_) => return Ok(TableReader { reader, contents, is_finished: false }),
            }
        }
    }

    /// A table that is being written: so far it has no sections.
    #[must_use]
    pub fn empty(reader: R, info: TableInfo) -> TableReader<R> {
        TableReader { reader, contents: TableContents::new(info), is_finished: false }
    }

    /// Adds a section that has been written behind the others.
    ///
    /// # Errors
    ///
    /// As [`TableContents::push`].
    pub fn push(&mut self, section: &TableSection) -> Result<(), &'static str> {
        self.contents.push(section)
    }

    /// What the table is.
    #[must_use]
    pub fn info(&self) -> &TableInfo {
        self.contents.info()
    }

    /// Sections and sums.
    #[must_use]
    pub fn contents(&self) -> &TableContents {
        &self.contents
    }

    /// Counts of the whole table.
    #[must_use]
    pub fn counts(&self) -> &TableTotals {
        self.contents.counts()
    }

    /// Whether the table was opened as a whole one.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Its bytes.
    #[must_use]
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// The same as reader and contents.
    #[must_use]
    pub fn into_parts(self) -> (R, TableContents) {
        (self.reader, self.contents)
    }

    /// Reads the directory of a section, by its number in the file. It is not kept: a caller with many questions keeps it.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with it, also that the trailer tells otherwise.
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

    /// The pieces of a cell of one kind and level, by tile. Reads directories.
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

    /// The bytes of one piece, checked; `None` if there is none. Reads a directory each time.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section) and [`read_block`](Self::read_block).
    pub fn block_bytes(
        &self,
        pawn_slice: u32,
        tile: u32,
        kind: BlockKind,
        n: u16,
    ) -> Result<Option<Vec<u8>>, LayoutError<R::Error>> {
        for number in self.contents.sections_that_may_have(pawn_slice, kind, n) {
            if let Some(piece) = self.section(number)?.block_of(tile, kind, n) {
                return self.read_block(piece).map(Some);
            }
        }
        Ok(None)
    }

    /// The bytes of a piece, checked.
    ///
    /// # Errors
    ///
    /// What the reader says; bytes that do not fit their checksum.
    pub fn read_block(&self, block: &SetBlock) -> Result<Vec<u8>, LayoutError<R::Error>> {
        let mut bytes = Vec::new();
        block.read_into(&self.reader, &mut bytes)?;
        Ok(bytes)
    }

    /// Counts of a cell by distance, from 0 on. Reads its directories.
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

    /// Legal positions of a cell: White to move, Black to move. Reads its first directory.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn legal(&self, pawn_slice: u32) -> Result<LegalCounts, LayoutError<R::Error>> {
        let first = self.contents.pawn_slice_sections(pawn_slice).next();
        first.map_or(Ok([0; 2]), |number| Ok(self.section(number)?.legal))
    }

    /// Reads everything: directories, the sums of their counts, and all pieces.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
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
