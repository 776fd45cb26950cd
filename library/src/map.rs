//! A file mapped into memory: the only `unsafe` of this program.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapMut, MmapOptions};

/// The bytes of a file. They begin at a page boundary, so they are aligned to 8.
pub struct FileMap(Mmap);

impl FileMap {
    /// Maps a file for reading.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub fn of_file(file: &File) -> io::Result<FileMap> {
        // SAFETY: the bytes must not change while they are borrowed. Corpus files are only ever replaced as a whole, by
        // renaming (this map then keeps the old file), or appended to beyond the bytes that the header counts, which
        // are never read. As in every program that maps files, a user who edits the file in place can break this.
        unsafe { MmapOptions::new().map(file) }.map(FileMap)
    }

    /// Pieces of bytes, one after another in memory. Each piece is dropped when it has been copied, so that they need little more
    /// room than they take together.
    ///
    /// # Errors
    ///
    /// There is no room.
    pub fn of_pieces(pieces: Vec<Vec<u8>>) -> io::Result<FileMap> {
        let mut map = MmapMut::map_anon(pieces.iter().map(Vec::len).sum())?;
        let mut at = 0;
        for piece in pieces {
            map[at..at + piece.len()].copy_from_slice(&piece);
            at += piece.len();
        }
        map.make_read_only().map(FileMap)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}
