//! What a key declares about itself: its names, how its values are found, and how they are written.

use alloc::string::String;

use plyfold_board::board::ByPiece;
use plyfold_scan::game::{GameSpan, Ply, ShardParts};
use plyfold_scan::scan::reducer::ScanMatch;

use crate::shown_names::NamedThing;

/// A named key by which games or positions are grouped.
#[derive(Debug)]
pub struct KeyFeature {
    /// The name after `by`.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// One line for help.
    pub summary: &'static str,
    /// How its values are found.
    pub value: KeyValue,
    /// How a value is written.
    pub format: ValueFormat,
    /// Whether values are numbers with an order of their own, in which a histogram then lists them.
    pub is_ordered: bool,
    /// The condition of the query language for a value; none if the language has no such condition.
    pub condition: Option<KeyCondition>,
}

/// How the values of a key are found.
#[derive(Debug)]
pub enum KeyValue {
    /// One value for the whole game.
    Game(fn(&ScanMatch<'_>) -> u64),
    /// Two values for the whole game, which may be equal.
    Pair(fn(&ScanMatch<'_>) -> [u64; 2]),
    /// A value derived from the piece counts.
    PieceCounts(fn(&ByPiece<u8>) -> u64),
    /// Reports each value of matching positions with the ply from which it holds, ascending: the first is 0, the start of the game.
    /// Values that no matching position has may be left out. It reads these parts of a shard.
    Changes(ShardParts, fn(&ScanMatch<'_>, &mut dyn FnMut(u64, usize))),
    /// A value for each ply, derived from its number.
    Ply(fn(&ScanMatch<'_>, Ply) -> u64),
}

/// How a value is written.
#[derive(Debug)]
pub enum ValueFormat {
    /// The value itself is written.
    Value(fn(u64) -> String),
    /// The value is written as a number; an unknown one is not.
    Number(fn(u64) -> String),
    /// The value is the index of a name in its shard: the shard above bit 32, the index below.
    Name(fn(&GameSpan<'_>, u32) -> String),
    /// The same of a player or an event, whose name may stand for another.
    NameOf(NamedThing),
}

/// The condition of the query language that holds exactly at the positions with a value: the text around the value.
#[derive(Debug)]
pub struct KeyCondition {
    /// The text before the value.
    pub before: &'static str,
    /// The text that replaces the space in a value of two words; empty if values are one word.
    pub between: &'static str,
    /// The text behind the value.
    pub behind: &'static str,
}

impl KeyCondition {
    /// A condition with the value at its end.
    pub(super) const fn of(before: &'static str) -> KeyCondition {
        KeyCondition { before, between: "", behind: "" }
    }

    /// The condition for a value; none if the value has the wrong number of words.
    pub(super) fn write(&self, value: &str) -> Option<String> {
        let &KeyCondition { before, between, behind } = self;
        match value.split_once(' ') {
            None if between.is_empty() => Some([before, value, behind].concat()),
            Some((first, second)) if !between.is_empty() => Some([before, first, between, second, behind].concat()),
            _ => None,
        }
    }
}
