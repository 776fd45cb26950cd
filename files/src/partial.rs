//! A file that is being written: created beside its place under a name that nobody else uses, synced, and renamed when it
//! is whole.
//!
//! Whoever looks sees the old file or the new one. The name is `.NAME.XXXXXXXX.plyfold-part` with eight random letters and
//! digits, and it is created exclusively, so that no file, link or FIFO of the user is followed, emptied or waited for.
//! The file is locked while it is written. So a file of such a name without a lock was left by a program that was killed,
//! and whoever writes the same file next removes it; one with a lock belongs to a program that is writing the same file.
//! Where the file system knows no locks, left files stay until the user removes them.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::identity::folder_of;
use crate::lock::{Attempt, failed};
use crate::open::open_own_if_there;
use crate::{Problem, is_at};

/// How the name of a partial file ends.
const ENDING: &str = ".plyfold-part";
/// Random letters and digits in the name.
const RANDOM: usize = 8;
/// Longer names are cut, so that the name of the partial file is not too long for the file system.
const LONGEST: usize = 180;
/// How often a name is tried again.
const TRIES: usize = 16;

/// A file that is being written. Dropped without [`publish`](Partial::publish), it is removed.
#[derive(Debug)]
pub struct Partial {
    file: File,
    path: TempPath,
    place: PathBuf,
    replaces: bool,
}

impl Partial {
    /// Begins the file that will be at `place`. Unless it `replaces` what is there, nothing may be there at the end.
    ///
    /// # Errors
    ///
    /// A folder that is missing or cannot be written; another program that is writing the same file.
    pub fn create(place: &Path, replaces: bool) -> Result<Partial, Problem> {
        let Some(name) = place.file_name() else {
            return Err(Problem::NotThat(place.into(), "is no name of a file".into()));
        };
        let folder = folder_of(place);
        let prefix = prefix(name);
        for _ in 0..TRIES {
            let (file, path) = created(folder, &prefix).map_err(Problem::unwritten(place))?.into_parts();
            match Attempt::at(&file) {
                // Whoever tidies up between our creating and our locking may have removed it, or look at it just now.
                Attempt::Taken if !is_at(&file, &path) => continue,
                Attempt::Busy => continue,
                Attempt::Taken | Attempt::Unsupported => {}
                Attempt::Failed(error) => return Err(failed(place, &error)),
            }
            if is_written_by_another(folder, &prefix, &path) {
                return Err(Problem::busy(place));
            }
            return Ok(Partial { file, path, place: place.into(), replaces });
        }
        Err(Problem::busy(place))
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// What has to be done if the program ends before this is dropped.
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
    /// As the system says; another file has come to the place, and is not to be replaced.
    pub fn publish(self) -> io::Result<()> {
        named(self.path, &self.place, self.replaces).map_err(|(error, _)| error)
    }
}

/// Gives the file `from` the name `place`, where nothing may be. If that fails, it keeps the name that it has.
///
/// # Errors
///
/// As the system says; another file has come to the place.
pub fn publish_new(from: &Path, place: &Path) -> io::Result<()> {
    named(TempPath::try_from_path(from)?, place, false).map_err(|(error, from)| {
        // Without this, it would be removed.
        let _ = from.keep();
        error
    })
}

/// A file without a name in the folder of `place`: however the program ends, nothing is left of it.
///
/// # Errors
///
/// As the system says.
pub fn scratch(place: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder_of(place)).map_err(plain)
}

/// Gives a file its name. It `replaces` what is there, or else nothing may be there.
fn named(from: TempPath, place: &Path, replaces: bool) -> Result<(), (io::Error, TempPath)> {
    let done = if replaces { from.persist(place) } else { from.persist_noclobber(place) };
    done.or_else(|failed| match failed.error.kind() {
        ErrorKind::AlreadyExists => {
            let what = "another program has written it meanwhile, and it is kept";
            Err((io::Error::new(ErrorKind::AlreadyExists, what), failed.path))
        }
        // Not every file system can give a name only if it is free.
        _ if !replaces && is_free(place) => failed.path.persist(place).map_err(|failed| (failed.error, failed.path)),
        _ => Err((failed.error, failed.path)),
    })?;
    sync_folder(place);
    Ok(())
}

