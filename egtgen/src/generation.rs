//! Generates the tables of a folder in dependency order, several at once. Complete tables are skipped, and interrupted tables are
//! resumed.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::thread::available_parallelism;
use std::time::Instant;

use plyfold_tables::codec::{self, CodecError};
use plyfold_tables::index::{PawnPlacement, TableIndex};
use plyfold_tables::layout::{BlockKind, LevelTotals, TableInfo, TableName};
use plyfold_tables::material::{TableMaterial, closure};

use crate::Error;
use crate::disk::DiskStore;
use crate::fleet;
use crate::folder::{OpenTable, TableFolder};
use crate::leapfrog::Tiles;
use crate::leapfrog::resident::ResidentTiles;
use crate::leapfrog::streaming::StreamedTiles;
use crate::lease::{Lease, LeaseTimes};
use crate::partial_table::{PartialTable, SectionInfo};
use crate::pawn_slice::{CycleReport, GenerationContext, PawnSliceGenerator, SectionSink};
use crate::plan::{GenerationPlan, plan_generation, plan_streaming, resource_needs};
use crate::promotion_lists::{CachedLists, PromotionCache};
use crate::retrograde::result_lists::{LevelList, ResultList, ResultLists, TableLibrary};
use crate::table_queue::TableQueue;
use crate::vectors::by_vectors;

/// How many finished small pawn slices may wait for an earlier one before they are written.
const SMALL_PAWN_SLICE_BACKLOG: usize = 64;

/// A pawn slice of fewer words is small.
const SMALL_PAWN_SLICE_WORDS: usize = 1 << 15;

/// The memory that a request allows by default.
const DEFAULT_MEMORY_BYTES: u64 = 1 << 30;

/// Which tables to generate, where, and with how much memory and how many threads.
#[derive(Clone, Debug)]
pub struct GenerationRequest {
    tables: Vec<TableMaterial>,
    folder: PathBuf,
    memory: u64,
    threads: usize,
    fleet: Option<FleetMember>,
}

/// This process as a member of a fleet: processes, on one machine or on many, that make tables in one folder.
#[derive(Clone, Debug)]
pub struct FleetMember {
    /// The name by which the others know it, such as its machine and the number of its process.
    pub name: String,
    /// Its signs of life, and its patience with others. They should be the same for all members.
    pub times: LeaseTimes,
}

impl GenerationRequest {
    /// The tables of these materials, and every smaller table that they convert into. White is the winner in each: for both
    /// winners, name a material and its [`swapped`](TableMaterial::swapped).
    ///
    /// One GiB of memory is allowed, and as many threads as the machine runs at once.
    #[must_use]
    pub fn with_closure(materials: &[TableMaterial], folder: impl Into<PathBuf>) -> GenerationRequest {
        GenerationRequest::without_closure(closure(materials), folder)
    }

    /// These tables alone. Those that they convert into must be among them or in the folder. A table whose winner is a lone
    /// king is left out, since nothing is won there.
    ///
    /// Memory and threads as with [`with_closure`](Self::with_closure).
    #[must_use]
    pub fn without_closure(
        tables: impl IntoIterator<Item = TableMaterial>,
        folder: impl Into<PathBuf>,
    ) -> GenerationRequest {
        let mut tables: Vec<TableMaterial> = tables.into_iter().filter(|table| table.can_win()).collect();
        // A table converts into tables of fewer pieces, or of as many pieces with fewer pawns.
        tables.sort_by_key(|table| (table.men(), table.pawns(), *table));
        tables.dedup();
        let threads = available_parallelism().map_or(1, NonZero::get);
        GenerationRequest { tables, folder: folder.into(), memory: DEFAULT_MEMORY_BYTES, threads, fleet: None }
    }

    /// Makes the tables together with other processes over the same folder. Each takes a table whose smaller tables are complete, waits
    /// for those that others make, and follows one that has ended.
    #[must_use]
    pub fn with_fleet(self, member: FleetMember) -> GenerationRequest {
        GenerationRequest { fleet: Some(member), ..self }
    }

    /// Sets the memory that the whole process may use, in bytes.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> GenerationRequest {
        GenerationRequest { memory: bytes, ..self }
    }

    /// Sets the number of threads, at least one.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> GenerationRequest {
        GenerationRequest { threads: threads.max(1), ..self }
    }

    /// The tables, each after those that it converts into.
    #[must_use]
    pub fn tables(&self) -> &[TableMaterial] {
        &self.tables
    }

    /// The folder of tables.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes of memory that the whole process may use.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// The number of threads, at least one.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// This process as a member of a fleet, if it is one.
    #[must_use]
    pub fn fleet(&self) -> Option<&FleetMember> {
        self.fleet.as_ref()
    }
}

