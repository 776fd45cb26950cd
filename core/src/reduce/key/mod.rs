//! Keys: what games and positions are grouped by, and back to words.
//!
//! A key of the game is the same at all its positions. A key of the position is told by when it changes: a reducer hears of each run of
//! plies with one value, so most keys need no board.

mod castling;
mod endgame;
mod game;
mod kings;
mod material;
mod ply;
mod structure;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::board::Board;
use crate::game::Span;
use crate::scan::needs::Needs;
use crate::scan::predicate::Term;
use crate::scan::reducer::Found;

/// Something by which games or positions are grouped.
#[derive(Debug)]
pub struct Feature {
    /// As written after `by`.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// One line for help.
    pub summary: &'static str,
    /// How its values are found.
    pub of: Of,
    /// A value in words.
    pub show: Show,
    /// Whether values are numbers with an order of their own, so that a histogram has them in that order.
    pub is_ordered: bool,
}

/// How the values of a key are found.
#[derive(Debug)]
pub enum Of {
    /// One for the whole game.
    Game(fn(&Found<'_>) -> u64),
    /// Two for the whole game, which may be the same.
    Both(fn(&Found<'_>) -> [u64; 2]),
    /// Of the numbers of men, by code.
    Men(fn(&[u8; 16]) -> u64),
    /// Says each value with the ply from which on it holds: 0 before the first, then ascending.
    Changes(fn(&Found<'_>, &mut dyn FnMut(u64, usize))),
    /// Another one at each ply, by its number, from 1.
    Ply(fn(&Found<'_>, u32) -> u64),
}

/// How a value is written.
#[derive(Debug)]
pub enum Show {
    /// By itself.
    Value(fn(u64) -> String),
    /// It is the index of a name in its shard: shard above bit 32, index below.
    Name(fn(&Span<'_>, u32) -> String),
}

/// Every key that has a name; a new one is a file and a line.
pub const FEATURES: &[&Feature] = &[
    &material::MATERIAL,
    &endgame::ENDGAME,
    &structure::STRUCTURE,
    &castling::CASTLING,
    &kings::KINGS,
    &kings::WHITE_KING,
    &kings::BLACK_KING,
    &ply::PLY,
    &ply::MOVE,
    &game::RESULT,
    &game::OPENING,
    &game::PLAYER,
    &game::WHITE,
    &game::BLACK,
    &game::EVENT,
    &game::YEAR,
    &game::ELO,
    &game::LENGTH,
    &game::ENDING,
    &game::TIME_CLASS,
];

/// What games or positions are grouped by.
#[derive(Clone, Debug)]
pub enum Key {
    /// A named feature.
    Feature(&'static Feature),
    /// A number of the position: a sum such as `count(white pawn)`.
    Number {
        /// Its terms.
        terms: Vec<Term>,
        /// As it was written.
        text: String,
    },
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.name() == other.name()
    }
}

impl Key {
    /// The feature with this name or alias.
    pub fn named(name: &str) -> Option<Key> {
        let named = |feature: &&&Feature| feature.name == name || feature.aliases.contains(&name);
        FEATURES.iter().find(named).map(|feature| Key::Feature(feature))
    }

    /// Its name, as it may be read again.
    pub fn name(&self) -> &str {
        match self {
            Key::Feature(feature) => feature.name,
            Key::Number { text, .. } => text,
        }
    }

    /// Whether its values are numbers with an order of their own.
    pub fn is_ordered(&self) -> bool {
        match self {
            Key::Feature(feature) => feature.is_ordered,
            Key::Number { .. } => true,
        }
    }

    /// What a replay must keep up for it.
    pub fn needs(&self) -> Needs {
        match self {
            Key::Feature(_) => Needs::NOTHING,
            Key::Number { terms, .. } => Term::needs(terms),
        }
    }

    /// Its value on a board, if it needs one.
    pub fn on(&self, board: &Board) -> Option<u64> {
        match self {
            Key::Feature(_) => None,
            Key::Number { terms, .. } => Some(Term::sum(terms, board) as u64),
        }
    }

    /// Says each value that matching positions of a game have, with how many of them and the number of the first, ascending; a value may
    /// come several times. Nothing if it needs a board.
    #[inline]
    pub fn runs(&self, found: &Found<'_>, mut run: impl FnMut(u64, Positions)) {
        let Key::Feature(feature) = self else { return };
        let matches = &found.matches;
        let all = || Positions { number: matches.number(), first: matches.first() as u32, last: matches.last() as u32 };
        match feature.of {
            Of::Game(value) => run(value(found), all()),
            Of::Both(values) => {
                let [one, two] = values(found);
                run(one, all());
                if two != one {
                    run(two, all());
                }
            }
            Of::Ply(value) => {
                for ply in matches.iter() {
                    run(value(found, ply), Positions { number: 1, first: ply, last: ply });
                }
            }
            Of::Men(value) => {
                let mut runs = Runs { found, before: (0, 0), run };
                material::walk(found, |number, ply| runs.change(value(number), ply));
                runs.finish();
            }
            Of::Changes(changes) => {
                let mut runs = Runs { found, before: (0, 0), run };
                changes(found, &mut |value, ply| runs.change(value, ply));
                runs.finish();
            }
        }
    }

    /// Whether it is the same at all positions of a game.
    pub fn is_of_game(&self) -> bool {
        matches!(self, Key::Feature(Feature { of: Of::Game(_) | Of::Both(_), .. }))
    }

    /// Its values after ply `ply` of a game: one or two, the same where it is one. None if it needs a board.
    #[inline]
    pub fn after(&self, found: &Found<'_>, ply: u32) -> Option<[u64; 2]> {
        let Key::Feature(feature) = self else { return None };
        Some(match feature.of {
            Of::Game(value) => [value(found); 2],
            Of::Both(values) => values(found),
            Of::Ply(value) => [value(found, ply); 2],
            Of::Men(value) => [value(&material::after(found, ply as usize)); 2],
            Of::Changes(changes) => {
                let mut last = 0;
                changes(found, &mut |value, at| last = if at <= ply as usize { value } else { last });
                [last; 2]
            }
        })
    }

    /// A value in words.
    pub fn show(&self, value: u64, spans: &[Span<'_>]) -> String {
        match self {
            Key::Number { .. } => format!("{}", value as i64),
            Key::Feature(Feature { show: Show::Value(show), .. }) => show(value),
            Key::Feature(Feature { show: Show::Name(show), .. }) => {
                let (shard, index) = ((value >> 32) as u32, value as u32);
                spans.iter().find(|span| span.shard == shard).map_or_else(String::new, |span| show(span, index))
            }
        }
    }

    /// Whether its values are names of shards, of which several may be the same name.
    pub fn is_name(&self) -> bool {
        matches!(self, Key::Feature(Feature { show: Show::Name(_), .. }))
    }
}

/// Values as they change, to runs of matching positions.
struct Runs<'a, 'b, R> {
    found: &'a Found<'b>,
    /// The value that holds, and the ply before which it began to.
    before: (u64, usize),
    run: R,
}

impl<R: FnMut(u64, Positions)> Runs<'_, '_, R> {
    /// From this ply on it is another one.
    fn change(&mut self, value: u64, at: usize) {
        // A change by ply `at` holds from there on: after `at - 1` plies it did not.
        self.until(value, at.saturating_sub(1));
    }

    fn finish(mut self) {
        self.until(0, self.found.game.moves.len());
    }

    fn until(&mut self, value: u64, to: usize) {
        let (now, from) = core::mem::replace(&mut self.before, (value, to));
        let matches = &self.found.matches;
        let number = matches.between(from, to);
        if number > 0 {
            let (first, last) = matches.ends(from, to);
            (self.run)(now, Positions { number, first, last });
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Matching positions of a game that have one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Positions {
    /// How many; of a game that matches without any, 0.
    pub number: u32,
    /// Number of the ply after which the first stands, 0 if there is none.
    pub first: u32,
    /// The same of the last.
    pub last: u32,
}
