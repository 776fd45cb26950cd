//! Lists the moves that may have been played, each with the features that the model uses.
//!
//! They are nearly the legal moves: a pinned piece may move, and a king may step along a ray that attacks it. Any order and any set
//! would do, as long as packing and unpacking agree.

use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

use plyfold_board::board::attacks::{diagonal_attacks, king_attacks, knight_attacks, orthogonal_attacks, pawn_attacks};
use plyfold_board::board::legal::{answers_to, pawn_steps};
use plyfold_board::board::legal_count::LAST_RANKS;
use plyfold_board::board::{Board, NO_SQUARE};
use plyfold_board::moves::Move;

/// Powers of two above every value of the three features of a move: 6 × 64 × 64, 6 × 5 × 6 × 5 × 2, and 7 × 16.
///
/// Codes of no piece, which bits that are no sensible move may put on a board, give higher values of the second.
pub(super) const WAYS: usize = 1 << 15;
pub(super) const EXCHANGES: usize = 1 << 11;
pub(super) const URGENCIES: usize = 1 << 7;

/// The most candidates at a position. No position that games can reach has more; others are cut.
pub(super) const MOST: usize = 256;

/// A move and its features, as indices into the weights of each.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub mv: Move,
    pub features: [u16; 3],
}

impl Candidate {
    const NONE: Candidate = Candidate { mv: Move::NULL, features: [0; 3] };
}

/// The candidates at a position.
pub(super) struct Candidates {
    places: [Candidate; MOST],
    count: usize,
}

impl Default for Candidates {
    fn default() -> Candidates {
        Candidates { places: [Candidate::NONE; MOST], count: 0 }
    }
}

impl Candidates {
    pub fn as_slice(&self) -> &[Candidate] {
        &self.places[..self.count]
    }

    /// Lists those at a position; `before` are the last two moves, the latest first.
    pub fn list(&mut self, board: &Board, before: [Move; 2]) {
        self.count = 0;
        let situation = Situation::new(board, before);
        for role in Role::ALL {
            for from in Bitboard(board.pieces(situation.us, role)) {
                match role {
                    Role::Pawn => situation.list_pawn_moves(from, self),
                    _ => situation.list_piece_moves(role, from, self),
                }
            }
        }
    }

    #[inline(always)]
    fn push(&mut self, candidate: Candidate) {
        if let Some(place) = self.places.get_mut(self.count) {
            *place = candidate;
            self.count += 1;
        }
    }
}

/// The state of a position on which the features of all its moves depend.
struct Situation<'b> {
    board: &'b Board,
    us: Color,
    /// Turns the squares of Black round, so that both sides play up the board.
    flip: usize,
    own: u64,
    occupied: u64,
    /// How cheap the cheapest attacker of each square is, as the bits of a number: 0 none, 1 a queen or the king, 2 a rook, 3 a minor
    /// piece, 4 a pawn.
    danger: [u64; 3],
    /// What the exchange on each square looks like: the captured piece, 10 × role; 2 × the danger; 1 if the last move went there.
    arrivals: [u8; 64],
    /// Squares that a pawn of the side to move defends.
    defended: u64,
    /// Where a move may go if the king is in check; everywhere otherwise.
    targets: u64,
    is_in_check: bool,
    /// What the piece attacks that moved last.
    attacked_by_last: u64,
    /// Where the last move of the side to move went, or [`NO_SQUARE`].
    own_last_target: usize,
}

fn target_of(mv: Move) -> usize {
    if mv.is_null() { usize::from(NO_SQUARE) } else { mv.target() }
}

