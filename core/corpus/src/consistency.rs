//! Checks that the sections of a shard agree with each other: counts match, and every index and offset points inside.
//!
//! The checksums have been checked before, so a failure here means that the shard was written wrong.

use plyfold_annotations::bounds::AnnotationBounds;
use plyfold_annotations::packed::Scratch;
use plyfold_board::irreversible::home_pawns::SIGNATURE_COLUMNS;
use plyfold_board::irreversible::{EventStreams, material, pawns};
use plyfold_board::matsig::MatSig;
use plyfold_board::moves::Move;

use super::error::CorpusError;
use super::layout::{ShardLayout, ShardSection, inconsistent};
use super::record::{CUSTOM_START, HeaderRecord};
use super::shard::{Shard, StartEntry};
use super::shard_parts::ShardParts;
use super::strings::StringTable;
use super::text::TextBlockEntry;

/// The most bytes of text that LZ4 can put into one byte.
const MAX_LZ4_RATIO: u64 = 255;

/// Checks that counts match and that every index and offset points inside. If only some parts of the shard have been read, what they
/// say of other parts is not checked. Cost: one pass over all sections but moves and text.
pub(super) fn check_consistency(
    shard: &Shard<'_>,
    layout: &ShardLayout,
    parts: Option<ShardParts>,
) -> Result<(), CorpusError> {
    let check = ConsistencyCheck { shard, layout, parts };
    check.entry_sizes()?;
    check.counts()?;
    if check.has_read(ShardSection::Records) {
        check.games()?;
        check.starts()?;
    }
    check.names()?;
    if check.has_read(ShardSection::TextIndex) {
        check.text_index()?;
        check.text_blocks()?;
    }
    if layout.has(ShardSection::Sources) && check.has_read(ShardSection::Sources) {
        check.sources()?;
    }
    if layout.has(ShardSection::Columns) && check.has_read(ShardSection::Columns) {
        check.columns()?;
    }
    if check.has_read(ShardSection::Annotations) {
        check.annotations()?;
    }
    if layout.has(ShardSection::AnnotationBounds) {
        check.annotation_bounds()?;
    }
    if check.has_read(ShardSection::HeaderTexts) {
        check.header_texts()?;
    }
    if check.has_read(ShardSection::Openings) {
        check.openings()?;
    }
    if layout.has_event_streams() {
        check.event_stream_counts()?;
        check.events()?;
    }
    Ok(())
}

/// Whether the events come one after another within a game of so many plies.
fn events_fit_game(events: &[u16], gap: impl Fn(u16) -> usize, plies: u16) -> bool {
    // A sum of at most 65,535 gaps fits into 32 bits.
    events.len() <= usize::from(plies) && {
        let gaps = || events.iter().map(|&event| gap(event) as u32);
        gaps().sum::<u32>() <= u32::from(plies) && gaps().fold(u32::MAX, u32::min) != 0
    }
}

struct ConsistencyCheck<'s, 'a> {
    shard: &'s Shard<'a>,
    layout: &'s ShardLayout,
    /// The parts that have been read; all of the shard if there is no set.
    parts: Option<ShardParts>,
}

impl ConsistencyCheck<'_, '_> {
    /// Returns an error about a section unless the condition `holds`.
    fn ensure(&self, holds: bool, section: ShardSection, what: &'static str) -> Result<(), CorpusError> {
        if holds { Ok(()) } else { Err(inconsistent(section.name(), self.layout.range(section).start as u64, what)) }
    }

    fn has_read(&self, section: ShardSection) -> bool {
        self.parts.is_none_or(|parts| parts.has(section))
    }

    fn entry_sizes(&self) -> Result<(), CorpusError> {
        for (section, entry) in [
            (ShardSection::Records, size_of::<HeaderRecord>()),
            (ShardSection::Moves, size_of::<Move>()),
            (ShardSection::Starts, size_of::<StartEntry>()),
            (ShardSection::TextIndex, size_of::<u32>()),
            (ShardSection::TextBlocks, size_of::<TextBlockEntry>()),
            (ShardSection::AnnotationIndex, size_of::<u32>()),
            (ShardSection::AnnotationBounds, size_of::<AnnotationBounds>()),
            (ShardSection::Signatures, size_of::<MatSig>()),
            (ShardSection::EventStreamIndex, size_of::<[u32; 2]>()),
            (ShardSection::MaterialEvents, size_of::<material::MaterialEvent>()),
            (ShardSection::PawnEvents, size_of::<pawns::PawnEvent>()),
        ] {
            let holds = self.layout.range(section).len().is_multiple_of(entry);
            self.ensure(holds, section, "it ends within an entry")?;
        }
        Ok(())
    }

