//! Records which file each game came from: the names of the files, and where the games of each begin.
//!
//! Bytes: a `u32` count of runs; for each run a `u32` index of its first game and a `u32` index of its name; a table of names.

use alloc::vec::Vec;

use super::strings::{StringTable, StringTableBuilder};

/// The files that the games of a shard came from; empty in a shard of an older version.
#[derive(Clone, Copy, Debug)]
pub struct SourceFiles<'a> {
    /// For each run of games the first game and the name of the file.
    game_runs: &'a [[u32; 2]],
    /// Names of the files, without their folders; `-` is standard input.
    pub names: StringTable<'a>,
}

impl<'a> SourceFiles<'a> {
    /// Nothing known.
    pub(super) const EMPTY: SourceFiles<'static> = SourceFiles { game_runs: &[], names: StringTable::EMPTY };

    /// The runs and names in these bytes; none if they are too short for it.
    pub(super) fn read(section: &'a [u8]) -> Option<SourceFiles<'a>> {
        let count = u32::from_le_bytes(*section.first_chunk()?) as usize;
        let end = count.checked_mul(8)?.checked_add(4)?;
        let runs = bytemuck::try_cast_slice(section.get(4..end)?).ok()?;
        Some(SourceFiles { game_runs: runs, names: StringTable::read(section.get(end..)?)? })
    }

    /// Whether the runs cover so many games and every name lies inside. Cost: one pass.
    pub(super) fn is_sound(&self, games: u32) -> bool {
        self.names.is_sound()
            && self.game_runs.first().is_some_and(|&[first, _]| first == 0)
            && self.game_runs.windows(2).all(|pair| pair[0][0] < pair[1][0])
            && self.game_runs.iter().all(|&[first, name]| first < games && name < self.names.len())
    }

    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.game_runs.is_empty()
    }

    /// The file of the game with this index in the shard; none if it is not known.
    pub fn of_game(&self, game: u32) -> Option<&'a str> {
        let after = self.game_runs.partition_point(|&[first, _]| first <= game);
        self.game_runs.get(after.checked_sub(1)?).map(|&[_, name]| self.names.get(name))
    }

    /// For each run of games the first game, the end, and the index of the file's name. The shard has `games` games.
    pub fn runs(&self, games: u32) -> impl Iterator<Item = (u32, u32, u32)> + 'a {
        let runs = self.game_runs;
        runs.iter().enumerate().map(move |(nth, &[first, name])| {
            let end = runs.get(nth + 1).map_or(games, |&[next, _]| next);
            (first, end, name)
        })
    }
}

/// Source files while they are collected.
#[derive(Default)]
pub(super) struct SourceFilesBuilder {
    game_runs: Vec<[u32; 2]>,
    names: StringTableBuilder,
}

impl SourceFilesBuilder {
    /// Games from `game` on come from the file called `name`.
    pub fn begin(&mut self, game: u32, name: &str) {
        if self.game_runs.is_empty() && game > 0 {
            let none = self.names.index_of("");
            self.game_runs.push([0, none]);
        }
        let name = self.names.index_of(name);
        self.game_runs.pop_if(|&mut [first, _]| first == game);
        if self.game_runs.last().is_none_or(|&[_, last]| last != name) {
            self.game_runs.push([game, name]);
        }
    }

    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.game_runs.is_empty()
    }

    /// The section as stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = (self.game_runs.len() as u32).to_le_bytes().to_vec();
        out.extend_from_slice(bytemuck::cast_slice(&self.game_runs));
        out.extend_from_slice(&self.names.to_bytes());
        out
    }

    /// Removes all sources.
    pub fn clear(&mut self) {
        self.game_runs.clear();
        self.names.clear();
    }
}
