//! A reachability target prepared for a scan: two tests of a few nanoseconds say when it is out of reach.
//!
//! [`can_reach`](super::reach::can_reach) compares two positions. A scan tests the same target for each game, before the first
//! move by the signature of the last position and during the game by the board. So everything that depends on the target alone
//! is computed once: where pawns of the target can have gone, and where they can have come from, with no capture, with one, up
//! to five. Both tests say "no" only if no position can satisfy the target; they say "yes" more often than `can_reach`.
//!
//! The squares to which a pawn on c3 can have gone, by the fewest captures, and those from which it can have come:
//!
//! ```text
//! . . . . . . . .      . . . . . . . .
//! 2 1 0 1 2 3 4 .      . . . . . . . .
//! 2 1 0 1 2 3 . .      . . . . . . . .
//! 2 1 0 1 2 . . .      . . . . . . . .
//! . 1 0 1 . . . .      . . . . . . . .
//! . . 0 . . . . .      . . 0 . . . . .
//! . . . . . . . .      . 1 0 1 . . . .
//! . . . . . . . .      . . . . . . . .
//! ```

use shakmaty::{Color, Role};

use super::reach::MAX_PIECES;
use super::side_word::{FILE_A, pawn_count, sum_nibbles, unpack_counts};
use super::{MatSig, PAWN_BITS, SignaturePiece};
use crate::board::{ByPiece, ColorCode, PieceCode};

/// The requirements of a target on the pieces of a board. Counts of kings are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MaterialBounds {
    /// Squares where White's pawns must stand, and where Black's.
    pub required_pawns: [u64; 2],
    /// Squares where White's pawns may stand, and where Black's.
    pub allowed_pawns: [u64; 2],
    /// The fewest pieces of each code.
    pub min_pieces: ByPiece<u8>,
    /// The most pieces of each code.
    pub max_pieces: ByPiece<u8>,
    /// The most pieces of both sides together, without kings.
    pub max_total: u8,
}

impl Default for MaterialBounds {
    /// Bounds that every board satisfies.
    fn default() -> MaterialBounds {
        MaterialBounds {
            required_pawns: [0; 2],
            allowed_pawns: [u64::MAX; 2],
            min_pieces: ByPiece::splat(0),
            max_pieces: ByPiece::splat(u8::MAX),
            max_total: u8::MAX,
        }
    }
}

impl MaterialBounds {
    /// The bounds that a board satisfies if it satisfies both.
    #[must_use]
    pub fn and(self, other: &MaterialBounds) -> MaterialBounds {
        MaterialBounds {
            required_pawns: [0, 1].map(|side| self.required_pawns[side] | other.required_pawns[side]),
            allowed_pawns: [0, 1].map(|side| self.allowed_pawns[side] & other.allowed_pawns[side]),
            min_pieces: ByPiece::from_fn(|code| self.min_pieces[code].max(other.min_pieces[code])),
            max_pieces: ByPiece::from_fn(|code| self.max_pieces[code].min(other.max_pieces[code])),
            max_total: self.max_total.min(other.max_total),
        }
    }

    /// The bounds that both have in common: a board satisfies them if it satisfies either.
    #[must_use]
    pub fn or(self, other: &MaterialBounds) -> MaterialBounds {
        MaterialBounds {
            required_pawns: [0, 1].map(|side| self.required_pawns[side] & other.required_pawns[side]),
            allowed_pawns: [0, 1].map(|side| self.allowed_pawns[side] | other.allowed_pawns[side]),
            min_pieces: ByPiece::from_fn(|code| self.min_pieces[code].min(other.min_pieces[code])),
            max_pieces: ByPiece::from_fn(|code| self.max_pieces[code].max(other.max_pieces[code])),
            max_total: self.max_total.max(other.max_total),
        }
    }
}

