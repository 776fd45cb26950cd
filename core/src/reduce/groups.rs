//! Group-by and histogram: how many matching positions, in how many games, by the value of a key.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashTable;

use super::hash::hash;
use super::key::{Key, Positions};
use super::results::Results;
use crate::game::Span;
use crate::scan::needs::Needs;
use crate::scan::reducer::{Found, Ply, Reducer};

/// Counts by value. Memory: some 64 bytes a value and thread.
pub struct Groups {
    key: Key,
    cells: HashTable<Cell>,
    /// The value of the run or position before, and where it stands: it often comes again.
    current: Option<(u64, Cell)>,
}

/// What is counted of one value.
#[derive(Clone, Copy)]
struct Cell {
    value: u64,
    positions: u64,
    /// Games with such positions, each once.
    results: Results,
    /// The first position: game and ply.
    first: (u32, u32),
    /// The game that was counted last, one above its number.
    last: u32,
}

/// One value of a key, with what was counted of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// The value, as the key has it; of names that several shards have, one of them.
    pub value: u64,
    /// The value in words.
    pub name: String,
    /// Matching positions.
    pub positions: u64,
    /// Games that have such positions, each once, and how they came out.
    pub results: Results,
    /// Where the first of them stands: number of the game from 0, and of the ply.
    pub first: (u32, u32),
}

/// All values of a key.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AllGroups {
    /// The name of the key.
    pub key: String,
    /// How many values there are.
    pub distinct: u64,
    /// Positions of all of them together; keys with two values in a game count its positions twice.
    pub positions: u64,
    /// The most frequent first, equal ones by value; those of a key with an order of its own by that.
    pub groups: Vec<Group>,
}

impl Cell {
    fn new(value: u64, first: (u32, u32)) -> Cell {
        Cell { value, positions: 0, results: Results::default(), first, last: 0 }
    }

    fn merge(&mut self, other: &Cell) {
        self.positions += other.positions;
        self.results.add(&other.results);
        self.first = self.first.min(other.first);
    }
}

impl Groups {
    /// No counts yet.
    pub fn new(key: Key) -> Groups {
        Groups { key, cells: HashTable::new(), current: None }
    }

    #[inline]
    fn add(&mut self, value: u64, positions: u32, found: (u32, u32), result: usize) {
        if self.current.as_ref().is_none_or(|(current, _)| *current != value) {
            self.settle();
            let cell = match self.cells.find(hash(value), |cell| cell.value == value) {
                Some(cell) => *cell,
                None => Cell::new(value, found),
            };
            self.current = Some((value, cell));
        }
        if let Some((_, cell)) = &mut self.current {
            cell.positions += u64::from(positions);
            if cell.last != found.0 + 1 {
                cell.last = found.0 + 1;
                cell.results.count(result);
            }
        }
    }

    /// Puts the current cell back.
    fn settle(&mut self) {
        if let Some((value, cell)) = self.current.take() {
            put(&mut self.cells, value, |old| *old = cell, cell);
        }
    }

    /// What was counted: at most `most` groups, all of a key with an order of its own.
    pub fn finish(mut self, most: usize, spans: &[Span<'_>]) -> AllGroups {
        self.settle();
        let key = &self.key;
        let mut groups: Vec<Group> = Vec::with_capacity(self.cells.len());
        let named = |cell: &Cell, name| Group {
            value: cell.value,
            name,
            positions: cell.positions,
            results: cell.results,
            first: cell.first,
        };
        if key.is_name() {
            let mut by_name: BTreeMap<String, Cell> = BTreeMap::new();
            for cell in self.cells {
                let old = by_name.entry(key.show(cell.value, spans)).or_insert(Cell::new(cell.value, cell.first));
                old.value = old.value.min(cell.value);
                old.merge(&cell);
            }
            groups.extend(by_name.into_iter().map(|(name, cell)| named(&cell, name)));
        } else {
            groups.extend(self.cells.iter().map(|cell| named(cell, String::new())));
        }
        let positions = groups.iter().map(|group| group.positions).sum();
        let distinct = groups.len() as u64;
        let is_ordered = key.is_ordered();
        groups.sort_unstable_by(|a, b| match is_ordered {
            true => (a.value as i64).cmp(&(b.value as i64)),
            false => b.positions.cmp(&a.positions).then_with(|| (a.value, &a.name).cmp(&(b.value, &b.name))),
        });
        if !is_ordered {
            groups.truncate(most);
        }
        for group in groups.iter_mut().filter(|_| !key.is_name()) {
            group.name = key.show(group.value, spans);
        }
        AllGroups { key: key.name().into(), distinct, positions, groups }
    }
}

fn put(cells: &mut HashTable<Cell>, value: u64, update: impl FnOnce(&mut Cell), new: Cell) {
    match cells.find_mut(hash(value), |cell| cell.value == value) {
        Some(cell) => update(cell),
        None => {
            cells.insert_unique(hash(value), new, |cell| hash(cell.value));
        }
    }
}

impl Reducer for Groups {
    const WANTS_BOARDS: bool = true;

    fn needs(&self) -> Needs {
        self.key.needs()
    }

    fn position(&mut self, ply: &Ply<'_>) {
        if let Some(value) = self.key.on(ply.board) {
            self.add(value, 1, (ply.game.id, ply.number), ply.game.record.result() as usize);
        }
    }

    fn game(&mut self, found: &Found<'_>) {
        let (id, result) = (found.game.id, found.game.record.result() as usize);
        let key = self.key.clone();
        key.runs(found, |value, Positions { number, first, .. }| {
            // A game may match without any position that does.
            if number > 0 {
                self.add(value, number, (id, first), result);
            }
        });
    }

    fn merge(&mut self, mut other: Self) {
        self.settle();
        other.settle();
        for cell in other.cells {
            put(&mut self.cells, cell.value, |old| old.merge(&cell), cell);
        }
    }
}
