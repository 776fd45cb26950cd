//! A corpus file that is being written: a new file, a rewritten one, or an old one to which shards are appended.
//!
//! A new or rewritten corpus is written under another name and renamed when it is complete. An old one grows in place: the
//! shards are written behind the bytes that its header counts, and synced. Then the 64 bytes of the header are written, with
//! the new number of bytes. If anything fails before that, the corpus is unchanged.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader};
use plyfold_files::{FileError, FileLock, PrintablePath, is_at, open_to_update};
use plyfold_terminal::interrupt::UndoGuard;
use plyfold_terminal::partial_output::PartialOutput;

use crate::failure::{CliFailure, Result};
use crate::mapped_corpus::MappedCorpus;

/// A corpus file to which shards are added.
pub struct AppendableCorpus {
    path: PathBuf,
    header: CorpusFileHeader,
    target: WriteTarget,
}

enum WriteTarget {
    New(PartialOutput),
    /// The file that the new one replaces. It is locked so that no other program appends to it meanwhile.
    Rewritten(PartialOutput, LockedCorpus),
    Appended(LockedCorpus, UndoGuard),
}

impl AppendableCorpus {
    /// Begins a new corpus. Unless `replaces`, no file may have its name.
    ///
    /// # Errors
    ///
    /// See [`PartialOutput::begin`].
    pub fn new(path: &Path, replaces: bool) -> Result<AppendableCorpus> {
        let mut file = PartialOutput::begin(path, replaces)?;
        file.write_all(&[0; CorpusFileHeader::BYTES]).map_err(CliFailure::file(path, "cannot be written"))?;
        Ok(AppendableCorpus { path: path.into(), header: CorpusFileHeader::empty(), target: WriteTarget::New(file) })
    }

    /// Begins to rewrite a corpus, which keeps its id. The new shards must have the same games; `expected` is the header that
    /// was read before.
    ///
    /// # Errors
    ///
    /// Another program is writing it, or has written it since; see also [`PartialOutput::begin`].
    pub fn rewrite(path: &Path, expected: &CorpusFileHeader) -> Result<AppendableCorpus> {
        let cannot = || CliFailure::file(path, "cannot be written");
        let old = LockedCorpus::open(path)?;
        let mut head = [0; CorpusFileHeader::BYTES];
        (&old.file).read_exact(&mut head).map_err(cannot())?;
        if head != expected.to_bytes() {
            return Err(CliFailure::unsuitable(path, "another program changed it at this moment: try again"));
        }
        // If the path is a link, the link stays and its target is replaced.
        let mut file = PartialOutput::begin(&path.canonicalize().map_err(cannot())?, true)?;
        let same_rights = old.file.metadata().and_then(|found| file.set_permissions(found.permissions()));
        same_rights.and_then(|()| file.write_all(&[0; CorpusFileHeader::BYTES])).map_err(cannot())?;
        Ok(AppendableCorpus {
            path: path.into(),
            header: CorpusFileHeader::empty_with_id(expected.id),
            target: WriteTarget::Rewritten(file, old),
        })
    }

    /// Opens an existing corpus to append to it.
    ///
    /// # Errors
    ///
    /// It is no corpus, or damaged, or another program is writing it.
    pub fn append(path: &Path) -> Result<AppendableCorpus> {
        let cannot = || CliFailure::file(path, "cannot be written");
        // Only the holder of the lock has the current header; one that was read before may be out of date.
        let locked = LockedCorpus::open(path)?;
        let header = MappedCorpus::open_one(path)?.corpus(CorpusCheck::WithoutTexts)?.header;
        let length = header.length;
        let says = format!("{} is as it was", PrintablePath(path));
        let undo = locked.file.try_clone().map_err(cannot())?;
        let ticket = UndoGuard::new(says, move || drop(undo.set_len(length)));
        // Removes the bytes of an interrupted append.
        locked.file.set_len(length).map_err(cannot())?;
        (&locked.file).seek(SeekFrom::End(0)).map_err(cannot())?;
        Ok(AppendableCorpus { path: path.into(), header, target: WriteTarget::Appended(locked, ticket) })
    }

    /// Adds a shard; an empty one adds nothing.
    ///
    /// # Errors
    ///
    /// The disk is full, or the corpus has more games than it can number.
    pub fn push(&mut self, shard: &[u8]) -> Result<()> {
        if shard.is_empty() {
            return Ok(());
        }
        self.header.append(shard).map_err(CliFailure::corpus(&self.path))?;
        if self.header.games > u64::from(u32::MAX) {
            let what = "a corpus has at most 4,294,967,295 games: begin another file";
            return Err(CliFailure::unsuitable(&self.path, what));
        }
        let written = match &mut self.target {
            WriteTarget::New(file) | WriteTarget::Rewritten(file, _) => file.write_all(shard),
            WriteTarget::Appended(locked, ticket) => ticket.step(|| (&locked.file).write_all(shard)),
        };
        written.map_err(CliFailure::file(&self.path, "cannot be written"))
    }

    /// Returns the header for the games so far.
    pub fn header(&self) -> &CorpusFileHeader {
        &self.header
    }

    /// Completes the corpus.
    ///
    /// # Errors
    ///
    /// The system refuses it; the file is then unchanged.
    pub fn finish(self) -> Result<CorpusFileHeader> {
        let AppendableCorpus { path, header, target: to } = self;
        let bytes = header.to_bytes();
        let whole = |mut file: PartialOutput| {
            file.seek_to(0).and_then(|()| file.write_all(&bytes)).and_then(|()| file.finish())
        };
        let finished: io::Result<()> = match to {
            WriteTarget::New(file) => whole(file),
            WriteTarget::Rewritten(file, _old) => whole(file),
            WriteTarget::Appended(locked, ticket) => locked.file.sync_all().and_then(|()| {
                ticket.commit(|| {
                    let mut file = &locked.file;
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

/// A corpus that is open for writing and locked. An interrupt releases the lock too.
struct LockedCorpus {
    file: File,
    _undo: Option<UndoGuard>,
    _lock: FileLock,
}

impl LockedCorpus {
    fn open(path: &Path) -> Result<LockedCorpus> {
        let cannot = || CliFailure::file(path, "cannot be written");
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(CliFailure::unsuitable(path, "is not a regular file, so it is not a corpus"));
        }
        // The corpus may be named by a link.
        let file = fs::canonicalize(path).and_then(|path| open_to_update(&path)).map_err(cannot())?;
        let lock = FileLock::take(&file, path)?;
        let undo = lock.release().map(|release| UndoGuard::new(String::new(), release));
        let locked = LockedCorpus { file, _undo: undo, _lock: lock };
        if is_at(&locked.file, path) { Ok(locked) } else { Err(FileError::busy(path).into()) }
    }
}
