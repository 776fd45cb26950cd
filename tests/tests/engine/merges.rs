//! Merging what several threads reduce gives the same result as a single thread. This is tested for every reducer, every
//! place at which the games can be split, in both orders, with empty parts, and with each game as a part of its own.
//!
//! A scan on several threads merges too, but chance decides which thread gets which game, and a small corpus often stays on
//! one thread. These tests scan parts separately and merge them explicitly.

use std::fmt::Debug;
use std::sync::OnceLock;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameSpan, corpus_spans};
use plyfold_core::moves::Move;
use plyfold_core::query::{compile, parse_number};
use plyfold_core::reduce::count::MatchCount;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::groups::COUNTS;
use plyfold_core::reduce::key::{GroupingKey, KEY_FEATURES};
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionReducer, PositionSelection};
use plyfold_core::reduce::move_name::ChosenMove;
use plyfold_core::reduce::next_moves::{NEXT_MOVES, NextMoveTable};
use plyfold_core::reduce::output::{OUTPUTS, Output, OutputArgument, OutputContext, OutputDefinition};
use plyfold_core::reduce::partition::{PartitionLimit, PartitionRule};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::fold::scan;
use plyfold_core::scan::reducer::Reducer;
use plyfold_core::scan::{Query, ScanStatistics};
use plyfold_tests::games::{Aligned, PlayedGame, corpus};
use plyfold_tests::long;
use plyfold_tests::queries::bound;
use plyfold_tests::tables::FAKE_TABLES;

/// Queries that all games match, that few games match, that match positions of games that do not match, and that no game
/// matches.
const QUERIES: [&str; 5] =
    ["", "white knight on f3 at end", "result 1-0 or elo > 2500", "queens_off for 9", "count(king) = 5"];

/// Nine games: long and short ones, some without plies, one with four pawns on a file, and the same game twice.
fn games() -> Vec<PlayedGame> {
    let mut games = long::short(4);
    games.extend(long::rich(2));
    let plan = |ply: usize| ply.is_multiple_of(9).then_some(long::LongGameEvent::PawnMove);
    games.push(long::steered(Some(CROWDED), 40, &mut long::LongGameDice::new(31), plan));
    games.push(games[5].clone());
    games.push((None, Vec::new()));
    games
}

const CROWDED: &str = "4k1n1/7p/P6p/P6p/P6p/P7/8/4K1N1 w - - 0 40";

