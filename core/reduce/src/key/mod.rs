//! Keys, by which games and positions are grouped, and the text of their values.
//!
//! A key of the game has one value for all its positions. A key of the position is reported by its changes: a reducer gets each run of
//! plies with one value, so most keys need no board.

mod annotations;
mod castling;
mod endgame;
mod feature;
mod game;
mod kings;
pub(super) mod material;
mod named_structure;
mod one_name;
mod ply;
mod structure;
mod table;
mod tag;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub use feature::{KeyCondition, KeyFeature, KeyValue, ValueFormat};
pub(crate) use one_name::OnePlayer;
pub use table::TableKey;
pub use tag::{TagKey, TagKeyValues};

use plyfold_board::board::Board;
use plyfold_scan::game::{GameSpan, Ply, ShardParts};
use plyfold_scan::scan::measure::measured_board::MeasuredBoard;
use plyfold_scan::scan::predicate::WeightedTerm;
use plyfold_scan::scan::reducer::ScanMatch;
use plyfold_scan::scan::replay_needs::ReplayNeeds;
use plyfold_scan::scan::tables::BoundTables;

use crate::shown_names::{NamedThing, ShownNames};

/// Every key that has a name. To add one, add a file and a line here.
pub static KEY_FEATURES: &[&KeyFeature] = &[
    &material::MATERIAL,
    &endgame::ENDGAME,
    &structure::STRUCTURE,
    &named_structure::NAMED_STRUCTURE,
    &castling::CASTLING,
    &kings::KINGS,
    &kings::WHITE_KING,
    &kings::BLACK_KING,
    &ply::PLY,
    &ply::MOVE,
    &annotations::EVAL,
    &annotations::CLOCK_TIME,
    &annotations::JUDGEMENT,
    &game::RESULT,
    &game::ECO,
    &game::OPENING,
    &game::OPENING_FAMILY,
    &game::PLAYER,
    &game::WHITE,
    &game::BLACK,
    &game::EVENT,
    &game::YEAR,
    &game::ELO,
    &game::LENGTH,
    &game::ENDING,
    &game::TIME_CLASS,
];

/// What games or positions are grouped by.
#[derive(Clone, Debug)]
pub enum GroupingKey {
    /// A named feature.
    Feature(&'static KeyFeature),
    /// A number of the position: a sum such as `count(white pawn)`.
    Number {
        /// The terms of the sum.
        terms: Vec<WeightedTerm>,
        /// The text of the sum.
        text: String,
    },
    /// What endgame tables say.
    Table(TableKey),
    /// A tag of the texts.
    Tag(TagKey),
}

/// The ply, which every position has.
impl Default for GroupingKey {
    fn default() -> GroupingKey {
        GroupingKey::Feature(&ply::PLY)
    }
}

impl PartialEq for GroupingKey {
    fn eq(&self, other: &GroupingKey) -> bool {
        self.name() == other.name()
    }
}

impl GroupingKey {
    /// The feature with this name or alias.
    pub fn named(name: &str) -> Option<GroupingKey> {
        let named = |feature: &&&KeyFeature| feature.name == name || feature.aliases.contains(&name);
        let feature = KEY_FEATURES.iter().find(named).map(|feature| GroupingKey::Feature(feature));
        feature.or_else(|| TableKey::named(name).map(GroupingKey::Table))
    }

    /// The key's name, or the text of its sum; either can be parsed again.
    pub fn name(&self) -> &str {
        match self {
            GroupingKey::Feature(feature) => feature.name,
            GroupingKey::Number { text, .. } => text,
            GroupingKey::Table(key) => key.name(),
            GroupingKey::Tag(key) => key.name(),
        }
    }

    /// Binds the tables that the key asks, if it asks any.
    pub fn bind_tables(&mut self, tables: &BoundTables) {
        if let GroupingKey::Table(key) = self {
            key.bind(tables);
        }
    }

