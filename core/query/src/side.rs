//! The side that a condition is about: `white`, `mover`, `winner`, `"Carlsen*"`, `opponent "Carlsen*"`.

use core::fmt;

use shakmaty::Color;

use super::header::quoted;
use super::keywords::name_of;
use super::span::SpannedName;

/// The word before the name of the player whose opponent a condition is about.
pub(crate) const OPPONENT: &str = "opponent";

/// The side that a condition is about.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "snake_case")
)]
pub enum SideSelector {
    /// White.
    White,
    /// Black.
    Black,
    /// White or Black; this is the default.
    #[default]
    Either,
    /// White and Black, at the same position.
    Both,
    /// Neither White nor Black, at the same position.
    Neither,
    /// The side to move.
    Mover,
    /// The side that is not to move.
    Waiter,
    /// The side that won the game; no side if the game has no winner.
    Winner,
    /// The side that lost.
    Loser,
    /// A player of either colour: `"Carlsen*"`.
    Player(SpannedName),
    /// The other side of a player's games: `opponent "Carlsen*"`.
    Opponent(SpannedName),
}

impl SideSelector {
    /// Names as written, and what they mean.
    pub const NAMED: &[(&str, SideSelector)] = &[
        ("white", SideSelector::White),
        ("black", SideSelector::Black),
        ("either", SideSelector::Either),
        ("both", SideSelector::Both),
        ("neither", SideSelector::Neither),
        ("mover", SideSelector::Mover),
        ("waiter", SideSelector::Waiter),
        ("winner", SideSelector::Winner),
        ("loser", SideSelector::Loser),
    ];

    /// The colour, if the selector is one.
    pub fn colour(&self) -> Option<Color> {
        match self {
            SideSelector::White => Some(Color::White),
            SideSelector::Black => Some(Color::Black),
            _ => None,
        }
    }

    /// The selector of a colour.
    pub fn of_colour(colour: Color) -> SideSelector {
        colour.fold_wb(SideSelector::White, SideSelector::Black)
    }

    /// Whether the game or the position decides which colour this is.
    pub(crate) fn is_relative(&self) -> bool {
        use SideSelector::{Loser, Mover, Opponent, Player, Waiter, Winner};
        matches!(self, Mover | Waiter | Winner | Loser | Player(_) | Opponent(_))
    }

    /// Whether this is the default, which needs no word.
    pub(crate) fn is_either(&self) -> bool {
        *self == SideSelector::Either
    }

    /// Writes the side and a space, or nothing for the default.
    pub(crate) fn fmt_before(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_either() { Ok(()) } else { write!(f, "{self} ") }
    }

    /// The other of two sides that exclude each other.
    pub(crate) fn opposite(&self) -> Option<SideSelector> {
        match self {
            SideSelector::White => Some(SideSelector::Black),
            SideSelector::Black => Some(SideSelector::White),
            SideSelector::Mover => Some(SideSelector::Waiter),
            SideSelector::Waiter => Some(SideSelector::Mover),
            SideSelector::Winner => Some(SideSelector::Loser),
            SideSelector::Loser => Some(SideSelector::Winner),
            SideSelector::Player(name) => Some(SideSelector::Opponent(name.clone())),
            SideSelector::Opponent(name) => Some(SideSelector::Player(name.clone())),
            _ => None,
        }
    }
}

/// Writes the selector as in a query.
impl fmt::Display for SideSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SideSelector::Player(name) => f.write_str(&quoted(name)),
            SideSelector::Opponent(name) => write!(f, "{OPPONENT} {}", quoted(name)),
            side => f.write_str(name_of(side, Self::NAMED)),
        }
    }
}
