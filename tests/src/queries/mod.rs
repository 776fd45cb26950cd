//! Random queries by the grammar: every operator in every combination, and every predicate.

mod headers;
mod leaves;
mod names;
mod patterns;
mod random_games;
mod squares;

use std::convert::Infallible;

use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::scan::Query;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use crate::tables::FAKE_TABLES;

use headers::header;
use leaves::leaf;
use names::query_with_names;

pub use leaves::table_condition;
pub use patterns::whole_leaf;
pub use random_games::{ending, games};

/// Which positions a reducer keeps: a few of them or all, of every choice.
pub fn position_selection() -> impl Strategy<Value = PositionSelection> {
    let choices = [PositionChoice::Every, PositionChoice::Distinct, PositionChoice::FirstOfGame];
    (prop::option::of(0usize..40), select(choices.to_vec()))
        .prop_map(|(limit, choice)| PositionSelection { limit, choice })
}

/// A configuration with this many cases, always the same ones. `PLYFOLD_SEED` selects others.
pub fn cases(number: u32) -> ProptestConfig {
    let seed = std::env::var("PLYFOLD_SEED").ok().and_then(|seed| seed.parse().ok());
    ProptestConfig { rng_seed: RngSeed::Fixed(seed.unwrap_or(15)), ..ProptestConfig::with_cases(number) }
}

/// Numbers of plies on both sides of the borders between words of 64 plies.
fn border() -> impl Strategy<Value = u32> {
    select(vec![62, 63, 64, 65, 66, 70, 127, 128, 129, 130, 191, 192, 193, 256])
}

/// Words after a condition: in a row, a number of times, at certain plies.
fn after() -> impl Strategy<Value = String> {
    let times = prop_oneof![
        4 => Just(String::new()),
        1 => (1u32..6).prop_map(|plies| format!(" for {plies}")),
        1 => border().prop_map(|plies| format!(" for {plies}")),
        1 => (1u32..35).prop_map(|moves| format!(" for {moves} moves")),
        1 => prop_oneof![1u32..9, border()].prop_map(|times| format!(" at least {times} times")),
        1 => (0u32..9).prop_map(|times| format!(" at most {times} times")),
        1 => (0u32..9).prop_map(|times| format!(" exactly {times} times")),
        1 => (1u32..4, 4u32..9).prop_map(|(least, most)| format!(" at least {least} times at most {most} times")),
    ];
    let when = prop_oneof![
        4 => Just(String::new()),
        1 => (select(vec!["at", "from", "until", "after"]), select(vec!["ply", "move"]), 1u32..70)
            .prop_map(|(word, unit, n)| format!(" {word} {unit} {n}")),
        1 => (select(vec!["at", "from", "until", "after"]), border()).prop_map(|(word, n)| format!(" {word} ply {n}")),
        1 => (select(vec!["ply", "move"]), 2u32..70).prop_map(|(unit, n)| format!(" before {unit} {n}")),
        1 => (select(vec!["plies ", "moves ", ""]), 1u32..40, 0u32..40)
            .prop_map(|(unit, from, more)| format!(" between {unit}{from}..{}", from + more)),
        1 => Just(" at end".to_owned()),
        1 => (1u32..30, select(vec![". Nf3", ". d4", "...Nf6", "...Kd8", ". Ke2"]))
            .prop_map(|(n, written)| format!(" after {n}{written}")),
        1 => select(vec![" in opening", " in middlegame", " in endgame"]).prop_map(str::to_owned),
        1 => (1u32..20, 0u32..20).prop_map(|(from, more)| format!(" from move {from} until ply {} in endgame", 2 * from + more)),
    ];
    (times, when).prop_map(|(times, when)| format!("{times}{when}"))
}

