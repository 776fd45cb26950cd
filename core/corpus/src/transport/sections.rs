//! Codes all sections of a scan part, in both directions.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use plyfold_board::board::Board;
use plyfold_board::moves::Move;

use super::super::build::SectionBytes;
use super::super::columns::column_bytes;
use super::super::event_streams::EventStreamsBuilder;
use super::super::layout::{MAX_SECTIONS, ShardSection};
use super::super::record::{Eco, HeaderRecord};
use super::super::shard::{StartEntry, with_starts};
use super::super::text::TextBlockEntry;
use super::adaptive::{NumberModel, TextModel};
use super::entropy::{Coder, TOTAL};
use super::moves::code_moves;
use super::names::code_names;
use super::records::{code_openings, code_records};

/// A section that is coded: its kind, its flags, its bytes.
pub(super) struct Section {
    pub kind: u32,
    pub flags: u32,
    pub bytes: Vec<u8>,
}

/// No shard has a longer text.
const LONGEST_TEXT: u64 = 1 << 40;

/// What the frame of a shard says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Frame {
    pub games: u32,
    pub plies: u64,
    /// Length and checksum of the text.
    pub text: (u64, u64),
}

/// Codes a scan part that takes at most `limit` bytes. `frame` and `sections` are those to be written. None if there would be more.
pub(super) fn code_sections<C: Coder>(
    coder: &mut C,
    limit: u64,
    frame: Frame,
    sections: &[SectionBytes<'_>],
) -> Option<(Frame, Vec<Section>)> {
    let mut numbers = NumberModel::default();
    let frame = code_frame(coder, &mut numbers, frame);
    let is_possible = u64::from(frame.games) * size_of::<HeaderRecord>() as u64 <= limit
        && frame.plies.checked_mul(size_of::<Move>() as u64).is_some_and(|bytes| bytes <= limit)
        && frame.text.0 <= LONGEST_TEXT;
    let count = numbers.code(coder, sections.len() as u32);
    if !is_possible || count > MAX_SECTIONS {
        return None;
    }
    let mut kinds = Vec::new();
    for nth in 0..count as usize {
        let (kind, flags) = sections.get(nth).map_or((0, 0), |section| (section.kind, section.flags));
        kinds.push((numbers.code(coder, kind), numbers.code(coder, flags)));
    }
    let mut parts = Parts {
        coder,
        limit,
        games: frame.games as usize,
        numbers,
        text: TextModel::default(),
        sections,
        coded: Vec::new(),
        made: Vec::new(),
    };
    parts.code_names();
    let starts = parts.code_starts();
    parts.code_games(&starts);
    parts.code_text_index();
    parts.code_text_blocks();
    for &(kind, _) in &kinds {
        parts.code_other(kind)?;
    }
    let mut coded = parts.coded;
    let in_order = kinds.into_iter().map(|(kind, flags)| {
        let at = coded.iter().position(|(coded, _)| *coded == kind)?;
        Some(Section { kind, flags, bytes: coded.swap_remove(at).1 })
    });
    Some((frame, in_order.collect::<Option<_>>()?))
}

fn code_frame(coder: &mut impl Coder, numbers: &mut NumberModel, frame: Frame) -> Frame {
    let mut wide = |value: u64| {
        let high = numbers.code(coder, (value >> 32) as u32);
        u64::from(high) << 32 | u64::from(numbers.code(coder, value as u32))
    };
    let (games, plies, length) = (wide(u64::from(frame.games)) as u32, wide(frame.plies), wide(frame.text.0));
    Frame { games, plies, text: (length, code_checksum(coder, frame.text.1)) }
}

fn code_checksum(coder: &mut impl Coder, checksum: u64) -> u64 {
    (0..4).rev().fold(0, |coded, nth| coded << 16 | u64::from(coder.raw((checksum >> (16 * nth)) as u32, 16)))
}

/// The sections while they are coded.
struct Parts<'p, 's, C> {
    coder: &'p mut C,
    /// The most bytes of a section.
    limit: u64,
    games: usize,
    numbers: NumberModel,
    text: TextModel,
    /// Those to be written.
    sections: &'s [SectionBytes<'s>],
    /// The kind and the bytes of each that has been coded.
    coded: Vec<(u32, Vec<u8>)>,
    /// Sections that follow from records and moves.
    made: Vec<(ShardSection, Vec<u8>)>,
}

