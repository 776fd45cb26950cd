//! The tables of a folder as an archive, packed or not.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, PoisonError, RwLock};

use plyfold_tables::codec;
use plyfold_tables::index::{TableAddress, TableIndex};
use plyfold_tables::layout::{BlockKind, LevelTotals, SectionEntry, SetBlock, TableSection, TableTotals};
use plyfold_tables::material::TableMaterial;
use shakmaty::{Board, Color};

use super::cache::{CacheContent, CacheFill, CacheKey, CacheSlot, TableCache};
use super::cached_tables::index_bytes;
use super::{Archive, DEFAULT_CACHE_BYTES, ListSide, PreparedDecode, PutLevel, TileKey};
use crate::Error;
use crate::folder::{OpenTable, TableFolder};
use crate::packed_folder::{OpenPackedTable, PackedFolder};

/// The tables of a folder, packed or not. If it has both forms of a table, positions are found in the packed one.
pub(super) struct FolderArchive {
    folder: TableFolder,
    /// None if only generated tables are read.
    packed: Option<PackedFolder>,
    open: RwLock<HashMap<TableMaterial, Arc<OpenTable>>>,
    cache: Arc<TableCache>,
}

/// The generated tables of a folder, without the packed ones: what tables are packed from.
#[must_use]
pub fn open_generated(folder: TableFolder) -> Box<dyn Archive> {
    Box::new(FolderArchive::new(folder, false, Arc::new(TableCache::new(DEFAULT_CACHE_BYTES / 4, false))))
}

/// About the memory of an open file besides its contents.
const OPEN_FILE_BYTES: usize = 4096;
/// About the memory of the distributions of a packed table.
const PACKED_TABLE_BYTES: usize = 512 << 10;

impl FolderArchive {
    pub(super) fn new(folder: TableFolder, with_packed: bool, cache: Arc<TableCache>) -> FolderArchive {
        let packed = with_packed.then(|| PackedFolder::new(folder.folder(), cache.bound / 4));
        FolderArchive { folder, packed, open: RwLock::default(), cache }
    }

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
            let load = Box::new(move || table.read_section(number).map(CacheContent::Section));
            let (table_bytes, scratch) = (self.open(name)? + index_bytes(name), entry.directory_bytes as usize);
            Ok(CacheFill { table: name, table_bytes, bytes, scratch, load })
        })
    }

    fn packed_table(&self, table: TableMaterial) -> Result<Option<Arc<OpenPackedTable>>, Error> {
        self.packed.as_ref().map_or(Ok(None), |packed| packed.table(table))
    }

    /// Decodes a tile of a packed table. Levels with Black to move follow from those of the moves.
    fn decode_packed(
        &self,
        packed: &OpenPackedTable,
        at: TileKey,
        levels: RangeInclusive<u16>,
        put: PutLevel,
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

impl Archive for FolderArchive {
    fn summary(&self, index: &TableIndex) -> Result<TableTotals, Error> {
        if let Some(packed) = self.packed_table(index.material())? {
            return Ok(packed.table().facts.totals.clone());
        }
        let table = self.open_file(index.material())?;
        let facts = table.table().info();
        if (facts.pawn_slices as usize, facts.tiles) != (index.pawn_slices().len(), index.tiles()) {
            let what = "its pawn slices and tiles do not fit its name; generate the table again";
            return Err(Error::damaged(table.path(), what));
        }
        Ok(table.table().counts().clone())
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

    fn decode(&self, at: TileKey, words: usize, levels: RangeInclusive<u16>, put: PutLevel) -> Result<(), Error> {
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
            let decode = Box::new(move |put: PutLevel| self.decode_packed(&packed, at, levels, put));
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
fn decode(table: &OpenTable, pieces: &[SetBlock], words: usize, put: PutLevel) -> Result<(), Error> {
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
            Error::damaged(table.path(), what)
        })?;
    }
    Ok(())
}
