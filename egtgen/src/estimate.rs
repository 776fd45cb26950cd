//! Estimates what tables will take, before anything is written.
//!
//! Positions and memory are exact. Disk and time depend on how many positions are won and in how many cycles, which only
//! generation finds out, so they are ranges. The ranges are as wide as measured tables differ. The time is scaled by a
//! short [`calibration`](calibrate) on this machine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use plyfold_tables::index::TableIndex;
use plyfold_tables::material::{SideMaterial, TableMaterial, closure};
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use shakmaty::Role;

use crate::Error;
use crate::memory_tables::{MemoryLibrary, MemoryTable, generate_table};
use crate::plan::{GenerationPlan, ResourceNeeds, plan_generation, resource_needs};

/// The least time of a calibration.
const CALIBRATION_TIME: Duration = Duration::from_millis(500);

/// About how much longer a table takes if its tiles stream from a file.
const STREAMING_FACTOR: f64 = 1.5;

/// An estimate with its range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EstimateRange {
    /// A value that is rarely undercut.
    pub low: f64,
    /// The typical value.
    #[serde(rename = "usual")]
    pub typical: f64,
    /// A value that is rarely exceeded.
    pub high: f64,
}

impl EstimateRange {
    /// Nothing.
    pub const ZERO: EstimateRange = EstimateRange { low: 0.0, typical: 0.0, high: 0.0 };

    /// The range times a factor.
    #[must_use]
    pub fn scaled(self, factor: f64) -> EstimateRange {
        EstimateRange { low: self.low * factor, typical: self.typical * factor, high: self.high * factor }
    }

    /// The sum of two ranges.
    #[must_use]
    pub fn plus(self, other: EstimateRange) -> EstimateRange {
        EstimateRange { low: self.low + other.low, typical: self.typical + other.typical, high: self.high + other.high }
    }
}

/// The speed of a machine, as [`calibrate`] measures it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MachineSpeed {
    /// Seconds for a word of 64 positions of the reference table, with all threads at work.
    pub seconds_per_word: f64,
    /// Number of threads.
    pub threads: usize,
    /// Duration of the calibration, in seconds.
    pub calibration_seconds: f64,
}

/// The estimate of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The table.
    pub table: TableMaterial,
    /// Positions, memory and scratch files; exact.
    pub needs: ResourceNeeds,
    /// The plan within the memory; `None` if the memory is not enough.
    pub plan: Option<GenerationPlan>,
    /// Size of its file, in bytes.
    pub disk: EstimateRange,
    /// Time to generate it, in seconds.
    pub seconds: EstimateRange,
}

/// How strong White is compared with Black, which mostly decides how many positions are won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaterialBalance {
    /// White can hardly mate.
    Hopeless,
    /// White has less than Black.
    Weaker,
    /// Both sides have about as much.
    Even,
    /// White has somewhat more.
    Better,
    /// White mostly has enough to win.
    Stronger,
}

impl MaterialBalance {
    pub(crate) fn of_material(table: TableMaterial) -> MaterialBalance {
        let strength = |material: SideMaterial| material.roles().map(piece_value).sum::<i32>();
        let count = |role: Role| table.white.count(role);
        let has_heavy = count(Role::Queen) + count(Role::Rook) + count(Role::Pawn) > 0;
        let is_pair_of_knights =
            count(Role::Bishop) == 0 && count(Role::Knight) == 2 && table.black.count(Role::Pawn) == 0;
        if !has_heavy && (table.white.len() < 2 || is_pair_of_knights) {
            return MaterialBalance::Hopeless;
        }
        match strength(table.white) - strength(table.black) {
            ..0 => MaterialBalance::Weaker,
            0 => MaterialBalance::Even,
            1..4 => MaterialBalance::Better,
            _ => MaterialBalance::Stronger,
        }
    }