/// The bytes of a rank with a 1 for each bit of it.
#[inline(always)]
fn spread(rank: u64) -> u64 {
    let bits = (rank & 0xff).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((bits + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101
}

/// See [`Situation::arrivals`]. Eight squares are calculated at a time, as the bytes of a word.
fn arrivals(board: &Board, danger: [u64; 3], last_target: usize) -> [u8; 64] {
    let mut arrivals = [0; 64];
    for (rank, (bytes, pieces)) in arrivals.chunks_exact_mut(8).zip(board.mailbox.chunks_exact(8)).enumerate() {
        let roles = u64::from_le_bytes(core::array::from_fn(|file| pieces[file].bits() & 7));
        // A king cannot be captured, and counts as a queen.
        let roles = roles - ((roles + 0x0202_0202_0202_0202) >> 3 & 0x0101_0101_0101_0101);
        let [a, b, c] = danger.map(|squares| spread(squares >> (8 * rank)));
        bytes.copy_from_slice(&(roles * 10 + a * 2 + b * 4 + c * 8).to_le_bytes());
    }
    if let Some(last) = arrivals.get_mut(last_target) {
        *last |= 1;
    }
    arrivals
}

impl<'b> Situation<'b> {
    fn new(board: &'b Board, before: [Move; 2]) -> Situation<'b> {
        let us = board.side_to_move();
        let theirs = |role| board.pieces(!us, role);
        let (own, occupied) = (board.occupied_by(us), board.occupied());
        let minor = knight_attacks(theirs(Role::Knight)) | diagonal_attacks(theirs(Role::Bishop), !occupied);
        let rooks = orthogonal_attacks(theirs(Role::Rook), !occupied);
        let queens = theirs(Role::Queen);
        let queens = orthogonal_attacks(queens, !occupied) | diagonal_attacks(queens, !occupied);
        let pawns = pawn_attacks(theirs(Role::Pawn), !us);
        let (minor, rooks) = (minor & !pawns, rooks & !(minor | pawns));
        let others = (queens | king_attacks(theirs(Role::King))) & !(rooks | minor | pawns);
        let danger = [others | minor, rooks | minor, pawns];
        let king = board.king(us);
        let checkers = king.map_or(0, |king| board.attackers(king, !us, occupied));
        let targets = king.map_or(u64::MAX, |king| answers_to(king, checkers).unwrap_or(0));
        let [last_target, own_last_target] = before.map(target_of);
        let last_role = board.mailbox.get(last_target).and_then(|piece| piece.role());
        let attacked_by_last = last_role.map_or(0, |role| {
            attacks::attacks(Square::new(last_target as u32), Piece { color: !us, role }, Bitboard(occupied)).0
        });
        Situation {
            board,
            us,
            flip: if us == Color::White { 0 } else { 56 },
            own,
            occupied,
            danger,
            arrivals: arrivals(board, danger, last_target),
            defended: pawn_attacks(board.pieces(us, Role::Pawn), us),
            targets,
            is_in_check: checkers != 0,
            attacked_by_last,
            own_last_target,
        }
    }

    fn list_pawn_moves(&self, from: Square, candidates: &mut Candidates) {
        let pawn = 1u64 << from as u32;
        let steps = pawn_steps(pawn, self.us, !self.occupied);
        let en_passant = if self.board.en_passant < NO_SQUARE { 1 << self.board.en_passant } else { 0 };
        let attacked = pawn_attacks(pawn, self.us);
        let captures = attacked & self.occupied & !self.own;
        let origin = self.origin(from, 0);
        for to in Bitboard((steps | captures) & self.targets) {
            if 1u64 << to as u32 & LAST_RANKS == 0 {
                candidates.push(self.candidate(origin, Move::normal(Role::Pawn, from, to), 0));
                continue;
            }
            for role in [Role::Queen, Role::Knight, Role::Rook, Role::Bishop] {
                let kind = if role == Role::Queen { 0 } else { 6 };
                candidates.push(self.candidate(origin, Move::promotion(role, from, to), kind));
            }
        }
        for to in Bitboard(attacked & en_passant) {
            candidates.push(self.candidate(origin, Move::en_passant(from, to), 0));
        }
    }

    fn list_piece_moves(&self, role: Role, from: Square, candidates: &mut Candidates) {
        let index = role as u16 - 1;
        let reached = attacks::attacks(from, Piece { color: self.us, role }, Bitboard(self.occupied)).0 & !self.own;
        let [a, b, c] = self.danger;
        let targets = if role == Role::King { !(a | b | c) } else { self.targets };
        let origin = self.origin(from, index);
        for to in Bitboard(reached & targets) {
            candidates.push(self.candidate(origin, Move::normal(role, from, to), index));
        }
        if role == Role::King && !self.is_in_check {
            for rook in Bitboard(self.board.castling_rooks & self.own) {
                if attacks::between(from, rook).0 & self.occupied == 0 {
                    candidates.push(self.candidate(origin, Move::castle(from, rook), index));
                }
            }
        }
    }

    /// Returns how cheap the cheapest attacker of a square is.
    #[inline(always)]
    fn danger(&self, square: usize) -> u16 {
        let [a, b, c] = self.danger.map(|bits| (bits >> square & 1) as u16);
        c << 2 | b << 1 | a
    }

    /// Returns what the features of all moves of a piece have in common: `role` is its index, 0 for a pawn.
    fn origin(&self, from: Square, role: u16) -> [u16; 3] {
        let from = from as usize;
        let is_hit = (self.attacked_by_last >> from & 1) as u16;
        let danger = self.danger(from);
        let is_same = u16::from(from == self.own_last_target);
        let way = (role * 64 + (from ^ self.flip) as u16) * 64;
        [way, (role * 5 + danger) * 6 * 5 * 2, is_same << 3 | is_hit << 2 | u16::from(danger > 0)]
    }

    /// `kind` is the index of the piece that moves, or 6 for a promotion to another piece than a queen.
    #[inline(always)]
    fn candidate(&self, [way, exchange, urgency]: [u16; 3], mv: Move, kind: u16) -> Candidate {
        let to = mv.target();
        // Castling goes to the square of the own rook, which it does not capture.
        let victim = if mv.is_castling() { Role::Rook as u16 * 10 } else { 0 };
        let exchange = exchange + u16::from(self.arrivals[to]).saturating_sub(victim);
        let urgency = urgency + kind * 16 + ((self.defended >> to & 1) as u16) * 2;
        Candidate { mv, features: [way + (to ^ self.flip) as u16, exchange, urgency] }
    }
}
