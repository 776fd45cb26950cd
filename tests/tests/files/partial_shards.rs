//! A scan of shards with only the parts that it reads finds the same as one of whole shards, and refuses shards with fewer parts.

use std::panic::AssertUnwindSafe;

use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::directory::ShardDirectory;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::corpus::partial_shard::PartialShard;
use plyfold_core::game::{GameId, GameSpan, corpus_spans};
use plyfold_core::headers::OpeningNames;
use plyfold_core::query::{CompiledQuery, compile};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::Query;
use plyfold_core::scan::parts::{header_parts, headers_rule_out, parts_read};
use plyfold_tests::games::{Aligned, PlayedGame, bind_comments, corpus};
use plyfold_tests::lines::bind_lines;
use plyfold_tests::queries::{bound, cases, games, query};
use proptest::prelude::*;

/// A shard with these parts alone.
fn partial(shard: &[u8], parts: ShardParts) -> Result<PartialShard, CorpusError> {
    let mut partial = PartialShard::new(ShardDirectory::read(shard)?)?;
    fetch(&mut partial, shard, parts)?;
    Ok(partial)
}

fn fetch(partial: &mut PartialShard, shard: &[u8], parts: ShardParts) -> Result<(), CorpusError> {
    for range in partial.missing(parts) {
        partial.put(range.start, &shard[range.start as usize..range.end as usize])?;
    }
    partial.complete(parts)
}

fn spans<'s>(shards: impl Iterator<Item = &'s PartialShard>) -> Vec<GameSpan<'s>> {
    let mut first = 0;
    let span = |(index, shard): (usize, &'s PartialShard)| {
        let shard = shard.shard().expect("a complete shard");
        let span = GameSpan::from_shard(&shard, index as u32, GameId(first));
        first += span.len();
        span
    };
    shards.enumerate().map(span).collect()
}

/// The shards of a corpus whose parts are checked when they are first used, with these parts.
fn lazy_spans<'s>(corpus: &'s CorpusReader<'_>, parts: ShardParts) -> Vec<GameSpan<'s>> {
    corpus.require(parts).expect("sound parts");
    corpus_spans(corpus)
}

/// A query of a text, unless the text exceeds the limits of a query.
fn compiled(text: &str) -> Option<Query> {
    CompiledQuery::read(text, &OpeningNames::default()).ok().map(|compiled| bound(compiled.plan))
}

/// Asserts that a scan of the parts that a query reads finds the same as one of everything. Returns how many shards were skipped by
/// their headers.
fn compare(games: &[PlayedGame], text: &str, shard_games: usize) -> Result<usize, TestCaseError> {
    let Some(mut query) = compiled(text) else { return Ok(0) };
    let bytes = Aligned::new(&corpus(games, shard_games));
    let whole = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    bind_comments(&mut query, &corpus_spans(&whole));
    bind_lines(&mut query, &corpus_spans(&whole));
    let mut skipped = 0;
    for positions_count in [false, true] {
        let selection = ReducerSelection { games: true, positions_count, ..ReducerSelection::default() };
        let expected = run_query(&corpus_spans(&whole), &query, &selection, &()).expect("nobody cancels");
        // The number of positions is not decided for many games at a time.
        let parts = parts_read(&query) | if positions_count { ShardParts::RECORDS } else { ShardParts::NONE };
        let mut shards = Vec::new();
        for (_, bytes) in whole.shard_bytes() {
            shards.push(partial(bytes, header_parts(&query)).expect("a shard"));
        }
        let by_headers = spans(shards.iter());
        let is_out: Vec<bool> = by_headers.iter().map(|span| headers_rule_out(&query, positions_count, span)).collect();
        drop(by_headers);
        for (partial, (_, bytes)) in shards.iter_mut().zip(whole.shard_bytes()) {
            fetch(partial, bytes, parts).expect("a shard");
        }
        let kept = spans(shards.iter()).into_iter().zip(&is_out).filter(|(_, is_out)| !**is_out);
        let kept: Vec<GameSpan<'_>> = kept.map(|(span, _)| span).collect();
        let found = run_query(&kept, &query, &selection, &()).expect("nobody cancels");
        let count = expected.count;
        prop_assert_eq!(found.count, count, "{}", text);
        let [found, expected] = [found, expected].map(|results| results.games.expect("games"));
        prop_assert!(found.iter().eq(expected.iter()), "{}", text);
        let lazy = CorpusReader::open(bytes.bytes(), CorpusCheck::WhenUsed).expect("a corpus");
        let found = run_query(&lazy_spans(&lazy, parts), &query, &selection, &()).expect("nobody cancels");
        prop_assert_eq!(found.count, count, "{}", text);
        prop_assert!(found.games.expect("games").iter().eq(expected.iter()), "{}", text);
        skipped += is_out.into_iter().filter(|&is_out| is_out).count();
    }
    Ok(skipped)
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn what_a_query_does_not_read_makes_no_difference(games in games(), text in query(), shard_games in 1usize..6) {
        compare(&games, &text, shard_games)?;
    }
}

