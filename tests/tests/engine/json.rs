//! Text to tree to JSON to tree to text: nothing is lost, and errors in JSON give their place.

use plyfold_core::query::json::{MAX_NESTING, from_json, schema, to_json};
use plyfold_core::query::parse::{MAX_DEPTH, parse};
use plyfold_core::scan::measure::FEATURES;
use proptest::prelude::*;
use proptest::sample::select;

const GRAMMAR: &str = include_str!("../../../core/query/src/GRAMMAR.md");

/// Asserts that a query survives the round trip.
fn goes_round(text: &str) {
    let tree = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let json = to_json(&tree);
    let read = from_json(&json).unwrap_or_else(|error| panic!("{text}: {json}: {error}"));
    assert_eq!(read, tree, "{text}: {json}");
    assert_eq!(read.to_string(), tree.to_string());
}

#[test]
fn examples_of_the_grammar_go_round() {
    // The cells of tables that read as queries: the examples, and forms without blanks to fill in.
    let cells = GRAMMAR.lines().filter(|line| line.starts_with("| `")).flat_map(|line| line.split('|').nth(1));
    let texts = cells.map(|cell| cell.trim().trim_matches('`')).filter(|text| parse(text).is_ok());
    assert!(texts.map(goes_round).count() > 30);
}

#[test]
fn queries_of_every_form_go_round() {
    for text in [
        "",
        "{ queens_off and white bishop_pair } for 8",
        "never white castled and always { not check } until move 20 and became queens_off before move 20",
        "ceased check at least 2 times at most 5 times between moves 3..40 in middlegame",
        "check exactly 3 times at end",
        "\"Carlsen*\" passed_pawn on own 7 and winner rook on e4 own_half",
        "no pawn on e and empty e4 e5 and no winner queen",
        "white knight attacks queen on d8 or black rook on e defends e4 d5 or mover bishop attacks king",
        "white knight plays to e5 and plays pawn from own 2 on own 4 and captures and bishop captures queen on h7 quiet",
        "white knight gives check on f7 and gives double check or discovered check and black gives mate or stalemates",
        "knight sacrifices on h7 and exchange sacrifice or winner queen sacrifice or black queen perpetual check",
        "legal_moves < 3 and moves_of(white king) = 0 and moves_of(black piece) > 20 and captures(white) - captures(black) > 2",
        "recaptures pawn forward and winner rook plays along a file and king castles short or castles long and quiet",
        "promotes to knight from b7 and \"Tal*\" underpromotes and en passant on 6 backward and takes along the diagonal forward",
        "count(white rook) - 2 * count(black pawn on own 7) >= points(white) - 3 and 0 - points(both) < 0 - 7",
        "1. e4 c5 2. Nf3 or played 1. d4 or winner Bxh7+ or O-O-O# after 12...Qd7 or { either e4 and dxe8=N }",
        "ply >= 20 and move 10..15 and move = 3 and ply <= 8",
        "material KRPvKR or material white KQvKR or endgame minor",
        "imbalance RvBN or imbalance white 2P v 0",
        "fen \"8/8/4k3/8/8/4K3/4P3/8 w - -\" or structure \"8/p7/8/8/8/8/P7/8\"",
        "board \"????????/?????ppp/8/[Nn]......[Qq.]/????????/????????/?????PPP/??????K?\"",
        "fen \"8/8/4k3/8/8/4K3/4P3/8 w - -\" under colour flip for 3 or structure \"8/p7/8/8/8/8/P7/8\" under flips, rot90",
        "board \"????????/????????/???n????/????????/????????/????????/????????/??????K?\" under shift(2,-1), swap_colours, shifts",
        "result 1-0 and result decisive and result * or result draw",
        "white \"Kasparov*\" and player \"x\" and winner \"Tal\" and event \"*Candidates*\" and source \"a.pgn\"",
        "elo >= 2500 and white elo 2000..2200 and elo difference <= 50 and average elo = 2000 and either elo >= 9",
        "white elo > black elo and black elo + 50 != white elo and winner elo - loser elo <= -100 and loser elo = winner elo + 7",
        "comment \"*novelty*\" and white comment \"x\" after move 9 or not \"Tal*\" comment \"*, (y)\"",
        "in_repertoire @mine for 8 and not loser left @a.b-c before move 9 or { left @mine and check }",
        "white tb win and mover tb loss for 3 or tb draw then winner threw_away win or threw_away and not black threw_away draw",
        "tb_dtm <= 10 and tb_dtm(white) + half_points_lost(mover) >= half_points_lost(black) and count(pawn) between 3 and 5",
        "round \"3*\" and annotator \"*x*\" and time control \"300+3\" and white title GM, im and either title \"W*\", FM and title CM",
        "winner title WGM or loser title \"a title\" or both titles IM or not black title GM",
        "eco B80-B99, C42 and opening \"sicilian najdorf\" and eco D",
        "year 1985..1995 and date >= 1990.05 and date <= 1991.02.03 and date = 1990",
        "plies >= 40 and ended checkmate, time_forfeit and time_class blitz, rapid",
        "black king on f..h then within 20 checkmate then (check or stalemate then queens_off)",
        "not (check and not (queens_off or check))",
    ] {
        // Examples with features that do not exist yet use other conditions instead.
        if text.contains("checkmate") && !FEATURES.iter().any(|feature| feature.name == "checkmate") {
            goes_round(&text.replace("then within 20 checkmate", "then within 20 check").replace("stalemate", "check"));
        } else {
            goes_round(text);
        }
    }
}

