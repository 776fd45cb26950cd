//! A file for ourselves alone while it is written.
//!
//! Usually the system keeps the lock, and drops it when the program ends, however it ends. Where the file system knows no
//! locks, a file beside it stands for the lock: it is created exclusively, and a program that is killed leaves it behind.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::{Problem, Shown};

/// How the name of a file ends that stands for a lock.
const ENDING: &str = ".plyfold-lock";

/// A lock of a file. It lasts until this is dropped and the file is closed.
#[derive(Debug)]
pub struct Lock {
    marker: Option<PathBuf>,
}

/// What came of asking the system for a lock.
#[derive(Debug)]
pub(crate) enum Attempt {
    Taken,
    /// Another program has it.
    Busy,
    /// The file system knows no locks.
    Unsupported,
    Failed(io::Error),
}

impl Lock {
    /// Locks the open file, which is the one at `path`.
    ///
    /// # Errors
    ///
    /// Another program has it; the system cannot lock it.
    pub fn take(file: &File, path: &Path) -> Result<Lock, Problem> {
        match Attempt::at(file) {
            Attempt::Taken => Ok(Lock { marker: None }),
            Attempt::Busy => Err(Problem::busy(path)),
            Attempt::Unsupported => Lock::mark(path),
            Attempt::Failed(source) => Err(failed(path, &source)),
        }
    }

    /// Takes the lock by a file beside `path`.
    fn mark(path: &Path) -> Result<Lock, Problem> {
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(ENDING);
        let marker = path.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&marker) {
            Ok(mut file) => {
                // For whoever finds it. The name alone is the lock.
                let _ = writeln!(file, "process {}", std::process::id());
                Ok(Lock { marker: Some(marker) })
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let what = format!(
                    "another program is writing it, or was killed while it did; if none is, remove {} and try again",
                    Shown(&marker)
                );
                Err(Problem::NotThat(path.into(), what))
            }
            Err(source) => Err(failed(path, &source)),
        }
    }

    /// What has to be done if the program ends before this is dropped; nothing where the system keeps the lock.
    #[must_use]
    pub fn release(&self) -> Option<impl FnOnce() + Send + use<>> {
        self.marker.clone().map(|marker| move || drop(fs::remove_file(marker)))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(marker) = &self.marker {
            // If it cannot be removed, the next program says what to do.
            let _ = fs::remove_file(marker);
        }
    }
}

impl Attempt {
    pub fn at(file: &File) -> Attempt {
        Attempt::of(file.try_lock())
    }

    fn of(done: Result<(), TryLockError>) -> Attempt {
        match done {
            Ok(()) => Attempt::Taken,
            Err(TryLockError::WouldBlock) => Attempt::Busy,
            Err(TryLockError::Error(error)) if is_unsupported(&error) => Attempt::Unsupported,
            Err(TryLockError::Error(error)) => Attempt::Failed(error),
        }
    }
}

pub(crate) fn failed(path: &Path, error: &io::Error) -> Problem {
    let what =
        format!("cannot be locked, so another program could write it as well: {error}; write it on another disk");
    Problem::NotThat(path.into(), what)
}

/// Whether the file system knows no locks, or none now: an NFS server without its lock service says `ENOLCK`.
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
        let lock = Lock::take(&one, &path).expect("nobody has it");
        assert!(lock.release().is_none());
        let error = Lock::take(&other, &path).expect_err("the first has it").to_string();
        assert!(error.ends_with("games: another program is writing it: try again when it is done"), "{error}");
        drop((lock, one));
        Lock::take(&other, &path).expect("nobody has it any more");
    }

    #[test]
    #[cfg(unix)]
    fn a_lock_that_fails_is_not_taken() {
        let of = |code| Attempt::of(Err(TryLockError::Error(io::Error::from_raw_os_error(code))));
        for code in [libc::ENOTSUP, libc::EOPNOTSUPP, libc::ENOSYS, libc::ENOLCK] {
            assert!(matches!(of(code), Attempt::Unsupported), "{code}");
        }
        for code in [libc::EIO, libc::EINTR, libc::EBADF, libc::EACCES] {
            assert!(matches!(of(code), Attempt::Failed(_)), "{code}");
        }
        assert!(matches!(Attempt::of(Err(TryLockError::WouldBlock)), Attempt::Busy));
    }

    #[test]
    fn a_file_stands_for_the_lock_where_there_are_none() {
        let folder = folder();
        let path = folder.path().join("games");
        let lock = Lock::mark(&path).expect("nobody has it");
        let error = Lock::mark(&path).expect_err("the first has it").to_string();
        assert!(error.contains("another program is writing it") && error.contains(".games.plyfold-lock"), "{error}");
        drop(lock);
        let lock = Lock::mark(&path).expect("nobody has it any more");
        // An interrupt ends the program without dropping anything.
        lock.release().expect("it has a file to remove")();
        Lock::mark(&path).expect("the file is gone");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
