//! Writes the published folder: it decides whether the folder is ours, what stays, what is written, and what is removed at the end.
//!
//! `library.json` is written last, so a folder that is half written still shows the old library. Files that only the old library
//! names are removed after that. While the folder is written, no other program can begin to write it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use egtgen::packed_folder::check_replaceable;
use plyfold_core::corpus::transport::is_of_this_version;
use plyfold_files::{PrintablePath, open};
use plyfold_terminal::partial_output::PartialOutput;
use serde::Serialize;

use super::library::{
    LIBRARY_FILE, LIBRARY_FOLDER, Library, MAX_LIBRARY_BYTES, MAX_TEXT_BYTES, PublishedShard, TABLES_FOLDER, digest_of,
    is_digest, is_digest_of,
};
use super::site::{is_site_file, read_bounded, site_files};
use crate::failure::{CliFailure, Result};

/// The endings of files that are named after their digests.
const NAMED_ENDINGS: [&str; 4] = [".scan", ".text", ".md", ".tsv"];
/// The ending of a file that is being written.
const PARTIAL_ENDING: &str = ".plyfold-part";

/// A folder that is being written.
pub struct PublishedFolder {
    root: PathBuf,
    /// The library that the folder shows now.
    previous: Option<Library>,
    /// The site's files that were there before, with their digests.
    previous_site: BTreeMap<String, String>,
    /// Keeps other programs from writing, and becomes the new `library.json`.
    new_library: PartialOutput,
    state: Mutex<FolderState>,
}

#[derive(Default)]
struct FolderState {
    /// What this program has written or found to be right.
    present: BTreeSet<String>,
    written: FileCount,
    kept: FileCount,
}

/// Some files.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize)]
pub struct FileCount {
    pub files: u64,
    pub bytes: u64,
}

/// What became of the files of the folder.
#[derive(Clone, Copy, Default, Serialize)]
pub struct FolderChanges {
    pub written: FileCount,
    pub kept: FileCount,
    pub removed: FileCount,
}

impl FileCount {
    fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
    }
}

impl PublishedFolder {
    /// Opens a folder for writing, or creates it.
    ///
    /// # Errors
    ///
    /// It has files that no `plyfold publish` wrote, and `force` is not set; it cannot be written; another program is writing it.
    pub fn open(root: &Path, force: bool) -> Result<PublishedFolder> {
        if !force {
            check_ours(root)?;
        }
        fs::create_dir_all(root).map_err(CliFailure::file(root, "cannot be made"))?;
        let new_library = PartialOutput::begin(&root.join(LIBRARY_FILE), true)?;
        Ok(PublishedFolder {
            root: root.to_path_buf(),
            // What cannot be read is written anew.
            previous: previous_library(root),
            previous_site: site_files(root).unwrap_or_default(),
            new_library,
            state: Mutex::default(),
        })
    }

    /// The library that the folder shows now.
    pub fn previous(&self) -> Option<&Library> {
        self.previous.as_ref()
    }

    /// The path of a file of the folder.
    pub fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    fn state(&self) -> MutexGuard<'_, FolderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether this is the first request for this file.
    fn is_first(&self, file: &str) -> bool {
        self.state().present.insert(file.to_owned())
    }

    /// Keeps both files of a shard if they are there, packed as this version packs.
    pub fn keep_shard(&self, shard: &PublishedShard) -> bool {
        let files =
            [Some((&shard.scan.file, shard.scan.bytes)), shard.text.as_ref().map(|text| (&text.file, text.bytes))];
        let is_there = |(file, bytes): &(&String, u64)| has_length(&self.path(file), *bytes);
        let are_there = files.iter().flatten().all(is_there) && is_packed_as_now(&self.path(&shard.scan.file));
        if are_there {
            for (_, bytes) in files.into_iter().flatten().filter(|(file, _)| self.is_first(file)) {
                self.state().kept.add(bytes);
            }
        }
        are_there
    }

