//! Tables in memory, without files.

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use plyfold_core::table::codec;
use plyfold_core::table::index::TableIndex;
use plyfold_core::table::layout::{
    BlockKind, HEADER_BYTES, LayoutError, LevelTotals, PastEnd, SectionBuilder, TableContents, TableHeader, TableInfo,
    TableName, TableReader,
};
use plyfold_core::table::material::{TableMaterial, closure};

use crate::Error;
use crate::pawn_slice::{GenerationContext, PawnSliceGenerator, SectionSink};
use crate::prober::{Archive, ListSide, PositionTotals, TileKey};
use crate::retrograde::conversion::{LevelList, ResultList, ResultLists, TableLibrary};
use crate::store::MemoryStore;

/// A table as its compressed blocks.
pub struct MemoryTable {
    index: TableIndex,
    content: Mutex<MemoryContent>,
}

#[derive(Default)]
struct MemoryContent {
    sections: Vec<MemorySection>,
    blocks: BTreeMap<(u32, BlockKind, u16, u32), Vec<u8>>,
    levels: BTreeMap<u16, LevelTotals>,
    legal: [u64; 2],
}

/// A section as it stands in the file of the table; its blocks are in the order in which they were added.
#[derive(Default)]
struct MemorySection {
    pawn_slice: u32,
    blocks: Vec<(BlockKind, u16, u32)>,
    levels: Vec<LevelTotals>,
    legal: [u64; 2],
    is_last: bool,
}

impl MemoryTable {
    /// An empty table.
    #[must_use]
    pub fn new(material: TableMaterial) -> MemoryTable {
        MemoryTable { index: TableIndex::new(material), content: Mutex::default() }
    }

    /// The numbers of won and lost positions by level, and of legal positions with White and with Black to move.
    #[must_use]
    pub fn counts(&self) -> (Vec<LevelTotals>, [u64; 2]) {
        let content = self.content.lock().expect("no thread panics with it");
        (content.levels.values().copied().collect(), content.legal)
    }

    /// Bytes of all blocks.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.content.lock().expect("no thread panics with it").blocks.values().map(|piece| piece.len() as u64).sum()
    }

    /// The bytes of the table's file, the same as those that [`generate_tables`](crate::generate_tables) writes.
    ///
    /// # Panics
    ///
    /// The table is not complete.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let content = self.content.lock().expect("no thread panics with it");
        let info = self.info();
        let mut bytes = vec![0; HEADER_BYTES as usize];
        let mut contents = TableContents::new(info);
        for section in &content.sections {
            let start = bytes.len();
            let mut builder = SectionBuilder::new(section.pawn_slice, start as u64);
            bytes.extend_from_slice(&[0; HEADER_BYTES as usize]);
            for (kind, level, tile) in &section.blocks {
                let block = &content.blocks[&(section.pawn_slice, *kind, *level, *tile)];
                builder.add_block(*kind, *level, *tile, block);
                bytes.extend_from_slice(block);
            }
            let built = builder.finish(&info, &section.levels, section.legal, section.is_last);
            bytes.extend_from_slice(&built.tail);
            bytes[start..start + built.header.len()].copy_from_slice(&built.header);
            contents.push(&built.section).unwrap_or_else(|what| panic!("a section of which {what}"));
        }
        let trailer = contents.trailer();
        let header = TableHeader { info, trailer: Some((contents.end(), trailer.len() as u64)) };
        bytes.extend_from_slice(&trailer);
        bytes[..HEADER_BYTES as usize].copy_from_slice(&header.to_bytes());
        bytes
    }

    /// The table of a file.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], with the name of the file if it has none: the bytes are no complete table, or damaged.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<MemoryTable, Error> {
        let damaged = |what: String| Error::Damaged { path: file.into(), what };
        let unreadable = |error: LayoutError<PastEnd>| damaged(error.to_string());
        let reader = TableReader::open(bytes).map_err(unreadable)?;
        let info = *reader.info();
        let name = info.name.as_str();
        let material: TableMaterial =
            name.parse().map_err(|_| damaged(format!("its name is {name}, which is no material")))?;
        let table = MemoryTable::new(material);
        if table.info() != info || !material.can_win() {
            return Err(damaged("its pawn slices and tiles do not fit its name; generate the table again".into()));
        }
        let mut sink = table.sink();
        for number in 0..reader.contents().sections().len() {
            let section = reader.section(number).map_err(unreadable)?;
            sink.begin_section(section.entry.pawn_slice)?;
            // They are in the order of the directory; the file has them in the order in which they were added.
            let mut blocks = section.all_blocks().to_vec();
            blocks.sort_by_key(|block| block.offset);
            for block in &blocks {
                sink.add_block(block.kind, block.n, block.tile, &reader.read_block(block).map_err(unreadable)?)?;
            }
            sink.end_section(&section.levels, section.legal, section.entry.is_last)?;
        }
        drop(sink);
        Ok(table)
    }

    /// The material; White is the winner.
    #[must_use]
    pub fn material(&self) -> TableMaterial {
        self.index.material()
    }

    fn info(&self) -> TableInfo {
        let name = TableName::new(&self.index.material().to_string()).expect("names of materials are short");
        TableInfo { name, pawn_slices: self.index.pawn_slices().len() as u32, tiles: self.index.tiles() }
    }

    /// A sink that adds blocks to the table.
    #[must_use]
    pub fn sink(&self) -> impl SectionSink + '_ {
        MemorySink(self)
    }
}

