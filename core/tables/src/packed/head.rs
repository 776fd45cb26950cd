//! The head of a packed table: a header of 64 bytes, where each block is, and a summary with the totals and the distributions.
//!
//! Where each of these begins follows from the material alone, but for the length of the summary, so a reader that has nothing yet
//! asks for all of them at once. FORMAT.md beside this file describes the bytes.

use alloc::vec::Vec;
use core::ops::Range;

use thiserror::Error;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::distributions::Distributions;
use super::geometry::{MAX_ROWS, UnitAddress};
use super::model::{COARSE_CONTEXTS, MAX_LEVEL, Neighborhood};
use crate::index::{TableAddress, TableIndex};
use crate::layout::varint::{VarintReader, put_varint, u32_at, u64_at};
use crate::layout::{LevelTotals, TableTotals};
use crate::material::TableMaterial;

/// First bytes of a packed table.
pub const MAGIC: [u8; 8] = *b"plyegtp\0";
/// The version that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;
/// The number of units in a block; the last block of a table may have fewer.
pub const BLOCK_UNITS: u64 = 8;
/// Bytes of the header.
pub const HEADER_BYTES: u64 = 64;
/// Bytes of an entry of the list of blocks: the place of its block in 40 bits, and its checksum.
const ENTRY_BYTES: u64 = 9;
/// Most bytes of a summary.
const MAX_SUMMARY_BYTES: u32 = 1 << 20;
/// Most bytes of a block: no unit takes more than a quarter of a million.
const MAX_BLOCK_BYTES: u64 = BLOCK_UNITS << 18;

/// The errors of the bytes of a packed table. Offsets count from the start of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackedError {
    /// The first bytes are something else.
    #[error("not a packed table: it does not begin with the magic of packed tables (make them with `egtgen pack`)")]
    NotPacked,
    /// Written by a later version.
    #[error(
        "the packed table has format version {found}, newer than {known}, the newest known here: update this program"
    )]
    Newer {
        /// The version found.
        found: u32,
        /// The newest version that this program reads.
        known: u32,
    },
    /// Another table.
    #[error("it holds the table {found}, not {expected}: give the file its right name")]
    OtherTable {
        /// The name that it has.
        found: alloc::string::String,
        /// The table that was asked for.
        expected: TableMaterial,
    },
    /// The bytes end too early.
    #[error("truncated in the {part} at byte {offset}; copy or pack the table again")]
    Truncated {
        /// The part that is cut.
        part: &'static str,
        /// Where it begins.
        offset: u64,
    },
    /// A checksum is wrong.
    #[error(
        "corrupt {part} at byte {offset}: its checksum does not match, or the table was replaced while it was read; open it again, or else copy or pack it again"
    )]
    Corrupt {
        /// The damaged part.
        part: &'static str,
        /// Where it begins.
        offset: u64,
    },
    /// The parts contradict each other although the checksums are right.
    #[error("inconsistent {part} at byte {offset}: {what}; pack the table again")]
    Inconsistent {
        /// The part at fault.
        part: &'static str,
        /// Where it begins.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// The places of the parts of a packed table, as far as its material determines them, and the numbers of its units, in the order of
/// their addresses.
#[derive(Clone, Debug)]
pub struct PackedLayout {
    /// The number of each tile's first unit in its pawn slice.
    tiles: Vec<u64>,
    of_pawn_slice: u64,
    pawn_slices: u64,
}

impl PackedLayout {
    /// The layout of a table.
    pub fn new(index: &TableIndex) -> PackedLayout {
        let (mut tiles, mut units) = (Vec::new(), 0);
        for tile in 0..index.tiles() {
            tiles.push(units);
            units += index.tile_words(tile).div_ceil(MAX_ROWS) as u64;
        }
        PackedLayout { tiles, of_pawn_slice: units, pawn_slices: index.pawn_slices().len() as u64 }
    }

    /// Returns how many units there are.
    pub const fn units(&self) -> u64 {
        self.pawn_slices * self.of_pawn_slice
    }

    /// The number of a unit.
    pub fn unit_number(&self, at: UnitAddress) -> u64 {
        u64::from(at.pawn_slice) * self.of_pawn_slice + self.tiles[at.tile as usize] + u64::from(at.unit)
    }

    /// The unit with a number.
    pub fn unit_address(&self, number: u64) -> UnitAddress {
        let (pawn_slice, rest) = (number / self.of_pawn_slice, number % self.of_pawn_slice);
        let tile = self.tiles.partition_point(|first| *first <= rest) - 1;
        UnitAddress { pawn_slice: pawn_slice as u32, tile: tile as u32, unit: (rest - self.tiles[tile]) as u32 }
    }

    /// The number of blocks.
    pub const fn blocks(&self) -> u64 {
        self.units().div_ceil(BLOCK_UNITS)
    }

    /// The numbers of the units of a block.
    pub fn block_units(&self, block: u64) -> Range<u64> {
        let first = block * BLOCK_UNITS;
        first..(first + BLOCK_UNITS).min(self.units())
    }

    /// Returns where the entry of a block is, and the next one, which says where the block ends.
    pub const fn entries(&self, block: u64) -> Range<u64> {
        let first = HEADER_BYTES + block * ENTRY_BYTES;
        first..first + 2 * ENTRY_BYTES
    }

    /// Returns where the summary begins, behind the entries and their checksum.
    pub const fn summary_offset(&self) -> u64 {
        HEADER_BYTES + (self.blocks() + 1) * ENTRY_BYTES + 8
    }
}

/// The header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedHeader {
    name: [u8; 16],
    /// How the levels of the table foretell each other.
    pub(super) neighborhood: Neighborhood,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of the summary.
    pub summary_bytes: u32,
    summary_checksum: u64,
}

