//! `make_move` and its variants.
//!
//! One text serves all: a [`MakePolicy`] says by constants what a move keeps up, and each policy compiles to its own loop.
//! A scan chooses the cheapest policy that its predicates and reducers need, once, at the door.
//!
//! | policy | mailbox | bitboards | numbers of men | rights | clocks | hash |
//! |---|---|---|---|---|---|---|
//! | [`PliesOnly`]   | | | | | | |
//! | [`PawnBitboardsOnly`]   | | of pawns | | | | |
//! | [`MailboxOnly`] | ● | | | | | |
//! | [`WithBitboards`]    | ● | ● | | | | |
//! | [`WithPieceCounts`]   | ● | ● | ● | | | |
//! | [`WithRights`] | ● | ● | | ● | ● | |
//! | [`HashOnly`] | ● | | | ● | | ● |
//! | [`struct@WithHash`] | ● | ● | | ● | ● | ● |
//! | [`FullState`]   | ● | ● | ● | ● | ● | ● |
//!
//! The common move is free of branches: a quiet move "captures" man 0, whose bitboard is nobody's. Promotion, en passant,
//! castling and the null move (one ply in fifty) share one marked bit and take the road in [`special`](Board::make).

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Bitboard, CastlingSide, Color, File, Piece, Role, Square};

use super::{
    Board, ByPiece, CASTLING_CHANGE, ChangeMask, ColorCode, NO_SQUARE, NULL_MOVE_CHANGE, PieceCode, count_change,
    placement_change,
};
use crate::moves::Move;

/// What a move keeps up. Each constant adds its cost and nothing else.
pub trait MakePolicy {
    /// The men on their squares.
    const MAILBOX: bool = true;
    /// Bitboards by man.
    const BITBOARDS: bool = true;
    /// Bitboards of pawns, where there are no others.
    const PAWN_BITBOARDS: bool = false;
    /// How many men of each kind there are.
    const PIECE_COUNTS: bool = false;
    /// Castling rights, en passant.
    const RIGHTS: bool = false;
    /// Both clocks; wants rights.
    const CLOCKS: bool = false;
    /// Zobrist hash; wants rights.
    const HASH: bool = false;
}

/// Nothing: plies are counted by whoever walks.
pub struct PliesOnly;
impl MakePolicy for PliesOnly {
    const MAILBOX: bool = false;
    const BITBOARDS: bool = false;
}

/// The bitboards of pawns alone: no mailbox, because whoever arrives on a square takes the pawn that stood there.
pub struct PawnBitboardsOnly;
impl MakePolicy for PawnBitboardsOnly {
    const MAILBOX: bool = false;
    const BITBOARDS: bool = false;
    const PAWN_BITBOARDS: bool = true;
}

/// The mailbox alone.
pub struct MailboxOnly;
impl MakePolicy for MailboxOnly {
    const BITBOARDS: bool = false;
}

/// Mailbox and bitboards.
pub struct WithBitboards;
impl MakePolicy for WithBitboards {}

/// Bitboards and the numbers of men.
pub struct WithPieceCounts;
impl MakePolicy for WithPieceCounts {
    const PIECE_COUNTS: bool = true;
}

/// Bitboards, rights and clocks.
pub struct WithRights;
impl MakePolicy for WithRights {
    const RIGHTS: bool = true;
    const CLOCKS: bool = true;
}

/// The hash, and no more than it takes.
pub struct HashOnly;
impl MakePolicy for HashOnly {
    const BITBOARDS: bool = false;
    const RIGHTS: bool = true;
    const HASH: bool = true;
}

/// Bitboards, rights and hash.
pub struct WithHash;
impl MakePolicy for WithHash {
    const RIGHTS: bool = true;
    const CLOCKS: bool = true;
    const HASH: bool = true;
}

/// Everything.
pub struct FullState;
impl MakePolicy for FullState {
    const PIECE_COUNTS: bool = true;
    const RIGHTS: bool = true;
    const CLOCKS: bool = true;
    const HASH: bool = true;
}

