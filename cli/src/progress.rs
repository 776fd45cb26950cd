//! The progress bar of a scan.

use std::io::IsTerminal;
use std::path::Path;

use plyfold_core::scan::fold::ScanObserver;
use plyfold_terminal::progress::{self, ProgressBar};

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
