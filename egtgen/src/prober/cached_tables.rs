//! Decodes tables tile by tile into a cache that any number of threads share.

use std::sync::Arc;

use plyfold_tables::index::{TableAddress, TableIndex};
use plyfold_tables::layout::TableTotals;
use plyfold_tables::material::TableMaterial;
use plyfold_tables::probe::TableSource;
use shakmaty::{Board, Color, Role};

use super::cache::{CacheContent, CacheFill, CacheKey, CacheSlot, TableCache, TileLevels};
use super::folder_archive::FolderArchive;
use super::{Archive, ListSide, TileKey, decode_longest};
use crate::Error;
use crate::folder::TableFolder;

/// The usual bound of a cache, in bytes.
pub const DEFAULT_CACHE_BYTES: usize = 1 << 30;

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
pub(super) fn index_bytes(material: TableMaterial) -> usize {
    let choose = |of: u64, number: u8| (0..u64::from(number)).fold(1, |ways, at| ways * (of - at) / (at + 1));
    let (white, black) = (material.white.count(Role::Pawn), material.black.count(Role::Pawn));
    // A placement and its mirror image are one pawn slice.
    let pawn_slices =
        choose(48, white) * choose(48 - u64::from(white), black) / 2 + choose(24, (white + black) / 2) + 1;
    // Each entry has two sets of pawns and a number, twice, and the overhead of a tree.
    4096 + pawn_slices as usize * 64
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use plyfold_tables::probe::Prober;

    use super::*;
    use crate::prober::tests::{KNOWN, folder_of, made, material, position};

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
        for pawn_slice in 1..5 {
            tables.levels(&table, tile(pawn_slice)).expect("a tile");
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
                .map(|thread| {
                    let tables = &tables;
                    scope.spawn(move || {
                        for at in 0..60 {
                            let (fen, value) = &KNOWN[(at + thread) % KNOWN.len()];
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
            let bytes = TableIndex::new(material(name)).pawn_slices().len() * 64;
            let estimate = index_bytes(material(name));
            assert!(bytes <= estimate && estimate < at_most * bytes + 8192, "{name}: {bytes} {estimate}");
        }
    }
}
