//! Making tables in a folder: in order, skipping what is there, going on where a run was ended.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::time::Instant;

use plyfold_core::table::code;
use plyfold_core::table::index::{Index, Pawns};
use plyfold_core::table::layout::{Facts, Kind, Level, Name};
use plyfold_core::table::material::Material;

use crate::Error;
use crate::disk::Disk;
use crate::folder::{Folder, OpenTable};
use crate::generate::{Cycle, Means, Sink, Work};
use crate::part::{Part, SectionFacts};
use crate::plan::{Plan, needs, plan};
use crate::step::feed::{Library, List, Lists};
use crate::store::{Memory, Store};

/// Small cells that may wait for an earlier one before they are written.
const BATCH: usize = 64;

/// Cells of fewer words are small.
const FEW_WORDS: usize = 1 << 15;

/// What to make, and with what.
#[derive(Clone, Debug)]
pub struct Request {
    /// Tables in dependency order, White the winner; [`closure`](plyfold_core::table::material::closure) gives them.
    pub tables: Vec<Material>,
    /// The folder of tables.
    pub folder: PathBuf,
    /// Bytes of memory that the whole process may take.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
}

/// What happens on the way.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A table is there and whole.
    Skipped(Material),
    /// A table begins, or goes on after this many complete cells and levels of the next.
    Began {
        /// Which.
        table: Material,
        /// Positions, as stored.
        positions: u64,
        /// Cells.
        cells: u32,
        /// Bytes that are planned.
        memory: u64,
        /// Whether tiles go to a file and back.
        streams: bool,
        /// Cells and levels that are done already.
        resumed: Option<(u32, u16)>,
    },
    /// A cycle of a cell is done.
    Cycle(Material, Cycle),
    /// A cell is done.
    Cell(Material, u32),
    /// A table is whole.
    Made {
        /// Which.
        table: Material,
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
pub fn make(request: &Request, watch: &(dyn Fn(Event) + Sync), stop: &AtomicBool) -> Result<(), Error> {
    let folder = Folder::new(&request.folder);
    folder.make()?;
    let wanted: Vec<Material> = request.tables.iter().copied().filter(|table| !table.white.is_empty()).collect();
    let mut missing = Vec::new();
    for &table in &wanted {
        match folder.open(&table.to_string())? {
            Some(_) => watch(Event::Skipped(table)),
            None => missing.push(table),
        }
    }
    // What does not fit is said before anything is begun.
    let plans = missing.iter().map(|&table| planned(table, request)).collect::<Result<Vec<_>, _>>()?;
    for (table, plan) in missing.into_iter().zip(plans) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads).build();
        let pool = pool.map_err(|error| Error::File {
            path: request.folder.clone(),
            doing: "no threads can be started",
            source: std::io::Error::other(error),
        })?;
        pool.install(|| one(table, &plan, &folder, watch, stop))?;
    }
    Ok(())
}

/// How a table will be made.
fn planned(table: Material, request: &Request) -> Result<Plan, Error> {
    let index = Index::new(table);
    let needs = needs(&index, request.threads);
    plan(&index, &needs, request.memory, request.threads).ok_or_else(|| Error::Memory {
        table,
        least: needs.streaming[0].min(needs.in_memory),
        allowed: request.memory,
    })
}

