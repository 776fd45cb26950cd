//! What can be wrong with a file before any chess is read.

use std::io;

use thiserror::Error;

use crate::CompressionFormat;

/// Why a file cannot be imported, or not to its end. Who shows it adds the file's name.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InputError {
    /// The file cannot be opened or read.
    #[error("cannot be read at byte {at}: {source}")]
    Read {
        /// Bytes read before.
        at: u64,
        /// What the system says.
        source: io::Error,
    },
    /// A folder was named.
    #[error("is a folder; give the PGN files in it")]
    Folder,
    /// No bytes at all.
    #[error("is empty; a PGN file has at least one game")]
    Empty,
    /// Another kind of file.
    #[error("is {what}")]
    Foreign {
        /// What it is and what to do.
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
        /// Bytes of the file taken so far; the damage is at or before.
        at: u64,
        /// What the decoder says.
        reason: String,
    },
    /// Bytes behind the end of the compressed data.
    #[error(
        "has extra bytes after the end of its {format} data, near byte {at}; cut them off, or download or copy it again"
    )]
    Trailing {
        /// How it is compressed.
        format: CompressionFormat,
        /// Bytes of the file taken so far.
        at: u64,
    },
    /// Packed in what is packed, and so on.
    #[error("is compressed more than {most} times over; decompress it first")]
    Nested {
        /// How often it may be packed.
        most: usize,
    },
    /// A game beyond any measure, or a text without borders between games.
    #[error("has a game of more than {most} bytes at byte {at} of its text; split the file before that game")]
    GameTooLong {
        /// Where that game begins in the decompressed file.
        at: u64,
        /// The most bytes that a game may have.
        most: usize,
    },
    /// The one who wanted the import wants it no more.
    #[error("was not imported: cancelled")]
    Cancelled,
    /// The shards could not be stored.
    #[error("could not be stored: {0}")]
    Store(#[source] Box<dyn std::error::Error + Send + Sync>),
}
