//! Plans: a batch of queries gives the results of each query alone, and an error in a plan names its location.

use serde_json::{Value, json};

use crate::program::{CliSandbox, kings, reference_data};

fn plan(sandbox: &CliSandbox, plan: &Value) {
    sandbox.put("plan.json", plan.to_string());
}

/// A result without the time that it took.
fn timeless(mut answer: Value) -> Value {
    answer.as_object_mut().unwrap().retain(|name, _| name != "elapsed_ms" && name != "name");
    answer
}

#[test]
fn together_as_alone() {
    let sandbox = CliSandbox::with_sample();
    sandbox.run(&["query", "sample.plyfold", "\"Anna\"", "--save-games", "@anna"]).succeeded();
    plan(
        &sandbox,
        &json!({ "queries": [
            { "name": "off", "query": "queens_off", "games": true, "positions": "both", "limit": 3, "heatmap": true },
            { "name": "of Anna", "query": "in @anna and not queens_off", "within": "@anna", "by": ["material", "count(pawn)"], "top": 3 },
            { "name": "won", "query": { "result": ["1-0"] }, "games": 1, "partition": ["year", "endgame:ever"], "next": true },
            { "name": "all", "query": "", "structures": 2, "positions": "hash", "unique": true },
            { "name": "none", "query": "white queen on a8" },
        ] }),
    );
    let told = sandbox.json(&["scan", "sample.plyfold", "plan.json"]);
    assert_eq!((&told["games_total"], &told["plies_total"]), (&json!(4), &json!(23)));
    let alone = [
        &["queens_off", "--games", "--positions", "both", "--limit", "3", "--heatmap"][..],
        &["in @anna and not queens_off", "--within", "@anna", "--by", "material", "--by", "count(pawn)", "--top", "3"],
        &["result 1-0", "--games", "1", "--partition", "year", "--partition", "endgame:ever", "--next"],
        &["", "--structures", "2", "--positions", "hash", "--unique"],
        &["white queen on a8"],
    ];
    let queries = told["queries"].as_array().unwrap();
    assert_eq!(queries.len(), alone.len());
    for (together, alone) in queries.iter().zip(alone) {
        let alone = sandbox.json(&[&["query", "sample.plyfold"], alone].concat());
        assert_eq!(timeless(together.clone()), timeless(alone));
    }
    assert_eq!(queries[1]["name"], "of Anna");
    let text = sandbox.run(&["scan", "sample.plyfold", "plan.json"]).succeeded().text();
    assert!(text.contains("off:\nqueens_off\n") && text.contains("\nnone:\nwhite queen on a8\n"), "{text}");
    sandbox.run(&["scan", "sample.plyfold", "plan.json", "-o", "out.json", "--format", "json"]).succeeded();
    assert!(sandbox.get("out.json").starts_with(b"{\"games_total\":4"));
}

#[test]
fn a_plan_keeps_the_meaning_of_its_words() {
    let sandbox = CliSandbox::with_sample();
    let queries = json!([{ "name": "a", "query": "white bishop_pair" }, { "name": "b", "query": "check" }]);
    plan(&sandbox, &json!({ "queries": queries }));
    let ran = sandbox.run(&["scan", "sample.plyfold", "plan.json"]).succeeded();
    let errors = ran.stderr.clone();
    let told = ran.text();
    assert!(told.contains("\nwhite two_bishops\n") && told.contains("\ncheck\n"), "{told}");
    let note = "the plan does not say `\"language\": 2`, so this is read as `white two_bishops`";
    assert_eq!(format!("{told}{}", errors).matches(note).count(), 1);
    plan(&sandbox, &json!({ "language": 2, "queries": queries }));
    let told = sandbox.run(&["scan", "sample.plyfold", "plan.json"]).succeeded().text();
    assert!(told.contains("\nwhite bishop_pair\n"), "{told}");
    let in_json = json!([
        { "name": "of the plan", "query": { "squares": { "of": "bishop_pair" } } },
        { "name": "its own", "query": { "language": 1, "query": { "squares": { "of": "bishop_pair" } } } },
    ]);
    plan(&sandbox, &json!({ "language": 2, "queries": in_json }));
    let told = sandbox.run(&["scan", "sample.plyfold", "plan.json"]).succeeded().text();
    assert!(told.contains("of the plan:\nbishop_pair\n") && told.contains("its own:\ntwo_bishops\n"), "{told}");
    plan(&sandbox, &json!({ "language": 9, "queries": queries }));
    let ran = sandbox.run(&["scan", "sample.plyfold", "plan.json"]);
    let _ = ran.failed(2, &["\"a\": the query is of version 9", "update plyfold"]);
}

