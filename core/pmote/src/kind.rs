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

/// Each kind with the first bytes of its files, and as it is named in errors.
const KINDS: [(PmoteKind, [u8; 8], &str); 4] = [
    (PmoteKind::Games, *b"PMOTE-BM", "a set of games (PMOTE-BM)"),
    (PmoteKind::Positions, *b"PMOTE-PS", "a list of positions (PMOTE-PS)"),
    (PmoteKind::Heatmap, *b"PMOTE-HM", "a heatmap (PMOTE-HM)"),
    (PmoteKind::Groups, *b"PMOTE-GB", "a table of groups (PMOTE-GB)"),
];

impl PmoteKind {
    /// The first bytes of a file of this kind.
    pub const fn magic(self) -> [u8; 8] {
        KINDS[self as usize].1
    }

    /// The kind of a file, by its first bytes.
    pub fn from_magic(bytes: &[u8]) -> Option<PmoteKind> {
        KINDS.iter().find(|(_, magic, _)| bytes.starts_with(magic)).map(|(kind, ..)| *kind)
    }
}

/// As it is named in errors: `a set of games (PMOTE-BM)`.
impl fmt::Display for PmoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KINDS[*self as usize].2)
    }
}
