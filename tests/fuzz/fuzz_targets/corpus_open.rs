//! Any bytes as a corpus: opening gives an error, or a corpus that can be scanned and shows its texts, never a panic.
//!
//! Random bytes seldom pass a checksum. So the input overwrites a few bytes of a sound corpus, and the target repairs the
//! checksums: only the checks of consistency can then catch the damage. The target walks signatures and event streams, and
//! upgrades shards without them, such as those of the first sound corpus. It reads the annotations of all games.
//! The first shard is also read by its parts, as from object storage, and the corpus by parts that are checked at their first use.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use plyfold_core::corpus::directory::ShardDirectory;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::corpus::layout::ShardLayout;
use plyfold_core::corpus::partial_shard::PartialShard;
use plyfold_core::corpus::storage::AlignedBytes;
use plyfold_core::game::{GameId, GameSpan, corpus_spans};
use plyfold_core::headers::{CompiledHeaderTests, HeaderTest, NameField, NamePattern};
use plyfold_core::irreversible::{EventStreams, material, pawns};
use plyfold_core::pgn::{ShardPacker, upgrade_shard};
use plyfold_core::query::compile;
use plyfold_core::reduce::heatmap::HEATMAP;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::structures::STRUCTURES;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::parts::parts_read;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// A corpus as the first version wrote it, and one as this version does.
static SOUND: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let older = include_bytes!("../../../cli/tests/commands/sample-0.1.plyfold").to_vec();
    let pgn = b"[White \"A\"]\n[Black \"B\"]\n\n1. e4 d5 2. exd5 Qxd5 1-0\n\n\
        [FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. a8=Q+ Kd7 2. O-O *\n\n[Event \"x\"]\n\n1. Nf3! {text [%eval 0.2] [%clk 0:03:00]} d5 $6 {[%eval #-3] [%emt 0:00:02.5]} 0-1\n";
    let (shard, _) = ShardPacker::new(Some("sound.pgn")).pack(pgn, 0);
    let mut header = CorpusFileHeader::empty();
    header.append(&shard).expect("a shard");
    [older, [&header.to_bytes()[..], &shard].concat()]
});

/// Repairs every checksum of a corpus of one shard, as far as its directory can be read.
fn seal(bytes: &mut [u8]) {
    const SHARD: usize = 64;
    let read = |bytes: &[u8], at: usize| -> u64 {
        bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
    };
    if bytes.len() < 128 {
        return;
    }
    let sections = (read(bytes, SHARD + 8) >> 32) as usize;
    for entry in (0..sections.min(64)).map(|nth| SHARD + 64 + nth * 32) {
        let (offset, length) = (read(bytes, entry + 8) as usize, read(bytes, entry + 16) as usize);
        let from = SHARD.saturating_add(offset);
        let Some(section) = bytes.get(from..from.saturating_add(length)) else { continue };
        let checksum = xxh3_64(section).to_le_bytes();
        if let Some(place) = bytes.get_mut(entry + 24..entry + 32) {
            place.copy_from_slice(&checksum);
        }
    }
    let directory = SHARD + 64..(SHARD + 64 + sections.min(64) * 32).min(bytes.len());
    let mut checksum = Xxh3::new();
    checksum.update(&bytes[SHARD..SHARD + 56]);
    checksum.update(&bytes[directory]);
    bytes[SHARD + 56..SHARD + 64].copy_from_slice(&checksum.digest().to_le_bytes());
    let checksum = xxh3_64(&bytes[..56]).to_le_bytes();
    bytes[56..64].copy_from_slice(&checksum);
}

/// A sound corpus with some bytes overwritten as the input says, or the input itself.
fn damaged(input: &[u8]) -> Vec<u8> {
    let which = input.first().copied().unwrap_or(0);
    let mut bytes = if which & 1 == 0 { SOUND[usize::from(which >> 2 & 1)].clone() } else { input.to_vec() };
    for patch in input.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([patch[0], patch[1]]));
        if let Some(byte) = bytes.get_mut(at) {
            *byte = patch[2];
        }
    }
    if which & 2 == 0 {
        seal(&mut bytes);
    }
    bytes
}

fn scan(corpus: &CorpusReader<'_>) {
    let query = compile("queens_off or castled and check or eval_change > time_spent or clock_time(black) < 9")
        .expect("a query");
    let positions = Some(PositionSelection { limit: None, choice: PositionChoice::Distinct });
    let selection = ReducerSelection {
        games: true,
        positions_count: true,
        positions,
        outputs: vec![HEATMAP.output(), STRUCTURES.output().most(3)],
    };
    run_query(&corpus_spans(corpus), &query, &selection, &()).expect("nobody cancels");
}

