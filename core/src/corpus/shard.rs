//! A shard as slices: what a scan and a list of games read, where it lies.

use bytemuck::{Pod, Zeroable};

use super::columns::Columns;
use super::error::CorpusError;
use super::layout::{Layout, Section, wrong};
use super::record::{OWN_START, Record};
use super::sources::Sources;
use super::strings::StringTable;
use super::text::{Block, TextPlace};
use crate::board::start::Start;
use crate::course::{Course, men, milestones, pawns};
use crate::matsig::MatSig;
use crate::moves::Move;

/// A start position and the game in the shard that has it; entries are ordered by game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct StartEntry {
    /// Index of the game in its shard.
    pub game: u32,
    zero: u32,
    /// Its start position.
    pub start: Start,
}

impl StartEntry {
    /// The start of the game with this index.
    pub fn new(game: u32, start: Start) -> StartEntry {
        StartEntry { game, zero: 0, start }
    }
}

/// The most bytes of text that LZ4 can put into one byte.
const LZ4_MOST: u64 = 255;

/// Whether events come one after the other within a game of so many plies.
fn in_time(events: &[u16], gap: impl Fn(u16) -> usize, plies: u16) -> bool {
    // As few as that cannot add up to more than 32 bits.
    events.len() <= usize::from(plies) && {
        let gaps = || events.iter().map(|&event| gap(event) as u32);
        gaps().sum::<u32>() <= u32::from(plies) && gaps().fold(u32::MAX, u32::min) != 0
    }
}

/// What the numbers in the records of a shard are the names of.
#[derive(Clone, Copy, Debug)]
pub struct ShardNames<'a> {
    /// Names of players.
    pub players: StringTable<'a>,
    /// Names of events.
    pub events: StringTable<'a>,
    /// Names of sites.
    pub sites: StringTable<'a>,
    /// The files that the games came from.
    pub sources: Sources<'a>,
}

/// The sections of a shard. Cheap to make and copy.
#[derive(Clone, Copy, Debug)]
pub struct Shard<'a> {
    /// One record a game.
    pub records: &'a [Record],
    /// The moves of all games, one after the other.
    pub moves: &'a [Move],
    /// Starts of those games that do not begin with the usual array.
    pub starts: &'a [StartEntry],
    /// Names of players.
    pub players: StringTable<'a>,
    /// Names of events.
    pub events: StringTable<'a>,
    /// Names of sites.
    pub sites: StringTable<'a>,
    /// The files that the games came from; empty in shards of older versions.
    pub sources: Sources<'a>,
    /// The records by column; none in shards of older versions.
    pub columns: Option<Columns<'a>>,
    /// The signature of each game's last position, one a game. Like the other parts of the courses it is empty in shards of older
    /// versions.
    pub signatures: &'a [MatSig],
    /// Where each game begins in [`men_events`](Self::men_events) and in [`pawn_events`](Self::pawn_events), and the ends: one
    /// more than there are games.
    pub course_index: &'a [[u32; 2]],
    /// Captures and promotions of all games, one game after the other.
    pub men_events: &'a [men::Event],
    /// Changes of the pawns in all games, one game after the other.
    pub pawn_events: &'a [pawns::Event],
    /// The [milestones] of all games, column after column of as many bytes as there are games.
    pub milestones: &'a [u8],
    text_index: &'a [u32],
    text_blocks: &'a [Block],
    text_offset: u64,
}