/// What a walker keeps at hand from one move to the next.
///
/// PERF: what one move stores and the next loads is a chain of some six cycles a ply; in a register it is one.
#[derive(Clone, Copy, Debug)]
pub struct MakeState {
    /// The side to move.
    mover: ColorCode,
    /// Pawns of the side to move.
    own_pawns: u64,
    /// Pawns of the other side.
    opponent_pawns: u64,
}

impl MakeState {
    /// Ready for the next move on `board`.
    #[inline(always)]
    pub fn for_board(board: &Board) -> MakeState {
        let mover = ColorCode::from_bits(board.turn.bits());
        MakeState {
            mover,
            own_pawns: board.bitboards[mover.piece(Role::Pawn)],
            opponent_pawns: board.bitboards[mover.opponent().piece(Role::Pawn)],
        }
    }
}

impl Board {
    /// Plays `mv` and says what it changed.
    ///
    /// Total: bits that are no sensible move give some board.
    #[inline(always)]
    pub fn make<P: MakePolicy>(&mut self, mv: Move) -> ChangeMask {
        self.make_with::<P>(mv, &mut MakeState::for_board(self))
    }

    /// The same for a walker that makes one move after the other, and began on this board.
    #[inline(always)]
    pub fn make_with<P: MakePolicy>(&mut self, mv: Move, state: &mut MakeState) -> ChangeMask {
        let mover = state.mover;
        debug_assert_eq!(mover, self.turn);
        state.mover = mover.opponent();
        self.turn = state.mover;
        if P::PAWN_BITBOARDS {
            return self.make_on_pawns(mv, mover, state);
        }
        if !P::MAILBOX {
            return 0;
        }
        if mv.is_special() {
            return self.make_special::<P>(mv, mover);
        }
        let (from, to) = (mv.origin(), mv.target());
        let man = mover.arriving(mv);
        let captured = self.mailbox[to];
        if P::RIGHTS {
            self.update_rights_before::<P>(mover, mv, captured);
        }
        self.mailbox[from] = PieceCode::NONE;
        self.mailbox[to] = man;
        if P::BITBOARDS {
            self.bitboards[man] ^= 1 << from | 1 << to;
            self.bitboards[captured] &= !(1 << to);
        }
        if P::PIECE_COUNTS {
            let number = &mut self.piece_counts[captured];
            *number = number.wrapping_sub(1);
        }
        if P::HASH {
            self.hash ^= zobrist_key(man, from) ^ zobrist_key(man, to) ^ zobrist_key(captured, to);
        }
        if P::RIGHTS {
            self.set_en_passant::<P>(mover, mv);
        }
        // A quiet move sets bits 0 and 16, on which nothing depends.
        placement_change(man) | (placement_change(PieceCode::NONE) | count_change(PieceCode::NONE)) << captured.index()
    }

    /// The policy [`PawnBitboardsOnly`]; the change has the bits of pawns alone.
    #[inline(always)]
    fn make_on_pawns(&mut self, mv: Move, mover: ColorCode, state: &mut MakeState) -> ChangeMask {
        let (from, to) = (1u64 << mv.origin(), 1u64 << mv.target());
        let (mut moved, mut capture_square) = (if mv.arrives_as(Role::Pawn) { from | to } else { 0 }, to);
        let mut promotion_change = 0;
        if mv.is_special() {
            (moved, capture_square, promotion_change) = if mv.is_en_passant() {
                (moved, 1 << en_passant_capture_square(mv.origin(), mv.target()), 0)
            } else if mv.promoted().is_some() {
                (from, to, count_change(PieceCode::WHITE_PAWN))
            } else {
                (0, 0, 0)
            };
        }
        let taken = state.opponent_pawns & capture_square;
        let (own, other) = (state.own_pawns ^ moved, state.opponent_pawns ^ taken);
        (state.own_pawns, state.opponent_pawns) = (other, own);
        self.bitboards[mover.piece(Role::Pawn)] = own;
        self.bitboards[mover.opponent().piece(Role::Pawn)] = other;
        // PERF: by arithmetic, because a branch on whether a pawn moves or falls is guessed wrong every few plies: 3 ns a ply.
        let (moved, taken) = (ChangeMask::from(moved != 0), ChangeMask::from(taken != 0));
        let own_bits = (moved * placement_change(PieceCode::WHITE_PAWN)) | promotion_change;
        let other_bits = taken * (placement_change(PieceCode::WHITE_PAWN) | count_change(PieceCode::WHITE_PAWN));
        // As if White had moved, then turned: the bits of Black's pawns lie eight higher.
        NO_RELEVANT_CHANGE | (own_bits << mover.bits()) | (other_bits << mover.opponent().bits())
    }

