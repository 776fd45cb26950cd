//! A file that is being written: created beside its place under a unique name, synced, and renamed when it is complete.
//!
//! A reader sees the old file or the new one. The name is `.NAME.XXXXXXXX.plyfold-part` with eight random letters and digits.
//! The file is created exclusively, so the program never follows, empties or waits for a file, link or FIFO of the user. The
//! file is locked while it is written. If a file of such a name is not locked, a killed program left it, and the next program
//! that writes the same file removes it. If it is locked, another program is writing the same file. If the file system has no
//! locks, such files stay until the user removes them.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::error::FileError;
use crate::identity::{FileIdentity, folder_of, is_at};
use crate::lock::{lock_error, try_lock};
use crate::open::open_existing_own;

/// How the name of a partial file ends.
const PARTIAL_SUFFIX: &str = ".plyfold-part";
/// Random letters and digits in the name.
const RANDOM_CHARS: usize = 8;
/// Longer names are cut, so that the name of the partial file is not too long for the file system.
const MAX_NAME_BYTES: usize = 180;
/// How often another name is tried.
const MAX_TRIES: usize = 16;

/// A file that is being written. If it is dropped without [`publish`](PartialFile::publish), it is removed.
#[derive(Debug)]
pub struct PartialFile {
    file: File,
    path: TempPath,
    target: PathBuf,
    replaces: bool,
}

impl PartialFile {
    /// Begins the file at `place`. Unless `replaces`, no file may have its name at the end.
    ///
    /// # Errors
    ///
    /// The folder is missing or cannot be written; another program is writing the same file.
    pub fn create(target: &Path, replaces: bool) -> Result<PartialFile, FileError> {
        let Some(name) = target.file_name() else {
            return Err(FileError::Unsuitable(target.into(), "is not the name of a file".into()));
        };
        let folder = folder_of(target);
        let prefix = prefix(name);
        for _ in 0..MAX_TRIES {
            let (file, path) = create_partial(folder, &prefix).map_err(FileError::cannot_write(target))?.into_parts();
            match try_lock(&file) {
                // Between creating and locking, another program that removes leftovers may have removed it, or may be
                // examining it.
                Ok(true) if !is_at(&file, &path) => continue,
                Err(TryLockError::WouldBlock) => continue,
                Ok(_) => {}
                Err(TryLockError::Error(error)) => return Err(lock_error(target, &error)),
            }
            if is_written_by_another(folder, &prefix, &path) {
                return Err(FileError::busy(target));
            }
            return Ok(PartialFile { file, path, target: target.into(), replaces });
        }
        Err(FileError::busy(target))
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Returns what to do if the program ends before this is dropped.
    pub fn removal(&self) -> impl FnOnce() + Send + use<> {
        let path = self.path.to_path_buf();
        move || drop(fs::remove_file(path))
    }

    /// Waits until all bytes are on the disk.
    ///
    /// # Errors
    ///
    /// As the system says.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Gives the file its name.
    ///
    /// # Errors
    ///
    /// As the system says; another file has taken the name, and must not be replaced.
    pub fn publish(self) -> io::Result<()> {
        rename_into_place(self.path, &self.target, self.replaces).map_err(|(error, _)| error)
    }
}

/// Gives the file `from` the name `place`, which must be free. If that fails, the file keeps its name.
///
/// # Errors
///
/// As the system says; another file has taken the name.
pub fn publish_new(from: &Path, target: &Path) -> io::Result<()> {
    rename_into_place(TempPath::try_from_path(from)?, target, false).map_err(|(error, from)| {
        // Without this, the file would be removed.
        let _ = from.keep();
        error
    })
}

/// Gives the open file, which was at `from`, the name `target`, which must be free. Meanwhile another program may have put its own
/// file at `from`; that file is left alone.
///
/// # Errors
///
/// As the system says; another file has taken the name `target`, or another program has removed the open file.
pub fn publish_own(file: &File, from: &Path, target: &Path) -> io::Result<()> {
    let prefix = prefix(from.file_name().unwrap_or_default());
    // A program that was killed in the midst of this has left such a name.
    for left in partial_files(folder_of(from), &prefix) {
        remove_earlier_name(&left, from)?;
    }
    // A name that no other program uses: what has it cannot be changed between a look at it and the renaming.
    let own_name = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(PARTIAL_SUFFIX)
        .rand_bytes(RANDOM_CHARS)
        .make_in(folder_of(from), |name| fs::hard_link(from, name))
        .map_err(without_path)?
        .into_temp_path();
    if !is_at(file, &own_name) {
        let what = "another program has put another file in its place";
        return Err(io::Error::new(ErrorKind::AlreadyExists, what));
    }
    rename_into_place(own_name, target, false).map_err(|(error, _)| error)?;
    remove_earlier_name(from, target)
}

/// Removes the name `from` of a file that [`publish_own`] has given the name `target`, if a program was killed before it did so.
///
/// # Errors
///
/// As the system says.
pub fn remove_earlier_name(from: &Path, target: &Path) -> io::Result<()> {
    let is_regular = fs::symlink_metadata(from).is_ok_and(|about| about.is_file());
    if !is_regular || FileIdentity::of(from) != FileIdentity::of(target) {
        return Ok(());
    }
    match fs::remove_file(from) {
        // Another program has done so just now.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.map(|()| sync_folder(from)),
    }
}

/// A file without a name in the folder of `place`: nothing is left of it, however the program ends.
///
/// # Errors
///
/// As the system says.
pub fn unnamed_file(target: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder_of(target)).map_err(without_path)
}

