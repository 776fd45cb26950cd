//! Progress bars: on standard error, only on a terminal, and removed when the work is done.

pub use indicatif::ProgressBar;
use indicatif::{ProgressFinish, ProgressStyle};

/// A bar of this length, which disappears when it is dropped. Where standard error is no terminal it is hidden. The template is one
/// of indicatif.
///
/// # Panics
///
/// The template is malformed.
#[must_use]
pub fn bar(length: u64, template: &str) -> ProgressBar {
    with_template(ProgressBar::new(length), template)
}

/// A spinner, for work whose length is not known.
///
/// # Panics
///
/// The template is malformed.
#[must_use]
pub fn spinner(template: &str) -> ProgressBar {
    with_template(ProgressBar::new_spinner(), template)
}

fn with_template(bar: ProgressBar, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("a template of ours is well-formed");
    bar.with_style(style).with_finish(ProgressFinish::AndClear)
}
