//! The frame of an index file: its header, its segments, their sections, and the checks that bytes pass before they are used.
//!
//! A probe reads a few places of a large file, so the file is not read when it is opened. Then only the headers and the tables of
//! checksums are checked; every other byte is checked together with the 4 KiB around it when it is read. The layout is found once
//! ([`IndexLayout::check`]) and turned into slices as often as needed ([`IndexLayout::index`]), so that the owner of the bytes need not
//! borrow from itself.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use bytemuck::{Pod, Zeroable};
use plyfold_board::moves::Move;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::error::IndexError;
use super::pairs::PairLayout;

#[cfg(target_endian = "big")]
compile_error!("an index is little-endian and read where it lies: big-endian machines are not supported");

/// The version of indexes that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;
/// First bytes of an index.
pub(crate) const MAGIC: [u8; 8] = *b"plyindex";
/// Bytes per checksum.
pub(super) const CHECKSUM_CHUNK: usize = 4096;

/// The first 64 bytes of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct IndexFileHeader {
    magic: [u8; 8],
    version: u32,
    /// How many segments there are.
    pub segments: u32,
    /// Bytes of the file.
    pub length: u64,
    /// Id of the corpus.
    pub corpus: u64,
    /// The number of covered games, which are the first ones of the corpus.
    pub games: u64,
    /// The plies of the covered games.
    pub plies: u64,
    zero: u64,
    checksum: u64,
}

impl IndexFileHeader {
    /// Bytes of a header.
    pub const BYTES: usize = 64;

    /// The header of an index without segments, of the corpus with this id.
    pub fn empty(corpus: u64) -> IndexFileHeader {
        let length = Self::BYTES as u64;
        IndexFileHeader { magic: MAGIC, version: VERSION, length, corpus, ..IndexFileHeader::zeroed() }
    }

    /// The header after this segment has been written at its `length`.
    pub(super) fn append(&mut self, segment: &SegmentHeader) {
        self.segments += 1;
        self.length += segment.length;
        self.games += u64::from(segment.games);
        self.plies = self.plies.saturating_add(segment.plies);
    }

    /// The 64 bytes to write, checksum included.
    pub fn to_bytes(mut self) -> [u8; 64] {
        self.checksum = 0;
        self.checksum = xxh3_64(&bytemuck::bytes_of(&self)[..56]);
        bytemuck::cast(self)
    }

    /// Reads and checks a header.
    ///
    /// # Errors
    ///
    /// Too few bytes, another magic, a newer version, a checksum that does not fit.
    pub fn read(bytes: &[u8]) -> Result<IndexFileHeader, IndexError> {
        let cut = || {
            let missing = (Self::BYTES - bytes.len()) as u64;
            IndexError::Truncated { part: "file header", offset: 0, missing }
        };
        if !bytes.starts_with(&MAGIC) {
            return Err(if !bytes.is_empty() && MAGIC.starts_with(bytes) { cut() } else { IndexError::NotAnIndex });
        }
        let head = bytes.get(..Self::BYTES).ok_or_else(cut)?;
        let header: IndexFileHeader = bytemuck::pod_read_unaligned(head);
        if header.version > VERSION {
            return Err(IndexError::Newer { found: header.version, known: VERSION });
        }
        if xxh3_64(&head[..56]) != header.checksum || header.length < Self::BYTES as u64 || header.zero != 0 {
            return Err(IndexError::Corrupt { part: "file header", offset: 0 });
        }
        Ok(header)
    }
}

/// The first 64 bytes of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct SegmentHeader {
    /// Corpus-wide number of its first game, from 0.
    pub first_game: u32,
    /// How many games it covers.
    pub games: u32,
    /// The plies of these games.
    pub plies: u64,
    /// Checksum of the games that the segment was made of: see `fingerprint`.
    pub fingerprint: u64,
    /// Bytes of the segment, a multiple of 8.
    pub length: u64,
    bucket_bits: u8,
    game_bits: u8,
    pair_bytes: u8,
    sections: u8,
    zero: [u32; 5],
    checksum: u64,
}