fn one(
    table: Material,
    plan: &Plan,
    folder: &Folder,
    watch: &(dyn Fn(Event) + Sync),
    stop: &AtomicBool,
) -> Result<(), Error> {
    let begin = Instant::now();
    let index = Arc::new(Index::new(table));
    let place = folder.path(&table.to_string());
    let name = Name::new(&table.to_string()).expect("names of materials are short");
    let facts = Facts { name, cells: index.cells().len() as u32, tiles: index.tiles() };
    let (part, sections) = Part::resume(&place, facts)?;
    let resumed = state(&index, &part, &sections);
    watch(Event::Began {
        table,
        positions: index.cells().len() as u64 * index.cell_words() as u64 * 64,
        cells: facts.cells,
        memory: plan.bytes,
        streams: plan.streams,
        resumed: (!sections.is_empty()).then_some((resumed.0, resumed.1.unwrap_or(0))),
    });
    let part = Arc::new(RwLock::new(part));
    let own: Arc<dyn Lists> = Arc::new(Own { index: Arc::clone(&index), part: Arc::clone(&part) });
    let shelves = Shelves { folder, own: (table, Arc::clone(&own)), open: Mutex::default() };
    let told = |cycle: Cycle| watch(Event::Cycle(table, cycle));
    let means = Means { library: &shelves, threads: plan.threads, stop, watch: &told };
    let cells = resumed.0..facts.cells;
    if index.tiles() == 1 {
        let waiting = if index.cell_words() < FEW_WORDS { BATCH } else { plan.threads };
        for batch in batches(index.cells(), cells) {
            let make = |cell: u32| {
                if stop.load(Ordering::Relaxed) {
                    return Err(Error::Stopped);
                }
                let mut recorder = Recorder::default();
                let means = Means { threads: 1, ..means };
                Work::new(&index, cell, &means)?.run(&Memory::new(1), &mut recorder)?;
                Ok(recorder)
            };
            let mut sink = PartSink(&part);
            in_order(&batch, plan.threads, waiting, make, |cell, recorder: Recorder| {
                recorder.play(&mut sink)?;
                watch(Event::Cell(table, cell));
                Ok(())
            })?;
        }
    } else {
        for cell in cells {
            let disk;
            let memory;
            let store: &dyn Store = if plan.streams {
                disk = Disk::new(&index, &place)?;
                &disk
            } else {
                memory = Memory::new(index.tiles());
                &memory
            };
            let mut sink = PartSink(&part);
            let mut work = Work::new(&index, cell, &means)?;
            match resumed {
                (resumed, Some(level)) if cell == resumed => work.resume(store, level, &*own, &mut sink)?,
                _ => work.run(store, &mut sink)?,
            }
            watch(Event::Cell(table, cell));
        }
    }
    drop((own, shelves));
    let part = Arc::into_inner(part).expect("nobody else has it any more").into_inner();
    part.expect("no thread panics with it").finish()?;
    let bytes = std::fs::metadata(&place).map_or(0, |about| about.len());
    watch(Event::Made { table, bytes, seconds: begin.elapsed().as_secs_f64() });
    Ok(())
}

/// The first cell that has not ended, and its last complete level if it has any.
fn state(index: &Index, part: &Part, sections: &[SectionFacts]) -> (u32, Option<u16>) {
    let contents = part.written_table().contents();
    let cells = index.cells().len() as u32;
    let cell = (0..cells).find(|&cell| !contents.is_ended(cell)).unwrap_or(cells);
    let levels = if sections.is_empty() || cell == cells { 0 } else { contents.levels(cell) };
    (cell, levels.checked_sub(1))
}

/// Cells in order, cut where one may depend on another.
fn batches(cells: &[Pawns], range: std::ops::Range<u32>) -> Vec<Vec<u32>> {
    let steps = |cell: &u32| cells[*cell as usize].steps_left();
    let cells: Vec<u32> = range.collect();
    cells.chunk_by(|one, other| steps(one) == steps(other)).map(<[u32]>::to_vec).collect()
}

/// Does something if it is dropped by a panic: whoever waits for this thread must wait no longer.
struct Guard<F: Fn()>(F);

impl<F: Fn()> Drop for Guard<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// Makes things on threads and takes them in their order; at most `waiting` are made ahead of the one that is next.
fn in_order<T: Send>(
    numbers: &[u32],
    threads: usize,
    waiting: usize,
    make: impl Fn(u32) -> Result<T, Error> + Sync,
    take: impl FnMut(u32, T) -> Result<(), Error> + Send,
) -> Result<(), Error> {
    struct State<T, F> {
        started: usize,
        taken: usize,
        made: BTreeMap<usize, T>,
        failed: Option<Error>,
        take: F,
    }
    const SOUND: &str = "no thread panics with it";
    let state = State { started: 0, taken: 0, made: BTreeMap::new(), failed: None, take };
    let (state, room) = (Mutex::new(state), Condvar::new());
    let work = || {
        let mut locked = state.lock().expect(SOUND);
        loop {
            while locked.failed.is_none()
                && locked.started < numbers.len()
                && locked.started >= locked.taken + waiting.max(1)
            {
                locked = room.wait(locked).expect(SOUND);
            }
            if locked.failed.is_some() || locked.started == numbers.len() {
                return;
            }
            let at = locked.started;
            locked.started += 1;
            drop(locked);
            let guard = Guard(|| {
                state.lock().expect(SOUND).failed.get_or_insert(Error::Stopped);
                room.notify_all();
            });
            let made = make(numbers[at]);
            drop(guard);
            locked = state.lock().expect(SOUND);
            let State { taken, made: ready, failed, take, .. } = &mut *locked;
            match made {
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
    cell: u32,
    pieces: Vec<(Kind, u16, u32, Vec<u8>)>,
    end: Option<(Vec<Level>, [u64; 2], bool)>,
}

impl Recorder {
    fn play(self, sink: &mut dyn Sink) -> Result<(), Error> {
        sink.begin(self.cell)?;
        for (kind, level, tile, bytes) in self.pieces {
            sink.piece(kind, level, tile, &bytes)?;
        }
        let (levels, legal, is_last) = self.end.expect("a cell that was run has ended its section");
        sink.end(&levels, legal, is_last)
    }
}

impl Sink for Recorder {
    fn begin(&mut self, cell: u32) -> Result<(), Error> {
        self.cell = cell;
        Ok(())
    }

    fn piece(&mut self, kind: Kind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        self.pieces.push((kind, level, tile, bytes.to_vec()));
        Ok(())
    }

    fn end(&mut self, levels: &[Level], legal: [u64; 2], is_last: bool) -> Result<(), Error> {
        self.end = Some((levels.to_vec(), legal, is_last));
        Ok(())
    }
}

/// Sections go to the file.
struct PartSink<'a>(&'a RwLock<Part>);

impl Sink for PartSink<'_> {
    fn begin(&mut self, cell: u32) -> Result<(), Error> {
        self.0.write().expect("no thread panics with it").begin(cell)
    }

    fn piece(&mut self, kind: Kind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        self.0.write().expect("no thread panics with it").piece(kind, level, tile, bytes)
    }

    fn end(&mut self, levels: &[Level], legal: [u64; 2], is_last: bool) -> Result<(), Error> {
        self.0.write().expect("no thread panics with it").end(levels, legal, is_last)
    }
}

/// Tables in the folder, and the one that is being made.
struct Shelves<'a> {
    folder: &'a Folder,
    own: (Material, Arc<dyn Lists>),
    open: Mutex<HashMap<Material, Arc<dyn Lists>>>,
}

