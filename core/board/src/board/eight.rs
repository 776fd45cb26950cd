//! Eight boards at once: the squares that their pieces attack are found together, a word for each board.
//!
//! PERF: a shift of eight words by the same number of squares is one instruction on a processor with AVX-512, two with AVX2 and four
//! without, so the rays of eight boards cost hardly more than those of one. The work of a scan that asks many features of the same
//! positions is done in this way; `attacks` does it for a single board.

use core::ops::{BitAnd, BitOr, BitOrAssign, Not, Shl, Shr};

use shakmaty::{Color, Role};

use super::attacks::{FILES_AB, FILES_GH};
use super::make::{FILE_A, FILE_H};
use super::vectors::by_vectors;
use super::{Board, PieceCode};

/// A set of squares on each of eight boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EightSets(pub [u64; 8]);

impl EightSets {
    /// The same squares on each board.
    #[inline(always)]
    pub fn splat(squares: u64) -> EightSets {
        EightSets([squares; 8])
    }

    #[inline(always)]
    fn zip(self, other: EightSets, operation: impl Fn(u64, u64) -> u64) -> EightSets {
        let mut all = EightSets::default();
        let mut nth = 0;
        // PERF: an iterator is not inlined everywhere.
        while nth < 8 {
            all.0[nth] = operation(self.0[nth], other.0[nth]);
            nth += 1;
        }
        all
    }

    #[inline(always)]
    fn map(self, operation: impl Fn(u64) -> u64) -> EightSets {
        self.zip(self, |one, _| operation(one))
    }
}

impl BitAnd for EightSets {
    type Output = EightSets;

    #[inline(always)]
    fn bitand(self, other: EightSets) -> EightSets {
        self.zip(other, |one, other| one & other)
    }
}

impl BitAnd<u64> for EightSets {
    type Output = EightSets;

    #[inline(always)]
    fn bitand(self, squares: u64) -> EightSets {
        self.map(|one| one & squares)
    }
}

impl BitOr for EightSets {
    type Output = EightSets;

    #[inline(always)]
    fn bitor(self, other: EightSets) -> EightSets {
        self.zip(other, |one, other| one | other)
    }
}

impl BitOrAssign for EightSets {
    #[inline(always)]
    fn bitor_assign(&mut self, other: EightSets) {
        *self = *self | other;
    }
}

impl Not for EightSets {
    type Output = EightSets;

    #[inline(always)]
    fn not(self) -> EightSets {
        self.map(|one| !one)
    }
}

impl Shl<u32> for EightSets {
    type Output = EightSets;

    #[inline(always)]
    fn shl(self, bits: u32) -> EightSets {
        self.map(|one| one << bits)
    }
}

impl Shr<u32> for EightSets {
    type Output = EightSets;

    #[inline(always)]
    fn shr(self, bits: u32) -> EightSets {
        self.map(|one| one >> bits)
    }
}

/// The pieces of eight boards.
#[derive(Clone, Debug, Default)]
pub struct EightBoards {
    pieces: [EightSets; 16],
}

/// What the pieces of one side attack on eight boards.
#[derive(Clone, Copy, Debug)]
pub struct EightAttacks {
    /// What rooks and queens attack along files and ranks.
    pub straight: EightSets,
    /// What bishops and queens attack along diagonals.
    pub diagonal: EightSets,
    /// What any piece attacks.
    pub all: EightSets,
    /// What two or more pieces attack.
    pub twice: EightSets,
}

impl EightBoards {
    /// Takes the pieces of a board, whose bitboards are up to date.
    #[inline(always)]
    pub fn set(&mut self, nth: usize, board: &Board) {
        for (of_code, squares) in self.pieces.iter_mut().zip(board.bitboards.as_array()) {
            of_code.0[nth % 8] = *squares;
        }
    }

    /// Puts its pieces on a board, as far as bitboards have them.
    #[inline(always)]
    pub fn copy_to(&self, nth: usize, board: &mut Board) {
        for (squares, of_code) in board.bitboards.as_array_mut().iter_mut().zip(&self.pieces) {
            *squares = of_code.0[nth % 8];
        }
    }