/// Games with headers, which differ from game to game, and annotations.
fn some_games() -> Vec<PlayedGame> {
    let choices: Vec<u16> = (0..90).map(|n: u16| n.wrapping_mul(40_503)).collect();
    (0..12).map(|nth| plyfold_tests::games::play(None, &choices[nth * 3..])).collect()
}

#[test]
fn queries_on_everything_that_a_corpus_stores() {
    for text in [
        "queens_off",
        "checkmate",
        "eval_cp >= 50",
        "clock >= 12",
        "white elo >= 2500",
        "white \"a*\"",
        "event \"e*\" and check",
        "round \"1*\"",
        "time_control \"3*\"",
        "passed_pawn on d",
        "white pawn on e5",
        "not result 1-0",
        "repetition >= 2",
        "year >= 2030",
        "year >= 2030 and queens_off",
    ] {
        compare(&some_games(), text, 3).expect(text);
    }
    assert!(
        compare(&some_games(), "white elo > 9000 and queens_off", 3).expect("equal") > 0,
        "headers rule out shards"
    );
}

#[test]
fn few_parts_are_read_for_queries_without_moves() {
    for (text, reads, without) in [
        ("", ShardParts::NONE, ShardParts::RECORDS | ShardParts::COLUMNS),
        (
            "queens_off",
            ShardParts::MATERIAL_EVENTS,
            ShardParts::MOVES | ShardParts::PAWN_EVENTS | ShardParts::SIGNATURES,
        ),
        ("result 1-0", ShardParts::COLUMNS, ShardParts::RECORDS | ShardParts::PLAYERS | ShardParts::MATERIAL_EVENTS),
        ("white \"Carlsen\"", ShardParts::PLAYERS, ShardParts::EVENTS | ShardParts::MOVES),
        ("checkmate", ShardParts::MOVES, ShardParts::ANNOTATIONS | ShardParts::HEADER_TEXTS),
        ("eval > 3", ShardParts::ANNOTATIONS, ShardParts::MOVES),
    ] {
        let parts = parts_read(&compile(text).expect(text));
        assert!(parts.contains(reads) && !parts.intersects(without), "{text}: {parts:?}");
    }
}

#[test]
fn a_part_that_has_not_been_fetched_cannot_be_read() {
    let bytes = corpus(&some_games(), 12);
    let bytes = Aligned::new(&bytes);
    let whole = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let (_, shard) = whole.shard_bytes().next().expect("a shard");
    let mut partial = PartialShard::new(ShardDirectory::read(shard).expect("a directory")).expect("a small shard");
    assert!(partial.shard().is_none(), "nothing has been fetched");
    assert!(matches!(partial.complete(ShardParts::MOVES), Err(CorpusError::NotFetched { .. })));
    fetch(&mut partial, shard, ShardParts::COLUMNS | ShardParts::RECORDS).expect("columns");
    assert!(matches!(partial.complete(ShardParts::MOVES), Err(CorpusError::NotFetched { section: "moves", .. })));
    let span = GameSpan::from_shard(&partial.shard().expect("headers"), 0, GameId(0));
    let query = compile("checkmate").expect("a query");
    let refused = std::panic::catch_unwind(AssertUnwindSafe(|| {
        run_query(&[span], &query, &ReducerSelection::default(), &()).is_ok()
    }));
    assert!(refused.is_err(), "a scan without the moves");
    let refused = std::panic::catch_unwind(AssertUnwindSafe(|| {
        span.game(0).board_at(plyfold_core::game::Ply(1)).turn.is_black()
    }));
    assert!(refused.is_err(), "a board without the moves");
}

#[test]
fn every_section_is_checked_when_it_is_put() {
    let bytes = Aligned::new(&corpus(&some_games(), 12));
    let whole = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let (_, shard) = whole.shard_bytes().next().expect("a shard");
    let mut partial = PartialShard::new(ShardDirectory::read(shard).expect("a directory")).expect("a small shard");
    let ranges = partial.missing(ShardParts::ALL);
    assert!(ranges.len() > 12, "{ranges:?}");
    for range in ranges {
        let mut section = shard[range.start as usize..range.end as usize].to_vec();
        let middle = section.len() / 2;
        section[middle] ^= 1;
        assert!(matches!(partial.put(range.start, &section), Err(CorpusError::Corrupt { .. })), "{range:?}");
        section[middle] ^= 1;
        assert!(partial.put(range.start, &section[1..]).is_err(), "{range:?}");
        partial.put(range.start, &section).expect("the right bytes");
    }
    partial.complete(ShardParts::ALL).expect("all parts");
    let [one, other] = [partial.shard().expect("all parts"), whole.shard(0)];
    assert_eq!((one.records, one.moves, one.signatures), (other.records, other.moves, other.signatures));
    for cut in [0, 63, 64, 100] {
        assert!(ShardDirectory::read(&shard[..cut]).is_err(), "{cut}");
    }
    let mut other = shard[..ShardDirectory::MAX_BYTES as usize].to_vec();
    other[70] ^= 1;
    assert!(matches!(ShardDirectory::read(&other), Err(CorpusError::Corrupt { .. })));
}

