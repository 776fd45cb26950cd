//! Making tables in a folder: in order, skipping what is there, going on where a run was ended.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::time::Instant;

use plyfold_core::table::codec;
use plyfold_core::table::index::{PawnPlacement, TableIndex};
use plyfold_core::table::layout::{BlockKind, LevelTotals, TableInfo, TableName};
use plyfold_core::table::material::TableMaterial;

use crate::Error;
use crate::disk::DiskStore;
use crate::folder::{OpenTable, TableFolder};
use crate::partial_table::{PartialTable, SectionInfo};
use crate::pawn_slice::{CycleReport, GenerationContext, PawnSliceGenerator, SectionSink};
use crate::plan::{GenerationPlan, plan_generation, resource_needs};
use crate::retrograde::conversion::{ResultList, ResultLists, TableLibrary};
use crate::store::{MemoryStore, TileStore};

/// Small cells that may wait for an earlier one before they are written.
const SMALL_PAWN_SLICE_BACKLOG: usize = 64;

/// Cells of fewer words are small.
const SMALL_PAWN_SLICE_WORDS: usize = 1 << 15;

/// What to make, and with what.
#[derive(Clone, Debug)]
pub struct GenerationRequest {
    /// Tables in dependency order, White the winner; [`closure`](plyfold_core::table::material::closure) gives them.
    pub tables: Vec<TableMaterial>,
    /// The folder of tables.
    pub folder: PathBuf,
    /// Bytes of memory that the whole process may take.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
}

/// What happens on the way.
#[derive(Clone, Copy, Debug)]
pub enum GenerationEvent {
    /// A table is there and whole.
    Skipped(TableMaterial),
    /// A table begins, or goes on after this many complete cells and levels of the next.
    Started {
        /// Which.
        table: TableMaterial,
        /// Positions, as stored.
        positions: u64,
        /// Cells.
        pawn_slices: u32,
        /// Bytes that are planned.
        memory: u64,
        /// Whether tiles go to a file and back.
        streams: bool,
        /// Cells and levels that are done already.
        resumed: Option<(u32, u16)>,
    },
    /// A cycle of a cell is done.
    CycleFinished(TableMaterial, CycleReport),
    /// A cell is done.
    PawnSliceFinished(TableMaterial, u32),
    /// A table is whole.
    Finished {
        /// Which.
        table: TableMaterial,
        /// Bytes of its file.
        bytes: u64,
        /// Seconds that it took.
        seconds: f64,
    },
}

/// Makes the tables. `watch` may be called from any thread.
///
/// # Errors
///
/// What generation met; tables that are whole stay, and the same request goes on where this one ended.
pub fn generate_tables(
    request: &GenerationRequest,
    on_event: &(dyn Fn(GenerationEvent) + Sync),
    stop: &AtomicBool,
) -> Result<(), Error> {
    let folder = TableFolder::new(&request.folder);
    folder.create()?;
    let requested: Vec<TableMaterial> =
        request.tables.iter().copied().filter(|table| !table.white.is_empty()).collect();
    let mut missing = Vec::new();
    for &table in &requested {
        match folder.open(&table.to_string())? {
            Some(_) => on_event(GenerationEvent::Skipped(table)),
            None => missing.push(table),
        }
    }
    // What does not fit is said before anything is begun.
    let plans = missing.iter().map(|&table| plan_table(table, request)).collect::<Result<Vec<_>, _>>()?;
    for (table, plan) in missing.into_iter().zip(plans) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads).build();
        let pool = pool.map_err(|error| Error::File {
            path: request.folder.clone(),
            doing: "threads cannot be started",
            source: std::io::Error::other(error),
        })?;
        pool.install(|| generate_table(table, &plan, &folder, on_event, stop))?;
    }
    Ok(())
}

/// How a table will be made.
fn plan_table(table: TableMaterial, request: &GenerationRequest) -> Result<GenerationPlan, Error> {
    let index = TableIndex::new(table);
    let needs = resource_needs(&index, request.threads);
    plan_generation(&index, &needs, request.memory, request.threads).ok_or_else(|| Error::Memory {
        table,
        least: needs.streaming[0].min(needs.in_memory),
        allowed: request.memory,
    })
}