/// The sections of a segment, in the order of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IndexSection {
    /// A u64 for each frequent position: the hashes, ascending.
    Hashes,
    /// A [`PositionSummary`] for each frequent position.
    Summaries,
    /// A [`NextMoveEntry`] for each next move of the frequent positions.
    Next,
    /// The lists of games of the frequent positions.
    Lists,
    /// A u32 for each bucket: where its pairs begin, counted in pairs; then the end of the last bucket.
    Buckets,
    /// Pairs.
    Pairs,
}

/// How many sections there are.
pub(super) const SECTIONS: usize = 6;

impl IndexSection {
    /// All with their names.
    pub const ALL: [(IndexSection, &str); SECTIONS] = [
        (IndexSection::Hashes, "hashes of frequent positions"),
        (IndexSection::Summaries, "summaries"),
        (IndexSection::Next, "next moves"),
        (IndexSection::Lists, "lists of games"),
        (IndexSection::Buckets, "buckets"),
        (IndexSection::Pairs, "pairs"),
    ];

    const fn name(self) -> &'static str {
        IndexSection::ALL[self as usize].1
    }
}

/// The stored counts of a frequent position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct PositionSummary {
    /// Games that have it, by result: unknown, White won, Black won, drawn.
    pub results: [u32; 4],
    /// Games that begin with it.
    pub started_games: u32,
    /// Games that reach it after a ply.
    pub reached_games: u32,
    /// Plies after which it occurs.
    pub occurrences: u32,
    /// Index of its first next move.
    pub first_next: u32,
    /// How many next moves it has.
    pub next_count: u32,
    /// First byte of its list of games.
    pub list_start: u32,
    /// Bytes of the list.
    pub list_bytes: u32,
    pub zero: u32,
}

/// A next move of a frequent position, and the games that continue with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct NextMoveEntry {
    pub mv: Move,
    pub zero: u16,
    /// By result, as in a summary.
    pub results: [u32; 4],
}

/// A segment while it is built: its sections, and the values of its header.
pub(super) struct SegmentData {
    pub first_game: u32,
    pub games: u32,
    pub plies: u64,
    pub fingerprint: u64,
    pub shape: PairLayout,
    pub sections: [Vec<u8>; SECTIONS],
}

impl SegmentData {
    /// Writes header, checksums and sections.
    ///
    /// # Errors
    ///
    /// The errors of `sink`.
    pub fn write<E>(self, sink: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<SegmentHeader, E> {
        let SegmentData { first_game, games, plies, fingerprint, shape, sections } = self;
        let lengths: [u64; SECTIONS] = core::array::from_fn(|section| sections[section].len() as u64);
        let sums = sections.iter().flat_map(|section| section.chunks(CHECKSUM_CHUNK)).map(xxh3_64);
        let sums: Vec<u64> = sums.collect();
        let head = [bytemuck::cast_slice(&lengths), bytemuck::cast_slice::<u64, u8>(&sums)].concat();
        let padded: u64 = lengths.iter().map(|length| length.next_multiple_of(8)).sum();
        let mut header = SegmentHeader {
            first_game,
            games,
            plies,
            fingerprint,
            length: (size_of::<SegmentHeader>() + head.len()) as u64 + padded,
            bucket_bits: shape.bucket_bits as u8,
            game_bits: shape.game_bits as u8,
            pair_bytes: shape.bytes as u8,
            sections: SECTIONS as u8,
            ..SegmentHeader::zeroed()
        };
        header.checksum = header.checksum_with(&head);
        sink(bytemuck::bytes_of(&header))?;
        sink(&head)?;
        for section in sections {
            sink(&section)?;
            sink(&[0; 8][..section.len().next_multiple_of(8) - section.len()])?;
        }
        Ok(header)
    }
}

impl SegmentHeader {
    pub(super) fn shape(&self) -> PairLayout {
        let [bucket_bits, game_bits, bytes] = [self.bucket_bits, self.game_bits, self.pair_bytes].map(u32::from);
        PairLayout { bucket_bits, game_bits, bytes }
    }

