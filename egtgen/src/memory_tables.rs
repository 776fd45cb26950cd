//! Generates and keeps tables in memory, without files.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use plyfold_tables::codec;
use plyfold_tables::index::TableIndex;
use plyfold_tables::layout::{BlockKind, LevelTotals, TableTotals};
use plyfold_tables::material::{TableMaterial, closure};

use crate::Error;
use crate::leapfrog::resident::ResidentTiles;
use crate::pawn_slice::{GenerationContext, PawnSliceGenerator, SectionSink};
use crate::prober::{Archive, ListSide, PutLevel, TileKey};
use crate::retrograde::result_lists::{LevelList, NeededWords, ResultList, ResultLists, TableLibrary, VisitWord};

/// A table as its compressed blocks.
pub struct MemoryTable {
    index: TableIndex,
    content: Mutex<MemoryContent>,
}

#[derive(Default)]
struct MemoryContent {
    pawn_slice: u32,
    blocks: BTreeMap<(u32, BlockKind, u16, u32), Vec<u8>>,
    levels: BTreeMap<u16, LevelTotals>,
    legal: [u64; 2],
}

impl MemoryTable {
    /// An empty table.
    #[must_use]
    pub fn new(material: TableMaterial) -> MemoryTable {
        MemoryTable { index: TableIndex::new(material), content: Mutex::default() }
    }

    /// The totals of the table.
    #[must_use]
    pub fn counts(&self) -> TableTotals {
        let content = self.content.lock().expect("no thread panics with it");
        TableTotals { levels: content.levels.values().copied().collect(), legal: content.legal }
    }

    /// A sink that adds blocks to the table.
    #[must_use]
    pub fn sink(&self) -> impl SectionSink + '_ {
        self
    }
}

impl SectionSink for &MemoryTable {
    fn begin_section(&mut self, pawn_slice: u32) -> Result<(), Error> {
        self.content.lock().expect("no thread panics with it").pawn_slice = pawn_slice;
        Ok(())
    }

    fn add_block(&mut self, kind: BlockKind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        let mut content = self.content.lock().expect("no thread panics with it");
        let pawn_slice = content.pawn_slice;
        content.blocks.insert((pawn_slice, kind, level, tile), bytes.to_vec());
        Ok(())
    }

    fn end_section(&mut self, levels: &[LevelTotals], legal: [u64; 2], _: bool) -> Result<(), Error> {
        let mut content = self.content.lock().expect("no thread panics with it");
        for level in levels {
            let sum = content.levels.entry(level.n).or_insert(LevelTotals { n: level.n, won: 0, lost: 0 });
            sum.won += level.won;
            sum.lost += level.lost;
        }
        content.legal[0] += legal[0];
        content.legal[1] += legal[1];
        Ok(())
    }
}

impl ResultLists for MemoryTable {
    fn index(&self) -> &TableIndex {
        &self.index
    }

    fn last_level(&self, pawn_slice: u32, list: ResultList) -> Result<Option<u16>, Error> {
        let content = self.content.lock().expect("no thread panics with it");
        let range = content
            .blocks
            .range((pawn_slice, list.block_kind(), 0, 0)..=(pawn_slice, list.block_kind(), u16::MAX, u32::MAX));
        Ok(range.last().map(|((_, _, level, _), _)| *level))
    }

    fn visit(&self, at: LevelList, needed: NeededWords, visit: VisitWord) -> Result<(), Error> {
        let LevelList { pawn_slice, list, level } = at;
        let content = self.content.lock().expect("no thread panics with it");
        let range = content
            .blocks
            .range((pawn_slice, list.block_kind(), level, 0)..=(pawn_slice, list.block_kind(), level, u32::MAX));
        for ((_, _, _, tile), bytes) in range.filter(|((_, _, _, tile), _)| (needed.tile)(*tile)) {
            codec::for_each_word(bytes, self.index.tile_words(*tile), |word, bits| visit(*tile, word, bits))
                .expect("pieces in memory are as they were made");
        }
        Ok(())
    }
}

