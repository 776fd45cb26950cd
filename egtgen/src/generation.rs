//! Generates the tables of a folder in dependency order, several at once. Complete tables are skipped, and interrupted tables are
//! resumed.

use std::collections::HashMap;
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread::available_parallelism;
use std::time::Instant;

use plyfold_tables::codec;
use plyfold_tables::index::{PawnPlacement, TableIndex};
use plyfold_tables::layout::{BlockKind, LevelTotals, TableInfo, TableName};
use plyfold_tables::material::{TableMaterial, closure};

use crate::Error;
use crate::disk::DiskStore;
use crate::fleet;
use crate::folder::{OpenTable, TableFolder};
use crate::in_order::run_in_order;
use crate::leapfrog::Tiles;
use crate::leapfrog::resident::ResidentTiles;
use crate::leapfrog::streaming::StreamedTiles;
use crate::lease::{Lease, LeaseTimes};
use crate::partial_table::{PartialTable, remove_partial_name};
use crate::pawn_slice::{CycleReport, GenerationContext, PawnSliceGenerator, SectionSink};
use crate::plan::{GenerationPlan, plan_generation, plan_streaming, resource_needs};
use crate::promotion_lists::{CachedLists, PromotionCache};
use crate::retrograde::result_lists::{LevelList, NeededWords, ResultList, ResultLists, TableLibrary, VisitWord};
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
            Some(_) => {
                remove_partial_name(&folder.path(&table.to_string()))?;
                on_event(GenerationEvent::Skipped(table));
            }
            None => missing.push(table),
        }
    }
    // All tables are planned first, so that a lack of memory is reported before any work.
    let plans = missing.iter().map(|&table| plan_table(table, request, false)).collect::<Result<Vec<_>, _>>()?;
    let planned: Vec<(TableMaterial, GenerationPlan)> = missing.into_iter().zip(plans).collect();
    let generate = |table: TableMaterial, plan: &GenerationPlan| match generate_table(table, plan, &run, None) {
        // What is complete is in the file, and streaming goes on from there.
        Err(Error::Outgrown(_)) => generate_table(table, &plan_table(table, request, true)?, &run, None),
        made => made,
    };
    let queue = TableQueue::new(planned, request.memory, request.threads, &generate);
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
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(std::io::Error::other);
        pool.map_err(|source| Error::file(self.folder.folder(), "threads cannot be started", source))
    }
}

/// Plans a table within the memory of the request. If its lists have outgrown that, its tiles stream.
pub(crate) fn plan_table(
    table: TableMaterial,
    request: &GenerationRequest,
    has_outgrown: bool,
) -> Result<GenerationPlan, Error> {
    let index = TableIndex::new(table);
    let needs = resource_needs(&index, request.threads);
    let plan = match has_outgrown {
        true => plan_streaming(&index, &needs, request.memory),
        false => plan_generation(&index, &needs, request.memory, request.threads),
    };
    plan.ok_or_else(|| Error::Memory { table, least: needs.least_memory(), allowed: request.memory })
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
    let part = match lease {
        None => PartialTable::resume(&path, facts)?,
        Some(lease) => PartialTable::resume_leased(&path, facts, lease)?,
    };
    let resumed = resume_point(&part, facts.pawn_slices);
    let is_resumed = !part.written_table().contents().sections().is_empty();
    on_event(GenerationEvent::Started {
        table,
        positions: index.pawn_slices().len() as u64 * index.pawn_slice_words() as u64 * 64,
        pawn_slices: facts.pawn_slices,
        memory: plan.bytes,
        streams: plan.streams,
        resumed: is_resumed.then_some((resumed.0, resumed.1.unwrap_or(0))),
    });
    let part = Arc::new(RwLock::new(part));
    let own: Arc<dyn ResultLists> =
        Arc::new(FileLists { index: Arc::clone(&index), file: TableFile::InProgress(Arc::clone(&part)) });
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
            let mut sink = self.part;
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
            let mut sink = self.part;
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
fn resume_point(part: &PartialTable, pawn_slices: u32) -> (u32, Option<u16>) {
    let contents = part.written_table().contents();
    let pawn_slice = (0..pawn_slices).find(|&pawn_slice| !contents.is_complete(pawn_slice)).unwrap_or(pawn_slices);
    (pawn_slice, contents.levels(pawn_slice).checked_sub(1))
}

/// Pawn slices in order, in batches whose members do not depend on each other.
fn independent_batches(pawn_slices: &[PawnPlacement], range: Range<u32>) -> Vec<Vec<u32>> {
    let steps = |number: &u32| pawn_slices[*number as usize].remaining_steps();
    let numbers: Vec<u32> = range.collect();
    numbers.chunk_by(|one, other| steps(one) == steps(other)).map(<[u32]>::to_vec).collect()
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
        let (levels, legal, is_last) = self.end.expect("a pawn slice that was run has ended its section");
        sink.end_section(&levels, legal, is_last)
    }
}

