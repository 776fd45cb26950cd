//! Reads complete tables: a tile is decoded when it is first needed, and cached as long as memory allows.

mod cache;
mod folder_archive;

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::sync::Arc;

use plyfold_tables::index::{TableAddress, TableIndex};
use plyfold_tables::layout::{LevelTotals, TableTotals};
use plyfold_tables::material::TableMaterial;
use plyfold_tables::probe::TableSource;
use shakmaty::{Board, Color, Role};

use crate::Error;
use crate::folder::TableFolder;

use cache::{CacheContent, CacheFill, CacheKey, TableCache};
use folder_archive::FolderArchive;

pub use cache::{CacheSlot, TileLevels};
pub use folder_archive::open_generated;

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

    /// The positions of a level on these lists.
    #[must_use]
    pub const fn count(self, level: &LevelTotals) -> u64 {
        match self {
            ListSide::Won => level.won,
            ListSide::Lost => level.lost,
        }
    }

    /// The highest level at which these lists have positions.
    #[must_use]
    pub fn highest_level(self, totals: &TableTotals) -> Option<u16> {
        totals.levels.iter().rfind(|level| self.count(level) > 0).map(|level| level.n)
    }
}

/// Called with the bit and the level of a position of a tile.
pub type PutLevel<'a> = &'a mut dyn FnMut(u64, u16);

/// A source of complete tables, in a folder or in memory.
pub trait Archive: Send + Sync {
    /// The totals that a table of this shape stores. They count positions on the whole board, identical pieces in one order.
    ///
    /// # Errors
    /// There is no such table, it cannot be read, or it has another shape.
    fn summary(&self, index: &TableIndex) -> Result<TableTotals, Error>;