    /// The checksum of the 56 bytes before it, and of the lengths and chunk checksums behind the header.
    fn checksum_with(&self, head: &[u8]) -> u64 {
        let mut checksum = Xxh3::new();
        checksum.update(&bytemuck::bytes_of(self)[..56]);
        checksum.update(head);
        checksum.digest()
    }
}

/// How much of an index is checked when it is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexCheck {
    /// Headers and the tables of checksums; everything else is checked when it is read.
    Headers,
    /// Every byte.
    AllBytes,
}

/// Where the parts of an index are. Its headers have passed every check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexLayout {
    /// The header of the file.
    pub header: IndexFileHeader,
    segments: Vec<SegmentLayout>,
}

/// Where the parts of a segment are in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct SegmentLayout {
    header: SegmentHeader,
    offset: usize,
    sums: Range<usize>,
    sections: [Range<usize>; SECTIONS],
}

impl IndexLayout {
    /// Checks an index: `bytes` is the whole file, 8-byte aligned (a memory map is).
    ///
    /// Cost: a five-hundredth of the file is read, and all of it for [`IndexCheck::AllBytes`].
    ///
    /// # Errors
    ///
    /// The first thing wrong, with its place.
    pub fn check(bytes: &[u8], check: IndexCheck) -> Result<IndexLayout, IndexError> {
        let header = IndexFileHeader::read(bytes)?;
        if !bytes.as_ptr().cast::<u64>().is_aligned() {
            return Err(IndexError::Unaligned);
        }
        let mut layout = IndexLayout { header, segments: Vec::new() };
        let mut total = IndexFileHeader::empty(header.corpus);
        while total.length < header.length {
            let segment = SegmentLayout::check(bytes, total.length, header.length)?;
            let (first, games) = (u64::from(segment.header.first_game), u64::from(segment.header.games));
            if first != total.games || first + games > u64::from(u32::MAX) {
                let what = "its games do not follow those of the previous segment, or are too many";
                return Err(IndexError::Inconsistent { part: "segment header", offset: total.length, what });
            }
            total.append(&segment.header);
            layout.segments.push(segment);
        }
        total.checksum = header.checksum;
        if total != header || bytes.len() as u64 != header.length {
            let what = "its counts are wrong";
            return Err(IndexError::Inconsistent { part: "file header", offset: 0, what });
        }
        if check == IndexCheck::AllBytes {
            layout.segments(bytes).try_for_each(|segment| segment.check())?;
        }
        Ok(layout)
    }

    /// The segments in bytes of this layout.
    pub(super) fn segments<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = Segment<'a>> {
        self.segments.iter().map(|placed| Segment {
            header: placed.header,
            offset: placed.offset,
            bytes,
            sums: bytemuck::cast_slice(&bytes[placed.sums.clone()]),
            sections: placed.sections.clone(),
        })
    }
}

