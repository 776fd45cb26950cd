//! What is in a table: its sections and the sums of their counts. The trailer is this as bytes.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use super::error::LayoutError;
use super::header::{Facts, HEADER};
use super::number::{Numbers, put, unzigzag, zigzag};
use super::read::{ReadAt, bytes};
use super::section::{Entry, Kind, Legal, Level, Section};

/// First bytes of the trailer.
pub const TRAILER: [u8; 8] = *b"plyegttr";

/// More positions than tables of any material have, and few enough that sums over levels, sides and tables fit 64 bits.
const MOST: u64 = 1 << 60;

/// Counts of a whole table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// By distance, from 0 on without gaps.
    pub levels: Vec<Level>,
    /// Legal positions.
    pub legal: Legal,
}

impl Summary {
    /// Whether each side's positions can be added up.
    fn is_countable(&self) -> bool {
        let most = |sum: u64, more: u64| sum.checked_add(more).filter(|sum| *sum <= MOST);
        let sum = |count: fn(&Level) -> u64| self.levels.iter().map(count).try_fold(0, most);
        self.legal.iter().all(|legal| *legal <= MOST)
            && sum(|level| level.won).is_some()
            && sum(|level| level.lost).is_some()
    }

    /// Adds a section's counts; says what is wrong if they pass 64 bits.
    fn add(&mut self, section: &Section) -> Result<(), &'static str> {
        const TOO_MANY: &str = "its counts pass 64 bits";
        for (sum, legal) in self.legal.iter_mut().zip(section.legal) {
            *sum = sum.checked_add(legal).ok_or(TOO_MANY)?;
        }
        for level in &section.levels {
            while self.levels.len() <= usize::from(level.n) {
                self.levels.push(Level { n: self.levels.len() as u16, won: 0, lost: 0 });
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
pub struct Contents {
    facts: Facts,
    sections: Vec<Entry>,
    /// Sections by cell. A file may have its cells in any order and give one cell any number of sections, and is read in time in
    /// proportion to its bytes all the same.
    by_cell: BTreeMap<u32, OfCell>,
    summary: Summary,
}

/// The sections of a cell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct OfCell {
    /// Their numbers, as in the file.
    sections: Vec<u32>,
    /// How many levels they have, from 0 on.
    levels: u16,
}

impl Contents {
    /// A table without sections.
    #[must_use]
    pub fn new(facts: Facts) -> Contents {
        Contents { facts, sections: Vec::new(), by_cell: BTreeMap::new(), summary: Summary::default() }
    }

    /// What the table is.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// All sections in the order of the file.
    #[must_use]
    pub fn sections(&self) -> &[Entry] {
        &self.sections
    }

    /// The byte behind the last section.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.sections.last().map_or(HEADER, Entry::end)
    }

    /// Counts of the whole table, or of what there is of it.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The numbers of a cell's sections, in the order of its levels.
    pub fn of_cell(&self, cell: u32) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let sections = self.by_cell.get(&cell).map_or(&[][..], |of_cell| &of_cell.sections);
        sections.iter().map(|&number| number as usize)
    }