    /// Checks that there are as many records and moves as the header says.
    fn counts(&self) -> Result<(), CorpusError> {
        let (header, Shard { records, moves, .. }) = (&self.layout.header, self.shard);
        let other_number = "their number differs from the header";
        self.ensure(records.len() == header.games as usize, ShardSection::Records, other_number)?;
        self.ensure(moves.len() as u64 == header.plies, ShardSection::Moves, other_number)
    }

    /// Checks that the moves of the games follow one another.
    fn games(&self) -> Result<(), CorpusError> {
        let Shard { records, moves, .. } = self.shard;
        let mut end = 0;
        let follows = records.iter().all(|record| {
            let follows = u64::from(record.first_move) == end;
            end += u64::from(record.plies);
            follows
        });
        let what = "the moves of the games are not contiguous";
        self.ensure(follows && end == moves.len() as u64, ShardSection::Records, what)
    }

    fn names(&self) -> Result<(), CorpusError> {
        let Shard { players, events, sites, .. } = self.shard;
        for (names, section) in
            [(players, ShardSection::Players), (events, ShardSection::Events), (sites, ShardSection::Sites)]
        {
            let is_sound = !self.has_read(section) || names.is_sound();
            self.ensure(is_sound, section, "a name lies outside or is not UTF-8")?;
        }
        let len = |names: &StringTable<'_>, section| if self.has_read(section) { names.len() } else { u32::MAX };
        let players = len(players, ShardSection::Players);
        let (events, sites) = (len(events, ShardSection::Events), len(sites, ShardSection::Sites));
        let missing = "a game has a name that is not among the names";
        if self.has_read(ShardSection::Records) {
            let are_inside = |record: &HeaderRecord| {
                record.white.max(record.black) < players && record.event < events && record.site < sites
            };
            return self.ensure(self.shard.records.iter().all(are_inside), ShardSection::Records, missing);
        }
        // PERF: the largest number is found without branches.
        let largest = |column: &[u32]| column.iter().fold(0, |largest, &name| largest.max(name));
        let is_inside = |(column, names): (&[u32], u32)| column.is_empty() || largest(column) < names;
        let Some(columns) = self.shard.columns.filter(|_| self.has_read(ShardSection::Columns)) else { return Ok(()) };
        let of_games = [
            (columns.white_names(), players),
            (columns.black_names(), players),
            (columns.event_names(), events),
            (columns.site_names(), sites),
        ];
        self.ensure(of_games.into_iter().all(is_inside), ShardSection::Columns, missing)
    }

    fn starts(&self) -> Result<(), CorpusError> {
        let Shard { records, starts, .. } = self.shard;
        let own = records.iter().enumerate().filter(|(_, record)| record.flags() & CUSTOM_START != 0);
        let fit = own.map(|(game, _)| game as u32).eq(starts.iter().map(|entry| entry.game));
        self.ensure(fit, ShardSection::Starts, "they differ from the games that have one")?;
        let what = "a side to move, an en passant square or a reserved byte is out of range";
        self.ensure(starts.iter().all(StartEntry::is_sound), ShardSection::Starts, what)
    }

    fn text_index(&self) -> Result<(), CorpusError> {
        let Shard { records, text_index, text_blocks, .. } = self.shard;
        let raw_length = text_blocks.last().map_or(0, |block| block.raw_offset.saturating_add(block.raw_length));
        let covers = text_index.len() == records.len() + 1
            && text_index.windows(2).all(|pair| pair[0] <= pair[1])
            && text_index.first() == Some(&0)
            && text_index.last() == Some(&raw_length);
        self.ensure(covers, ShardSection::TextIndex, "it does not cover the text")
    }

    fn text_blocks(&self) -> Result<(), CorpusError> {
        let mut raw = 0;
        let mut packed = 0;
        for block in self.shard.text_blocks {
            let follows = block.raw_offset == raw && block.offset == packed && block.reserved == 0;
            self.ensure(follows, ShardSection::TextBlocks, "a block does not follow the previous one")?;
            // A reader allocates that much memory before it unpacks the block.
            let holds = u64::from(block.raw_length) <= u64::from(block.length) * MAX_LZ4_RATIO;
            self.ensure(holds, ShardSection::TextBlocks, "a block claims to be longer than its bytes can be")?;
            raw = raw.saturating_add(block.raw_length);
            packed += u64::from(block.length);
        }
        let covers = packed == self.layout.range(ShardSection::Text).len() as u64;
        self.ensure(covers, ShardSection::TextBlocks, "they do not cover the text")
    }