impl<'s, C: Coder> Parts<'_, 's, C> {
    /// The bytes to be written of a section; none when reading.
    fn given(&self, section: ShardSection) -> &'s [u8] {
        self.sections.iter().find(|given| given.kind == section as u32).map_or(&[], |given| given.bytes)
    }

    /// The entries to be written of a section.
    fn given_entries<T: bytemuck::Pod>(&self, section: ShardSection) -> Vec<T> {
        self.given(section).chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }

    fn keep(&mut self, section: ShardSection, bytes: Vec<u8>) {
        self.coded.push((section as u32, bytes));
    }

    /// The entries of a section that has been coded.
    fn entries<T: bytemuck::Pod>(&self, section: ShardSection) -> Vec<T> {
        let coded = self.coded.iter().find(|(kind, _)| *kind == section as u32);
        let bytes = coded.map_or(&[][..], |(_, bytes)| bytes);
        bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }

    fn code_names(&mut self) {
        let mut numbers = NumberModel::default();
        for section in [ShardSection::Players, ShardSection::Events, ShardSection::Sites] {
            let given = self.given(section);
            let names = code_names(self.coder, (&mut numbers, &mut self.text), given, self.limit);
            self.keep(section, names);
        }
    }

    fn code_starts(&mut self) -> Vec<StartEntry> {
        let bytes = self.code_bytes(self.given(ShardSection::Starts));
        self.keep(ShardSection::Starts, bytes.unwrap_or_default());
        self.entries(ShardSection::Starts)
    }

    /// Codes records and moves.
    fn code_games(&mut self, starts: &[StartEntry]) {
        let given: Vec<HeaderRecord> = self.given_entries(ShardSection::Records);
        let mut records = code_records(self.coder, self.games, &given);
        let plies: usize = records.iter().map(|record| usize::from(record.plies)).sum();
        // A shard that claims more moves than may be here is not read any further.
        let is_possible = plies as u64 * size_of::<Move>() as u64 <= self.limit;
        let games = with_starts(if is_possible { &records } else { &[] }, starts)
            .map(|(record, start)| (start.map(Board::from_start), usize::from(record.plies)));
        let moves = code_moves(self.coder, games, &self.given_entries::<Move>(ShardSection::Moves));
        let ecos: Vec<Eco> = given.iter().map(|record| record.eco).collect();
        code_openings(self.coder, &mut records, &ecos, &moves);
        self.keep(ShardSection::Records, bytemuck::cast_slice(&records).to_vec());
        self.keep(ShardSection::Moves, bytemuck::cast_slice(&moves).to_vec());
    }

    /// Codes the lengths of the texts: each is near that of the last game with about as many plies.
    fn code_text_index(&mut self) {
        let given: Vec<u32> = self.given_entries(ShardSection::TextIndex);
        let records: Vec<HeaderRecord> = self.entries(ShardSection::Records);
        let mut expected = vec![0; 1 << 14];
        let mut model = NumberModel::default();
        let mut ends = vec![0u32];
        for (game, record) in records.iter().enumerate() {
            let place = usize::from(record.plies / 4);
            let length = given.get(game + 1).map_or(0, |end| end.wrapping_sub(given[game]));
            let length = model.code_near(self.coder, expected[place], length);
            expected[place] = length;
            ends.push(ends[game].wrapping_add(length));
        }
        self.keep(ShardSection::TextIndex, bytemuck::cast_slice(&ends).to_vec());
    }

    fn code_text_blocks(&mut self) {
        let given: Vec<TextBlockEntry> = self.given_entries(ShardSection::TextBlocks);
        let count = self.numbers.code(self.coder, given.len() as u32);
        let mut lengths = [NumberModel::default(), NumberModel::default()];
        let mut last: TextBlockEntry = bytemuck::Zeroable::zeroed();
        let mut blocks = Vec::new();
        for nth in 0..count as usize {
            if self.coder.is_exhausted() || (nth * size_of::<TextBlockEntry>()) as u64 > self.limit {
                break;
            }
            let block = given.get(nth).copied().unwrap_or(last);
            let [raw, packed] = &mut lengths;
            last = TextBlockEntry {
                offset: last.offset + u64::from(last.length),
                raw_offset: last.raw_offset.wrapping_add(last.raw_length),
                raw_length: raw.code_near(self.coder, last.raw_length, block.raw_length),
                length: packed.code_near(self.coder, last.length, block.length),
                checksum: code_checksum(self.coder, block.checksum),
                reserved: 0,
            };
            blocks.push(last);
        }
        self.keep(ShardSection::TextBlocks, bytemuck::cast_slice(&blocks).to_vec());
    }

    /// Codes a section unless it has been. One that follows from others is made again, unless its bytes are not those.
    fn code_other(&mut self, kind: u32) -> Option<()> {
        if self.coded.iter().any(|(coded, _)| *coded == kind) {
            return Some(());
        }
        let section = ShardSection::of_kind(kind);
        let given = self.sections.iter().find(|given| given.kind == kind).map_or(&[][..], |given| given.bytes);
        if let Some(made) = section.and_then(|section| self.build_section(section))
            && self.coder.bit(TOTAL / 2, given == made)
        {
            self.coded.push((kind, made));
            return Some(());
        }
        let bytes = match section {
            Some(ShardSection::AnnotationIndex) => self.code_ends(given)?,
            _ => self.code_bytes(given)?,
        };
        self.coded.push((kind, bytes));
        Some(())
    }

    /// A section that follows from records and moves.
    fn build_section(&mut self, section: ShardSection) -> Option<Vec<u8>> {
        if section == ShardSection::Columns {
            return Some(column_bytes(&self.entries(ShardSection::Records)));
        }
        if self.made.is_empty() && ShardSection::EVENT_STREAM_SECTIONS.contains(&section) {
            self.make_event_streams();
        }
        let at = self.made.iter().position(|&(made, _)| made == section)?;
        Some(mem::take(&mut self.made[at].1))
    }

    fn make_event_streams(&mut self) {
        let records: Vec<HeaderRecord> = self.entries(ShardSection::Records);
        let (moves, starts) = (self.entries(ShardSection::Moves), self.entries(ShardSection::Starts));
        let mut streams = EventStreamsBuilder::of_games(&records, &starts, &moves);
        self.made = streams.finish().into_iter().map(|(section, bytes)| (section, bytes.to_vec())).collect();
    }

    /// Codes numbers that do not fall.
    fn code_ends(&mut self, given: &[u8]) -> Option<Vec<u8>> {
        let given: Vec<u32> = given.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        let count = self.numbers.code(self.coder, given.len() as u32);
        let mut model = NumberModel::default();
        let (mut ends, mut last) = (Vec::new(), 0u32);
        for nth in 0..count as usize {
            if self.coder.is_exhausted() || nth as u64 * 4 > self.limit {
                return None;
            }
            let before = nth.checked_sub(1).and_then(|nth| given.get(nth)).copied().unwrap_or(0);
            let step = given.get(nth).map_or(0, |end| end.wrapping_sub(before));
            last = last.wrapping_add(model.code(self.coder, step));
            ends.push(last);
        }
        Some(bytemuck::cast_slice(&ends).to_vec())
    }

    fn code_bytes(&mut self, given: &[u8]) -> Option<Vec<u8>> {
        let count = self.numbers.code(self.coder, given.len() as u32);
        (u64::from(count) <= self.limit).then(|| self.text.code_all(self.coder, given, count as usize))
    }
}
