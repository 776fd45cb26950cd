//! A shard as slices: what a scan and a list of games read, where it lies.

use bytemuck::{Pod, Zeroable};

use super::columns::HeaderColumns;
use super::error::CorpusError;
use super::layout::{ShardLayout, ShardSection, inconsistent};
use super::record::{CUSTOM_START, HeaderRecord};
use super::sources::SourceFiles;
use super::strings::StringTable;
use super::text::{TextBlockEntry, TextLocation};
use crate::board::start::PackedStart;
use crate::irreversible::{EventStreams, home_pawns, material, pawns};
use crate::matsig::MatSig;
use crate::moves::Move;

/// A start position and the game in the shard that has it; entries are ordered by game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct StartEntry {
    /// Index of the game in its shard.
    pub game: u32,
    reserved: u32,
    /// Its start position.
    pub start: PackedStart,
}

impl StartEntry {
    /// The start of the game with this index.
    pub fn new(game: u32, start: PackedStart) -> StartEntry {
        StartEntry { game, reserved: 0, start }
    }
}

/// The most bytes of text that LZ4 can put into one byte.
const MAX_LZ4_RATIO: u64 = 255;

/// Whether events come one after the other within a game of so many plies.
fn events_fit_game(events: &[u16], gap: impl Fn(u16) -> usize, plies: u16) -> bool {
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
    pub sources: SourceFiles<'a>,
}

/// The sections of a shard. Cheap to make and copy.
#[derive(Clone, Copy, Debug)]
pub struct Shard<'a> {
    /// One record a game.
    pub records: &'a [HeaderRecord],
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
    pub sources: SourceFiles<'a>,
    /// The records by column; none in shards of older versions.
    pub columns: Option<HeaderColumns<'a>>,
    /// The signature of each game's last position, one a game. Like the other parts of the courses it is empty in shards of older
    /// versions.
    pub signatures: &'a [MatSig],
    /// Where each game begins in [`material_events`](Self::material_events) and in [`pawn_events`](Self::pawn_events), and the ends: one
    /// more than there are games.
    pub event_stream_index: &'a [[u32; 2]],
    /// Captures and promotions of all games, one game after the other.
    pub material_events: &'a [material::MaterialEvent],
    /// Changes of the pawns in all games, one game after the other.
    pub pawn_events: &'a [pawns::PawnEvent],
    /// The [home_pawns] of all games, column after column of as many bytes as there are games.
    pub home_pawns: &'a [u8],
    text_index: &'a [u32],
    text_blocks: &'a [TextBlockEntry],
    text_offset: u64,
}