/// The material bounds that a scan looks for, prepared.
///
/// ```
/// use plyfold_board::board::{Board, PieceCode};
/// use plyfold_board::matsig::MatSig;
/// use plyfold_board::matsig::target::{MaterialBounds, ReachabilityTarget};
/// // At most two white pawns, none of them on its home rank.
/// let mut bounds = MaterialBounds::default();
/// bounds.max_pieces[PieceCode::WHITE_PAWN] = 2;
/// bounds.allowed_pawns[0] &= !0xff00;
/// let target = ReachabilityTarget::from_bounds(&bounds);
/// // A game that ends with eight pawns never had two.
/// assert!(!target.may_have_been_reached(&MatSig::INITIAL));
/// // From the start it is still possible.
/// let board = Board::initial();
/// assert!(target.can_still_be_reached(board.pawns(), &board.piece_counts));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReachabilityTarget {
    sides: [SideTarget; 2],
    /// The most pieces of both sides together, without kings.
    max_total: i32,
}

/// The target for one side.
#[derive(Clone, PartialEq, Eq, Debug)]
struct SideTarget {
    /// The squares that must have a pawn, and those of them on the home rank.
    required_pawns: u64,
    required_home_pawns: u64,
    /// For each number of captures, the squares from which a pawn can come to an allowed square with at most that number.
    pawn_sources: [u64; CAPTURE_LEVELS],
    /// For each number of captures, the squares to which a pawn can go from an allowed square with at most that number.
    pawn_destinations: [u64; CAPTURE_LEVELS],
    min_pawns: i32,
    max_pawns: i32,
    /// All pieces but the king.
    min_piece_total: i32,
    max_piece_total: i32,
    /// The fewest knights, bishops, rooks and queens, in the bytes of their role codes.
    min_officers: u64,
    /// The most pieces, in the layout of [`unpack_counts`]; three means any number.
    max_counts: u32,
}

/// A bitboard moved towards the last rank, or towards the first.
type ShiftFn = fn(u64, u32) -> u64;

/// No capture, one, up to five: a pawn has only five ranks on which it can go aside.
const CAPTURE_LEVELS: usize = 6;
/// The bytes of knights, bishops, rooks and queens.
const OFFICER_BYTES: u64 = 0x0000_7f7f_7f7f_0000;
/// The bytes of pawns, knights, bishops, rooks and queens.
const NON_KING_BYTES: u64 = 0x0000_7f7f_7f7f_7f00;
const ONE_PER_BYTE: u64 = 0x0101_0101_0101_0101;

impl ReachabilityTarget {
    /// Makes the target of positions with this signature. Its steps are ignored, and three pieces of a kind mean three or more.
    pub fn from_signature(signature: &MatSig) -> ReachabilityTarget {
        let mut bounds = MaterialBounds::default();
        let mut colours = [0; 2];
        for colour in [Color::White, Color::Black] {
            let index = ColorCode::new(colour).index();
            let pawns = signature.pawns(colour);
            (bounds.required_pawns[index], bounds.allowed_pawns[index]) = (pawns, pawns);
            colours[index] = unpack_counts(signature.side(colour));
            let count = |kind| signature.count(colour, kind);
            let bishops = [count(SignaturePiece::LightBishop), count(SignaturePiece::DarkBishop)];
            for (role, least, many) in [
                (Role::Knight, count(SignaturePiece::Knight), count(SignaturePiece::Knight) == 3),
                (Role::Bishop, bishops[0] + bishops[1], bishops.contains(&3)),
                (Role::Rook, count(SignaturePiece::Rook), count(SignaturePiece::Rook) == 3),
                (Role::Queen, count(SignaturePiece::Queen), count(SignaturePiece::Queen) == 3),
            ] {
                let code = PieceCode::new(colour, role);
                (bounds.min_pieces[code], bounds.max_pieces[code]) = (least, if many { u8::MAX } else { least });
            }
        }
        let mut target = ReachabilityTarget::from_bounds(&bounds);
        for (side, most) in target.sides.iter_mut().zip(colours) {
            side.max_counts = most;
        }
        target
    }

