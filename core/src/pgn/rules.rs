//! As much of the rules as it takes to find the one legal move that a score means.
//!
//! Nothing is generated. The men that could make the move are looked up backwards from its target; what the king
//! forbids is known from two sets per ply, the men that give check and the men that are pinned:
//!
//! ```text
//! danger:  for each enemy slider on a line with the king: nobody between → a checker; one man between → he is pinned
//! legal:   no check: a pinned man stays on his line          (everybody else is free)
//!          one check: capture the checker or step between, unless pinned
//!          two checks: the king moves
//! king:    his target is not attacked once he has left his square
//! en passant: two men leave the board, so the king is looked at afresh
//! ```
//!
//! PERF: lines, and the squares between two men, come from shakmaty's ray table (32 KiB); no sliding attacks are computed
//! but for the king's own moves.

use shakmaty::attacks::{aligned, between, king_attacks, knight_attacks, pawn_attacks};
use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::san::Written;
use crate::board::make::{Bits, FILE_A, castled_squares, en_passant_victim};
use crate::board::{Board, NO_SQUARE};
use crate::moves::Move;

/// A position with what legality needs beyond the men: who stands where, rights, en passant.
#[derive(Clone)]
pub(super) struct Position {
    pub(super) board: Board,
    /// Squares of White's men and of Black's.
    sides: [u64; 2],
}

/// Why a written move is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unresolved {
    /// No man can legally do so.
    Illegal,
    /// Several can.
    Ambiguous,
    /// A pawn would stay a pawn on the last rank.
    NoPromotion,
}

/// What threatens the king of the side to move.
#[derive(Clone, Copy)]
struct Danger {
    king: Square,
    checkers: u64,
    pinned: u64,
}

/// Squares on a rank or file with each square.
static STRAIGHT: [u64; 64] = lines(true);
/// Squares on a diagonal with each square.
static DIAGONAL: [u64; 64] = lines(false);

const fn lines(straight: bool) -> [u64; 64] {
    let mut table = [0; 64];
    let mut index = 0;
    while index < 64 {
        let square = Square::new(index);
        let squares = if straight {
            attacks::rook_attacks(square, Bitboard(0))
        } else {
            attacks::bishop_attacks(square, Bitboard(0))
        };
        table[index as usize] = squares.0;
        index += 1;
    }
    table
}

const PAWN: u8 = Role::Pawn as u8;
const KNIGHT: u8 = Role::Knight as u8;
const BISHOP: u8 = Role::Bishop as u8;
const ROOK: u8 = Role::Rook as u8;
const QUEEN: u8 = Role::Queen as u8;
const KING: u8 = Role::King as u8;

fn sq(index: usize) -> Square {
    Square::new(index as u32 & 63)
}

impl Position {
    /// `board` with both kings, as shakmaty has found it legal.
    pub(super) fn new(board: Board) -> Position {
        let sides = [board.occupied_by(Color::White), board.occupied_by(Color::Black)];
        Position { board, sides }
    }

    #[inline(always)]
    fn own(&self) -> u64 {
        self.sides[usize::from(self.board.turn >> 3)]
    }

    #[inline(always)]
    fn enemy(&self) -> u64 {
        self.sides[usize::from(self.board.turn >> 3 ^ 1)]
    }

    #[inline(always)]
    fn occupied(&self) -> u64 {
        self.sides[0] | self.sides[1]
    }

    /// Men with `code` (a role) of the side to move.
    #[inline(always)]
    fn ours(&self, role: u8) -> u64 {
        self.board.of[usize::from(self.board.turn & 8 | role & 7)]
    }

    #[inline(always)]
    fn theirs(&self, role: u8) -> u64 {
        self.board.of[usize::from((self.board.turn & 8 ^ 8) | role & 7)]
    }

    #[inline(always)]
    fn danger(&self) -> Danger {
        let king = sq(self.ours(KING).trailing_zeros() as usize);
        let queens = self.theirs(QUEEN);
        let mut checkers =
            knight_attacks(king).0 & self.theirs(KNIGHT) | pawn_attacks(self.board.turn(), king).0 & self.theirs(PAWN);
        let mut snipers = (self.theirs(ROOK) | queens) & STRAIGHT[king as usize]
            | (self.theirs(BISHOP) | queens) & DIAGONAL[king as usize];
        let mut pinned = 0;
        let occupied = self.occupied();
        while snipers != 0 {
            let blockers = between(king, sq(snipers.trailing_zeros() as usize)).0 & occupied;
            if blockers == 0 {
                checkers |= snipers & snipers.wrapping_neg();
            } else if blockers & (blockers - 1) == 0 {
                pinned |= blockers;
            }
            snipers &= snipers - 1;
        }
        Danger { king, checkers, pinned }
    }

