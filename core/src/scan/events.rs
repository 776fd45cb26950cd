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

/// Which predicates hold, and since when.
struct Holding<'a> {
    along: &'a Along,
    query: (&'a [Predicate], &'a [Sorted]),
    sets: &'a mut [u64],
    width: usize,
    now: u64,
    /// Where the predicate of each bit of `now` began to hold.
    since: [u32; 64],
}

impl Holding<'_> {
    /// The state of the board has changed by ply `ply`: tests all predicates again.
    #[inline(always)]
    fn test(&mut self, board: &Board, ply: usize) {
        let now = self.along.holding(self.query.0, self.query.1, board);
        let changed = now ^ self.now;
        if changed != 0 {
            self.turn(changed, ply - 1);
        }
    }

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
    query: (&[Predicate], &[Sorted]),
    game: &Walked<'_>,
    board: &mut Board,
    (sets, width): (&mut [u64], usize),
    go_on: impl Fn(&Board) -> bool,
) -> usize {
    let Walked { course, plies, first, usual } = *game;
    let now = if usual { along.at_first } else { along.holding(query.0, query.1, board) };
    let mut holding = Holding { along, query, sets, width, now, since: [0; 64] };
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
        let mut news = false;
        let mut moved = false;
        if MEN
            && at_men == ply
            && let Some(&event) = men_events.next()
        {
            news |= numbers.apply(event, mover).concerns(along.asked);
            at_men = next_men(ply, &men_events);
        }
        if PAWNS
            && at_pawns == ply
            && let Some(&event) = pawn_events.next()
        {
            let [white, black] = pawns::change(event, mover);
            pawns = [pawns[0] ^ white, pawns[1] ^ black];
            moved = white & along.pawns[0] | black & along.pawns[1] != 0;
            at_pawns = next_pawns(ply, &pawn_events);
        }
        if news | moved {
            if MEN {
                board.number = numbers.by_man();
            }
            if PAWNS {
                (board.of[1], board.of[9]) = (pawns[0], pawns[1]);
            }
            holding.test(board, ply);
            if moved && !go_on(board) {
                break ply - 1;
            }
        }
    };
    holding.turn(holding.now, end);
    course.men.len() * usize::from(MEN) + course.pawns.len() * usize::from(PAWNS)
        - men_events.len() * usize::from(MEN)
        - pawn_events.len() * usize::from(PAWNS)
}
