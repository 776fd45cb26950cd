//! The frame of a shard: its header, its directory, and where its sections lie. FORMAT.md describes the bytes.
//!
//! The layout of a shard is found once ([`ShardLayout::check`]) and then turned into slices as often as needed
//! ([`Shard::new`](super::shard::Shard::new)), so that the owner of the bytes need not borrow from itself.

use core::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::error::CorpusError;

#[cfg(target_endian = "big")]
compile_error!("a corpus is little-endian and read where it lies: big-endian machines are not supported");

/// The version of shards that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;
/// First bytes of a shard.
pub(crate) const MAGIC: [u8; 8] = *b"plyshard";

/// The first 64 bytes of a shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct ShardHeader {
    pub(super) magic: [u8; 8],
    pub(super) version: u32,
    pub(super) sections: u32,
    /// Bytes of the whole shard.
    pub length: u64,
    /// Bytes before the text, which are all that a scan reads.
    pub scan_length: u64,
    /// Games in the shard.
    pub games: u32,
    pub(super) reserved: u32,
    /// Plies in the shard.
    pub plies: u64,
    pub(super) reserved2: u64,
    /// The checksum of the 56 bytes before it and of the directory after it.
    pub(super) checksum: u64,
}

/// Bytes of a shard header.
pub(super) const SHARD_HEADER_BYTES: usize = size_of::<ShardHeader>();

impl ShardHeader {
    /// Returns the checksum of the header and the directory, which covers the checksums of all sections: shards with the same
    /// checksum are the same.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// Where the directory ends, from the start of the shard.
    pub(super) fn directory_end(&self) -> usize {
        SHARD_HEADER_BYTES + self.sections as usize * size_of::<ShardDirectoryEntry>()
    }
}

/// An entry of the directory.
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

/// Flag of a section that a reader may skip if it does not know it.
pub(super) const OPTIONAL: u32 = 1;

/// Makes the enum of the sections out of a table of their numbers and names.
macro_rules! shard_sections {
    ($($section:ident = $kind:literal, $name:literal;)+) => {
        /// The sections of a shard, with the numbers of the directory and in the order of the file.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u32)]
        pub(super) enum ShardSection { $($section = $kind),+ }

        impl ShardSection {
            pub const ALL: [ShardSection; ShardSection::COUNT] = [$(ShardSection::$section),+];

            pub const fn name(self) -> &'static str {
                match self { $(ShardSection::$section => $name),+ }
            }
        }
    };
}

shard_sections! {
    Records = 1, "header records";
    Moves = 2, "moves";
    Starts = 3, "start positions";
    Players = 4, "player names";
    Events = 5, "event names";
    Sites = 6, "site names";
    TextIndex = 7, "text index";
    TextBlocks = 8, "text blocks";
    Signatures = 9, "final signatures";
    EventStreamIndex = 10, "course index";
    MaterialEvents = 11, "events of pieces";
    PawnEvents = 12, "events of pawns";
    HomePawns = 13, "milestones";
    Sources = 14, "source files";
    Columns = 15, "header columns";
    AnnotationIndex = 17, "annotation index";
    Annotations = 18, "annotations";
    HeaderTexts = 19, "header texts";
    AnnotationBounds = 20, "annotation bounds";
    Openings = 21, "openings";
    Text = 16, "text";
}

impl ShardSection {
    /// How many there are.
    pub const COUNT: usize = 21;
    /// The sections by which games are rejected early. A shard has all of them, or none if it is older.
    pub(crate) const EVENT_STREAM_SECTIONS: [ShardSection; 5] = [
        ShardSection::Signatures,
        ShardSection::EventStreamIndex,
        ShardSection::MaterialEvents,
        ShardSection::PawnEvents,
        ShardSection::HomePawns,
    ];

    /// The section of a kind in the directory; none if this version does not know it.
    pub fn of_kind(kind: u32) -> Option<ShardSection> {
        ShardSection::ALL.into_iter().find(|&section| section as u32 == kind)
    }

    /// The flags of its entry in the directory.
    pub fn flags(self) -> u32 {
        if self.is_optional() || ShardSection::EVENT_STREAM_SECTIONS.contains(&self) { OPTIONAL } else { 0 }
    }

    /// Returns whether a shard may lack it whatever else it has.
    pub fn is_optional(self) -> bool {
        use ShardSection::{AnnotationBounds, AnnotationIndex, Annotations, Columns, HeaderTexts, Openings, Sources};
        matches!(self, Sources | Columns | AnnotationIndex | Annotations | HeaderTexts | AnnotationBounds | Openings)
    }

    /// Its place in a list of all sections.
    pub const fn slot(self) -> usize {
        match self {
            ShardSection::Text => ShardSection::COUNT - 1,
            other if other as usize > ShardSection::Text as usize => other as usize - 2,
            other => other as usize - 1,
        }
    }
}

/// Where the sections of one shard lie, once every check has passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardLayout {
    /// The header as read.
    pub header: ShardHeader,
    pub(super) ranges: [Range<usize>; ShardSection::COUNT],
    pub(super) present: [bool; ShardSection::COUNT],
    pub(super) text_checksum: u64,
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

    /// Returns whether there are signatures and event streams; a shard of an older version has none.
    pub fn has_event_streams(&self) -> bool {
        ShardSection::EVENT_STREAM_SECTIONS.into_iter().any(|section| self.has(section))
    }

    /// Returns whether the annotations of the texts have been read; a shard of an older version has none.
    pub fn has_annotations(&self) -> bool {
        self.has(ShardSection::AnnotationIndex) || self.has(ShardSection::Annotations)
    }

    /// Returns whether rounds, annotators, time controls and titles have been read; a shard of an older version has none.
    pub fn has_header_texts(&self) -> bool {
        self.has(ShardSection::HeaderTexts)
    }

    /// Returns whether the openings of the games have been found; a shard of an older version has none.
    pub fn has_openings(&self) -> bool {
        self.has(ShardSection::Openings)
    }

    /// Whether there is this section.
    pub(super) fn has(&self, section: ShardSection) -> bool {
        self.present[section.slot()]
    }

    /// Returns whether there is all that an [upgrade](super::upgrade) adds without reading texts.
    pub fn is_current(&self) -> bool {
        self.has_event_streams() && self.has(ShardSection::Columns) && !self.lacks_annotation_bounds()
    }

    /// Whether some game has annotations, and their bounds are not stored.
    pub(super) fn lacks_annotation_bounds(&self) -> bool {
        !self.range(ShardSection::Annotations).is_empty() && !self.has(ShardSection::AnnotationBounds)
    }

    /// The entries of the directory of a shard that begins with `bytes`, whose header has been read.
    pub(super) fn directory(bytes: &[u8], header: &ShardHeader) -> impl Iterator<Item = ShardDirectoryEntry> {
        bytes[SHARD_HEADER_BYTES..header.directory_end()].chunks_exact(32).map(bytemuck::pod_read_unaligned)
    }

    pub(super) fn range(&self, section: ShardSection) -> Range<usize> {
        self.ranges[section.slot()].clone()
    }
}

pub(super) fn inconsistent(section: &'static str, offset: u64, what: &'static str) -> CorpusError {
    CorpusError::Inconsistent { section, offset, what }
}
