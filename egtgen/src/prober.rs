//! Reads complete tables: a tile is decoded when it is first needed, and cached as long as memory allows.
//!
//! One cache has decoded tiles, directories of sections, and in a strict cache also the open tables. The least recently
//! used entry is evicted first. A strict cache never exceeds its bound, including the memory for decoding: a thread that needs
//! more waits until others release some, and is refused what can never fit.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use plyfold_tables::codec;
use plyfold_tables::index::{TableAddress, TableIndex};
use plyfold_tables::layout::{BlockKind, LevelTotals, SectionEntry, SetBlock, TableSection, TableTotals};
use plyfold_tables::material::TableMaterial;
use plyfold_tables::probe::TableSource;
use shakmaty::{Board, Color, Role};

use crate::Error;
use crate::folder::{OpenTable, TableFolder};
use crate::packed_folder::{OpenPackedTable, PackedFolder};

/// The usual bound of a cache, in bytes.
pub const DEFAULT_CACHE_BYTES: usize = 1 << 30;

/// The two kinds of lists of a table, by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListSide {
    /// White to move: the lists of `won(N)`.
    Won,
    /// Black to move: the lists of `lost(N)`.
    Lost,
}

impl ListSide {
    /// Both sides.
    pub const BOTH: [ListSide; 2] = [ListSide::Won, ListSide::Lost];

    /// The lists for positions with this side to move.
    #[must_use]
    pub const fn from_side_to_move(turn: Color) -> ListSide {
        if turn.is_white() { ListSide::Won } else { ListSide::Lost }
    }

    /// The side to move.
    #[must_use]
    pub const fn side_to_move(self) -> Color {
        match self {
            ListSide::Won => Color::White,
            ListSide::Lost => Color::Black,
        }
    }
}

/// The totals that a table stores. They count positions on the whole board, identical pieces in one order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionTotals {
    /// Legal positions with White and with Black to move.
    pub legal: [u64; 2],
    /// Positions won at each level, from level 0 on; none is won at level 0.
    pub won: Vec<u64>,
    /// Positions lost at each level, from level 0 on.
    pub lost: Vec<u64>,
}

impl PositionTotals {
    /// The totals of one side by level.
    #[must_use]
    pub fn levels(&self, side: ListSide) -> &[u64] {
        match side {
            ListSide::Won => &self.won,
            ListSide::Lost => &self.lost,
        }
    }

    /// The highest level at which one side has positions.
    #[must_use]
    pub fn highest_level(&self, side: ListSide) -> Option<u16> {
        self.levels(side).iter().rposition(|positions| *positions > 0).map(|level| level as u16)
    }
}

/// A source of complete tables, in a folder or in memory.
pub trait Archive: Send + Sync {
    /// The totals of a table of this shape.
    ///
    /// # Errors
    /// There is no such table, it cannot be read, or it has another shape.
    fn summary(&self, index: &TableIndex) -> Result<PositionTotals, Error>;

    /// Calls `put` with the bit and the level of each position of a tile on the lists of these levels. The tile has `words`
    /// words.
    ///
    /// # Errors
    /// There is no such table, or it cannot be read.
    fn decode(
        &self,
        at: TileKey,
        words: usize,
        levels: RangeInclusive<u16>,
        put: &mut dyn FnMut(u64, u16),
    ) -> Result<(), Error>;

    /// Opens a table, and returns the bytes of memory that it takes while it is open.
    ///
    /// # Errors
    /// There is no such table, or it cannot be read.
    fn open(&self, _table: TableMaterial) -> Result<usize, Error> {
        Ok(0)
    }

    /// The level of a position as [`TableSource::level`] defines it, if it is found without decoding a tile.
    fn level(&self, _table: TableMaterial, _board: &Board, _turn: Color) -> Option<Result<Option<u16>, Error>> {
        None
    }

    /// Whether [`level`](Self::level) finds the positions of a table.
    ///
    /// # Errors
    /// The table cannot be read.
    fn finds_single_levels(&self, _table: TableMaterial) -> Result<bool, Error> {
        Ok(false)
    }

    /// Some places of the highest level of one side, if they are known without decoding a tile.
    fn longest(&self, _table: TableMaterial, _side: ListSide) -> Option<Vec<TableAddress>> {
        None
    }

    /// Closes a table that is no longer needed.
    fn close(&self, _table: TableMaterial) {}

    /// Prepares [`decode`](Self::decode), so that its memory is known before it starts.
    ///
    /// # Errors
    /// There is no such table, or it cannot be read.
    fn prepare_decode<'a>(
        &'a self,
        at: TileKey,
        words: usize,
        levels: RangeInclusive<u16>,
    ) -> Result<PreparedDecode<'a>, Error> {
        Ok(PreparedDecode { scratch: 0, decode: Box::new(move |put| self.decode(at, words, levels, put)) })
    }
}

/// A decoding that is ready to start.
pub struct PreparedDecode<'a> {
    /// Bytes of memory that the decoding needs while it runs.
    pub scratch: usize,
    /// Decodes, as [`Archive::decode`] does.
    pub decode: DecodeFn<'a>,
}

/// Calls the given function with the bit and the level of each position.
pub type DecodeFn<'a> = Box<dyn FnOnce(&mut dyn FnMut(u64, u16)) -> Result<(), Error> + 'a>;

/// The tables of a folder, packed or not. If it has both forms of a table, positions are found in the packed one.
struct FolderArchive {
    folder: TableFolder,
    /// None if only generated tables are read.
    packed: Option<PackedFolder>,
    open: RwLock<HashMap<TableMaterial, Arc<OpenTable>>>,
    cache: Arc<TableCache>,
}

/// The generated tables of a folder, without the packed ones: what tables are packed from.
#[must_use]
pub fn open_generated(folder: TableFolder) -> Box<dyn Archive> {
    let cache = Arc::new(TableCache::new(DEFAULT_CACHE_BYTES / 4, false));
    Box::new(FolderArchive { folder, packed: None, open: RwLock::default(), cache })
}

