//! `make_move` and its variants.
//!
//! One text serves all: a [`Policy`] says by constants what a move keeps up, and each policy compiles to its own loop.
//! A scan chooses the cheapest policy that its predicates and reducers need, once, at the door.
//!
//! | policy | mailbox | bitboards | numbers of men | rights | clocks | hash |
//! |---|---|---|---|---|---|---|
//! | [`Plies`]   | | | | | | |
//! | [`Pawns`]   | | of pawns | | | | |
//! | [`Mailbox`] | ● | | | | | |
//! | [`Bits`]    | ● | ● | | | | |
//! | [`Tally`]   | ● | ● | ● | | | |
//! | [`Rights`] | ● | ● | | ● | ● | |
//! | [`HashAlone`] | ● | | | ● | | ● |
//! | [`struct@Hash`] | ● | ● | | ● | ● | ● |
//! | [`Whole`]   | ● | ● | ● | ● | ● | ● |
//!
//! The common move is free of branches: a quiet move "captures" man 0, whose bitboard is nobody's. Promotion, en passant,
//! castling and the null move (one ply in fifty) share one marked bit and take the road in [`special`](Board::make).

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Bitboard, CastlingSide, Color, File, Piece, Role, Square};

use super::{Board, CASTLED, Change, NO_SQUARE, PASSED, man, number_of, squares_of};
use crate::moves::Move;

/// What a move keeps up. Each constant adds its cost and nothing else.
pub trait Policy {
    /// The men on their squares.
    const MAILBOX: bool = true;
    /// Bitboards by man.
    const BITS: bool = true;
    /// Bitboards of pawns, where there are no others.
    const PAWNS: bool = false;
    /// How many men of each kind there are.
    const TALLY: bool = false;
    /// Castling rights, en passant.
    const RIGHTS: bool = false;
    /// Both clocks; wants rights.
    const CLOCKS: bool = false;
    /// Zobrist hash; wants rights.
    const HASH: bool = false;
}

/// Nothing: plies are counted by whoever walks.
pub struct Plies;
impl Policy for Plies {
    const MAILBOX: bool = false;
    const BITS: bool = false;
}

/// The bitboards of pawns alone: no mailbox, because whoever arrives on a square takes the pawn that stood there.
pub struct Pawns;
impl Policy for Pawns {
    const MAILBOX: bool = false;
    const BITS: bool = false;
    const PAWNS: bool = true;
}

/// The mailbox alone.
pub struct Mailbox;
impl Policy for Mailbox {
    const BITS: bool = false;
}

/// Mailbox and bitboards.
pub struct Bits;
impl Policy for Bits {}

/// Bitboards and the numbers of men.
pub struct Tally;
impl Policy for Tally {
    const TALLY: bool = true;
}

/// Bitboards, rights and clocks.
pub struct Rights;
impl Policy for Rights {
    const RIGHTS: bool = true;
    const CLOCKS: bool = true;
}

/// The hash, and no more than it takes.
pub struct HashAlone;
impl Policy for HashAlone {
    const BITS: bool = false;
    const RIGHTS: bool = true;
    const HASH: bool = true;
}

/// Bitboards, rights and hash.
pub struct Hash;
impl Policy for Hash {
    const RIGHTS: bool = true;
    const CLOCKS: bool = true;
    const HASH: bool = true;
}

/// Everything.
pub struct Whole;
impl Policy for Whole {
    const TALLY: bool = true;
    const RIGHTS: bool = true;
    const CLOCKS: bool = true;
    const HASH: bool = true;
}

/// What a walker keeps at hand from one move to the next.
///
/// PERF: what one move stores and the next loads is a chain of some six cycles a ply; in a register it is one.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// 0 if White is to move, 8 if Black.
    mover: u8,
    /// Pawns of the side to move.
    own: u64,
    /// Pawns of the other side.
    other: u64,
}

impl Walk {
    /// Ready for the next move on `board`.
    #[inline(always)]
    pub fn on(board: &Board) -> Walk {
        let mover = board.turn & 8;
        let (own, other) = (mover | WHITE_PAWN, mover ^ BLACK_PAWN);
        Walk { mover, own: board.of[usize::from(own)], other: board.of[usize::from(other)] }
    }
}