    /// The squares of the pieces of `colour` and `role`.
    #[inline(always)]
    pub fn pieces(&self, colour: Color, role: Role) -> EightSets {
        self.pieces[PieceCode::new(colour, role).index()]
    }

    /// All squares with a piece of `colour`.
    #[inline(always)]
    pub fn occupied_by(&self, colour: Color) -> EightSets {
        let mut all = self.pieces(colour, Role::King);
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            all |= self.pieces(colour, role);
        }
        all
    }

    /// The side's pieces that move along files and ranks, and those that move along diagonals.
    #[inline(always)]
    pub fn sliders(&self, colour: Color) -> [EightSets; 2] {
        let queens = self.pieces(colour, Role::Queen);
        [self.pieces(colour, Role::Rook) | queens, self.pieces(colour, Role::Bishop) | queens]
    }

    #[inline(always)]
    fn empty(&self) -> EightSets {
        !(self.occupied_by(Color::White) | self.occupied_by(Color::Black))
    }

    /// Finds what the pieces of a side attack; rays stop at every piece.
    pub fn attacks_of(&self, colour: Color) -> EightAttacks {
        by_vectors(
            #[inline(always)]
            || self.attacks_of_side(colour),
        )
    }

    #[inline(always)]
    fn attacks_of_side(&self, colour: Color) -> EightAttacks {
        let ([straight, diagonal], empty) = (self.sliders(colour), self.empty());
        let (mut all, mut lines) = (Several::default(), [EightSets::default(); 2]);
        for line in STRAIGHT {
            let attacked = line.rays(straight, empty);
            lines[0] |= attacked;
            all.add(attacked);
        }
        for line in DIAGONAL {
            let attacked = line.rays(diagonal, empty);
            lines[1] |= attacked;
            all.add(attacked);
        }
        let (kings, pawns) = (self.pieces(colour, Role::King), self.pieces(colour, Role::Pawn));
        for line in LINES {
            all.add(line.step(kings));
        }
        for line in if colour.is_white() { CAPTURES_UPWARDS } else { CAPTURES_DOWNWARDS } {
            all.add(line.step(pawns));
        }
        for leap in LEAPS {
            all.add(leap.step(self.pieces(colour, Role::Knight)));
        }
        EightAttacks { straight: lines[0], diagonal: lines[1], all: all.once, twice: all.twice }
    }

    /// Finds the side's sliders, knights, pawns and kings that attack two or more targets. There are targets for pawns, for knights
    /// and the diagonals of sliders, and for kings and the straight lines of sliders.
    pub fn attackers_of_several(&self, colour: Color, targets: [EightSets; 3]) -> EightSets {
        by_vectors(
            #[inline(always)]
            || self.attackers_of_targets(colour, targets),
        )
    }

    #[inline(always)]
    fn attackers_of_targets(&self, colour: Color, [of_pawns, of_diagonals, of_straight]: [EightSets; 3]) -> EightSets {
        let ([straight, diagonal], empty) = (self.sliders(colour), self.empty());
        let (knights, kings) = (self.pieces(colour, Role::Knight), self.pieces(colour, Role::King));
        let mut all = Several::default();
        for line in STRAIGHT {
            all.add(line.rays(of_straight, empty) & straight);
        }
        for line in DIAGONAL {
            all.add(line.rays(of_diagonals, empty) & diagonal);
        }
        for leap in LEAPS {
            all.add(leap.step(of_diagonals) & knights);
        }
        for line in LINES {
            all.add(line.step(of_straight) & kings);
        }
        // A pawn attacks what stands a step against its captures.
        for line in if colour.is_white() { CAPTURES_DOWNWARDS } else { CAPTURES_UPWARDS } {
            all.add(line.step(of_pawns) & self.pieces(colour, Role::Pawn));
        }
        all.twice
    }

    /// Finds targets behind others: those that a slider of the side would reach first on its line if the target in front of it were
    /// not there. There are targets in front for the straight lines, and for the diagonals.
    pub fn targets_behind(
        &self,
        colour: Color,
        [straight_fronts, diagonal_fronts]: [EightSets; 2],
        targets: EightSets,
    ) -> EightSets {
        by_vectors(
            #[inline(always)]
            || {
                let ([straight, diagonal], empty) = (self.sliders(colour), self.empty());
                let mut behind = EightSets::default();
                for line in STRAIGHT {
                    behind |= line.rays(line.rays(straight, empty) & straight_fronts, empty);
                }
                for line in DIAGONAL {
                    behind |= line.rays(line.rays(diagonal, empty) & diagonal_fronts, empty);
                }
                behind & targets
            },
        )
    }
}

