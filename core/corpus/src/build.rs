//! Packs games into a shard.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use bytemuck::Zeroable;
use plyfold_annotations::GameAnnotations;
use plyfold_board::board::start::PackedStart;
use plyfold_board::moves::Move;
use thiserror::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::annotation_sections::AnnotationSections;
use super::columns::column_bytes;
use super::event_streams::EventStreamsBuilder;
use super::header_texts::HeaderTextsBuilder;
use super::layout::{MAGIC, ShardDirectoryEntry, ShardHeader, ShardSection, VERSION};
use super::openings::OpeningTable;
use super::record::{CUSTOM_START, GameHeader, HeaderRecord};
use super::shard::{Shard, StartEntry};
use super::sources::SourceFilesBuilder;
use super::strings::StringTableBuilder;
use super::text::TextSectionBuilder;
use super::text_columns::TextColumnsBuilder;

/// A game or shard beyond what the format can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ShardLimitError {
    /// More plies than a record can hold.
    #[error("a game has at most 65535 plies")]
    Plies,
    /// More text, moves or games than 32-bit offsets can address.
    #[error("a shard has at most 4 GiB of text")]
    Shard,
}

/// A shard that is being filled. It takes as much memory as the finished shard, about 5 bytes per ply with text.
#[derive(Default)]
pub struct ShardBuilder {
    records: Vec<HeaderRecord>,
    moves: Vec<Move>,
    starts: Vec<StartEntry>,
    players: StringTableBuilder,
    events: StringTableBuilder,
    sites: StringTableBuilder,
    courses: EventStreamsBuilder,
    sources: SourceFilesBuilder,
    annotations: AnnotationSections,
    header_texts: HeaderTextsBuilder,
    opening_table: Option<Arc<OpeningTable>>,
    openings: TextColumnsBuilder<1>,
    text: TextSectionBuilder,
}

impl ShardBuilder {
    /// An empty shard.
    pub fn new() -> ShardBuilder {
        ShardBuilder::default()
    }

    /// The same shard, which finds the opening of each game among these positions. Without them it stores no openings.
    #[must_use]
    pub fn with_openings(self, table: Arc<OpeningTable>) -> ShardBuilder {
        ShardBuilder { opening_table: Some(table), ..self }
    }

    /// Games so far.
    pub fn games(&self) -> u32 {
        self.records.len() as u32
    }

    /// Plies so far.
    pub fn plies(&self) -> u64 {
        self.moves.len() as u64
    }

    /// The next games come from the file called `name`, without its folder. Games that were added before the first call get an empty
    /// file name.
    pub fn begin_source_file(&mut self, name: &str) {
        self.sources.begin(self.games(), name);
    }

    /// Adds a game: its header, its start position unless that is the initial position, its moves, and its text as it was read.
    ///
    /// # Errors
    ///
    /// A game too large for the format; the shard is as before.
    pub fn push_game(
        &mut self,
        header: &GameHeader<'_>,
        start: Option<&PackedStart>,
        moves: &[Move],
        text: &[u8],
    ) -> Result<(), ShardLimitError> {
        let table = self.opening_table.take();
        let opening = table.as_deref().map(|table| table.of_game(start, moves));
        let pushed = self.push_game_of_opening((header, opening), start, moves, text);
        self.opening_table = table;
        pushed
    }

