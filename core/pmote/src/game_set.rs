//! PMOTE-BM: a set of games. Behind the header lie the words of the set, as they are in memory.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::error::PmoteError;
use super::header::{CorpusStamp, FilePart, HEADER_BYTES, HeaderBuilder, check_body, read_header};
use super::kind::PmoteKind;
use plyfold_reduce::game_set::{GameSet, last_word_mask};

/// The bytes of a set of games of the corpus with this id.
pub fn encode(set: &GameSet, corpus: u64) -> Vec<u8> {
    let words = bytemuck::cast_slice(set.words());
    let mut seal = HeaderBuilder::new(PmoteKind::Games, CorpusStamp { corpus, games: set.games() });
    seal.update(words);
    [&seal.finish(), words].concat()
}

/// A set of games in bytes that passed every check.
#[derive(Clone, Debug)]
pub struct StoredGameSet<'a> {
    /// What it is of.
    pub stamp: CorpusStamp,
    /// Its words, where they lie, if that is at a multiple of eight (as in a memory map).
    pub words: Cow<'a, [u64]>,
}

impl<'a> StoredGameSet<'a> {
    /// Reads and checks a set: `bytes` is the whole file.
    ///
    /// # Errors
    ///
    /// The first thing wrong, with its place.
    pub fn open(bytes: &'a [u8]) -> Result<StoredGameSet<'a>, PmoteError> {
        let (stamp, checksum) = read_header(PmoteKind::Games, bytes)?;
        let end = HEADER_BYTES as u64 + u64::from(stamp.games.div_ceil(64)) * 8;
        check_body(
            bytes,
            (stamp, checksum),
            PmoteKind::Games,
            FilePart { name: "words", offset: HEADER_BYTES as u64, end },
        )?;
        let words = &bytes[HEADER_BYTES..];
        let words: Cow<'a, [u64]> = match bytemuck::try_cast_slice(words) {
            Ok(words) => Cow::Borrowed(words),
            Err(_) => Cow::Owned(words.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect()),
        };
        match words.last() {
            Some(&last) if last & !last_word_mask(stamp.games) != 0 => {
                let what = "bits are set beyond the last game";
                Err(PmoteError::Inconsistent { part: "words", offset: end - 8, what })
            }
            _ => Ok(StoredGameSet { stamp, words }),
        }
    }

    /// The set, in memory of its own.
    pub fn into_game_set(self) -> GameSet {
        // Its length and its last word have been checked.
        GameSet::from_words(self.stamp.games, self.words.into_owned()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::damage;
    use plyfold_scan::game::GameId;

    fn sample() -> GameSet {
        let mut set = GameSet::empty(70);
        [0, 3, 64, 69].into_iter().for_each(|id| set.insert(GameId(id)));
        set
    }

    #[test]
    fn its_bytes_are_those_of_the_format() {
        let bytes = encode(&sample(), 0x0123_4567_89ab_cdef);
        assert_eq!(bytes[..24], *b"PMOTE-BM\x01\0\0\0\x46\0\0\0\xef\xcd\xab\x89\x67\x45\x23\x01");
        assert_eq!(bytes[24..32], xxhash_rust::xxh3::xxh3_64(&[&bytes[..24], &bytes[32..]].concat()).to_le_bytes());
        assert_eq!(bytes[32..], *b"\x09\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0");
        assert_eq!(bytes[24..32], 0xd2b9_61f4_8624_b070_u64.to_le_bytes());
    }

    #[test]
    fn damage_is_found() {
        damage::is_found(&encode(&sample(), 7), |bytes| StoredGameSet::open(bytes).map(drop));
    }

    #[test]
    fn bits_beyond_the_last_game_are_found() {
        let mut seal = HeaderBuilder::new(PmoteKind::Games, CorpusStamp { corpus: 7, games: 3 });
        seal.update(&8u64.to_le_bytes());
        let bytes = [&seal.finish()[..], &8u64.to_le_bytes()].concat();
        let error = StoredGameSet::open(&bytes).expect_err("a bit too many");
        assert!(matches!(error, PmoteError::Inconsistent { offset: 32, .. }), "{error}");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(games in 0u32..300, ids in prop::collection::vec(0u32..300, 0..100), corpus: u64) {
            let mut set = GameSet::empty(games);
            ids.into_iter().for_each(|id| set.insert(GameId(id)));
            let bytes = encode(&set, corpus);
            // At an address that is no multiple of eight as well.
            let shifted = [&[0][..], &bytes].concat();
            for bytes in [&bytes, &shifted[1..]] {
                let stored = StoredGameSet::open(bytes).expect("sound");
                prop_assert_eq!(stored.stamp, CorpusStamp { corpus, games });
                prop_assert_eq!(&stored.into_game_set(), &set);
            }
        }
    }
}
