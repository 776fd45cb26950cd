//! Reads archives: of their files, those called `.pgn` are read, one after another.

use std::io;

/// What is between two files, so that the next one begins a line.
pub(crate) const SEPARATOR: &[u8] = b"\n\n";

/// Why an archive is not read, though its bytes are sound.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UnsuitableArchive(String);

/// A fault in the bytes of an archive that are all there.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct DamagedArchive(String);

pub(crate) fn damaged(what: &str) -> io::Error {
    io::Error::other(DamagedArchive(what.to_owned()))
}

pub(crate) const WRONG_CHECKSUM: &str = "a file in it does not have its checksum";

pub(crate) fn unsuitable(why: &str) -> io::Error {
    io::Error::other(UnsuitableArchive(why.to_owned()))
}

/// Whether a file of an archive is read, by its path. macOS packs a file `._NAME` beside each file, which has no text.
pub(crate) fn is_pgn_name(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    name.len() >= 4 && name[name.len() - 4..].eq_ignore_ascii_case(b".pgn") && !name.starts_with(b"._")
}

/// An archive of so many files has no PGN file.
pub(crate) fn no_pgn(files: usize) -> io::Error {
    unsuitable(&match files {
        1 => "its only file is not called .pgn".to_owned(),
        _ => format!("none of its {files} files is called .pgn"),
    })
}