impl PackedHeader {
    /// Reads and checks a header.
    ///
    /// # Errors
    ///
    /// Another magic, a newer version, another table, too few bytes, or a wrong checksum.
    pub fn read(bytes: &[u8], expected: TableMaterial) -> Result<PackedHeader, PackedError> {
        let part = "header";
        let magic = bytes.len().min(8);
        if magic == 0 || bytes[..magic] != MAGIC[..magic] {
            return Err(PackedError::NotPacked);
        }
        let Some(bytes) = bytes.first_chunk::<{ HEADER_BYTES as usize }>() else {
            return Err(PackedError::Truncated { part, offset: 0 });
        };
        let (u32_at, u64_at) = (|at| u32_at(bytes, at), |at| u64_at(bytes, at));
        // A later version may have its checksum elsewhere.
        if u32_at(8) > VERSION {
            return Err(PackedError::Newer { found: u32_at(8), known: VERSION });
        }
        if xxh3_64(&bytes[..56]) != u64_at(56) {
            return Err(PackedError::Corrupt { part, offset: 0 });
        }
        let inconsistent = |what| PackedError::Inconsistent { part, offset: 0, what };
        let name = *bytes[16..].first_chunk().unwrap_or(&[0; 16]);
        if name != padded(expected) {
            let found = core::str::from_utf8(&name).unwrap_or("?").trim_end_matches('\0').into();
            return Err(PackedError::OtherTable { found, expected });
        }
        let neighborhood = match u32_at(12) {
            0 => Neighborhood::Straight,
            1 => Neighborhood::Diagonal,
            _ => return Err(inconsistent("the kind of neighbours is unknown")),
        };
        let summary_bytes = u32_at(40);
        if u32_at(8) == 0 || u32_at(44) != 0 || summary_bytes > MAX_SUMMARY_BYTES {
            return Err(inconsistent("a number is not one that is written"));
        }
        Ok(PackedHeader { name, neighborhood, file_bytes: u64_at(32), summary_bytes, summary_checksum: u64_at(48) })
    }

