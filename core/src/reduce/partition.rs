//! Partitions: a set of games for each value of a key, in one pass.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::BuildHasherDefault;

use hashbrown::HashMap;

use super::games::GameSet;
use super::hash::Fibonacci;
use super::key::{Key, Positions};
use crate::game::Span;
use crate::scan::needs::Needs;
use crate::scan::reducer::{Found, Ply, Reducer};

/// Which matching position of a game says where it belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rule {
    /// The last one.
    #[default]
    Final,
    /// The first one.
    First,
    /// Each: a game belongs to every value that it ever has, and sets overlap.
    Ever,
}

impl Rule {
    /// All, with their names.
    pub const NAMED: &[(&str, Rule)] = &[("final", Rule::Final), ("first", Rule::First), ("ever", Rule::Ever)];
}

/// Which of the sets are made. Each takes a bit for every game of the corpus, so of a key with many values not all may be wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Kept {
    /// All.
    #[default]
    All,
    /// At most so many, the largest; the others are counted.
    Largest(usize),
    /// The one of the value with these words.
    Named(String),
}

/// The games of each value. Memory: 4 bytes for each game and value that it has.
pub struct Partition {
    key: Key,
    rule: Rule,
    /// Values, and their games in the order in which they come.
    games: Vec<(u64, Vec<u32>)>,
    /// Where the values stand there.
    places: HashMap<u64, u32, BuildHasherDefault<Fibonacci>>,
    /// The value that was asked for last, and where it stands.
    last: (u64, u32),
    /// Of the current game, as far as positions are asked one by one.
    current: Vec<(u64, Positions)>,
}

/// The games of one value, as different shards have it.
type Lists = Vec<Vec<u32>>;

/// The games that belong to one value.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// The value, as the key has it; of names that several shards have, one of them.
    pub value: u64,
    /// The value in words.
    pub name: String,
    /// How many games it has.
    pub count: u64,
    /// These games, if they are [`Kept`].
    pub games: Option<GameSet>,
}

impl Partition {
    /// No games yet.
    pub fn new(key: Key, rule: Rule) -> Partition {
        Partition { key, rule, games: Vec::new(), places: HashMap::default(), last: (0, 0), current: Vec::new() }
    }

    /// The sets, the largest first, equal ones by value; of a corpus of `games`.
    pub fn finish(self, games: u32, spans: &[Span<'_>], kept: &Kept) -> Vec<Part> {
        let mut by_name: BTreeMap<(u64, String), (u64, Lists)> = BTreeMap::new();
        for (value, list) in self.games {
            let name = self.key.show(value, spans);
            if matches!(kept, Kept::Named(wanted) if *wanted != name) {
                continue;
            }
            // Names of several shards are one.
            let same = if self.key.is_name() { 0 } else { value };
            let (least, lists) = by_name.entry((same, name)).or_insert_with(|| (value, Vec::new()));
            *least = value.min(*least);
            lists.push(list);
        }
        let parts: Vec<_> = by_name.into_iter().map(|((_, name), (value, lists))| (name, value, lists)).collect();
        // Size above, place below. A game stands in the list of a value once, and has names of one shard.
        let of_size = |(nth, (.., lists)): (usize, &(String, u64, Lists))| {
            let size = lists.iter().map(|list| list.len() as u64).sum::<u64>();
            (u64::from(u32::MAX) - size) << 32 | nth as u64
        };
        let mut order: Vec<u64> = parts.iter().enumerate().map(of_size).collect();
        order.sort_unstable();
        let part = |(nth, place): (usize, u64)| {
            let (name, value, lists) = &parts[place as u32 as usize];
            let games = (!matches!(kept, Kept::Largest(most) if nth >= *most)).then(|| {
                let mut set = GameSet::empty(games);
                lists.iter().flatten().for_each(|&game| set.insert(game));
                set
            });
            let count = lists.iter().map(|list| list.len() as u64).sum();
            Part { value: *value, name: name.clone(), count, games }
        };
        order.into_iter().enumerate().map(part).collect()
    }
}

impl Partition {
    #[inline]
    fn put(&mut self, value: u64, game: u32) {
        // PERF: what was found last is found again, most of all where there are few values.
        if self.last.0 != value || self.games.is_empty() {
            let next = self.games.len() as u32;
            self.last = (value, *self.places.entry(value).or_insert(next));
            if self.last.1 == next {
                self.games.push((value, Vec::new()));
            }
        }
        let games = &mut self.games[self.last.1 as usize].1;
        if games.last() != Some(&game) {
            games.push(game);
        }
    }
}

impl Reducer for Partition {
    const WANTS_BOARDS: bool = true;

    fn needs(&self) -> Needs {
        self.key.needs()
    }

    fn position(&mut self, ply: &Ply<'_>) {
        if let Some(value) = self.key.on(ply.board) {
            let at = Positions { number: 1, first: ply.number, last: ply.number };
            match (self.rule, self.current.last_mut()) {
                (Rule::First, Some(_)) => {}
                (Rule::Final, Some(last)) => *last = (value, at),
                (Rule::Ever, Some((before, _))) if *before == value => {}
                _ => self.current.push((value, at)),
            }
        }
    }

    fn game(&mut self, found: &Found<'_>) {
        if !found.verdict {
            self.current.clear();
            return;
        }
        let mut values = core::mem::take(&mut self.current);
        let chosen = match self.rule {
            Rule::First => found.matches.first(),
            Rule::Final => found.matches.last(),
            Rule::Ever => 0,
        };
        if self.rule == Rule::Ever {
            self.key.runs(found, |value, at| values.push((value, at)));
        } else if (chosen > 0 || self.key.is_of_game())
            && let Some(both) = self.key.after(found, chosen as u32)
        {
            let distinct = if both[0] == both[1] { 1 } else { 2 };
            let at = Positions { number: 1, first: chosen as u32, last: chosen as u32 };
            values.extend(both[..distinct].iter().map(|&value| (value, at)));
        }
        for (value, _) in &values {
            self.put(*value, found.game.id);
        }
        values.clear();
        self.current = values;
    }

    fn merge(&mut self, other: Self) {
        for (value, games) in other.games {
            match self.places.get(&value) {
                Some(&place) => self.games[place as usize].1.extend(games),
                None => {
                    self.places.insert(value, self.games.len() as u32);
                    self.games.push((value, games));
                }
            }
        }
    }
}
