//! Queries as text, as JSON, half typed and highlighted; plans of many queries.

use plyfold_core::headers::NamePattern;
use plyfold_core::headers::OpeningNames;
use plyfold_core::query::complete::complete;
use plyfold_core::query::highlight::highlight;
use plyfold_core::query::{self, parse};

use super::{Construct, ConstructSizes, Random, Read, repeated, shown};

/// The repeated tokens.
const TOKENS: &[&str] = &[
    // Brackets and words that nest.
    "(",
    ")",
    "{",
    "}",
    "()",
    "{}",
    "( ",
    "not ",
    "not (",
    "(check) ",
    "{ check } ",
    "(check and ",
    "(1+",
    "(1",
    "((1)+",
    "count(",
    "points(",
    "count(pawn)+",
    "count(white pawn) - ",
    "1+",
    "1 ",
    "1",
    "999999999 ",
    "0",
    "-",
    "- ",
    "+",
    "*",
    "2*",
    "..",
    "1..",
    "<",
    "< 1 ",
    ">= ",
    "=",
    "!",
    "!=",
    ",",
    ".",
    "/",
    ";",
    "&",
    // Consecutive conditions.
    "check and ",
    "check or ",
    "check then ",
    "check then within 3 ",
    "not check and ",
    "check and not ",
    "check for 2 and ",
    "{ check } and ",
    "(check or check) and ",
    "check ",
    "and ",
    "or ",
    "then ",
    "and or ",
    "never ",
    "always ",
    "became ",
    "ceased ",
    "ever ",
    "at least ",
    "at most 2 times ",
    "between 1 and 2 ",
    "before ply 1 ",
    "from ",
    "until ",
    "at end ",
    // Names of sides, features and squares, and similar words.
    "white ",
    "white black ",
    "either bishop_pair and ",
    "white bishop_piar and ",
    "bishop pair and ",
    "isolated pawn on d and ",
    "on a1 ",
    "a1 ",
    "a1,",
    "a1, b2, ",
    "a-h ",
    "a..h, ",
    "white knight on a1, b2 and ",
    "empty e4 and ",
    "empty e4, ",
    "white rook attacks d5 and ",
    "a",
    "a ",
    "a_",
    "zqzq ",
    "rook_on_seventh and ",
    "half ",
    "own_half ",
    "pawn ",
    // Quoted texts.
    "\"",
    "\"\"",
    "\"\" ",
    "\"a\" ",
    "\"a\" and ",
    "\"*\"",
    "player \"a\" and ",
    "player \"a*b*c\" and ",
    "player \"*a\" or ",
    "opening \"a\" and ",
    "opening \"Sicilian\" and ",
    "event \"é\" and ",
    "board \"8/8/8/8/8/8/8/8\" and ",
    "board \"????????/????????/????????/????????/????????/????????/????????/????????\" and ",
    "board \"8/\" ",
    "fen \"8/8/8/8/8/8/8/8 w - - 0 1\" and ",
    "white Bxh7+ after 12. Qd2 and ",
    "1. e4 c5 2. Nf3 and ",
    "structure \"8/pppppppp/8/8/8/8/PPPPPPPP/8\" and ",
    "structure \"8/pp6/8/8/8/8/PP6/8\" under flips and ",
    "board \"K7/8/8/8/8/8/8/7k\" under rotations and ",
    "/",
    "8/",
    "?",
    "[KQ]",
    // Conditions on headers, sets, materials.
    "elo >= 2000 and ",
    "year 2000..2010 and ",
    "date 2020.01.01 and ",
    "result 1-0 and ",
    "result 1-0, 0-1, ",
    "eco B90 and ",
    "eco B90..B99, ",
    "in @a and ",
    "@a ",
    "@",
    "@aaaa",
    "in @a or ",
    "material KRvKR and ",
    "KRvKR ",
    "KQQQQ",
    "imbalance RvB and ",
    "endgame rook and ",
    "plies > 10 and ",
    "source \"a\" and ",
    "time_class blitz and ",
    // Blanks and letters of other alphabets.
    " ",
    "\t",
    "\n",
    "\r\n",
    "\u{a0}",
    "\u{3000}",
    "é",
    "\u{0}",
    "\u{1b}",
    "_",
    "A",
    "ſ",
    "K",
    "\u{200b}",
];

const BEFORE: &[&str] = &["", "check and ", "{ check and ", "(", "count(", "player \"", "board \"", "not "];

fn compiled(text: &[u8]) {
    with_text(text, |text| drop(std::hint::black_box(query::compile(text))));
}

fn completed(text: &[u8]) {
    with_text(text, |text| drop(std::hint::black_box(complete(text, text.len()))));
}

fn painted(text: &[u8]) {
    with_text(text, |text| drop(std::hint::black_box(highlight(text))));
}

fn numbered(text: &[u8]) {
    with_text(text, |text| drop(std::hint::black_box(query::parse_number(text))));
}

fn from_json(text: &[u8]) {
    with_text(text, |text| {
        drop(std::hint::black_box(plyfold_core::query::json::from_json(text).map(|tree| tree.to_string())))
    });
}

fn pattern(text: &[u8]) {
    with_text(text, |text| {
        let pattern = NamePattern::new(text);
        std::hint::black_box(pattern.matches(&text.replace('*', "a")));
    });
}