    fn to_bytes(self) -> [u8; HEADER_BYTES as usize] {
        let mut bytes = [0; HEADER_BYTES as usize];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&u32::from(self.neighborhood == Neighborhood::Diagonal).to_le_bytes());
        bytes[16..32].copy_from_slice(&self.name);
        bytes[32..40].copy_from_slice(&self.file_bytes.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.summary_bytes.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.summary_checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Returns where a block is, from its entry and the next one.
    ///
    /// # Errors
    ///
    /// They are damaged.
    pub fn block_place(&self, layout: &PackedLayout, block: u64, entries: &[u8]) -> Result<BlockPlace, PackedError> {
        let (part, offset) = ("list of blocks", layout.entries(block).start);
        let Some(entries) = entries.first_chunk::<{ 2 * ENTRY_BYTES as usize }>() else {
            return Err(PackedError::Truncated { part, offset });
        };
        let place = |at: usize| (0..5).rev().fold(0, |place, byte| place << 8 | u64::from(entries[at + byte]));
        let (start, end) = (place(0), place(ENTRY_BYTES as usize));
        let first = layout.summary_offset() + u64::from(self.summary_bytes);
        if start < first || end < start || end > self.file_bytes || end - start > MAX_BLOCK_BYTES {
            return Err(PackedError::Corrupt { part, offset });
        }
        let checksum = u32::from_le_bytes([entries[5], entries[6], entries[7], entries[8]]);
        Ok(BlockPlace { bytes: start..end, checksum })
    }

    /// Checks that the bytes of a block are those that were written.
    ///
    /// # Errors
    ///
    /// They are too few or damaged.
    pub fn check_block(&self, place: &BlockPlace, bytes: &[u8]) -> Result<(), PackedError> {
        let (part, offset) = ("block", place.bytes.start);
        if bytes.len() as u64 != place.bytes.end - offset {
            return Err(PackedError::Truncated { part, offset });
        }
        let is_right = self.block_checksum(bytes) == place.checksum;
        if is_right { Ok(()) } else { Err(PackedError::Corrupt { part, offset }) }
    }

    /// A block of another packing of the table has another checksum.
    fn block_checksum(&self, bytes: &[u8]) -> u32 {
        xxh3_64_with_seed(bytes, self.summary_checksum) as u32
    }

    /// Checks that all entries, with the checksum behind them, are those that were written.
    ///
    /// # Errors
    ///
    /// They are damaged.
    pub fn check_entries(&self, entries: &[u8]) -> Result<(), PackedError> {
        let (part, offset) = ("list of blocks", HEADER_BYTES);
        let (entries, checksum) = entries.split_last_chunk().ok_or(PackedError::Truncated { part, offset })?;
        let is_right = xxh3_64(entries) == u64::from_le_bytes(*checksum);
        if is_right { Ok(()) } else { Err(PackedError::Corrupt { part, offset }) }
    }
}

/// Where a block is, and its checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPlace {
    /// Its bytes in the file.
    pub bytes: Range<u64>,
    checksum: u32,
}

fn padded(material: TableMaterial) -> [u8; 16] {
    let (name, mut padded) = (alloc::string::ToString::to_string(&material), [0; 16]);
    // A name has two kings, a `v` and at most five pieces more.
    padded.iter_mut().zip(name.bytes()).for_each(|(byte, letter)| *byte = letter);
    padded
}

/// The facts that a summary gives about the positions of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedFacts {
    /// Positions by level.
    pub totals: TableTotals,
    /// Some positions of the highest level, with White and with Black to move; at most [`MAX_LONGEST`].
    pub longest: [Vec<TableAddress>; 2],
}

/// The most positions of the highest level that a summary names for a side.
pub const MAX_LONGEST: usize = 16;

/// Reads and checks a summary: what it says of the positions, and the distributions of the symbols.
///
/// # Errors
///
/// It is damaged.
pub(super) fn read_summary(
    header: &PackedHeader,
    offset: u64,
    bytes: &[u8],
) -> Result<(PackedFacts, Distributions), PackedError> {
    let part = "summary";
    let bytes = bytes.get(..header.summary_bytes as usize).ok_or(PackedError::Truncated { part, offset })?;
    if xxh3_64(bytes) != header.summary_checksum {
        return Err(PackedError::Corrupt { part, offset });
    }
    let inconsistent = PackedError::Inconsistent { part, offset, what: "its totals are not numbers" };
    let mut reader = VarintReader(bytes);
    let facts = read_facts(&mut reader).ok_or(inconsistent)?;
    Ok((facts, Distributions::read(reader.0, COARSE_CONTEXTS)))
}

