//! Conditions on endgame tables: the scan, its naive twin and the oracle agree, on tables that make verdicts up and on real ones.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use egtgen::{CachedTables, MemoryLibrary, ProbeValue, Prober, TablePosition};
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::query::{compile, parse, unknown_positions};
use plyfold_core::reduce::endgames::{ENDGAMES, EndgameSide, Endgames};
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::Query;
use plyfold_core::scan::predicate::ThrownAway;
use plyfold_core::scan::tables::BoundTables;
use plyfold_tests::games::{Aligned, PlayedGame, corpus};
use plyfold_tests::oracle::Trace;
use plyfold_tests::queries::{bound, cases, ending, games, table_condition};
use plyfold_tests::tables::{FAKE_TABLES, GeneratedTables};
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, Position};

/// The matching games and positions of a query: game and ply.
fn found(games: &[PlayedGame], query: &Query) -> (Vec<GameId>, Vec<(u32, u32)>) {
    let bytes = Aligned::new(&corpus(games, 3));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let which = PositionSelection { limit: None, choice: PositionChoice::Every };
    let selection = ReducerSelection { games: true, positions: Some(which), ..ReducerSelection::default() };
    let found = run_query(&corpus_spans(&corpus), query, &selection, &()).expect("nobody cancels");
    let positions = found.positions.into_iter().flatten().map(|position| (position.game.0, position.ply.0));
    (found.games.iter().flat_map(|set| set.iter()).collect(), positions.collect())
}

/// Queries of conditions on tables, each joined with others in every way.
fn query() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![5 => table_condition(), 1 => Just("check".to_owned()), 1 => Just("material KRvKR".to_owned()), 1 => Just("result 1-0".to_owned())];
    let together = leaf.clone().prop_recursive(3, 9, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| format!("not ({inner})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one} and {other})")),
            (inner.clone(), inner).prop_map(|(one, other)| format!("({one} or {other})")),
        ]
    });
    let before = prop::sample::select(vec!["", "", "never ", "always ", "became ", "ceased "]);
    let condition = (before, together, prop::sample::select(vec!["", "", " for 3", " at most 4 times"])).prop_map(
        |(before, inner, after)| {
            let after = if matches!(before, "" | "never ") { after } else { "" };
            format!("{before}{{ {inner} }}{after}")
        },
    );
    (condition.clone(), prop::sample::select(vec!["", "and", "or", "then", "and not"]), condition).prop_map(
        |(one, word, other)| match word {
            "" => one,
            "and not" => format!("{one} and not ({other})"),
            word => format!("({one}) {word} ({other})"),
        },
    )
}