    /// Writes a file that is named after its digest, unless it is there. Returns its path.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn write_named(&self, bytes: &[u8], ending: &str) -> Result<String> {
        let file = format!("{LIBRARY_FOLDER}{}{ending}", digest_of(bytes));
        if self.is_first(&file) {
            match has_length(&self.path(&file), bytes.len() as u64) {
                true => self.state().kept.add(bytes.len() as u64),
                false => self.copy(&file, &mut &*bytes)?,
            }
        }
        Ok(file)
    }

    /// Writes a file, unless it is there with these bytes.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn write(&self, file: &str, bytes: &[u8]) -> Result<()> {
        let path = self.path(file);
        if has_bytes(&path, bytes) {
            self.keep(file, bytes.len() as u64);
            return Ok(());
        }
        self.copy(file, &mut &*bytes)
    }

    /// Notes that a file is right as it is.
    pub fn keep(&self, file: &str, bytes: u64) {
        self.is_first(file);
        self.state().kept.add(bytes);
    }

    /// Writes a file from a reader.
    ///
    /// # Errors
    ///
    /// It cannot be read or written.
    pub fn copy(&self, file: &str, from: &mut dyn io::Read) -> Result<()> {
        let path = self.path(file);
        self.make_folder_of(file)?;
        let mut out = PartialOutput::begin_saying(String::new(), &path, true)?;
        let cannot = || CliFailure::file(&path, "cannot be written");
        let bytes = io::copy(from, &mut out).map_err(cannot())?;
        out.finish().map_err(cannot())?;
        self.is_first(file);
        self.state().written.add(bytes);
        Ok(())
    }

    /// Makes the folder of a file below the root. A link there could lead to files that are not of this folder.
    fn make_folder_of(&self, file: &str) -> Result<()> {
        let mut folder = self.root.clone();
        let Some((folders, _)) = file.rsplit_once('/') else { return Ok(()) };
        for name in folders.split('/') {
            folder.push(name);
            match fs::create_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => made.map_err(CliFailure::file(&folder, "cannot be made"))?,
            }
            if !fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
                let what = "is a link or a file where a folder of the library should be: remove it";
                return Err(CliFailure::unsuitable(folder, what));
            }
        }
        Ok(())
    }

    /// Writes `library.json`, unless it is the same, and removes what nothing names any longer.
    ///
    /// # Errors
    ///
    /// The file cannot be written. If something cannot be removed, the library stands all the same.
    pub fn finish(self, mut library: Library) -> Result<FolderChanges> {
        let PublishedFolder { root, previous, previous_site, mut new_library, state } = self;
        let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let FolderState { mut present, mut written, mut kept } = state;
        let path = root.join(LIBRARY_FILE);
        if let Some(previous) = &previous {
            let today = std::mem::replace(&mut library.updated, previous.updated.clone());
            // Nothing has changed, and so the day stays.
            if library != *previous {
                library.updated = today;
            }
        }
        let bytes = library.to_bytes()?;
        // What no reader takes is not written.
        Library::read(&bytes).map_err(|what| CliFailure::unsuitable(&path, what))?;
        if has_bytes(&path, &bytes) {
            kept.add(bytes.len() as u64);
        } else {
            let cannot = || CliFailure::file(&path, "cannot be written");
            new_library.write_all(&bytes).map_err(cannot())?;
            new_library.finish().map_err(cannot())?;
            written.add(bytes.len() as u64);
        }
        present.insert(LIBRARY_FILE.into());
        let mut removed = FileCount::default();
        for file in obsolete_files(&root, previous.as_ref(), previous_site, &present) {
            remove(&root, &file, &mut removed)?;
        }
        Ok(FolderChanges { written, kept, removed })
    }
}

/// Returns what the folder shows now, as far as it can be read.
fn previous_library(root: &Path) -> Option<Library> {
    Library::read(&read_bounded(&root.join(LIBRARY_FILE), MAX_LIBRARY_BYTES).ok()?).ok()
}

/// Files that this program wrote earlier and that nothing names any longer.
fn obsolete_files(
    root: &Path,
    previous: Option<&Library>,
    previous_site: BTreeMap<String, String>,
    present: &BTreeSet<String>,
) -> BTreeSet<String> {
    // Somebody else may have changed what `sw.js` and `library.json` list; no other file goes for that.
    let site = previous_site.into_iter().filter(|(file, _)| !present.contains(file));
    let site = site.filter(|(file, digest)| is_site_file(&root.join(file), digest));
    let mut files: BTreeSet<String> = site.map(|(file, _)| file).collect();
    if let Some(tables) = previous.and_then(|library| library.tables.as_ref()).filter(|it| it.folder == TABLES_FOLDER) {
        let tables = tables.names.iter().map(|name| format!("{TABLES_FOLDER}{name}.egp"));
        files.extend(tables.filter(|file| check_replaceable(&root.join(file)).is_ok()));
    }
    let recorded: BTreeSet<&str> = previous.iter().flat_map(|library| library.named_files()).collect();
    let is_of_library =
        |file: &String| recorded.contains(file.as_str()) || is_left_over(file) || has_its_digest(root, file);
    let named = names_in(&root.join(LIBRARY_FOLDER)).unwrap_or_default();
    let named = named.iter().filter(|name| is_ours(name)).map(|name| format!("{LIBRARY_FOLDER}{name}"));
    files.extend(named.filter(is_of_library));
    files.retain(|file| !present.contains(file));
    files
}

/// Removes a file below the root, unless it is reached by a link.
fn remove(root: &Path, file: &str, removed: &mut FileCount) -> Result<()> {
    let path = root.join(file);
    let Some(folder) = path.parent() else { return Ok(()) };
    let Ok(found) = fs::symlink_metadata(&path) else { return Ok(()) };
    let below = file.rsplit_once('/').map_or("", |(folders, _)| folders);
    let is_there = |root: PathBuf| folder.canonicalize().is_ok_and(|folder| folder == root.join(below));
    if !root.canonicalize().is_ok_and(is_there) {
        return Ok(());
    }
    match fs::remove_file(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(CliFailure::file(&path, "is no longer part of the library and cannot be removed")(error)),
        Ok(()) => {
            removed.add(found.len());
            // An empty folder goes too; one that is not stays.
            let _ = fs::remove_dir(folder);
            Ok(())
        }
    }
}

