//! Probing packed tables without I/O: a question is answered, or says which bytes it needs first.
//!
//! A question about a table that is new needs its header, its summary and an entry of its list of blocks, all at once; then it needs a
//! block. So a cold probe takes two rounds of requests, and a warm one at most one. Everything that a question can need is asked for
//! together: with the loser to move, the blocks of all moves.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::ops::Range;

use shakmaty::{Board, Color};
use thiserror::Error;

use super::geometry::{Row, UnitAddress};
use super::head::{
    BLOCK_UNITS, BlockPlace, HEADER_BYTES, PackedError, PackedFacts, PackedHeader, PackedLayout, read_summary,
    unit_ranges,
};
use super::model::Unit;
use super::pack::PackingModel;
use crate::index::TableIndex;
use crate::material::TableMaterial;
use crate::probe::{ProbeValue, Prober, RatedMove, TableSource};
use crate::successors::TablePosition;

/// Bytes of a table that a question needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The table; its file is `NAME.egp`.
    pub table: TableMaterial,
    /// Where they are in the file. The end may lie behind the end of the file.
    pub bytes: Range<u64>,
}

/// An answer, or what is needed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// The answer.
    Known(T),
    /// [Supply](PackedTables::supply) these bytes and ask again.
    Needs(Vec<ByteRange>),
}

impl<T> Answer<T> {
    /// Changes the answer, if there is one.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Answer::Known(answer) => Answer::Known(change(answer)),
            Answer::Needs(ranges) => Answer::Needs(ranges),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackedFault {
    /// A table that is needed is not there.
    #[error("the table {0} is needed but missing")]
    Missing(TableMaterial),
    /// A table cannot be used.
    #[error("{table}.egp: {error}")]
    Damaged {
        /// The table.
        table: TableMaterial,
        /// What is wrong with it.
        error: PackedError,
    },
    /// Bytes are needed first. Questions that return an [`Answer`] never fail with this.
    #[error("more bytes of the tables are needed")]
    Needs,
}

/// How much of a summary is asked for before its length is known.
const SUMMARY_GUESS: u64 = 24 << 10;
/// Ranges of one file with fewer bytes between them become one.
const JOIN_WITHIN: u64 = 2 << 10;

/// An open table, which several [`PackedTables`] may share.
pub struct PackedTable {
    /// The index of its positions.
    pub index: TableIndex,
    /// Where its parts are.
    pub layout: PackedLayout,
    /// Its header.
    pub header: PackedHeader,
    /// What its summary says of its positions.
    pub facts: PackedFacts,
    model: PackingModel,
}

impl PackedTable {
    /// Opens a table from the first bytes of its file, which must reach to the end of its summary.
    ///
    /// # Errors
    ///
    /// They are damaged or too few.
    pub fn open(material: TableMaterial, head: &[u8]) -> Result<PackedTable, PackedError> {
        let (index, header) = (TableIndex::new(material), PackedHeader::read(head, material)?);
        let layout = PackedLayout::new(&index);
        let offset = layout.summary_offset();
        let summary = usize::try_from(offset).ok().and_then(|offset| head.get(offset..)).unwrap_or_default();
        PackedTable::with_summary((index, layout), header, summary)
    }

    fn with_summary(
        (index, layout): (TableIndex, PackedLayout),
        header: PackedHeader,
        summary: &[u8],
    ) -> Result<PackedTable, PackedError> {
        let (facts, distributions) = read_summary(&header, layout.summary_offset(), summary)?;
        let model = PackingModel { neighborhood: header.neighborhood, distributions };
        Ok(PackedTable { index, layout, header, model, facts })
    }

    /// The bytes of each unit of a block, which has been read from `place`.
    ///
    /// # Errors
    ///
    /// The bytes are damaged.
    pub fn units_of_block(
        &self,
        block: u64,
        place: &BlockPlace,
        bytes: &[u8],
    ) -> Result<Vec<Range<usize>>, PackedError> {
        self.header.check_block(place, bytes)?;
        let units = self.layout.block_units(block);
        let (part, offset, what) = ("block", place.bytes.start, "its units are longer than the block");
        let ranges = unit_ranges(bytes, (units.end - units.start) as usize);
        ranges.ok_or(PackedError::Inconsistent { part, offset, what })
    }

