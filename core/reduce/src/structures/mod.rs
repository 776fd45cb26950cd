//! Pawn structures of matching positions: how many positions have each.
//!
//! Structures are counted in runs: a structure that lasts nine plies, seven of which match, is one run of seven. `runs` counts the runs,
//! `key` has the keys of structures, and `packed` writes them.

mod key;
pub(super) mod packed;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::mem::take;

use key::{FileKey, FileTransitions};
use plyfold_board::irreversible::{mover_at, pawns};
use plyfold_scan::scan::reducer::ScanMatch;
use shakmaty::Bitboard;

use plyfold_scan::game::{GameSpan, ShardParts};

use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::partial_struct;
use super::result_table::{ResultCell, ResultColumn, ResultTable};
use super::runs::{self, BLOCK_KEYS, RunArena};
use super::sorted::sorted;

/// The most frequent pawn structures of the matching positions.
pub const STRUCTURES: OutputDefinition = OutputDefinition {
    name: "structures",
    option: "structures",
    summary: "The most frequent pawn structures of the matching positions",
    title: "Pawn structures",
    legend: None,
    argument: OutputArgument::Maximum(12),
    takes_positions: |_| true,
    asks_tables: false,
    parts: |_| ShardParts::MOVES | ShardParts::PAWN_EVENTS,
    reducer: |_, context| Box::new(StructureReducer::new(context.threads)),
    partial_states: PartialStates::of::<TopStructures>(),
};

/// The most frequent pawn structures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TopStructures {
    /// How many different structures there are.
    pub distinct: u64,
    /// Positions in all of them together.
    pub total: u64,
    /// The structures, the most frequent first; equally frequent ones by the pawns' bits.
    pub top: Vec<StructureCount>,
}

/// A pawn structure and the number of matching positions that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StructureCount {
    /// Squares of white pawns, a1 lowest.
    pub white: u64,
    /// Squares of black pawns, a1 lowest.
    pub black: u64,
    /// Positions.
    pub count: u64,
}

partial_struct!(StructureCount { white, black, count });
partial_struct!(TopStructures { distinct, total, top });

impl TopStructures {
    fn sort(&mut self, max_structures: usize) {
        let key = |one: &StructureCount| (Reverse(one.count), one.white, one.black);
        self.top = sorted(take(&mut self.top), |one, other| key(one).cmp(&key(other)));
        self.top.truncate(max_structures);
    }
}

impl Summary for TopStructures {
    fn table(&self, _: &OutputArguments) -> ResultTable<'_> {
        let numbers = ["rank", "positions"].map(ResultColumn::count).into_iter();
        let texts = ["white", "black", "white_squares", "black_squares"].map(ResultColumn::text);
        let columns = numbers.chain(texts).chain([ResultColumn::condition("condition")]);
        let rows = (1u64..).zip(&self.top).map(|(rank, structure)| {
            let &StructureCount { white, black, count } = structure;
            let squares =
                |pawns| Bitboard(pawns).into_iter().map(|square| square.to_string()).collect::<Vec<_>>().join(" ");
            let mut row: Vec<ResultCell<'_>> = vec![rank.into(), count.into()];
            row.extend([white, black].map(|pawns| format!("{pawns:016x}").into()));
            row.extend([white, black].map(|pawns| squares(pawns).into()));
            row.push(structure.condition().into());
            row
        });
        ResultTable::new(columns.collect(), rows).of_distinct(self.distinct).with_totals(&[("positions", self.total)])
    }

    fn merged(parts: Vec<TopStructures>, arguments: &OutputArguments) -> TopStructures {
        let total = parts.iter().map(|part| part.total).sum();
        let mut all: BTreeMap<[u64; 2], u64> = BTreeMap::new();
        for StructureCount { white, black, count } in parts.into_iter().flat_map(|part| part.top) {
            *all.entry([white, black]).or_default() += count;
        }
        let distinct = all.len() as u64;
        let top = all.into_iter().map(|([white, black], count)| StructureCount { white, black, count });
        let mut merged = TopStructures { distinct, total, top: top.collect() };
        merged.sort(arguments.max_rows);
        merged
    }
}

