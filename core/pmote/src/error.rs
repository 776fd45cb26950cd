//! Defines the errors of a file of results: its bytes are wrong, or it does not belong to the corpus.

use thiserror::Error;

use super::kind::PmoteKind;

/// Why the file of a result cannot be used. Offsets count from the start of the file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PmoteError {
    /// The first bytes are something else.
    #[error("not {wanted}: it does not begin with the magic of one")]
    Foreign {
        /// What was to be read.
        wanted: PmoteKind,
    },
    /// It is a result of another kind.
    #[error("it is {found}, but {wanted} is needed")]
    OtherKind {
        /// What was to be read.
        wanted: PmoteKind,
        /// What it is.
        found: PmoteKind,
    },
    /// Written by another version.
    #[error("it has format version {found}, but this program knows version {known}: update plyfold")]
    Version {
        /// The version found.
        found: u32,
        /// The version that this program reads.
        known: u32,
    },
    /// The bytes end too early.
    #[error("truncated in its {part} at byte {offset}: {missing} bytes are missing")]
    Truncated {
        /// The part that is cut.
        part: &'static str,
        /// Where it begins.
        offset: u64,
        /// How many bytes it lacks.
        missing: u64,
    },
    /// There are more bytes behind the end.
    #[error("{found} bytes long, but only {expected} belong to it: something was appended")]
    TooLong {
        /// Bytes that it should have.
        expected: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// The checksum does not fit.
    #[error("corrupt: its checksum does not match: make it again")]
    Corrupt,
    /// The parts contradict each other although the checksum fits.
    #[error("inconsistent {part} at byte {offset}: {what}")]
    Inconsistent {
        /// The part at fault.
        part: &'static str,
        /// Where it begins.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// It is a result of another corpus.
    #[error("it belongs to another corpus (id {found:016x}; this corpus has id {wanted:016x})")]
    AnotherCorpus {
        /// The corpus that it belongs to.
        found: u64,
        /// The corpus for which it was to be used.
        wanted: u64,
    },
    /// The corpus has grown since, or is an older copy.
    #[error("it covers {found} games, but the corpus has {wanted}: make it again")]
    OtherGames {
        /// Games that it is of.
        found: u32,
        /// Games of the corpus.
        wanted: u32,
    },
}
