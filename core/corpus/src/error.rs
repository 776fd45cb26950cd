//! Defines the errors of the bytes of a corpus.

use thiserror::Error;

/// Why bytes cannot be read as a corpus. Offsets count from the start of the file, or from the start of the shard if only a
/// shard was given.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The first bytes are something else.
    #[error("not a plyfold corpus: it does not begin with the corpus magic (import PGN files first)")]
    NotACorpus,
    /// Written by a later version.
    #[error("{part} has format version {found}, newer than {known}, the newest known here: update plyfold")]
    UnsupportedVersion {
        /// Which part of the file.
        part: &'static str,
        /// The version found.
        found: u32,
        /// The newest version that this program reads.
        known: u32,
    },
    /// The bytes end too early.
    #[error("truncated in {section} at byte {offset}: {missing} bytes are missing; import again or restore a copy")]
    Truncated {
        /// The part that is cut.
        section: &'static str,
        /// Where it begins.
        offset: u64,
        /// How many bytes it lacks.
        missing: u64,
    },
    /// A checksum does not fit.
    #[error("corrupt {section} at byte {offset}: its checksum does not match; import again or restore a copy")]
    Corrupt {
        /// The damaged part.
        section: &'static str,
        /// Where it begins.
        offset: u64,
    },
    /// The parts contradict each other although the checksums fit.
    #[error("inconsistent {section} at byte {offset}: {what}; import again or restore a copy")]
    Inconsistent {
        /// The part at fault.
        section: &'static str,
        /// Where it begins.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The bytes lie at an address at which their numbers cannot be read.
    #[error("the bytes of the corpus do not begin at a multiple of 8: copy them to where they do")]
    Unaligned,
    /// A part of a shard is read before its bytes have been fetched: a mistake of the program that reads it.
    #[error("{section} at byte {offset} have not been fetched")]
    NotFetched {
        /// The part that is lacking.
        section: &'static str,
        /// Where it begins.
        offset: u64,
    },
    /// A game number outside the corpus.
    #[error("there is no game {number}: the corpus has games 1 to {games}")]
    NoSuchGame {
        /// The number asked for, from 1.
        number: u64,
        /// How many games there are.
        games: u64,
    },
}

impl CorpusError {
    /// The same error with `base` added to its offset: from the shard's bytes to the file's.
    #[must_use]
    pub fn with_offset_base(mut self, base: u64) -> CorpusError {
        match &mut self {
            CorpusError::Truncated { offset, .. }
            | CorpusError::Corrupt { offset, .. }
            // An offset from a damaged directory can be any number.
            | CorpusError::Inconsistent { offset, .. }
            | CorpusError::NotFetched { offset, .. } => *offset = offset.saturating_add(base),
            _ => {}
        }
        self
    }
}