    /// Adds a game with its opening, if that is known.
    fn push_game_of_opening(
        &mut self,
        (header, opening): (&GameHeader<'_>, Option<&str>),
        start: Option<&PackedStart>,
        moves: &[Move],
        text: &[u8],
    ) -> Result<(), ShardLimitError> {
        let plies = u16::try_from(moves.len()).map_err(|_| ShardLimitError::Plies)?;
        let room = u32::MAX as usize;
        if self.text.raw_length() + text.len() > room || self.moves.len() + moves.len() > room {
            return Err(ShardLimitError::Shard);
        }
        let names = [
            self.players.index_of(&header.white),
            self.players.index_of(&header.black),
            self.events.index_of(&header.event),
            self.sites.index_of(&header.site),
        ];
        let mut flags = 0;
        if let Some(start) = start {
            flags |= CUSTOM_START;
            self.starts.push(StartEntry::new(self.games(), *start));
        }
        self.records.push(header.to_record(names, self.moves.len() as u32, plies, flags));
        self.moves.extend_from_slice(moves);
        self.courses.push_game(start, moves);
        self.annotations.push_game();
        self.header_texts.push_game(header);
        match opening {
            Some(opening) => self.openings.push_game([opening]),
            None => self.openings.mark_incomplete(),
        }
        self.text.push_game(text);
        Ok(())
    }

    /// Adds what the text of the last game says of its plies. Without a game this does nothing.
    ///
    /// # Panics
    ///
    /// If the annotations go beyond the last ply of the game.
    pub fn annotate_last_game(&mut self, annotations: &GameAnnotations) {
        let plies = self.records.last().map_or(0, |record| usize::from(record.plies));
        assert!(annotations.plies() <= plies, "annotations of a game of {plies} plies");
        self.annotations.annotate_last(annotations);
    }

    /// Adds a game of another shard, by its index there: its header, source file, opening, moves and annotations come from that shard, and its text from
    /// the caller. What an older shard has not read from its texts, this one does not store either, so that
    /// an upgrade can add it.
    ///
    /// # Errors
    ///
    /// A game too large for the format; the shard is as before.
    pub fn copy_game(&mut self, from: &Shard<'_>, game: u32, text: &[u8]) -> Result<(), ShardLimitError> {
        let Some(record) = from.records.get(game as usize) else { return Ok(()) };
        self.begin_source_of(from, game);
        let header = GameHeader::from_record(record, &from.names(), game);
        let (start, moves) = (from.start_of(game), from.moves_of(record));
        match from.openings.is_stored() {
            true => {
                let opening = from.openings.column().of_game(game);
                self.push_game_of_opening((&header, Some(opening)), start, moves, text)?;
            }
            false => self.push_game(&header, start, moves, text)?,
        }
        if !from.header_texts.is_stored() {
            self.header_texts.mark_incomplete();
        }
        self.annotations.copy_to_last(from.annotations_of(game));
        if !from.has_annotations() {
            self.annotations.mark_incomplete();
        }
        Ok(())
    }

    /// Adds a game that takes the place of one of another shard: its source file comes from there, and its opening, too, if it has the same
    /// moves.
    ///
    /// # Errors
    ///
    /// A game too large for the format; the shard is as before.
    pub fn push_changed_game(
        &mut self,
        (from, game): (&Shard<'_>, u32),
        header: &GameHeader<'_>,
        (start, moves): (Option<&PackedStart>, &[Move]),
        text: &[u8],
    ) -> Result<(), ShardLimitError> {
        self.begin_source_of(from, game);
        let before = from.records.get(game as usize).map(|record| (from.start_of(game), from.moves_of(record)));
        match from.openings.is_stored() && before == Some((start, moves)) {
            true => {
                let opening = from.openings.column().of_game(game);
                self.push_game_of_opening((header, Some(opening)), start, moves, text)
            }
            false => self.push_game(header, start, moves, text),
        }
    }

    /// The next games come from the same file as a game of another shard.
    fn begin_source_of(&mut self, from: &Shard<'_>, game: u32) {
        match from.sources.of_game(game) {
            Some(name) => self.begin_source_file(name),
            None if self.sources.is_empty() => {}
            None => self.begin_source_file(""),
        }
    }

    /// The bytes of the shard; none if it has no games.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.take_bytes()
    }

    /// The bytes of the shard, as [`into_bytes`](Self::into_bytes) gives them; the builder is then empty and keeps its memory for
    /// the next shard.
    ///
    /// PERF: with a new builder for every shard, a tenth of the time of an import went into new pages of memory.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        if self.records.is_empty() {
            return Vec::new();
        }
        self.text.close_block();
        self.text.starts.push(self.text.raw_length() as u32);
        let [players, events, sites] = [&self.players, &self.events, &self.sites].map(StringTableBuilder::to_bytes);
        let columns = column_bytes(&self.records);
        let mut sections: Vec<(ShardSection, &[u8])> = vec![
            (ShardSection::Records, bytemuck::cast_slice(&self.records)),
            (ShardSection::Moves, bytemuck::cast_slice(&self.moves)),
            (ShardSection::Starts, bytemuck::cast_slice(&self.starts)),
            (ShardSection::Players, &players),
            (ShardSection::Events, &events),
            (ShardSection::Sites, &sites),
            (ShardSection::TextIndex, bytemuck::cast_slice(&self.text.starts)),
            (ShardSection::TextBlocks, bytemuck::cast_slice(&self.text.blocks)),
            (ShardSection::Columns, &columns),
        ];
        sections.extend(self.courses.finish());
        let sources = (!self.sources.is_empty()).then(|| self.sources.to_bytes());
        sections.extend(sources.as_deref().map(|sources| (ShardSection::Sources, sources)));
        sections.extend(self.annotations.finish(&self.records, &self.starts));
        let header_texts = self.header_texts.to_bytes();
        sections.extend(header_texts.as_deref().map(|texts| (ShardSection::HeaderTexts, texts)));
        let openings = self.openings.to_bytes();
        sections.extend(openings.as_deref().map(|openings| (ShardSection::Openings, openings)));
        sections.sort_by_key(|(section, _)| section.slot());
        let pieces: Vec<SectionBytes<'_>> = sections.into_iter().map(SectionBytes::from).collect();
        let text = (self.text.packed.len() as u64, xxh3_64(&self.text.packed));
        let room = self.text.packed.len() + 8;
        let mut shard = build_scan_part(&pieces, text, self.records.len() as u32, self.moves.len() as u64, room);
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
        self.annotations.clear();
        self.header_texts.clear();
        self.openings.clear();
        self.text.clear();
        shard
    }
}