impl Board {
    /// Plays `mv` and says what it changed.
    ///
    /// Total: bits that are no sensible move give some board.
    #[inline(always)]
    pub fn make<P: Policy>(&mut self, mv: Move) -> Change {
        self.make_as::<P>(mv, &mut Walk::on(self))
    }

    /// The same for a walker that makes one move after the other, and began on this board.
    #[inline(always)]
    pub fn make_as<P: Policy>(&mut self, mv: Move, walk: &mut Walk) -> Change {
        let mover = walk.mover;
        debug_assert_eq!(mover, self.turn);
        walk.mover ^= 8;
        self.turn = walk.mover;
        if P::PAWNS {
            return self.make_pawns(mv, mover, walk);
        }
        if !P::MAILBOX {
            return 0;
        }
        if mv.is_special() {
            return self.special::<P>(mv, mover);
        }
        let (from, to) = (mv.origin(), mv.target());
        let man = mover | mv.role_code();
        let captured = self.men[to];
        if P::RIGHTS {
            self.before_rights::<P>(mover, mv, captured);
        }
        self.men[from] = 0;
        self.men[to] = man;
        if P::BITS {
            self.of[man as usize & 15] ^= 1 << from | 1 << to;
            self.of[captured as usize & 15] &= !(1 << to);
        }
        if P::TALLY {
            let number = &mut self.number[captured as usize & 15];
            *number = number.wrapping_sub(1);
        }
        if P::HASH {
            self.hash ^= key(man, from) ^ key(man, to) ^ key(captured, to);
        }
        if P::RIGHTS {
            self.after_rights::<P>(mover, mv);
        }
        // A quiet move sets bits 0 and 16, on which nothing depends.
        squares_of(man & 15) | (squares_of(0) | number_of(0)) << (captured & 15)
    }

    /// The policy [`Pawns`]; the change has the bits of pawns alone.
    #[inline(always)]
    fn make_pawns(&mut self, mv: Move, mover: u8, walk: &mut Walk) -> Change {
        let (from, to) = (1u64 << mv.origin(), 1u64 << mv.target());
        let (mut moved, mut taken_on) = (if mv.role_code() == Role::Pawn as u8 { from | to } else { 0 }, to);
        let mut vanished = 0;
        if mv.is_special() {
            (moved, taken_on, vanished) = if mv.is_en_passant() {
                (moved, 1 << en_passant_victim(mv.origin(), mv.target()), 0)
            } else if mv.promoted().is_some() {
                (from, to, number_of(WHITE_PAWN))
            } else {
                (0, 0, 0)
            };
        }
        let taken = walk.other & taken_on;
        let (own, other) = (walk.own ^ moved, walk.other ^ taken);
        (walk.own, walk.other) = (other, own);
        self.of[usize::from(mover & 8 | WHITE_PAWN)] = own;
        self.of[usize::from(mover & 8 ^ BLACK_PAWN)] = other;
        // PERF: by arithmetic, because a branch on whether a pawn moves or falls is guessed wrong every few plies: 3 ns a ply.
        let (moved, taken) = (Change::from(moved != 0), Change::from(taken != 0));
        let own_bits = (moved * squares_of(WHITE_PAWN)) | vanished;
        let other_bits = taken * (squares_of(WHITE_PAWN) | number_of(WHITE_PAWN));
        // As if White had moved, then turned: the bits of Black's pawns lie eight higher.
        NO_NEWS | (own_bits << (mover & 8)) | (other_bits << (mover & 8 ^ 8))
    }

