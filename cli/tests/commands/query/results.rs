//! Compares counts, lists and statistics, as JSON, as tables and as text.

use serde_json::{Value, json};

use crate::program::CliSandbox;

#[test]
fn counts() {
    let sandbox = CliSandbox::with_sample();
    for (query, games, positions) in [
        ("queens_off", 2, 7),
        ("", 4, 23),
        ("not queens_off", 2, 16),
        ("queens_off and black bishop", 1, 3),
        ("white pawn on e4 and not queens_off", 1, 7),
        ("{ check and white queen on f7 }", 1, 1),
        ("count(white pawn) = 1", 1, 4),
    ] {
        let answer = sandbox.json(&["query", "sample.plyfold", query]);
        assert_eq!((&answer["games"], &answer["positions"]), (&json!(games), &json!(positions)), "{query}");
        assert_eq!((&answer["games_total"], &answer["plies_total"]), (&json!(4), &json!(23)));
        assert_eq!(answer["query"], query);
        assert!(answer["elapsed_ms"].as_f64().unwrap() >= 0.0);
        assert_eq!(answer.as_object().unwrap().len(), 6, "nothing that was not asked for");
    }
}

#[test]
fn evidence_is_where_the_conditions_were_fulfilled() {
    let sandbox = CliSandbox::with_sample();
    // Queens are off after plies 8 to 10 of game 2, and in all four plies of game 3, which began without them.
    for (query, expected) in [
        ("queens_off for 4", &[(3, 1), (3, 2), (3, 3), (3, 4)][..]),
        ("became queens_off", &[(2, 8)]),
        ("white pawn on e5 then queens_off", &[(2, 3), (2, 4), (2, 8), (2, 9), (2, 10)]),
        ("white pawn on e5 then within 4 queens_off", &[(2, 4), (2, 8)]),
        // Of the row from ply 1 to 3, the two plies that the condition asks for led to ply 4.
        ("queens_off for 2 then within 1 king at ply 4", &[(3, 2), (3, 3), (3, 4)]),
        ("queens_off and not check", &[(2, 8), (2, 9), (2, 10), (3, 1), (3, 2), (3, 3), (3, 4)]),
        ("result 0-1", &[(4, 1), (4, 2)]),
        ("never queens_off and black \"Emil\"", &[(4, 1), (4, 2)]),
    ] {
        let answer = sandbox.json(&["query", "sample.plyfold", query, "--evidence", "--positions", "ref"]);
        let pairs = answer["position_list"].as_array().unwrap().iter();
        let found: Vec<_> = pairs.map(|one| (one["game"].as_u64().unwrap(), one["ply"].as_u64().unwrap())).collect();
        assert_eq!(found, expected, "{query}");
        assert_eq!(answer["positions"], json!(expected.len()), "{query}");
        assert_eq!((&answer["evidence"], answer.get("notices")), (&json!(true), None), "{query}");
    }
    let (corpus, query) = ("sample.plyfold", "queens_off for 4");
    let show =
        |number: &str| sandbox.json(&["show", corpus, number, "--query", query, "--evidence"])["matching"].clone();
    assert_eq!((show("2"), show("3")), (json!([]), json!([1, 2, 3, 4])));
    let marked = sandbox.run(&["export", corpus, "--query", query, "--evidence", "--mark"]).succeeded().text();
    assert_eq!(marked.matches("{match}").count(), 4);
    sandbox.run(&["export", corpus, "--evidence"]).failed_usage();
    sandbox.put(
        "plan.json",
        r#"{ "queries": [{ "name": "one", "query": "queens_off for 4", "evidence": true, "by": ["ply"] }] }"#,
    );
    let told = sandbox.json(&["scan", corpus, "plan.json"]);
    assert_eq!(told["queries"][0]["positions"], json!(4), "{told}");
}

