//! Reads a file or stream as decompressed bytes.
//!
//! The format is recognised by the first bytes, never by the name: gzip (any number of members), zstd (any number of frames,
//! including skippable ones as Lichess writes them), bzip2 (any number of streams), zip, tar and, natively, 7z (the files
//! called `.pgn`), or plain text.
//! The unpacked bytes are examined in the same way, because archives are compressed, and some servers compress files that are compressed
//! already. Text in UTF-16 or UTF-32 becomes UTF-8.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

use crate::error::InputError;
#[cfg(not(feature = "seven-zip"))]
use crate::format::SEVEN_ZIP_MAGIC;
use crate::format::{CompressionFormat, format_of};
use crate::layer::{FirstFault, MeteredReader, StreamFault, StreamMeter, decompress, peek_head};
use crate::wide_text::{WideText, wide_encoding_of};

/// How many times a file may be compressed. More is never needed, and each layer may multiply the size by a thousand.
const MAX_LAYERS: usize = 2;

/// How files of other formats begin, and what to do with them.
const FOREIGN_FORMATS: &[(&[u8], &str)] = &[
    (b"plyfold\0", "a corpus of plyfold; ask it by `plyfold query`, or make one of several by `plyfold compact`"),
    (b"plyscan\0", "a part of a published library; publish from its corpus, or import the PGN files"),
    (b"plyegtb\0", "an endgame table"),
    (b"plyegtp\0", "an endgame table"),
    (b"PK\x05\x06", "a zip archive without files"),
    #[cfg(not(feature = "seven-zip"))]
    (SEVEN_ZIP_MAGIC, "a 7z archive; unpack it and import the PGN files in it"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it and import the PGN files in it"),
    (b"\xfd7zXZ\x00", "compressed by xz; decompress it, or compress it by zstd, gzip or bzip2"),
    (b"Scid.si", "a Scid database; export it as PGN first"),
    (b"SQLite format 3\x00", "an SQLite database; export its games as PGN first"),
    (b"\x89PNG", "a picture"),
    (b"%PDF", "a PDF document"),
];

/// Files of other programs that their first bytes do not tell, by the endings of their names.
const FOREIGN_NAMES: &[(&str, &str)] = &[
    ("si4", SCID),
    ("sg4", SCID),
    ("sn4", SCID),
    ("si5", SCID),
    ("sg5", SCID),
    ("sn5", SCID),
    ("cbh", CHESSBASE),
    ("cbg", CHESSBASE),
    ("cbv", CHESSBASE),
    ("2cbh", CHESSBASE),
    ("docx", "a document of Word; save it as plain text"),
    ("odt", "a document of a word processor; save it as plain text"),
];

const SCID: &str = "a file of a Scid database; export its games as PGN by Scid first";
const CHESSBASE: &str =
    "a file of a ChessBase database; export its games as PGN by ChessBase, or by Scid, which reads .cbh";

/// A PGN file that is being read. [`read`](PgnSource::read) returns decompressed bytes.
pub struct PgnSource {
    decoder: Box<dyn Read>,
    format: CompressionFormat,
    meter: Rc<StreamMeter>,
    fault: FirstFault,
    length: Option<u64>,
    name: Option<String>,
}

impl PgnSource {
    /// Opens the file at `path`, and takes the name of the source from it.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, is a folder, is empty, has another format than PGN, or is compressed too many times;
    /// as [`read`](PgnSource::read) if its compressed bytes are wrong at the start.
    pub fn open(path: &Path) -> Result<PgnSource, InputError> {
        let opened = |source| InputError::Read { at: 0, source };
        let about = std::fs::metadata(path).map_err(opened)?;
        if about.is_dir() {
            return Err(InputError::Folder);
        }
        let file = File::open(path).map_err(opened)?;
        // A pipe has length 0, which means nothing.
        let length = about.is_file().then_some(about.len());
        if let Some((_, what)) = FOREIGN_NAMES
            .iter()
            .find(|(ending, _)| path.extension().is_some_and(|has| has.eq_ignore_ascii_case(ending)))
        {
            return Err(InputError::Foreign { what });
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(PgnSource { name, ..PgnSource::new(file, length)? })
    }

    /// The same under another name, which is recorded as the source of its games.
    #[must_use]
    pub fn with_name(self, name: &str) -> PgnSource {
        PgnSource { name: Some(name.to_owned()), ..self }
    }

    /// Reads from any stream, which has no name; `length` is its length in bytes, if it is known, for progress.
    ///
    /// # Errors
    ///
    /// As [`open`](PgnSource::open).
    pub fn new(stream: impl Read + 'static, length: Option<u64>) -> Result<PgnSource, InputError> {
        let (meter, fault) = (Rc::new(StreamMeter::default()), FirstFault::default());
        let failed = |source| read_error(&meter, &fault, source);
        let (mut head, mut decoder) = peek_head(Box::new(MeteredReader::new(stream, &meter))).map_err(failed)?;
        if head.is_empty() {
            return Err(InputError::Empty);
        }
        let format = format_of(&head);
        let mut layers = 0;
        loop {
            if let Some((_, what)) = FOREIGN_FORMATS.iter().find(|(magic, _)| head.starts_with(magic)) {
                return Err(InputError::Foreign { what });
            }
            let format = format_of(&head);
            if format != CompressionFormat::Plain && layers == MAX_LAYERS {
                return Err(InputError::Nested { most: MAX_LAYERS });
            }
            decoder = decompress(decoder, format, &fault).map_err(failed)?;
            if format == CompressionFormat::Plain {
                if let Some(encoding) = wide_encoding_of(&head) {
                    decoder = Box::new(WideText::new(decoder, encoding));
                }
                break;
            }
            layers += 1;
            (head, decoder) = peek_head(decoder).map_err(failed)?;
        }
        Ok(PgnSource { decoder, format, meter, fault, length, name: None })
    }

    /// The name of the file without its folder, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns how the file itself is compressed, whatever is inside.
    pub fn format(&self) -> CompressionFormat {
        self.format
    }

    /// Bytes of the file itself that have been read so far.
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
    /// The file cannot be read, or its compressed bytes are damaged or end too early.
    pub fn read(&mut self, count: usize, buffer: &mut Vec<u8>) -> Result<(), InputError> {
        let read = (&mut self.decoder).take(count as u64).read_to_end(buffer);
        read.map(drop).map_err(|source| read_error(&self.meter, &self.fault, source))
    }
}

/// Why the file cannot be read further.
fn read_error(meter: &StreamMeter, fault: &FirstFault, source: io::Error) -> InputError {
    let at = meter.bytes.get();
    match fault.get() {
        _ if meter.failed.get() => InputError::Read { at, source },
        None => InputError::Read { at, source },
        Some(&StreamFault::Truncated(format)) => InputError::Truncated { format, at },
        Some(StreamFault::Damaged(format, reason)) => {
            InputError::Damaged { format: *format, at, reason: reason.clone() }
        }
        Some(&StreamFault::Trailing(format)) => InputError::Trailing { format, at },
        Some(StreamFault::Unsuitable(format, reason)) => {
            InputError::Archive { format: *format, reason: reason.clone() }
        }
        Some(StreamFault::LargeWindow) => InputError::LargeWindow,
    }
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

    fn all(bytes: &[u8]) -> Result<(CompressionFormat, Vec<u8>), InputError> {
        let mut source = PgnSource::new(io::Cursor::new(bytes.to_vec()), Some(bytes.len() as u64))?;
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
            (text.clone(), CompressionFormat::Plain),
            (gzip(&text), CompressionFormat::Gzip),
            ([gzip(one), gzip(b""), gzip(two)].concat(), CompressionFormat::Gzip),
            (bzip2(&text), CompressionFormat::Bzip2),
            ([bzip2(one), bzip2(two)].concat(), CompressionFormat::Bzip2),
            (zstd(&text), CompressionFormat::Zstd),
            (
                [skippable.clone(), zstd(one), skippable.clone(), zstd(b""), zstd(two), skippable].concat(),
                CompressionFormat::Zstd,
            ),
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
    fn what_is_packed_twice_is_unpacked_twice() {
        type Pack = fn(&[u8]) -> Vec<u8>;
        let text = text();
        let packings: [(Pack, CompressionFormat); 3] =
            [(gzip, CompressionFormat::Gzip), (bzip2, CompressionFormat::Bzip2), (zstd, CompressionFormat::Zstd)];
        for (outer, format) in packings {
            for (inner, _) in packings {
                let twice = outer(&inner(&text));
                let (found, bytes) = all(&twice).expect("good bytes");
                assert!(found == format && bytes == text, "{format}");
                // The inner file is cut; the outer one is intact.
                let cut = outer(&inner(&text)[..100]);
                assert!(
                    matches!(all(&cut), Err(InputError::Truncated { at, .. }) if at == cut.len() as u64),
                    "{format}"
                );
                let error = all(&twice[..twice.len() / 2]).expect_err("cut");
                assert!(
                    matches!(error, InputError::Truncated { format: found, .. } if found == format),
                    "{format}: {error}"
                );
                for (third, _) in packings {
                    let error = all(&third(&twice)).expect_err("too often");
                    assert_eq!(error.to_string(), "is compressed more than 2 times over; decompress it first");
                }
            }
            for foreign in [b"PK\x05\x06rest", b"plyfold\0rest" as &[u8]] {
                assert!(matches!(all(&outer(foreign)), Err(InputError::Foreign { .. })));
            }
        }
    }

    /// A stream that returns one byte at a time, as a slow pipe does.
    struct Slow(io::Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(1);
            self.0.read(&mut buffer[..most])
        }
    }

    #[test]
    fn a_slow_stream_is_known_all_the_same() {
        let packed = gzip(&zstd(b"1. e4 *"));
        let mut source = PgnSource::new(Slow(io::Cursor::new(packed)), None).expect("good bytes");
        let mut out = Vec::new();
        source.read(100, &mut out).expect("good bytes");
        assert_eq!((source.format(), &out[..]), (CompressionFormat::Gzip, &b"1. e4 *"[..]));
    }

    #[test]
    fn zeros_may_follow_gzip_and_nothing_else() {
        let text = text();
        let packed = gzip(&text);
        for zeros in [1, 511, 1 << 20] {
            let padded = [&packed[..], &vec![0; zeros]].concat();
            let (_, bytes) = all(&padded).expect("zeros are padding");
            assert!(bytes == text, "{zeros}");
        }
        for garbage in [&b"\0x"[..], b"x", b"\0\x1f\x8b", &[&[0; 300_000][..], b"x"].concat()] {
            let error = all(&[&packed[..], garbage].concat()).expect_err("garbage");
            assert!(matches!(error, InputError::Trailing { format: CompressionFormat::Gzip, .. }), "{error}");
        }
        // The first byte of another member that does not follow.
        let error = all(&[&packed[..], b"\x1f"].concat()).expect_err("cut");
        assert!(matches!(error, InputError::Truncated { .. }), "{error}");
    }

    /// A zip archive with these files: names, bytes, and whether they are deflated; the sizes stand before the files or behind them.
    fn zip(files: &[(&str, &[u8], bool)], sizes_behind: bool) -> Vec<u8> {
        let mut archive = Vec::new();
        for (name, bytes, deflated) in files {
            let mut crc = flate2::Crc::new();
            crc.update(bytes);
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).expect("memory");
            let packed = if *deflated { encoder.finish().expect("memory") } else { bytes.to_vec() };
            let behind = sizes_behind && *deflated;
            let sizes = [crc.sum(), packed.len() as u32, bytes.len() as u32].map(u32::to_le_bytes).concat();
            archive.extend(b"PK\x03\x04\x14\0");
            archive.extend([if behind { 8 } else { 0 }, 0, if *deflated { 8 } else { 0 }, 0, 0, 0, 0, 0]);
            archive.extend(if behind { vec![0; 12] } else { sizes.clone() });
            archive.extend([name.len() as u8, 0, 3, 0]);
            archive.extend(name.as_bytes());
            archive.extend(b"xyz");
            archive.extend(packed);
            archive.extend(if behind { [b"PK\x07\x08", &sizes[..]].concat() } else { Vec::new() });
        }
        archive.extend(b"PK\x01\x02 the directory");
        archive
    }

    fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = Vec::new();
        for (name, bytes) in files {
            let mut header = [0; 512];
            header[..name.len()].copy_from_slice(name.as_bytes());
            header[124..136].copy_from_slice(format!("{:011o} ", bytes.len()).as_bytes());
            header[148..156].fill(b' ');
            header[156] = b'0';
            header[257..262].copy_from_slice(b"ustar");
            let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
            header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
            archive.extend(header);
            archive.extend(*bytes);
            archive.resize(archive.len().next_multiple_of(512), 0);
        }
        archive.resize(archive.len() + 1024, 0);
        archive
    }

    #[test]
    fn archives_give_their_pgn_files() {
        let text = text();
        let expected = [&text[..], b"\n\n", b"1. e4 *", b"\n\n"].concat();
        for sizes_behind in [false, true] {
            let files = [
                ("read.me", &b"hello"[..], true),
                ("__MACOSX/._a.pgn", b"\0\0junk", true),
                ("a.pgn", &text, true),
                ("b/c.PGN", b"1. e4 *", false),
                ("d", b"", false),
            ];
            let archive = zip(&files, sizes_behind);
            let (format, bytes) = all(&archive).expect("a sound archive");
            assert!(format == CompressionFormat::Zip && bytes == expected);
            let place = archive.windows(4).position(|word| word == b"1. e").expect("stored");
            let mut damaged = archive.clone();
            damaged[place] = b'2';
            assert!(matches!(all(&damaged), Err(InputError::Damaged { .. })));
            assert!(matches!(all(&archive[..archive.len() / 2]), Err(InputError::Truncated { .. })));
        }
        let archive = tar(&[("read.me", b"hello"), ("._a.pgn", b"\0\0junk"), ("a.pgn", &text), ("c.PGN", b"1. e4 *")]);
        for packed in [archive.clone(), gzip(&archive), zstd(&archive)] {
            assert!(all(&packed).expect("a sound archive").1 == expected);
        }
        assert!(matches!(all(&archive[..archive.len() / 2]), Err(InputError::Truncated { .. })));
        for none in [zip(&[("a.txt", b"1. e4 *", true)], false), tar(&[("a.txt", b"1. e4 *")])] {
            let error = all(&none).expect_err("no PGN").to_string();
            assert!(error.ends_with("archive, but its only file is not called .pgn"), "{error}");
        }
        let document = zip(&[("[Content_Types].xml", b"<Types>", true)], true);
        assert!(all(&document).expect_err("a document").to_string().contains("save it as plain text"));
    }

    #[cfg(feature = "seven-zip")]
    fn seven_zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = sevenz_rust2::ArchiveWriter::new(io::Cursor::new(Vec::new())).expect("memory");
        for (name, bytes) in files {
            writer.push_archive_entry(sevenz_rust2::ArchiveEntry::new_file(name), Some(*bytes)).expect("memory");
        }
        writer.finish().expect("memory").into_inner()
    }

    #[test]
    #[cfg(feature = "seven-zip")]
    fn seven_zip_archives_give_their_pgn_files() {
        let text = text();
        let archive = seven_zip(&[("a/._a.pgn", b"junk"), ("a/a.pgn", &text), ("d.txt", b"x"), ("c.PGN", b"1. e4 *")]);
        let (format, bytes) = all(&archive).expect("a sound archive");
        let expected = [&text[..], b"\n\n", b"1. e4 *", b"\n\n"].concat();
        assert!(format == CompressionFormat::SevenZip && bytes == expected);
        assert!(all(&gzip(&archive)).expect("a sound archive").1 == expected);
        // An import that ends before the archive does.
        let mut source = PgnSource::new(io::Cursor::new(archive.clone()), None).expect("a sound archive");
        source.read(1, &mut Vec::new()).expect("a sound archive");
        drop(source);
        for cut in [1, 40, archive.len() / 2] {
            let error = all(&archive[..archive.len() - cut]).expect_err("cut");
            assert!(matches!(error, InputError::Truncated { .. }), "{error}");
        }
        for at in [12, 100, archive.len() / 3, archive.len() - 20] {
            let mut damaged = archive.clone();
            damaged[at] ^= 0x55;
            let error = all(&damaged).expect_err("damaged");
            assert!(matches!(error, InputError::Damaged { .. } | InputError::Truncated { .. }), "{at}: {error}");
        }
        let error = all(&seven_zip(&[("a.txt", b"x"), ("b.txt", b"y")])).expect_err("no PGN").to_string();
        assert_eq!(error, "is a 7z archive, but none of its 2 files is called .pgn");
    }

    #[test]
    fn wide_text_becomes_utf_8() {
        let text = "[White \"Žižka – 𝔹\"]\n\n1. e4 *\n".repeat(2000);
        let utf16 = |to: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(to).collect::<Vec<u8>>();
        let utf32 = |to: fn(u32) -> [u8; 4]| text.chars().flat_map(|char| to(char as u32)).collect::<Vec<u8>>();
        for (bytes, mark) in [
            (utf16(u16::to_le_bytes), &b"\xff\xfe"[..]),
            (utf16(u16::to_be_bytes), b"\xfe\xff"),
            (utf32(u32::to_le_bytes), b"\xff\xfe\0\0"),
            (utf32(u32::to_be_bytes), b"\0\0\xfe\xff"),
        ] {
            assert!(all(&bytes).expect("text").1 == text.as_bytes());
            let marked = [mark, &bytes[..]].concat();
            let with_mark = format!("\u{feff}{text}");
            assert!(all(&marked).expect("text").1 == with_mark.as_bytes());
            assert!(all(&gzip(&marked)).expect("text").1 == with_mark.as_bytes());
            let cut = all(&bytes[..bytes.len() - 1]).expect("text").1;
            assert!(cut.ends_with("*\u{fffd}".as_bytes()), "{:?}", String::from_utf8_lossy(&cut[cut.len() - 8..]));
        }
    }

    #[test]
    fn a_window_that_is_too_large_is_called_so() {
        // The header of a frame with a window of 1 GiB.
        let error = all(&[0x28, 0xb5, 0x2f, 0xfd, 0, (30 - 10) << 3, 1, 0, 0]).expect_err("too large");
        assert!(error.to_string().contains("zstd -d --long"), "{error}");
    }

    #[test]
    fn what_is_no_pgn_is_named() {
        assert!(matches!(all(b""), Err(InputError::Empty)));
        assert!(matches!(all(b"PK\x05\x06rest"), Err(InputError::Foreign { .. })));
        assert!(matches!(PgnSource::open(Path::new(".")), Err(InputError::Folder)));
        assert!(matches!(PgnSource::open(Path::new("there is no such file")), Err(InputError::Read { .. })));
    }
}
