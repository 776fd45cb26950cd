//! Tests of a corpus in memory, which needs shards.

use plyfold_corpus::buffer::CorpusBuffer;
use plyfold_corpus::error::CorpusError;
use plyfold_corpus::file::{CorpusCheck, CorpusReader};

use super::pack_shard;

fn buffer() -> CorpusBuffer {
    let mut buffer = CorpusBuffer::new();
    for pgn in ["1. e4 e5 *", "", "1. d4 *\n\n1. c4 c5 *"] {
        buffer.append(&pack_shard(pgn.as_bytes(), 0).0).expect("a shard");
    }
    buffer
}

#[test]
fn games_are_appended_and_read() {
    let buffer = buffer();
    let reader = buffer.reader(CorpusCheck::EveryByte).expect("a corpus");
    assert_eq!((reader.header.shards, reader.header.games, reader.header.plies), (2, 3, 5));
    assert_eq!(CorpusBuffer::default().reader(CorpusCheck::EveryByte).expect("a corpus").header.games, 0);
}

#[test]
fn a_file_is_read_at_any_address() {
    let buffer = buffer();
    for shift in 0..8 {
        // Whatever the address of the vector is, seven of these eight are not aligned.
        let mut shifted = alloc::vec![0; shift];
        shifted.extend_from_slice(buffer.bytes());
        // An append that was broken off leaves bytes behind the end.
        shifted.extend_from_slice(b"left over");
        let read = CorpusBuffer::from_bytes(&shifted[shift..]).expect("a corpus");
        assert_eq!(read.bytes(), buffer.bytes());
        let is_aligned = shifted[shift..].as_ptr().cast::<u64>().is_aligned();
        let opened = CorpusReader::open(&shifted[shift..], CorpusCheck::WithoutTexts).map(|corpus| corpus.header.games);
        assert_eq!(opened, if is_aligned { Ok(3) } else { Err(CorpusError::Unaligned) });
    }
}

#[test]
fn parts_of_a_file_or_shard_are_refused() {
    let mut whole = buffer();
    let bytes = whole.bytes().to_vec();
    for length in 0..bytes.len() {
        assert!(CorpusBuffer::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    let (shard, _) = pack_shard(b"1. e4 *", 0);
    let longer = [&shard[..], &[0; 8]].concat();
    for wrong in [&shard[..8], &shard[..shard.len() - 8], &longer] {
        assert!(whole.append(wrong).is_err(), "{} bytes", wrong.len());
    }
    assert_eq!(whole.bytes(), bytes);
}
