//! Queries with names of pieces: what they mean, what is wrong with them, and that the choice of pieces stays bounded.

use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::OpeningNames;
use plyfold_core::pgn::pack_shard;
use plyfold_core::query::parse::parse;
use plyfold_core::query::{CompiledQuery, compile};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::evidence::PositionRule;
use plyfold_tests::games::Aligned;

#[test]
fn names_are_printed_as_they_are_read() {
    for (text, printed) in [
        ("white knight as n on b1 then N on d5", "white knight as N on b1 then N on d5"),
        ("white knight on b1 as hero and hero captures queen", "white knight as HERO on b1 and HERO captures queen"),
        ("white (knight | bishop) as N on e5 and no N", "white ((knight | bishop) on e5) as N and no N"),
        ("knight as N captures queen as Q on d8 and Q on d1", "knight as N captures queen as Q on d8 and Q on d1"),
        (
            "queen as N and { queen attacks N or N attacks queen }",
            "queen as N and { queen attacks N or N attacks queen }",
        ),
        ("piece as N and plays N to e5 and N plays to e5", "piece as N and plays N on e5 and plays N on e5"),
        ("pawn as N then pinned N & attacked", "pawn as N then pinned & N & attacked"),
        ("pawn as N then N on own 7 for 3", "pawn as N then N on own 7 for 3"),
        ("pawn as N and captures N from e4", "pawn as N and captures N from e4"),
        (
            "king as N and { N & Trail of n and no N & origin of N }",
            "king as N and { N & trail of N and no N & origin of N }",
        ),
        (
            "rook as R and queen as Q and origin of R between Q and origin of Q",
            "rook as R and queen as Q and origin of R between own Q and own origin of Q",
        ),
        ("rook as R and (trail of R or R) on e4", "rook as R and (trail of R | R) on e4"),
    ] {
        let tree = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(tree.to_string().replace("plays N to e5", "plays N on e5"), printed);
        assert_eq!(parse(&tree.to_string()).expect(printed), tree, "{text}");
        compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}

#[test]
fn mistakes_with_names_are_explained_where_they_stand() {
    for (text, place, message) in [
        ("N on d5", "N", "unknown name `N`: a piece gets a name as in `knight as N`"),
        ("N on d5 and knight as N", "N", "`N` is used before `as N` introduces it"),
        ("knight as N and M on d5", "M", "unknown name `M`: did you mean `N`, or `as M` after a piece?"),
        (
            "knight as hero and heros on d5",
            "heros",
            "unknown name `HEROS`: did you mean `HERO`, or `as HEROS` after a piece?",
        ),
        ("knight as N and rook as N", "N", "`as N` stands twice: leave it out where the piece is meant again"),
        (
            "knight as b",
            "b",
            "`b` is a word of the language, so no piece can have it as its name: write `N`, `X1` or `hero`",
        ),
        (
            "knight as queen",
            "queen",
            "`queen` is a word of the language, so no piece can have it as its name: write `N`, `X1` or `hero`",
        ),
        ("knight as", "", "a name for the piece, such as `N`, is missing at the end"),
        ("knight as 5", "5", "a name for the piece, such as `N`, is expected here, not `5`"),
        ("knight as abcdefghijklmnopq", "abcdefghijklmnopq", "the name of a piece has at most 16 letters"),
        ("never knight as N on e5", "N", "`as N` cannot stand under `never`: name the piece in a condition that holds"),
        ("not { knight as N on e5 }", "N", "`as N` cannot stand under `not`: name the piece in a condition that holds"),
        ("knight as N then trail of M", "M", "unknown name `M`: did you mean `N`, or `as M` after a piece?"),
        ("knight as N then trail N", "N", "`of` and the name of a piece after `trail` is expected here, not `n`"),
        (
            "knight as N then { N & origin of queen }",
            "queen",
            "the name of a piece, as `N` after `knight as N`, is expected here, not `queen`",
        ),
        ("knight as N and count(trail of N) = 1", "N", "`N` cannot be counted: it is one piece"),
        ("no knight as N", "N", "`as N` cannot stand under `no`: name the piece in a condition that holds"),
        (
            "knight as N at most 3 times",
            "N",
            "`as N` cannot stand under `at most`: name the piece in a condition that holds",
        ),
        ("open_file as N", "N", "`open_file` is no piece, so it has no name"),
        ("knight as N and count(N & attacked) = 1", "N", "`N` cannot be counted: it is one piece"),
        ("knight as N and (N & pinned) as M", "M", "what `as M` names has a name already: `N`"),
        ("knight as N and promotes to N", "N", "write the piece that moves before `promotes`"),
        (
            "pawn as N1 and pawn as N2 and pawn as N3 and pawn as N4 and pawn as N5 and pawn as N6 and pawn as N7 and pawn as N8 and pawn as N9",
            "N9",
            "a query has at most 8 names of pieces",
        ),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!((text.get(error.from..error.to), error.message.as_str()), (Some(place), message), "{text}");
    }
}

/// Names that no condition joins are chosen apart; names that depend on each other have a limit.
#[test]
fn too_many_choices_are_an_error_of_the_query() {
    let pawns = |number: usize| (1..=number).map(|nth| format!("white pawn as N{nth}")).collect::<Vec<_>>();
    let apart = format!(
        "{} and {}",
        pawns(8).join(" and "),
        (1..=8).map(|nth| format!("N{nth} on {nth}")).collect::<Vec<_>>().join(" and ")
    );
    compile(&apart).expect("eight choices of eight pieces");
    // Each name depends on the one before it.
    compile(&pawns(5).join(" then ")).expect("32768 choices");
    let error = compile(&pawns(6).join(" then ")).expect_err("262144 choices");
    assert_eq!(
        error.message,
        "the names `N1`, `N2`, `N3`, `N4`, `N5`, `N6` depend on each other, and there are 262144 ways to choose their pieces; \
         at most 65536 are tried: name fewer pieces, or kinds of which there are fewer"
    );
}

/// The number of games and positions of a PGN that match, and of the plies that are evidence.
fn matching(pgn: &str, query: &str) -> [u64; 3] {
    let (shard, report) = pack_shard(pgn.as_bytes(), 0);
    assert_eq!(report.rejected, 0, "{:?}", report.rejections);
    let mut header = CorpusFileHeader::empty();
    header.append(&shard).expect("a shard");
    let bytes = Aligned::new(&[&header.to_bytes()[..], &shard].concat());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("sound");
    let request = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
    let count = |rule| {
        let plan = CompiledQuery::read_positions(query, &OpeningNames::default(), rule).expect(query).plan;
        run_query(&corpus_spans(&corpus), &plan, &request, &()).expect("nobody cancels").count
    };
    let (everywhere, evidence) = (count(PositionRule::Everywhere), count(PositionRule::Evidence));
    assert_eq!(everywhere.games, evidence.games, "{query}");
    [everywhere.games, everywhere.positions, evidence.positions]
}

/// Black's knight from b8 is captured on d4 by the knight from g1; Black's pawn from e7 captures that, and becomes a knight on d1.
const GAME: &str =
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxd4 exd4 5. O-O Qf6 6. a3 d3 7. e5 dxc2 8. exf6 cxd1=N 9. fxg7 Bxg7 *";

#[test]
fn a_name_means_one_piece_from_move_to_move() {
    for (query, expected) in [
        // What holds where: one part until ply 2, the other from ply 3 to 6.
        ("white knight as N on g1 and N on f3", [1, 0, 6]),
        ("white knight as N on b1 then N on d4", [0, 18, 0]),
        ("black knight as N on b8 then N on d4", [1, 4, 4]),
        ("knight captures knight as M and M on c6", [1, 0, 3]),
        // The start position counts for places alone: White's pawn leaves e2 at the first move, Black's e7 at the second ply.
        ("white pawn as N on e2 then N captures", [1, 2, 2]),
        ("white pawn as N on e2 and N on e4", [1, 0, 12]),
        ("white pawn as N on e2", [1, 0, 0]),
        ("{ white pawn as N on e2 and N & pawn }", [1, 0, 0]),
        ("white pawn as N on e2 until move 1 and N captures", [1, 0, 2]),
        ("white pawn as N on e2 in opening and N captures", [1, 0, 2]),
        ("white pawn as N on e2 from move 1", [0, 0, 0]),
        ("white pawn as N on e2 at ply 1", [0, 0, 0]),
        ("white pawn as N on e2 at end", [0, 0, 0]),
        ("white pawn as N on e4 then N on e2", [0, 12, 0]),
        ("black pawn as N on e7 for 2 then N on d1", [1, 4, 4]),
        ("black pawn as N on e7 for 3", [0, 1, 0]),
        ("black pawn as N on e7 at least 2 times", [1, 1, 1]),
        ("black pawn as N on e7 for 2 and no N on e7 for 17", [1, 0, 18]),
        ("white pawn as N on e5 and never N on e2", [0, 2, 0]),
        ("white pawn as N on e5 and always N & pawn until move 8", [1, 2, 16]),
        ("white pawn as N on e2 and never N on e2 at least 2 times", [1, 0, 0]),
        ("ceased white pawn as N on e2", [1, 0, 1]),
        // What else is asked of a piece is asked after a ply.
        ("{ white pawn as N on e2 and white pawn on e2 }", [0, 0, 0]),
        ("white pawn as N on e4 and { N on e2 and not check }", [0, 0, 0]),
        ("white pawn as N on e4 and (N or pawn) on e2", [0, 0, 0]),
        // Black's pawn from e7 becomes a knight.
        ("black pawn as N on e5 then N & knight on d1", [1, 9, 9]),
        ("black pawn as N on d7 and N & knight", [0, 0, 0]),
        // The rook that castles remains the same.
        ("white rook as R on h1 then R on f1", [1, 18, 18]),
        ("white king as X1 and X1 castles", [1, 1, 18]),
        ("white pawn as N on e4 and never N captures", [0, 12, 0]),
        // Where a piece has been: from b8 to c6 and d4, where it is captured; the rook castles from h1.
        ("black knight as N on b8 and (trail of N) on c6", [1, 0, 16]),
        ("black knight as N on b8 then { N & trail of N }", [0, 3, 0]),
        ("black knight as N on b8 and { no N and (origin of N) on c6 and not (origin of N) on b8 }", [1, 0, 15]),
        ("white rook as R on h1 then (origin of R) on h1", [1, 18, 18]),
        ("black pawn as N on e5 then { N plays and (origin of N) on c2 }", [1, 7, 7]),
        ("white queen as N and trail of N", [0, 0, 0]),
        // A captured piece stands nowhere.
        ("black queen as N and no N", [1, 0, 18]),
        ("white knight as N and captures N", [1, 0, 8]),
        ("white bishop as N and { N attacks f7 and black king on e8 }", [1, 14, 18]),
        // Two names may mean one piece.
        ("white knight as N on g1 and white knight as M on d4 and N & M", [1, 0, 7]),
        ("white knight as N on g1 and white knight as M on d4 and not N & M", [0, 0, 0]),
        // No piece of the game is meant.
        ("white knight as N on a8 or N on d4", [0, 0, 0]),
        ("white knight as N on a8 or queen on f6", [1, 5, 5]),
    ] {
        assert_eq!(matching(GAME, query), expected, "{query}");
    }
}

#[test]
fn examples_of_the_grammar_are_queries() {
    let grammar = include_str!("../../../core/query/src/GRAMMAR.md");
    let section = grammar.split("## One piece through the game").nth(1).expect("the heading");
    let rows = section.lines().filter(|line| line.starts_with("| `")).take(8);
    let examples: Vec<&str> = rows.map(|row| row.split('`').nth(1).expect("a text")).collect();
    assert_eq!(examples.len(), 8);
    for text in examples {
        compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}
