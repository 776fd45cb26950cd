//! Applies the part of the rules that finds the one legal move that a written move means.
//!
//! No moves are generated. The pieces that could make the move are looked up backwards from its target:
//!
//! ```text
//! pieces of that role, on the squares that the hints allow, on a line (or a knight's leap) with the target, nothing between
//! ```
//!
//! Whether the own king is safe after the move depends on the few enemy pieces that could matter:
//!
//! ```text
//! a knight or pawn gives check            → illegal unless it is captured
//! a slider is on a line with the king     → illegal if nothing stands between after the move, unless the slider is captured
//! the king moves                          → illegal if its target is attacked once it has left its square
//! ```
//!
//! PERF: this takes 4 KiB of masks and shakmaty's table of rays (32 KiB). The losing alternative computed the attacks of a rook
//! and a bishop from target and king by obstruction difference, without branches: it took 627 instructions a ply, this takes 451
//! (`valgrind --tool=cachegrind`, first megabyte of a file of master games; pgn-reader and shakmaty take 853).

use plyfold_board::board::make::{WithBitboards, castling_targets, en_passant_capture_square};
use plyfold_board::board::{Board, ColorCode, PieceCode};
use plyfold_board::moves::Move;
use shakmaty::attacks::{between, king_attacks, knight_attacks, pawn_attacks};
use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::san::{ParsedSan, ShortSan};

/// A position with what legality needs besides the pieces.
///
/// PERF: castling rights and the en passant square of the board are those of the start position. The current ones are computed
/// only for castling and captures en passant, from three words that every move updates without a branch.
#[derive(Clone)]
pub(super) struct ResolverPosition {
    pub(super) board: Board,
    /// Squares with a piece.
    occupied: u64,
    /// Squares that a move has left or reached.
    touched_squares: u64,
    /// The last move; the null move at the start.
    last_move: Move,
}

/// Why a written move cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ResolveError {
    /// No piece can legally make it.
    Illegal,
    /// Several pieces can.
    Ambiguous,
    /// A pawn arrives on the last rank without a promotion.
    MissingPromotion,
    /// The game has as many plies as a corpus can store.
    TooLong,
}

/// A square that no castling right depends on.
const NO_CASTLING_SQUARE: u64 = 1 << 32;

