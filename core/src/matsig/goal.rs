//! A goal prepared for a scan: two tests of a few nanoseconds that say when it is out of reach.
//!
//! [`can_reach`](super::reach::can_reach) weighs one position against another. A scan asks the same goal about each
//! game, before the first move by the game's last signature and during it by the state of the board, so whatever
//! depends on the goal alone is laid out here once: how far pawns of the goal can have gone, and where they can have
//! come from, with no capture, with one, up to five. Both tests say "no" only where no position can ever satisfy the
//! goal; they say "yes" more often than `can_reach`.

use shakmaty::{Color, Role};

use super::reach::{FILE_A, ROOM, counts, number, sum};
use super::{Kind, MatSig, PAWNS};
use crate::board::{man, side};

/// What a goal asks of the men on the board. Numbers are indexed by [`Man`](crate::board::Man), those of kings are not
/// looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Squares where White's pawns must stand, and where Black's.
    pub required: [u64; 2],
    /// Squares where White's pawns may stand, and where Black's.
    pub allowed: [u64; 2],
    /// Men at least.
    pub least: [u8; 16],
    /// Men at most.
    pub most: [u8; 16],
}

impl Default for Asked {
    /// Nothing is asked.
    fn default() -> Asked {
        Asked { required: [0; 2], allowed: [u64::MAX; 2], least: [0; 16], most: [u8::MAX; 16] }
    }
}

/// What a scan looks for, prepared.
///
/// ```
/// use plyfold_core::board::Board;
/// use plyfold_core::matsig::MatSig;
/// use plyfold_core::matsig::goal::{Asked, Goal};
/// // Two white pawns at most, none of them on its home rank.
/// let mut asked = Asked::default();
/// asked.most[1] = 2;
/// asked.allowed[0] &= !0xff00;
/// let goal = Goal::bounds(&asked);
/// // A game that ends with eight pawns never had two.
/// assert!(!goal.survives_early(&MatSig::INITIAL));
/// // From the start it is still possible.
/// let board = Board::initial();
/// assert!(goal.survives_late(board.of[1], board.of[9], &board.number));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    sides: [Side; 2],
}

/// The goal for one side.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Side {
    /// Pawns that must stand, and those of them on their home rank.
    required: u64,
    home: u64,
    /// Squares from which a pawn can still come to one that is allowed, with up to so many captures.
    sources: [u64; WIDTHS],
    /// Squares to which a pawn can have gone on from one that is allowed, with up to so many captures.
    reached: [u64; WIDTHS],
    least_pawns: i32,
    most_pawns: i32,
    /// Men but kings.
    least_men: i32,
    most_men: i32,
    /// Knights, bishops, rooks and queens at least: the bytes of their role codes.
    least: u64,
    /// Men at most, as [`counts`] lays them out; three is any number.
    most: u32,
}

/// A bitboard moved towards the last rank, or towards the first.
type Shift = fn(u64, u32) -> u64;

/// No captures, one, up to five: a pawn has no more ranks to go aside.
const WIDTHS: usize = 6;
/// The bytes of knights, bishops, rooks and queens.
const OFFICERS: u64 = 0x0000_7f7f_7f7f_0000;
/// The same and pawns.
const MEN: u64 = 0x0000_7f7f_7f7f_7f00;
const BYTES: u64 = 0x0101_0101_0101_0101;

impl Goal {
    /// The goal of having this signature; its steps are not looked at. Three men of a kind are three or more.
    pub fn exact(signature: &MatSig) -> Goal {
        let mut asked = Asked::default();
        let mut colours = [0; 2];
        for colour in [Color::White, Color::Black] {
            let at = usize::from(side(colour)) / 8;
            let pawns = signature.pawns(colour);
            (asked.required[at], asked.allowed[at]) = (pawns, pawns);
            colours[at] = counts(signature.side(colour));
            let count = |kind| signature.count(colour, kind);
            let bishops = [count(Kind::LightBishop), count(Kind::DarkBishop)];
            for (role, least, many) in [
                (Role::Knight, count(Kind::Knight), count(Kind::Knight) == 3),
                (Role::Bishop, bishops[0] + bishops[1], bishops.contains(&3)),
                (Role::Rook, count(Kind::Rook), count(Kind::Rook) == 3),
                (Role::Queen, count(Kind::Queen), count(Kind::Queen) == 3),
            ] {
                let code = usize::from(man(colour, role));
                (asked.least[code], asked.most[code]) = (least, if many { u8::MAX } else { least });
            }
        }
        let mut goal = Goal::bounds(&asked);
        for (side, most) in goal.sides.iter_mut().zip(colours) {
            side.most = most;
        }
        goal
    }

