//! The frame of a shard: its header, its directory of sections, and the checks that every byte passes before it is used.
//!
//! FORMAT.md describes the bytes. The layout of a shard is found once ([`ShardLayout::check`]) and then turned into slices as
//! often as wanted ([`ShardLayout::shard`]), so that an owner of the bytes need not borrow from itself.

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
    pub(super) reserved: u32,
    /// Plies in the shard.
    pub plies: u64,
    pub(super) reserved2: u64,
    /// Of the 56 bytes before it and the directory after it.
    pub(super) checksum: u64,
}

/// A line of the directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ShardDirectoryEntry {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub length: u64,
    pub checksum: u64,
}

/// The most sections that a shard can have.
pub(super) const MAX_SECTIONS: u32 = 64;

/// Flag of a section that a reader may leave out if it does not know it.
pub(super) const OPTIONAL: u32 = 1;

/// The sections of a shard; their numbers are those of the directory, and their order that of the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub(super) enum ShardSection {
    Records = 1,
    Moves = 2,
    Starts = 3,
    Players = 4,
    Events = 5,
    Sites = 6,
    TextIndex = 7,
    TextBlocks = 8,
    Signatures = 9,
    EventStreamIndex = 10,
    MaterialEvents = 11,
    PawnEvents = 12,
    HomePawns = 13,
    Sources = 14,
    Columns = 15,
    Text = 16,
}

impl ShardSection {
    pub const ALL: [ShardSection; ShardSection::COUNT] = [
        ShardSection::Records,
        ShardSection::Moves,
        ShardSection::Starts,
        ShardSection::Players,
        ShardSection::Events,
        ShardSection::Sites,
        ShardSection::TextIndex,
        ShardSection::TextBlocks,
        ShardSection::Signatures,
        ShardSection::EventStreamIndex,
        ShardSection::MaterialEvents,
        ShardSection::PawnEvents,
        ShardSection::HomePawns,
        ShardSection::Sources,
        ShardSection::Columns,
        ShardSection::Text,
    ];
    /// How many there are.
    pub const COUNT: usize = 16;
    /// Those by which games are passed over, which older shards do not have: all of them are there or none.
    pub const EVENT_STREAM_SECTIONS: [ShardSection; 5] = [
        ShardSection::Signatures,
        ShardSection::EventStreamIndex,
        ShardSection::MaterialEvents,
        ShardSection::PawnEvents,
        ShardSection::HomePawns,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            ShardSection::Records => "header records",
            ShardSection::Moves => "moves",
            ShardSection::Starts => "start positions",
            ShardSection::Players => "player names",
            ShardSection::Events => "event names",
            ShardSection::Sites => "site names",
            ShardSection::TextIndex => "text index",
            ShardSection::TextBlocks => "text blocks",
            ShardSection::Signatures => "final signatures",
            ShardSection::EventStreamIndex => "course index",
            ShardSection::MaterialEvents => "events of pieces",
            ShardSection::PawnEvents => "events of pawns",
            ShardSection::HomePawns => "milestones",
            ShardSection::Sources => "source files",
            ShardSection::Columns => "header columns",
            ShardSection::Text => "text",
        }
    }

    /// The flags of its line in the directory.
    pub fn flags(self) -> u32 {
        let later = matches!(self, ShardSection::Sources | ShardSection::Columns)
            || ShardSection::EVENT_STREAM_SECTIONS.contains(&self);
        if later { OPTIONAL } else { 0 }
    }

    const fn slot(self) -> usize {
        match self {
            ShardSection::Text => ShardSection::COUNT - 1,
            other => other as usize - 1,
        }
    }
}

/// Where the sections of one shard lie, once every check has passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardLayout {
    /// The header as read.
    pub header: ShardHeader,
    ranges: [Range<usize>; ShardSection::COUNT],
    text_checksum: u64,
    has_event_streams: bool,
    has_source_files: bool,
    has_header_columns: bool,
}

