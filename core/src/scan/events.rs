//! Tests predicates along the course of a game: the state of the numbers of men and of the pawns, event by event.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use wide::i16x8;

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
    /// Those that are tested one by one.
    each: Vec<One>,
    /// Sums of numbers of men, eight at a time.
    sums: Vec<Sums>,
    /// Their bits.
    pub bits: u64,
    /// The numbers that they ask about.
    asked: Numbers,
    /// Those that hold on the usual array.
    at_first: u64,
    /// Of each kind of event in the stream of captures and promotions, whether it concerns any when White moves (bit 0), and when Black.
    men_events: Box<Concerns>,
    /// The same of the stream of changes of the pawns.
    pawn_events: Box<Concerns>,
    /// Files on which they ask about pawns of White, and of Black: a byte a file, 1 if so.
    files: [u64; 2],
}

#[derive(Clone, Debug)]
struct One {
    /// Its number in the query.
    n: u8,
    asked: Numbers,
    predicate: Sorted,
}

/// Up to eight sums of numbers of men, each of which must lie between two bounds.
///
/// PERF: an event changes all of them by one addition, and two comparisons tell which hold.
#[derive(Clone, Debug)]
struct Sums {
    /// The numbers of the predicates in the query.
    each: Vec<u8>,
    weights: [[i16; 16]; 8],
    /// They hold above the first and below the second.
    bounds: [i16x8; 2],
    /// By how much an event changes them: those of White's moves by kind, and then those of Black's.
    changes: Box<[i16x8; 2 << men::WAIT]>,
    /// On the usual array.
    at_first: i16x8,
}

impl Sums {
    /// At most eight predicates with their weights and bounds.
    fn new(sums: &[(u8, &[i16; 16], i32, i32)], initial: &Board) -> Sums {
        let mut weights = [[0; 16]; 8];
        // What is not asked never holds.
        let mut bounds = [[i16::MAX; 8], [i16::MIN; 8]];
        for (lane, &(_, weight, least, most)) in sums.iter().enumerate() {
            let bound = |bound: i32| bound.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
            weights[lane] = *weight;
            (bounds[0][lane], bounds[1][lane]) = (bound(least - 1), bound(most + 1));
        }
        let mut all = Sums {
            each: sums.iter().map(|one| one.0).collect(),
            weights,
            bounds: bounds.map(i16x8::new),
            changes: Box::new([i16x8::ZERO; 2 << men::WAIT]),
            at_first: i16x8::ZERO,
        };
        // So many that none is taken from nothing.
        let many = [64u8; 16];
        let before = all.of(&many);
        let changes = core::array::from_fn(|event| {
            let mut numbers = Numbers { sides: bytemuck::cast(many) };
            let mover = if event >> men::WAIT == 0 { 0 } else { 8 };
            numbers.apply(event as u16 & men::KIND, mover);
            all.of(&numbers.by_man()) - before
        });
        (all.changes, all.at_first) = (Box::new(changes), all.of(&initial.number));
        all
    }

    fn of(&self, numbers: &[u8; 16]) -> i16x8 {
        let sum =
            |weights: &[i16; 16]| weights.iter().zip(numbers).map(|(weight, &number)| weight * i16::from(number)).sum();
        i16x8::new(core::array::from_fn(|lane| sum(&self.weights[lane])))
    }

    /// Those that hold, a bit each in their order.
    #[inline(always)]
    fn holding(&self, sums: i16x8) -> u32 {
        (sums.simd_gt(self.bounds[0]) & sums.simd_lt(self.bounds[1])).to_bitmask()
    }

    /// The same by their numbers in the query.
    fn by_number(&self, holding: u32) -> u64 {
        self.each.iter().enumerate().fold(0, |all, (lane, n)| all | u64::from(holding >> lane & 1) << n)
    }
}

