//! A move of a game, with the moves around it and, where a motif needs them, the boards.

use core::ops::Deref;

use super::super::sacrifice::points_of_ply;
use plyfold_board::board::Board;
use plyfold_board::board::make::{WithBitboards, castling_targets};
use plyfold_board::moves::Move;
use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

/// The moves of a game, and what each of them captures.
#[derive(Clone, Copy)]
pub(in crate::scan) struct CourseOfGame<'a> {
    pub first_mover: Color,
    pub moves: &'a [Move],
    /// By move, the code of the role that it captures; 0 for none.
    pub captured: &'a [u8],
    /// Who wins the game; none for a draw, and if nobody knows.
    pub winner: Option<Color>,
}

impl<'a> CourseOfGame<'a> {
    /// Whether both sides move after move `nth`.
    pub(super) fn goes_on_after(&self, nth: usize) -> bool {
        self.moves.get(nth + 1..nth + 3).is_some_and(|next| next.iter().all(|mv| !mv.is_null()))
    }

    /// Whether move `nth` captures or promotes; also some others.
    #[inline(always)]
    pub(super) fn may_capture(&self, nth: usize) -> bool {
        self.captured.get(nth).is_some_and(|&role| role != 0) || self.moves.get(nth).is_some_and(|mv| mv.is_special())
    }

    /// Whether a bishop, rook or queen makes move `nth`.
    pub(super) fn is_by_line_piece(&self, nth: usize) -> bool {
        let arrives_as = |mv: &Move| [Role::Bishop, Role::Rook, Role::Queen].iter().any(|&role| mv.arrives_as(role));
        self.moves.get(nth).is_some_and(arrives_as)
    }

    /// Move `nth` of the game, from 0; nothing for a null move and after the end.
    #[inline(always)]
    pub(super) fn played(&self, nth: usize) -> Option<MoveInCourse<'a>> {
        let mv = *self.moves.get(nth)?;
        let to = if mv.is_castling() { castling_targets(mv.origin(), mv.target()).0 } else { mv.target() };
        let (from, to) = (Square::new(mv.origin() as u32), Square::new(to as u32));
        let captured =
            self.captured.get(nth).and_then(|&role| Role::ALL.get(usize::from(role).wrapping_sub(1)).copied());
        Some(MoveInCourse { course: *self, nth, from, to, role: mv.arriving()?, captured, mv })
    }
}

/// A move, with the moves around it.
#[derive(Clone, Copy)]
pub(super) struct MoveInCourse<'a> {
    course: CourseOfGame<'a>,
    nth: usize,
    pub from: Square,
    /// The square to which the piece goes, in castling the king.
    pub to: Square,
    /// The role of the piece on that square.
    pub role: Role,
    /// The role of the piece that it captures.
    pub captured: Option<Role>,
    pub mv: Move,
}

impl<'a> MoveInCourse<'a> {
    /// The side that moved.
    pub fn mover(&self) -> Color {
        if self.nth.is_multiple_of(2) { self.course.first_mover } else { !self.course.first_mover }
    }

    /// The side that did not.
    pub fn other(&self) -> Color {
        !self.mover()
    }

    /// The reply of the other side and the next move of the mover, if both were played.
    #[inline(always)]
    pub fn continuation(&self) -> Option<(MoveInCourse<'a>, MoveInCourse<'a>)> {
        Some((self.course.played(self.nth + 1)?, self.course.played(self.nth + 2)?))
    }

    /// The move that many plies before.
    pub fn earlier(&self, plies: usize) -> Option<MoveInCourse<'a>> {
        self.course.played(self.nth.checked_sub(plies)?)
    }

    /// Whether it is the last move of the game.
    pub fn is_last(&self) -> bool {
        self.nth + 1 == self.course.moves.len()
    }

    /// Who wins the game, as far as its header knows.
    pub fn winner(&self) -> Option<Color> {
        self.course.winner
    }

    /// Whether the game goes on for that many plies.
    pub fn goes_on(&self, plies: usize) -> bool {
        self.nth + plies < self.course.moves.len()
    }

    /// By how many points the ply that many plies later changes the balance of the side that moves now; 0 if there is none.
    pub fn points(&self, plies: isize) -> i32 {
        let ply = self.nth.checked_add_signed(plies).and_then(|nth| {
            let (mv, &captured) = (self.course.moves.get(nth)?, self.course.captured.get(nth)?);
            Some(points_of_ply(captured, mv.promoted().map_or(0, |role| role as u8)))
        });
        let points = ply.unwrap_or(0);
        if plies % 2 == 0 { points } else { -points }
    }

    /// The value of what it captures; 0 if it captures nothing.
    pub fn gain(&self) -> u32 {
        self.captured.map_or(0, value)
    }

    /// Whether a square lies on its way, its ends aside.
    pub fn passes(&self, square: Square) -> bool {
        attacks::between(self.from, self.to).contains(square)
    }

    /// Whether the piece that moved goes along lines.
    pub fn is_by_line_piece(&self) -> bool {
        moves_along_lines(self.role)
    }
}

