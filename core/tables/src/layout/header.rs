//! The first 64 bytes of a table: its name and shape, and the place of its trailer.

use core::fmt;

use xxhash_rust::xxh3::xxh3_64;

use super::error::LayoutError;
use super::read::{ReadAt, read_bytes};
use super::varint::{u32_at, u64_at};

/// The version that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;
/// First bytes of a table.
pub const MAGIC: [u8; 8] = *b"plyegtb\0";
/// Bytes of the file's header and of the header of each section.
pub const HEADER_BYTES: u64 = 64;

/// The name of a table as the file has it: printable ASCII, at most 16 bytes. The file layer does not know what it means.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TableName([u8; 16]);

impl TableName {
    /// A name; `None` if it is empty, too long, or not printable ASCII.
    pub fn new(name: &str) -> Option<TableName> {
        let mut bytes = [0; 16];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        TableName::from_bytes(bytes)
    }

    /// The name as the file has it, padded with zeros.
    fn from_bytes(bytes: [u8; 16]) -> Option<TableName> {
        let length = bytes.iter().take_while(|byte| byte.is_ascii_graphic()).count();
        (length > 0 && bytes[length..].iter().all(|&byte| byte == 0)).then_some(TableName(bytes))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        let length = self.0.iter().position(|&byte| byte == 0).unwrap_or(self.0.len());
        core::str::from_utf8(&self.0[..length]).unwrap_or_default()
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

impl fmt::Debug for TableName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.as_str())
    }
}

/// The name and the shape of a table, which are fixed before its first byte is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// Its name, such as `KRBvKR`.
    pub name: TableName,
    /// How many pawn slices it has.
    pub pawn_slices: u32,
    /// How many tiles each pawn slice has.
    pub tiles: u32,
}

/// The header of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableHeader {
    /// The name and the shape of the table.
    pub info: TableInfo,
    /// Offset and bytes of the trailer; `None` while the table is unfinished.
    pub trailer: Option<(u64, u64)>,
}

impl TableHeader {
    /// The 64 bytes.
    pub fn to_bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        let (offset, length) = self.trailer.unwrap_or_default();
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&u32::from(self.trailer.is_some()).to_le_bytes());
        bytes[16..32].copy_from_slice(&self.info.name.0);
        bytes[32..36].copy_from_slice(&self.info.pawn_slices.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.info.tiles.to_le_bytes());
        bytes[40..48].copy_from_slice(&offset.to_le_bytes());
        bytes[48..56].copy_from_slice(&length.to_le_bytes());
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads and checks the header.
    ///
    /// # Errors
    ///
    /// Another magic, a newer version, too few bytes, or a wrong checksum.
    pub fn read<R: ReadAt>(reader: &R) -> Result<TableHeader, LayoutError<R::Error>> {
        let section = "header";
        let head = read_bytes(reader, section, 0, reader.len().min(HEADER_BYTES))?;
        let magic = head.len().min(8);
        if magic == 0 || head[..magic] != MAGIC[..magic] {
            return Err(LayoutError::NotATable);
        }
        let Ok(bytes) = <[u8; 64]>::try_from(head.as_slice()) else {
            return Err(LayoutError::Truncated { section, offset: 0, missing: HEADER_BYTES - head.len() as u64 });
        };
        // A later version may have its checksum elsewhere.
        let version = u32_at(&bytes, 8);
        if version > VERSION {
            return Err(LayoutError::Newer { found: version, known: VERSION });
        }
        if xxh3_64(&bytes[..56]) != u64_at(&bytes, 56) {
            return Err(LayoutError::Corrupt { section, offset: 0 });
        }
        let inconsistent = |what| LayoutError::Inconsistent { section, offset: 0, what };
        let mut name = [0; 16];
        name.copy_from_slice(&bytes[16..32]);
        let name = TableName::from_bytes(name).ok_or(inconsistent("the name is not printable text"))?;
        let info = TableInfo { name, pawn_slices: u32_at(&bytes, 32), tiles: u32_at(&bytes, 36) };
        let trailer = (u64_at(&bytes, 40), u64_at(&bytes, 48));
        let trailer = match u32_at(&bytes, 12) {
            1 => Some(trailer),
            0 if trailer == (0, 0) => None,
            _ => return Err(inconsistent("an unfinished table has a trailer")),
        };
        if version == 0 || info.pawn_slices == 0 || info.tiles == 0 {
            return Err(inconsistent("version, pawn slices and tiles count from one"));
        }
        Ok(TableHeader { info, trailer })
    }
}