impl SegmentLayout {
    /// Checks the head of the segment at `offset` of a file of which `end` bytes count.
    fn check(bytes: &[u8], offset: u64, end: u64) -> Result<SegmentLayout, IndexError> {
        const HEADER: u64 = size_of::<SegmentHeader>() as u64;
        const LENGTHS: u64 = SECTIONS as u64 * 8;
        // Longer than any file, and small enough that sums do not overflow.
        const LONGEST: u64 = 1 << 56;
        let part = "segment header";
        let inconsistent = |what| IndexError::Inconsistent { part, offset, what };
        let take = |from: u64, length: u64| match from.saturating_add(length).checked_sub(bytes.len() as u64) {
            None | Some(0) => Ok(&bytes[from as usize..(from + length) as usize]),
            Some(missing) => Err(IndexError::Truncated { part, offset, missing }),
        };
        let header: SegmentHeader = bytemuck::pod_read_unaligned(take(offset, HEADER)?);
        let corrupt = IndexError::Corrupt { part, offset };
        let too_long = header.length > LONGEST || offset.saturating_add(header.length) > end;
        if usize::from(header.sections) != SECTIONS || too_long {
            return Err(corrupt);
        }
        let lengths: [u64; SECTIONS] = bytemuck::pod_read_unaligned(take(offset + HEADER, LENGTHS)?);
        if lengths.iter().any(|&length| length > header.length) {
            return Err(corrupt);
        }
        let sums = lengths.iter().map(|length| length.div_ceil(CHECKSUM_CHUNK as u64)).sum::<u64>() * 8;
        let head = take(offset + HEADER, LENGTHS.saturating_add(sums))?;
        if header.checksum_with(head) != header.checksum {
            return Err(corrupt);
        }
        // The checksum fits from here on, but the numbers must also fit together.
        let mut at = offset + HEADER + LENGTHS + sums;
        let sums = (offset + HEADER + LENGTHS) as usize..at as usize;
        let mut sections: [Range<usize>; SECTIONS] = Default::default();
        for (section, &length) in sections.iter_mut().zip(&lengths) {
            *section = at as usize..(at + length) as usize;
            at += length.next_multiple_of(8);
        }
        if at != offset + header.length {
            return Err(inconsistent("its sections do not fill it"));
        }
        if at > bytes.len() as u64 {
            let cut = sections.iter().position(|section| section.end > bytes.len()).unwrap_or(SECTIONS - 1);
            let (part, offset) = (IndexSection::ALL[cut].1, sections[cut].start as u64);
            return Err(IndexError::Truncated { part, offset, missing: at - bytes.len() as u64 });
        }
        let paddings = sections.iter().map(|section| section.end..section.end.next_multiple_of(8));
        for padding in paddings {
            if bytes[padding.clone()].iter().any(|&byte| byte != 0) {
                return Err(IndexError::Corrupt { part: "padding", offset: padding.start as u64 });
            }
        }
        let shape = header.shape();
        let [hashes, summaries, next, _, buckets, pairs] = lengths;
        if header.zero != [0; 5]
            || !shape.is_valid()
            || buckets != (shape.buckets() as u64 + 1) * 4
            || !pairs.is_multiple_of(u64::from(shape.bytes))
            || !hashes.is_multiple_of(8)
            || summaries != hashes / 8 * size_of::<PositionSummary>() as u64
            || !next.is_multiple_of(size_of::<NextMoveEntry>() as u64)
        {
            return Err(inconsistent("the lengths of its sections do not fit together"));
        }
        Ok(SegmentLayout { header, offset: offset as usize, sums, sections })
    }
}

/// A segment as slices of the file.
#[derive(Clone, Debug)]
pub(super) struct Segment<'a> {
    pub header: SegmentHeader,
    offset: usize,
    /// The whole file.
    bytes: &'a [u8],
    /// The checksum of each chunk of each section.
    sums: &'a [u64],
    sections: [Range<usize>; SECTIONS],
}

