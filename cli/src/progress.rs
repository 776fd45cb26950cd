//! The progress bars of a scan and of an import.

use std::cell::Cell;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use plyfold_core::scan::fold::ScanObserver;
use plyfold_input::import::ImportProgress;
use plyfold_terminal::progress::{self, ProgressBar};
use plyfold_terminal::table::grouped;

/// A bar that counts games of a scan.
pub struct ScanProgress(ProgressBar);

impl ScanProgress {
    /// A bar for `games`.
    pub fn for_games(games: u64) -> ScanProgress {
        ScanProgress(progress::bar(games, "{wide_bar} {percent} %  {human_pos} games  {per_sec}  {eta} left"))
    }

    /// The same while a result is written to `output`, or to standard output without one. On a terminal the two would
    /// mix, so there the bar is hidden.
    pub fn for_output(output: Option<&Path>, games: u64) -> ScanProgress {
        match output.is_none() && std::io::stdout().is_terminal() {
            true => ScanProgress(ProgressBar::hidden()),
            false => ScanProgress::for_games(games),
        }
    }

    /// Counts games that are done.
    pub fn add_games(&self, games: u32) {
        self.0.inc(games.into());
    }
}

impl ScanObserver for ScanProgress {
    fn advance(&self, games: u32) -> bool {
        self.add_games(games);
        true
    }
}

/// The progress bar of an import of files, by bytes if their lengths are known.
pub struct ImportBar {
    bar: ProgressBar,
    games: Cell<u64>,
}

impl ImportBar {
    /// A bar for these files.
    pub fn for_files(files: &[PathBuf]) -> ImportBar {
        let length =
            |file: &PathBuf| std::fs::metadata(file).ok().filter(|found| found.is_file()).map(|found| found.len());
        let bar = match files.iter().map(length).sum::<Option<u64>>() {
            Some(length) => progress::bar(length, "{wide_bar} {percent} %  {msg}  {eta} left"),
            None => progress::spinner("{spinner} {bytes}  {msg}"),
        };
        ImportBar { bar, games: Cell::default() }
    }

    /// Bytes and games of the files before this one.
    pub fn state(&self) -> (u64, u64) {
        (self.bar.position(), self.games.get())
    }

    /// Shows how far the file is that began at this state.
    pub fn draw(&self, (bytes, games): (u64, u64), now: &ImportProgress) {
        let games = games + now.games;
        self.games.set(games);
        let rate = games as f64 / self.bar.elapsed().as_secs_f64().max(1e-3);
        self.bar.set_position(bytes + now.bytes_in);
        self.bar.set_message(format!("{} games, {} a second", grouped(games), grouped(rate as u64)));
    }
}
