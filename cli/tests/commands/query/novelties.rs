//! Novelties against a twin that compares each position with those of all earlier games, by what shakmaty writes of it.

use std::collections::HashSet;

use serde_json::{Value, json};
use shakmaty::fen::Epd;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, EnPassantMode, Position};

use crate::program::CliSandbox;

struct Game {
    date: String,
    elo: Option<[u32; 2]>,
    /// Each move with its number.
    moves: Vec<String>,
    /// The positions, the start first.
    positions: Vec<String>,
}

/// A game of moves that are chosen among the first legal ones, some of them often.
fn game(dice: &mut impl FnMut(u32) -> u32) -> Game {
    let [year, month, day] = [1990 + dice(4), 1 + dice(3), 1 + dice(3)];
    let date = match dice(6) {
        0 => "????.??.??".to_owned(),
        1 => format!("{year}.??.??"),
        2 => format!("{year}.{month:02}.??"),
        _ => format!("{year}.{month:02}.{day:02}"),
    };
    let elo = (dice(4) > 0).then(|| [2000 + 10 * dice(30), 2000 + 10 * dice(30)]);
    let mut position = Chess::default();
    let epd = |position: &Chess| Epd::from_position(position, EnPassantMode::Legal).to_string();
    let (mut moves, mut positions) = (Vec::new(), vec![epd(&position)]);
    for ply in 0..44 {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let choice = if dice(5) == 0 { dice(4) } else { 0 } as usize;
        let number = position.fullmoves();
        let san = SanPlus::from_move_and_play_unchecked(&mut position, legal[choice % legal.len()]);
        moves.push(format!("{number}{} {san}", if ply % 2 == 0 { "." } else { "..." }));
        positions.push(epd(&position));
    }
    Game { date, elo, moves, positions }
}

fn pgn(game: &Game) -> String {
    let elo =
        game.elo.map_or_else(String::new, |[white, black]| format!("[WhiteElo \"{white}\"]\n[BlackElo \"{black}\"]\n"));
    format!("[White \"A\"]\n[Date \"{}\"]\n{elo}[Result \"*\"]\n\n{} *\n\n", game.date, game.moves.join(" "))
}

/// The rows, by comparing all games.
fn twin(games: &[Game]) -> Vec<Value> {
    // Unknown parts of a date are last.
    let mut order: Vec<usize> = (0..games.len()).collect();
    order.sort_by_key(|&nth| (games[nth].date.replace('?', "~"), nth));
    let had =
        |nth: usize, position: &String| games[nth].positions[..=40.min(games[nth].moves.len())].contains(position);
    let mut rows = Vec::new();
    for (place, &nth) in order.iter().enumerate() {
        let Game { date, elo, moves, positions } = &games[nth];
        let (earlier, later) = (&order[..place], &order[place + 1..]);
        let count = |some: &[usize], position: &String| some.iter().filter(|&&other| had(other, position)).count();
        let new = (1..=moves.len().min(40))
            .find(|&ply| count(earlier, &positions[ply]) == 0 && count(earlier, &positions[ply - 1]) >= 10);
        if let Some(ply) = new {
            let rating = elo.map(|[white, black]| (white + black) / 2);
            let (before, after) = (count(earlier, &positions[ply - 1]), count(later, &positions[ply]));
            let year = date[..4].parse::<u32>().ok();
            let row = json!({
                "game": nth + 1, "ply": ply, "move": moves[ply - 1], "games_before": before, "games_after": after,
                "rating": rating, "date": year.map(|_| date), "year": year,
            });
            rows.push(((std::cmp::Reverse((rating.unwrap_or(0), before)), place), row));
        }
    }
    rows.sort_by_key(|(rank, _)| *rank);
    rows.into_iter().map(|(_, row)| row).collect()
}

#[test]
fn novelties_are_those_of_a_twin() {
    let mut state = 7_u64;
    let mut dice = |sides: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % sides
    };
    let games: Vec<Game> = (0..160).map(|_| game(&mut dice)).collect();
    let sandbox = CliSandbox::new();
    // A game from another position has no novelty.
    let other = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n[Result \"*\"]\n\n1. O-O *\n\n";
    sandbox.put("some.pgn", games.iter().map(pgn).chain([other.to_owned()]).collect::<String>());
    sandbox.run(&["import", "some.pgn", "-o", "some.plyfold"]).succeeded();
    let found = sandbox.json(&["query", "some.plyfold", "", "--novelties", "999"]);
    let expected = twin(&games);
    let mut rows = found["novelties"]["rows"].as_array().unwrap().clone();
    let conditions: Vec<Value> =
        rows.iter_mut().filter_map(|row| row.as_object_mut().unwrap().remove("condition")).collect();
    assert_eq!(rows, expected);
    assert!(rows.len() > 15, "{}", rows.len());
    assert!(rows.iter().map(|row| row["games_after"].as_u64()).collect::<HashSet<_>>().len() > 3);
    // The condition finds the game and those after it.
    for (row, condition) in rows.iter().zip(&conditions).take(8) {
        let asked = sandbox.json(&["query", "some.plyfold", condition.as_str().unwrap(), "--games", "1"]);
        assert_eq!(asked["games"].as_u64(), row["games_after"].as_u64().map(|after| after + 1), "{condition}");
    }
    // Only games that match are known, and only so many rows are listed.
    let few = sandbox.json(&["query", "some.plyfold", "elo >= 2000", "--novelties", "2"]);
    let rated: Vec<Game> = games.into_iter().filter(|game| game.elo.is_some()).collect();
    let expected = twin(&rated);
    assert_eq!(few["novelties"]["distinct"], expected.len());
    assert_eq!(few["novelties"]["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(few["novelties"]["rows"][0]["move"], expected[0]["move"]);
}