impl Along {
    /// Those of `sorted` that have one of these numbers. `home` are further pawns that are watched.
    pub fn new(source: Source, list: &[u8], sorted: &[Sorted], initial: &Board, home: [u64; 2]) -> Along {
        let one = |&n: &u8| {
            let predicate = sorted[usize::from(n)].clone();
            One { n, asked: Numbers::asked(predicate.depends), predicate }
        };
        let mut each: Vec<One> = list.iter().map(one).collect();
        let depends: Change = each.iter().fold(0, |all, one| all | one.predicate.depends);
        let pawns = [0, 1].map(|side| each.iter().fold(0, |all, one| all | one.predicate.pawns[side]));
        let bits = list.iter().fold(0, |all, n| all | 1 << n);
        let asked = Numbers::asked(depends);
        let pawns = [pawns[0] | home[0], pawns[1] | home[1]];
        let men = |event: men::Event| either(|mover| Numbers::of(initial).apply(event, mover).concerns(asked));
        let mut sums = Vec::new();
        if source == Source::Numbers {
            let (linear, others): (Vec<One>, Vec<One>) =
                each.into_iter().partition(|one| one.predicate.sum().is_some());
            let linear: Vec<_> = linear
                .iter()
                .filter_map(|one| one.predicate.sum().map(|(weights, least, most)| (one.n, weights, least, most)))
                .collect();
            sums = linear.chunks(8).map(|sums| Sums::new(sums, initial)).collect();
            each = others;
        }
        let mut along = Along {
            each,
            sums,
            bits,
            asked,
            at_first: 0,
            men_events: Box::new(core::array::from_fn(|event| men(event as u16 & men::KIND))),
            pawn_events: pawn_events_on(pawns, source == Source::Files),
            files: pawns
                .map(|pawns| (0..8).fold(0, |all, file| all | u64::from(pawns & FILE_A << file != 0) << (8 * file))),
        };
        along.at_first = along.holding(initial);
        along
    }

    /// Those that hold on `board`, by number.
    fn holding(&self, board: &Board) -> u64 {
        let each = self.each.iter().fold(0, |all, one| all | u64::from(one.predicate.test(board)) << one.n);
        let sums = self.sums.iter().map(|sums| sums.by_number(sums.holding(sums.of(&board.number))));
        sums.fold(each, |all, sums| all | sums)
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
#[inline(never)]
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
    let (number, seen) = keep::<{ men::WAIT }>(course.men, &along.men_events, first, plies, kept);
    for sums in &along.sums {
        let mut now = if usual { sums.at_first } else { sums.of(&board.number) };
        let mut held = sums.holding(now);
        for &one in &kept[..number] {
            let (ply, event) = ((one >> 16) as usize, one as u16);
            now += sums.changes[usize::from(event & men::KIND) | usize::from(mover(first, ply)) << (men::WAIT - 3)];
            let holds = sums.holding(now);
            if holds != held {
                holding.turn(sums.by_number(holds ^ held), ply - 1);
                held = holds;
            }
        }
    }
    if !along.each.is_empty() {
        for &one in &kept[..number] {
            let (ply, event) = ((one >> 16) as usize, one as u16);
            let men = numbers.apply_asked(event, mover(first, ply), along.asked);
            board.number = numbers.by_man();
            holding.test(along, board, ply, |one| men.concerns(one.asked));
        }
    }
    holding.turn(holding.now, plies);
    seen
}

/// The same along the changes of the pawns. `go_on` is asked after each, with what it was; where it refuses, no predicate holds any more.
#[inline(never)]
pub(super) fn walk_pawns(
    along: &Along,
    game: &Walked<'_>,
    board: &mut Board,
    sets: (&mut [u64], usize),
    kept: &mut Vec<u32>,
    mut go_on: impl FnMut([u64; 2]) -> bool,
) -> usize {
    let Walked { course, plies, first, usual } = *game;
    let now = if usual { along.at_first } else { along.holding(board) };
    let mut holding = Holding::new(sets, now);
    let mut pawns = [board.of[1], board.of[9]];
    let (number, seen) = keep::<{ pawns::WAIT }>(course.pawns, &along.pawn_events, first, plies, kept);
    let mut end = plies;
    for &one in &kept[..number] {
        let (ply, event) = ((one >> 16) as usize, one as u16);
        let moved = pawns::change(event, mover(first, ply));
        pawns = [pawns[0] ^ moved[0], pawns[1] ^ moved[1]];
        (board.of[1], board.of[9]) = (pawns[0], pawns[1]);
        let touches = |one: &One| moved[0] & one.predicate.pawns[0] | moved[1] & one.predicate.pawns[1] != 0;
        holding.test(along, board, ply, touches);
        if !go_on(moved) {
            end = ply - 1;
            break;
        }
    }
    holding.turn(holding.now, end);
    seen
}

/// Numbers of pawns on the files: a byte a file, the a-file lowest, White's in the lower half of it and Black's in the upper.
type OnFiles = u64;

/// Which predicates hold for some numbers of pawns on the files.
///
/// PERF: of what concerns a query there are few cases, so most are met again and again.
pub(super) struct Cases(Vec<(OnFiles, u64)>);

/// More than are met on three files, a power of two.
const CASES: usize = 4096;

impl Cases {
    pub fn new() -> Cases {
        // No file has so many pawns.
        Cases(vec![(u64::MAX, 0); CASES])
    }

