//! Queries: the examples of the grammar are true, meanings are what they say, errors point.

use plyfold_core::corpus::file::{Check, Corpus};
use plyfold_core::game::spans;
use plyfold_core::query::compile;
use plyfold_core::reduce::{Wanted, answer};
use plyfold_core::scan::measure::FEATURES;
use plyfold_tests::games::Aligned;

const GRAMMAR: &str = include_str!("../../core/src/query/GRAMMAR.md");

/// Cells of the first column of the table below `heading`.
fn column(heading: &str) -> Vec<&'static str> {
    let section = GRAMMAR.split(heading).nth(1).expect("the heading");
    let rows =
        section.lines().skip_while(|line| !line.starts_with("|---")).skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split('|').nth(1).expect("a cell").trim()).collect()
}

#[test]
fn examples_of_the_grammar_are_queries() {
    let examples = column("## In a minute");
    assert!(examples.len() > 10);
    for example in examples {
        let text = example.trim_matches('`');
        compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}

#[test]
fn the_grammar_names_every_predicate() {
    let named: Vec<_> = GRAMMAR.split('`').collect();
    for feature in FEATURES {
        for name in feature.aliases.iter().chain([&feature.name]) {
            assert!(named.contains(name), "{name} is missing from GRAMMAR.md");
            compile(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

/// Games and positions of a small PGN that match.
fn matching(pgn: &str, query: &str) -> (u64, u64) {
    let (shard, report) = plyfold_core::pgn::into_shard(pgn.as_bytes(), 0);
    assert_eq!(report.refused, 0, "{:?}", report.refusals);
    let mut header = plyfold_core::corpus::file::FileHeader::empty();
    header.append(&shard).expect("a shard");
    let bytes = Aligned::new(&[&header.to_bytes()[..], &shard].concat());
    let corpus = Corpus::open(bytes.bytes(), Check::Whole).expect("a corpus");
    let query = compile(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let wanted = Wanted { positions_count: true, ..Wanted::default() };
    let count = answer(&spans(&corpus), &query, &wanted, &()).expect("nobody cancels").count;
    (count.games, count.positions)
}

#[test]
fn braces_are_one_position() {
    // A white knight goes to e5 and back before a black one comes to e4.
    let pgn = "1. Nf3 Nf6 2. Ne5 d6 3. Nf3 Ne4 *";
    assert_eq!(matching(pgn, "white knight on e5 and black knight on e4"), (1, 0));
    assert_eq!(matching(pgn, "{ white knight on e5 and black knight on e4 }"), (0, 0));
    assert_eq!(matching(pgn, "white knight on e5 or black knight on e4"), (1, 3));
    assert_eq!(matching(pgn, "not white knight on e5"), (0, 4));
    assert_eq!(matching(pgn, "{ not white knight on e5 }"), (1, 4));
    assert_eq!(matching(pgn, "not black knight on e5"), (1, 6));
}

#[test]
fn sides_speak_of_one_position() {
    let pgn = "1. e4 d5 2. exd5 c5 3. dxc6 bxc6 4. d4 *";
    assert_eq!(matching(pgn, "both isolated_pawn"), (0, 0));
    assert_eq!(matching(pgn, "white doubled_pawn"), (1, 3)); // d2 d5, then c2 c6
    assert_eq!(matching(pgn, "count(pawn) = 16 and white castled"), (0, 0));
    assert_eq!(matching(pgn, "points(white) - points(black) = 1"), (1, 4));
    assert_eq!(matching(pgn, "points(both) < 78"), (1, 5));
    assert_eq!(matching(pgn, "no white pawn on d"), (0, 0));
    assert_eq!(matching(pgn, "no black pawn on d"), (1, 5));
}

#[test]
fn castling_is_a_fact_of_the_course() {
    let short = "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *";
    assert_eq!(matching(short, "white castled"), (1, 2));
    assert_eq!(matching(short, "both castled_short"), (1, 1));
    assert_eq!(matching(short, "castled_long"), (0, 0));
    let walked = "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. Kf1 d6 5. Kg1 d5 *";
    assert_eq!(matching(walked, "white castled"), (0, 0));
}

#[test]
fn errors_point_and_name_the_nearest() {
    let cases: &[(&str, &str, usize, usize, Option<&str>)] = &[
        ("white bishop_piar", "unknown name `bishop_piar`: did you mean `bishop_pair`?", 6, 17, Some("bishop_pair")),
        ("queen_off", "unknown name `queen_off`: did you mean `queens_off`?", 0, 9, Some("queens_off")),
        ("knight on e9", "there is no square `e9`", 10, 12, None),
        ("knight on", "a region is missing at the end", 9, 9, None),
        ("knight on 9", "ranks are 1 to 8", 10, 11, None),
        ("white", "a predicate is missing at the end", 5, 5, None),
        ("white queens_off", "`queens_off` speaks of no side", 0, 5, None),
        ("queens_off on e4", "`queens_off` speaks of no square", 11, 13, None),
        ("(check", "`)` is missing at the end", 6, 6, None),
        ("check }", "this bracket was never opened", 6, 7, None),
        ("check castled", "the query goes on after its end: `and` or `or` is missing", 6, 13, None),
        ("count(rook)", "a comparison is missing at the end", 11, 11, None),
        ("count(rook) * count(pawn) > 1", "one side of `*` must be a number", 12, 13, None),
        ("points() > 3", "a side is expected here, not `)`", 7, 8, None),
        ("queens_off; check", "`;` means nothing in a query", 10, 11, None),
        ("count(rook) > 99999999999999999999", "a number here is at most 1000000000", 14, 34, None),
        ("and", "a predicate is expected here, not `and`", 0, 3, None),
        ("no both pawn", "`no` already speaks of both sides, or of the one that is named", 3, 7, None),
    ];
    for &(text, message, from, to, nearest) in cases {
        let error = compile(text).expect_err(text);
        assert_eq!(
            (error.to_string().as_str(), error.from, error.to, error.nearest),
            (message, from, to, nearest),
            "{text}"
        );
    }
    let deep = "not ".repeat(70) + "check";
    assert!(compile(&deep).is_err());
    let wide: Vec<String> = (0..70).map(|n| format!("count(pawn) = {n}")).collect();
    assert_eq!(
        compile(&wide.join(" or ")).expect_err("wide").to_string(),
        "a query has at most 64 different predicates"
    );
}

#[test]
fn names_may_be_spelled_apart() {
    let one = compile("white bishop_pair and rook_on_seventh").expect("a query");
    for text in ["White Bishop-Pair AND rook on seventh", "white  bishop pair\nand rook-on-the-seventh"] {
        assert_eq!(compile(text).expect(text), one);
    }
}
