//! How files are compressed, and how each format begins.

use std::fmt;

use crate::tar_entries::is_tar;

/// How a 7z archive begins.
pub(crate) const SEVEN_ZIP_MAGIC: &[u8] = b"7z\xbc\xaf\x27\x1c";

/// The largest window of zstd that is accepted, in bytes: what `zstd --long` writes. It bounds the memory.
pub(crate) const MAX_WINDOW_BYTES: u64 = 128 << 20;

/// How a file is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompressionFormat {
    /// Not at all.
    Plain,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// bzip2.
    Bzip2,
    /// A zip archive.
    Zip,
    /// A tar archive.
    Tar,
    /// A 7z archive.
    #[cfg(feature = "seven-zip")]
    SevenZip,
}

impl fmt::Display for CompressionFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            CompressionFormat::Plain => "plain",
            CompressionFormat::Gzip => "gzip",
            CompressionFormat::Zstd => "zstd",
            CompressionFormat::Bzip2 => "bzip2",
            CompressionFormat::Zip => "zip",
            CompressionFormat::Tar => "tar",
            #[cfg(feature = "seven-zip")]
            CompressionFormat::SevenZip => "7z",
        })
    }
}

/// The format of a stream that begins with these bytes.
pub(crate) fn format_of(head: &[u8]) -> CompressionFormat {
    match head {
        [0x1f, 0x8b, ..] => CompressionFormat::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => CompressionFormat::Zstd,
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => CompressionFormat::Bzip2,
        // An empty stream, which begins with its end marker.
        [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, ..] => CompressionFormat::Bzip2,
        [b'P', b'K', 3, 4, ..] => CompressionFormat::Zip,
        #[cfg(feature = "seven-zip")]
        _ if head.starts_with(SEVEN_ZIP_MAGIC) => CompressionFormat::SevenZip,
        _ if is_tar(head) => CompressionFormat::Tar,
        _ => CompressionFormat::Plain,
    }
}
