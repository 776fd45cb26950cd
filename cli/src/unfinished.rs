//! A file that is being written: a [`Partial`] file that an interrupt removes.

use std::fs::Permissions;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use plyfold_files::{Partial, Shown};

use crate::failure::Result;
use crate::interrupt::Ticket;

/// A file that will be at its place when it is whole.
pub struct Unfinished {
    ticket: Ticket,
    partial: Partial,
}

impl Unfinished {
    /// Begins the file that will be at `place`. Unless it `replaces` what is there, nothing may be there at the end.
    ///
    /// # Errors
    ///
    /// A folder that is missing or cannot be written; another program that is writing the same file.
    pub fn begin(place: &Path, replaces: bool) -> Result<Unfinished> {
        let says = match place.exists() {
            true => format!("{} is as it was", Shown(place)),
            false => format!("{} was not written", Shown(place)),
        };
        let (partial, ticket) = Ticket::begin(says, || {
            let partial = Partial::create(place, replaces)?;
            let removal = partial.removal();
            Ok((partial, removal))
        })?;
        Ok(Unfinished { ticket, partial })
    }

    /// Who may read and write it.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub fn allow(&mut self, rights: Permissions) -> io::Result<()> {
        self.partial.file().set_permissions(rights)
    }

    /// Goes to this byte.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub fn seek(&mut self, byte: u64) -> io::Result<()> {
        self.partial.file().seek(SeekFrom::Start(byte)).map(drop)
    }

    /// The file is whole: it goes to the disk and to its place.
    ///
    /// # Errors
    ///
    /// As the system says; nothing is left then.
    pub fn finish(self) -> io::Result<()> {
        let Unfinished { ticket, partial } = self;
        partial.sync()?;
        ticket.keep(|| partial.publish())
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Unfinished { ticket, partial } = self;
        ticket.step(|| partial.file().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.partial.file().flush()
    }
}