    #[cold]
    #[inline(never)]
    fn make_special<P: MakePolicy>(&mut self, mv: Move, mover: ColorCode) -> ChangeMask {
        let (from, to) = (mv.origin(), mv.target());
        let role = mv.role_code();
        if P::RIGHTS {
            // Neither castling nor a null move captures what stands on `to`.
            let captures = !mv.is_castling() && !mv.is_null();
            self.update_rights_before::<P>(mover, mv, if captures { self.mailbox[to] } else { PieceCode::NONE });
        }
        let change = if role == 0 || role == 7 {
            NULL_MOVE_CHANGE
        } else if role == Role::King as u8 {
            let (king, rook) = (mover.piece(Role::King), mover.piece(Role::Rook));
            let (king_to, rook_to) = castling_targets(from, to);
            self.remove_piece::<P>(king, from);
            self.remove_piece::<P>(rook, to);
            self.put_piece::<P>(king, king_to);
            self.put_piece::<P>(rook, rook_to);
            self.castled_wings |= castled_wing_bit(from, to, mover);
            placement_change(king) | placement_change(rook) | CASTLING_CHANGE
        } else {
            let pawn = mover.piece(Role::Pawn);
            let capture_square = if role == Role::Pawn as u8 { en_passant_capture_square(from, to) } else { to };
            let captured = self.mailbox[capture_square];
            let arriving = mover.arriving(mv);
            self.remove_piece::<P>(pawn, from);
            self.remove_piece::<P>(captured, capture_square);
            self.put_piece::<P>(arriving, to);
            if P::PIECE_COUNTS {
                self.piece_counts[pawn] = self.piece_counts[pawn].wrapping_sub(1);
                self.piece_counts[arriving] = self.piece_counts[arriving].wrapping_add(1);
                self.piece_counts[captured] = self.piece_counts[captured].wrapping_sub(1);
            }
            let mut change = placement_change(pawn)
                | placement_change(arriving)
                | placement_change(captured)
                | count_change(captured);
            if arriving != pawn {
                change |= count_change(pawn) | count_change(arriving);
            }
            change
        };
        if P::RIGHTS {
            self.set_en_passant::<P>(mover, mv);
        }
        change
    }

    /// Takes `man` off `square`; leaves the mailbox empty there.
    fn remove_piece<P: MakePolicy>(&mut self, man: PieceCode, square: usize) {
        self.mailbox[square] = PieceCode::NONE;
        if P::BITBOARDS {
            self.bitboards[man] &= !(1 << square);
        }
        if P::HASH {
            self.hash ^= zobrist_key(man, square);
        }
    }

    fn put_piece<P: MakePolicy>(&mut self, man: PieceCode, square: usize) {
        self.mailbox[square] = man;
        if P::BITBOARDS {
            self.bitboards[man] |= 1 << square;
        }
        if P::HASH {
            self.hash ^= zobrist_key(man, square);
        }
    }

    /// Clocks, and the rights that `mv` ends; the board is still as it was before the move.
    #[inline(always)]
    fn update_rights_before<P: MakePolicy>(&mut self, mover: ColorCode, mv: Move, captured: PieceCode) {
        if P::CLOCKS {
            self.halfmoves = self.halfmoves.saturating_add(1);
            let pawn = mv.arrives_as(Role::Pawn) || mv.promoted().is_some();
            if pawn || !captured.is_none() {
                self.halfmoves = 0;
            }
            self.fullmoves = self.fullmoves.saturating_add(u16::from(mover.is_black()));
        }
        if self.en_passant != NO_SQUARE {
            if P::HASH {
                self.hash ^= en_passant_zobrist_key(self.en_passant);
            }
            self.en_passant = NO_SQUARE;
        }
        if P::HASH {
            self.hash ^= Zobrist64::zobrist_for_white_turn().0;
        }
        if self.castling_rooks != 0 && !mv.is_null() {
            let mut lost = self.castling_rooks & (1 << mv.origin() | 1 << mv.target());
            if mv.arrives_as(Role::King) {
                lost |= self.castling_rooks & back_rank(mover);
            }
            if lost != 0 {
                if P::HASH {
                    self.hash ^= self.castling_keys(lost);
                }
                self.castling_rooks &= !lost;
            }
        }
    }