fn generate_table(
    table: TableMaterial,
    plan: &GenerationPlan,
    folder: &TableFolder,
    on_event: &(dyn Fn(GenerationEvent) + Sync),
    stop: &AtomicBool,
) -> Result<(), Error> {
    let begin = Instant::now();
    let index = Arc::new(TableIndex::new(table));
    let path = folder.path(&table.to_string());
    let name = TableName::new(&table.to_string()).expect("names of materials are short");
    let facts = TableInfo { name, pawn_slices: index.pawn_slices().len() as u32, tiles: index.tiles() };
    let (part, sections) = PartialTable::resume(&path, facts)?;
    let resumed = resume_point(&index, &part, &sections);
    on_event(GenerationEvent::Started {
        table,
        positions: index.pawn_slices().len() as u64 * index.pawn_slice_words() as u64 * 64,
        pawn_slices: facts.pawn_slices,
        memory: plan.bytes,
        streams: plan.streams,
        resumed: (!sections.is_empty()).then_some((resumed.0, resumed.1.unwrap_or(0))),
    });
    let part = Arc::new(RwLock::new(part));
    let own: Arc<dyn ResultLists> = Arc::new(InProgressTable { index: Arc::clone(&index), part: Arc::clone(&part) });
    let shelves = FolderLibrary { folder, in_progress: (table, Arc::clone(&own)), open: Mutex::default() };
    let on_cycle = |cycle: CycleReport| on_event(GenerationEvent::CycleFinished(table, cycle));
    let context = GenerationContext { library: &shelves, threads: plan.threads, stop, on_cycle: &on_cycle };
    let pawn_slices = resumed.0..facts.pawn_slices;
    if index.tiles() == 1 {
        let backlog =
            if index.pawn_slice_words() < SMALL_PAWN_SLICE_WORDS { SMALL_PAWN_SLICE_BACKLOG } else { plan.threads };
        for batch in independent_batches(index.pawn_slices(), pawn_slices) {
            let make = |cell: u32| {
                if stop.load(Ordering::Relaxed) {
                    return Err(Error::Stopped);
                }
                let mut recorder = Recorder::default();
                let means = GenerationContext { threads: 1, ..context };
                PawnSliceGenerator::new(&index, cell, &means)?.run(&MemoryStore::new(1), &mut recorder)?;
                Ok(recorder)
            };
            let mut sink = PartialTableSink(&part);
            run_in_order(&batch, plan.threads, backlog, make, |cell, recorder: Recorder| {
                recorder.replay_into(&mut sink)?;
                on_event(GenerationEvent::PawnSliceFinished(table, cell));
                Ok(())
            })?;
        }
    } else {
        for cell in pawn_slices {
            let disk;
            let memory;
            let store: &dyn TileStore = if plan.streams {
                disk = DiskStore::new(&index, &path)?;
                &disk
            } else {
                memory = MemoryStore::new(index.tiles());
                &memory
            };
            let mut sink = PartialTableSink(&part);
            let mut work = PawnSliceGenerator::new(&index, cell, &context)?;
            match resumed {
                (resumed, Some(level)) if cell == resumed => work.resume(store, level, &*own, &mut sink)?,
                _ => work.run(store, &mut sink)?,
            }
            on_event(GenerationEvent::PawnSliceFinished(table, cell));
        }
    }
    drop((own, shelves));
    let part = Arc::into_inner(part).expect("nobody else has it any more").into_inner();
    part.expect("no thread panics with it").finish()?;
    let bytes = std::fs::metadata(&path).map_or(0, |about| about.len());
    on_event(GenerationEvent::Finished { table, bytes, seconds: begin.elapsed().as_secs_f64() });
    Ok(())
}

/// The first cell that has not ended, and its last complete level if it has any.
fn resume_point(index: &TableIndex, part: &PartialTable, sections: &[SectionInfo]) -> (u32, Option<u16>) {
    let contents = part.written_table().contents();
    let cells = index.pawn_slices().len() as u32;
    let cell = (0..cells).find(|&cell| !contents.is_complete(cell)).unwrap_or(cells);
    let levels = if sections.is_empty() || cell == cells { 0 } else { contents.levels(cell) };
    (cell, levels.checked_sub(1))
}