    /// Reads the levels of a unit up to the place `last`.
    ///
    /// # Errors
    ///
    /// The bytes are damaged.
    pub fn unpack(&self, unit: &mut Unit, rows: &[Row], last: usize, bytes: &[u8]) -> Result<(), PackedError> {
        let what = "its levels do not end with it";
        let is_sound = self.model.unpack(unit, rows, last, bytes);
        if is_sound { Ok(()) } else { Err(PackedError::Inconsistent { part: "unit", offset: 0, what }) }
    }
}

/// What has been read of a table.
enum OpenState {
    /// Nothing; its shape follows from its material.
    New(TableIndex, PackedLayout),
    /// The header.
    Header(TableIndex, PackedLayout, PackedHeader),
    Open(Arc<PackedTable>),
    Absent,
    Damaged(PackedError),
}

/// A table, and which of its blocks have been found.
struct KnownTable {
    material: TableMaterial,
    state: OpenState,
    places: BTreeMap<u64, BlockPlace>,
}

/// A block in memory.
struct KnownBlock {
    bytes: Vec<u8>,
    units: Vec<Range<usize>>,
    used: u64,
}

/// A unit that has been read up to a place.
struct KnownUnit {
    unit: Box<Unit>,
    last: usize,
    used: u64,
}

/// About the memory that a unit takes, and what comes with a block.
const UNIT_BYTES: usize = size_of::<Unit>() + 10 * 1024;
const BLOCK_EXTRA_BYTES: usize = 256;

/// A part of a table's file, in the order in which parts are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FilePart {
    Header,
    Summary,
    Entries(u64),
    Block(u64),
}

/// A table, by the order in which tables became known.
type TableNumber = u32;

#[derive(Default)]
struct State {
    tables: Vec<KnownTable>,
    numbers: BTreeMap<TableMaterial, TableNumber>,
    blocks: BTreeMap<(TableNumber, u64), KnownBlock>,
    units: BTreeMap<(TableNumber, u64), KnownUnit>,
    needs: BTreeSet<(TableNumber, FilePart)>,
    bytes: usize,
    bound: usize,
    /// The number of questions so far.
    now: u64,
}

/// Packed tables, as far as their bytes have been supplied. What was used last stays in memory.
pub struct PackedTables(RefCell<State>);

impl PackedTables {
    /// No tables yet; blocks and units take about `bound` bytes of memory, or more while one question needs more.
    pub fn new(bound: usize) -> PackedTables {
        PackedTables(RefCell::new(State { bound, ..State::default() }))
    }

    /// Adds a table that is open already.
    pub fn insert(&mut self, table: Arc<PackedTable>) {
        let state = self.0.get_mut();
        let number = state.number(table.index.material());
        state.tables[number as usize].state = OpenState::Open(table);
    }

    /// The table of a material, if it has been opened.
    pub fn table(&self, material: TableMaterial) -> Option<Arc<PackedTable>> {
        let state = self.0.borrow();
        match &state.tables[*state.numbers.get(&material)? as usize].state {
            OpenState::Open(table) => Some(Arc::clone(table)),
            _ => None,
        }
    }

    /// Notes that there is no table of this material.
    pub fn set_absent(&mut self, material: TableMaterial) {
        let state = self.0.get_mut();
        let number = state.number(material);
        state.tables[number as usize].state = OpenState::Absent;
    }

    /// Forgets a table, which may have been replaced: the next question reads it anew.
    pub fn forget(&mut self, material: TableMaterial) {
        let state = self.0.get_mut();
        if let Some(number) = state.numbers.get(&material).copied() {
            state.tables[number as usize] = KnownTable::new(material);
            state.blocks.retain(|(of, _), _| *of != number);
            state.units.retain(|(of, _), _| *of != number);
            state.count_bytes();
        }
    }

    /// Takes bytes of a table's file, from `offset` on. Fewer than were needed mean that the file ends there.
    ///
    /// # Errors
    ///
    /// The bytes are damaged, or too few.
    pub fn supply(&mut self, material: TableMaterial, offset: u64, bytes: &[u8]) -> Result<(), PackedFault> {
        let state = self.0.get_mut();
        let number = state.number(material);
        let supplied = state.supply(number, offset, bytes);
        supplied.map_err(|error| {
            state.needs.retain(|(of, _)| *of != number);
            let damaged = PackedFault::Damaged { table: material, error: error.clone() };
            // What was read before stays usable, since each block has a checksum of its own.
            if !matches!(state.tables[number as usize].state, OpenState::Open(_)) {
                state.tables[number as usize].state = OpenState::Damaged(error);
            }
            damaged
        })
    }

