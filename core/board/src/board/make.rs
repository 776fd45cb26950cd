//! Plays moves on a board, in several variants.
//!
//! One function serves all variants: the constants of a [`MakePolicy`] say what a move keeps up to date, and each policy compiles
//! to its own loop. A scan chooses once the cheapest policy that meets the needs of its predicates and reducers.
//!
//! | policy | mailbox | bitboards | piece counts | rights | clocks | hash |
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
//! The common move has no branches: a quiet move "captures" the piece with code 0, whose bitboard means nothing. Promotion, en
//! passant, castling and the null move (one ply in fifty) share one bit of [`Move`] and are played by a function of their own.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Bitboard, File, Piece, Role, Square};

use super::{
    Board, CASTLING_CHANGE, ChangeMask, ColorCode, NO_SQUARE, NULL_MOVE_CHANGE, PieceCode, count_change,
    placement_change,
};
use crate::moves::Move;

/// What a move keeps up to date. Each constant adds its own cost and no other.
pub trait MakePolicy {
    /// The piece on each square.
    const MAILBOX: bool = true;
    /// The bitboard of each kind of piece.
    const BITBOARDS: bool = true;
    /// The bitboards of pawns, if there are no others.
    const PAWN_BITBOARDS: bool = false;
    /// How many pieces of each kind there are.
    const PIECE_COUNTS: bool = false;
    /// Castling rights and the en passant square.
    const RIGHTS: bool = false;
    /// Both clocks; requires rights.
    const CLOCKS: bool = false;
    /// The Zobrist hash; requires rights.
    const HASH: bool = false;
}

