//! Tells which file each game came from.

use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::corpus::layout::ShardLayout;
use plyfold_core::corpus::record::GameHeader;
use plyfold_core::corpus::shard::Shard;
use plyfold_tests::games::{Aligned, corpus};
use plyfold_tests::shards::{CorpusParts, TestSection};

use super::{assert_refused, games, open, upgraded_twice};

/// A corpus of two shards whose games come from three files.
fn with_sources() -> CorpusParts {
    let games = games();
    let mut parts = CorpusParts::of(&corpus(&games[..40], 20));
    for (shard, names) in parts.shards.iter_mut().zip([&["a.pgn", "b.pgn"][..], &["-"]]) {
        let mut bytes = (names.len() as u32).to_le_bytes().to_vec();
        for name in 0..names.len() as u32 {
            bytes.extend([name * 13, name].map(u32::to_le_bytes).concat());
        }
        bytes.extend((names.len() as u32).to_le_bytes());
        let mut end = 0;
        bytes.extend(0u32.to_le_bytes());
        for name in names {
            end += name.len() as u32;
            bytes.extend(end.to_le_bytes());
        }
        bytes.extend(names.concat().into_bytes());
        let at = shard.sections.iter().position(|section| section.kind == 15).expect("columns");
        shard.sections.insert(at, TestSection { kind: 14, flags: 1, bytes });
    }
    parts
}

#[test]
fn each_game_has_the_file_it_came_from() {
    let parts = with_sources();
    let bytes = Aligned::new(&parts.bytes());
    let opened = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole");
    let of = |id: u32| opened.find_game(id).and_then(|(shard, game)| shard.sources.of_game(game));
    let expected = |id: u32| [["a.pgn", "b.pgn"][usize::from(id >= 13)], "-"][usize::from(id >= 20)];
    assert!((0..40).all(|id| of(id) == Some(expected(id))));
    // As the builder writes them.
    let mut builder = ShardBuilder::new();
    for game in 0..20 {
        match game {
            0 => builder.begin_source_file("nothing of this one"),
            13 => builder.begin_source_file("b.pgn"),
            _ => {}
        }
        if game % 5 == 0 && game < 13 {
            builder.begin_source_file("a.pgn");
        }
        builder.push_game(&GameHeader::default(), None, &[], b"").expect("room");
    }
    let shard = Aligned::new(&builder.take_bytes());
    let layout = ShardLayout::check(shard.bytes()).expect("sound");
    let sources = Shard::new(&layout, shard.bytes()).sources;
    assert_eq!(
        sources.runs(20).map(|(from, to, name)| (from, to, sources.names.get(name))).collect::<Vec<_>>(),
        [(0, 13, "a.pgn"), (13, 20, "b.pgn")]
    );
    // The next shard of the same builder does not inherit these names, and games before the first name have none.
    builder.push_game(&GameHeader::default(), None, &[], b"").expect("room");
    builder.begin_source_file("c.pgn");
    builder.push_game(&GameHeader::default(), None, &[], b"").expect("room");
    let shard = Aligned::new(&builder.take_bytes());
    let sources = Shard::new(&ShardLayout::check(shard.bytes()).expect("sound"), shard.bytes()).sources;
    assert_eq!([0, 1].map(|game| sources.of_game(game)), [Some(""), Some("c.pgn")]);
    // An upgrade keeps the source files in the same place as an import.
    let upgraded = upgraded_twice(&parts.clone().of_old().shards[0].bytes()).expect("an older shard");
    assert!(upgraded == parts.shards[0].bytes());
}

#[test]
fn sources_that_are_not_those_of_the_games_are_named() {
    let sound = with_sources();
    open(&sound.bytes()).expect("sound");
    let damaged = |what: &str, damage: &dyn Fn(&mut Vec<u8>)| {
        assert_refused(&sound, "source files", what, &|shard| damage(shard.section(14)));
    };
    let put =
        |at: usize, number: u32| move |bytes: &mut Vec<u8>| bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    for (at, number) in
        [(0, 0), (0, 1), (0, 3), (0, u32::MAX), (4, 1), (8, 2), (12, 0), (12, 20), (16, 2), (20, 3), (20, u32::MAX)]
    {
        damaged("they differ from the games", &put(at, number));
    }
    damaged("they differ from the games", &Vec::clear);
    for length in 0..sound.clone().shards[0].section(14).len() {
        damaged("they differ from the games", &|bytes| bytes.truncate(length));
    }
    damaged("they differ from the games", &|bytes| bytes.extend(*b"more"));
    damaged("they differ from the games", &|bytes| *bytes.last_mut().expect("bytes") = 0xff);
    let mut twice = sound.clone();
    let section = twice.shards[0].sections[13].clone();
    assert_eq!(section.kind, 14);
    twice.shards[0].sections.insert(14, section);
    assert!(matches!(open(&twice.bytes()), Err(CorpusError::Inconsistent { section: "source files", .. })));
}
