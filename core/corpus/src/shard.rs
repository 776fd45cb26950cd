//! A shard as slices of its bytes, for scans and lists of games.

use bytemuck::{Pod, Zeroable};
use plyfold_annotations::PackedAnnotations;
use plyfold_annotations::bounds::AnnotationBounds;
use plyfold_board::board::start::PackedStart;
use plyfold_board::irreversible::{material, pawns};
use plyfold_board::matsig::MatSig;
use plyfold_board::moves::Move;

use super::columns::HeaderColumns;
use super::header_texts::HeaderTexts;
use super::layout::{ShardLayout, ShardSection};
use super::names::ShardNames;
use super::openings::GameOpenings;
use super::record::HeaderRecord;
use super::shard_parts::ShardParts;
use super::sources::SourceFiles;
use super::strings::StringTable;
use super::text::{TextBlockEntry, TextLocation};

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

/// The records of games, each with its start position unless that is the initial one. Both are ordered by game.
pub(super) fn with_starts<'a>(
    records: &'a [HeaderRecord],
    starts: &'a [StartEntry],
) -> impl Iterator<Item = (&'a HeaderRecord, Option<&'a PackedStart>)> {
    let mut starts = starts.iter().peekable();
    (0..).zip(records).map(move |(game, record)| {
        let start = starts.next_if(|entry| entry.game == game);
        (record, start.map(|entry| &entry.start))
    })
}

impl StartEntry {
    /// The start of the game with this index.
    pub fn new(game: u32, start: PackedStart) -> StartEntry {
        StartEntry { game, reserved: 0, start }
    }

    /// Whether every field is in range.
    pub(super) fn is_sound(&self) -> bool {
        self.reserved == 0 && self.start.is_in_range()
    }
}

/// The sections of a shard. Cheap to make and copy.
#[derive(Clone, Copy, Debug)]
pub struct Shard<'a> {
    /// One record per game.
    pub records: &'a [HeaderRecord],
    /// The moves of all games, game after game.
    pub moves: &'a [Move],
    /// The start positions of the games that do not begin with the initial position.
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
    /// The signature of each game's last position, one per game. Like the event streams it is empty in shards of older versions.
    pub signatures: &'a [MatSig],
    /// Where each game begins in [`material_events`](Self::material_events) and in [`pawn_events`](Self::pawn_events), and the ends of
    /// the last: one entry more than there are games.
    pub event_stream_index: &'a [[u32; 2]],
    /// Captures and promotions of all games, game after game.
    pub material_events: &'a [material::MaterialEvent],
    /// Changes of the pawns of all games, game after game.
    pub pawn_events: &'a [pawns::PawnEvent],
    /// The [home pawns](plyfold_board::irreversible::home_pawns) of all games: columns with one byte per game, one after another.
    pub home_pawns: &'a [u8],
    /// Where the annotations of each game begin, and the end of the last; empty if no game has any.
    pub annotation_index: &'a [u32],
    /// The annotations of all games, game after game.
    pub annotations: &'a [u8],
    has_annotations: bool,
    /// The bounds of the annotations of each game; empty if no game has any, and in shards of older versions.
    pub annotation_bounds: &'a [AnnotationBounds],
    /// Rounds, annotators, time controls and titles; none in shards of older versions.
    pub header_texts: HeaderTexts<'a>,
    /// The openings of the games, by their positions; none in shards of older versions.
    pub openings: GameOpenings<'a>,
    pub(super) text_index: &'a [u32],
    pub(super) text_blocks: &'a [TextBlockEntry],
    text_offset: u64,
    parts: ShardParts,
}

/// The annotations of a game, by its place in the index.
#[inline]
pub fn annotations_at<'a>(index: &[u32], annotations: &'a [u8], game: usize) -> PackedAnnotations<'a> {
    let bytes = match index.get(game..game + 2) {
        Some(&[from, to]) => annotations.get(from as usize..to as usize),
        _ => None,
    };
    PackedAnnotations::new(bytes.unwrap_or(&[]))
}