    /// Makes the target of positions with pieces within bounds. If the bounds contradict each other, few games or none can reach
    /// it.
    pub fn from_bounds(bounds: &MaterialBounds) -> ReachabilityTarget {
        ReachabilityTarget {
            sides: [SideTarget::new(bounds, Color::White), SideTarget::new(bounds, Color::Black)],
            max_total: bounds.max_total.into(),
        }
    }

    /// Returns whether a game whose last position has the signature `final_signature` may have reached the target.
    #[inline]
    pub fn may_have_been_reached(&self, final_signature: &MatSig) -> bool {
        self.may_have_been_reached_with(final_signature, [i32::MAX; 2])
    }

    /// Returns whether a game with at most these numbers of promotions may have reached the target. The numbers are White's and
    /// Black's; the rest is as in [`may_have_been_reached`](ReachabilityTarget::may_have_been_reached).
    #[inline]
    pub fn may_have_been_reached_with(&self, final_signature: &MatSig, [by_white, by_black]: [i32; 2]) -> bool {
        let [white, black] = &self.sides;
        // Three pieces of a kind mean three or more, so this is the least number of pieces.
        let pieces = |word: u64| pawn_count(word & PAWN_BITS) + sum_nibbles(unpack_counts(word));
        if self.max_total < MAX_PIECES && pieces(final_signature.white) + pieces(final_signature.black) > self.max_total
        {
            return false;
        }
        let white_pawns = |word: u64| word & PAWN_BITS;
        let mirrored_black_pawns = |word: u64| (word & PAWN_BITS).swap_bytes() >> 16;
        let (Some(lost_by_white), Some(lost_by_black)) = (
            white.max_losses_before(final_signature.white, white_pawns(final_signature.white), by_white),
            black.max_losses_before(final_signature.black, mirrored_black_pawns(final_signature.black), by_black),
        ) else {
            return false;
        };
        white.pawns_could_advance_to(final_signature.white, lost_by_black)
            && black.pawns_could_advance_to(final_signature.black, lost_by_white)
    }

    /// Returns whether a game may reach the target from here on. Pawns are bitboards, counts are as in
    /// [`Board::piece_counts`](crate::board::Board::piece_counts).
    #[inline]
    pub fn can_still_be_reached(&self, [white_pawns, black_pawns]: [u64; 2], piece_counts: &ByPiece<u8>) -> bool {
        let [white, black] = &self.sides;
        if white.required_home_pawns & !white_pawns | black.required_home_pawns & !black_pawns != 0 {
            return false;
        }
        let (Some(lost_by_white), Some(lost_by_black)) = (
            white.max_losses_until(piece_counts, ColorCode::WHITE),
            black.max_losses_until(piece_counts, ColorCode::BLACK),
        ) else {
            return false;
        };
        white.pawns_can_reach(white_pawns, lost_by_black, |pawns, ranks| pawns << (8 * ranks))
            && black.pawns_can_reach(black_pawns, lost_by_white, |pawns, ranks| pawns >> (8 * ranks))
    }
}