fn is_free(place: &Path) -> bool {
    fs::symlink_metadata(place).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// A new name reaches the disk too. Not every system lets a folder be opened; the file is whole in any case.
fn sync_folder(place: &Path) {
    if let Ok(folder) = File::open(folder_of(place)) {
        let _ = folder.sync_all();
    }
}

/// Whether only partial files have such a name.
pub(crate) fn is_partial(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && name.ends_with(ENDING.as_bytes())
}

/// How the names of the partial files of `name` begin.
fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    if name.len() <= LONGEST {
        prefix.push(name);
    } else {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        prefix.push(format!("{:016x}", hasher.finish()));
    }
    prefix.push(".");
    prefix
}

fn created(folder: &Path, prefix: &OsStr) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(ENDING).rand_bytes(RANDOM);
    // As any new file: what the user's mask takes away is taken away.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let made = builder.tempfile_in(folder);
    made.map_err(plain)
}

/// The error without the path that the library adds: the message has one already.
fn plain(error: io::Error) -> io::Error {
    let source = error.get_ref().and_then(std::error::Error::source);
    match source.and_then(|source| source.downcast_ref::<io::Error>()).and_then(io::Error::raw_os_error) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error,
    }
}

/// Removes what programs that were killed have left of the same file; true if another program is writing it.
fn is_written_by_another(folder: &Path, prefix: &OsStr, ours: &Path) -> bool {
    // A folder that cannot be read can be written all the same.
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let mut is_written = false;
    for entry in entries.flatten() {
        let name = entry.file_name();
        if Some(&*name) == ours.file_name() || !is_of(&name, prefix) {
            continue;
        }
        let path = entry.path();
        // What is no regular file, or cannot be opened, is none of ours.
        let Ok(file) = open_own_if_there(&path) else { continue };
        match Attempt::at(&file) {
            Attempt::Taken if is_at(&file, &path) => drop(fs::remove_file(&path)),
            Attempt::Busy => is_written |= is_at(&file, &path),
            Attempt::Taken | Attempt::Unsupported | Attempt::Failed(_) => {}
        }
    }
    is_written
}

/// Whether this is the name of a partial file with this prefix.
fn is_of(name: &OsStr, prefix: &OsStr) -> bool {
    let random = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
    let random = random.and_then(|rest| rest.strip_suffix(ENDING.as_bytes()));
    random.is_some_and(|random| random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric))
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
            let mut partial = Partial::create(&place, replaces).expect("room");
            partial.file().write_all(b"whole").expect("room");
            assert_eq!(place.exists(), replaces);
            partial.sync().expect("room");
            partial.publish().expect("room");
            assert_eq!(names(folder.path()), ["games"]);
        }
        drop(Partial::create(&place, true).expect("room"));
        assert_eq!(names(folder.path()), ["games"]);
        assert_eq!(fs::read(&place).expect("it is there"), b"whole");
    }

    #[test]
    #[cfg(unix)]
    fn its_rights_are_those_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let (place, other) = (folder.path().join("games"), folder.path().join("other"));
        Partial::create(&place, false).expect("room").publish().expect("room");
        fs::write(&other, "").expect("room");
        let rights = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode();
        assert_eq!(rights(&place), rights(&other));
    }

    #[test]
    fn what_comes_meanwhile_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("games");
        let partial = Partial::create(&place, false).expect("room");
        fs::write(&place, "of another program").expect("room");
        let error = partial.publish().expect_err("something is there").to_string();
        assert!(error.contains("another program has written it meanwhile"), "{error}");
        assert_eq!(fs::read(&place).expect("it is there"), b"of another program");
        assert_eq!(names(folder.path()), ["games"]);
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
        let first = Partial::create(&place, false).expect("nobody writes it");
        assert!(!left.exists());
        let error = Partial::create(&place, true).expect_err("the first writes it").to_string();
        assert!(error.contains("another program is writing it"), "{error}");
        Partial::create(&folder.path().join("others"), false).expect("nobody writes that");
        drop(first);
        drop(Partial::create(&place, false).expect("nobody writes it any more"));
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
        Partial::create(&place, false).expect("room").publish().expect("room");
        assert_eq!(fs::read(&precious).expect("it is there"), b"precious");
        assert!(link.is_symlink());
    }

    #[test]
    fn long_names_have_partial_files_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = "n".repeat(255);
        let place = folder.path().join(&name);
        let first = Partial::create(&place, false).expect("a name that is short enough");
        Partial::create(&place, false).expect_err("the first writes it");
        first.publish().expect("room");
        assert_eq!(names(folder.path()), [name]);
    }
}
