//! A file mapped into memory: the only `unsafe` of this program.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapOptions};

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

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}