/// Cells in order, cut where one may depend on another.
fn independent_batches(cells: &[PawnPlacement], range: std::ops::Range<u32>) -> Vec<Vec<u32>> {
    let steps = |cell: &u32| cells[*cell as usize].remaining_steps();
    let cells: Vec<u32> = range.collect();
    cells.chunk_by(|one, other| steps(one) == steps(other)).map(<[u32]>::to_vec).collect()
}

/// Does something if it is dropped by a panic: whoever waits for this thread must wait no longer.
struct PanicGuard<F: Fn()>(F);

impl<F: Fn()> Drop for PanicGuard<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// Makes things on threads and takes them in their order; at most `waiting` are made ahead of the one that is next.
fn run_in_order<T: Send>(
    numbers: &[u32],
    threads: usize,
    backlog: usize,
    make: impl Fn(u32) -> Result<T, Error> + Sync,
    take: impl FnMut(u32, T) -> Result<(), Error> + Send,
) -> Result<(), Error> {
    struct State<T, F> {
        started: usize,
        taken: usize,
        finished: BTreeMap<usize, T>,
        failed: Option<Error>,
        take: F,
    }
    const SOUND: &str = "no thread panics with it";
    let state = State { started: 0, taken: 0, finished: BTreeMap::new(), failed: None, take };
    let (state, room) = (Mutex::new(state), Condvar::new());
    let work = || {
        let mut locked = state.lock().expect(SOUND);
        loop {
            while locked.failed.is_none()
                && locked.started < numbers.len()
                && locked.started >= locked.taken + backlog.max(1)
            {
                locked = room.wait(locked).expect(SOUND);
            }
            if locked.failed.is_some() || locked.started == numbers.len() {
                return;
            }
            let at = locked.started;
            locked.started += 1;
            drop(locked);
            let guard = PanicGuard(|| {
                state.lock().expect(SOUND).failed.get_or_insert(Error::Stopped);
                room.notify_all();
            });
            let result = make(numbers[at]);
            drop(guard);
            locked = state.lock().expect(SOUND);
            let State { taken, finished: ready, failed, take, .. } = &mut *locked;
            match result {
                Ok(made) => {
                    ready.insert(at, made);
                }
                Err(error) => *failed = Some(failed.take().unwrap_or(error)),
            }
            while failed.is_none()
                && let Some(next) = ready.remove(taken)
            {
                *failed = take(numbers[*taken], next).err();
                *taken += 1;
            }
            room.notify_all();
        }
    };
    let threads = threads.min(numbers.len());
    if threads <= 1 {
        work();
    } else {
        rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| work())));
    }
    state.into_inner().expect(SOUND).failed.map_or(Ok(()), Err)
}

/// A section, kept until it is its turn.
#[derive(Default)]
struct Recorder {
    pawn_slice: u32,
    blocks: Vec<(BlockKind, u16, u32, Vec<u8>)>,
    end: Option<(Vec<LevelTotals>, [u64; 2], bool)>,
}

impl Recorder {
    fn replay_into(self, sink: &mut dyn SectionSink) -> Result<(), Error> {
        sink.begin_section(self.pawn_slice)?;
        for (kind, level, tile, bytes) in self.blocks {
            sink.add_block(kind, level, tile, &bytes)?;
        }
        let (levels, legal, is_last) = self.end.expect("a cell that was run has ended its section");
        sink.end_section(&levels, legal, is_last)
    }
}

impl SectionSink for Recorder {
    fn begin_section(&mut self, cell: u32) -> Result<(), Error> {
        self.pawn_slice = cell;
        Ok(())
    }

    fn add_block(&mut self, kind: BlockKind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        self.blocks.push((kind, level, tile, bytes.to_vec()));
        Ok(())
    }

    fn end_section(&mut self, levels: &[LevelTotals], legal: [u64; 2], is_last: bool) -> Result<(), Error> {
        self.end = Some((levels.to_vec(), legal, is_last));
        Ok(())
    }
}

/// Sections go to the file.
struct PartialTableSink<'a>(&'a RwLock<PartialTable>);

