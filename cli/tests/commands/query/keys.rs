//! Counts positions and games by keys, and the next moves.

use serde_json::{Value, json};

use crate::program::CliSandbox;

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
        "average_elo": 2100, "performance": 2300, "last_played": "2001.02.03", "last_year": 2001, "first_game": 1, "first_ply": 0,
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
