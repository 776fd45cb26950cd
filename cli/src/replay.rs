//! A game of a corpus, and its boards.

use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::corpus::file::CorpusReader;
use plyfold_core::game::{Game, GameId, Ply, corpus_spans};

/// A game of a corpus; none if there is no such game.
pub fn game_by_id<'a>(corpus: &CorpusReader<'a>, id: GameId) -> Option<Game<'a>> {
    corpus_spans(corpus).into_iter().find_map(|span| Some(span.game(span.index_of(id)?)))
}

/// The board after a ply, everything in it kept up.
pub fn board_at(game: &Game<'_>, ply: Ply) -> Board {
    let mut board = game.start_board();
    for &mv in game.moves.iter().take(ply.moves()) {
        board.make::<FullState>(mv);
    }
    board
}
