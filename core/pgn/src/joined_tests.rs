//! Tests of corpora as one, which need shards.

use alloc::string::ToString;
use alloc::vec::Vec;

use plyfold_corpus::buffer::CorpusBuffer;
use plyfold_corpus::file::CorpusCheck;
use plyfold_corpus::joined::JoinedCorpus;

use super::pack_shard;

/// A corpus with a shard for each text.
fn corpus(texts: &[&str]) -> CorpusBuffer {
    let mut buffer = CorpusBuffer::new();
    for pgn in texts {
        buffer.append(&pack_shard(pgn.as_bytes(), 0).0).expect("a shard");
    }
    buffer
}

fn joined(parts: &[CorpusBuffer]) -> JoinedCorpus<'_> {
    let open = |part| CorpusBuffer::reader(part, CorpusCheck::EveryByte).expect("a corpus");
    let named = parts.iter().enumerate().map(|(nth, part)| (nth.to_string(), open(part)));
    JoinedCorpus::join(named.collect()).expect("few games")
}

#[test]
fn games_are_numbered_through() {
    let parts = [
        corpus(&["1. e4 *\n\n1. d4 *", "1. c4 *"]),
        corpus(&[]),
        corpus(&["1. f4 e5 *", "1. g4 *"]),
        corpus(&["1. b4 *"]),
    ];
    let whole = joined(&parts);
    assert_eq!(whole.header.games, 6);
    let found: Vec<(&str, u32)> =
        (0..7).map_while(|id| whole.member_of(id)).map(|(member, game)| (&*member.name, game)).collect();
    assert_eq!(found, [("0", 0), ("0", 1), ("0", 2), ("2", 0), ("2", 1), ("3", 0)]);
    for (id, (name, game)) in found.into_iter().enumerate() {
        let part: usize = name.parse().expect("a number");
        let one = parts[part].reader(CorpusCheck::EveryByte).expect("a corpus");
        assert_eq!(whole.text(id as u32), one.text(game));
        assert_eq!(whole.record(id as u32), one.record(game));
    }
    assert!(whole.text(6).is_err());
}

#[test]
fn a_library_of_one_is_that_corpus() {
    let parts = [corpus(&["1. e4 *", "1. d4 *"])];
    let one = parts[0].reader(CorpusCheck::EveryByte).expect("a corpus");
    assert_eq!(joined(&parts).header.to_bytes(), one.header.to_bytes());
    assert!(JoinedCorpus::join(Vec::new()).expect("none").member_of(0).is_none());
}

#[test]
fn the_id_stays_while_numbers_mean_the_same_games() {
    let id = |parts: &[CorpusBuffer]| joined(parts).header.id;
    let (one, grown, other) = (corpus(&["1. e4 *"]), corpus(&["1. e4 *", "1. d4 *"]), corpus(&["1. c4 *"]));
    assert_eq!(id(&[other.clone(), one.clone()]), id(&[other.clone(), grown.clone()]), "games at the end");
    assert_ne!(id(&[one.clone(), other.clone()]), id(&[grown, other.clone()]), "games in between");
    assert_ne!(id(&[one.clone(), other.clone()]), id(&[other, one]), "another order");
}