    /// The numbers of the sections of a cell that may have pieces of a kind and level.
    pub fn that_can_have(&self, cell: u32, kind: Kind, n: u16) -> impl Iterator<Item = usize> + '_ {
        self.of_cell(cell).filter(move |&number| self.sections[number].can_have(kind, n))
    }

    /// How many levels a cell has, from 0 on.
    #[must_use]
    pub fn levels(&self, cell: u32) -> u16 {
        self.by_cell.get(&cell).map_or(0, |of_cell| of_cell.levels)
    }

    /// Whether a cell's last section is there.
    #[must_use]
    pub fn is_ended(&self, cell: u32) -> bool {
        self.of_cell(cell).next_back().is_some_and(|number| self.sections[number].is_last)
    }

    /// What is wrong with a section as the next one.
    fn refusal(&self, entry: &Entry) -> Option<&'static str> {
        if entry.offset != self.end() {
            return Some("it does not lie where the section before it ends");
        }
        if self.is_ended(entry.cell) {
            return Some("its cell had ended");
        }
        if entry.levels > 0 && entry.first != self.levels(entry.cell) {
            return Some("it does not go on with the next level of its cell");
        }
        None
    }

    fn note(&mut self, entry: Entry) {
        let of_cell = self.by_cell.entry(entry.cell).or_default();
        of_cell.sections.push(self.sections.len() as u32);
        of_cell.levels = of_cell.levels.max(entry.first + entry.levels);
        self.sections.push(entry);
    }

    /// Adds the next section.
    ///
    /// # Errors
    ///
    /// What is wrong with it as the next one: its offset, its cell, its levels.
    pub fn push(&mut self, section: &Section) -> Result<(), &'static str> {
        if let Some(what) = self.refusal(&section.entry) {
            return Err(what);
        }
        if section.legal != [0; 2] && self.of_cell(section.entry.cell).next().is_some() {
            return Err("it counts the legal positions of its cell again");
        }
        self.summary.add(section)?;
        self.note(section.entry);
        Ok(())
    }

    /// The bytes of the trailer, which lies at [`end`](Self::end).
    #[must_use]
    pub fn trailer(&self) -> Vec<u8> {
        let mut out = TRAILER.to_vec();
        put(self.sections.len() as u64, &mut out);
        let mut cell = 0;
        for entry in &self.sections {
            put(zigzag(i64::from(entry.cell) - cell), &mut out);
            cell = i64::from(entry.cell);
            let sizes = [u64::from(entry.pieces), entry.payload, entry.directory / 8];
            let levels = [u64::from(entry.flags()), entry.first.into(), entry.levels.into()];
            levels.into_iter().chain(sizes).for_each(|number| put(number, &mut out));
        }
        self.summary.legal.into_iter().for_each(|number| put(number, &mut out));
        put(self.summary.levels.len() as u64, &mut out);
        self.summary.levels.iter().flat_map(|level| [level.won, level.lost]).for_each(|number| put(number, &mut out));
        out.resize(out.len().next_multiple_of(8), 0);
        let checksum = xxh3_64(&out);
        out.extend(checksum.to_le_bytes());
        out
    }

    /// Reads and checks the trailer, which is the end of the file.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with it.
    pub fn read<R: ReadAt>(
        reader: &R,
        facts: Facts,
        (offset, length): (u64, u64),
    ) -> Result<Contents, LayoutError<R::Error>> {
        let section = "trailer";
        let bytes = bytes(reader, section, offset, length)?;
        let wrong = |what| LayoutError::Inconsistent { section, offset, what };
        let Some((bytes, checksum)) = bytes.split_last_chunk::<8>() else {
            return Err(wrong("it is too short"));
        };
        if xxh3_64(bytes) != u64::from_le_bytes(*checksum) {
            return Err(LayoutError::Corrupt { section, offset });
        }
        if reader.len() != offset + length {
            return Err(wrong("more bytes follow it"));
        }
        let contents = Contents::parse(bytes, facts).map_err(wrong)?;
        if contents.end() != offset {
            return Err(wrong("the sections do not end where it begins"));
        }
        Ok(contents)
    }

    fn parse(bytes: &[u8], facts: Facts) -> Result<Contents, &'static str> {
        const CUT: &str = "it ends too early";
        let mut numbers = Numbers(bytes.strip_prefix(&TRAILER).ok_or("it should begin here")?);
        let mut contents = Contents::new(facts);
        let mut cell = 0;
        for _ in 0..numbers.varint().ok_or(CUT)? {
            cell = unzigzag(numbers.varint().ok_or(CUT)?).checked_add(cell).ok_or(CUT)?;
            let flags = numbers.small::<u32>().ok_or(CUT)?;
            let entry = Entry {
                cell: u32::try_from(cell).map_err(|_| "it has a section of an impossible cell")?,
                first: numbers.small().ok_or(CUT)?,
                levels: numbers.small().ok_or(CUT)?,
                is_last: flags & 1 != 0,
                has_bitmap: flags & 2 != 0,
                has_stale: flags & 4 != 0,
                pieces: numbers.small().ok_or(CUT)?,
                offset: contents.end(),
                payload: numbers.varint().ok_or(CUT)?,
                directory: numbers.varint().and_then(|words| words.checked_mul(8)).ok_or(CUT)?,
            };
            entry.check(&facts, flags)?;
            if let Some(what) = contents.refusal(&entry) {
                return Err(what);
            }
            contents.note(entry);
        }
        for legal in &mut contents.summary.legal {
            *legal = numbers.varint().ok_or(CUT)?;
        }
        for n in 0..numbers.small::<u16>().ok_or(CUT)? {
            let (won, lost) = (numbers.varint().ok_or(CUT)?, numbers.varint().ok_or(CUT)?);
            contents.summary.levels.push(Level { n, won, lost });
        }
        if !contents.summary.is_countable() {
            return Err("it counts more positions than there can be");
        }
        let deepest = contents.sections.iter().map(|entry| entry.first + entry.levels).max().unwrap_or(0);
        if contents.summary.levels.len() != usize::from(deepest) {
            return Err("it counts other levels than the sections have");
        }
        if !numbers.is_at_end() {
            return Err("its lengths do not add up");
        }
        Ok(contents)
    }
}
