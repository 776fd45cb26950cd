//! Tests predicates along the course of a game: the state of the numbers of men and of the pawns, event by event.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::measure::files_of;
use super::plies::fill;
use super::source::{Sorted, Source};
use crate::board::make::FILE_A;
use crate::board::{Board, Change};
use crate::course::men::{self, Numbers};
use crate::course::{Course, mover, pawns};

/// Predicates that are tested along one stream, or along both.
#[derive(Clone, Debug)]
pub(super) struct Along {
    each: Vec<One>,
    /// Their bits.
    pub bits: u64,
    /// Those that hold on the usual array.
    at_first: u64,
    /// Of each kind of event in the stream of captures and promotions, whether it concerns any when White moves (bit 0), and when Black.
    men_events: Box<Concerns>,
    /// The same of the stream of changes of the pawns.
    pawn_events: Box<Concerns>,
}

#[derive(Clone, Debug)]
struct One {
    /// Its number in the query.
    n: u8,
    asked: Numbers,
    predicate: Sorted,
}

impl Along {
    /// Those of `sorted` that have one of these numbers. `home` are further pawns that are watched.
    pub fn new(source: Source, list: &[u8], sorted: &[Sorted], initial: &Board, home: [u64; 2]) -> Along {
        let one = |&n: &u8| {
            let predicate = sorted[usize::from(n)].clone();
            One { n, asked: Numbers::asked(predicate.depends), predicate }
        };
        let each: Vec<One> = list.iter().map(one).collect();
        let depends: Change = each.iter().fold(0, |all, one| all | one.predicate.depends);
        let pawns = [0, 1].map(|side| each.iter().fold(0, |all, one| all | one.predicate.pawns[side]));
        let bits = list.iter().fold(0, |all, n| all | 1 << n);
        let asked = Numbers::asked(depends);
        let pawns = [pawns[0] | home[0], pawns[1] | home[1]];
        let men = |event: men::Event| either(|mover| Numbers::of(initial).apply(event, mover).concerns(asked));
        let mut along = Along {
            each,
            bits,
            at_first: 0,
            men_events: Box::new(core::array::from_fn(|event| men(event as u16 & men::KIND))),
            pawn_events: pawn_events_on(pawns, source == Source::Files),
        };
        along.at_first = along.holding(initial);
        along
    }

    /// Those that hold on `board`, by number.
    fn holding(&self, board: &Board) -> u64 {
        self.each.iter().fold(0, |all, one| all | u64::from(one.predicate.test(board)) << one.n)
    }
}

/// A bit if something is so when White moves, and one if it is when Black does.
fn either(holds: impl Fn(u8) -> bool) -> u8 {
    u8::from(holds(0)) | u8::from(holds(8)) << 1
}

/// Of each kind of change of the pawns, whether it touches these of White or of Black, when White moves (bit 0), and when Black; with
/// `aside` only if a pawn leaves its file by it.
fn pawn_events_on(pawns: [u64; 2], aside: bool) -> Box<Concerns> {
    let stays = |[white, black]: [u64; 2]| {
        let (pawns, first) = (white | black, (white | black) & (white | black).wrapping_neg());
        (white == 0 || black == 0) && pawns.count_ones() == 2 && files_of(pawns) == files_of(first)
    };
    let touches = |event: pawns::Event| {
        either(|mover| {
            let changed = pawns::change(event, mover);
            changed[0] & pawns[0] | changed[1] & pawns[1] != 0 && !(aside && stays(changed))
        })
    };
    Box::new(core::array::from_fn(|event| touches(event as u16)))
}

/// A game whose events are walked.
pub(super) struct Walked<'a> {
    pub course: Course<'a>,
    /// Plies that are of interest: up to the last of the game, or less.
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

