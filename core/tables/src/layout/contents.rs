//! The contents of a table: its sections and the sums of their counts. The trailer has them as bytes.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use super::error::LayoutError;
use super::header::{HEADER_BYTES, TableInfo};
use super::read::{ReadAt, read_bytes};
use super::section::{BlockKind, LegalCounts, LevelTotals, SectionEntry, TableSection};
use super::varint::{VarintReader, put_varint, unzigzag, zigzag};

/// First bytes of the trailer.
pub const TRAILER_MAGIC: [u8; 8] = *b"plyegttr";

/// More positions than tables of any material have, and few enough that sums over levels, sides and tables fit 64 bits.
const MAX_POSITIONS: u64 = 1 << 60;

/// The counts of a whole table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TableTotals {
    /// The counts of each distance, from 0 on without gaps.
    pub levels: Vec<LevelTotals>,
    /// Legal positions.
    pub legal: LegalCounts,
}

impl TableTotals {
    /// Whether the sums stay within their limits.
    fn is_countable(&self) -> bool {
        let checked_sum = |sum: u64, more: u64| sum.checked_add(more).filter(|sum| *sum <= MAX_POSITIONS);
        let sum = |count: fn(&LevelTotals) -> u64| self.levels.iter().map(count).try_fold(0, checked_sum);
        self.legal.iter().all(|legal| *legal <= MAX_POSITIONS)
            && sum(|level| level.won).is_some()
            && sum(|level| level.lost).is_some()
    }

    /// Adds a section's counts; says what is wrong if they pass 64 bits.
    fn add(&mut self, section: &TableSection) -> Result<(), &'static str> {
        const TOO_MANY: &str = "its counts pass 64 bits";
        for (sum, legal) in self.legal.iter_mut().zip(section.legal) {
            *sum = sum.checked_add(legal).ok_or(TOO_MANY)?;
        }
        for level in &section.levels {
            while self.levels.len() <= usize::from(level.n) {
                self.levels.push(LevelTotals { n: self.levels.len() as u16, won: 0, lost: 0 });
            }
            let sum = &mut self.levels[usize::from(level.n)];
            sum.won = sum.won.checked_add(level.won).ok_or(TOO_MANY)?;
            sum.lost = sum.lost.checked_add(level.lost).ok_or(TOO_MANY)?;
        }
        Ok(())
    }
}

/// The sections of a table in the order of the file, and their sums.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableContents {
    info: TableInfo,
    sections: Vec<SectionEntry>,
    /// The sections of each pawn slice. They make reading take time in proportion to the bytes, even if a file has its pawn slices
    /// in any order and any number of sections for one of them.
    by_pawn_slice: BTreeMap<u32, PawnSliceSections>,
    counts: TableTotals,
}

/// The sections of a pawn slice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct PawnSliceSections {
    /// The numbers of the sections in the file.
    sections: Vec<u32>,
    /// How many levels they have together, from 0 on.
    levels: u16,
}

impl TableContents {
    /// A table without sections.
    pub fn new(info: TableInfo) -> TableContents {
        TableContents { info, sections: Vec::new(), by_pawn_slice: BTreeMap::new(), counts: TableTotals::default() }
    }

    /// Returns the name and the shape of the table.
    pub fn info(&self) -> &TableInfo {
        &self.info
    }

    /// All sections in the order of the file.
    pub fn sections(&self) -> &[SectionEntry] {
        &self.sections
    }

    /// The byte behind the last section.
    pub fn end(&self) -> u64 {
        self.sections.last().map_or(HEADER_BYTES, SectionEntry::end)
    }

    /// The counts of the whole table, or of the sections so far.
    pub fn counts(&self) -> &TableTotals {
        &self.counts
    }