impl StructureCount {
    /// The condition of the query language that exactly these pawns stand: `structure "8/p6p/8/8/8/8/P7/8"`.
    #[must_use]
    pub fn condition(&self) -> String {
        ["structure \"", &packed::placement([self.white, self.black]), "\""].concat()
    }
}

/// Counts by pawn structure.
pub(super) struct StructureReducer {
    runs: RunArena,
    /// Structures with more than three pawns on a file, which are few.
    crowded_structures: BTreeMap<[u64; 2], u64>,
    /// Runs of other threads.
    other_runs: Vec<RunArena>,
    /// Positions.
    total: u64,
    transitions: FileTransitions,
    /// The files of the initial position.
    initial_files: Option<u64>,
}

/// A place in a game.
struct EventCursor {
    /// The number of events before the cursor.
    next_event: usize,
    /// The ply of the last of these events.
    ply: usize,
    /// The last ply with a different structure.
    run_start: usize,
}

/// The bytes that the runs of all threads together should not exceed, unless there are more distinct structures.
const RUN_BUDGET_BYTES: usize = 60 << 20;
/// For this many events after the start of a game, its structures are likely to come again in the next games.
const EARLY_EVENTS: usize = 8;

impl StructureReducer {
    /// A reducer without structures; the reducers of `threads` threads share the memory.
    fn new(threads: usize) -> StructureReducer {
        StructureReducer {
            runs: RunArena::new(RUN_BUDGET_BYTES / threads.max(1)),
            crowded_structures: BTreeMap::new(),
            other_runs: Vec::new(),
            total: 0,
            transitions: FileTransitions::new(),
            initial_files: key::encode_files([0xff << 8, 0xff << 48]),
        }
    }

    /// The most frequent structures, at most `max_structures`, and the totals.
    fn top(self, max_structures: usize) -> TopStructures {
        let mut arenas = self.other_runs;
        arenas.push(self.runs);
        let distinct = self.crowded_structures.len() as u64;
        let mut top_structures = TopStructures { distinct, total: self.total, ..TopStructures::default() };
        let mut add = |[white, black]: [u64; 2], count| top_structures.top.push(StructureCount { white, black, count });
        for (&pawns, &count) in &self.crowded_structures {
            add(pawns, count);
        }
        for part in runs::count_runs(arenas, max_structures) {
            top_structures.distinct += part.distinct;
            part.top.into_iter().for_each(|(word, count)| add(key::decode_word(word), count));
        }
        top_structures.sort(max_structures);
        top_structures
    }

    /// Follows the events and stores each structure that ends, with the number of its matches. `count` counts the matches after
    /// one ply up to another. Returns the files after the last event. An event that puts more than three pawns on a file stops
    /// this; then the error has the files before the event.
    #[inline(always)]
    fn follow_events(
        &mut self,
        found_game: &ScanMatch<'_>,
        cursor: &mut EventCursor,
        files: u64,
        count: impl Fn(usize, usize) -> u32,
    ) -> Result<u64, u64> {
        let (first, plies, events) =
            (found_game.start_board.turn, found_game.game.moves.len(), found_game.event_streams.pawns);
        let mut key = FileKey::new(files);
        while cursor.next_event < events.len() {
            let is_early = cursor.next_event < EARLY_EVENTS;
            let events = &events[cursor.next_event..];
            let events = &events[..events.len().min(if is_early { EARLY_EVENTS } else { BLOCK_KEYS })];
            let EventCursor { next_event: nth, mut ply, run_start: mut since } = *cursor;
            let mut is_crowded = false;
            self.runs.fill(events.len(), is_early, |slots| {
                let mut done = 0;
                for (&event, counted) in events.iter().zip(slots) {
                    ply += pawns::gap(event);
                    if ply > plies {
                        break;
                    }
                    *counted = (key::structure_word(key.files), count(since, ply - 1).into());
                    done += 1;
                    since = ply - 1;
                    if !self.transitions.apply(&mut key, event, mover_at(first, ply)) {
                        is_crowded = true;
                        break;
                    }
                }
                *cursor = EventCursor { next_event: nth + done, ply, run_start: since };
                done
            });
            if is_crowded {
                return Err(key.files);
            }
            if ply > plies {
                break;
            }
        }
        Ok(key.files)
    }