/// About the memory of an open file besides its contents.
const OPEN_FILE_BYTES: usize = 4096;
/// About the memory of the distributions of a packed table.
const PACKED_TABLE_BYTES: usize = 512 << 10;

impl FolderArchive {
    fn open_file(&self, table: TableMaterial) -> Result<Arc<OpenTable>, Error> {
        if let Some(open) = self.open.read().unwrap_or_else(PoisonError::into_inner).get(&table) {
            return Ok(Arc::clone(open));
        }
        let found = self.folder.open(&table.to_string())?.ok_or(Error::Missing(table))?;
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(open.entry(table).or_insert_with(|| Arc::new(found))))
    }

    /// The directory of a section.
    fn section(
        &self,
        name: TableMaterial,
        table: &OpenTable,
        number: usize,
        entry: &SectionEntry,
    ) -> Result<Arc<CacheSlot>, Error> {
        self.cache.get_or_fill(CacheKey::Section(name, number as u32), || {
            let pieces = entry.blocks as usize * size_of::<SetBlock>();
            let bytes = size_of::<TableSection>() + pieces + usize::from(entry.levels) * size_of::<LevelTotals>();
            let make = Box::new(move || table.read_section(number).map(CacheContent::Section));
            let beside = self.open(name)? + index_bytes(name);
            Ok(CacheFill {
                table: name,
                table_bytes: beside,
                bytes,
                scratch: entry.directory_bytes as usize,
                load: make,
            })
        })
    }
}

impl FolderArchive {
    fn packed_table(&self, table: TableMaterial) -> Result<Option<Arc<OpenPackedTable>>, Error> {
        self.packed.as_ref().map_or(Ok(None), |packed| packed.table(table))
    }

    /// Decodes a tile of a packed table. Levels with Black to move follow from those of the moves.
    fn decode_packed(
        &self,
        packed: &OpenPackedTable,
        at: TileKey,
        levels: RangeInclusive<u16>,
        put: &mut dyn FnMut(u64, u16),
    ) -> Result<(), Error> {
        let index = &packed.table().index;
        if at.side == ListSide::Lost {
            for place in canonical_places(index, at) {
                let Some(board) = index.board_at(place) else { continue };
                let level = self.level(at.table, &board, Color::Black).transpose()?.flatten();
                if let Some(level) = level.filter(|level| levels.contains(level)) {
                    put(place.bit, level);
                }
            }
            return Ok(());
        }
        packed.for_each_unit_of_tile((at.pawn_slice, at.tile), &mut |unit_at, unit, places| {
            for place in 0..places {
                if let Some(level) = unit.level(place).filter(|level| *level != 0 && levels.contains(level)) {
                    put(unit_at.place(place).bit, level);
                }
            }
        })
    }
}

/// The places of a tile in words that hold canonical positions.
fn canonical_places(index: &TableIndex, at: TileKey) -> impl Iterator<Item = TableAddress> + '_ {
    let place = move |bit: u64| TableAddress { pawn_slice: at.pawn_slice, tile: at.tile, bit };
    let rows = index.tile_words(at.tile) / index.row_words();
    let words_of_row = move |row: usize| {
        let first = row * index.row_words();
        let canonical = index.canonical_words(at.pawn_slice, &index.squares(place(64 * first as u64)));
        (0..index.row_words()).filter(move |word| canonical >> word & 1 != 0).map(move |word| first + word)
    };
    (0..rows).flat_map(words_of_row).flat_map(move |word| (0..64).map(move |king| place(64 * word as u64 + king)))
}

impl From<&TableTotals> for PositionTotals {
    fn from(totals: &TableTotals) -> PositionTotals {
        let by_level = |count: fn(&LevelTotals) -> u64| totals.levels.iter().map(count).collect();
        PositionTotals { legal: totals.legal, won: by_level(|level| level.won), lost: by_level(|level| level.lost) }
    }
}

impl Archive for FolderArchive {
    fn summary(&self, index: &TableIndex) -> Result<PositionTotals, Error> {
        if let Some(packed) = self.packed_table(index.material())? {
            return Ok(PositionTotals::from(&packed.table().facts.totals));
        }
        let table = self.open_file(index.material())?;
        let facts = table.table().info();
        if (facts.pawn_slices as usize, facts.tiles) != (index.pawn_slices().len(), index.tiles()) {
            let what = "its pawn slices and tiles do not fit its name; generate the table again".into();
            return Err(Error::Damaged { path: table.path().to_path_buf(), what });
        }
        Ok(PositionTotals::from(table.table().counts()))
    }

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Option<Result<Option<u16>, Error>> {
        let packed = self.packed.as_ref()?;
        match packed.table(table) {
            Ok(None) => None,
            Ok(Some(_)) => Some(packed.level(table, board, turn)),
            Err(error) => Some(Err(error)),
        }
    }

    fn finds_single_levels(&self, table: TableMaterial) -> Result<bool, Error> {
        Ok(self.packed_table(table)?.is_some())
    }

    fn longest(&self, table: TableMaterial, side: ListSide) -> Option<Vec<TableAddress>> {
        let packed = self.packed_table(table).ok().flatten()?;
        Some(packed.table().facts.longest[side as usize].clone())
    }

    fn decode(
        &self,
        at: TileKey,
        words: usize,
        levels: RangeInclusive<u16>,
        put: &mut dyn FnMut(u64, u16),
    ) -> Result<(), Error> {
        (self.prepare_decode(at, words, levels)?.decode)(put)
    }

    fn open(&self, table: TableMaterial) -> Result<usize, Error> {
        if self.packed_table(table)?.is_some() {
            return Ok(OPEN_FILE_BYTES + PACKED_TABLE_BYTES);
        }
        let open = self.open_file(table)?;
        let contents = open.contents();
        let sections = size_of_val(contents.sections()) + contents.sections().len() * size_of::<u32>();
        Ok(OPEN_FILE_BYTES + sections + size_of_val(&contents.counts().levels[..]))
    }

