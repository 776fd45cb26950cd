//! `plyfold repertoire`: games leave the lines where a hand finds it.

use serde_json::Value;

use crate::program::CliSandbox;

const LINES: &str = "1. e4 c5 (1... e5 2. Nf3 Nc6 3. Bb5) 2. Nf3 d6 3. d4 *\n\n1. e4 e6 2. d4 d5 *\n";

/// Games with White's result.
const GAMES: [(&str, &str); 8] = [
    // White leaves the lines.
    ("1. e4 c5 2. c3 d5", "1-0"),
    ("1. d4 d5", "0-1"),
    // Black does: twice in one way, and once after another order of moves.
    ("1. e4 e5 2. Nf3 Nf6 3. Nxe5", "1/2-1/2"),
    ("1. e4 e5 2. Nf3 Nf6", "1-0"),
    ("1. Nf3 e5 2. e4 Nf6", "*"),
    // The line ends, by transposition; the game ends; no position is one of the lines.
    ("1. d4 e6 2. e4 d5 3. Nc3", "1-0"),
    ("1. e4 c5 2. Nf3", "0-1"),
    ("[FEN] 1. Kd2", "1-0"),
];

fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::new();
    let game = |(moves, result): &(&str, &str)| {
        let (start, moves) = match moves.strip_prefix("[FEN] ") {
            None => ("", *moves),
            Some(moves) => ("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n", moves),
        };
        format!("[White \"Ann\"]\n[Black \"Bob\"]\n{start}[Result \"{result}\"]\n\n{moves} {result}\n\n")
    };
    sandbox.put("some.pgn", GAMES.iter().map(game).collect::<String>());
    sandbox.put("mine.pgn", LINES);
    sandbox.run(&["import", "some.pgn", "-o", "some.plyfold"]).succeeded();
    sandbox
}

