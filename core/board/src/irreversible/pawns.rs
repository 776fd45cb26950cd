//! Changes of pawns: the events that change the pawn structure.
//!
//! ```text
//! bit 0..6    square that a pawn leaves, a2 = 0, b2 = 1 … h7 = 47
//! bit 6..8    move: 0 one step, 1 two steps, 2 captures towards the a-file, 3 captures towards the h-file
//! bit 8..10   0 no other pawn, 1 captures a pawn, 2 captures one en passant, 3 a piece captures the pawn on the square
//! bit 10..16  plies since the event before, or since the start, 1–63
//! ```
//!
//! A pawn that arrives on the last rank is no longer a pawn. An event with `3` in both middle fields is a filler: it adds its plies
//! to those of the next event.

use shakmaty::Role;

pub(crate) use crate::board::make::en_passant_capture_square;
use crate::board::{Board, ColorCode, PieceCode};
use crate::moves::Move;

/// An event, see the [module](self) for its bits.
pub type PawnEvent = u16;

/// The lowest bit of the number of plies; the bits below it say what happens.
pub const GAP_SHIFT: u32 = 10;
/// The bits of an event that say what happens, not when.
pub const KIND_MASK: u16 = (1 << GAP_SHIFT) - 1;
/// The kind of a filler, which only adds plies.
pub const FILLER: u16 = 15 << 6;
/// Ranks 2 to 7.
const PAWN_RANKS: u64 = 0x00ff_ffff_ffff_ff00;

/// Bits 0–10 of the event of `mv`, which captures `taken`.
pub(super) fn event_bits(mv: Move, taken: PieceCode) -> u16 {
    /// The kind of move, by the difference of its squares.
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

/// Plies since the event before.
#[inline(always)]
pub const fn gap(event: PawnEvent) -> usize {
    (event >> GAP_SHIFT) as usize
}

/// Returns how many ranks the mover's pawn advances; 0 if no pawn moves.
#[inline(always)]
pub(crate) const fn ranks_advanced(event: PawnEvent) -> u32 {
    match (event >> 8 & 3, event >> 6 & 3) {
        (3, _) => 0,
        (_, 1) => 2,
        _ => 1,
    }
}

/// The files on which pawns change, 0–7; the same file twice if it is only one.
#[inline(always)]
pub(crate) const fn files_changed(event: PawnEvent) -> [usize; 2] {
    let (file, direction) = ((event & 7) as usize, event >> 6 & 3);
    // PERF: no branch, since it would be unpredictable.
    let target_file = file + (direction == 3) as usize + 8 - (direction == 2) as usize;
    [file, target_file & 7]
}

/// Returns how an event of a move of `mover` (0 or 8) changes the number of pawns on each file. The three words are the file that a
/// pawn of the mover leaves, the file to which it comes, and the file on which a pawn of the other side is captured. Each has one
/// byte for each file, the a-file lowest; at most one byte is 1, the others are 0.
///
/// PERF: no branch, since captures are unpredictable.
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
    // A piece captures the pawn on the square itself.
    let taken_on = if captured_pawn == 3 { file } else { aside };
    [moves << (8 * file), stays << (8 * aside), taken << (8 * taken_on)]
}

/// The squares on which White's and Black's pawns change by an event of a move of `mover`.
#[inline(always)]
pub fn changed_squares(event: PawnEvent, mover: ColorCode) -> [u64; 2] {
    /// What changes, for bits 6–10 of the event and the mover. An entry has how far to rotate the square's bit for the square of
    /// arrival and for the captured pawn; then two masks, which are all ones if a pawn of the mover changes, and if a pawn of the
    /// other side does.
    const DELTAS: [[PawnDelta; 16]; 2] = {
        const STEP: [u32; 4] = [8, 16, 7, 9];
        let mut ways = [[PawnDelta { to: 0, taken: 0, own: 0, other: 0 }; 16]; 2];
        let mut side = 0;
        while side < 2 {
            let mut bits = 0;
            while bits < 15 {
                let (way, other) = (bits & 3, bits >> 2);
                // For both sides, a step towards the a-file decreases the square number by one.
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

/// Steps through the events of a game.
pub struct PawnEventCursor<'a> {
    pawns: [u64; 2],
    events: core::slice::Iter<'a, PawnEvent>,
    first_mover: ColorCode,
    ply: usize,
}

impl<'a> PawnEventCursor<'a> {
    /// A cursor before the first ply of a game that starts on `start`.
    pub fn at_start(start: &Board, events: &'a [PawnEvent]) -> PawnEventCursor<'a> {
        PawnEventCursor { pawns: start.pawns(), events: events.iter(), first_mover: start.turn, ply: 0 }
    }

    /// The ply of the next event; `usize::MAX` after the last.
    #[inline(always)]
    pub fn next_ply(&self) -> usize {
        self.events.as_slice().first().map_or(usize::MAX, |&event| self.ply + gap(event))
    }

    /// Applies the next event.
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
