//! Packs all games of a text into a shard of a corpus, and reports which were imported.

use alloc::string::String;
use alloc::vec::Vec;

use plyfold_corpus::build::ShardBuilder;

use super::PgnEntry;
use super::game::PgnReader;
use super::rejection::{RejectedGame, RejectionReason};

/// The report of an import: how many games of a text were imported, and why others were rejected.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PgnImportReport {
    /// Games that were imported.
    pub imported: u64,
    /// Games that were rejected.
    pub rejected: u64,
    /// Plies of the imported games.
    pub plies: u64,
    /// Length of the text in bytes.
    pub bytes: u64,
    /// The first [`PgnImportReport::MAX_REJECTIONS`] rejections, in the order of the text.
    pub rejections: Vec<RejectedGame>,
}

impl PgnImportReport {
    /// The most rejections that a report keeps; more are only counted. The limit bounds the memory for a file that is not PGN.
    pub const MAX_REJECTIONS: usize = 10_000;

    /// All games of the text, imported or rejected.
    pub fn games(&self) -> u64 {
        self.imported + self.rejected
    }

    /// Adds the report of the text that follows. The numbers of its rejected games then count from the start of this text.
    pub fn append(&mut self, next: PgnImportReport) {
        let before = self.games();
        let room = PgnImportReport::MAX_REJECTIONS.saturating_sub(self.rejections.len());
        let more = next.rejections.into_iter().take(room);
        self.rejections.extend(more.map(|refusal| RejectedGame { game: before + refusal.game, ..refusal }));
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

/// Packs texts into shards, one after another; its buffers are reused.
pub struct ShardPacker {
    reader: PgnReader,
    builder: ShardBuilder,
    file: Option<String>,
    keeps_texts: bool,
}

impl ShardPacker {
    /// A packer for texts of the file with this name, without its folder. Without a name, the shards do not name their source.
    pub fn new(file: Option<&str>) -> ShardPacker {
        let file = file.map(String::from);
        ShardPacker { reader: PgnReader::new(), builder: ShardBuilder::new(), file, keeps_texts: true }
    }

    /// The same packer, whose shards keep no texts of games.
    #[must_use]
    pub fn without_texts(self) -> ShardPacker {
        ShardPacker { keeps_texts: false, ..self }
    }

    /// Packs all games of `text` into one shard, which is empty if there are none, and reports on them.
    ///
    /// `text` and `base` as for [`read_games`](super::read_games). Memory: twice that of the shard, which has about 5 bytes a ply.
    pub fn pack(&mut self, text: &[u8], base: u64) -> (Vec<u8>, PgnImportReport) {
        let ShardPacker { reader, builder, file, keeps_texts } = self;
        if let Some(file) = file {
            builder.begin_source_file(file);
        }
        let mut report = PgnImportReport { bytes: text.len() as u64, ..PgnImportReport::default() };
        reader.read_games(text, base, &mut |entry| match entry {
            PgnEntry::Rejected(refusal) => report.reject(refusal),
            PgnEntry::Game { header: facts, start, moves, annotations, text, offset, .. } => {
                let text = if *keeps_texts { text } else { &[] };
                match builder.push_game(&facts, start.as_ref(), moves, text) {
                    Ok(()) => {
                        builder.annotate_last_game(annotations);
                        report.imported += 1;
                        report.plies += moves.len() as u64;
                    }
                    Err(_) => {
                        let game = report.games() + 1;
                        let (white, black) = (facts.white.into_owned(), facts.black.into_owned());
                        let reason = RejectionReason::TooLarge;
                        report.reject(RejectedGame { offset, game, ply: 0, reason, white, black });
                    }
                }
            }
        });
        (builder.take_bytes(), report)
    }
}

/// Packs all games of one text, as [`ShardPacker::pack`] does.
pub fn pack_shard(text: &[u8], base: u64) -> (Vec<u8>, PgnImportReport) {
    ShardPacker::new(None).pack(text, base)
}