#[test]
fn several_answers_in_one_pass() {
    let sandbox = CliSandbox::with_sample();
    let arguments = ["query", "sample.plyfold", "queens_off", "--heatmap", "--games", "--stats", "--threads", "2"];
    let answer = sandbox.json(&[&arguments[..], &["--structures", "5", "--positions", "both"]].concat());

    let games = answer["game_list"].as_array().unwrap();
    assert_eq!(
        games[0],
        json!({
            "number": 2, "white": "Carla", "black": "Anna", "white_elo": null, "black_elo": null,
            "result": "1/2-1/2", "eco": "A40", "opening": "Englund Gambit: Hartlaub-Charlick Gambit", "eco_tag": null, "date": "2002.??.??", "event": "Trade, \"\"of\"\" queens", "site": "?",
            "plies": 10, "ending": "unknown", "time_class": "unknown", "chess960": false,
            "incomplete": false, "round": null, "white_title": null, "black_title": null, "time_control": null, "annotator": null,
        })
    );
    assert_eq!((games.len(), &games[1]["number"]), (2, &json!(3)));

    let heatmap = answer["heatmap"]["rows"].as_array().unwrap();
    let of = |colour: &str, piece: &str| -> Vec<u64> {
        let rows = heatmap.iter().filter(|row| row["colour"] == colour && row["man"] == piece);
        rows.map(|row| row["positions"].as_u64().unwrap()).collect()
    };
    let kings = of("white", "king");
    assert_eq!((kings[4], kings[11], kings.iter().sum::<u64>()), (5, 2, 7));
    for (colour, piece, count) in [
        ("white", "pawn", 3 * 7 + 4),
        ("black", "pawn", 3 * 6),
        ("white", "queen", 0),
        ("black", "bishop", 3 * 2),
        ("black", "king", 7),
    ] {
        let squares = of(colour, piece);
        assert_eq!((squares.len(), squares.iter().sum::<u64>()), (64, count));
    }

    let structures = &answer["structures"];
    assert_eq!((&structures["distinct"], &structures["positions"]), (&json!(2), &json!(7)));
    assert_eq!(
        structures["rows"],
        json!([
            {
                "rank": 1, "positions": 4, "white": "0000000010000000", "black": "0000000000000000",
                "white_squares": "e4", "black_squares": "", "condition": "structure \"8/8/8/8/4P3/8/8/8\"",
            },
            {
                "rank": 2, "positions": 3, "white": "000000000000f700", "black": "00e7000000000000",
                "white_squares": "a2 b2 c2 e2 f2 g2 h2", "black_squares": "a7 b7 c7 f7 g7 h7",
                "condition": "structure \"8/ppp2ppp/8/8/8/8/PPP1PPPP/8\"",
            },
        ])
    );

    let positions = answer["position_list"].as_array().unwrap();
    assert_eq!(positions.len(), 7);
    let first = "rnb1k1nr/ppp2ppp/3b4/8/8/8/PPP1PPPP/RNB1KBNR w KQkq - 0 5";
    assert_eq!(positions[0], json!({ "game": 2, "ply": 8, "fen": first }));
    assert_eq!(positions[6], json!({ "game": 3, "ply": 4, "fen": "8/3k4/8/8/4P3/8/3K4/8 w - - 3 3" }));
    assert_eq!(answer["stats"]["threads"], 2);
}

