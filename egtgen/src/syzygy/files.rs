//! The files of Syzygy tables as shakmaty-syzygy reads them: small files in memory, large ones piece by piece.
//!
//! Nothing is memory-mapped, so a file that changes or disappears while it is read is an error or a wrong value, never a crash of
//! the program. A file in memory does not change at all.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use plyfold_tables::layout::ReadAt;
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};

use super::header::check_side_to_move;
use crate::pread::FileBytes;

/// A longer file is never read into memory as a whole.
const MAX_IN_MEMORY: u64 = 4 << 20;

/// How many files are open at a time. All tables of seven men are some thousands, and systems allow a program fewer.
const MAX_OPEN: usize = 128;

/// Reads files within bounds of memory and of open files.
#[derive(Debug)]
pub(super) struct BoundedFiles {
    /// The bytes of memory that are left.
    memory: Arc<AtomicUsize>,
    open: Arc<OpenFiles>,
}

impl BoundedFiles {
    /// Files of which at most `bytes` bytes are in memory.
    pub(super) fn new(bytes: usize) -> BoundedFiles {
        BoundedFiles { memory: Arc::new(AtomicUsize::new(bytes)), open: Arc::default() }
    }
}

impl Filesystem for BoundedFiles {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        let about = fs::metadata(path)?;
        if about.is_file() { Ok(about.len()) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect()
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        let file = FileBytes::new(plyfold_files::open(path)?)?;
        let length = file.len();
        let share = if length <= MAX_IN_MEMORY { MemoryShare::take(&self.memory, length as usize) } else { None };
        if let Some(share) = share {
            let mut bytes = vec![0; length as usize];
            file.read_at(0, &mut bytes)?;
            let file = MemoryFile { bytes: bytes.into(), _share: share };
            check_side_to_move(path, &file)?;
            return Ok(Box::new(file));
        }
        let state = state_of(path)?;
        let opened = OpenFile { path: path.to_path_buf(), state, file: Mutex::new(None) };
        let file = DiskFile { opened: Arc::new(opened), open: Arc::clone(&self.open) };
        check_side_to_move(path, &file)?;
        Ok(Box::new(file))
    }
}

/// Memory of one file, given back when it is dropped.
struct MemoryShare {
    /// The bytes of memory that are left.
    left: Arc<AtomicUsize>,
    bytes: usize,
}

impl MemoryShare {
    fn take(left: &Arc<AtomicUsize>, bytes: usize) -> Option<MemoryShare> {
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).ok()?;
        Some(MemoryShare { left: Arc::clone(left), bytes })
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        self.left.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// A file in memory.
struct MemoryFile {
    bytes: Box<[u8]>,
    _share: MemoryShare,
}

impl RandomAccessFile for MemoryFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _hint: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.bytes.get(offset..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// What tells a file from one that took its place: its length, and when it was changed.
type FileState = (u64, Option<SystemTime>);

fn state_of(path: &Path) -> io::Result<FileState> {
    let about = fs::metadata(path)?;
    Ok((about.len(), about.modified().ok()))
}

/// A file that is opened when it is read, and may be closed between two reads.
#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    state: FileState,
    file: Mutex<Option<Arc<FileBytes>>>,
}

/// The files that are open, the one that was opened first in front.
type OpenFiles = Mutex<VecDeque<Arc<OpenFile>>>;

/// A file on the disk.
struct DiskFile {
    opened: Arc<OpenFile>,
    open: Arc<OpenFiles>,
}

impl DiskFile {
    fn file(&self) -> io::Result<Arc<FileBytes>> {
        let mut slot = self.opened.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &*slot {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(FileBytes::new(plyfold_files::open(&self.opened.path)?)?);
        if state_of(&self.opened.path)? != self.opened.state {
            return Err(io::Error::other("it was replaced while it was in use; restart the program"));
        }
        *slot = Some(Arc::clone(&file));
        drop(slot);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back(Arc::clone(&self.opened));
        let oldest = if open.len() > MAX_OPEN { open.pop_front() } else { None };
        drop(open);
        if let Some(oldest) = oldest {
            oldest.file.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        Ok(file)
    }
}

impl RandomAccessFile for DiskFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _hint: ReadHint) -> io::Result<usize> {
        let file = self.file()?;
        let count = file.len().saturating_sub(offset).min(buffer.len() as u64) as usize;
        file.read_at(offset, &mut buffer[..count])?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with so many files of a few bytes each, and their paths.
    fn small_files(count: u8) -> (tempfile::TempDir, Vec<PathBuf>) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |number: u8| {
            let path = folder.path().join(format!("{number}.rtbw"));
            fs::write(&path, [number; 100]).expect("room");
            path
        };
        let paths = (0..count).map(file).collect();
        (folder, paths)
    }

    fn read(file: &dyn RandomAccessFile, offset: u64) -> io::Result<(usize, [u8; 40])> {
        let mut buffer = [0; 40];
        Ok((file.read_at(&mut buffer, offset, ReadHint::Data)?, buffer))
    }

    #[test]
    fn memory_is_bounded_and_given_back() {
        let (_folder, paths) = small_files(3);
        let files = BoundedFiles::new(250);
        let opened: Vec<_> = paths.iter().map(|path| files.open(path).expect("a file")).collect();
        // The last file does not fit and is read in place; both give the same bytes.
        assert_eq!(files.memory.load(Ordering::Relaxed), 50);
        for (number, file) in opened.iter().enumerate() {
            for (offset, count) in [(0, 40), (60, 40), (61, 39), (99, 1), (100, 0), (1 << 40, 0), (u64::MAX, 0)] {
                let (read, bytes) = read(&**file, offset).expect("a file that is there");
                assert_eq!(read, count, "{number} {offset}");
                assert!(bytes[..read].iter().all(|byte| usize::from(*byte) == number));
            }
        }
        drop(opened);
        assert_eq!(files.memory.load(Ordering::Relaxed), 250);
    }

    #[test]
    fn few_files_are_open_at_a_time() {
        let (_folder, paths) = small_files(MAX_OPEN as u8 + 20);
        let files = BoundedFiles::new(0);
        let opened: Vec<_> = paths.iter().map(|path| files.open(path).expect("a file")).collect();
        for _ in 0..2 {
            for (number, file) in opened.iter().enumerate() {
                assert_eq!(read(&**file, 9).expect("a file that is there").1[0], number as u8);
            }
            let queue = files.open.lock().expect("no thread panics with it");
            let is_open = |file: &&Arc<OpenFile>| file.file.lock().expect("no thread panics with it").is_some();
            assert_eq!((queue.len(), queue.iter().filter(is_open).count()), (MAX_OPEN, MAX_OPEN));
        }
        // The first file has been closed; meanwhile another one takes its place.
        fs::write(&paths[0], [7; 164]).expect("room");
        let error = read(&*opened[0], 9).expect_err("another file");
        assert!(error.to_string().contains("replaced"), "{error}");
    }
}