/// A game, and the boards from move `first` on, one before each move; as many as are needed.
#[derive(Clone, Copy)]
pub(in crate::scan) struct ReplayedGame<'a> {
    pub course: CourseOfGame<'a>,
    pub first: usize,
    pub boards: &'a [Board],
}

impl<'a> ReplayedGame<'a> {
    /// Move `nth` of the game, if the boards before and after it are known.
    pub(super) fn played(&self, nth: usize) -> Option<PlayedMove<'a>> {
        let at = nth.checked_sub(self.first)?;
        let [before, after] = self.boards.get(at..at + 2)? else { return None };
        Some(PlayedMove { game: *self, in_course: self.course.played(nth)?, before, after })
    }
}

/// A move, with the boards before and after it.
#[derive(Clone, Copy)]
pub(super) struct PlayedMove<'a> {
    game: ReplayedGame<'a>,
    in_course: MoveInCourse<'a>,
    pub before: &'a Board,
    pub after: &'a Board,
}

impl<'a> PlayedMove<'a> {
    /// The reply of the other side and the next move of the mover, if both were played.
    pub fn continuation(&self) -> Option<(PlayedMove<'a>, PlayedMove<'a>)> {
        Some((self.game.played(self.nth + 1)?, self.game.played(self.nth + 2)?))
    }

    /// The move without the boards.
    pub fn in_course(&self) -> &MoveInCourse<'a> {
        &self.in_course
    }

    /// Whether the piece of the other side on a square is pinned to its king after the move.
    pub fn pins(&self, square: Square) -> bool {
        Bitboard(self.after.pinned_pieces(self.other())).contains(square)
    }

    /// The move that many plies before.
    pub fn earlier(&self, plies: usize) -> Option<PlayedMove<'a>> {
        self.game.played(self.nth.checked_sub(plies)?)
    }
}

impl<'a> Deref for PlayedMove<'a> {
    type Target = MoveInCourse<'a>;

    fn deref(&self) -> &MoveInCourse<'a> {
        &self.in_course
    }
}

/// What a piece is worth.
pub(super) fn value(role: Role) -> u32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 99,
    }
}

pub(super) fn moves_along_lines(role: Role) -> bool {
    matches!(role, Role::Bishop | Role::Rook | Role::Queen)
}

/// The pieces of a side that attack a square.
pub(super) fn attackers(board: &Board, square: Square, side: Color) -> Bitboard {
    Bitboard(board.attackers(square, side, board.occupied()))
}

/// The squares that the piece on a square attacks.
pub(super) fn attacked_from(board: &Board, square: Square) -> Bitboard {
    let (piece, occupied) = (board.mailbox[usize::from(square)], Bitboard(board.occupied()));
    let attacks_as = |role| attacks::attacks(square, Piece { color: piece.color(), role }, occupied);
    piece.role().map_or(Bitboard::EMPTY, attacks_as)
}

/// The role of the piece on a square.
pub(super) fn role_on(board: &Board, square: Square) -> Option<Role> {
    board.mailbox[usize::from(square)].role()
}

/// Whether no piece of its side defends the piece on a square, also not through an enemy piece that attacks it.
pub(super) fn is_undefended(board: &Board, square: Square, owner: Color) -> bool {
    let occupied = board.occupied();
    if board.attackers(square, owner, occupied) != 0 {
        return false;
    }
    let sliders = board.orthogonal_sliders(!owner) | board.diagonal_sliders(!owner);
    let in_the_way = board.attackers(square, !owner, occupied) & sliders;
    in_the_way == 0 || board.attackers(square, owner, occupied & !in_the_way) == 0
}

/// Whether an enemy piece attacks the piece on a square, which is undefended or worth more than one of these.
pub(super) fn is_in_danger(board: &Board, square: Square, owner: Color) -> bool {
    let attackers = attackers(board, square, !owner);
    attackers.any() && (is_undefended(board, square, owner) || is_attacked_by_less(board, square, attackers))
}

/// Whether the piece on a square can go where it is not in danger, or take something worth as much as it.
pub(super) fn has_way_out(board: &Board, square: Square, role: Role, side: Color) -> bool {
    let ways = attacked_from(board, square) & !Bitboard(board.occupied_by(side));
    ways.into_iter().any(|to| {
        role_on(board, to).is_some_and(|taken| value(taken) >= value(role)) || {
            let mut moved = board.clone();
            moved.make::<WithBitboards>(Move::normal(role, square, to));
            !is_in_danger(&moved, to, side)
        }
    })
}

/// Whether one of the attackers of a square is worth less than the piece on it.
pub(super) fn is_attacked_by_less(board: &Board, square: Square, attackers: Bitboard) -> bool {
    let worth = |square| role_on(board, square).map_or(0, value);
    attackers.into_iter().any(|attacker| worth(attacker) < worth(square))
}
