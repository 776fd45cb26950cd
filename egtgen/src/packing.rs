//! Packs a table: its levels with White to move become a file `NAME.egp` that is probed with a few reads.
//!
//! The levels are read twice, tile by tile: once to count symbols, of a sample of a large table, and once to write them.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use plyfold_files::PartialFile;
use plyfold_tables::index::{TableAddress, TableIndex};
use plyfold_tables::layout::TableTotals;
use plyfold_tables::material::TableMaterial;
use plyfold_tables::packed::geometry::{MAX_ROWS, UnitAddress};
use plyfold_tables::packed::head::{BLOCK_UNITS, HeadWriter, MAX_LONGEST, PackedFacts, PackedLayout};
use plyfold_tables::packed::model::Unit;
use plyfold_tables::packed::pack::{PackingCounts, PackingModel};
use rayon::prelude::*;

use crate::Error;
use crate::packed_folder::{OpenPackedTable, packed_path};
use crate::prober::{Archive, ListSide, TileKey, decode_longest};

/// About how many units are counted; a larger table is sampled, tile by tile.
const SAMPLE_UNITS: u64 = 24_000;
/// About how many bytes of levels are in memory at a time.
const BATCH_BYTES: usize = 64 << 20;

/// The context of packing: what it needs besides the table.
pub struct PackingContext<'a> {
    /// Where the levels come from.
    pub source: &'a dyn Archive,
    /// Stops the work when it becomes true.
    pub stop: &'a AtomicBool,
    /// Told the share of the work that is done, from 0 to 1.
    pub on_progress: &'a (dyn Fn(f64) + Sync),
}

/// Packs a table into a file of a folder, and returns its bytes. A file of that name is replaced once the new one is complete.
///
/// # Errors
///
/// The table cannot be read, the file cannot be written, or [`Error::Stopped`].
pub fn pack_table(context: &PackingContext, table: TableMaterial, folder: &Path) -> Result<u64, Error> {
    let path = packed_path(folder, table);
    let failed = |source| Error::file(&path, "cannot be written", source);
    let mut part = PartialFile::create(&path, true)?;
    let bytes = pack_to(context, table, &mut BufWriter::with_capacity(1 << 20, part.file()), &failed)?;
    part.sync().map_err(failed)?;
    part.publish().map_err(failed)?;
    Ok(bytes)
}

/// Packs a table into memory.
///
/// # Errors
///
/// The table cannot be read, or [`Error::Stopped`].
pub fn pack_in_memory(context: &PackingContext, table: TableMaterial) -> Result<Vec<u8>, Error> {
    let mut bytes = io::Cursor::new(Vec::new());
    let failed = |source| Error::file(&packed_path(Path::new(""), table), "cannot be written", source);
    pack_to(context, table, &mut bytes, &failed)?;
    Ok(bytes.into_inner())
}

fn pack_to<W: Write + Seek>(
    context: &PackingContext,
    table: TableMaterial,
    out: &mut W,
    failed: &dyn Fn(io::Error) -> Error,
) -> Result<u64, Error> {
    let packing = TablePacking::new(context, table)?;
    let model = packing.count()?;
    let facts = packing.facts()?;
    let mut head = HeadWriter::new(&packing.layout, table, (model.neighborhood, &model.distributions), &facts);
    out.seek(SeekFrom::Start(head.block_offset())).map_err(failed)?;
    let mut units: Vec<Vec<u8>> = Vec::new();
    let mut write = |units: &[Vec<u8>]| out.write_all(&head.push_block(units)).map_err(failed);
    packing.for_each_batch(&|_| true, &mut |levels| {
        units.extend(packing.pack(&model, levels));
        let whole = units.len() - units.len() % BLOCK_UNITS as usize;
        units[..whole].chunks(BLOCK_UNITS as usize).try_for_each(&mut write)?;
        units.drain(..whole);
        Ok(())
    })?;
    if !units.is_empty() {
        write(&units)?;
    }
    let bytes = head.block_offset();
    out.seek(SeekFrom::Start(0)).map_err(failed)?;
    out.write_all(&head.finish()).and_then(|()| out.flush()).map_err(failed)?;
    Ok(bytes)
}

/// A tile with the levels of its places, 0 where White does not win.
struct TileContent {
    pawn_slice: u32,
    tile: u32,
    levels: Vec<u16>,
}

impl TileContent {
    /// Its units, each with its levels.
    fn units(&self) -> impl Iterator<Item = (UnitAddress, &[u16])> {
        let TileContent { pawn_slice, tile, .. } = *self;
        (0..).map(move |unit| UnitAddress { pawn_slice, tile, unit }).zip(self.levels.chunks(64 * MAX_ROWS))
    }
}

/// A table that is being packed.
struct TablePacking<'a> {
    context: &'a PackingContext<'a>,
    index: TableIndex,
    layout: PackedLayout,
    totals: TableTotals,
}