impl Library for Shelves<'_> {
    fn lists(&self, table: Material) -> Result<Arc<dyn Lists>, Error> {
        if table == self.own.0 {
            return Ok(Arc::clone(&self.own.1));
        }
        let mut open = self.open.lock().expect("no thread panics with it");
        if let Some(found) = open.get(&table) {
            return Ok(Arc::clone(found));
        }
        let content = self.folder.open(&table.to_string())?.ok_or(Error::Missing(table))?;
        let found: Arc<dyn Lists> = Arc::new(Filed { index: Index::new(table), content });
        open.insert(table, Arc::clone(&found));
        Ok(found)
    }
}

/// A table in a file.
struct Filed {
    index: Index,
    content: OpenTable,
}

/// The table that is being made: its ended sections.
struct Own {
    index: Arc<Index>,
    part: Arc<RwLock<Part>>,
}

impl Lists for Filed {
    fn index(&self) -> &Index {
        &self.index
    }

    fn last(&self, cell: u32, list: List) -> Result<Option<u16>, Error> {
        last(&self.content, cell, list)
    }

    fn visit(
        &self,
        cell: u32,
        list: List,
        level: u16,
        wanted: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), Error> {
        self::visit(&self.content, &self.index, (cell, list, level), wanted, visit)
    }
}

impl Lists for Own {
    fn index(&self) -> &Index {
        &self.index
    }

    fn last(&self, cell: u32, list: List) -> Result<Option<u16>, Error> {
        last(self.part.read().expect("no thread panics with it").written_table(), cell, list)
    }

    fn visit(
        &self,
        cell: u32,
        list: List,
        level: u16,
        wanted: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), Error> {
        let part = self.part.read().expect("no thread panics with it");
        self::visit(part.written_table(), &self.index, (cell, list, level), wanted, visit)
    }
}

fn last(table: &OpenTable, cell: u32, list: List) -> Result<Option<u16>, Error> {
    if list == List::Stale {
        return Ok(table.contents().that_can_have(cell, Kind::Stale, 0).next().map(|_| 0));
    }
    let count = |level: &Level| if list == List::Lost { level.lost } else { level.won };
    Ok(table.levels(cell)?.iter().filter(|level| count(level) > 0).map(|level| level.n).max())
}

fn visit(
    table: &OpenTable,
    index: &Index,
    (cell, list, level): (u32, List, u16),
    wanted: &dyn Fn(u32) -> bool,
    visit: &mut dyn FnMut(u32, usize, u64),
) -> Result<(), Error> {
    let mut bytes = Vec::new();
    for piece in table.pieces(cell, list.kind(), level)? {
        if wanted(piece.tile) {
            table.read_into(&piece, &mut bytes)?;
            let words = index.tile_words(piece.tile);
            code::for_each(&bytes, words, |word, bits| visit(piece.tile, word, bits)).map_err(|what| {
                Error::Damaged {
                    path: table.path().into(),
                    what: format!("the list of tile {} of cell {cell} at level {level}: {what}", piece.tile),
                }
            })?;
        }
    }
    Ok(())
}
