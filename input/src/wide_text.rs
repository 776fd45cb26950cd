//! Decodes text in UTF-16 or UTF-32 into UTF-8.

use std::io::{self, Read};

/// The widths and orders of bytes of Unicode text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WideEncoding {
    Utf16 { big_endian: bool },
    Utf32 { big_endian: bool },
}

/// The encoding of a text that begins with these bytes, by its byte order mark or by the zeros around its first ASCII characters; none if it
/// is another one.
pub(crate) fn wide_encoding_of(head: &[u8]) -> Option<WideEncoding> {
    let is_ascii = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    match *head {
        [0xff, 0xfe, 0, 0, ..] => Some(WideEncoding::Utf32 { big_endian: false }),
        [0, 0, 0xfe, 0xff, ..] => Some(WideEncoding::Utf32 { big_endian: true }),
        [0xff, 0xfe, ..] => Some(WideEncoding::Utf16 { big_endian: false }),
        [0xfe, 0xff, ..] => Some(WideEncoding::Utf16 { big_endian: true }),
        [a, 0, 0, 0, b, 0, 0, 0, ..] if is_ascii(a) && is_ascii(b) => Some(WideEncoding::Utf32 { big_endian: false }),
        [0, 0, 0, a, 0, 0, 0, b, ..] if is_ascii(a) && is_ascii(b) => Some(WideEncoding::Utf32 { big_endian: true }),
        [a, 0, b, 0, ..] if is_ascii(a) && is_ascii(b) => Some(WideEncoding::Utf16 { big_endian: false }),
        [0, a, 0, b, ..] if is_ascii(a) && is_ascii(b) => Some(WideEncoding::Utf16 { big_endian: true }),
        _ => None,
    }
}

/// A stream of such text as UTF-8. What is no character is U+FFFD.
pub(crate) struct WideText<R> {
    stream: R,
    encoding: WideEncoding,
    /// Bytes that are not decoded yet: less than a character.
    rest: Vec<u8>,
    decoded: Vec<u8>,
    given: usize,
    has_ended: bool,
}

impl<R: Read> WideText<R> {
    pub(crate) fn new(stream: R, encoding: WideEncoding) -> WideText<R> {
        WideText { stream, encoding, rest: Vec::new(), decoded: Vec::new(), given: 0, has_ended: false }
    }

    /// Decodes the next bytes of the stream.
    fn refill(&mut self) -> io::Result<()> {
        let mut bytes = [0; 16 << 10];
        let count = self.stream.read(&mut bytes)?;
        self.has_ended = count == 0;
        self.rest.extend_from_slice(&bytes[..count]);
        let mut text = String::with_capacity(self.rest.len());
        let used = match self.encoding {
            WideEncoding::Utf32 { big_endian } => decode_utf32(&self.rest, big_endian, &mut text),
            WideEncoding::Utf16 { big_endian } => decode_utf16(&self.rest, big_endian, self.has_ended, &mut text),
        };
        self.rest.drain(..used);
        if self.has_ended && !self.rest.is_empty() {
            self.rest.clear();
            text.push(char::REPLACEMENT_CHARACTER);
        }
        (self.decoded, self.given) = (text.into_bytes(), 0);
        Ok(())
    }
}

fn decode_utf32(bytes: &[u8], big_endian: bool, text: &mut String) -> usize {
    let (words, _) = bytes.as_chunks::<4>();
    let word = |&word: &[u8; 4]| if big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) };
    text.extend(words.iter().map(|bytes| char::from_u32(word(bytes)).unwrap_or(char::REPLACEMENT_CHARACTER)));
    words.len() * 4
}

/// Decodes all but a pair whose second half has not arrived.
fn decode_utf16(bytes: &[u8], big_endian: bool, has_ended: bool, text: &mut String) -> usize {
    let (words, _) = bytes.as_chunks::<2>();
    let word = |&word: &[u8; 2]| if big_endian { u16::from_be_bytes(word) } else { u16::from_le_bytes(word) };
    let is_cut = !has_ended && words.last().is_some_and(|last| (0xd800..0xdc00).contains(&word(last)));
    let words = &words[..words.len() - usize::from(is_cut)];
    let decoded = char::decode_utf16(words.iter().map(word));
    text.extend(decoded.map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER)));
    words.len() * 2
}

impl<R: Read> Read for WideText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.decoded.len() && !self.has_ended {
            self.refill()?;
        }
        let count = buffer.len().min(self.decoded.len() - self.given);
        buffer[..count].copy_from_slice(&self.decoded[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}
