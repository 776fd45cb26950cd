//! Notes what was not understood of a game that is kept.

/// A kind of note on a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum NoteKind {
    /// A line of the tag section is no tag, and is kept in the text alone.
    Tag,
    /// Moves stand after the result, and are kept in the text alone.
    AfterResult,
    /// The day, the month or the year of the date cannot be told.
    Date,
    /// The time control cannot be read.
    TimeControl,
    /// Clock times could be hours and minutes as well as minutes and seconds, and count as unknown.
    Clock,
    /// The value of an `[%eval]`, `[%clk]` or `[%emt]` cannot be read.
    Command,
    /// A name is not UTF-8, and its encoding is a guess.
    Encoding,
}

impl NoteKind {
    /// All kinds.
    pub const ALL: [NoteKind; 7] = [
        NoteKind::Tag,
        NoteKind::AfterResult,
        NoteKind::Date,
        NoteKind::TimeControl,
        NoteKind::Clock,
        NoteKind::Command,
        NoteKind::Encoding,
    ];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            NoteKind::Tag => "tag",
            NoteKind::AfterResult => "after_result",
            NoteKind::Date => "date",
            NoteKind::TimeControl => "time_control",
            NoteKind::Clock => "clock",
            NoteKind::Command => "command",
            NoteKind::Encoding => "encoding",
        }
    }

    /// Returns the meaning as a sentence for people.
    pub fn sentence(self) -> &'static str {
        match self {
            NoteKind::Tag => "a line among the tags is no tag, and stays in the text alone",
            NoteKind::AfterResult => "moves after the result stay in the text alone",
            NoteKind::Date => "the day, the month or the year of the date cannot be told",
            NoteKind::TimeControl => "the time control cannot be read",
            NoteKind::Clock => "clock times without a unit count as unknown",
            NoteKind::Command => "an evaluation or a time in a comment cannot be read",
            NoteKind::Encoding => "a name is not UTF-8, so its encoding is a guess",
        }
    }
}

/// A note on a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameNote {
    /// What it says.
    pub kind: NoteKind,
    /// The number of the game in its text, from 1; rejected games count.
    pub game: u64,
    /// The byte in the decompressed file: of what was not understood where it is known, otherwise of the game.
    pub offset: u64,
}
