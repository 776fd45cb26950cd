//! Regions of the board: `e4`, `e4 d5`, `e`, `f..h`, `7`, `5..8`, `centre`, `own 7`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use shakmaty::Color;

use super::keywords::named;

/// Some squares of the board, some of them as one side sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// Squares for either side.
    pub squares: u64,
    /// Squares as White sees them; for Black the ranks are mirrored: `own 7`.
    pub own: u64,
}

impl Region {
    /// Every square.
    pub const ANYWHERE: Region = Region { squares: u64::MAX, own: 0 };

    /// [`ANYWHERE`](Self::ANYWHERE), where nothing is said.
    #[cfg(feature = "json")]
    pub(crate) fn anywhere() -> Region {
        Region::ANYWHERE
    }

    /// Whether this is every square.
    #[cfg(feature = "json")]
    pub(crate) fn is_anywhere(&self) -> bool {
        *self == Region::ANYWHERE
    }

    /// The squares for a side.
    pub fn for_side(self, colour: Color) -> u64 {
        self.squares
            | match colour {
                Color::White => self.own,
                Color::Black => self.own.swap_bytes(),
            }
    }

    /// The union of both regions.
    #[must_use]
    pub(crate) fn union(self, other: Region) -> Region {
        Region { squares: self.squares | other.squares, own: self.own | other.own }
    }

    /// Writes ` on` or another word, and the region; nothing if it is every square.
    pub(super) fn fmt_after(self, f: &mut fmt::Formatter<'_>, word: &str) -> fmt::Result {
        match self {
            Region::ANYWHERE => Ok(()),
            region => write!(f, " {word} {}", region.describe()),
        }
    }

    /// The words of the language that mean this region.
    pub fn describe(self) -> String {
        // What follows `own` is one part, so each part has a word of its own.
        let own = match self.own {
            0 => None,
            OWN_HALF => Some(String::from("own_half")),
            own => Some(["own ", &describe(own).replace(' ', " own ")].concat()),
        };
        let squares = (self.squares != 0).then(|| describe(self.squares));
        squares.into_iter().chain(own).collect::<Vec<_>>().join(" ")
    }
}

/// The four ranks next to a side, as White sees them.
pub(crate) const OWN_HALF: u64 = 0x0000_0000_ffff_ffff;

/// Named regions and their squares.
pub const NAMED: &[(&str, u64)] = &[
    ("centre", 0x0000_0018_1800_0000),
    ("center", 0x0000_0018_1800_0000),
    ("kingside", 0xf0f0_f0f0_f0f0_f0f0),
    ("queenside", 0x0f0f_0f0f_0f0f_0f0f),
    ("light", 0x55aa_55aa_55aa_55aa),
    ("dark", 0xaa55_aa55_aa55_aa55),
];

/// The names of the files.
pub(crate) const FILE_NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
const FILE_A: u64 = 0x0101_0101_0101_0101;

/// The squares of files `from` to `to` (0–7).
pub fn files(from: u8, to: u8) -> u64 {
    (from.min(to)..=from.max(to)).fold(0, |all, file| all | FILE_A << file)
}

/// The squares of ranks `from` to `to` (0–7).
pub fn ranks(from: u8, to: u8) -> u64 {
    (from.min(to)..=from.max(to)).fold(0, |all, rank| all | 0xff << (rank * 8))
}

/// The file of a word such as `e`.
pub fn file(word: &str) -> Option<u8> {
    match *word.as_bytes() {
        [letter @ b'a'..=b'h'] => Some(letter - b'a'),
        _ => None,
    }
}

/// The square, file or named region that a word means.
pub(crate) fn named_squares(word: &str) -> Option<u64> {
    match *word.as_bytes() {
        [letter @ b'a'..=b'h', digit @ b'1'..=b'8'] => Some(1 << ((digit - b'1') * 8 + letter - b'a')),
        _ => file(word).map(|file| files(file, file)).or_else(|| named(word, NAMED)),
    }
}

/// The rank that a word such as `seventh` names, as the side counts, from 0.
pub(crate) fn ordinal_rank(word: &str) -> Option<u8> {
    const ORDINALS: [&str; 8] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
    ORDINALS.iter().position(|ordinal| *ordinal == word).map(|rank| rank as u8)
}

/// Whether a region can begin with this word.
pub(crate) fn is_region_word(word: &str) -> bool {
    matches!(word, "own" | "own_half" | "the" | "file" | "rank")
        || named_squares(word).is_some()
        || ordinal_rank(word).is_some()
}

/// The words of the language that mean a region.
pub fn describe(region: u64) -> String {
    if let Some((name, _)) = NAMED.iter().find(|&&(_, squares)| squares == region) {
        return String::from(*name);
    }
    let (mut parts, mut rest) = (Vec::new(), region);
    for (file, name) in FILE_NAMES.into_iter().enumerate() {
        let squares = files(file as u8, file as u8);
        if rest & squares == squares {
            rest &= !squares;
            parts.push(String::from(name));
        }
    }
    for rank in 0..8 {
        let squares = ranks(rank, rank);
        // A rank is named whole even if a file has already named some of its squares.
        if rest & squares != 0 && region & squares == squares {
            rest &= !squares;
            parts.push((rank + 1).to_string());
        }
    }
    parts.extend(shakmaty::Bitboard(rest).into_iter().map(|square| square.to_string()));
    parts.join(" ")
}
