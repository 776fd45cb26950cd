//! Numbers in the bytes of a table: numbers of a fixed size are little-endian, others are varints (seven bits a byte, lowest
//! first).

use alloc::vec::Vec;

/// Appends a varint: one to ten bytes.
pub(crate) fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A difference as a number without sign: 0, -1, 1, -2 become 0, 1, 2, 3.
pub(crate) fn zigzag(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Reads numbers one after the other. Every read returns `None` if there are too few bytes.
pub(crate) struct VarintReader<'a>(pub &'a [u8]);

impl VarintReader<'_> {
    /// A varint; `None` also if it is not written in the fewest bytes.
    pub fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for (index, &byte) in self.0.iter().enumerate().take(10) {
            let bits = u64::from(byte & 0x7f);
            if index == 9 && bits > 1 || index > 0 && byte == 0 {
                return None;
            }
            number |= bits << (7 * index);
            if byte & 0x80 == 0 {
                self.0 = &self.0[index + 1..];
                return Some(number);
            }
        }
        None
    }

    /// A varint of a smaller type.
    pub fn varint_as<T: TryFrom<u64>>(&mut self) -> Option<T> {
        self.varint().and_then(|number| T::try_from(number).ok())
    }

    /// The next bytes, unchanged.
    pub fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*bytes)
    }

    /// Returns whether nothing remains but the zeros that pad to a multiple of eight.
    pub fn is_at_end(&self) -> bool {
        self.0.len() < 8 && self.0.iter().all(|&byte| byte == 0)
    }
}

/// The `u16` at a place of a fixed header.
pub(crate) fn u16_at(bytes: &[u8; 64], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// The `u32` at a place of a fixed header.
pub(crate) fn u32_at(bytes: &[u8; 64], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

/// The `u64` at a place of a fixed header.
pub(crate) fn u64_at(bytes: &[u8; 64], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn varints_come_back(numbers in prop::collection::vec(any::<u64>().prop_flat_map(|n| (0..64u32).prop_map(move |s| n >> s)), 0..20)) {
            let mut bytes = Vec::new();
            for &number in &numbers {
                put_varint(number, &mut bytes);
            }
            let mut read = VarintReader(&bytes);
            for &number in &numbers {
                prop_assert_eq!(read.varint(), Some(number));
            }
            prop_assert!(read.0.is_empty());
            prop_assert_eq!(read.varint(), None);
        }

        #[test]
        fn zigzag_comes_back(number in any::<i64>()) {
            prop_assert_eq!(unzigzag(zigzag(number)), number);
        }
    }

    #[test]
    fn a_varint_has_one_spelling() {
        assert_eq!(VarintReader(&[0x80, 0]).varint(), None, "two bytes for zero");
        assert_eq!(VarintReader(&[0xff; 10]).varint(), None, "more than 64 bits");
        assert_eq!(VarintReader(&[0x80]).varint(), None, "no end");
    }
}
