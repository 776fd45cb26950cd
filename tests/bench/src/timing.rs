//! Shared by the programs that measure: the number of runs, the games, and medians.

use std::path::PathBuf;
use std::time::Instant;

use plyfold_tests::data;

/// The command line: `[--runs N] [FILE]`.
pub struct Measured {
    /// How often each thing is measured.
    pub runs: usize,
    /// A PGN or a corpus: the file of the command line, else the shared master games, else the demo games.
    pub file: PathBuf,
}

impl Measured {
    /// Reads the command line. `other` gets each unknown argument with an iterator over the rest, and returns whether it
    /// accepts the argument.
    pub fn read(mut other: impl FnMut(&str, &mut dyn Iterator<Item = String>) -> bool) -> Measured {
        let mut arguments = std::env::args().skip(1);
        let (mut runs, mut file) = (5usize, None);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--runs" => runs = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(5).max(1),
                argument if other(argument, &mut arguments) => {}
                argument => file = Some(PathBuf::from(argument)),
            }
        }
        Measured { runs, file: file.or_else(|| data::shared("master-206k.pgn.zst")).unwrap_or_else(data::demo) }
    }
}

/// The median of this many runs, in seconds.
pub fn median(runs: usize, mut run: impl FnMut()) -> f64 {
    let times = (0..runs).map(|_| {
        let begin = Instant::now();
        run();
        begin.elapsed().as_secs_f64()
    });
    middle(times)
}

/// The median of these values.
///
/// # Panics
///
/// If there are no values.
pub fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
