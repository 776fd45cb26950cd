//! A lock that keeps other programs from writing a file.
//!
//! Usually the system keeps the lock, and releases it when the program ends, however it ends. If the file system has no
//! locks, a file beside it is the lock: it is created exclusively, and a killed program leaves it behind.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::FileError;
use crate::printable::PrintablePath;

/// How the name of a lock file ends.
const MARKER_SUFFIX: &str = ".plyfold-lock";

/// A lock of a file. It lasts until it is dropped and the file is closed.
#[derive(Debug)]
pub struct FileLock {
    marker: Option<PathBuf>,
}

impl FileLock {
    /// Locks the open file, which is the one at `path`.
    ///
    /// # Errors
    ///
    /// Another program has it; the system cannot lock it.
    pub fn take(file: &File, path: &Path) -> Result<FileLock, FileError> {
        match try_lock(file) {
            Ok(true) => Ok(FileLock { marker: None }),
            Ok(false) => FileLock::take_marker(path),
            Err(TryLockError::WouldBlock) => Err(FileError::busy(path)),
            Err(TryLockError::Error(source)) => Err(lock_error(path, &source)),
        }
    }

    /// Takes the lock by creating a file beside `path`.
    fn take_marker(path: &Path) -> Result<FileLock, FileError> {
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(MARKER_SUFFIX);
        let marker = path.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&marker) {
            Ok(mut file) => {
                // A note for a user who finds the file. The file's name alone is the lock.
                let _ = writeln!(file, "process {}", std::process::id());
                Ok(FileLock { marker: Some(marker) })
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let what = format!(
                    "another program is writing it, or was killed while writing it; if no program is, remove {} and try again",
                    PrintablePath(&marker)
                );
                Err(FileError::Unsuitable(path.into(), what))
            }
            Err(source) => Err(lock_error(path, &source)),
        }
    }

    /// Returns what to do if the program ends before the lock is dropped; none if the system keeps the lock.
    #[must_use]
    pub fn release(&self) -> Option<impl FnOnce() + Send + use<>> {
        self.marker.clone().map(|marker| move || drop(fs::remove_file(marker)))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if let Some(marker) = &self.marker {
            // If the file cannot be removed, the next program says what to do.
            let _ = fs::remove_file(marker);
        }
    }
}

/// Asks the system for a lock of the open file; false if the file system has no locks.
pub(crate) fn try_lock(file: &File) -> Result<bool, TryLockError> {
    is_locked(file.try_lock())
}

fn is_locked(done: Result<(), TryLockError>) -> Result<bool, TryLockError> {
    match done {
        Err(TryLockError::Error(error)) if is_unsupported(&error) => Ok(false),
        done => done.map(|()| true),
    }
}

pub(crate) fn lock_error(path: &Path, error: &io::Error) -> FileError {
    let what = format!(
        "cannot be locked, so another program could write it at the same time: {error}; write it to another disk"
    );
    FileError::Unsuitable(path.into(), what)
}

/// Whether the file system has no locks, or none now: an NFS server without its lock service returns `ENOLCK`.
fn is_unsupported(error: &io::Error) -> bool {
    #[cfg(unix)]
    let by_code = error
        .raw_os_error()
        .is_some_and(|code| [libc::ENOTSUP, libc::EOPNOTSUPP, libc::ENOSYS, libc::ENOLCK].contains(&code));
    #[cfg(not(unix))]
    let by_code = false;
    by_code || error.kind() == ErrorKind::Unsupported
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    #[test]
    fn a_locked_file_is_busy() {
        let folder = folder();
        let path = folder.path().join("games");
        let open = || OpenOptions::new().write(true).create(true).truncate(false).open(&path).expect("room");
        let (one, other) = (open(), open());
        let lock = FileLock::take(&one, &path).expect("nobody has it");
        assert!(lock.release().is_none());
        let error = FileLock::take(&other, &path).expect_err("the first has it").to_string();
        assert!(error.ends_with("games: another program is writing it: try again when it is done"), "{error}");
        drop((lock, one));
        FileLock::take(&other, &path).expect("nobody has it any more");
    }

    #[test]
    #[cfg(unix)]
    fn a_lock_that_fails_is_not_taken() {
        let of = |code| is_locked(Err(TryLockError::Error(io::Error::from_raw_os_error(code))));
        for code in [libc::ENOTSUP, libc::EOPNOTSUPP, libc::ENOSYS, libc::ENOLCK] {
            assert!(matches!(of(code), Ok(false)), "{code}");
        }
        for code in [libc::EIO, libc::EINTR, libc::EBADF, libc::EACCES] {
            assert!(matches!(of(code), Err(TryLockError::Error(_))), "{code}");
        }
        assert!(matches!(is_locked(Err(TryLockError::WouldBlock)), Err(TryLockError::WouldBlock)));
    }

    #[test]
    fn a_file_stands_for_the_lock_where_there_are_none() {
        let folder = folder();
        let path = folder.path().join("games");
        let lock = FileLock::take_marker(&path).expect("nobody has it");
        let error = FileLock::take_marker(&path).expect_err("the first has it").to_string();
        assert!(error.contains("another program is writing it") && error.contains(".games.plyfold-lock"), "{error}");
        drop(lock);
        let lock = FileLock::take_marker(&path).expect("nobody has it any more");
        // An interrupt ends the program without dropping anything.
        lock.release().expect("it has a file to remove")();
        FileLock::take_marker(&path).expect("the file is gone");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
