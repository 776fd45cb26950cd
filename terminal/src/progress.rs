//! Progress bars: on standard error, only on a terminal, and removed when the work is done.

use std::ops::Deref;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar, which disappears when it is dropped. Where standard error is no terminal it is hidden.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar of this length. The template is one of indicatif.
    ///
    /// # Panics
    ///
    /// The template is malformed.
    #[must_use]
    pub fn bar(length: u64, template: &str) -> Progress {
        Progress(ProgressBar::new(length).with_style(style(template)))
    }

    /// A spinner, for work whose length is not known.
    ///
    /// # Panics
    ///
    /// The template is malformed.
    #[must_use]
    pub fn spinner(template: &str) -> Progress {
        Progress(ProgressBar::new_spinner().with_style(style(template)))
    }

    /// A bar that is not drawn.
    #[must_use]
    pub fn hidden() -> Progress {
        Progress(ProgressBar::hidden())
    }
}

impl Deref for Progress {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a template of ours is well-formed")
}