/// The squares that are in one of some sets, and those that are in two or more.
#[derive(Clone, Copy, Default)]
struct Several {
    once: EightSets,
    twice: EightSets,
}

impl Several {
    #[inline(always)]
    fn add(&mut self, squares: EightSets) {
        self.twice |= self.once & squares;
        self.once |= squares;
    }
}

/// A step to another square: its number of bits, and the squares that are never reached by it.
#[derive(Clone, Copy)]
struct Step {
    bits: i32,
    beyond: u64,
}

const STRAIGHT: [Step; 4] = [step(1, FILE_A), step(-1, FILE_H), step(8, 0), step(-8, 0)];
const DIAGONAL: [Step; 4] = [step(9, FILE_A), step(-9, FILE_H), step(7, FILE_H), step(-7, FILE_A)];
const LINES: [Step; 8] =
    [STRAIGHT[0], STRAIGHT[1], STRAIGHT[2], STRAIGHT[3], DIAGONAL[0], DIAGONAL[1], DIAGONAL[2], DIAGONAL[3]];
const CAPTURES_UPWARDS: [Step; 2] = [DIAGONAL[0], DIAGONAL[2]];
const CAPTURES_DOWNWARDS: [Step; 2] = [DIAGONAL[1], DIAGONAL[3]];
const LEAPS: [Step; 8] = [
    step(6, FILES_GH),
    step(10, FILES_AB),
    step(15, FILE_H),
    step(17, FILE_A),
    step(-6, FILES_AB),
    step(-10, FILES_GH),
    step(-15, FILE_A),
    step(-17, FILE_H),
];

const fn step(bits: i32, beyond: u64) -> Step {
    Step { bits, beyond }
}

impl Step {
    #[inline(always)]
    fn shift(self, squares: EightSets, steps: u32) -> EightSets {
        let bits = self.bits.unsigned_abs() * steps;
        if self.bits > 0 { squares << bits } else { squares >> bits }
    }

    /// The squares one step away.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn step(self, from: EightSets) -> EightSets {
        self.shift(from, 1) & !self.beyond
    }

    /// The squares that rays reach through `empty` squares, with the first square that is not empty.
    ///
    /// Every visitor of the page downloads the code, so there it is one function for all lines.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn rays(self, from: EightSets, empty: EightSets) -> EightSets {
        let (mut rays, mut free) = (from, empty & !self.beyond);
        for steps in [1, 2] {
            rays |= free & self.shift(rays, steps);
            free = free & self.shift(free, steps);
        }
        rays |= free & self.shift(rays, 4);
        self.step(rays)
    }
}

#[cfg(test)]
mod tests {
    use core::array;

    use proptest::prelude::*;
    use shakmaty::Bitboard;

    use super::*;
    use crate::board::attacks;

    /// A board with pieces on some of these squares.
    fn board(of_role: [u64; 6], (white, few, fewer): (u64, u64, u64)) -> Board {
        let mut board = Board::initial();
        let mut free = few & fewer;
        for (role, squares) in Role::ALL.into_iter().zip(of_role) {
            for (colour, of_side) in [(Color::White, white), (Color::Black, !white)] {
                board.bitboards[PieceCode::new(colour, role)] = squares & of_side & free;
            }
            free &= !squares;
        }
        board
    }

