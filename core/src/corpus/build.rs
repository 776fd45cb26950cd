//! Packing games into a shard.

use alloc::vec::Vec;

use thiserror::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::columns::column_bytes;
use super::courses::CoursesBuilder;
use super::layout::{Entry, MAGIC, Section, ShardHeader, VERSION};
use super::record::{Facts, OWN_START, Record};
use super::shard::{Shard, StartEntry};
use super::sources::SourcesBuilder;
use super::strings::Names;
use super::text::TextBuilder;
use crate::board::start::Start;
use crate::moves::Move;

/// A game or shard beyond what the format can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum TooLarge {
    /// More plies than a record can say.
    #[error("a game has at most 65535 plies")]
    Plies,
    /// More text, moves or games than offsets of 32 bits reach.
    #[error("a shard has at most 4 GiB of text")]
    Shard,
}

/// A shard being filled; memory is that of the finished shard, about 5 bytes a ply with text.
#[derive(Default)]
pub struct ShardBuilder {
    records: Vec<Record>,
    moves: Vec<Move>,
    starts: Vec<StartEntry>,
    players: Names,
    events: Names,
    sites: Names,
    courses: CoursesBuilder,
    sources: SourcesBuilder,
    text: TextBuilder,
}

impl ShardBuilder {
    /// An empty shard.
    pub fn new() -> ShardBuilder {
        ShardBuilder::default()
    }

    /// Games so far.
    pub fn games(&self) -> u32 {
        self.records.len() as u32
    }

    /// Plies so far.
    pub fn plies(&self) -> u64 {
        self.moves.len() as u64
    }

    /// The games to come are of the file called `name`, without its folder. Games before the first call are then of a file without a
    /// name.
    pub fn begin_source(&mut self, name: &str) {
        self.sources.begin(self.games(), name);
    }

    /// Adds a game: its facts, its start unless that is the usual array, its moves, and its text as it was read.
    ///
    /// # Errors
    ///
    /// A game too large for the format; the shard is as before.
    pub fn push(
        &mut self,
        facts: &Facts<'_>,
        start: Option<&Start>,
        moves: &[Move],
        text: &[u8],
    ) -> Result<(), TooLarge> {
        let plies = u16::try_from(moves.len()).map_err(|_| TooLarge::Plies)?;
        let room = u32::MAX as usize;
        if self.text.raw_length() + text.len() > room || self.moves.len() + moves.len() > room {
            return Err(TooLarge::Shard);
        }
        let names = [
            self.players.index_of(&facts.white),
            self.players.index_of(&facts.black),
            self.events.index_of(&facts.event),
            self.sites.index_of(&facts.site),
        ];
        let mut flags = 0;
        if let Some(start) = start {
            flags |= OWN_START;
            self.starts.push(StartEntry::new(self.games(), *start));
        }
        self.records.push(facts.record(names, self.moves.len() as u32, plies, flags));
        self.moves.extend_from_slice(moves);
        self.courses.push(start, moves);
        self.text.push(text);
        Ok(())
    }

    /// Adds a game of another shard, by its index there: what the shard says of it, its file and its moves, and its text, which the
    /// caller has.
    ///
    /// # Errors
    ///
    /// A game too large for the format; the shard is as before.
    pub fn copy(&mut self, from: &Shard<'_>, game: u32, text: &[u8]) -> Result<(), TooLarge> {
        let Some(record) = from.records.get(game as usize) else { return Ok(()) };
        match from.sources.of(game) {
            Some(name) => self.begin_source(name),
            None if self.sources.is_empty() => {}
            None => self.begin_source(""),
        }
        let start = from.starts.binary_search_by_key(&game, |entry| entry.game).ok();
        let start = start.map(|at| &from.starts[at].start);
        self.push(&Facts::of(record, from), start, from.moves_of(record), text)
    }

    /// The bytes of the shard; none if it has no games.
    pub fn finish(mut self) -> Vec<u8> {
        self.take()
    }