    #[cold]
    #[inline(never)]
    fn special<P: Policy>(&mut self, mv: Move, mover: u8) -> Change {
        let (from, to) = (mv.origin(), mv.target());
        let role = mv.role_code();
        if P::RIGHTS {
            // Neither castling nor a null move captures what stands on `to`.
            let captures = !mv.is_castling() && !mv.is_null();
            self.before_rights::<P>(mover, mv, if captures { self.men[to] } else { 0 });
        }
        let change = if role == 0 || role == 7 {
            PASSED
        } else if role == Role::King as u8 {
            let (king, rook) = (mover | Role::King as u8, mover | Role::Rook as u8);
            let (king_to, rook_to) = castled_squares(from, to);
            self.lift::<P>(king, from);
            self.lift::<P>(rook, to);
            self.put::<P>(king, king_to);
            self.put::<P>(rook, rook_to);
            self.castled |= castled_bit(from, to, mover);
            squares_of(king) | squares_of(rook) | CASTLED
        } else {
            let pawn = mover | Role::Pawn as u8;
            let taken_on = if role == Role::Pawn as u8 { en_passant_victim(from, to) } else { to };
            let captured = self.men[taken_on];
            let arriving = mover | role;
            self.lift::<P>(pawn, from);
            self.lift::<P>(captured, taken_on);
            self.put::<P>(arriving, to);
            if P::TALLY {
                self.number[pawn as usize & 15] = self.number[pawn as usize & 15].wrapping_sub(1);
                self.number[arriving as usize & 15] = self.number[arriving as usize & 15].wrapping_add(1);
                self.number[captured as usize & 15] = self.number[captured as usize & 15].wrapping_sub(1);
            }
            let mut change =
                squares_of(pawn) | squares_of(arriving) | squares_of(captured & 15) | number_of(captured & 15);
            if arriving != pawn {
                change |= number_of(pawn) | number_of(arriving);
            }
            change
        };
        if P::RIGHTS {
            self.after_rights::<P>(mover, mv);
        }
        change
    }

    /// Takes `man` off `square`; leaves the mailbox empty there.
    fn lift<P: Policy>(&mut self, man: u8, square: usize) {
        self.men[square] = 0;
        if P::BITS {
            self.of[man as usize & 15] &= !(1 << square);
        }
        if P::HASH {
            self.hash ^= key(man, square);
        }
    }

    fn put<P: Policy>(&mut self, man: u8, square: usize) {
        self.men[square] = man;
        if P::BITS {
            self.of[man as usize & 15] |= 1 << square;
        }
        if P::HASH {
            self.hash ^= key(man, square);
        }
    }

    /// Clocks, and the rights that `mv` ends; the board is still as it was before the move.
    #[inline(always)]
    fn before_rights<P: Policy>(&mut self, mover: u8, mv: Move, captured: u8) {
        if P::CLOCKS {
            self.halfmoves = self.halfmoves.saturating_add(1);
            let pawn = mv.role_code() == Role::Pawn as u8 || mv.promoted().is_some();
            if pawn || captured != 0 {
                self.halfmoves = 0;
            }
            self.fullmoves = self.fullmoves.saturating_add(u16::from(mover != 0));
        }
        if self.en_passant != NO_SQUARE {
            if P::HASH {
                self.hash ^= en_passant_key(self.en_passant);
            }
            self.en_passant = NO_SQUARE;
        }
        if P::HASH {
            self.hash ^= Zobrist64::zobrist_for_white_turn().0;
        }
        if self.castling != 0 && !mv.is_null() {
            let mut lost = self.castling & (1 << mv.origin() | 1 << mv.target());
            if mv.role_code() == Role::King as u8 {
                lost |= self.castling & home_rank(mover);
            }
            if lost != 0 {
                if P::HASH {
                    self.hash ^= self.castling_keys(lost);
                }
                self.castling &= !lost;
            }
        }
    }

    /// En passant, where a double step can legally be answered so.
    #[inline(always)]
    fn after_rights<P: Policy>(&mut self, mover: u8, mv: Move) {
        let (from, to) = (mv.origin(), mv.target());
        if mv.role_code() == Role::Pawn as u8 && from.abs_diff(to) == 16 {
            let beside = (1u64 << to & !FILE_A) >> 1 | (1u64 << to & !FILE_H) << 1;
            let taker = mover ^ 8 | Role::Pawn as u8;
            let takers = if P::BITS {
                self.of[usize::from(taker)] & beside
            } else {
                let on = |square: usize| u64::from(self.men[square & 63] == taker) << (square & 63);
                (on(to.wrapping_sub(1)) | on(to + 1)) & beside
            };
            if takers != 0 && !P::BITS {
                self.of = self.bits_afresh();
            }
            if takers != 0 && self.may_take_en_passant(mover, takers, from, to) {
                self.en_passant = (from as u8 + to as u8) / 2;
                if P::HASH {
                    self.hash ^= en_passant_key(self.en_passant);
                }
            }
        }
    }

