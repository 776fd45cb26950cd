//! A file that is being written: a [`PartialFile`] that an interrupt removes.

use std::fs::Permissions;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use plyfold_files::{FileError, PartialFile, PrintablePath};

use crate::interrupt::UndoGuard;

/// A file that gets its name when it is complete.
pub struct PartialOutput {
    ticket: UndoGuard,
    partial: PartialFile,
}

impl PartialOutput {
    /// Begins the file at `place`. Unless `replaces`, no file may have its name at the end.
    ///
    /// # Errors
    ///
    /// The folder is missing or cannot be written; another program is writing the same file.
    pub fn begin(path: &Path, replaces: bool) -> Result<PartialOutput, FileError> {
        let says = match path.exists() {
            true => format!("{} is as it was", PrintablePath(path)),
            false => format!("{} was not written", PrintablePath(path)),
        };
        PartialOutput::begin_saying(says, path, replaces)
    }

    /// Begins the file as [`begin`](Self::begin) does; an interrupt says this of the file, or nothing.
    ///
    /// # Errors
    ///
    /// As [`begin`](Self::begin).
    pub fn begin_saying(says: String, path: &Path, replaces: bool) -> Result<PartialOutput, FileError> {
        let create = || {
            let partial = PartialFile::create(path, replaces)?;
            let removal = partial.removal();
            Ok::<_, FileError>((partial, removal))
        };
        let (partial, ticket) = UndoGuard::begin(says, create)?;
        Ok(PartialOutput { ticket, partial })
    }

    /// Sets the access rights of the file.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub fn set_permissions(&mut self, rights: Permissions) -> io::Result<()> {
        self.partial.file().set_permissions(rights)
    }

    /// Continues at this byte.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub fn seek_to(&mut self, byte: u64) -> io::Result<()> {
        self.partial.file().seek(SeekFrom::Start(byte)).map(drop)
    }

    /// Completes the file: it is synced and gets its name.
    ///
    /// # Errors
    ///
    /// As the system says; no file is left then.
    pub fn finish(self) -> io::Result<()> {
        let PartialOutput { ticket, partial } = self;
        partial.sync()?;
        ticket.commit(|| partial.publish())
    }
}

impl Write for PartialOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let PartialOutput { ticket, partial } = self;
        ticket.step(|| partial.file().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.partial.file().flush()
    }
}
