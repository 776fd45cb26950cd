//! A game to step through: its start position and, for each ply, the move and the position after it.

use plyfold_core::board::make::FullState;
use plyfold_core::corpus::record::CHESS960;
use plyfold_core::notation::notate_moves;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::game_rows::GameRow;
use crate::plain::{Js, List, plain_object, to_js};

/// A move of a game, and the position after it.
#[derive(Tsify)]
pub struct PlayedPly {
    /// The position.
    pub fen: String,
    /// The move as UCI writes it; a null move is `0000`.
    pub uci: String,
    /// The move as SAN; a null move is `--`.
    pub san: String,
}
plain_object!(PlayedPly { fen, uci, san });

/// A game to step through. Index 0 of `plies` is the first move.
#[derive(Tsify)]
pub struct Replay {
    /// The facts of the game's header.
    pub row: GameRow,
    /// The position before the first move.
    pub start_fen: String,
    /// The moves.
    pub plies: List<PlayedPly>,
}
plain_object!(Replay { row, start_fen, plies });

#[wasm_bindgen]
impl Corpus {
    /// Returns game `id`, from 0, to step through.
    ///
    /// # Errors
    ///
    /// There is no such game.
    pub fn replay(&self, id: u32) -> Result<Js<Replay>, JsFailure> {
        let row = self.row(id)?;
        let game = self.game(id)?;
        let (mut board, moves) = (game.start_board(), game.moves);
        let start_fen = board.fen().to_string();
        let written = notate_moves(board.clone(), moves, game.record.flags() & CHESS960 != 0);
        let plies = List::default();
        for (&mv, letters) in moves.iter().zip(written) {
            board.make::<FullState>(mv);
            let fen = board.fen().to_string();
            plies.push(PlayedPly { fen, uci: letters.uci, san: letters.san });
        }
        Ok(to_js(Replay { row, start_fen, plies }))
    }
}
