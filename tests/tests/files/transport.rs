//! Scan parts on their way: what is unpacked equals what was packed, damage is found, and a corpus that arrives shard by shard is
//! the corpus of the file.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader, OpenCorpus};
use plyfold_core::corpus::transport::{is_of_this_version, pack_scan_part, unpack_scan_part};
use plyfold_core::game::corpus_spans;
use plyfold_core::pgn::pack_shard;
use plyfold_core::{CorpusError, ReducerSelection, query, reduce};
use plyfold_tests::games::{Aligned, PlayedGame, STARTS, corpus, play};
use plyfold_tests::queries::{cases, games};
use plyfold_tests::shards::{CorpusParts, TestSection};
use plyfold_tests::worked_example::bytes_of_example;
use plyfold_tests::{data, imported};
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

/// The packed scan part of every shard.
fn packed(reader: &CorpusReader<'_>) -> Vec<Vec<u8>> {
    reader.shard_bytes().map(|(_, shard)| pack_scan_part(shard).expect("a sound shard")).collect()
}

fn scan_parts<'a>(reader: &'a CorpusReader<'a>) -> Vec<&'a [u8]> {
    let parts = reader.shard_bytes();
    parts.map(|(_, shard)| &shard[..u64::from_le_bytes(shard[24..32].try_into().expect("8")) as usize]).collect()
}

/// Unpacks what was packed and compares every byte.
fn check_round_trip(file: &[u8]) {
    let reader = CorpusReader::open(file, CorpusCheck::EveryByte).expect("a corpus");
    for (packed, scan_part) in packed(&reader).iter().zip(scan_parts(&reader)) {
        assert!(is_of_this_version(&packed[..12]) && !is_of_this_version(&packed[..11]));
        let newer = [&packed[..8], &[packed[8] + 1, 0, 0, 0]].concat();
        assert!(!is_of_this_version(&newer) && !is_of_this_version(scan_part));
        let unpacked = unpack_scan_part(packed, scan_part.len() as u64).expect("sound bytes");
        assert!(unpacked.as_ref() == scan_part);
        assert!(unpack_scan_part(packed, scan_part.len() as u64 - 1).is_err(), "the limit holds");
    }
}

