//! Keys of the header, which have one value for all positions of a game.

use alloc::string::{String, ToString};

use plyfold_scan::game::GameSpan;
use plyfold_scan::headers::{Eco, Ending, GameOpening, GameResult, TimeClass};
use plyfold_scan::scan::reducer::ScanMatch;

use super::feature::{KeyFeature, KeyValue, ValueFormat};
use crate::shown_names::NamedThing;

/// A name of the game's shard: the shard above bit 32, its index below.
fn shard_name(found_game: &ScanMatch<'_>, index: u32) -> u64 {
    u64::from(found_game.span.shard) << 32 | u64::from(index)
}

fn index_in_shard(found_game: &ScanMatch<'_>) -> u32 {
    found_game.span.first_in_shard + found_game.game_in_span
}

/// The text of the item with this index.
fn item_name<T: Copy + ToString>(items: &[T], value: u64) -> String {
    items.get(value as usize).map_or_else(String::new, T::to_string)
}

/// The text of a number of the header, which is 0 if unknown.
fn known_number(value: u64) -> String {
    if value == 0 { "?".into() } else { value.to_string() }
}

pub(super) const RESULT: KeyFeature = KeyFeature {
    name: "result",
    aliases: &["outcome"],
    summary: "the results of the games",
    value: KeyValue::Game(|found| found.game.record.result() as u64),
    format: ValueFormat::Value(|value| item_name(GameResult::ALL, value)),
    is_ordered: false,
    condition: None,
};

pub(super) const ECO: KeyFeature = KeyFeature {
    name: "eco",
    aliases: &[],
    summary: "the ECO code of the opening",
    value: KeyValue::Game(|found| {
        let code = found.span.names().openings.code_of(index_in_shard(found), found.game.record.eco);
        u64::from(code.number())
    }),
    format: ValueFormat::Value(|value| {
        let code = Eco::all().find(|eco| u64::from(eco.number()) == value).map(|eco| eco.to_string());
        code.filter(|code| !code.is_empty()).unwrap_or_else(|| "?".into())
    }),
    ..RESULT
};

pub(super) const OPENING: KeyFeature = KeyFeature {
    name: "opening",
    aliases: &["opening_name"],
    summary: "the name of the opening",
    value: KeyValue::Game(|found| {
        shard_name(found, found.span.names().openings.column().index_of_game(index_in_shard(found)))
    }),
    format: ValueFormat::Name(|span, name| opening_name(span, name, |opening| opening.name)),
    ..PLAYER
};

pub(super) const OPENING_FAMILY: KeyFeature = KeyFeature {
    name: "opening_family",
    aliases: &["family"],
    summary: "the opening without its variations, such as Sicilian Defense",
    format: ValueFormat::Name(|span, name| opening_name(span, name, GameOpening::family)),
    ..OPENING
};

/// A name of an opening of a shard; `?` where no position of a game has a name.
fn opening_name<'a>(span: &GameSpan<'a>, index: u32, part: fn(GameOpening<'a>) -> &'a str) -> String {
    GameOpening::read(span.names().openings.column().names.get(index)).map_or("?", part).to_string()
}

pub(super) const PLAYER: KeyFeature = KeyFeature {
    name: "player",
    aliases: &["players"],
    summary: "either player; a game counts for both",
    value: KeyValue::Pair(|found| {
        [shard_name(found, found.game.record.white), shard_name(found, found.game.record.black)]
    }),
    format: ValueFormat::NameOf(NamedThing::Player),
    is_ordered: false,
    condition: None,
};

pub(super) const WHITE: KeyFeature = KeyFeature {
    name: "white",
    aliases: &["white_player"],
    summary: "the white player",
    value: KeyValue::Game(|found| shard_name(found, found.game.record.white)),
    ..PLAYER
};

pub(super) const BLACK: KeyFeature = KeyFeature {
    name: "black",
    aliases: &["black_player"],
    summary: "the black player",
    value: KeyValue::Game(|found| shard_name(found, found.game.record.black)),
    ..PLAYER
};

pub(super) const EVENT: KeyFeature = KeyFeature {
    name: "event",
    aliases: &["tournament"],
    summary: "the tournament or match",
    value: KeyValue::Game(|found| shard_name(found, found.game.record.event)),
    format: ValueFormat::NameOf(NamedThing::Event),
    ..PLAYER
};

pub(super) const YEAR: KeyFeature = KeyFeature {
    name: "year",
    aliases: &["date"],
    summary: "the year of the game",
    value: KeyValue::Game(|found| u64::from(found.game.record.date.year())),
    format: ValueFormat::Number(known_number),
    is_ordered: true,
    condition: None,
};

/// The number of ratings in a band.
const RATING_BAND: u32 = 100;

pub(super) const ELO: KeyFeature = KeyFeature {
    name: "elo",
    aliases: &["elo_band", "rating"],
    summary: "the average rating of both players, in bands of 100",
    value: KeyValue::Game(|found| match [found.game.record.white_elo, found.game.record.black_elo] {
        [0, _] | [_, 0] => 0,
        [white, black] => u64::from((u32::from(white) + u32::from(black)) / 2 / RATING_BAND * RATING_BAND),
    }),
    ..YEAR
};

pub(super) const LENGTH: KeyFeature = KeyFeature {
    name: "plies",
    aliases: &["length"],
    summary: "the length of the game in plies",
    value: KeyValue::Game(|found| found.game.moves.len() as u64),
    format: ValueFormat::Number(|value| value.to_string()),
    ..YEAR
};

pub(super) const ENDING: KeyFeature = KeyFeature {
    name: "ending",
    aliases: &["ended", "termination"],
    summary: "how the games ended",
    value: KeyValue::Game(|found| found.game.record.ending() as u64),
    format: ValueFormat::Value(|value| item_name(Ending::ALL, value)),
    ..RESULT
};

pub(super) const TIME_CLASS: KeyFeature = KeyFeature {
    name: "time_class",
    aliases: &["time"],
    summary: "the time class of the games",
    value: KeyValue::Game(|found| found.game.record.time_class() as u64),
    format: ValueFormat::Value(|value| item_name(TimeClass::ALL, value)),
    ..RESULT
};
