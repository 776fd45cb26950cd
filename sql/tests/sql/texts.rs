//! Conditions on comments and tags, which are read in the texts of the games that match the rest of a query.

use std::fmt::Write;

use crate::file_server::FileServer;
use crate::sandbox::{ask, imported_in_shards, lines, rows};

/// Games in this corpus.
const GAMES: usize = 600;
/// What makes their texts larger than all else, even compressed.
const NOISE_BYTES: u64 = 500;

/// The tags and comments of a game, from 0.
struct Written {
    board: usize,
    team: Option<&'static str>,
    /// The ply after which a comment speaks of a novelty, from 1.
    novelty: Option<usize>,
    is_won: bool,
}

fn written(game: usize) -> Written {
    Written {
        board: game % 5,
        team: [Some("München"), Some("Bremen"), None][game % 3],
        novelty: [None, Some(2), None, Some(5), None, None, None][game % 7],
        is_won: game.is_multiple_of(2),
    }
}

/// A corpus of many shards; the folder keeps it.
fn corpus() -> (tempfile::TempDir, String) {
    let mut text = String::new();
    for game in 0..GAMES {
        let Written { board, team, novelty, is_won } = written(game);
        let team = team.map_or_else(String::new, |team| format!("[WhiteTeam \"{team}\"]\n"));
        let result = if is_won { "1-0" } else { "0-1" };
        write!(text, "[White \"W{}\"]\n[Result \"{result}\"]\n[Board \"{board}\"]\n{team}\n", game / 20).unwrap();
        for (ply, mv) in (1..).zip(["1. e4", "e5", "2. Nf3", "Nc6", "3. Bb5", "a6"]) {
            let novelty = if novelty == Some(ply) { " {A strong novelty}" } else { "" };
            write!(text, "{mv}{novelty} ").unwrap();
        }
        // Numbers that do not repeat.
        let noise = (0..NOISE_BYTES / 16)
            .map(|nth| format!("{:016x}", (game as u64 * 1000 + nth).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        write!(text, "{{{}}} {result}\n\n", noise.collect::<String>()).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    std::fs::write(&pgn, text).unwrap();
    let path = folder.path().join("games.plyfold");
    std::fs::write(&path, imported_in_shards(&[&pgn], 150 << 10)).unwrap();
    let address = path.to_str().unwrap().to_owned();
    (folder, address)
}

type Condition = fn(&Written) -> bool;

const QUERIES: [(&str, Condition); 7] = [
    ("tag \"Board\" \"3\"", |game| game.board == 3),
    ("not tag \"board\" \"3\"", |game| game.board != 3),
    ("tag \"WhiteTeam\" *", |game| game.team.is_some()),
    ("tag \"WhiteTeam\" \"munchen\" and result 1-0", |game| game.team == Some("München") && game.is_won),
    ("comment \"*novelty*\"", |game| game.novelty.is_some()),
    ("white comment \"*novelty*\" or tag \"Board\" \"0\"", |game| game.novelty == Some(5) || game.board == 0),
    ("never comment \"*novelty*\" and not tag \"WhiteTeam\" \"Bremen\"", |game| {
        game.novelty.is_none() && game.team != Some("Bremen")
    }),
];

#[test]
fn searches_find_the_games_whose_texts_say_it() {
    let (folder, address) = corpus();
    let server = FileServer::new(folder.path());
    let remote = server.address("games.plyfold");
    for (query, holds) in QUERIES {
        let expected: Vec<String> =
            (0..GAMES).filter(|&game| holds(&written(game))).map(|game| (game + 1).to_string()).collect();
        assert!(!expected.is_empty() && expected.len() < GAMES, "{query}");
        for statement in [
            format!("SELECT game FROM search('{query}') ORDER BY game"),
            format!("SELECT game FROM games WHERE matches('{query}') ORDER BY game"),
            format!("SELECT game FROM games WHERE CASE WHEN matches('{query}') THEN 1 ELSE 0 END = 1 ORDER BY 1"),
        ] {
            assert_eq!(lines(&address, &statement), expected, "{statement}");
            assert_eq!(lines(&remote, &statement), expected, "{statement}");
        }
    }
}

#[test]
fn positions_and_tables_of_results_are_those_of_the_comments() {
    let (_folder, address) = corpus();
    let expected: Vec<String> =
        (0..GAMES).filter_map(|game| written(game).novelty.map(|ply| format!("{}|{ply}", game + 1))).collect();
    let positions = "SELECT game, ply FROM positions('comment \"*novelty*\"') ORDER BY game, ply";
    assert_eq!(lines(&address, positions), expected);
    let counted = |query: &str, result: &str| {
        let statement = format!("SELECT games FROM counts('{query}', 'result') WHERE key = '{result}'");
        rows(&address, &statement)[0][0].parse::<usize>().unwrap()
    };
    let won = (0..GAMES).map(written).filter(|game| game.board == 3 && game.is_won).count();
    assert_eq!(counted("tag \"Board\" \"3\"", "1-0"), won);
}

#[test]
fn only_the_texts_of_games_that_match_the_rest_are_fetched() {
    let (folder, address) = corpus();
    let server = FileServer::new(folder.path());
    let remote = server.address("games.plyfold");
    let spent = |query: &str| {
        let before = server.bytes();
        let statement = format!("SELECT game FROM search('{query}') ORDER BY game");
        assert_eq!(lines(&remote, &statement), lines(&address, &statement), "{query}");
        server.bytes() - before
    };
    let header = spent("white \"W7\"");
    let nobody = spent("white \"Nobody\" and tag \"Board\" \"3\"");
    let some = spent("white \"W7\" and tag \"Board\" \"3\"");
    let all = spent("tag \"Board\" \"3\"");
    assert!(nobody <= header && header < some && some < all, "{header}, {nobody}, {some}, {all}");
    // A text that is damaged fails only who reads it.
    let mut bytes = std::fs::read(&address).unwrap();
    let last = bytes.len() - 16;
    bytes[last] ^= 1;
    std::fs::write(&address, bytes).unwrap();
    for address in [&address, &remote] {
        assert_eq!(ask(address, "SELECT count(*) FROM games WHERE matches('result 1-0')").unwrap(), [["300"]]);
        let message = ask(address, "SELECT count(*) FROM search('tag \"Board\" \"3\"')").expect_err("damaged");
        assert!(message.contains("text") && message.contains("games.plyfold"), "{message}");
    }
}
