//! The text of random sets of squares, and of where they lie.

use plyfold_core::scan::measure::FEATURES;
use proptest::prelude::*;
use proptest::sample::select;

use super::leaves::region;

/// The text of a set of squares, in every form.
pub(super) fn squares() -> impl Strategy<Value = String> {
    let placed: Vec<&'static str> = FEATURES.iter().filter(|one| one.has_location).map(|one| one.name).collect();
    let pieces = || select(vec!["pawn", "knight", "bishop", "rook", "queen", "king", "piece"]);
    let one = prop_oneof![
        3 => pieces().prop_map(str::to_owned),
        3 => select(placed).prop_map(str::to_owned),
        1 => (pieces(), region()).prop_map(|(piece, region)| format!("{piece} on {region}")),
        2 => select(vec![
            "pinned piece", "hanging fork", "attacked outpost", "defended passed pawn", "passed pawn fork", "knight outpost",
            "attacked pinned queen", "doubled isolated pawn",
        ])
        .prop_map(str::to_owned),
        1 => Just("isolated passed pawn".to_owned()),
    ];
    one.prop_recursive(3, 8, 3, move |inner| {
        prop_oneof![
            3 => (inner.clone(), select(vec!["&", "& not", "|"]), inner.clone())
                .prop_map(|(one, sign, two)| format!("({one}) {sign} ({two})")),
            1 => (inner.clone(), inner.clone(), region()).prop_map(|(one, two, region)| format!("(({one}) or ({two})) on {region}")),
            2 => (inner.clone(), relation()).prop_map(|(set, relation)| format!("({set}) {relation}")),
            1 => (pieces(), relation(), select(vec!["", " & not beside enemy pawn"]))
                .prop_map(|(piece, relation, and)| format!("{piece} {relation}{and}")),
            1 => (pieces(), inner.clone(), related(), prop::option::of(related())).prop_map(|(piece, set, target, through)| {
                let through = through.map_or(String::new(), |through| format!(" through {through}"));
                format!("({piece} & ({set})) xrays {target}{through}")
            }),
            // Only what has a side attacks.
            1 => (pieces(), inner, select(vec!["attacks", "defends"]), prop_oneof![pieces(), region()])
                .prop_map(|(piece, set, verb, target)| format!("({piece} & ({set})) {verb} {target}")),
        ]
    })
}

/// The text of squares to which others lie in a relation.
fn related() -> impl Strategy<Value = String> {
    let owner = select(vec!["", "own ", "enemy ", "either ", "white ", "black "]);
    let what = select(vec![
        "king",
        "queen",
        "rook",
        "pawn",
        "passed_pawn",
        "piece",
        "piece on own 7",
        "pinned knight",
        "controlled_square",
        "(knight or bishop) on own_half",
        "(rook & attacked)",
    ]);
    prop_oneof![4 => (owner, what).prop_map(|(owner, what)| format!("{owner}{what}")), 1 => region().prop_map(str::to_owned)]
}

/// The text that says where squares lie.
fn relation() -> impl Strategy<Value = String> {
    let words = select(vec![
        "behind",
        "in front of",
        "ahead of",
        "beside",
        "next to",
        "on the same file as",
        "on_same_rank_as",
        "on same diagonal as",
    ]);
    prop_oneof![
        3 => (words, related()).prop_map(|(words, to)| format!("{words} {to}")),
        // A number after `between` is that of a ply.
        2 => (related(), related()).prop_map(|(one, other)| {
            let one = if one.starts_with(char::is_numeric) { format!("rank {one}") } else { one };
            format!("between {one} and {other}")
        }),
    ]
}