/// Makes policies out of a table of the constants in which they differ from the trait's.
macro_rules! policies {
    ($($(#[$doc:meta])* $policy:ident { $($constant:ident: $value:literal),* })+) => {
        $(
            $(#[$doc])*
            pub struct $policy;
            impl MakePolicy for $policy {
                $(const $constant: bool = $value;)*
            }
        )+
    };
}

policies! {
    /// Nothing but the side to move: the caller counts plies.
    PliesOnly { MAILBOX: false, BITBOARDS: false }
    /// The bitboards of pawns alone. They need no mailbox: a piece that arrives on a square captures the pawn that stood there.
    PawnBitboardsOnly { MAILBOX: false, BITBOARDS: false, PAWN_BITBOARDS: true }
    /// The mailbox alone.
    MailboxOnly { BITBOARDS: false }
    /// Mailbox and bitboards.
    WithBitboards {}
    /// Mailbox, bitboards and piece counts.
    WithPieceCounts { PIECE_COUNTS: true }
    /// Mailbox, bitboards, rights and clocks.
    WithRights { RIGHTS: true, CLOCKS: true }
    /// The hash, and what it requires.
    HashOnly { BITBOARDS: false, RIGHTS: true, HASH: true }
    /// Mailbox, bitboards, rights, clocks and hash.
    WithHash { RIGHTS: true, CLOCKS: true, HASH: true }
    /// Everything.
    FullState { PIECE_COUNTS: true, RIGHTS: true, CLOCKS: true, HASH: true }
}

/// The state that a replay keeps in registers from one move to the next.
///
/// PERF: a store in one move and a load of it in the next form a chain of some six cycles a ply; a register takes one.
#[derive(Clone, Copy, Debug)]
pub struct MakeState {
    /// The side to move.
    pub(super) mover: ColorCode,
    /// Pawns of the side to move.
    own_pawns: u64,
    /// Pawns of the other side.
    opponent_pawns: u64,
}

impl MakeState {
    /// The state before the next move on `board`.
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
    /// Plays `mv` and returns what it changed.
    ///
    /// It never panics: bits that are no sensible move give some board.
    ///
    /// ```
    /// use plyfold_board::board::Board;
    /// use plyfold_board::board::make::WithBitboards;
    /// use plyfold_board::moves::Move;
    /// use shakmaty::{Bitboard, Role, Square};
    /// let mut board = Board::initial();
    /// board.make::<WithBitboards>(Move::normal(Role::Pawn, Square::E2, Square::E4));
    /// board.make::<WithBitboards>(Move::normal(Role::Knight, Square::G8, Square::F6));
    /// assert_eq!(format!("\n{:?}", Bitboard(board.occupied())), "
    /// 1 1 1 1 1 1 . 1
    /// 1 1 1 1 1 1 1 1
    /// . . . . . 1 . .
    /// . . . . . . . .
    /// . . . . 1 . . .
    /// . . . . . . . .
    /// 1 1 1 1 . 1 1 1
    /// 1 1 1 1 1 1 1 1
    /// ");
    /// ```
    #[inline(always)]
    pub fn make<P: MakePolicy>(&mut self, mv: Move) -> ChangeMask {
        self.make_with::<P>(mv, &mut MakeState::for_board(self))
    }

    /// Plays `mv` in a replay that plays one move after the other; `state` was made for this board.
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
        let piece = mover.arriving(mv);
        let captured = self.mailbox[to];
        if P::RIGHTS {
            self.update_rights_before::<P>(mover, mv, captured);
        }
        self.mailbox[from] = PieceCode::NONE;
        self.mailbox[to] = piece;
        if P::BITBOARDS {
            self.bitboards[piece] ^= 1 << from | 1 << to;
            self.bitboards[captured] &= !(1 << to);
        }
        if P::PIECE_COUNTS {
            let number = &mut self.piece_counts[captured];
            *number = number.wrapping_sub(1);
        }
        if P::HASH {
            self.hash ^= zobrist_key(piece, from) ^ zobrist_key(piece, to) ^ zobrist_key(captured, to);
        }
        if P::RIGHTS {
            self.set_en_passant::<P>(mover, mv);
        }
        // A quiet move sets bits 0 and 16, on which no predicate depends.
        placement_change(piece)
            | (placement_change(PieceCode::NONE) | count_change(PieceCode::NONE)) << captured.index()
    }

    /// Plays a move by the policy [`PawnBitboardsOnly`]; the change has only the bits of pawns.
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
        // PERF: arithmetic, because a branch on whether a pawn moves or is captured is mispredicted every few plies, which costs
        // 3 ns a ply.
        let (moved, taken) = (ChangeMask::from(moved != 0), ChangeMask::from(taken != 0));
        let own_bits = (moved * placement_change(PieceCode::WHITE_PAWN)) | promotion_change;
        let other_bits = taken * (placement_change(PieceCode::WHITE_PAWN) | count_change(PieceCode::WHITE_PAWN));
        // These are the bits of a move of White; those of Black's pawns are eight higher.
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

    /// Removes `piece` from `square` and empties the mailbox there.
    fn remove_piece<P: MakePolicy>(&mut self, piece: PieceCode, square: usize) {
        self.mailbox[square] = PieceCode::NONE;
        if P::BITBOARDS {
            self.bitboards[piece] &= !(1 << square);
        }
        if P::HASH {
            self.hash ^= zobrist_key(piece, square);
        }
    }

    fn put_piece<P: MakePolicy>(&mut self, piece: PieceCode, square: usize) {
        self.mailbox[square] = piece;
        if P::BITBOARDS {
            self.bitboards[piece] |= 1 << square;
        }
        if P::HASH {
            self.hash ^= zobrist_key(piece, square);
        }
    }

    /// Updates the clocks and the rights that `mv` ends. The pieces still stand as before the move.
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

    /// Sets the en passant square if `mv` is a double step that can legally be answered by capturing en passant.
    #[inline(always)]
    pub(super) fn set_en_passant<P: MakePolicy>(&mut self, mover: ColorCode, mv: Move) {
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
}

/// The number of any kind of piece has changed.
pub(super) const ANY_COUNT_CHANGE: ChangeMask = 0xfffe_0000;
/// A change of the code that no piece has: only a test that depends on every change is evaluated again.
const NO_RELEVANT_CHANGE: ChangeMask = placement_change(PieceCode::NONE);

/// Squares a8–a1 as bits.
pub const FILE_A: u64 = 0x0101_0101_0101_0101;
/// Squares h8–h1 as bits.
pub const FILE_H: u64 = FILE_A << 7;

/// Returns the squares of king and rook after castling from `king` with the rook on `rook`: g1 and f1, or c1 and d1, for White.
#[inline(always)]
pub fn castling_targets(king: usize, rook: usize) -> (usize, usize) {
    let rank = king & 56;
    if rook > king { (rank | 6, rank | 5) } else { (rank | 2, rank | 3) }
}

/// The bit of [`Board::castled_wings`] for castling from `king` with the rook on `rook`.
pub(crate) const fn castled_wing_bit(king: usize, rook: usize, mover: ColorCode) -> u8 {
    1 << (2 * mover.index() + (rook <= king) as usize)
}

/// The square of the pawn that is captured en passant by a pawn that goes from `from` to `to`.
///
/// ```text
/// . . . . . . . .
/// . . . . . . . .
/// . . . t . . . .      t  to
/// . . . c f . . .      c  the captured pawn, f  from
/// . . . . . . . .
/// ```
#[inline(always)]
pub fn en_passant_capture_square(from: usize, to: usize) -> usize {
    from & 56 | to & 7
}

/// The squares of the colour's own first rank.
pub fn back_rank(mover: ColorCode) -> u64 {
    if mover.is_black() { 0xff << 56 } else { 0xff }
}

/// The key of a piece on a square; 0 for no piece.
#[inline(always)]
pub fn zobrist_key(code: PieceCode, square: usize) -> u64 {
    let Some(role) = code.role() else {
        return 0;
    };
    let piece = Piece { color: code.color(), role };
    debug_assert_eq!(PieceCode::new(piece.color, piece.role), code);
    Zobrist64::zobrist_for_piece(Square::new(square as u32 & 63), piece).0
}

pub(super) fn en_passant_zobrist_key(square: u8) -> u64 {
    Zobrist64::zobrist_for_en_passant_file(File::new(u32::from(square & 7))).0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{Chess, Color, EnPassantMode, Position};

    use super::*;
    use crate::board::start::PackedStart;
    use crate::random_games;

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

    /// Asserts that everything policy `P` keeps up to date agrees with shakmaty.
    fn assert_agrees<P: MakePolicy>(board: &Board, position: &Chess) {
        let policy = core::any::type_name::<P>();
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
                if P::BITBOARDS {
                    assert_eq!(board.pieces(colour, role), squares.0, "{policy}: {colour} {role:?}");
                }
                if P::PIECE_COUNTS {
                    let count = u32::from(board.piece_counts[PieceCode::new(colour, role)]);
                    assert_eq!(count, squares.count() as u32, "{policy}");
                }
            }
        }
        if P::CLOCKS {
            assert_eq!(board.to_setup(), setup, "{policy}");
        }
        if P::HASH {
            let expected: Zobrist64 = position.zobrist_hash(EnPassantMode::Legal);
            assert_eq!(board.hash, expected.0, "{policy}");
            assert_eq!(board.compute_hash(), expected.0, "{policy}");
        }
    }

    /// Asserts that the change has exactly the kinds that changed.
    fn assert_change_is_exact(change: ChangeMask, before: &Board, after: &Board, castles: bool) {
        for code in PieceCode::all().filter(|code| code.role().is_some()) {
            let moved = before.bitboards[code] != after.bitboards[code];
            // In Chess960 a rook (or king) may castle without leaving its square.
            assert!(change & placement_change(code) != 0 || !moved, "squares of {code:?}");
            assert!(change & placement_change(code) == 0 || moved || castles, "squares of {code:?}");
            let counted = before.piece_counts[code] != after.piece_counts[code];
            assert_eq!(change & count_change(code) != 0, counted, "number of {code:?}");
        }
        assert_eq!(change & CASTLING_CHANGE != 0, castles);
    }

    /// A board that is replayed with policy `P`.
    struct Replay<P>(Board, core::marker::PhantomData<P>);

    impl<P: MakePolicy> Replay<P> {
        fn new(start: &Board) -> Replay<P> {
            Replay(start.clone(), core::marker::PhantomData)
        }

        /// Plays `mv`, after which shakmaty has `position`.
        fn play(&mut self, mv: Move, position: &Chess) -> ChangeMask {
            let change = self.0.make::<P>(mv);
            assert_agrees::<P>(&self.0, position);
            change
        }

        /// Plays all `moves` at once, after which shakmaty has `position`.
        fn leap(start: &Board, moves: &[Move], position: &Chess) -> Board {
            let mut board = start.clone();
            board.fast_forward::<P>(moves);
            assert_agrees::<P>(&board, position);
            board
        }
    }

    fn replay_equals_shakmaty(fen: &str, choices: &[u16]) {
        let mut position = random_games::position(fen);
        let start = Board::from_start(&PackedStart::from_position(&position));
        let mut mailbox = Replay::<MailboxOnly>::new(&start);
        let mut bitboards = Replay::<WithBitboards>::new(&start);
        let mut counts = Replay::<WithPieceCounts>::new(&start);
        let mut rights = Replay::<WithRights>::new(&start);
        let mut hash_alone = Replay::<HashOnly>::new(&start);
        let mut hash = Replay::<WithHash>::new(&start);
        let mut full = Replay::<FullState>::new(&start);
        let mut pawns = start.clone();
        let mut played = alloc::vec::Vec::new();
        random_games::play(&position.clone(), choices.iter().copied(), false, |mv, after| {
            let before = full.0.clone();
            position.clone_from(after);
            mailbox.play(mv, &position);
            bitboards.play(mv, &position);
            counts.play(mv, &position);
            rights.play(mv, &position);
            hash_alone.play(mv, &position);
            hash.play(mv, &position);
            let change = full.play(mv, &position);
            Replay::<FullState>::leap(&before, &[mv], &position);
            Replay::<WithRights>::leap(&before, &[mv], &position);
            assert_change_is_exact(change, &before, &full.0, mv.is_castling());
            let pawn_change = pawns.make::<PawnBitboardsOnly>(mv);
            for code in [PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN] {
                assert_eq!(pawns.bitboards[code], full.0.bitboards[code], "pawns");
                let bits = placement_change(code) | count_change(code);
                assert_eq!(pawn_change & bits, change & bits, "change of pawns");
            }
            played.push(mv);
        });
        Replay::<HashOnly>::leap(&start, &played, &position);
        Replay::<WithRights>::leap(&start, &played, &position);
        Replay::<WithBitboards>::leap(&start, &played, &position);
        let leapt = Replay::<FullState>::leap(&start, &played, &position);
        assert_eq!((leapt.castled_wings, leapt.turn), (full.0.castled_wings, full.0.turn));
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
