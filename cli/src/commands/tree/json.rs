//! Writes a tree as JSON: its positions in a list, and of each move the place of the position after it.

use std::io::Write;

use plyfold_core::notation::{MoveNotation, notate_move};
use plyfold_core::reduce::opening_tree::{OpeningTree, TreeMove, TreeNode};
use plyfold_terminal::output;
use serde::Serialize;

use crate::failure::Result;

#[derive(Serialize)]
struct JsonTree {
    /// The first is the root.
    positions: Vec<JsonPosition>,
}

#[derive(Serialize)]
struct JsonPosition {
    fen: String,
    /// Those of the most games first.
    moves: Vec<JsonMove>,
}

#[derive(Serialize)]
struct JsonMove {
    san: String,
    uci: String,
    games: u64,
    white: u64,
    draw: u64,
    black: u64,
    unknown: u64,
    /// The average rating of those who played it.
    rating: Option<u32>,
    last_year: Option<u32>,
    /// The position after it, by its place from 0.
    position: usize,
    /// Of several moves that lead to a position, whether this one has the line.
    is_main_way: bool,
}

/// Writes the tree as one line.
pub(super) fn write(out: &mut dyn Write, tree: &OpeningTree) -> Result<()> {
    let json_move = |node: &TreeNode, tree_move: &TreeMove| {
        let MoveNotation { san, uci, .. } = notate_move(&node.board, tree_move.mv);
        let [white, draw, black, unknown] = tree_move.results.in_columns();
        JsonMove {
            san,
            uci,
            games: tree_move.results.games(),
            white,
            draw,
            black,
            unknown,
            rating: tree_move.rating,
            last_year: Some(tree_move.last_year).filter(|year| *year > 0),
            position: tree_move.node,
            is_main_way: tree_move.is_main_way,
        }
    };
    let position = |node: &TreeNode| JsonPosition {
        fen: node.board.fen().to_string(),
        moves: node.moves.iter().map(|tree_move| json_move(node, tree_move)).collect(),
    };
    Ok(output::json(out, &JsonTree { positions: tree.iter().map(position).collect() })?)
}