/// Gives a file its name. Unless `replaces`, the name must be free.
fn rename_into_place(from: TempPath, target: &Path, replaces: bool) -> Result<(), (io::Error, TempPath)> {
    let done = if replaces { from.persist(target) } else { from.persist_noclobber(target) };
    done.or_else(|failed| match failed.error.kind() {
        ErrorKind::AlreadyExists => {
            let what = "another program has written it in the meantime, so it is kept";
            Err((io::Error::new(ErrorKind::AlreadyExists, what), failed.path))
        }
        // Some file systems cannot give a name only if it is free.
        _ if !replaces && is_free(target) => failed.path.persist(target).map_err(|failed| (failed.error, failed.path)),
        _ => Err((failed.error, failed.path)),
    })?;
    sync_folder(target);
    Ok(())
}

fn is_free(target: &Path) -> bool {
    fs::symlink_metadata(target).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Syncs the folder of a file, so that a new name reaches the disk too. Some systems cannot open a folder; the file is complete
/// in any case.
pub fn sync_folder(target: &Path) {
    if let Ok(folder) = File::open(folder_of(target)) {
        let _ = folder.sync_all();
    }
}

/// Returns whether the name is that of a partial file.
#[must_use]
pub fn is_partial(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && name.ends_with(PARTIAL_SUFFIX.as_bytes())
}

/// Returns how the names of the partial files of `name` begin.
fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    if name.len() <= MAX_NAME_BYTES {
        prefix.push(name);
    } else {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        prefix.push(format!("{:016x}", hasher.finish()));
    }
    prefix.push(".");
    prefix
}

fn create_partial(folder: &Path, prefix: &OsStr) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(PARTIAL_SUFFIX).rand_bytes(RANDOM_CHARS);
    // As for any new file, the user's mask applies.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let created = builder.tempfile_in(folder);
    created.map_err(without_path)
}

/// The error without the path that the library adds, since the message has one already.
fn without_path(error: io::Error) -> io::Error {
    let source = error.get_ref().and_then(std::error::Error::source);
    match source.and_then(|source| source.downcast_ref::<io::Error>()).and_then(io::Error::raw_os_error) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error,
    }
}

/// Removes what killed programs have left of the same file. Returns whether another program is writing the file.
fn is_written_by_another(folder: &Path, prefix: &OsStr, ours: &Path) -> bool {
    let mut is_written = false;
    for path in partial_files(folder, prefix).filter(|path| path.file_name() != ours.file_name()) {
        // A file that is not regular, or cannot be opened, is not ours.
        let Ok(file) = open_existing_own(&path) else { continue };
        match try_lock(&file) {
            Ok(true) if is_at(&file, &path) => drop(fs::remove_file(&path)),
            Err(TryLockError::WouldBlock) => is_written |= is_at(&file, &path),
            Ok(_) | Err(TryLockError::Error(_)) => {}
        }
    }
    is_written
}

/// The partial files with this prefix.
fn partial_files<'a>(folder: &Path, prefix: &'a OsStr) -> impl Iterator<Item = PathBuf> + use<'a> {
    // A folder that cannot be listed may still be writable.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(move |entry| is_partial_of(&entry.file_name(), prefix)).map(|entry| entry.path())
}