/// Progress of a generation.
#[derive(Clone, Copy, Debug)]
pub enum GenerationEvent {
    /// A table is already there and complete; another process of the fleet may have made it just now.
    Skipped(TableMaterial),
    /// Other processes of the fleet make this table and so many others, and nothing is left to do until one is complete.
    Waiting(TableMaterial, usize),
    /// Another process of the fleet has taken over a table that this one was making.
    TakenOver(TableMaterial),
    /// A table is begun or resumed.
    Started {
        /// Which table.
        table: TableMaterial,
        /// Stored positions, illegal ones included.
        positions: u64,
        /// Number of pawn slices.
        pawn_slices: u32,
        /// Planned memory, in bytes.
        memory: u64,
        /// Whether tiles stream from a file.
        streams: bool,
        /// Of a resumed table: how many pawn slices are complete, and how many levels of the next one.
        resumed: Option<(u32, u16)>,
    },
    /// A cycle of a pawn slice is complete.
    CycleFinished(TableMaterial, CycleReport),
    /// A pawn slice is complete.
    PawnSliceFinished(TableMaterial, u32),
    /// A table is complete.
    Finished {
        /// Which table.
        table: TableMaterial,
        /// Size of its file, in bytes.
        bytes: u64,
        /// Time since it was begun or resumed, in seconds.
        seconds: f64,
    },
}

/// Generates the tables. `on_event` may be called from any thread; `stop` ends the work early when it becomes true.
///
/// # Errors
///
/// A table does not fit into the memory, a smaller table is missing or damaged, a file cannot be read or written, or
/// [`Error::Stopped`]. Complete tables stay, and the same request resumes the others.
pub fn generate_tables(
    request: &GenerationRequest,
    on_event: &(dyn Fn(GenerationEvent) + Sync),
    stop: &AtomicBool,
) -> Result<(), Error> {
    let folder = TableFolder::new(&request.folder);
    folder.create()?;
    let run = GenerationRun { request, folder: &folder, on_event, stop };
    if let Some(member) = &request.fleet {
        return fleet::generate(&run, member);
    }
    let mut missing = Vec::new();
    for &table in request.tables() {
        match folder.open(&table.to_string())? {
            Some(_) => on_event(GenerationEvent::Skipped(table)),
            None => missing.push(table),
        }
    }
    // All tables are planned first, so that a lack of memory is reported before any work.
    let plans = missing.iter().map(|&table| plan_table(table, request)).collect::<Result<Vec<_>, _>>()?;
    let planned: Vec<(TableMaterial, GenerationPlan)> = missing.into_iter().zip(plans).collect();
    let make = |table: TableMaterial, plan: &GenerationPlan| match generate_table(table, plan, &run, None) {
        // What is complete is in the file, and streaming goes on from there.
        Err(Error::Outgrown(_)) => generate_table(table, &plan_streamed_table(table, request)?, &run, None),
        made => made,
    };
    let queue = TableQueue::new(planned, request.memory, request.threads, &make);
    run.thread_pool(request.threads)?.install(|| queue.make_all())
}

/// A generation in progress.
pub(crate) struct GenerationRun<'a> {
    pub request: &'a GenerationRequest,
    pub folder: &'a TableFolder,
    pub on_event: &'a (dyn Fn(GenerationEvent) + Sync),
    pub stop: &'a AtomicBool,
}

impl GenerationRun<'_> {
    /// Generates a table on threads of its own, under a lease since others may make it too.
    pub fn generate(&self, table: TableMaterial, plan: &GenerationPlan, lease: Lease) -> Result<(), Error> {
        self.thread_pool(plan.threads)?.install(|| generate_table(table, plan, self, Some(lease)))
    }

    fn thread_pool(&self, threads: usize) -> Result<rayon::ThreadPool, Error> {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| Error::File {
            path: self.folder.folder().to_path_buf(),
            doing: "threads cannot be started",
            source: std::io::Error::other(error),
        })
    }
}

/// Plans a table within the memory of the request.
pub(crate) fn plan_table(table: TableMaterial, request: &GenerationRequest) -> Result<GenerationPlan, Error> {
    let index = TableIndex::new(table);
    let needs = resource_needs(&index, request.threads);
    plan_generation(&index, &needs, request.memory, request.threads).ok_or_else(|| Error::Memory {
        table,
        least: needs.least_memory(),
        allowed: request.memory,
    })
}