/// Conditions on a position, as text.
fn leaf() -> impl Strategy<Value = String> {
    let side = select(vec!["", "white ", "black ", "both ", "neither ", "mover ", "winner ", "\"X, *\" "]);
    let region = select(vec!["", " on e4", " on a..c 7", " on own 7 e", " on own_half", " on light", " on h1 h8"]);
    let feature = select(FEATURES.to_vec());
    let of_side = (side, feature, region).prop_map(|(side, feature, region)| {
        let (side, region) =
            (if feature.has_sides { side } else { "" }, if feature.has_location { region } else { "" });
        format!("{side}{}{region}", feature.name)
    });
    let others = select(vec![
        "empty e4 d5..d5",
        "empty e4 d5",
        "no white pawn on e",
        "white knight attacks rook on a8",
        "count(white rook) + 2 * points(black) != 7 - count(pawn on e)",
        "black rook captures pawn on own 7 forward",
        "white blunder and mistake and \"Tal*\" inaccuracy and loser time_trouble and commented and black nag 14",
        "eval_change <= 0 - 3 and clock_time(white) - clock_time(black) >= 60 and mate_in = 3 and time_spent > 9",
        "plays king from e1",
        "move 5..9",
        "ply >= 3",
        "material KRvK",
        "imbalance R v BN",
        "endgame rook",
    ]);
    prop_oneof![3 => of_side, 1 => others.prop_map(str::to_owned)].prop_filter("a query", |text| parse(text).is_ok())
}

/// The words around a condition.
fn window() -> impl Strategy<Value = (&'static str, String)> {
    let before = select(vec!["", "never ", "became ", "never ceased ", "ceased "]);
    let often = select(vec!["", " for 8", " at least 2 times", " exactly 4 times", " at most 3 times"]);
    let when = select(vec!["", " before move 20", " from ply 3 until move 9", " at end", " between plies 4..9"]);
    let phase = select(vec!["", " in opening", " in middlegame", " in endgame"]);
    (before, often, when, phase).prop_map(|(before, often, when, phase)| (before, format!("{often}{when}{phase}")))
}

/// Conditions at one position, in braces.
fn together() -> impl Strategy<Value = String> {
    let inner = leaf().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| format!("not ({inner})")),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" and "))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" or "))),
            prop::collection::vec(inner.clone(), 3..5).prop_map(|parts| format!("2 of ({})", parts.join(", "))),
            inner.prop_map(|inner| format!("{{ {inner} }}")),
        ]
    });
    inner.prop_map(|inner| format!("{{ {inner} }}"))
}