    fn close(&self, table: TableMaterial) {
        if let Some(packed) = &self.packed {
            packed.close(table);
        }
        self.open.write().unwrap_or_else(PoisonError::into_inner).remove(&table);
    }

    fn prepare_decode<'a>(
        &'a self,
        at: TileKey,
        words: usize,
        levels: RangeInclusive<u16>,
    ) -> Result<PreparedDecode<'a>, Error> {
        if let Some(packed) = self.packed_table(at.table)? {
            // A unit, and what it was read from.
            let decode = Box::new(move |put: &mut dyn FnMut(u64, u16)| self.decode_packed(&packed, at, levels, put));
            return Ok(PreparedDecode { scratch: 64 << 10, decode });
        }
        let table = self.open_file(at.table)?;
        let kind = match at.side {
            ListSide::Won => BlockKind::Won,
            ListSide::Lost => BlockKind::Lost,
        };
        let mut pieces = Vec::new();
        for number in table.contents().pawn_slice_sections(at.pawn_slice) {
            let entry = &table.contents().sections()[number];
            let mut matching_levels = levels.clone().filter(|level| entry.may_have(kind, *level)).peekable();
            if matching_levels.peek().is_none() {
                continue;
            }
            let section = self.section(at.table, &table, number, entry)?;
            let section = section.section();
            pieces.extend(matching_levels.filter_map(|level| section?.block_of(at.tile, kind, level).copied()));
        }
        // A block, and its words if they are compressed.
        let longest = pieces.iter().map(|piece| piece.length as usize).max();
        let scratch = longest.map_or(0, |longest| longest + 8 * words) + size_of_val(&pieces[..]);
        Ok(PreparedDecode { scratch, decode: Box::new(move |put| decode(&table, &pieces, words, put)) })
    }
}

/// Reads blocks of a tile and calls `put` with their positions.
fn decode(table: &OpenTable, pieces: &[SetBlock], words: usize, put: &mut dyn FnMut(u64, u16)) -> Result<(), Error> {
    let mut bytes = Vec::new();
    for piece in pieces {
        table.read_into(piece, &mut bytes)?;
        let visit_word = |word: usize, mut bits: u64| {
            while bits != 0 {
                put(word as u64 * 64 + u64::from(bits.trailing_zeros()), piece.n);
                bits &= bits - 1;
            }
        };
        codec::for_each_word(&bytes, words, visit_word).map_err(|error| {
            let what = format!("inconsistent piece at byte {}: {error}; generate the table again", piece.offset);
            Error::Damaged { path: table.path().to_path_buf(), what }
        })?;
    }
    Ok(())
}

/// The lists of one side in a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileKey {
    /// The table.
    pub table: TableMaterial,
    /// The pawn slice.
    pub pawn_slice: u32,
    /// The tile of the pawn slice.
    pub tile: u32,
    /// The side to move.
    pub side: ListSide,
}

/// The level of each bit of a tile.
#[derive(Debug)]
pub enum TileLevels {
    /// Levels below 255; 255 means none.
    Narrow(Box<[u8]>),
    /// Levels below 65535; 65535 means none.
    Wide(Box<[u16]>),
}

impl TileLevels {
    fn new(bits: usize, most: u16) -> TileLevels {
        if most < u8::MAX.into() {
            TileLevels::Narrow(vec![u8::MAX; bits].into())
        } else {
            TileLevels::Wide(vec![u16::MAX; bits].into())
        }
    }

    fn bytes(bits: usize, most: u16) -> usize {
        if most < u8::MAX.into() { bits } else { 2 * bits }
    }

    /// The level of a bit; `None` if it has none or is outside the tile.
    #[inline]
    #[must_use]
    pub fn get(&self, bit: u64) -> Option<u16> {
        match self {
            TileLevels::Narrow(levels) => {
                levels.get(bit as usize).filter(|level| **level != u8::MAX).map(|level| (*level).into())
            }
            TileLevels::Wide(levels) => levels.get(bit as usize).filter(|level| **level != u16::MAX).copied(),
        }
    }

    /// Ignores bits outside the tile and levels that do not fit.
    fn set(&mut self, bit: u64, level: u16) {
        match self {
            TileLevels::Narrow(levels) => {
                if let (Some(slot), Ok(level)) = (levels.get_mut(bit as usize), u8::try_from(level)) {
                    *slot = level;
                }
            }
            TileLevels::Wide(levels) => {
                if let Some(slot) = levels.get_mut(bit as usize) {
                    *slot = level;
                }
            }
        }
    }
}

/// An open table.
#[derive(Debug)]
pub struct IndexedTable {
    /// Its material; White is the winner.
    pub material: TableMaterial,
    /// The index of its positions.
    pub index: TableIndex,
    /// Its totals.
    pub summary: PositionTotals,
    /// Bytes of memory that it takes while it is open, if a strict cache counts them.
    bytes: usize,
}

/// About how many bytes the index of a table takes. Most of them are for the placements of the pawns.
fn index_bytes(material: TableMaterial) -> usize {
    let choose = |of: u64, number: u8| (0..u64::from(number)).fold(1, |ways, at| ways * (of - at) / (at + 1));
    let (white, black) = (material.white.count(Role::Pawn), material.black.count(Role::Pawn));
    // A placement and its mirror image are one pawn slice.
    let cells = choose(48, white) * choose(48 - u64::from(white), black) / 2 + choose(24, (white + black) / 2) + 1;
    // Each entry has two sets of pawns and a number, twice, and the overhead of a tree.
    4096 + cells as usize * 64
}

/// Complete tables, decoded tile by tile into a cache that any number of threads share.
pub struct CachedTables {
    archive: Box<dyn Archive>,
    /// Open tables, if the cache is not strict and so does not count them.
    open: RwLock<HashMap<TableMaterial, Arc<IndexedTable>>>,
    cache: Arc<TableCache>,
}

impl CachedTables {
    /// The complete tables of a folder, with `bound` bytes for decoded tiles and directories.
    #[must_use]
    pub fn open(folder: TableFolder, bound: usize) -> CachedTables {
        CachedTables::from_folder(folder, TableCache::new(bound, false))
    }

