//! Opens files without ever waiting for one.
//!
//! Opening a FIFO waits until another program opens it too, and opening a device can do anything. So a file is examined
//! first, and then opened so that even a FIFO which has taken its place meanwhile does not make the program wait.

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file for reading. A folder is opened too, if the system allows that.
///
/// # Errors
///
/// As the system says; a FIFO, a socket or a device.
pub fn open(path: &Path) -> io::Result<File> {
    check_kind(fs::metadata(path)?.file_type())?;
    let file = without_waiting(OpenOptions::new().read(true)).open(path)?;
    check_kind(file.metadata()?.file_type())?;
    Ok(file)
}

/// Opens a text that is read once from beginning to end, as [`open()`] does. It may also be a pipe that was opened before the
/// program started, such as `/dev/stdin` or the `/dev/fd/63` of a shell's `<(…)`.
///
/// # Errors
///
/// As [`open()`].
pub fn open_text(path: &Path) -> io::Result<File> {
    let is_given = ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.parent() == Some(Path::new(folder)));
    if is_given || path == Path::new("/dev/stdin") { File::open(path) } else { open(path) }
}

/// Returns whether the path is a name of standard output, wherever that goes.
#[must_use]
pub fn is_standard_output(path: &Path) -> bool {
    cfg!(unix) && ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Opens one of the program's own files for reading and writing, or creates it. Links are not followed.
///
/// # Errors
///
/// As the system says; the path is anything but a regular file with one name.
pub fn open_own(path: &Path) -> io::Result<File> {
    match fs::symlink_metadata(path) {
        Ok(found) => check_single_link(&found)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut options = OpenOptions::new();
    let file = without_following(options.read(true).write(true).create(true).truncate(false)).open(path)?;
    check_single_link(&file.metadata()?)?;
    Ok(file)
}

/// Opens a regular file that exists for reading and writing. Links are not followed.
///
/// # Errors
///
/// As the system says; the path is anything but a regular file.
pub fn open_to_update(path: &Path) -> io::Result<File> {
    let check = |kind: FileType| match kind.is_file() {
        true => Ok(()),
        false => Err(wrong_kind(kind, "only a regular file of this program is allowed here")),
    };
    check(fs::symlink_metadata(path)?.file_type())?;
    let file = without_following(OpenOptions::new().read(true).write(true)).open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}

/// Opens one of the program's own files for writing if it exists. Links are not followed.
pub(crate) fn open_existing_own(path: &Path) -> io::Result<File> {
    check_single_link(&fs::symlink_metadata(path)?)?;
    let file = without_following(OpenOptions::new().write(true)).open(path)?;
    check_single_link(&file.metadata()?)?;
    Ok(file)
}

/// Refuses a file that has another name as well.
fn check_single_link(metadata: &fs::Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if !kind.is_file() {
        return Err(wrong_kind(kind, "only a regular file of this program is allowed here"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(metadata) > 1 {
        let what = "it has another name (a hard link), and the other file would change too: remove it, or copy it to a new file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    Ok(())
}

fn check_kind(kind: FileType) -> io::Result<()> {
    if kind.is_file() || kind.is_dir() { Ok(()) } else { Err(wrong_kind(kind, "only a regular file is allowed here")) }
}

fn wrong_kind(kind: FileType, expected: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is {}, and {expected}", file_kind_name(kind)))
}

/// The kind of a file in words.
pub(crate) fn file_kind_name(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_block_device() || kind.is_char_device() {
            return "a device";
        }
    }
    match () {
        () if kind.is_dir() => "a directory",
        () if kind.is_symlink() => "a symbolic link",
        () if kind.is_file() => "a regular file",
        () => "not a regular file",
    }
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) -> &OpenOptions {
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NONBLOCK | libc::O_NOCTTY)
}

#[cfg(unix)]
fn without_following(options: &mut OpenOptions) -> &OpenOptions {
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NONBLOCK | libc::O_NOFOLLOW)
}

#[cfg(not(unix))]
fn without_waiting(options: &mut OpenOptions) -> &OpenOptions {
    options
}

#[cfg(not(unix))]
fn without_following(options: &mut OpenOptions) -> &OpenOptions {
    options
}