/// A section to be written.
pub(super) struct SectionBytes<'a> {
    pub kind: u32,
    pub flags: u32,
    pub bytes: &'a [u8],
}

impl<'a> From<(ShardSection, &'a [u8])> for SectionBytes<'a> {
    fn from((section, bytes): (ShardSection, &'a [u8])) -> SectionBytes<'a> {
        SectionBytes { kind: section as u32, flags: section.flags(), bytes }
    }
}

/// Builds header, directory and sections, each at the next multiple of eight, up to where the text begins. `text` is the length and
/// the checksum of the text, and there is room for so many bytes of it.
pub(super) fn build_scan_part(
    section_bytes: &[SectionBytes<'_>],
    text: (u64, u64),
    games: u32,
    plies: u64,
    room: usize,
) -> Vec<u8> {
    let sections = section_bytes.len() as u32 + 1;
    let mut end = 64 + u64::from(sections) * 32;
    let mut directory = Vec::new();
    for &SectionBytes { kind, flags, bytes } in section_bytes {
        let (offset, length) = (end.next_multiple_of(8), bytes.len() as u64);
        directory.push(ShardDirectoryEntry { kind, flags, offset, length, checksum: xxh3_64(bytes) });
        end = offset + length;
    }
    let scan_length = end.next_multiple_of(8);
    let (length, checksum) = text;
    directory.push(ShardDirectoryEntry {
        kind: ShardSection::Text as u32,
        flags: 0,
        offset: scan_length,
        length,
        checksum,
    });
    let mut header = ShardHeader {
        magic: MAGIC,
        version: VERSION,
        sections,
        length: (scan_length + length).next_multiple_of(8),
        scan_length,
        games,
        plies,
        ..ShardHeader::zeroed()
    };
    let mut checksum = Xxh3::new();
    checksum.update(&bytemuck::bytes_of(&header)[..56]);
    checksum.update(bytemuck::cast_slice(&directory));
    header.checksum = checksum.digest();

    let mut out = Vec::with_capacity(scan_length as usize + room);
    out.extend_from_slice(bytemuck::bytes_of(&header));
    out.extend_from_slice(bytemuck::cast_slice(&directory));
    for (entry, piece) in directory.iter().zip(section_bytes) {
        out.resize(entry.offset as usize, 0);
        out.extend_from_slice(piece.bytes);
    }
    out.resize(scan_length as usize, 0);
    out
}
