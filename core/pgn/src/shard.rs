//! Packs all games of a text into a shard of a corpus, and reports which were imported.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use plyfold_corpus::OpeningTable;
use plyfold_corpus::build::ShardBuilder;
use plyfold_corpus::game_identity::{GameIdentity, KnownGames};

use super::PgnEntry;
use super::game::PgnReader;
use super::notes::{GameNote, NoteKind};
use super::rejection::{RejectedGame, RejectionReason};

/// The report of an import: how many games of a text were imported, and why others were rejected.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PgnImportReport {
    /// Games that were imported, those of which only the first moves are kept included.
    pub imported: u64,
    /// Of these, those of which only the moves before a fault are kept.
    pub in_part: u64,
    /// Games that were rejected.
    pub rejected: u64,
    /// Games that are known already; those that a packer leaves out are neither imported nor rejected.
    pub known: u64,
    /// Of these, those that were left out.
    pub left_out: u64,
    /// Imported games without a move, and those of which neither player has a name: if there are many of both, tags and moves were
    /// separated.
    pub without_moves: u64,
    /// See [`without_moves`](Self::without_moves).
    pub without_names: u64,
    /// Plies of the imported games.
    pub plies: u64,
    /// Length of the text in bytes.
    pub bytes: u64,
    /// The first [`PgnImportReport::MAX_REJECTIONS`] games that were rejected or kept in part, in the order of the text.
    pub rejections: Vec<RejectedGame>,
    /// How many games have a note of each of [`NoteKind::ALL`].
    pub noted: [u64; NoteKind::ALL.len()],
    /// The first [`PgnImportReport::MAX_REJECTIONS`] notes, in the order of the text.
    pub notes: Vec<GameNote>,
}

impl PgnImportReport {
    /// The most rejections that a report keeps; more are only counted. The limit bounds the memory for a file that is not PGN.
    pub const MAX_REJECTIONS: usize = 10_000;

    /// All games of the text: imported, rejected or left out.
    pub fn games(&self) -> u64 {
        self.imported + self.rejected + self.left_out
    }

    /// Returns the same report for a text after this many games: its game numbers count on from there.
    #[must_use]
    pub fn counted_from(mut self, games: u64) -> PgnImportReport {
        self.rejections.iter_mut().for_each(|refusal| refusal.game += games);
        self.notes.iter_mut().for_each(|note| note.game += games);
        self
    }

    /// Adds the report of the text that follows, whose games are counted from the start of this text.
    pub fn append(&mut self, next: PgnImportReport) {
        let room = PgnImportReport::MAX_REJECTIONS.saturating_sub(self.rejections.len());
        self.rejections.extend(next.rejections.into_iter().take(room));
        let room = PgnImportReport::MAX_REJECTIONS.saturating_sub(self.notes.len());
        self.notes.extend(next.notes.into_iter().take(room));
        self.noted.iter_mut().zip(next.noted).for_each(|(sum, more)| *sum += more);
        self.imported += next.imported;
        self.in_part += next.in_part;
        self.known += next.known;
        self.without_moves += next.without_moves;
        self.without_names += next.without_names;
        self.left_out += next.left_out;
        self.rejected += next.rejected;
        self.plies += next.plies;
        self.bytes += next.bytes;
    }

    fn reject(&mut self, refusal: RejectedGame) {
        if refusal.kept_in_part {
            self.in_part += 1
        } else {
            self.rejected += 1
        }
        if self.rejections.len() < PgnImportReport::MAX_REJECTIONS {
            self.rejections.push(refusal);
        }
    }

    fn note(&mut self, notes: &[GameNote]) {
        notes.iter().for_each(|note| self.noted[note.kind as usize] += 1);
        let room = PgnImportReport::MAX_REJECTIONS - self.notes.len();
        self.notes.extend(notes.iter().take(room));
    }
}

/// Packs texts into shards, one after another; its buffers are reused.
pub struct ShardPacker {
    reader: PgnReader,
    builder: ShardBuilder,
    file: Option<String>,
    keeps_texts: bool,
    is_strict: bool,
    known: Arc<KnownGames>,
    skips_known: bool,
}

impl ShardPacker {
    /// A packer for texts of the file with this name, without its folder. Without a name, the shards do not name their source.
    pub fn new(file: Option<&str>) -> ShardPacker {
        let file = file.map(String::from);
        ShardPacker {
            reader: PgnReader::new(),
            builder: ShardBuilder::new(),
            file,
            keeps_texts: true,
            is_strict: false,
            known: Arc::default(),
            skips_known: false,
        }
    }

    /// The same packer, whose shards keep no texts of games.
    #[must_use]
    pub fn without_texts(self) -> ShardPacker {
        ShardPacker { keeps_texts: false, ..self }
    }

    /// The same packer, which rejects games of which a move cannot be played or read.
    #[must_use]
    pub fn strict(self) -> ShardPacker {
        ShardPacker { is_strict: true, ..self }
    }

    /// The same packer, which counts the games that are among these, and leaves them out if it `skips` them.
    #[must_use]
    pub fn beside(self, known: Arc<KnownGames>, skips: bool) -> ShardPacker {
        ShardPacker { known, skips_known: skips, ..self }
    }

    /// The same packer, whose shards store the opening of each game.
    #[must_use]
    pub fn with_openings(self, table: Arc<OpeningTable>) -> ShardPacker {
        ShardPacker { builder: self.builder.with_openings(table), ..self }
    }

    /// Packs all games of `text` into one shard, which is empty if there are none, and reports on them.
    ///
    /// `text` and `base` as for [`read_games`](super::read_games). Memory: twice that of the shard, which has about 5 bytes a ply.
    pub fn pack(&mut self, text: &[u8], base: u64) -> (Vec<u8>, PgnImportReport) {
        let ShardPacker { reader, builder, file, keeps_texts, is_strict, known, skips_known } = self;
        if let Some(file) = file {
            builder.begin_source_file(file);
        }
        let mut report = PgnImportReport { bytes: text.len() as u64, ..PgnImportReport::default() };
        reader.read_games(text, base, &mut |entry| match entry {
            PgnEntry::Rejected(refusal) => report.reject(refusal),
            PgnEntry::Game { fault: Some(fault), .. } if *is_strict => {
                report.reject(RejectedGame { kept_in_part: false, ..fault.clone() });
            }
            PgnEntry::Game { header: facts, start, moves, annotations, text, offset, fault, notes, .. } => {
                let identity = || GameIdentity::new([&facts.white, &facts.black], facts.date, start.as_ref(), moves);
                if !known.is_empty() && known.contains(identity()) {
                    report.known += 1;
                    report.left_out += u64::from(*skips_known);
                    if *skips_known {
                        return;
                    }
                }
                let text = if *keeps_texts { text } else { &[] };
                match builder.push_game(&facts, start.as_ref(), moves, text) {
                    Ok(()) => {
                        builder.annotate_last_game(annotations);
                        report.imported += 1;
                        report.without_moves += u64::from(moves.is_empty());
                        report.without_names += u64::from(facts.white == "?" && facts.black == "?");
                        fault.into_iter().for_each(|fault| report.reject(fault.clone()));
                        report.note(notes);
                        report.plies += moves.len() as u64;
                    }
                    Err(_) => {
                        let game = report.games() + 1;
                        let (white, black) = (facts.white.into_owned(), facts.black.into_owned());
                        let (reason, kept_in_part) = (RejectionReason::TooLarge, false);
                        report.reject(RejectedGame { offset, game, ply: 0, reason, white, black, kept_in_part });
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
