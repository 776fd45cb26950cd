//! What files of answers have in common: kinds, the 32 bytes with which most begin, and what they are of.

use core::fmt;

use xxhash_rust::xxh3::Xxh3;

use super::error::PmoteError;

#[cfg(target_endian = "big")]
compile_error!("sets of games are little-endian and read where they lie: big-endian machines are not supported");

/// The version of files that this program writes, and the one that it reads.
pub const VERSION: u32 = 1;
/// Bytes of a header.
pub const BYTES: usize = 32;

/// Kinds of answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Games, a bit each.
    Games,
    /// Positions, by game and ply.
    Positions,
    /// Counts by man and square.
    Heatmap,
    /// Counts by the value of a key.
    Groups,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Games, Kind::Positions, Kind::Heatmap, Kind::Groups];

    /// The first bytes of a file of this kind.
    pub const fn magic(self) -> [u8; 8] {
        match self {
            Kind::Games => *b"PMOTE-BM",
            Kind::Positions => *b"PMOTE-PS",
            Kind::Heatmap => *b"PMOTE-HM",
            Kind::Groups => *b"PMOTE-GB",
        }
    }

    /// The kind of a file, by its first bytes.
    pub fn of(bytes: &[u8]) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| bytes.starts_with(&kind.magic()))
    }

    /// Checks magic and version of a file with a header of so many bytes, and returns the header.
    pub(super) fn head(self, bytes: &[u8], header: usize) -> Result<&[u8], PmoteError> {
        let magic = self.magic();
        let cut = || {
            let missing = (header - bytes.len()) as u64;
            PmoteError::Truncated { part: "header", offset: 0, missing }
        };
        if !bytes.starts_with(&magic) {
            return Err(match Kind::of(bytes) {
                Some(found) => PmoteError::OtherKind { wanted: self, found },
                None if !bytes.is_empty() && magic.starts_with(bytes) => cut(),
                None => PmoteError::Foreign { wanted: self },
            });
        }
        let head = bytes.get(..header).ok_or_else(cut)?;
        match u32_at(head, 8) {
            VERSION => Ok(head),
            found => Err(PmoteError::Version { found, known: VERSION }),
        }
    }
}

/// As it is named in errors: `a set of games (PMOTE-BM)`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Games => "a set of games (PMOTE-BM)",
            Kind::Positions => "a list of positions (PMOTE-PS)",
            Kind::Heatmap => "a heatmap (PMOTE-HM)",
            Kind::Groups => "a table of groups (PMOTE-GB)",
        })
    }
}

/// What an answer is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Of {
    /// The id of the corpus, which stays when games are appended.
    pub corpus: u64,
    /// How many games it had.
    pub games: u32,
}

impl Of {
    /// Makes sure that an answer is of this corpus, as it is now.
    ///
    /// # Errors
    ///
    /// Another corpus; the same with more games or fewer.
    pub fn is(self, corpus: Of) -> Result<(), PmoteError> {
        if self.corpus != corpus.corpus {
            return Err(PmoteError::AnotherCorpus { found: self.corpus, wanted: corpus.corpus });
        }
        if self.games != corpus.games {
            return Err(PmoteError::OtherGames { found: self.games, wanted: corpus.games });
        }
        Ok(())
    }
}

/// Makes the header for bytes that are handed on piece by piece: the header is written last, in front of them.
#[derive(Clone)]
pub struct Seal {
    head: [u8; 24],
    checksum: Xxh3,
}

impl Seal {
    /// Nothing handed on yet.
    pub fn new(kind: Kind, of: Of) -> Seal {
        let mut head = [0; 24];
        head[..8].copy_from_slice(&kind.magic());
        head[8..12].copy_from_slice(&VERSION.to_le_bytes());
        head[12..16].copy_from_slice(&of.games.to_le_bytes());
        head[16..].copy_from_slice(&of.corpus.to_le_bytes());
        let mut checksum = Xxh3::new();
        checksum.update(&head);
        Seal { head, checksum }
    }

    /// The next bytes behind the header.
    pub fn update(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
    }

    /// The header for all that was handed on.
    pub fn finish(&self) -> [u8; BYTES] {
        let mut header = [0; BYTES];
        header[..24].copy_from_slice(&self.head);
        header[24..].copy_from_slice(&self.checksum.digest().to_le_bytes());
        header
    }
}

/// What a header says: what the file is of, and its checksum.
pub(super) fn read(kind: Kind, bytes: &[u8]) -> Result<(Of, u64), PmoteError> {
    let head = kind.head(bytes, BYTES)?;
    Ok((Of { corpus: u64_at(head, 16), games: u32_at(head, 12) }, u64_at(head, 24)))
}

/// Makes sure that a file is of this length, and that its checksum fits. `part` is what may be cut.
pub(super) fn check(bytes: &[u8], (of, checksum): (Of, u64), kind: Kind, part: Part) -> Result<(), PmoteError> {
    part.is_whole(bytes)?;
    let mut seal = Seal::new(kind, of);
    seal.update(&bytes[BYTES..]);
    if seal.checksum.digest() != checksum {
        return Err(PmoteError::Corrupt);
    }
    Ok(())
}

/// The last part of a file, and where it should end.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub name: &'static str,
    pub offset: u64,
    pub end: u64,
}

impl Part {
    /// Makes sure that the file ends where this part does.
    pub fn is_whole(self, bytes: &[u8]) -> Result<(), PmoteError> {
        let (found, Part { name, offset, end }) = (bytes.len() as u64, self);
        match found {
            _ if found < end => Err(PmoteError::Truncated { part: name, offset, missing: end - found }),
            _ if found > end => Err(PmoteError::TooLong { expected: end, found }),
            _ => Ok(()),
        }
    }
}

/// Four bytes of a header that is there.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytemuck::pod_read_unaligned(&bytes[at..at + 4])
}

/// Eight bytes of a header that is there.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytemuck::pod_read_unaligned(&bytes[at..at + 8])
}
