//! The text of random conditions on one position or move, with every predicate.

use plyfold_core::scan::measure::FEATURES;
use plyfold_core::scan::measure::mate::NamedMate;
use plyfold_core::scan::predicate::Motif;
use proptest::prelude::*;
use proptest::sample::select;

use super::squares::squares;

/// The text of a side, followed by a space, or nothing.
fn side() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => select(vec!["", "white ", "black ", "either ", "both ", "neither "]),
        1 => select(vec!["mover ", "waiter ", "winner ", "loser ", "\"kasparov*\" ", "opponent \"kasparov*\" ", "\"muller, k*\" "]),
    ]
}

/// The text of a side whose squares are counted, followed by a space, or nothing.
fn counted_side() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        3 => select(vec!["", "white ", "black ", "both "]),
        2 => select(vec!["mover ", "waiter ", "winner ", "loser ", "\"kasparov*\" ", "opponent \"kasparov*\" "]),
    ]
}

pub(super) fn region() -> impl Strategy<Value = &'static str> {
    select(vec![
        "e4",
        "e4 d5 f6",
        "c",
        "a..c",
        "7",
        "5..8 a1",
        "centre",
        "light",
        "own 7",
        "own_half",
        "own 2 e",
        "own f2 own g2",
    ])
}

/// The text of a feature, sometimes in a region.
fn feature() -> impl Strategy<Value = (bool, String)> {
    (select(FEATURES), prop::option::of(region())).prop_map(|(feature, region)| match region {
        Some(region) if feature.has_location => (feature.has_sides, format!("{} on {region}", feature.name)),
        _ => (feature.has_sides, feature.name.to_owned()),
    })
}

/// The sides that a condition on one side takes, with the player of some games and the opponent.
const SIDES: &[&str] =
    &["", "white ", "black ", "either ", "winner ", "loser ", "\"kasparov*\" ", "opponent \"kasparov*\" "];

/// The text of a move.
fn played() -> impl Strategy<Value = String> {
    let side = select(SIDES);
    let pieces = || select(vec!["", "", "pawn ", "knight ", "bishop ", "rook ", "queen ", "king ", "piece "]);
    let becomes = select(vec!["", "to knight ", "to rook ", "to queen "]);
    let action = prop_oneof![
        3 => pieces().prop_map(|piece| format!("plays {piece}")),
        1 => (pieces(), select(vec!["plays ", "quiet ", "castles ", "castles short ", "castles_long ", "en passant "]))
            .prop_map(|(piece, action)| format!("{piece}{action}")),
        3 => (pieces(), select(vec!["gives check ", "gives_double_check ", "gives discovered check ", "gives mate ", "stalemates ", "sacrifices ", "exchange_sacrifice ", "queen_sacrifice ", "gives_up_queen ", "attacking_f2_f7 ", "perpetual ", "perpetual check "]))
            .prop_map(|(piece, action)| format!("{piece}{action}")),
        3 => (pieces(), select(Motif::ALL)).prop_map(|(piece, motif)| format!("{piece}{} ", motif.words().0[0])),
        2 => (pieces(), select(NamedMate::ALL)).prop_map(|(piece, mate)| format!("{piece}{} ", mate.word().0)),
        3 => (pieces(), select(vec!["captures", "recaptures"]), pieces())
            .prop_map(|(piece, action, object)| format!("{piece}{action} {object}")),
        1 => (pieces(), select(vec!["promotes", "underpromotes"]), becomes)
            .prop_map(|(piece, action, object)| format!("{piece}{action} {object}")),
    ];
    let from = prop_oneof![3 => Just(String::new()), 1 => region().prop_map(|region| format!("from {region} "))];
    let to = prop_oneof![3 => Just(String::new()), 1 => region().prop_map(|region| format!("to {region} "))];
    let how = prop_oneof![
        3 => Just(""),
        1 => select(vec!["forward ", "backward ", "along a file ", "along a rank ", "backward along a diagonal "]),
    ];
    (side, action, from, to, how, select(vec!["", "", "", " quiet"])).prop_map(
        |(side, action, from, to, how, quiet)| {
            // The words of a window that begin with `from` follow the squares, so they cannot be read as squares.
            format!("{side}{action}{from}{to}{how}{}", if action.contains("quiet") { "" } else { quiet.trim_start() })
                .trim_end()
                .to_owned()
        },
    )
}

