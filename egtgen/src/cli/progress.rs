//! Shows the progress of generation on standard error: a bar on a terminal, which disappears at the end, or plain lines elsewhere.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use egtgen::byte_size::format_bytes;
use egtgen::generation::GenerationEvent;
use egtgen::pawn_slice::CycleReport;
use plyfold_tables::index::TableIndex;
use plyfold_tables::material::TableMaterial;

use plyfold_terminal::progress::{self, ProgressBar};
use plyfold_terminal::table::{format_duration, grouped, rounded};

/// The time between two updates of the bar.
const REDRAW_INTERVAL: Duration = Duration::from_millis(80);

/// The time left for all tables is shown when this share of the work is done…
const MIN_SHARE_FOR_ESTIMATE: f64 = 0.05;

/// …and the tables in progress are at most this share of the remaining work.
const MAX_UNKNOWN_SHARE: f64 = 0.2;

/// Shows the progress of a generation.
pub struct GenerationProgress {
    state: Mutex<ProgressState>,
    bar: ProgressBar,
    /// Whether every cycle prints a line.
    is_verbose: bool,
}

/// A complete table.
#[derive(Clone, Copy, Debug)]
pub struct TableDone {
    /// The table.
    pub table: TableMaterial,
    /// Seconds and cycles of its generation; `None` if it was already there.
    pub effort: Option<(f64, u64)>,
}

struct ProgressState {
    /// The tables to generate, without those that were already there.
    tables: usize,
    /// Positions of the tables to generate.
    positions: u64,
    /// Positions of complete pawn slices.
    finished: u64,
    began: Instant,
    /// When the last pawn slice was completed.
    last_slice_finished: Instant,
    last_drawn: Option<Instant>,
    /// The tables in progress, in the order in which they were begun.
    current: Vec<CurrentTable>,
    done: Vec<TableDone>,
}

/// A table in progress.
struct CurrentTable {
    table: TableMaterial,
    pawn_slices: u32,
    slice_positions: u64,
    /// Pawn slices and levels that were already complete.
    resumed: Option<(u32, u16)>,
    streams: bool,
    slices_done: u32,
    cycles: u64,
    began: Instant,
    last_cycle: Instant,
    /// Bytes that tiles have moved so far, by pawn slice in progress, and in all.
    slice_traffic: HashMap<u32, (u64, u64)>,
    traffic: (u64, u64),
    last_report: Option<CycleReport>,
}

impl GenerationProgress {
    /// The progress of these tables.
    pub fn for_tables(tables: &[TableMaterial], is_verbose: bool) -> GenerationProgress {
        let now = Instant::now();
        let run = ProgressState {
            tables: tables.len(),
            positions: tables.iter().map(|table| positions(*table)).sum(),
            finished: 0,
            began: now,
            last_slice_finished: now,
            last_drawn: None,
            current: Vec::new(),
            done: Vec::new(),
        };
        let bar = progress::spinner("{spinner} {elapsed}  {msg}");
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        GenerationProgress { state: Mutex::new(run), bar, is_verbose }
    }