    /// Seconds per word relative to the reference table, and bytes per word in the file if all pieces differ; both measured on all
    /// tables of up to five men.
    fn cost_per_word(self) -> [EstimateRange; 2] {
        let (time, bytes) = match self {
            MaterialBalance::Hopeless => ((0.01, 0.03, 0.2), (0.0, 0.01, 0.5)),
            MaterialBalance::Weaker => ((0.05, 0.22, 1.2), (0.2, 3.0, 15.0)),
            MaterialBalance::Even => ((0.2, 0.45, 1.4), (3.0, 8.0, 25.0)),
            MaterialBalance::Better => ((0.3, 0.8, 2.0), (6.0, 15.0, 45.0)),
            MaterialBalance::Stronger => ((0.3, 0.75, 1.6), (15.0, 33.0, 50.0)),
        };
        [time, bytes].map(|(low, typical, high)| EstimateRange { low, typical, high })
    }
}

/// The material value of a piece.
fn piece_value(role: Role) -> i32 {
    match role {
        Role::Queen => 9,
        Role::Rook => 5,
        Role::Bishop | Role::Knight => 3,
        Role::Pawn => 2,
        Role::King => 0,
    }
}

/// Estimates a table that may use `memory` bytes.
#[must_use]
pub fn estimate(table: TableMaterial, memory: u64, speed: MachineSpeed) -> Estimate {
    let index = TableIndex::new(table);
    let needs = resource_needs(&index, speed.threads);
    let plan = plan_generation(&index, &needs, memory, speed.threads);
    let words = needs.positions as f64 / 64.0;
    let [time_per_word, bytes_per_word] = MaterialBalance::of_material(table).cost_per_word();
    // The more pawns, the smaller the pawn slices, and the larger the part of the work that prepares them.
    let overhead = match (index.roles().len(), table.pawns()) {
        (_, 0) => 1.0,
        (0, _) => 25.0,
        (1, 1) => 2.2,
        (1, _) => 3.4,
        _ => 1.6,
    };
    // One thread generates a single small pawn slice.
    let single_thread_factor = if index.tiles() == 1 && needs.pawn_slices == 1 { speed.threads as f64 } else { 1.0 };
    let fewer_threads_factor = plan.map_or(1.0, |plan| speed.threads as f64 / plan.threads as f64);
    let streaming_factor = if plan.is_some_and(|plan| plan.streams) { STREAMING_FACTOR } else { 1.0 };
    let mut seconds = time_per_word.scaled(
        words * speed.seconds_per_word * overhead * single_thread_factor.max(fewer_threads_factor) * streaming_factor,
    );
    if table.men() > 5 {
        // The number of cycles is unknown beforehand. KRNvKNN, which has 262, takes 1.7 times as long as typical: the last ones
        // are short.
        seconds.high *= 3.0;
    }
    // Identical pieces are stored in one order. A file also has a header, a trailer and a directory for each section.
    let disk = bytes_per_word.scaled(words / index.permutations() as f64);
    let about = |bytes: f64| bytes + 200.0 + 64.0 * f64::from(needs.pawn_slices);
    let disk = EstimateRange { low: about(disk.low), typical: about(disk.typical), high: about(disk.high) };
    Estimate { table, needs, plan, disk, seconds }
}

/// Measures this machine: all threads generate the reference table in memory, repeatedly for half a second.
///
/// # Errors
///
/// The threads cannot be started.
pub fn calibrate(threads: usize) -> Result<MachineSpeed, Error> {
    let begin = Instant::now();
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(std::io::Error::other);
    let pool = pool.map_err(|source| Error::file("threads".as_ref(), "cannot be started", source))?;
    let reference = reference_material();
    let library = MemoryLibrary::default();
    for table in closure(&[reference]).into_iter().filter(|table| *table != reference) {
        library.insert(pool.install(|| generate_in_memory(table, &library))?);
    }
    let start = Instant::now();
    let repeat_reference = |_: rayon::BroadcastContext<'_>| {
        let mut times = 0;
        while times == 0 || start.elapsed() < CALIBRATION_TIME {
            generate_in_memory(reference, &library)?;
            times += 1;
        }
        Ok::<u32, Error>(times)
    };
    // Threads end at different times, so each has its own speed. The speed of all is their sum.
    let times = pool
        .broadcast(|context| repeat_reference(context).map(|times| f64::from(times) / start.elapsed().as_secs_f64()));
    let a_second = times.into_iter().sum::<Result<f64, Error>>()?;
    let words = TableIndex::new(reference).pawn_slice_words() as f64;
    Ok(MachineSpeed {
        seconds_per_word: 1.0 / (a_second * words),
        threads,
        calibration_seconds: begin.elapsed().as_secs_f64(),
    })
}

