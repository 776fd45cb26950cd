//! `plyfold query`: the same results in three formats.

use std::fs::File;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{CliRun, CliSandbox, SAMPLE};

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
fn queries_come_as_json_and_words_about_plies_are_noted() {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("query.json", r#"{"condition": {"what": {"feature": {"name": "queens_off"}}, "window": {"for": 2}}}"#);
    let answer = sandbox.json(&["query", "sample.plyfold", "--json-query", "query.json"]);
    assert_eq!((&answer["query"], &answer["positions"]), (&json!("queens_off for 2"), &json!(7)));
    assert!(answer["notices"][0].as_str().unwrap().starts_with("`for 2` selects games"), "{answer}");
    let text = sandbox.run(&["query", "sample.plyfold", "queens_off for 2"]).succeeded().text();
    assert!(text.lines().any(|line| line.starts_with("  Note: `for 2` selects games")), "{text}");
    let text = sandbox.run(&["query", "sample.plyfold", "queens_off"]).succeeded().text();
    assert!(!text.contains("Note"), "{text}");
    for (list, noted) in [("--games", false), ("--positions=ref", true)] {
        let ran = sandbox.run(&["query", "sample.plyfold", "queens_off for 2", "--format", "csv", list]).succeeded();
        assert_eq!(ran.stderr.starts_with("plyfold: note: `for 2` selects games"), noted, "{}", ran.stderr);
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
fn names_that_no_game_has_are_pointed_at() {
    let sandbox = CliSandbox::with_sample();
    for (query, carets, says) in [
        (
            "check or white \"Ana\"",
            "               ^^^^^",
            "no player of this corpus has the name \"Ana\": did you mean \"Anna\"",
        ),
        ("event \"Bert\" or player \"Bert\"", "      ^^^^^^", "no event of this corpus has the name \"Bert\""),
        ("\"Zoe*\" passed_pawn on 7", "^^^^^^", "no player of this corpus has the name \"Zoe*\""),
    ] {
        for command in [&["query", "sample.plyfold", query][..], &["export", "sample.plyfold", "--query", query]] {
            let ran = sandbox.run(command).failed(2, &[says]);
            assert_eq!(ran.stderr.lines().nth(1), Some(query), "{}", ran.stderr);
            assert_eq!(ran.stderr.lines().nth(2), Some(carets), "{}", ran.stderr);
            assert!(ran.stdout.is_empty());
        }
    }
    // A program that runs one query on many corpora gets an answer and a note.
    let answer = sandbox.json(&["query", "sample.plyfold", "white \"Ana\" and event \"Bert\""]);
    assert_eq!((&answer["games"], answer["notices"].as_array().unwrap().len()), (&json!(0), 2));
    assert!(answer["notices"][0].as_str().unwrap().contains("did you mean \"Anna\""), "{answer}");
    assert_eq!(sandbox.json(&["query", "sample.plyfold", "white \"ann*\" or event \"*queens\""])["games"], 2);
}

#[test]
fn what_may_mislead_is_noted() {
    let sandbox = CliSandbox::with_sample();
    for (query, words) in [
        ("white pawn on d4 and black bishop on d6", "1 game, and 0 games with `{"),
        ("check before 20", "`before 20` counts plies"),
        ("endgame rook and pawn", "`endgame rook and pawn` is two conditions"),
        ("pawn defends e5", "write `defends piece on e5`"),
    ] {
        let answer = sandbox.json(&["query", "sample.plyfold", query]);
        let notices = answer["notices"].to_string();
        assert!(notices.contains(words), "{query}: {notices}");
        let text = sandbox.run(&["query", "sample.plyfold", query]).succeeded().text();
        assert!(text.lines().any(|line| line.starts_with("  Note: ") && line.contains(words)), "{text}");
        let csv = ["query", "sample.plyfold", query, "--format", "csv", "--heatmap"];
        let ran = sandbox.run(&csv).succeeded();
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    let braces = sandbox.json(&["query", "sample.plyfold", "{ white pawn on d4 and black bishop on d6 }"]);
    assert_eq!(braces.get("notices"), None);
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
            "result": "1/2-1/2", "eco": null, "date": "2002.??.??", "event": "Trade, \"\"of\"\" queens", "site": "?",
            "plies": 10, "ending": "unknown", "time_class": "unknown", "chess960": false,
            "incomplete": false, "round": null, "white_title": null, "black_title": null, "time_control": null, "annotator": null,
        })
    );
    assert_eq!((games.len(), &games[1]["number"]), (2, &json!(3)));

    let heatmap = answer["heatmap"]["rows"].as_array().unwrap();
    let of = |colour: &str, man: &str| -> Vec<u64> {
        let rows = heatmap.iter().filter(|row| row["colour"] == colour && row["man"] == man);
        rows.map(|row| row["positions"].as_u64().unwrap()).collect()
    };
    let kings = of("white", "king");
    assert_eq!((kings[4], kings[11], kings.iter().sum::<u64>()), (5, 2, 7));
    for (colour, man, men) in [
        ("white", "pawn", 3 * 7 + 4),
        ("black", "pawn", 3 * 6),
        ("white", "queen", 0),
        ("black", "bishop", 3 * 2),
        ("black", "king", 7),
    ] {
        let squares = of(colour, man);
        assert_eq!((squares.len(), squares.iter().sum::<u64>()), (64, men));
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
            "number,white,black,white_elo,black_elo,result,eco,date,event,site,plies,ending,time_class,round,white_title,black_title,time_control,annotator",
            "2,Carla,Anna,,,1/2-1/2,,2002.??.??,\"Trade, \"\"\"\"of\"\"\"\" queens\",?,10,unknown,unknown,,,,,",
            "3,Bert,Carla,,,*,,????.??.??,Ending,?,4,unknown,unknown,,,,,",
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
        "      2  Carla                         Anna                          1/2-1/2       2002.??.??     10  Trade",
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
fn queries_come_from_anywhere() {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("query.txt", "  queens_off\n  and black bishop\n");
    let answer = sandbox.json(&["query", "sample.plyfold", "--query-file", "query.txt"]);
    assert_eq!((&answer["games"], &answer["query"]), (&json!(1), &json!("queens_off\n  and black bishop")));
    let mut command = sandbox.command(&["query", "sample.plyfold", "-", "--format", "json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"queens_off").unwrap();
    let answer: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(answer["games"], 2);
    sandbox.run(&["query", "sample.plyfold"]).failed_in_a_line(2, &["there is no query"]);
    sandbox.run(&["query", "sample.plyfold", "check", "--query-file", "query.txt"]).failed_in_a_line(2, &["not both"]);
    sandbox.run(&["query", "sample.plyfold", "--query-file", "nix"]).failed_in_a_line(1, &["nix: the query cannot"]);
}

#[test]
fn mistakes_are_pointed_at() {
    let sandbox = CliSandbox::with_sample();
    let ran = sandbox.run(&["query", "sample.plyfold", "white bishop_piar"]);
    let ran = ran.failed(2, &["unknown name `bishop_piar`: did you mean `bishop_pair`?"]);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines[1..3], ["white bishop_piar", "      ^^^^^^^^^^^"]);
    assert!(ran.stdout.is_empty());
    sandbox.run(&["query", "sample.plyfold", "", "--threads", "0"]).failed_usage();
    sandbox.run(&["query"]).failed_usage();
}

#[test]
fn answers_go_to_files() {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("answer.json", "old");
    let file = ["query", "sample.plyfold", "queens_off", "--format", "json", "--output", "answer.json", "--force"];
    assert!(sandbox.run(&file).succeeded().stdout.is_empty());
    let answer: Value = serde_json::from_slice(&sandbox.get("answer.json")).unwrap();
    assert_eq!(answer["games"], 2);
    sandbox.put("sample.pgn.bad", "");
    let before = sandbox.names();
    sandbox
        .run(&["query", "sample.plyfold", "", "--output", "nix/a"])
        .failed_in_a_line(1, &["nix/a: cannot be written"]);
    sandbox.run(&["query", "sample.plyfold", "", "--output", "."]).failed_in_a_line(2, &["-o . is a directory"]);
    assert_eq!(sandbox.names(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let sandbox = CliSandbox::with_sample();
    let ran = sandbox.run(&["query", "sample.plyfold", "", "--output", "/dev/full"]);
    ran.failed_in_a_line(1, &["/dev/full: cannot be written: No space left"]);
    let mut command = sandbox.command(&["query", "sample.plyfold", "", "--positions", "fen"]);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let ran = CliRun::of(command.stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap());
    ran.failed_in_a_line(1, &["the output cannot be written: No space left"]);
}

#[test]
fn a_reader_that_leaves_is_no_trouble() {
    let sandbox = CliSandbox::new();
    sandbox.put("many.pgn", SAMPLE.repeat(1000));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    for format in ["text", "json", "csv"] {
        let mut command = sandbox.command(&["query", "many.plyfold", "", "--positions", "fen", "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = CliRun::of(child.wait_with_output().unwrap());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{format}");
    }
}

#[test]
fn predicates_are_listed() {
    let sandbox = CliSandbox::new();
    let list = sandbox.json(&["predicates"]);
    let names: Vec<&str> =
        list["predicates"].as_array().unwrap().iter().map(|predicate| predicate["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"queens_off") && names.contains(&"rook_on_seventh"));
    let text = sandbox.run(&["predicates"]).succeeded().text();
    let help = sandbox.run(&["help", "query"]).succeeded().text();
    let forms = list["forms"].as_array().unwrap().iter().map(|form| form["form"].as_str().unwrap());
    for name in names.into_iter().chain(forms).chain(["endgame rook", "for 4 moves"]) {
        assert!(text.contains(name) && help.contains(name), "{name}");
    }
}

#[test]
fn positions_are_counted_by_keys() {
    let sandbox = CliSandbox::with_sample();
    let answer = sandbox.json(&["query", "sample.plyfold", "", "--by", "result", "--by", "player", "--top", "3"]);
    let told = |answer: &Value| -> Vec<(String, u64, u64)> {
        let key = answer["key"].as_str().unwrap();
        let groups = answer["rows"].as_array().unwrap().iter();
        let number = |group: &Value, name: &str| group[name].as_u64().unwrap();
        let name = |group: &Value| group[key].as_str().map_or_else(|| group[key].to_string(), str::to_owned);
        groups.map(|group| (name(group), number(group, "positions"), number(group, "games"))).collect()
    };
    let [result, player] = &answer["by"].as_array().unwrap()[..] else { panic!("two keys: {answer}") };
    assert_eq!((&result["key"], &result["distinct"], &result["positions"]), (&json!("result"), &json!(4), &json!(23)));
    assert_eq!(told(result), [("1/2-1/2".into(), 10, 1), ("1-0".into(), 7, 1), ("*".into(), 4, 1)]);
    assert_eq!(result["rows"][0]["first_game"], 2);
    // Anna, Bert and Carla play in two games each.
    assert_eq!((&player["distinct"], &player["positions"]), (&json!(5), &json!(46)));
    assert_eq!(told(player), [("Anna".into(), 17, 2), ("Carla".into(), 14, 2), ("Bert".into(), 11, 2)]);

    // Numeric groups are listed in numeric order, and `--top` does not cut them.
    let answer = sandbox.json(&["query", "sample.plyfold", "queens_off", "--by", "count(white pawn)", "--top", "1"]);
    assert_eq!(told(&answer["by"][0]), [("1".into(), 4, 1), ("7".into(), 3, 1)]);

    let text = sandbox.run(&["query", "sample.plyfold", "queens_off", "--by", "castling"]).succeeded().text();
    assert!(text.contains("Positions by castling: 1 different"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("none / none")), "{text}");
    let table = sandbox.run(&["query", "sample.plyfold", "", "--by", "year", "--format", "csv"]).succeeded().text();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[..2],
        ["year,positions,games,white,draw,black,unknown,first_game,first_ply,condition", ",6,2,0,0,1,1,3,1,"]
    );
}

#[test]
fn games_are_parted_by_keys() {
    let sandbox = CliSandbox::with_sample();
    let parted = |query: &str, by: &str| {
        let answer = sandbox.json(&["query", "sample.plyfold", query, "--partition", by]);
        let parts = answer["partition"][0]["rows"].as_array().unwrap().iter();
        let key = by.split(':').next().unwrap();
        let name = |part: &Value| part[key].as_str().map_or_else(|| part[key].to_string(), str::to_owned);
        parts.map(|part| (name(part), part["games"].as_u64().unwrap())).collect::<Vec<_>>()
    };
    let expected =
        |parts: &[(&str, u64)]| parts.iter().map(|&(name, games)| (name.to_owned(), games)).collect::<Vec<_>>();
    assert_eq!(parted("", "endgame"), expected(&[("none yet", 3), ("P v K", 1)]));
    assert_eq!(parted("", "count(white pawn):first"), expected(&[("8", 3), ("1", 1)]));
    // The d-pawn disappears once; the ending has only one pawn.
    assert_eq!(parted("", "count(white pawn):ever"), expected(&[("8", 3), ("1", 1), ("7", 1)]));
    assert_eq!(parted("queens_off", "result"), expected(&[("*", 1), ("1/2-1/2", 1)]));
    assert_eq!(parted("white check", "result"), expected(&[]));
    let table = sandbox.run(&["query", "sample.plyfold", "", "--partition", "ending", "--format", "csv"]).succeeded();
    assert!(table.text().starts_with("ending,games,condition\r\n"));
    let ran = sandbox.run(&["query", "sample.plyfold", "", "--partition", "endgame:last"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("`last` is not a rule: write `final`, `first` or `ever` after the colon"),
        "{}",
        ran.stderr
    );
}

#[test]
fn next_moves_begin_with_the_start_of_games() {
    let sandbox = CliSandbox::with_sample();
    let usual = "fen \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"";
    let answer = sandbox.json(&["query", "sample.plyfold", usual, "--next"]);
    assert_eq!(
        (&answer["positions"], &answer["next"]["positions"], &answer["next"]["games"]),
        (&json!(0), &json!(2), &json!(2))
    );
    let moves = answer["next"]["rows"].as_array().unwrap();
    let e4 = json!({
        "san": "e4", "uci": "e2e4", "games": 1, "times": 1, "white": 1, "draw": 0, "black": 0, "unknown": 0,
        "average_elo": 2100, "performance": 2300, "last_played": "2001.02.03", "last_year": 2001, "first_game": 1, "first_ply": 0, "last_year": 2001, "first_game": 1, "first_ply": 0,
    });
    assert!(moves.contains(&e4), "{moves:?}");
    let d4 = moves.iter().find(|one| one["san"] == "d4").expect("d4");
    assert_eq!((&d4["average_elo"], &d4["last_played"], &d4["draw"]), (&Value::Null, &json!("2002.??.??"), &json!(1)));

    // All positions, including the four start positions. Two games play e4, from different positions.
    let all = sandbox.json(&["query", "sample.plyfold", "", "--next", "--top", "1"]);
    assert_eq!((&all["next"]["positions"], &all["next"]["rows"][0]["games"]), (&json!(27), &json!(2)));
    let text = sandbox.run(&["query", "sample.plyfold", "", "--next", "--top", "1"]).succeeded().text();
    assert!(text.contains("4 games, 27 positions") && text.contains("more (--top lists more)"), "{text}");
    let table = sandbox.run(&["query", "sample.plyfold", usual, "--next", "--format", "csv"]).succeeded().text();
    assert!(table.contains("e4,e2e4,1,1,1,0,0,0,2100,2300,2001.02.03,2001,1,0\r\n"), "{table}");
}

#[test]
fn keys_are_listed_and_those_unknown_are_pointed_at() {
    let sandbox = CliSandbox::with_sample();
    let keys = sandbox.json(&["keys"]);
    let names: Vec<&str> = keys["keys"].as_array().unwrap().iter().map(|key| key["name"].as_str().unwrap()).collect();
    assert!(["material", "elo", "kings", "opening"].iter().all(|name| names.contains(name)), "{names:?}");
    let text = sandbox.run(&["keys"]).succeeded().text();
    assert!(names.iter().all(|name| text.contains(name)), "{text}");
    for (key, says) in [
        ("materiel", "`materiel` is not a key to group by: did you mean `material`?"),
        ("count(white pwan)", "did you mean `pawn`?"),
        ("structur", "did you mean `structure`?"),
        ("count(rook) + 1", "a number that is counted has no constant"),
    ] {
        let ran = sandbox.run(&["query", "sample.plyfold", "", "--by", key]);
        assert_eq!(ran.code, Some(2), "{key}");
        assert!(ran.stderr.contains(says), "{key}: {}", ran.stderr);
    }
    let both = ["query", "sample.plyfold", "", "--by", "elo", "--by", "year", "--format", "csv"];
    let ran = sandbox.run(&both);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("csv is one table"), "{}", ran.stderr);
}

#[test]
fn answers_are_kept_as_files_of_their_kind() {
    use plyfold_core::pmote::{groups, heatmap, positions};

    let sandbox = CliSandbox::with_sample();
    let kept =
        ["--save-positions", "a.ps", "--heatmap", "--save-heatmap", "a.hm", "--by", "result", "--save-by", "a.gb"];
    let answer = sandbox.json(&[&["query", "sample.plyfold", "queens_off", "--positions", "ref"][..], &kept].concat());
    let read = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    let bytes = read("a.ps");
    let stored = positions::StoredPositions::open(&bytes).unwrap();
    assert_eq!(stored.stamp.games, 4);
    // With one shard, both number the games alike, but from 0 there and from 1 here.
    let places = stored.positions().map(|place| {
        assert_eq!(place.shard, 0);
        json!({ "game": place.game + 1, "ply": place.ply.0 })
    });
    assert_eq!(json!(places.collect::<Vec<_>>()), answer["position_list"]);
    let (of, counts) = heatmap::decode(&read("a.hm")).unwrap();
    let counts: Vec<u64> = counts.as_flattened().as_flattened().to_vec();
    let told = answer["heatmap"]["rows"].as_array().unwrap().iter().map(|row| row["positions"].as_u64().unwrap());
    assert_eq!((of, counts), (stored.stamp, told.collect()));
    let (of, all) = groups::decode(&read("a.gb")).unwrap();
    let told: Vec<_> = all.groups.iter().map(|group| json!([group.name, group.positions])).collect();
    let expected: Vec<_> = answer["by"][0]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| json!([group["result"], group["positions"]]))
        .collect();
    assert_eq!((of, &*all.key, told), (stored.stamp, "result", expected));

    for (arguments, says) in [
        (&["--by", "elo", "--by", "year", "--save-by", "b.gb"][..], "--save-by saves one key: give --by once"),
        (&["--save-heatmap", "b.hm"], "--heatmap"),
        (&["--partition", "elo", "--save-parts", "b"], "write `@b`"),
    ] {
        let ran = sandbox.run(&[&["query", "sample.plyfold", ""], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
    assert!(!sandbox.path("b.gb").exists() && !sandbox.path("b.hm").exists());
    let full = sandbox.run(&["query", "sample.plyfold", "", "--heatmap", "--save-heatmap", "/dev/full"]);
    assert_eq!(full.code, Some(1));
    assert!(full.stderr.contains("/dev/full: cannot be written"), "{}", full.stderr);
}

#[test]
fn parts_are_kept_as_sets() {
    let sandbox = CliSandbox::with_sample();
    let answer = sandbox.json(&["query", "sample.plyfold", "", "--partition", "endgame", "--save-parts", "@end"]);
    assert_eq!(answer["saved_parts"], json!(["@end-none-yet", "@end-P-v-K"]));
    let of = |set: &str| sandbox.json(&["sets", "sample.plyfold", set])["games"].clone();
    assert_eq!(
        (of("@end-none-yet"), of("@end-P-v-K"), of("@end-none-yet | @end-P-v-K")),
        (json!(3), json!(1), json!(4))
    );
    let within = sandbox.json(&["query", "sample.plyfold", "queens_off", "--within", "@end-P-v-K"]);
    assert_eq!((&within["games"], &within["positions"]), (&json!(1), &json!(4)));
    // The names of results differ only in signs.
    let answer = sandbox.json(&["query", "sample.plyfold", "", "--partition", "result", "--save-parts", "@came"]);
    assert_eq!(answer["saved_parts"], json!(["@came-unknown", "@came-1-0", "@came-0-1", "@came-1-2-1-2"]));
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
