//! All games of a text as a shard of a corpus, and a report of what became of them.

use alloc::string::String;
use alloc::vec::Vec;

use super::Entry;
use super::game::Reader;
use super::refusal::{Reason, Refusal};
use crate::corpus::build::ShardBuilder;

/// What became of the games of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Games taken.
    pub imported: u64,
    /// Games not taken.
    pub refused: u64,
    /// Plies of the games taken.
    pub plies: u64,
    /// Length of the text in bytes.
    pub bytes: u64,
    /// The first [`Report::MOST_REFUSALS`] refusals, in the order of the text.
    pub refusals: Vec<Refusal>,
}

impl Report {
    /// How many refusals are kept with all they say; further ones are only counted.
    pub const MOST_REFUSALS: usize = 10_000;

    /// Games met, taken or not.
    pub fn games(&self) -> u64 {
        self.imported + self.refused
    }

    /// Adds the report of the text that follows; the numbers of its refused games then count from the start of this one.
    pub fn append(&mut self, next: Report) {
        let before = self.games();
        let room = Report::MOST_REFUSALS.saturating_sub(self.refusals.len());
        self.refusals.extend(
            next.refusals.into_iter().take(room).map(|refusal| Refusal { game: before + refusal.game, ..refusal }),
        );
        self.imported += next.imported;
        self.refused += next.refused;
        self.plies += next.plies;
        self.bytes += next.bytes;
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.refused += 1;
        if self.refusals.len() < Report::MOST_REFUSALS {
            self.refusals.push(refusal);
        }
    }
}

/// Makes shards of texts, one after another, in the same memory.
pub struct Packer {
    reader: Reader,
    builder: ShardBuilder,
    file: Option<String>,
}

impl Packer {
    /// A packer without memory yet, for texts of the file called so, without its folder; its shards do not tell if it has no name.
    pub fn new(file: Option<&str>) -> Packer {
        Packer { reader: Reader::new(), builder: ShardBuilder::new(), file: file.map(String::from) }
    }

    /// Packs all games of `text` into one shard (empty if there are none) and says what became of them.
    ///
    /// `text` and `base` as for [`read`](super::read). Memory: twice that of the shard, which has about 5 bytes a ply.
    pub fn into_shard(&mut self, text: &[u8], base: u64) -> (Vec<u8>, Report) {
        let Packer { reader, builder, file } = self;
        if let Some(file) = file {
            builder.begin_source(file);
        }
        let mut report = Report { bytes: text.len() as u64, ..Report::default() };
        reader.read(text, base, &mut |entry| match entry {
            Entry::Refused(refusal) => report.refuse(refusal),
            Entry::Game { facts, start, moves, text, offset, .. } => {
                match builder.push(&facts, start.as_ref(), moves, text) {
                    Ok(()) => {
                        report.imported += 1;
                        report.plies += moves.len() as u64;
                    }
                    Err(_) => {
                        let game = report.games() + 1;
                        let (white, black) = (facts.white.into_owned(), facts.black.into_owned());
                        report.refuse(Refusal { offset, game, ply: 0, reason: Reason::TooLarge, white, black });
                    }
                }
            }
        });
        (builder.take(), report)
    }
}

/// Packs all games of one text: see [`Packer::into_shard`].
pub fn into_shard(text: &[u8], base: u64) -> (Vec<u8>, Report) {
    Packer::new(None).into_shard(text, base)
}