/// Plans a table whose lists have outgrown the memory of the request.
pub(crate) fn plan_streamed_table(table: TableMaterial, request: &GenerationRequest) -> Result<GenerationPlan, Error> {
    let index = TableIndex::new(table);
    let needs = resource_needs(&index, request.threads);
    let least = needs.least_memory();
    plan_streaming(&index, &needs, request.memory).ok_or(Error::Memory { table, least, allowed: request.memory })
}

fn generate_table(
    table: TableMaterial,
    plan: &GenerationPlan,
    &GenerationRun { folder, on_event, stop, .. }: &GenerationRun<'_>,
    lease: Option<Lease>,
) -> Result<(), Error> {
    let begin = Instant::now();
    let index = Arc::new(TableIndex::new(table));
    let path = folder.path(&table.to_string());
    let name = TableName::new(&table.to_string()).expect("names of materials are short");
    let facts = TableInfo { name, pawn_slices: index.pawn_slices().len() as u32, tiles: index.tiles() };
    let (part, sections) = match lease {
        None => PartialTable::resume(&path, facts)?,
        Some(lease) => PartialTable::resume_leased(&path, facts, lease)?,
    };
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
    let shelves = FolderLibrary {
        folder,
        in_progress: (table, Arc::clone(&own)),
        open: Mutex::default(),
        promotions: Arc::new(PromotionCache::new(plan.promotion_bytes)),
    };
    let on_cycle = |cycle: CycleReport| on_event(GenerationEvent::CycleFinished(table, cycle));
    let context = GenerationContext { library: &shelves, threads: plan.threads, stop, on_cycle: &on_cycle };
    let job = TableJob { index: &index, path: &path, plan, part: &part, context, on_event };
    if index.tiles() == 1 {
        job.generate_small_slices(resumed.0..facts.pawn_slices)?;
    } else {
        job.generate_large_slices(resumed, &*own)?;
    }
    drop((own, shelves));
    let part = Arc::into_inner(part).expect("nobody else has it any more").into_inner();
    part.expect("no thread panics with it").finish()?;
    let bytes = std::fs::metadata(&path).map_or(0, |about| about.len());
    on_event(GenerationEvent::Finished { table, bytes, seconds: begin.elapsed().as_secs_f64() });
    Ok(())
}

/// A table that is being generated into its partial file.
struct TableJob<'a> {
    index: &'a TableIndex,
    path: &'a Path,
    plan: &'a GenerationPlan,
    part: &'a RwLock<PartialTable>,
    context: GenerationContext<'a>,
    on_event: &'a (dyn Fn(GenerationEvent) + Sync),
}