    fn sources(&self) -> Result<(), CorpusError> {
        let holds = self.shard.sources.is_sound(self.layout.header.games);
        self.ensure(holds, ShardSection::Sources, "they differ from the games, or a name lies outside")
    }

    fn columns(&self) -> Result<(), CorpusError> {
        let records = self.shard.records;
        let holds = self.shard.columns.is_some_and(|columns| match self.has_read(ShardSection::Records) {
            true => columns.matches_records(records),
            false => columns.games() == records.len(),
        });
        self.ensure(holds, ShardSection::Columns, "they differ from the records")
    }

    /// Checks that the index covers the annotations, and that those of each game can be read.
    fn annotations(&self) -> Result<(), CorpusError> {
        let Shard { records, annotation_index: index, annotations, .. } = *self.shard;
        if index.is_empty() {
            let what = "there are some without an index";
            return self.ensure(annotations.is_empty(), ShardSection::Annotations, what);
        }
        let covers = index.len() == records.len() + 1
            && index.is_sorted()
            && index.first() == Some(&0)
            && index.last().map(|&end| end as usize) == Some(annotations.len());
        self.ensure(covers, ShardSection::AnnotationIndex, "it does not cover the annotations")?;
        let mut scratch = Scratch::default();
        let sound =
            |(game, record): (u32, &HeaderRecord)| self.shard.annotations_of(game).is_sound(record.plies, &mut scratch);
        self.ensure((0..).zip(records).all(sound), ShardSection::Annotations, "those of a game cannot be read")
    }

    /// Checks that there are annotations and bounds of all games, but not whether the bounds are right.
    fn annotation_bounds(&self) -> Result<(), CorpusError> {
        let Shard { records, annotation_bounds: bounds, annotations, .. } = self.shard;
        let holds = bounds.len() == records.len() && !annotations.is_empty();
        self.ensure(holds, ShardSection::AnnotationBounds, "their number differs from the games")
    }

    fn header_texts(&self) -> Result<(), CorpusError> {
        let holds = self.shard.header_texts.is_sound(self.layout.header.games);
        self.ensure(holds, ShardSection::HeaderTexts, "they differ from the games, or a text lies outside")
    }

    fn openings(&self) -> Result<(), CorpusError> {
        let holds = self.shard.openings.is_sound(self.layout.header.games);
        self.ensure(holds, ShardSection::Openings, "they differ from the games, or one has no code or no name")
    }

    /// Checks that there are as many signatures and home-pawn entries as games, and that the index covers the events.
    fn event_stream_counts(&self) -> Result<(), CorpusError> {
        let Shard { records, signatures, home_pawns, event_stream_index: index, .. } = self.shard;
        let other_number = "their number differs from the games";
        self.ensure(signatures.len() == records.len(), ShardSection::Signatures, other_number)?;
        let columns = home_pawns.len() == SIGNATURE_COLUMNS * records.len();
        self.ensure(columns, ShardSection::HomePawns, other_number)?;
        if !self.has_read(ShardSection::EventStreamIndex) {
            return Ok(());
        }
        let ends = [self.shard.material_events.len() as u32, self.shard.pawn_events.len() as u32];
        let covers = index.len() == records.len() + 1
            && index.windows(2).all(|pair| pair[0][0] <= pair[1][0] && pair[0][1] <= pair[1][1])
            && index.first() == Some(&[0, 0])
            && index.last() == Some(&ends);
        self.ensure(covers, ShardSection::EventStreamIndex, "it does not cover the events")
    }

    /// Checks that the events fit the lengths of their games; only a replay could tell more.
    ///
    /// PERF: this takes no longer than the checksum of the events.
    fn events(&self) -> Result<(), CorpusError> {
        let outside = "an event lies outside the plies of its game";
        let Shard { records, event_stream_index, material_events, pawn_events, .. } = *self.shard;
        let [has_material, has_pawns] =
            [ShardSection::MaterialEvents, ShardSection::PawnEvents].map(|section| self.has_read(section));
        if !has_material && !has_pawns {
            return Ok(());
        }
        for (record, places) in records.iter().zip(event_stream_index.windows(2)) {
            let EventStreams { material, pawns } =
                EventStreams::slice_of(material_events, pawn_events, places[0], places[1]);
            let material_fits = !has_material || events_fit_game(material, material::gap, record.plies);
            self.ensure(material_fits, ShardSection::MaterialEvents, outside)?;
            let pawns_fit = !has_pawns || events_fit_game(pawns, pawns::gap, record.plies);
            self.ensure(pawns_fit, ShardSection::PawnEvents, outside)?;
        }
        Ok(())
    }
}
