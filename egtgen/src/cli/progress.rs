//! How generation gets on, on standard error: a bar on a terminal, gone when the work is done; plain lines elsewhere.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use egtgen::generate::Cycle;
use egtgen::make::Event;
use egtgen::plan;
use indicatif::{ProgressBar, ProgressStyle};
use plyfold_core::table::index::Index;
use plyfold_core::table::material::Material;

use super::table::{duration, grouped, rounded};

/// Between two pictures of the bar.
const BLINK: Duration = Duration::from_millis(80);

/// Time left for all tables is said when this share of the work is done…
const SHARE_TO_JUDGE_BY: f64 = 0.05;

/// …and the table on its way is not more than this share of what is to do.
const SHARE_UNKNOWN: f64 = 0.2;

/// Watches generation.
pub struct Progress {
    run: Mutex<Run>,
    bar: Option<ProgressBar>,
    /// A line for every cycle.
    is_verbose: bool,
}

/// A table that is whole.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// Which.
    pub table: Material,
    /// Seconds and cycles that it took just now; `None` if it was there.
    pub made: Option<(f64, u64)>,
}

struct Run {
    /// Tables to make, without those that were there.
    tables: usize,
    /// Positions of the tables to make.
    positions: u64,
    /// Positions of cells that are done.
    finished: u64,
    began: Instant,
    /// When a cell was last done.
    judged: Instant,
    drawn: Option<Instant>,
    now: Option<Now>,
    done: Vec<Done>,
}

/// A table on its way.
struct Now {
    table: Material,
    cells: u32,
    cell_positions: u64,
    /// Cells and levels that were there.
    resumed: Option<(u32, u16)>,
    streams: bool,
    cells_done: u32,
    cycles: u64,
    began: Instant,
    last_cycle: Instant,
    /// What tiles have travelled so far in cells on their way, and in all.
    travelled: HashMap<u32, (u64, u64)>,
    traffic: (u64, u64),
    last: Option<Cycle>,
}

impl Progress {
    /// For these tables.
    pub fn over(tables: &[Material], is_verbose: bool) -> Progress {
        let now = Instant::now();
        let run = Run {
            tables: tables.len(),
            positions: tables.iter().map(|table| positions(*table)).sum(),
            finished: 0,
            began: now,
            judged: now,
            drawn: None,
            now: None,
            done: Vec::new(),
        };
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {elapsed}  {msg}");
            let bar = ProgressBar::new_spinner().with_style(style.expect("a template of ours is well-formed"));
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Progress { run: Mutex::new(run), bar, is_verbose }
    }

    /// Something has happened. Called from any thread.
    pub fn watch(&self, event: &Event) {
        let mut run = self.run();
        match *event {
            Event::Skipped(table) => {
                run.tables -= 1;
                run.positions -= positions(table);
                run.done.push(Done { table, made: None });
            }
            Event::Began { table, positions, cells, memory, streams, resumed } => {
                let now = Now::new(table, positions, cells, streams, resumed);
                // What an earlier run has done is no work of this one.
                run.positions -= u64::from(now.cells_done) * now.cell_positions;
                if self.is_verbose || resumed.is_some() {
                    self.say(&now.beginning(positions, memory));
                }
                run.now = Some(now);
            }
            Event::Cycle(_, cycle) => {
                if let Some(now) = &mut run.now {
                    let time = now.cycle(cycle);
                    if self.is_verbose {
                        self.say(&now.cycle_line(&cycle, time));
                    }
                }
            }
            Event::Cell(_, cell) => {
                if let Some(now) = &mut run.now {
                    now.cells_done += 1;
                    now.travelled.remove(&cell);
                    run.finished += now.cell_positions;
                    run.judged = Instant::now();
                }
            }
            Event::Made { table, bytes, seconds } => {
                let cycles = run.now.take().map_or(0, |now| now.cycles);
                run.done.push(Done { table, made: Some((seconds, cycles)) });
                if self.bar.is_none() {
                    let time = duration(Duration::from_secs_f64(seconds));
                    let cycles = if cycles == 1 { "1 cycle".to_owned() } else { format!("{} cycles", grouped(cycles)) };
                    self.say(&format!("{table}: made in {time}, {cycles}, {}", plan::bytes(bytes)));
                }
            }
        }
        if let Some(bar) = &self.bar
            && run.drawn.is_none_or(|drawn| drawn.elapsed() > BLINK)
            && let Some(picture) = run.picture()
        {
            run.drawn = Some(Instant::now());
            bar.set_message(picture);
        }
    }