/// The text of a random leaf.
pub(super) fn leaf() -> impl Strategy<Value = String> {
    let one_side = select(vec!["", "white ", "black "]);
    let sign = select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let placed: Vec<&'static str> = FEATURES
        .iter()
        .filter(|feature| feature.has_location && feature.has_sides)
        .map(|feature| feature.name)
        .collect();
    let pieces = || select(vec!["pawn", "knight", "bishop", "rook", "queen", "king", "piece", "man", "men", "pieces"]);
    prop_oneof![
        8 => (side(), feature()).prop_map(|(side, (sided, feature))| {
            if sided { format!("{side}{feature}") } else { feature }
        }),
        4 => played(),
        1 => (one_side.clone(), select(placed.clone()), region()).prop_map(|(side, feature, region)| format!("no {side}{feature} on {region}")),
        1 => select(vec!["winner ", "mover ", "\"white 1\" "]).prop_map(|side| format!("no {side}pawn on 4..5")),
        1 => Just("empty e4 d2 c7".to_owned()),
        2 => (counted_side(), select(placed), region(), sign.clone(), 0..5i32)
            .prop_map(|(side, feature, region, sign, n)| format!("count({side}{feature} on {region}) {sign} {n}")),
        2 => (select(vec!["white", "black", "both", "mover", "waiter", "winner", "loser", "\"kasparov*\"", "opponent \"kasparov*\""]), sign, 0..9i32).prop_map(|(side, sign, n)| format!("2 * points({side}) - (points(black) + 3) * 2 {sign} 0 - {n} + count(rook)")),
        2 => (select(vec!["king_distance", "legal_moves", "moves_of(white king)", "moves_of(black pawn)", "captures(black)", "clock", "repetition", "other_turn", "king_distance + count(pawn)"]), select(vec!["=", ">=", "<"]), 1..8i32)
            .prop_map(|(number, sign, n)| format!("{number} {sign} {n}")),
        2 => text_number(),
        1 => (select(vec!["mover", "waiter", "winner", "loser", "\"kasparov*\"", "opponent \"kasparov*\""]), select(vec!["=", ">=", "<"]), 1..8i32, select(vec!["moves_of(SIDE king)", "moves_of(SIDE piece)", "captures(SIDE)", "2 * captures(SIDE) - captures(white)"]))
            .prop_map(|(side, sign, n, number)| format!("{} {sign} {n}", number.replace("SIDE", side))),
        1 => (select(vec!["", ", white", ", mover", ", winner", ", both", ", \"kasparov*\""]), region(), 0..4i32)
            .prop_map(|(side, region, n)| format!("attackers({region}{side}) >= {n}")),
        1 => (select(vec!["", "white ", "mover ", "winner "]), squares(), select(vec!["", ", both"]), 0..3i32)
            .prop_map(|(owner, set, side, n)| format!("attackers({owner}piece & ({set}){side}) > {n}")),
        2 => (select(SIDES), mark()).prop_map(|(side, mark)| format!("{side}{mark}")),
        1 => select(vec!["in_repertoire @wide", "in_repertoire @deep"]).prop_map(str::to_owned),
        5 => table_condition(),
        2 => (side(), pieces(), select(vec!["attacks", "defends"]), prop_oneof![pieces(), region()])
            .prop_map(|(side, piece, verb, target)| format!("{side}{piece} {verb} {target}")),
        3 => (select(vec!["", "no "]), select(vec!["", "white ", "black ", "mover ", "winner "]), squares())
            .prop_map(|(no, side, set)| format!("{no}{side}piece & ({set})")),
        1 => (counted_side(), squares(), 0..4i32)
            .prop_map(|(side, set, n)| format!("count({side}piece & ({set})) >= {n}")),
        3 => written_move(),
        1 => written_line().prop_map(str::to_owned),
        2 => (select(vec!["ply", "move"]), select(vec![">= ", "< ", "= ", "1..", "<= "]), 1..40u32)
            .prop_map(|(unit, sign, n)| format!("{unit} {sign}{n}")),
        2 => (select(vec!["", "white ", "black "]), select(vec!["R v BN", "P v 0", "RvR", "R+2PvR", "0 v Q", "BvN"]))
            .prop_map(|(side, pieces)| format!("imbalance {side}{pieces}")),
    ]
}

/// The text of a condition on endgame tables.
pub fn table_condition() -> impl Strategy<Value = String> {
    let sides = || select(SIDES);
    let any_side = prop_oneof![3 => sides(), 1 => select(vec!["both ", "neither ", "mover ", "waiter "])];
    let one_side = || {
        select(vec!["white", "black", "mover", "waiter", "winner", "loser", "\"kasparov*\"", "opponent \"kasparov*\""])
    };
    let sign = || select(vec!["=", "!=", "<", "<=", ">", ">="]);
    prop_oneof![
        4 => (any_side, select(vec!["win", "draw", "loss"])).prop_map(|(side, outcome)| format!("{side}tb {outcome}")),
        2 => prop_oneof![sides(), Just("mover ")].prop_map(|side| format!("{side}zugzwang")),
        2 => (sides(), select(vec!["", " win", " draw"])).prop_map(|(side, thrown)| format!("{side}threw_away{thrown}")),
        1 => (sign(), 0..20i32).prop_map(|(sign, n)| format!("tb_dtm {sign} {n}")),
        1 => (one_side(), sign(), 0..20i32).prop_map(|(side, sign, n)| format!("tb_dtm({side}) {sign} {n}")),
        1 => (one_side(), 0..9i32, 0..20i32).prop_map(|(side, n, more)| format!("tb dtm({side}) between {n} and {}", n + more)),
        2 => (one_side(), sign(), 0..3i32).prop_map(|(side, sign, n)| format!("half_points_lost({side}) {sign} {n}")),
        1 => (one_side(), sign()).prop_map(|(side, sign)| format!("2 * half_points_lost({side}) + tb_dtm {sign} 9 - half_points_lost(black)")),
    ]
}

