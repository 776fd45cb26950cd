//! Defines the errors of the bytes of a table.

use thiserror::Error;

/// Why bytes cannot be read as a table. Offsets count from the start of the file; `E` is the error of the reader.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum LayoutError<E> {
    /// The bytes cannot be read.
    #[error("it cannot be read at byte {offset}: {source}")]
    Read {
        /// Where.
        offset: u64,
        /// The error of the reader.
        source: E,
    },
    /// The first bytes are something else.
    #[error("not a table: it does not begin with the magic of tables (generate them with egtgen)")]
    NotATable,
    /// Written by a later version.
    #[error("the table has format version {found}, newer than {known}, the newest known here: update egtgen")]
    Newer {
        /// The version found.
        found: u32,
        /// The newest version that this program reads.
        known: u32,
    },
    /// The table is not generated completely.
    #[error("the table is unfinished: generate it again to continue after its last complete section")]
    Unfinished,
    /// The bytes end too early.
    #[error("truncated in {section} at byte {offset}: {missing} bytes are missing; generate the table again")]
    Truncated {
        /// The part that is cut.
        section: &'static str,
        /// Where it begins.
        offset: u64,
        /// How many bytes it lacks.
        missing: u64,
    },
    /// A checksum is wrong.
    #[error("corrupt {section} at byte {offset}: its checksum does not match; generate the table again")]
    Corrupt {
        /// The damaged part.
        section: &'static str,
        /// Where it begins.
        offset: u64,
    },
    /// The parts contradict each other although the checksums are right.
    #[error("inconsistent {section} at byte {offset}: {what}; generate the table again")]
    Inconsistent {
        /// The part at fault.
        section: &'static str,
        /// Where it begins.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
}
