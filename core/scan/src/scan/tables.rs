//! Verdicts of endgame tables, as a scan asks for them. Whoever has tables implements [`TableVerdicts`] and binds them to a query
//! ([`Query::bind_tables`](super::Query::bind_tables)); the scan knows nothing of files and formats.
//!
//! A position without a verdict is unknown. It may have too many pieces or castling rights, or its table may be missing.

use alloc::sync::Arc;
use core::fmt;

use shakmaty::{Bitboard, Color, Piece, Square};

use plyfold_board::board::{Board, NO_SQUARE, PieceCode};

/// The most pieces, kings included, of a position in any table that exists.
pub const MAX_TABLE_PIECES: u32 = 7;

/// A position of few pieces without castling rights. It need not be legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbedPosition {
    /// The pieces.
    pub board: shakmaty::Board,
    /// The side to move.
    pub turn: Color,
    /// The square behind a pawn that can be captured en passant.
    pub en_passant: Option<Square>,
}

/// The result of best play by both sides, for the side to move. The fifty-move rule makes no difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableOutcome {
    /// The side to move wins.
    Win,
    /// Nobody wins.
    Draw,
    /// The side to move loses.
    Loss,
}

/// What a table says of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableVerdict {
    /// Who wins.
    pub outcome: TableOutcome,
    /// The moves of the winner up to mate, 0 if it is mate; none in a draw, and if the table does not know distances.
    pub moves_to_mate: Option<u16>,
}

/// A number that tables know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableNumber {
    /// The moves of the winner up to mate, whoever wins.
    MovesToMate,
    /// The same, if this side wins.
    MovesToMateBy(Color),
    /// The half points that the last move gave away, if this side made it; otherwise 0.
    HalfPointsLost(Color),
}

/// A source of tables.
pub trait TableVerdicts: Send + Sync {
    /// The most pieces, kings included, of a position that some table knows.
    fn most_pieces(&self) -> u32;

    /// The verdict about a position; none if no table knows it, if its table cannot be read, or if the position is not legal.
    fn verdict(&self, position: &ProbedPosition) -> Option<TableVerdict>;
}

/// The tables that a query asks, or none.
#[derive(Clone, Default)]
pub struct BoundTables(Option<Arc<dyn TableVerdicts>>);

/// Tables are the same only if they are the same object.
impl PartialEq for BoundTables {
    fn eq(&self, other: &BoundTables) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(tables), Some(others)) => Arc::ptr_eq(tables, others),
            _ => false,
        }
    }
}

impl fmt::Debug for BoundTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tables of {} pieces", self.most_pieces())
    }
}

impl BoundTables {
    /// Binds these tables.
    pub fn new(tables: Arc<dyn TableVerdicts>) -> BoundTables {
        BoundTables(Some(tables))
    }

    /// The most pieces of a position that some table knows, at most [`MAX_TABLE_PIECES`]; 0 without tables.
    pub fn most_pieces(&self) -> u32 {
        self.0.as_ref().map_or(0, |tables| tables.most_pieces().min(MAX_TABLE_PIECES))
    }

    /// Returns the verdict about a board whose bitboards and rights are up to date; none if no table knows it.
    pub fn verdict(&self, board: &Board) -> Option<WinnerVerdict> {
        self.verdict_about(board, probed_position)
    }

    /// Returns the verdict about the same board with the other side to move.
    pub(crate) fn verdict_after_pass(&self, board: &Board) -> Option<WinnerVerdict> {
        self.verdict_about(board, |board| {
            let ProbedPosition { board, turn, .. } = probed_position(board);
            ProbedPosition { board, turn: !turn, en_passant: None }
        })
    }

    fn verdict_about(&self, board: &Board, position: impl Fn(&Board) -> ProbedPosition) -> Option<WinnerVerdict> {
        if board.castling_rooks != 0 || board.occupied().count_ones() > self.most_pieces() {
            return None;
        }
        let position = position(board);
        let verdict = self.0.as_ref()?.verdict(&position)?;
        let winner = match verdict.outcome {
            TableOutcome::Win => Some(position.turn),
            TableOutcome::Draw => None,
            TableOutcome::Loss => Some(!position.turn),
        };
        Some(WinnerVerdict { winner, moves_to_mate: winner.and(verdict.moves_to_mate) })
    }
}

/// A verdict that names the winner, whoever is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WinnerVerdict {
    /// The side that wins; none in a draw.
    pub winner: Option<Color>,
    /// The moves of the winner up to mate, if they are known.
    pub moves_to_mate: Option<u16>,
}

impl WinnerVerdict {
    /// The half points that a side gets by best play: 2 for a win, 1 for a draw.
    pub(crate) fn half_points(self, side: Color) -> i64 {
        match self.winner {
            Some(winner) => 2 * i64::from(winner == side),
            None => 1,
        }
    }
}

fn probed_position(board: &Board) -> ProbedPosition {
    let mut pieces = shakmaty::Board::empty();
    for code in PieceCode::all() {
        let Some(role) = code.role() else { continue };
        for square in Bitboard(board.bitboards[code]) {
            pieces.set_piece_at(square, Piece { color: code.color(), role });
        }
    }
    let en_passant = (board.en_passant < NO_SQUARE).then(|| Square::new(u32::from(board.en_passant)));
    ProbedPosition { board: pieces, turn: board.side_to_move(), en_passant }
}
