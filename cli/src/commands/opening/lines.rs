//! The main lines of an opening as a table: a line for each branch, indented below the one that it leaves.

use plyfold_core::notation::notate_move;
use plyfold_core::reduce::opening_tree::{OpeningTree, TreeMove};
use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultColumn, ResultTable};

/// The table of a tree.
pub fn table(tree: &OpeningTree) -> ResultTable<'static> {
    let mut rows = Vec::new();
    add_branches(tree, 0, 0, &mut rows);
    let columns = vec![
        ResultColumn::text("line"),
        ResultColumn::count("depth"),
        ResultColumn::count("games"),
        ResultColumn::new(CellKind::Results, "white"),
        ResultColumn::new(CellKind::Results, "draw"),
        ResultColumn::new(CellKind::Results, "black"),
        ResultColumn::new(CellKind::Results, "unknown"),
        ResultColumn::new(CellKind::Rating, "rating").optional(),
        ResultColumn::new(CellKind::Year, "last_year").optional(),
    ];
    ResultTable::new(columns, rows.into_iter())
}

/// Adds a row for each move from this node, with the moves that follow it alone, and the branches behind them.
fn add_branches(tree: &OpeningTree, from: usize, depth: usize, rows: &mut Vec<Vec<ResultCell<'static>>>) {
    for first in &tree[from].moves {
        let mut words = vec![word(tree, from, first, true)];
        let mut last = first;
        while let (true, [only]) = (last.is_main_way, &tree[last.node].moves[..]) {
            words.push(word(tree, last.node, only, false));
            last = only;
        }
        let line = format!("{}{}", "  ".repeat(depth), words.join(" "));
        let mut row: Vec<ResultCell<'static>> = vec![line.into(), (depth as u64).into(), first.results.games().into()];
        row.extend(first.results.in_columns().map(ResultCell::Count));
        row.push(first.rating.map(u64::from).into());
        row.push((first.last_year > 0).then_some(u64::from(first.last_year)).into());
        rows.push(row);
        if last.is_main_way {
            add_branches(tree, last.node, depth + 1, rows);
        }
    }
}

/// A move as it stands in a line: `2. Nf3`, or `Nc6` behind a move of White.
fn word(tree: &OpeningTree, from: usize, tree_move: &TreeMove, begins_line: bool) -> String {
    let notation = notate_move(&tree[from].board, tree_move.mv);
    match (notation.color.is_white(), begins_line) {
        (true, _) => format!("{}. {}", notation.move_number, notation.san),
        (false, true) => format!("{}... {}", notation.move_number, notation.san),
        (false, false) => notation.san,
    }
}
