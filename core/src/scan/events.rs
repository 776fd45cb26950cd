//! Tests predicates along the course of a game: the state of the numbers of men and of the pawns, event by event.

use super::plies::fill;
use super::predicate::Predicate;
use super::source::Sorted;
use crate::board::{Board, Change};
use crate::course::men::{self, Numbers};
use crate::course::{Course, mover, pawns};

/// Predicates that are tested along one stream, or along both.
#[derive(Clone, Debug)]
pub(super) struct Along {
    /// Their numbers in the query.
    pub predicates: alloc::vec::Vec<u8>,
    /// The bytes of the numbers on which any depends.
    asked: Numbers,
    /// The pawns on which any depends.
    pawns: [u64; 2],
    /// Those that hold on the usual array.
    at_first: u64,
}

impl Along {
    /// Those of `sorted` that have one of these numbers.
    pub fn new(predicates: alloc::vec::Vec<u8>, query: &[Predicate], sorted: &[Sorted], initial: &Board) -> Along {
        let depends: Change = predicates.iter().fold(0, |all, &n| all | sorted[usize::from(n)].depends);
        let pawns = predicates.iter().fold([0; 2], |all: [u64; 2], &n| {
            let one = sorted[usize::from(n)].pawns;
            [all[0] | one[0], all[1] | one[1]]
        });
        let mut along = Along { predicates, asked: Numbers::asked(depends), pawns, at_first: 0 };
        along.at_first = along.holding(query, sorted, initial);
        along
    }

    /// Those that hold on `board`, by number.
    #[inline(always)]
    fn holding(&self, query: &[Predicate], sorted: &[Sorted], board: &Board) -> u64 {
        self.predicates.iter().fold(0, |all, &n| {
            let n = usize::from(n);
            all | u64::from(sorted[n].test(&query[n], board)) << n
        })
    }
}

/// A game whose events are walked.
pub(super) struct Walked<'a> {
    pub course: Course<'a>,
    pub plies: usize,
    /// Who begins, 0 or 8.
    pub first: u8,
    /// Whether it begins with the usual array.
    pub usual: bool,
}

/// Walks the streams of a game and writes at which plies each predicate holds: predicate `n` into words `n × width` and on. Returns the
/// number of events.
///
/// `board` has the numbers and pawns of the start, and is left with those of the end. `go_on` is asked after each change of what the
/// predicates depend on; where it refuses, nothing is written for the plies from this one on, and the ply is returned.
#[inline(always)]
pub(super) fn walk<const MEN: bool, const PAWNS: bool>(
    along: &Along,
    (query, sorted): (&[Predicate], &[Sorted]),
    game: &Walked<'_>,
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
    go_on: impl Fn(&Board) -> bool,
) -> usize {
    let Walked { course, plies, first, .. } = *game;
    let mut numbers = if MEN { Numbers { sides: bytemuck::cast(board.number) } } else { Numbers { sides: [0; 2] } };
    let (mut men_events, mut pawn_events) = (course.men.iter(), course.pawns.iter());
    let (mut men_ply, mut pawn_ply) = (0, 0);
    let mut next_men = if MEN { men_events.next().copied() } else { None };
    let mut next_pawns = if PAWNS { pawn_events.next().copied() } else { None };
    let mut holding = if game.usual { along.at_first } else { along.holding(query, sorted, board) };
    // Where the predicate of each bit of `holding` began to hold.
    let mut since = [0u32; 64];
    let end = loop {
        let at_men = next_men.map_or(usize::MAX, |event| men_ply + men::gap(event));
        let at_pawns = next_pawns.map_or(usize::MAX, |event| pawn_ply + pawns::gap(event));
        let ply = if MEN && PAWNS {
            at_men.min(at_pawns)
        } else if MEN {
            at_men
        } else {
            at_pawns
        };
        if ply > plies {
            break plies;
        }
        let mover = mover(first, ply);
        let mut news = false;
        if MEN
            && (!PAWNS || at_men == ply)
            && let Some(event) = next_men
        {
            let before = numbers;
            numbers.apply(event, mover);
            news |= (numbers.sides[0] ^ before.sides[0]) & along.asked.sides[0]
                | (numbers.sides[1] ^ before.sides[1]) & along.asked.sides[1]
                != 0;
            men_ply = ply;
            next_men = men_events.next().copied();
        }
        if PAWNS
            && (!MEN || at_pawns == ply)
            && let Some(event) = next_pawns
        {
            let (own, other) = pawns::change(event, mover);
            let side = usize::from(mover >> 3);
            board.of[side << 3 | 1] ^= own;
            board.of[(side ^ 1) << 3 | 1] ^= other;
            news |= own & along.pawns[side] | other & along.pawns[side ^ 1] != 0;
            pawn_ply = ply;
            next_pawns = pawn_events.next().copied();
        }
        if news {
            if MEN {
                board.number = numbers.by_man();
            }
            let now = along.holding(query, sorted, board);
            let mut changed = now ^ holding;
            while changed != 0 {
                let n = changed.trailing_zeros() as usize;
                changed &= changed - 1;
                if now >> n & 1 != 0 {
                    since[n] = ply as u32 - 1;
                } else {
                    fill(&mut sets[n * width..(n + 1) * width], since[n] as usize, ply - 1);
                }
            }
            holding = now;
            if !go_on(board) {
                break ply - 1;
            }
        }
    };
    while holding != 0 {
        let n = holding.trailing_zeros() as usize;
        holding &= holding - 1;
        fill(&mut sets[n * width..(n + 1) * width], since[n] as usize, end);
    }
    end
}
