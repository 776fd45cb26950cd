//! A game of a corpus, and its boards.

use plyfold_core::board::Board;
use plyfold_core::board::make::Whole;
use plyfold_core::corpus::file::Corpus;
use plyfold_core::game::{Game, spans};

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