/// The reference: queen against rook takes about as much work per word as larger tables do.
fn reference_material() -> TableMaterial {
    TableMaterial { white: SideMaterial::from_roles([Role::Queen]), black: SideMaterial::from_roles([Role::Rook]) }
}

/// Generates a table in memory on this thread alone.
fn generate_in_memory(material: TableMaterial, library: &MemoryLibrary) -> Result<Arc<MemoryTable>, Error> {
    let table = Arc::new(MemoryTable::new(material));
    generate_table(&table, library, 1, &AtomicBool::new(false))?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEED: MachineSpeed = MachineSpeed { seconds_per_word: 1e-6, threads: 2, calibration_seconds: 0.5 };

    fn of(name: &str) -> Estimate {
        estimate(name.parse().expect("a name of the test"), 8 << 30, SPEED)
    }

    #[test]
    fn positions_are_exact_and_guesses_are_ordered() {
        // Ten squares of the white king and 64 of each other piece.
        for (name, positions) in [("KRvK", 10 << 12), ("KRvKR", 10 << 18), ("KRBvKR", 10 << 24), ("KRNvKNN", 10 << 30)]
        {
            assert_eq!(of(name).needs.positions, positions);
        }
        // 24 placements of a pawn up to mirroring.
        assert_eq!(of("KRPvKR").needs.positions, 24 << 24);
        for table in
            [3, 4, 5].into_iter().flat_map(TableMaterial::all_with_men).flat_map(|table| [table, table.swapped()])
        {
            if table.can_win() {
                let Estimate { disk, seconds, .. } = estimate(table, 1 << 40, SPEED);
                for guess in [disk, seconds] {
                    let is_ordered = guess.low > 0.0 && guess.low <= guess.typical && guess.typical <= guess.high;
                    assert!(is_ordered, "{table}: {guess:?}");
                }
            }
        }
    }

    #[test]
    fn balances() {
        for (name, balance) in [
            ("KBvKQ", MaterialBalance::Hopeless),
            ("KNNvKN", MaterialBalance::Hopeless),
            ("KNNvKP", MaterialBalance::Stronger),
            ("KRvKQ", MaterialBalance::Weaker),
            ("KQvKQ", MaterialBalance::Even),
            ("KRBvKR", MaterialBalance::Better),
            ("KQRvK", MaterialBalance::Stronger),
        ] {
            assert_eq!(MaterialBalance::of_material(name.parse().expect("a name of the test")), balance, "{name}");
        }
    }

    #[test]
    fn less_memory_streams_and_too_little_does_not_do() {
        let table: TableMaterial = "KRBvKR".parse().expect("a name of the test");
        let all = of("KRBvKR");
        assert!(all.plan.is_some_and(|plan| !plan.streams));
        let least = all.needs.streaming[0];
        let streaming = estimate(table, least, SPEED);
        assert!(streaming.plan.is_some_and(|plan| plan.streams && plan.threads == 1));
        assert!(streaming.seconds.typical > all.seconds.typical);
        assert_eq!(estimate(table, all.needs.least_memory() - 1, SPEED).plan, None);
    }

    #[test]
    fn the_machine_is_timed() {
        let speed = calibrate(2).expect("threads can be started");
        assert!(speed.seconds_per_word > 0.0 && speed.seconds_per_word.is_finite() && speed.threads == 2);
    }
}
