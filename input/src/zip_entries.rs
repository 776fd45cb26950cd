//! Reads the PGN files in a zip archive, one after another, as a stream: each file follows its own header.

use std::io::{self, BufRead, Read};

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use crate::archive::{SEPARATOR, WRONG_CHECKSUM, damaged, is_pgn_name, no_pgn, unsuitable};

/// The signature of the header of a file.
const FILE_SIGNATURE: [u8; 4] = *b"PK\x03\x04";
/// The end of the header's fixed part, behind the signature.
const HEADER_BYTES: usize = 26;
/// Stored files have no marked end, so their sizes must be known.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const ENCRYPTED: u16 = 1;
/// The checksum and the sizes follow the file.
const SIZES_BEHIND: u16 = 8;

/// The bytes of all PGN files of an archive.
pub(crate) struct ZipEntries<R> {
    state: State<R>,
    files: usize,
    names: usize,
}

enum State<R> {
    /// Before a header.
    Header(R),
    Stored(io::Take<R>, Checked),
    Deflated(DeflateDecoder<R>, Checked),
    /// Before the next header, with bytes of the separator.
    Between(R, &'static [u8]),
    Ended,
}

/// What is known of a file.
struct Checked {
    crc: Crc,
    expected: Option<u32>,
    /// Whether its bytes are passed on.
    is_pgn: bool,
    sizes_behind: bool,
}

impl<R: BufRead> ZipEntries<R> {
    /// An archive from its first byte.
    pub(crate) fn new(archive: R) -> ZipEntries<R> {
        ZipEntries { state: State::Header(archive), files: 0, names: 0 }
    }

    /// Begins the next file.
    fn begin(&mut self, mut archive: R) -> io::Result<State<R>> {
        let mut signature = [0; 4];
        archive.read_exact(&mut signature)?;
        if signature != FILE_SIGNATURE {
            // The directory of the archive repeats what stood before the files.
            return match self.files {
                0 => Err(no_pgn(self.names)),
                _ => io::copy(&mut archive, &mut io::sink()).map(|_| State::Ended),
            };
        }
        let mut header = [0; HEADER_BYTES];
        archive.read_exact(&mut header)?;
        let word = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let long = |at: usize| u32::from(word(at)) | u32::from(word(at + 2)) << 16;
        let (flags, method, crc, packed) = (word(2), word(4), long(10), long(14));
        let mut name = vec![0; usize::from(word(22))];
        archive.read_exact(&mut name)?;
        let extra = io::copy(&mut (&mut archive).take(u64::from(word(24))), &mut io::sink())?;
        if extra < u64::from(word(24)) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.names += 1;
        if name == b"[Content_Types].xml" {
            return Err(unsuitable("it is a document of an office program: save it as plain text"));
        }
        let is_pgn = is_pgn_name(&name);
        self.files += usize::from(is_pgn);
        let sizes_behind = flags & SIZES_BEHIND != 0;
        let checked = Checked { crc: Crc::new(), expected: (!sizes_behind).then_some(crc), is_pgn, sizes_behind };
        match method {
            _ if flags & ENCRYPTED != 0 => Err(unsuitable("a file in it is encrypted")),
            STORED if !sizes_behind => Ok(State::Stored(archive.take(u64::from(packed)), checked)),
            DEFLATED => Ok(State::Deflated(DeflateDecoder::new(archive), checked)),
            _ => Err(unsuitable(&format!("a file in it is packed by method {method}: unpack it"))),
        }
    }
}

impl Checked {
    /// Ends a file: compares its checksum, and skips what follows it.
    fn end<R: BufRead>(&self, mut archive: R) -> io::Result<State<R>> {
        let mut expected = self.expected;
        if self.sizes_behind {
            // The signature is optional, and the sizes have 4 or 8 bytes each: the next header tells.
            let mut word = [0; 4];
            archive.read_exact(&mut word)?;
            if word == *b"PK\x07\x08" {
                archive.read_exact(&mut word)?;
            }
            expected = Some(u32::from_le_bytes(word));
            archive.read_exact(&mut [0; 8])?;
            if !archive.fill_buf()?.starts_with(b"PK") {
                archive.read_exact(&mut [0; 8])?;
            }
        }
        if expected.is_some_and(|expected| expected != self.crc.sum()) {
            return Err(damaged(WRONG_CHECKSUM));
        }
        Ok(State::Between(archive, if self.is_pgn { SEPARATOR } else { b"" }))
    }
}

impl<R: BufRead> Read for ZipEntries<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let (count, is_passed_on) = match &mut self.state {
                State::Ended => return Ok(0),
                State::Between(_, separator) if !separator.is_empty() => {
                    let count = separator.len().min(buffer.len());
                    buffer[..count].copy_from_slice(&separator[..count]);
                    *separator = &separator[count..];
                    return Ok(count);
                }
                State::Stored(file, checked) => pass(file, checked, buffer)?,
                State::Deflated(file, checked) => pass(file, checked, buffer)?,
                State::Header(_) | State::Between(..) => (0, false),
            };
            if is_passed_on || buffer.is_empty() {
                return Ok(count);
            }
            if count > 0 {
                continue;
            }
            self.state = match std::mem::replace(&mut self.state, State::Ended) {
                State::Header(archive) | State::Between(archive, _) => self.begin(archive)?,
                State::Stored(file, _) if file.limit() > 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                State::Stored(file, checked) => checked.end(file.into_inner())?,
                State::Deflated(file, checked) => checked.end(file.into_inner())?,
                State::Ended => State::Ended,
            };
        }
    }
}

/// Reads bytes of a file. Returns their number, and whether they are passed on.
fn pass(file: &mut impl Read, checked: &mut Checked, buffer: &mut [u8]) -> io::Result<(usize, bool)> {
    let count = file.read(buffer)?;
    checked.crc.update(&buffer[..count]);
    Ok((count, checked.is_pgn && count > 0))
}