    /// En passant, where a double step can legally be answered so.
    #[inline(always)]
    fn set_en_passant<P: MakePolicy>(&mut self, mover: ColorCode, mv: Move) {
        let (from, to) = (mv.origin(), mv.target());
        if mv.arrives_as(Role::Pawn) && from.abs_diff(to) == 16 {
            let beside = (1u64 << to & !FILE_A) >> 1 | (1u64 << to & !FILE_H) << 1;
            let taker = mover.opponent().piece(Role::Pawn);
            let takers = if P::BITBOARDS {
                self.bitboards[taker] & beside
            } else {
                let on = |square: usize| u64::from(self.mailbox[square & 63] == taker) << (square & 63);
                (on(to.wrapping_sub(1)) | on(to + 1)) & beside
            };
            if takers != 0 && !P::BITBOARDS {
                self.bitboards = self.compute_bitboards();
            }
            if takers != 0 && self.is_en_passant_legal(mover, takers, from, to) {
                self.en_passant = (from as u8 + to as u8) / 2;
                if P::HASH {
                    self.hash ^= en_passant_zobrist_key(self.en_passant);
                }
            }
        }
    }

    /// Whether one of `takers` may take the pawn that stepped from `from` to `to` without exposing its king.
    #[cold]
    fn is_en_passant_legal(&self, mover: ColorCode, takers: u64, from: usize, to: usize) -> bool {
        let colour = mover.color();
        let Some(king) = Bitboard(self.pieces(!colour, Role::King)).first() else {
            return true;
        };
        let behind = 1u64 << ((from + to) / 2);
        Bitboard(takers).into_iter().any(|taker| {
            let occupied = (self.occupied() & !(1 << to) & !(1 << taker as u32)) | behind;
            self.attackers(king, colour, occupied) & !(1 << to) == 0
        })
    }

    /// Plays all `moves` and sets up what a policy keeps up: cheaper where nobody looks at what is between.
    pub fn fast_forward<P: MakePolicy>(&mut self, moves: &[Move]) {
        let Some(&last) = moves.last() else { return };
        let (mut state, mut vacated_or_reached) = (MakeState::for_board(self), 0u64);
        let by_black = (moves.len() + usize::from(state.mover.is_black())) / 2;
        let mut reversible = usize::from(self.halfmoves);
        for &mv in moves {
            if !mv.is_null() {
                vacated_or_reached |= 1 << mv.origin() | 1 << mv.target();
                // Any move of a king is the end of both rights.
                vacated_or_reached |= if mv.arrives_as(Role::King) { back_rank(state.mover) } else { 0 };
            }
            let change = self.make_with::<MailboxOnly>(mv, &mut state);
            let pawns = placement_change(PieceCode::WHITE_PAWN) | placement_change(PieceCode::BLACK_PAWN);
            reversible = if change & (ANY_COUNT_CHANGE | pawns) == 0 { reversible + 1 } else { 0 };
        }
        if P::CLOCKS {
            self.halfmoves = u16::try_from(reversible).unwrap_or(u16::MAX);
            self.fullmoves = self.fullmoves.saturating_add(u16::try_from(by_black).unwrap_or(u16::MAX));
        }
        self.castling_rooks &= !vacated_or_reached;
        if P::BITBOARDS {
            self.bitboards = self.compute_bitboards();
        }
        if P::PIECE_COUNTS {
            self.piece_counts = self.bitboards.map(|squares| squares.count_ones() as u8);
        }
        self.en_passant = NO_SQUARE;
        if P::HASH {
            self.set_en_passant::<P>(state.mover.opponent(), last);
            self.hash = self.compute_hash();
        }
    }