    /// The value of a position for the side to move.
    ///
    /// # Errors
    ///
    /// A table is missing or damaged.
    pub fn value(&self, position: &TablePosition) -> Result<Answer<ProbeValue>, PackedFault> {
        self.ask([position.clone()], |prober| prober.value(position))
    }

    /// Every legal move, best first, as [`Prober::rated_moves`] orders them.
    ///
    /// # Errors
    ///
    /// A table is missing or damaged.
    pub fn rated_moves(&self, position: &TablePosition) -> Result<Answer<Vec<RatedMove>>, PackedFault> {
        let after = position.successors().map(|(_, after)| after);
        self.ask(after, |prober| prober.rated_moves(position))
    }

    /// The values of many positions; `None` where no table is at hand.
    ///
    /// # Errors
    ///
    /// A table is damaged.
    pub fn values(&self, positions: &[TablePosition]) -> Result<Answer<Vec<Option<ProbeValue>>>, PackedFault> {
        self.ask(positions.iter().cloned(), |prober| {
            let value = |position| match prober.value(position) {
                Ok(value) => Ok(Some(value)),
                Err(PackedFault::Missing(_)) => Ok(None),
                Err(fault) => Err(fault),
            };
            positions.iter().map(value).collect()
        })
    }

    /// The values of positions that all matter.
    ///
    /// # Errors
    /// A table is damaged. One that is missing is named, whichever of the positions asks it.
    pub fn every_value(&self, positions: &[TablePosition]) -> Result<Answer<Vec<ProbeValue>>, PackedFault> {
        self.ask(positions.iter().cloned(), |prober| positions.iter().map(|position| prober.value(position)).collect())
    }

    /// Answers a question by a prober, once the values of these positions are at hand.
    fn ask<T>(
        &self,
        positions: impl IntoIterator<Item = TablePosition>,
        question: impl FnOnce(&Prober<&PackedTables>) -> Result<T, PackedFault>,
    ) -> Result<Answer<T>, PackedFault> {
        self.0.borrow_mut().begin();
        let prober = Prober::new(self);
        for position in positions {
            for winner in Color::ALL {
                // What is missing may not matter to the question.
                if let Err(fault @ PackedFault::Damaged { .. }) = prober.level(winner, &position) {
                    return Err(fault);
                }
            }
        }
        let needs = self.needs();
        if needs.is_empty() { self.answer(question(&prober)) } else { Ok(Answer::Needs(needs)) }
    }

    /// Returns what was found, or what is needed for it.
    fn answer<T>(&self, found: Result<T, PackedFault>) -> Result<Answer<T>, PackedFault> {
        match found {
            Ok(answer) => Ok(Answer::Known(answer)),
            Err(PackedFault::Needs) => Ok(Answer::Needs(self.needs())),
            Err(fault) => Err(fault),
        }
    }

    /// The level of a position in a table, as [`TableSource::level`] defines it.
    ///
    /// # Errors
    ///
    /// A table is missing or damaged.
    pub fn level_of(
        &self,
        table: TableMaterial,
        board: &Board,
        turn: Color,
    ) -> Result<Answer<Option<u16>>, PackedFault> {
        self.0.borrow_mut().begin();
        self.answer(self.level(table, board, turn))
    }

    fn needs(&self) -> Vec<ByteRange> {
        self.0.borrow().ranges()
    }

    /// The level with the loser to move: the longest of all moves, if each leads to a won position.
    fn derived_level(&self, board: &Board) -> Result<Option<u16>, PackedFault> {
        // A board that is no position has no level.
        let Ok(position) = TablePosition::from_board(board.clone(), Color::Black, None) else { return Ok(None) };
        let (prober, mut longest, mut needs) = (Prober::new(self), None, false);
        for (_, after) in position.successors() {
            match prober.level(Color::White, &after) {
                Ok(None) => return Ok(None),
                Ok(level) => longest = longest.max(level),
                Err(PackedFault::Needs) => needs = true,
                Err(fault) => return Err(fault),
            }
        }
        match (needs, longest) {
            (true, _) => Err(PackedFault::Needs),
            (false, None) => Ok((position.is_check() && position.successors().len() == 0).then_some(0)),
            (false, longest) => Ok(longest),
        }
    }
}

impl TableSource for PackedTables {
    type Error = PackedFault;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, PackedFault> {
        if turn.is_black() { self.derived_level(board) } else { self.0.borrow_mut().stored_level(table, board) }
    }
}

impl KnownTable {
    fn new(material: TableMaterial) -> KnownTable {
        let index = TableIndex::new(material);
        let layout = PackedLayout::new(&index);
        KnownTable { material, state: OpenState::New(index, layout), places: BTreeMap::new() }
    }