    fn attacked_from_each(board: &Board, colour: Color) -> impl Iterator<Item = (u64, u64)> + '_ {
        let squares = Bitboard(board.occupied_by(colour)).into_iter().map(|square| 1 << square as u32);
        squares.map(move |square| (square, board.attacked_from(colour, square)))
    }

    proptest! {
        #[test]
        fn eight_boards_are_attacked_like_each(
            of_roles in any::<[[u64; 6]; 8]>(),
            sides in any::<[(u64, u64, u64); 8]>(),
            targets in any::<[[u64; 3]; 8]>(),
        ) {
            let boards: [Board; 8] = array::from_fn(|nth| board(of_roles[nth], sides[nth]));
            let mut eight = EightBoards::default();
            boards.iter().enumerate().for_each(|(nth, board)| eight.set(nth, board));
            for colour in Color::ALL {
                let found = eight.attacks_of(colour);
                // Targets are pieces.
                let targets: [[u64; 3]; 8] = array::from_fn(|nth| targets[nth].map(|some| some & boards[nth].occupied()));
                let sets = array::from_fn(|which| EightSets(array::from_fn(|nth| targets[nth][which])));
                let several = eight.attackers_of_several(colour, sets);
                let behind = eight.targets_behind(colour, [sets[0], sets[1]], sets[2]);
                for (nth, board) in boards.iter().enumerate() {
                    let empty = !board.occupied();
                    prop_assert_eq!(found.all.0[nth], board.attacked_by(colour));
                    let straight = attacks::orthogonal_attacks(board.orthogonal_sliders(colour), empty);
                    let diagonal = attacks::diagonal_attacks(board.diagonal_sliders(colour), empty);
                    prop_assert_eq!([found.straight.0[nth], found.diagonal.0[nth]], [straight, diagonal]);
                    let twice = attacked_from_each(board, colour).fold((0, 0), |(once, twice), (_, attacked)| {
                        (once | attacked, twice | once & attacked)
                    });
                    prop_assert_eq!(found.twice.0[nth], twice.1);
                    let [of_pawns, of_diagonals, of_straight] = targets[nth];
                    let expected = attacked_from_each(board, colour).filter(|&(square, attacked)| {
                        let is = |role| board.pieces(colour, role) & square != 0;
                        let lines = |sliders: u64, attacks: u64| if sliders & square != 0 { attacks } else { 0 };
                        let straight = lines(board.orthogonal_sliders(colour), attacks::orthogonal_attacks(square, empty));
                        let diagonal = lines(board.diagonal_sliders(colour), attacks::diagonal_attacks(square, empty));
                        let targets = match () {
                            () if is(Role::Pawn) => attacked & of_pawns,
                            () if is(Role::Knight) => attacked & of_diagonals,
                            () if is(Role::King) => attacked & of_straight,
                            // What is a target on both lines counts on each.
                            () => straight & of_straight | diagonal & of_diagonals,
                        };
                        targets.count_ones() >= 2
                    });
                    prop_assert_eq!(several.0[nth], expected.map(|(square, _)| square).sum::<u64>());
                    let beyond = |sliders: u64, fronts: u64, attacks: fn(u64, u64) -> u64| {
                        Bitboard(sliders).into_iter().map(|slider| 1 << slider as u32).fold(0, |all, slider| {
                            let attacked = attacks(slider, empty);
                            Bitboard(attacked & fronts).into_iter().fold(all, |all, front| {
                                all | attacks(slider, empty | 1 << front as u32) & !attacked
                            })
                        })
                    };
                    let by_each = beyond(board.orthogonal_sliders(colour), targets[nth][0], attacks::orthogonal_attacks)
                        | beyond(board.diagonal_sliders(colour), targets[nth][1], attacks::diagonal_attacks);
                    prop_assert_eq!(behind.0[nth], by_each & targets[nth][2]);
                }
            }
        }
    }
}
