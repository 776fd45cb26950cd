//! Who stands where in the rows of an array, and which of its positions are legal.

use plyfold_core::table::index::MOST_PIECES;
use plyfold_core::table::material::{Material, Men as Numbers};
use shakmaty::Role;

use super::geometry::{GEOMETRY, attacked, king_steps, pawns_attack};

/// A man of either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Man {
    /// Whether it is White's.
    pub white: bool,
    /// What it is.
    pub role: Role,
}

/// Squares of the men that have a dimension.
pub type Men = [u8; MOST_PIECES];

/// An array of positions: men that have a dimension, the last of them the lane, and men that stand still.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Those with a dimension.
    pub men: Vec<Man>,
    /// White pawns.
    pub white_pawns: u64,
    /// Black pawns.
    pub black_pawns: u64,
    /// Another man that stands still.
    pub pinned: Option<(Man, u8)>,
}

impl Shape {
    /// Of which material its positions are.
    #[must_use]
    pub fn material(&self) -> Material {
        let men = |white: bool, pawns: u64| {
            let moving = self.men.iter().copied().chain(self.pinned.map(|(man, _)| man));
            let men = moving.filter(|man| man.white == white).fold(Numbers::default(), |men, man| men.with(man.role));
            (0..pawns.count_ones()).fold(men, |men, _| men.with(Role::Pawn))
        };
        Material { white: men(true, self.white_pawns), black: men(false, self.black_pawns) }
    }

    /// The lane man's number; `None` where only kings move.
    #[must_use]
    pub fn lane(&self) -> Option<usize> {
        self.men.len().checked_sub(1)
    }

    /// Words of a row.
    #[must_use]
    pub fn row_words(&self) -> usize {
        if self.men.is_empty() { 1 } else { 64 }
    }

    /// Men that stand still.
    #[must_use]
    pub fn still(&self) -> u64 {
        self.white_pawns | self.black_pawns | self.pinned.map_or(0, |(_, square)| 1 << square)
    }

    /// All squares with men but those of lane and black king; `None` if two stand on one.
    #[inline(always)]
    #[must_use]
    pub fn occupied(&self, white_king: u8, men: &Men) -> Option<u64> {
        let mut occupied = self.still();
        let mut is_sound = occupied >> white_king & 1 == 0;
        occupied |= 1 << white_king;
        for &square in &men[..self.lane().unwrap_or(0)] {
            is_sound &= occupied >> square & 1 == 0;
            occupied |= 1 << square;
        }
        is_sound.then_some(occupied)
    }

    /// Men of one side but lane and pawns, and where they stand.
    fn standing<'a>(&'a self, men: &'a Men, white: bool) -> impl Iterator<Item = (Role, u8)> + 'a {
        let moving = self.men[..self.lane().unwrap_or(0)].iter().zip(men).map(|(man, square)| (*man, *square));
        moving.chain(self.pinned).filter(move |(man, _)| man.white == white).map(|(man, square)| (man.role, square))
    }

    /// For each lane, the squares on which White attacks a black king: x-rays through the king included, for it moves on.
    #[inline(always)]
    pub fn attacked(&self, white_king: u8, men: &Men, occupied: u64, out: &mut [u64]) {
        let geometry = &**GEOMETRY;
        let still = king_steps(1 << white_king) | pawns_attack(self.white_pawns, true);
        out.fill(still);
        for (role, from) in self.standing(men, true) {
            let reach = attacked(role, from, occupied);
            // Where only kings move there is no lane whose man could stand in the way.
            if !self.men.is_empty() && matches!(role, Role::Queen | Role::Rook | Role::Bishop) {
                for (out, behind) in out.iter_mut().zip(&geometry.behind[usize::from(from)]) {
                    *out |= reach & !behind;
                }
            } else {
                for out in out.iter_mut() {
                    *out |= reach;
                }
            }
        }
        if let Some(lane) = self.lane()
            && self.men[lane].white
        {
            for (square, out) in (0..).zip(out) {
                *out |= attacked(self.men[lane].role, square, occupied);
            }
        }
    }

    /// For each lane, the squares of the black king with which a position with White to move is legal, given what is
    /// attacked.
    #[inline(always)]
    pub fn open(&self, occupied: u64, attacked: &[u64], out: &mut [u64]) {
        if self.men.is_empty() {
            out[0] = !(attacked[0] | occupied);
            return;
        }
        for (square, (out, attacked)) in out.iter_mut().zip(attacked).enumerate() {
            let lane = 1u64 << square;
            *out = if occupied & lane != 0 { 0 } else { !(attacked | occupied | lane) };
        }
    }

    /// For each lane, the squares of the black king with which a position with Black to move is legal.
    #[inline(always)]
    pub fn closed(&self, white_king: u8, men: &Men, occupied: u64, out: &mut [u64]) {
        let geometry = &**GEOMETRY;
        let near = king_steps(1 << white_king);
        let is_pawn_check = pawns_attack(self.black_pawns, false) >> white_king & 1 != 0;
        if is_pawn_check {
            out.fill(0);
            return;
        }
        if self.men.is_empty() {
            out[0] = !(near | occupied);
        } else {
            for (square, out) in out.iter_mut().enumerate() {
                let lane = 1u64 << square;
                *out = if occupied & lane != 0 { 0 } else { !(near | occupied | lane) };
            }
        }
        // A check that the black king itself blocks, or the lane man, is none.
        for (role, from) in self.standing(men, false) {
            if attacked(role, from, occupied) >> white_king & 1 == 0 {
                continue;
            }
            let between = geometry.between[usize::from(from)][usize::from(white_king)];
            for (square, out) in out.iter_mut().enumerate() {
                let is_blocked = !self.men.is_empty() && between >> square & 1 != 0;
                *out &= if is_blocked { u64::MAX } else { between };
            }
        }
        if let Some(lane) = self.lane()
            && !self.men[lane].white
        {
            let mut checks = attacked(self.men[lane].role, white_king, occupied);
            while checks != 0 {
                let square = checks.trailing_zeros() as usize;
                checks &= checks - 1;
                out[square] &= geometry.between[square][usize::from(white_king)];
            }
        }
    }
}
