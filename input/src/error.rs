//! Defines what can be wrong with a file before any game is read.

use std::io;

use thiserror::Error;

use crate::format::{CompressionFormat, MAX_WINDOW_BYTES};

/// Why a file cannot be imported, or only in part. The caller adds the name of the file to the message.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InputError {
    /// The file cannot be opened or read.
    #[error("cannot be read at byte {at}: {source}")]
    Read {
        /// Bytes read before the error.
        at: u64,
        /// What the system says.
        source: io::Error,
    },
    /// The path is a folder.
    #[error("is a folder; give the PGN files in it")]
    Folder,
    /// The file has no bytes.
    #[error("is empty; a PGN file has at least one game")]
    Empty,
    /// The file has another format.
    #[error("is {what}")]
    Foreign {
        /// The format, and what to do.
        what: &'static str,
    },
    /// The compressed bytes end too early.
    #[error("is truncated: its {format} data ends at byte {at} in the middle of a stream; download or copy it again")]
    Truncated {
        /// How it is compressed.
        format: CompressionFormat,
        /// Length of the file.
        at: u64,
    },
    /// The compressed bytes are damaged.
    #[error(
        "is damaged: its {format} data cannot be decompressed near byte {at} ({reason}); download or copy it again"
    )]
    Damaged {
        /// How it is compressed.
        format: CompressionFormat,
        /// Bytes of the file read so far; the damage is at this offset or before it.
        at: u64,
        /// The message of the decoder.
        reason: String,
    },
    /// Other bytes follow the end of the compressed data.
    #[error(
        "has extra bytes after the end of its {format} data, near byte {at}; cut them off, or download or copy it again"
    )]
    Trailing {
        /// How it is compressed.
        format: CompressionFormat,
        /// Bytes of the file read so far.
        at: u64,
    },
    /// An archive is not read.
    #[error("is a {format} archive, but {reason}")]
    Archive {
        /// How it is packed.
        format: CompressionFormat,
        /// Why, and what to do.
        reason: String,
    },
    /// A window of zstd is larger than its decoder may have.
    #[error("needs more than {} MiB of memory to decompress (zstd --long): decompress it first, by `zstd -d --long=31`", MAX_WINDOW_BYTES >> 20)]
    LargeWindow,
    /// The file is compressed too many times.
    #[error("is compressed more than {most} times over; decompress it first")]
    Nested {
        /// How many times it may be compressed.
        most: usize,
    },
    /// A game is too long, or the text has no borders between games.
    #[error("has a game of more than {most} bytes at byte {at} of its text; split the file before that game")]
    GameTooLong {
        /// Where that game begins in the decompressed file.
        at: u64,
        /// The most bytes that a game may have.
        most: usize,
    },
    /// An import should go on behind the end of the text.
    #[error("ends at byte {found} of its text, but {expected} bytes of it were imported before: is it another file?")]
    Shorter {
        /// Bytes of text that were imported before.
        expected: u64,
        /// Length of the text.
        found: u64,
    },
    /// The caller has cancelled the import.
    #[error("was not imported: cancelled")]
    Cancelled,
    /// The shards could not be stored.
    #[error("could not be stored: {0}")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}
