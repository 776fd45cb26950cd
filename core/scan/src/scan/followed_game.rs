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

use super::plies::iter_ones;
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

impl FollowedPly {
    /// The pieces whose squares the ply changes, a bit each.
    fn touched(self) -> u64 {
        bit_of(self.moved) | bit_of(self.captured) | bit_of(self.rook)
    }
}

/// A piece as a set of pieces; nobody is none.
fn bit_of(piece: PieceId) -> u64 {
    if piece < NOBODY { 1 << piece } else { 0 }
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
        let mut game = FollowedGame {
            start,
            moves,
            squares: vec![places.squares],
            plies: Vec::new(),
            left: Vec::new(),
            boards: Vec::new(),
            promotions: Vec::new(),
        };
        game.squares.reserve(moves.len());
        game.plies.reserve(moves.len());
        for (nth, &mv) in moves.iter().enumerate() {
            let ply = places.play(mv);
            game.promotions.extend(mv.promoted().map(|role| (ply.moved, nth, role)));
            game.plies.push(ply);
            game.squares.push(places.squares);
        }
        game
    }

    /// Notes which squares these pieces leave, a bit for each piece.
    pub fn note_what_is_left(&mut self, pieces: u64) {
        self.left.resize(64, Vec::new());
        for piece in Bitboard(pieces).into_iter().map(|square| square as PieceId) {
            let mut left = vec![LeftByMoving::default()];
            for (nth, ply) in self.plies.iter().enumerate() {
                let LeftByMoving { mut trail, mut origin } = left[nth];
                let from = self.square(piece, nth);
                // In Chess960, a king or rook may castle without leaving its square.
                if [ply.moved, ply.rook].contains(&piece) && from != self.square(piece, nth + 1) {
                    (trail, origin) = (trail | from, from);
                }
                left.push(LeftByMoving { trail, origin });
            }
            self.left[usize::from(piece)] = left;
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
        match self.squares[ply].get(usize::from(piece)) {
            Some(&square) if square != NOBODY => 1 << square,
            _ => 0,
        }
    }

    /// Returns where the pieces of a choice stand after a ply, from 0, and what the ply did with them.
    pub fn named_pieces(&self, choice: &PieceChoice, ply: usize) -> NamedPieces {
        let left = |piece: PieceId| self.left.get(usize::from(piece))?.get(ply).copied();
        let mut named = NamedPieces {
            squares: choice.map(|piece| self.square(piece, ply)),
            left: choice.map(|piece| left(piece).unwrap_or_default()),
            ..NamedPieces::default()
        };
        if let Some(played) = ply.checked_sub(1).map(|nth| self.plies[nth]) {
            for (nth, piece) in choice.iter().enumerate().filter(|(_, piece)| **piece != NOBODY) {
                named.moved |= u8::from(played.moved == *piece) << nth;
                named.captured |= u8::from(played.captured == *piece) << nth;
            }
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
            FollowedTest::Squares(place) => match place.only_piece().filter(|_| place.is_local()) {
                Some(only) => self.test_path(place, (chosen(only), choice), asked, set),
                None => self.test_boards(place, choice, asked, set),
            },
        }
    }

    /// The same for one piece in a local set.
    fn test_path(
        &self,
        place: &SquareSet,
        (piece, choice): (PieceId, &PieceChoice),
        asked: &[u64],
        set: &mut [u64],
    ) -> bool {
        let holds_after = |ply: usize| {
            let square = self.square(piece, ply);
            square != 0 && place.contains(square, self.kind(piece, ply), &self.named_pieces(choice, ply))
        };
        let pieces = choice.iter().fold(bit_of(piece), |all, &one| all | bit_of(one));
        let at_start = holds_after(0);
        let (mut holds, mut is_stale) = (at_start, false);
        for (nth, ply) in self.plies.iter().enumerate() {
            is_stale |= ply.touched() & pieces != 0;
            if asked[nth / 64] >> (nth % 64) & 1 != 0 {
                if is_stale {
                    (holds, is_stale) = (holds_after(nth + 1), false);
                }
                set[nth / 64] |= u64::from(holds) << (nth % 64);
            }
        }
        at_start
    }

    /// The same for any set.
    fn test_boards(&mut self, place: &SquareSet, choice: &PieceChoice, asked: &[u64], set: &mut [u64]) -> bool {
        self.boards();
        let holds = |ply: usize| place.on_board_with(&self.boards[ply], &self.named_pieces(choice, ply)) != 0;
        for nth in iter_ones(asked).take_while(|&nth| nth < self.plies.len()) {
            set[nth / 64] |= u64::from(holds(nth + 1)) << (nth % 64);
        }
        holds(0)
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