    /// Handles an event, from any thread.
    pub fn handle_event(&self, event: &GenerationEvent) {
        let mut run = self.lock_state();
        match *event {
            GenerationEvent::Skipped(table) => {
                run.tables -= 1;
                run.positions = run.positions.saturating_sub(positions(table));
                run.done.push(TableDone { table, effort: None });
            }
            GenerationEvent::Waiting(table, others) => return self.show_waiting(table, others),
            GenerationEvent::TakenOver(table) => {
                run.current.retain(|now| now.table != table);
                self.print_line(&format!(
                    "{table}: another process has taken it over, because this one gave no sign of life for too long"
                ));
            }
            GenerationEvent::Started { table, positions, pawn_slices, memory, streams, resumed } => {
                let now = CurrentTable::new(table, positions, pawn_slices, streams, resumed);
                // The work of an earlier run does not count.
                run.positions = run.positions.saturating_sub(u64::from(now.slices_done) * now.slice_positions);
                if self.is_verbose || resumed.is_some() {
                    self.print_line(&now.start_line(positions, memory));
                }
                // A table whose lists have outgrown the memory is begun once more.
                run.current.retain(|before| before.table != table);
                run.current.push(now);
            }
            GenerationEvent::CycleFinished(table, cycle) => {
                if let Some(now) = run.current_table(table) {
                    let time = now.record_cycle(cycle);
                    if self.is_verbose {
                        self.print_line(&now.cycle_line(&cycle, time));
                    }
                }
            }
            GenerationEvent::PawnSliceFinished(table, pawn_slice) => {
                if let Some(now) = run.current_table(table) {
                    now.slices_done += 1;
                    now.slice_traffic.remove(&pawn_slice);
                    let positions = now.slice_positions;
                    run.finished += positions;
                    run.last_slice_finished = Instant::now();
                }
            }
            GenerationEvent::Finished { table, bytes, seconds } => {
                let cycles = run.current_table(table).map_or(0, |now| now.cycles);
                run.current.retain(|now| now.table != table);
                run.done.push(TableDone { table, effort: Some((seconds, cycles)) });
                if self.bar.is_hidden() {
                    let time = format_duration(Duration::from_secs_f64(seconds));
                    let cycles = if cycles == 1 { "1 cycle".to_owned() } else { format!("{} cycles", grouped(cycles)) };
                    self.print_line(&format!("{table}: generated in {time}, {cycles}, {}", format_bytes(bytes)));
                }
            }
        }
        if !self.bar.is_hidden()
            && run.last_drawn.is_none_or(|drawn| drawn.elapsed() > REDRAW_INTERVAL)
            && let Some(picture) = run.render()
        {
            run.last_drawn = Some(Instant::now());
            self.bar.set_message(picture);
        }
    }

    fn show_waiting(&self, table: TableMaterial, others: usize) {
        let others = match others {
            0 => String::new(),
            1 => " and another table".to_owned(),
            others => format!(" and {} other tables", grouped(others as u64)),
        };
        let text = format!("waits for {table}{others}, which other processes make");
        if self.bar.is_hidden() {
            self.print_line(&text);
        } else {
            self.bar.set_message(text);
        }
    }

    /// Removes the bar, and gives the complete tables in the order in which they were completed.
    pub fn finish(&self) -> Vec<TableDone> {
        self.bar.finish_and_clear();
        std::mem::take(&mut self.lock_state().done)
    }

    fn lock_state(&self) -> MutexGuard<'_, ProgressState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn print_line(&self, line: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(io::stderr(), "{line}");
        });
    }
}

/// A number, and how many there are in all.
fn of_all(number: u64, all: u64) -> String {
    format!("{} of {}", grouped(number), grouped(all))
}

/// The stored positions of a table, as [`GenerationEvent::Started`] counts them.
fn positions(table: TableMaterial) -> u64 {
    let index = TableIndex::new(table);
    index.pawn_slices().len() as u64 * index.pawn_slice_words() as u64 * 64
}

impl ProgressState {
    fn current_table(&mut self, table: TableMaterial) -> Option<&mut CurrentTable> {
        self.current.iter_mut().find(|now| now.table == table)
    }

    /// The bar, which has three lines. Of several tables in progress, it shows the one that was begun first.
    fn render(&self) -> Option<String> {
        let now = self.current.iter().find(|now| now.last_report.is_some())?;
        let cycle = now.last_report?;
        let mut picture = now.table.to_string();
        if self.tables > 1 {
            let number = self.done.iter().filter(|done| done.effort.is_some()).count() + 1;
            picture += &format!(", table {}", of_all(number as u64, self.tables as u64));
        }
        match self.current.len() - 1 {
            0 => {}
            1 => picture += ", another at once",
            others => picture += &format!(", {} others at once", grouped(others as u64)),
        }
        if now.pawn_slices > 1 {
            picture += &format!(", pawn slice {}", of_all(u64::from(now.slices_done) + 1, now.pawn_slices.into()));
        }
        picture += &format!(", N {}", cycle.level);
        if let Some(left) = self.time_left() {
            picture += &format!(", about {} left in total", format_duration(left));
        } else if let Some(left) = now.time_left() {
            picture += &format!(", about {} left for this table", format_duration(left));
        }
        let seconds = now.began.elapsed().as_secs_f64();
        let rate = now.slice_positions as f64 * now.cycles as f64 / seconds.max(1e-3);
        picture += &format!(
            "\n  won +{}  lost +{}  {} chunks\n  {} positions/s  read {}  written {}",
            grouped(cycle.won),
            grouped(cycle.lost),
            of_all(cycle.touched_chunks, cycle.chunks),
            rounded(rate),
            format_bytes(now.traffic.0),
            format_bytes(now.traffic.1)
        );
        Some(picture)
    }

