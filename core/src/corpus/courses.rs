//! What a shard keeps beside the moves so that a scan can pass games over: of each game its course and milestones, and the signature
//! of its last position.

use alloc::vec::Vec;

use shakmaty::Color;

use super::layout::Section;
use crate::board::start::Start;
use crate::board::{Board, Man, side};
use crate::course::milestones::{self, COLUMNS, Milestones};
use crate::course::{Course, Courses, mover, pawns};
use crate::matsig::MatSig;
use crate::moves::Move;

/// The five sections being filled, game by game.
pub(super) struct CoursesBuilder {
    /// What most games begin with; making it takes longer than a short game.
    initial: Board,
    courses: Courses,
    /// Where the events of each game begin.
    index: Vec<[u32; 2]>,
    signatures: Vec<MatSig>,
    milestones: Vec<Milestones>,
    /// The same by column, once all games are there.
    columns: Vec<u8>,
}

impl Default for CoursesBuilder {
    fn default() -> CoursesBuilder {
        let (courses, index, signatures, milestones, columns) = Default::default();
        CoursesBuilder { initial: Board::initial(), courses, index, signatures, milestones, columns }
    }
}

impl CoursesBuilder {
    /// Adds a game. All games together have fewer than 2³² plies, and so fewer events: each takes a ply at least.
    pub fn push(&mut self, start: Option<&Start>, moves: &[Move]) {
        let own = start.map(Board::from_start);
        let (start, begun) = own.as_ref().map_or((&self.initial, MatSig::INITIAL), |own| (own, MatSig::of(own)));
        let begin = self.end();
        self.index.push(begin);
        let last = self.courses.push(start, moves);
        let Courses { men, pawns } = &self.courses;
        let course = Course { men: &men[begin[0] as usize..], pawns: &pawns[begin[1] as usize..] };
        self.milestones.push(milestones::of(start, course));
        let steps = steps(&begun, start.turn, course.pawns);
        self.signatures.push(with_steps(MatSig::of(&last), steps));
    }

    /// Where the events of the next game begin.
    fn end(&self) -> [u32; 2] {
        [self.courses.men.len() as u32, self.courses.pawns.len() as u32]
    }

    /// The sections, in their order; more games must not follow.
    pub fn finish(&mut self) -> [(Section, &[u8]); 5] {
        let end = self.end();
        self.index.push(end);
        for column in 0..COLUMNS {
            self.columns.extend(self.milestones.iter().map(|game| game[column]));
        }
        [
            (Section::Signatures, bytemuck::cast_slice(&self.signatures)),
            (Section::CourseIndex, bytemuck::cast_slice(&self.index)),
            (Section::MenEvents, bytemuck::cast_slice(&self.courses.men)),
            (Section::PawnEvents, bytemuck::cast_slice(&self.courses.pawns)),
            (Section::Milestones, &self.columns),
        ]
    }

    /// Forgets all games.
    pub fn clear(&mut self) {
        self.courses.clear();
        self.index.clear();
        self.signatures.clear();
        self.milestones.clear();
        self.columns.clear();
    }
}

/// How many steps the pawns of White and of Black have made at the end of a game that starts with the signature `begun` and the
/// side `first` to move; none where the start does not tell how many were made before.
fn steps(begun: &MatSig, first: Man, events: &[pawns::Event]) -> [Option<u32>; 2] {
    let mut made = [0; 2];
    let mut ply = 0;
    for &event in events {
        ply += pawns::gap(event);
        made[usize::from(mover(first, ply) >> 3)] += pawns::steps(event);
    }
    [Color::White, Color::Black].map(|colour| {
        let before = begun.steps(colour)?;
        Some(u32::from(*before.start()) + made[usize::from(side(colour) >> 3)])
    })
}

/// The signature with other steps.
fn with_steps(signature: MatSig, [white, black]: [Option<u32>; 2]) -> MatSig {
    const STEPS: u32 = 58;
    // 48 stands for 47 too; eight pawns cannot make more.
    let word = |word: u64, steps: Option<u32>| {
        let code = steps.filter(|&steps| steps <= 48).map_or(0, |steps| (u64::from(steps) + 1).min(48));
        word & ((1 << STEPS) - 1) | code << STEPS
    };
    MatSig { white: word(signature.white, white), black: word(signature.black, black) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_written_as_far_as_there_is_room() {
        for (steps, code) in [(None, 0), (Some(0), 1), (Some(46), 47), (Some(47), 48), (Some(48), 48), (Some(49), 0)] {
            let signature = with_steps(MatSig::INITIAL, [steps, Some(3)]);
            assert_eq!(signature.white, 0x0196_0000_0000_00ff | code << 58);
            assert_eq!(signature.black, 0x1196_ff00_0000_0000);
        }
    }
}