impl SectionSink for Recorder {
    fn begin_section(&mut self, pawn_slice: u32) -> Result<(), Error> {
        self.pawn_slice = pawn_slice;
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

impl SectionSink for &RwLock<PartialTable> {
    fn begin_section(&mut self, pawn_slice: u32) -> Result<(), Error> {
        self.write().expect("no thread panics with it").begin_section(pawn_slice)
    }

    fn add_block(&mut self, kind: BlockKind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        self.write().expect("no thread panics with it").add_block(kind, level, tile, bytes)
    }

    fn end_section(&mut self, levels: &[LevelTotals], legal: [u64; 2], is_last: bool) -> Result<(), Error> {
        self.write().expect("no thread panics with it").end_section(levels, legal, is_last)
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
        let file = self.folder.open(&table.to_string())?.ok_or(Error::Missing(table))?;
        let file = TableFile::Finished(Box::new(file));
        let lists = Arc::new(FileLists { index: Arc::new(TableIndex::new(table)), file });
        let found: Arc<dyn ResultLists> = Arc::new(CachedLists { lists, cache: Arc::clone(&self.promotions) });
        open.insert(table, Arc::clone(&found));
        Ok(found)
    }
}

/// A table in its file: complete, or as far as its sections are written.
enum TableFile {
    Finished(Box<OpenTable>),
    InProgress(Arc<RwLock<PartialTable>>),
}

impl TableFile {
    fn read<T>(&self, read: impl FnOnce(&OpenTable) -> T) -> T {
        match self {
            TableFile::Finished(table) => read(table),
            TableFile::InProgress(part) => read(part.read().expect("no thread panics with it").written_table()),
        }
    }
}

/// The lists of a table in its file.
struct FileLists {
    index: Arc<TableIndex>,
    file: TableFile,
}

impl ResultLists for FileLists {
    fn index(&self) -> &TableIndex {
        &self.index
    }

    fn last_level(&self, pawn_slice: u32, list: ResultList) -> Result<Option<u16>, Error> {
        self.file.read(|table| {
            if list == ResultList::Stale {
                return Ok(table
                    .contents()
                    .sections_that_may_have(pawn_slice, BlockKind::Stalemate, 0)
                    .next()
                    .map(|_| 0));
            }
            let count = |level: &LevelTotals| if list == ResultList::Lost { level.lost } else { level.won };
            Ok(table.levels(pawn_slice)?.iter().filter(|level| count(level) > 0).map(|level| level.n).max())
        })
    }

    fn visit(&self, at: LevelList, needed: NeededWords, visit: VisitWord) -> Result<(), Error> {
        self.file.read(|table| visit_list((table, &self.index), at, needed, visit))
    }
}

fn visit_list(
    (table, index): (&OpenTable, &TableIndex),
    LevelList { pawn_slice, list, level }: LevelList,
    needed: NeededWords,
    visit: VisitWord,
) -> Result<(), Error> {
    let mut bytes = Vec::new();
    for block in table.blocks(pawn_slice, list.block_kind(), level)? {
        if (needed.tile)(block.tile) {
            table.read_into(&block, &mut bytes)?;
            let words = index.tile_words(block.tile);
            let decoded = by_vectors(
                #[inline(always)]
                || {
                    codec::for_each_word(
                        &bytes,
                        words,
                        #[inline(always)]
                        |word, bits| visit(block.tile, word, bits),
                    )
                },
            );
            decoded.map_err(|error| {
                let what =
                    format!("the list of tile {} of pawn slice {pawn_slice} at level {level}: {error}", block.tile);
                Error::damaged(table.path(), what)
            })?;
        }
    }
    Ok(())
}