impl<'a> TablePacking<'a> {
    fn new(context: &'a PackingContext<'a>, table: TableMaterial) -> Result<TablePacking<'a>, Error> {
        let index = TableIndex::new(table);
        context.source.open(table)?;
        let totals = context.source.summary(&index)?;
        Ok(TablePacking { context, layout: PackedLayout::new(&index), index, totals })
    }

    /// The model with which the table takes the fewest bytes, about.
    fn count(&self) -> Result<PackingModel, Error> {
        let tiles = u64::from(self.index.tiles());
        let every = (self.layout.units() / SAMPLE_UNITS).clamp(1, self.index.pawn_slices().len() as u64 * tiles);
        // Neighbouring tiles are alike, so the sample is spread by a multiplication.
        let is_sampled = |number: u64| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).is_multiple_of(every);
        let mut all = PackingCounts::default();
        self.for_each_batch(&|number| every == 1 || is_sampled(number), &mut |levels| {
            // Sums of counts do not depend on the order of the threads.
            let counts = levels.par_iter().fold(PackingCounts::default, |mut counts, content| {
                content.units().for_each(|(at, levels)| counts.count(&at.rows(&self.index), levels));
                counts
            });
            let add = |mut one: PackingCounts, other: PackingCounts| {
                one.add(&other);
                one
            };
            all.add(&counts.reduce(PackingCounts::default, add));
            Ok(())
        })?;
        Ok(all.model())
    }

    /// The bytes of all units of these tiles.
    fn pack(&self, model: &PackingModel, tiles: &[TileContent]) -> Vec<Vec<u8>> {
        let units: Vec<(UnitAddress, &[u16])> = tiles.iter().flat_map(TileContent::units).collect();
        let pack =
            |unit: &mut Unit, (at, levels): &(UnitAddress, &[u16])| model.pack(unit, &at.rows(&self.index), levels);
        units.par_iter().map_init(Unit::default, pack).collect()
    }

    /// Reads the chosen tiles in order, as many at a time as memory allows.
    fn for_each_batch(
        &self,
        is_chosen: &dyn Fn(u64) -> bool,
        work: &mut dyn FnMut(&[TileContent]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let tiles = u64::from(self.index.tiles());
        let all = self.index.pawn_slices().len() as u64 * tiles;
        let mut chosen = (0..all).filter(|number| is_chosen(*number)).peekable();
        while chosen.peek().is_some() {
            let (mut batch, mut bytes) = (Vec::new(), 0);
            while let Some(number) = chosen.next_if(|_| bytes < BATCH_BYTES) {
                let at = ((number / tiles) as u32, (number % tiles) as u32);
                bytes += 128 * self.index.tile_words(at.1);
                batch.push(at);
            }
            let read = |(pawn_slice, tile): &(u32, u32)| self.read(*pawn_slice, *tile);
            let contents = batch.par_iter().map(read).collect::<Result<Vec<TileContent>, Error>>()?;
            work(&contents)?;
            let (slice, tile) = batch[batch.len() - 1];
            (self.context.on_progress)((u64::from(slice) * tiles + u64::from(tile) + 1) as f64 / all as f64);
        }
        Ok(())
    }

    fn read(&self, pawn_slice: u32, tile: u32) -> Result<TileContent, Error> {
        if self.context.stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        let words = self.index.tile_words(tile);
        let mut levels = vec![0; 64 * words];
        let at = TileKey { table: self.index.material(), pawn_slice, tile, side: ListSide::Won };
        let highest = ListSide::Won.highest_level(&self.totals).unwrap_or(0);
        self.context.source.decode(at, words, 0..=highest, &mut |bit, level| levels[bit as usize] = level)?;
        Ok(TileContent { pawn_slice, tile, levels })
    }

    /// The totals, and some positions of the highest levels.
    fn facts(&self) -> Result<PackedFacts, Error> {
        let of_table = (&self.index, &self.totals);
        let [won, lost] = ListSide::BOTH.map(|side| decode_longest(self.context.source, of_table, side, MAX_LONGEST));
        Ok(PackedFacts { totals: self.totals.clone(), longest: [won?, lost?] })
    }
}

/// A place whose level in a packed table is another than in the table it was made from; 0 stands for no win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelDifference {
    /// The place.
    pub at: TableAddress,
    /// The level in the packed table.
    pub packed: u16,
    /// The level in the other.
    pub expected: u16,
}

/// Compares every level with White to move, the totals and the longest wins of a packed table with those of its source. Levels with
/// Black to move follow from these in the packed table, and so are not compared. Returns the number of levels, and the first that
/// differs.
///
/// # Errors
///
/// A table cannot be read, other numbers differ, or [`Error::Stopped`].
pub fn compare_packed(
    context: &PackingContext,
    packed: &OpenPackedTable,
) -> Result<(u64, Option<LevelDifference>), Error> {
    let packing = TablePacking::new(context, packed.table().index.material())?;
    if packed.table().facts != packing.facts()? {
        let what = "its totals are not those of the table that it was packed from; pack it again";
        return Err(Error::damaged(packed.path(), what));
    }
    let (mut levels, mut difference) = (0, None);
    packing.for_each_batch(&|_| true, &mut |tiles| {
        let found = tiles.par_iter().map(|content| compare_tile(packed, content)).collect::<Result<Vec<_>, Error>>()?;
        levels += tiles.iter().map(|content| content.levels.len() as u64).sum::<u64>();
        difference = difference.or(found.into_iter().flatten().next());
        Ok(())
    })?;
    Ok((levels, difference))
}

fn compare_tile(packed: &OpenPackedTable, content: &TileContent) -> Result<Option<LevelDifference>, Error> {
    let mut difference = None;
    packed.for_each_unit_of_tile((content.pawn_slice, content.tile), &mut |at, unit, places| {
        let first = at.place(0).bit as usize;
        for place in 0..places {
            let (packed, expected) = (unit.level(place).unwrap_or(0), content.levels[first + place]);
            if packed != expected && difference.is_none() {
                difference = Some(LevelDifference { at: at.place(place), packed, expected });
            }
        }
    })?;
    Ok(difference)
}
