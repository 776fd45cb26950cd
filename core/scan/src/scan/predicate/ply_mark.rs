//! Defines the marks that the text of a game gives a move in a word: `blunder`, `time_trouble`, `nag "??"`.

use core::fmt;

use plyfold_annotations::judgement::Judgement;
use plyfold_annotations::{COMMENT_MARK, GLYPHS};

/// A mark of a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlyMark {
    /// The evaluations before and after the move judge it so.
    Judged(Judgement),
    /// The side has little time after the move.
    TimeTrouble,
    /// A comment has words.
    Commented,
    /// A glyph, 1–255: `$1` is `!`.
    Nag(u8),
}

/// A mark with a name of its own.
#[derive(Debug)]
pub struct NamedMark {
    /// The name in a query.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// One line for help and completion.
    pub summary: &'static str,
    /// The mark.
    pub mark: PlyMark,
}

impl PlyMark {
    /// The marks that have names; a glyph is `nag` and its number or signs.
    pub const NAMED: &[NamedMark] = &[
        NamedMark {
            name: "blunder",
            aliases: &["blunders"],
            summary: "the move loses 0.3 or more of the chance to win, by the evaluations in the text",
            mark: PlyMark::Judged(Judgement::Blunder),
        },
        NamedMark {
            name: "mistake",
            aliases: &["mistakes"],
            summary: "the move loses 0.2 to 0.3 of the chance to win",
            mark: PlyMark::Judged(Judgement::Mistake),
        },
        NamedMark {
            name: "inaccuracy",
            aliases: &["inaccuracies"],
            summary: "the move loses 0.1 to 0.2 of the chance to win",
            mark: PlyMark::Judged(Judgement::Inaccuracy),
        },
        NamedMark {
            name: "time_trouble",
            aliases: &["time_pressure"],
            summary: "the side has less than a tenth of its time, and less than five minutes, after its move",
            mark: PlyMark::TimeTrouble,
        },
        NamedMark {
            name: "commented",
            aliases: &["has_comment"],
            summary: "the text has a comment in words on the move",
            mark: PlyMark::Commented,
        },
    ];

    /// The mark with this name or alias.
    pub fn named(name: &str) -> Option<PlyMark> {
        let mut all = PlyMark::NAMED.iter();
        all.find(|one| one.name == name || one.aliases.contains(&name)).map(|one| one.mark)
    }

    /// The glyph that is written in these signs.
    pub fn of_glyph(signs: &str) -> Option<PlyMark> {
        GLYPHS.iter().position(|glyph| *glyph == signs).map(|index| PlyMark::Nag(index as u8 + 1))
    }

    /// The mark as it is stored, if it is.
    pub(super) fn stored(self) -> Option<u8> {
        match self {
            PlyMark::Commented => Some(COMMENT_MARK),
            PlyMark::Nag(number) => Some(number),
            PlyMark::Judged(_) | PlyMark::TimeTrouble => None,
        }
    }
}

/// Writes the mark as in a query.
impl fmt::Display for PlyMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlyMark::Nag(number) => write!(f, "nag {number}"),
            mark => f.write_str(PlyMark::NAMED.iter().find(|one| one.mark == *mark).map_or("", |one| one.name)),
        }
    }
}
