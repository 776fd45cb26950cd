//! A game played through: boards, and moves as they are written.

use plyfold_core::board::Board;
use plyfold_core::board::make::Whole;
use plyfold_core::corpus::file::Corpus;
use plyfold_core::game::{Game, spans};
use plyfold_core::moves::Move;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position, Role, Square};

/// Game `id` (from 0) of a corpus; none if there is no such game.
pub fn game<'a>(corpus: &Corpus<'a>, id: u32) -> Option<Game<'a>> {
    let span = spans(corpus).into_iter().find(|span| id - span.first.min(id) < span.len())?;
    span.split(1).nth((id - span.first) as usize)?.games().next()
}

/// The board after ply `ply`, everything in it kept up; ply 0 is the start.
pub fn board_at(game: &Game<'_>, ply: u32) -> Board {
    let mut board = game.start();
    for &mv in game.moves.iter().take(ply as usize) {
        board.make::<Whole>(mv);
    }
    board
}

/// A move as it is written.
pub struct Written {
    /// Standard algebraic notation, with `+` and `#`; `--` for a null move.
    pub san: String,
    /// As engines write it; `0000` for a null move. Castling is king takes rook in Chess960, else the king's two steps.
    pub uci: String,
    /// The number of the move as printed in a score, and whether it is White's.
    pub number: u16,
    pub by_white: bool,
}

/// The moves of a game as they are written.
pub fn written(game: &Game<'_>) -> Vec<Written> {
    let mut board = game.start();
    let mut position = board.to_setup().position::<Chess>(CastlingMode::Chess960).ok();
    let chess960 = game.record.flags() & plyfold_core::corpus::record::CHESS960 != 0;
    let each = |&mv: &Move| {
        let (number, by_white) = (board.fullmoves, board.turn() == shakmaty::Color::White);
        let theirs = position.as_ref().and_then(|position| legal(position, &board, mv));
        let (san, after) = match (mv.is_null(), position.take(), theirs) {
            (true, before, _) => ("--".to_owned(), before.and_then(|before| before.swap_turn().ok())),
            (_, Some(mut before), Some(theirs)) => {
                let san = SanPlus::from_move_and_play_unchecked(&mut before, theirs);
                (san.to_string(), Some(before))
            }
            // No import writes such a move; a file made by others may have it. It is shown, not believed.
            _ => (coordinates(mv, chess960), None),
        };
        position = after;
        board.make::<Whole>(mv);
        Written { san, uci: coordinates(mv, chess960), number, by_white }
    };
    game.moves.iter().map(each).collect()
}

/// A move of ours as one of shakmaty's, if it is legal.
fn legal(position: &Chess, board: &Board, mv: Move) -> Option<shakmaty::Move> {
    let (from, to) = (Square::new(mv.origin() as u32), Square::new(mv.target() as u32));
    let standing = |square: Square| Role::ALL.get(usize::from(board.men[square as usize] & 7).wrapping_sub(1)).copied();
    let theirs = if mv.is_castling() {
        shakmaty::Move::Castle { king: from, rook: to }
    } else if mv.is_en_passant() {
        shakmaty::Move::EnPassant { from, to }
    } else {
        let capture = standing(to);
        shakmaty::Move::Normal { role: standing(from)?, from, capture, to, promotion: mv.promoted() }
    };
    position.legal_moves().contains(&theirs).then_some(theirs)
}

fn coordinates(mv: Move, chess960: bool) -> String {
    if mv.is_null() {
        return "0000".to_owned();
    }
    let (from, mut to) = (mv.origin(), mv.target());
    if mv.is_castling() && !chess960 {
        to = plyfold_core::board::make::castled_squares(from, to).0;
    }
    let promoted = mv.promoted().map_or(String::new(), |role| role.char().to_string());
    format!("{}{}{promoted}", Square::new(from as u32), Square::new(to as u32))
}
