//! Writes a tree as a Polyglot book: 16 bytes for each move of a position, sorted by the key of the position.

use std::io::Write;

use plyfold_core::board::Board;
use plyfold_core::moves::Move;
use plyfold_core::reduce::opening_tree::{OpeningTree, TreeMove};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, FromSetup, Position, PositionError, Role};

use crate::failure::{CliFailure, Result};

/// Writes the book.
pub(super) fn write(out: &mut dyn Write, tree: &OpeningTree) -> Result<()> {
    let mut entries: Vec<(u64, u16, u16)> = Vec::new();
    for node in tree {
        if node.moves.is_empty() {
            continue;
        }
        let key = key(&node.board)?;
        let mover = node.board.side_to_move();
        let points: Vec<u64> = node.moves.iter().map(|tree_move| points(tree_move, mover)).collect();
        let most = points.iter().copied().max().unwrap_or(1).max(1);
        for (tree_move, points) in node.moves.iter().zip(points) {
            // Weights of a position are in proportion, and a move that only lost has the smallest.
            let weight = if most > u16::MAX.into() { points * u64::from(u16::MAX) / most } else { points };
            entries.push((key, polyglot_move(tree_move.mv), weight.max(1) as u16));
        }
    }
    entries.sort_by_key(|&(key, _, weight)| (key, u16::MAX - weight));
    for (key, mv, weight) in entries {
        out.write_all(&key.to_be_bytes())?;
        out.write_all(&mv.to_be_bytes())?;
        out.write_all(&weight.to_be_bytes())?;
        // Nothing was learned.
        out.write_all(&[0; 4])?;
    }
    Ok(())
}

/// Two points for each win of the player who moves, one for each draw.
fn points(tree_move: &TreeMove, mover: Color) -> u64 {
    let [white, draw, black, _] = tree_move.results.in_columns();
    2 * mover.fold_wb(white, black) + draw
}

/// The key of a position: the hash of Polyglot, which shakmaty computes. An en passant square counts if a pawn stands beside it.
fn key(board: &Board) -> Result<u64> {
    let position = Chess::from_setup(board.to_setup(), CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|error| CliFailure::Other(format!("a position of the tree cannot be in a book: {error}")))?;
    Ok(position.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0)
}

/// A move of a book: to and from as file and rank, and what a pawn becomes; castling goes to the square of the rook.
fn polyglot_move(mv: Move) -> u16 {
    let promotion = match mv.promoted() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        _ => 0,
    };
    let (from, to) = (mv.bits() & 0x3f, mv.bits() >> 6 & 0x3f);
    promotion << 12 | from << 6 | to
}