    #[inline(always)]
    fn holding(&mut self, numbers: OnFiles, along: &Along, board: &mut Board) -> u64 {
        let hash = numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - CASES.trailing_zeros());
        let case = &mut self.0[hash as usize & (CASES - 1)];
        if case.0 != numbers {
            *case = (numbers, tested(numbers, along, board));
        }
        case.1
    }
}

/// The same, tested on a board where the pawns of a file stand one on the other.
#[cold]
fn tested(numbers: OnFiles, along: &Along, board: &mut Board) -> u64 {
    let piled = |side: u32| {
        let files = (0..8).map(|file| (file, numbers >> (8 * file + 4 * side) & 15));
        files.fold(0, |all, (file, number)| {
            (1..=number.min(6)).fold(all, |all, rank| all | 1 << (8 * rank + file as u64))
        })
    };
    (board.of[1], board.of[9]) = (piled(0), piled(1));
    along.holding(board)
}

fn on_files(pawns: [u64; 2]) -> OnFiles {
    let number = |side: usize, file: usize| u64::from((pawns[side] & FILE_A << file).count_ones());
    (0..8).fold(0, |all, file| all | (number(0, file) | number(1, file) << 4) << (8 * file))
}

/// The same along the changes that take a pawn from its file, for predicates that ask only how many pawns there are on a file.
#[inline(never)]
pub(super) fn walk_files(
    along: &Along,
    game: &Walked<'_>,
    board: &mut Board,
    sets: (&mut [u64], usize),
    (kept, cases): (&mut Vec<u32>, &mut Cases),
) -> usize {
    let Walked { course, plies, first, usual } = *game;
    let of_all = if usual { 0x1111_1111_1111_1111 } else { on_files([board.of[1], board.of[9]]) };
    // Of the other files not all is told.
    let mut numbers = of_all & (along.files[0] | along.files[1] << 4).wrapping_mul(15);
    let now = if usual { along.at_first } else { along.holding(board) };
    let mut holding = Holding::new(sets, now);
    let (number, seen) = keep::<{ pawns::WAIT }>(course.pawns, &along.pawn_events, first, plies, kept);
    for &one in &kept[..number] {
        let (ply, event) = ((one >> 16) as usize, one as u16);
        let mover = mover(first, ply);
        let [leaves, comes, taken] = pawns::on_files(event, mover);
        let side = usize::from(mover >> 3 & 1);
        let (own, other) = (along.files[side], along.files[side ^ 1]);
        let of_mover = (comes & own).wrapping_sub(leaves & own) << (4 * side);
        numbers = numbers.wrapping_add(of_mover).wrapping_sub((taken & other) << (4 * (side ^ 1)));
        let changed = cases.holding(numbers, along, board) ^ holding.now;
        if changed != 0 {
            holding.turn(changed, ply - 1);
        }
    }
    holding.turn(holding.now, plies);
    seen
}

/// Of each kind of event, whether it concerns somebody when White moves (bit 0), and when Black (bit 1). As long for either stream, so that
/// no place in it need be checked.
pub(super) type Concerns = [u8; 1 << 10];

/// Keeps the events that concern somebody, ply above event. The waits are above bit `WAIT`, the kinds below. Returns how many there are, and
/// how many there were.
///
/// PERF: a function by itself, so that all it has at hand stays in registers.
#[inline(never)]
fn keep<const WAIT: u32>(
    events: &[u16],
    concerns: &Concerns,
    first: u8,
    plies: usize,
    kept: &mut Vec<u32>,
) -> (usize, usize) {
    if kept.len() < events.len() {
        kept.resize(events.len(), 0);
    }
    let kept = &mut kept[..events.len()];
    let black_at_even = u32::from(first >> 3) ^ 1;
    let plies = plies as u32;
    let (mut ply, mut number, mut seen) = (0u32, 0, 0);
    for &event in events {
        ply += u32::from(event >> WAIT);
        if ply > plies {
            break;
        }
        kept[number] = ply << 16 | u32::from(event);
        let kind = usize::from(event) & ((1 << WAIT) - 1);
        number += usize::from(concerns[kind & 1023] >> ((ply ^ black_at_even) & 1) & 1);
        seen += 1;
    }
    (number, seen)
}

/// Walks both streams together: for predicates that ask about both.
#[inline(never)]
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