    /// The time left for all tables, extrapolated from the positions that are done. `None` unless enough is done, and the
    /// tables in progress, whose time is unknown, are a small part of the rest.
    fn time_left(&self) -> Option<Duration> {
        let share = self.finished as f64 / self.positions.max(1) as f64;
        let now: u64 = self.current.iter().map(|now| now.slice_positions * u64::from(now.pawn_slices)).sum();
        let is_known = share >= MIN_SHARE_FOR_ESTIMATE
            && now as f64 <= MAX_UNKNOWN_SHARE * (self.positions - self.finished) as f64;
        let all = self.last_slice_finished.duration_since(self.began).as_secs_f64() / share;
        let left = all - self.began.elapsed().as_secs_f64();
        (is_known && left > 0.0).then(|| Duration::from_secs_f64(left))
    }
}

impl CurrentTable {
    fn new(
        table: TableMaterial,
        positions: u64,
        pawn_slices: u32,
        streams: bool,
        resumed: Option<(u32, u16)>,
    ) -> CurrentTable {
        let now = Instant::now();
        CurrentTable {
            table,
            pawn_slices,
            slice_positions: positions / u64::from(pawn_slices.max(1)),
            resumed,
            streams,
            slices_done: resumed.map_or(0, |(slices, _)| slices),
            cycles: 0,
            began: now,
            last_cycle: now,
            slice_traffic: HashMap::new(),
            traffic: (0, 0),
            last_report: None,
        }
    }

    /// The time left for a table, extrapolated from its complete pawn slices. A table of one pawn slice has no estimate.
    fn time_left(&self) -> Option<Duration> {
        let done = self.slices_done - self.resumed.map_or(0, |(slices, _)| slices);
        let left =
            f64::from(self.pawn_slices - self.slices_done) * self.began.elapsed().as_secs_f64() / f64::from(done);
        (done > 0).then(|| Duration::from_secs_f64(left))
    }

    /// Counts a cycle, and gives the time since the one before.
    fn record_cycle(&mut self, cycle: CycleReport) -> Duration {
        let before = self.slice_traffic.insert(cycle.pawn_slice, cycle.traffic).unwrap_or_default();
        self.traffic.0 += cycle.traffic.0.saturating_sub(before.0);
        self.traffic.1 += cycle.traffic.1.saturating_sub(before.1);
        self.cycles += 1;
        self.last_report = Some(cycle);
        let time = self.last_cycle.elapsed();
        self.last_cycle = Instant::now();
        time
    }

    fn start_line(&self, positions: u64, memory: u64) -> String {
        let table = self.table;
        let from = match self.resumed {
            Some((0, level)) => format!("{table}: continues after N =  {level}; "),
            Some((slices, 0)) => format!("{table}: continues after {} pawn slices; ", grouped(slices.into())),
            Some((slices, level)) => {
                format!("{table}: continues after {} pawn slices and N = {level}; ", grouped(slices.into()))
            }
            None => format!("{table}: "),
        };
        let slices = match self.pawn_slices {
            1 => String::new(),
            slices => format!(" in {} pawn slices", grouped(slices.into())),
        };
        let place = if self.streams { "streams from a file" } else { "stays in memory" };
        format!("{from}{} positions{slices}, {place}, {} of memory planned", grouped(positions), format_bytes(memory))
    }

    fn cycle_line(&self, cycle: &CycleReport, time: Duration) -> String {
        let slice = match cycle.pawn_slices {
            1 => String::new(),
            slices => format!(" pawn slice {}", of_all(u64::from(cycle.pawn_slice) + 1, slices.into())),
        };
        let rate = self.slice_positions as f64 / time.as_secs_f64().max(1e-6);
        format!(
            "{}{slice} N {}: won {}, lost {}, chunks {}, read {}, written {}, {} positions/s, {}",
            self.table,
            cycle.level,
            grouped(cycle.won),
            grouped(cycle.lost),
            of_all(cycle.touched_chunks, cycle.chunks),
            format_bytes(cycle.traffic.0),
            format_bytes(cycle.traffic.1),
            rounded(rate),
            format_duration(time)
        )
    }
}
