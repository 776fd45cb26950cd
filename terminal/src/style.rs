//! Styles of text for people: headings, numbers and marks, which a terminal shows in colours.
//!
//! What is written carries its style beside its bytes, not in them, so nothing in a game or a file can set one. The writer of
//! [`output`](crate::output) turns styles into escape sequences where a terminal shows colours; everywhere else they say nothing.

use std::cell::Cell;

/// How a piece of text is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// As all text.
    #[default]
    Plain,
    /// The heading of a part.
    Heading,
    /// The headings of a table, and what is said beside a result.
    Dim,
    /// The number that was asked for.
    Figure,
    /// What matches.
    Match,
    /// What does not.
    Failure,
    /// A note.
    Note,
}

thread_local! {
    static STYLE: Cell<Style> = const { Cell::new(Style::Plain) };
}

impl Style {
    /// The escape sequence that begins it; none for plain text.
    pub(crate) fn begins(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Heading | Style::Figure => "\x1b[1m",
            Style::Dim => "\x1b[2m",
            Style::Match => "\x1b[1;32m",
            Style::Failure => "\x1b[31m",
            Style::Note => "\x1b[36m",
        }
    }

    /// The style of what is written now.
    pub(crate) fn current() -> Style {
        STYLE.get()
    }

    /// Gives what `write` writes this style.
    pub fn of<T>(self, write: impl FnOnce() -> T) -> T {
        let before = STYLE.replace(self);
        let written = write();
        STYLE.set(before);
        written
    }
}
