//! Double steps after which a pawn may be captured en passant, in tables of any material: the stored level of the position before the
//! step must follow from the moves by the rules of chess.
//!
//! Generation has such captures in its conversion tables. Here they are plain moves of shakmaty, one position at a time. Random
//! positions seldom have them, so these are built around a pawn that can step and pawns that can take it, one or two of them.

use egtgen::{Prober, TableMaterial, TablePosition};
use plyfold_core::table::probe::TableSource;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use shakmaty::{Board, Color, Piece, Position, Role, Square};

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DoubleSteps {
    /// Positions with a double step that a pawn may take.
    pub compared: u64,
    /// Those in which two pawns stand beside the target square.
    pub two_takers: u64,
    /// Those in which a pawn beside the target square must not take, because it is pinned or leaves a check.
    pub pinned_takers: u64,
    /// Stored levels that do not follow from the moves.
    pub different: u64,
}

/// Compares so many positions of a material, in which both sides have pawns, for these winners. Either side steps.
///
/// # Errors
///
/// A table is missing or cannot be read.
pub fn compare<S: TableSource>(
    prober: &Prober<S>,
    material: TableMaterial,
    winners: &[Color],
    (positions, seed): (u64, u64),
) -> Result<DoubleSteps, S::Error> {
    let (mut random, mut found) = (StdRng::seed_from_u64(seed), DoubleSteps::default());
    while found.compared < positions {
        let Some((position, step)) = draw(material, &mut random) else { continue };
        let Some((takers, legal)) = takers(&position, step) else { continue };
        found.compared += 1;
        found.two_takers += u64::from(takers == 2);
        found.pinned_takers += u64::from(legal < takers);
        for &winner in winners {
            let (stored, derived) = (prober.level(winner, &position)?, prober.searched_level(winner, &position)?);
            if stored != derived {
                found.different += 1;
                println!("{position}: {winner:?} wins in {stored:?}, but by its moves in {derived:?}");
            }
        }
    }
    Ok(found)
}

/// A random position with a pawn that can step from the square and at least one pawn beside its target.
pub fn draw(material: TableMaterial, random: &mut StdRng) -> Option<(TablePosition, Square)> {
    let turn = Color::from_white(random.random());
    let (own, other) = turn.fold_wb((material.white, material.black), (material.black, material.white));
    let (from, target_rank) = turn.fold_wb((8, 24), (48, 32));
    let file = random.random_range(0..8);
    let mut board = Board::empty();
    board.set_piece_at(Square::new(from + file), turn.pawn());
    let mut takers = usize::from(other.count(Role::Pawn)).min(random.random_range(1..=2));
    for side in if random.random() { [-1, 1] } else { [1, -1] } {
        let beside = file as i32 + side;
        if takers > 0 && (0..8).contains(&beside) {
            board.set_piece_at(Square::new(target_rank + beside as u32), turn.other().pawn());
            takers -= 1;
        }
    }
    let kings = [turn.king(), turn.other().king()];
    let pieces = own.roles().map(|role| Piece { color: turn, role });
    let pieces = pieces.chain(other.roles().map(|role| Piece { color: !turn, role })).chain(kings);
    for piece in pieces {
        let placed = (board.by_piece(piece)).count();
        let required = if piece.role == Role::King { 1 } else { usize::from(side_count(material, piece)) };
        for _ in placed..required {
            let square = Square::new(random.random_range(0..64));
            if board.piece_at(square).is_some() {
                return None;
            }
            board.set_piece_at(square, piece);
        }
    }
    let position = TablePosition::from_board(board, turn, None).ok()?;
    Some((position, Square::new(from + file)))
}

fn side_count(material: TableMaterial, piece: Piece) -> u8 {
    piece.color.fold_wb(material.white, material.black).count(piece.role)
}

/// How many pawns stand beside the target of a double step, and how many of them may take; `None` if it is no legal move or nobody
/// stands there.
pub fn takers(position: &TablePosition, step: Square) -> Option<(usize, usize)> {
    let chess = position.as_chess();
    let target = Square::new(chess.turn().fold_wb(u32::from(step) + 16, u32::from(step).wrapping_sub(16)));
    let played = chess.legal_moves().into_iter().find(|one| one.from() == Some(step) && one.to() == target)?;
    let after = chess.clone().play(played).ok()?;
    let takers = [-1, 1].into_iter().filter_map(|side| target.offset(side)).filter(|beside| {
        beside.rank() == target.rank() && after.board().piece_at(*beside) == Some(after.turn().pawn())
    });
    let takers = takers.count();
    let legal = after.legal_moves().iter().filter(|one| one.is_en_passant()).count();
    (takers > 0).then_some((takers, legal))
}