/// Queries, as text.
fn query() -> impl Strategy<Value = String> {
    let header = select(vec![
        "result 1-0, 0-1",
        "result 1/2-1/2",
        "white \"A*\"",
        "elo 2000..2400",
        "eco A00-A39, E",
        "year 1990",
        "date 1990.05..1991",
        "ended normal",
        "time_class bullet",
    ]);
    let condition = (prop_oneof![leaf(), together()], window())
        .prop_map(|(what, (before, after))| format!("{before}{what}{after}"));
    let part = prop_oneof![3 => condition, 1 => header.prop_map(str::to_owned)];
    part.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| format!("not ({inner})")),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" and "))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" or "))),
            prop::collection::vec(inner.clone(), 3..5).prop_map(|parts| format!("2 of ({})", parts.join(", "))),
            (inner.clone(), inner.clone()).prop_map(|(first, second)| format!("(({first}) then ({second}))")),
            (inner, together()).prop_map(|(first, second)| format!("(({first}) then within 12 {second})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn trees_go_round(text in query()) {
        if parse(&text).is_ok() {
            goes_round(&text);
        }
    }
}

/// Queries in the words of earlier versions, and in today's words with the same meaning.
const FORMER_WORDS: &[(&str, &str)] = &[
    ("white man on e4", "white piece on e4"),
    ("count(men) <= 7 and no black man on own_half", "count(piece) <= 7 and no black piece on own_half"),
    ("white pawn attacks piece", "white pawn attacks pieces"),
    ("attacked_man on e5 or defended_men or pinned man", "attacked_piece on e5 or defended_pieces or pinned piece"),
    (
        "structure \"8/pp3ppp/4p3/8/3P4/8/PP3PPP/8\" under mirror, polish",
        "structure \"8/pp3ppp/4p3/8/3P4/8/PP3PPP/8\" under mirror, swap colours",
    ),
];

#[test]
fn former_words_mean_the_same() {
    for &(former, current) in FORMER_WORDS {
        let [former_tree, tree] = [former, current].map(|text| parse(text).expect(text));
        assert_eq!(former_tree, tree, "{former}");
        assert_eq!(to_json(&former_tree), to_json(&tree), "{former}");
        for word in ["man", "men", "polish"] {
            let is_written = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|other| other == word);
            assert!(!is_written(&former_tree.to_string()) && !is_written(&to_json(&former_tree)), "{word}: {former}");
        }
    }
    let former = r#"{"under":{"what":{"structure":"8/pp6/8/8/8/8/PP6/8"},"transforms":["polish"]}}"#;
    let current = "structure \"8/pp6/8/8/8/8/PP6/8\" under swap_colours";
    assert_eq!(from_json(former).expect(former), parse(current).expect(current));
}