fn walk_event_streams(corpus: &CorpusReader<'_>) {
    for span in corpus_spans(corpus) {
        assert!(span.signatures().is_empty() || span.signatures().len() == span.len() as usize);
        for (nth, game) in (0..).zip(span.games()) {
            assert_eq!(span.game(nth).moves, game.moves);
            assert!(game.annotations.unpack().plies() <= game.moves.len());
            let Some(EventStreams { material, pawns }) = game.event_streams else { continue };
            let start = game.start_board();
            let mut material = material::MaterialEventCursor::at_start(&start, material);
            let mut pawns = pawns::PawnEventCursor::at_start(&start, pawns);
            // Advancing the cursor stays within its game.
            for _ in 0..game.moves.len() {
                material.advance();
                pawns.advance();
            }
            assert_eq!((material.next_ply(), pawns.next_ply()), (usize::MAX, usize::MAX));
        }
    }
}

fn test_headers(corpus: &CorpusReader<'_>) {
    let name_test = |field| HeaderTest::Name { field, pattern: NamePattern::new("*s*") };
    let tests = [NameField::White, NameField::Event, NameField::Source].map(name_test);
    let compiled = CompiledHeaderTests::new(&tests, &corpus_spans(corpus));
    for span in corpus_spans(corpus) {
        for (nth, test) in tests.iter().enumerate() {
            let mask = compiled.evaluate(&span, nth);
            let games = 0..span.len().min(CompiledHeaderTests::MAX_GAMES);
            assert!(
                games
                    .into_iter()
                    .all(|game| (mask[game as usize / 64] >> (game % 64) & 1 != 0) == test.matches(&span, game))
            );
        }
    }
}

fn upgrade(corpus: &CorpusReader<'_>) {
    for (_, shard) in corpus.shard_bytes() {
        let Ok(Some(upgraded)) = upgrade_shard(shard, None) else { continue };
        let upgraded = AlignedBytes::copy_of(&upgraded);
        let layout = ShardLayout::check(upgraded.as_ref()).expect("an upgrade is sound");
        assert!(layout.has_event_streams() && layout.has_annotations());
    }
}

/// Asks one question after another of a corpus whose parts are checked when they are first used.
fn scan_lazily(bytes: &[u8]) {
    let Ok(corpus) = CorpusReader::open(bytes, CorpusCheck::WhenUsed) else { return };
    for text in ["white \"s\" and year < 2000", "queens_off", "eval > 100", "check"] {
        let query = compile(text).expect("a query");
        if corpus.require(parts_read(&query)).is_err() {
            continue;
        }
        let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
        run_query(&corpus_spans(&corpus), &query, &selection, &()).expect("nobody cancels");
    }
}

/// Scans the first shard with the parts that each query reads, whatever the others hold.
fn scan_parts(bytes: &[u8]) {
    let Some(shard) = bytes.get(CorpusFileHeader::BYTES..) else { return };
    let Ok(directory) = ShardDirectory::read(shard) else { return };
    for text in ["queens_off", "white \"s\" and year < 2000", "white pawn on e4", "eval > 100", "check"] {
        let query = compile(text).expect("a query");
        let Ok(mut partial) = PartialShard::new(directory.clone()) else { return };
        let parts = parts_read(&query);
        let is_there = partial.missing(parts).into_iter().all(|range| {
            let section = shard.get(range.start as usize..range.end as usize);
            section.is_some_and(|section| partial.put(range.start, section).is_ok())
        });
        if !is_there || partial.complete(parts).is_err() {
            continue;
        }
        let span = partial.shard().map(|shard| GameSpan::from_shard(&shard, 0, GameId(0)));
        let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
        run_query(span.as_slice(), &query, &selection, &()).expect("nobody cancels");
    }
}

fuzz_target!(|input: &[u8]| {
    let bytes = damaged(input);
    let bytes = AlignedBytes::copy_of(&bytes);
    let bytes = bytes.as_ref();
    scan_parts(bytes);
    scan_lazily(bytes);
    let Ok(corpus) = CorpusReader::open(bytes, CorpusCheck::EveryByte) else { return };
    scan(&corpus);
    walk_event_streams(&corpus);
    test_headers(&corpus);
    upgrade(&corpus);
    for id in 0..(corpus.header.games as u32).min(100) {
        let _ = corpus.text(id);
    }
});
