//! Changes of the pawns: how the structure changes.
//!
//! ```text
//! bit 0..6    square that a pawn leaves, a2 = 0, b2 = 1 … h7 = 47
//! bit 6..8    where to: 0 ahead, 1 two ahead, 2 takes towards the a-file, 3 takes towards the h-file
//! bit 8..10   0 no other pawn, 1 takes a pawn, 2 takes one en passant, 3 no pawn moves: a piece takes the one on the square
//! bit 10..16  plies since the event before, or since the start, 1–63
//! ```
//!
//! A pawn that arrives on the last rank is none any more. `3` in both middle fields only fills a longer wait.

use alloc::vec::Vec;

use shakmaty::Role;

pub use crate::board::make::en_passant_capture_square;
use crate::board::{Board, ColorCode, PieceCode};
use crate::moves::Move;

/// An event, see the [module](self) for its bits.
pub type PawnEvent = u16;

const MAX_GAP: usize = 63;
/// Below this bit an event says what happens, from it on when.
pub const GAP_SHIFT: u32 = 10;
/// The bits of an event that say what happens, not when.
pub const KIND_MASK: u16 = (1 << GAP_SHIFT) - 1;
/// What an event says that only fills a longer wait.
pub const FILLER: u16 = 15 << 6;
/// Ranks 2 to 7.
const PAWN_RANKS: u64 = 0x00ff_ffff_ffff_ff00;

/// Bits 0–10 of the event that `mv` is, which takes `taken`.
pub(super) fn event_bits(mv: Move, taken: PieceCode) -> u16 {
    /// Where to, by square of arrival less that of departure.
    const DIRECTIONS: [u8; 64] = {
        let mut ways = [0; 64];
        (ways[16], ways[64 - 16]) = (1, 1);
        (ways[7], ways[64 - 9]) = (2, 2);
        (ways[9], ways[64 - 7]) = (3, 3);
        ways
    };
    let (from, to) = (mv.origin(), mv.target());
    let on = |square: usize| (square.wrapping_sub(8) & 63) as u16;
    if !mv.arrives_as(Role::Pawn) && mv.promoted().is_none() {
        return 3 << 8 | on(to);
    }
    let captured_pawn = if mv.is_en_passant() { 2 } else { u16::from(taken.is(Role::Pawn)) };
    captured_pawn << 8 | u16::from(DIRECTIONS[to.wrapping_sub(from) & 63]) << 6 | on(from)
}

pub(super) fn push_event(events: &mut Vec<PawnEvent>, mut gap: usize, bits: u16) {
    while gap > MAX_GAP {
        events.push((MAX_GAP as u16) << GAP_SHIFT | FILLER);
        gap -= MAX_GAP;
    }
    events.push((gap as u16) << GAP_SHIFT | bits);
}

/// Plies since the event before.
#[inline(always)]
pub const fn gap(event: PawnEvent) -> usize {
    (event >> GAP_SHIFT) as usize
}

/// How many ranks the mover's pawn goes: 0 where none moves.
#[inline(always)]
pub const fn ranks_advanced(event: PawnEvent) -> u32 {
    match (event >> 8 & 3, event >> 6 & 3) {
        (3, _) => 0,
        (_, 1) => 2,
        _ => 1,
    }
}

/// The files on which pawns change, 0–7; twice the same where it is one.
#[inline(always)]
pub const fn files_changed(event: PawnEvent) -> [usize; 2] {
    let (file, direction) = ((event & 7) as usize, event >> 6 & 3);
    // PERF: no branch, since nothing foretells it.
    let target_file = file + (direction == 3) as usize + 8 - (direction == 2) as usize;
    [file, target_file & 7]
}

