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

#[test]
fn the_grammar_names_every_word_of_the_language() {
    use plyfold_core::query::material::Endgame;
    use plyfold_core::query::parse::KEYWORDS;
    for word in KEYWORDS {
        assert!(GRAMMAR.contains(&format!("\"{word}\"")), "{word} is missing from the grammar in GRAMMAR.md");
    }
    let rows = column("## Numbers of men");
    assert_eq!(rows.len(), Endgame::NAMED.len());
    for (name, ..) in Endgame::NAMED {
        assert!(rows.contains(&format!("`endgame {name}`").as_str()), "{name} is missing from GRAMMAR.md");
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
fn plies_in_a_row_are_of_the_game() {
    // The knight stands on e5 after plies 3 to 6, and after 9 and 10.
    let pgn = "1. Nf3 a6 2. Ne5 a5 3. Nc3 h5 4. Nf3 h4 5. Ne5 h3 *";
    assert_eq!(matching(pgn, "white knight on e5"), (1, 6));
    assert_eq!(matching(pgn, "white knight on e5 for 4"), (1, 6));
    assert_eq!(matching(pgn, "white knight on e5 for 2 moves"), (1, 6));
    assert_eq!(matching(pgn, "white knight on e5 for 5"), (0, 6));
    assert_eq!(matching(pgn, "{ white knight on e5 and not check } for 4 plies"), (1, 6));
    assert_eq!(matching(pgn, "not white knight on e5 for 5"), (1, 4));
    assert_eq!(matching(pgn, "{ not white knight on e5 } for 3"), (0, 4));
    assert_eq!(matching(pgn, "{ not white knight on e5 } for 1 move"), (1, 4));
    assert_eq!(matching(pgn, "white knight on e5 for 4 and black pawn on h6"), (0, 0));
    assert_eq!(compile("check for 1"), compile("check"));
    assert_eq!(compile("(check) for 3 moves"), compile("{ check } for 6 plies"));
}

#[test]
fn materials_and_endgames_speak_of_numbers() {
    let fen = |fen: &str, moves: &str| format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n{moves} *");
    let rooks = fen("4k3/r7/8/8/8/8/P6P/R3K3 w - - 0 1", "1. h4 Rxa2 2. Rxa2 Kd8");
    assert_eq!(matching(&rooks, "endgame rook"), (1, 2));
    assert_eq!(matching(&rooks, "material KRPPvKR"), (1, 1));
    assert_eq!(matching(&rooks, "material krvkrp"), (1, 1));
    assert_eq!(matching(&rooks, "material white KRPvKR"), (1, 1));
    assert_eq!(matching(&rooks, "material black KRPvKR"), (0, 0));
    assert_eq!(matching(&rooks, "material black KvKRP"), (1, 2));
    assert_eq!(matching(&rooks, "not endgame rook"), (0, 2));
    let bare = fen("4k3/8/8/8/8/8/4n3/4K3 w - - 0 1", "1. Kxe2 Kd8");
    assert_eq!(matching(&bare, "endgame pawn"), (1, 2));
    assert_eq!(matching(&bare, "endgame minor"), (0, 0));
}

#[test]
fn a_query_prints_in_its_own_words() {
    for (text, printed) in [
        ("White knight ON e5 FOR 4 Moves", "white knight on e5 for 8"),
        ("( { queens-off } ) for 1", "{ queens_off } for 1"),
        ("material black prkVrk", "material black KRPvKR"),
        ("endgame\nMinor", "endgame minor"),
        ("structure \" 8/p7/8/8/8/8/P7/8\"", "structure \"8/p7/8/8/8/8/P7/8\""),
        ("board \"????????/1..5/[K]7/8/8/8/8/7[qQ.]\"", "board \"????????/8/K7/8/8/8/8/7[Qq.]\""),
        ("fen \"4k3/8/8/8/8/8/8/R3K2R_b_HA_e3_5_9\"", "fen \"4k3/8/8/8/8/8/8/R3K2R b KQ -\""),
        ("fen \"4k3/8/8/8/8/8/8/4K2R w KQkq\"", "fen \"4k3/8/8/8/8/8/8/4K2R w K\""),
        ("fen \"1k6/8/8/8/8/8/8/RR2K3 w B\"", "fen \"1k6/8/8/8/8/8/8/RR2K3 w B\""),
    ] {
        let tree = plyfold_core::query::parse::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(tree.to_string(), printed, "{text}");
    }
}

#[test]
fn errors_point_and_name_the_nearest() {
    const FOR_IN_BRACES: &str =
        "braces are one position, and `for` asks for several in a row: write it after the closing brace";
    const FOR_ONE: &str = "`for` follows one condition: `{ … } for` asks for plies in a row at which all this holds";
    const FOR_NOT: &str = "`not` speaks of the whole game here: `{ not … } for` asks for plies in a row without it";
    const NO_MAN: &str = "`x` means nothing on a board: men are K Q R B N P for White, k q r b n p for Black";
    const BAD_RIGHTS: &str = "the third field of a FEN says who may castle: some of `KQkq`, letters of files, or `-`";
    const BAD_EN_PASSANT: &str =
        "the fourth field of a FEN is the square behind a pawn that may be taken en passant, or `-`";
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
        ("{ check for 8 }", FOR_IN_BRACES, 8, 11, None),
        ("{ (check) for 8 }", FOR_IN_BRACES, 10, 13, None),
        ("{ { check } for 8 }", FOR_IN_BRACES, 12, 15, None),
        ("(check and castled) for 8", FOR_ONE, 20, 23, None),
        ("(check or castled) for 8", FOR_ONE, 19, 22, None),
        ("(not check) for 8", FOR_NOT, 12, 15, None),
        ("(check for 8) for 8", "there is a `for` already", 14, 17, None),
        ("check for 8 plies for 9", "there is a `for` already", 18, 21, None),
        ("check for", "a number of plies or moves is missing at the end", 9, 9, None),
        ("check for long", "a number of plies or moves is expected here, not `long`", 10, 14, None),
        ("check for 0", "`for` takes 1 to 65535 plies, which is 32767 moves", 10, 11, None),
        ("check for 65536", "`for` takes 1 to 65535 plies, which is 32767 moves", 10, 15, None),
        ("check for 32768 moves", "`for` takes 1 to 65535 plies, which is 32767 moves", 10, 15, None),
        ("check for 8 turns", "`plies`, `moves`, `and` or `or` is expected here, not `turns`", 12, 17, None),
        ("for 8", "a predicate is expected here, not `for`", 0, 3, None),
        ("(check for 8", "`)` is missing at the end", 12, 12, None),
        ("material", "a material such as `KRPvKR` is missing at the end", 8, 8, None),
        ("material KRP", "a `v` stands between the men of both sides, as in `KRPvKR`", 9, 12, None),
        ("material KRTvKR", "`t` is no man: write K Q R B N P, as in `KRPvKR`", 11, 12, None),
        ("material white KRPvR", "each side's king is named too, as in `KRPvKR`", 19, 20, None),
        ("material KRPv", "each side's king is named too, as in `KRPvKR`", 13, 13, None),
        ("material KKvK", "each side has one king, as in `KRPvKR`", 9, 11, None),
        ("material both KvK", "`material` takes `white`, `black` or no side, which means either", 9, 13, None),
        ("white material KvK", "the side stands after `material`: `material white KRPvKR`", 0, 5, None),
        ("both endgame rook", "`endgame` speaks of both sides, and none stands before it", 0, 4, None),
        ("check and no structure \"8\"", "`no` asks for men of a side: write `not structure …`", 10, 12, None),
        ("no white endgame rook", "`no` asks for men of a side: write `not endgame …`", 0, 2, None),
        ("endgame", "a kind of endgame is missing at the end", 7, 7, None),
        ("endgame rok", "unknown endgame `rok`: did you mean `rook`?", 8, 11, Some("rook")),
        ("endgame chess", "a kind of endgame is expected here, not `chess`", 8, 13, None),
        ("endgmae rook", "unknown name `endgmae`: did you mean `endgame`?", 0, 7, Some("endgame")),
        ("fen", "a FEN in quotes is missing at the end", 3, 3, None),
        ("fen start", "a FEN in quotes is expected here, not `start`", 4, 9, None),
        ("\"Carlsen\"", "a predicate is expected here, not a text in quotes", 0, 9, None),
        ("structure 8", "a board of pawns in quotes is expected here, not `8`", 10, 11, None),
        ("check and fen \"8/8", "this quote is never closed: `\"` is missing", 14, 15, None),
        ("fen \" \"", "a placement is missing between the quotes", 6, 6, None),
        ("fen \"8/8\"", "a board has 8 ranks with `/` between them, not 2", 8, 8, None),
        ("board \"8/8/8/8/8/8/8/8/8\"", "a board has 8 ranks, and this is one more", 23, 24, None),
        ("board \" 8/ppp/8/8/8/8/8/8\"", "rank 7 has 3 squares here, not 8", 10, 13, None),
        ("structure \"8/8/8/8/8/8/1/8\"", "rank 2 has 1 square here, not 8", 23, 24, None),
        ("structure \"8/8/8/88/8/8/8/8\"", "rank 5 has 16 squares here, not 8", 17, 19, None),
        ("structure \"8/8/8/8/8/4N3/8/8\"", "`N` is no pawn: a structure has `P` and `p` alone", 22, 23, None),
        ("structure \"8/8/8/8/8/8/8/P7\"", "a pawn never stands on the first or last rank", 25, 26, None),
        ("board \"[Pp]7/8/8/8/8/8/8/8\"", "a pawn never stands on the first or last rank", 8, 9, None),
        ("board \"x7/8/8/8/8/8/8/8\"", NO_MAN, 7, 8, None),
        ("board \"[]7/8/8/8/8/8/8/8\"", "the men that may stand here are missing between `[` and `]`", 7, 9, None),
        ("board \"[Nn7/8/8/8/8/8/8/8\"", "`]` is missing after the men that may stand here", 7, 11, None),
        ("fen \"?7/8/8/8/8/8/8/8\"", "`?` is for patterns: ask with `board`", 5, 6, None),
        (
            "board \"8/8/8/8/8/8/8/k7\"",
            "White's king has no square here, and each side has one in every game",
            7,
            23,
            None,
        ),
        ("fen \"kk6/8/8/8/8/8/8/K7\"", "Black has more than one king here, and no game has that", 5, 23, None),
        ("fen \"k7/8/8/8/8/8/8/K7 -\"", "the second field of a FEN says who is to move: `w` or `b`", 23, 24, None),
        ("fen \"k7/8/8/8/8/8/8/K7 w xy\"", BAD_RIGHTS, 25, 27, None),
        ("fen \"k7/8/8/8/8/8/8/K7 w - e9\"", BAD_EN_PASSANT, 27, 29, None),
        ("fen \"k7/8/8/8/8/8/8/K7 w - - x\"", "the last two fields of a FEN are numbers", 29, 30, None),
        ("fen \"k7/8/8/8/8/8/8/K7 w - - 0 1 2\"", "a FEN has at most six fields", 33, 34, None),
        ("fen \"k7/8/8/8/8/8/8/K7 w ABC\"", "at most two rooks of a side may castle", 25, 28, None),
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
