//! The partial states of outputs: what the shards of one task give, as bytes that another task merges.
//!
//! Numbers are written in groups of seven bits, the lowest first (LEB128); texts and lists after their lengths. Only programs of one
//! version exchange such bytes, so they have no header.

use alloc::string::String;
use alloc::vec::Vec;

use plyfold_board::moves::Move;
use plyfold_scan::game::{GameId, Ply};
use plyfold_scan::headers::Date;

use super::matching_positions::PositionRef;
use super::move_name::{CheckMark, MoveName};
use super::result_counts::ResultCounts;

/// A value that is written to bytes and read back.
pub trait PartialState: Sized {
    /// Appends the value.
    fn write(&self, out: &mut Vec<u8>);

    /// Takes a value from the front; none if the bytes do not hold one.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

impl PartialState for u64 {
    fn write(&self, out: &mut Vec<u8>) {
        let mut rest = *self;
        while rest > 127 {
            out.push(rest as u8 | 128);
            rest >>= 7;
        }
        out.push(rest as u8);
    }

    fn read(bytes: &mut &[u8]) -> Option<u64> {
        let mut number = 0;
        for at in (0..64).step_by(7) {
            let (&byte, rest) = bytes.split_first()?;
            *bytes = rest;
            let part = u64::from(byte & 127);
            number |= part << at;
            if byte < 128 {
                return (number >> at == part).then_some(number);
            }
        }
        None
    }
}

/// Writes these types as numbers.
macro_rules! as_number {
    ($($type:ty: $number:expr, $value:expr;)*) => {$(
        impl PartialState for $type {
            fn write(&self, out: &mut Vec<u8>) {
                let number: fn(&$type) -> u64 = $number;
                number(self).write(out);
            }

            fn read(bytes: &mut &[u8]) -> Option<$type> {
                let value: fn(u64) -> Option<$type> = $value;
                value(u64::read(bytes)?)
            }
        }
    )*};
}

as_number! {
    u16: |&number| number.into(), |number| number.try_into().ok();
    u32: |&number| number.into(), |number| number.try_into().ok();
    i64: |&number| number as u64, |number| Some(number as i64);
    Move: |mv| mv.bits().into(), |bits| bits.try_into().ok().map(Move::from_bits);
    MoveName: |name| name.bits().into(), |bits| bits.try_into().ok().and_then(MoveName::from_bits);
    CheckMark: |&mark| mark as u64, CheckMark::from_number;
    GameId: |game| game.0.into(), |number| number.try_into().ok().map(GameId);
    Date: |date| u64::from(date.year()) << 16 | u64::from(date.month()) << 8 | u64::from(date.day()),
        |date| Some(Date::new((date >> 16).try_into().ok()?, (date >> 8) as u32 & 255, date as u32 & 255));
}

impl PartialState for String {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<String> {
        let length = usize::try_from(u64::read(bytes)?).ok()?;
        let (text, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        core::str::from_utf8(text).ok().map(String::from)
    }
}

impl<T: PartialState> PartialState for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        u64::from(self.is_some()).write(out);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(bytes: &mut &[u8]) -> Option<Option<T>> {
        match u64::read(bytes)? {
            0 => Some(None),
            1 => T::read(bytes).map(Some),
            _ => None,
        }
    }
}

impl<T: PartialState> PartialState for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u64).write(out);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(bytes: &mut &[u8]) -> Option<Vec<T>> {
        // The list grows with the bytes that are there, whatever its length says.
        (0..u64::read(bytes)?).map(|_| T::read(bytes)).collect()
    }
}

impl<T: PartialState + Copy + Default, const N: usize> PartialState for [T; N] {
    fn write(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.write(out));
    }

    fn read(bytes: &mut &[u8]) -> Option<[T; N]> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::read(bytes)?;
        }
        Some(values)
    }
}

/// Writes a struct as its fields, one after the other.
macro_rules! partial_struct {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl $crate::partial_state::PartialState for $type {
            fn write(&self, out: &mut alloc::vec::Vec<u8>) {
                $(self.$field.write(out);)*
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: $crate::partial_state::PartialState::read(bytes)?,)* })
            }
        }
    };
}
pub(super) use partial_struct;

impl PartialState for PositionRef {
    fn write(&self, out: &mut Vec<u8>) {
        [self.game.0, self.ply.0].write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<PositionRef> {
        <[u32; 2]>::read(bytes).map(|[game, ply]| PositionRef { game: GameId(game), ply: Ply(ply) })
    }
}

impl PartialState for ResultCounts {
    fn write(&self, out: &mut Vec<u8>) {
        self.counts().write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<ResultCounts> {
        PartialState::read(bytes).map(ResultCounts::from_counts)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use proptest::prelude::*;

    use super::*;

    type Mixed = (u64, String, Vec<u32>, Option<i64>);

    proptest! {
        #[test]
        fn values_come_back(number: u64, text: String, list: Vec<u32>, signed: Option<i64>) {
            let mut bytes = Vec::new();
            number.write(&mut bytes);
            text.write(&mut bytes);
            list.write(&mut bytes);
            signed.write(&mut bytes);
            let rest = &mut &bytes[..];
            let read: Mixed = (
                u64::read(rest).expect("a number"),
                String::read(rest).expect("a text"),
                Vec::read(rest).expect("a list"),
                Option::read(rest).expect("an option"),
            );
            prop_assert_eq!(read, (number, text, list, signed));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn damaged_bytes_are_refused_or_read(bytes: Vec<u8>) {
            let _ = Vec::<Option<String>>::read(&mut &bytes[..]);
            let _ = <[u32; 3]>::read(&mut &bytes[..]);
        }
    }

    #[test]
    fn a_length_beyond_the_bytes_is_refused() {
        let mut bytes = Vec::new();
        u64::MAX.write(&mut bytes);
        assert_eq!(String::read(&mut &bytes[..]), None);
        assert_eq!(Vec::<u64>::read(&mut &bytes[..]), None);
        assert_eq!(u64::read(&mut &vec![255; 10][..]), None);
        assert_eq!(u32::read(&mut &bytes[..]), None);
    }

    #[test]
    fn dates_come_back() {
        for date in [Date::default(), Date::new(1972, 7, 11), Date::new(9999, 12, 31), Date::new(1999, 0, 0)] {
            let mut bytes = Vec::new();
            date.write(&mut bytes);
            assert_eq!(<Date as PartialState>::read(&mut &bytes[..]), Some(date));
        }
    }
}