/// Whether a query matches the only game.
fn matches(games: &[PlayedGame], text: &str) -> bool {
    let query = bound(compile(text).unwrap_or_else(|error| panic!("{text}: {error:?}")));
    !found(games, &query).0.is_empty()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn endgames_name_the_queries_behind_their_numbers(game in ending()) {
        let games = [game];
        let bytes = Aligned::new(&corpus(&games, 1));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let selection = ReducerSelection::of(ENDGAMES.output().judged_by(&FAKE_TABLES));
        let all = bound(compile("").expect("a query"));
        let endgames = run_query(&corpus_spans(&corpus), &all, &selection, &()).expect("nobody cancels");
        let endgames = &endgames.summary::<Endgames>().expect("requested").endgames;
        // A start position is no ply, so what the first move threw away is in the numbers alone.
        let threw_at_once = matches(&games, "threw_away at ply 1");
        for endgame in endgames {
            prop_assert_eq!(matches(&games, &endgame.condition()), endgame.totals.games > 0, "{:?}", endgame);
            for side in [EndgameSide::First, EndgameSide::Second] {
                let totals = &endgame.totals;
                for (thrown, moves) in [
                    (ThrownAway::Win, totals.wins_thrown_away[side as usize]),
                    (ThrownAway::Draw, totals.draws_thrown_away[side as usize]),
                ] {
                    let text = endgame.thrown_away_condition(side, thrown);
                    let is_selected = matches(&games, &text);
                    prop_assert!(is_selected == (moves > 0) || moves == 1 && threw_at_once, "{}: {:?}", text, endgame);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn the_scan_equals_the_oracle(
        games in prop_oneof![3 => prop::collection::vec(ending(), 1..6), 1 => games()], text in query(),
    ) {
        let tree = match parse::parse(&text) {
            Err(error) if error.message.contains("known only at the end") => return Ok(()),
            tree => tree.unwrap_or_else(|error| panic!("{text}: {error}")),
        };
        let plan = bound(compile(&text).expect("a query"));
        let (set, positions) = found(&games, &plan);
        let unknown = unknown_positions(&plan).expect("few predicates").map(|unknown| found(&games, &bound(unknown)).1);
        let bytes = Aligned::new(&corpus(&games, 3));
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let spans = corpus_spans(&corpus);
        for (span, nth) in spans.iter().flat_map(|span| (0..span.len()).map(move |nth| (*span, nth))) {
            let (trace, game) = (Trace::of(span, nth), span.first_game.0 + nth);
            let of_game = |all: &[(u32, u32)]| all.iter().filter(|one| one.0 == game).map(|one| one.1).collect::<Vec<_>>();
            prop_assert_eq!(set.contains(&GameId(game)), trace.matches(&tree), "game {} of {}", game, tree);
            prop_assert_eq!(of_game(&positions), trace.matching_plies(&tree), "game {} of {}", game, tree);
            prop_assert_eq!(of_game(unknown.as_deref().unwrap_or_default()), trace.unknown_plies(&tree), "unknown in game {} of {}", game, tree);
        }
    }
}

/// Tables of KQvK, KRvK, KPvK and KRvKR, and what they need.
fn generated() -> CachedTables {
    let materials = ["KPvK", "KRvKR"].map(|name| name.parse().expect("a material"));
    let library = MemoryLibrary::generate(&materials, &AtomicBool::new(false)).expect("small tables");
    CachedTables::new(Box::new(library), 1 << 26)
}

/// The value of a position of shakmaty for White, by the tables: half points and moves to mate.
fn value(tables: &CachedTables, position: &Chess) -> Option<(i64, Option<u16>)> {
    let setup = position.to_setup(shakmaty::EnPassantMode::Legal);
    if setup.castling_rights.any() {
        return None;
    }
    let position = TablePosition::from_board(setup.board, setup.turn, setup.ep_square).ok()?;
    let (own, moves) = match Prober::new(tables).value(&position).ok()? {
        ProbeValue::Win(moves) => (2, Some(moves)),
        ProbeValue::Draw => (1, None),
        ProbeValue::Loss(moves) => (0, Some(moves)),
    };
    Some((if setup.turn == Color::White { own } else { 2 - own }, moves))
}

#[test]
fn real_tables_tell_what_shakmaty_replays() {
    let tables = generated();
    let bound_tables = BoundTables::new(Arc::new(GeneratedTables { tables: generated(), most_pieces: 4 }));
    let mut runner = proptest::test_runner::TestRunner::new(cases(1));
    let games: Vec<PlayedGame> = (0..60)
        .map(|_| ending().new_tree(&mut runner).expect("a game"))
        .map(|tree| proptest::strategy::ValueTree::current(&tree))
        .collect();
    let mut expected: HashMap<&str, Vec<(u32, u32)>> = HashMap::new();
    for (game, (start, moves)) in (0..).zip(&games) {
        let fen: Fen = start.expect("few pieces").parse().expect("a FEN");
        let mut position: Chess = fen.into_position(CastlingMode::Chess960).expect("a position");
        let mut before = value(&tables, &position);
        for (ply, mv) in (1..).zip(moves) {
            let mover = position.turn();
            let legal = position.legal_moves();
            match legal.iter().find(|legal| plyfold_core::moves::Move::from(**legal) == *mv) {
                Some(legal) => position.play_unchecked(*legal),
                None => position = position.swap_turn().expect("a null move"),
            }
            let after = value(&tables, &position);
            let mut holds = |query, holds: Option<bool>| {
                if holds == Some(true) {
                    expected.entry(query).or_default().push((game, ply));
                }
            };
            holds("white tb win", after.map(|after| after.0 == 2));
            holds("{ not white tb win }", after.map(|after| after.0 < 2));
            holds("tb draw", after.map(|after| after.0 == 1));
            holds(
                "tb_dtm(black) <= 9",
                after.map(|(points, moves)| points == 0 && moves.is_some_and(|moves| moves <= 9)),
            );
            if mover == Color::White && !mv.is_null() {
                let lost = before.zip(after).map(|(before, after)| before.0 - after.0);
                holds("white threw_away win", before.zip(after).map(|(before, after)| before.0 == 2 && after.0 < 2));
                holds("half_points_lost(white) = 1", lost.map(|lost| lost == 1));
            }
            before = after;
        }
    }
    for (text, expected) in &expected {
        let mut query = compile(text).expect("a query");
        query.bind_tables(&bound_tables);
        assert_eq!(&found(&games, &query).1, expected, "{text}");
    }
    assert!(expected.len() == 6, "{:?}", expected.keys());
}

#[test]
fn without_tables_nothing_is_known() {
    let mut runner = proptest::test_runner::TestRunner::new(cases(1));
    let game = ending().new_tree(&mut runner).expect("a game");
    let games = [proptest::strategy::ValueTree::current(&game)];
    for text in ["tb win", "{ not tb win }", "tb draw", "white threw_away", "became tb win", "tb_dtm >= 0"] {
        let query = compile(text).expect("a query");
        assert_eq!(found(&games, &query), (Vec::new(), Vec::new()), "{text}");
    }
}

#[test]
fn natural_mistakes_are_answered_with_the_word_to_write() {
    for (text, advice) in [
        ("white tb won", "`tb win`"),
        ("tb wins", "`tb win`"),
        ("tb lost", "`tb loss`"),
        ("white tablebase win", "`tb`"),
        ("tb mate in 5", "`tb_dtm <= 5`"),
        ("white tb dtm <= 5", "`tb_dtm(white)`"),
        ("dtm <= 5", "`tb_dtm"),
        ("tb dtz < 9", "`tb_dtm <= 10`"),
        ("tb", "`win`, `draw` or `loss`"),
        ("mover threw away win", "one side moves at a ply"),
        ("half_points_lost > 0", "`(`"),
        ("half_points_lost(both) > 0", "one side"),
        ("tb_dtm + count(pawn) > 0", "are not added to or compared"),
        ("tb_dtm between 3", "`and`"),
    ] {
        let error = compile(text).expect_err(text);
        assert!(error.message.contains(advice), "{text}: {}", error.message);
    }
}
