//! A game to step through: its start, and for each ply the position after it and the move in letters.
//!
//! Notation is shakmaty's: a position of its own walks beside the board, so that `Nbd2` says no more and no less than it must.

use js_sys::Array;
use plyfold_core::board::Board;
use plyfold_core::board::make::Whole;
use plyfold_core::moves::Move;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, FromSetup, Position, PositionError, Square};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::corpus::Corpus;
use crate::error::Failure;
use crate::table::{object, row};

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
    pub type Replay;
}

#[wasm_bindgen]
impl Corpus {
    /// Game `id`, from 0, to step through.
    ///
    /// # Errors
    ///
    /// No such game.
    pub fn replay(&self, id: u32) -> Result<Replay, Failure> {
        let (shard, game) = self.find(id)?;
        let record = &shard.records[game as usize];
        let span = self.span(id)?;
        let mut board = Board::initial();
        let plies = Array::new();
        let mut start_fen = board.fen().to_string();
        if let Some(game) = span.games().next() {
            board = game.start();
            start_fen = board.fen().to_string();
            for &mv in game.moves {
                let (san, uci) = in_letters(&board, mv);
                board.make::<Whole>(mv);
                let fen = board.fen().to_string();
                plies.push(&object(&[("fen", fen.into()), ("uci", uci.into()), ("san", san.into())]));
            }
        }
        let game: JsValue = object(&[
            ("row", row(id, &shard, record).into()),
            ("start_fen", start_fen.into()),
            ("plies", plies.into()),
        ])
        .into();
        Ok(game.unchecked_into())
    }
}

/// A move in standard algebraic notation and as UCI writes it.
fn in_letters(board: &Board, mv: Move) -> (String, String) {
    if mv.is_null() {
        return ("--".into(), "0000".into());
    }
    let square = |index: usize| Square::new(index as u32);
    let (from, to) = (square(mv.origin()), square(mv.target()));
    // Games of other starts may have positions that are strange without being unplayable; the moves were checked at import.
    let Some(position) = position(board) else {
        return (format!("{from}-{to}"), format!("{from}{to}"));
    };
    let legal = position.legal_moves();
    let found = legal.iter().find(|legal| {
        legal.from() == Some(from)
            && legal.to() == to
            && legal.promotion() == mv.promoted()
            && legal.is_castle() == mv.is_castling()
    });
    match found {
        Some(legal) => {
            let mode = CastlingMode::detect(&board.to_setup());
            (SanPlus::from_move(position.clone(), *legal).to_string(), UciMove::from_move(*legal, mode).to_string())
        }
        None => (format!("{from}-{to}"), format!("{from}{to}")),
    }
}

fn position(board: &Board) -> Option<Chess> {
    let setup = board.to_setup();
    let mode = CastlingMode::detect(&setup);
    Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_ep_square)
        .ok()
}
