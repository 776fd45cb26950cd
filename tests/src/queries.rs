//! Random queries by the grammar: every operator in every combination, and every predicate.

use std::convert::Infallible;

use plyfold_core::board::make::FullState;
use plyfold_core::board::start::PackedStart;
use plyfold_core::board::{Board, ColorCode};
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::scan::Query;
use plyfold_core::scan::measure::FEATURES;
use plyfold_core::transform::Transform;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use shakmaty::Role;

use crate::games::{PlayedGame, STARTS, play, play_calmly, play_in_circles, position};
use crate::images;
use crate::tables::FAKE_TABLES;

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

/// The text of a side, followed by a space, or nothing.
fn side() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => select(vec!["", "white ", "black ", "either ", "both ", "neither "]),
        1 => select(vec!["mover ", "waiter ", "winner ", "loser ", "\"kasparov*\" ", "\"muller, k*\" "]),
    ]
}

/// The text of a side whose squares are counted, followed by a space, or nothing.
fn counted_side() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        3 => select(vec!["", "white ", "black ", "both "]),
        2 => select(vec!["mover ", "waiter ", "winner ", "loser ", "\"kasparov*\" "]),
    ]
}

fn region() -> impl Strategy<Value = &'static str> {
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

/// The text of a move.
fn played() -> impl Strategy<Value = String> {
    let side = select(vec!["", "white ", "black ", "either ", "winner ", "loser ", "\"kasparov*\" "]);
    let men = || select(vec!["", "", "pawn ", "knight ", "bishop ", "rook ", "queen ", "king ", "piece "]);
    let becomes = select(vec!["", "to knight ", "to rook ", "to queen "]);
    let action = prop_oneof![
        3 => men().prop_map(|man| format!("plays {man}")),
        1 => (men(), select(vec!["plays ", "quiet ", "castles ", "castles short ", "castles_long ", "en passant "]))
            .prop_map(|(man, action)| format!("{man}{action}")),
        3 => (men(), select(vec!["gives check ", "gives_double_check ", "gives discovered check ", "gives mate ", "stalemates ", "sacrifices ", "exchange_sacrifice ", "queen_sacrifice ", "perpetual ", "perpetual check "]))
            .prop_map(|(man, action)| format!("{man}{action}")),
        3 => (men(), select(vec!["captures", "recaptures"]), men())
            .prop_map(|(man, action, object)| format!("{man}{action} {object}")),
        1 => (men(), select(vec!["promotes", "underpromotes"]), becomes)
            .prop_map(|(man, action, object)| format!("{man}{action} {object}")),
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

/// The text of a set of squares, in every form.
fn squares() -> impl Strategy<Value = String> {
    let placed: Vec<&'static str> = FEATURES.iter().filter(|one| one.has_location).map(|one| one.name).collect();
    let men = || select(vec!["pawn", "knight", "bishop", "rook", "queen", "king", "piece"]);
    let one = prop_oneof![
        3 => men().prop_map(str::to_owned),
        3 => select(placed).prop_map(str::to_owned),
        1 => (men(), region()).prop_map(|(man, region)| format!("{man} on {region}")),
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
            1 => (men(), relation(), select(vec!["", " & not beside enemy pawn"]))
                .prop_map(|(man, relation, and)| format!("{man} {relation}{and}")),
            1 => (men(), inner.clone(), related(), prop::option::of(related())).prop_map(|(man, set, target, through)| {
                let through = through.map_or(String::new(), |through| format!(" through {through}"));
                format!("({man} & ({set})) xrays {target}{through}")
            }),
            // Only what has a side attacks.
            1 => (men(), inner, select(vec!["attacks", "defends"]), prop_oneof![men(), region()])
                .prop_map(|(man, set, verb, target)| format!("({man} & ({set})) {verb} {target}")),
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

/// The text of a random leaf.
fn leaf() -> impl Strategy<Value = String> {
    let one_side = select(vec!["", "white ", "black "]);
    let sign = select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let placed: Vec<&'static str> = FEATURES
        .iter()
        .filter(|feature| feature.has_location && feature.has_sides)
        .map(|feature| feature.name)
        .collect();
    let men = || select(vec!["pawn", "knight", "bishop", "rook", "queen", "king", "piece", "man", "men", "pieces"]);
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
        2 => (select(vec!["white", "black", "both", "mover", "waiter", "winner", "loser", "\"kasparov*\""]), sign, 0..9i32).prop_map(|(side, sign, n)| format!("2 * points({side}) - (points(black) + 3) * 2 {sign} 0 - {n} + count(rook)")),
        2 => (select(vec!["king_distance", "legal_moves", "moves_of(white king)", "moves_of(black pawn)", "captures(black)", "clock", "repetition", "king_distance + count(pawn)"]), select(vec!["=", ">=", "<"]), 1..8i32)
            .prop_map(|(number, sign, n)| format!("{number} {sign} {n}")),
        2 => text_number(),
        1 => (select(vec!["mover", "waiter", "winner", "loser", "\"kasparov*\""]), select(vec!["=", ">=", "<"]), 1..8i32, select(vec!["moves_of(SIDE king)", "moves_of(SIDE piece)", "captures(SIDE)", "2 * captures(SIDE) - captures(white)"]))
            .prop_map(|(side, sign, n, number)| format!("{} {sign} {n}", number.replace("SIDE", side))),
        1 => (select(vec!["", ", white", ", mover", ", winner", ", both", ", \"kasparov*\""]), region(), 0..4i32)
            .prop_map(|(side, region, n)| format!("attackers({region}{side}) >= {n}")),
        1 => (select(vec!["", "white ", "mover ", "winner "]), squares(), select(vec!["", ", both"]), 0..3i32)
            .prop_map(|(owner, set, side, n)| format!("attackers({owner}piece & ({set}){side}) > {n}")),
        2 => (select(vec!["", "white ", "black ", "either ", "winner ", "loser ", "\"kasparov*\" "]), mark()).prop_map(|(side, mark)| format!("{side}{mark}")),
        5 => table_condition(),
        2 => (side(), men(), select(vec!["attacks", "defends"]), prop_oneof![men(), region()])
            .prop_map(|(side, man, verb, target)| format!("{side}{man} {verb} {target}")),
        3 => (select(vec!["", "no "]), select(vec!["", "white ", "black ", "mover ", "winner "]), squares())
            .prop_map(|(no, side, set)| format!("{no}{side}piece & ({set})")),
        1 => (counted_side(), squares(), 0..4i32)
            .prop_map(|(side, set, n)| format!("count({side}piece & ({set})) >= {n}")),
        2 => (select(vec!["ply", "move"]), select(vec![">= ", "< ", "= ", "1..", "<= "]), 1..40u32)
            .prop_map(|(unit, sign, n)| format!("{unit} {sign}{n}")),
        2 => (select(vec!["", "white ", "black "]), select(vec!["R v BN", "P v 0", "RvR", "R+2PvR", "0 v Q", "BvN"]))
            .prop_map(|(side, men)| format!("imbalance {side}{men}")),
    ]
}

/// The text of a condition on endgame tables.
pub fn table_condition() -> impl Strategy<Value = String> {
    let sides = || select(vec!["", "white ", "black ", "either ", "winner ", "loser ", "\"kasparov*\" "]);
    let any_side = prop_oneof![3 => sides(), 1 => select(vec!["both ", "neither ", "mover ", "waiter "])];
    let one_side = || select(vec!["white", "black", "mover", "waiter", "winner", "loser", "\"kasparov*\""]);
    let sign = || select(vec!["=", "!=", "<", "<=", ">", ">="]);
    prop_oneof![
        4 => (any_side, select(vec!["win", "draw", "loss"])).prop_map(|(side, outcome)| format!("{side}tb {outcome}")),
        2 => (sides(), select(vec!["", " win", " draw"])).prop_map(|(side, thrown)| format!("{side}threw_away{thrown}")),
        1 => (sign(), 0..20i32).prop_map(|(sign, n)| format!("tb_dtm {sign} {n}")),
        1 => (one_side(), sign(), 0..20i32).prop_map(|(side, sign, n)| format!("tb_dtm({side}) {sign} {n}")),
        1 => (one_side(), 0..9i32, 0..20i32).prop_map(|(side, n, more)| format!("tb dtm({side}) between {n} and {}", n + more)),
        2 => (one_side(), sign(), 0..3i32).prop_map(|(side, sign, n)| format!("half_points_lost({side}) {sign} {n}")),
        1 => (one_side(), sign()).prop_map(|(side, sign)| format!("2 * half_points_lost({side}) + tb_dtm {sign} 9 - half_points_lost(black)")),
    ]
}

/// The text of a mark of a move.
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
    ])
}