impl TableJob<'_> {
    /// Generates pawn slices of one tile, each on one thread, several at a time.
    fn generate_small_slices(&self, slices: Range<u32>) -> Result<(), Error> {
        let backlog = if self.index.pawn_slice_words() < SMALL_PAWN_SLICE_WORDS {
            SMALL_PAWN_SLICE_BACKLOG
        } else {
            self.plan.threads
        };
        for batch in independent_batches(self.index.pawn_slices(), slices) {
            let generate = |pawn_slice: u32| {
                if self.context.stop.load(Ordering::Relaxed) {
                    return Err(Error::Stopped);
                }
                let mut recorder = Recorder::default();
                let context = GenerationContext { threads: 1, ..self.context };
                let tiles = ResidentTiles::new(self.index, None);
                PawnSliceGenerator::new(self.index, pawn_slice, &context)?.run(&tiles, &mut recorder)?;
                Ok(recorder)
            };
            let mut sink = PartialTableSink(self.part);
            run_in_order(&batch, self.plan.threads, backlog, generate, |pawn_slice, recorder: Recorder| {
                recorder.replay_into(&mut sink)?;
                self.report_finished(pawn_slice);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Generates pawn slices of several tiles one after the other, all threads at each.
    fn generate_large_slices(&self, (first, level): (u32, Option<u16>), own: &dyn ResultLists) -> Result<(), Error> {
        for pawn_slice in first..self.index.pawn_slices().len() as u32 {
            let tiles: Box<dyn Tiles> = if self.plan.streams {
                let store = DiskStore::new(self.index, self.path)?;
                Box::new(StreamedTiles::new(self.index, store, self.plan.is_frugal))
            } else {
                Box::new(ResidentTiles::new(self.index, self.plan.list_bytes))
            };
            let mut sink = PartialTableSink(self.part);
            let mut generator = PawnSliceGenerator::new(self.index, pawn_slice, &self.context)?;
            match level {
                Some(level) if pawn_slice == first => generator.resume(&*tiles, level, own, &mut sink)?,
                _ => generator.run(&*tiles, &mut sink)?,
            }
            self.report_finished(pawn_slice);
        }
        Ok(())
    }

    fn report_finished(&self, pawn_slice: u32) {
        (self.on_event)(GenerationEvent::PawnSliceFinished(self.index.material(), pawn_slice));
    }
}

/// The first incomplete pawn slice, and its last complete level if it has one.
fn resume_point(index: &TableIndex, part: &PartialTable, sections: &[SectionInfo]) -> (u32, Option<u16>) {
    let contents = part.written_table().contents();
    let cells = index.pawn_slices().len() as u32;
    let cell = (0..cells).find(|&cell| !contents.is_complete(cell)).unwrap_or(cells);
    let levels = if sections.is_empty() || cell == cells { 0 } else { contents.levels(cell) };
    (cell, levels.checked_sub(1))
}

/// Pawn slices in order, in batches whose members do not depend on each other.
fn independent_batches(cells: &[PawnPlacement], range: Range<u32>) -> Vec<Vec<u32>> {
    let steps = |cell: &u32| cells[*cell as usize].remaining_steps();
    let cells: Vec<u32> = range.collect();
    cells.chunk_by(|one, other| steps(one) == steps(other)).map(<[u32]>::to_vec).collect()
}

/// Runs a function when a panic drops it, so that threads that wait for this one stop waiting.
struct PanicGuard<F: Fn()>(F);

impl<F: Fn()> Drop for PanicGuard<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// Runs `make` for each number on several threads, and hands the results to `take` in order. At most `backlog` results are
/// made ahead of the next one to be taken.
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

/// Records a section in memory until its turn comes.
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

/// Writes sections to the partial file.
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

/// The complete tables of the folder, and the one in progress.
struct FolderLibrary<'a> {
    folder: &'a TableFolder,
    in_progress: (TableMaterial, Arc<dyn ResultLists>),
    open: Mutex<HashMap<TableMaterial, Arc<dyn ResultLists>>>,
    promotions: Arc<PromotionCache>,
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
        let lists = Arc::new(FinishedTable { index: TableIndex::new(table), content });
        let found: Arc<dyn ResultLists> = Arc::new(CachedLists { lists, cache: Arc::clone(&self.promotions) });
        open.insert(table, Arc::clone(&found));
        Ok(found)
    }
}

/// A complete table in its file.
struct FinishedTable {
    index: TableIndex,
    content: OpenTable,
}

/// The table in progress, as far as its sections are written.
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
        at: LevelList,
        needs_tile: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), Error> {
        self::visit_list(&self.content, &self.index, at, needs_tile, visit)
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
        at: LevelList,
        needs_tile: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), Error> {
        let part = self.part.read().expect("no thread panics with it");
        self::visit_list(part.written_table(), &self.index, at, needs_tile, visit)
    }
}

fn last_level(table: &OpenTable, cell: u32, list: ResultList) -> Result<Option<u16>, Error> {
    if list == ResultList::Stale {
        return Ok(table.contents().sections_that_may_have(cell, BlockKind::Stalemate, 0).next().map(|_| 0));
    }
    let count = |level: &LevelTotals| if list == ResultList::Lost { level.lost } else { level.won };
    Ok(table.levels(cell)?.iter().filter(|level| count(level) > 0).map(|level| level.n).max())
}

/// The list of a tile, decoded with the instructions that the processor has.
struct EncodedList<'a> {
    bytes: &'a [u8],
    tile: u32,
    /// The number of words of the tile.
    words: usize,
    visit: &'a mut dyn FnMut(u32, usize, u64),
}

impl pulp::NullaryFnOnce for EncodedList<'_> {
    type Output = Result<(), CodecError>;

    #[inline(always)]
    fn call(self) -> Result<(), CodecError> {
        codec::for_each_word(
            self.bytes,
            self.words,
            #[inline(always)]
            |word, bits| (self.visit)(self.tile, word, bits),
        )
    }
}

fn visit_list(
    table: &OpenTable,
    index: &TableIndex,
    LevelList { pawn_slice: cell, list, level }: LevelList,
    needs_tile: &dyn Fn(u32) -> bool,
    visit: &mut dyn FnMut(u32, usize, u64),
) -> Result<(), Error> {
    let mut bytes = Vec::new();
    for piece in table.blocks(cell, list.block_kind(), level)? {
        if needs_tile(piece.tile) {
            table.read_into(&piece, &mut bytes)?;
            let words = index.tile_words(piece.tile);
            let list = EncodedList { bytes: &bytes, tile: piece.tile, words, visit };
            by_vectors(list).map_err(|what| Error::Damaged {
                path: table.path().into(),
                what: format!("the list of tile {} of cell {cell} at level {level}: {what}", piece.tile),
            })?;
        }
    }
    Ok(())
}
