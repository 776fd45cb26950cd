//! Reads and writes what files of results have in common: the 32 bytes with which most begin, and the corpus that they belong to.

use xxhash_rust::xxh3::Xxh3;

use super::error::PmoteError;
use super::kind::PmoteKind;

#[cfg(target_endian = "big")]
compile_error!("sets of games are little-endian and read where they lie: big-endian machines are not supported");

/// The version of files that this program writes, and the one that it reads.
pub const VERSION: u32 = 1;
/// Bytes of a header.
pub const HEADER_BYTES: usize = 32;

/// The corpus that a result belongs to, and its size at the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CorpusStamp {
    /// The id of the corpus, which stays when games are appended.
    pub corpus: u64,
    /// How many games it had.
    pub games: u32,
}

impl CorpusStamp {
    /// Makes sure that a result belongs to this corpus as it is now.
    ///
    /// # Errors
    ///
    /// Another corpus; the same with more games or fewer.
    pub fn check_matches(self, corpus: CorpusStamp) -> Result<(), PmoteError> {
        if self.corpus != corpus.corpus {
            return Err(PmoteError::AnotherCorpus { found: self.corpus, wanted: corpus.corpus });
        }
        if self.games != corpus.games {
            return Err(PmoteError::OtherGames { found: self.games, wanted: corpus.games });
        }
        Ok(())
    }
}

/// Makes the header for bytes that are written piece by piece; the header is written last, in front of them.
#[derive(Clone)]
pub struct HeaderBuilder {
    head: [u8; 24],
    checksum: Xxh3,
}

impl HeaderBuilder {
    /// A header before any bytes.
    pub fn new(kind: PmoteKind, stamp: CorpusStamp) -> HeaderBuilder {
        let mut head = [0; 24];
        head[..8].copy_from_slice(&kind.magic());
        head[8..12].copy_from_slice(&VERSION.to_le_bytes());
        head[12..16].copy_from_slice(&stamp.games.to_le_bytes());
        head[16..].copy_from_slice(&stamp.corpus.to_le_bytes());
        let mut checksum = Xxh3::new();
        checksum.update(&head);
        HeaderBuilder { head, checksum }
    }

    /// The next bytes behind the header.
    pub fn update(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
    }

    /// The header for all bytes so far.
    pub fn finish(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..24].copy_from_slice(&self.head);
        header[24..].copy_from_slice(&self.checksum.digest().to_le_bytes());
        header
    }
}

/// Checks magic and version of a file of this kind with a header of so many bytes, and returns the header.
pub(super) fn check_head(kind: PmoteKind, bytes: &[u8], header: usize) -> Result<&[u8], PmoteError> {
    let magic = kind.magic();
    let cut = || {
        let missing = (header - bytes.len()) as u64;
        PmoteError::Truncated { part: "header", offset: 0, missing }
    };
    if !bytes.starts_with(&magic) {
        return Err(match PmoteKind::from_magic(bytes) {
            Some(found) => PmoteError::OtherKind { wanted: kind, found },
            None if !bytes.is_empty() && magic.starts_with(bytes) => cut(),
            None => PmoteError::Foreign { wanted: kind },
        });
    }
    let head = bytes.get(..header).ok_or_else(cut)?;
    match u32_at(head, 8) {
        VERSION => Ok(head),
        found => Err(PmoteError::Version { found, known: VERSION }),
    }
}
/// Reads a header: the corpus that the file belongs to, and the checksum.
pub(super) fn read_header(kind: PmoteKind, bytes: &[u8]) -> Result<(CorpusStamp, u64), PmoteError> {
    let head = check_head(kind, bytes, HEADER_BYTES)?;
    Ok((CorpusStamp { corpus: u64_at(head, 16), games: u32_at(head, 12) }, u64_at(head, 24)))
}

/// Makes sure that a file is of this length, and that its checksum fits. `part` is what may be cut.
pub(super) fn check_body(
    bytes: &[u8],
    (stamp, checksum): (CorpusStamp, u64),
    kind: PmoteKind,
    part: FilePart,
) -> Result<(), PmoteError> {
    part.check_end(bytes)?;
    let mut builder = HeaderBuilder::new(kind, stamp);
    builder.update(&bytes[HEADER_BYTES..]);
    if builder.checksum.digest() != checksum {
        return Err(PmoteError::Corrupt);
    }
    Ok(())
}

/// The last part of a file, and where it should end.
#[derive(Clone, Copy)]
pub(super) struct FilePart {
    pub name: &'static str,
    pub offset: u64,
    pub end: u64,
}

impl FilePart {
    /// Makes sure that the file ends where this part does.
    pub(crate) fn check_end(self, bytes: &[u8]) -> Result<(), PmoteError> {
        let (length, FilePart { name, offset, end }) = (bytes.len() as u64, self);
        match length {
            _ if length < end => Err(PmoteError::Truncated { part: name, offset, missing: end - length }),
            _ if length > end => Err(PmoteError::TooLong { expected: end, found: length }),
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