impl ResultList {
    /// The kind of block that stores the list.
    #[must_use]
    pub fn block_kind(self) -> BlockKind {
        match self {
            ResultList::Lost => BlockKind::Lost,
            ResultList::Won => BlockKind::Won,
            ResultList::Stale => BlockKind::Stalemate,
        }
    }
}

/// Tables by their material.
#[derive(Default)]
pub struct MemoryLibrary(Mutex<HashMap<TableMaterial, Arc<MemoryTable>>>);

impl MemoryLibrary {
    /// Generates tables, and every smaller table that they convert into. White is the winner in each: for both winners, name
    /// a material and its [`swapped`](TableMaterial::swapped). `stop` ends the work early when it becomes true.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub fn generate(materials: &[TableMaterial], stop: &AtomicBool) -> Result<MemoryLibrary, Error> {
        let library = MemoryLibrary::default();
        for material in closure(materials) {
            library.generate_one(material, stop)?;
        }
        Ok(library)
    }

    /// Generates one table, given all those that it converts into; [`closure`] has their order.
    ///
    /// # Errors
    ///
    /// A table is missing, or [`Error::Stopped`]. The library then stays without this one.
    pub fn generate_one(&self, material: TableMaterial, stop: &AtomicBool) -> Result<Arc<MemoryTable>, Error> {
        let table = Arc::new(MemoryTable::new(material));
        // A pawn's move can lead to a pawn slice of the same table.
        self.insert(Arc::clone(&table));
        let made = generate_table(&table, self, rayon::current_num_threads(), stop);
        if made.is_err() {
            self.remove(material);
        }
        made.map(|()| table)
    }

    /// Adds a table.
    pub fn insert(&self, table: Arc<MemoryTable>) {
        self.0.lock().expect("no thread panics with it").insert(table.index.material(), table);
    }

    /// Removes a table.
    pub fn remove(&self, material: TableMaterial) {
        self.0.lock().expect("no thread panics with it").remove(&material);
    }

    /// The table of a material.
    #[must_use]
    pub fn get(&self, material: TableMaterial) -> Option<Arc<MemoryTable>> {
        self.0.lock().expect("no thread panics with it").get(&material).cloned()
    }
}

/// Generates a table, given those that it converts into.
///
/// # Errors
///
/// A table is missing, or [`Error::Stopped`].
pub(crate) fn generate_table(
    table: &MemoryTable,
    library: &MemoryLibrary,
    threads: usize,
    stop: &AtomicBool,
) -> Result<(), Error> {
    let index = &table.index;
    let context = GenerationContext { library, threads, stop, on_cycle: &|_| () };
    for pawn_slice in 0..index.pawn_slices().len() as u32 {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        let tiles = ResidentTiles::new(index, None);
        PawnSliceGenerator::new(index, pawn_slice, &context)?.run(&tiles, &mut table.sink())?;
    }
    Ok(())
}

impl Archive for MemoryLibrary {
    fn summary(&self, index: &TableIndex) -> Result<TableTotals, Error> {
        Ok(self.get(index.material()).ok_or(Error::Missing(index.material()))?.counts())
    }

    fn decode(&self, at: TileKey, _words: usize, levels: RangeInclusive<u16>, put: PutLevel) -> Result<(), Error> {
        let table = self.get(at.table).ok_or(Error::Missing(at.table))?;
        let list = if at.side == ListSide::Won { ResultList::Won } else { ResultList::Lost };
        for level in levels {
            let list = LevelList { pawn_slice: at.pawn_slice, list, level };
            table.visit(list, NeededWords::of_tiles(&|tile| tile == at.tile), &mut |_, word, mut bits| {
                while bits != 0 {
                    put(word as u64 * 64 + u64::from(bits.trailing_zeros()), level);
                    bits &= bits - 1;
                }
            })?;
        }
        Ok(())
    }
}

impl TableLibrary for MemoryLibrary {
    fn lists(&self, table: TableMaterial) -> Result<Arc<dyn ResultLists>, Error> {
        self.get(table).map(|table| table as Arc<dyn ResultLists>).ok_or(Error::Missing(table))
    }
}
