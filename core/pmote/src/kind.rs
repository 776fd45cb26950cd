//! The kinds of files, each with the first bytes by which it is recognised.

use core::fmt;

/// Kinds of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PmoteKind {
    /// Games, a bit each.
    Games,
    /// Positions, by game and ply.
    Positions,
    /// Counts by piece and square.
    Heatmap,
    /// Counts by the value of a key.
    Groups,
}

impl PmoteKind {
    const ALL: [PmoteKind; 4] = [PmoteKind::Games, PmoteKind::Positions, PmoteKind::Heatmap, PmoteKind::Groups];

    /// The first bytes of a file of this kind.
    pub const fn magic(self) -> [u8; 8] {
        match self {
            PmoteKind::Games => *b"PMOTE-BM",
            PmoteKind::Positions => *b"PMOTE-PS",
            PmoteKind::Heatmap => *b"PMOTE-HM",
            PmoteKind::Groups => *b"PMOTE-GB",
        }
    }

    /// The kind of a file, by its first bytes.
    pub fn from_magic(bytes: &[u8]) -> Option<PmoteKind> {
        PmoteKind::ALL.into_iter().find(|kind| bytes.starts_with(&kind.magic()))
    }
}

/// As it is named in errors: `a set of games (PMOTE-BM)`.
impl fmt::Display for PmoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PmoteKind::Games => "a set of games (PMOTE-BM)",
            PmoteKind::Positions => "a list of positions (PMOTE-PS)",
            PmoteKind::Heatmap => "a heatmap (PMOTE-HM)",
            PmoteKind::Groups => "a table of groups (PMOTE-GB)",
        })
    }
}