/// The text of a move as it is written.
fn written_move() -> impl Strategy<Value = String> {
    let side = select(vec!["", "white ", "black ", "either ", "winner ", "\"kasparov*\" "]);
    let origin = || prop_oneof![4 => Just(""), 1 => select(vec!["b", "g", "1", "5", "8", "d4"])];
    let square = || {
        (select(vec!["a", "b", "c", "d", "e", "f", "g", "h"]), 1..9).prop_map(|(file, rank)| format!("{file}{rank}"))
    };
    let signs = || prop_oneof![3 => Just(""), 1 => Just("+"), 1 => Just("#")];
    let sign = || select(vec!["", "", "x"]);
    let by_piece = (select(vec!["K", "Q", "R", "B", "N"]), origin(), sign(), square())
        .prop_map(|(piece, origin, sign, square)| format!("{piece}{origin}{sign}{square}"));
    let inner = (select(vec!["a", "c", "d", "e", "h"]), 2..8);
    let by_pawn = (select(vec!["bx", "dx", "ex", "gx"]), inner.clone())
        .prop_map(|(from, (file, rank))| format!("{from}{file}{rank}"));
    let becomes = (select(vec!["a8=Q", "bxa8=N", "e1=R", "dxc1=B", "cxd8=Q", "g8=Q"])).prop_map(str::to_owned);
    let written = prop_oneof![
        5 => by_piece,
        3 => by_pawn,
        1 => becomes,
        2 => select(vec!["O-O", "O-O-O"]).prop_map(str::to_owned),
    ];
    let pawn = (select(vec!["white ", "black ", "either ", "loser "]), inner)
        .prop_map(|(side, (file, rank))| format!("{side}{file}{rank}"));
    prop_oneof![
        4 => (side, written, signs()).prop_map(|(side, written, sign)| format!("{side}{written}{sign}")),
        1 => (pawn, signs()).prop_map(|(pawn, sign)| format!("{pawn}{sign}")),
    ]
}

/// The text of a line of moves; random games begin with the shortest ones.
fn written_line() -> impl Strategy<Value = &'static str> {
    select(vec![
        "1. e4",
        "played 1. d4",
        "played e3",
        "1.Nf3 Nf6 2.Ng1 Ng8",
        "played 1. a3 a6",
        "reached h4 h5",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5",
        "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#",
        "played 1. e4 1...d5 2. exd5",
    ])
}

/// The text of a mark of a move, or of one that leaves the lines of [`lines`](crate::lines).
fn mark() -> impl Strategy<Value = &'static str> {
    select(vec![
        "blunder",
        "mistakes",
        "inaccuracy",
        "time trouble",
        "commented",
        "nag 4",
        "nag \"!\"",
        "nag 9",
        "comment \"*novelty\"",
        "comment \"*e*\"",
        "comment \"n\"",
        "left @wide",
        "left @deep",
    ])
}

/// The text of a comparison of numbers that the text of a game says.
fn text_number() -> impl Strategy<Value = String> {
    let sign = || select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let clock = || select(vec!["clock_time(white)", "clock_time(black)", "time_spent"]);
    prop_oneof![
        3 => (select(vec!["eval_cp", "eval_change_cp", "eval"]), sign(), -400..400i32)
            .prop_map(|(number, sign, n)| format!("{number} {sign} 0 + {n}").replace("+ -", "- ")),
        1 => (sign(), -6..6i32).prop_map(|(sign, n)| format!("mate_in {sign} 0 + {n}").replace("+ -", "- ")),
        1 => (select(vec!["mover", "waiter", "winner", "loser", "\"kasparov*\"", "opponent \"kasparov*\""]), sign(), 0..200i32)
            .prop_map(|(side, sign, n)| format!("clock_time({side}) {sign} {n}")),
        1 => sign().prop_map(|sign| format!("clock_time(winner) {sign} clock_time(loser) + 10")),
        2 => (clock(), sign(), 0..200i32).prop_map(|(number, sign, n)| format!("{number} {sign} {n}")),
        2 => (sign(), 0..60i32, select(vec![1, 2, -3]))
            .prop_map(|(sign, n, by)| format!("0 - {n} + {by} * clock_time(white) {sign} clock_time(black)").replace("+ -", "- ")),
        1 => (sign(), select(vec!["eval - eval", "2 * eval_change_cp - time_spent", "100 * eval - eval_cp", "0 * mate_in"])).prop_map(|(sign, sum)| format!("{sum} {sign} 3")),
    ]
}
