//! A game of a corpus, and its boards.

use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::corpus::file::CorpusReader;
use plyfold_core::game::{Game, corpus_spans};

/// Game `id` (from 0) of a corpus; none if there is no such game.
pub fn game_by_id<'a>(corpus: &CorpusReader<'a>, id: u32) -> Option<Game<'a>> {
    let span = corpus_spans(corpus).into_iter().find(|span| id - span.first_game.min(id) < span.len())?;
    span.split(1).nth((id - span.first_game) as usize)?.games().next()
}

/// The board after ply `ply`, with everything in it kept up to date; ply 0 is the start.
pub fn board_at(game: &Game<'_>, ply: u32) -> Board {
    let mut board = game.start_board();
    for &mv in game.moves.iter().take(ply as usize) {
        board.make::<FullState>(mv);
    }
    board
}
