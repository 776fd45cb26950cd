//! Progress bars: on standard error, only on a terminal, and removed when the work is done.

use std::io::IsTerminal;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use plyfold_core::scan::fold::ScanObserver;

/// A bar that counts games of a scan.
pub struct ScanProgress(ProgressBar);

impl ScanProgress {
    /// A bar for `games`.
    pub fn for_games(games: u64) -> ScanProgress {
        let bar = ProgressBar::new(games);
        bar.set_style(style("{wide_bar} {percent} %  {human_pos} games  {per_sec}  {eta} left"));
        ScanProgress(bar)
    }

    /// The same while a result is written to `output`, or to standard output without one. On a terminal the two would
    /// mix, so there the bar is hidden.
    pub fn for_output(output: Option<&Path>, games: u64) -> ScanProgress {
        if output.is_none() && std::io::stdout().is_terminal() {
            ScanProgress::hidden()
        } else {
            ScanProgress::for_games(games)
        }
    }

    /// Counts games that are done.
    pub fn add_games(&self, games: u32) {
        self.0.inc(games.into());
    }

    /// A bar that is not drawn.
    pub fn hidden() -> ScanProgress {
        ScanProgress(ProgressBar::hidden())
    }
}

impl ScanObserver for ScanProgress {
    fn advance(&self, games: u32) -> bool {
        self.add_games(games);
        true
    }
}

impl Drop for ScanProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// The style of one of our templates.
pub fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a template of ours is well-formed")
}
