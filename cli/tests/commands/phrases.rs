//! What players type, and what they are told: the query that their words become, or a message that helps.

use std::fmt::Write;

use crate::program::CliSandbox;

const PHRASES: &str = include_str!("phrases.tsv");

/// A corpus that knows some players and a tournament.
fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::new();
    let mut games = String::new();
    for (white, black, event) in [
        ("Carlsen, Magnus", "Caruana, Fabiano", "Linares"),
        ("Fischer, Robert James", "Tal, Mihail", "Bled"),
        ("Short, Nigel", "White, John", "London"),
    ] {
        writeln!(
            games,
            "[Event \"{event}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n"
        )
        .unwrap();
    }
    sandbox.put("games.pgn", games);
    sandbox.run(&["import", "games.pgn"]).succeeded();
    sandbox
}

#[test]
fn phrases_are_understood_or_get_advice() {
    let sandbox = sandbox();
    let mut wrong = Vec::new();
    let phrases = PHRASES.lines().filter(|line| !line.starts_with('#'));
    let phrases: Vec<(&str, &str)> = phrases.map(|line| line.split_once('\t').expect("a tab")).collect();
    assert!(phrases.len() >= 100, "{}", phrases.len());
    for (phrase, expected) in phrases {
        let ran = sandbox.run(&["query", "games.plyfold", phrase, "--format", "json"]);
        match expected.strip_prefix("! ") {
            None if ran.code != Some(0) => wrong.push(format!("{phrase}: {}", ran.stderr)),
            None => {
                let query = serde_json::from_slice::<serde_json::Value>(&ran.stdout).unwrap()["query"].clone();
                wrong.extend((query != expected).then(|| format!("{phrase}: {query}")));
            }
            Some(says) => {
                let is_said = ran.code == Some(2) && says.split(" | ").all(|part| ran.stderr.contains(part));
                wrong.extend((!is_said).then(|| format!("{phrase}: {} {}", ran.text(), ran.stderr)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // An opening that no game has is told with the player who may be meant.
    let told = sandbox.json(&["query", "games.plyfold", "Carlson"]);
    assert!(told["notices"].to_string().contains("players with nearly this name: \\\"Carlsen, Magnus\\\""), "{told}");
}
