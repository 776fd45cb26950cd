//! Reads the PGN files in a tar archive, one after another.

use std::io::{self, Read};

use crate::archive::{SEPARATOR, damaged, is_pgn_name, no_pgn};

const BLOCK: usize = 512;
/// The bytes of all PGN files of an archive.
pub(crate) struct TarEntries<R> {
    archive: R,
    /// Bytes of the file that is being read, and the rest of its last block.
    left: u64,
    padding: u64,
    is_pgn: bool,
    separator: &'static [u8],
    files: usize,
    names: usize,
    has_ended: bool,
}

/// Whether a tar archive begins with these bytes.
pub(crate) fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

impl<R: Read> TarEntries<R> {
    /// An archive from its first byte.
    pub(crate) fn new(archive: R) -> TarEntries<R> {
        let (left, padding, is_pgn, separator) = (0, 0, false, &b""[..]);
        TarEntries { archive, left, padding, is_pgn, separator, files: 0, names: 0, has_ended: false }
    }

    /// Begins the next file.
    fn begin(&mut self) -> io::Result<()> {
        self.skip(self.padding)?;
        let mut header = [0; BLOCK];
        self.archive.read_exact(&mut header)?;
        if header == [0; BLOCK] {
            if self.files == 0 {
                return Err(no_pgn(self.names));
            }
            self.has_ended = true;
            return io::copy(&mut self.archive, &mut io::sink()).map(drop);
        }
        let sum: u32 =
            (0..).zip(header).map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(byte) }).sum();
        if octal(&header[148..156]) != Some(u64::from(sum)) {
            return Err(damaged("the header of a file in it does not have its checksum"));
        }
        let size = octal(&header[124..136]).ok_or_else(|| damaged("the size of a file in it is no number"))?;
        let name = header[..100].split(|&byte| byte == 0).next().unwrap_or_default();
        // Names of over 100 bytes end in a header of their own; what they name is looked at all the same.
        let is_file = matches!(header[156], b'0' | 0);
        self.names += usize::from(is_file);
        self.is_pgn = is_file && (name.len() == 100 || is_pgn_name(name));
        self.files += usize::from(self.is_pgn);
        (self.left, self.padding) = (size, size.next_multiple_of(BLOCK as u64) - size);
        self.separator = if self.is_pgn { SEPARATOR } else { b"" };
        Ok(())
    }

    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let skipped = io::copy(&mut (&mut self.archive).take(bytes), &mut io::sink())?;
        if skipped < bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

impl<R: Read> Read for TarEntries<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.has_ended && !buffer.is_empty() {
            if self.left > 0 && !self.is_pgn {
                self.skip(self.left)?;
                self.left = 0;
            } else if self.left > 0 {
                let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
                let count = self.archive.read(&mut buffer[..most])?;
                self.left -= count as u64;
                return if count == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(count) };
            } else if !self.separator.is_empty() {
                let count = self.separator.len().min(buffer.len());
                buffer[..count].copy_from_slice(&self.separator[..count]);
                self.separator = &self.separator[count..];
                return Ok(count);
            } else {
                self.begin()?;
            }
        }
        Ok(0)
    }
}

/// An octal number with blanks and zeros around it.
fn octal(text: &[u8]) -> Option<u64> {
    let digits = text.trim_ascii_start().split(|byte| matches!(byte, b' ' | 0)).next()?;
    digits.iter().try_fold(0u64, |sum, digit| {
        let digit = u64::from(digit.wrapping_sub(b'0'));
        if digit < 8 { sum.checked_mul(8)?.checked_add(digit) } else { None }
    })
}