impl<'a> Holding<'a> {
    /// These hold before the first ply. Predicate `n` has the words `n × width` and on of `sets`.
    #[inline(always)]
    fn new((sets, width): (&'a mut [u64], usize), now: u64) -> Holding<'a> {
        Holding { sets, width, now, since: [0; 64] }
    }

    /// The state of the board has changed by ply `ply`: tests the predicates that it concerns again.
    #[inline(always)]
    fn test(&mut self, along: &Along, board: &Board, ply: usize, concerns: impl Fn(&One) -> bool) {
        let mut changed = 0;
        for one in &along.each {
            if concerns(one) {
                let holds = u64::from(one.predicate.test(board));
                changed |= (self.now >> one.n & 1 ^ holds) << one.n;
            }
        }
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

/// Walks the stream of captures and promotions and writes at which plies each predicate holds: predicate `n` into words `n × width` and
/// on. `board` has the numbers of the start. Returns how many events were looked at.
///
/// PERF: first the events that concern nobody are left out, without a branch, since nothing foretells which these are; the others are
/// few.
#[inline(always)]
pub(super) fn walk_numbers(
    along: &Along,
    game: &Walked<'_>,
    board: &mut Board,
    sets: (&mut [u64], usize),
    kept: &mut Vec<u32>,
) -> usize {
    let Walked { course, plies, first, usual } = *game;
    let now = if usual { along.at_first } else { along.holding(board) };
    let mut holding = Holding::new(sets, now);
    let mut numbers = Numbers { sides: bytemuck::cast(board.number) };
    let (number, seen) = keep(course.men, men::gap, men::KIND, &along.men_events, first, plies, kept);
    for &one in &kept[..number] {
        let (ply, event) = ((one >> 16) as usize, one as u16);
        let men = numbers.apply(event, mover(first, ply));
        board.number = numbers.by_man();
        holding.test(along, board, ply, |one| men.concerns(one.asked));
    }
    holding.turn(holding.now, plies);
    seen
}

/// The same along the changes of the pawns. `go_on` is asked after each; where it refuses, no predicate holds any more.
#[inline(always)]
pub(super) fn walk_pawns(
    along: &Along,
    game: &Walked<'_>,
    board: &mut Board,
    sets: (&mut [u64], usize),
    kept: &mut Vec<u32>,
    go_on: impl Fn([u64; 2]) -> bool,
) -> usize {
    let Walked { course, plies, first, usual } = *game;
    let now = if usual { along.at_first } else { along.holding(board) };
    let mut holding = Holding::new(sets, now);
    let mut pawns = [board.of[1], board.of[9]];
    let (number, seen) = keep(course.pawns, pawns::gap, pawns::SHAPE, &along.pawn_events, first, plies, kept);
    let mut end = plies;
    for &one in &kept[..number] {
        let (ply, event) = ((one >> 16) as usize, one as u16);
        let moved = pawns::change(event, mover(first, ply));
        pawns = [pawns[0] ^ moved[0], pawns[1] ^ moved[1]];
        (board.of[1], board.of[9]) = (pawns[0], pawns[1]);
        let touches = |one: &One| moved[0] & one.predicate.pawns[0] | moved[1] & one.predicate.pawns[1] != 0;
        holding.test(along, board, ply, touches);
        if !go_on(pawns) {
            end = ply - 1;
            break;
        }
    }
    holding.turn(holding.now, end);
    seen
}

/// The same along the changes that take a pawn from its file, for predicates that ask only how many pawns there are on a file. On the
/// board they see, the pawns of a file stand one on the other from the second rank on.
#[inline(always)]
pub(super) fn walk_files(
    along: &Along,
    game: &Walked<'_>,
    board: &mut Board,
    sets: (&mut [u64], usize),
    kept: &mut Vec<u32>,
) -> usize {
    let Walked { course, plies, first, usual } = *game;
    (board.of[1], board.of[9]) = if usual { (0xff00, 0xff00) } else { (fallen(board.of[1]), fallen(board.of[9])) };
    let now = if usual { along.at_first } else { along.holding(board) };
    let mut holding = Holding::new(sets, now);
    let (number, seen) = keep(course.pawns, pawns::gap, pawns::SHAPE, &along.pawn_events, first, plies, kept);
    for &one in &kept[..number] {
        let (ply, event) = ((one >> 16) as usize, one as u16);
        let mover = mover(first, ply);
        let pawns::OnFiles { leaves, comes, taken } = pawns::on_files(event, mover);
        let (white, black) = (board.of[1], board.of[9]);
        let turned = (white ^ black) & u64::from(mover >> 3).wrapping_neg();
        let (own, other) = (white ^ turned, black ^ turned);
        let (own, other) = (more(less(own, leaves), comes), less(other, taken));
        let turned = (own ^ other) & u64::from(mover >> 3).wrapping_neg();
        (board.of[1], board.of[9]) = (own ^ turned, other ^ turned);
        holding.test(along, board, ply, |_| true);
    }
    holding.turn(holding.now, plies);
    seen
}

/// The pawns of each file one on the other, from the second rank on.
#[cold]
fn fallen(pawns: u64) -> u64 {
    let files = (0..8).map(|file| (file, (pawns & FILE_A << file).count_ones()));
    files.fold(0, |all, (file, number)| (0..number).fold(all, |all, _| more(all, (file, u64::MAX))))
}

/// One more pawn on a file of fallen ones, if so.
#[inline(always)]
const fn more(pawns: u64, (file, so): (usize, u64)) -> u64 {
    pawns | ((pawns & FILE_A << file) << 8 | 1 << (8 + file)) & so
}

/// One less, if so.
#[inline(always)]
const fn less(pawns: u64, (file, so): (usize, u64)) -> u64 {
    let on_file = pawns & FILE_A << file & so;
    pawns ^ on_file | on_file >> 8 & !0xff
}

/// Of each kind of event, whether it concerns somebody when White moves (bit 0), and when Black (bit 1). As long for either stream, so that
/// no place in it need be checked.
pub(super) type Concerns = [u8; 1 << 10];

/// Keeps the events that concern somebody, ply above event. Returns how many there are, and how many there were.
#[inline(always)]
fn keep(
    events: &[u16],
    gap: impl Fn(u16) -> usize,
    kind: u16,
    concerns: &Concerns,
    first: u8,
    plies: usize,
    kept: &mut Vec<u32>,
) -> (usize, usize) {
    if kept.len() < events.len() {
        kept.resize(events.len(), 0);
    }
    let kept = &mut kept[..events.len()];
    let black_at_even = usize::from(first >> 3) ^ 1;
    let (mut ply, mut number, mut seen) = (0, 0, 0);
    for &event in events {
        ply += gap(event);
        if ply > plies {
            break;
        }
        kept[number] = (ply as u32) << 16 | u32::from(event);
        number += usize::from(concerns[usize::from(event & kind) & 1023] >> ((ply ^ black_at_even) & 1) & 1);
        seen += 1;
    }
    (number, seen)
}

/// Walks both streams together: for predicates that ask about both.
#[inline(always)]
pub(super) fn walk_both(
    along: &Along,
    game: &Walked<'_>,
    start: &Board,
    board: &mut Board,
    sets: (&mut [u64], usize),
) -> usize {
    let Walked { course, plies, usual, .. } = *game;
    let now = if usual { along.at_first } else { along.holding(board) };
    let mut holding = Holding::new(sets, now);
    let (mut men, mut pawns) = (men::Walk::on(start, course.men), pawns::Walk::on(start, course.pawns));
    let mut seen = 0;
    loop {
        let ply = men.next_ply().min(pawns.next_ply());
        if ply > plies {
            break;
        }
        // Both streams have the capture of a pawn.
        if men.next_ply() == ply {
            men.step();
            seen += 1;
        }
        if pawns.next_ply() == ply {
            pawns.step();
            seen += 1;
        }
        board.number = men.number();
        [board.of[1], board.of[9]] = pawns.pawns();
        holding.test(along, board, ply, |_| true);
    }
    holding.turn(holding.now, plies);
    seen
}
