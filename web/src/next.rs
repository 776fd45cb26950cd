//! Next moves: how games went on from the matching positions.

use js_sys::Array;
use plyfold_core::board::make::Whole;
use plyfold_core::moves::Move;
use plyfold_core::notation::written_on;
use plyfold_core::reduce::Wanted;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::corpus::Corpus;
use crate::error::Failure;
use crate::groups::by_outcome;
use crate::query::{Answers, Question};
use crate::table::object;

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
    pub type NextMovesOf;
}

#[wasm_bindgen]
impl Corpus {
    /// How games went on from the matching positions, the most frequent first; nothing if it was not wanted.
    ///
    /// # Errors
    ///
    /// Answers of another corpus.
    pub fn next(&self, answers: &Answers) -> Result<Option<NextMovesOf>, Failure> {
        let Some(next) = &answers.found.next else { return Ok(None) };
        let moves = Array::new();
        for one in &next.moves {
            let (game, ply) = one.first;
            let Some(mut board) = self.board(game, ply)? else { continue };
            let letters = written_on(&board, one.mv);
            board.make::<Whole>(one.mv);
            let date = if one.last_played.year() == 0 { String::new() } else { one.last_played.to_string() };
            let own = [
                ("move", one.mv.bits().into()),
                ("san", letters.san.into()),
                ("uci", letters.uci.into()),
                ("times", (one.times as f64).into()),
                ("fen", board.fen().to_string().into()),
                ("elo", one.rating.unwrap_or(0).into()),
                ("performance", one.performance.map_or(JsValue::NULL, |points| (points as f64).into())),
                ("last_played", date.into()),
            ];
            moves.push(&object(&[&own[..], &by_outcome(&one.results)].concat()));
        }
        let own = [("positions", (next.positions as f64).into()), ("moves", moves.into())];
        let next: JsValue = object(&[&own[..], &by_outcome(&next.results)].concat()).into();
        Ok(Some(next.unchecked_into()))
    }

    /// Of the games that match, those that went on with this move from a position of theirs: from a matching one, or from one where
    /// `position`, another query, holds if it is not empty.
    ///
    /// # Errors
    ///
    /// A query that cannot be read; a request that was given up.
    #[wasm_bindgen(js_name = goingOn)]
    pub fn going_on(&self, question: &Question, mv: u16, position: &str) -> Result<Question, Failure> {
        let wanted = Wanted { next_by: Some(Move::from_bits(mv)), ..Wanted::default() };
        let found = match position {
            "" => question.answer(self, &wanted)?,
            position => self.among(question, position)?.answer(self, &wanted)?,
        };
        Ok(question.among(found.next_by.unwrap_or_else(|| self.none())))
    }
}
