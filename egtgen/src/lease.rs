//! Leases: which of several processes, on one machine or on many, may write a table in a folder that they share.
//!
//! A lease is a small file. It appears complete and under a name that must be free, so one process gets it. While the holder works,
//! it counts up a number in the file. A holder that has ended is found out in two ways. On the same machine the system says so: the
//! file is locked as long as its holder lives. Between machines a lock may not hold and clocks differ, so a process watches the
//! file: if its content stays the same for [`LeaseTimes::silence`] by the clock of the one who watches, the holder counts as ended.
//!
//! Such a holder may only have been silent. So whoever follows it never writes the same file: it goes on with a copy. And a holder
//! looks before each write whether the lease is still its own ([`Lease::check`]).

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use plyfold_files::{FileError, PartialFile, is_at, is_partial, open_to_update};

use crate::Error;

/// The folder of leases, in the folder of tables. Names that begin with a dot are not listed or served.
const LEASE_FOLDER: &str = ".fleet";
/// The extension of a lease.
const LEASE_EXTENSION: &str = "lease";
/// The first line of a lease.
const FIRST_LINE: &str = "egtgen lease 1";
/// More bytes than a lease has.
const MAX_LEASE_BYTES: u64 = 1 << 16;
/// The extension of a lease whose holder has ended, while it is removed.
const ENDED_EXTENSION: &str = "ended";

/// How often the holder of a lease gives a sign of life, and how long a process of another machine waits for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTimes {
    /// The time from one sign of life to the next. File systems on a network may not notice changes within two seconds.
    pub heartbeat: Duration,
    /// How long a lease stays the same until its holder counts as ended.
    pub silence: Duration,
}

impl Default for LeaseTimes {
    fn default() -> LeaseTimes {
        LeaseTimes { heartbeat: Duration::from_secs(3), silence: Duration::from_secs(120) }
    }
}

/// A process that takes leases, with what it has seen of those of others.
#[derive(Debug)]
pub struct LeaseTaker {
    folder: PathBuf,
    /// Who holds the lease, for people.
    name: String,
    /// Distinguishes machines, and mounts of one machine; none if the system has no such number.
    machine: Option<String>,
    times: LeaseTimes,
    /// The content of leases that others hold, and since when it has been the same.
    watched: HashMap<String, (String, Instant)>,
}

/// A lease that this process holds. It is given back when it is dropped.
#[derive(Debug)]
pub struct Lease {
    path: PathBuf,
    text: LeaseText,
    heartbeat: Duration,
    /// Keeps the lock.
    _file: File,
    is_lost: Arc<AtomicBool>,
    /// The thread that gives signs of life. It ends when the sender is dropped.
    beating: Option<(Sender<()>, JoinHandle<()>)>,
}

/// The content of a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LeaseText {
    id: String,
    machine: Option<String>,
    holder: String,
    /// Whether an earlier holder may still write the file of the table.
    is_shared: bool,
    beats: u64,
}

impl LeaseText {
    /// Returns the content of the lease. All contents of one lease have the same length, so that one overwrites the other.
    fn write(&self) -> String {
        let (shared, machine) = (u8::from(self.is_shared), self.machine.as_deref().unwrap_or("-"));
        let LeaseText { id, holder, beats, .. } = self;
        format!("{FIRST_LINE}\nid {id}\nmachine {machine}\nshared {shared}\nbeats {beats:020}\nheld by {holder}\n")
    }

    fn read(text: &str) -> Option<LeaseText> {
        let mut lines = text.strip_prefix(FIRST_LINE)?.trim_start().lines();
        let mut value = |name: &str| lines.next()?.strip_prefix(name).map(|value| value.trim().to_owned());
        Some(LeaseText {
            id: value("id")?,
            machine: value("machine").filter(|machine| machine != "-"),
            is_shared: value("shared")? != "0",
            beats: value("beats")?.parse().ok()?,
            holder: value("held by")?,
        })
    }
}

/// The state of the holder of a lease, as far as it is known.
enum HolderState {
    /// It lives, or may live.
    Alive,
    /// It has ended. The file of its lease is locked, so that no other process of this machine follows it.
    Ended(File),
    /// It has been silent for long.
    Silent,
}