#[test]
fn json_of_the_first_version_keeps_its_meaning() {
    for (json, text) in [
        (r#"{"squares":{"side":"white","of":"bishop_pair"}}"#, "white two_bishops"),
        (
            r#"{"and":[{"compare":{"left":"eval","is":">=","right":"150"}},{"eco":["B90"]}]}"#,
            "eval_cp >= 150 and eco_tag B90",
        ),
        (r#"{"name":{"of":"white","like":"eval"}}"#, "white \"eval\""),
        (r#"{"language":1,"query":{"squares":{"of":"iqp"}}}"#, "isolated_d_pawn"),
        (r#"{"language":2,"query":{"squares":{"of":"iqp"}}}"#, "isolated_queens_pawn"),
        (r#"{"language":2,"query":{"compare":{"left":"eval","is":">=","right":"1.5"}}}"#, "eval >= 1.5"),
        (r#"{"language":2,"query":"everything"}"#, ""),
    ] {
        assert_eq!(from_json(json).expect(json), parse(text).expect(text), "{json}");
    }
    assert!(refused(r#"{"language":3,"query":"everything"}"#).starts_with("/language: the query is of version 3"));
    assert!(refused(r#"{"language":2,"query":{"not":{"empty":"e9"}}}"#).starts_with("/query/not/empty: "));
    assert!(refused(r#"{"language":2,"query":{"or":[]}}"#).starts_with("/query: no query has this form"));
    assert!(refused(r#"{"language":2}"#).contains("missing field `query`"));
    assert!(refused(r#"{"language":2,"query":"everything","more":1}"#).contains("unknown field `more`"));
}

/// The error message for a JSON query, with its place.
fn refused(json: &str) -> String {
    from_json(json).expect_err(json).to_string()
}

/// Mistakes, and what is told of them.
const MISTAKES: &[(&str, &str)] = &[
    (
        r#"{"then": {"first": {"squares": {"of": "check"}}, "second": {"squares": {"of": "pased_pawn"}}}}"#,
        "/then/second/squares: unknown name `pased_pawn`: did you mean `passed_pawn`?",
    ),
    (
        r#"{"left": {"side": "mover", "lines": "mine"}}"#,
        "/left: one side moves at a ply: write `white`, `black` or a player instead of `mover`",
    ),
    (r#"{"empty": "e9"}"#, "/empty: `e9` is no region: there is no square `e9`"),
    (r#"{"empty": "e4 and check"}"#, "/empty: `e4 and check` is no region: a set of squares ends here"),
    (r#"{"empty": "e4 attacks d5"}"#, "/empty: `e4 attacks d5` is no region: this is more than squares"),
    (
        r#"{"squares": {"of": "queens_off", "side": "white"}}"#,
        "/squares: no query has this form: write {\"squares\":{\"of\":\"queens_off\"}}",
    ),
    (r#"{"and": [{"squares": {"of": "pawn"}}]}"#, "no query has this form: write {\"squares\":{\"of\":\"pawn\"}}"),
    (
        r#"{"some_of": {"number": 3, "parts": [{"ply": {}}, {"ply": {}}, {"ply": {}}]}}"#,
        "no query has this form: write {\"and\":[{\"ply\":{}},{\"ply\":{}},{\"ply\":{}}]}",
    ),
    (r#"{"or": []}"#, "no query has this form: write \"everything\""),
    (
        r#"{"not": {"together": {"condition": {"what": {"squares": {"of": "check"}}, "window": {"occurrence": {"for": 8}}}}}}"#,
        "/not: braces are one position, and `for` needs several: write it outside the braces",
    ),
    (
        r#"{"then": {"first": {"not": {"squares": {"of": "check"}}}, "second": {"squares": {"of": "check"}}}}"#,
        "`not` is known only at the end of the game, so nothing can follow it",
    ),
    (r#"{"name": {"of": "white", "like": "a\" or check or \""}}"#, "/name/like: a name contains no double quotes"),
    (
        r#"{"squares": {"side": {"player": " x"}, "of": "pawn"}}"#,
        "/squares/side/player: a name neither begins nor ends with a space",
    ),
    (r#"{"squares": {"of": "pawn and check"}}"#, "/squares/of: a set of squares ends here"),
    (r#"{"compare": {"left": "count(pawn) + 1 > 2", "is": ">", "right": "2"}}"#, "/compare/left: a sum ends here"),
    (
        r#"{"compare": {"left": "count(pawn)", "is": "=>", "right": "2"}}"#,
        "/compare/is: unknown comparison `=>`: did you mean `=`?",
    ),
    (
        r#"{"played": {"move": {"action": "captures", "piece": "night"}}}"#,
        "/played/move/piece: unknown piece `night`: did you mean `knight`?",
    ),
    (r#"{"material": "KRvK or check"}"#, "/material: `material KRvK or check` is more than one condition"),
    (r#"{"ended": ["checkmat"]}"#, "/ended/0: unknown ending `checkmat`: did you mean `checkmate`?"),
    (r#"{"eco": ["B80", "B9"]}"#, "/eco: `B9` is no ECO code such as `B90`, and no range such as `B80-B99`"),
    (r#"{"date": {"from": "1990.13"}}"#, "/date/from: `1990.13` is no date: a month is from 1 to 12"),
    (
        r#"{"condition": {"what": {"squares": {"of": "check"}}, "window": {}}}"#,
        "no query has this form: write {\"squares\":{\"of\":\"check\"}}",
    ),
    (
        r#"{"condition": {"what": {"squares": {"of": "check"}}, "window": {"for": 8}}}"#,
        "/condition/window/for: unknown field `for`, expected one of `quantifier`, `edge`, `occurrence`, `when`, `phase`",
    ),
    (r#"{"board": "8/8"}"#, "/board: a board has 8 ranks with `/` between them, not 2"),
    (
        r#"{"under": {"what": {"squares": {"of": "check"}}, "transforms": ["mirror"]}}"#,
        "/under: `under` stands after `fen`, `board` or `structure`: only these have images",
    ),
    (
        r#"{"under": {"what": {"board": "8/8/8/8/8/8/8/8"}, "transforms": []}}"#,
        "/under/what/board: White's king has no square here, but each side has a king in every game",
    ),
    (
        r#"{"squares": {"of": "check"}, "ply": {}}"#,
        "an object has one key, which names the condition: join several by `and`",
    ),
    (r#"{}"#, "an object with one key that names the condition is expected, and this is empty"),
    (r#""check""#, "unknown condition `check`"),
    (r#""squares""#, "invalid type: null, expected struct Squares"),
];

#[test]
fn mistakes_are_told_with_their_place() {
    for &(json, message) in MISTAKES {
        assert_eq!(refused(json), message, "{json}");
    }
}

#[test]
fn names_that_serde_does_not_know_have_a_nearest_one() {
    for (json, path, nearest) in [
        (r#"{"not": {"sqares": {"of": "check"}}}"#, "/not", Some("squares")),
        (r#"{"and": [{"squares": {"of": "check", "sid": "white"}}]}"#, "/and/0/squares/sid", Some("side")),
        (r#"{"squares": {"of": "check", "side": "whit"}}"#, "/squares/side", Some("white")),
        (r#"{"squares": {"side": "white"}}"#, "/squares", None),
        (r#"{"not": 3}"#, "/not", None),
        (r#"{"squares": {"of": "check"}} 1"#, "", None),
        (r#"{"elo": {"of": "both", "range": {"at_least": -1}}}"#, "/elo/range/at_least", None),
        ("", "", None),
    ] {
        let error = from_json(json).expect_err(json);
        assert_eq!((&*error.path, error.nearest.as_deref()), (path, nearest), "{json}: {error}");
    }
}

#[test]
fn depth_and_length_are_bounded() {
    let deep = |levels: usize| {
        let mut text = "check".to_owned();
        for nth in 0..levels {
            text = if nth % 2 == 0 { format!("(queens_off and {text})") } else { format!("(check or {text})") };
        }
        text
    };
    goes_round(&deep(MAX_DEPTH as usize - 2));
    goes_round(&["check"; MAX_DEPTH as usize].join(" then "));
    // The deepest query that is parsed at all does not exhaust the stack of a thread, and is refused.
    let nots = MAX_NESTING as usize - 1;
    let most = format!("{}{}{}", "{\"not\":".repeat(nots), "{\"ply\":null}", "}".repeat(nots));
    assert!(refused(&most).contains("invalid type: null"), "{}", refused(&most));
    let legal = format!("{}{}{}", "{\"not\":".repeat(nots - 1), "{\"ply\":{}}", "}".repeat(nots - 1));
    assert!(refused(&legal).contains("nest at most 64 deep"), "{}", refused(&legal));
    let more = format!("{}\"everything\"{}", "{\"not\":".repeat(nots + 2), "}".repeat(nots + 2));
    assert_eq!(refused(&more), format!("brackets nest at most {MAX_NESTING} deep"));
    let long = format!(r#"{{"name": {{"of": "event", "like": "{}"}}}}"#, "x".repeat(70_000));
    assert!(refused(&long).contains("at most 65536 bytes"), "{}", refused(&long));
    assert!(refused(&" ".repeat(2 << 20)).contains("bytes"));
}

#[test]
fn the_schema_that_is_published_is_that_of_the_code() {
    let published = include_str!("../../../docs/query.schema.json");
    assert!(published == schema(), "stale: run `plyfold schema > docs/query.schema.json`");
    assert!(published.contains("https://json-schema.org/draft/2020-12/schema"));
}
