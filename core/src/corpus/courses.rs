//! What a shard keeps beside the moves so that a scan can pass games over: of each game its course and milestones, and the signature
//! of its last position.

use alloc::vec::Vec;

use shakmaty::Color;

use super::layout::Section;
use crate::board::Board;
use crate::board::start::Start;
use crate::course::milestones::{COLUMNS, Milestones, Sum};
use crate::course::{Course, Courses};
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
        self.courses.push(start, moves);
        let Courses { men, pawns } = &self.courses;
        let course = Course { men: &men[begin[0] as usize..], pawns: &pawns[begin[1] as usize..] };
        let Sum { milestones, pawns, steps, numbers } = Sum::of(start, course);
        self.milestones.push(milestones);
        // Unknown where the start does not tell how many were made before.
        let known = |colour: Color, made| begun.steps(colour).map(|before| u32::from(*before.start()) + made);
        let steps = [known(Color::White, steps[0]), known(Color::Black, steps[1])];
        self.signatures.push(MatSig::new(pawns, numbers.of_kinds(), steps));
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
