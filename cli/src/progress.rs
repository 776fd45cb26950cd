//! Progress bars: on standard error, only on a terminal, gone when the work is done.

use std::io::IsTerminal;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use plyfold_core::scan::fold::Watch;

/// A bar that counts games of a scan.
pub struct Scan(ProgressBar);

impl Scan {
    /// A bar for `games`.
    pub fn over(games: u64) -> Scan {
        let bar = ProgressBar::new(games);
        bar.set_style(style("{wide_bar} {percent} %  {human_pos} games  {per_sec}  {eta} left"));
        Scan(bar)
    }

    /// The same while an answer is written to `output`, or to standard output without one: on a terminal the two would mix.
    pub fn beside(output: Option<&Path>, games: u64) -> Scan {
        if output.is_none() && std::io::stdout().is_terminal() { Scan::hidden() } else { Scan::over(games) }
    }

    /// So many more are done.
    pub fn done(&self, games: u32) {
        self.0.inc(games.into());
    }

    /// A bar that nobody sees.
    pub fn hidden() -> Scan {
        Scan(ProgressBar::hidden())
    }
}

impl Watch for Scan {
    fn advance(&self, games: u32) -> bool {
        self.done(games);
        true
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// The style of a template of ours.
pub fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a template of ours is well-formed")
}
