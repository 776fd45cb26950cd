//! `plyfold dedupe`: doubles are found by moves and headers, and nothing else is.

use std::collections::HashMap;
use std::path::Path;

use plyfold_core::pgn::{MoveEndFinder, TagEdit, edit_tags, read_tags};
use serde_json::Value;

use crate::program::CliSandbox;

const MOVES: &str =
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5 11. d4 Qc7";
const LONGER: &str = "12. Nbd2 cxd4 13. cxd4 Nc6 14. Nb3 a5 15. Be3 a4 16. Nbd2 Bd7 17. Rc1 Qb7 18. Nf1 Rfc8 19. Ng3 g6 20. Bd3 Nb4 21. Bb1 a3";

fn game(tags: &str, moves: &str) -> String {
    let tags = tags.split(';').map(|tag| tag.trim().split_once(' ').unwrap());
    let tags: String = tags.map(|(name, value)| format!("[{name} \"{value}\"]\n")).collect();
    let result = tags.lines().find_map(|line| line.strip_prefix("[Result \"")?.strip_suffix("\"]")).unwrap_or("*");
    format!("{tags}\n{moves} {result}\n\n")
}

/// A corpus of these games, and what `dedupe` says of it: of each group the kept game and, with their differences, the others.
fn groups(games: &[(&str, &str)], more: &[&str]) -> (CliSandbox, Vec<String>) {
    let sandbox = CliSandbox::new();
    sandbox.put("some.pgn", games.iter().map(|(tags, moves)| game(tags, moves)).collect::<String>());
    sandbox.run(&["import", "some.pgn", "-o", "some.plyfold"]).succeeded();
    let report = sandbox.json(&[&["dedupe", "some.plyfold"], more].concat());
    let of_group = |group: &Value| {
        let others = group["others"].as_array().unwrap().iter().map(|other| {
            let differences = other["differences"].as_array().unwrap().iter().map(|one| one.as_str().unwrap());
            format!("{} {}", other["number"], differences.collect::<Vec<_>>().join(" "))
        });
        format!("{}: {}", group["kept"]["number"], others.collect::<Vec<_>>().join(", "))
    };
    let groups = report["groups"].as_array().unwrap().iter().map(of_group).collect();
    (sandbox, groups)
}

const FIRST: &str =
    "Event Cup; Site Here; Date 1999.05.03; Round 3; White Karpov, Anatoly; Black Müller, Karl; Result 1-0";

#[test]
fn headers_may_be_spelled_otherwise() {
    for (tags, expected) in [
        (FIRST, "1: 2 "),
        ("Date 1999.??.??; White KARPOV,A; Black K. Mueller; Result 1-0", "1: 2 white black date round event site"),
        (
            "Event Cup; Date 1999.05.03; Round 03.1; White Anatoly Karpov; Black Muller, K; Result *",
            "1: 2 white black round site result",
        ),
        (
            "Event Other; Site Here; Date 1999.05.03; Round 5; White Karpow, A; Black Müller, Karl; Result 1-0",
            "1: 2 white round event",
        ),
    ] {
        assert_eq!(groups(&[(FIRST, MOVES), (tags, MOVES)], &[]).1, [expected.to_owned()], "{tags}");
    }
}

#[test]
fn other_games_are_no_doubles() {
    for (what, from, to) in [
        ("another player", "Karpov, Anatoly", "Karpov, Alexander"),
        ("another result", "Result 1-0", "Result 0-1"),
        ("another year", "1999.05", "1998.05"),
        ("another round", "Round 3", "Round 4"),
        ("sides", "White Karpov, Anatoly; Black Müller, Karl", "White Müller, Karl; Black Karpov, Anatoly"),
    ] {
        assert_eq!(groups(&[(FIRST, MOVES), (&FIRST.replace(from, to), MOVES)], &[]).1, [""; 0], "{what}");
    }
    // Short games are alike by chance, and one that was drawn may be played again.
    let unknown = &FIRST.replace("1999.05.03", "????.??.??");
    assert_eq!(groups(&[(FIRST, "1. e4 e5 2. Nf3"), (unknown, "1. e4 e5 2. Nf3")], &[]).1, [""; 0]);
    let [drawn, later] =
        ["1999.05.03", "1999.??.??"].map(|date| FIRST.replace("1-0", "1/2-1/2").replace("1999.05.03", date));
    let longer = format!("{MOVES} {LONGER}");
    let later = later.replace("Event Cup", "Event Match");
    assert_eq!(groups(&[(&drawn, MOVES), (&later, &longer)], &[]).1, [""; 0]);
}