#[test]
fn answers_are_kept() {
    let sandbox = CliSandbox::with_sample();
    plan(
        &sandbox,
        &json!({ "queries": [
            { "name": "a", "query": "queens_off", "save_games": "@off", "save_positions": "a.ps" },
            { "name": "b", "query": "", "heatmap": true, "save_heatmap": "b.hm", "by": ["material"], "save_by": "b.gb",
              "partition": ["result"], "save_parts": "@result" },
        ] }),
    );
    sandbox.run(&["scan", "sample.plyfold", "plan.json"]).succeeded();
    let alone = [
        &["queens_off", "--save-games", "off.bm", "--save-positions", "a2.ps"][..],
        &["", "--heatmap", "--save-heatmap", "b2.hm", "--by", "material", "--save-by", "b2.gb"],
    ];
    let _ = alone.map(|alone| sandbox.run(&[&["query", "sample.plyfold"], alone].concat()).succeeded());
    for (one, other) in [("sample.sets/off.bm", "off.bm"), ("a.ps", "a2.ps"), ("b.hm", "b2.hm"), ("b.gb", "b2.gb")] {
        assert_eq!(sandbox.get(one), sandbox.get(other), "{one}");
    }
    let listed = sandbox.json(&["sets", "sample.plyfold"]);
    assert_eq!(listed["sets"].as_array().unwrap().len(), 5, "{listed}");
}

/// Plans with a mistake, and what the message says.
fn wrong_plans() -> Vec<(Value, &'static [&'static str])> {
    let two = |one: Value, other: Value| json!({ "queries": [one, other] });
    vec![
        (
            two(
                json!({ "name": "a", "query": "", "save_games": "x.bm" }),
                json!({ "name": "b", "query": "check", "save_games": "x.bm" }),
            ),
            &["\"a\" and \"b\" both write x.bm"][..],
        ),
        (
            json!({ "queries": [{ "name": "a", "query": "", "save_games": "x", "save_positions": "x" }] }),
            &["\"a\" writes x twice"],
        ),
        (
            two(json!({ "name": "a", "query": "" }), json!({ "name": "a", "query": "check" })),
            &["two queries have the name \"a\""],
        ),
        (
            two(json!({ "name": "a", "query": "", "save_games": "@x" }), json!({ "name": "b", "query": "in @x" })),
            &["\"b\" reads @x, which \"a\" writes"],
        ),
        (
            two(
                json!({ "name": "a", "query": "", "save_games": "@x" }),
                json!({ "name": "b", "query": "", "within": "@y - @x" }),
            ),
            &["\"b\" reads @x"],
        ),
        (
            two(
                json!({ "name": "a", "query": "", "save_games": "@p-1-0" }),
                json!({ "name": "b", "query": "", "partition": ["result"], "save_parts": "@p" }),
            ),
            &["may be a part of \"b\""],
        ),
        (json!({ "queries": [] }), &["at least one query"]),
        (json!({ "queries": [{ "name": "a" }] }), &["missing field `query`", "line 1"]),
        (json!({ "queries": [{ "name": "a", "query": "", "heat": true }] }), &["a query of a plan has no `heat`"]),
        (json!({ "queries": [{ "name": "a", "query": "chekc" }] }), &["plan.json: \"a\": ", "chekc", "^"]),
        (json!({ "queries": [{ "name": "a", "query": { "chekc": 1 } }] }), &["\"a\": the query in JSON"]),
        (
            json!({ "queries": [{ "name": "a", "query": "", "by": ["materal"] }] }),
            &["\"a\"", "did you mean `material`"],
        ),
        (json!({ "queries": [{ "name": "a", "query": "", "partition": ["year:last"] }] }), &["`last` is not a rule"]),
        (json!({ "queries": [{ "name": "a", "query": "", "positions": "pgn" }] }), &["not as `pgn`"]),
        (json!({ "queries": [{ "name": "a", "query": "", "limit": 3 }] }), &["`limit` applies to `positions`"]),
        (json!({ "queries": [{ "name": "a", "query": "", "within": "@gone" }] }), &["there is no set @gone"]),
        (json!({ "queries": [{ "name": "a", "query": "in @gone" }] }), &["\"a\": there is no set @gone"]),
        (json!({ "queries": [{ "name": "a", "query": "white \"Nobody\"" }] }), &["\"a\": ", "Nobody"]),
        (json!({ "queries": [{ "name": "a", "query": "", "save_games": "@../x" }] }), &["is not the name of a set"]),
        (json!([1]), &["this is not a plan"]),
    ]
}