    /// The index and the layout, unless the table is not there or damaged.
    fn shape(&self) -> Result<(&TableIndex, &PackedLayout), PackedFault> {
        match &self.state {
            OpenState::New(index, layout) | OpenState::Header(index, layout, _) => Ok((index, layout)),
            OpenState::Open(table) => Ok((&table.index, &table.layout)),
            OpenState::Absent => Err(PackedFault::Missing(self.material)),
            OpenState::Damaged(error) => Err(PackedFault::Damaged { table: self.material, error: error.clone() }),
        }
    }
}

impl KnownBlock {
    fn size(&self) -> usize {
        self.bytes.len() + BLOCK_EXTRA_BYTES
    }
}

impl State {
    fn number(&mut self, material: TableMaterial) -> TableNumber {
        let (tables, next) = (&mut self.tables, self.numbers.len() as TableNumber);
        *self.numbers.entry(material).or_insert_with(|| {
            tables.push(KnownTable::new(material));
            next
        })
    }

    /// Begins a question, and forgets what was not used for long if there is too much. What came for the question before stays: this
    /// may be the same one, asked again.
    fn begin(&mut self) {
        self.needs.clear();
        let last = self.now;
        self.now += 1;
        if self.bytes <= self.bound {
            return;
        }
        let mut uses: Vec<(u64, usize)> = self.units.values().map(|unit| (unit.used, UNIT_BYTES)).collect();
        uses.extend(self.blocks.values().map(|block| (block.used, block.size())));
        uses.sort_unstable();
        let mut excess = self.bytes - self.bound / 4 * 3;
        let is_enough = |(_, bytes): &&(u64, usize)| {
            excess = excess.saturating_sub(*bytes);
            excess == 0
        };
        let newest_to_forget = uses.iter().find(is_enough).or(uses.last()).map_or(0, |(used, _)| *used);
        self.units.retain(|_, unit| unit.used > newest_to_forget || unit.used == last);
        self.blocks.retain(|_, block| block.used > newest_to_forget || block.used == last);
        self.count_bytes();
    }

    fn count_bytes(&mut self) {
        self.bytes = self.units.len() * UNIT_BYTES + self.blocks.values().map(KnownBlock::size).sum::<usize>();
    }

    /// The level of a position with White to move.
    fn stored_level(&mut self, material: TableMaterial, board: &Board) -> Result<Option<u16>, PackedFault> {
        let number = self.number(material);
        let known = &self.tables[number as usize];
        let (index, layout) = known.shape()?;
        let address = index.canonical_address(board).ok_or(PackedFault::Missing(material))?;
        let (at, place) = UnitAddress::of(address);
        let unit = layout.unit_number(at);
        if let Some(known) = self.units.get_mut(&(number, unit))
            && place <= known.last
        {
            known.used = self.now;
            return Ok(known.unit.level(place).filter(|level| *level != 0));
        }
        let block = unit / BLOCK_UNITS;
        let (OpenState::Open(table), Some(found)) = (&known.state, self.blocks.get_mut(&(number, block))) else {
            if !matches!(known.state, OpenState::Open(_)) {
                // A long summary comes together with the block.
                self.needs.extend([(number, FilePart::Header), (number, FilePart::Summary)]);
            }
            let has_place = known.places.contains_key(&block);
            self.needs.insert((number, if has_place { FilePart::Block(block) } else { FilePart::Entries(block) }));
            return Err(PackedFault::Needs);
        };
        found.used = self.now;
        let bytes = &found.bytes[found.units[(unit % BLOCK_UNITS) as usize].clone()];
        let rows = at.rows(&table.index);
        let (entry, now) = (self.units.entry((number, unit)), self.now);
        // The first question reads as far as it must, the second everything.
        let is_new = matches!(entry, alloc::collections::btree_map::Entry::Vacant(_));
        let known = entry.or_insert_with(|| KnownUnit { unit: Box::default(), last: 0, used: now });
        if is_new {
            self.bytes += UNIT_BYTES;
        }
        known.used = now;
        known.last = if is_new { place } else { 64 * rows.len() - 1 };
        let read = table.unpack(&mut known.unit, &rows, known.last, bytes);
        let level = known.unit.level(place).filter(|level| *level != 0);
        if let Err(error) = read {
            self.units.remove(&(number, unit));
            self.bytes -= UNIT_BYTES;
            return Err(PackedFault::Damaged { table: material, error });
        }
        Ok(level)
    }

