//! A corpus file being written: new, or made anew, or with shards added behind those it has.
//!
//! A new one is written beside its place and renamed when it is whole, and so is one that is made anew. An old one grows in place: shards go behind the
//! bytes that its header counts, reach the disk, and then the header is written, 64 bytes that say how far the file counts
//! now. If anything fails before, the corpus is what it was.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader};
use plyfold_files::{FileError, FileLock, PrintablePath, is_at};

use crate::failure::{CliFailure, Result};
use crate::interrupt::UndoGuard;
use crate::mapped_corpus::MappedCorpus;
use crate::partial_output::PartialOutput;

/// A corpus file to which shards are added.
pub struct AppendableCorpus {
    path: PathBuf,
    header: CorpusFileHeader,
    target: WriteTarget,
}

enum WriteTarget {
    New(PartialOutput),
    /// And what it takes the place of, locked: nobody may append to that any more.
    Rewritten(PartialOutput, LockedCorpus),
    Appended(LockedCorpus, UndoGuard),
}

impl AppendableCorpus {
    /// Begins a new corpus. Unless it `replaces` what is at its place, nothing may be there.
    ///
    /// # Errors
    ///
    /// See [`PartialOutput::begin`].
    pub fn new(path: &Path, replaces: bool) -> Result<AppendableCorpus> {
        let mut file = PartialOutput::begin(path, replaces)?;
        file.write_all(&[0; CorpusFileHeader::BYTES]).map_err(CliFailure::file(path, "cannot be written"))?;
        Ok(AppendableCorpus { path: path.into(), header: CorpusFileHeader::empty(), target: WriteTarget::New(file) })
    }

    /// Begins a corpus anew, with the id that it has: the shards to come have the games of those that are there now, whose header
    /// was read as `known`.
    ///
    /// # Errors
    ///
    /// Somebody else is writing it, or has done so since; see also [`PartialOutput::begin`].
    pub fn rewrite(path: &Path, expected: &CorpusFileHeader) -> Result<AppendableCorpus> {
        let cannot = || CliFailure::file(path, "cannot be written");
        let old = LockedCorpus::open(path)?;
        let mut head = [0; CorpusFileHeader::BYTES];
        (&old.file).read_exact(&mut head).map_err(cannot())?;
        if head != expected.to_bytes() {
            return Err(CliFailure::UnsuitableFile(
                path.into(),
                "another program changed it at this moment: try again".into(),
            ));
        }
        // A link stays a link.
        let mut file = PartialOutput::begin(&path.canonicalize().map_err(cannot())?, true)?;
        let same_rights = old.file.metadata().and_then(|found| file.set_permissions(found.permissions()));
        same_rights.and_then(|()| file.write_all(&[0; CorpusFileHeader::BYTES])).map_err(cannot())?;
        Ok(AppendableCorpus {
            path: path.into(),
            header: expected.empty_with_same_id(),
            target: WriteTarget::Rewritten(file, old),
        })
    }

    /// Goes on with a corpus that is there.
    ///
    /// # Errors
    ///
    /// It is no corpus, or damaged, or somebody else is writing it.
    pub fn append(path: &Path) -> Result<AppendableCorpus> {
        let cannot = || CliFailure::file(path, "cannot be written");
        // Who has the lock has the header; what is read before may be out of date.
        let locked = LockedCorpus::open(path)?;
        let header = MappedCorpus::open(path)?.corpus(CorpusCheck::WithoutTexts)?.header;
        let length = header.length;
        let says = format!("{} is as it was", PrintablePath(path));
        let undo = locked.file.try_clone().map_err(cannot())?;
        let ticket = UndoGuard::new(says, move || drop(undo.set_len(length)));
        // What an append that was broken off has left.
        locked.file.set_len(length).map_err(cannot())?;
        (&locked.file).seek(SeekFrom::End(0)).map_err(cannot())?;
        Ok(AppendableCorpus { path: path.into(), header, target: WriteTarget::Appended(locked, ticket) })
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
        self.header.append(shard).map_err(CliFailure::corpus(&self.path))?;
        if self.header.games > u64::from(u32::MAX) {
            let what = "a corpus has at most 4,294,967,295 games: begin another file";
            return Err(CliFailure::UnsuitableFile(self.path.clone(), what.into()));
        }
        let written = match &mut self.target {
            WriteTarget::New(file) | WriteTarget::Rewritten(file, _) => file.write_all(shard),
            WriteTarget::Appended(locked, ticket) => ticket.step(|| (&locked.file).write_all(shard)),
        };
        written.map_err(CliFailure::file(&self.path, "cannot be written"))
    }

    /// The corpus is whole.
    ///
    /// # Errors
    ///
    /// As the system says; everything is then as it was.
    pub fn finish(self) -> Result<CorpusFileHeader> {
        let AppendableCorpus { path, header, target: to } = self;
        let bytes = header.to_bytes();
        let whole = |mut file: PartialOutput| {
            file.seek_to(0).and_then(|()| file.write_all(&bytes)).and_then(|()| file.finish())
        };
        let finished: io::Result<()> = match to {
            WriteTarget::New(file) => whole(file),
            WriteTarget::Rewritten(file, _old) => whole(file),
            WriteTarget::Appended(LockedCorpus { file, lock: _lock }, ticket) => file.sync_all().and_then(|()| {
                ticket.commit(|| {
                    let mut file = &file;
                    file.seek(SeekFrom::Start(0))?;
                    file.write_all(&bytes)?;
                    file.sync_all()
                })
            }),
        };
        finished.map_err(CliFailure::file(&path, "cannot be written"))?;
        Ok(header)
    }
}

/// A corpus that is open for writing, for ourselves alone.
struct LockedCorpus {
    file: File,
    lock: InterruptibleLock,
}

/// A lock that an interrupt takes off too.
struct InterruptibleLock(#[expect(dead_code, reason = "it is held, and nothing more")] FileLock, Option<UndoGuard>);

impl Drop for InterruptibleLock {
    fn drop(&mut self) {
        drop(self.1.take());
    }
}

impl LockedCorpus {
    fn open(path: &Path) -> Result<LockedCorpus> {
        let cannot = || CliFailure::file(path, "cannot be written");
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(CliFailure::UnsuitableFile(path.into(), "is not a regular file, so it is not a corpus".into()));
        }
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(cannot())?;
        let lock = FileLock::take(&file, path)?;
        let ticket = lock.release().map(|release| UndoGuard::new(String::new(), release));
        let lock = InterruptibleLock(lock, ticket);
        if is_at(&file, path) { Ok(LockedCorpus { file, lock }) } else { Err(FileError::busy(path).into()) }
    }
}