impl SideTarget {
    fn new(bounds: &MaterialBounds, colour: Color) -> SideTarget {
        let index = ColorCode::new(colour).index();
        let pawn_squares = PAWN_BITS << 8;
        let (required, allowed) = (bounds.required_pawns[index], bounds.allowed_pawns[index] & pawn_squares);
        let home = required & if colour.is_white() { 0xff << 8 } else { 0xff << 48 };
        let (forwards, backwards): (ShiftFn, ShiftFn) = (|squares, by| squares << by, |squares, by| squares >> by);
        let (forwards, backwards) = if colour.is_white() { (forwards, backwards) } else { (backwards, forwards) };
        let piece_count = |numbers: &ByPiece<u8>, role| i32::from(numbers[PieceCode::new(colour, role)]);
        let officers = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        // A pawn cannot stand on the first or last rank, so no number of pawns is enough.
        let least_pawns = if required & !pawn_squares == 0 { required.count_ones() as i32 } else { MAX_PIECES + 1 };
        let least_pawns = least_pawns.max(piece_count(&bounds.min_pieces, Role::Pawn));
        let most_pawns = piece_count(&bounds.max_pieces, Role::Pawn).min(allowed.count_ones() as i32);
        let piece_total =
            |numbers, pawns| officers.iter().fold(pawns, |total, &role| total + piece_count(numbers, role));
        let most = |role| (piece_count(&bounds.max_pieces, role).min(3)) as u32;
        let bishops = most(Role::Bishop);
        SideTarget {
            required_pawns: required,
            required_home_pawns: home,
            pawn_sources: reach_by_captures(allowed, backwards),
            pawn_destinations: reach_by_captures(allowed, forwards).map(|squares| squares >> 8),
            min_pawns: least_pawns,
            max_pawns: most_pawns,
            min_piece_total: piece_total(&bounds.min_pieces, least_pawns),
            max_piece_total: piece_total(&bounds.max_pieces, most_pawns).min(MAX_PIECES),
            min_officers: officers.iter().fold(0, |word, &role| {
                word | (piece_count(&bounds.min_pieces, role).min(0x7f) as u64) << (8 * role as u32)
            }),
            max_counts: most(Role::Knight)
                | bishops << 4
                | most(Role::Queen) << 8
                | bishops << 12
                | most(Role::Rook) << 16,
        }
    }

    /// The most pieces that this side loses between the target and a position with this word. The side promotes at most
    /// `promotions` pawns. None if the position cannot follow the target.
    #[inline(always)]
    fn max_losses_before(&self, final_word: u64, forward_pawns: u64, promotions: i32) -> Option<i32> {
        let pawns = pawn_count(final_word & PAWN_BITS);
        let counts = unpack_counts(final_word);
        let difference = (counts | 0x88888) - self.max_counts;
        let grown_counts = difference & 0x88888;
        // A limit of three or more is no limit, so such a count never grows.
        let promoted_count = sum_nibbles(difference & (grown_counts - (grown_counts >> 3)));
        let lost = self.max_piece_total - (pawns + sum_nibbles(counts));
        // If steps are known, the side began with eight pawns, and each promotion has taken six steps.
        let steps = (final_word >> 58) as i32;
        let most_pawns = if steps == 0 { self.max_pawns } else { self.max_pawns.min(8) };
        if promoted_count > promotions.min(most_pawns - pawns) || lost < 0 {
            return None;
        }
        // PERF: few games have promotions, and adding up steps is expensive.
        if promoted_count > 0 && steps > 0 {
            let standing_steps: i32 =
                (1..6).map(|rank| rank * (forward_pawns >> (8 * rank) & 0xff).count_ones() as i32).sum();
            let vanished_steps = if steps == 48 { 48 - standing_steps } else { steps - 1 - standing_steps };
            if promoted_count * 6 > vanished_steps {
                return None;
            }
        }
        Some(lost)
    }

    /// Whether the pawns of this word can have come from allowed squares, with this number of captures in all.
    #[inline(always)]
    fn pawns_could_advance_to(&self, final_word: u64, captures: i32) -> bool {
        let mut remaining_captures = captures;
        for reached in self.pawn_destinations {
            let unreachable = final_word & PAWN_BITS & !reached;
            if unreachable == 0 {
                return true;
            }
            remaining_captures -= pawn_count(unreachable);
            if remaining_captures < 0 {
                return false;
            }
        }
        false
    }