    /// Follows the events on bitboards while a file has more than three pawns. Returns the files as soon as no file has; none if
    /// the game ends first.
    #[cold]
    #[inline(never)]
    fn follow_crowded(
        &mut self,
        found_game: &ScanMatch<'_>,
        cursor: &mut EventCursor,
        mut pawns: [u64; 2],
    ) -> Option<u64> {
        let (first, plies) = (found_game.start_board.turn, found_game.game.moves.len());
        loop {
            if let Some(files) = key::encode_files(pawns) {
                return Some(files);
            }
            let event = found_game.event_streams.pawns.get(cursor.next_event).copied();
            let ply = cursor.ply + event.map_or(0, pawns::gap);
            let event = event.filter(|_| ply <= plies);
            let count =
                found_game.matches.count_between(cursor.run_start, if event.is_some() { ply - 1 } else { plies });
            if count > 0 {
                *self.crowded_structures.entry(pawns).or_default() += u64::from(count);
            }
            let changed = pawns::changed_squares(event?, mover_at(first, ply));
            pawns = [pawns[0] ^ changed[0], pawns[1] ^ changed[1]];
            *cursor = EventCursor { next_event: cursor.next_event + 1, ply, run_start: ply - 1 };
        }
    }
}

impl SummaryReducer for StructureReducer {
    type Summary = TopStructures;

    #[inline(never)]
    fn game(&mut self, found_game: &ScanMatch<'_>, _: &OutputContext<'_>) {
        let ScanMatch { matches, .. } = found_game;
        self.total += u64::from(matches.count());
        let (plies, mut cursor) = (found_game.game.moves.len(), EventCursor { next_event: 0, ply: 0, run_start: 0 });
        let own = found_game.game.has_custom_start().then_some(found_game.start_board.pawns());
        let mut files = own.map_or(self.initial_files, key::encode_files);
        let mut pawns = own.unwrap_or_default();
        loop {
            let Some(before) = files.or_else(|| self.follow_crowded(found_game, &mut cursor, pawns)) else { return };
            let after = if matches.matches_all() {
                self.follow_events(found_game, &mut cursor, before, |from, to| to.wrapping_sub(from) as u32)
            } else {
                self.follow_events(found_game, &mut cursor, before, |from, to| matches.count_between(from, to))
            };
            match after {
                Ok(files) => {
                    let count = matches.count_between(cursor.run_start, plies);
                    return self.runs.fill(1, cursor.next_event < EARLY_EVENTS, |slots| {
                        slots[0] = (key::structure_word(files), count.into());
                        1
                    });
                }
                Err(last) => {
                    let changed = pawns::changed_squares(
                        found_game.event_streams.pawns[cursor.next_event - 1],
                        mover_at(found_game.start_board.turn, cursor.ply),
                    );
                    let before = key::decode_word(key::structure_word(last));
                    pawns = [before[0] ^ changed[0], before[1] ^ changed[1]];
                    files = None;
                }
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.total += other.total;
        self.other_runs.push(other.runs);
        self.other_runs.extend(other.other_runs);
        for (pawns, count) in other.crowded_structures {
            *self.crowded_structures.entry(pawns).or_default() += count;
        }
    }

    fn finish(self, output: &Output, _: &OutputContext<'_>, _: &[GameSpan<'_>]) -> TopStructures {
        self.top(output.arguments.max_rows)
    }
}
