//! Defines the errors of an index: its bytes are damaged, or it does not belong to the corpus.

use thiserror::Error;

/// Why an index cannot be read or cannot be used. Offsets count from the start of the file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The first bytes are something else.
    #[error("not a position index: it does not begin with the index magic")]
    NotAnIndex,
    /// Written by a later version.
    #[error("the index has format version {found}, newer than {known}, the newest known here: update plyfold")]
    Newer {
        /// The version found.
        found: u32,
        /// The newest version that this program reads.
        known: u32,
    },
    /// The bytes lie at an address at which their numbers cannot be read.
    #[error("the bytes of the index do not begin at a multiple of 8: copy them to where they do")]
    Unaligned,
    /// The bytes end too early.
    #[error("truncated in {part} at byte {offset}: {missing} bytes are missing: make the index again")]
    Truncated {
        /// The part that is cut.
        part: &'static str,
        /// Where it begins.
        offset: u64,
        /// How many bytes it lacks.
        missing: u64,
    },
    /// A checksum does not fit.
    #[error("corrupt {part} at byte {offset}: its checksum does not match: make the index again")]
    Corrupt {
        /// The damaged part.
        part: &'static str,
        /// Where the bytes of the checksum begin.
        offset: u64,
    },
    /// The parts contradict each other although the checksums fit.
    #[error("inconsistent {part} at byte {offset}: {what}: make the index again")]
    Inconsistent {
        /// The part at fault.
        part: &'static str,
        /// Where it begins.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The corpus has grown since the index was built.
    #[error(
        "the index covers {covered} of the {games} games of the corpus: index it again (only the new games are read)"
    )]
    Behind {
        /// Games of the index.
        covered: u64,
        /// Games of the corpus.
        games: u64,
    },
    /// The index is of other games.
    #[error("the index belongs to another corpus: index this corpus")]
    Foreign,
}