#[test]
fn mistakes_are_told_and_nothing_is_written() {
    let sandbox = CliSandbox::with_sample();
    for (wrong, says) in wrong_plans() {
        plan(&sandbox, &wrong);
        let ran = sandbox.run(&["scan", "sample.plyfold", "plan.json"]);
        ran.failed(2, says);
        assert_eq!(sandbox.names(), ["plan.json", "sample.pgn", "sample.plyfold"], "{wrong}");
    }
    for text in [&b""[..], b"{", b"\xff\xfe"] {
        sandbox.put("plan.json", text);
        assert!(sandbox.run(&["scan", "sample.plyfold", "plan.json"]).code.is_some_and(|code| code == 1 || code == 2));
    }
    for twice in ["heatmap", "games", "by"] {
        let plan = format!(r#"{{ "queries": [{{ "name": "a", "query": "", "{twice}": null, "{twice}": null }}] }}"#);
        sandbox.put("plan.json", &plan);
        sandbox.run(&["scan", "sample.plyfold", "plan.json"]).failed(2, &["duplicate field", twice]);
    }
    sandbox.run(&["scan", "sample.plyfold", "no.json"]).failed_in_a_line(1, &["no.json", "the plan cannot be read"]);
}

/// Takes the groups of one corpus and searches for them in another: the worked example of docs/WORKED_EXAMPLE.md.
fn frequent_here_and_there(sandbox: &CliSandbox, here: &str, there: &str, top: usize) -> Vec<Value> {
    let top = top.to_string();
    let counted = sandbox.json(&["query", here, "", "--by", "structure", "--top", &top]);
    let made = sandbox.run(&["query", here, "", "--by", "structure", "--top", &top, "--plan"]).succeeded();
    sandbox.put("plan.json", &made.stdout);
    let told = sandbox.json(&["scan", there, "plan.json"]);
    let found = told["queries"].as_array().unwrap().clone();
    let groups = counted["by"][0]["rows"].as_array().unwrap();
    assert_eq!(found.len(), groups.len());
    for (one, group) in found.iter().zip(groups) {
        assert_eq!(one["name"], group["structure"]);
        let positions = one["positions"].as_u64().unwrap();
        assert_eq!([kings(one, "white"), kings(one, "black")], [positions; 2]);
        let alone = sandbox.json(&["query", there, one["query"].as_str().unwrap(), "--heatmap"]);
        assert_eq!(alone["heatmap"], one["heatmap"]);
    }
    found
}

#[test]
fn structures_of_one_corpus_are_found_in_another() {
    let sandbox = CliSandbox::with_sample();
    let found = frequent_here_and_there(&sandbox, "sample.plyfold", "sample.plyfold", 5);
    assert!(found.len() == 5 && found.iter().all(|one| one["positions"].as_u64() > Some(0)), "{found:?}");
    for (arguments, says) in [
        (&["--by", "year", "--plan"][..], "--by structure or --by material"),
        (&["--by", "structure", "--by", "material", "--plan"], "one key"),
    ] {
        sandbox.run(&[&["query", "sample.plyfold", ""], arguments].concat()).failed_in_a_line(2, &[says]);
    }
    let material = sandbox.run(&["query", "sample.plyfold", "", "--by", "material", "--plan"]).succeeded().text();
    assert!(material.contains("\"query\": \"material white K"), "{material}");
}

#[test]
fn structures_of_club_players_are_found_in_games_of_masters() {
    let data = |name: &str| reference_data(name, "the sample games are compared alone");
    let (Some(mine), Some(masters)) = (data("lichess-elite-8k.pgn.zst"), data("master-30k.pgn.zst")) else { return };
    let sandbox = CliSandbox::new();
    sandbox.run(&["import", &mine, "-o", "mine.plyfold"]).succeeded();
    sandbox.run(&["import", &masters, "-o", "masters.plyfold"]).succeeded();
    let found = frequent_here_and_there(&sandbox, "mine.plyfold", "masters.plyfold", 6);
    // The most frequent structures arise in the first moves, and thousands of master games have them.
    assert!(found.len() == 6 && found.iter().all(|one| one["games"].as_u64() > Some(100)), "{found:?}");
}

#[test]
fn what_a_plan_shares_is_told() {
    let sandbox = CliSandbox::new();
    plan(
        &sandbox,
        &json!({ "language": 2, "queries": [
            { "name": "forks", "query": "white fork" },
            { "name": "quiet", "query": "queens_off and white fork" },
            { "name": "loose", "query": "black hanging_piece" },
            { "name": "wins", "query": { "result": ["1-0"] } },
        ] }),
    );
    assert_eq!(
        sandbox.run(&["explain", "--plan", "plan.json"]).succeeded().text(),
        "\
forks: white fork
quiet: queens_off and white fork
loose: black hanging_piece
wins: result 1-0

4 queries in one pass. Of 4 predicates, 1 is asked by more than one query, and tested once.
  from game headers only
     result 1-0           for wins
  from captures and promotions only
     queens_off           for quiet
  from the replayed board
     white fork           for forks, quiet
     black hanging_piece  for loose
3 queries need a board, which keeps mailbox, pawns, bitboards. They share its replay, or each replays a game up to where it is
settled, whichever was cheaper in the games before.
A shared replay measures on eight boards at once: white fork, black hanging_piece.
"
    );
    let told = sandbox.json(&["explain", "--plan", "plan.json"]);
    let read = |nth: usize, part: &str| told["together"][0]["read"][nth][part].clone();
    assert_eq!(
        (read(2, "source"), read(2, "predicates")[0]["queries"].clone()),
        (json!("board"), json!(["forks", "quiet"]))
    );

    // Sixty-four predicates are tested together.
    let many = |(file, at): (char, u32)| json!({ "name": format!("{file}{at}"), "query": format!("white knight on {file}{at}") });
    let squares = ('a'..='h').flat_map(|file| (1..=8).map(move |rank| (file, rank)));
    let queries: Vec<Value> = squares.map(many).chain([json!({ "name": "mates", "query": "checkmate" })]).collect();
    plan(&sandbox, &json!({ "language": 2, "queries": queries }));
    let told = sandbox.json(&["explain", "--plan", "plan.json"]);
    let together: Vec<usize> =
        told["together"].as_array().unwrap().iter().map(|one| one["queries"].as_array().unwrap().len()).collect();
    assert_eq!(together, [64, 1]);

    sandbox.put("plan.json", "{}");
    sandbox.run(&["explain", "--plan", "plan.json"]).failed_in_a_line(2, &["plan.json", "this is not a plan"]);
    sandbox.run(&["explain", "--plan", "plan.json", "check"]).failed_usage();
}