    /// Whether the side to move is in check.
    pub(super) fn in_check(&self) -> bool {
        self.danger().checkers != 0
    }

    /// Whether `square` would be attacked by the enemies that stand on `occupied`, were those all the men.
    fn attacked(&self, square: Square, occupied: u64) -> bool {
        let queens = self.theirs(QUEEN);
        let steps = knight_attacks(square).0 & self.theirs(KNIGHT)
            | pawn_attacks(self.board.turn(), square).0 & self.theirs(PAWN)
            | king_attacks(square).0 & self.theirs(KING);
        let mut snipers = ((self.theirs(ROOK) | queens) & STRAIGHT[square as usize]
            | (self.theirs(BISHOP) | queens) & DIAGONAL[square as usize])
            & occupied;
        if steps & occupied != 0 {
            return true;
        }
        while snipers != 0 {
            if between(square, sq(snipers.trailing_zeros() as usize)).0 & occupied == 0 {
                return true;
            }
            snipers &= snipers - 1;
        }
        false
    }

    /// Whether a man other than the king may go from `from` to `to`, as far as his king is concerned.
    #[inline(always)]
    fn leaves_king_safe(danger: &Danger, from: usize, to: usize) -> bool {
        let pinned = danger.pinned >> from & 1 != 0;
        if danger.checkers == 0 {
            return !pinned || aligned(danger.king, sq(from), sq(to));
        }
        let checker = sq(danger.checkers.trailing_zeros() as usize);
        danger.checkers & (danger.checkers - 1) == 0
            && !pinned
            && (between(danger.king, checker).0 | danger.checkers) >> to & 1 != 0
    }

    /// The legal move that was written.
    #[inline(always)]
    pub(super) fn resolve(&self, written: Written) -> Result<Move, Unresolved> {
        match written {
            Written::Man { role, from, to } if role != Role::King => self.man(role, from, to),
            Written::Man { from, to, .. } => self.king(from, to),
            Written::Pawn { file, to, promotion } => self.pawn(file, to, promotion),
            rare => self.rare(rare),
        }
    }

    /// A knight, bishop, rook or queen out of `from` to `to`.
    #[inline(always)]
    fn man(&self, role: Role, from: u64, to: u8) -> Result<Move, Unresolved> {
        let target = usize::from(to & 63);
        let square = sq(target);
        let mut men = self.ours(role as u8) & from;
        men &= match role {
            Role::Knight => knight_attacks(square).0,
            Role::Bishop => DIAGONAL[target],
            Role::Rook => STRAIGHT[target],
            _ => DIAGONAL[target] | STRAIGHT[target],
        };
        if (self.own() | self.theirs(KING)) >> target & 1 != 0 {
            return Err(Unresolved::Illegal);
        }
        let danger = self.danger();
        let occupied = self.occupied();
        let mut found = None;
        while men != 0 {
            let man = men.trailing_zeros() as usize;
            men &= men - 1;
            // For a knight there is nothing between.
            if between(sq(man), square).0 & occupied == 0 && Self::leaves_king_safe(&danger, man, target) {
                if found.is_some() {
                    return Err(Unresolved::Ambiguous);
                }
                found = Some(Move::normal(role, sq(man), square));
            }
        }
        found.ok_or(Unresolved::Illegal)
    }

    fn king(&self, from: u64, to: u8) -> Result<Move, Unresolved> {
        let king = self.ours(KING);
        let (from_square, square) = (sq(king.trailing_zeros() as usize), sq(usize::from(to)));
        if king & from & king_attacks(square).0 == 0
            || (self.own() | self.theirs(KING)) >> (to & 63) & 1 != 0
            || self.attacked(square, self.occupied() ^ king)
        {
            return Err(Unresolved::Illegal);
        }
        Ok(Move::normal(Role::King, from_square, square))
    }

