//! Remembers what was found out about a large file by reading all of it, so that the next program need not read it for that again.
//!
//! The system says when a file changes, so what is remembered belongs to its place on its device, its length and the times of its last
//! changes. It lies in a folder that the program names, a few bytes for a file. Without a folder, on systems without file numbers, and of
//! small files, nothing is remembered.

use std::fs::{self, Metadata};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use plyfold_core::corpus::file::OpenCorpus;
use plyfold_core::corpus::{CheckedParts, ShardParts};
use plyfold_files::{PartialFile, open};

/// Goes up whenever a check finds more than before.
const CHECKS: u32 = 1;
/// The checks of a smaller file take less than a millisecond.
const LEAST_BYTES: u64 = 1 << 20;
/// A file whose bytes changed less than so many seconds ago could change once more at what the system calls the same time.
#[cfg(unix)]
const LEAST_AGE_SECONDS: i64 = 2;

/// A file as the system describes it: equal as long as its bytes are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileState {
    /// What is remembered of the file lies under this name.
    name: String,
    text: String,
}

impl FileState {
    /// The state of an open file; none if nothing should be remembered of it.
    #[cfg(unix)]
    #[must_use]
    pub fn of(found: &Metadata) -> Option<FileState> {
        use std::os::unix::fs::MetadataExt;
        use std::time::{SystemTime, UNIX_EPOCH};
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs() as i64;
        let is_settled = now.saturating_sub(found.mtime()) > LEAST_AGE_SECONDS;
        (is_settled && found.len() >= LEAST_BYTES).then(|| FileState {
            name: format!("{}-{}", found.dev(), found.ino()),
            text: format!(
                "{CHECKS} {} {}.{:09} {}.{:09}",
                found.len(),
                found.mtime(),
                found.mtime_nsec(),
                found.ctime(),
                found.ctime_nsec()
            ),
        })
    }

    /// The state of an open file: none, since this system has no numbers of files.
    #[cfg(not(unix))]
    #[must_use]
    pub fn of(_: &Metadata) -> Option<FileState> {
        None
    }

    /// Returns what is remembered of the file as it is.
    #[must_use]
    pub fn recall(&self) -> Option<String> {
        let (state, what) = self.kept()?;
        (state == self.text).then_some(what)
    }

    /// Remembers something of the file as it is, in place of what was remembered before. Nobody needs it, so it may fail.
    pub fn remember(&self, what: &str) {
        // Without it, the next program checks the file once more.
        let _ = self.write(what);
    }

    fn write(&self, what: &str) -> Option<()> {
        let folder = FOLDER.get()?;
        fs::create_dir_all(folder).ok()?;
        let mut file = PartialFile::create(&folder.join(&self.name), true).ok()?;
        write!(file.file(), "{}\n{what}", self.text).ok()?;
        file.publish().ok()
    }

    /// A state of a file with this number, and what was remembered of it then.
    fn kept(&self) -> Option<(String, String)> {
        let mut kept = String::new();
        open(&FOLDER.get()?.join(&self.name)).ok()?.read_to_string(&mut kept).ok()?;
        let (state, what) = kept.split_once('\n')?;
        Some((state.to_owned(), what.to_owned()))
    }

    /// A text that is equal for equal states alone.
    #[must_use]
    pub fn identity(&self) -> String {
        format!("{} {}", self.name, self.text)
    }
}

/// Where programs remember, once they have said so.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Remembers in a folder within this one from now on, and until the program ends. If it cannot be written, nothing is remembered.
pub fn remember_checks_in(caches: PathBuf) {
    // The first folder stays.
    let _ = FOLDER.set(caches.join("checked"));
}

/// The checked parts of the shards of one file. When it is dropped, it remembers those that were not known before.
pub(crate) struct RememberedParts {
    state: FileState,
    known: Vec<ShardParts>,
    shards: Mutex<Vec<CheckedParts>>,
}

impl RememberedParts {
    /// Recalls them.
    pub fn of(state: FileState) -> RememberedParts {
        let known = state.recall().and_then(|kept| read_parts(&kept)).unwrap_or_default();
        RememberedParts { state, known, shards: Mutex::default() }
    }

    /// The file that they are of.
    pub fn state(&self) -> &FileState {
        &self.state
    }

    /// Returns whether everything but the texts is known of all shards.
    pub fn know_all(&self) -> bool {
        !self.known.is_empty() && self.known.iter().all(|parts| parts.contains(ShardParts::ALL_WITH_TEXT_PLACES))
    }

    /// Tells a corpus, whose parts are checked when they are used, what is known of them, and follows what is checked from now on.
    pub fn follow<S, B: AsRef<[u8]>>(&self, corpus: &OpenCorpus<S, B>) {
        let shards: Vec<CheckedParts> = corpus.checked_parts().cloned().collect();
        if shards.len() == self.known.len() {
            shards.iter().zip(&self.known).for_each(|(shard, &parts)| shard.know(parts));
        }
        *self.shards.lock().unwrap_or_else(PoisonError::into_inner) = shards;
    }
}

impl Drop for RememberedParts {
    fn drop(&mut self) {
        let shards = self.shards.get_mut().unwrap_or_else(PoisonError::into_inner);
        let checked: Vec<ShardParts> = shards.iter().map(CheckedParts::get).collect();
        if !checked.is_empty() && checked != self.known && checked.iter().any(|&parts| parts != ShardParts::NONE) {
            self.state.remember(&write_parts(&checked));
        }
    }
}

/// The parts of the shards, a number each.
fn write_parts(shards: &[ShardParts]) -> String {
    shards.iter().map(|parts| format!("{}\n", parts.bits())).collect()
}

fn read_parts(text: &str) -> Option<Vec<ShardParts>> {
    text.lines().map(|line| Some(ShardParts::from_bits(line.parse().ok()?))).collect()
}