#[test]
fn unpacked_demo_games_equal_the_packed_ones() {
    let demo = imported::corpus(&data::demo());
    check_round_trip(demo.bytes());
    let reader = CorpusReader::open(demo.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    for packed in packed(&reader) {
        assert_eq!(packed[12], 1, "the models are used, and not LZ4");
    }
}

/// Whatever changes these bytes changes the format, and needs a new version of it: published libraries have the old ones.
#[test]
fn the_demo_games_are_packed_as_version_1_packs_them() {
    let mut demo = CorpusParts::of(imported::corpus(&data::demo()).bytes());
    // Annotation bounds and openings are younger than this test.
    demo.shards.iter_mut().for_each(|shard| shard.sections.retain(|section| !matches!(section.kind, 20 | 21)));
    let demo = Aligned::new(&demo.bytes());
    let reader = CorpusReader::open(demo.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let checksums: Vec<u64> = packed(&reader).iter().map(|packed| xxh3_64(packed)).collect();
    assert_eq!(checksums, [0x6f88_24ae_3e01_2a35]);
}

#[test]
fn the_worked_example_is_what_is_packed() {
    let bytes = bytes_of_example(include_str!("../../../core/corpus/src/transport/FORMAT.md"), 0);
    let (shard, _) = pack_shard(b"1. e4 *\n", 0);
    assert_eq!(pack_scan_part(Aligned::new(&shard).bytes()).expect("a sound shard"), bytes);
}

/// Sections that a later version adds, and a shard whose derived sections are not those that would be made, come back too.
#[test]
fn unusual_shards_come_back() {
    let games: Vec<PlayedGame> =
        (0..8u16).map(|n| play(STARTS[usize::from(n) % STARTS.len()], &[n * 7 + 1, n + 3, n * 1000, 12, 5])).collect();
    let mut parts = CorpusParts::of(&corpus(&games, 4));
    for shard in &mut parts.shards {
        shard
            .sections
            .insert(shard.sections.len() - 1, TestSection { kind: 77, flags: 1, bytes: b"from the future".to_vec() });
    }
    check_round_trip(Aligned::new(&parts.bytes()).bytes());
    // A name with a zero byte, and names out of the order of their first use.
    let mut odd = CorpusParts::of(&corpus(&games, 4));
    odd.shards[0].section(4).iter_mut().rev().take(1).for_each(|byte| *byte = 0);
    let records = odd.shards[1].section(1);
    let (first, rest) = records.split_at_mut(36);
    first[..8].swap_with_slice(&mut rest[..8]);
    odd.shards[1].sections.retain(|section| section.kind != 15);
    check_round_trip(Aligned::new(&odd.bytes()).bytes());
    check_round_trip(Aligned::new(&CorpusParts::of(&corpus(&games, 4)).of_old().bytes()).bytes());
}

#[test]
fn unpacked_torture_games_equal_the_packed_ones() {
    let Some(folder) = data::shared("nasty") else { return };
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            check_round_trip(imported::corpus(&path).bytes());
        }
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn unpacked_random_games_equal_the_packed_ones(games in games()) {
        check_round_trip(Aligned::new(&corpus(&games, 3)).bytes());
    }

    #[test]
    fn a_corpus_that_arrives_is_that_of_the_file(games in games()) {
        check_arrival(&games);
    }

    /// A changed byte is an error or changes nothing, and any cut is an error.
    #[test]
    fn damage_is_found(games in games(), at in any::<prop::sample::Index>(), by in 1u8..) {
        let file = Aligned::new(&corpus(&games, 8));
        let reader = CorpusReader::open(file.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let Some(sound) = packed(&reader).into_iter().next() else { return Ok(()) };
        let mut damaged = sound.clone();
        let at = at.index(sound.len());
        damaged[at] ^= by;
        if let Ok(unpacked) = unpack_scan_part(&damaged, 1 << 24) {
            prop_assert!(at >= 32 && unpacked.as_ref() == scan_parts(&reader)[0], "byte {at}");
        }
        prop_assert!(unpack_scan_part(&sound[..at], 1 << 24).is_err(), "cut at {at}");
    }
}

/// Shards that are pushed one after another have the games, texts and answers of the file; a shard that is damaged changes nothing.
fn check_arrival(games: &[PlayedGame]) {
    let file = Aligned::new(&corpus(games, 3));
    let reader = CorpusReader::open(file.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let mut arriving = OpenCorpus::arriving(reader.header.id, file.bytes());
    let question = query::compile("count(pawn) < 16 or check").expect("a query");
    for scan_part in scan_parts(&reader) {
        let before = arriving.header;
        assert!(matches!(arriving.push_shard(&scan_part[..scan_part.len() - 8]), Err(CorpusError::Truncated { .. })));
        assert_eq!(arriving.header, before);
        arriving.push_shard(scan_part).expect("a sound scan part");
    }
    assert_eq!(arriving.header.to_bytes(), reader.header.to_bytes());
    let selection = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
    let asked = |corpus: &CorpusReader<'_>| {
        let results = reduce::run_query(&corpus_spans(corpus), &question, &selection, &()).expect("results");
        (results.count.games, results.count.positions)
    };
    assert_eq!(asked(&arriving), asked(&reader));
    for id in 0..games.len() as u32 {
        let text = reader.text(id).expect("a text");
        assert_eq!(arriving.text(id).expect("a text"), text);
        let range = arriving.text_range(id);
        assert_eq!(
            range.is_some(),
            reader.find_game(id).is_some_and(|(shard, game)| shard.text_location(game).is_some())
        );
        if let Some((offset, length)) = range {
            assert!(offset + length <= reader.header.length && length > 0);
        }
    }
    assert_eq!(arriving.text_range(games.len() as u32), None);
}