    /// A pawn from `file` (8 if not written) to `to`.
    #[inline(always)]
    fn pawn(&self, file: u8, to: u8, promotion: Option<Role>) -> Result<Move, Unresolved> {
        let white = self.board.turn == 0;
        let target = usize::from(to & 63);
        let pawns = self.ours(PAWN);
        if target >> 3 == if white { 0 } else { 7 } {
            return Err(Unresolved::Illegal);
        }
        let behind = if white { target.wrapping_sub(8) } else { target + 8 } & 63;
        let from = if file >= 8 || usize::from(file) == target & 7 {
            let occupied = self.occupied();
            if occupied >> target & 1 != 0 {
                return Err(Unresolved::Illegal);
            }
            if pawns >> behind & 1 != 0 {
                behind
            } else {
                let start = if white { target.wrapping_sub(16) } else { target + 16 } & 63;
                let doubled = target >> 3 == if white { 3 } else { 4 };
                if !doubled || occupied >> behind & 1 != 0 || pawns >> start & 1 == 0 {
                    return Err(Unresolved::Illegal);
                }
                start
            }
        } else {
            let from = behind & 56 | usize::from(file);
            if usize::from(file).abs_diff(target & 7) != 1 || pawns >> from & 1 == 0 {
                return Err(Unresolved::Illegal);
            }
            if self.enemy() >> target & 1 == 0 {
                return self.en_passant(from, target);
            }
            if self.theirs(KING) >> target & 1 != 0 {
                return Err(Unresolved::Illegal);
            }
            from
        };
        if !Self::leaves_king_safe(&self.danger(), from, target) {
            return Err(Unresolved::Illegal);
        }
        let last = matches!(target >> 3, 0 | 7);
        match promotion {
            None if !last => Ok(Move::normal(Role::Pawn, sq(from), sq(target))),
            Some(role) if last => Ok(Move::promotion(role, sq(from), sq(target))),
            None => Err(Unresolved::NoPromotion),
            Some(_) => Err(Unresolved::Illegal),
        }
    }

    #[cold]
    fn en_passant(&self, from: usize, to: usize) -> Result<Move, Unresolved> {
        let victim = en_passant_victim(from, to);
        let occupied = self.occupied() & !(1 << from | 1 << victim) | 1 << to;
        if to != usize::from(self.board.en_passant) || self.attacked(self.danger().king, occupied) {
            return Err(Unresolved::Illegal);
        }
        Ok(Move::en_passant(sq(from), sq(to)))
    }

    #[cold]
    #[inline(never)]
    fn rare(&self, written: Written) -> Result<Move, Unresolved> {
        match written {
            Written::Squares { from, to, promotion } => self.squares(from, to, promotion),
            Written::Castling { short } => self.castle(short),
            // Passing in check would leave the king to be taken.
            Written::Null if self.in_check() => Err(Unresolved::Illegal),
            Written::Null => Ok(Move::NULL),
            Written::Man { .. } | Written::Pawn { .. } => self.resolve(written),
        }
    }

    /// A move by both squares, whatever man stands on the first. Castling is the king onto his rook, or two squares aside.
    fn squares(&self, from: u8, to: u8, promotion: Option<Role>) -> Result<Move, Unresolved> {
        let (from, to) = (from & 63, to & 63);
        let man = self.board.men[usize::from(from)];
        if man & 8 != self.board.turn & 8 {
            return Err(Unresolved::Illegal);
        }
        let mask = 1u64 << from;
        match Role::ALL.get(usize::from(man & 7).wrapping_sub(1)) {
            None => Err(Unresolved::Illegal),
            Some(Role::Pawn) => {
                let mv = self.pawn(from & 7, to, promotion)?;
                if mv.origin() == usize::from(from) { Ok(mv) } else { Err(Unresolved::Illegal) }
            }
            Some(_) if promotion.is_some() => Err(Unresolved::Illegal),
            Some(Role::King) => {
                let onto_rook = (self.board.castling & self.own()) >> to & 1 != 0;
                let aside = from >> 3 == to >> 3 && from.abs_diff(to) == 2;
                if onto_rook || aside { self.castle(to > from) } else { self.king(mask, to) }
            }
            Some(&role) => self.man(role, mask, to),
        }
    }

