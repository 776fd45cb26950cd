//! Queries: the examples of the grammar are true, queries mean what the grammar says, and errors point to their place.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::query::compile;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::measure::FEATURES;
use plyfold_tests::games::Aligned;

const GRAMMAR: &str = include_str!("../../../core/query/src/GRAMMAR.md");

/// The first column of the table below `heading`.
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
    use plyfold_core::query::keywords::keywords;
    use plyfold_core::query::material::EndgameKind;
    for (word, _) in keywords() {
        assert!(GRAMMAR.contains(&format!("\"{word}\"")), "{word} is missing from the grammar in GRAMMAR.md");
    }
    let rows = column("## Material");
    assert_eq!(rows.len(), EndgameKind::NAMED.len());
    for (name, ..) in EndgameKind::NAMED {
        assert!(rows.contains(&format!("`endgame {name}`").as_str()), "{name} is missing from GRAMMAR.md");
    }
}

/// The number of games and positions of a small PGN that match.
fn matching(pgn: &str, query: &str) -> (u64, u64) {
    let (shard, report) = plyfold_core::pgn::pack_shard(pgn.as_bytes(), 0);
    assert_eq!(report.rejected, 0, "{:?}", report.rejections);
    let mut header = plyfold_core::corpus::file::CorpusFileHeader::empty();
    header.append(&shard).expect("a shard");
    let bytes = Aligned::new(&[&header.to_bytes()[..], &shard].concat());
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let query = compile(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let selection = ReducerSelection { positions_count: true, ..ReducerSelection::default() };
    let count = run_query(&corpus_spans(&corpus), &query, &selection, &()).expect("nobody cancels").count;
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
fn moves_are_of_the_ply_that_they_lead_to() {
    let pgn = "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. Nf3 Nf6 5. Bc4 e6 6. O-O Be7 7. Re1 O-O *";
    for (query, plies) in [
        ("plays", 14),
        ("white plays", 7),
        ("white plays knight", 2),
        ("white plays knight to f3", 1),
        ("knight on g8 plays", 1),
        ("plays from e2", 1),
        ("plays pawn from e2 to e4", 1),
        ("captures", 2),
        ("white captures", 1),
        ("captures pawn", 2),
        ("queen captures pawn on rank 5", 1),
        ("recaptures", 1),
        ("white recaptures", 0),
        ("captures queen", 0),
        ("castles", 2),
        ("white castles short", 1),
        ("castles_long", 0),
        ("plays king to g8", 1),
        ("plays king to h8", 0),
        ("plays rook along a rank", 1),
        ("plays along a diagonal backward", 0),
        ("black plays queen along a diagonal forward", 0),
        ("black plays along a rank", 2),
        ("black plays queen backward", 0),
        ("quiet", 12),
        ("knight quiet", 3),
        ("plays to own 4", 5),
        ("{ white captures and white pawn on d5 }", 1),
    ] {
        assert_eq!(matching(pgn, query), (u64::from(plies > 0), plies), "{query}");
    }
    assert_eq!(matching(pgn, "white captures then within 1 black recaptures"), (1, 2));
    assert_eq!(matching(pgn, "castles from move 7"), (1, 2));
    assert_eq!(matching(pgn, "captures from move 3").0, 0);
    assert_eq!(matching(pgn, "captures exactly 2 times before move 3").0, 1);
    let rare = "[FEN \"1n2k3/P7/8/1p6/P7/8/8/4K3 w - - 0 1\"]\n\n1. axb8=N b4 2. a5 b3 3. a6 b2 4. a7 b1=Q+ 5. Kd2 Qb7 6. a8=Q+ *";
    for (query, plies) in [
        ("promotes", 3),
        ("promotes to queen", 2),
        ("white underpromotes", 1),
        ("pawn captures knight on 8", 1),
        ("plays pawn to b8", 1),
        ("knight plays", 0),
        ("pawn promotes to knight from a7", 1),
        ("quiet", 8),
    ] {
        assert_eq!(matching(rare, query), (u64::from(plies > 0), plies), "{query}");
    }
}

#[test]
fn checks_are_of_the_side_that_gives_them() {
    let pgn = "1. e4 e5 2. Nf3 f6 3. Nxe5 fxe5 4. Qh5+ Ke7 5. Qxe5+ Kf7 6. Bc4+ d5 7. Bxd5+ Kg6 8. h4 h5 9. Bxb7 Bxb7 10. Qf5+ Kh6 11. d4+ g5 12. Qf7 Qe7 13. hxg5+ Qxg5 14. Rxh5# *";
    for (query, plies) in [
        ("gives check", 8),
        ("white gives check", 8),
        ("black gives check", 0),
        ("queen gives check", 3),
        ("white pawn gives check", 2),
        ("white bishop captures on d5 and white gives check", 2),
        ("{ captures and gives check }", 4),
        ("gives discovered check", 1),
        ("pawn gives discovered check", 1),
        ("gives double check", 0),
        ("gives mate", 1),
        ("white rook gives mate on h5", 1),
        ("black gives mate", 0),
        ("stalemates", 0),
    ] {
        let found = matching(pgn, query);
        if !query.contains(" and ") || query.starts_with('{') {
            assert_eq!(found, (u64::from(plies > 0), plies), "{query}");
        }
    }
    let stalemate = "[FEN \"k7/8/1K6/8/8/8/8/2Q5 w - - 0 1\"]\n\n1. Qc7 *";
    assert_eq!(matching(stalemate, "white stalemates"), (1, 1));
    assert_eq!(matching(stalemate, "black stalemates"), (0, 0));
    let double = "[FEN \"4k3/8/8/8/8/4N3/8/4RK2 w - - 0 1\"]\n\n1. Nc4+ Kd7 2. Ne5+ Ke8 3. Nc6+ Kd7 *";
    assert_eq!(matching(double, "gives discovered check"), (1, 2));
    assert_eq!(matching(double, "knight gives check"), (1, 3));
    // The start position is no move.
    let start = "[FEN \"4k3/8/8/8/8/8/8/4RK2 b - - 0 1\"]\n\n1... Kd7 *";
    assert_eq!(matching(start, "became white gives check"), (0, 0));
    assert_eq!(matching(start, "ceased white gives check"), (0, 0));
}

/// Between two captures may be more plies than an event can count, and a null move is no move.
#[test]
fn quiet_moves_are_all_but_captures_promotions_and_null_moves() {
    let shuffles = "Nf3 Nf6 Ng1 Ng8 ".repeat(300);
    let pgn = format!("{shuffles} e4 d5 exd5 -- d6 Nf6 dxc7 h6 cxd8=Q+ Kxd8 *");
    assert_eq!(matching(&pgn, "white quiet"), (1, 602));
    assert_eq!(matching(&pgn, "black quiet"), (1, 603));
    assert_eq!(matching(&pgn, "white plays pawn to e4 quiet"), (1, 1));
}

#[test]
fn perpetual_check_repeats_a_position_by_checks_alone() {
    let endless =
        "[FEN \"6k1/6p1/8/7Q/8/8/r5PP/7K w - - 0 1\"]\n\n1. Qe8+ Kh7 2. Qh5+ Kg8 3. Qe8+ Kh7 4. Qh5+ Kg8 5. Qe8+ *";
    for (query, plies) in [
        ("white perpetual", 3),
        ("queen gives perpetual check on e8", 2),
        ("black perpetual", 0),
        ("rook perpetual", 0),
        ("{ perpetual and repetition >= 3 }", 1),
        ("white perpetual at end", 3),
        ("white gives check", 5),
    ] {
        assert_eq!(matching(endless, query), (u64::from(plies > 0), plies), "{query}");
    }
    // The start position counts as an occurrence; a move of the side that gives no check breaks the row.
    let from_start = "[FEN \"4Q1k1/6p1/8/8/8/8/r5PP/7K b - - 0 1\"]\n\n1... Kh7 2. Qh5+ Kg8 3. Qe8+ *";
    assert_eq!(matching(from_start, "perpetual"), (1, 1));
    let quiet = "[FEN \"6k1/6p1/8/7Q/8/8/r5PP/7K w - - 0 1\"]\n\n1. Qe8+ Kh7 2. Qe4+ Kg8 3. Qh4 Ra1+ 4. Qe1 Ra2 5. Qe8+ Kh7 6. Qe4+ *";
    assert_eq!(matching(quiet, "repetition >= 2"), (1, 3));
    assert_eq!(matching(quiet, "perpetual"), (0, 0));
}

#[test]
fn sacrifices_do_not_come_back() {
    let legal = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0";
    for (query, plies) in [
        ("sacrifices", 1),
        ("queen sacrifice", 1),
        ("winner knight sacrifices on e5", 1),
        ("black sacrifices", 0),
        ("exchange_sacrifice", 0),
        ("legal_moves = 0", 1),
        ("legal_moves = 20", 1),
        ("moves_of(black king) = 1", 3),
        ("captures(white) = 2", 3),
        ("captures(white) - captures(black) > 0", 4),
    ] {
        assert_eq!(matching(legal, query), (u64::from(plies > 0), plies), "{query}");
    }
    let exchange = "[FEN \"2r3k1/5p2/8/8/8/2N5/1P6/K7 b - - 0 1\"]\n\n1... Rxc3 2. bxc3 Kg7 3. Kb2 Kg6 4. Kb3 Kg5 *";
    assert_eq!(matching(exchange, "black rook exchange_sacrifice on c3"), (1, 1));
    assert_eq!(matching(exchange, "sacrifices"), (1, 1));
    assert_eq!(matching(exchange, "queen_sacrifice"), (0, 0));
    // A trade, and a piece that is won back.
    let trades = "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxg2 4. Bxg2 Bh3 5. Nd5 Bxg2 6. Nxc7+ Kd8 7. Nxa8 Bxh1 *";
    assert_eq!(matching(trades, "white sacrifices"), (0, 0));
    assert_eq!(matching(trades, "queen_sacrifice and black queen sacrifices on g2"), (1, 1));
    for (text, message) in [
        ("moves_of(king) > 2", "one side"),
        ("moves_of(white check) > 2", "a piece moves"),
        ("captures(both) > 2", "one side"),
        ("moves_of > 2", "`(`"),
    ] {
        let error = compile(text).expect_err(text);
        assert!(error.message.contains(message), "{text}: {}", error.message);
    }
}

#[test]
fn moves_that_cannot_be_are_refused() {
    for (text, at, message) in [
        ("both captures", "both", "one side moves at a ply"),
        ("mover plays", "mover", "one side moves at a ply"),
        ("isolated_pawn captures", "captures", "a piece moves"),
        ("knight plays bishop", "bishop", "named twice"),
        ("castles king", "king", "before `castles`"),
        ("promotes to king", "king", "a pawn becomes"),
        ("plays along a knight", "knight", "a line is expected"),
        ("plays to rank 9", "9", "ranks are 1 to 8"),
        ("plays to", "", "a region is missing"),
    ] {
        let error = compile(text).expect_err(text);
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert_eq!(&text[error.from..error.to], at, "{text}");
    }
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
fn windows_say_when_and_how_often() {
    // The knight stands on e5 after plies 3 to 6, and after 9 and 10; moves 2 and 3, and 5.
    let pgn = "1. Nf3 a6 2. Ne5 a5 3. Nc3 h5 4. Nf3 h4 5. Ne5 h3 *";
    let games = |query: &str| matching(pgn, query).0;
    for (query, expected) in [
        ("never white knight on e5", 0),
        ("never white knight on d5", 1),
        ("always white knight on e5", 0),
        ("always white knight on e5 between plies 3..6", 1),
        ("always white knight on e5 between plies 3..7", 0),
        ("always white knight on e5 after move 90", 1),
        ("white knight on e5 at least 6 times", 1),
        ("white knight on e5 at least 7 times", 0),
        ("white knight on e5 at most 6 times", 1),
        ("white knight on e5 at most 5 times", 0),
        ("white knight on e5 exactly 4 times before move 5", 1),
        ("white knight on e5 at ply 3", 1),
        ("white knight on e5 at ply 2", 0),
        ("white knight on e5 at move 3", 1),
        ("white knight on e5 at move 4", 0),
        ("white knight on e5 until ply 2", 0),
        ("white knight on e5 from ply 11", 0),
        ("white knight on e5 at end", 1),
        ("white knight on f3 at end", 0),
        ("became white knight on e5 at least 2 times", 1),
        ("became white knight on e5 at least 3 times", 0),
        ("became white knight on e5 at ply 3", 1),
        ("became white knight on e5 at ply 4", 0),
        ("ceased white knight on e5 at ply 7", 1),
        ("became white knight on f3 at ply 1", 1),
        ("ceased black pawn on a7 at ply 2", 1),
        ("white knight on e5 in opening", 1),
        ("white knight on e5 in endgame", 0),
        ("white knight on e5 for 4 until ply 6", 1),
        ("white knight on e5 for 4 until ply 5", 0),
    ] {
        assert_eq!(games(query), expected, "{query}");
    }
    // Windows do not affect positions, except for `never`.
    assert_eq!(matching(pgn, "white knight on e5 at ply 3").1, 6);
    assert_eq!(matching(pgn, "never white knight on e5").1, 4);
    // Moves are numbered as in the score.
    let late = "[FEN \"4k3/8/8/8/8/8/8/4K2R b - - 0 40\"]\n\n40... Kd8 41. Rh8+ Kd7 *";
    for (query, expected) in
        [("check at move 41", 1), ("check at move 40", 0), ("check at ply 2", 1), ("check before move 41", 0)]
    {
        assert_eq!(matching(late, query).0, expected, "{query}");
    }
}

#[test]
fn what_comes_then_comes_after() {
    let pgn = "1. Nf3 a6 2. Ne5 a5 3. Nc3 h5 4. Nf3 h4 5. Ne5 h3 *";
    for (query, expected) in [
        ("white knight on e5 then white knight on f3", 1),
        ("white knight on c3 then black pawn on a6", 0),
        ("black pawn on a6 then white knight on c3", 1),
        ("black pawn on a6 then within 3 white knight on c3", 1),
        ("black pawn on a6 then within 1 white knight on c3", 0),
        ("black pawn on a6 then within 1 ply 1..200", 1),
        ("black pawn on a6 then within 1 ply white knight on c3", 0),
        // The last ply with a pawn on a6 counts, not only the first.
        ("black pawn on a6 then within 2 white knight on c3", 1),
        ("black pawn on h3 then white knight on e5", 0),
        ("white knight on e5 then never white knight on f3", 0),
        ("white knight on c3 then never black pawn on a6", 1),
        ("white knight on e5 then black pawn on h4 then white knight on e5", 1),
        ("black pawn on h4 then white knight on f3 then white knight on e5", 0),
        ("(white knight on c3 and black pawn on a5) then black pawn on h5", 1),
        ("white knight on c3 and black pawn on a5 then black pawn on a6", 0),
        ("result * then white knight on e5", 1),
        ("result * then within 2 white knight on e5", 0),
        ("result 1-0 then white knight on e5", 0),
        ("white knight on e5 for 4 then within 1 white knight on f3", 1),
        ("white knight on e5 at least 6 times then white knight on e5", 0),
        ("white knight on e5 at least 5 times then white knight on e5", 1),
    ] {
        assert_eq!(matching(pgn, query).0, expected, "{query}");
    }
}

#[test]
fn headers_need_no_moves() {
    let pgn = "[White \"Müller, Karsten\"]\n[Black \"Kasparov, Garry\"]\n[Result \"0-1\"]\n[WhiteElo \"2500\"]\n[ECO \"B90\"]\n\
        [Date \"1990.05.??\"]\n\n1. e4 c5 2. Nf3 0-1";
    for (query, expected) in [
        ("black \"kasparov*\"", (1, 3)),
        ("\"MULLER KARSTEN\"", (1, 3)),
        ("winner \"Kasparov*\"", (1, 3)),
        ("loser \"Kasparov*\"", (0, 0)),
        ("white elo >= 2500 and not elo >= 2000", (1, 3)),
        ("eco B9", (1, 3)),
        ("year 1990 and date 1990.05..1990.06 and not date >= 1990.06", (1, 3)),
        ("winner pawn on c5", (1, 2)),
        ("winner pawn on e4", (0, 0)),
        ("\"muller*\" pawn on e4", (1, 3)),
        ("result 0-1 or check", (1, 3)),
        ("result 1-0 or black pawn on c5", (1, 2)),
    ] {
        assert_eq!(matching(pgn, query), expected, "{query}");
    }
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

/// A list in a list is a part of a part: nothing is copied, however deep they stand.
#[test]
fn lists_in_lists_grow_with_the_text() {
    let mut text = "check".to_owned();
    for depth in 1..=30 {
        text = format!("4 of ({text}, pawn, knight, bishop, rook, queen, king, fork)");
        let plan = compile(&text).unwrap_or_else(|error| panic!("{depth}: {error}"));
        let size = format!("{:?}", plan.verdict).len();
        assert!(size < 4 * text.len(), "{depth}: {size}");
    }
    let many = ["4 of (pawn, knight, bishop, rook, queen, king, fork, check)"].repeat(100).join(" and ");
    compile(&many).expect("a hundred lists");
    let long: Vec<String> = (0..100).map(|number| format!("count(pawn) = {number}")).collect();
    assert_eq!(compile(&format!("70 of ({})", long.join(", "))).expect("a long list").conditions.len(), 100);
}

#[test]
fn sets_of_squares_describe_one_piece() {
    // The white rook on d1 sees the queen on d4, and behind it the king on d8 while the knight is away.
    let pgn = "[SetUp \"1\"]\n[FEN \"3k4/8/8/r2N4/3q4/8/8/3RK3 w - - 0 1\"]\n\n1. Nf6 Ke7 2. Nd5+ Kd8 3. Rxd4 Rxd5 *";
    for (query, positions) in [
        // The queen is pinned only while nothing else stands between rook and king.
        ("black pinned queen", 1),
        ("black queen & pinned | rook on a5 & pinned", 1),
        ("white pinned queen", 0),
        ("white knight & not defended", 4),
        ("count(black (queen or rook) & attacked) >= 1", 5),
        ("white (knight or rook) on d5", 3),
        ("no black (queen or rook) on d4", 2),
        ("white rook attacks (queen or rook)", 5),
        ("count(white rook attacks queen) = 1", 4),
    ] {
        assert_eq!(matching(pgn, query).1, positions, "{query}");
    }
}

/// A row of a table of docs/PEERS.md: its cells, without the marks around a query.
type PeerRow = Vec<String>;

/// The rows of the tables of a section of docs/PEERS.md, without the headings.
fn peer_rows(heading: &str) -> Vec<PeerRow> {
    const PEERS: &str = include_str!("../../../docs/PEERS.md");
    let section = PEERS.split(heading).nth(1).expect("the heading");
    let section = section.split("\n## ").next().expect("a section");
    let lines: Vec<&str> = section.lines().collect();
    let is_heading = |nth: usize| lines.get(nth + 1).is_some_and(|next| next.starts_with("|-"));
    let rows = lines.iter().enumerate().filter(|(nth, line)| line.starts_with("| ") && !is_heading(*nth));
    let cells = rows.map(|(_, line)| {
        let line = line.replace("\\|", "\u{1}");
        let inner = line.trim_start_matches('|').trim_end_matches('|');
        inner.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
    });
    cells.collect()
}

/// The query of a row, in backticks in the third cell, if there is one.
fn query_of(row: &PeerRow) -> Option<&str> {
    row[2].strip_prefix('`')?.strip_suffix('`')
}

/// What other programs are asked for in their own tests and examples.
#[test]
fn queries_of_other_programs_are_read() {
    let scoutfish = peer_rows("## Scoutfish's tests");
    assert_eq!(scoutfish.iter().filter_map(query_of).count(), 28);
    let cql = peer_rows("## CQL's examples");
    let (examples, others) = cql.split_at(86);
    assert_eq!((examples.iter().filter_map(query_of).count(), others.iter().filter_map(query_of).count()), (72, 12));
    for row in examples {
        let (name, judgement, difference) = (&row[0], row[3].as_str(), &row[4]);
        assert_eq!(query_of(row).is_none(), judgement == "no", "{name}");
        assert!(matches!(judgement, "same" | "nearly" | "no"), "{name}");
        assert!(judgement == "same" || !difference.is_empty(), "{name} does not say what is missing");
        assert_eq!(cql.iter().filter(|other| other[0] == *name).count(), 1, "{name}");
    }
    for query in scoutfish.iter().chain(&cql).filter_map(query_of) {
        compile(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    }
}
