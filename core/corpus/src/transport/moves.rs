//! Codes the moves of all games of a shard.

use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::board::make::FullState;
use plyfold_board::moves::Move;

use super::entropy::Coder;
use super::move_model::MoveModel;
use super::openings::Openings;

/// Codes the moves of games of these lengths, each with its start position, none for the initial one. `moves` are those to be written.
pub(super) fn code_moves<C: Coder>(
    coder: &mut C,
    games: impl Iterator<Item = (Option<Board>, usize)>,
    moves: &[Move],
) -> Vec<Move> {
    let initial = Board::initial();
    let (mut model, mut openings) = (MoveModel::default(), Openings::default());
    let mut coded = Vec::new();
    for (start, plies) in games {
        if coder.is_exhausted() {
            break;
        }
        let mut board = start.unwrap_or_else(|| initial.clone());
        let mut before = [Move::NULL; 2];
        openings.start_game();
        for _ in 0..plies {
            let played = moves.get(coded.len()).copied().unwrap_or(Move::NULL);
            let mv = openings.code(coder, board.hash, played, |coder| model.code(coder, &board, before, played));
            board.make::<FullState>(mv);
            before = [mv, before[0]];
            coded.push(mv);
        }
    }
    coded
}