fn lines(report: &Value, section: &str, columns: &[&str]) -> Vec<String> {
    let line = |row: &Value| {
        let cell = |name: &&str| row[*name].as_str().map_or_else(|| row[*name].to_string(), String::from);
        columns.iter().map(cell).collect::<Vec<_>>().join("; ")
    };
    report[section]["rows"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn games_leave_the_lines() {
    let sandbox = sandbox();
    let report = sandbox.json(&["repertoire", "some.plyfold", "mine.pgn", "--side", "white"]);
    let outcomes = lines(&report, "outcomes", &["games", "won", "drawn", "lost", "unknown"]);
    assert_eq!(outcomes, ["2; 1; 0; 1; 0", "3; 1; 1; 0; 1", "1; 1; 0; 0; 0", "1; 0; 0; 1; 0", "1; 1; 0; 0; 0"]);
    let columns = ["line", "move", "lines_play", "games", "score", "first_game"];
    assert_eq!(lines(&report, "deviations", &columns), ["1. e4 c5; 2. c3; Nf3; 1; 100.0; 1", "; 1. d4; e4; 1; 0.0; 2"]);
    assert_eq!(lines(&report, "holes", &columns), ["1. e4 e5 2. Nf3; 2... Nf6; Nc6; 3; 75.0; 3"]);
    assert_eq!(lines(&report, "players", &["player", "games"]), ["Ann; 2"]);
    // The condition finds the games with the position after the move.
    let condition = report["holes"]["rows"][0]["condition"].as_str().unwrap();
    assert_eq!(sandbox.json(&["query", "some.plyfold", condition])["games"], 3);
    // For Black, what is a hole is a deviation.
    let black = sandbox.json(&[
        "repertoire",
        "some.plyfold",
        "mine.pgn",
        "--side",
        "black",
        "--player",
        "Bob",
        "--query",
        "result decisive",
    ]);
    assert_eq!(lines(&black, "deviations", &columns), ["1. e4 e5 2. Nf3; 2... Nf6; Nc6; 1; 0.0; 4"]);
    assert_eq!(lines(&black, "holes", &["move", "score"]), ["2. c3; 0.0", "1. d4; 100.0"]);
    let few = sandbox.json(&["repertoire", "some.plyfold", "mine.pgn", "--side", "white", "--least", "2"]);
    assert_eq!((few["deviations"]["distinct"].as_u64(), few["holes"]["distinct"].as_u64()), (Some(0), Some(1)));
}

#[test]
fn mistakes_are_told() {
    let sandbox = sandbox();
    sandbox.put("bad.pgn", "1. e4 e5 *\n\n1. e4 Ke3 *\n");
    let run = |more: &[&str]| sandbox.run(&[&["repertoire", "some.plyfold"], more].concat());
    run(&["bad.pgn", "--side", "white"]).failed_in_a_line(1, &["bad.pgn", "game 2 at byte 18, ply 2: illegal move"]);
    run(&["none.pgn", "--side", "white"]).failed_in_a_line(1, &["none.pgn"]);
    run(&["mine.pgn", "--side", "white", "-o", "mine.pgn", "--force"]).failed_in_a_line(2, &["also the file of lines"]);
}

#[test]
fn conditions_find_where_games_left_the_lines() {
    let sandbox = sandbox();
    let query = |query: &str| sandbox.json(&["query", "some.plyfold", query])["games"].clone();
    sandbox.run(&["query", "some.plyfold", "check or left @mine"]).failed(
        2,
        &["there are no lines @mine: save them by `plyfold repertoire", "check or left @mine\n              ^^^^^"],
    );
    for side in ["white", "black"] {
        let report = sandbox.json(&["repertoire", "some.plyfold", "mine.pgn", "--side", side, "--save", "@mine"]);
        let outcomes = lines(&report, "outcomes", &["games"]);
        let other = if side == "white" { "black" } else { "white" };
        assert_eq!(query(&format!("{side} left @mine")).to_string(), outcomes[0]);
        assert_eq!(query(&format!("{other} left @mine")).to_string(), outcomes[1]);
        // The moves that left the lines are where the report has them.
        for (section, mover) in [("deviations", side), ("holes", other)] {
            for row in report[section]["rows"].as_array().unwrap() {
                let condition = row["condition"].as_str().unwrap();
                assert_eq!(query(&format!("{{ {mover} left @mine and {condition} }}")), row["games"]);
            }
        }
    }
    assert_eq!(sandbox.get("some.sets/mine.pgn"), LINES.as_bytes());
    assert_eq!(query("left @mine"), 5);
    // The position after 1. d4 d5 and that of the set-up game are in no line; the start position is none after a ply.
    assert_eq!(query("in_repertoire @mine"), 6);
    assert_eq!(query("never in_repertoire @mine"), 2);
    assert_eq!(query("{ left @mine and in_repertoire @mine }"), 0);
    assert_eq!(query("in_repertoire @mine then white left @mine"), 1);
    assert_eq!(query("left @mine at ply 1"), 1);
    let save = |more: &[&str]| sandbox.run(&[&["repertoire", "some.plyfold"], more].concat());
    assert_eq!(save(&["mine.pgn", "--side", "white", "--save", "mine"]).code, Some(2));
    // Other lines are not lost, and a search reads the lines as they are.
    sandbox.put("other.pgn", "1. d4 d5 2. c4 *\n");
    save(&["other.pgn", "--side", "white", "--save", "@mine"]).failed_in_a_line(2, &["--save", "exists already"]);
    assert_eq!(query("left @mine"), 5);
    save(&["other.pgn", "--side", "white", "--save", "@mine", "--force"]).succeeded();
    assert_eq!(query("left @mine"), 6);
    save(&["some.sets/mine.pgn", "--side", "white", "--save", "@mine"]).succeeded();
    sandbox.run(&["query", "some.plyfold", "in_repertoire mine"]).failed(2, &["the name of lines, such as `@mine`,"]);
    sandbox.run(&["query", "some.plyfold", "in_repertoire @mime"]).failed(2, &["no lines @mime", ", as @mine were"]);
}

/// Where the moves of the second shard begin.
fn moves_of_second_shard(bytes: &[u8]) -> usize {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let shard = 64 + number(64 + 16);
    let entry = (0..).map(|nth| shard + 64 + 32 * nth).find(|&entry| number(entry) as u32 == 2).unwrap();
    shard + number(entry + 8)
}

#[test]
fn a_game_is_explained_by_its_own_moves() {
    let sandbox = sandbox();
    sandbox.run(&["import", "some.pgn", "-o", "some.plyfold", "--append"]).succeeded();
    sandbox.run(&["repertoire", "some.plyfold", "mine.pgn", "--side", "white", "--save", "@mine"]).succeeded();
    let query = "black left @mine or never in_repertoire @mine";
    let listed = sandbox.json(&["query", "some.plyfold", query, "--games"]);
    let found: Vec<u64> =
        listed["game_list"].as_array().unwrap().iter().map(|game| game["number"].as_u64().unwrap()).collect();
    assert_eq!(found, [2, 3, 4, 5, 8, 10, 11, 12, 13, 16]);
    let why =
        |game: &str| sandbox.run(&["explain", query, "--corpus", "some.plyfold", "--game", game, "--format", "json"]);
    for game in 1..=16 {
        let report: Value = serde_json::from_str(&why(&game.to_string()).succeeded().text()).unwrap();
        assert_eq!(report["matches"], found.contains(&game), "{report}");
    }
    // The moves of other games are not read for it.
    let mut bytes = sandbox.get("some.plyfold");
    let at = moves_of_second_shard(&bytes);
    bytes[at] ^= 1;
    sandbox.put("some.plyfold", bytes);
    sandbox.run(&["query", "some.plyfold", query]).failed(1, &["moves"]);
    why("3").succeeded();
    why("11").failed(1, &["moves"]);
}