    /// The pieces that this side can lose from here to the target; none if the target is out of reach.
    #[inline(always)]
    fn max_losses_until(&self, piece_counts: &ByPiece<u8>, side: ColorCode) -> Option<i32> {
        let words: [u64; 2] = bytemuck::cast(*piece_counts.as_array());
        let numbers = u64::from_le(words[side.index()]) & NON_KING_BYTES;
        const TOP: u64 = 0x8080_8080_8080_8080;
        let difference = (self.min_officers | TOP) - (numbers & OFFICER_BYTES);
        let lacking = difference & TOP;
        let promotions = (difference & (lacking - (lacking >> 7))).wrapping_mul(ONE_PER_BYTE) >> 56;
        let pawns = (numbers >> 8 & 0xff) as i32;
        let piece_total = (numbers.wrapping_mul(ONE_PER_BYTE) >> 56) as i32;
        (promotions as i32 + self.min_pawns <= pawns).then_some(piece_total - self.min_piece_total)
    }

    /// Whether enough of these pawns can come to allowed squares, and some pawn to each required square.
    #[inline(always)]
    fn pawns_can_reach(&self, pawns: u64, captures: i32, forwards: impl Fn(u64, u32) -> u64) -> bool {
        let missing = self.required_pawns & !pawns;
        if missing != 0 {
            let ahead = pawns | forwards(pawns, 1);
            let ahead = ahead | forwards(ahead, 2);
            let ahead = ahead | forwards(ahead, 4);
            if (missing & !ahead).count_ones() as i32 > captures {
                return false;
            }
        }
        let mut remaining_captures = captures;
        for sources in self.pawn_sources {
            let lacking = self.min_pawns - (pawns & sources).count_ones() as i32;
            if lacking <= 0 {
                return true;
            }
            remaining_captures -= lacking;
            if remaining_captures < 0 {
                return false;
            }
        }
        false
    }
}

/// The squares to which pawns on `squares` can go by `shift`, with no capture, with at most one, and so on.
fn reach_by_captures(squares: u64, shift: ShiftFn) -> [u64; CAPTURE_LEVELS] {
    let field = PAWN_BITS << 8;
    let file = |nth: u32| FILE_A << 8 << nth;
    let straight = |squares: u64| (1..6).fold(squares, |filled, ranks| filled | shift(squares, 8 * ranks) & field);
    let mut reached = straight(squares);
    core::array::from_fn(|captures| {
        if captures > 0 {
            let aside = (reached & !file(0)) >> 1 | (reached & !file(7)) << 1;
            reached = straight(reached | shift(aside, 8) & field);
        }
        reached
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawns_widen_a_file_a_capture() {
        for from in 8..56i32 {
            let reached = reach_by_captures(1 << from, |squares, ranks| squares << ranks);
            for (width, &reached) in (0..).zip(&reached) {
                let expected = (8..56i32).filter(|to| {
                    let (ranks, files) = (to / 8 - from / 8, (to % 8 - from % 8).abs());
                    ranks >= files && files <= width
                });
                assert_eq!(reached, expected.fold(0, |squares, to| squares | 1u64 << to), "{from} {width}");
            }
        }
    }

    #[test]
    fn a_game_that_ends_with_more_pieces_never_had_so_few() {
        let target = |most: u8| {
            ReachabilityTarget::from_bounds(&MaterialBounds { max_total: most, ..MaterialBounds::default() })
        };
        // A rook of each side and a pawn on e3.
        let last = MatSig::from_parts([1 << 20, 0], [[0, 0, 0, 1, 0]; 2], [None; 2]);
        assert!(!target(2).may_have_been_reached(&last));
        assert!(target(3).may_have_been_reached(&last));
        assert!(target(4).may_have_been_reached(&last));
    }

    #[test]
    fn pawns_where_none_can_stand_are_never_there() {
        let goal =
            ReachabilityTarget::from_bounds(&MaterialBounds { required_pawns: [1, 0], ..MaterialBounds::default() });
        let mut numbers = ByPiece::splat(0);
        numbers[PieceCode::WHITE_PAWN] = 48;
        assert!(!goal.can_still_be_reached([PAWN_BITS << 8, 0], &numbers));
    }
}
