//! Tables in memory: for tests, and for places without files.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use plyfold_core::table::codec;
use plyfold_core::table::index::TableIndex;
use plyfold_core::table::layout::{BlockKind, LevelTotals};
use plyfold_core::table::material::TableMaterial;

use crate::Error;
use crate::pawn_slice::SectionSink;
use crate::retrograde::conversion::{LevelList, ResultList, ResultLists, TableLibrary};

/// A table's pieces.
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
    /// An empty one.
    #[must_use]
    pub fn new(material: TableMaterial) -> MemoryTable {
        MemoryTable { index: TableIndex::new(material), content: Mutex::default() }
    }

    /// Positions by level, and legal ones with White and Black to move.
    #[must_use]
    pub fn counts(&self) -> (Vec<LevelTotals>, [u64; 2]) {
        let content = self.content.lock().expect("no thread panics with it");
        (content.levels.values().copied().collect(), content.legal)
    }

    /// Bytes of all pieces.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.content.lock().expect("no thread panics with it").blocks.values().map(|piece| piece.len() as u64).sum()
    }

    /// A place to put pieces into.
    #[must_use]
    pub fn sink(&self) -> impl SectionSink + '_ {
        MemorySink(self)
    }
}

struct MemorySink<'a>(&'a MemoryTable);

impl SectionSink for MemorySink<'_> {
    fn begin_section(&mut self, cell: u32) -> Result<(), Error> {
        self.0.content.lock().expect("no thread panics with it").pawn_slice = cell;
        Ok(())
    }

    fn add_block(&mut self, kind: BlockKind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        let mut content = self.0.content.lock().expect("no thread panics with it");
        let cell = content.pawn_slice;
        content.blocks.insert((cell, kind, level, tile), bytes.to_vec());
        Ok(())
    }

    fn end_section(&mut self, levels: &[LevelTotals], legal: [u64; 2], _: bool) -> Result<(), Error> {
        let mut content = self.0.content.lock().expect("no thread panics with it");
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

    fn last_level(&self, cell: u32, list: ResultList) -> Result<Option<u16>, Error> {
        let content = self.content.lock().expect("no thread panics with it");
        let range =
            content.blocks.range((cell, list.block_kind(), 0, 0)..=(cell, list.block_kind(), u16::MAX, u32::MAX));
        Ok(range.last().map(|((_, _, level, _), _)| *level))
    }

    fn visit(
        &self,
        at: LevelList,
        needs_tile: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), Error> {
        let LevelList { pawn_slice: cell, list, level } = at;
        let content = self.content.lock().expect("no thread panics with it");
        let range =
            content.blocks.range((cell, list.block_kind(), level, 0)..=(cell, list.block_kind(), level, u32::MAX));
        for ((_, _, _, tile), bytes) in range.filter(|((_, _, _, tile), _)| needs_tile(*tile)) {
            codec::for_each_word(bytes, self.index.tile_words(*tile), |word, bits| visit(*tile, word, bits))
                .expect("pieces in memory are as they were made");
        }
        Ok(())
    }
}

impl ResultList {
    /// The kind of its pieces.
    #[must_use]
    pub fn block_kind(self) -> BlockKind {
        match self {
            ResultList::Lost => BlockKind::Lost,
            ResultList::Won => BlockKind::Won,
            ResultList::Stale => BlockKind::Stalemate,
        }
    }
}

/// Tables by name.
#[derive(Default)]
pub struct MemoryLibrary(Mutex<HashMap<TableMaterial, Arc<MemoryTable>>>);

impl MemoryLibrary {
    /// Puts a table there.
    pub fn insert(&self, table: Arc<MemoryTable>) {
        self.0.lock().expect("no thread panics with it").insert(table.index.material(), table);
    }

    /// The table of a material.
    #[must_use]
    pub fn get(&self, material: TableMaterial) -> Option<Arc<MemoryTable>> {
        self.0.lock().expect("no thread panics with it").get(&material).cloned()
    }
}

impl TableLibrary for MemoryLibrary {
    fn lists(&self, table: TableMaterial) -> Result<Arc<dyn ResultLists>, Error> {
        self.get(table).map(|table| table as Arc<dyn ResultLists>).ok_or(Error::Missing(table))
    }
}
