//! What archives have in common: of their files, those called `.pgn` are read, one after another.

use std::io;

/// What is between two files, so that the next one begins a line.
pub(crate) const SEPARATOR: &[u8] = b"\n\n";

/// Why an archive is not read, though its bytes are sound.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UnsuitableArchive(String);

pub(crate) fn unsuitable(why: &str) -> io::Error {
    io::Error::other(UnsuitableArchive(why.to_owned()))
}

/// An archive of so many files has no PGN file.
pub(crate) fn no_pgn(files: usize) -> io::Error {
    unsuitable(&match files {
        1 => "its only file is not called .pgn".to_owned(),
        _ => format!("none of its {files} files is called .pgn"),
    })
}
