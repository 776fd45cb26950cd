//! A corpus file being written: new, or made anew, or with shards added behind those it has.
//!
//! A new one is written beside its place and renamed when it is whole, and so is one that is made anew. An old one grows in place: shards go behind the
//! bytes that its header counts, reach the disk, and then the header is written, 64 bytes that say how far the file counts
//! now. If anything fails before, the corpus is what it was.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::{Check, FileHeader};
use plyfold_files::{Lock, Problem, Shown, is_at};

use crate::failure::{Failure, Result};
use crate::interrupt::Ticket;
use crate::opened::Opened;
use crate::unfinished::Unfinished;

/// A corpus file to which shards are added.
pub struct Growing {
    path: PathBuf,
    header: FileHeader,
    to: To,
}

enum To {
    New(Unfinished),
    /// And what it takes the place of, locked: nobody may append to that any more.
    Anew(Unfinished, Locked),
    Old(Locked, Ticket),
}

impl Growing {
    /// Begins a new corpus. Unless it `replaces` what is at its place, nothing may be there.
    ///
    /// # Errors
    ///
    /// See [`Unfinished::begin`].
    pub fn new(path: &Path, replaces: bool) -> Result<Growing> {
        let mut file = Unfinished::begin(path, replaces)?;
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
        let old = Locked::at(path)?;
        let mut head = [0; FileHeader::BYTES];
        (&old.file).read_exact(&mut head).map_err(cannot())?;
        if head != known.to_bytes() {
            return Err(Failure::NotThat(path.into(), "another program has changed it just now: try again".into()));
        }
        // A link stays a link.
        let mut file = Unfinished::begin(&path.canonicalize().map_err(cannot())?, true)?;
        let same_rights = old.file.metadata().and_then(|found| file.allow(found.permissions()));
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
        let locked = Locked::at(path)?;
        let header = Opened::at(path)?.corpus(Check::Scan)?.header;
        let length = header.length;
        let says = format!("{} is as it was", Shown(path));
        let undo = locked.file.try_clone().map_err(cannot())?;
        let ticket = Ticket::new(says, move || drop(undo.set_len(length)));
        // What an append that was broken off has left.
        locked.file.set_len(length).map_err(cannot())?;
        (&locked.file).seek(SeekFrom::End(0)).map_err(cannot())?;
        Ok(Growing { path: path.into(), header, to: To::Old(locked, ticket) })
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
            To::Old(locked, ticket) => ticket.step(|| (&locked.file).write_all(shard)),
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
            To::Old(Locked { file, lock: _lock }, ticket) => file.sync_all().and_then(|()| {
                ticket.keep(|| {
                    let mut file = &file;
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

/// A corpus that is open for writing, for ourselves alone.
struct Locked {
    file: File,
    lock: Held,
}

/// A lock that an interrupt takes off too.
struct Held(#[expect(dead_code, reason = "it is held, and nothing more")] Lock, Option<Ticket>);

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.1.take());
    }
}

impl Locked {
    fn at(path: &Path) -> Result<Locked> {
        let cannot = || Failure::file(path, "cannot be written");
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(Failure::NotThat(path.into(), "is not a regular file, so no corpus".into()));
        }
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(cannot())?;
        let lock = Lock::take(&file, path)?;
        let ticket = lock.release().map(|release| Ticket::new(String::new(), release));
        let lock = Held(lock, ticket);
        if is_at(&file, path) { Ok(Locked { file, lock }) } else { Err(Problem::busy(path).into()) }
    }
}