    /// Whether one of `takers` may take the pawn that stepped from `from` to `to` without exposing its king.
    #[cold]
    fn may_take_en_passant(&self, mover: u8, takers: u64, from: usize, to: usize) -> bool {
        let colour = Color::from_white(mover == 0);
        let Some(king) = Bitboard(self.by(!colour, Role::King)).first() else {
            return true;
        };
        let behind = 1u64 << ((from + to) / 2);
        Bitboard(takers).into_iter().any(|taker| {
            let occupied = (self.occupied() & !(1 << to) & !(1 << taker as u32)) | behind;
            self.attackers(king, colour, occupied) & !(1 << to) == 0
        })
    }

    /// Plays all `moves` and sets up what a policy keeps up: cheaper where nobody looks at what is between.
    pub fn leap<P: Policy>(&mut self, moves: &[Move]) {
        let Some(&last) = moves.last() else { return };
        let (mut walk, mut left) = (Walk::on(self), 0u64);
        let by_black = (moves.len() + usize::from(walk.mover != 0)) / 2;
        let mut reversible = usize::from(self.halfmoves);
        for &mv in moves {
            if !mv.is_null() {
                left |= 1 << mv.origin() | 1 << mv.target();
                // Any move of a king is the end of both rights.
                left |= if mv.role_code() == Role::King as u8 { home_rank(walk.mover) } else { 0 };
            }
            let change = self.make_as::<Mailbox>(mv, &mut walk);
            let pawns = squares_of(WHITE_PAWN) | squares_of(BLACK_PAWN);
            reversible = if change & (ANY_NUMBER | pawns) == 0 { reversible + 1 } else { 0 };
        }
        if P::CLOCKS {
            self.halfmoves = u16::try_from(reversible).unwrap_or(u16::MAX);
            self.fullmoves = self.fullmoves.saturating_add(u16::try_from(by_black).unwrap_or(u16::MAX));
        }
        self.castling &= !left;
        if P::BITS {
            self.of = self.bits_afresh();
        }
        if P::TALLY {
            self.number = self.of.map(|squares| squares.count_ones() as u8);
        }
        self.en_passant = NO_SQUARE;
        if P::HASH {
            self.after_rights::<P>(walk.mover ^ 8, last);
            self.hash = self.hash_afresh();
        }
    }

