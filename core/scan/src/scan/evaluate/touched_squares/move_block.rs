//! A move block is 64 packed moves split into bytes, so that comparing bytes gives one bit per ply.

use shakmaty::Bitboard;
use wide::{i8x16, i16x16};

use super::WatchedSquare;

/// The origins, targets and roles of 64 moves, one byte each.
///
/// PERF: the vectors come from the library `wide`, because the compiler turns no loop into a bit mask. Bytes are the elements
/// from which a mask is made.
#[derive(Default)]
pub(super) struct MoveBlock {
    pub from: [i8x16; 4],
    pub to: [i8x16; 4],
    /// The role that arrives, minus 8 if the move is special.
    pub role: [i8x16; 4],
}

/// The byte of en passant captures in [`MoveBlock::role`].
pub(super) const EN_PASSANT: i8 = 1 - 8;

const CASTLING: i8 = 6 - 8;

impl MoveBlock {
    /// Splits the moves into bytes.
    ///
    /// PERF: this is not inlined into the loop that uses the vectors: twelve of them do not fit the registers, and the loop would
    /// hold them twice.
    #[inline(never)]
    fn unpack(&mut self, moves: &[i16; 64]) {
        let square = i16x16::splat(63);
        for (nth, moves) in moves.as_chunks::<16>().0.iter().enumerate() {
            let words = i16x16::new(*moves);
            self.from[nth] = i8x16::from_i16x16_saturate(words & square);
            self.to[nth] = i8x16::from_i16x16_saturate(words >> 6 & square);
            self.role[nth] = i8x16::from_i16x16_saturate(words >> 12);
        }
    }

    /// Splits the 64 moves from `from` on. Returns how many earlier moves are included.
    ///
    /// PERF: the last moves are split together with those before them, which the caller shifts out again, so that nothing is
    /// copied.
    #[inline(always)]
    pub fn unpack_from(&mut self, moves: &[i16], from: usize) -> usize {
        match (moves[from..].first_chunk(), moves.last_chunk()) {
            (Some(whole), _) => self.unpack(whole),
            (None, Some(last)) => {
                self.unpack(last);
                return from + 64 - moves.len();
            }
            (None, None) => {
                let mut short = [0; 64];
                short[..moves.len()].copy_from_slice(moves);
                self.unpack(&short);
            }
        }
        0
    }

    /// Returns the special moves.
    #[inline(always)]
    pub fn special_mask(&self) -> u64 {
        join_masks(self.role.map(i8x16::to_bitmask))
    }

    /// Returns the castlings among the special moves, by bits of [`Board::castled_wings`]; `white` are the moves of White.
    #[inline(always)]
    pub fn castling_masks(&self, specials: u64, white: u64) -> [u64; 4] {
        let castlings = specials & equal_mask(&self.role, i8x16::splat(CASTLING));
        let short = join_masks([0, 1, 2, 3].map(|nth| self.to[nth].simd_gt(self.from[nth]).to_bitmask()));
        [white & short, white & !short, !white & short, !white & !short].map(|wing| castlings & wing)
    }

    /// Returns the moves by which a piece arrives that may stand on `square`; `white` are the moves of White.
    /// Special moves are not included, except perhaps where all pieces of a side are allowed.
    #[inline(always)]
    pub fn arrival_mask(&self, square: &WatchedSquare, white: u64) -> u64 {
        match square.single_piece {
            Some((role, black)) => equal_mask(&self.role, role) & (white ^ black),
            None => arrival_mask_for_set(&self.role, square.allowed, white),
        }
    }
}

/// Returns the same moves for any set of pieces.
#[inline(never)]
fn arrival_mask_for_set(roles_moved: &[i8x16; 4], allowed: u16, white: u64) -> u64 {
    let roles = [allowed as u8 & ALL_ROLES, (allowed >> 8) as u8 & ALL_ROLES];
    if roles.iter().all(|&roles| roles == 0 || roles == ALL_ROLES) {
        return mask_if(roles[0] != 0) & white | mask_if(roles[1] != 0) & !white;
    }
    Bitboard(u64::from(roles[0] | roles[1])).into_iter().fold(0, |all, role| {
        let side = |side: usize| mask_if(roles[side] >> role as u32 & 1 != 0);
        all | equal_mask(roles_moved, i8x16::splat(role as i8)) & (side(0) & white | side(1) & !white)
    })
}

/// The bits of the codes of one side's pieces.
const ALL_ROLES: u8 = 0b0111_1110;

/// Returns which of the 64 bytes of `blocks` equal `bytes`.
#[inline(always)]
pub(super) fn equal_mask(blocks: &[i8x16; 4], bytes: i8x16) -> u64 {
    join_masks(blocks.map(|sixteen| sixteen.simd_eq(bytes).to_bitmask()))
}

/// Joins four masks of sixteen bits.
#[inline(always)]
fn join_masks([a, b, c, d]: [u32; 4]) -> u64 {
    u64::from(a | b << 16) | u64::from(c | d << 16) << 32
}

#[inline(always)]
pub(super) fn mask_if(holds: bool) -> u64 {
    if holds { u64::MAX } else { 0 }
}
