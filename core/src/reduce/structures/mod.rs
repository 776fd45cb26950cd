//! Pawn structures of matching positions: how many positions have each.
//!
//! Counted by run: a structure that lasts nine plies of which seven match is one run of seven; `runs` counts those, `key` says what
//! they are, and `packed` writes them.

mod key;
pub(super) mod packed;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use key::{Key, Steps};

use super::TopStructures;
use super::runs::{self, BLOCK, Runs};
use crate::course::{mover, pawns};
use crate::scan::reducer::{Found, Reducer};

/// A pawn structure and the number of matching positions that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Structure {
    /// Squares of white pawns, a1 lowest.
    pub white: u64,
    /// Squares of black pawns, a1 lowest.
    pub black: u64,
    /// Positions.
    pub count: u64,
}

/// Counts by pawn structure.
pub struct Structures {
    runs: Runs,
    /// Structures with more than three pawns on a file: there are few.
    crowded: BTreeMap<[u64; 2], u64>,
    /// Runs of other threads.
    others: Vec<Runs>,
    /// Positions.
    total: u64,
    steps: Steps,
    /// The files of the usual array.
    usual: Option<u64>,
}

/// A place in a game.
struct Place {
    /// Events that have happened.
    nth: usize,
    /// Where the last of these happened.
    ply: usize,
    /// The last ply that had another structure.
    since: usize,
}

/// Bytes that the runs of all threads together should not outgrow, unless there are more structures.
const BUDGET: usize = 60 << 20;
/// So many changes after the start of a game, structures are still likely to come again in the next games.
const EARLY: usize = 8;

impl Structures {
    /// None yet; `threads` of these share the memory.
    pub fn new(threads: usize) -> Structures {
        Structures {
            runs: Runs::new(BUDGET / threads.max(1)),
            crowded: BTreeMap::new(),
            others: Vec::new(),
            total: 0,
            steps: Steps::new(),
            usual: key::files([0xff << 8, 0xff << 48]),
        }
    }

    /// The `most` frequent, and the totals.
    pub fn top(self, most: usize) -> TopStructures {
        let mut arenas = self.others;
        arenas.push(self.runs);
        let distinct = self.crowded.len() as u64;
        let mut all = TopStructures { distinct, total: self.total, ..TopStructures::default() };
        let mut add = |[white, black]: [u64; 2], count| all.top.push(Structure { white, black, count });
        for (&pawns, &count) in &self.crowded {
            add(pawns, count);
        }
        for part in runs::count(arenas, most) {
            all.distinct += part.distinct;
            part.top.into_iter().for_each(|(word, count)| add(key::pawns(word), count));
        }
        all.top.sort_unstable_by_key(|one| (Reverse(one.count), one.white, one.black));
        all.top.truncate(most);
        all
    }

    /// Goes on from event to event, and puts aside each structure that is left and how often it matches: `count` after one ply up to
    /// another. Returns the files after the last event; an event after which one has more than three pawns ends it, and then these
    /// are the files before, as an error.
    #[inline(always)]
    fn follow(
        &mut self,
        found: &Found<'_>,
        place: &mut Place,
        files: u64,
        count: impl Fn(usize, usize) -> u32,
    ) -> Result<u64, u64> {
        let (first, plies, events) = (found.start.turn, found.game.moves.len(), found.course.pawns);
        let mut key = Key::new(files);
        while place.nth < events.len() {
            let is_early = place.nth < EARLY;
            let events = &events[place.nth..];
            let events = &events[..events.len().min(if is_early { EARLY } else { BLOCK })];
            let Place { nth, mut ply, mut since } = *place;
            let mut is_crowded = false;
            self.runs.fill(events.len(), is_early, |places| {
                let mut done = 0;
                for (&event, left) in events.iter().zip(places) {
                    ply += pawns::gap(event);
                    if ply > plies {
                        break;
                    }
                    *left = (key::word(key.files), count(since, ply - 1).into());
                    done += 1;
                    since = ply - 1;
                    if !self.steps.step(&mut key, event, mover(first, ply)) {
                        is_crowded = true;
                        break;
                    }
                }
                *place = Place { nth: nth + done, ply, since };
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

    /// Goes on with bitboards, while a file has more than three pawns. Returns the files where none has; none if that does not come.
    #[cold]
    #[inline(never)]
    fn crowded(&mut self, found: &Found<'_>, place: &mut Place, mut pawns: [u64; 2]) -> Option<u64> {
        let (first, plies) = (found.start.turn, found.game.moves.len());
        loop {
            if let Some(files) = key::files(pawns) {
                return Some(files);
            }
            let event = found.course.pawns.get(place.nth).copied();
            let ply = place.ply + event.map_or(0, pawns::gap);
            let event = event.filter(|_| ply <= plies);
            let count = found.matches.between(place.since, if event.is_some() { ply - 1 } else { plies });
            if count > 0 {
                *self.crowded.entry(pawns).or_default() += u64::from(count);
            }
            let changed = pawns::change(event?, mover(first, ply));
            pawns = [pawns[0] ^ changed[0], pawns[1] ^ changed[1]];
            *place = Place { nth: place.nth + 1, ply, since: ply - 1 };
        }
    }
}

impl Reducer for Structures {
    #[inline(never)]
    fn game(&mut self, found: &Found<'_>) {
        let Found { matches, .. } = found;
        self.total += u64::from(matches.number());
        let (plies, mut place) = (found.game.moves.len(), Place { nth: 0, ply: 0, since: 0 });
        let own = found.game.has_own_start().then_some([found.start.of[1], found.start.of[9]]);
        let mut files = own.map_or(self.usual, key::files);
        let mut pawns = own.unwrap_or_default();
        loop {
            let Some(before) = files.or_else(|| self.crowded(found, &mut place, pawns)) else { return };
            let after = if matches.are_all() {
                self.follow(found, &mut place, before, |from, to| to.wrapping_sub(from) as u32)
            } else {
                self.follow(found, &mut place, before, |from, to| matches.between(from, to))
            };
            match after {
                Ok(files) => {
                    let count = matches.between(place.since, plies);
                    return self.runs.fill(1, place.nth < EARLY, |places| {
                        places[0] = (key::word(files), count.into());
                        1
                    });
                }
                Err(last) => {
                    let changed = pawns::change(found.course.pawns[place.nth - 1], mover(found.start.turn, place.ply));
                    let before = key::pawns(key::word(last));
                    pawns = [before[0] ^ changed[0], before[1] ^ changed[1]];
                    files = None;
                }
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.total += other.total;
        self.others.push(other.runs);
        self.others.extend(other.others);
        for (pawns, count) in other.crowded {
            *self.crowded.entry(pawns).or_default() += count;
        }
    }
}