impl<'a> Shard<'a> {
    /// The slices of a shard of this layout. `bytes` may end with the scan part.
    ///
    /// # Panics
    ///
    /// If `bytes` are not those (or a copy of those) that were checked, or not 8-byte aligned.
    pub fn new(layout: &ShardLayout, bytes: &'a [u8]) -> Shard<'a> {
        fn cast<'a, T: Pod>(layout: &ShardLayout, bytes: &'a [u8], section: ShardSection) -> &'a [T] {
            // If the length of a section is not a multiple of its entries, the slice is empty, and `check_consistency` reports it.
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
                .has(ShardSection::Columns)
                .then(|| HeaderColumns::read(&bytes[layout.range(ShardSection::Columns)]))
                .flatten(),
            signatures: cast(layout, bytes, ShardSection::Signatures),
            event_stream_index: cast(layout, bytes, ShardSection::EventStreamIndex),
            material_events: cast(layout, bytes, ShardSection::MaterialEvents),
            pawn_events: cast(layout, bytes, ShardSection::PawnEvents),
            home_pawns: &bytes[layout.range(ShardSection::HomePawns)],
            annotation_index: cast(layout, bytes, ShardSection::AnnotationIndex),
            annotations: &bytes[layout.range(ShardSection::Annotations)],
            has_annotations: layout.has_annotations(),
            annotation_bounds: cast(layout, bytes, ShardSection::AnnotationBounds),
            header_texts: HeaderTexts::new(
                layout.has_header_texts().then(|| &bytes[layout.range(ShardSection::HeaderTexts)]),
            ),
            openings: GameOpenings::new(layout.has_openings().then(|| &bytes[layout.range(ShardSection::Openings)])),
            text_index: cast(layout, bytes, ShardSection::TextIndex),
            text_blocks: cast(layout, bytes, ShardSection::TextBlocks),
            text_offset: layout.range(ShardSection::Text).start as u64,
            parts: ShardParts::ALL,
        }
    }

    /// The same shard, of which only these parts have been read. What is missing is as in a shard of an older version, or empty;
    /// the moves keep their number. Whoever reads a part that may be missing asks for [`parts`](Self::parts).
    pub(super) fn with_parts(mut self, parts: ShardParts) -> Shard<'a> {
        self.parts = parts;
        for (section, names) in [
            (ShardSection::Players, &mut self.players),
            (ShardSection::Events, &mut self.events),
            (ShardSection::Sites, &mut self.sites),
        ] {
            *names = if parts.has(section) { *names } else { StringTable::EMPTY };
        }
        if !parts.has(ShardSection::Sources) {
            self.sources = SourceFiles::EMPTY;
        }
        if !parts.has(ShardSection::HeaderTexts) {
            self.header_texts = HeaderTexts::new(None);
        }
        if !parts.has(ShardSection::Openings) {
            self.openings = GameOpenings::new(None);
        }
        if !parts.has(ShardSection::Columns) {
            self.columns = None;
        }
        if !parts.has(ShardSection::Signatures) {
            (self.signatures, self.home_pawns) = (&[], &[]);
        }
        if !parts.has(ShardSection::EventStreamIndex) {
            self.event_stream_index = &[];
        }
        if !parts.has(ShardSection::Annotations) {
            (self.annotation_index, self.annotations, self.annotation_bounds) = (&[], &[], &[]);
        }
        if !parts.has(ShardSection::TextIndex) {
            (self.text_index, self.text_blocks) = (&[], &[]);
        }
        self
    }

    /// Returns the parts that have been read: all but the texts, unless only some were requested.
    pub fn parts(&self) -> ShardParts {
        self.parts
    }

    /// Its names.
    pub fn names(&self) -> ShardNames<'a> {
        let Shard { players, events, sites, sources, header_texts: texts, openings, .. } = *self;
        ShardNames { players, events, sites, sources, texts, openings }
    }

    /// Returns whether there are signatures and event streams; a shard of an older version has none.
    pub fn has_event_streams(&self) -> bool {
        !self.event_stream_index.is_empty()
    }

    /// Returns whether the annotations of the texts have been read; a shard of an older version has none.
    pub fn has_annotations(&self) -> bool {
        self.has_annotations
    }

    /// Returns the annotations of the game with this index: what its text says about its plies.
    pub fn annotations_of(&self, game: u32) -> PackedAnnotations<'a> {
        annotations_at(self.annotation_index, self.annotations, game as usize)
    }

    /// Returns whether there is all that an [upgrade](super::upgrade) adds without reading texts.
    pub fn is_current(&self) -> bool {
        self.has_event_streams()
            && self.columns.is_some()
            && self.annotations.is_empty() == self.annotation_bounds.is_empty()
    }

    /// The moves of the game with this index in the shard; none if there is no such game.
    pub fn moves_of(&self, record: &HeaderRecord) -> &'a [Move] {
        record.moves_among(self.moves)
    }

    /// The start position of the game with this index, unless that is the initial one.
    pub(super) fn start_of(&self, game: u32) -> Option<&'a PackedStart> {
        let at = self.starts.binary_search_by_key(&game, |entry| entry.game).ok()?;
        Some(&self.starts[at].start)
    }

    /// Returns where the text of the game with this index lies; none if it has no text or there is no such game.
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
