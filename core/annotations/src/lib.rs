//! Stores what a PGN says about the plies of a game besides the moves: evaluations, clocks, times spent, and marks.
//!
//! [`GameAnnotations`] are made while a PGN is read; [`packed`] has their bytes in a shard; [`columns`] makes numbers of them, one a
//! ply, and [`judgement`] judges moves by them.
#![no_std]

extern crate alloc;

pub mod bounds;
pub mod columns;
mod eight;
pub mod judgement;
pub mod packed;
mod varint;

use alloc::vec::Vec;

pub use packed::PackedAnnotations;

/// An evaluation from White's side.
///
/// Mates are ordered with centipawns: a mate for White is above all of them, and the sooner it is, the higher.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Score(i16);

impl Score {
    /// Not known.
    pub const UNKNOWN: Score = Score(i16::MIN);
    /// The most centipawns; evaluations beyond count as this.
    pub const MAX_CENTIPAWNS: i32 = 20_000;
    /// The most moves to mate; longer ones count as this.
    pub const MAX_MATE: i32 = 9_999;

    /// An evaluation in centipawns.
    pub fn centipawns(number: i32) -> Score {
        Score(number.clamp(-Score::MAX_CENTIPAWNS, Score::MAX_CENTIPAWNS) as i16)
    }

    /// A mate in so many moves.
    pub fn mate(moves: u32, white_mates: bool) -> Score {
        let value = i16::MAX - moves.min(Score::MAX_MATE as u32) as i16;
        Score(if white_mates { value } else { -value })
    }

    /// Returns the evaluation as the other side sees it.
    #[must_use]
    pub fn reversed(self) -> Score {
        if self.is_known() { Score(-self.0) } else { self }
    }

    /// Returns whether it is known.
    pub fn is_known(self) -> bool {
        self != Score::UNKNOWN
    }

    /// Returns how far it lies above the other one in the order of scores: in centipawns, if neither is a mate.
    #[inline(always)]
    pub(crate) fn above(self, other: Score) -> i16 {
        self.0.saturating_sub(other.0)
    }

    /// Centipawns; none if it is a mate or unknown.
    pub fn as_centipawns(self) -> Option<i32> {
        Some(i32::from(self.0)).filter(|number| number.abs() <= Score::MAX_CENTIPAWNS)
    }

    /// The moves to mate, and whether White mates; none if it is no mate.
    pub fn as_mate(self) -> Option<(u32, bool)> {
        let is_mate = self.is_known() && self.as_centipawns().is_none();
        is_mate.then(|| (u32::from((i16::MAX - self.0.saturating_abs()) as u16), self.0 > 0))
    }
}

/// A time that is not known.
pub const UNKNOWN_TIME: u32 = u32::MAX;

/// A comment with words, as a mark; other marks are the numbers of glyphs, 1–255: `$1` is `!`.
pub const COMMENT_MARK: u8 = 0;

/// The glyphs that are written as signs too, from `$1` on.
pub const GLYPHS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// The base time and the increment of a game, in tenths of a second.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeControl {
    /// The time of each side at the beginning, 0 if unknown.
    pub base: u32,
    /// The time added with each move.
    pub increment: u32,
}

/// The annotations of one game: what its PGN says about the plies. Entry `k` of a list belongs to ply `k + 1`; lists may be shorter
/// than the game.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GameAnnotations {
    /// Evaluations.
    pub scores: Vec<Score>,
    /// The clock of the side that moved, in tenths of a second, or [`UNKNOWN_TIME`].
    pub clocks: Vec<u32>,
    /// The time that was spent on the move, in tenths of a second, or [`UNKNOWN_TIME`].
    pub elapsed: Vec<u32>,
    /// Glyphs and comments: the ply from 1, ascending, and [`COMMENT_MARK`] or the number of the glyph.
    pub marks: Vec<(u16, u8)>,
    /// The time control, as far as it is known.
    pub time_control: TimeControl,
}

impl GameAnnotations {
    /// Returns whether no ply has an annotation.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty() && self.clocks.is_empty() && self.elapsed.is_empty() && self.marks.is_empty()
    }

    /// Returns the last ply with an annotation, 0 if there is none.
    pub fn plies(&self) -> usize {
        let last_mark = self.marks.last().map_or(0, |&(ply, _)| usize::from(ply));
        self.scores.len().max(self.clocks.len()).max(self.elapsed.len()).max(last_mark)
    }

    /// Removes all annotations.
    pub fn clear(&mut self) {
        self.scores.clear();
        self.clocks.clear();
        self.elapsed.clear();
        self.marks.clear();
        self.time_control = TimeControl::default();
    }

    /// Sets the evaluation after a ply, from 1.
    pub fn set_score(&mut self, ply: u16, score: Score) {
        set(&mut self.scores, ply, score, Score::UNKNOWN);
    }

    /// Sets the clock after a ply, from 1, of the side that moved.
    pub fn set_clock(&mut self, ply: u16, tenths: u32) {
        set(&mut self.clocks, ply, tenths, UNKNOWN_TIME);
    }

    /// Sets the time that was spent on a ply, from 1.
    pub fn set_elapsed(&mut self, ply: u16, tenths: u32) {
        set(&mut self.elapsed, ply, tenths, UNKNOWN_TIME);
    }

    /// Adds a mark of a ply, from 1, which must not come before that of an earlier mark. A second equal mark of a ply is left out.
    pub fn add_mark(&mut self, ply: u16, mark: u8) {
        let of_ply = self.marks.iter().rev().take_while(|(other, _)| *other == ply);
        if ply > 0 && of_ply.into_iter().all(|&(_, other)| other != mark) {
            self.marks.push((ply, mark));
        }
    }
}

fn set<T: Clone>(list: &mut Vec<T>, ply: u16, value: T, unknown: T) {
    let Some(at) = usize::from(ply).checked_sub(1) else { return };
    if list.len() <= at {
        list.resize(at + 1, unknown);
    }
    list[at] = value;
}
