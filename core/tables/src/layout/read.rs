//! Reads the bytes of a table from a file, from memory, or from a page's private file.

use alloc::vec::Vec;

use thiserror::Error;

use super::error::LayoutError;

/// Bytes that can be read at any place, by several threads at once.
pub trait ReadAt {
    /// Why bytes cannot be read.
    type Error;

    /// How many bytes there are. The number must not shrink while they are read.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// The error of the source, also if `offset + buffer.len()` is beyond the end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Self::Error>;
}

/// The error of a read beyond the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("there are no bytes beyond the end")]
pub struct PastEnd;

impl ReadAt for [u8] {
    type Error = PastEnd;

    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), PastEnd> {
        let from = usize::try_from(offset).map_err(|_| PastEnd)?;
        let to = from.checked_add(buffer.len()).ok_or(PastEnd)?;
        buffer.copy_from_slice(self.get(from..to).ok_or(PastEnd)?);
        Ok(())
    }
}

impl ReadAt for Vec<u8> {
    type Error = PastEnd;

    fn len(&self) -> u64 {
        ReadAt::len(self.as_slice())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), PastEnd> {
        self.as_slice().read_at(offset, buffer)
    }
}

impl<R: ReadAt + ?Sized> ReadAt for &R {
    type Error = R::Error;

    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), R::Error> {
        (**self).read_at(offset, buffer)
    }
}

/// The bytes `offset .. offset + length` of `reader`. If some of them do not exist, nothing is allocated.
pub(super) fn read_bytes<R: ReadAt>(
    reader: &R,
    section: &'static str,
    offset: u64,
    length: u64,
) -> Result<Vec<u8>, LayoutError<R::Error>> {
    let mut buffer = Vec::new();
    read_bytes_into(reader, section, offset, length, &mut buffer)?;
    Ok(buffer)
}

/// Reads bytes as [`read_bytes`] does, into a reused buffer.
pub(super) fn read_bytes_into<R: ReadAt>(
    reader: &R,
    section: &'static str,
    offset: u64,
    length: u64,
    buffer: &mut Vec<u8>,
) -> Result<(), LayoutError<R::Error>> {
    let end = offset.saturating_add(length);
    let missing = end.saturating_sub(reader.len());
    let Some(length) = usize::try_from(length).ok().filter(|_| missing == 0) else {
        return Err(LayoutError::Truncated { section, offset, missing });
    };
    buffer.clear();
    buffer.resize(length, 0);
    reader.read_at(offset, buffer).map_err(|source| LayoutError::Read { offset, source })
}