/// The text of a comparison of numbers that the text of a game says.
fn text_number() -> impl Strategy<Value = String> {
    let sign = || select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let clock = || select(vec!["clock_time(white)", "clock_time(black)", "time_spent"]);
    prop_oneof![
        3 => (select(vec!["eval", "eval_change"]), sign(), -400..400i32)
            .prop_map(|(number, sign, n)| format!("{number} {sign} 0 + {n}").replace("+ -", "- ")),
        1 => (sign(), -6..6i32).prop_map(|(sign, n)| format!("mate_in {sign} 0 + {n}").replace("+ -", "- ")),
        1 => (select(vec!["mover", "waiter", "winner", "loser", "\"kasparov*\""]), sign(), 0..200i32)
            .prop_map(|(side, sign, n)| format!("clock_time({side}) {sign} {n}")),
        1 => sign().prop_map(|sign| format!("clock_time(winner) {sign} clock_time(loser) + 10")),
        2 => (clock(), sign(), 0..200i32).prop_map(|(number, sign, n)| format!("{number} {sign} {n}")),
        2 => (sign(), 0..60i32, select(vec![1, 2, -3]))
            .prop_map(|(sign, n, by)| format!("0 - {n} + {by} * clock_time(white) {sign} clock_time(black)").replace("+ -", "- ")),
        1 => (sign(), select(vec!["eval - eval", "2 * eval_change - time_spent", "0 * mate_in"])).prop_map(|(sign, sum)| format!("{sum} {sign} 3")),
    ]
}