impl<'a> Segment<'a> {
    /// The segment's bytes.
    pub(crate) fn all_bytes(&self) -> &'a [u8] {
        &self.bytes[self.offset..self.offset + self.header.length as usize]
    }

    /// Checks every byte, and what a look-up takes for granted.
    pub fn check(&self) -> Result<(), IndexError> {
        for (section, _) in IndexSection::ALL {
            self.checked_bytes(section, 0..self.sections[section as usize].len())?;
        }
        let hashes = self.entries::<u64>(IndexSection::Hashes, 0, self.frequent_positions())?;
        if !hashes.is_sorted_by(|one, other| one < other) {
            return Err(self.inconsistent(IndexSection::Hashes, "they are not in ascending order"));
        }
        Ok(())
    }

    /// Bytes of a section, once the chunks around them have been checked.
    fn checked_bytes(&self, section: IndexSection, range: Range<usize>) -> Result<&'a [u8], IndexError> {
        let section_range = &self.sections[section as usize];
        let whole = &self.bytes[section_range.clone()];
        let Some(requested) = whole.get(range.clone()) else {
            return Err(self.inconsistent(section, "an entry lies outside"));
        };
        let before: usize =
            self.sections[..section as usize].iter().map(|section| section.len().div_ceil(CHECKSUM_CHUNK)).sum();
        let chunks = range.start / CHECKSUM_CHUNK..range.end.div_ceil(CHECKSUM_CHUNK);
        for chunk in chunks.filter(|_| !range.is_empty()) {
            let from = chunk * CHECKSUM_CHUNK;
            if xxh3_64(&whole[from..whole.len().min(from + CHECKSUM_CHUNK)]) != self.sums[before + chunk] {
                return Err(IndexError::Corrupt { part: section.name(), offset: (section_range.start + from) as u64 });
            }
        }
        Ok(requested)
    }

    /// Entries of a section, from number `from` on.
    fn entries<T: Pod>(&self, section: IndexSection, from: usize, count: usize) -> Result<&'a [T], IndexError> {
        let range = from.saturating_mul(size_of::<T>())..from.saturating_add(count).saturating_mul(size_of::<T>());
        bytemuck::try_cast_slice(self.checked_bytes(section, range)?)
            .map_err(|_| self.inconsistent(section, "its entries are not aligned"))
    }

    /// How many positions have a summary.
    pub fn frequent_positions(&self) -> usize {
        self.sections[IndexSection::Hashes as usize].len() / size_of::<u64>()
    }

    /// The number of the frequent position with this hash, if there is one.
    ///
    /// Cost: as many chunks of hashes are read as a binary search has steps.
    pub fn find(&self, hash: u64) -> Result<Option<usize>, IndexError> {
        let (mut from, mut to) = (0, self.frequent_positions());
        while from < to {
            let middle = from.midpoint(to);
            let found = self.entries::<u64>(IndexSection::Hashes, middle, 1)?[0];
            match found.cmp(&hash) {
                Ordering::Equal => return Ok(Some(middle)),
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
            }
        }
        Ok(None)
    }

    /// The summary of the frequent position with this number.
    pub fn summary(&self, number: usize) -> Result<&'a PositionSummary, IndexError> {
        Ok(&self.entries(IndexSection::Summaries, number, 1)?[0])
    }

    /// The next moves of a frequent position.
    pub fn next(&self, summary: &PositionSummary) -> Result<&'a [NextMoveEntry], IndexError> {
        self.entries(IndexSection::Next, summary.first_next as usize, summary.next_count as usize)
    }

    /// The list of games of a frequent position.
    pub fn list(&self, summary: &PositionSummary) -> Result<&'a [u8], IndexError> {
        let from = summary.list_start as usize;
        self.checked_bytes(IndexSection::Lists, from..from.saturating_add(summary.list_bytes as usize))
    }

    /// Pairs of a bucket.
    pub(crate) fn bucket(&self, bucket: usize) -> Result<&'a [u8], IndexError> {
        let &[from, to] = self.entries::<u32>(IndexSection::Buckets, bucket, 2)? else {
            return Err(self.inconsistent(IndexSection::Buckets, "one is missing"));
        };
        if from > to {
            return Err(self.inconsistent(IndexSection::Buckets, "they are not in ascending order"));
        }
        let bytes = self.header.shape().bytes as usize;
        self.checked_bytes(
            IndexSection::Pairs,
            (from as usize).saturating_mul(bytes)..(to as usize).saturating_mul(bytes),
        )
    }

    pub fn inconsistent(&self, section: IndexSection, what: &'static str) -> IndexError {
        let offset = self.sections[section as usize].start as u64;
        IndexError::Inconsistent { part: section.name(), offset, what }
    }
}
