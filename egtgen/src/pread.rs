//! A file that several threads read and write at any offset, and that counts the bytes.
//!
//! It is not memory-mapped: mapped pages count as memory of the program, which is limited to what the user allows.

use std::fs::{self, File};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use plyfold_tables::layout::ReadAt;
use xxhash_rust::xxh3::Xxh3;

/// An open file.
#[derive(Debug)]
pub struct FileBytes {
    #[cfg(unix)]
    file: File,
    /// Systems without reads at an offset have one position for all threads, so one thread at a time uses it.
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
    length: AtomicU64,
    read: AtomicU64,
    written: AtomicU64,
}

fn refuse_irregular(about: &fs::Metadata) -> io::Result<()> {
    if about.is_file() { Ok(()) } else { Err(io::Error::other("it is not a regular file")) }
}

impl FileBytes {
    /// Wraps an open file.
    ///
    /// # Errors
    ///
    /// The file is not a regular file, or the system refuses.
    pub fn new(file: File) -> io::Result<FileBytes> {
        let about = file.metadata()?;
        refuse_irregular(&about)?;
        let length = AtomicU64::new(about.len());
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        Ok(FileBytes { file, length, read: AtomicU64::new(0), written: AtomicU64::new(0) })
    }

    /// Bytes read and written so far.
    #[must_use]
    pub fn traffic(&self) -> (u64, u64) {
        (self.read.load(Ordering::Relaxed), self.written.load(Ordering::Relaxed))
    }

    /// The XXH3-64 checksum of the whole file.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn checksum(&self) -> io::Result<u64> {
        let (mut at, mut sum, mut buffer) = (0, Xxh3::new(), vec![0; 1 << 20]);
        while at < self.len() {
            let length = (self.len() - at).min(buffer.len() as u64) as usize;
            self.read_at(at, &mut buffer[..length])?;
            sum.update(&buffer[..length]);
            at += length as u64;
        }
        Ok(sum.digest())
    }

    /// Writes bytes at an offset, which may be the end.
    ///
    /// # Errors
    ///
    /// The file cannot be written; some bytes may have been.
    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.write_all(offset, bytes)?;
        self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.length.fetch_max(offset + bytes.len() as u64, Ordering::Release);
        Ok(())
    }

    /// Cuts the file to a length.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn truncate(&self, length: u64) -> io::Result<()> {
        self.with(|file| file.set_len(length))?;
        self.length.store(length, Ordering::Release);
        Ok(())
    }

    /// Waits until all bytes are on the disk.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn sync(&self) -> io::Result<()> {
        self.with(File::sync_all)
    }

    /// Calls a function with the open file.
    #[cfg(unix)]
    pub(crate) fn with<T>(&self, work: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        work(&self.file)
    }

    #[cfg(unix)]
    fn write_all(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, offset)
    }

    #[cfg(unix)]
    fn read_exact(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, buffer, offset)
    }

    /// Calls a function with the open file.
    #[cfg(not(unix))]
    pub(crate) fn with<T>(&self, work: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        work(&self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    #[cfg(not(unix))]
    fn write_all(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        use io::{Seek, Write};
        self.with(|mut file| file.seek(io::SeekFrom::Start(offset)).and_then(|_| file.write_all(bytes)))
    }

    #[cfg(not(unix))]
    fn read_exact(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        use io::{Read, Seek};
        self.with(|mut file| file.seek(io::SeekFrom::Start(offset)).and_then(|_| file.read_exact(buffer)))
    }
}

impl ReadAt for FileBytes {
    type Error = io::Error;

    fn len(&self) -> u64 {
        self.length.load(Ordering::Acquire)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read_exact(offset, buffer)?;
        self.read.fetch_add(buffer.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}