    /// Squares with a man, by the mailbox.
    fn men_on(&self) -> u64 {
        let (ranks, _) = self.men.as_chunks::<8>();
        ranks.iter().enumerate().fold(0, |all, (nth, rank)| {
            // A man is less than 16: his byte and 127 are 128 at least, and no byte touches the next. The multiplication brings the
            // highest bits of the bytes together.
            let men = (u64::from_le_bytes(*rank) + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & FILE_A;
            all | (men.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * nth)
        })
    }

    /// The bitboards, by the mailbox.
    fn bits_afresh(&self) -> [u64; 16] {
        let mut of = [0; 16];
        for square in Bitboard(self.men_on()) {
            of[usize::from(self.men[square as usize] & 15)] |= 1 << square as u32;
        }
        of
    }

    /// Keys of the rights of the rooks on `rooks`.
    pub(super) fn castling_keys(&self, rooks: u64) -> u64 {
        Bitboard(rooks).into_iter().fold(0, |keys, rook| {
            let colour = Color::from_white((rook as u8) < 32);
            let king = self.men.iter().rposition(|&code| code == man(colour, Role::King));
            let side = CastlingSide::from_king_side(king.is_none_or(|king| rook as usize > king));
            keys ^ Zobrist64::zobrist_for_castling_right(colour, side).0
        })
    }

    /// The hash of the position as it stands: what the moves of a hashing policy keep up.
    pub fn hash_afresh(&self) -> u64 {
        let squares = Bitboard(self.men_on()).into_iter().map(|square| square as usize);
        let men = squares.fold(0, |hash, square| hash ^ key(self.men[square], square));
        let turn = if self.turn == 0 { Zobrist64::zobrist_for_white_turn().0 } else { 0 };
        let en_passant = if self.en_passant == NO_SQUARE { 0 } else { en_passant_key(self.en_passant) };
        men ^ turn ^ en_passant ^ self.castling_keys(self.castling)
    }
}

/// The number of any man has changed.
const ANY_NUMBER: Change = 0xfffe_0000;
/// A change on which nothing depends but the first test of a game, which depends on any: of no man of White's, or of Black's.
const NO_NEWS: Change = squares_of(0);
const WHITE_PAWN: u8 = man(Color::White, Role::Pawn);
const BLACK_PAWN: u8 = man(Color::Black, Role::Pawn);

/// Squares a8–a1 as bits.
pub const FILE_A: u64 = 0x0101_0101_0101_0101;
/// Squares h8–h1 as bits.
pub const FILE_H: u64 = FILE_A << 7;

/// Where king and rook stand after castling from `king` with the rook on `rook`.
#[inline(always)]
pub fn castled_squares(king: usize, rook: usize) -> (usize, usize) {
    let rank = king & 56;
    if rook > king { (rank | 6, rank | 5) } else { (rank | 2, rank | 3) }
}

/// The bit of [`Board::castled`] for castling from `king` with the rook on `rook`.
pub const fn castled_bit(king: usize, rook: usize, mover: u8) -> u8 {
    match (rook > king, mover) {
        (true, 0) => 1,
        (false, 0) => 2,
        (true, _) => 4,
        (false, _) => 8,
    }
}

/// Where the pawn stands that is taken en passant.
#[inline(always)]
pub fn en_passant_victim(from: usize, to: usize) -> usize {
    from & 56 | to & 7
}

pub(crate) fn home_rank(mover: u8) -> u64 {
    if mover == 0 { 0xff } else { 0xff << 56 }
}

/// Key of a man on a square; 0 for no man.
#[inline(always)]
pub(crate) fn key(code: u8, square: usize) -> u64 {
    let Some(&role) = Role::ALL.get(usize::from(code & 7).wrapping_sub(1)) else {
        return 0;
    };
    let piece = Piece { color: Color::from_white(code < 8), role };
    debug_assert_eq!(man(piece.color, piece.role), code);
    Zobrist64::zobrist_for_piece(Square::new(square as u32 & 63), piece).0
}

fn en_passant_key(square: u8) -> u64 {
    Zobrist64::zobrist_for_en_passant_file(File::new(u32::from(square & 7))).0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

    use super::*;
    use crate::board::start::Start;

    /// Chess960 start number `n` (0–959) by Scharnagl's table, as a FEN.
    fn chess960(mut n: usize) -> alloc::string::String {
        let mut rank = [' '; 8];
        rank[n % 4 * 2 + 1] = 'b';
        n /= 4;
        rank[n % 4 * 2] = 'b';
        n /= 4;
        let place = |rank: &mut [char; 8], nth: usize, piece| {
            let square = (0..8).filter(|&file| rank[file] == ' ').nth(nth).expect("a free file");
            rank[square] = piece;
        };
        place(&mut rank, n % 6, 'q');
        n /= 6;
        let (first, second) = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)][n];
        place(&mut rank, second, 'n');
        place(&mut rank, first, 'n');
        for piece in ['r', 'k', 'r'] {
            place(&mut rank, 0, piece);
        }
        let black: alloc::string::String = rank.iter().collect();
        alloc::format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", black.to_uppercase())
    }

    fn agrees(board: &Board, position: &Chess, policy: &str, bits: bool, tally: bool, rights: bool, hash: bool) {
        let setup = position.to_setup(EnPassantMode::Legal);
        for square in Square::ALL {
            let expected = setup.board.piece_at(square).map_or(0, |piece| man(piece.color, piece.role));
            assert_eq!(board.men[square as usize], expected, "{policy}: {square}");
        }
        assert_eq!(board.turn(), position.turn());
        for colour in Color::ALL {
            for role in Role::ALL {
                let squares = setup.board.by_color(colour) & setup.board.by_role(role);
                if bits {
                    assert_eq!(board.by(colour, role), squares.0, "{policy}: {colour} {role:?}");
                }
                if tally {
                    assert_eq!(u32::from(board.number[man(colour, role) as usize]), squares.count() as u32, "{policy}");
                }
            }
        }
        if rights {
            assert_eq!(board.to_setup(), setup, "{policy}");
        }
        if hash {
            let expected: Zobrist64 = position.zobrist_hash(EnPassantMode::Legal);
            assert_eq!(board.hash, expected.0, "{policy}");
            assert_eq!(board.hash_afresh(), expected.0, "{policy}");
        }
    }

    fn replay_equals_shakmaty(fen: &str, choices: &[u16]) {
        let mode = CastlingMode::Chess960;
        let mut position: Chess = fen.parse::<Fen>().expect("fen").into_position(mode).expect("legal");
        let start = Board::from_start(&Start::from_position(&position));
        let (mut mailbox, mut bits, mut tally) = (start.clone(), start.clone(), start.clone());
        let (mut pawns, mut hash, mut whole) = (start.clone(), start.clone(), start.clone());
        let mut rights = start.clone();
        let mut alone = start.clone();
        let mut played = alloc::vec::Vec::new();
        for &choice in choices {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            // Rare kinds of moves are preferred now and then, else random games never castle or take en passant.
            let rare: alloc::vec::Vec<_> =
                legal.iter().filter(|mv| mv.is_castle() || mv.is_en_passant() || mv.is_promotion()).collect();
            let mv = if choice & 3 == 0 && !rare.is_empty() {
                *rare[usize::from(choice) % rare.len()]
            } else {
                legal[usize::from(choice) % legal.len()]
            };
            let ours = Move::from(mv);
            let before = whole.clone();
            position.play_unchecked(mv);
            mailbox.make::<Mailbox>(ours);
            bits.make::<Bits>(ours);
            tally.make::<Tally>(ours);
            hash.make::<Hash>(ours);
            rights.make::<Rights>(ours);
            alone.make::<HashAlone>(ours);
            let change = whole.make::<Whole>(ours);
            agrees(&mailbox, &position, "mailbox", false, false, false, false);
            agrees(&bits, &position, "bits", true, false, false, false);
            agrees(&tally, &position, "tally", true, true, false, false);
            agrees(&rights, &position, "rights", true, false, true, false);
            agrees(&alone, &position, "hash alone", false, false, false, true);
            agrees(&hash, &position, "hash", true, false, true, true);
            agrees(&whole, &position, "whole", true, true, true, true);
            let mut leapt = before.clone();
            leapt.leap::<Whole>(&[ours]);
            agrees(&leapt, &position, "leap", true, true, true, true);
            played.push(ours);
            let pawns_change = pawns.make::<Pawns>(ours);
            for code in [1, 9u8] {
                assert_eq!(pawns.of[code as usize], whole.of[code as usize], "pawns");
                let bits = squares_of(code) | number_of(code);
                assert_eq!(pawns_change & bits, change & bits, "change of pawns");
            }
            // What the change says is what changed, kind by kind.
            for code in (1..7).chain(9..15u8) {
                let moved = before.of[code as usize] != whole.of[code as usize];
                // In Chess960 a rook (or king) may castle without leaving its square.
                assert!(change & squares_of(code) != 0 || !moved, "squares of {code}");
                assert!(change & squares_of(code) == 0 || moved || mv.is_castle(), "squares of {code}");
                let number = before.number[code as usize] != whole.number[code as usize];
                assert_eq!(change & number_of(code) != 0, number, "number of {code}");
            }
            assert_eq!(change & CASTLED != 0, mv.is_castle());
        }
        let mut alone = start.clone();
        alone.leap::<HashAlone>(&played);
        agrees(&alone, &position, "leap for the hash", false, false, false, true);
        let mut leapt = start;
        leapt.leap::<Whole>(&played);
        agrees(&leapt, &position, "long leap", true, true, true, true);
        assert_eq!((leapt.castled, leapt.turn), (whole.castled, whole.turn));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn every_policy_equals_shakmaty(choices in prop::collection::vec(any::<u16>(), 1..160)) {
            replay_equals_shakmaty("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &choices);
        }

        #[test]
        fn chess960_equals_shakmaty(n in 0usize..960, choices in prop::collection::vec(any::<u16>(), 1..160)) {
            replay_equals_shakmaty(&chess960(n), &choices);
        }

        #[test]
        fn crowded_endings_equal_shakmaty(choices in prop::collection::vec(any::<u16>(), 1..80)) {
            replay_equals_shakmaty("1n2k3/P1P1P2p/8/1pPp4/2PpPp2/8/p1p3PP/1N2K2R b K - 3 20", &choices);
        }

        #[test]
        fn any_bits_replay_without_panic(moves in prop::collection::vec(any::<u16>(), 0..300)) {
            let mut board = Board::initial();
            for bits in moves {
                board.make::<Whole>(Move::from_bits(bits));
            }
        }
    }

    #[test]
    fn null_move_passes_the_turn() {
        let mut board = Board::initial();
        assert_eq!(board.make::<Whole>(Move::NULL), PASSED);
        assert_eq!(board.turn(), Color::Black);
        assert_eq!(board.hash, board.hash_afresh());
    }
}