#[test]
fn damage_is_noticed_when_a_damaged_part_is_first_used() {
    let sound = Aligned::new(&corpus(&some_games(), 12));
    let whole = CorpusReader::open(sound.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let (_, shard) = whole.shard_bytes().next().expect("a shard");
    let parts = [
        ShardParts::RECORDS,
        ShardParts::COLUMNS,
        ShardParts::PLAYERS,
        ShardParts::EVENTS,
        ShardParts::SITES,
        ShardParts::SOURCES,
        ShardParts::HEADER_TEXTS,
        ShardParts::SIGNATURES,
        ShardParts::MATERIAL_EVENTS,
        ShardParts::PAWN_EVENTS,
        ShardParts::ANNOTATIONS,
        ShardParts::MOVES,
    ];
    let directory = ShardDirectory::read(shard).expect("a directory");
    for damaged in parts {
        for section in PartialShard::new(directory.clone()).expect("a small shard").missing(damaged) {
            let mut bytes = sound.bytes().to_vec();
            bytes[CorpusFileHeader::BYTES + (section.start + section.end) as usize / 2] ^= 1;
            let bytes = Aligned::new(&bytes);
            let lazy = CorpusReader::open(bytes.bytes(), CorpusCheck::WhenUsed).expect("sound directories");
            for other in parts {
                let reads =
                    PartialShard::new(directory.clone()).expect("a small shard").missing(other).contains(&section);
                let refused = lazy.shard_with(0, other).map(|shard| shard.parts());
                match refused {
                    Ok(parts) => assert!(!reads && parts.contains(other), "{other:?}: {section:?}"),
                    Err(CorpusError::Corrupt { offset, .. }) => {
                        assert!(reads && offset == section.start + CorpusFileHeader::BYTES as u64, "{other:?}");
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            assert!(lazy.shard_with(0, ShardParts::ALL).is_err(), "{damaged:?}");
        }
    }
}

#[test]
fn threads_may_use_parts_for_the_first_time_at_once() {
    let bytes = Aligned::new(&corpus(&some_games(), 4));
    let whole = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    for _ in 0..200 {
        let lazy = CorpusReader::open(bytes.bytes(), CorpusCheck::WhenUsed).expect("a corpus");
        std::thread::scope(|threads| {
            for parts in [ShardParts::MOVES, ShardParts::ANNOTATIONS, ShardParts::COLUMNS, ShardParts::MATERIAL_EVENTS]
            {
                let (lazy, whole) = (&lazy, &whole);
                threads.spawn(move || {
                    for (index, expected) in (0..).zip(whole.shards()) {
                        let shard = lazy.shard_with(index, parts).expect("sound parts");
                        assert_eq!((shard.records, shard.parts().contains(parts)), (expected.records, true));
                        assert!(parts != ShardParts::MOVES || shard.moves == expected.moves);
                    }
                });
            }
        });
    }
}

#[test]
fn a_corpus_that_is_cut_or_of_other_bytes_is_refused() {
    let bytes = corpus(&some_games(), 3);
    for cut in [0, 63, 64, 100, bytes.len() - 8] {
        assert!(CorpusReader::open(Aligned::new(&bytes[..cut]).bytes(), CorpusCheck::WhenUsed).is_err(), "{cut}");
    }
    for at in (0..CorpusFileHeader::BYTES + 64).step_by(3) {
        let mut other = bytes.clone();
        other[at] ^= 4;
        assert!(CorpusReader::open(Aligned::new(&other).bytes(), CorpusCheck::WhenUsed).is_err(), "{at}");
    }
}

#[test]
fn columns_alone_decide_headers_and_records_that_were_not_read_are_refused() {
    let bytes = Aligned::new(&corpus(&some_games(), 5));
    let whole = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let lazy = CorpusReader::open(bytes.bytes(), CorpusCheck::WhenUsed).expect("a corpus");
    let query = compile("white elo > 1500 and not result 1-0 or year < 2000").expect("a query");
    assert_eq!(parts_read(&query), ShardParts::COLUMNS);
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let spans = lazy_spans(&lazy, parts_read(&query));
    let [found, expected] = [&spans, &corpus_spans(&whole)]
        .map(|spans| run_query(spans, &query, &selection, &()).expect("nobody cancels").games.expect("games"));
    assert!(found.iter().eq(expected.iter()) && expected.count() > 0);
    let plies = |spans: &[GameSpan<'_>]| spans.iter().map(|span| span.slice(1, 4).plies()).collect::<Vec<_>>();
    assert_eq!(plies(&spans), plies(&corpus_spans(&whole)));
    assert!(std::panic::catch_unwind(AssertUnwindSafe(|| spans[0].record(0).plies)).is_err());
    assert!(std::panic::catch_unwind(AssertUnwindSafe(|| spans[0].games().count())).is_err());
}