    /// The bar goes; which tables are whole, in their order.
    pub fn finish(&self) -> Vec<Done> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        std::mem::take(&mut self.run().done)
    }

    fn run(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| {
                let _ = writeln!(io::stderr(), "{line}");
            }),
            None => {
                let _ = writeln!(io::stderr(), "{line}");
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Positions of a table as stored, as [`Event::Began`] counts them.
fn positions(table: Material) -> u64 {
    let index = Index::new(table);
    index.cells().len() as u64 * index.cell_words() as u64 * 64
}

impl Run {
    /// The bar: three lines.
    fn picture(&self) -> Option<String> {
        let now = self.now.as_ref()?;
        let cycle = now.last?;
        let mut picture = now.table.to_string();
        if self.tables > 1 {
            let nth = self.done.iter().filter(|done| done.made.is_some()).count() + 1;
            picture += &format!(", table {} of {}", grouped(nth as u64), grouped(self.tables as u64));
        }
        if now.cells > 1 {
            picture += &format!(", cell {} of {}", grouped(u64::from(now.cells_done) + 1), grouped(now.cells.into()));
        }
        picture += &format!(", N {}", cycle.level);
        if let Some(left) = self.left() {
            picture += &format!(", about {} left in all", duration(left));
        } else if let Some(left) = now.left() {
            picture += &format!(", about {} left for it", duration(left));
        }
        let seconds = now.began.elapsed().as_secs_f64();
        let rate = now.cell_positions as f64 * now.cycles as f64 / seconds.max(1e-3);
        picture += &format!(
            "\n  won +{}  lost +{}  {} of {} chunks\n  {} positions/s  read {}  written {}",
            grouped(cycle.won),
            grouped(cycle.lost),
            grouped(cycle.touched),
            grouped(cycle.chunks),
            rounded(rate),
            plan::bytes(now.traffic.0),
            plan::bytes(now.traffic.1)
        );
        Some(picture)
    }

    /// Time left for all tables, by positions of what is done: if that is enough to judge by, and the table on its way, of
    /// which nothing is known, is a small part of what is to do.
    fn left(&self) -> Option<Duration> {
        let share = self.finished as f64 / self.positions.max(1) as f64;
        let now = self.now.as_ref().map_or(0, |now| now.cell_positions * u64::from(now.cells));
        let is_known =
            share >= SHARE_TO_JUDGE_BY && now as f64 <= SHARE_UNKNOWN * (self.positions - self.finished) as f64;
        let all = self.judged.duration_since(self.began).as_secs_f64() / share;
        let left = all - self.began.elapsed().as_secs_f64();
        (is_known && left > 0.0).then(|| Duration::from_secs_f64(left))
    }
}

impl Now {
    fn new(table: Material, positions: u64, cells: u32, streams: bool, resumed: Option<(u32, u16)>) -> Now {
        let now = Instant::now();
        Now {
            table,
            cells,
            cell_positions: positions / u64::from(cells.max(1)),
            resumed,
            streams,
            cells_done: resumed.map_or(0, |(cells, _)| cells),
            cycles: 0,
            began: now,
            last_cycle: now,
            travelled: HashMap::new(),
            traffic: (0, 0),
            last: None,
        }
    }

    /// Time left, by cells that are done; a table of one cell says nothing before it is whole.
    fn left(&self) -> Option<Duration> {
        let done = self.cells_done - self.resumed.map_or(0, |(cells, _)| cells);
        let left = f64::from(self.cells - self.cells_done) * self.began.elapsed().as_secs_f64() / f64::from(done);
        (done > 0).then(|| Duration::from_secs_f64(left))
    }

    /// Counts a cycle; the time since the one before.
    fn cycle(&mut self, cycle: Cycle) -> Duration {
        let before = self.travelled.insert(cycle.cell, cycle.traffic).unwrap_or_default();
        self.traffic.0 += cycle.traffic.0.saturating_sub(before.0);
        self.traffic.1 += cycle.traffic.1.saturating_sub(before.1);
        self.cycles += 1;
        self.last = Some(cycle);
        let time = self.last_cycle.elapsed();
        self.last_cycle = Instant::now();
        time
    }

    fn beginning(&self, positions: u64, memory: u64) -> String {
        let table = self.table;
        let from = match self.resumed {
            Some((0, level)) => format!("{table}: goes on after N = {level}; "),
            Some((cells, 0)) => format!("{table}: goes on after {} cells; ", grouped(cells.into())),
            Some((cells, level)) => format!("{table}: goes on after {} cells and N = {level}; ", grouped(cells.into())),
            None => format!("{table}: "),
        };
        let cells = match self.cells {
            1 => String::new(),
            cells => format!(" in {} cells", grouped(cells.into())),
        };
        let place = if self.streams { "streams from a file" } else { "stays in memory" };
        format!("{from}{} positions{cells}, {place}, {} of memory planned", grouped(positions), plan::bytes(memory))
    }

    fn cycle_line(&self, cycle: &Cycle, time: Duration) -> String {
        let cell = match cycle.cells {
            1 => String::new(),
            cells => format!(" cell {} of {}", grouped(u64::from(cycle.cell) + 1), grouped(cells.into())),
        };
        let rate = self.cell_positions as f64 / time.as_secs_f64().max(1e-6);
        format!(
            "{}{cell} N {}: won {}, lost {}, chunks {} of {}, read {}, written {}, {} positions/s, {}",
            self.table,
            cycle.level,
            grouped(cycle.won),
            grouped(cycle.lost),
            grouped(cycle.touched),
            grouped(cycle.chunks),
            plan::bytes(cycle.traffic.0),
            plan::bytes(cycle.traffic.1),
            rounded(rate),
            duration(time)
        )
    }
}