impl<'a> Shard<'a> {
    pub(super) fn new(layout: &Layout, bytes: &'a [u8]) -> Shard<'a> {
        fn cast<'a, T: Pod>(layout: &Layout, bytes: &'a [u8], section: Section) -> &'a [T] {
            // A section whose length is no multiple of its entries comes out empty, and `consistent` sees it.
            bytemuck::try_cast_slice(&bytes[layout.range(section)]).unwrap_or(&[])
        }
        let names = |section| StringTable::read(&bytes[layout.range(section)]).unwrap_or(StringTable::EMPTY);
        Shard {
            records: cast(layout, bytes, Section::Records),
            moves: cast(layout, bytes, Section::Moves),
            starts: cast(layout, bytes, Section::Starts),
            players: names(Section::Players),
            events: names(Section::Events),
            sites: names(Section::Sites),
            sources: Sources::read(&bytes[layout.range(Section::Sources)]).unwrap_or(Sources::EMPTY),
            columns: layout.has_columns().then(|| Columns::read(&bytes[layout.range(Section::Columns)])).flatten(),
            signatures: cast(layout, bytes, Section::Signatures),
            course_index: cast(layout, bytes, Section::CourseIndex),
            men_events: cast(layout, bytes, Section::MenEvents),
            pawn_events: cast(layout, bytes, Section::PawnEvents),
            milestones: &bytes[layout.range(Section::Milestones)],
            text_index: cast(layout, bytes, Section::TextIndex),
            text_blocks: cast(layout, bytes, Section::TextBlocks),
            text_offset: layout.range(Section::Text).start as u64,
        }
    }

    /// Whether everything that points somewhere points inside.
    pub(super) fn consistent(&self, layout: &Layout) -> Result<(), CorpusError> {
        let at = |section: Section| layout.range(section).start as u64;
        let check = |holds: bool, section: Section, what: &'static str| {
            if holds { Ok(()) } else { Err(wrong(section.name(), at(section), what)) }
        };
        let header = &layout.header;
        for (section, entry) in [
            (Section::Records, size_of::<Record>()),
            (Section::Moves, size_of::<Move>()),
            (Section::Starts, size_of::<StartEntry>()),
            (Section::TextIndex, size_of::<u32>()),
            (Section::TextBlocks, size_of::<Block>()),
            (Section::Signatures, size_of::<MatSig>()),
            (Section::CourseIndex, size_of::<[u32; 2]>()),
            (Section::MenEvents, size_of::<men::Event>()),
            (Section::PawnEvents, size_of::<pawns::Event>()),
        ] {
            check(layout.range(section).len().is_multiple_of(entry), section, "it ends within an entry")?;
        }
        check(self.records.len() == header.games as usize, Section::Records, "their number is not that of the header")?;
        check(self.moves.len() as u64 == header.plies, Section::Moves, "their number is not that of the header")?;
        let mut moves = 0;
        let follows = self.records.iter().all(|record| {
            let follows = u64::from(record.moves) == moves;
            moves += u64::from(record.plies);
            follows
        });
        check(
            follows && moves == self.moves.len() as u64,
            Section::Records,
            "the moves of the games do not follow one another to the last",
        )?;
        for (names, section) in
            [(self.players, Section::Players), (self.events, Section::Events), (self.sites, Section::Sites)]
        {
            check(names.is_sound(), section, "a name does not lie inside, or is no UTF-8")?;
        }
        let (players, events, sites) = (self.players.len(), self.events.len(), self.sites.len());
        check(
            self.records.iter().all(|record| {
                record.white < players && record.black < players && record.event < events && record.site < sites
            }),
            Section::Records,
            "a game has a name outside the names",
        )?;
        let own = self.records.iter().enumerate().filter(|(_, record)| record.flags() & OWN_START != 0);
        check(
            own.map(|(game, _)| game as u32).eq(self.starts.iter().map(|entry| entry.game)),
            Section::Starts,
            "they are not those of the games that have one",
        )?;
        check(
            self.starts.iter().all(|entry| entry.zero == 0 && entry.start.is_in_range()),
            Section::Starts,
            "a side to move, an en passant square or a reserved byte is out of range",
        )?;
        let raw_length = self.text_blocks.last().map_or(0, |block| block.raw_offset.saturating_add(block.raw_length));
        check(
            self.text_index.len() == self.records.len() + 1
                && self.text_index.windows(2).all(|pair| pair[0] <= pair[1])
                && self.text_index.first() == Some(&0)
                && self.text_index.last() == Some(&raw_length),
            Section::TextIndex,
            "it does not cover the text",
        )?;
        let mut raw = 0;
        let mut packed = 0;
        for block in self.text_blocks {
            let follows = block.raw_offset == raw && block.offset == packed && block.zero == 0;
            check(follows, Section::TextBlocks, "a block does not follow the one before")?;
            // Whoever unpacks it makes room for that much.
            let holds = u64::from(block.raw_length) <= u64::from(block.length) * LZ4_MOST;
            check(holds, Section::TextBlocks, "a block says that it is longer than its bytes can be")?;
            raw = raw.saturating_add(block.raw_length);
            packed += u64::from(block.length);
        }
        check(packed == layout.range(Section::Text).len() as u64, Section::TextBlocks, "they do not cover the text")?;
        if layout.has_sources() {
            let holds = self.sources.is_sound(header.games);
            check(holds, Section::Sources, "they are not those of the games, or a name does not lie inside")?;
        }
        if layout.has_columns() {
            let holds = self.columns.is_some_and(|columns| columns.is_of(self.records));
            check(holds, Section::Columns, "they are not those of the records")?;
        }
        if layout.has_courses() {
            self.courses_consistent(check)?;
        }
        Ok(())
    }

    /// Whether signatures and courses are those of the games, as far as that can be told without a replay.
    ///
    /// PERF: the events cost no more than their checksum does.
    fn courses_consistent(
        &self,
        check: impl Fn(bool, Section, &'static str) -> Result<(), CorpusError>,
    ) -> Result<(), CorpusError> {
        check(
            self.signatures.len() == self.records.len(),
            Section::Signatures,
            "their number is not that of the games",
        )?;
        check(
            self.milestones.len() == milestones::COLUMNS * self.records.len(),
            Section::Milestones,
            "their number is not that of the games",
        )?;
        let ends = [self.men_events.len() as u32, self.pawn_events.len() as u32];
        check(
            self.course_index.len() == self.records.len() + 1
                && self.course_index.windows(2).all(|pair| pair[0][0] <= pair[1][0] && pair[0][1] <= pair[1][1])
                && self.course_index.first() == Some(&[0, 0])
                && self.course_index.last() == Some(&ends),
            Section::CourseIndex,
            "it does not cover the events",
        )?;
        let outside = "an event lies outside the plies of its game";
        for (record, places) in self.records.iter().zip(self.course_index.windows(2)) {
            let Course { men, pawns } = Course::between(self.men_events, self.pawn_events, places[0], places[1]);
            check(in_time(men, men::gap, record.plies), Section::MenEvents, outside)?;
            check(in_time(pawns, pawns::gap, record.plies), Section::PawnEvents, outside)?;
        }
        Ok(())
    }

    /// Its names.
    pub fn names(&self) -> ShardNames<'a> {
        ShardNames { players: self.players, events: self.events, sites: self.sites, sources: self.sources }
    }

    /// Whether there are signatures and courses; a shard of an older version has none.
    pub fn has_courses(&self) -> bool {
        !self.course_index.is_empty()
    }

    /// Whether there is all that an [upgrade](super::upgrade) adds.
    pub fn is_current(&self) -> bool {
        self.has_courses() && self.columns.is_some()
    }

    /// Name and bytes of each section, in the order of the file.
    pub fn sizes(&self) -> [(&'static str, u64); Section::COUNT] {
        let text = self.text_blocks.iter().map(|block| u64::from(block.length)).sum();
        [
            (Section::Records, size_of_val(self.records) as u64),
            (Section::Moves, size_of_val(self.moves) as u64),
            (Section::Starts, size_of_val(self.starts) as u64),
            (Section::Players, self.players.size_bytes()),
            (Section::Events, self.events.size_bytes()),
            (Section::Sites, self.sites.size_bytes()),
            (Section::TextIndex, size_of_val(self.text_index) as u64),
            (Section::TextBlocks, size_of_val(self.text_blocks) as u64),
            (Section::Signatures, size_of_val(self.signatures) as u64),
            (Section::CourseIndex, size_of_val(self.course_index) as u64),
            (Section::MenEvents, size_of_val(self.men_events) as u64),
            (Section::PawnEvents, size_of_val(self.pawn_events) as u64),
            (Section::Milestones, self.milestones.len() as u64),
            (Section::Sources, self.sources.size_bytes()),
            (Section::Columns, self.columns.map_or(0, |columns| columns.size_bytes())),
            (Section::Text, text),
        ]
        .map(|(section, bytes)| (section.name(), bytes))
    }

    /// The moves of the game with this index in the shard; none if there is no such game.
    pub fn moves_of(&self, record: &Record) -> &'a [Move] {
        let from = record.moves as usize;
        self.moves.get(from..from + usize::from(record.plies)).unwrap_or(&[])
    }

    /// Where the text of the game with this index lies; none if it has no text or there is no such game.
    pub fn text_place(&self, game: u32) -> Option<TextPlace> {
        let (from, to) = (*self.text_index.get(game as usize)?, *self.text_index.get(game as usize + 1)?);
        let after = self.text_blocks.partition_point(|block| block.raw_offset <= from);
        let block = *self.text_blocks.get(after.checked_sub(1)?)?;
        Some(TextPlace {
            offset: self.text_offset + block.offset,
            length: block.length as usize,
            block,
            from: (from - block.raw_offset) as usize,
            to: (to - block.raw_offset) as usize,
        })
    }
}