    /// The goal of men between bounds. What contradicts itself is survived by few games or none.
    pub fn bounds(asked: &Asked) -> Goal {
        Goal { sides: [Side::new(asked, Color::White), Side::new(asked, Color::Black)] }
    }

    /// Whether a game whose last position has the signature `last` may have satisfied the goal.
    #[inline]
    pub fn survives_early(&self, last: &MatSig) -> bool {
        self.survives_game(last, [i32::MAX; 2])
    }

    /// The same of a game in which White, and Black, promoted so many pawns at most.
    #[inline]
    pub fn survives_game(&self, last: &MatSig, [by_white, by_black]: [i32; 2]) -> bool {
        let [white, black] = &self.sides;
        let up = |word: u64| word & PAWNS;
        let down = |word: u64| (word & PAWNS).swap_bytes() >> 16;
        let (Some(lost_by_white), Some(lost_by_black)) = (
            white.lost_until(last.white, up(last.white), by_white),
            black.lost_until(last.black, down(last.black), by_black),
        ) else {
            return false;
        };
        white.went_on(last.white, lost_by_black) && black.went_on(last.black, lost_by_white)
    }

    /// Whether a game may satisfy the goal from here on: pawns as bitboards, men as
    /// [`Board::number`](crate::board::Board::number) has them.
    #[inline]
    pub fn survives_late(&self, white_pawns: u64, black_pawns: u64, numbers: &[u8; 16]) -> bool {
        let [white, black] = &self.sides;
        if white.home & !white_pawns | black.home & !black_pawns != 0 {
            return false;
        }
        let (Some(lost_by_white), Some(lost_by_black)) = (white.to_lose(numbers, 0), black.to_lose(numbers, 8)) else {
            return false;
        };
        white.can_still(white_pawns, lost_by_black, |pawns, ranks| pawns << (8 * ranks))
            && black.can_still(black_pawns, lost_by_white, |pawns, ranks| pawns >> (8 * ranks))
    }
}

impl Side {
    fn new(asked: &Asked, colour: Color) -> Side {
        let (at, base) = (usize::from(side(colour)) / 8, usize::from(side(colour)));
        let field = PAWNS << 8;
        let (required, allowed) = (asked.required[at], asked.allowed[at] & field);
        let home = required & if colour.is_white() { 0xff << 8 } else { 0xff << 48 };
        let (forwards, backwards): (Shift, Shift) = (|squares, by| squares << by, |squares, by| squares >> by);
        let (forwards, backwards) = if colour.is_white() { (forwards, backwards) } else { (backwards, forwards) };
        let number_of = |numbers: &[u8; 16], role| i32::from(numbers[base + role as usize]);
        let officers = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        // A pawn where none can stand is never there.
        let least_pawns = if required & !field == 0 { required.count_ones() as i32 } else { ROOM + 1 };
        let least_pawns = least_pawns.max(number_of(&asked.least, Role::Pawn));
        let most_pawns = number_of(&asked.most, Role::Pawn).min(allowed.count_ones() as i32);
        let men = |numbers, pawns| officers.iter().fold(pawns, |men, &role| men + number_of(numbers, role));
        let most = |role| (number_of(&asked.most, role).min(3)) as u32;
        let bishops = most(Role::Bishop);
        Side {
            required,
            home,
            sources: widening(allowed, backwards),
            reached: widening(allowed, forwards).map(|squares| squares >> 8),
            least_pawns,
            most_pawns,
            least_men: men(&asked.least, least_pawns),
            most_men: men(&asked.most, most_pawns).min(ROOM),
            least: officers
                .iter()
                .fold(0, |word, &role| word | (number_of(&asked.least, role).min(0x7f) as u64) << (8 * role as u32)),
            most: most(Role::Knight) | bishops << 4 | most(Role::Queen) << 8 | bishops << 12 | most(Role::Rook) << 16,
        }
    }

