//! The words of queries: how a query prints, where an error points, and what players write.

use plyfold_core::query::compile;

#[test]
fn a_query_prints_in_its_own_words() {
    for (text, printed) in [
        ("White knight ON e5 FOR 4 Moves", "white knight on e5 for 8"),
        ("2 of (check, queens_off, rook on 7)", "2 of (check, queens_off, rook on 7)"),
        (
            "not 2 of (check or fork, (check then fork), { not fork })",
            "not 2 of ((check or fork), (check then fork), { not fork })",
        ),
        ("1 of (check, not check)", "check or not check"),
        ("{ 2 of (check, queens_off or knight) }", "{ check and (queens_off or knight) }"),
        ("( { queens-off } ) for 1", "{ queens_off }"),
        ("never became ( queens_off ) before Move 20", "never became queens_off until move 19"),
        (
            "between moves 10..20 in endgame check at least 3 times",
            "check at least 3 times between moves 10..20 in endgame",
        ),
        ("check for 8 from ply 10 until ply 20 at end", "check for 8 between plies 10..20 at end"),
        ("check at most 3 times at least 3 plies at move 9", "check exactly 3 times at move 9"),
        (
            "check then within 10 moves (castled and check) THEN checkmate",
            "check then within 20 plies (castled and check) then checkmate",
        ),
        ("winner passed-pawn on own 7, own e2", "winner passed_pawn on own 7 own e2"),
        ("\"carlsen*\" knight attacks queen on own_half", "\"carlsen*\" knight attacks queen on own_half"),
        ("\"Carlsen*\" and ELO > 2500", "player \"Carlsen*\" and elo >= 2501"),
        ("imbalance r+2p v bn and move < 20", "imbalance RPP v BN and move <= 19"),
        ("imbalance white RvR", "imbalance white 0 v 0"),
        ("eco b80..b99, c4 and year 1985..1995", "eco B80-B99, C40-C49 and date 1985..1995"),
        ("date >= 1990.5 or result drawn", "date >= 1990.05 or result 1/2-1/2"),
        ("ended time forfeit, checkmate", "ended time_forfeit, checkmate"),
        ("king_distance + 2 <= 2 * clock", "king_distance + 2 <= 2 * halfmove_clock"),
        ("eval >= 2.5", "eval >= 2.5"),
        ("upset", "winner elo < loser elo"),
        ("eval + 1 > 2.50", "eval + 1 > 2.5"),
        ("eval_cp >= 5 and 2 * (eval - 1) = eval_change", "eval >= 0.05 and 2 * eval - 2 = eval_change"),
        ("eval_cp = 100 * eval - time_spent", "100 * eval_cp = 100 * eval_cp - 100 * time_spent"),
        ("eval_cp >= 250", "eval >= 2.5"),
        ("0.05 < eval - 1.0", "0.05 < eval - 1"),
        ("{ eval between -1.0 and 0.5 }", "{ eval >= -1 and eval <= 0.5 }"),
        ("clock < 0:30", "clock_time(waiter) < 30"),
        ("clock_time(white) < 1:30:00", "clock_time(white) < 5400"),
        ("clock_time(black) <= 90s", "clock_time(black) <= 90"),
        ("time_spent > 1m", "time_spent > 60"),
        (
            "ended fifty moves or ended Repetition",
            "(result 1/2-1/2 and halfmove_clock >= 100 at end) or (result 1/2-1/2 and repetition >= 3 at end)",
        ),
        ("has evals and has_clocks", "has_evals and has_clocks"),
        ("white plays a fork then black captures the defender", "white plays_fork then black captures_defender"),
        ("zwischenzug or discovered-attack", "plays_intermezzo or plays_discovered_attack"),
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

/// Queries with a mistake, and their error messages.
mod mistakes {
    const NO_PIECE: &str = "`x` is no piece: write K Q R B N P for White, k q r b n p for Black";
    const BAD_RIGHTS: &str =
        "the third field of a FEN is the castling rights: some of `KQkq`, letters of files, or `-`";
    const BAD_EN_PASSANT: &str = "the fourth field of a FEN is the en passant square, or `-`";
    /// The query, the message, the range that it points to, and the nearest name.
    pub const ALL: &[(&str, &str, usize, usize, Option<&str>)] = &[
        ("white bishop_piar", "unknown name `bishop_piar`: did you mean `bishop_pair`?", 6, 17, Some("bishop_pair")),
        ("queen_off", "unknown name `queen_off`: did you mean `queens_off`?", 0, 9, Some("queens_off")),
        ("eval >= 2.555", "a pawn has a hundred parts: write at most two digits after the point", 8, 9, None),
        (
            "king_distance = 2.0",
            "a number with a point counts pawns: compare it with `eval` or `eval_change`",
            16,
            17,
            None,
        ),
        ("0.5 * eval > 2", "a product counts whole centipawns: multiply by a whole number", 11, 12, None),
        ("clock < 0:3", "a time is written as in `0:30`, `1:30:00` or `90s`", 8, 9, None),
        ("repetition = 30s", "a time is compared with `clock`, `clock_time(white)` or `time_spent`", 13, 15, None),
        ("knight on e9", "there is no square `e9`", 10, 12, None),
        ("knight on", "a region is missing at the end", 9, 9, None),
        ("knight on 9", "ranks are 1 to 8", 10, 11, None),
        ("white", "a predicate is missing at the end", 5, 5, None),
        ("white queens_off", "`queens_off` belongs to no side", 0, 5, None),
        ("queens_off on e4", "`queens_off` has no squares", 11, 13, None),
        ("(check", "`)` is missing at the end", 6, 6, None),
        ("check }", "this bracket has no opening bracket", 6, 7, None),
        ("check castled", "`and`, `or` or `then` is missing here", 6, 13, None),
        ("count(rook)", "a comparison is missing at the end", 11, 11, None),
        ("count(rook) * count(pawn) > 1", "one operand of `*` must be a number", 12, 13, None),
        ("points() > 3", "a side is expected here, not `)`", 7, 8, None),
        ("queens_off; check", "`;` has no meaning in a query", 10, 11, None),
        ("count(rook) > 99999999999999999999", "a number here is at most 1000000000", 14, 34, None),
        ("and", "a predicate is expected here, not `and`", 0, 3, None),
        ("no both pawn", "`no` already means both sides, or the one that is named", 3, 7, None),
        (
            "{ check for 8 }",
            "braces are one position, and `for` needs several: write it outside the braces",
            8,
            11,
            None,
        ),
        (
            "{ (check) for 8 }",
            "braces are one position, and `for` needs several: write it outside the braces",
            10,
            13,
            None,
        ),
        (
            "{ { check } for 8 }",
            "braces are one position, and `for` needs several: write it outside the braces",
            12,
            15,
            None,
        ),
        (
            "(check and castled) for 8",
            "`for` applies to one condition: join several by `{ … }` at the same position",
            20,
            23,
            None,
        ),
        (
            "(check or castled) for 8",
            "`for` applies to one condition: join several by `{ … }` at the same position",
            19,
            22,
            None,
        ),
        (
            "(not check) for 8",
            "`not` applies to the whole game here, and `for` to plies: write `{ not … }`",
            12,
            15,
            None,
        ),
        ("(check for 8) for 8", "the condition in these brackets already has words such as `for`", 14, 17, None),
        ("check for 8 plies for 9", "there already is a `for`", 18, 21, None),
        ("check for", "a number of plies or moves is missing at the end", 9, 9, None),
        ("check for long", "a number of plies or moves is expected here, not `long`", 10, 14, None),
        ("check for 0", "`for` takes 1 to 65535 plies, which is 32767 moves", 10, 11, None),
        ("check for 65536", "`for` takes 1 to 65535 plies, which is 32767 moves", 10, 15, None),
        ("check for 32768 moves", "`for` takes 1 to 65535 plies, which is 32767 moves", 10, 15, None),
        ("check for 8 turns", "`and`, `or` or `then` is missing here", 12, 17, None),
        ("for 8", "a predicate is expected here, not `for`", 0, 3, None),
        ("(check for 8", "`)` is missing at the end", 12, 12, None),
        ("material", "a material such as `KRPvKR` is missing at the end", 8, 8, None),
        ("material KRP", "write a `v` between the pieces of the two sides, as in `KRPvKR`", 9, 12, None),
        ("material KRTvKR", "`t` is no piece: write K Q R B N P, as in `KRPvKR`", 11, 12, None),
        ("material white KRPvR", "name the king of each side too, as in `KRPvKR`", 19, 20, None),
        ("material KRPv", "name the king of each side too, as in `KRPvKR`", 13, 13, None),
        ("material KKvK", "each side has one king, as in `KRPvKR`", 9, 11, None),
        ("material both KvK", "`material` takes `white`, `black`, or no side for either", 9, 13, None),
        ("white material KvK", "write the side after `material`: `material white KRPvKR`", 0, 5, None),
        ("both endgame rook", "`endgame` describes both sides, so no side stands before it", 0, 4, None),
        ("check and no structure \"8\"", "`no` is for the pieces of a side: write `not structure …`", 10, 12, None),
        ("no white endgame rook", "`no` is for the pieces of a side: write `not endgame …`", 0, 2, None),
        ("endgame", "a kind of endgame is missing at the end", 7, 7, None),
        ("endgame rok", "unknown kind of endgame `rok`: did you mean `rook`?", 8, 11, Some("rook")),
        ("endgame chess", "a kind of endgame is expected here, not `chess`", 8, 13, None),
        ("endgmae rook", "unknown name `endgmae`: did you mean `endgame`?", 0, 7, Some("endgame")),
        ("fen", "a FEN in quotes is missing at the end", 3, 3, None),
        ("fen start", "a FEN in quotes is expected here, not `start`", 4, 9, None),
        ("\"\"", "there is no name between the quotes", 0, 2, None),
        ("\"Carlsen\" \"Caruana\"", "`and`, `or` or `then` is missing here", 10, 19, None),
        ("player Carlsen", "a name in quotes is expected here, not `carlsen`", 7, 14, None),
        ("white \"Carlsen\" knight", "name one side only: `white` or the name", 0, 5, None),
        ("\"Carlsen\" elo > 2800", "`player` takes no `elo`: write two conditions", 10, 13, None),
        ("elo != 2500", "write `not elo = …` instead", 4, 6, None),
        ("elo 2500..2400", "2400 comes before 2500", 10, 14, None),
        ("elo < 0", "no number is smaller than this", 4, 5, None),
        ("elo 12345", "elo is at most 9999", 4, 9, None),
        ("result 2-0", "a result is expected here, not `2`", 7, 8, None),
        ("eco F10", "an ECO code such as `B90` is expected here, not `f10`", 4, 7, None),
        ("eco B90-B80", "B80 comes before B90", 8, 11, None),
        (
            "opening \"najdorf\"",
            "the names of openings are not loaded, so `najdorf` is unknown: use `eco`",
            8,
            17,
            None,
        ),
        ("year 0", "years range from 1 to 9999", 5, 6, None),
        ("date 1990.13", "a month is from 1 to 12", 10, 12, None),
        ("date 1991..1990", "1990 comes before 1991", 11, 15, None),
        ("date > 1990", "a date is compared with `>=`, `<=`, `=` or `..`", 5, 6, None),
        ("ended badly", "an ending is expected here, not `badly`", 6, 11, None),
        ("ended checkmat", "unknown ending `checkmat`: did you mean `checkmate`?", 6, 14, Some("checkmate")),
        ("time_class fast", "a time class is expected here, not `fast`", 11, 15, None),
        ("white elo > white elo", "`white elo` is compared with `black elo` or a number", 12, 17, None),
        ("winner elo > loser elo + ", "a number is missing at the end", 25, 25, None),
        ("white elo + 50", "a comparison is missing at the end", 14, 14, None),
        ("elo > white elo", "`elo` is compared with numbers alone", 0, 3, None),
        ("average", "`elo` is missing at the end", 7, 7, None),
        (
            "result 1-0 before move 20",
            "a header condition applies to the whole game, and `before` to plies",
            11,
            17,
            None,
        ),
        ("never result 1-0", "a header condition applies to the whole game, and `never` to plies", 0, 5, None),
        ("never not check", "`not` applies to the whole game here: write `{ not … }` or `never`", 6, 9, None),
        ("never never check", "a condition takes only one of `ever`, `never` and `always`", 6, 11, None),
        ("became ceased check", "a condition takes only one of `became` and `ceased`", 7, 13, None),
        ("always became check", "a change happens at one ply: it cannot be `always`", 0, 6, None),
        ("always check for 8", "`always` is every ply: leave out `for`", 0, 6, None),
        ("always check at least 3 times", "`always` is every ply: leave out the number of times", 0, 6, None),
        ("became check for 2", "a change happens at one ply: it never lasts for several plies", 0, 6, None),
        ("check for 8 at least 3 times", "a condition takes `for` or a number of times, not both", 12, 14, None),
        ("check at least 3 times at most 2 times", "this contradicts the number of times before it", 23, 25, None),
        ("check at least 0 times", "every number of times is at least 0: write 1 or more", 6, 8, None),
        ("check at least 3", "`times` is missing at the end", 16, 16, None),
        (
            "check before move 10 after move 20",
            "these plies contradict each other: no game has any of them",
            0,
            5,
            None,
        ),
        ("check between 20..10", "10 comes before 20", 18, 20, None),
        ("check in opening in endgame", "no ply is in two phases of the game", 17, 19, None),
        ("check in time", "a phase of the game is expected here, not `time`", 9, 13, None),
        ("check at noon", "`ply`, `move`, `end`, `least` or `most` is expected here, not `noon`", 9, 13, None),
        ("check before move", "`move` or `ply` and its number is missing at the end", 17, 17, None),
        ("check before move 1", "nothing comes before number 1", 18, 19, None),
        ("check at ply 70000", "the number of a ply is from 1 to 65535", 13, 18, None),
        (
            "(check and castled) before move 20",
            "`before` applies to one condition: join several by `{ … }` at the same position",
            20,
            26,
            None,
        ),
        (
            "{ check then castled }",
            "braces are one position, and `then` needs two: write it outside the braces",
            8,
            12,
            None,
        ),
        (
            "{ check before move 20 }",
            "braces are one position, and `before` needs several: write it outside the braces",
            8,
            14,
            None,
        ),
        (
            "{ never check }",
            "braces are one position, and `never` needs several: write it outside the braces",
            2,
            7,
            None,
        ),
        ("check then", "a predicate is missing at the end", 10, 10, None),
        ("check in @good", "`and`, `or` or `then` is missing here", 6, 8, None),
        ("in @", "write a name after `@`, as in `in @my-games`", 3, 4, None),
        ("check and @good", "a predicate is expected here, not the set `@good`: write `in @good`", 10, 15, None),
        ("check then within castled", "a number of plies or moves is expected here, not `castled`", 18, 25, None),
        ("check then within 0 castled", "`within` takes 1 to 65535 plies, which is 32767 moves", 18, 19, None),
        (
            "never check then castled",
            "`never` is known only at the end of the game, so nothing can follow it",
            12,
            16,
            None,
        ),
        (
            "(check and not castled) then queens_off",
            "`not` is known only at the end of the game, so nothing can follow it",
            24,
            28,
            None,
        ),
        (
            "check at most 3 times then castled",
            "the number of times is known only at the end of the game, so nothing can follow it",
            22,
            26,
            None,
        ),
        ("(check then castled) for 8", "`then` needs several plies: put `for` on one of its conditions", 21, 24, None),
        (
            "white knight attacks black queen",
            "`attacks` means pieces of the other side, `defends` those of its own side: leave out `black`",
            21,
            26,
            None,
        ),
        ("white knight attacks", "what is attacked or defended is missing at the end", 20, 20, None),
        ("queens_off attacks e4", "`queens_off` has no pieces that could attack", 11, 18, None),
        ("knight attacks queens_off", "`queens_off` belongs to no side, so it cannot be attacked", 15, 25, None),
        ("empty own 7", "`empty` belongs to no side, so it takes no `own`", 6, 9, None),
        (
            "imbalance RBN",
            "the material of both sides, as in `RvBN` or `R+2P v BN`, is missing at the end",
            13,
            13,
            None,
        ),
        ("imbalance KvR", "both sides always have a king: an imbalance has only Q R B N P", 10, 13, None),
        ("imbalance both RvB", "`imbalance` takes `white`, `black`, or no side for either", 10, 14, None),
        ("move != 20", "write `not move = …` instead", 5, 7, None),
        ("move + 1 > 20", "a comparison or a number is expected here, not `+`", 5, 6, None),
        ("material", "a material such as `KRPvKR` is missing at the end", 8, 8, None),
        ("structure 8", "a board of pawns in quotes is expected here, not `8`", 10, 11, None),
        ("check and fen \"8/8", "this quote is never closed: `\"` is missing", 14, 15, None),
        ("fen \" \"", "there is no placement between the quotes", 6, 6, None),
        ("fen \"8/8\"", "a board has 8 ranks with `/` between them, not 2", 8, 8, None),
        ("board \"8/8/8/8/8/8/8/8/8\"", "a board has 8 ranks; this is one too many", 23, 24, None),
        ("board \" 8/ppp/8/8/8/8/8/8\"", "rank 7 has 3 squares here, not 8", 10, 13, None),
        ("structure \"8/8/8/8/8/8/1/8\"", "rank 2 has 1 square here, not 8", 23, 24, None),
        ("structure \"8/8/8/88/8/8/8/8\"", "rank 5 has 16 squares here, not 8", 17, 19, None),
        ("structure \"8/8/8/8/8/4N3/8/8\"", "`N` is no pawn: a structure has only `P` and `p`", 22, 23, None),
        ("structure \"8/8/8/8/8/8/8/P7\"", "a pawn never stands on the first or last rank", 25, 26, None),
        ("board \"[Pp]7/8/8/8/8/8/8/8\"", "a pawn never stands on the first or last rank", 8, 9, None),
        ("board \"x7/8/8/8/8/8/8/8\"", NO_PIECE, 7, 8, None),
        ("board \"[]7/8/8/8/8/8/8/8\"", "no pieces stand between `[` and `]`", 7, 9, None),
        ("board \"[Nn7/8/8/8/8/8/8/8\"", "`]` is missing after the pieces that may stand here", 7, 11, None),
        ("fen \"?7/8/8/8/8/8/8/8\"", "`?` is for patterns: use `board`", 5, 6, None),
        (
            "board \"8/8/8/8/8/8/8/k7\"",
            "White's king has no square here, but each side has a king in every game",
            7,
            23,
            None,
        ),
        ("3 of (check, castled)", "the list has 2: write a number from 1 to 2 before `of`", 0, 1, None),
        ("2 of check", "`(` and a list of conditions is expected here, not `check`", 5, 10, None),
        ("fen \"kk6/8/8/8/8/8/8/K7\"", "Black has more than one king here, which no game has", 5, 23, None),
        ("fen \"k7/8/8/8/8/8/8/K7 -\"", "the second field of a FEN is the side to move: `w` or `b`", 23, 24, None),
        ("fen \"k7/8/8/8/8/8/8/K7 w xy\"", BAD_RIGHTS, 25, 27, None),
        ("fen \"k7/8/8/8/8/8/8/K7 w - e9\"", BAD_EN_PASSANT, 27, 29, None),
        ("fen \"k7/8/8/8/8/8/8/K7 w - - x\"", "the last two fields of a FEN are numbers", 29, 30, None),
        ("fen \"k7/8/8/8/8/8/8/K7 w - - 0 1 2\"", "a FEN has at most six fields", 33, 34, None),
        ("fen \"k7/8/8/8/8/8/8/K7 w ABC\"", "a side has castling rights with at most two rooks", 25, 28, None),
    ];
}

#[test]
fn errors_point_and_name_the_nearest() {
    let mut others = Vec::new();
    for &(text, message, from, to, nearest) in mistakes::ALL {
        let Err(error) = compile(text) else { panic!("{text} is read") };
        if (error.to_string().as_str(), error.from, error.to, error.nearest) != (message, from, to, nearest) {
            others.push(format!("({text:?}, {:?}, {}, {}, {:?}),", error.message, error.from, error.to, error.nearest));
        }
    }
    assert!(others.is_empty(), "other than expected:\n{}", others.join("\n"));
    let deep = "not ".repeat(70) + "check";
    assert!(compile(&deep).is_err());
    let wide: Vec<String> = (0..70).map(|n| format!("count(pawn) = {n}")).collect();
    assert_eq!(compile(&wide.join(" or ")).expect("wide").predicates.len(), 70);
}

#[test]
fn names_may_be_spelled_apart() {
    let one = compile("white bishop_pair and rook_on_seventh").expect("a query");
    for text in ["White Bishop-Pair AND rook on seventh", "white  bishop pair\nand rook-on-the-seventh"] {
        assert_eq!(compile(text).expect(text), one);
    }
}

/// What players write at first, and what becomes of it: the same as another query, or advice that is a query.
const NATURAL_WORDS: &[(&str, NaturalWords)] = &[
    ("knight at e5", Reads("knight on e5")),
    ("round 3", Reads("round \"3\"")),
    ("white attacks e5", Advises("white piece attacks e5")),
    ("defends e5", Advises("white piece defends e5")),
    ("attacks e5", Says("say what attacks, as in")),
    ("white controls e5", Advises("white controlled_square on e5")),
    ("white attacked squares", Advises("controlled_square")),
    ("year 2010-2015", Reads("year 2010..2015")),
    ("elo 2400-2600 and move 10 to 20", Reads("elo 2400..2600 and move 10..20")),
    ("date 1990.05-1991", Reads("date 1990.05..1991")),
    ("eco B80 to B99", Reads("eco B80-B99")),
    ("rating > 2500", Reads("elo > 2500")),
    ("white rating > 2500", Reads("white elo > 2500")),
    ("draw", Reads("result draw")),
    ("decisive and both rating >= 2400", Reads("result decisive and elo >= 2400")),
    ("rook on seventh rank", Reads("rook_on_seventh")),
    ("white pawn on the seventh rank", Reads("white pawn on own 7")),
    ("pawn on 7th rank", Reads("pawn on own 7")),
    ("pawns on rank 7", Reads("pawn on 7")),
    ("pawn on the e-file", Reads("pawn on e")),
    ("bishop on light squares", Reads("bishop on light")),
    ("no pawns on a-c", Reads("no pawn on a..c")),
    ("white knight on e5 for at least 4 moves", Reads("white knight on e5 for 4 moves")),
    ("white king on g1 or c1", Reads("white king on c1 g1")),
    ("pawn on (c or d) or check", Reads("pawn on c d or check")),
    ("rooks on the seventh", Reads("rook_on_seventh")),
    ("count(queens) = 0", Reads("count(queen) = 0")),
    ("rook endgame", Reads("endgame rook")),
    ("knight fork", Reads("knight & fork")),
    ("pinned queen", Reads("pinned & queen")),
    ("white hanging rook on a1", Reads("white hanging_piece & rook on a1")),
    ("passed pawn attacked", Reads("passed_pawn & attacked")),
    ("isolated passed pawns", Reads("isolated_pawn & passed_pawn")),
    ("empty squares next to black king", Reads("empty_square next_to black king")),
    ("rook behind passed pawn", Reads("rook & behind own passed_pawn")),
    ("white rook on e1 ahead of enemy isolated pawn", Reads("white rook on e1 in_front_of enemy isolated_pawn")),
    ("queen next to enemy king attacks rook", Reads("(queen next_to enemy king) attacks rook")),
    ("no piece between white king and black king", Reads("no piece & between white king and black king")),
    ("rook on the same file as king", Reads("rook on_same_file_as own king")),
    ("bishop x-rays king through knight", Reads("bishop xrays enemy king through either knight")),
    ("attackers(e4, white) >= 3", Reads("count(white piece attacks e4) >= 3")),
    ("attackers(e4 e5) > attackers(d4, winner)", Reads("count(piece attacks e4 e5) > count(winner piece attacks d4)")),
    ("attackers(white king) >= 2", Reads("count(black piece attacks king) >= 2")),
    ("attackers(king, white) > 0", Reads("count(white piece attacks king) > 0")),
    ("attackers(king) > 1", Reads("count(piece attacks king) > 1")),
    ("attackers(pinned knight on f6, both) > 1", Reads("count(piece attacks (pinned knight on f6)) > 1")),
    ("attackers(white (queen | rook), white) = 0", Reads("count(white piece defends (queen | rook)) = 0")),
    ("attackers(winner queen) > 1", Reads("count(loser piece attacks queen) > 1")),
    (
        "attackers(mover rook on e, both) = 2",
        Reads("count(waiter piece attacks rook on e) + count(mover piece defends rook on e) = 2"),
    ),
    ("pawn on e4 between moves 10..20", Reads("pawn on e4 from move 10 until move 20")),
    ("2 of (pawn on e4, white pawn on e5)", Reads("pawn on e4 and white pawn on e5")),
    ("(knight or bishop) on e5", Reads("(knight | bishop) on e5")),
    ("white (knight or bishop) at e5", Reads("white knight on e5 | bishop on e5")),
    ("check between 20 to 30", Reads("check between 20..30")),
    ("check within 10 checkmate", Advises("check then within 10 checkmate")),
    ("white mates", Advises("white gives mate")),
    ("white checkmates", Advises("white gives mate")),
    ("white checks", Advises("white gives check")),
    ("white checkmated", Reads("white checkmate")),
    ("captures on f7", Reads("takes on f7")),
    ("castles kingside", Reads("castles_short")),
    ("white gives checkmate", Reads("white gives_mate")),
    ("white pins", Advises("black pinned")),
    ("white wins", Advises("result 1-0")),
    ("black wins", Advises("result 0-1")),
    ("black lost", Advises("result 1-0")),
    ("queen vs rook", Advises("imbalance Q v R")),
    ("2 rooks", Advises("count(rook) >= 2")),
    ("two rooks", Advises("count(rook) >= 2")),
    ("white has bishop pair", Advises("white bishop_pair")),
    ("knight on e5 and d5", Advises("knight on d5")),
    ("without queens", Advises("no queen")),
    ("knight attacking queen", Advises("knight attacks queen")),
    ("\"Tal*\" vs \"Botvinnik*\"", Advises("\"Tal*\" and \"Botvinnik*\"")),
    ("Carlsen", Says("the name of a player stands in quotes")),
];

/// What becomes of the words of a player.
enum NaturalWords {
    /// They mean the same as this query.
    Reads(&'static str),
    /// The message has this query in backticks.
    Advises(&'static str),
    /// The message has these words.
    Says(&'static str),
}
use NaturalWords::{Advises, Reads, Says};

#[test]
fn natural_words_are_read_or_advised() {
    for (text, becomes) in NATURAL_WORDS {
        let message = || compile(text).expect_err(text).to_string();
        match becomes {
            Reads(same) => {
                let read = compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
                assert_eq!(read, compile(same).expect(same), "{text}");
            }
            Advises(query) => {
                assert!(message().contains(&format!("`{query}`")), "{text}: {}", message());
                compile(query).unwrap_or_else(|error| panic!("{query}: {error}"));
            }
            Says(words) => assert!(message().contains(words), "{text}: {}", message()),
        }
    }
}

#[test]
fn a_comma_belongs_to_a_list_only_before_another_item_of_it() {
    let items = [
        "white knight on e5",
        "empty e5",
        "white knight attacks e5",
        "pawn defends e5",
        "bishop xrays e5",
        "rook behind e5",
        "plays knight to e5",
        "plays knight from b1",
        "eco B90",
        "title GM",
        "time_class blitz",
        "ended normal",
        "fen \"8/8/8/8/8/8/8/K1k5\" under mirror",
        "attackers(e5, white) > 1",
    ];
    let next = [
        "queens_off",
        "check",
        "fork",
        "rook",
        "white pawn on c",
        "0 - 5 < count(rook)",
        "3 - 5 < count(rook)",
        "-1 < count(rook)",
        "2 * count(pawn) > 3",
        "2 of (check, castled, pawn)",
        "not check",
        "never check",
        "{ check }",
        "(check or castled)",
        "\"Tal*\" rook",
        "move >= 3",
        "result 1-0",
        "draw",
        "year >= 1990",
    ];
    let parse = |text: &str| plyfold_core::query::parse::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    for item in items {
        for next in next {
            let expected = format!("2 of (({item}), ({next}), (king))");
            assert_eq!(parse(&format!("2 of ({item}, {next}, king)")), parse(&expected), "{expected}");
        }
    }
}

/// A word of the language that stands in the wrong place is not called unknown.
#[test]
fn words_in_the_wrong_place_are_words() {
    for text in ["attacks e5", "white defends e5", "check within 10 checkmate"] {
        let message = compile(text).expect_err(text).to_string();
        assert!(!message.contains("no word"), "{text}: {message}");
    }
}

/// No suggestion turns a meaning round: a verb of one side is not the state of the other.
#[test]
fn suggestions_do_not_turn_a_meaning_round() {
    for verb in
        ["mates", "mate", "checkmates", "checks", "checking", "stalemating", "pins", "forked", "attacker", "defender"]
    {
        let error = compile(&format!("white {verb}")).expect_err(verb);
        assert_eq!(error.nearest, None, "{verb}: {error}");
        let offered = plyfold_core::query::complete::complete(&format!("white {verb}"), 6 + verb.len()).options;
        if verb == "mate" {
            continue; // It may become `mated`.
        }
        let states = ["check", "checkmate", "stalemate", "pinned", "attacked", "defended"];
        let wrong =
            offered.iter().find(|option| states.contains(&option.text.as_str()) && !option.text.starts_with(verb));
        assert_eq!(wrong, None, "{verb}");
    }
}