/// Whether this is the name of a partial file with this prefix.
fn is_partial_of(name: &OsStr, prefix: &OsStr) -> bool {
    let random = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
    let random = random.and_then(|rest| rest.strip_suffix(PARTIAL_SUFFIX.as_bytes()));
    random.is_some_and(|random| random.len() == RANDOM_CHARS && random.iter().all(u8::is_ascii_alphanumeric))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_when_it_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("games");
        for replaces in [false, true] {
            let mut partial = PartialFile::create(&place, replaces).expect("room");
            partial.file().write_all(b"whole").expect("room");
            assert_eq!(place.exists(), replaces);
            partial.sync().expect("room");
            partial.publish().expect("room");
            assert_eq!(names(folder.path()), ["games"]);
        }
        drop(PartialFile::create(&place, true).expect("room"));
        assert_eq!(names(folder.path()), ["games"]);
        assert_eq!(fs::read(&place).expect("it is there"), b"whole");
    }

    #[test]
    #[cfg(unix)]
    fn its_rights_are_those_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (place, other) = (folder.path().join("games"), folder.path().join("other"));
        PartialFile::create(&place, false).expect("room").publish().expect("room");
        fs::write(&other, "").expect("room");
        let rights = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode();
        assert_eq!(rights(&place), rights(&other));
    }

    #[test]
    fn what_comes_meanwhile_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("games");
        let partial = PartialFile::create(&place, false).expect("room");
        fs::write(&place, "of another program").expect("room");
        let error = partial.publish().expect_err("something is there").to_string();
        assert!(error.contains("another program has written it in the meantime"), "{error}");
        assert_eq!(fs::read(&place).expect("it is there"), b"of another program");
        assert_eq!(names(folder.path()), ["games"]);
    }

    #[test]
    fn an_open_file_is_published_and_what_took_its_place_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, target) = (folder.path().join("games.part"), folder.path().join("games"));
        fs::write(&from, "ours").expect("room");
        let ours = File::open(&from).expect("it is there");
        // Another program replaces it.
        fs::write(folder.path().join("other"), "of another program").expect("room");
        fs::rename(folder.path().join("other"), &from).expect("room");
        let error = publish_own(&ours, &from, &target).expect_err("it is another file").to_string();
        assert!(error.contains("another program has put another file in its place"), "{error}");
        assert_eq!(names(folder.path()), ["games.part"]);
        let theirs = File::open(&from).expect("it is there");
        publish_own(&theirs, &from, &target).expect("it is in its place");
        assert_eq!(names(folder.path()), ["games"]);
        assert_eq!(fs::read(&target).expect("it is there"), b"of another program");
    }

    /// A program is killed after it gave the file its name, or before.
    #[test]
    #[cfg(unix)]
    fn earlier_names_of_a_file_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, target) = (folder.path().join("games.part"), folder.path().join("games"));
        fs::write(&from, "ours").expect("room");
        fs::hard_link(&from, folder.path().join(".games.part.aB3dE6gH.plyfold-part")).expect("room");
        publish_own(&File::open(&from).expect("it is there"), &from, &target).expect("it is in its place");
        assert_eq!(names(folder.path()), ["games"]);
        fs::hard_link(&target, &from).expect("room");
        remove_earlier_name(&from, &target).expect("room");
        assert_eq!(names(folder.path()), ["games"]);
        remove_earlier_name(&from, &target).expect("nothing to do");
        fs::write(&from, "of another program").expect("room");
        remove_earlier_name(&from, &target).expect("nothing to do");
        fs::remove_file(&from).expect("it stays");
        std::os::unix::fs::symlink(&target, &from).expect("room");
        remove_earlier_name(&from, &target).expect("nothing to do");
        assert_eq!(names(folder.path()), ["games", "games.part"]);
    }

    #[test]
    fn what_was_left_is_removed_and_what_is_written_is_busy() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("games");
        let left = folder.path().join(".games.aB3dE6gH.plyfold-part");
        fs::write(&left, "left").expect("room");
        let others = [".games.short.plyfold-part", ".games.aB3dE6g-.plyfold-part", ".game.aB3dE6gH.plyfold-part"];
        for other in others {
            fs::write(folder.path().join(other), "of others").expect("room");
        }
        let first = PartialFile::create(&place, false).expect("nobody writes it");
        assert!(!left.exists());
        let error = PartialFile::create(&place, true).expect_err("the first writes it").to_string();
        assert!(error.contains("another program is writing it"), "{error}");
        PartialFile::create(&folder.path().join("others"), false).expect("nobody writes that");
        drop(first);
        drop(PartialFile::create(&place, false).expect("nobody writes it any more"));
        let mut kept = others.map(str::to_owned);
        kept.sort();
        assert_eq!(names(folder.path()), kept);
    }

    #[test]
    #[cfg(unix)]
    fn links_of_such_a_name_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (place, precious) = (folder.path().join("games"), folder.path().join("precious"));
        fs::write(&precious, "precious").expect("room");
        let link = folder.path().join(".games.aB3dE6gH.plyfold-part");
        std::os::unix::fs::symlink(&precious, &link).expect("room");
        PartialFile::create(&place, false).expect("room").publish().expect("room");
        assert_eq!(fs::read(&precious).expect("it is there"), b"precious");
        assert!(link.is_symlink());
    }

    #[test]
    fn long_names_have_partial_files_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = "n".repeat(255);
        let place = folder.path().join(&name);
        let first = PartialFile::create(&place, false).expect("a name that is short enough");
        PartialFile::create(&place, false).expect_err("the first writes it");
        first.publish().expect("room");
        assert_eq!(names(folder.path()), [name]);
    }
}