struct MemorySink<'a>(&'a MemoryTable);

impl SectionSink for MemorySink<'_> {
    fn begin_section(&mut self, cell: u32) -> Result<(), Error> {
        let section = MemorySection { pawn_slice: cell, ..MemorySection::default() };
        self.0.content.lock().expect("no thread panics with it").sections.push(section);
        Ok(())
    }

    fn add_block(&mut self, kind: BlockKind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        let mut content = self.0.content.lock().expect("no thread panics with it");
        let section = content.sections.last_mut().expect("a section was begun");
        section.blocks.push((kind, level, tile));
        let cell = section.pawn_slice;
        content.blocks.insert((cell, kind, level, tile), bytes.to_vec());
        Ok(())
    }

    fn end_section(&mut self, levels: &[LevelTotals], legal: [u64; 2], is_last: bool) -> Result<(), Error> {
        let mut content = self.0.content.lock().expect("no thread panics with it");
        let section = content.sections.last_mut().expect("a section was begun");
        (section.levels, section.legal, section.is_last) = (levels.to_vec(), legal, is_last);
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
            codec::for_each_word(bytes, self.index.tile_words(*tile), |word, bits| visit(*tile, word, bits)).map_err(
                |error| Error::Damaged {
                    path: format!("{}.egt", self.index.material()).into(),
                    what: format!("inconsistent block of tile {tile}: {error}; generate the table again"),
                },
            )?;
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
        let store = MemoryStore::new(index.tiles());
        PawnSliceGenerator::new(index, pawn_slice, &context)?.run(&store, &mut table.sink())?;
    }
    Ok(())
}

impl Archive for MemoryLibrary {
    fn summary(&self, index: &TableIndex) -> Result<PositionTotals, Error> {
        let table = self.get(index.material()).ok_or(Error::Missing(index.material()))?;
        let (levels, legal) = table.counts();
        let (won, lost) = levels.iter().map(|level| (level.won, level.lost)).unzip();
        Ok(PositionTotals { legal, won, lost })
    }

    fn decode(
        &self,
        at: TileKey,
        _words: usize,
        levels: RangeInclusive<u16>,
        put: &mut dyn FnMut(u64, u16),
    ) -> Result<(), Error> {
        let table = self.get(at.table).ok_or(Error::Missing(at.table))?;
        let list = if at.side == ListSide::Won { ResultList::Won } else { ResultList::Lost };
        for level in levels {
            let list = LevelList { pawn_slice: at.pawn_slice, list, level };
            table.visit(list, &|tile| tile == at.tile, &mut |_, word, mut bits| {
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