    /// The bytes of the shard, as [`finish`](Self::finish) gives them; the builder is then empty and keeps its memory for
    /// the next shard.
    ///
    /// PERF: a tenth of an import went into pages of memory that were new to the process with every shard.
    pub fn take(&mut self) -> Vec<u8> {
        if self.records.is_empty() {
            return Vec::new();
        }
        self.text.close_block();
        self.text.starts.push(self.text.raw_length() as u32);
        let [players, events, sites] = [&self.players, &self.events, &self.sites].map(Names::to_bytes);
        let sections: [(Section, &[u8]); 8] = [
            (Section::Records, bytemuck::cast_slice(&self.records)),
            (Section::Moves, bytemuck::cast_slice(&self.moves)),
            (Section::Starts, bytemuck::cast_slice(&self.starts)),
            (Section::Players, &players),
            (Section::Events, &events),
            (Section::Sites, &sites),
            (Section::TextIndex, bytemuck::cast_slice(&self.text.starts)),
            (Section::TextBlocks, bytemuck::cast_slice(&self.text.blocks)),
        ];
        let sources = (!self.sources.is_empty()).then(|| self.sources.to_bytes());
        let sources = sources.as_deref().map(|sources| (Section::Sources, sources));
        let columns = column_bytes(&self.records);
        let pieces = sections.into_iter().chain(self.courses.finish()).chain(sources);
        let pieces = pieces.chain([(Section::Columns, &columns[..])]);
        let pieces: Vec<Piece<'_>> = pieces.map(Piece::from).collect();
        let text = (self.text.packed.len() as u64, xxh3_64(&self.text.packed));
        let mut shard = scan_part(&pieces, text, self.records.len() as u32, self.moves.len() as u64);
        shard.extend_from_slice(&self.text.packed);
        shard.resize(shard.len().next_multiple_of(8), 0);
        self.records.clear();
        self.moves.clear();
        self.starts.clear();
        self.players.clear();
        self.events.clear();
        self.sites.clear();
        self.courses.clear();
        self.sources.clear();
        self.text.clear();
        shard
    }
}

/// A section to be written.
pub(super) struct Piece<'a> {
    pub kind: u32,
    pub flags: u32,
    pub bytes: &'a [u8],
}

impl<'a> From<(Section, &'a [u8])> for Piece<'a> {
    fn from((section, bytes): (Section, &'a [u8])) -> Piece<'a> {
        Piece { kind: section as u32, flags: section.flags(), bytes }
    }
}

/// Header, directory and sections, each at the next multiple of eight, up to where the text begins: of that its length and
/// checksum are given. There is room for the text to follow.
pub(super) fn scan_part(pieces: &[Piece<'_>], text: (u64, u64), games: u32, plies: u64) -> Vec<u8> {
    let sections = pieces.len() as u32 + 1;
    let mut end = 64 + u64::from(sections) * 32;
    let mut directory = Vec::new();
    for &Piece { kind, flags, bytes } in pieces {
        let (offset, length) = (end.next_multiple_of(8), bytes.len() as u64);
        directory.push(Entry { kind, flags, offset, length, checksum: xxh3_64(bytes) });
        end = offset + length;
    }
    let scan_length = end.next_multiple_of(8);
    let (length, checksum) = text;
    directory.push(Entry { kind: Section::Text as u32, flags: 0, offset: scan_length, length, checksum });
    let mut header = ShardHeader {
        magic: MAGIC,
        version: VERSION,
        sections,
        length: (scan_length + length).next_multiple_of(8),
        scan_length,
        games,
        zero: 0,
        plies,
        zero2: 0,
        checksum: 0,
    };
    let mut checksum = Xxh3::new();
    checksum.update(&bytemuck::bytes_of(&header)[..56]);
    checksum.update(bytemuck::cast_slice(&directory));
    header.checksum = checksum.digest();

    let mut out = Vec::with_capacity(header.length as usize);
    out.extend_from_slice(bytemuck::bytes_of(&header));
    out.extend_from_slice(bytemuck::cast_slice(&directory));
    for (entry, piece) in directory.iter().zip(pieces) {
        out.resize(entry.offset as usize, 0);
        out.extend_from_slice(piece.bytes);
    }
    out.resize(scan_length as usize, 0);
    out
}
