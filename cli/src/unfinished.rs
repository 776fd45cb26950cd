//! A file on its way: written under another name beside its place, synced, and renamed when it is whole.
//!
//! Whoever looks sees the old file or the new one. The other name is `NAME.part`, locked while it is written, so that two
//! programs with the same goal do not mix; one that was left by a program that was killed is simply overwritten.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::interrupt::Ticket;

/// A file that will be at its place when it is whole.
pub struct Unfinished {
    file: File,
    ticket: Ticket,
    part: PathBuf,
    place: PathBuf,
}

impl Unfinished {
    /// Begins the file that will be at `place`. Without `replace`, nothing may be there.
    ///
    /// # Errors
    ///
    /// A folder that is missing or cannot be written; something else at the place; somebody else writing it.
    pub fn begin(place: &Path, replace: bool) -> Result<Unfinished> {
        match fs::metadata(place) {
            Ok(found) if found.is_dir() => return Err(Failure::NotThat(place.into(), "is a directory".into())),
            Ok(found) if !found.is_file() => {
                return Err(Failure::NotThat(place.into(), "is not a regular file".into()));
            }
            Ok(_) if !replace => {
                let what = "exists already: name another file, or say --append or --force";
                return Err(Failure::NotThat(place.into(), what.into()));
            }
            _ => {}
        }
        let Some(name) = place.file_name() else {
            return Err(Failure::NotThat(place.into(), "is no name of a file".into()));
        };
        let mut part = name.to_os_string();
        part.push(".part");
        let part = place.with_file_name(part);
        let open = || OpenOptions::new().write(true).create(true).truncate(false).open(&part);
        let file = open().map_err(Failure::file(place, "cannot be written"))?;
        lock(&file, place)?;
        if !is_at(&file, &part) {
            // Between our opening and our locking, the other program was done and gave the file its name.
            return Err(busy(place));
        }
        let says = match place.exists() {
            true => format!("{} is as it was", place.display()),
            false => format!("{} was not written", place.display()),
        };
        let remove = part.clone();
        let ticket = Ticket::new(says, move || drop(fs::remove_file(remove)));
        file.set_len(0).map_err(Failure::file(place, "cannot be written"))?;
        Ok(Unfinished { file, ticket, part, place: place.to_path_buf() })
    }

    /// Who may read and write it.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub fn allow(&self, rights: Permissions) -> io::Result<()> {
        self.file.set_permissions(rights)
    }

    /// Goes to this byte.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub fn seek(&mut self, byte: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(byte)).map(drop)
    }

    /// The file is whole: it goes to the disk and to its place.
    ///
    /// # Errors
    ///
    /// As the system says; nothing is left then.
    pub fn finish(self) -> io::Result<()> {
        let Unfinished { file, ticket, part, place } = self;
        file.sync_all()?;
        ticket.keep(|| fs::rename(&part, &place))?;
        sync_folder(&place);
        Ok(())
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.ticket.step(|| self.file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Takes the file for ourselves until it is closed.
///
/// # Errors
///
/// Somebody else has it.
pub fn lock(file: &File, name: &Path) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(busy(name)),
        // Some file systems know no locks; there the user has to see to it.
        Err(TryLockError::Error(_)) | Ok(()) => Ok(()),
    }
}

/// Somebody else writes it.
pub fn busy(name: &Path) -> Failure {
    Failure::NotThat(name.into(), "another program is writing it: try again when it is done".into())
}

/// Whether the open file still is the one at `path`.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let named = fs::metadata(path).map(|found| (found.dev(), found.ino()));
    let opened = file.metadata().map(|found| (found.dev(), found.ino()));
    matches!((named, opened), (Ok(named), Ok(opened)) if named == opened)
}

/// Whether the open file still is the one at `path`: elsewhere an open file cannot be renamed.
#[cfg(not(unix))]
pub fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// The new name reaches the disk too. Not every system lets a folder be opened; the file is whole in any case.
fn sync_folder(place: &Path) {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
