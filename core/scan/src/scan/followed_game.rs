//! A followed game says where each piece of a game stands after every ply, and which pieces the names of a query may mean.
//!
//! The packed moves show the path of each piece. Only tests that depend on more than squares and kinds of pieces look at boards, which
//! are kept for all choices of pieces.

use alloc::vec;
use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::board::make::{FullState, castling_targets};
use plyfold_board::moves::Move;
use shakmaty::{Bitboard, Color, Role};

use super::measure::measured_board::MeasuredBoard;
use super::plies::{iter_ones, set_range, word_count};
use super::predicate::{FollowedTest, LeftByMoving, MAX_NAMES, NameDomain, NamedPiece, NamedPieces, SquareSet};

/// A piece of a game, by the square on which it stands before the first ply.
pub(crate) type PieceId = u8;
/// No piece. As a square: the piece has been captured.
pub(crate) const NOBODY: PieceId = 64;

/// For each name, by its index, the piece that it means.
pub(crate) type PieceChoice = [PieceId; MAX_NAMES];

/// Where the pieces are at one position.
#[derive(Clone)]
struct PiecePlaces {
    /// By piece, its square.
    squares: [u8; 64],
    /// By square, its piece.
    pieces: [PieceId; 64],
}

/// What a ply does with pieces; each may be nobody.
#[derive(Clone, Copy)]
struct FollowedPly {
    moved: PieceId,
    captured: PieceId,
    /// The rook that castles.
    rook: PieceId,
}

/// A piece as a set of pieces, or a square as a set of squares; nobody is none.
fn bit_of(piece: PieceId) -> u64 {
    1u64.checked_shl(piece.into()).unwrap_or(0)
}

impl PiecePlaces {
    fn on_board(board: &Board) -> PiecePlaces {
        let mut places = PiecePlaces { squares: [NOBODY; 64], pieces: [NOBODY; 64] };
        for (square, piece) in board.mailbox.iter().enumerate() {
            if piece.role().is_some() {
                (places.squares[square], places.pieces[square]) = (square as u8, square as PieceId);
            }
        }
        places
    }

    fn lift(&mut self, square: usize) -> PieceId {
        let piece = core::mem::replace(&mut self.pieces[square], NOBODY);
        if piece != NOBODY {
            self.squares[usize::from(piece)] = NOBODY;
        }
        piece
    }

    fn put(&mut self, piece: PieceId, square: usize) {
        self.pieces[square] = piece;
        if piece != NOBODY {
            self.squares[usize::from(piece)] = square as u8;
        }
    }

    fn play(&mut self, mv: Move) -> FollowedPly {
        let (from, to) = (mv.origin(), mv.target());
        if mv.is_null() {
            return FollowedPly { moved: NOBODY, captured: NOBODY, rook: NOBODY };
        }
        if mv.is_castling() {
            let (king_to, rook_to) = castling_targets(from, to);
            let (moved, rook) = (self.lift(from), self.lift(to));
            self.put(moved, king_to);
            self.put(rook, rook_to);
            return FollowedPly { moved, captured: NOBODY, rook };
        }
        // En passant captures the pawn beside the one that moves.
        let captured = self.lift(if mv.is_en_passant() { from & 56 | to & 7 } else { to });
        let moved = self.lift(from);
        self.put(moved, to);
        FollowedPly { moved, captured, rook: NOBODY }
    }
}

/// A game in which the pieces are followed.
pub(crate) struct FollowedGame<'a> {
    start: &'a Board,
    moves: &'a [Move],
    /// By ply, from 0, and by piece: its square.
    squares: Vec<[u8; 64]>,
    plies: Vec<FollowedPly>,
    /// By piece: the plies that move or capture it, `width` words each.
    changes: Vec<u64>,
    width: usize,
    /// By piece: the squares on which it ever stands.
    visited: [u64; 64],
    /// By piece, and by ply, from 0: the squares that it has left. Empty for a piece of which no test asks for them.
    left: Vec<Vec<LeftByMoving>>,
    /// The boards before the first ply and after each, once a test has asked for them.
    boards: Vec<Board>,
    /// The pawns that promote, with the index of the move.
    promotions: Vec<(PieceId, usize, Role)>,
}

