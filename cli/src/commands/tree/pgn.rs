//! Writes a tree as one game of PGN: the main line is what was played most, the other moves are variations.
//!
//! A position that several orders of moves have goes on where the line to it is shortest; elsewhere a comment says so.

use std::io::Write;

use plyfold_core::board::Board;
use plyfold_core::notation::notate_move;
use plyfold_core::reduce::opening_tree::{OpeningTree, TreeMove};

use crate::failure::Result;

/// Lines are broken before this column, as the export format of PGN has it.
const LINE_WIDTH: usize = 80;

/// Writes the tree.
pub(super) fn write(out: &mut dyn Write, tree: &OpeningTree, query: &str) -> Result<()> {
    let title = if query.is_empty() { "all games" } else { query };
    let title = title.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " ");
    let root = &tree[0].board;
    writeln!(out, "[Event \"Tree of {title}\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]")?;
    writeln!(out, "[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]")?;
    if root.hash != Board::initial().hash {
        writeln!(out, "[SetUp \"1\"]\n[FEN \"{}\"]", root.fen())?;
    }
    writeln!(out)?;
    let mut words = Words { tree, out, column: 0, opened: String::new() };
    words.write_line(0, true)?;
    words.push("*")?;
    Ok(writeln!(words.out)?)
}

/// The moves, written word by word.
struct Words<'a> {
    tree: &'a OpeningTree,
    out: &'a mut dyn Write,
    column: usize,
    /// The brackets that stand before the next word.
    opened: String,
}

impl Words<'_> {
    fn push(&mut self, word: &str) -> Result<()> {
        let word = [&*std::mem::take(&mut self.opened), word].concat();
        if self.column > 0 && self.column + 1 + word.len() >= LINE_WIDTH {
            writeln!(self.out)?;
            self.column = 0;
        } else if self.column > 0 {
            write!(self.out, " ")?;
            self.column += 1;
        }
        self.column += word.chars().count();
        Ok(write!(self.out, "{word}")?)
    }

    /// Writes the moves from this node on. After something else than a move, one of Black has its number.
    fn write_line(&mut self, from: usize, mut needs_number: bool) -> Result<()> {
        let (tree, mut nth) = (self.tree, from);
        while let Some((main, others)) = tree[nth].moves.split_first() {
            self.write_move(nth, main, needs_number)?;
            for other in others {
                self.opened.push('(');
                self.write_move(nth, other, true)?;
                if other.is_main_way {
                    self.write_line(other.node, true)?;
                }
                write!(self.out, ")")?;
                self.column += 1;
            }
            // A comment stands before the next move.
            needs_number = true;
            if !main.is_main_way {
                return Ok(());
            }
            nth = main.node;
        }
        Ok(())
    }

    fn write_move(&mut self, nth: usize, tree_move: &TreeMove, needs_number: bool) -> Result<()> {
        let board = &self.tree[nth].board;
        let is_white = board.side_to_move().is_white();
        if is_white || needs_number {
            let number = board.to_setup().fullmoves;
            self.push(&format!("{number}{}", if is_white { "." } else { "..." }))?;
        }
        self.push(&notate_move(board, tree_move.mv).san)?;
        let comment = comment(self.tree, tree_move);
        let words: Vec<&str> = comment.split(' ').collect();
        words.into_iter().try_for_each(|word| self.push(word))
    }
}

/// The comment of a move: `{1234 games, 1-0 40 %, draw 35 %, 0-1 25 %, rating 2612, last 2023}`.
fn comment(tree: &OpeningTree, tree_move: &TreeMove) -> String {
    let games = tree_move.results.games();
    let [white, draw, black, _] = tree_move.results.in_columns();
    let share = |part: u64| (part * 100 + games / 2) / games.max(1);
    let mut comment = format!(
        "{{{games} {}, 1-0 {} %, draw {} %, 0-1 {} %",
        if games == 1 { "game" } else { "games" },
        share(white),
        share(draw),
        share(black)
    );
    if let Some(rating) = tree_move.rating {
        comment += &format!(", rating {rating}");
    }
    if tree_move.last_year > 0 {
        comment += &format!(", last {}", tree_move.last_year);
    }
    if !tree_move.is_main_way && !tree[tree_move.node].moves.is_empty() {
        comment += "; goes on in another line";
    }
    comment + "}"
}
