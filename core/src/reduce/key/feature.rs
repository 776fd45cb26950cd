//! What a key declares about itself: its names, how its values are found, and how they are written.

use alloc::string::String;

use crate::board::ByPiece;
use crate::game::{GameSpan, Ply};
use crate::scan::reducer::ScanMatch;

/// Something by which games or positions are grouped.
#[derive(Debug)]
pub struct KeyFeature {
    /// As written after `by`.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// One line for help.
    pub summary: &'static str,
    /// How its values are found.
    pub value: KeyValue,
    /// A value in words.
    pub format: ValueFormat,
    /// Whether values are numbers with an order of their own, so that a histogram has them in that order.
    pub is_ordered: bool,
    /// The condition of the query language for a value; nothing if the language has none.
    pub condition: Option<KeyCondition>,
}

/// How the values of a key are found.
#[derive(Debug)]
pub enum KeyValue {
    /// One for the whole game.
    Game(fn(&ScanMatch<'_>) -> u64),
    /// Two for the whole game, which may be the same.
    Pair(fn(&ScanMatch<'_>) -> [u64; 2]),
    /// Derived from the numbers of pieces, by code.
    PieceCounts(fn(&ByPiece<u8>) -> u64),
    /// Says each value with the ply from which on it holds: 0 before the first, then ascending.
    Changes(fn(&ScanMatch<'_>, &mut dyn FnMut(u64, usize))),
    /// Another one at each ply, by its number.
    Ply(fn(&ScanMatch<'_>, Ply) -> u64),
}

/// How a value is written.
#[derive(Debug)]
pub enum ValueFormat {
    /// By itself.
    Value(fn(u64) -> String),
    /// It is the index of a name in its shard: shard above bit 32, index below.
    Name(fn(&GameSpan<'_>, u32) -> String),
}

/// The condition of the query language that holds exactly at the positions with a value: what is written around the value in words.
#[derive(Debug)]
pub struct KeyCondition {
    /// Before the value.
    pub before: &'static str,
    /// Instead of the space in a value of two words; empty if values are one word.
    pub between: &'static str,
    /// Behind the value.
    pub behind: &'static str,
}

impl KeyCondition {
    /// One with the value at its end.
    pub(super) const fn of(before: &'static str) -> KeyCondition {
        KeyCondition { before, between: "", behind: "" }
    }

    /// The condition for a value; none if the value has more or fewer words than it.
    pub(super) fn write(&self, value: &str) -> Option<String> {
        let &KeyCondition { before, between, behind } = self;
        match value.split_once(' ') {
            None if between.is_empty() => Some([before, value, behind].concat()),
            Some((first, second)) if !between.is_empty() => Some([before, first, between, second, behind].concat()),
            _ => None,
        }
    }
}