/// The squares that a piece of each role (by its code) reaches from each square of an empty board; none for pawns and for code 0.
static EMPTY_BOARD_REACH: [[u64; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut index = 0;
    while index < 64 {
        let square = Square::new(index);
        let at = index as usize;
        table[KNIGHT as usize][at] = knight_attacks(square).0;
        table[BISHOP as usize][at] = attacks::bishop_attacks(square, Bitboard(0)).0;
        table[ROOK as usize][at] = attacks::rook_attacks(square, Bitboard(0)).0;
        table[QUEEN as usize][at] = table[BISHOP as usize][at] | table[ROOK as usize][at];
        table[KING as usize][at] = king_attacks(square).0;
        index += 1;
    }
    table
};

const PAWN: u8 = Role::Pawn as u8;
const KNIGHT: u8 = Role::Knight as u8;
const BISHOP: u8 = Role::Bishop as u8;
const ROOK: u8 = Role::Rook as u8;
const QUEEN: u8 = Role::Queen as u8;
const KING: u8 = Role::King as u8;

/// Whether a square stands two files aside.
fn is_two_aside(from: u8, to: u8) -> bool {
    from >> 3 == to >> 3 && from.abs_diff(to) == 2
}

fn as_square(index: usize) -> Square {
    Square::new(index as u32 & 63)
}

impl ResolverPosition {
    /// The position of `board`, which has both kings and has been found legal by shakmaty.
    pub(super) fn new(board: Board) -> ResolverPosition {
        ResolverPosition { occupied: board.occupied(), touched_squares: 0, last_move: Move::NULL, board }
    }

    /// The side to move.
    pub(super) fn side_to_move(&self) -> Color {
        self.board.side_to_move()
    }

    fn own_squares(&self) -> u64 {
        self.board.occupied_by(self.board.side_to_move())
    }

    /// Whether the side to move may move to a square with `occupant` on it.
    #[inline(always)]
    fn can_land_on(&self, occupant: PieceCode) -> bool {
        occupant.is_none() || occupant.side() != self.board.turn && !occupant.is(Role::King)
    }

    /// The pieces of the side to move with this role code.
    #[inline(always)]
    fn own_pieces(&self, role: u8) -> u64 {
        self.board.bitboards[self.board.turn.piece_with(role)]
    }

    #[inline(always)]
    fn enemy_pieces(&self, role: u8) -> u64 {
        self.board.bitboards[self.board.turn.opponent().piece_with(role)]
    }

    fn king_square(&self) -> usize {
        self.own_pieces(KING).trailing_zeros() as usize & 63
    }

    /// Whether the side to move is in check.
    pub(super) fn in_check(&self) -> bool {
        self.is_attacked(self.king_square(), self.occupied)
    }

    /// Enemy sliders on a line with `square`, whether or not pieces stand between.
    #[inline(always)]
    fn sliders_aiming_at(&self, square: usize) -> u64 {
        let queens = self.enemy_pieces(QUEEN);
        (self.enemy_pieces(ROOK) | queens) & EMPTY_BOARD_REACH[ROOK as usize][square & 63]
            | (self.enemy_pieces(BISHOP) | queens) & EMPTY_BOARD_REACH[BISHOP as usize][square & 63]
    }

    /// Enemy knights and pawns that attack `square`.
    #[inline(always)]
    fn leapers_attacking(&self, square: usize) -> u64 {
        knight_attacks(as_square(square)).0 & self.enemy_pieces(KNIGHT)
            | pawn_attacks(self.board.side_to_move(), as_square(square)).0 & self.enemy_pieces(PAWN)
    }

    /// Whether nothing on `occupied` stands between `square` and one of `snipers`.
    #[inline(always)]
    fn is_hit(mut snipers: u64, square: usize, occupied: u64) -> bool {
        let mut hit = false;
        while snipers != 0 {
            hit |= between(as_square(square), as_square(snipers.trailing_zeros() as usize)).0 & occupied == 0;
            snipers &= snipers - 1;
        }
        hit
    }

    /// Whether `square` would be attacked if only the squares `occupied` held pieces; enemies elsewhere do not attack.
    fn is_attacked(&self, square: usize, occupied: u64) -> bool {
        let steps = self.leapers_attacking(square) | king_attacks(as_square(square)).0 & self.enemy_pieces(KING);
        steps & occupied != 0 || Self::is_hit(self.sliders_aiming_at(square) & occupied, square, occupied)
    }

    /// Whether the king is safe after another piece moves from `from` to `to`, other than en passant.
    #[inline(always)]
    fn leaves_king_safe(&self, from: usize, to: usize) -> bool {
        let king = self.king_square();
        let (snipers, leapers) = (self.sliders_aiming_at(king), self.leapers_attacking(king));
        if snipers | leapers == 0 {
            return true;
        }
        let after = self.occupied & !(1 << from) | 1 << to;
        leapers & !(1 << to) == 0 && !Self::is_hit(snipers & !(1 << to), king, after)
    }

    /// The legal move that a common form means.
    #[inline(always)]
    pub(super) fn resolve_short_san(&self, short: ShortSan) -> Result<Move, ResolveError> {
        match short.role {
            PAWN => self.resolve_pawn_move(short.file, short.to, None),
            KING => self.resolve_king_move(short.from, short.to),
            role => self.resolve_piece_move(role, short.from, short.to),
        }
    }

    /// The legal move that was written.
    pub(super) fn resolve_san(&self, written: ParsedSan) -> Result<Move, ResolveError> {
        match written {
            ParsedSan::Piece { role: Role::King, from, to } => self.resolve_king_move(from, to),
            ParsedSan::Piece { role, from, to } => self.resolve_piece_move(role as u8, from, to),
            ParsedSan::Pawn { file, to, promotion } => self.resolve_pawn_move(file, to, promotion),
            rare => self.resolve_uncommon(rare),
        }
    }

    /// The move of a knight, bishop, rook or queen from one of the squares `from` to `to`.
    #[inline(always)]
    fn resolve_piece_move(&self, role: u8, from: u64, to: u8) -> Result<Move, ResolveError> {
        let target = usize::from(to & 63);
        let mut pieces = self.own_pieces(role) & from & EMPTY_BOARD_REACH[usize::from(role & 7)][target];
        if !self.can_land_on(self.board.mailbox[target]) {
            return Err(ResolveError::Illegal);
        }
        if pieces & pieces.wrapping_sub(1) != 0 {
            pieces = self.unpinned_pieces(pieces, target);
            if pieces & pieces.wrapping_sub(1) != 0 {
                return Err(ResolveError::Ambiguous);
            }
        }
        let origin = pieces.trailing_zeros() as usize & 63;
        // No square is between those of a knight's move.
        if pieces == 0
            || between(as_square(origin), as_square(target)).0 & self.occupied != 0
            || !self.leaves_king_safe(origin, target)
        {
            return Err(ResolveError::Illegal);
        }
        Ok(Move::from_bits(u16::from(role) << 12 | (target as u16) << 6 | origin as u16))
    }

    /// Those of `pieces` with a free way to `target` whose king stays safe.
    #[inline(never)]
    fn unpinned_pieces(&self, pieces: u64, target: usize) -> u64 {
        let free = |square: &Square| {
            between(*square, as_square(target)).0 & self.occupied == 0
                && self.leaves_king_safe(*square as usize, target)
        };
        Bitboard(pieces).into_iter().filter(free).fold(0, |free, square| free | 1 << square as u32)
    }

    fn resolve_king_move(&self, from: u64, to: u8) -> Result<Move, ResolveError> {
        let king = self.own_pieces(KING);
        let (from_square, square) = (as_square(king.trailing_zeros() as usize), as_square(usize::from(to)));
        // To the square of castling.
        if king & from != 0 && is_two_aside(from_square as u8, to) && matches!(to & 7, 2 | 6) {
            return self.resolve_castling(square > from_square);
        }
        if king & from & king_attacks(square).0 == 0
            || !self.can_land_on(self.board.mailbox[usize::from(to & 63)])
            || self.is_attacked(square as usize, self.occupied & !king | 1 << (to & 63))
        {
            return Err(ResolveError::Illegal);
        }
        Ok(Move::normal(Role::King, from_square, square))
    }

    /// The move of a pawn from `file` (8 if not written) to `to`.
    #[inline(always)]
    fn resolve_pawn_move(&self, file: u8, to: u8, promotion: Option<Role>) -> Result<Move, ResolveError> {
        let white = !self.board.turn.is_black();
        let target = usize::from(to & 63);
        let pawns = self.own_pieces(PAWN);
        if target >> 3 == if white { 0 } else { 7 } {
            return Err(ResolveError::Illegal);
        }
        let behind = if white { target.wrapping_sub(8) } else { target + 8 } & 63;
        let from = if file >= 8 || usize::from(file) == target & 7 {
            let occupied = self.occupied;
            if occupied >> target & 1 != 0 {
                return Err(ResolveError::Illegal);
            }
            if pawns >> behind & 1 != 0 {
                behind
            } else {
                let start = if white { target.wrapping_sub(16) } else { target + 16 } & 63;
                let doubled = target >> 3 == if white { 3 } else { 4 };
                if !doubled || occupied >> behind & 1 != 0 || pawns >> start & 1 == 0 {
                    return Err(ResolveError::Illegal);
                }
                start
            }
        } else {
            let from = behind & 56 | usize::from(file);
            if usize::from(file).abs_diff(target & 7) != 1 || pawns >> from & 1 == 0 {
                return Err(ResolveError::Illegal);
            }
            match self.board.mailbox[target] {
                PieceCode::NONE => return self.resolve_en_passant(from, target),
                piece if !self.can_land_on(piece) => return Err(ResolveError::Illegal),
                _ => from,
            }
        };
        if !self.leaves_king_safe(from, target) {
            return Err(ResolveError::Illegal);
        }
        let last = matches!(target >> 3, 0 | 7);
        match promotion {
            None if !last => Ok(Move::normal(Role::Pawn, as_square(from), as_square(target))),
            Some(role) if last => Ok(Move::promotion(role, as_square(from), as_square(target))),
            None => Err(ResolveError::MissingPromotion),
            Some(_) => Err(ResolveError::Illegal),
        }
    }

    #[cold]
    fn resolve_en_passant(&self, from: usize, to: usize) -> Result<Move, ResolveError> {
        let victim = en_passant_capture_square(from, to);
        let occupied = self.occupied & !(1 << from | 1 << victim) | 1 << to;
        let behind = match self.last_move {
            double if double.arrives_as(Role::Pawn) && double.origin() ^ double.target() == 16 => {
                (double.origin() + double.target()) / 2
            }
            _ if self.touched_squares == 0 => usize::from(self.board.en_passant),
            _ => return Err(ResolveError::Illegal),
        };
        if to != behind || self.is_attacked(self.king_square(), occupied) {
            return Err(ResolveError::Illegal);
        }
        Ok(Move::en_passant(as_square(from), as_square(to)))
    }

    #[cold]
    #[inline(never)]
    fn resolve_uncommon(&self, written: ParsedSan) -> Result<Move, ResolveError> {
        match written {
            ParsedSan::Squares { from, to, promotion } => self.resolve_squares(from, to, promotion),
            ParsedSan::Castling { short } => self.resolve_castling(short),
            // After a null move in check, the king could be captured.
            ParsedSan::Null if self.in_check() => Err(ResolveError::Illegal),
            ParsedSan::Null => Ok(Move::NULL),
            ParsedSan::Piece { .. } | ParsedSan::Pawn { .. } => self.resolve_san(written),
        }
    }

    /// The move from one square to another, whatever piece stands on the first. Castling is a king's move onto its rook or by two
    /// squares.
    fn resolve_squares(&self, from: u8, to: u8, promotion: Option<Role>) -> Result<Move, ResolveError> {
        let (from, to) = (from & 63, to & 63);
        let piece = self.board.mailbox[usize::from(from)];
        if piece.side() != self.board.turn {
            return Err(ResolveError::Illegal);
        }
        let mask = 1u64 << from;
        match piece.role() {
            None => Err(ResolveError::Illegal),
            Some(Role::Pawn) => {
                let mv = self.resolve_pawn_move(from & 7, to, promotion)?;
                if mv.origin() == usize::from(from) { Ok(mv) } else { Err(ResolveError::Illegal) }
            }
            Some(_) if promotion.is_some() => Err(ResolveError::Illegal),
            Some(Role::King) => {
                let onto_rook = (self.board.castling_rooks & self.own_squares() & !self.touched_squares) >> to & 1 != 0;
                if onto_rook || is_two_aside(from, to) {
                    self.resolve_castling(to > from)
                } else {
                    self.resolve_king_move(mask, to)
                }
            }
            Some(role) => self.resolve_piece_move(role as u8, mask, to),
        }
    }

    /// Castling towards the h-file (`short`) or towards the a-file, in chess and Chess960 alike.
    fn resolve_castling(&self, short: bool) -> Result<Move, ResolveError> {
        let king = self.own_pieces(KING).trailing_zeros() as usize & 63;
        let home = 0xff << (king & 56);
        let right = Bitboard(self.board.castling_rooks & home & self.own_pieces(ROOK) & !self.touched_squares)
            .into_iter()
            .find(|&rook| (rook as usize > king) == short)
            .filter(|_| self.touched_squares >> king & 1 == 0)
            .ok_or(ResolveError::Illegal)?;
        let rook = right as usize;
        let (king_to, rook_to) = castling_targets(king, rook);
        let others = self.occupied & !(1 << king | 1 << rook);
        let king_path = between(as_square(king), as_square(king_to)).0 | 1 << king_to;
        let rook_path = between(right, as_square(rook_to)).0 | 1 << rook_to;
        if (king_path | rook_path) & others != 0 {
            return Err(ResolveError::Illegal);
        }
        let without_king = self.occupied & !(1 << king);
        let safe =
            Bitboard(king_path | 1 << king).into_iter().all(|square| !self.is_attacked(square as usize, without_king))
                && !self.is_attacked(king_to, others | 1 << rook_to);
        if safe { Ok(Move::castle(as_square(king), right)) } else { Err(ResolveError::Illegal) }
    }

    /// Plays a move that [`resolve_san`](ResolverPosition::resolve_san) returned.
    #[inline(always)]
    pub(super) fn play_move(&mut self, mv: Move) {
        let mover = self.board.turn;
        self.board.make::<WithBitboards>(mv);
        self.last_move = mv;
        if mv.is_special() {
            return self.after_special(mv, mover);
        }
        let (from, to) = (1 << mv.origin(), 1 << mv.target());
        self.occupied = self.occupied & !from | to;
        self.touched_squares |= from | to;
    }

    #[cold]
    fn after_special(&mut self, mv: Move, mover: ColorCode) {
        self.occupied = self.board.occupied();
        if mv.is_castling() {
            self.board.castling_rooks &= !(0xff << if mover.is_black() { 56 } else { 0 });
        }
        // After a null move, the en passant square of the start position is no longer valid, as after any move.
        self.touched_squares |= if mv.is_null() { NO_CASTLING_SQUARE } else { 1 << mv.origin() | 1 << mv.target() };
    }

    /// Whether the side to move has a legal move. It costs about a microsecond if there is none.
    pub(super) fn has_legal_move(&self) -> bool {
        // In most positions a pawn off the lines of the king can step forward.
        let (pawns, occupied) = (self.own_pieces(PAWN), self.occupied);
        let steps = if self.board.turn.is_black() { pawns & !(occupied << 8) } else { pawns & !(occupied >> 8) };
        if steps & !EMPTY_BOARD_REACH[QUEEN as usize][self.king_square()] != 0 && !self.in_check() {
            return true;
        }
        Bitboard(self.own_squares()).into_iter().any(|from| {
            let index = from as usize;
            let piece = self.board.mailbox[index];
            let targets = match piece.role_code() {
                PAWN => {
                    let ahead = if piece.side().is_black() {
                        [index.wrapping_sub(8), index.wrapping_sub(16)]
                    } else {
                        [index + 8, index + 16]
                    };
                    let steps = ahead.iter().filter(|&&to| to < 64).fold(0, |steps, to| steps | 1u64 << to);
                    steps | pawn_attacks(self.board.side_to_move(), from).0
                }
                KNIGHT => knight_attacks(from).0,
                BISHOP => attacks::bishop_attacks(from, Bitboard(occupied)).0,
                ROOK => attacks::rook_attacks(from, Bitboard(occupied)).0,
                QUEEN => attacks::queen_attacks(from, Bitboard(occupied)).0,
                _ => king_attacks(from).0,
            };
            Bitboard(targets & !self.own_squares()).into_iter().any(|to| {
                let last = piece.is(Role::Pawn) && matches!(to as usize >> 3, 0 | 7);
                self.resolve_squares(from as u8, to as u8, last.then_some(Role::Queen)).is_ok()
            })
        })
    }

    /// Whether neither side has enough material to mate by any play: bare kings, one minor piece, or bishops on one colour.
    pub(super) fn has_insufficient_material(&self) -> bool {
        let of = |role: u8| self.own_pieces(role) | self.enemy_pieces(role);
        if of(PAWN) | of(ROOK) | of(QUEEN) != 0 {
            return false;
        }
        const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
        let (knights, bishops) = (of(KNIGHT), of(BISHOP));
        match knights.count_ones() {
            0 => bishops & LIGHT == 0 || bishops & !LIGHT == 0,
            1 => bishops == 0,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use plyfold_board::board::start::PackedStart;
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess, Position};

    use super::*;

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().expect("a FEN");
        fen.into_position(CastlingMode::Chess960).expect("legal")
    }

    fn resolver(position: &Chess) -> ResolverPosition {
        ResolverPosition::new(Board::from_start(&PackedStart::from_position(position)))
    }

    /// All that can be written of a move by both squares is read as one of the legal moves, and each of these can be written.
    fn assert_legal_moves(resolver: &ResolverPosition, position: &Chess) {
        let promotions = [None, Some(Role::Queen), Some(Role::Rook), Some(Role::Bishop), Some(Role::Knight)];
        let mut found = Vec::new();
        for from in 0..64 {
            for to in 0..64 {
                for promotion in promotions {
                    let written = ParsedSan::Squares { from, to, promotion };
                    found.extend(resolver.resolve_san(written).ok().map(Move::bits));
                }
            }
        }
        found.sort_unstable();
        // Castling is written in two ways.
        found.dedup();
        let legal = position.legal_moves();
        let mut expected: Vec<u16> = legal.iter().map(|&mv| Move::from(mv).bits()).collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{position:?}");
        for short in [true, false] {
            let castling = resolver.resolve_san(ParsedSan::Castling { short });
            let expected = legal.iter().find(|mv| {
                let (from, to) = (mv.from().expect("no drops") as usize, mv.to() as usize);
                mv.is_castle() && (to > from) == short
            });
            assert_eq!(castling.ok(), expected.map(|&mv| Move::from(mv)), "{position:?}");
        }
        let passed = position.clone().swap_turn();
        assert_eq!(resolver.resolve_san(ParsedSan::Null).ok(), passed.ok().map(|_| Move::NULL), "{position:?}");
        assert_eq!(resolver.in_check(), position.is_check(), "{position:?}");
        assert_eq!(resolver.has_legal_move(), !legal.is_empty(), "{position:?}");
        assert_eq!(resolver.has_insufficient_material(), position.is_insufficient_material(), "{position:?}");
    }

    /// Plays a legal move, or the null move for none.
    fn play(resolver: &mut ResolverPosition, position: &mut Chess, mv: Option<shakmaty::Move>) {
        match mv {
            Some(mv) => {
                resolver.play_move(Move::from(mv));
                position.play_unchecked(mv);
            }
            None => {
                resolver.play_move(Move::NULL);
                *position = position.clone().swap_turn().expect("not in check");
            }
        }
    }

    #[test]
    fn resolved_moves_are_the_legal_moves_of_shakmaty() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut below = |end: usize| {
            state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            (state >> 33) as usize % end
        };
        let mut rare_moves = [0; 4];
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "1n2k3/P1P1P2p/8/1pPp4/2PpPp2/8/p1p3PP/1N2K2R b K - 3 20",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 20",
            "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 20",
            "8/3p3p/8/k3P2R/8/8/8/4K3 b - - 0 20",
            "5k2/8/8/3NB3/8/8/8/4K3 w - - 0 60",
            // A rook, a knight, and a pawn give check, so nobody passes; a rook beside the king does not.
            "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1",
            "4k3/8/8/8/8/3n4/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/3p4/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/3r4/4K3 w - - 0 1",
        ] {
            for _ in 0..6 {
                let mut chess = position(fen);
                let mut read = resolver(&chess);
                for _ in 0..40 {
                    assert_legal_moves(&read, &chess);
                    let legal = chess.legal_moves();
                    let rare: Vec<_> =
                        legal.iter().filter(|mv| mv.is_castle() || mv.is_en_passant() || mv.is_promotion()).collect();
                    let mv = match below(6) {
                        0 if !chess.is_check() => None,
                        1..4 if !rare.is_empty() => Some(*rare[below(rare.len())]),
                        _ if legal.is_empty() => break,
                        _ => Some(legal[below(legal.len())]),
                    };
                    let kinds = [
                        mv.is_none(),
                        mv.is_some_and(|mv| mv.is_castle()),
                        mv.is_some_and(|mv| mv.is_en_passant()),
                        mv.is_some_and(|mv| mv.is_promotion()),
                    ];
                    rare_moves.iter_mut().zip(kinds).for_each(|(number, is)| *number += usize::from(is));
                    play(&mut read, &mut chess, mv);
                }
            }
        }
        assert!(
            rare_moves.iter().all(|&number| number > 5),
            "null moves, castling, en passant, promotions: {rare_moves:?}"
        );
    }

    /// En passant, as the start allows it, is over with the first move, whatever that is.
    #[test]
    fn en_passant_of_the_start_is_for_the_first_move_alone() {
        let taking = ParsedSan::Pawn { file: 4, to: Square::D6 as u8, promotion: None };
        let moves = |chess: &Chess| chess.legal_moves().into_iter().map(Some).chain([None]).collect::<Vec<_>>();
        // Without the pawns on b7 and b2, both sides may castle long.
        for fen in ["r3k2r/1P6/8/3pP3/8/8/1p6/R3K2R w KQkq d6 0 20", "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 20"] {
            let start = position(fen);
            assert!(resolver(&start).resolve_san(taking).is_ok_and(|mv| mv.is_special()));
            for first in moves(&start) {
                let (mut chess, mut read) = (start.clone(), resolver(&start));
                play(&mut read, &mut chess, first);
                for second in moves(&chess).into_iter().filter(|mv| mv.is_some() || !chess.is_check()) {
                    let (mut chess, mut read) = (chess.clone(), read.clone());
                    play(&mut read, &mut chess, second);
                    assert_eq!(read.resolve_san(taking), Err(ResolveError::Illegal), "{first:?} {second:?}");
                    assert_legal_moves(&read, &chess);
                }
            }
        }
    }
}
