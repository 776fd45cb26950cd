//! Values that have a name in a list: `"win"`, `">="`, `"time_forfeit"`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::marker::PhantomData;

use plyfold_scan::headers::{Ending, GameResult, TimeClass};
use plyfold_scan::scan::ConditionEdge;
use plyfold_scan::scan::measure::pieces::ROLE_NAMES;
use plyfold_scan::scan::predicate::{MoveDirection, MoveLine, NumberComparison, ThrownAway};
use plyfold_scan::scan::tables::TableOutcome;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use shakmaty::Role;

use super::unknown;
use crate::header::{EloSelector, NameSelector, PlayerSelector, as_word};
use crate::material::EndgameKind;
use crate::parse::sum::COMPARISON_SIGNS;
use crate::played::MoveAction;
use crate::window::{EDGES, GamePhase, WindowQuantifier};

/// A value that has a name.
pub(crate) trait Named: Sized + Clone + PartialEq {
    /// What it is, for an error.
    const WHAT: &'static str;

    /// Each with its name; the first name of a value is written.
    fn names() -> Vec<(String, Self)>;
}

/// A value as its name.
pub(crate) struct Name<T>(PhantomData<T>);

impl<T: Named> JsonSchema for Name<T> {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        T::WHAT.into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<String> = T::names().into_iter().map(|(name, _)| name).collect();
        json_schema!({ "enum": names })
    }
}

/// A value by its name, as a field.
pub(crate) mod by_name {
    use super::*;

    pub fn serialize<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        let names = T::names();
        serializer.serialize_str(names.iter().find(|(_, named)| named == value).map_or("", |(name, _)| name))
    }

    pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        let name = String::deserialize(deserializer)?;
        let names = T::names();
        if let Some((_, value)) = names.iter().find(|(known, _)| *known == name) {
            return Ok(value.clone());
        }
        Err(D::Error::custom(unknown(T::WHAT, &name, names.iter().map(|(known, _)| &**known))))
    }
}

/// A value as its name within a list.
struct AsName<T>(T);

impl<T: Named> Serialize for AsName<&T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        by_name::serialize(self.0, serializer)
    }
}

impl<'de, T: Named> Deserialize<'de> for AsName<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AsName<T>, D::Error> {
        by_name::deserialize(deserializer).map(AsName)
    }
}

/// Values by their names, as a field.
pub(crate) mod by_names {
    use super::*;

    pub fn serialize<T: Named, S: Serializer>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(AsName))
    }

    pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
        Vec::<AsName<T>>::deserialize(deserializer).map(|all| all.into_iter().map(|one| one.0).collect())
    }
}

/// A value by its name, as a field that may be left out.
pub(crate) mod by_optional_name {
    use super::*;

    pub fn serialize<T: Named, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(AsName).serialize(serializer)
    }

    pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        Option::<AsName<T>>::deserialize(deserializer).map(|one| one.map(|one| one.0))
    }
}

/// The names of values, each from a list of names with what they mean.
macro_rules! named {
    ($($type:ty, $what:literal, $names:expr;)+) => {$(
        impl Named for $type {
            const WHAT: &'static str = $what;

            fn names() -> Vec<(String, Self)> {
                $names.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
            }
        }
    )+};
}

/// The same for types of this crate, which are written so wherever they stand.
macro_rules! named_everywhere {
    ($($type:ty, $what:literal, $names:expr;)+) => {
        named! { $($type, $what, $names;)+ }
        $(
            impl Serialize for $type {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    by_name::serialize(self, serializer)
                }
            }

            impl<'de> Deserialize<'de> for $type {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                    by_name::deserialize(deserializer)
                }
            }

            impl JsonSchema for $type {
                fn schema_name() -> alloc::borrow::Cow<'static, str> {
                    Name::<$type>::schema_name()
                }

                fn inline_schema() -> bool {
                    true
                }

                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    Name::<$type>::json_schema(generator)
                }
            }
        )+
    };
}

named! {
    TableOutcome, "outcome", TableOutcome::NAMED;
    NumberComparison, "comparison", COMPARISON_SIGNS.iter().copied().filter(|(sign, one)| one.symbol() == *sign).collect::<Vec<_>>();
    ConditionEdge, "change", EDGES;
    MoveDirection, "direction", MoveDirection::NAMED;
    MoveLine, "line", MoveLine::NAMED;
    ThrownAway, "half point", [&[("anything", ThrownAway::Anything)], ThrownAway::NAMED].concat();
    Role, "piece", Role::ALL.map(|role| (ROLE_NAMES[role as usize - 1], role));
    GameResult, "result", GameResult::ALL.iter().map(|&one| (one.name(), one)).collect::<Vec<_>>();
    Ending, "ending", Ending::ALL.iter().map(|&one| (as_word(one.name()), one)).collect::<Vec<_>>();
    TimeClass, "time class", TimeClass::ALL.iter().map(|&one| (as_word(one.name()), one)).collect::<Vec<_>>();
}

named_everywhere! {
    NameSelector, "name", NameSelector::NAMED;
    PlayerSelector, "player", &PlayerSelector::NAMED[1..];
    EloSelector, "rating", elo_names();
    EndgameKind, "kind of endgame", EndgameKind::NAMED.iter().map(|&(name, kind, _)| (name, kind)).collect::<Vec<_>>();
    GamePhase, "phase of a game", GamePhase::NAMED;
    WindowQuantifier, "quantifier", WindowQuantifier::NAMED;
    MoveAction, "action", MoveAction::NAMED;
}

/// The ratings, each with its name.
fn elo_names() -> Vec<(&'static str, EloSelector)> {
    let players = PlayerSelector::NAMED[1..].iter().map(|&(name, players)| (name, EloSelector::Of(players)));
    players.chain([("average", EloSelector::Average), ("difference", EloSelector::Difference)]).collect()
}