impl ShardLayout {
    /// Reads the first 64 bytes of a shard: enough to know how long it is. The checksum is not yet checked.
    ///
    /// # Errors
    ///
    /// Too few bytes, another magic, a newer version, impossible lengths.
    pub fn read_header(bytes: &[u8]) -> Result<ShardHeader, CorpusError> {
        let Some(head) = bytes.get(..size_of::<ShardHeader>()) else {
            let missing = (size_of::<ShardHeader>() - bytes.len()) as u64;
            return Err(CorpusError::Truncated { section: "shard header", offset: 0, missing });
        };
        let header: ShardHeader = bytemuck::pod_read_unaligned(head);
        if header.magic != MAGIC {
            return Err(inconsistent("shard header", 0, "a shard should begin here"));
        }
        if header.version > VERSION {
            return Err(CorpusError::UnsupportedVersion { part: "a shard", found: header.version, known: VERSION });
        }
        if header.scan_length > header.length
            || !header.length.is_multiple_of(8)
            || !header.scan_length.is_multiple_of(8)
            || header.sections > MAX_SECTIONS
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
    pub fn check(bytes: &[u8]) -> Result<ShardLayout, CorpusError> {
        let header = ShardLayout::read_header(bytes)?;
        let scan_length = usize::try_from(header.scan_length).unwrap_or(usize::MAX);
        let Some(scan) = bytes.get(..scan_length) else {
            return Err(Self::truncated(bytes, &header));
        };
        let directory_end = 64 + header.sections as usize * 32;
        let mut checksum = Xxh3::new();
        checksum.update(&scan[..56]);
        checksum.update(&scan[64..directory_end]);
        if checksum.digest() != header.checksum {
            return Err(CorpusError::Corrupt { section: "shard header", offset: 0 });
        }
        if header.reserved != 0 || header.reserved2 != 0 {
            return Err(inconsistent("shard header", 0, "reserved bytes are not zero"));
        }
        let mut layout = ShardLayout {
            header,
            ranges: Default::default(),
            text_checksum: 0,
            has_event_streams: false,
            has_source_files: false,
            has_header_columns: false,
        };
        let mut found = [false; ShardSection::COUNT];
        let mut end = directory_end as u64;
        for entry in Self::directory(scan, &header) {
            let section = ShardSection::ALL.into_iter().find(|&section| section as u32 == entry.kind);
            let name = section.map_or("unknown section", ShardSection::name);
            let padded = end.next_multiple_of(8);
            let last = entry.offset.saturating_add(entry.length);
            let limit = if section == Some(ShardSection::Text) { header.length } else { header.scan_length };
            if entry.offset != padded
                || last > limit
                || (section == Some(ShardSection::Text))
                    != (padded == header.scan_length && entry.kind == ShardSection::Text as u32)
            {
                return Err(inconsistent(name, entry.offset, "it does not begin where the section before it ends"));
            }
            if scan[end as usize..padded as usize].iter().any(|&byte| byte != 0) {
                return Err(CorpusError::Corrupt { section: name, offset: end });
            }
            end = last;
            if section == Some(ShardSection::Text) {
                layout.text_checksum = entry.checksum;
            } else if xxh3_64(&scan[entry.offset as usize..last as usize]) != entry.checksum {
                return Err(CorpusError::Corrupt { section: name, offset: entry.offset });
            }
            match section {
                Some(section) if !core::mem::replace(&mut found[section.slot()], true) => {
                    layout.ranges[section.slot()] = entry.offset as usize..last as usize;
                }
                Some(_) => return Err(inconsistent(name, entry.offset, "it appears twice")),
                None if entry.flags & OPTIONAL != 0 => {}
                None => {
                    return Err(CorpusError::UnsupportedVersion {
                        part: "a section",
                        found: entry.kind,
                        known: VERSION,
                    });
                }
            }
        }
        layout.has_event_streams = ShardSection::EVENT_STREAM_SECTIONS.into_iter().any(|section| found[section.slot()]);
        layout.has_source_files = found[ShardSection::Sources.slot()];
        layout.has_header_columns = found[ShardSection::Columns.slot()];
        let is_required = |section: &ShardSection| match section {
            ShardSection::Sources => layout.has_source_files,
            ShardSection::Columns => layout.has_header_columns,
            section => layout.has_event_streams || !ShardSection::EVENT_STREAM_SECTIONS.contains(section),
        };
        if let Some(missing) = ShardSection::ALL.into_iter().filter(is_required).find(|section| !found[section.slot()])
        {
            return Err(inconsistent(missing.name(), 64, "it is missing from the directory"));
        }
        if end.next_multiple_of(8) != header.length {
            return Err(inconsistent("text", end, "the shard does not end with its last section"));
        }
        layout.shard(bytes).check_consistency(&layout)?;
        Ok(layout)
    }

    /// Checks the text section too. `bytes` is the whole shard.
    ///
    /// # Errors
    ///
    /// Truncated or corrupt text.
    pub fn check_text(&self, bytes: &[u8]) -> Result<(), CorpusError> {
        let range = self.range(ShardSection::Text);
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
    pub fn has_event_streams(&self) -> bool {
        self.has_event_streams
    }

    /// Whether it is known which files the games came from.
    pub(super) fn has_sources(&self) -> bool {
        self.has_source_files
    }

    /// Whether there are the header records by column.
    pub(super) fn has_columns(&self) -> bool {
        self.has_header_columns
    }

    /// Whether there is all that an [upgrade](super::upgrade) adds.
    pub fn is_current(&self) -> bool {
        self.has_event_streams && self.has_header_columns
    }

    /// The lines of the directory of a shard that begins with `bytes`, whose header has been read.
    pub(super) fn directory(bytes: &[u8], header: &ShardHeader) -> impl Iterator<Item = ShardDirectoryEntry> {
        bytes[64..64 + header.sections as usize * 32].chunks_exact(32).map(bytemuck::pod_read_unaligned)
    }

    pub(super) fn range(&self, section: ShardSection) -> Range<usize> {
        self.ranges[section.slot()].clone()
    }

    /// Which section of a shard that is too short is the first one cut.
    fn truncated(bytes: &[u8], header: &ShardHeader) -> CorpusError {
        let missing = header.scan_length - bytes.len() as u64;
        let directory: Vec<ShardDirectoryEntry> = bytes
            .get(64..64 + header.sections as usize * 32)
            .map(|directory| directory.chunks_exact(32).map(bytemuck::pod_read_unaligned).collect())
            .unwrap_or_default();
        let entry = directory.iter().find(|entry| entry.offset.saturating_add(entry.length) > bytes.len() as u64);
        let section = entry
            .and_then(|entry| ShardSection::ALL.into_iter().find(|&section| section as u32 == entry.kind))
            .map_or("shard directory", ShardSection::name);
        CorpusError::Truncated { section, offset: entry.map_or(64, |entry| entry.offset), missing }
    }
}

pub(super) fn inconsistent(section: &'static str, offset: u64, what: &'static str) -> CorpusError {
    CorpusError::Inconsistent { section, offset, what }
}
