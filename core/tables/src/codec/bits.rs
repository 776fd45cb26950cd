//! Streams of bits: the first bit is the lowest bit of the first byte. The last byte is padded with zeros.

use alloc::vec::Vec;

use super::CodecError;

/// Writes bits into bytes.
pub(super) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Bytes that are not in `out` yet, of which `filled` are whole.
    buffer: [u8; BitWriter::BUFFER],
    filled: usize,
    /// The bits of the next byte, less than eight.
    pending: u64,
    count: u32,
}

impl<'a> BitWriter<'a> {
    const BUFFER: usize = 128;

    pub fn new(out: &'a mut Vec<u8>) -> BitWriter<'a> {
        BitWriter { out, buffer: [0; Self::BUFFER], filled: 0, pending: 0, count: 0 }
    }

    /// Appends the low `count` bits of `bits`, at most 64; the higher bits must be zero.
    #[inline(always)]
    pub fn put(&mut self, bits: u64, count: u32) {
        if count > 56 {
            self.put_short(bits & 0xffff_ffff, 32);
            self.put_short(bits >> 32, count - 32);
        } else {
            self.put_short(bits, count);
        }
    }

    /// The same for at most 56 bits.
    // PERF: how many bytes become whole is hard to predict, so eight are always stored, and the next ones overwrite the rest.
    #[inline(always)]
    fn put_short(&mut self, bits: u64, count: u32) {
        self.pending |= bits << self.count;
        self.count += count;
        self.buffer[self.filled..self.filled + 8].copy_from_slice(&self.pending.to_le_bytes());
        let whole = self.count / 8;
        self.filled += whole as usize;
        self.pending >>= 8 * whole;
        self.count %= 8;
        if self.filled > Self::BUFFER - 8 {
            self.out.extend_from_slice(&self.buffer[..self.filled]);
            self.filled = 0;
        }
    }

    /// Appends up to 56 bits and then others.
    // PERF: most are written as one.
    #[inline(always)]
    pub fn put_both(&mut self, (first, of_first): (u64, u32), (second, of_second): (u64, u32)) {
        if of_first + of_second <= 56 {
            self.put_short(first | second << of_first, of_first + of_second);
        } else {
            self.put_short(first, of_first);
            self.put_short(second, of_second);
        }
    }

    /// Appends the last bits.
    pub fn finish(self) {
        self.out.extend_from_slice(&self.buffer[..self.filled]);
        self.out.extend_from_slice(&self.pending.to_le_bytes()[..self.count.div_ceil(8) as usize]);
    }
}

/// Reads bits from bytes. Beyond the end it reads zeros, so a caller has to call [`check_end`](BitReader::check_end).
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, at: 0 }
    }

    /// At least the next 57 bits; each bit above them is the right one or zero.
    #[inline(always)]
    pub fn peek(&self) -> u64 {
        let byte = self.at / 8;
        let word = match self.bytes.get(byte..byte + 8).and_then(|bytes| bytes.first_chunk()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => self.peek_end(byte),
        };
        word >> (self.at % 8)
    }

    #[cold]
    fn peek_end(&self, byte: usize) -> u64 {
        let rest = self.bytes.get(byte..).unwrap_or_default();
        rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }

    /// Skips `count` bits.
    #[inline]
    pub fn skip(&mut self, count: u32) {
        self.at += count as usize;
    }

    /// Reads 32 bits.
    pub fn read_32(&mut self) -> u64 {
        let bits = self.peek() & 0xffff_ffff;
        self.skip(32);
        bits
    }

    /// Returns whether nothing remains but the zeros of the last byte, given what [`peek`](BitReader::peek) returned.
    #[inline(always)]
    pub fn is_at_end(&self, peeked: u64) -> bool {
        peeked == 0 && self.at + 8 > self.bytes.len() * 8
    }

    /// Checks that no more bits were read than there are.
    ///
    /// # Errors
    ///
    /// More bits were read than there are.
    pub fn check_end(&self) -> Result<(), CodecError> {
        if self.at > self.bytes.len() * 8 { Err(CodecError::Truncated) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of a text of 0 and 1, the first bit first.
    fn pack(text: &str) -> Vec<u8> {
        let bits: Vec<u8> = text.bytes().map(|bit| bit - b'0').collect();
        bits.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | bit)).collect()
    }

    #[test]
    fn bits_are_written_one_after_the_other() {
        let word = 0x9e37_79b9_7f4a_7c15u64;
        // Numbers of bits on both sides of each border.
        for first in [0, 1, 7, 8, 31, 32, 33, 55, 56, 57, 63, 64] {
            for second in [0, 1, 5, 31, 32, 33, 56, 57, 63, 64] {
                let (mut out, mut text) = (Vec::new(), alloc::string::String::new());
                let mut writer = BitWriter::new(&mut out);
                for count in [first, second, 3, first] {
                    let bits = if count == 64 { word } else { word & ((1 << count) - 1) };
                    writer.put(bits, count);
                    text.extend((0..count).map(|bit| if word >> bit & 1 != 0 { '1' } else { '0' }));
                }
                writer.finish();
                assert_eq!(out, pack(&text), "{first} and {second} bits");
                if first.max(second) > 56 {
                    continue;
                }
                let (mut both, low) = (Vec::new(), |count: u32| (word & ((1 << count) - 1), count));
                let mut writer = BitWriter::new(&mut both);
                writer.put_both(low(first), low(second));
                writer.put_both(low(3), low(first));
                writer.finish();
                assert_eq!(both, out, "{first} and {second} bits as one");
            }
        }
    }

    #[test]
    fn less_than_a_byte_of_zeros_is_the_end() {
        for length in 0..20usize {
            for one in (0..length * 8).map(Some).chain([None]) {
                let text: alloc::string::String =
                    (0..length * 8).map(|bit| if Some(bit) == one { '1' } else { '0' }).collect();
                let bytes = pack(&text);
                for at in 0..=length * 8 + 16 {
                    let mut reader = BitReader::new(&bytes);
                    reader.skip(at as u32);
                    let peeked = reader.peek();
                    let rest = text.get(at..).unwrap_or("");
                    // Of the next 57 bits all are told.
                    let next = rest.bytes().take(57).rev().fold(0, |word, bit| word << 1 | u64::from(bit == b'1'));
                    assert_eq!(peeked & ((1 << 57) - 1), next, "{at} of {text}");
                    let is_end = rest.len() < 8 && !rest.contains('1');
                    assert_eq!(reader.is_at_end(peeked), is_end, "{at} of {text}");
                    assert_eq!(reader.check_end().is_ok(), at <= length * 8, "{at} of {text}");
                }
            }
        }
    }
}