/// Resolves opening names among a few openings, so that there are similar names.
fn opening(text: &[u8]) {
    let openings =
        OpeningNames::new("B90\tSicilian Defense: Najdorf Variation\nC60\tRuy Lopez\nA00\tVan't Kruijs Opening\n");
    with_text(text, |text| drop(std::hint::black_box(query::resolve_opening(&openings, text))));
}

fn with_text(text: &[u8], read: impl FnOnce(&str)) {
    read(std::str::from_utf8(text).expect("constructs of queries are UTF-8"));
}

/// Lengths up to `most`, the limit of a query, of completion or of highlighting.
fn lengths(extent: ConstructSizes, most: usize) -> Vec<usize> {
    if extent.is_long { vec![most / 64, most / 16, most / 4, most] } else { vec![most / 128, most / 32, most / 8] }
}

pub(super) fn constructs(extent: ConstructSizes) -> Vec<Construct> {
    let mut all = Vec::new();
    let mut add = |reader, read, before: &'static str, part: String, lengths: Vec<usize>| {
        let text = shown(part.as_bytes());
        let name = if before.is_empty() { text } else { format!("{before} then {text}") };
        let build = Box::new(move |bytes| repeated(before.as_bytes(), part.as_bytes(), bytes));
        all.push(Construct { reader, name, build, read, lengths });
    };
    let text = lengths(extent, parse::MAX_QUERY_BYTES);
    let typed = lengths(extent, 8192);
    // Completion tries every word of the language, which is slow.
    let completed_text = lengths(extent, if extent.is_long { 8192 } else { 2048 });
    let others: [(&str, Read, &Vec<usize>); 4] = [
        ("query painted", painted, &typed),
        ("number", numbered, &text),
        ("name pattern", pattern, &text),
        ("opening", opening, &text),
    ];
    for (nth, token) in TOKENS.iter().enumerate() {
        for (place, before) in BEFORE.iter().enumerate() {
            if extent.is_long || place == 0 || place == 1 + nth % (BEFORE.len() - 1) {
                add("query", compiled, before, (*token).into(), text.clone());
            }
        }
        // In a short run, each token goes to two of these readers.
        for (place, (reader, read, lengths)) in others.iter().enumerate() {
            if extent.is_long || place % 2 == nth % 2 {
                add(reader, *read, "", (*token).into(), (*lengths).clone());
            }
        }
        if extent.is_long || nth % 12 == 0 {
            add("query completed", completed, "", (*token).into(), completed_text.clone());
        }
    }
    let mut random = Random(extent.seed);
    for _ in 0..if extent.is_long { 500 } else { 60 } {
        let part = [TOKENS[random.below(TOKENS.len())], TOKENS[random.below(TOKENS.len())]].concat();
        add("query", compiled, BEFORE[random.below(BEFORE.len())], part, text.clone());
    }
    all.extend(json(extent));
    all
}

/// Queries as JSON: the beginning, the repeated part and the end.
const JSON: &[(&str, &str, &str)] = &[
    ("", "[", ""),
    ("", "{", ""),
    ("", "]", ""),
    ("", "{\"not\":", ""),
    ("{\"and\":[", "{\"not\":", ""),
    ("", "{\"and\":[", ""),
    ("", "\"", ""),
    ("\"", "a", "\""),
    ("\"", "\\", "\""),
    ("\"", "\\u0041", "\""),
    ("", " ", ""),
    ("", "1", ""),
    ("", "-", ""),
    ("", "null,", ""),
    ("{\"and\":[", "{\"squares\":{\"of\":\"check\"}},", "{\"squares\":{\"of\":\"check\"}}]}"),
    ("{\"or\":[", "{\"squares\":{\"of\":\"check\"}},", "{\"squares\":{\"of\":\"chekc\"}}]}"),
    ("{\"or\":[", "{\"squares\":{\"of\":\"\"}},", "1]}"),
    ("{\"together\":{\"and\":[", "{\"squares\":{\"of\":\"check\"}},", "{\"squares\":{\"of\":\"check\"}}]}}"),
    ("{\"and\":[", "{\"result\":[\"1-0\"]},", "{\"result\":[\"1-0\"]}]}"),
    ("{\"result\":[", "\"1-0\",", "\"1-0\"]}"),
    ("{\"and\":[", "{\"player\":{\"name\":\"a*\"}},", "{\"player\":{\"name\":\"a*\"}}]}"),
    ("{\"player\":{\"name\":\"", "a*", "\"}}"),
    ("{\"", "a", "\":1}"),
    ("{", "\"a\":1,", "\"b\":2}"),
    ("{\"and\":[", "1,", "1]}"),
];

fn json(extent: ConstructSizes) -> impl Iterator<Item = Construct> {
    let lengths = lengths(extent, plyfold_core::query::json::MAX_JSON_BYTES / if extent.is_long { 1 } else { 4 });
    JSON.iter().map(move |&(before, part, after)| Construct {
        reader: "query as JSON",
        name: format!("{before} {part} {after}"),
        build: Box::new(move |bytes| {
            [&repeated(before.as_bytes(), part.as_bytes(), bytes)[..], after.as_bytes()].concat()
        }),
        read: from_json,
        lengths: lengths.clone(),
    })
}
