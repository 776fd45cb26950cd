//! Refuses sections that are derived from the games and differ from them.

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_tests::games::{Aligned, corpus};
use plyfold_tests::shards::{CorpusParts, LATER, TestSection, TestShard};

use super::{answers, assert_refused, games, upgraded_twice};

#[test]
fn courses_that_are_not_those_of_the_games_are_named() {
    let sound = CorpusParts::of(&corpus(&games(), 300));
    let damaged = |section: &str, what: &str, damage: &dyn Fn(&mut TestShard)| {
        assert_refused(&sound, section, what, damage);
    };
    for (kind, name) in EVENT_SECTIONS {
        damaged(name, "missing", &|shard| shard.sections.retain(|section| section.kind != kind));
        damaged(name, "ends within an entry", &|shard| shard.section(kind).truncate(1));
        damaged(name, "twice", &|shard| {
            let at = shard.sections.len() - 1;
            shard.sections.insert(at, TestSection { kind, flags: 1, bytes: Vec::new() });
        });
    }
    damaged("milestones", "missing", &|shard| shard.sections.retain(|section| section.kind != 13));
    damaged("milestones", "number", &|shard| shard.section(13).truncate(1));
    damaged("milestones", "number", &|shard| shard.section(13).push(0));
    damaged("final signatures", "number", &|shard| shard.section(9).truncate(16 * 299));
    damaged("final signatures", "number", &|shard| shard.section(9).extend([0; 16]));
    damaged("final signatures", "number", &|shard| shard.section(9).clear());
}

/// Sections with data derived from the games of a shard, and their names in messages.
const EVENT_SECTIONS: [(u32, &str); 4] =
    [(9, "final signatures"), (10, "course index"), (11, "events of pieces"), (12, "events of pawns")];

#[test]
fn a_course_index_that_does_not_fit_its_events_is_named() {
    let sound = CorpusParts::of(&corpus(&games(), 300));
    let damaged = |section: &str, what: &str, damage: &dyn Fn(&mut TestShard)| {
        assert_refused(&sound, section, what, damage);
    };
    let covers = "does not cover the events";
    damaged("course index", covers, &|shard| shard.section(10).clear());
    damaged("course index", covers, &|shard| shard.section(10).extend([0; 8]));
    for stream in [0, 4] {
        let put = |shard: &mut TestShard, game: usize, to: u32| {
            shard.section(10)[game * 8 + stream..game * 8 + stream + 4].copy_from_slice(&to.to_le_bytes());
        };
        let get = |shard: &mut TestShard, game: usize| {
            let place = &shard.section(10)[game * 8 + stream..game * 8 + stream + 4];
            u32::from_le_bytes(place.try_into().expect("four bytes"))
        };
        damaged("course index", covers, &|shard| put(shard, 0, 1));
        damaged("course index", covers, &|shard| put(shard, 150, u32::MAX));
        damaged("course index", covers, &|shard| {
            let before = get(shard, 149);
            put(shard, 150, before - 1);
        });
        damaged("course index", covers, &|shard| {
            let end = get(shard, 300);
            put(shard, 300, end - 1);
        });
        // Game 190 has no plies, so the last event of the game before is one too many.
        let (kind, name) = EVENT_SECTIONS[if stream == 0 { 2 } else { 3 }];
        damaged(name, "outside the plies", &|shard| {
            let from = get(shard, 190);
            put(shard, 190, from - 1);
        });
        damaged("course index", covers, &|shard| shard.section(kind).truncate(2));
        damaged(name, "outside the plies", &|shard| {
            // A distance of zero to the next event, then the longest one.
            let from = shard.section(kind).len() - 2;
            shard.section(kind)[from..].copy_from_slice(&[0, 0]);
        });
        damaged(name, "outside the plies", &|shard| {
            let from = shard.section(kind).len() - 2;
            shard.section(kind)[from..].copy_from_slice(&[0xff, 0xff]);
        });
    }
}

/// Nonsense in the event streams that no check can detect may change results, but never causes a panic.
#[test]
fn nonsense_that_looks_sound_is_scanned() {
    let sound = CorpusParts::of(&corpus(&games()[..60], 30));
    let mut state = 7u64;
    let mut opened = 0;
    for round in 0..400 {
        let mut parts = sound.clone();
        for _ in 0..1 + round % 4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let section = parts.shards[(state >> 20) as usize % 2].section(LATER[(state >> 30) as usize % 4]);
            let at = (state >> 32) as usize % section.len();
            section[at] ^= 1 << ((state >> 60) % 8);
        }
        let bytes = Aligned::new(&parts.bytes());
        if CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).is_ok() {
            opened += 1;
            answers(&bytes);
        }
    }
    assert!((50..350).contains(&opened), "{opened}");
}

#[test]
fn columns_that_are_not_those_of_the_records_are_named() {
    let sound = CorpusParts::of(&corpus(&games()[..40], 20));
    let damaged = |damage: &dyn Fn(&mut Vec<u8>)| {
        assert_refused(&sound, "header columns", "", &|shard| damage(shard.section(15)));
    };
    for at in 0..20 * 31 {
        damaged(&|bytes| bytes[at] ^= 1 << (at % 8));
    }
    for length in 0..20 * 31 {
        damaged(&|bytes| bytes.truncate(length));
    }
    damaged(&|bytes| bytes.extend([0; 31]));
    damaged(&|bytes| bytes.push(0));
    // A shard that lacks only this section gets it without a replay.
    let mut without = sound.shards[0].clone();
    without.sections.retain(|section| section.kind != 15);
    assert!(upgraded_twice(&without.bytes()).expect("an older shard") == sound.shards[0].bytes());
}