impl<'a> Shard<'a> {
    pub(super) fn new(layout: &ShardLayout, bytes: &'a [u8]) -> Shard<'a> {
        fn cast<'a, T: Pod>(layout: &ShardLayout, bytes: &'a [u8], section: ShardSection) -> &'a [T] {
            // A section whose length is no multiple of its entries comes out empty, and `consistent` sees it.
            bytemuck::try_cast_slice(&bytes[layout.range(section)]).unwrap_or(&[])
        }
        let names = |section| StringTable::read(&bytes[layout.range(section)]).unwrap_or(StringTable::EMPTY);
        Shard {
            records: cast(layout, bytes, ShardSection::Records),
            moves: cast(layout, bytes, ShardSection::Moves),
            starts: cast(layout, bytes, ShardSection::Starts),
            players: names(ShardSection::Players),
            events: names(ShardSection::Events),
            sites: names(ShardSection::Sites),
            sources: SourceFiles::read(&bytes[layout.range(ShardSection::Sources)]).unwrap_or(SourceFiles::EMPTY),
            columns: layout
                .has_columns()
                .then(|| HeaderColumns::read(&bytes[layout.range(ShardSection::Columns)]))
                .flatten(),
            signatures: cast(layout, bytes, ShardSection::Signatures),
            event_stream_index: cast(layout, bytes, ShardSection::EventStreamIndex),
            material_events: cast(layout, bytes, ShardSection::MaterialEvents),
            pawn_events: cast(layout, bytes, ShardSection::PawnEvents),
            home_pawns: &bytes[layout.range(ShardSection::HomePawns)],
            text_index: cast(layout, bytes, ShardSection::TextIndex),
            text_blocks: cast(layout, bytes, ShardSection::TextBlocks),
            text_offset: layout.range(ShardSection::Text).start as u64,
        }
    }

    /// Whether everything that points somewhere points inside.
    pub(super) fn check_consistency(&self, layout: &ShardLayout) -> Result<(), CorpusError> {
        let at = |section: ShardSection| layout.range(section).start as u64;
        let check = |holds: bool, section: ShardSection, what: &'static str| {
            if holds { Ok(()) } else { Err(inconsistent(section.name(), at(section), what)) }
        };
        let header = &layout.header;
        for (section, entry) in [
            (ShardSection::Records, size_of::<HeaderRecord>()),
            (ShardSection::Moves, size_of::<Move>()),
            (ShardSection::Starts, size_of::<StartEntry>()),
            (ShardSection::TextIndex, size_of::<u32>()),
            (ShardSection::TextBlocks, size_of::<TextBlockEntry>()),
            (ShardSection::Signatures, size_of::<MatSig>()),
            (ShardSection::EventStreamIndex, size_of::<[u32; 2]>()),
            (ShardSection::MaterialEvents, size_of::<material::MaterialEvent>()),
            (ShardSection::PawnEvents, size_of::<pawns::PawnEvent>()),
        ] {
            check(layout.range(section).len().is_multiple_of(entry), section, "it ends within an entry")?;
        }
        check(
            self.records.len() == header.games as usize,
            ShardSection::Records,
            "their number differs from the header",
        )?;
        check(self.moves.len() as u64 == header.plies, ShardSection::Moves, "their number differs from the header")?;
        let mut moves = 0;
        let follows = self.records.iter().all(|record| {
            let follows = u64::from(record.first_move) == moves;
            moves += u64::from(record.plies);
            follows
        });
        check(
            follows && moves == self.moves.len() as u64,
            ShardSection::Records,
            "the moves of the games are not contiguous",
        )?;
        for (names, section) in [
            (self.players, ShardSection::Players),
            (self.events, ShardSection::Events),
            (self.sites, ShardSection::Sites),
        ] {
            check(names.is_sound(), section, "a name lies outside or is not UTF-8")?;
        }
        let (players, events, sites) = (self.players.len(), self.events.len(), self.sites.len());
        check(
            self.records.iter().all(|record| {
                record.white < players && record.black < players && record.event < events && record.site < sites
            }),
            ShardSection::Records,
            "a game has a name that is not among the names",
        )?;
        let own = self.records.iter().enumerate().filter(|(_, record)| record.flags() & CUSTOM_START != 0);
        check(
            own.map(|(game, _)| game as u32).eq(self.starts.iter().map(|entry| entry.game)),
            ShardSection::Starts,
            "they differ from the games that have one",
        )?;
        check(
            self.starts.iter().all(|entry| entry.reserved == 0 && entry.start.is_in_range()),
            ShardSection::Starts,
            "a side to move, an en passant square or a reserved byte is out of range",
        )?;
        let raw_length = self.text_blocks.last().map_or(0, |block| block.raw_offset.saturating_add(block.raw_length));
        check(
            self.text_index.len() == self.records.len() + 1
                && self.text_index.windows(2).all(|pair| pair[0] <= pair[1])
                && self.text_index.first() == Some(&0)
                && self.text_index.last() == Some(&raw_length),
            ShardSection::TextIndex,
            "it does not cover the text",
        )?;
        let mut raw = 0;
        let mut packed = 0;
        for block in self.text_blocks {
            let follows = block.raw_offset == raw && block.offset == packed && block.reserved == 0;
            check(follows, ShardSection::TextBlocks, "a block does not follow the previous one")?;
            // Whoever unpacks it makes room for that much.
            let holds = u64::from(block.raw_length) <= u64::from(block.length) * MAX_LZ4_RATIO;
            check(holds, ShardSection::TextBlocks, "a block claims to be longer than its bytes can be")?;
            raw = raw.saturating_add(block.raw_length);
            packed += u64::from(block.length);
        }
        check(
            packed == layout.range(ShardSection::Text).len() as u64,
            ShardSection::TextBlocks,
            "they do not cover the text",
        )?;
        if layout.has_sources() {
            let holds = self.sources.is_sound(header.games);
            check(holds, ShardSection::Sources, "they differ from the games, or a name lies outside")?;
        }
        if layout.has_columns() {
            let holds = self.columns.is_some_and(|columns| columns.matches_records(self.records));
            check(holds, ShardSection::Columns, "they differ from the records")?;
        }
        if layout.has_event_streams() {
            self.check_event_streams(check)?;
        }
        Ok(())
    }

    /// Whether signatures and courses are those of the games, as far as that can be told without a replay.
    ///
    /// PERF: the events cost no more than their checksum does.
    fn check_event_streams(
        &self,
        check: impl Fn(bool, ShardSection, &'static str) -> Result<(), CorpusError>,
    ) -> Result<(), CorpusError> {
        check(
            self.signatures.len() == self.records.len(),
            ShardSection::Signatures,
            "their number differs from the games",
        )?;
        check(
            self.home_pawns.len() == home_pawns::SIGNATURE_COLUMNS * self.records.len(),
            ShardSection::HomePawns,
            "their number differs from the games",
        )?;
        let ends = [self.material_events.len() as u32, self.pawn_events.len() as u32];
        check(
            self.event_stream_index.len() == self.records.len() + 1
                && self.event_stream_index.windows(2).all(|pair| pair[0][0] <= pair[1][0] && pair[0][1] <= pair[1][1])
                && self.event_stream_index.first() == Some(&[0, 0])
                && self.event_stream_index.last() == Some(&ends),
            ShardSection::EventStreamIndex,
            "it does not cover the events",
        )?;
        let outside = "an event lies outside the plies of its game";
        for (record, places) in self.records.iter().zip(self.event_stream_index.windows(2)) {
            let EventStreams { material: men, pawns } =
                EventStreams::slice_of(self.material_events, self.pawn_events, places[0], places[1]);
            check(events_fit_game(men, material::gap, record.plies), ShardSection::MaterialEvents, outside)?;
            check(events_fit_game(pawns, pawns::gap, record.plies), ShardSection::PawnEvents, outside)?;
        }
        Ok(())
    }

    /// Its names.
    pub fn names(&self) -> ShardNames<'a> {
        ShardNames { players: self.players, events: self.events, sites: self.sites, sources: self.sources }
    }

    /// Whether there are signatures and courses; a shard of an older version has none.
    pub fn has_event_streams(&self) -> bool {
        !self.event_stream_index.is_empty()
    }

    /// Whether there is all that an [upgrade](super::upgrade) adds.
    pub fn is_current(&self) -> bool {
        self.has_event_streams() && self.columns.is_some()
    }

    /// Name and bytes of each section, in the order of the file.
    pub fn section_sizes(&self) -> [(&'static str, u64); ShardSection::COUNT] {
        let text = self.text_blocks.iter().map(|block| u64::from(block.length)).sum();
        [
            (ShardSection::Records, size_of_val(self.records) as u64),
            (ShardSection::Moves, size_of_val(self.moves) as u64),
            (ShardSection::Starts, size_of_val(self.starts) as u64),
            (ShardSection::Players, self.players.size_bytes()),
            (ShardSection::Events, self.events.size_bytes()),
            (ShardSection::Sites, self.sites.size_bytes()),
            (ShardSection::TextIndex, size_of_val(self.text_index) as u64),
            (ShardSection::TextBlocks, size_of_val(self.text_blocks) as u64),
            (ShardSection::Signatures, size_of_val(self.signatures) as u64),
            (ShardSection::EventStreamIndex, size_of_val(self.event_stream_index) as u64),
            (ShardSection::MaterialEvents, size_of_val(self.material_events) as u64),
            (ShardSection::PawnEvents, size_of_val(self.pawn_events) as u64),
            (ShardSection::HomePawns, self.home_pawns.len() as u64),
            (ShardSection::Sources, self.sources.size_bytes()),
            (ShardSection::Columns, self.columns.map_or(0, |columns| columns.size_bytes())),
            (ShardSection::Text, text),
        ]
        .map(|(section, bytes)| (section.name(), bytes))
    }

    /// The moves of the game with this index in the shard; none if there is no such game.
    pub fn moves_of(&self, record: &HeaderRecord) -> &'a [Move] {
        let from = record.first_move as usize;
        self.moves.get(from..from + usize::from(record.plies)).unwrap_or(&[])
    }

    /// Where the text of the game with this index lies; none if it has no text or there is no such game.
    pub fn text_location(&self, game: u32) -> Option<TextLocation> {
        let (from, to) = (*self.text_index.get(game as usize)?, *self.text_index.get(game as usize + 1)?);
        let after = self.text_blocks.partition_point(|block| block.raw_offset <= from);
        let block = *self.text_blocks.get(after.checked_sub(1)?)?;
        Some(TextLocation {
            offset: self.text_offset + block.offset,
            length: block.length as usize,
            block,
            from: (from - block.raw_offset) as usize,
            to: (to - block.raw_offset) as usize,
        })
    }
}