#[test]
fn positions_can_be_limited_and_told_apart() {
    let sandbox = CliSandbox::with_sample();
    sandbox.run(&["import", "sample.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
    let ask = |more: &[&str]| sandbox.json(&[&["query", "sample.plyfold", "queens_off"], more].concat());
    let all = ask(&["--positions", "ref"]);
    let places: Vec<(u64, u64)> = all["position_list"]
        .as_array()
        .unwrap()
        .iter()
        .map(|position| (position["game"].as_u64().unwrap(), position["ply"].as_u64().unwrap()))
        .collect();
    let of_four = [(2, 8), (2, 9), (2, 10), (3, 1), (3, 2), (3, 3), (3, 4)];
    let again = of_four.map(|(game, ply)| (game + 4, ply));
    assert_eq!(places, [of_four, again].concat());
    assert_eq!(all.get("positions_distinct"), None);

    let limited = ask(&["--positions", "fen", "--limit", "5"]);
    assert_eq!(limited["position_list"].as_array().unwrap().len(), 5);
    assert_eq!(limited["positions"], 14, "a limit changes no count");
    let unique = ask(&["--positions", "ref", "--unique", "--limit", "3"]);
    assert_eq!(unique["position_list"], json!([{"game":2,"ply":8},{"game":2,"ply":9},{"game":2,"ply":10}]));
    assert_eq!(unique["positions_distinct"], 7);
    let unique = ask(&["--positions", "ref", "--unique"]);
    assert_eq!(unique["position_list"].as_array().unwrap().len(), 7);
    assert_eq!(ask(&["--games", "3"])["game_list"].as_array().unwrap().len(), 3);
    sandbox.run(&["query", "sample.plyfold", "", "--unique"]).failed_usage();
}

#[test]
fn hashes_are_those_of_polyglot() {
    let sandbox = CliSandbox::new();
    sandbox.put("book.pgn", "1. e4 d5 2. e5 f5 3. Ke2 Kf7 *\n\n1. a4 b5 2. h4 b4 3. c4 *\n\n1. e4 *\n");
    sandbox.run(&["import", "book.pgn", "-o", "book.plyfold"]).succeeded();
    let list = ["query", "book.plyfold", "", "--positions", "hash"];
    let hashes = |answer: Value| {
        let list = answer["position_list"].as_array().unwrap().iter();
        list.map(|position| position["hash"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = hashes(sandbox.json(&list));
    // The examples in the description of Polyglot's book format: after e4, d5, e5, f5 (which White could take en passant),
    // Ke2 and Kf7.
    let book = [
        "823c9b50fd114196",
        "0756b94461c50fb0",
        "662fafb965db29d4",
        "22a48b5a8e47ff78",
        "652a607ca3f242c1",
        "00fdd303c946bdd9",
    ];
    assert_eq!(all[..6], book);
    assert_eq!((&*all[10], all.len(), &all[11]), ("3c8123ea7b067637", 12, &all[0]));
    assert_eq!(hashes(sandbox.json(&[&list[..], &["--unique"]].concat())), all[..11]);
    let text = sandbox.run(&[&list[..], &["--limit", "1"]].concat()).succeeded().text();
    assert!(text.ends_with("\n823c9b50fd114196\n"), "{text}");
    let csv = sandbox.run(&[&list[..], &["--limit", "1", "--format", "csv"]].concat()).succeeded().text();
    assert_eq!(csv, "hash\r\n823c9b50fd114196\r\n");
}

#[test]
fn a_table_for_spreadsheets() {
    let sandbox = CliSandbox::with_sample();
    let ask = |more: &[&str]| {
        let arguments = [&["query", "sample.plyfold", "queens_off", "--format", "csv"], more].concat();
        let text = sandbox.run(&arguments).succeeded().text();
        text.split_terminator("\r\n").map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        ask(&["--games"]),
        [
            "number,white,black,white_elo,black_elo,result,eco,opening,eco_tag,date,event,site,plies,ending,time_class,round,white_title,black_title,time_control,annotator",
            "2,Carla,Anna,,,1/2-1/2,A40,Englund Gambit: Hartlaub-Charlick Gambit,,2002.??.??,\"Trade, \"\"\"\"of\"\"\"\" queens\",?,10,unknown,unknown,,,,,",
            "3,Bert,Carla,,,*,,,,????.??.??,Ending,?,4,unknown,unknown,,,,,",
        ]
    );
    let positions = ask(&["--positions", "both"]);
    assert_eq!((positions.len(), &*positions[0]), (8, "game,ply,fen,eval,clock,judgement"));
    assert_eq!(positions[7], "3,4,8/3k4/8/8/4P3/8/3K4/8 w - - 3 3,,,");
    assert_eq!(ask(&["--positions", "ref", "--limit", "1"]), ["game,ply,eval,clock,judgement", "2,8,,,"]);
    let heatmap = ask(&["--heatmap"]);
    assert_eq!((heatmap.len(), &*heatmap[0]), (1 + 2 * 6 * 64, "colour,man,square,positions"));
    assert!(heatmap.contains(&"white,king,e1,5".to_owned()));
    let structures = ask(&["--structures", "1"]);
    assert_eq!(structures[1..], ["1,4,0000000010000000,0000000000000000,e4,,\"structure \"\"8/8/8/8/4P3/8/8/8\"\"\""]);
    for more in [&[][..], &["--games", "--heatmap"]] {
        let ran = sandbox.run(&[&["query", "sample.plyfold", "", "--format", "csv"], more].concat());
        ran.failed_in_a_line(2, &["exactly one of --games"]);
    }
}

#[test]
fn text_for_reading() {
    let sandbox = CliSandbox::with_sample();
    let arguments = ["query", "sample.plyfold", "queens_off", "--games", "--heatmap", "--structures", "--stats"];
    let text = sandbox.run(&[&arguments[..], &["--positions", "both"]].concat()).succeeded().text();
    for part in [
        "queens_off\n  games       2 of  4  (50.0 %)\n  positions   7 of 23  (30.4 %)\n",
        "      2  Carla                         Anna                          1/2-1/2  A40  2002.??.??     10  Trade",
        "White kings",
        " 1     .    .    .    . 71.4",
        "2 different pawn structures; the 2 most frequent",
        "  1. 4              2. 3\n   . . . . . . . .   p p p . . p p p\n",
        "      3     4  8/3k4/8/8/4P3/8/3K4/8 w - - 3 3\n",
        "the replay kept nothing\n",
        "  games skipped  ",
        "  games replayed              0  (0.0 %)\n",
        "  plies replayed              0  (0.0 %)\n",
        "  plies filtered by squares   0  (0.0 %)\n",
        "  plies skipped              23  (100.0 %)\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn stats_say_what_was_looked_at() {
    let sandbox = CliSandbox::with_sample();
    let mate = "fen \"r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4\"";
    for (query, games, positions, skipped, replayed, plies_replayed, filtered, keeps) in [
        ("", 4, 23, 0, 0, 0, 0, "nothing"),
        // Games that keep more pawns are not read.
        ("count(white pawn) <= 1", 1, 4, 3, 0, 0, 0, "nothing"),
        ("isolated_pawn", 1, 4, 0, 0, 0, 0, "nothing"),
        ("white queen on f7", 1, 1, 0, 0, 0, 23, "nothing"),
        ("check", 1, 1, 0, 0, 0, 23, "nothing"),
        ("white fork or not white fork", 4, 23, 0, 4, 23, 0, "mailbox, pawns, bitboards"),
        ("{ count(white pawn) <= 1 and check }", 0, 0, 3, 0, 0, 4, "nothing"),
        // Only the ending has the right material, but never those pawns.
        ("{ count(white pawn) = 1 and white pawn on a2 and check }", 0, 0, 3, 0, 0, 4, "nothing"),
    ] {
        let answer = sandbox.json(&["query", "sample.plyfold", query, "--stats", "--heatmap"]);
        assert_eq!((&answer["games"], &answer["positions"]), (&json!(games), &json!(positions)), "{query}");
        let stats = &answer["stats"];
        for (name, value) in [
            ("games_skipped", json!(skipped)),
            ("games_replayed", json!(replayed)),
            ("plies_replayed", json!(plies_replayed)),
            ("plies_filtered", json!(filtered)),
            ("plies_skipped", json!(23u64.saturating_sub(plies_replayed + filtered))),
            ("keeps", json!(keeps)),
        ] {
            assert_eq!(stats[name], value, "{name} of {query}");
        }
    }
    // One game is replayed, once for the pieces and once for the castling rights. Some games are not opened at all.
    let stats = &sandbox.json(&["query", "sample.plyfold", mate, "--stats"])["stats"];
    assert_eq!((&stats["games_replayed"], &stats["plies_replayed"]), (&json!(1), &json!(14)));
    assert!(stats["games_skipped"].as_u64() > Some(0));
    assert_eq!(stats["keeps"], "mailbox, pawns, bitboards, rights, clocks");
    let events = |query| sandbox.json(&["query", "sample.plyfold", query, "--stats"])["stats"]["events"].clone();
    assert_eq!(events("check"), 0);
    assert!(events("isolated_pawn").as_u64() > Some(10), "pawns move and are taken");
    // A corpus without signatures gives the same result, but no game is skipped.
    sandbox.put("older.plyfold", crate::program::OLDER);
    let older = sandbox.json(&["query", "older.plyfold", "queens_off", "--stats"]);
    assert_eq!((&older["games"], &older["positions"]), (&json!(2), &json!(7)));
    assert_eq!((&older["stats"]["games_skipped"], &older["stats"]["plies_replayed"]), (&json!(0), &json!(0)));
}

#[test]
fn the_images_are_told_as_which_positions_were_found() {
    let sandbox = CliSandbox::with_sample();
    let whole = sandbox.json(&["query", "sample.plyfold", "", "--positions", "fen", "--limit", "1"]);
    let fen = whole["position_list"][0]["fen"].as_str().unwrap().split(' ').next().unwrap().to_owned();
    // The same board with colours exchanged and ranks reversed.
    let swap = |sign: char| if sign.is_uppercase() { sign.to_ascii_lowercase() } else { sign.to_ascii_uppercase() };
    let flipped = fen.split('/').rev().collect::<Vec<_>>().join("/").chars().map(swap).collect::<String>();
    let query = format!("fen \"{flipped}\" under mirror, colour flip");
    let answer = sandbox.json(&["query", "sample.plyfold", &query, "--positions", "both", "--limit", "1"]);
    assert_eq!(answer["position_list"][0]["images"], json!(["flipcolor"]), "{answer}");
    let csv =
        sandbox.run(&["query", "sample.plyfold", &query, "--positions", "ref", "--format", "csv"]).succeeded().text();
    assert_eq!(csv.lines().collect::<Vec<_>>(), ["game,ply,images,eval,clock,judgement", "1,1,flipcolor,,,"]);
    let text = sandbox.run(&["query", "sample.plyfold", &query, "--positions", "fen"]).succeeded().text();
    assert!(text.lines().any(|line| line.ends_with("  as flipcolor")), "{text}");
    // Without `under`, a position lists no images.
    let plain = sandbox.json(&["query", "sample.plyfold", "queens_off", "--positions", "ref"]);
    assert!(plain["position_list"][0].get("images").is_none(), "{plain}");

    let explained = sandbox.json(&["explain", &query]);
    assert_eq!(explained["images"], json!([["identity", "flipH", "flipcolor", "flipH flipcolor"]]));
    let text = sandbox.run(&["explain", "structure \"8/8/8/8/8/8/P7/8\" under shifts"]).succeeded().text();
    assert!(text.contains("\nIt looks for 48 images: identity, ") && text.contains(" and 32 more.\n"), "{text}");
}
