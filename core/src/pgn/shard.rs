//! All games of a text as a shard of a corpus, and a report of what became of them.

use alloc::string::String;
use alloc::vec::Vec;

use super::PgnEntry;
use super::game::PgnReader;
use super::rejection::{RejectedGame, RejectionReason};
use crate::corpus::build::ShardBuilder;

/// What became of the games of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PgnImportReport {
    /// Games taken.
    pub imported: u64,
    /// Games not taken.
    pub rejected: u64,
    /// Plies of the games taken.
    pub plies: u64,
    /// Length of the text in bytes.
    pub bytes: u64,
    /// The first [`PgnImportReport::MAX_REJECTIONS`] refusals, in the order of the text.
    pub rejections: Vec<RejectedGame>,
}

impl PgnImportReport {
    /// How many refusals are kept with all they say; further ones are only counted.
    pub const MAX_REJECTIONS: usize = 10_000;

    /// Games met, taken or not.
    pub fn games(&self) -> u64 {
        self.imported + self.rejected
    }

    /// Adds the report of the text that follows; the numbers of its refused games then count from the start of this one.
    pub fn append(&mut self, next: PgnImportReport) {
        let before = self.games();
        let room = PgnImportReport::MAX_REJECTIONS.saturating_sub(self.rejections.len());
        self.rejections.extend(
            next.rejections
                .into_iter()
                .take(room)
                .map(|refusal| RejectedGame { game: before + refusal.game, ..refusal }),
        );
        self.imported += next.imported;
        self.rejected += next.rejected;
        self.plies += next.plies;
        self.bytes += next.bytes;
    }

    fn reject(&mut self, refusal: RejectedGame) {
        self.rejected += 1;
        if self.rejections.len() < PgnImportReport::MAX_REJECTIONS {
            self.rejections.push(refusal);
        }
    }
}

/// Makes shards of texts, one after another, in the same memory.
pub struct ShardPacker {
    reader: PgnReader,
    builder: ShardBuilder,
    file: Option<String>,
}

impl ShardPacker {
    /// A packer without memory yet, for texts of the file called so, without its folder; its shards do not tell if it has no name.
    pub fn new(file: Option<&str>) -> ShardPacker {
        ShardPacker { reader: PgnReader::new(), builder: ShardBuilder::new(), file: file.map(String::from) }
    }

    /// Packs all games of `text` into one shard (empty if there are none) and says what became of them.
    ///
    /// `text` and `base` as for [`read_games`](super::read_games). Memory: twice that of the shard, which has about 5 bytes a ply.
    pub fn pack(&mut self, text: &[u8], base: u64) -> (Vec<u8>, PgnImportReport) {
        let ShardPacker { reader, builder, file } = self;
        if let Some(file) = file {
            builder.begin_source_file(file);
        }
        let mut report = PgnImportReport { bytes: text.len() as u64, ..PgnImportReport::default() };
        reader.read_games(text, base, &mut |entry| match entry {
            PgnEntry::Rejected(refusal) => report.reject(refusal),
            PgnEntry::Game { header: facts, start, moves, text, offset, .. } => {
                match builder.push_game(&facts, start.as_ref(), moves, text) {
                    Ok(()) => {
                        report.imported += 1;
                        report.plies += moves.len() as u64;
                    }
                    Err(_) => {
                        let game = report.games() + 1;
                        let (white, black) = (facts.white.into_owned(), facts.black.into_owned());
                        report.reject(RejectedGame {
                            offset,
                            game,
                            ply: 0,
                            reason: RejectionReason::TooLarge,
                            white,
                            black,
                        });
                    }
                }
            }
        });
        (builder.take_bytes(), report)
    }
}

/// Packs all games of one text: see [`ShardPacker::pack`].
pub fn pack_shard(text: &[u8], base: u64) -> (Vec<u8>, PgnImportReport) {
    ShardPacker::new(None).pack(text, base)
}
