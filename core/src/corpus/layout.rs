//! The frame of a shard: its header, its directory of sections, and the checks that every byte passes before it is used.
//!
//! FORMAT.md describes the bytes. The layout of a shard is found once ([`Layout::check`]) and then turned into slices as
//! often as wanted ([`Layout::shard`]), so that an owner of the bytes need not borrow from itself.

use alloc::vec::Vec;
use core::ops::Range;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::error::CorpusError;
use super::shard::Shard;

#[cfg(target_endian = "big")]
compile_error!("a corpus is little-endian and read where it lies: big-endian machines are not supported");

/// The version of shards that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;
/// First bytes of a shard.
pub const MAGIC: [u8; 8] = *b"plyshard";

/// The first 64 bytes of a shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ShardHeader {
    pub(super) magic: [u8; 8],
    pub(super) version: u32,
    pub(super) sections: u32,
    /// Bytes of the whole shard.
    pub length: u64,
    /// Bytes up to the text: all that a scan reads.
    pub scan_length: u64,
    /// Games in the shard.
    pub games: u32,
    pub(super) zero: u32,
    /// Plies in the shard.
    pub plies: u64,
    pub(super) zero2: u64,
    /// Of the 56 bytes before it and the directory after it.
    pub(super) checksum: u64,
}

/// A line of the directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Entry {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub length: u64,
    pub checksum: u64,
}

/// The most sections that a shard can have.
pub(super) const MOST_SECTIONS: u32 = 64;

/// Flag of a section that a reader may leave out if it does not know it.
pub(super) const OPTIONAL: u32 = 1;

/// The sections of a shard; their numbers are those of the directory, and their order that of the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub(super) enum Section {
    Records = 1,
    Moves = 2,
    Starts = 3,
    Players = 4,
    Events = 5,
    Sites = 6,
    TextIndex = 7,
    TextBlocks = 8,
    Signatures = 9,
    CourseIndex = 10,
    MenEvents = 11,
    PawnEvents = 12,
    Milestones = 13,
    Sources = 14,
    Columns = 15,
    Text = 16,
}

impl Section {
    pub const ALL: [Section; Section::COUNT] = [
        Section::Records,
        Section::Moves,
        Section::Starts,
        Section::Players,
        Section::Events,
        Section::Sites,
        Section::TextIndex,
        Section::TextBlocks,
        Section::Signatures,
        Section::CourseIndex,
        Section::MenEvents,
        Section::PawnEvents,
        Section::Milestones,
        Section::Sources,
        Section::Columns,
        Section::Text,
    ];
    /// How many there are.
    pub const COUNT: usize = 16;
    /// Those by which games are passed over, which older shards do not have: all of them are there or none.
    pub const COURSES: [Section; 5] =
        [Section::Signatures, Section::CourseIndex, Section::MenEvents, Section::PawnEvents, Section::Milestones];

    pub const fn name(self) -> &'static str {
        match self {
            Section::Records => "header records",
            Section::Moves => "moves",
            Section::Starts => "start positions",
            Section::Players => "player names",
            Section::Events => "event names",
            Section::Sites => "site names",
            Section::TextIndex => "text index",
            Section::TextBlocks => "text blocks",
            Section::Signatures => "final signatures",
            Section::CourseIndex => "course index",
            Section::MenEvents => "events of men",
            Section::PawnEvents => "events of pawns",
            Section::Milestones => "milestones",
            Section::Sources => "source files",
            Section::Columns => "header columns",
            Section::Text => "text",
        }
    }

    /// The flags of its line in the directory.
    pub fn flags(self) -> u32 {
        let later = matches!(self, Section::Sources | Section::Columns) || Section::COURSES.contains(&self);
        if later { OPTIONAL } else { 0 }
    }

    const fn slot(self) -> usize {
        match self {
            Section::Text => Section::COUNT - 1,
            other => other as usize - 1,
        }
    }
}

/// Where the sections of one shard lie, once every check has passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The header as read.
    pub header: ShardHeader,
    ranges: [Range<usize>; Section::COUNT],
    text_checksum: u64,
    courses: bool,
    sources: bool,
    columns: bool,
}