    /// What of a shard its values are read from.
    pub(super) fn parts(&self) -> ShardParts {
        let feature = match self {
            GroupingKey::Feature(feature) => feature,
            // The values have been bound to the games.
            GroupingKey::Tag(_) => return ShardParts::RECORDS,
            GroupingKey::Number { .. } | GroupingKey::Table(_) => return ShardParts::ALL,
        };
        let of_values = match feature.value {
            KeyValue::Game(_) | KeyValue::Pair(_) => {
                ShardParts::PLAYERS | ShardParts::EVENTS | ShardParts::SITES | ShardParts::OPENINGS
            }
            KeyValue::PieceCounts(_) => ShardParts::MATERIAL_EVENTS,
            KeyValue::Changes(parts, _) => parts,
            KeyValue::Ply(_) => ShardParts::NONE,
        };
        of_values | ShardParts::RECORDS
    }

    /// Whether the values are numbers with an order of their own.
    pub fn is_ordered(&self) -> bool {
        match self {
            GroupingKey::Feature(feature) => feature.is_ordered,
            GroupingKey::Number { .. } => true,
            GroupingKey::Table(key) => key.is_ordered(),
            GroupingKey::Tag(_) => false,
        }
    }

    /// Whether the texts of the values are numbers. Bands such as `10-29` and words such as `not won` have an order, but are none.
    pub fn has_numbers(&self) -> bool {
        match self {
            GroupingKey::Feature(feature) => matches!(feature.format, ValueFormat::Number(_)),
            GroupingKey::Number { .. } => true,
            GroupingKey::Table(_) | GroupingKey::Tag(_) => false,
        }
    }

    /// The condition that holds exactly at the positions with a value, given as [`describe`](GroupingKey::describe) writes it:
    /// `material white KRPvKR`, `count(white pawn) = 5`. None if the query language has no such condition.
    #[must_use]
    pub fn condition(&self, value: &str) -> Option<String> {
        match self {
            GroupingKey::Feature(feature) => feature.condition.as_ref()?.write(value),
            GroupingKey::Number { text, .. } => Some([text, " = ", value].concat()),
            GroupingKey::Table(key) => key.condition(value),
            GroupingKey::Tag(key) => key.condition(value),
        }
    }

    /// What a replay must keep up to date for the key.
    pub fn needs(&self) -> ReplayNeeds {
        match self {
            GroupingKey::Feature(_) | GroupingKey::Tag(_) => ReplayNeeds::NONE,
            GroupingKey::Number { terms, .. } => WeightedTerm::needs(terms),
            GroupingKey::Table(_) => ReplayNeeds::RIGHTS,
        }
    }

    /// The key's value on a board; none if the key needs no board.
    pub(crate) fn value_on_board(&self, board: &Board) -> Option<u64> {
        match self {
            GroupingKey::Feature(_) | GroupingKey::Tag(_) => None,
            GroupingKey::Number { terms, .. } => Some(WeightedTerm::sum(terms, &MeasuredBoard::new(board)) as u64),
            GroupingKey::Table(key) => Some(key.value(board)),
        }
    }

    /// Reports each run of matching positions of a game with one value, ascending; a value may come several times. Reports
    /// nothing if the key needs a board.
    #[inline]
    pub(crate) fn for_each_run(&self, found_game: &ScanMatch<'_>, mut visit: impl FnMut(u64, MatchingRun)) {
        let matches = &found_game.matches;
        let whole_game = || MatchingRun { count: matches.count(), first: matches.first(), last: matches.last() };
        let feature = match self {
            GroupingKey::Feature(feature) => feature,
            GroupingKey::Tag(key) => return visit(key.value(found_game.game.id), whole_game()),
            GroupingKey::Number { .. } | GroupingKey::Table(_) => return,
        };
        match feature.value {
            KeyValue::Game(value) => visit(value(found_game), whole_game()),
            KeyValue::Pair(values) => {
                let [one, two] = values(found_game);
                visit(one, whole_game());
                if two != one {
                    visit(two, whole_game());
                }
            }
            KeyValue::Ply(value) => {
                for ply in matches.iter() {
                    visit(value(found_game, ply), MatchingRun { count: 1, first: ply, last: ply });
                }
            }
            KeyValue::PieceCounts(value) => {
                let mut runs = RunBuilder { found_game, current: (0, 0), visit };
                material::for_each_material(found_game, |number, ply| runs.change_to(value(number), ply));
                runs.finish();
            }
            KeyValue::Changes(_, changes) => {
                let mut runs = RunBuilder { found_game, current: (0, 0), visit };
                changes(found_game, &mut |value, ply| runs.change_to(value, ply));
                runs.finish();
            }
        }
    }