    /// The complete tables of a folder, with at most `bound` bytes for everything that is read of them. A thread that needs
    /// memory waits for it; what can never fit is [`Error::Cache`].
    #[must_use]
    pub fn open_strict(folder: TableFolder, bound: usize) -> CachedTables {
        CachedTables::from_folder(folder, TableCache::new(bound, true))
    }

    fn from_folder(folder: TableFolder, cache: TableCache) -> CachedTables {
        let cache = Arc::new(cache);
        let packed = Some(PackedFolder::new(folder.folder(), cache.bound / 4));
        let archive = Box::new(FolderArchive { folder, packed, open: RwLock::default(), cache: Arc::clone(&cache) });
        CachedTables { archive, open: RwLock::default(), cache }
    }

    /// The tables of an archive, with `bound` bytes for decoded tiles. More is used only while the tiles in use are larger.
    #[must_use]
    pub fn new(archive: Box<dyn Archive>, bound: usize) -> CachedTables {
        CachedTables { archive, open: RwLock::default(), cache: Arc::new(TableCache::new(bound, false)) }
    }

    /// Opens a table, or gives it if it is open.
    ///
    /// # Errors
    /// There is no such table, or it cannot be read.
    pub fn table(&self, material: TableMaterial) -> Result<Arc<IndexedTable>, Error> {
        if self.cache.is_strict {
            let slot = self.cache.get_or_fill(CacheKey::Table(material), || {
                let bytes = self.archive.open(material)? + index_bytes(material);
                let make = Box::new(move || Ok(CacheContent::Table(Arc::new(self.read(material, bytes)?))));
                Ok(CacheFill { table: material, table_bytes: 0, bytes, scratch: 0, load: make })
            });
            if slot.is_err() {
                self.archive.close(material);
            }
            for closed in self.cache.take_evicted() {
                self.archive.close(closed);
            }
            return slot?.table().ok_or(Error::Busy);
        }
        if let Some(table) = self.open.read().unwrap_or_else(PoisonError::into_inner).get(&material) {
            return Ok(Arc::clone(table));
        }
        // The file is opened first, since the index may be large and is useless without it.
        self.archive.open(material)?;
        let table = Arc::new(self.read(material, 0)?);
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(open.entry(material).or_insert(table)))
    }

    fn read(&self, material: TableMaterial, bytes: usize) -> Result<IndexedTable, Error> {
        let index = TableIndex::new(material);
        let summary = self.archive.summary(&index)?;
        Ok(IndexedTable { material, index, summary, bytes })
    }

    /// The levels of a tile's positions with one side to move.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn levels(
        &self,
        table: &IndexedTable,
        pawn_slice: u32,
        tile: u32,
        side: ListSide,
    ) -> Result<Arc<CacheSlot>, Error> {
        let bits = table.index.tile_words(tile) * 64;
        let most = table.summary.highest_level(side).unwrap_or(0);
        let at = TileKey { table: table.material, pawn_slice, tile, side };
        self.cache.get_or_fill(CacheKey::Tile(at), || {
            let found = self.archive.prepare_decode(at, bits / 64, 0..=most)?;
            let make = Box::new(move || {
                let mut levels = TileLevels::new(bits, most);
                (found.decode)(&mut |bit, level| levels.set(bit, level))?;
                Ok(CacheContent::Levels(levels))
            });
            let bytes = TileLevels::bytes(bits, most);
            Ok(CacheFill { table: at.table, table_bytes: table.bytes, bytes, scratch: found.scratch, load: make })
        })
    }

    /// The level of a position in a table that finds positions without decoding tiles, such as a packed one; `None` if the table
    /// does not.
    pub(crate) fn single_level(
        &self,
        table: TableMaterial,
        board: &Board,
        turn: Color,
    ) -> Option<Result<Option<u16>, Error>> {
        self.archive.level(table, board, turn)
    }

    /// Whether [`single_level`](Self::single_level) finds the positions of a table.
    pub(crate) fn finds_single_levels(&self, table: TableMaterial) -> Result<bool, Error> {
        self.archive.finds_single_levels(table)
    }

    /// The levels of some bits of a tile, which are ascending. The tile goes past block by block and is never unpacked as a whole.
    pub(crate) fn levels_of_bits(&self, at: TileKey, bits: &[u64]) -> Result<Vec<Option<u16>>, Error> {
        let table = self.table(at.table)?;
        let most = table.summary.highest_level(at.side).unwrap_or(0);
        let (mut levels, mut next) = (vec![None; bits.len()], 0);
        self.archive.decode(at, table.index.tile_words(at.tile), 0..=most, &mut |bit, level| {
            // The bits of a block ascend, and the next block begins at the front.
            if next > 0 && bits[next - 1] >= bit {
                next = 0;
            }
            next += count_below(&bits[next..], bit);
            if bits.get(next) == Some(&bit) {
                levels[next] = Some(level);
            }
        })?;
        Ok(levels)
    }

    /// Bytes for decoded tiles and directories.
    pub(crate) fn bound(&self) -> usize {
        self.cache.bound
    }

    /// The addresses of at most `most` positions of a tile that have this level.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn places_at_level(
        &self,
        table: &IndexedTable,
        at: TileKey,
        level: u16,
        most: usize,
    ) -> Result<Vec<TableAddress>, Error> {
        if Some(level) == table.summary.highest_level(at.side)
            && let Some(mut longest) = self.archive.longest(at.table, at.side)
        {
            longest.retain(|place| (place.pawn_slice, place.tile) == (at.pawn_slice, at.tile));
            longest.truncate(most);
            return Ok(longest);
        }
        let (mut places, words) = (Vec::new(), table.index.tile_words(at.tile));
        self.archive.decode(at, words, level..=level, &mut |bit, _| {
            if places.len() < most {
                places.push(TableAddress { pawn_slice: at.pawn_slice, tile: at.tile, bit });
            }
        })?;
        Ok(places)
    }
}

