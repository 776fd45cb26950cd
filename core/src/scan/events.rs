//! Tests predicates along the course of a game: the state of the numbers of men and of the pawns, event by event.

use alloc::vec::Vec;

use super::plies::fill;
use super::source::Sorted;
use crate::board::{Board, Change};
use crate::course::men::{self, Numbers};
use crate::course::{Course, mover, pawns};

/// Predicates that are tested along one stream, or along both.
#[derive(Clone, Debug)]
pub(super) struct Along {
    each: Vec<One>,
    /// The bytes of the numbers on which any depends.
    asked: Numbers,
    /// The pawns on which any depends.
    pawns: [u64; 2],
    /// Their bits.
    pub bits: u64,
    /// Those that hold on the usual array.
    at_first: u64,
}

#[derive(Clone, Debug)]
struct One {
    /// Its number in the query.
    n: u8,
    asked: Numbers,
    predicate: Sorted,
}

impl Along {
    /// Those of `sorted` that have one of these numbers.
    pub fn new(list: &[u8], sorted: &[Sorted], initial: &Board) -> Along {
        let one = |&n: &u8| {
            let predicate = sorted[usize::from(n)].clone();
            One { n, asked: Numbers::asked(predicate.depends), predicate }
        };
        let each: Vec<One> = list.iter().map(one).collect();
        let depends: Change = each.iter().fold(0, |all, one| all | one.predicate.depends);
        let pawns = [0, 1].map(|side| each.iter().fold(0, |all, one| all | one.predicate.pawns[side]));
        let bits = list.iter().fold(0, |all, n| all | 1 << n);
        let mut along = Along { each, asked: Numbers::asked(depends), pawns, bits, at_first: 0 };
        along.at_first = along.holding(initial);
        along
    }

    /// Those that hold on `board`, by number.
    fn holding(&self, board: &Board) -> u64 {
        self.each.iter().fold(0, |all, one| all | u64::from(one.predicate.test(board)) << one.n)
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

/// Which predicates hold, and since when.
struct Holding<'a> {
    sets: &'a mut [u64],
    width: usize,
    now: u64,
    /// Where the predicate of each bit of `now` began to hold.
    since: [u32; 64],
}

impl Holding<'_> {
    /// These begin or cease to hold after `plies`.
    #[inline(always)]
    fn turn(&mut self, mut changed: u64, plies: usize) {
        while changed != 0 {
            let n = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            if self.now >> n & 1 == 0 {
                self.since[n] = plies as u32;
            } else {
                fill(&mut self.sets[n * self.width..(n + 1) * self.width], self.since[n] as usize, plies);
            }
            self.now ^= 1 << n;
        }
    }
}

/// Walks the streams of a game and writes at which plies each predicate holds: predicate `n` into words `n × width` and on.
///
/// `board` has the numbers and pawns of the start, and is left with those of some position. `go_on` is asked after each change of the
/// pawns; where it refuses, no predicate holds any more. Returns how many events were looked at.
#[inline(always)]
pub(super) fn walk<const MEN: bool, const PAWNS: bool>(
    along: &Along,
    game: &Walked<'_>,
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
    go_on: impl Fn([u64; 2]) -> bool,
) -> usize {
    let Walked { course, plies, first, usual } = *game;
    let now = if usual { along.at_first } else { along.holding(board) };
    let mut holding = Holding { sets, width, now, since: [0; 64] };
    let mut numbers = Numbers { sides: bytemuck::cast(board.number) };
    let mut pawns = [board.of[1], board.of[9]];
    let (mut men_events, mut pawn_events) = (course.men.iter(), course.pawns.iter());
    let next_men = |ply: usize, events: &core::slice::Iter<'_, men::Event>| match events.as_slice().first() {
        Some(&event) if MEN => ply + men::gap(event),
        _ => usize::MAX,
    };
    let next_pawns = |ply: usize, events: &core::slice::Iter<'_, pawns::Event>| match events.as_slice().first() {
        Some(&event) if PAWNS => ply + pawns::gap(event),
        _ => usize::MAX,
    };
    let (mut at_men, mut at_pawns) = (next_men(0, &men_events), next_pawns(0, &pawn_events));
    let end = loop {
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
        let (mut men, mut moved) = (Numbers { sides: [0; 2] }, [0; 2]);
        if MEN
            && at_men == ply
            && let Some(&event) = men_events.next()
        {
            men = numbers.apply(event, mover);
            at_men = next_men(ply, &men_events);
        }
        if PAWNS
            && at_pawns == ply
            && let Some(&event) = pawn_events.next()
        {
            moved = pawns::change(event, mover);
            pawns = [pawns[0] ^ moved[0], pawns[1] ^ moved[1]];
            at_pawns = next_pawns(ply, &pawn_events);
        }
        let touches = |pawns: &[u64; 2]| moved[0] & pawns[0] | moved[1] & pawns[1] != 0;
        if MEN && men.concerns(along.asked) || PAWNS && touches(&along.pawns) {
            if MEN {
                board.number = numbers.by_man();
            }
            if PAWNS {
                (board.of[1], board.of[9]) = (pawns[0], pawns[1]);
            }
            let mut changed = 0;
            for one in &along.each {
                if MEN && men.concerns(one.asked) || PAWNS && touches(&one.predicate.pawns) {
                    let holds = u64::from(one.predicate.test(board));
                    changed |= (holding.now >> one.n & 1 ^ holds) << one.n;
                }
            }
            if changed != 0 {
                holding.turn(changed, ply - 1);
            }
        }
        if PAWNS && !go_on(pawns) {
            break ply - 1;
        }
    };
    holding.turn(holding.now, end);
    course.men.len() * usize::from(MEN) + course.pawns.len() * usize::from(PAWNS)
        - men_events.len() * usize::from(MEN)
        - pawn_events.len() * usize::from(PAWNS)
}