    /// Whether the value is the same at all positions of a game.
    pub fn is_game_key(&self) -> bool {
        matches!(
            self,
            GroupingKey::Tag(_) | GroupingKey::Feature(KeyFeature { value: KeyValue::Game(_) | KeyValue::Pair(_), .. })
        )
    }

    /// Whether a game has a value for each of its players.
    pub(crate) fn is_of_both_players(&self) -> bool {
        matches!(self, GroupingKey::Feature(KeyFeature { value: KeyValue::Pair(_), .. }))
    }

    /// The key's two values after ply `ply` of a game, equal if the key has one value. None if the key needs a board.
    #[inline]
    pub(crate) fn values_after(&self, found_game: &ScanMatch<'_>, ply: Ply) -> Option<[u64; 2]> {
        let feature = match self {
            GroupingKey::Feature(feature) => feature,
            GroupingKey::Tag(key) => return Some([key.value(found_game.game.id); 2]),
            GroupingKey::Number { .. } | GroupingKey::Table(_) => return None,
        };
        Some(match feature.value {
            KeyValue::Game(value) => [value(found_game); 2],
            KeyValue::Pair(values) => values(found_game),
            KeyValue::Ply(value) => [value(found_game, ply); 2],
            KeyValue::PieceCounts(value) => [value(&material::counts_after(found_game, ply.moves())); 2],
            KeyValue::Changes(_, changes) => {
                let mut last = 0;
                changes(found_game, &mut |value, at| last = if at <= ply.moves() { value } else { last });
                [last; 2]
            }
        })
    }

    /// The text of a value; a name is the one that is shown for it.
    pub fn describe(&self, value: u64, spans: &[GameSpan<'_>], names: &ShownNames) -> String {
        let (shard, index) = ((value >> 32) as u32, value as u32);
        let of_shard = || spans.iter().find(|span| span.shard == shard);
        match self {
            GroupingKey::Number { .. } => format!("{}", value as i64),
            GroupingKey::Table(key) => key.describe(value),
            GroupingKey::Tag(key) => key.describe(value),
            GroupingKey::Feature(KeyFeature {
                format: ValueFormat::Value(show) | ValueFormat::Number(show), ..
            }) => show(value),
            GroupingKey::Feature(KeyFeature { format: ValueFormat::Name(show), .. }) => {
                of_shard().map_or_else(String::new, |span| show(span, index))
            }
            GroupingKey::Feature(KeyFeature { format: ValueFormat::NameOf(of), .. }) => {
                let name = of_shard().map_or("", |span| match of {
                    NamedThing::Player => span.names().players.get(index),
                    NamedThing::Event => span.names().events.get(index),
                });
                names.shown(*of, name)
            }
        }
    }

    /// Whether the values are names of shards. Several such values may be the same name.
    pub fn is_name(&self) -> bool {
        matches!(self, GroupingKey::Feature(KeyFeature { format: ValueFormat::Name(_) | ValueFormat::NameOf(_), .. }))
    }
}

/// Turns the changes of a value into runs of matching positions.
struct RunBuilder<'a, 'b, R> {
    found_game: &'a ScanMatch<'b>,
    /// The current value, and the last ply before it.
    current: (u64, usize),
    visit: R,
}

impl<R: FnMut(u64, MatchingRun)> RunBuilder<'_, '_, R> {
    /// Changes the value from ply `at` on.
    fn change_to(&mut self, value: u64, at: usize) {
        // A change at ply `at` holds from there on; up to ply `at - 1` the old value holds.
        self.emit_until(value, at.saturating_sub(1));
    }

