//! Next moves: how games continued from the matching positions.

use plyfold_core::board::make::FullState;
use plyfold_core::moves::Move;
use plyfold_core::reduce::move_name::{ChosenMove, MoveName};
use plyfold_core::reduce::next_moves::{NEXT_MOVES, NextMoveTable};
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::error::JsFailure;
use crate::groups::OutcomeCounts;
use crate::plain::{Js, List, plain_object, to_js};
use crate::query::PreparedQuestion;

/// The next moves of one name from matching positions, with their games by result.
#[derive(Tsify)]
#[tsify(missing_as_null)]
pub struct NextMove {
    /// A number that identifies the name, whatever the position.
    pub code: u32,
    /// The move as SAN; it has `+` or `#` if it gave check or mate every time.
    pub san: String,
    /// The move as UCI writes it, in the position where it was first played.
    pub uci: String,
    /// Number of matching positions after which it was played.
    pub times: f64,
    /// The position after the move, where it was first played.
    pub fen: String,
    /// Average rating of the players who played it, 0 if none is known.
    pub elo: u32,
    /// The performance rating of their results; null if none is known.
    pub performance: Option<f64>,
    /// The date of the latest such game, as in its header; empty if no game has a year.
    pub last_played: String,
    /// The games by result.
    #[serde(flatten)]
    pub results: OutcomeCounts,
}
plain_object!(NextMove { code, san, uci, times, fen, elo, performance, last_played, ..results });

/// How games continued, and by result all games with a matching position, the start position included.
#[derive(Tsify)]
pub struct NextMoves {
    /// Matching positions.
    pub positions: f64,
    /// The moves, the most frequent first.
    pub moves: List<NextMove>,
    /// The games by result.
    #[serde(flatten)]
    pub results: OutcomeCounts,
}
plain_object!(NextMoves { positions, moves, ..results });

#[wasm_bindgen]
impl Corpus {
    /// Returns how games continued from the positions that match a question.
    ///
    /// # Errors
    ///
    /// The request was cancelled.
    #[wasm_bindgen(js_name = nextMoves)]
    pub fn next_moves(&self, question: &PreparedQuestion) -> Result<Js<NextMoves>, JsFailure> {
        let found = question.run(self, NEXT_MOVES.output())?;
        Ok(to_js(self.next_move_results(found.summary().unwrap_or(&NextMoveTable::default()))?))
    }
}

impl Corpus {
    /// Makes the next moves of a scan into objects, with SAN, UCI and FEN.
    ///
    /// # Errors
    ///
    /// The moves belong to another corpus.
    pub(crate) fn next_move_results(&self, table: &NextMoveTable) -> Result<NextMoves, JsFailure> {
        let moves = List::default();
        for entry in &table.moves {
            let mut board = self.board(entry.first.game.0, entry.first.ply.0)?;
            let [san, uci] = entry.written.clone();
            board.make::<FullState>(entry.mv);
            moves.push(NextMove {
                code: entry.name.bits(),
                san,
                uci,
                times: entry.times as f64,
                fen: board.fen().to_string(),
                elo: entry.rating.unwrap_or(0),
                performance: entry.performance.map(|points| points as f64),
                last_played: if entry.last_played.year() == 0 { String::new() } else { entry.last_played.to_string() },
                results: (&entry.results).into(),
            });
        }
        Ok(NextMoves { positions: table.positions as f64, moves, results: (&table.results).into() })
    }

    /// Narrows the games of a question to those that continued with a move of this number: that of its name, or, in links of older
    /// versions, its 16 bits.
    ///
    /// The move must follow a matching position, or, if the query `position` is not empty, a position that
    /// matches that query.
    ///
    /// # Errors
    ///
    /// The query cannot be read; the request was cancelled.
    pub(crate) fn going_on(
        &self,
        question: &PreparedQuestion,
        code: u32,
        position: &str,
    ) -> Result<PreparedQuestion, JsFailure> {
        let chosen = MoveName::from_bits(code)
            .map_or_else(|| ChosenMove::Resolved(Move::from_bits(code as u16)), ChosenMove::Named);
        let output = NEXT_MOVES.output().with_chosen(chosen).most(0);
        let found = match position {
            "" => question.run(self, output)?,
            position => self.among(question, position)?.run(self, output)?,
        };
        let games = found.summary().and_then(|table: &NextMoveTable| table.chosen_games.clone());
        Ok(question.within_games(games.unwrap_or_else(|| self.empty_set())))
    }
}