/// How many of ascending numbers are below another. Near the front it takes few steps.
fn count_below(numbers: &[u64], bound: u64) -> usize {
    let (mut low, mut high) = (0, 1);
    while high < numbers.len() && numbers[high - 1] < bound {
        (low, high) = (high, 2 * high);
    }
    let high = high.min(numbers.len());
    low + numbers[low..high].partition_point(|number| *number < bound)
}

impl TableSource for CachedTables {
    type Error = Error;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, Error> {
        if let Some(level) = self.archive.level(table, board, turn) {
            return level;
        }
        let table = self.table(table)?;
        let place = table.index.canonical_address(board).ok_or(Error::Missing(table.material))?;
        let slot = self.levels(&table, place.pawn_slice, place.tile, ListSide::from_side_to_move(turn))?;
        Ok(slot.levels().and_then(|levels| levels.get(place.bit)))
    }
}

/// Only what is in the cache of [`CachedTables`], so that a probe never waits.
pub struct CacheOnlyTables<'a>(pub &'a CachedTables);

/// The value is not in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotCached;

impl TableSource for CacheOnlyTables<'_> {
    type Error = NotCached;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, NotCached> {
        let cache = &self.0.cache;
        let open = cache.peek(&CacheKey::Table(table), |slot| slot.table()).flatten().ok_or(NotCached)?;
        let place = open.index.canonical_address(board).ok_or(NotCached)?;
        let tile =
            TileKey { table, pawn_slice: place.pawn_slice, tile: place.tile, side: ListSide::from_side_to_move(turn) };
        cache
            .peek(&CacheKey::Tile(tile), |slot| slot.levels().map(|levels| levels.get(place.bit)))
            .flatten()
            .ok_or(NotCached)
    }
}

/// [`CachedTables`] for one thread, which finds the tiles it used last without a lock. Drop it soon: its tiles cannot be
/// evicted.
pub struct ThreadTables<'a> {
    tables: &'a CachedTables,
    local: RefCell<LocalTiles>,
    /// Most bytes of its tiles. All threads together hold at most half of the bound of the cache.
    bound: usize,
}

#[derive(Default)]
struct LocalTiles {
    tables: Vec<Arc<IndexedTable>>,
    tiles: [Option<(TileKey, Arc<CacheSlot>)>; 32],
    bytes: usize,
}

impl<'a> ThreadTables<'a> {
    /// The view of one thread of the current rayon pool.
    #[must_use]
    pub fn new(tables: &'a CachedTables) -> ThreadTables<'a> {
        let bound = tables.cache.bound / (2 * rayon::current_num_threads());
        ThreadTables { tables, local: RefCell::default(), bound }
    }
}

impl TableSource for ThreadTables<'_> {
    type Error = Error;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, Error> {
        if let Some(level) = self.tables.archive.level(table, board, turn) {
            return level;
        }
        let at_hand = &mut *self.local.borrow_mut();
        let number = match at_hand.tables.iter().position(|open| open.material == table) {
            Some(number) => number,
            None => {
                at_hand.tables.push(self.tables.table(table)?);
                at_hand.tables.len() - 1
            }
        };
        let open = &at_hand.tables[number];
        let place = open.index.canonical_address(board).ok_or(Error::Missing(table))?;
        let tile =
            TileKey { table, pawn_slice: place.pawn_slice, tile: place.tile, side: ListSide::from_side_to_move(turn) };
        let drawer = (tile.pawn_slice as usize * 61 + tile.tile as usize * 2 + tile.side as usize + 7 * number)
            % at_hand.tiles.len();
        if let Some((held, slot)) = &at_hand.tiles[drawer]
            && *held == tile
        {
            return Ok(slot.levels().and_then(|levels| levels.get(place.bit)));
        }
        if let Some((_, slot)) = at_hand.tiles[drawer].take() {
            at_hand.bytes -= slot.bytes();
        }
        let slot = self.tables.levels(open, tile.pawn_slice, tile.tile, tile.side)?;
        let level = slot.levels().and_then(|levels| levels.get(place.bit));
        if at_hand.bytes + slot.bytes() <= self.bound {
            at_hand.bytes += slot.bytes();
            at_hand.tiles[drawer] = Some((tile, slot));
        }
        Ok(level)
    }
}

/// The key of a cache entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum CacheKey {
    Table(TableMaterial),
    Section(TableMaterial, u32),
    Tile(TileKey),
}

/// The content of a cache entry.
#[derive(Debug)]
enum CacheContent {
    Table(Arc<IndexedTable>),
    Section(TableSection),
    Levels(TileLevels),
}

/// A cache entry.
#[derive(Debug, Default)]
pub struct CacheSlot {
    content: OnceLock<CacheContent>,
    /// Locked by the thread that fills the entry.
    filling: Mutex<()>,
    bytes: AtomicUsize,
    /// The number of tiles that had been decoded when the entry was last used.
    last_used: AtomicU64,
}

impl CacheSlot {
    /// The levels, if the entry is a tile; [`CachedTables::levels`] returns it filled.
    #[must_use]
    pub fn levels(&self) -> Option<&TileLevels> {
        if let CacheContent::Levels(levels) = self.content.get()? { Some(levels) } else { None }
    }

    fn section(&self) -> Option<&TableSection> {
        if let CacheContent::Section(section) = self.content.get()? { Some(section) } else { None }
    }

    fn table(&self) -> Option<Arc<IndexedTable>> {
        if let CacheContent::Table(table) = self.content.get()? { Some(Arc::clone(table)) } else { None }
    }

    fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether only the cache holds the entry. The map must be locked, so that no thread can take it.
    fn is_idle(self: &Arc<CacheSlot>) -> bool {
        let is_alone = match self.content.get() {
            None => false,
            Some(CacheContent::Table(table)) => Arc::strong_count(table) == 1,
            Some(_) => true,
        };
        is_alone && Arc::strong_count(self) == 1
    }
}

/// How to fill a cache entry.
struct CacheFill<'a> {
    /// Its table.
    table: TableMaterial,
    /// Bytes that the table already takes; it must stay open while the entry is filled.
    table_bytes: usize,
    /// Bytes of the filled entry.
    bytes: usize,
    /// Further bytes that are needed while it is filled.
    scratch: usize,
    load: Box<dyn FnOnce() -> Result<CacheContent, Error> + 'a>,
}