    /// Returns what the last question needs, in as few ranges as possible.
    fn ranges(&self) -> Vec<ByteRange> {
        let mut ranges: Vec<ByteRange> = Vec::new();
        let mut all: Vec<ByteRange> =
            self.needs.iter().filter_map(|(number, part)| self.range_of(*number, *part)).collect();
        all.sort_by_key(|range| (range.table, range.bytes.start));
        for range in all {
            match ranges.last_mut() {
                Some(last) if last.table == range.table && range.bytes.start <= last.bytes.end + JOIN_WITHIN => {
                    last.bytes.end = last.bytes.end.max(range.bytes.end);
                }
                _ => ranges.push(range),
            }
        }
        ranges
    }

    /// Returns where a needed part is; `None` for a table that is not there.
    fn range_of(&self, number: TableNumber, part: FilePart) -> Option<ByteRange> {
        let known = &self.tables[number as usize];
        let (_, layout) = known.shape().ok()?;
        let summary = layout.summary_offset();
        let bytes = match part {
            FilePart::Header => 0..HEADER_BYTES,
            FilePart::Summary => match &known.state {
                OpenState::Header(_, _, header) => summary..summary + u64::from(header.summary_bytes),
                _ => summary..summary + SUMMARY_GUESS,
            },
            FilePart::Entries(block) => layout.entries(block),
            FilePart::Block(block) => known.places.get(&block)?.bytes.clone(),
        };
        Some(ByteRange { table: known.material, bytes })
    }

    /// Understands what is needed of a table and lies within these bytes.
    fn supply(&mut self, number: TableNumber, offset: u64, bytes: &[u8]) -> Result<(), PackedError> {
        let parts: Vec<FilePart> = self.needs.iter().filter(|(of, _)| *of == number).map(|(_, part)| *part).collect();
        let (end, asked, table) = (offset + bytes.len() as u64, self.ranges(), self.tables[number as usize].material);
        for part in parts {
            let Some(ByteRange { bytes: range, .. }) = self.range_of(number, part) else { continue };
            if range.start < offset || range.start > end {
                let is_asked = |asked: &ByteRange| {
                    asked.table == table && asked.bytes.start == offset && asked.bytes.contains(&range.start)
                };
                // The range that was asked for reaches farther than the file.
                if asked.iter().any(is_asked) {
                    return Err(PackedError::Truncated { part: "file", offset: end });
                }
                continue;
            }
            let from = &bytes[(range.start - offset) as usize..];
            let piece = &from[..from.len().min((range.end - range.start) as usize)];
            if self.understand(number, part, piece)? {
                self.needs.remove(&(number, part));
            }
        }
        Ok(())
    }

    /// Returns whether there were enough bytes. Whether a summary has too few is known once there is a header.
    fn understand(&mut self, number: TableNumber, part: FilePart, bytes: &[u8]) -> Result<bool, PackedError> {
        let known = &mut self.tables[number as usize];
        match part {
            FilePart::Header => {
                if let OpenState::New(index, layout) = &known.state {
                    let header = PackedHeader::read(bytes, known.material)?;
                    known.state = OpenState::Header(index.clone(), layout.clone(), header);
                }
            }
            FilePart::Summary => {
                let OpenState::Header(index, layout, header) = &known.state else { return Ok(false) };
                if bytes.len() < header.summary_bytes as usize && bytes.len() as u64 == SUMMARY_GUESS {
                    return Ok(false);
                }
                let table = PackedTable::with_summary((index.clone(), layout.clone()), *header, bytes)?;
                known.state = OpenState::Open(Arc::new(table));
            }
            FilePart::Entries(block) => {
                let (header, layout) = match &known.state {
                    OpenState::Open(table) => (&table.header, &table.layout),
                    OpenState::Header(_, layout, header) => (header, layout),
                    _ => return Ok(false),
                };
                let place = header.block_place(layout, block, bytes)?;
                known.places.insert(block, place);
            }
            FilePart::Block(block) => {
                let (OpenState::Open(table), Some(place)) = (&known.state, known.places.get(&block)) else {
                    return Ok(false);
                };
                let units = table.units_of_block(block, place, bytes)?;
                let found = KnownBlock { bytes: bytes.to_vec(), units, used: self.now };
                self.bytes += found.size();
                if let Some(before) = self.blocks.insert((number, block), found) {
                    self.bytes -= before.size();
                }
            }
        }
        Ok(true)
    }
}