impl Layout {
    /// Reads the first 64 bytes of a shard: enough to know how long it is. The checksum is not yet checked.
    ///
    /// # Errors
    ///
    /// Too few bytes, another magic, a newer version, impossible lengths.
    pub fn header(bytes: &[u8]) -> Result<ShardHeader, CorpusError> {
        let Some(head) = bytes.get(..size_of::<ShardHeader>()) else {
            let missing = (size_of::<ShardHeader>() - bytes.len()) as u64;
            return Err(CorpusError::Truncated { section: "shard header", offset: 0, missing });
        };
        let header: ShardHeader = bytemuck::pod_read_unaligned(head);
        if header.magic != MAGIC {
            return Err(wrong("shard header", 0, "a shard should begin here"));
        }
        if header.version > VERSION {
            return Err(CorpusError::Newer { part: "a shard", found: header.version, known: VERSION });
        }
        if header.scan_length > header.length
            || !header.length.is_multiple_of(8)
            || !header.scan_length.is_multiple_of(8)
            || header.sections > MOST_SECTIONS
            || header.scan_length < 64 + u64::from(header.sections) * 32
        {
            return Err(CorpusError::Corrupt { section: "shard header", offset: 0 });
        }
        Ok(header)
    }

    /// Checks the scan part of a shard: header, directory, the checksum of every section but the text, and that all
    /// indices point inside. `bytes` holds at least the scan part, 8-byte aligned; more may follow.
    ///
    /// Cost: one pass over the bytes.
    ///
    /// # Errors
    ///
    /// Whatever is wrong, with section and offset; see [`CorpusError`].
    pub fn check(bytes: &[u8]) -> Result<Layout, CorpusError> {
        let header = Layout::header(bytes)?;
        let scan_length = usize::try_from(header.scan_length).unwrap_or(usize::MAX);
        let Some(scan) = bytes.get(..scan_length) else {
            return Err(Self::cut(bytes, &header));
        };
        let directory_end = 64 + header.sections as usize * 32;
        let mut checksum = Xxh3::new();
        checksum.update(&scan[..56]);
        checksum.update(&scan[64..directory_end]);
        if checksum.digest() != header.checksum {
            return Err(CorpusError::Corrupt { section: "shard header", offset: 0 });
        }
        if header.zero != 0 || header.zero2 != 0 {
            return Err(wrong("shard header", 0, "reserved bytes are not zero"));
        }
        let mut layout = Layout {
            header,
            ranges: Default::default(),
            text_checksum: 0,
            courses: false,
            sources: false,
            columns: false,
        };
        let mut found = [false; Section::COUNT];
        let mut end = directory_end as u64;
        for entry in Self::directory(scan, &header) {
            let section = Section::ALL.into_iter().find(|&section| section as u32 == entry.kind);
            let name = section.map_or("unknown section", Section::name);
            let padded = end.next_multiple_of(8);
            let last = entry.offset.saturating_add(entry.length);
            let limit = if section == Some(Section::Text) { header.length } else { header.scan_length };
            if entry.offset != padded
                || last > limit
                || (section == Some(Section::Text))
                    != (padded == header.scan_length && entry.kind == Section::Text as u32)
            {
                return Err(wrong(name, entry.offset, "it does not lie where the section before it ends"));
            }
            if scan[end as usize..padded as usize].iter().any(|&byte| byte != 0) {
                return Err(CorpusError::Corrupt { section: name, offset: end });
            }
            end = last;
            if section == Some(Section::Text) {
                layout.text_checksum = entry.checksum;
            } else if xxh3_64(&scan[entry.offset as usize..last as usize]) != entry.checksum {
                return Err(CorpusError::Corrupt { section: name, offset: entry.offset });
            }
            match section {
                Some(section) if !core::mem::replace(&mut found[section.slot()], true) => {
                    layout.ranges[section.slot()] = entry.offset as usize..last as usize;
                }
                Some(_) => return Err(wrong(name, entry.offset, "it appears twice")),
                None if entry.flags & OPTIONAL != 0 => {}
                None => return Err(CorpusError::Newer { part: "a section", found: entry.kind, known: VERSION }),
            }
        }
        layout.courses = Section::COURSES.into_iter().any(|section| found[section.slot()]);
        layout.sources = found[Section::Sources.slot()];
        layout.columns = found[Section::Columns.slot()];
        let wanted = |section: &Section| match section {
            Section::Sources => layout.sources,
            Section::Columns => layout.columns,
            section => layout.courses || !Section::COURSES.contains(section),
        };
        if let Some(missing) = Section::ALL.into_iter().filter(wanted).find(|section| !found[section.slot()]) {
            return Err(wrong(missing.name(), 64, "it is missing from the directory"));
        }
        if end.next_multiple_of(8) != header.length {
            return Err(wrong("text", end, "the shard does not end where its last section does"));
        }
        layout.shard(bytes).consistent(&layout)?;
        Ok(layout)
    }