/// The cache, which evicts the least recently used entries first.
struct TableCache {
    bound: usize,
    /// Whether the bound is never exceeded.
    is_strict: bool,
    slots: RwLock<CacheSlots>,
    /// Number of tiles decoded so far.
    decoded: AtomicU64,
    /// Held by threads that wait for memory; `freed` wakes them.
    waiting: Mutex<()>,
    freed: Condvar,
}

#[derive(Default)]
struct CacheSlots {
    by_key: HashMap<CacheKey, Arc<CacheSlot>>,
    /// Bytes of all entries, including those that are being filled.
    bytes: usize,
    /// Number of entries that are being filled.
    filling: usize,
    /// Evicted tables that are not closed yet.
    evicted_tables: Vec<TableMaterial>,
}

/// Memory that is reserved while an entry is filled, and released when this is dropped.
struct MemoryReservation<'a> {
    cache: &'a TableCache,
    bytes: usize,
}

impl Drop for MemoryReservation<'_> {
    fn drop(&mut self) {
        {
            let mut slots = self.cache.slots.write().unwrap_or_else(PoisonError::into_inner);
            slots.bytes -= self.bytes;
            slots.filling -= 1;
        }
        let _waiting = self.cache.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.cache.freed.notify_all();
    }
}

/// How long a thread waits before it checks again for unused entries. Their holders give no signal.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);
/// How often a thread checks again while no entry is being filled, so that only held entries are in its way.
const MAX_RETRIES: usize = 200;

