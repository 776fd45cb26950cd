//! What is known of a position, added up over the segments.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::error::IndexError;
use super::layout::{NextEntry, Segment, Summary};
use super::list::Numbers;
use crate::board::Board;
use crate::board::make::{Hash, Walk};
use crate::game::Game;
use crate::moves::Move;

/// Games by their result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// White won.
    pub white: u64,
    /// Drawn.
    pub draw: u64,
    /// Black won.
    pub black: u64,
    /// Not known.
    pub unknown: u64,
}

impl Results {
    /// Games of all results.
    pub fn games(&self) -> u64 {
        self.white + self.draw + self.black + self.unknown
    }

    /// Adds games by the number of their result in a header record.
    fn add(&mut self, [unknown, white, black, draw]: [u32; 4]) {
        self.unknown += u64::from(unknown);
        self.white += u64::from(white);
        self.black += u64::from(black);
        self.draw += u64::from(draw);
    }
}

/// A move that games went on with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    /// The move.
    pub mv: Move,
    /// Games that played it here, each once.
    pub results: Results,
}

/// What is known of a position.
#[derive(Clone, Debug, Default)]
pub struct Found<'a> {
    /// Games that have the position: begin with it or reach it after a ply. Each counts once.
    pub results: Results,
    /// Games that begin with it. The usual array is the position of which this is most of the games.
    pub begun: u64,
    /// Games that reach it after a ply: those that a scan counts, for which the start of a game is no position.
    pub reached: u64,
    /// Plies after which it stands, in all games; the start of a game is none.
    pub occurrences: u64,
    /// The moves that games went on with, the most frequent first, equal ones by their bits.
    pub next: Vec<Next>,
    parts: Vec<Part<'a>>,
}

/// The games of one segment.
#[derive(Clone, Debug)]
enum Part<'a> {
    /// Corpus-wide numbers.
    Few(Vec<u32>),
    Many(Box<(Segment<'a>, Summary)>),
}

impl<'a> Found<'a> {
    /// Games that have the position.
    pub fn games(&self) -> u64 {
        self.results.games()
    }

    /// The numbers of these games (from 0), ascending. They are read as they are wanted.
    ///
    /// # Errors
    ///
    /// A damaged list.
    pub fn list(&self) -> Result<impl Iterator<Item = u32> + use<'a>, IndexError> {
        let lists = self.parts.iter().map(|part| match part {
            Part::Few(games) => Ok(List::Few(games.clone().into_iter())),
            Part::Many(many) => {
                let (segment, summary) = &**many;
                let header = &segment.header;
                Ok(List::Many(header.first_game, Numbers::new(segment.list(summary)?, header.games)))
            }
        });
        let lists: Vec<List<'a>> = lists.collect::<Result<_, IndexError>>()?;
        Ok(lists.into_iter().flatten())
    }

    /// Adds what is stored of a frequent position.
    pub(super) fn add_many(&mut self, segment: &Segment<'a>, summary: &Summary) -> Result<(), IndexError> {
        self.results.add(summary.results);
        self.begun += u64::from(summary.begun);
        self.reached += u64::from(summary.reached);
        self.occurrences += u64::from(summary.occurrences);
        for &NextEntry { mv, results, .. } in segment.next(summary)? {
            self.add_next(mv, results);
        }
        self.parts.push(Part::Many(Box::new((segment.clone(), *summary))));
        Ok(())
    }

    /// Adds those of these games, ascending, that have the position.
    pub(super) fn add_few<'g>(&mut self, games: impl Iterator<Item = Game<'g>>, hash: u64) {
        let mut having = Vec::new();
        let mut initial = None;
        for game in games {
            let start = game.own_start().unwrap_or_else(|| Board::clone(initial.get_or_insert_with(Board::initial)));
            let plies = standing(&game, start, hash);
            if plies.is_empty() {
                continue;
            }
            having.push(game.id);
            let mut result = [0; 4];
            result[game.record.result() as usize] = 1;
            self.results.add(result);
            let begins = plies[0] == 0;
            let occurrences = plies.len() as u64 - u64::from(begins);
            self.begun += u64::from(begins);
            self.reached += u64::from(occurrences > 0);
            self.occurrences += occurrences;
            let mut next: Vec<Move> = plies.iter().filter_map(|&ply| game.moves.get(ply as usize).copied()).collect();
            next.sort_unstable_by_key(|mv| mv.bits());
            next.dedup();
            next.into_iter().for_each(|mv| self.add_next(mv, result));
        }
        if !having.is_empty() {
            self.parts.push(Part::Few(having));
        }
    }

    fn add_next(&mut self, mv: Move, results: [u32; 4]) {
        match self.next.iter_mut().find(|next| next.mv == mv) {
            Some(next) => next.results.add(results),
            None => {
                let mut next = Next { mv, results: Results::default() };
                next.results.add(results);
                self.next.push(next);
            }
        }
    }

    pub(super) fn finish(mut self) -> Found<'a> {
        self.next.sort_unstable_by_key(|next| (core::cmp::Reverse(next.results.games()), next.mv.bits()));
        self
    }
}

/// Plies of a game after which the position of this hash stands, ascending; 0 for its start.
pub fn plies(game: &Game<'_>, hash: u64) -> Vec<u32> {
    standing(game, game.start(), hash)
}

fn standing(game: &Game<'_>, mut board: Board, hash: u64) -> Vec<u32> {
    let mut found = if board.hash == hash { vec![0] } else { Vec::new() };
    let mut walk = Walk::on(&board);
    for (&mv, ply) in game.moves.iter().zip(1..) {
        board.make_as::<Hash>(mv, &mut walk);
        if board.hash == hash {
            found.push(ply);
        }
    }
    found
}

/// Games of one segment, as they are wanted.
enum List<'a> {
    Few(vec::IntoIter<u32>),
    Many(u32, Numbers<'a>),
}

impl Iterator for List<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            List::Few(games) => games.next(),
            List::Many(first, numbers) => numbers.next().map(|number| *first + number),
        }
    }
}