fn read_facts(reader: &mut VarintReader) -> Option<PackedFacts> {
    let legal = [reader.varint()?, reader.varint()?];
    let levels = reader.varint_as::<u16>().filter(|levels| *levels <= MAX_LEVEL + 1)?;
    let level = |n: u16| Some(LevelTotals { n, won: reader.varint()?, lost: reader.varint()? });
    let totals = TableTotals { legal, levels: (0..levels).map(level).collect::<Option<Vec<_>>>()? };
    let mut longest = [Vec::new(), Vec::new()];
    for places in &mut longest {
        let number = reader.varint_as::<usize>().filter(|number| *number <= MAX_LONGEST)?;
        for _ in 0..number {
            let (pawn_slice, tile) = (reader.varint_as()?, reader.varint_as()?);
            places.push(TableAddress { pawn_slice, tile, bit: reader.varint()? });
        }
    }
    Some(PackedFacts { totals, longest })
}

fn write_facts(facts: &PackedFacts, out: &mut Vec<u8>) {
    facts.totals.legal.into_iter().for_each(|legal| put_varint(legal, out));
    put_varint(facts.totals.levels.len() as u64, out);
    for level in &facts.totals.levels {
        put_varint(level.won, out);
        put_varint(level.lost, out);
    }
    for places in &facts.longest {
        let places = &places[..places.len().min(MAX_LONGEST)];
        put_varint(places.len() as u64, out);
        for place in places {
            [place.pawn_slice.into(), place.tile.into(), place.bit]
                .into_iter()
                .for_each(|number| put_varint(number, out));
        }
    }
}

/// Writes a head while the blocks are written behind it.
pub struct HeadWriter {
    header: PackedHeader,
    summary: Vec<u8>,
    entries: Vec<u8>,
}

impl HeadWriter {
    /// The head of a table with these facts and distributions.
    pub fn new(
        layout: &PackedLayout,
        material: TableMaterial,
        (neighborhood, distributions): (Neighborhood, &Distributions),
        facts: &PackedFacts,
    ) -> HeadWriter {
        let mut summary = Vec::new();
        write_facts(facts, &mut summary);
        distributions.write(&mut summary);
        let header = PackedHeader {
            name: padded(material),
            neighborhood,
            file_bytes: layout.summary_offset() + summary.len() as u64,
            summary_bytes: summary.len() as u32,
            summary_checksum: xxh3_64(&summary),
        };
        HeadWriter { header, summary, entries: Vec::new() }
    }

    /// Returns where the next block is written.
    pub const fn block_offset(&self) -> u64 {
        self.header.file_bytes
    }

    /// The bytes of the next block, which has these units.
    pub fn push_block(&mut self, units: &[Vec<u8>]) -> Vec<u8> {
        let mut block = Vec::new();
        units.iter().take(units.len().saturating_sub(1)).for_each(|unit| put_varint(unit.len() as u64, &mut block));
        units.iter().for_each(|unit| block.extend_from_slice(unit));
        self.push_entry(self.header.block_checksum(&block));
        self.header.file_bytes += block.len() as u64;
        block
    }

    fn push_entry(&mut self, checksum: u32) {
        self.entries.extend_from_slice(&self.header.file_bytes.to_le_bytes()[..5]);
        self.entries.extend_from_slice(&checksum.to_le_bytes());
    }

    /// The head, which is written at the start of the file after all blocks.
    pub fn finish(mut self) -> Vec<u8> {
        self.push_entry(0);
        let checksum = xxh3_64(&self.entries).to_le_bytes();
        [&self.header.to_bytes()[..], &self.entries, &checksum, &self.summary].concat()
    }
}

/// Returns where each of a block's units is in its bytes, from the lengths of all but the last; `None` if they do not fit.
pub fn unit_ranges(block: &[u8], units: usize) -> Option<Vec<Range<usize>>> {
    let mut reader = VarintReader(block);
    let lengths = (1..units).map(|_| reader.varint_as::<usize>()).collect::<Option<Vec<_>>>()?;
    let mut start = block.len() - reader.0.len();
    let mut ranges = Vec::with_capacity(units);
    for length in lengths {
        let end = start.checked_add(length).filter(|end| *end <= block.len())?;
        ranges.push(start..end);
        start = end;
    }
    ranges.push(start..block.len());
    Some(ranges)
}