impl LeaseTaker {
    /// A process that takes leases for tables of `tables`. `name` says in the leases who holds them.
    ///
    /// # Errors
    ///
    /// The folder of leases cannot be made, or is a link: it would be somebody else's.
    pub fn new(tables: &Path, name: &str, times: LeaseTimes) -> Result<LeaseTaker, Error> {
        let folder = tables.join(LEASE_FOLDER);
        fs::create_dir_all(&folder).map_err(|source| Error::file(&folder, "cannot be made", source))?;
        if folder.is_symlink() {
            let source = io::Error::other("it is a link, and the leases of a fleet need a folder of their own");
            return Err(Error::file(&folder, "cannot be used", source));
        }
        let (machine, name) = (machine_of(&folder), name.replace(char::is_control, " "));
        Ok(LeaseTaker { folder, name, machine, times, watched: HashMap::new() })
    }

    /// Tries to take the lease of a table; `None` if another process has it, or is just taking it. It never waits; call it again
    /// from time to time.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written.
    pub fn take(&mut self, table: &str) -> Result<Option<Lease>, Error> {
        let path = self.lease_path(table);
        let mut is_shared = true;
        match read_lease(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => return Err(Error::file(&path, "cannot be read", source)),
            Ok((_, text)) if !text.starts_with(FIRST_LINE) => {
                let source = io::Error::other("it is no lease of egtgen: remove it, or generate into another folder");
                return Err(Error::file(&path, "cannot be used", source));
            }
            Ok((file, text)) => {
                let known = LeaseText::read(&text);
                match self.holder_state(table, file, (&text, known.as_ref()), &path)? {
                    HolderState::Alive => return Ok(None),
                    HolderState::Ended(_lock) if remove_unchanged(&path, &text)? => {
                        is_shared = known.is_none_or(|known| known.is_shared);
                    }
                    HolderState::Silent if remove_unchanged(&path, &text)? => {}
                    HolderState::Ended(_) | HolderState::Silent => return Ok(None),
                }
            }
        }
        self.watched.remove(table);
        self.create(path, is_shared)
    }

    /// Removes what killed processes have left of the leases of complete tables.
    pub fn clean_up(mut self, tables: impl Iterator<Item = String>) {
        for table in tables {
            if self.lease_path(&table).exists() {
                // If it can be taken, it is removed again.
                drop(self.take(&table));
            }
        }
        // A process that is just taking a lease begins again if its file is gone.
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        for left in entries.filter(|path| is_left_of_lease(path)) {
            let _ = fs::remove_file(left);
        }
    }

    fn lease_path(&self, table: &str) -> PathBuf {
        self.folder.join(table).with_extension(LEASE_EXTENSION)
    }

    /// Takes leases as a process of another machine.
    #[cfg(test)]
    pub(crate) fn on_other_machine(mut self, machine: &str) -> LeaseTaker {
        self.machine = Some(machine.to_owned());
        self
    }

    fn holder_state(
        &mut self,
        table: &str,
        file: File,
        (text, known): (&str, Option<&LeaseText>),
        path: &Path,
    ) -> Result<HolderState, Error> {
        if self.machine.is_some() && known.is_some_and(|known| known.machine == self.machine) {
            match file.try_lock() {
                Ok(()) if is_at(&file, path) => return Ok(HolderState::Ended(file)),
                Ok(()) | Err(TryLockError::WouldBlock) => return Ok(HolderState::Alive),
                // The file system has no locks, so the content tells.
                Err(TryLockError::Error(_)) => {}
            }
        }
        match self.watched.get(table) {
            Some((seen, since)) if seen == text => {
                Ok(if since.elapsed() >= self.times.silence { HolderState::Silent } else { HolderState::Alive })
            }
            _ => {
                self.watched.insert(table.to_owned(), (text.to_owned(), Instant::now()));
                Ok(HolderState::Alive)
            }
        }
    }

