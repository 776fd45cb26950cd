//! Streams of bits: the first bit is the lowest of the first byte. The rest of the last byte is zeros.

use alloc::vec::Vec;

use super::CodecError;

/// Bits on their way into bytes.
pub(super) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    pending: u64,
    count: u32,
}

impl<'a> BitWriter<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> BitWriter<'a> {
        BitWriter { out, pending: 0, count: 0 }
    }

    /// Appends the low `count` bits, at most 64; the others are zero.
    #[inline]
    pub fn put(&mut self, bits: u64, count: u32) {
        if count > 32 {
            self.put_half(bits & 0xffff_ffff, 32);
            self.put_half(bits >> 32, count - 32);
        } else {
            self.put_half(bits, count);
        }
    }

    #[inline]
    fn put_half(&mut self, bits: u64, count: u32) {
        self.pending |= bits << self.count;
        self.count += count;
        if self.count >= 32 {
            self.out.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.count -= 32;
        }
    }

    /// Appends what is left.
    pub fn finish(self) {
        self.out.extend_from_slice(&self.pending.to_le_bytes()[..self.count.div_ceil(8) as usize]);
    }
}

/// Bits of bytes. Beyond the end there are zeros; whoever reads has to look at [`check_end`](BitReader::check_end).
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, at: 0 }
    }

    /// The next 57 bits at least; more above them are valid or zero.
    #[inline]
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

    /// Goes on by so many bits.
    #[inline]
    pub fn skip(&mut self, count: u32) {
        self.at += count as usize;
    }

    /// The next 32 bits, and goes on.
    pub fn read_32(&mut self) -> u64 {
        let bits = self.peek() & 0xffff_ffff;
        self.skip(32);
        bits
    }

    /// Whether only the zeros of the last byte are left, given what [`peek`](BitReader::peek) says.
    #[inline]
    pub fn is_at_end(&self, peeked: u64) -> bool {
        peeked == 0 && self.at + 8 > self.bytes.len() * 8
    }

    /// That no more bits were used than there are.
    ///
    /// # Errors
    ///
    /// There are too few.
    pub fn check_end(&self) -> Result<(), CodecError> {
        if self.at > self.bytes.len() * 8 { Err(CodecError::Truncated) } else { Ok(()) }
    }
}
