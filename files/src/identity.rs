//! Finds the file that a path means, whatever links and spellings it uses.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// How many links are followed, as on Linux.
const MAX_LINKS: usize = 40;

/// A file, however its path is written. Two paths mean the same file if their identities are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FileIdentity {
    /// A file that exists: its device and its number there.
    #[cfg(unix)]
    Number(u64, u64),
    /// A file that does not exist yet, by its future location. On systems without file numbers, also a file that
    /// exists.
    Path(PathBuf),
}

impl FileIdentity {
    /// The file that `path` means, or would mean if it was created.
    pub fn of(path: &Path) -> FileIdentity {
        #[cfg(unix)]
        if let Ok(metadata) = fs::metadata(path) {
            use std::os::unix::fs::MetadataExt;
            return FileIdentity::Number(metadata.dev(), metadata.ino());
        }
        FileIdentity::Path(resolved_location(path))
    }
}

/// Returns where a file is, or would be created: the folder without links, and the name in it.
fn resolved_location(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        if let Ok(canonical) = path.canonicalize() {
            return canonical;
        }
        let folder = folder_of(&path).to_path_buf();
        // A link to a file that does not exist: a file written through it is created at its target.
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => {
                let folder = folder.canonicalize().unwrap_or(folder);
                return path.file_name().map_or(folder.clone(), |name| folder.join(name));
            }
        }
    }
    path
}

/// The folder in which a path lies.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns whether the open file is still the one at `path`.
#[cfg(unix)]
#[must_use]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let named = fs::metadata(path).map(|found| (found.dev(), found.ino()));
    let opened = file.metadata().map(|found| (found.dev(), found.ino()));
    matches!((named, opened), (Ok(named), Ok(opened)) if named == opened)
}

/// Returns whether the open file is still the one at `path`. On these systems an open file cannot be renamed.
#[cfg(not(unix))]
#[must_use]
pub fn is_at(_: &File, _: &Path) -> bool {
    true
}