    /// Men that this side loses at most from a position of the goal to one with this word, with so many promotions at most; none if
    /// there is no way.
    #[inline(always)]
    fn lost_until(&self, last: u64, upwards: u64, promotions: i32) -> Option<i32> {
        let pawns = number(last & PAWNS);
        let counts = counts(last);
        let difference = (counts | 0x88888) - self.most;
        let grown = difference & 0x88888;
        // What is limited to three or more has no limit, and grows by nothing.
        let promoted = sum(difference & (grown - (grown >> 3)));
        let lost = self.most_men - (pawns + sum(counts));
        // Where steps are known, the side began with eight pawns, and each promotion has taken six steps.
        let steps = (last >> 58) as i32;
        let most_pawns = if steps == 0 { self.most_pawns } else { self.most_pawns.min(8) };
        if promoted > promotions.min(most_pawns - pawns) || lost < 0 {
            return None;
        }
        // PERF: hardly any game has promotions, and steps are dear to add up.
        if promoted > 0 && steps > 0 {
            let stand: i32 = (1..6).map(|rank| rank * (upwards >> (8 * rank) & 0xff).count_ones() as i32).sum();
            let gone = if steps == 48 { 48 - stand } else { steps - 1 - stand };
            if promoted * 6 > gone {
                return None;
            }
        }
        Some(lost)
    }

    /// Whether the pawns of this word can have come from squares that are allowed, with so many captures in all.
    #[inline(always)]
    fn went_on(&self, last: u64, captures: i32) -> bool {
        let mut left = captures;
        for reached in self.reached {
            let further = last & PAWNS & !reached;
            if further == 0 {
                return true;
            }
            left -= number(further);
            if left < 0 {
                return false;
            }
        }
        false
    }

    /// Men that this side can lose from here to the goal; none if there is no way. `base` is where its numbers begin.
    #[inline(always)]
    fn to_lose(&self, numbers: &[u8; 16], base: usize) -> Option<i32> {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&numbers[base..base + 8]);
        let numbers = u64::from_le_bytes(bytes) & MEN;
        const TOP: u64 = 0x8080_8080_8080_8080;
        let difference = (self.least | TOP) - (numbers & OFFICERS);
        let lacking = difference & TOP;
        let promotions = (difference & (lacking - (lacking >> 7))).wrapping_mul(BYTES) >> 56;
        let pawns = (numbers >> 8 & 0xff) as i32;
        let men = (numbers.wrapping_mul(BYTES) >> 56) as i32;
        (promotions as i32 + self.least_pawns <= pawns).then_some(men - self.least_men)
    }

    /// Whether enough of these pawns can come to squares that are allowed, and some to each that is required.
    #[inline(always)]
    fn can_still(&self, pawns: u64, captures: i32, forwards: impl Fn(u64, u32) -> u64) -> bool {
        let missing = self.required & !pawns;
        if missing != 0 {
            let ahead = pawns | forwards(pawns, 1);
            let ahead = ahead | forwards(ahead, 2);
            let ahead = ahead | forwards(ahead, 4);
            if (missing & !ahead).count_ones() as i32 > captures {
                return false;
            }
        }
        let mut left = captures;
        for sources in self.sources {
            let lacking = self.least_pawns - (pawns & sources).count_ones() as i32;
            if lacking <= 0 {
                return true;
            }
            left -= lacking;
            if left < 0 {
                return false;
            }
        }
        false
    }
}

/// Squares that pawns on `squares` can go to by `shift` with no capture, with up to one, and so on.
fn widening(squares: u64, shift: Shift) -> [u64; WIDTHS] {
    let field = PAWNS << 8;
    let file = |nth: u32| FILE_A << 8 << nth;
    let straight = |squares: u64| (1..6).fold(squares, |filled, ranks| filled | shift(squares, 8 * ranks) & field);
    let mut reached = straight(squares);
    core::array::from_fn(|width| {
        if width > 0 {
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
            let reached = widening(1 << from, |squares, ranks| squares << ranks);
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
    fn pawns_where_none_can_stand_are_never_there() {
        let goal = Goal::bounds(&Asked { required: [1, 0], ..Asked::default() });
        let mut numbers = [0; 16];
        numbers[1] = 48;
        assert!(!goal.survives_late(PAWNS << 8, 0, &numbers));
    }
}