/// The text of a header condition.
fn header() -> impl Strategy<Value = String> {
    select(vec![
        "result 1-0",
        "result 0-1",
        "result 1/2-1/2",
        "result draw",
        "result decisive",
        "result *",
        "white \"kasparov*\"",
        "black \"Kasparov*\"",
        "player \"KASPAROV*\"",
        "\"muller*\"",
        "winner \"White 0\"",
        "loser \"*g*\"",
        "elo >= 2400",
        "white elo < 2500",
        "black elo 1200..2400",
        "either elo > 2500",
        "winner elo >= 2000",
        "loser elo >= 2000",
        "average elo >= 2000",
        "elo difference <= 200",
        "round \"3*\"",
        "not round \"*\"",
        "annotator \"*muller*\"",
        "time_control \"300+3\"",
        "white title GM, IM",
        "winner title GM",
        "either title \"w*\"",
        "title GM, WGM",
        "winner elo > loser elo",
        "white elo >= black elo + 50",
        "black elo - white elo != 100",
        "loser elo + 100 <= winner elo",
        "eco B90-B99",
        "eco B, C42",
        "eco c4",
        "year 1990",
        "year 1980..1989",
        "year >= 1986",
        "date >= 1990.05",
        "date 1985..1990.05",
        "date <= 1990.05.01",
        "event \"*candidates*\"",
        "site \"Linares*\"",
        "plies >= 40",
        "plies < 20",
        "ended checkmate",
        "ended time forfeit, stalemate",
        "time_class blitz, rapid",
        "incomplete",
        "time class bullet",
        "in @a",
        "in @abc",
        "in @one_in-8.",
    ])
    .prop_map(str::to_owned)
}