impl SectionSink for PartialTableSink<'_> {
    fn begin_section(&mut self, cell: u32) -> Result<(), Error> {
        self.0.write().expect("no thread panics with it").begin_section(cell)
    }

    fn add_block(&mut self, kind: BlockKind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        self.0.write().expect("no thread panics with it").add_block(kind, level, tile, bytes)
    }

    fn end_section(&mut self, levels: &[LevelTotals], legal: [u64; 2], is_last: bool) -> Result<(), Error> {
        self.0.write().expect("no thread panics with it").end_section(levels, legal, is_last)
    }
}

/// Tables in the folder, and the one that is being made.
struct FolderLibrary<'a> {
    folder: &'a TableFolder,
    in_progress: (TableMaterial, Arc<dyn ResultLists>),
    open: Mutex<HashMap<TableMaterial, Arc<dyn ResultLists>>>,
}

impl TableLibrary for FolderLibrary<'_> {
    fn lists(&self, table: TableMaterial) -> Result<Arc<dyn ResultLists>, Error> {
        if table == self.in_progress.0 {
            return Ok(Arc::clone(&self.in_progress.1));
        }
        let mut open = self.open.lock().expect("no thread panics with it");
        if let Some(found) = open.get(&table) {
            return Ok(Arc::clone(found));
        }
        let content = self.folder.open(&table.to_string())?.ok_or(Error::Missing(table))?;
        let found: Arc<dyn ResultLists> = Arc::new(FinishedTable { index: TableIndex::new(table), content });
        open.insert(table, Arc::clone(&found));
        Ok(found)
    }
}

/// A table in a file.
struct FinishedTable {
    index: TableIndex,
    content: OpenTable,
}

/// The table that is being made: its ended sections.
struct InProgressTable {
    index: Arc<TableIndex>,
    part: Arc<RwLock<PartialTable>>,
}

impl ResultLists for FinishedTable {
    fn index(&self) -> &TableIndex {
        &self.index
    }

    fn last_level(&self, cell: u32, list: ResultList) -> Result<Option<u16>, Error> {
        last_level(&self.content, cell, list)
    }

    fn visit(
        &self,
        cell: u32,
        list: ResultList,
        level: u16,
        needs_tile: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), Error> {
        self::visit_list(&self.content, &self.index, (cell, list, level), needs_tile, visit)
    }
}

impl ResultLists for InProgressTable {
    fn index(&self) -> &TableIndex {
        &self.index
    }

    fn last_level(&self, cell: u32, list: ResultList) -> Result<Option<u16>, Error> {
        last_level(self.part.read().expect("no thread panics with it").written_table(), cell, list)
    }

    fn visit(
        &self,
        cell: u32,
        list: ResultList,
        level: u16,
        needs_tile: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), Error> {
        let part = self.part.read().expect("no thread panics with it");
        self::visit_list(part.written_table(), &self.index, (cell, list, level), needs_tile, visit)
    }
}

fn last_level(table: &OpenTable, cell: u32, list: ResultList) -> Result<Option<u16>, Error> {
    if list == ResultList::Stale {
        return Ok(table.contents().sections_that_may_have(cell, BlockKind::Stalemate, 0).next().map(|_| 0));
    }
    let count = |level: &LevelTotals| if list == ResultList::Lost { level.lost } else { level.won };
    Ok(table.levels(cell)?.iter().filter(|level| count(level) > 0).map(|level| level.n).max())
}

fn visit_list(
    table: &OpenTable,
    index: &TableIndex,
    (cell, list, level): (u32, ResultList, u16),
    needs_tile: &dyn Fn(u32) -> bool,
    visit: &mut dyn FnMut(u32, usize, u64),
) -> Result<(), Error> {
    let mut bytes = Vec::new();
    for piece in table.blocks(cell, list.block_kind(), level)? {
        if needs_tile(piece.tile) {
            table.read_into(&piece, &mut bytes)?;
            let words = index.tile_words(piece.tile);
            codec::for_each_word(&bytes, words, |word, bits| visit(piece.tile, word, bits)).map_err(|what| {
                Error::Damaged {
                    path: table.path().into(),
                    what: format!("the list of tile {} of cell {cell} at level {level}: {what}", piece.tile),
                }
            })?;
        }
    }
    Ok(())
}