    /// Castling to the side of the h file (`short`) or of the a file, in chess and Chess960 alike.
    fn castle(&self, short: bool) -> Result<Move, Unresolved> {
        let king = self.ours(KING).trailing_zeros() as usize & 63;
        let home = 0xff << (king & 56);
        let right = Bitboard(self.board.castling & home & self.ours(ROOK))
            .into_iter()
            .find(|&rook| (rook as usize > king) == short)
            .ok_or(Unresolved::Illegal)?;
        let rook = right as usize;
        let (king_to, rook_to) = castled_squares(king, rook);
        let others = self.occupied() & !(1 << king | 1 << rook);
        let king_path = between(sq(king), sq(king_to)).0 | 1 << king_to;
        let rook_path = between(right, sq(rook_to)).0 | 1 << rook_to;
        if (king_path | rook_path) & others != 0 {
            return Err(Unresolved::Illegal);
        }
        let without_king = self.occupied() & !(1 << king);
        let safe = Bitboard(king_path | 1 << king).into_iter().all(|square| !self.attacked(square, without_king))
            && !self.attacked(sq(king_to), others | 1 << rook_to);
        if safe { Ok(Move::castle(sq(king), right)) } else { Err(Unresolved::Illegal) }
    }

    /// Plays a move that [`resolve`](Position::resolve) has given.
    #[inline(always)]
    pub(super) fn play(&mut self, mv: Move) {
        let mover = self.board.turn;
        let (from, to) = (mv.origin(), mv.target());
        self.board.make::<Bits>(mv);
        if mv.is_special() {
            self.sides = [self.board.occupied_by(Color::White), self.board.occupied_by(Color::Black)];
        } else {
            self.sides[usize::from(mover >> 3)] ^= 1 << from | 1 << to;
            self.sides[usize::from(mover >> 3 ^ 1)] &= !(1 << to);
        }
        self.board.en_passant = NO_SQUARE;
        if mv.role_code() == PAWN && from ^ to == 16 {
            self.board.en_passant = (from + to) as u8 / 2;
        }
        if self.board.castling != 0 && !mv.is_null() {
            self.board.castling &= !(1 << from | 1 << to);
            if mv.role_code() == KING {
                self.board.castling &= !(0xff << if mover == 0 { 0 } else { 56 });
            }
        }
    }

    /// Whether the side to move can move at all. Costs about a microsecond where it cannot.
    pub(super) fn can_move(&self) -> bool {
        // Most positions have a pawn that may step.
        let (pawns, occupied) = (self.ours(PAWN), self.occupied());
        let steps = if self.board.turn == 0 { pawns & !(occupied >> 8) } else { pawns & !(occupied << 8) };
        let danger = self.danger();
        if danger.checkers == 0 && steps & !danger.pinned != 0 {
            return true;
        }
        Bitboard(self.own()).into_iter().any(|from| {
            let index = from as usize;
            let man = self.board.men[index];
            let targets = match man & 7 {
                PAWN => {
                    let ahead =
                        if man < 8 { [index + 8, index + 16] } else { [index.wrapping_sub(8), index.wrapping_sub(16)] };
                    let steps = ahead.iter().filter(|&&to| to < 64).fold(0, |steps, to| steps | 1u64 << to);
                    steps | pawn_attacks(self.board.turn(), from).0
                }
                KNIGHT => knight_attacks(from).0,
                BISHOP => attacks::bishop_attacks(from, Bitboard(occupied)).0,
                ROOK => attacks::rook_attacks(from, Bitboard(occupied)).0,
                QUEEN => attacks::queen_attacks(from, Bitboard(occupied)).0,
                _ => king_attacks(from).0,
            };
            Bitboard(targets & !self.own()).into_iter().any(|to| {
                let last = man & 7 == PAWN && matches!(to as usize >> 3, 0 | 7);
                self.squares(from as u8, to as u8, last.then_some(Role::Queen)).is_ok()
            })
        })
    }

    /// Whether neither side has the men to mate by any play: bare kings, one minor piece, or bishops on one colour.
    pub(super) fn insufficient_material(&self) -> bool {
        let of = |role: u8| self.ours(role) | self.theirs(role);
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

/// The squares of a file, `file` from 0.
#[inline(always)]
pub(super) const fn file_mask(file: u8) -> u64 {
    FILE_A << (file & 7)
}