/// What an event by a move of `mover` does to the numbers of pawns on the files: where one of the mover's leaves, where one
/// comes, and where one of the other side is taken. Each is a byte a file, the a-file lowest, of which one is 1 or none.
///
/// PERF: no branch, since nothing foretells who takes what.
#[inline(always)]
pub const fn file_deltas(event: PawnEvent, mover: ColorCode) -> [u64; 3] {
    const fn one_if(holds: bool) -> u64 {
        holds as u64
    }
    let [file, aside] = files_changed(event);
    let captured_pawn = event >> 8 & 3;
    let moves = one_if(captured_pawn != 3);
    // The rank before the last, counted from the second.
    let stays = moves & one_if((event >> 3 & 7) != if mover.is_black() { 0 } else { 5 });
    let taken = one_if(captured_pawn != 0) & one_if(event >> 6 & 15 != 15);
    // A piece takes on the square itself.
    let taken_on = if captured_pawn == 3 { file } else { aside };
    [moves << (8 * file), stays << (8 * aside), taken << (8 * taken_on)]
}

/// Squares of pawns that change when a move of `mover` brings an event: White's, and Black's.
#[inline(always)]
pub fn changed_squares(event: PawnEvent, mover: ColorCode) -> [u64; 2] {
    /// By bits 6–10 and the mover: by how much to rotate the square's bit for arrival and for the pawn that is taken, and
    /// all ones where a pawn of the mover changes, and where one of the other side does.
    const DELTAS: [[PawnDelta; 16]; 2] = {
        const STEP: [u32; 4] = [8, 16, 7, 9];
        let mut ways = [[PawnDelta { to: 0, taken: 0, own: 0, other: 0 }; 16]; 2];
        let mut side = 0;
        while side < 2 {
            let mut bits = 0;
            while bits < 15 {
                let (way, other) = (bits & 3, bits >> 2);
                // Towards the a-file is down by one in square numbers, whoever moves.
                let step = match (side, way) {
                    (0, _) => STEP[way],
                    (_, 2) => 64 - 9,
                    (_, 3) => 64 - 7,
                    _ => 64 - STEP[way],
                };
                let beside = if way == 2 { 63 } else { 1 };
                ways[side][bits] = PawnDelta {
                    to: step,
                    taken: match other {
                        1 => step,
                        2 => beside,
                        _ => 0,
                    },
                    own: if other == 3 { 0 } else { u64::MAX },
                    other: if other == 0 { 0 } else { u64::MAX },
                };
                bits += 1;
            }
            side += 1;
        }
        ways
    };
    let delta = &DELTAS[mover.index()][usize::from(event >> 6 & 15)];
    let from = 1u64.rotate_left(u32::from(event & 63) + 8);
    let own = (from | from.rotate_left(delta.to)) & delta.own & PAWN_RANKS;
    let other = from.rotate_left(delta.taken) & delta.other & PAWN_RANKS;
    let black = mover.black_mask();
    [own & !black | other & black, own & black | other & !black]
}

#[derive(Clone, Copy)]
struct PawnDelta {
    to: u32,
    taken: u32,
    own: u64,
    other: u64,
}

/// Goes through the events of a game.
pub struct PawnEventCursor<'a> {
    pawns: [u64; 2],
    events: core::slice::Iter<'a, PawnEvent>,
    first_mover: ColorCode,
    ply: usize,
}

impl<'a> PawnEventCursor<'a> {
    /// Before the first ply of a game that starts on `start`.
    pub fn at_start(start: &Board, events: &'a [PawnEvent]) -> PawnEventCursor<'a> {
        PawnEventCursor { pawns: start.pawns(), events: events.iter(), first_mover: start.turn, ply: 0 }
    }

    /// The ply of the next event; `usize::MAX` after the last.
    #[inline(always)]
    pub fn next_ply(&self) -> usize {
        self.events.as_slice().first().map_or(usize::MAX, |&event| self.ply + gap(event))
    }

    /// The next event happens.
    #[inline(always)]
    pub fn advance(&mut self) {
        if let Some(&event) = self.events.next() {
            self.ply += gap(event);
            let mover = super::mover_at(self.first_mover, self.ply);
            let [white, black] = changed_squares(event, mover);
            self.pawns = [self.pawns[0] ^ white, self.pawns[1] ^ black];
        }
    }

    /// White's and Black's pawns, a1 lowest.
    pub fn pawns(&self) -> [u64; 2] {
        self.pawns
    }
}