    /// Squares with a man, by the mailbox.
    fn occupied_in_mailbox(&self) -> u64 {
        let (ranks, _) = self.mailbox.as_chunks::<8>();
        ranks.iter().enumerate().fold(0, |all, (nth, rank)| {
            // A man is less than 16: his byte and 127 are 128 at least, and no byte touches the next. The multiplication brings the
            // highest bits of the bytes together.
            let men = (u64::from_le_bytes(rank.map(PieceCode::bits)) + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & FILE_A;
            all | (men.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * nth)
        })
    }

    /// The bitboards, by the mailbox.
    fn compute_bitboards(&self) -> ByPiece<u64> {
        let mut of = ByPiece::splat(0);
        for square in Bitboard(self.occupied_in_mailbox()) {
            of[self.mailbox[square as usize]] |= 1 << square as u32;
        }
        of
    }

    /// Keys of the rights of the rooks on `rooks`.
    pub(super) fn castling_keys(&self, rooks: u64) -> u64 {
        Bitboard(rooks).into_iter().fold(0, |keys, rook| {
            let colour = Color::from_white((rook as u8) < 32);
            let king = self.mailbox.iter().rposition(|&code| code == PieceCode::new(colour, Role::King));
            let side = CastlingSide::from_king_side(king.is_none_or(|king| rook as usize > king));
            keys ^ Zobrist64::zobrist_for_castling_right(colour, side).0
        })
    }

    /// The hash of the position as it stands: what the moves of a hashing policy keep up.
    pub fn compute_hash(&self) -> u64 {
        let squares = Bitboard(self.occupied_in_mailbox()).into_iter().map(|square| square as usize);
        let men = squares.fold(0, |hash, square| hash ^ zobrist_key(self.mailbox[square], square));
        let turn = if !self.turn.is_black() { Zobrist64::zobrist_for_white_turn().0 } else { 0 };
        let en_passant = if self.en_passant == NO_SQUARE { 0 } else { en_passant_zobrist_key(self.en_passant) };
        men ^ turn ^ en_passant ^ self.castling_keys(self.castling_rooks)
    }
}

/// The number of any man has changed.
const ANY_COUNT_CHANGE: ChangeMask = 0xfffe_0000;
/// A change on which nothing depends but the first test of a game, which depends on any: of no man of White's, or of Black's.
const NO_RELEVANT_CHANGE: ChangeMask = placement_change(PieceCode::NONE);

/// Squares a8–a1 as bits.
pub const FILE_A: u64 = 0x0101_0101_0101_0101;
/// Squares h8–h1 as bits.
pub const FILE_H: u64 = FILE_A << 7;

/// Where king and rook stand after castling from `king` with the rook on `rook`.
#[inline(always)]
pub fn castling_targets(king: usize, rook: usize) -> (usize, usize) {
    let rank = king & 56;
    if rook > king { (rank | 6, rank | 5) } else { (rank | 2, rank | 3) }
}

/// The bit of [`Board::castled_wings`] for castling from `king` with the rook on `rook`.
pub const fn castled_wing_bit(king: usize, rook: usize, mover: ColorCode) -> u8 {
    match (rook > king, mover.is_black()) {
        (true, false) => 1,
        (false, false) => 2,
        (true, true) => 4,
        (false, true) => 8,
    }
}

/// Where the pawn stands that is taken en passant.
#[inline(always)]
pub fn en_passant_capture_square(from: usize, to: usize) -> usize {
    from & 56 | to & 7
}

pub(crate) fn back_rank(mover: ColorCode) -> u64 {
    if mover.is_black() { 0xff << 56 } else { 0xff }
}

/// Key of a man on a square; 0 for no man.
#[inline(always)]
pub(crate) fn zobrist_key(code: PieceCode, square: usize) -> u64 {
    let Some(role) = code.role() else {
        return 0;
    };
    let piece = Piece { color: code.color(), role };
    debug_assert_eq!(PieceCode::new(piece.color, piece.role), code);
    Zobrist64::zobrist_for_piece(Square::new(square as u32 & 63), piece).0
}

fn en_passant_zobrist_key(square: u8) -> u64 {
    Zobrist64::zobrist_for_en_passant_file(File::new(u32::from(square & 7))).0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

    use super::*;
    use crate::board::start::PackedStart;

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
            let expected =
                setup.board.piece_at(square).map_or(PieceCode::NONE, |piece| PieceCode::new(piece.color, piece.role));
            assert_eq!(board.mailbox[square as usize], expected, "{policy}: {square}");
        }
        assert_eq!(board.side_to_move(), position.turn());
        for colour in Color::ALL {
            for role in Role::ALL {
                let squares = setup.board.by_color(colour) & setup.board.by_role(role);
                if bits {
                    assert_eq!(board.pieces(colour, role), squares.0, "{policy}: {colour} {role:?}");
                }
                if tally {
                    assert_eq!(
                        u32::from(board.piece_counts[PieceCode::new(colour, role)]),
                        squares.count() as u32,
                        "{policy}"
                    );
                }
            }
        }
        if rights {
            assert_eq!(board.to_setup(), setup, "{policy}");
        }
        if hash {
            let expected: Zobrist64 = position.zobrist_hash(EnPassantMode::Legal);
            assert_eq!(board.hash, expected.0, "{policy}");
            assert_eq!(board.compute_hash(), expected.0, "{policy}");
        }
    }

    fn replay_equals_shakmaty(fen: &str, choices: &[u16]) {
        let mode = CastlingMode::Chess960;
        let mut position: Chess = fen.parse::<Fen>().expect("fen").into_position(mode).expect("legal");
        let start = Board::from_start(&PackedStart::from_position(&position));
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
            mailbox.make::<MailboxOnly>(ours);
            bits.make::<WithBitboards>(ours);
            tally.make::<WithPieceCounts>(ours);
            hash.make::<WithHash>(ours);
            rights.make::<WithRights>(ours);
            alone.make::<HashOnly>(ours);
            let change = whole.make::<FullState>(ours);
            agrees(&mailbox, &position, "mailbox", false, false, false, false);
            agrees(&bits, &position, "bits", true, false, false, false);
            agrees(&tally, &position, "tally", true, true, false, false);
            agrees(&rights, &position, "rights", true, false, true, false);
            agrees(&alone, &position, "hash alone", false, false, false, true);
            agrees(&hash, &position, "hash", true, false, true, true);
            agrees(&whole, &position, "whole", true, true, true, true);
            let mut leapt = before.clone();
            leapt.fast_forward::<FullState>(&[ours]);
            agrees(&leapt, &position, "leap", true, true, true, true);
            played.push(ours);
            let pawns_change = pawns.make::<PawnBitboardsOnly>(ours);
            for code in [PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN] {
                assert_eq!(pawns.bitboards[code], whole.bitboards[code], "pawns");
                let bits = placement_change(code) | count_change(code);
                assert_eq!(pawns_change & bits, change & bits, "change of pawns");
            }
            // What the change says is what changed, kind by kind.
            for code in PieceCode::all().filter(|code| code.role().is_some()) {
                let moved = before.bitboards[code] != whole.bitboards[code];
                // In Chess960 a rook (or king) may castle without leaving its square.
                assert!(change & placement_change(code) != 0 || !moved, "squares of {code:?}");
                assert!(change & placement_change(code) == 0 || moved || mv.is_castle(), "squares of {code:?}");
                let number = before.piece_counts[code] != whole.piece_counts[code];
                assert_eq!(change & count_change(code) != 0, number, "number of {code:?}");
            }
            assert_eq!(change & CASTLING_CHANGE != 0, mv.is_castle());
        }
        let mut alone = start.clone();
        alone.fast_forward::<HashOnly>(&played);
        agrees(&alone, &position, "leap for the hash", false, false, false, true);
        let mut leapt = start;
        leapt.fast_forward::<FullState>(&played);
        agrees(&leapt, &position, "long leap", true, true, true, true);
        assert_eq!((leapt.castled_wings, leapt.turn), (whole.castled_wings, whole.turn));
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
                board.make::<FullState>(Move::from_bits(bits));
            }
        }
    }

    #[test]
    fn null_move_passes_the_turn() {
        let mut board = Board::initial();
        assert_eq!(board.make::<FullState>(Move::NULL), NULL_MOVE_CHANGE);
        assert_eq!(board.side_to_move(), Color::Black);
        assert_eq!(board.hash, board.compute_hash());
    }
}
