//! Next moves: how games went on from the matching positions.

use js_sys::Array;
use plyfold_core::board::make::FullState;
use plyfold_core::moves::Move;
use plyfold_core::notation::notate_move;
use plyfold_core::reduce::ReducerSelection;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::game_rows::js_object;
use crate::groups::outcome_properties;
use crate::query::{Answers, Question};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A move that games went on with from matching positions. */
export interface NextMove extends ByOutcome {
  /** Names the move, whatever the position. */
  move: number;
  san: string;
  uci: string;
  /** Matching positions after which it was played. */
  times: number;
  /** The position after it, where it was first played. */
  fen: string;
  /** Average rating of those who played it, 0 if none is known. */
  elo: number;
  /** What rating their results are worth; null if none is known. */
  performance: number | null;
  /** As in a game's header; empty if no game has a year. */
  last_played: string;
}

/** How games went on; the results are those of all games that have a matching position, its start included. */
export interface NextMoves extends ByOutcome {
  positions: number;
  moves: NextMove[];
}
"#;

#[wasm_bindgen]
extern "C" {
    /// How games went on.
    #[wasm_bindgen(typescript_type = "NextMoves")]
    pub type JsNextMoves;
}

#[wasm_bindgen]
impl Corpus {
    /// How games went on from the matching positions, the most frequent first; nothing if it was not wanted.
    ///
    /// # Errors
    ///
    /// Answers of another corpus.
    pub fn next(&self, answers: &Answers) -> Result<Option<JsNextMoves>, JsFailure> {
        let Some(next) = &answers.found.next_moves else { return Ok(None) };
        let moves = Array::new();
        for entry in &next.moves {
            let Some(mut board) = self.board(entry.first.game.0, entry.first.ply.0)? else { continue };
            let letters = notate_move(&board, entry.mv);
            board.make::<FullState>(entry.mv);
            let date = if entry.last_played.year() == 0 { String::new() } else { entry.last_played.to_string() };
            let own = [
                ("move", entry.mv.bits().into()),
                ("san", letters.san.into()),
                ("uci", letters.uci.into()),
                ("times", (entry.times as f64).into()),
                ("fen", board.fen().to_string().into()),
                ("elo", entry.rating.unwrap_or(0).into()),
                ("performance", entry.performance.map_or(JsValue::NULL, |points| (points as f64).into())),
                ("last_played", date.into()),
            ];
            moves.push(&js_object(&[&own[..], &outcome_properties(&entry.results)].concat()));
        }
        let own = [("positions", (next.positions as f64).into()), ("moves", moves.into())];
        let next: JsValue = js_object(&[&own[..], &outcome_properties(&next.results)].concat()).into();
        Ok(Some(next.unchecked_into()))
    }

    /// Of the games that match, those that went on with this move from a position of theirs: from a matching one, or from one where
    /// `position`, another query, holds if it is not empty.
    ///
    /// # Errors
    ///
    /// A query that cannot be read; a request that was given up.
    #[wasm_bindgen(js_name = goingOn)]
    pub fn going_on(&self, question: &Question, mv: u16, position: &str) -> Result<Question, JsFailure> {
        let selection = ReducerSelection { next_by_move: Some(Move::from_bits(mv)), ..ReducerSelection::default() };
        let results = match position {
            "" => question.run(self, &selection)?,
            position => self.among(question, position)?.run(self, &selection)?,
        };
        Ok(question.within_games(results.next_by_move.unwrap_or_else(|| self.empty_set())))
    }
}
