//! PMOTE-BM: a set of games. Behind the header lie the words of the set, as they are in memory.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use plyfold_reduce::game_set::{GameSet, last_word_mask};

use super::error::PmoteError;
use super::header::{CorpusStamp, FilePart, HEADER_BYTES, HeaderBuilder, check_body, read_header};
use super::kind::PmoteKind;

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