/// Scans some games on one thread.
fn part<R: Reducer>(spans: &[GameSpan<'_>], query: &Query, empty: &(dyn Fn() -> R + Sync)) -> (R, ScanStatistics) {
    static POOL: OnceLock<rayon::ThreadPool> = OnceLock::new();
    let pool = POOL.get_or_init(|| rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool"));
    pool.install(|| scan(spans, query, empty, &()).expect("nobody cancels"))
}

/// Asserts that a reducer has the same result for all games as for their merged parts.
fn compare<R: Reducer, T: PartialEq + Debug>(
    what: &str,
    query: &Query,
    each: &[GameSpan<'_>],
    empty: &(dyn Fn() -> R + Sync),
    finish: &dyn Fn(R) -> T,
) {
    let kept = |games: &[GameSpan<'_>]| part(games, query, empty).0;
    let merged = |mut one: R, other: R| {
        one.merge(other);
        one
    };
    let whole = finish(kept(each));
    for at in 0..=each.len() {
        let (front, rear) = each.split_at(at);
        assert_eq!(finish(merged(kept(front), kept(rear))), whole, "{what}, parted before game {at}");
        assert_eq!(finish(merged(kept(rear), kept(front))), whole, "{what}, the games from {at} first");
    }
    // Game by game; with empty parts in between; pair by pair.
    let apart = || each.iter().map(|game| kept(std::slice::from_ref(game)));
    assert_eq!(finish(apart().fold(empty(), merged)), whole, "{what}, game by game");
    assert_eq!(finish(apart().rev().reduce(merged).expect("some")), whole, "{what}, game by game from the last");
    let with_empty = apart().flat_map(|one| [one, empty()]);
    assert_eq!(finish(with_empty.reduce(merged).expect("some")), whole, "{what}, with empty parts");
    let mut parts: Vec<R> = apart().collect();
    while parts.len() > 1 {
        let mut rest = parts.into_iter();
        parts = Vec::new();
        while let Some(one) = rest.next() {
            parts.push(match rest.next() {
                Some(other) => merged(other, one),
                None => one,
            });
        }
    }
    assert_eq!(finish(parts.remove(0)), whole, "{what}, two by two");
    // Deals the games in rotation to two or three parts.
    for step in [2, 3] {
        let dealt = (0..step).map(|first| kept(&each.iter().skip(first).step_by(step).copied().collect::<Vec<_>>()));
        assert_eq!(finish(dealt.rev().reduce(merged).expect("some")), whole, "{what}, dealt to {step}");
    }
}

/// Runs a test with all games as spans, and with each game as a span of its own.
fn with_games(test: impl Fn(&[GameSpan<'_>], &[GameSpan<'_>], &str, &Query)) {
    let bytes = Aligned::new(&corpus(&games(), 4));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let each: Vec<GameSpan<'_>> = spans.iter().flat_map(|span| span.split(1)).collect();
    assert_eq!(each.len(), 9);
    for text in QUERIES {
        test(&spans, &each, text, &bound(compile(text).expect(text)));
    }
}

fn keys() -> Vec<GroupingKey> {
    let numbers = ["count(white pawn)", "points(white) - points(black)", "2 * repetition + clock"];
    let number = |text: &str| GroupingKey::Number { terms: parse_number(text).expect("a number"), text: text.into() };
    KEY_FEATURES.iter().map(|feature| GroupingKey::Feature(feature)).chain(numbers.map(number)).collect()
}

#[test]
fn counts_and_sets_are_merged() {
    with_games(|_, each, text, query| {
        compare(&format!("count of {text:?}"), query, each, &MatchCount::default, &|count| count);
        compare(&format!("games of {text:?}"), query, each, &|| GameSet::empty(9), &|set| set);
        compare(&format!("games alone of {text:?}"), query, each, &|| (GameSet::empty(9), ()), &|set| set.0);
    });
}

#[test]
fn positions_are_merged() {
    with_games(|_, each, text, query| {
        let limits = [None, Some(0), Some(1), Some(70), Some(500)];
        let choices = [PositionChoice::Every, PositionChoice::Distinct, PositionChoice::FirstOfGame];
        for which in limits.iter().flat_map(|&limit| choices.map(|choice| PositionSelection { limit, choice })) {
            let what = format!("positions of {text:?}, {which:?}");
            compare(&what, query, each, &|| PositionReducer::new(which, 1), &|positions| positions.finish());
        }
    });
}

/// Every output with all its rows and with few, by every key and rule that it takes.
fn outputs() -> Vec<Output> {
    let of = |definition: &'static OutputDefinition| match definition.argument {
        OutputArgument::Nothing => vec![definition.output()],
        OutputArgument::Maximum(_) => vec![definition.output(), definition.output().most(3)],
        OutputArgument::Key => {
            keys().into_iter().flat_map(|key| [definition.by(key.clone()), definition.by(key).most(2)]).collect()
        }
        OutputArgument::KeyWithRule => {
            let limits = [PartitionLimit::All, PartitionLimit::Largest(1), PartitionLimit::All];
            let each = |key: GroupingKey| {
                let ruled = PartitionRule::NAMED.iter().zip(limits.clone());
                ruled.map(move |(rule, sets)| definition.by(key.clone()).ruled_by(rule.1).with_sets(sets))
            };
            keys().into_iter().flat_map(each).collect()
        }
    };
    OUTPUTS.iter().flat_map(|output| of(output)).map(|output| output.judged_by(&FAKE_TABLES)).collect()
}

#[test]
fn outputs_are_merged() {
    with_games(|spans, each, text, query| {
        let context = OutputContext::new(query, None, spans);
        for output in outputs() {
            let what = format!("{output:?} of {text:?}");
            compare(&what, query, each, &|| output.reducer(context), &|found| found.finish(spans));
        }
    });
}

#[test]
fn next_moves_within_sets_are_merged() {
    with_games(|spans, each, text, query| {
        let all = run_query(spans, query, &ReducerSelection::of(NEXT_MOVES.output()), &()).expect("nobody cancels");
        let first = all.summary::<NextMoveTable>().and_then(|table| table.moves.first());
        let chosen = first.map_or(ChosenMove::Resolved(Move::NULL), |next| ChosenMove::Named(next.name));
        let chosen = NEXT_MOVES.output().with_chosen(chosen);
        let within = [GameSet::all(9), GameSet::from_words(9, vec![0b1_0110_1101]).expect("nine games")];
        for within in [None, Some(&within[0]), Some(&within[1])] {
            let context = OutputContext::new(query, within, spans);
            let what = format!("next moves of {text:?}");
            compare(&what, query, each, &|| chosen.reducer(context), &|found| found.finish(spans));
        }
    });
}

/// The partial states of games one by one make the table of all games, whichever is merged first.
#[test]
fn partial_states_make_the_same_table() {
    with_games(|spans, each, text, query| {
        for output in outputs() {
            let whole = output.clone().most(usize::MAX);
            let found = |spans: &[GameSpan<'_>], output: Output| {
                let mut found =
                    run_query(spans, query, &ReducerSelection::of(output), &()).expect("nobody cancels").outputs;
                found.pop().expect("requested")
            };
            let states: Vec<Vec<u8>> =
                each.iter().map(|game| found(std::slice::from_ref(game), whole.clone()).partial_state()).collect();
            let mut states: Vec<&[u8]> = states.iter().map(Vec::as_slice).collect();
            let expected = found(spans, output.clone());
            for _ in 0..2 {
                let merged = output.merged(&states).expect("states of this output");
                assert_eq!(merged.table(), expected.table(), "{output:?} of {text:?}");
                states.reverse();
            }
            let cut = &states[0][..states[0].len() - 1];
            assert!(output.merged(&[cut]).is_none(), "{output:?}");
            assert_eq!(output.columns(), expected.table().columns, "{output:?}");
        }
    });
}

/// Reducers that have several parts merge each part with its counterpart.
#[test]
fn several_reducers_are_merged() {
    with_games(|spans, each, text, query| {
        let outputs = ["material", "result"].map(|name| COUNTS.by(GroupingKey::named(name).expect(name)));
        let context = OutputContext::new(query, None, spans);
        let reducers = || outputs.iter().map(|output| output.reducer(context)).collect::<Vec<_>>();
        let empty = || (Some(MatchCount::default()), (None::<GameSet>, (reducers(), Some(GameSet::empty(9)))));
        compare(&format!("several of {text:?}"), query, each, &empty, &|(count, (none, (found, set)))| {
            assert!(none.is_none());
            let found: Vec<_> = found.into_iter().map(|one| one.finish(spans)).collect();
            (count, found, set)
        });
    });
}

#[test]
fn work_is_added_up() {
    let one = ScanStatistics {
        games: 1,
        plies: 2,
        games_rejected_early: 3,
        games_replayed: 4,
        events_read: 5,
        plies_read_without_board: 6,
        plies_replayed: 7,
        table_positions: 8,
        table_probes: 9,
    };
    let mut sum = ScanStatistics {
        games: 10,
        plies: 20,
        games_rejected_early: 30,
        games_replayed: 40,
        events_read: 50,
        plies_read_without_board: 60,
        plies_replayed: 70,
        table_positions: 80,
        table_probes: 90,
    };
    sum.add(&one);
    let expected = ScanStatistics {
        games: 11,
        plies: 22,
        games_rejected_early: 33,
        games_replayed: 44,
        events_read: 55,
        plies_read_without_board: 66,
        plies_replayed: 77,
        table_positions: 88,
        table_probes: 99,
    };
    assert_eq!(sum, expected);
}