impl TableCache {
    fn new(bound: usize, is_strict: bool) -> TableCache {
        TableCache {
            bound,
            is_strict,
            slots: RwLock::default(),
            decoded: AtomicU64::new(0),
            waiting: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Reads an entry if it is in the cache, without holding it.
    fn peek<T>(&self, key: &CacheKey, at: impl FnOnce(&CacheSlot) -> T) -> Option<T> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.by_key.get(key)?;
        self.mark_used(slot);
        Some(at(slot))
    }

    /// Stores the time of use only if it changes, so that threads do not contend for the cache line.
    fn mark_used(&self, slot: &CacheSlot) {
        let now = self.decoded.load(Ordering::Relaxed);
        if slot.last_used.load(Ordering::Relaxed) != now {
            slot.last_used.store(now, Ordering::Relaxed);
        }
    }

    /// The entry of a key, filled if it is new.
    fn get_or_fill<'a>(
        &self,
        key: CacheKey,
        fill: impl FnOnce() -> Result<CacheFill<'a>, Error>,
    ) -> Result<Arc<CacheSlot>, Error> {
        let known = self.slots.read().unwrap_or_else(PoisonError::into_inner).by_key.get(&key).map(Arc::clone);
        let slot = known.unwrap_or_else(|| {
            let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.by_key.entry(key).or_default())
        });
        self.mark_used(&slot);
        if slot.content.get().is_none() {
            let alone = slot.filling.lock().unwrap_or_else(PoisonError::into_inner);
            let filled = if slot.content.get().is_none() { self.fill(&slot, key, fill) } else { Ok(()) };
            drop(alone);
            if let Err(error) = filled {
                let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
                // The next request creates a new entry; a thread that waits for this one fills it itself.
                if Arc::strong_count(&slot) == 2 {
                    slots.by_key.remove(&key);
                }
                return Err(error);
            }
        }
        Ok(slot)
    }

    fn fill<'a>(
        &self,
        slot: &CacheSlot,
        key: CacheKey,
        fill: impl FnOnce() -> Result<CacheFill<'a>, Error>,
    ) -> Result<(), Error> {
        let CacheFill { table, table_bytes: beside, bytes, scratch, load: make } = fill()?;
        let taken = if self.is_strict { bytes + scratch } else { bytes };
        if self.is_strict && beside + taken > self.bound {
            return Err(Error::Cache { table, least: (beside + taken) as u64, allowed: self.bound as u64 });
        }
        let mut taken = self.reserve(taken)?;
        let content = make()?;
        slot.content.get_or_init(|| content);
        slot.bytes.store(bytes, Ordering::Relaxed);
        // These bytes stay reserved for the entry.
        taken.bytes -= bytes;
        if matches!(key, CacheKey::Tile(_)) {
            self.decoded.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Reserves memory, and evicts entries or waits for it if need be.
    fn reserve(&self, bytes: usize) -> Result<MemoryReservation<'_>, Error> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut retries = 0;
        loop {
            {
                let slots = &mut *self.slots.write().unwrap_or_else(PoisonError::into_inner);
                slots.make_room(self.bound, bytes);
                if !self.is_strict || slots.bytes + bytes <= self.bound {
                    slots.bytes += bytes;
                    slots.filling += 1;
                    return Ok(MemoryReservation { cache: self, bytes });
                }
                retries = if slots.filling == 0 { retries + 1 } else { 0 };
            }
            // Other threads hold entries while they wait for more, as this one does: one of them has to give up.
            if retries > MAX_RETRIES {
                return Err(Error::Busy);
            }
            let waited = self.freed.wait_timeout(waiting, RETRY_INTERVAL);
            waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The tables that were evicted since the last call.
    fn take_evicted(&self) -> Vec<TableMaterial> {
        if self.slots.read().unwrap_or_else(PoisonError::into_inner).evicted_tables.is_empty() {
            return Vec::new();
        }
        std::mem::take(&mut self.slots.write().unwrap_or_else(PoisonError::into_inner).evicted_tables)
    }
}

impl CacheSlots {
    /// Evicts the least recently used entries until `bytes` fit or all are in use.
    fn make_room(&mut self, bound: usize, bytes: usize) {
        if self.bytes + bytes <= bound {
            return;
        }
        // Frees an eighth more than needed, so that not every new tile sorts all entries.
        let target_bytes = bound.saturating_sub(bytes).min(bound / 8 * 7);
        let mut oldest: Vec<(u64, CacheKey)> =
            self.by_key.iter().map(|(key, slot)| (slot.last_used.load(Ordering::Relaxed), *key)).collect();
        oldest.sort_unstable_by_key(|(used, _)| *used);
        for (_, key) in oldest {
            if self.bytes <= target_bytes {
                break;
            }
            // A held entry would keep its memory. No thread can take one while the map is locked.
            if self.by_key.get(&key).is_some_and(CacheSlot::is_idle)
                && let Some(slot) = self.by_key.remove(&key)
            {
                self.bytes -= slot.bytes();
                if let CacheKey::Table(table) = key {
                    self.evicted_tables.push(table);
                }
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::atomic::AtomicBool;

    use plyfold_tables::layout::{TableInfo, TableName};
    use plyfold_tables::probe::{ProbeValue, Prober};
    use plyfold_tables::successors::TablePosition;

    use super::*;
    use crate::memory_tables::MemoryLibrary;
    use crate::partial_table::PartialTable;

    pub(crate) fn material(name: &str) -> TableMaterial {
        TableMaterial::parse(name).expect("a material of the test")
    }

    /// Both tables of each material, and all smaller ones.
    pub(crate) fn made(names: &[&str]) -> MemoryLibrary {
        let requested: Vec<TableMaterial> =
            names.iter().flat_map(|name| [material(name), material(name).swapped()]).collect();
        MemoryLibrary::generate(&requested, &AtomicBool::new(false)).expect("memory holds them")
    }

    /// Writes a table to a file, with one section for each pawn slice.
    fn write(made: &dyn Archive, table: TableMaterial, folder: &TableFolder) {
        let index = TableIndex::new(table);
        let summary = made.summary(&index).expect("made");
        let name = TableName::new(&table.to_string()).expect("a short name");
        let facts = TableInfo { name, pawn_slices: index.pawn_slices().len() as u32, tiles: index.tiles() };
        let mut part = PartialTable::create(&folder.path(name.as_str()), facts).expect("a folder of the test");
        for cell in 0..facts.pawn_slices {
            part.begin_section(cell).expect("room");
            let mut levels = Vec::new();
            for n in 0..summary.won.len() as u16 {
                // The totals are those of the whole table, so the first pawn slice gets all of them here.
                let [won, lost] =
                    [&summary.won, &summary.lost].map(|of| if cell == 0 { of[usize::from(n)] } else { 0 });
                levels.push(LevelTotals { n, won, lost });
                for (side, kind) in [(ListSide::Won, BlockKind::Won), (ListSide::Lost, BlockKind::Lost)] {
                    for tile in 0..facts.tiles {
                        let mut words = vec![0_u64; index.tile_words(tile)];
                        let at = TileKey { table, pawn_slice: cell, tile, side };
                        let decoded = made
                            .decode(at, words.len(), n..=n, &mut |bit, _| words[bit as usize / 64] |= 1 << (bit % 64));
                        decoded.expect("made");
                        let mut bytes = Vec::new();
                        codec::encode((0..).zip(words).filter(|(_, word)| *word != 0), &mut bytes);
                        part.add_block(kind, n, tile, &bytes).expect("room");
                    }
                }
            }
            part.end_section(&levels, if cell == 0 { summary.legal } else { [0, 0] }, true).expect("room");
        }
        part.finish().expect("room");
    }

    fn position(fen: &str) -> TablePosition {
        TablePosition::from_fen(fen).expect("a position of the test")
    }

    /// Some positions of KRvK and KPvK with their values, as an independent solver has them.
    const KNOWN: [(&str, ProbeValue); 6] = [
        ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", ProbeValue::Win(16)),
        ("8/8/8/8/8/8/1Rk5/K7 b - - 0 1", ProbeValue::Loss(16)),
        ("8/8/8/8/8/8/1Rk5/7K b - - 0 1", ProbeValue::Draw),
        ("k7/1rK5/8/8/8/8/8/8 w - - 0 1", ProbeValue::Loss(16)),
        ("8/8/8/3P3K/5k2/8/8/8 w - - 0 1", ProbeValue::Win(11)),
        ("8/3P4/k7/8/8/4K3/8/8 b - - 0 1", ProbeValue::Loss(6)),
    ];

    fn answers<S: TableSource<Error = Error>>(source: S) -> Vec<ProbeValue> {
        let prober = Prober::new(source);
        KNOWN.iter().map(|(fen, _)| prober.value(&position(fen)).expect("a table")).collect()
    }

    #[test]
    fn memory_and_files_and_views_answer_alike() {
        let made = made(&["KRvK", "KPvK"]);
        let folder = tempfile::tempdir().expect("a folder");
        let folder = TableFolder::new(folder.path());
        for name in ["KRvK", "KPvK", "KQvK"] {
            write(&made, material(name), &folder);
        }
        let files = CachedTables::open(folder, DEFAULT_CACHE_BYTES);
        let known: Vec<ProbeValue> = KNOWN.iter().map(|(_, value)| *value).collect();
        assert_eq!(answers(CachedTables::new(Box::new(made), DEFAULT_CACHE_BYTES)), known);
        assert_eq!(answers(&files), known);
        assert_eq!(answers(ThreadTables::new(&files)), known);
        let missing = Prober::new(&files).value(&position("8/8/8/8/8/2k5/B7/K7 w - - 0 1"));
        assert!(matches!(missing, Err(Error::Missing(table)) if table == material("KBvK")));
    }

    #[test]
    fn damage_is_an_error_that_names_the_file() {
        let made = made(&["KRvK"]);
        let directory = tempfile::tempdir().expect("a folder");
        let folder = TableFolder::new(directory.path());
        write(&made, material("KRvK"), &folder);
        let whole = std::fs::read(folder.path("KRvK")).expect("written");
        let mut refused = 0;
        for at in (0..whole.len()).step_by(97) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(folder.path("KRvK"), &bytes).expect("room");
            let tables = CachedTables::open(folder.clone(), DEFAULT_CACHE_BYTES);
            for (fen, value) in &KNOWN[..3] {
                match Prober::new(&tables).value(&position(fen)) {
                    Ok(found) => assert_eq!(found, *value, "byte {at}"),
                    Err(error) => {
                        assert!(error.to_string().contains("KRvK.egt"), "byte {at}: {error}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 0);
        std::fs::write(folder.path("KRvK"), &whole[..whole.len() / 2]).expect("room");
        assert!(matches!(CachedTables::open(folder, 0).table(material("KRvK")), Err(Error::Damaged { .. })));
    }

    #[test]
    fn a_small_bound_forgets_tiles_and_answers_alike() {
        const ONE_TILE: usize = 64 * 64;
        let tables = CachedTables::new(Box::new(made(&["KPvK"])), ONE_TILE + 900);
        let prober = Prober::new(&tables);
        for _ in 0..20 {
            for (fen, value) in &KNOWN[4..] {
                assert_eq!(prober.value(&position(fen)).expect("a table"), *value);
                let slots = tables.cache.slots.read().expect("no thread panicked");
                assert_eq!(slots.bytes, ONE_TILE);
                assert_eq!(slots.by_key.values().map(|slot| slot.bytes()).sum::<usize>(), ONE_TILE);
            }
        }
        assert_eq!(tables.cache.decoded.load(Ordering::Relaxed), 40, "each sends the other away");
    }

    #[test]
    fn what_somebody_holds_is_not_forgotten() {
        let tables = CachedTables::new(Box::new(made(&["KPvK"])), 0);
        let table = tables.table(material("KPvK")).expect("a table");
        let held = tables.levels(&table, 0, 0, ListSide::Won).expect("a tile");
        for cell in 1..5 {
            tables.levels(&table, cell, 0, ListSide::Won).expect("a tile");
        }
        let again = tables.levels(&table, 0, 0, ListSide::Won).expect("a tile");
        assert!(Arc::ptr_eq(&held, &again));
        assert_eq!(tables.cache.decoded.load(Ordering::Relaxed), 5);
    }

    /// Several threads probe a strict cache at once, while another watches its size.
    #[test]
    fn a_strict_bound_is_never_passed_and_answers_are_the_same() {
        let made = made(&["KRvK", "KPvK", "KQvK"]);
        let directory = tempfile::tempdir().expect("a folder");
        for name in ["KRvK", "KPvK", "KQvK"] {
            write(&made, material(name), &TableFolder::new(directory.path()));
        }
        // The least bound that works, as the refusals name it: enough for the largest index, directory or tile.
        let mut bound = 1;
        let tables = loop {
            let tables = CachedTables::open_strict(TableFolder::new(directory.path()), bound);
            match KNOWN.iter().try_for_each(|(fen, _)| Prober::new(&tables).value(&position(fen)).map(|_| ())) {
                Ok(()) => break tables,
                Err(Error::Cache { least, allowed, .. }) => {
                    assert!(allowed == bound as u64 && least > allowed);
                    bound = least as usize;
                }
                Err(error) => panic!("{error}"),
            }
        };
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let mut most = 0;
                while !is_over.load(Ordering::Relaxed) {
                    most = most.max(tables.cache.slots.read().expect("no thread panicked").bytes);
                    std::thread::yield_now();
                }
                most
            });
            let askers: Vec<_> = (0..4)
                .map(|nth| {
                    let tables = &tables;
                    scope.spawn(move || {
                        for at in 0..60 {
                            let (fen, value) = &KNOWN[(at + nth) % KNOWN.len()];
                            match Prober::new(tables).value(&position(fen)) {
                                Ok(found) => assert_eq!(found, *value),
                                Err(error) => assert!(matches!(error, Error::Busy), "{error}"),
                            }
                        }
                    })
                })
                .collect();
            for asker in askers {
                asker.join().expect("it answers");
            }
            is_over.store(true, Ordering::Relaxed);
            let most = watcher.join().expect("it looks");
            assert!(most <= bound && most > 0, "{most} of {bound}");
        });
        let slots = tables.cache.slots.read().expect("no thread panicked");
        assert_eq!(slots.bytes, slots.by_key.values().map(|slot| slot.bytes()).sum::<usize>());
        assert_eq!(slots.filling, 0);
    }

    #[test]
    fn what_is_cached_is_answered_and_nothing_else() {
        let made = made(&["KRvK"]);
        let directory = tempfile::tempdir().expect("a folder");
        write(&made, material("KRvK"), &TableFolder::new(directory.path()));
        let tables = CachedTables::open_strict(TableFolder::new(directory.path()), DEFAULT_CACHE_BYTES);
        let (fen, value) = &KNOWN[0];
        assert_eq!(Prober::new(CacheOnlyTables(&tables)).value(&position(fen)), Err(NotCached));
        assert_eq!(Prober::new(&tables).value(&position(fen)).expect("a table"), *value);
        assert_eq!(Prober::new(CacheOnlyTables(&tables)).value(&position(fen)), Ok(*value));
    }

    #[test]
    fn a_table_that_is_not_there_takes_no_memory() {
        // Its index alone would take gigabytes.
        let directory = tempfile::tempdir().expect("a folder");
        let seven = material("KPPPvKPP");
        assert!(index_bytes(seven) > 500 << 20, "{}", index_bytes(seven));
        for tables in [
            CachedTables::open(TableFolder::new(directory.path()), 1 << 20),
            CachedTables::open_strict(TableFolder::new(directory.path()), 1 << 20),
        ] {
            assert!(matches!(tables.table(seven), Err(Error::Missing(table)) if table == seven));
            assert!(tables.cache.slots.read().expect("no thread panicked").by_key.is_empty());
        }
        for (name, at_most) in [("KPvK", 2), ("KPPvKP", 2), ("KRvK", 2)] {
            let cells = TableIndex::new(material(name)).pawn_slices().len() * 64;
            let said = index_bytes(material(name));
            assert!(cells <= said && said < at_most * cells + 8192, "{name}: {cells} {said}");
        }
    }
}
