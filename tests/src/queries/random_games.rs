//! Random games: short, long, in circles, and with few pieces.

use proptest::prelude::*;
use proptest::sample::select;

use crate::games::{PlayedGame, STARTS, play, play_calmly, play_in_circles};

/// Start positions in which White can go on giving check, in the second one by a choice of pieces.
const CHECKING: [&str; 2] = ["6k1/6p1/8/7Q/8/8/6PP/6K1 w - - 0 1", "r3k2r/8/8/3B4/R6Q/8/6PP/4K2R w Kkq - 0 1"];

/// Start positions of few pieces: with pawns that promote and are captured en passant, and with castling rights.
const FEW_PIECES: [&str; 4] = [
    "8/4P1k1/8/8/2pP4/8/2K5/8 b - d3 0 50",
    "4k2r/8/8/8/2pP4/8/8/R3K3 b Qk d3 0 50",
    "8/8/2k5/2p5/2P5/2K2R2/5r2/8 w - - 0 60",
    "8/8/8/4k3/8/8/3QK1q1/8 w - - 0 70",
];

/// A few games. Some are long and keep most of their pieces.
pub fn games() -> impl Strategy<Value = Vec<PlayedGame>> {
    let start = || 0..STARTS.len();
    let short = (start(), prop::collection::vec(any::<u16>(), 0..120))
        .prop_map(|(start, choices)| play(STARTS[start], &choices));
    let long = (start(), prop::collection::vec(any::<u16>(), 130..400))
        .prop_map(|(start, choices)| play_calmly(STARTS[start], &choices));
    let circles = (select(CHECKING.to_vec()), prop::collection::vec(any::<u16>(), 0..90))
        .prop_map(|(start, choices)| play_in_circles(start, &choices));
    prop::collection::vec(prop_oneof![6 => short, 1 => long, 1 => circles, 1 => ending()], 0..12)
}

/// A game that begins with few pieces.
pub fn ending() -> impl Strategy<Value = PlayedGame> {
    (select(FEW_PIECES.to_vec()), prop::collection::vec(any::<u16>(), 0..80))
        .prop_map(|(start, choices)| play(Some(start), &choices))
}