/// The text of a random leaf about the whole board: an exact position, a pawn structure, a material, or a pattern.
pub fn whole_leaf() -> impl Strategy<Value = String> {
    let game = (0..STARTS.len(), prop::collection::vec(any::<u16>(), 0..12));
    let endgame = prop::sample::select(vec!["pawn", "knight", "bishop", "minor", "rook", "queen"]);
    let side = prop::sample::select(vec!["", "white ", "black "]);
    // A pattern tests few squares or many. A tested square names one piece or allows several.
    let open =
        (any::<u64>(), any::<u64>(), any::<bool>()).prop_map(|(some, few, many)| if many { some } else { some & few });
    let several = prop_oneof![any::<u64>(), Just(u64::MAX)];
    let turn = select(vec!["identity", "identity", "flipH", "rot90", "rot180", "flipcolor", "polish", "shift:1,0"]);
    let under = select(vec![
        "",
        "",
        " under mirror",
        " under flips, rotations, colour flip",
        " under rot90, swap_colours",
        " under rotations, colour_flip",
        " under file_shifts",
        " under shifts, polish",
        " under shift(-1,0), flips",
    ]);
    (0..5, game, 1usize..=6, open, several, endgame, side, turn, under).prop_map(
        |(kind, (start, choices), fields, open, several, endgame, side, turn, under)| {
            let board = board_after(STARTS[start], &choices);
            let turned = |word: &str, text: &str| {
                // Either the text itself, or a text whose image it is.
                let transform = Transform::named(turn).expect("a name");
                let text = images::turned(word, text, transform).unwrap_or_else(|| text.to_owned());
                format!("{word} \"{text}\"{under}")
            };
            match kind {
                0 => {
                    let fen = board.fen().to_string();
                    turned("fen", &fen.split(' ').take(fields).collect::<Vec<_>>().join(" "))
                }
                1 => turned("structure", &structure_text(&board)),
                2 => turned("board", &pattern_text(&board, open, several)),
                3 => format!(
                    "material {side}{}v{}",
                    piece_letters(&board, ColorCode::WHITE),
                    piece_letters(&board, ColorCode::BLACK)
                ),
                _ => format!("endgame {endgame}"),
            }
        },
    )
}

/// The board after moves that are chosen by numbers.
fn board_after(start: Option<&'static str>, choices: &[u16]) -> Board {
    let (start, moves) = play(start, choices);
    let mut board = Board::from_start(&PackedStart::from_position(&position(start)));
    for mv in moves {
        board.make::<FullState>(mv);
    }
    board
}

/// The ranks of a board from the eighth to the first, each square as text.
fn ranks_text(square: impl Fn(usize) -> String) -> String {
    let rank = |rank: usize| (0..8).map(|file| square(rank * 8 + file)).collect::<String>();
    (0..8).rev().map(rank).collect::<Vec<_>>().join("/")
}

/// The capital letter of the piece on a square, or a dot.
fn piece_on(board: &Board, square: usize) -> char {
    board.mailbox[square].role().map_or('.', Role::upper_char)
}

/// The letter in the case that a FEN uses for the side of the piece on a square.
fn letter_of_side(board: &Board, square: usize, letter: char) -> char {
    if board.mailbox[square].side().is_black() { letter.to_ascii_lowercase() } else { letter }
}

/// The pawns of a board as a structure.
fn structure_text(board: &Board) -> String {
    ranks_text(|square| match piece_on(board, square) {
        'P' => letter_of_side(board, square, 'P').to_string(),
        _ => "1".to_owned(),
    })
}

/// A pattern that the board matches: it tests the squares of `open`, and allows several pieces on those of `several`.
fn pattern_text(board: &Board, open: u64, several: u64) -> String {
    ranks_text(|square| match (piece_on(board, square), open >> square & 1, several >> square & 1) {
        ('K', 1, 1) => "[KkN]".to_owned(),
        ('K', _, 0) => letter_of_side(board, square, 'K').to_string(),
        (_, 0, _) => "?".to_owned(),
        ('P', _, 1) => "[Pp.]".to_owned(),
        (piece, _, 1) => format!("[{}Nbq]", letter_of_side(board, square, piece)),
        (piece, ..) => letter_of_side(board, square, piece).to_string(),
    })
}

/// The letters of a side's pieces, one for each piece.
fn piece_letters(board: &Board, side: ColorCode) -> String {
    let numbers = board.piece_counts.of_side(side).iter().map(|&number| usize::from(number));
    "PNBRQK".chars().zip(numbers).map(|(letter, number)| letter.to_string().repeat(number)).collect()
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
    ]);
    (forms, select(names), select(names), region()).prop_map(|(form, one, other, region)| {
        let text = form.replace('#', one).replace('%', other).replace('@', region);
        if text.contains(" and check") { format!("{{ {text} }}") } else { text }
    })
}

/// The text of a query that gives names to one or two pieces and then speaks of them.
fn query_with_names() -> impl Strategy<Value = String> {
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

/// The text of a query. Some are refused: a condition that is known only at the end of a game cannot be followed by `then`,
/// and a query may have at most 64 predicates.
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
