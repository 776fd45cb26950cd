//! Queries with more than 64 different predicates or conditions: they find what their halves find together.

use std::fmt::Debug;
use std::path::Path;

use plyfold_core::board::make::FullState;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::headers::OpeningNames;
use plyfold_core::query::CompiledQuery;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionRef, PositionSelection};
use plyfold_core::reduce::{ReduceRequest, ReducerSelection, run_queries, run_query};
use plyfold_core::scan::Query;
use plyfold_core::scan::evidence::PositionRule;
use plyfold_tests::imported;

fn planned(text: &str, rule: PositionRule) -> Query {
    CompiledQuery::read_positions(text, &OpeningNames::default(), rule).expect(text).plan
}

/// The games and the positions that a query finds.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Found {
    games: Vec<u32>,
    positions: Vec<PositionRef>,
}

impl Found {
    fn of(spans: &[GameSpan<'_>], query: &Query) -> Found {
        let every = PositionSelection { limit: None, choice: PositionChoice::Every };
        let selection = ReducerSelection { games: true, positions: Some(every), ..ReducerSelection::default() };
        let found = run_query(spans, query, &selection, &()).expect("nobody cancels");
        let games: Vec<u32> = found.games.iter().flat_map(|set| set.iter()).map(|game| game.0).collect();
        // Requests for games alone take other access paths.
        let alone = ReducerSelection { games: true, ..ReducerSelection::default() };
        let alone = run_query(spans, query, &alone, &()).expect("nobody cancels");
        assert!(alone.games.iter().flat_map(|set| set.iter()).map(|game| game.0).eq(games.iter().copied()));
        Found { games, positions: found.positions.expect("requested") }
    }

    fn or(self, other: Found) -> Found {
        Found { games: union(self.games, other.games), positions: union(self.positions, other.positions) }
    }
}

fn union<T: Ord + Copy + Debug>(one: Vec<T>, other: Vec<T>) -> Vec<T> {
    let mut all = [one, other].concat();
    all.sort_unstable();
    all.dedup();
    all
}

fn with_demo(test: impl FnOnce(&[GameSpan<'_>])) {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let (bytes, _) = imported::file(&root.join("demo/demo.pgn.zst"));
    test(&corpus_spans(&CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole")));
}

/// Conditions for every access path, of which no two are the same.
fn conditions() -> Vec<String> {
    let squares = (1..=8).flat_map(|rank| "abcdefgh".chars().map(move |file| format!("{file}{rank}")));
    let mut all: Vec<String> = squares.clone().map(|square| format!("white knight on {square}")).collect();
    all.extend(squares.clone().map(|square| format!("black plays king to {square}")));
    all.extend(squares.step_by(3).map(|square| format!("black passed_pawn on {square}")));
    all.extend((20..60).map(|number| format!("count(white controlled_square) = {number}")));
    all.extend((4..30).map(|number| format!("count(piece) = {number} for {number}")));
    all.extend((0..20).map(|number| format!("became clock >= {number} from move {}", number + 1)));
    all.extend(["d", "e"].map(|file| format!("isolated_pawn on {file}")));
    all.extend((2..5).map(|number| format!("repetition >= {number}")));
    all.extend(
        ["white check", "black double_check", "checkmate", "stalemate", "white fork", "result 1-0"].map(String::from),
    );
    all.extend((1..40).map(|number| format!("plies {number}..{}", number * 2)));
    all.extend((0..26u8).map(|nth| format!("player \"{}*\"", char::from(b'A' + nth))));
    all
}

/// Every so many of these texts, from one of them on, joined.
fn joined(parts: &[String], (first, step): (usize, usize), with: &str) -> String {
    parts.iter().skip(first).step_by(step).map(String::as_str).collect::<Vec<_>>().join(with)
}

#[test]
fn an_or_finds_what_its_parts_find() {
    with_demo(|spans| {
        let all = conditions();
        for rule in [PositionRule::Everywhere, PositionRule::EvidenceOfWindows, PositionRule::Evidence] {
            for first in 0..2 {
                let query = planned(&joined(&all, (first, 2), " or "), rule);
                assert!(query.predicates.len() > 128 && query.conditions.len() > 128);
                // Each part has all kinds of conditions.
                let parts = (0..3).map(|nth| {
                    let part = planned(&joined(&all, (first + 2 * nth, 6), " or "), rule);
                    assert!(part.predicates.len() <= 64);
                    Found::of(spans, &part)
                });
                assert!(Found::of(spans, &query) == parts.reduce(Found::or).expect("three parts"), "{rule:?}");
            }
        }
    });
}

#[test]
fn an_and_finds_what_all_parts_find() {
    with_demo(|spans| {
        let all = conditions();
        let lists: Vec<String> = (0..12).map(|nth| format!("({})", joined(&all, (nth, 12), " or "))).collect();
        for (lists, with, rule) in [
            (&lists[..], " and ", PositionRule::Everywhere),
            (&lists[..], " and ", PositionRule::Evidence),
            (&lists[3..9], " and ", PositionRule::Everywhere),
        ] {
            let query = planned(&lists.join(with), rule);
            assert!(query.predicates.len() > 128 && query.conditions.len() > 128);
            let found = Found::of(spans, &query);
            let parts: Vec<Found> = lists.iter().map(|list| Found::of(spans, &planned(list, rule))).collect();
            let games = |game: &u32| parts.iter().all(|part| part.games.contains(game));
            assert!(found.games == parts[0].games.iter().copied().filter(games).collect::<Vec<_>>(), "{rule:?}");
            let mut positions = parts[0].positions.clone();
            if rule == PositionRule::Everywhere {
                positions.retain(|position| parts.iter().all(|part| part.positions.binary_search(position).is_ok()));
            } else {
                positions = parts.into_iter().reduce(Found::or).expect("several").positions;
                positions.retain(|position| found.games.contains(&position.game.0));
            }
            assert!(found.positions == positions, "{rule:?}");
        }
    });
}

#[test]
fn a_long_list_counts_its_parts() {
    with_demo(|spans| {
        // Of these, each position fulfils exactly the 70 others.
        let numbers: Vec<String> = (0..71).map(|number| format!("not count(piece) = {number}")).collect();
        let list =
            |least: usize| planned(&format!("{{ {least} of ({}) }}", numbers.join(", ")), PositionRule::Everywhere);
        let every = Found::of(spans, &planned("count(piece) >= 0", PositionRule::Everywhere));
        assert_eq!(Found::of(spans, &list(70)), every);
        assert!(Found::of(spans, &list(71)).games.is_empty());
    });
}

#[test]
fn braces_and_names_and_positions_may_be_many() {
    with_demo(|spans| {
        let squares: Vec<String> =
            (1..=8).flat_map(|rank| "abcdefgh".chars().map(move |file| format!("{file}{rank}"))).collect();
        let on = |piece: &str| squares.iter().map(|square| format!("{piece} on {square}")).collect::<Vec<_>>();
        let pieces = [on("white knight"), on("black bishop")].concat();
        let query = planned(&format!("{{ {} }} for 200", pieces.join(" or ")), PositionRule::Everywhere);
        assert_eq!((query.predicates.len(), query.conditions.len()), (128, 1));
        let same = planned("{ white knight or black bishop } for 200", PositionRule::Everywhere);
        assert_eq!(Found::of(spans, &query), Found::of(spans, &same));

        let names: Vec<String> =
            ('A'..='Z').flat_map(|one| "aeioulnr".chars().map(move |two| format!("player \"{one}{two}*\""))).collect();
        let query = planned(&names.join(" or "), PositionRule::Everywhere);
        assert_eq!(query.predicates.len(), 2 * 26 * 8);
        let each = names.iter().map(|name| Found::of(spans, &planned(name, PositionRule::Everywhere)));
        let found = Found::of(spans, &query);
        assert!(!found.games.is_empty() && found == each.reduce(Found::or).expect("several"));
        // With another condition, headers are tested game by game.
        let both = planned(&format!("({}) and checkmate", names.join(" or ")), PositionRule::Everywhere);
        let mates = Found::of(spans, &planned("checkmate", PositionRule::Everywhere));
        let expected: Vec<u32> = mates.games.into_iter().filter(|game| found.games.contains(game)).collect();
        assert_eq!(Found::of(spans, &both).games, expected);

        let games = spans.iter().flat_map(|span| span.games());
        let fens: Vec<String> = (0..100)
            .zip(games)
            .map(|(nth, game)| {
                let mut board = game.start_board();
                game.moves.iter().take(nth % 50).for_each(|&mv| {
                    board.make::<FullState>(mv);
                });
                format!("fen \"{}\"", board.fen())
            })
            .collect();
        let query = planned(&fens.join(" or "), PositionRule::Everywhere);
        assert!(query.conditions.len() > 64);
        let each = fens.iter().map(|fen| Found::of(spans, &planned(fen, PositionRule::Everywhere)));
        assert_eq!(Found::of(spans, &query), each.reduce(Found::or).expect("several"));
    });
}

#[test]
fn wide_queries_are_scanned_together_with_others() {
    with_demo(|spans| {
        let all = conditions();
        let texts =
            [joined(&all, (0, 2), " or "), "white check".to_owned(), joined(&all, (1, 2), " or "), all[2].clone()];
        let queries = texts.map(|text| planned(&text, PositionRule::Everywhere));
        let selection = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
        let requests: Vec<ReduceRequest<'_>> =
            queries.iter().map(|query| ReduceRequest { query, within: None, selection: &selection }).collect();
        let together = run_queries(spans, &requests, &()).expect("nobody cancels");
        for (query, found) in queries.iter().zip(together) {
            let alone = run_query(spans, query, &selection, &()).expect("nobody cancels");
            assert_eq!((alone.games, alone.count), (found.games, found.count));
        }
    });
}
