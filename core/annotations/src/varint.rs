//! Writes and reads numbers in one byte, two or five: most differences between neighbouring plies fit into one.
//!
//! ```text
//! 0 … 223            one byte
//! 224 … 8159         224 + the high part, then the low byte
//! others             255, then a u32
//! ```

use alloc::vec::Vec;

/// The first number that takes two bytes.
const TWO_BYTES: u32 = 224;
/// The first number that takes five bytes.
const FIVE_BYTES: u32 = TWO_BYTES + (255 - TWO_BYTES) * 256;

/// Appends a number.
pub(super) fn push(out: &mut Vec<u8>, number: u32) {
    match number {
        0..TWO_BYTES => out.push(number as u8),
        TWO_BYTES..FIVE_BYTES => {
            let rest = number - TWO_BYTES;
            out.extend_from_slice(&[(TWO_BYTES + rest / 256) as u8, rest as u8]);
        }
        _ => {
            out.push(255);
            out.extend_from_slice(&number.to_le_bytes());
        }
    }
}

/// Takes a number from the front of `bytes`; none if they end within it.
#[inline(always)]
pub(super) fn take(bytes: &mut &[u8]) -> Option<u32> {
    let (&first, rest) = bytes.split_first()?;
    if u32::from(first) < TWO_BYTES {
        *bytes = rest;
        return Some(first.into());
    }
    if first == 255 {
        return take_five(bytes);
    }
    let (&low, rest) = rest.split_first()?;
    *bytes = rest;
    Some(TWO_BYTES + (u32::from(first) - TWO_BYTES) * 256 + u32::from(low))
}

#[inline(never)]
fn take_five(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes[1..].split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

/// Maps small numbers of either sign to small numbers without a sign.
pub(super) fn zigzag(number: i32) -> u32 {
    (number << 1 ^ number >> 31) as u32
}

/// The number that [`zigzag`] made this of.
#[inline(always)]
pub(super) fn unzigzag(number: u32) -> i32 {
    (number >> 1) as i32 ^ -((number & 1) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_written() {
        let borders = [0, 1, 223, 224, 225, 479, 480, 8158, 8159, 8160, 8161, 65_536, u32::MAX - 1, u32::MAX];
        let mut bytes = Vec::new();
        borders.iter().for_each(|&number| push(&mut bytes, number));
        let mut rest = &bytes[..];
        for number in borders {
            assert_eq!(take(&mut rest), Some(number));
        }
        assert_eq!(take(&mut rest), None);
        for cut in [&[224][..], &[255, 1, 2, 3]] {
            assert_eq!(take(&mut &*cut), None);
        }
        for number in [0, -1, 1, 20_000, -40_000, i32::MAX, i32::MIN] {
            assert_eq!(unzigzag(zigzag(number)), number);
        }
    }
}