    /// Calls `put` with the bit and the level of each position of a tile on the lists of these levels. The tile has `words`
    /// words.
    ///
    /// # Errors
    /// There is no such table, or it cannot be read.
    fn decode(&self, at: TileKey, words: usize, levels: RangeInclusive<u16>, put: PutLevel) -> Result<(), Error>;

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
pub type DecodeFn<'a> = Box<dyn FnOnce(PutLevel) -> Result<(), Error> + 'a>;

/// The addresses of at most `most` positions at the highest level of one side, whose tiles are decoded.
///
/// # Errors
/// There is no such table, or it cannot be read.
pub(crate) fn decode_longest(
    archive: &dyn Archive,
    (index, totals): (&TableIndex, &TableTotals),
    side: ListSide,
    most: usize,
) -> Result<Vec<TableAddress>, Error> {
    let mut places = Vec::new();
    let Some(level) = side.highest_level(totals) else { return Ok(places) };
    for pawn_slice in 0..index.pawn_slices().len() as u32 {
        for tile in 0..index.tiles() {
            if places.len() >= most {
                return Ok(places);
            }
            let at = TileKey { table: index.material(), pawn_slice, tile, side };
            archive.decode(at, index.tile_words(tile), level..=level, &mut |bit, _| {
                if places.len() < most {
                    places.push(TableAddress { pawn_slice, tile, bit });
                }
            })?;
        }
    }
    Ok(places)
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

impl TileKey {
    /// The tile with the level of a position.
    pub(crate) fn of_place(table: TableMaterial, place: TableAddress, turn: Color) -> TileKey {
        let side = ListSide::from_side_to_move(turn);
        TileKey { table, pawn_slice: place.pawn_slice, tile: place.tile, side }
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
    pub summary: TableTotals,
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
    pub(crate) archive: Box<dyn Archive>,
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
        CachedTables { archive: Box::new(FolderArchive::new(folder, true, Arc::clone(&cache))), cache }
    }

    /// The tables of an archive, with `bound` bytes for decoded tiles. More is used only while the tiles in use are larger.
    #[must_use]
    pub fn new(archive: Box<dyn Archive>, bound: usize) -> CachedTables {
        CachedTables { archive, cache: Arc::new(TableCache::new(bound, false)) }
    }

    /// Opens a table, or gives it if it is open.
    ///
    /// # Errors
    /// There is no such table, or it cannot be read.
    pub fn table(&self, material: TableMaterial) -> Result<Arc<IndexedTable>, Error> {
        let is_strict = self.cache.is_strict;
        let slot = self.cache.get_or_fill(CacheKey::Table(material), || {
            // The file is opened first, since the index may be large and is useless without it.
            let file_bytes = self.archive.open(material)?;
            // A cache that is not strict does not count open tables, and keeps them.
            let bytes = if is_strict { file_bytes + index_bytes(material) } else { 0 };
            let load = Box::new(move || {
                let index = TableIndex::new(material);
                let summary = self.archive.summary(&index)?;
                Ok(CacheContent::Table(Arc::new(IndexedTable { material, index, summary, bytes })))
            });
            Ok(CacheFill { table: material, table_bytes: 0, bytes, scratch: 0, load })
        });
        if slot.is_err() {
            self.archive.close(material);
        }
        if is_strict {
            self.cache.take_evicted().into_iter().for_each(|closed| self.archive.close(closed));
        }
        slot?.table().ok_or(Error::Busy)
    }

    /// The levels of a tile's positions.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn levels(&self, table: &IndexedTable, at: TileKey) -> Result<Arc<CacheSlot>, Error> {
        let bits = table.index.tile_words(at.tile) * 64;
        let most = at.side.highest_level(&table.summary).unwrap_or(0);
        self.cache.get_or_fill(CacheKey::Tile(at), || {
            let found = self.archive.prepare_decode(at, bits / 64, 0..=most)?;
            let load = Box::new(move || {
                let mut levels = TileLevels::new(bits, most);
                (found.decode)(&mut |bit, level| levels.set(bit, level))?;
                Ok(CacheContent::Levels(levels))
            });
            let bytes = TileLevels::bytes(bits, most);
            Ok(CacheFill { table: at.table, table_bytes: table.bytes, bytes, scratch: found.scratch, load })
        })
    }

    /// The levels of some bits of a tile, which are ascending. The tile goes past block by block and is never unpacked as a whole.
    pub(crate) fn levels_of_bits(&self, at: TileKey, bits: &[u64]) -> Result<Vec<Option<u16>>, Error> {
        let table = self.table(at.table)?;
        let most = at.side.highest_level(&table.summary).unwrap_or(0);
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

    /// The addresses of at most `most` positions at the highest level of one side.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn longest(&self, table: &IndexedTable, side: ListSide, most: usize) -> Result<Vec<TableAddress>, Error> {
        if let Some(mut longest) = self.archive.longest(table.material, side) {
            longest.truncate(most);
            return Ok(longest);
        }
        decode_longest(&*self.archive, (&table.index, &table.summary), side, most)
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
        let slot = self.levels(&table, TileKey::of_place(table.material, place, turn))?;
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
        let tile = CacheKey::Tile(TileKey::of_place(table, place, turn));
        let level = cache.peek(&tile, |slot| slot.levels().map(|levels| levels.get(place.bit)));
        level.flatten().ok_or(NotCached)
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
        let tile = TileKey::of_place(table, place, turn);
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
        let slot = self.tables.levels(open, tile)?;
        let level = slot.levels().and_then(|levels| levels.get(place.bit));
        if at_hand.bytes + slot.bytes() <= self.bound {
            at_hand.bytes += slot.bytes();
            at_hand.tiles[drawer] = Some((tile, slot));
        }
        Ok(level)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use plyfold_tables::probe::{ProbeValue, Prober};
    use plyfold_tables::successors::TablePosition;

    use super::*;
    use crate::generation::{GenerationRequest, generate_tables};
    use crate::memory_tables::MemoryLibrary;

    pub(crate) fn material(name: &str) -> TableMaterial {
        TableMaterial::parse(name).expect("a material of the test")
    }

    /// Both tables of each material, and all smaller ones.
    pub(crate) fn made(names: &[&str]) -> MemoryLibrary {
        let requested: Vec<TableMaterial> =
            names.iter().flat_map(|name| [material(name), material(name).swapped()]).collect();
        MemoryLibrary::generate(&requested, &AtomicBool::new(false)).expect("memory holds them")
    }

    /// A folder with the tables of these materials, White being the winner, and of all smaller ones.
    fn folder_of(names: &[&str]) -> (tempfile::TempDir, TableFolder) {
        let folder = tempfile::tempdir().expect("a folder");
        let tables: Vec<TableMaterial> = names.iter().map(|name| material(name)).collect();
        let request = GenerationRequest::with_closure(&tables, folder.path()).with_threads(1);
        generate_tables(&request, &|_| (), &AtomicBool::new(false)).expect("room");
        let tables = TableFolder::new(folder.path());
        (folder, tables)
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
        let (_directory, folder) = folder_of(&["KRvK", "KPvK"]);
        let files = CachedTables::open(folder, DEFAULT_CACHE_BYTES);
        let known: Vec<ProbeValue> = KNOWN.iter().map(|(_, value)| *value).collect();
        assert_eq!(answers(CachedTables::new(Box::new(made(&["KRvK", "KPvK"])), DEFAULT_CACHE_BYTES)), known);
        assert_eq!(answers(&files), known);
        assert_eq!(answers(ThreadTables::new(&files)), known);
        let missing = Prober::new(&files).value(&position("k7/8/8/8/8/8/1BB5/K7 w - - 0 1"));
        assert!(matches!(missing, Err(Error::Missing(table)) if table == material("KBBvK")));
    }

    #[test]
    fn damage_is_an_error_that_names_the_file() {
        let (_directory, folder) = folder_of(&["KRvK"]);
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
        let tile = |pawn_slice| TileKey { table: table.material, pawn_slice, tile: 0, side: ListSide::Won };
        let held = tables.levels(&table, tile(0)).expect("a tile");
        for cell in 1..5 {
            tables.levels(&table, tile(cell)).expect("a tile");
        }
        let again = tables.levels(&table, tile(0)).expect("a tile");
        assert!(Arc::ptr_eq(&held, &again));
        assert_eq!(tables.cache.decoded.load(Ordering::Relaxed), 5);
    }

    /// Several threads probe a strict cache at once, while another watches its size.
    #[test]
    fn a_strict_bound_is_never_passed_and_answers_are_the_same() {
        let (_directory, folder) = folder_of(&["KRvK", "KPvK"]);
        // The least bound that works, as the refusals name it: enough for the largest index, directory or tile.
        let mut bound = 1;
        let tables = loop {
            let tables = CachedTables::open_strict(folder.clone(), bound);
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
        let (_directory, folder) = folder_of(&["KRvK"]);
        let tables = CachedTables::open_strict(folder, DEFAULT_CACHE_BYTES);
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