    /// Checks the text section too. `bytes` is the whole shard.
    ///
    /// # Errors
    ///
    /// Truncated or corrupt text.
    pub fn check_text(&self, bytes: &[u8]) -> Result<(), CorpusError> {
        let range = self.range(Section::Text);
        let offset = range.start as u64;
        let end = self.header.length as usize;
        let Some(text) = bytes.get(range.start..end) else {
            return Err(CorpusError::Truncated { section: "text", offset, missing: (end - bytes.len()) as u64 });
        };
        let (text, padding) = text.split_at(range.len());
        if xxh3_64(text) != self.text_checksum || padding.iter().any(|&byte| byte != 0) {
            return Err(CorpusError::Corrupt { section: "text", offset });
        }
        Ok(())
    }

    /// The slices of a shard of this layout.
    ///
    /// # Panics
    ///
    /// If `bytes` are not those (or a copy of those) that were checked, or not 8-byte aligned.
    pub fn shard<'a>(&self, bytes: &'a [u8]) -> Shard<'a> {
        Shard::new(self, bytes)
    }

    /// Whether there are signatures and courses; a shard of an older version has none.
    pub fn has_courses(&self) -> bool {
        self.courses
    }

    /// Whether it is known which files the games came from.
    pub(super) fn has_sources(&self) -> bool {
        self.sources
    }

    /// Whether there are the header records by column.
    pub(super) fn has_columns(&self) -> bool {
        self.columns
    }

    /// Whether there is all that an [upgrade](super::upgrade) adds.
    pub fn is_current(&self) -> bool {
        self.courses && self.columns
    }

    /// The lines of the directory of a shard that begins with `bytes`, whose header has been read.
    pub(super) fn directory(bytes: &[u8], header: &ShardHeader) -> impl Iterator<Item = Entry> {
        bytes[64..64 + header.sections as usize * 32].chunks_exact(32).map(bytemuck::pod_read_unaligned)
    }

    pub(super) fn range(&self, section: Section) -> Range<usize> {
        self.ranges[section.slot()].clone()
    }

    /// Which section of a shard that is too short is the first one cut.
    fn cut(bytes: &[u8], header: &ShardHeader) -> CorpusError {
        let missing = header.scan_length - bytes.len() as u64;
        let directory: Vec<Entry> = bytes
            .get(64..64 + header.sections as usize * 32)
            .map(|directory| directory.chunks_exact(32).map(bytemuck::pod_read_unaligned).collect())
            .unwrap_or_default();
        let entry = directory.iter().find(|entry| entry.offset.saturating_add(entry.length) > bytes.len() as u64);
        let section = entry
            .and_then(|entry| Section::ALL.into_iter().find(|&section| section as u32 == entry.kind))
            .map_or("shard directory", Section::name);
        CorpusError::Truncated { section, offset: entry.map_or(64, |entry| entry.offset), missing }
    }
}

pub(super) fn wrong(section: &'static str, offset: u64, what: &'static str) -> CorpusError {
    CorpusError::Inconsistent { section, offset, what }
}
