//! A corpus file being written: new, or made anew, or with shards added behind those it has.
//!
//! A new one is written beside its place and renamed when it is whole, and so is one that is made anew. An old one grows in place: shards go behind the
//! bytes that its header counts, reach the disk, and then the header is written, 64 bytes that say how far the file counts
//! now. If anything fails before, the corpus is what it was.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::{Check, FileHeader};

use crate::failure::{Failure, Result};
use crate::interrupt::Ticket;
use crate::opened::Opened;
use crate::unfinished::{Unfinished, busy, is_at, lock};

/// A corpus file to which shards are added.
pub struct Growing {
    path: PathBuf,
    header: FileHeader,
    to: To,
}

enum To {
    New(Unfinished),
    /// And what it takes the place of, locked: nobody may append to that any more.
    Anew(Unfinished, File),
    Old(File, Ticket),
}

impl Growing {
    /// Begins a new corpus. Without `replace`, nothing may be at its place.
    ///
    /// # Errors
    ///
    /// See [`Unfinished::begin`].
    pub fn new(path: &Path, replace: bool) -> Result<Growing> {
        let mut file = Unfinished::begin(path, replace)?;
        file.write_all(&[0; FileHeader::BYTES]).map_err(Failure::file(path, "cannot be written"))?;
        Ok(Growing { path: path.into(), header: FileHeader::empty(), to: To::New(file) })
    }

    /// Begins a corpus anew, with the id that it has: the shards to come have the games of those that are there now, whose header
    /// was read as `known`.
    ///
    /// # Errors
    ///
    /// Somebody else is writing it, or has done so since; see also [`Unfinished::begin`].
    pub fn anew(path: &Path, known: &FileHeader) -> Result<Growing> {
        let cannot = || Failure::file(path, "cannot be written");
        let mut old = locked(path)?;
        let mut head = [0; FileHeader::BYTES];
        old.read_exact(&mut head).map_err(cannot())?;
        if head != known.to_bytes() {
            return Err(Failure::NotThat(path.into(), "another program has changed it just now: try again".into()));
        }
        // A link stays a link.
        let mut file = Unfinished::begin(&path.canonicalize().map_err(cannot())?, true)?;
        let same_rights = old.metadata().and_then(|found| file.allow(found.permissions()));
        same_rights.and_then(|()| file.write_all(&[0; FileHeader::BYTES])).map_err(cannot())?;
        Ok(Growing { path: path.into(), header: known.anew(), to: To::Anew(file, old) })
    }

    /// Goes on with a corpus that is there.
    ///
    /// # Errors
    ///
    /// It is no corpus, or damaged, or somebody else is writing it.
    pub fn append(path: &Path) -> Result<Growing> {
        let cannot = || Failure::file(path, "cannot be written");
        // Who has the lock has the header; what is read before may be out of date.
        let mut file = locked(path)?;
        let header = Opened::at(path)?.corpus(Check::Scan)?.header;
        let length = header.length;
        let says = format!("{} is as it was", path.display());
        let undo = file.try_clone().map_err(cannot())?;
        let ticket = Ticket::new(says, move || drop(undo.set_len(length)));
        // What an append that was broken off has left.
        file.set_len(length).map_err(cannot())?;
        file.seek(SeekFrom::End(0)).map_err(cannot())?;
        Ok(Growing { path: path.into(), header, to: To::Old(file, ticket) })
    }

    /// Adds a shard; empty bytes are none.
    ///
    /// # Errors
    ///
    /// The disk is full, or more games than a corpus can number.
    pub fn push(&mut self, shard: &[u8]) -> Result<()> {
        if shard.is_empty() {
            return Ok(());
        }
        self.header.append(shard).map_err(Failure::corpus(&self.path))?;
        if self.header.games > u64::from(u32::MAX) {
            let what = "a corpus has at most 4,294,967,295 games: begin another file";
            return Err(Failure::NotThat(self.path.clone(), what.into()));
        }
        let written = match &mut self.to {
            To::New(file) | To::Anew(file, _) => file.write_all(shard),
            To::Old(file, ticket) => ticket.step(|| file.write_all(shard)),
        };
        written.map_err(Failure::file(&self.path, "cannot be written"))
    }

    /// The corpus is whole.
    ///
    /// # Errors
    ///
    /// As the system says; everything is then as it was.
    pub fn finish(self) -> Result<FileHeader> {
        let Growing { path, header, to } = self;
        let bytes = header.to_bytes();
        let whole =
            |mut file: Unfinished| file.seek(0).and_then(|()| file.write_all(&bytes)).and_then(|()| file.finish());
        let finished: io::Result<()> = match to {
            To::New(file) => whole(file),
            To::Anew(file, _old) => whole(file),
            To::Old(mut file, ticket) => file.sync_all().and_then(|()| {
                ticket.keep(|| {
                    file.seek(SeekFrom::Start(0))?;
                    file.write_all(&bytes)?;
                    file.sync_all()
                })
            }),
        };
        finished.map_err(Failure::file(&path, "cannot be written"))?;
        Ok(header)
    }
}

/// Opens the corpus to write it, for ourselves alone.
fn locked(path: &Path) -> Result<File> {
    let file =
        OpenOptions::new().read(true).write(true).open(path).map_err(Failure::file(path, "cannot be written"))?;
    lock(&file, path)?;
    if is_at(&file, path) { Ok(file) } else { Err(busy(path)) }
}
