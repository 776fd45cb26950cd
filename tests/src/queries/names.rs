//! The text of random queries that give names to pieces.

use proptest::prelude::*;
use proptest::sample::select;

use super::leaves::region;
use super::{after, combined, condition};

/// The text of a condition that gives a piece a name.
fn introduction(name: &'static str) -> impl Strategy<Value = String> {
    // Of most of these there are few, because the tests try every choice.
    let few = select(vec![
        "white knight as # on b1",
        "black pawn as # on e7 e6 e5",
        "white rook as #",
        "(white queen as #)",
        "white king on own 1 as #",
        "{ white passed_pawn as # and not check }",
        "white (bishop or knight) as # on c..f",
        "black knight as # captures",
        "white knight as # attacks queen",
        "queen attacks king as #",
        "white captures queen as #",
        "white plays bishop as # to 5..8",
        "winner queen as # gives check",
        "mover rook as # on own 7",
    ]);
    let many =
        select(vec!["white pawn as #", "black piece as # on 1..5", "pinned & piece as #", "piece as # captures"]);
    let text = prop_oneof![if name == "N" { 2 } else { 0 } => many, 3 => few];
    let windowed = prop_oneof![2 => Just(String::new()), 1 => select(vec![" for 3", " at least 2 times", " until move 12"]).prop_map(str::to_owned)];
    (text, windowed).prop_map(move |(text, window)| {
        let window = if text.starts_with('(') { "" } else { &window };
        format!("{}{window}", text.replace('#', name))
    })
}

/// The text of a leaf that says something of a named piece.
fn named_leaf(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    let forms = select(vec![
        "#",
        "# on @",
        "# on @",
        "no #",
        "no # on @",
        "# & attacked",
        "pinned #",
        "# & not defended",
        "white # on own 7",
        "# captures",
        "# captures piece on @",
        "captures #",
        "black captures # on @",
        "plays # to @",
        "# gives check",
        "queen attacks #",
        "# attacks queen",
        "# attacks @",
        "# defends pawn",
        "# attacks %",
        "% captures #",
        "% & #",
        "{ # on @ and % on 3..6 }",
        "# promotes",
        "# castles",
        "(# or %) on @",
        "winner # on @",
        "# on @ and check",
        "# & trail of %",
        "(trail of #) on @",
        "no origin of #",
        "% & not trail of #",
        "empty_square & trail of # between % and trail of %",
        "% attacks trail of #",
        "# & origin of %",
        "(origin of # or origin of %) on @",
        "{ # plays and origin of % between # and origin of # }",
    ]);
    (forms, select(names), select(names), region()).prop_map(|(form, one, other, region)| {
        let text = form.replace('#', one).replace('%', other).replace('@', region);
        if text.contains(" and check") { format!("{{ {text} }}") } else { text }
    })
}

/// The text of a query that gives names to one or two pieces and then speaks of them.
pub(super) fn query_with_names() -> impl Strategy<Value = String> {
    let body = |names: &'static [&'static str]| {
        let one = (select(vec!["", "", "never ", "became ", "ceased ", "always "]), named_leaf(names), after());
        let one = one.prop_map(|(before, leaf, after)| match before {
            "always " => format!("always {leaf} until move 20"),
            "became " | "ceased " if after.contains(" for ") => format!("{before}{leaf} in middlegame"),
            before => format!("{before}{leaf}{after}"),
        });
        let part = prop_oneof![4 => one, 1 => condition()];
        part.prop_recursive(2, 5, 3, |inner| {
            let then = (inner.clone(), inner.clone()).prop_map(|(first, second)| format!("({first} then {second})"));
            prop_oneof![3 => combined(inner.boxed()), 1 => then]
        })
    };
    let word = || select(vec!["and", "and", "then", "then within 9", "or"]);
    let one =
        (introduction("N"), word(), body(&["N"])).prop_map(|(first, word, rest)| format!("{first} {word} ({rest})"));
    let two = (introduction("N"), word(), introduction("M"), word(), body(&["N", "M"]))
        .prop_map(|(first, word, second, then, rest)| format!("({first} {word} {second}) {then} ({rest})"));
    prop_oneof![2 => one, 1 => two]
}
