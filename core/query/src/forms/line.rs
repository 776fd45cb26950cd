//! `1. e4 c5 2. Nf3`: the position after a line of moves, or the line itself as the first moves of the game.

use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::predicate::FirstMoves;

use super::fen::fen_predicates;
use super::{Form, Leaf};
use crate::error::{QueryError, error_of_query};
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::written::WrittenLine;

/// A line of moves from the initial position.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Line {
    /// Whether the game began with these moves in this order; otherwise it reaches the position after them.
    #[cfg_attr(feature = "json", serde(rename = "played", default, skip_serializing_if = "core::ops::Not::not"))]
    pub is_played: bool,
    /// The moves: "1. e4 c5 2. Nf3".
    pub moves: WrittenLine,
}

impl Form for Line {
    const STARTS: &'static [&'static str] = &["`played`", "`reached`", "a line such as `1. e4 c5`"];
    const WORDS: &'static [(&'static str, &'static str)] = &[
        ("played", "the game began with these moves"),
        ("reached", "the position after these moves, whatever their order"),
    ];

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        let is_played = parser.take_word("played");
        let is_named = is_played || parser.take_word("reached");
        if !is_named && !parser.is_move_number() {
            return Ok(None);
        }
        if side.is_named() {
            let message = "a line has moves of both sides, so no side stands before it";
            return Err(parser.error_at(side.at, message, &["a move such as `Nf3`"]));
        }
        Ok(Some(Line { is_played, moves: parser.written_line()? }.into()))
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        let fen = self.moves.fen().ok_or_else(|| error_of_query("a line of moves ends in no position"))?;
        let first_moves = self.is_played.then(|| FirstMoves(self.moves.packed().into()).into());
        // The position rules out games that begin elsewhere.
        plan.conjunction(first_moves.into_iter().chain(fen_predicates(&fen)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_played { "played " } else { "" }, self.moves)
    }
}
