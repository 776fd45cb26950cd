//! A file or stream as decompressed bytes, whatever it is packed in.
//!
//! What it is shows in its first bytes, never in its name: gzip (any number of members), zstd (any number of frames,
//! skippable ones among them, as Lichess writes it), bzip2 (any number of streams), or plain text.

use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use crate::error::InputError;

/// How a file is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text as it is.
    Plain,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// bzip2.
    Bzip2,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::Plain => "plain",
            Format::Gzip => "gzip",
            Format::Zstd => "zstd",
            Format::Bzip2 => "bzip2",
        })
    }
}

/// What kinds of files begin like this and are no PGN.
const FOREIGN: &[(&[u8], &str)] = &[
    (b"PK\x03\x04", "a zip archive; unpack it and import the PGN files in it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and import the PGN files in it"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it and import the PGN files in it"),
    (b"\xfd7zXZ\x00", "packed by xz; unpack it, or pack it by zstd, gzip or bzip2"),
    (b"Scid.si", "a Scid database; export it as PGN first"),
    (b"SQLite format 3\x00", "an SQLite database; export its games as PGN first"),
    (b"\x89PNG", "a picture"),
    (b"%PDF", "a PDF document"),
];

/// The largest window of zstd accepted, in bytes: what `zstd --long` asks for. Memory is bounded by it.
pub(crate) const MOST_WINDOW: u64 = 128 << 20;

/// A PGN file being read. Bytes come out decompressed by [`read`](Source::read).
pub struct Source {
    decoder: Box<dyn Read>,
    format: Format,
    meter: Rc<Meter>,
    length: Option<u64>,
    name: Option<String>,
}

/// What has been taken from the file itself.
#[derive(Default)]
struct Meter {
    bytes: Cell<u64>,
    ended: Cell<bool>,
    failed: Cell<bool>,
}

struct Metered<R> {
    inner: R,
    meter: Rc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.inner.read(buffer) {
            Ok(count) => count,
            Err(error) => {
                self.meter.failed.set(error.kind() != io::ErrorKind::Interrupted);
                return Err(error);
            }
        };
        self.meter.bytes.set(self.meter.bytes.get() + count as u64);
        self.meter.ended.set(count == 0 && !buffer.is_empty());
        Ok(count)
    }
}

impl Source {
    /// Opens the file at `path`; its name is that of the file.
    ///
    /// # Errors
    ///
    /// A file that cannot be opened, a folder, an empty file, a file that is plainly something else than PGN.
    pub fn open(path: &Path) -> Result<Source, InputError> {
        let opened = |source| InputError::Read { at: 0, source };
        let about = std::fs::metadata(path).map_err(opened)?;
        if about.is_dir() {
            return Err(InputError::Folder);
        }
        let file = File::open(path).map_err(opened)?;
        // A pipe has length 0 and is none the worse for it.
        let length = about.is_file().then_some(about.len());
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Source { name, ..Source::new(file, length)? })
    }

    /// The same under a name, which the games will be known to come from.
    #[must_use]
    pub fn named(self, name: &str) -> Source {
        Source { name: Some(name.to_owned()), ..self }
    }

    /// Reads from anything, which has no name then; `length` in bytes if it is known, for progress.
    ///
    /// # Errors
    ///
    /// As [`open`](Source::open).
    pub fn new(stream: impl Read + 'static, length: Option<u64>) -> Result<Source, InputError> {
        let meter = Rc::new(Meter::default());
        let metered = Metered { inner: stream, meter: Rc::clone(&meter) };
        let mut buffered = BufReader::with_capacity(256 << 10, metered);
        let first = buffered.fill_buf().map_err(|source| InputError::Read { at: 0, source })?;
        if first.is_empty() {
            return Err(InputError::Empty);
        }
        if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| first.starts_with(magic)) {
            return Err(InputError::Foreign { what });
        }
        let format = match first {
            [0x1f, 0x8b, ..] => Format::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Format::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Format::Bzip2,
            // The end of an empty stream.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, ..] => Format::Bzip2,
            _ => Format::Plain,
        };
        let decoder: Box<dyn Read> = match format {
            Format::Plain => Box::new(buffered),
            Format::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered)),
            Format::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered)),
            Format::Zstd => zstd(buffered)?,
        };
        Ok(Source { decoder, format, meter, length, name: None })
    }

    /// The name of the file without its folder, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// How the file is packed.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Bytes of the file itself taken so far.
    pub fn bytes_in(&self) -> u64 {
        self.meter.bytes.get()
    }

    /// Length of the file itself in bytes, if it is known.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// Appends up to `count` decompressed bytes to `buffer`; fewer only at the end of the file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read on, or whose compressed bytes are damaged or end too early.
    pub fn read(&mut self, count: usize, buffer: &mut Vec<u8>) -> Result<(), InputError> {
        let read = (&mut self.decoder).take(count as u64).read_to_end(buffer);
        read.map(drop).map_err(|source| {
            let (at, format) = (self.bytes_in(), self.format);
            if self.meter.failed.get() || format == Format::Plain {
                InputError::Read { at, source }
            } else if self.meter.ended.get() || source.kind() == io::ErrorKind::UnexpectedEof {
                InputError::Truncated { format, at }
            } else {
                InputError::Damaged { format, at, reason: source.to_string() }
            }
        })
    }
}