    fn create(&self, path: PathBuf, is_shared: bool) -> Result<Option<Lease>, Error> {
        let id = format!("{:016x}{:016x}", random_number(), random_number());
        let text = LeaseText { id, machine: self.machine.clone(), holder: self.name.clone(), is_shared, beats: 0 };
        let mut partial = match PartialFile::create(&path, false) {
            Err(FileError::Busy(_)) => return Ok(None),
            // The last process of an earlier fleet has removed the folder.
            Err(FileError::File { source, .. }) if source.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(&self.folder)
                    .map_err(|source| Error::file(&self.folder, "cannot be made", source))?;
                return Ok(None);
            }
            created => created?,
        };
        let failed = |source| Error::file(&path, "cannot be written", source);
        partial.file().write_all(text.write().as_bytes()).map_err(failed)?;
        let file = partial.file().try_clone().map_err(failed)?;
        match partial.publish() {
            Err(error) if [ErrorKind::AlreadyExists, ErrorKind::NotFound].contains(&error.kind()) => {
                return Ok(None);
            }
            published => published.map_err(failed)?,
        }
        let (heartbeat, is_lost) = (self.times.heartbeat, Arc::default());
        let mut lease = Lease { path, text, heartbeat, _file: file, is_lost, beating: None };
        lease.start_beating();
        Ok(Some(lease))
    }
}

impl Drop for LeaseTaker {
    fn drop(&mut self) {
        // The folder stays as long as anybody has a lease in it.
        let _ = fs::remove_dir(&self.folder);
    }
}

