//! The file of a table: a header, sections of coded pieces, and a trailer that says where they are.
//!
//! FORMAT.md beside this folder describes the bytes. The file layer knows no chess: a table has a name, cells, tiles and
//! levels, and pieces are bytes. Reading goes through [`ReadAt`] and keeps the trailer in memory; the directory of a
//! section ([`Section`]) is read when it is wanted, and its owner keeps it as long as it likes.

mod contents;
mod error;
mod header;
mod number;
mod read;
mod section;

use alloc::vec::Vec;

pub use contents::{Contents, Summary, TRAILER};
pub use error::LayoutError;
pub use header::{Facts, HEADER, Header, MAGIC, Name, VERSION};
pub use read::{PastEnd, ReadAt};
pub use section::{Building, Built, Entry, Kind, Legal, Level, Piece, SECTION, Section};

/// A table that can be read: its bytes, and what is in it.
#[derive(Clone, Debug)]
pub struct Table<R> {
    reader: R,
    contents: Contents,
    is_finished: bool,
}

impl<R: ReadAt> Table<R> {
    /// Opens a whole table: header and trailer are read and checked, nothing else.
    ///
    /// # Errors
    ///
    /// Whatever is wrong; [`LayoutError::Unfinished`] for one that is still generated.
    pub fn open(reader: R) -> Result<Table<R>, LayoutError<R::Error>> {
        let header = Header::read(&reader)?;
        let trailer = header.trailer.ok_or(LayoutError::Unfinished)?;
        let contents = Contents::read(&reader, header.facts, trailer)?;
        Ok(Table { reader, contents, is_finished: true })
    }

    /// Opens what is whole of a table that is still generated: its header and, one after the other, its sections with
    /// their directories, up to the first that is not whole. What follows ([`Contents::end`]) does not count.
    ///
    /// # Errors
    ///
    /// A header that is damaged or missing; what the reader says.
    pub fn open_unfinished(reader: R) -> Result<Table<R>, LayoutError<R::Error>> {
        let header = Header::read(&reader)?;
        let mut contents = Contents::new(header.facts);
        loop {
            match Section::read(&reader, &header.facts, contents.end()) {
                Err(LayoutError::Read { offset, source }) => return Err(LayoutError::Read { offset, source }),
                Ok(section) if contents.push(&section).is_ok() => {}
                Ok(_) | Err(_) => return Ok(Table { reader, contents, is_finished: false }),
            }
        }
    }

    /// A table that is being written: so far it has no sections.
    #[must_use]
    pub fn begun(reader: R, facts: Facts) -> Table<R> {
        Table { reader, contents: Contents::new(facts), is_finished: false }
    }

    /// Adds a section that has been written behind the others.
    ///
    /// # Errors
    ///
    /// As [`Contents::push`].
    pub fn push(&mut self, section: &Section) -> Result<(), &'static str> {
        self.contents.push(section)
    }

    /// What the table is.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        self.contents.facts()
    }

    /// Sections and sums.
    #[must_use]
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Counts of the whole table.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        self.contents.summary()
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
    pub fn into_parts(self) -> (R, Contents) {
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
    pub fn section(&self, number: usize) -> Result<Section, LayoutError<R::Error>> {
        let entry = &self.contents.sections()[number];
        let section = Section::read(&self.reader, self.facts(), entry.offset)?;
        if section.entry != *entry {
            let (section, offset) = ("section header", entry.offset);
            return Err(LayoutError::Inconsistent { section, offset, what: "the trailer tells otherwise" });
        }
        Ok(section)
    }

    /// The pieces of a cell of one kind and level, by tile. Reads directories.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn pieces(&self, cell: u32, kind: Kind, n: u16) -> Result<Vec<Piece>, LayoutError<R::Error>> {
        let mut pieces = Vec::new();
        for number in self.contents.that_can_have(cell, kind, n) {
            pieces.extend_from_slice(self.section(number)?.pieces(kind, n));
        }
        pieces.sort_by_key(|piece| piece.tile);
        Ok(pieces)
    }

    /// The bytes of one piece, checked; `None` if there is none. Reads a directory each time.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section) and [`read`](Self::read).
    pub fn piece(&self, cell: u32, tile: u32, kind: Kind, n: u16) -> Result<Option<Vec<u8>>, LayoutError<R::Error>> {
        for number in self.contents.that_can_have(cell, kind, n) {
            if let Some(piece) = self.section(number)?.piece(tile, kind, n) {
                return self.read(piece).map(Some);
            }
        }
        Ok(None)
    }

    /// The bytes of a piece, checked.
    ///
    /// # Errors
    ///
    /// What the reader says; bytes that do not fit their checksum.
    pub fn read(&self, piece: &Piece) -> Result<Vec<u8>, LayoutError<R::Error>> {
        let mut bytes = Vec::new();
        piece.read_into(&self.reader, &mut bytes)?;
        Ok(bytes)
    }

    /// Counts of a cell by distance, from 0 on. Reads its directories.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn levels(&self, cell: u32) -> Result<Vec<Level>, LayoutError<R::Error>> {
        let mut levels = Vec::new();
        for number in self.contents.of_cell(cell) {
            levels.extend(self.section(number)?.levels);
        }
        Ok(levels)
    }

    /// Legal positions of a cell: White to move, Black to move. Reads its first directory.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn legal(&self, cell: u32) -> Result<Legal, LayoutError<R::Error>> {
        let first = self.contents.of_cell(cell).next();
        first.map_or(Ok([0; 2]), |number| Ok(self.section(number)?.legal))
    }

    /// Reads everything: directories, the sums of their counts, and all pieces.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), LayoutError<R::Error>> {
        let mut sums = Contents::new(*self.facts());
        let mut buffer = Vec::new();
        let wrong = |section, offset, what| LayoutError::Inconsistent { section, offset, what };
        for (number, entry) in self.contents.sections().iter().enumerate() {
            let section = self.section(number)?;
            for piece in section.all() {
                piece.read_into(&self.reader, &mut buffer)?;
            }
            sums.push(&section).map_err(|what| wrong("section header", entry.offset, what))?;
        }
        if sums.summary() != self.summary() {
            return Err(wrong("trailer", self.contents.end(), "it counts otherwise than the sections"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