#[test]
fn a_game_is_contained_in_a_longer_one() {
    let longer = format!("{MOVES} {LONGER}");
    let games = [(FIRST, MOVES), (FIRST, &*longer), (FIRST, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6")];
    assert_eq!(groups(&games, &[]).1, ["2: 1 moves"]);
    assert_eq!(groups(&games, &["--least-plies", "6"]).1, ["2: 1 moves, 3 moves"]);
    assert_eq!(groups(&games, &["--least-plies", "30"]).1, [""; 0]);
}

#[test]
fn however_many_doubles_are_one_group() {
    // Names with several keys, of which other games share some; more doubles of a game than each is compared with.
    let short = &FIRST.replace("Karpov, Anatoly", "Karpov, A");
    let other = &FIRST.replace("1999", "2003");
    for (first, short_names, others) in [(5, 4, 0), (33, 1, 2), (40, 40, 3), (10, 0, 45)] {
        let mut games = vec![(FIRST, MOVES); first];
        games.extend(vec![(short.as_str(), MOVES); short_names]);
        games.extend(vec![(other.as_str(), MOVES); others]);
        let sizes: Vec<usize> = groups(&games, &[]).1.iter().map(|group| group.split(", ").count() + 1).collect();
        let expected: Vec<usize> = [first + short_names, others].into_iter().filter(|&size| size > 1).collect();
        assert_eq!(sizes, expected, "{first} {short_names} {others}");
    }
}

#[test]
fn a_game_without_a_date_is_one_of_two_at_most() {
    let unknown = "Event Cup; White Karpov; Black Müller; Result 1-0";
    let later = &FIRST.replace("1999", "2001");
    let found = groups(&[(FIRST, MOVES), (later, MOVES), (unknown, MOVES)], &[]).1;
    assert_eq!(found, ["1: 3 white black date round site"]);
}

#[test]
fn the_game_that_says_more_is_kept_with_the_tags_of_the_others() {
    let annotated =
        MOVES.replace("a6", "a6 {A long comment about this move, which makes this game the one that is kept}");
    let second = "Event Cup; Date 1999.??.??; White Karpov, A; Black Müller, K; Result *; Board 2";
    let (sandbox, found) = groups(&[(FIRST, MOVES), (second, &annotated)], &[]);
    assert_eq!(found, ["2: 1 white black date round site result"]);
    let all = ["dedupe", "some.plyfold", "-o", "new.plyfold"];
    sandbox.run(&all).succeeded();
    let text = |corpus: &str| sandbox.run(&["export", corpus]).succeeded().text();
    assert_eq!(text("new.plyfold"), game(second, &annotated).trim_end().to_owned() + "\n");
    sandbox.run(&all).failed_in_a_line(2, &["exists already", "--force"]);
    sandbox.run(&[&all[..], &["--merge-tags", "--force"]].concat()).succeeded();
    let merged =
        "Event Cup; Date 1999.05.03; White Karpov, A; Black Müller, K; Result 1-0; Board 2; Site Here; Round 3";
    assert_eq!(text("new.plyfold"), game(merged, &annotated).trim_end().to_owned() + "\n");
    let csv = sandbox.run(&["dedupe", "some.plyfold", "--format", "csv"]).succeeded().text();
    assert!(csv.contains("\r\n1,2,yes,,\"Karpov, A\"") && csv.contains("\r\n1,1,no,white black date"), "{csv}");
    let said = sandbox.run(&["dedupe", "some.plyfold"]).succeeded().text();
    assert!(said.contains("other white, black, date, round, site, result"), "{said}");
    sandbox.run(&["dedupe", "some.plyfold", "-o", "some.plyfold", "--force"]).failed_in_a_line(2, &["also the corpus"]);
}

/// Numbers below a bound that always come in the same order.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// The game with other headers, fewer moves or more comments.
fn changed(text: &str, random: &mut Random) -> String {
    let tags = read_tags(text.as_bytes());
    let value = |name: &str| tags.iter().find(|tag| tag.name == name).map_or("?".into(), |tag| tag.value.to_string());
    let mut edits: Vec<(&str, String)> = Vec::new();
    for name in ["White", "Black"] {
        let player = value(name);
        let (first, rest) = player.split_once(' ').unwrap_or((&player, ""));
        match random.below(5) {
            0 => edits.push((name, player.to_uppercase())),
            1 => edits.push((name, player.replacen('u', "ü", 1))),
            2 if !rest.is_empty() => edits.push((name, format!("{}. {rest}", first.chars().next().unwrap()))),
            _ => {}
        }
    }
    let date = value("Date");
    match random.below(4) {
        0 => edits.push(("Date", format!("{}.??.??", &date[..4]))),
        1 => edits.push(("Date", format!("{}.??", &date[..7]))),
        _ => {}
    }
    match random.below(4) {
        0 => edits.push(("Round", "?".into())),
        1 => edits.push(("Round", format!("0{}", value("Round")))),
        _ => {}
    }
    if random.below(4) == 0 {
        edits.push(("Event", format!("{} (A)", value("Event"))));
    }
    let edits: Vec<TagEdit<'_>> = edits.iter().map(|(name, value)| TagEdit::Set { name, value }).collect();
    let text = String::from_utf8(edit_tags(text.as_bytes(), &edits).into_owned()).unwrap();
    let mut finder = MoveEndFinder::default();
    let ends = finder.find(text.as_bytes());
    match random.below(3) {
        0 if ends.len() > 40 => format!("{} *\n\n", &text[..ends[39 + random.below(ends.len() - 40)]]),
        1 if !ends.is_empty() => {
            let at = ends[random.below(ends.len())];
            format!("{} {{a comment}}{}\n\n", &text[..at], &text[at..])
        }
        _ => format!("{text}\n\n"),
    }
}

#[test]
fn changed_games_are_found_again() {
    let sandbox = CliSandbox::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/demo.pgn.zst");
    sandbox.run(&["import", demo.to_str().unwrap(), "-o", "demo.plyfold"]).succeeded();
    let lines = sandbox.run(&["export", "demo.plyfold", "--format", "json"]).succeeded().text();
    let games: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["pgn"].as_str().unwrap().into())
        .collect();
    let mut random = Random(7);
    let others: String = games.iter().map(|text| changed(text, &mut random)).collect();
    sandbox.put("both.pgn", games.join("\n\n") + "\n\n" + &others);
    sandbox.run(&["import", "both.pgn", "-o", "both.plyfold"]).succeeded();
    let report = sandbox.json(&["dedupe", "both.plyfold"]);
    assert_eq!(report["games"], 2 * games.len());
    let (mut right, mut wrong) = (0, 0);
    let plies: HashMap<u64, usize> =
        (1..).zip(games.iter().map(|text| MoveEndFinder::default().find(text.as_bytes()).len())).collect();
    for group in report["groups"].as_array().unwrap() {
        let kept = group["kept"]["number"].as_u64().unwrap();
        for other in group["others"].as_array().unwrap() {
            let number = other["number"].as_u64().unwrap();
            if number.abs_diff(kept) == games.len() as u64 { right += 1 } else { wrong += 1 }
        }
    }
    // Games of few moves are doubles only if everything is the same.
    let findable = plies.values().filter(|plies| **plies >= 10).count();
    assert!(right as f64 >= 0.99 * findable as f64, "{right} of {findable}");
    assert!(f64::from(wrong) <= 0.001 * f64::from(right), "{wrong} beside {right}");
}