impl Lease {
    /// Returns whether an earlier holder may still write the file of the table, so that this one must write another.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.text.is_shared
    }

    /// Notes that this process alone writes the file of the table.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn set_unshared(&mut self) -> Result<(), Error> {
        self.stop_beating();
        self.text.is_shared = false;
        rewrite(&self.path, &self.text).map_err(|error| self.lost_or(error))?;
        self.start_beating();
        Ok(())
    }

    /// Looks whether the lease is still held. A file system on a network asks the server when a file is opened.
    ///
    /// # Errors
    ///
    /// [`Error::TakenOver`] if another process has it, or the file cannot be read.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_lost.load(Ordering::Relaxed) {
            return Err(Error::TakenOver(self.path.clone()));
        }
        let (_, text) = read_lease(&self.path).map_err(|error| self.lost_or(error))?;
        match LeaseText::read(&text) {
            Some(found) if found.id == self.text.id => Ok(()),
            _ => Err(Error::TakenOver(self.path.clone())),
        }
    }

    fn lost_or(&self, error: io::Error) -> Error {
        match error.kind() {
            ErrorKind::NotFound => Error::TakenOver(self.path.clone()),
            _ => Error::file(&self.path, "cannot be read", error),
        }
    }

    fn start_beating(&mut self) {
        let (path, mut text, is_lost) = (self.path.clone(), self.text.clone(), Arc::clone(&self.is_lost));
        let (heartbeat, (sender, receiver)) = (self.heartbeat, channel::<()>());
        let thread = std::thread::spawn(move || {
            while receiver.recv_timeout(heartbeat) == Err(RecvTimeoutError::Timeout) {
                text.beats += 1;
                match rewrite(&path, &text) {
                    Err(error) if error.kind() == ErrorKind::NotFound => {
                        is_lost.store(true, Ordering::Relaxed);
                        return;
                    }
                    // What fails for a while is tried again. If it fails for long, another process takes over.
                    Ok(()) | Err(_) => {}
                }
            }
        });
        self.beating = Some((sender, thread));
    }

    fn stop_beating(&mut self) {
        if let Some((sender, thread)) = self.beating.take() {
            drop(sender);
            let _ = thread.join();
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.stop_beating();
        if self.check().is_ok() {
            // If the file cannot be removed, others find that its holder has ended.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether a file is what a killed process has left of a lease: it is known by its content, since another program may use a folder
/// of this name.
fn is_left_of_lease(path: &Path) -> bool {
    let is_ended = path.extension() == Some(ENDED_EXTENSION.as_ref());
    // A lease that ends is complete. One that begins may be empty.
    let is_begun = path.file_name().is_some_and(is_partial);
    let is_lease = |text: &str| text.starts_with(FIRST_LINE) || is_begun && text.is_empty();
    (is_ended || is_begun) && read_lease(path).is_ok_and(|(_, text)| is_lease(&text))
}

fn read_lease(path: &Path) -> io::Result<(File, String)> {
    let mut file = open_to_update(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(MAX_LEASE_BYTES).read_to_end(&mut bytes)?;
    Ok((file, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Writes the content of a lease again; an error of the kind `NotFound` if the lease is another's.
fn rewrite(path: &Path, text: &LeaseText) -> io::Result<()> {
    let (mut file, found) = read_lease(path)?;
    if LeaseText::read(&found).is_none_or(|found| found.id != text.id) {
        return Err(ErrorKind::NotFound.into());
    }
    file.rewind()?;
    file.write_all(text.write().as_bytes())
}

/// Removes the lease of a holder that has ended. False if it is not what it was, or another process removes it.
fn remove_unchanged(path: &Path, text: &str) -> Result<bool, Error> {
    // Under a name of its own, nobody else can change it.
    let grave = path.with_extension(format!("{:016x}.{ENDED_EXTENSION}", random_number()));
    match fs::rename(path, &grave) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        renamed => renamed.map_err(|source| Error::file(path, "cannot be removed", source))?,
    }
    let is_unchanged = read_lease(&grave).is_ok_and(|(_, found)| found == text);
    if !is_unchanged {
        // Its holder lives. If it cannot be given back, the holder finds that it has lost the lease.
        let _ = fs::hard_link(&grave, path);
    }
    let _ = fs::remove_file(&grave);
    Ok(is_unchanged)
}

fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A name for this machine since it was started, and for the mount in which the folder is.
#[cfg(target_os = "linux")]
fn machine_of(folder: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let start = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let device = fs::metadata(folder).ok()?.dev();
    Some(format!("{}/{device:x}", start.trim())).filter(|name| !name.contains(char::is_whitespace))
}

/// A name for this machine. Without one, all others count as processes of other machines.
#[cfg(not(target_os = "linux"))]
fn machine_of(_: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody gives a sign of life by itself, and whoever is seen the same twice has been silent for long enough.
    const IMPATIENT: LeaseTimes = LeaseTimes { heartbeat: Duration::from_secs(3600), silence: Duration::ZERO };

    fn taker(folder: &Path, machine: &str) -> LeaseTaker {
        LeaseTaker::new(folder, machine, IMPATIENT).expect("room").on_other_machine(machine)
    }

    fn taken(taker: &mut LeaseTaker) -> Option<Lease> {
        taker.take("KRvK").expect("a folder")
    }

    #[test]
    fn one_process_has_a_lease() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut one, mut other) = (taker(folder.path(), "a"), taker(folder.path(), "a"));
        let lease = taken(&mut one).expect("nobody has it");
        assert!(lease.check().is_ok() && lease.is_shared(), "a file of an unknown writer may be there");
        // On the same machine the holder is known to live, however long it is silent.
        assert!((0..3).all(|_| taken(&mut other).is_none()));
        drop(lease);
        assert!(taken(&mut other).is_some());
        let third = other.take("KQvK").expect("a folder");
        taker(folder.path(), "a").clean_up(["KQvK".to_owned()].into_iter());
        assert!(folder.path().join(".fleet/KQvK.lease").exists(), "its holder lives");
        drop(third);
        other.clean_up(std::iter::empty());
        assert!(!folder.path().join(".fleet").exists());
        assert!(taken(&mut one).is_none(), "the folder is made first");
        assert!(taken(&mut one).is_some());
    }

    #[test]
    fn who_has_ended_on_the_same_machine_is_followed_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(".fleet/KRvK.lease");
        let (mut one, mut other) = (taker(folder.path(), "a"), taker(folder.path(), "a"));
        for is_shared in [true, false] {
            let mut lease = taken(&mut one).expect("nobody has it");
            if !is_shared {
                lease.set_unshared().expect("it is held");
            }
            let text = fs::read(&path).expect("it is there");
            drop(lease);
            // As if the process had been killed.
            fs::write(&path, text).expect("room");
            let lease = taken(&mut other).expect("its holder has ended");
            assert_eq!(lease.is_shared(), is_shared);
        }
        fs::write(&path, FIRST_LINE).expect("room");
        assert!(taken(&mut other).is_none(), "it is damaged, and seen for the first time");
        let lease = taken(&mut other).expect("nobody changes it");
        assert!(lease.is_shared());
        // A table was completed, and its maker was killed before it gave the lease back.
        let text = fs::read(&path).expect("it is there");
        drop(lease);
        fs::write(&path, text).expect("room");
        fs::write(path.with_extension("1234.ended"), FIRST_LINE).expect("room");
        other.clean_up(["KRvK".to_owned()].into_iter());
        assert!(!folder.path().join(".fleet").exists());
    }

    #[test]
    fn files_of_others_stay_where_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let foreign = folder.path().join(".fleet");
        fs::create_dir(&foreign).expect("room");
        let names = ["settings.json", "KRvK.lease", ".notes.aB3dE6gH.plyfold-part", "KQvK.1234.ended"];
        for name in names {
            fs::write(foreign.join(name), "mine").expect("room");
        }
        let mut one = taker(folder.path(), "a");
        assert!(one.take("KRvK").is_err_and(|error| error.to_string().contains("no lease of egtgen")));
        drop(one.take("KQvK").expect("nobody has it"));
        // No more is read of a file than a lease has.
        let large = File::create(foreign.join("KBvK.lease")).expect("room");
        large.set_len(1 << 40).expect("no room is needed");
        assert!(one.take("KBvK").is_err_and(|error| error.to_string().contains("no lease of egtgen")));
        fs::write(foreign.join("KNvK.1234.ended"), "").expect("room");
        one.clean_up(["KRvK".to_owned(), "KQvK".to_owned()].into_iter());
        assert!(foreign.join("KNvK.1234.ended").exists(), "no lease ends empty");
        for name in names {
            assert_eq!(fs::read(foreign.join(name)).expect("it is still there"), b"mine", "{name}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_folder_of_leases_is_no_link_and_a_lease_no_fifo() {
        let folder = tempfile::tempdir().expect("a folder");
        let (tables, home) = (folder.path().join("tables"), folder.path().join("home"));
        for folder in [&tables, &home] {
            fs::create_dir(folder).expect("room");
        }
        std::os::unix::fs::symlink(&home, tables.join(".fleet")).expect("room");
        let refused = LeaseTaker::new(&tables, "a", IMPATIENT).expect_err("it is a link");
        assert!(refused.to_string().contains("it is a link"), "{refused}");
        let mut one = taker(&home, "a");
        let fifo = std::process::Command::new("mkfifo").arg(home.join(".fleet/KRvK.lease")).status();
        assert!(fifo.is_ok_and(|made| made.success()));
        assert!(one.take("KRvK").is_err_and(|error| error.to_string().contains("it is a FIFO")));
    }

    #[test]
    fn who_is_silent_on_another_machine_loses_its_lease_and_notices() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut one, mut other) = (taker(folder.path(), "a"), taker(folder.path(), "b"));
        let lease = taken(&mut one).expect("nobody has it");
        assert!(taken(&mut other).is_none(), "it is seen for the first time");
        rewrite(&lease.path, &LeaseText { beats: 1, ..lease.text.clone() }).expect("it is held");
        assert!(taken(&mut other).is_none(), "it has given a sign of life");
        let second = taken(&mut other).expect("it was silent");
        assert!(second.is_shared(), "the first may still write");
        assert!(matches!(lease.check(), Err(Error::TakenOver(_))));
        assert_eq!(rewrite(&lease.path, &lease.text).map_err(|error| error.kind()), Err(ErrorKind::NotFound));
        drop(lease);
        second.check().expect("the first leaves it alone");
        let names = fs::read_dir(folder.path().join(".fleet")).expect("a folder").count();
        assert_eq!(names, 1, "nothing else is left");
    }

    #[test]
    fn a_sign_of_life_at_the_last_moment_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let lease = taken(&mut taker(folder.path(), "a")).expect("nobody has it");
        let seen = lease.text.write();
        rewrite(&lease.path, &LeaseText { beats: 1, ..lease.text.clone() }).expect("it is held");
        assert!(!remove_unchanged(&lease.path, &seen).expect("a folder"));
        lease.check().expect("it was given back");
    }

    #[test]
    fn a_holder_gives_signs_of_life() {
        let folder = tempfile::tempdir().expect("a folder");
        let times = LeaseTimes { heartbeat: Duration::from_millis(1), ..IMPATIENT };
        let mut one = taker(folder.path(), "a");
        one.times = times;
        let lease = taken(&mut one).expect("nobody has it");
        let beats = || LeaseText::read(&read_lease(&lease.path).expect("it is there").1).map(|text| text.beats);
        while beats().is_none_or(|beats| beats < 3) {
            std::thread::yield_now();
        }
        fs::remove_file(&lease.path).expect("it is there");
        while !lease.is_lost.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        assert!(matches!(lease.check(), Err(Error::TakenOver(_))));
    }
}