/// Whether the name in the folder of the library is one that this program gives, also while it writes.
fn is_ours(name: &str) -> bool {
    let partial = name.strip_prefix('.').and_then(|name| name.strip_suffix(PARTIAL_ENDING));
    let name = partial.and_then(|name| name.rsplit_once('.')).map_or(name, |(name, _)| name);
    NAMED_ENDINGS.iter().any(|ending| name.strip_suffix(ending).is_some_and(is_digest))
}

/// Whether a file of the library is one that was being written when the program was killed.
fn is_left_over(file: &str) -> bool {
    file.ends_with(PARTIAL_ENDING)
}

/// Whether a file is named after its digest: the name alone could be that of somebody else's file.
fn has_its_digest(root: &Path, file: &str) -> bool {
    let name = file.rsplit('/').next().and_then(|name| name.split('.').next());
    let bytes = read_bounded(&root.join(file), MAX_TEXT_BYTES);
    name.zip(bytes.ok()).is_some_and(|(digest, bytes)| is_digest_of(digest, &bytes))
}

/// Whether a file is a packed scan part of the version that is written now.
fn is_packed_as_now(path: &Path) -> bool {
    let mut head = [0; 12];
    open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok_and(|()| is_of_this_version(&head))
}

fn has_length(path: &Path, bytes: u64) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() == bytes)
}

fn has_bytes(path: &Path, bytes: &[u8]) -> bool {
    let read = || {
        let mut found = Vec::with_capacity(bytes.len());
        open(path)?.read_to_end(&mut found).map(|_| found)
    };
    has_length(path, bytes.len() as u64) && read().is_ok_and(|found| found == bytes)
}

/// The names in a folder.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Refuses a folder with files of others: one that is not empty and has neither a library nor a site of ours, nor the beginning of
/// one, which has files of games before all others.
fn check_ours(root: &Path) -> Result<()> {
    let names = match names_in(root) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        names => names.map_err(CliFailure::file(root, "cannot be read"))?,
    };
    let is_of_library = |name: &String| is_ours(name) && has_its_digest(root, &format!("{LIBRARY_FOLDER}{name}"));
    let has_games = names_in(&root.join(LIBRARY_FOLDER)).is_ok_and(|names| names.iter().any(is_of_library));
    let is_empty = names.iter().all(|name| {
        // The first file of games may have been begun.
        let is_begun = |file: &String| is_ours(file) && is_left_over(file);
        let is_bare = format!("{name}/") == LIBRARY_FOLDER
            && names_in(&root.join(name)).is_ok_and(|in_it| in_it.iter().all(is_begun));
        is_bare || (name.starts_with(&format!(".{LIBRARY_FILE}.")) && name.ends_with(PARTIAL_ENDING))
    });
    if is_empty || previous_library(root).is_some() || site_files(root).is_some() {
        return Ok(());
    }
    if has_games && !root.join(LIBRARY_FILE).exists() {
        return Ok(());
    }
    let what = match root.join(LIBRARY_FILE).exists() {
        true => {
            "has a library.json that is not one of plyfold: choose another folder, or write into this one with --force"
        }
        false => {
            "has files, and none of them is a library or a site of plyfold: choose another folder, or write into this one with --force"
        }
    };
    Err(CliFailure::unsuitable(root, what))
}

/// The inputs of the command: what they are for, and their paths.
pub type Inputs<'a> = BTreeMap<&'a Path, &'static str>;

/// Refuses an output folder in which an input lies, or that lies in a folder which is read: one would become the other.
///
/// # Errors
///
/// Which input, and what to do.
pub fn check_apart(root: &Path, inputs: &Inputs<'_>) -> Result<()> {
    let root_itself = resolved(root);
    for (path, role) in inputs {
        let Ok(input) = path.canonicalize() else { continue };
        let (root, path) = (PrintablePath(root), PrintablePath(path));
        let what = match (input.starts_with(&root_itself), root_itself.starts_with(&input)) {
            (false, false) => continue,
            (true, _) => format!("{role} {path} lies in the folder {root}, which is written"),
            (false, true) => format!("the folder {root}, which is written, lies in {role} {path}"),
        };
        return Err(CliFailure::Usage(format!("{what}: choose another folder")));
    }
    Ok(())
}

/// The path without links, of a folder that need not exist.
fn resolved(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|begin| {
        let here = if begin.as_os_str().is_empty() { Path::new(".") } else { begin };
        Some(here.canonicalize().ok()?.join(path.strip_prefix(begin).ok()?))
    });
    found.unwrap_or_else(|| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ours_are_known() {
        for ours in ["0123456789abcdef.scan", "0123456789abcdef.md", ".0123456789abcdef.text.aB3dE6gH.plyfold-part"] {
            assert!(is_ours(ours), "{ours}");
        }
        for other in
            ["games.scan", "0123456789abcdef", "0123456789ABCDEF.scan", ".0123456789abcdef.text", "x.plyfold-part"]
        {
            assert!(!is_ours(other), "{other}");
        }
    }
}