/// A condition with words around it that are allowed together.
fn condition() -> impl Strategy<Value = String> {
    let leaf = || prop_oneof![3 => leaf(), 1 => whole_leaf()];
    let together = prop_oneof![8 => leaf(), 1 => header()].prop_recursive(
        3,
        8,
        4,
        move |inner| prop_oneof![3 => combined(inner.clone()), 1 => inner.prop_map(|inner| format!("{{ {inner} }}"))],
    );
    let what = prop_oneof![leaf(), together.prop_map(|together| format!("{{ {together} }}"))];
    let before = prop_oneof![
        6 => Just(""), 1 => Just("ever "), 2 => Just("never "), 2 => Just("always "), 2 => Just("became "), 1 => Just("ceased "),
        1 => Just("never became "),
    ];
    (before, what, after()).prop_map(|(before, what, after)| {
        let after = match before {
            "always " => " until move 30",
            "became " | "ceased " | "never became " if after.contains(" for ") => " in middlegame",
            _ => &after,
        };
        format!("{before}{what}{after}")
    })
}

fn combined(inner: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join(" and "))),
        prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join(" or "))),
        prop::collection::vec(inner.clone(), 3..5).prop_map(|parts| format!(
            "{} of ({})",
            parts.len() - 1,
            parts.join(", ")
        )),
        prop::collection::vec(inner.clone(), 3..5).prop_map(|parts| format!("2 of ({})", parts.join(", "))),
        inner.prop_map(|inner| format!("not {inner}")),
    ]
}

/// The text of a query, with or without names of pieces.
pub fn query() -> impl Strategy<Value = String> {
    prop_oneof![5 => query_without_names(), 1 => query_with_names()]
}

/// The text of a query of many conditions, most of which have more than 64 different predicates.
pub fn wide_query() -> impl Strategy<Value = String> {
    let followed = (leaf(), leaf()).prop_map(|(first, second)| format!("({first} then {second})"));
    let part = prop_oneof![6 => condition(), 1 => header(), 1 => followed];
    let joined = |parts: Vec<String>, with: &str| format!("({})", parts.join(with));
    let words = || select(vec![" and ", " or "]);
    let list = (prop::collection::vec(part, 4..9), words()).prop_map(move |(parts, with)| joined(parts, with));
    let lists = prop::collection::vec(list, 6..13);
    let outside_braces = (lists, select(vec![" and ", " or ", ", "])).prop_map(move |(lists, with)| match with {
        ", " => format!("2 of {}", joined(lists, with)),
        _ => joined(lists, with),
    });
    let leaves = (prop::collection::vec(prop_oneof![9 => leaf(), 1 => header()], 1..4), words());
    let alternative = leaves.prop_map(move |(leaves, with)| joined(leaves, with));
    let within_braces = prop::collection::vec(alternative, 30..70).prop_map(|parts| parts.join(" or "));
    let within_braces = (within_braces, after()).prop_map(|(parts, after)| format!("{{ {parts} }}{after}"));
    let named = prop::option::weighted(0.2, (query_with_names(), words()));
    (prop_oneof![2 => outside_braces, 1 => within_braces], named).prop_map(|(wide, named)| match named {
        Some((named, with)) => format!("({named}){with}{wide}"),
        None => wide,
    })
}

/// The text of a query. Some are refused: a condition that is known only at the end of a game cannot be followed by `then`.
fn query_without_names() -> impl Strategy<Value = String> {
    let judged = prop_oneof![5 => condition(), 1 => header()];
    judged.prop_recursive(4, 12, 4, |inner| {
        let then = (inner.clone(), prop::option::of(prop_oneof![3 => 1u32..90, 1 => border()]), inner.clone())
            .prop_map(|(first, within, second)| match within {
                Some(plies) => format!("({first} then within {plies} {second})"),
                None => format!("({first} then {second})"),
            });
        prop_oneof![3 => combined(inner), 2 => then]
    })
}

/// Whether a set of this name has game `id`. It has every n-th game, where n is the length of the name.
pub fn is_in_set(name: &str, id: u32) -> bool {
    id.is_multiple_of(name.len() as u32)
}

/// Binds the sets that a query names to the games of [`is_in_set`], and tables that make verdicts up.
pub fn bound(mut query: Query) -> Query {
    let word =
        |name: &str, nth: u32| (0..64).fold(0, |all, bit| all | u64::from(is_in_set(name, nth * 64 + bit)) << bit);
    let games = |name: &str| Ok::<_, Infallible>((0..8).map(|nth| word(name, nth)).collect());
    let Ok(()) = query.bind_sets(games);
    query.bind_tables(&FAKE_TABLES);
    query
}
