//! Keys of the header: the same at all positions of a game.

use alloc::string::{String, ToString};

use super::{Feature, Of, Show};
use crate::headers::{Eco, Ending, Outcome, TimeClass};
use crate::scan::reducer::Found;

/// A name of the game's shard: the shard above bit 32, its index below.
fn name_of(found: &Found<'_>, index: u32) -> u64 {
    u64::from(found.span.shard) << 32 | u64::from(index)
}

fn or_unknown(text: String) -> String {
    if text.is_empty() { "?".into() } else { text }
}

/// One text a number.
fn named<T: Copy + ToString>(all: &[T], value: u64) -> String {
    all.get(value as usize).map_or_else(String::new, T::to_string)
}

/// A number of the header, 0 if it is unknown.
fn number(value: u64) -> String {
    if value == 0 { "?".into() } else { value.to_string() }
}

pub(super) const RESULT: Feature = Feature {
    name: "result",
    aliases: &["outcome"],
    summary: "how games came out",
    of: Of::Game(|found| found.game.record.result() as u64),
    show: Show::Value(|value| named(Outcome::ALL, value)),
    is_ordered: false,
};

pub(super) const OPENING: Feature = Feature {
    name: "opening",
    aliases: &["eco"],
    summary: "the opening code of the game's tag",
    of: Of::Game(|found| u64::from(found.game.record.eco.number())),
    show: Show::Value(|value| {
        or_unknown(
            Eco::all().find(|eco| u64::from(eco.number()) == value).map_or_else(String::new, |eco| eco.to_string()),
        )
    }),
    is_ordered: false,
};

pub(super) const PLAYER: Feature = Feature {
    name: "player",
    aliases: &["players"],
    summary: "either player; a game counts for both",
    of: Of::Both(|found| [name_of(found, found.game.record.white), name_of(found, found.game.record.black)]),
    show: Show::Name(|span, name| span.names().players.get(name).to_string()),
    is_ordered: false,
};

pub(super) const WHITE: Feature = Feature {
    name: "white",
    aliases: &["white_player"],
    summary: "the white player",
    of: Of::Game(|found| name_of(found, found.game.record.white)),
    ..PLAYER
};

pub(super) const BLACK: Feature = Feature {
    name: "black",
    aliases: &["black_player"],
    summary: "the black player",
    of: Of::Game(|found| name_of(found, found.game.record.black)),
    ..PLAYER
};

pub(super) const EVENT: Feature = Feature {
    name: "event",
    aliases: &["tournament"],
    summary: "the tournament or match",
    of: Of::Game(|found| name_of(found, found.game.record.event)),
    show: Show::Name(|span, name| span.names().events.get(name).to_string()),
    is_ordered: false,
};

pub(super) const YEAR: Feature = Feature {
    name: "year",
    aliases: &["date"],
    summary: "the year of the game",
    of: Of::Game(|found| u64::from(found.game.record.date.year())),
    show: Show::Value(number),
    is_ordered: true,
};

/// Ratings of a band, lowest first.
const BAND: u32 = 100;

pub(super) const ELO: Feature = Feature {
    name: "elo",
    aliases: &["elo_band", "rating"],
    summary: "the average rating of both players, in bands of 100",
    of: Of::Game(|found| match [found.game.record.white_elo, found.game.record.black_elo] {
        [0, _] | [_, 0] => 0,
        [white, black] => u64::from((u32::from(white) + u32::from(black)) / 2 / BAND * BAND),
    }),
    show: Show::Value(number),
    is_ordered: true,
};

pub(super) const LENGTH: Feature = Feature {
    name: "plies",
    aliases: &["length"],
    summary: "the length of the game in plies",
    of: Of::Game(|found| found.game.moves.len() as u64),
    show: Show::Value(|value| value.to_string()),
    is_ordered: true,
};

pub(super) const ENDING: Feature = Feature {
    name: "ending",
    aliases: &["ended", "termination"],
    summary: "how games ended",
    of: Of::Game(|found| found.game.record.ending() as u64),
    show: Show::Value(|value| named(Ending::ALL, value)),
    is_ordered: false,
};

pub(super) const TIME_CLASS: Feature = Feature {
    name: "time_class",
    aliases: &["time"],
    summary: "how fast games were",
    of: Of::Game(|found| found.game.record.time_class() as u64),
    show: Show::Value(|value| named(TimeClass::ALL, value)),
    is_ordered: false,
};