#[cfg(all(feature = "native-zstd", not(target_arch = "wasm32")))]
fn zstd(stream: impl BufRead + 'static) -> Result<Box<dyn Read>, InputError> {
    let failed = |source| InputError::Read { at: 0, source };
    let mut decoder = zstd::stream::read::Decoder::with_buffer(stream).map_err(failed)?;
    decoder.window_log_max(MOST_WINDOW.ilog2()).map_err(failed)?;
    Ok(Box::new(decoder))
}

#[cfg(not(all(feature = "native-zstd", not(target_arch = "wasm32"))))]
fn zstd(stream: impl BufRead + 'static) -> Result<Box<dyn Read>, InputError> {
    Ok(Box::new(crate::zstd_frames::ZstdFrames::new(stream)))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn text() -> Vec<u8> {
        (0..30_000u32).flat_map(|n| format!("{} ", n.wrapping_mul(2_654_435_761) >> 7).into_bytes()).collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ::zstd::stream::Encoder::new(Vec::new(), 1).expect("memory");
        encoder.include_checksum(true).expect("memory");
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn all(bytes: &[u8]) -> Result<(Format, Vec<u8>), InputError> {
        let mut source = Source::new(io::Cursor::new(bytes.to_vec()), Some(bytes.len() as u64))?;
        let mut out = Vec::new();
        loop {
            let before = out.len();
            source.read(10_000, &mut out)?;
            if out.len() - before < 10_000 {
                assert_eq!(source.bytes_in(), bytes.len() as u64);
                return Ok((source.format(), out));
            }
        }
    }

    #[test]
    fn every_packing_gives_the_same_bytes() {
        let text = text();
        let (one, two) = text.split_at(70_001);
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 5, 0, 0, 0][..], b"abcde"].concat();
        for (packed, format) in [
            (text.clone(), Format::Plain),
            (gzip(&text), Format::Gzip),
            ([gzip(one), gzip(b""), gzip(two)].concat(), Format::Gzip),
            (bzip2(&text), Format::Bzip2),
            ([bzip2(one), bzip2(two)].concat(), Format::Bzip2),
            (zstd(&text), Format::Zstd),
            ([skippable.clone(), zstd(one), skippable.clone(), zstd(b""), zstd(two), skippable].concat(), Format::Zstd),
        ] {
            let (found, bytes) = all(&packed).expect("good bytes");
            assert_eq!(found, format);
            assert!(bytes == text, "{format}");
        }
    }

    #[test]
    fn cut_and_damaged_files_say_so() {
        let text = text();
        for (packed, format) in [(gzip(&text), "gzip"), (bzip2(&text), "bzip2"), (zstd(&text), "zstd")] {
            let length = packed.len();
            for cut in [length / 3, length / 2, length - 5, length - 1] {
                let error = all(&packed[..cut]).map(|_| ()).expect_err("cut");
                assert!(
                    matches!(error, InputError::Truncated { at, .. } if at == cut as u64),
                    "{format} cut at {cut}: {error}"
                );
            }
            let mut damaged = packed.clone();
            damaged[length / 2] ^= 0x55;
            damaged.extend(&packed);
            let error = all(&damaged).map(|_| ()).expect_err("damaged");
            assert!(matches!(error, InputError::Damaged { .. }), "{format}: {error}");
        }
    }

    #[test]
    fn what_is_no_pgn_is_named() {
        assert!(matches!(all(b""), Err(InputError::Empty)));
        assert!(matches!(all(b"PK\x03\x04rest"), Err(InputError::Foreign { .. })));
        assert!(matches!(Source::open(Path::new(".")), Err(InputError::Folder)));
        assert!(matches!(Source::open(Path::new("there is no such file")), Err(InputError::Read { .. })));
    }
}