    fn finish(mut self) {
        self.emit_until(0, self.found_game.game.moves.len());
    }

    fn emit_until(&mut self, value: u64, to: usize) {
        let (now, from) = core::mem::replace(&mut self.current, (value, to));
        let matches = &self.found_game.matches;
        let number = matches.count_between(from, to);
        if number > 0 {
            let (first, last) = matches.first_and_last_between(from, to);
            (self.visit)(now, MatchingRun { count: number, first, last });
        }
    }
}

impl fmt::Display for GroupingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A run of matching positions of a game that have one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MatchingRun {
    /// The number of positions; 0 for a game that matches without a matching position.
    pub count: u32,
    /// The ply of the first position, [`Ply::START`] if there is none.
    pub first: Ply,
    /// The ply of the last position, [`Ply::START`] if there is none.
    pub last: Ply,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_players_and_events_are_names_of_shards() {
        for feature in KEY_FEATURES {
            let key = GroupingKey::named(feature.name).expect("its own name");
            assert_eq!(key.name(), feature.name);
            let of_shard = ["player", "white", "black", "event", "opening", "opening_family"].contains(&feature.name);
            assert_eq!(key.is_name(), of_shard, "{key}");
            assert!(!(of_shard && key.is_ordered()), "{key}");
            for alias in feature.aliases {
                assert_eq!(GroupingKey::named(alias), Some(key.clone()), "{alias}");
            }
        }
        let number = GroupingKey::Number { terms: Vec::new(), text: "count(pawn)".into() };
        assert_eq!((number.is_name(), number.is_ordered(), number.name()), (false, true, "count(pawn)"));
        assert_eq!(number.describe(-3i64 as u64, &[], &ShownNames::default()), "-3");
        assert_eq!(GroupingKey::named("count(pawn)"), None);
    }

    /// A table has values as numbers only if none of them would be lost.
    #[test]
    fn keys_of_numbers_write_numbers() {
        let numbers = KEY_FEATURES.iter().filter(|feature| GroupingKey::Feature(feature).has_numbers());
        assert_eq!(numbers.map(|feature| feature.name).collect::<Vec<_>>(), ["ply", "move", "year", "elo", "plies"]);
        for feature in KEY_FEATURES.iter().filter(|feature| GroupingKey::Feature(feature).has_numbers()) {
            let key = GroupingKey::Feature(feature);
            assert!(
                (1..9000).all(|value| key.describe(value, &[], &ShownNames::default()).parse::<i64>().is_ok()),
                "{key}"
            );
        }
    }

    #[test]
    fn a_value_of_a_position_is_a_condition() {
        for (name, value, condition) in [
            ("material", "KRPPvKRP", Some("material white KRPPvKRP")),
            ("white_king", "g1", Some("white king on g1")),
            ("black_king", "g8", Some("black king on g8")),
            ("kings", "g1 c8", Some("{ white king on g1 and black king on c8 }")),
            ("kings", "none", None),
            ("ply", "45", Some("ply = 45")),
            ("move", "23", Some("move = 23")),
            ("structure", "8/pp3ppp/8/8/8/8/PPP5/8", Some("structure \"8/pp3ppp/8/8/8/8/PPP5/8\"")),
            ("player", "Zeta", None),
            ("elo", "2500", None),
            ("endgame", "R v B", None),
        ] {
            let key = GroupingKey::named(name).expect("its own name");
            assert_eq!(key.condition(value).as_deref(), condition, "{name}");
        }
        let number = GroupingKey::Number { terms: Vec::new(), text: "points(white) - points(black)".into() };
        assert_eq!(number.condition("-3").as_deref(), Some("points(white) - points(black) = -3"));
    }
}