    /// The numbers of a pawn slice's sections, in the order of its levels.
    pub fn pawn_slice_sections(&self, pawn_slice: u32) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let sections = self.by_pawn_slice.get(&pawn_slice).map_or(&[][..], |of_slice| &of_slice.sections);
        sections.iter().map(|&number| number as usize)
    }

    /// The numbers of the sections of a pawn slice that may have blocks of a kind and level.
    pub fn sections_that_may_have(&self, pawn_slice: u32, kind: BlockKind, n: u16) -> impl Iterator<Item = usize> + '_ {
        self.pawn_slice_sections(pawn_slice).filter(move |&number| self.sections[number].may_have(kind, n))
    }

    /// Returns how many levels a pawn slice has, from 0 on.
    pub fn levels(&self, pawn_slice: u32) -> u16 {
        self.by_pawn_slice.get(&pawn_slice).map_or(0, |of_slice| of_slice.levels)
    }

    /// Returns whether the last section of a pawn slice is there.
    pub fn is_complete(&self, pawn_slice: u32) -> bool {
        self.pawn_slice_sections(pawn_slice).next_back().is_some_and(|number| self.sections[number].is_last)
    }

    /// Returns why a section cannot be the next one, if it cannot.
    fn refusal_reason(&self, entry: &SectionEntry) -> Option<&'static str> {
        if entry.offset != self.end() {
            return Some("it does not begin where the section before it ends");
        }
        if self.is_complete(entry.pawn_slice) {
            return Some("its pawn slice had ended");
        }
        if entry.levels > 0 && entry.first_level != self.levels(entry.pawn_slice) {
            return Some("it does not continue with the next level of its pawn slice");
        }
        None
    }

    fn record(&mut self, entry: SectionEntry) {
        let sections_of_slice = self.by_pawn_slice.entry(entry.pawn_slice).or_default();
        sections_of_slice.sections.push(self.sections.len() as u32);
        sections_of_slice.levels = sections_of_slice.levels.max(entry.first_level + entry.levels);
        self.sections.push(entry);
    }

    /// Adds the next section.
    ///
    /// # Errors
    ///
    /// The section cannot be the next one because of its offset, its pawn slice or its levels.
    pub fn push(&mut self, section: &TableSection) -> Result<(), &'static str> {
        if let Some(what) = self.refusal_reason(&section.entry) {
            return Err(what);
        }
        if section.legal != [0; 2] && self.pawn_slice_sections(section.entry.pawn_slice).next().is_some() {
            return Err("it counts the legal positions of its pawn slice again");
        }
        self.counts.add(section)?;
        self.record(section.entry);
        Ok(())
    }

    /// The bytes of the trailer, which belongs at [`end`](Self::end).
    pub fn trailer(&self) -> Vec<u8> {
        let mut out = TRAILER_MAGIC.to_vec();
        put_varint(self.sections.len() as u64, &mut out);
        let mut pawn_slice = 0;
        for entry in &self.sections {
            put_varint(zigzag(i64::from(entry.pawn_slice) - pawn_slice), &mut out);
            pawn_slice = i64::from(entry.pawn_slice);
            let sizes = [u64::from(entry.blocks), entry.payload_bytes, entry.directory_bytes / 8];
            let levels = [u64::from(entry.flags()), entry.first_level.into(), entry.levels.into()];
            levels.into_iter().chain(sizes).for_each(|number| put_varint(number, &mut out));
        }
        self.counts.legal.into_iter().for_each(|number| put_varint(number, &mut out));
        put_varint(self.counts.levels.len() as u64, &mut out);
        self.counts
            .levels
            .iter()
            .flat_map(|level| [level.won, level.lost])
            .for_each(|number| put_varint(number, &mut out));
        out.resize(out.len().next_multiple_of(8), 0);
        let checksum = xxh3_64(&out);
        out.extend(checksum.to_le_bytes());
        out
    }

    /// Reads and checks the trailer, which is the end of the file.
    ///
    /// # Errors
    ///
    /// The first fault found.
    pub fn read<R: ReadAt>(
        reader: &R,
        info: TableInfo,
        (offset, length): (u64, u64),
    ) -> Result<TableContents, LayoutError<R::Error>> {
        let section = "trailer";
        let bytes = read_bytes(reader, section, offset, length)?;
        let inconsistent = |what| LayoutError::Inconsistent { section, offset, what };
        let Some((bytes, checksum)) = bytes.split_last_chunk::<8>() else {
            return Err(inconsistent("it is too short"));
        };
        if xxh3_64(bytes) != u64::from_le_bytes(*checksum) {
            return Err(LayoutError::Corrupt { section, offset });
        }
        if reader.len() != offset + length {
            return Err(inconsistent("more bytes follow it"));
        }
        let contents = TableContents::parse(bytes, info).map_err(inconsistent)?;
        if contents.end() != offset {
            return Err(inconsistent("the sections do not end where it begins"));
        }
        Ok(contents)
    }

    fn parse(bytes: &[u8], info: TableInfo) -> Result<TableContents, &'static str> {
        const CUT: &str = "it ends too early";
        let mut numbers = VarintReader(bytes.strip_prefix(&TRAILER_MAGIC).ok_or("it should begin here")?);
        let mut contents = TableContents::new(info);
        let mut pawn_slice = 0;
        for _ in 0..numbers.varint().ok_or(CUT)? {
            pawn_slice = unzigzag(numbers.varint().ok_or(CUT)?).checked_add(pawn_slice).ok_or(CUT)?;
            let flags = numbers.varint_as::<u32>().ok_or(CUT)?;
            let entry = SectionEntry {
                pawn_slice: u32::try_from(pawn_slice).map_err(|_| "it has a section of an impossible pawn slice")?,
                first_level: numbers.varint_as().ok_or(CUT)?,
                levels: numbers.varint_as().ok_or(CUT)?,
                is_last: flags & 1 != 0,
                has_bitmap: flags & 2 != 0,
                has_stalemates: flags & 4 != 0,
                blocks: numbers.varint_as().ok_or(CUT)?,
                offset: contents.end(),
                payload_bytes: numbers.varint().ok_or(CUT)?,
                directory_bytes: numbers.varint().and_then(|words| words.checked_mul(8)).ok_or(CUT)?,
            };
            entry.check(&info, flags)?;
            if let Some(what) = contents.refusal_reason(&entry) {
                return Err(what);
            }
            contents.record(entry);
        }
        for legal in &mut contents.counts.legal {
            *legal = numbers.varint().ok_or(CUT)?;
        }
        for n in 0..numbers.varint_as::<u16>().ok_or(CUT)? {
            let (won, lost) = (numbers.varint().ok_or(CUT)?, numbers.varint().ok_or(CUT)?);
            contents.counts.levels.push(LevelTotals { n, won, lost });
        }
        if !contents.counts.is_countable() {
            return Err("it counts more positions than there can be");
        }
        let max_levels = contents.sections.iter().map(|entry| entry.first_level + entry.levels).max().unwrap_or(0);
        if contents.counts.levels.len() != usize::from(max_levels) {
            return Err("its levels differ from those of the sections");
        }
        if !numbers.is_at_end() {
            return Err("its lengths do not add up");
        }
        Ok(contents)
    }
}
