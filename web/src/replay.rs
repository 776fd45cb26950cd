//! A game to step through: its start, and for each ply the position after it and the move in letters.

use js_sys::Array;
use plyfold_core::board::make::FullState;
use plyfold_core::notation::notate_game;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::game_rows::{game_row, js_object};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A game to step through; the first of `plies` is the first move. A null move is `--` and `0000`. */
export interface Replay {
  row: Row;
  start_fen: string;
  plies: { fen: string; uci: string; san: string }[];
}
"#;

#[wasm_bindgen]
extern "C" {
    /// A game to step through.
    #[wasm_bindgen(typescript_type = "Replay")]
    pub type JsReplay;
}

#[wasm_bindgen]
impl Corpus {
    /// Game `id`, from 0, to step through.
    ///
    /// # Errors
    ///
    /// No such game.
    pub fn replay(&self, id: u32) -> Result<JsReplay, JsFailure> {
        let (shard, _) = self.locate_shard(id)?;
        let game = self.game(id)?;
        let mut board = game.start_board();
        let start_fen = board.fen().to_string();
        let plies = Array::new();
        for (&mv, letters) in game.moves.iter().zip(notate_game(&game)) {
            board.make::<FullState>(mv);
            let fen = board.fen().to_string();
            plies.push(&js_object(&[("fen", fen.into()), ("uci", letters.uci.into()), ("san", letters.san.into())]));
        }
        let replay: JsValue = js_object(&[
            ("row", game_row(id, &shard, game.record).into()),
            ("start_fen", start_fen.into()),
            ("plies", plies.into()),
        ])
        .into();
        Ok(replay.unchecked_into())
    }
}