impl<'a> FollowedGame<'a> {
    /// Follows the pieces of a game.
    pub fn new(start: &'a Board, moves: &'a [Move]) -> FollowedGame<'a> {
        let mut places = PiecePlaces::on_board(start);
        let width = word_count(moves.len());
        let mut game = FollowedGame {
            start,
            moves,
            squares: vec![places.squares],
            plies: Vec::new(),
            changes: vec![0; 64 * width],
            width,
            visited: places.squares.map(bit_of),
            left: Vec::new(),
            boards: Vec::new(),
            promotions: Vec::new(),
        };
        game.squares.reserve(moves.len());
        game.plies.reserve(moves.len());
        for (nth, &mv) in moves.iter().enumerate() {
            let ply = places.play(mv);
            game.promotions.extend(mv.promoted().map(|role| (ply.moved, nth, role)));
            for piece in [ply.moved, ply.captured, ply.rook].into_iter().filter(|&piece| piece != NOBODY) {
                game.changes[usize::from(piece) * width + nth / 64] |= 1 << (nth % 64);
                game.visited[usize::from(piece)] |= bit_of(places.squares[usize::from(piece)]);
            }
            game.plies.push(ply);
            game.squares.push(places.squares);
        }
        game
    }

    /// Notes which squares these pieces leave, a bit for each piece.
    pub fn note_what_is_left(&mut self, pieces: u64) {
        self.left.resize(64, Vec::new());
        for piece in Bitboard(pieces).into_iter().map(|square| square as PieceId) {
            let mut left = Vec::with_capacity(self.squares.len());
            let LeftByMoving { mut trail, mut origin } = LeftByMoving::default();
            for nth in iter_ones(self.changes_of(piece)) {
                left.resize(nth + 1, LeftByMoving { trail, origin });
                let [from, to] = [nth, nth + 1].map(|ply| self.square(piece, ply));
                // In Chess960, a king or rook may castle without leaving its square.
                if ![0, from].contains(&to) {
                    (trail, origin) = (trail | from, from);
                }
            }
            left.resize(self.squares.len(), LeftByMoving { trail, origin });
            self.left[usize::from(piece)] = left;
        }
    }

    /// The plies that move or capture a piece.
    fn changes_of(&self, piece: PieceId) -> &[u64] {
        let first = usize::from(piece) * self.width;
        self.changes.get(first..first + self.width).unwrap_or_default()
    }

    /// The squares on which a piece ever stands if it is of this side, or those that it leaves.
    fn reach(&self, piece: PieceId, side: Option<Color>) -> u64 {
        match (side, self.left.get(usize::from(piece)).and_then(|left| left.last())) {
            _ if piece == NOBODY => 0,
            (Some(side), _) if side != self.kind(piece, 0).0 => 0,
            (None, Some(left)) => left.trail,
            _ => self.visited[usize::from(piece)],
        }
    }

    /// The boards before the first ply and after each.
    fn boards(&mut self) -> &[Board] {
        if self.boards.is_empty() {
            let mut board = self.start.clone();
            self.boards.push(board.clone());
            for &mv in self.moves {
                board.make::<FullState>(mv);
                self.boards.push(board.clone());
            }
        }
        &self.boards
    }

    /// The side and the kind of a piece after a ply, from 0.
    fn kind(&self, piece: PieceId, ply: usize) -> (Color, Role) {
        let at_start = self.start.mailbox[usize::from(piece & 63)];
        let promoted = self.promotions.iter().find(|&&(one, nth, _)| one == piece && nth < ply);
        let role = promoted.map(|&(.., role)| role).or(at_start.role()).unwrap_or(Role::Pawn);
        (Color::from_white(!at_start.side().is_black()), role)
    }

    fn square(&self, piece: PieceId, ply: usize) -> u64 {
        self.squares[ply].get(usize::from(piece)).map_or(0, |&square| bit_of(square))
    }

    /// Returns where the pieces of a choice stand after a ply, from 0, and what the ply did with them.
    pub fn named_pieces(&self, choice: &PieceChoice, ply: usize) -> NamedPieces {
        let mut named = NamedPieces::default();
        let played = ply.checked_sub(1).map(|nth| self.plies[nth]);
        for (nth, &piece) in choice.iter().enumerate().filter(|(_, piece)| **piece != NOBODY) {
            named.squares[nth] = self.square(piece, ply);
            let left = self.left.get(usize::from(piece)).and_then(|left| left.get(ply));
            named.left[nth] = left.copied().unwrap_or_default();
            named.moved |= u8::from(played.is_some_and(|played| played.moved == piece)) << nth;
            named.captured |= u8::from(played.is_some_and(|played| played.captured == piece)) << nth;
        }
        named
    }

    /// The pieces that a name may mean; nobody if there is none.
    pub fn pieces_of(&mut self, domain: &NameDomain) -> Vec<PieceId> {
        let mut found = 0u64;
        for place in &domain.places {
            found |= if place.is_local() { self.local_pieces(place) } else { self.pieces_on_boards(place) };
        }
        if found == 0 { vec![NOBODY] } else { Bitboard(found).into_iter().map(|square| square as PieceId).collect() }
    }

    /// The pieces that stand in a local set at some position.
    fn local_pieces(&self, place: &SquareSet) -> u64 {
        let mut found = 0;
        let mut look = |piece: PieceId, ply: usize| {
            let square = self.square(piece, ply);
            if square != 0 && place.contains(square, self.kind(piece, ply), &NamedPieces::default()) {
                found |= 1 << piece;
            }
        };
        (0..NOBODY).for_each(|piece| look(piece, 0));
        for (nth, ply) in self.plies.iter().enumerate() {
            look(ply.moved, nth + 1);
            look(ply.rook, nth + 1);
        }
        found
    }

    /// The pieces that stand in any set at some position.
    fn pieces_on_boards(&mut self, place: &SquareSet) -> u64 {
        let mut places = PiecePlaces::on_board(self.start);
        let moves = self.moves;
        let mut found = 0;
        for (ply, board) in self.boards().iter().enumerate() {
            if let Some(&mv) = ply.checked_sub(1).and_then(|nth| moves.get(nth)) {
                places.play(mv);
            }
            let standing = Bitboard(place.on_board(board)).into_iter();
            found |= standing.fold(0, |all, square| all | bit_of(places.pieces[square as usize]));
        }
        found
    }

    /// Returns whether a test holds before the first ply. The bits of those plies of `asked` after which it holds are set in `set`,
    /// which is empty; those of other plies mean nothing.
    pub fn test(&mut self, test: &FollowedTest, choice: &PieceChoice, asked: &[u64], set: &mut [u64]) -> bool {
        let chosen = |piece: NamedPiece| choice[usize::from(piece.index)];
        match test {
            FollowedTest::Moves(piece) | FollowedTest::IsCaptured(piece) => {
                let (moves, piece) = (matches!(test, FollowedTest::Moves(_)), chosen(*piece));
                for (nth, ply) in self.plies.iter().enumerate().filter(|_| piece != NOBODY) {
                    let holds = if moves { ply.moved } else { ply.captured } == piece;
                    set[nth / 64] |= u64::from(holds) << (nth % 64);
                }
                false
            }
            // PERF: most choices of several pieces cannot pass, because of the squares that they visit.
            FollowedTest::Squares(place) if place.reach(&|piece, side| self.reach(chosen(piece), side)) == 0 => false,
            FollowedTest::Squares(place) => {
                let only = place.only_piece().filter(|_| place.is_local()).map(chosen);
                if only.is_none() {
                    self.boards();
                }
                let holds = |ply: usize| {
                    let named = self.named_pieces(choice, ply);
                    match only {
                        None => place.on_board_with(&MeasuredBoard::new(&self.boards[ply]), &named) != 0,
                        Some(piece) => match self.square(piece, ply) {
                            0 => false,
                            square => place.contains(square, self.kind(piece, ply), &named),
                        },
                    }
                };
                if test.is_of_paths() {
                    return self.test_paths(choice, holds, set);
                }
                for nth in iter_ones(asked).take_while(|&nth| nth < self.plies.len()) {
                    set[nth / 64] |= u64::from(holds(nth + 1)) << (nth % 64);
                }
                holds(0)
            }
        }
    }

    /// The same for all plies if only plies that change a piece of the choice can change the result.
    fn test_paths(&self, choice: &PieceChoice, holds: impl Fn(usize) -> bool, set: &mut [u64]) -> bool {
        let at_start = holds(0);
        let (mut holding, mut from) = (at_start, 0);
        for word in 0..self.width {
            let changes_of = |&piece: &PieceId| self.changes_of(piece).get(word).copied();
            let mut changes = choice.iter().filter_map(changes_of).fold(0, |all, one| all | one);
            while changes != 0 {
                let nth = word * 64 + changes.trailing_zeros() as usize;
                if holding {
                    set_range(set, from, nth);
                }
                (holding, from) = (holds(nth + 1), nth);
                changes &= changes - 1;
            }
        }
        if holding {
            set_range(set, from, self.plies.len());
        }
        at_start
    }
}

/// Whether `holds` for some choice of one piece of its domain for each of these names.
pub(crate) fn any_choice(domains: &[Vec<PieceId>], names: u8, holds: &mut dyn FnMut(&PieceChoice) -> bool) -> bool {
    fn choose(
        domains: &[Vec<PieceId>],
        names: u8,
        choice: &mut PieceChoice,
        holds: &mut dyn FnMut(&PieceChoice) -> bool,
    ) -> bool {
        let name = names.trailing_zeros() as usize;
        let Some(domain) = domains.get(name) else { return holds(choice) };
        domain.iter().any(|&piece| {
            choice[name] = piece;
            choose(domains, names & (names - 1), choice, holds)
        })
    }
    choose(domains, names, &mut [NOBODY; MAX_NAMES], holds)
}
