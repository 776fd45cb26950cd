//! No game is lost without a word: of files that are joined, cut and misspelled, each game that a plain reader sees is kept or told.

use std::collections::HashSet;

use plyfold_core::pgn::{PgnEntry, pack_shard, read_games};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Tag lines as people misspell them.
const ODD_TAGS: &[&str] = &[
    "[Site: \"x\"]",
    "[Si-te \"x\"]",
    "[1Site \"x\"]",
    "[Site]",
    "[Site x]",
    "[Site \u{201c}x\u{201d}]",
    "[Site \"x]",
    "[Site \"x\"",
    "[Site \"x\ny\"]",
    "[site \"x\"]",
    "Site \"x\"",
    "; a comment",
    "{a comment}",
    "{a comment\nof two lines}",
    "% an escape",
    "",
    "[FEN \"nonsense\"]",
    "[Variant \"Atomic\"]",
    "[WhiteElo \"?\"]",
];

/// What stands between moves, or in place of one.
const ODD_MOVES: &[&str] = &[
    "{a comment}",
    "{a {nested} comment}",
    "{an open comment",
    "(1. d4",
    "(1. d4 d5)",
    "; to the end",
    "Ke3",
    "Zz9",
    "5254",
    "$14",
    "}",
    ")",
    "1-0",
    "{quoted\n\n[White \"Q\"]\n\n1. d4 *\n}",
    "[%clk 0:01:00]",
    "--",
    "\n\n",
    "\0",
];

/// What stands behind a game.
const ENDS: &[&str] = &[
    "\n\n",
    "\n",
    "",
    " ",
    "\r\n\r\n",
    "\n\x1a",
    "\0",
    "\u{feff}",
    "\n\nsome words\n\n",
    " {ended} \n",
    "\r\r",
    "\n\n\n",
];

/// A game whose White is called `W` and its number, and what was done to it.
fn game(random: &mut StdRng, number: usize) -> String {
    let pick = |random: &mut StdRng, list: &[&'static str]| list[random.random_range(0..list.len())];
    let is_odd = |random: &mut StdRng, one_in: u32| random.random_range(0..one_in) == 0;
    let mut lines =
        vec!["[Event \"E\"]".to_owned(), "[Date \"2020.01.02\"]".to_owned(), format!("[White \"W{number}\"]")];
    lines.push("[Black \"B\"]".into());
    for _ in 0..random.random_range(0..3) {
        let at = random.random_range(1..=lines.len());
        lines.insert(at, pick(random, ODD_TAGS).into());
    }
    let mut text = lines.join("\n");
    text += if is_odd(random, 12) { "\n" } else { "\n\n" };
    let moves = ["1. e4", "e5", "2. Nf3", "Nc6", "3. Bb5", "a6"];
    for (nth, word) in moves.iter().take(random.random_range(1..=moves.len())).enumerate() {
        if nth > 0 && is_odd(random, 8) {
            text += pick(random, ODD_MOVES);
            text.push(' ');
        }
        text += word;
        text.push(if is_odd(random, 6) { '\n' } else { ' ' });
    }
    if !is_odd(random, 8) {
        text += ["1-0", "0-1", "1/2-1/2", "*"][random.random_range(0..4)];
    }
    if is_odd(random, 12) {
        text += " Nf6 4. O-O";
    }
    text += if is_odd(random, 2) { pick(random, ENDS) } else { "\n\n" };
    if is_odd(random, 20) { text.replace('\n', "\r\n") } else { text }
}

/// The names of White that stand in headers that were kept, or that were told.
fn accounted(text: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    read_games(text.as_bytes(), 0, &mut |entry| {
        let _ = match entry {
            PgnEntry::Game { header, .. } => names.insert(header.white.into_owned()),
            PgnEntry::Rejected(rejected) => names.insert(rejected.white),
            other => panic!("unknown entry {other:?}"),
        };
    });
    names
}

/// Files with so many games together, each of which is kept or told.
fn nothing_is_lost(games: usize, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let (mut number, mut lost) = (0, Vec::new());
    while number < games {
        let first = number;
        let mut text = String::new();
        for _ in 0..random.random_range(1..40) {
            text += &game(&mut random, number);
            number += 1;
        }
        let names = accounted(&text);
        // What is kept and what is refused are all that was read.
        let (_, report) = pack_shard(text.as_bytes(), 0);
        let mut read = 0;
        read_games(text.as_bytes(), 0, &mut |_| read += 1);
        assert_eq!((report.games(), report.imported + report.rejected), (read, read));
        assert!(report.in_part <= report.imported);
        for number in first..number {
            if !names.contains(&format!("W{number}")) {
                let at = text.find(&format!("\"W{number}\"")).expect("it was written");
                let from = text[..at].char_indices().rev().nth(160).map_or(0, |(at, _)| at);
                let to = text[at..].char_indices().nth(120).map_or(text.len(), |(length, _)| at + length);
                lost.push(format!("W{number}: {:?}", &text[from..to]));
            }
        }
    }
    assert!(lost.is_empty(), "{} of {number} games are lost:\n{}", lost.len(), lost[..lost.len().min(5)].join("\n"));
}

#[test]
fn no_game_is_lost_without_a_word() {
    nothing_is_lost(20_000, 1);
}

#[test]
#[ignore = "slow"]
fn of_a_million_games_none_is_lost_without_a_word() {
    (0..50).for_each(|seed| nothing_is_lost(20_000, 100 + seed));
}
