//! The moves of a game as shakmaty has them, and what the grammar says of moves.

use std::cell::OnceCell;

use plyfold_core::moves::Move as PackedMove;
use plyfold_core::query::played::{MoveAction, MovePattern};
use plyfold_core::scan::predicate::{Motif, MoveDirection, MoveLine};
use shakmaty::{CastlingSide, Chess, Color, Move, Position, Role, Square};

use crate::games::position;
use crate::mates::is_mated_so;
use crate::motifs::Moment;
use crate::oracle::Trace;

/// What was played, found on demand.
#[derive(Default)]
pub struct Plays(OnceCell<Played>);

/// The legal moves that were played, none for a null move, and the positions around them.
struct Played {
    moves: Vec<Option<(Color, Move)>>,
    positions: Vec<Chess>,
}

impl Plays {
    /// The move that led to the position after `ply`, if there is one, and who made it.
    pub(crate) fn at(&self, trace: &Trace<'_>, ply: usize) -> Option<(Color, Move)> {
        ply.checked_sub(1).and_then(|nth| *self.all(trace).moves.get(nth)?)
    }

    fn all(&self, trace: &Trace<'_>) -> &Played {
        self.0.get_or_init(|| {
            let positions: Vec<Chess> =
                trace.boards().iter().map(|board| position(Some(&board.fen().to_string()))).collect();
            let found = trace.moves().iter().zip(&positions).map(|(&mv, before)| {
                let mv = before.legal_moves().into_iter().find(|&legal| PackedMove::from(legal) == mv)?;
                Some((before.turn(), mv))
            });
            Played { moves: found.collect(), positions }
        })
    }

    fn has_motif(&self, trace: &Trace<'_>, motif: Motif, ply: usize) -> bool {
        let Played { moves, positions } = self.all(trace);
        Moment { positions, moves, nth: ply - 1, winner: trace.winner() }.has(motif)
    }

    /// Whether the position after `ply` was reached by such a move of `colour`.
    pub fn holds(&self, trace: &Trace<'_>, pattern: &MovePattern, colour: Color, ply: usize) -> bool {
        let Some((mover, mv)) = self.at(trace, ply) else { return false };
        let from = mv.from().expect("a square");
        let to = arrival(mv, mover);
        let is_object = |role: Option<Role>| role.is_some() && pattern.object.is_none_or(|object| role == Some(object));
        let is_quiet = !mv.is_capture() && !mv.is_promotion();
        let after = || position(Some(&trace.boards()[ply].fen().to_string()));
        let does = match pattern.action {
            MoveAction::Plays => true,
            MoveAction::Captures => is_object(mv.capture()),
            MoveAction::Recaptures => {
                let before = self.at(trace, ply - 1);
                is_object(mv.capture()) && before.is_some_and(|(_, before)| before.is_capture() && before.to() == to)
            }
            MoveAction::Promotes => is_object(mv.promotion()),
            MoveAction::Underpromotes => is_object(mv.promotion()) && mv.promotion() != Some(Role::Queen),
            MoveAction::Castles => mv.is_castle(),
            MoveAction::CastlesShort => mv.castling_side() == Some(CastlingSide::KingSide),
            MoveAction::CastlesLong => mv.castling_side() == Some(CastlingSide::QueenSide),
            MoveAction::EnPassant => mv.is_en_passant(),
            MoveAction::Quiet => is_quiet,
            MoveAction::GivesCheck => after().is_check(),
            MoveAction::GivesDoubleCheck => after().checkers().count() > 1,
            MoveAction::GivesDiscoveredCheck => {
                let rook = mv.castling_side().map(|side| side.rook_to(mover));
                after().checkers().into_iter().any(|checker| checker != to && Some(checker) != rook)
            }
            MoveAction::Sacrifices => self.gives(trace, ply, mover, None),
            MoveAction::GivesUpQueen => self.gives(trace, ply, mover, Some(Role::Queen)),
            MoveAction::ExchangeSacrifice => self.gives_exchange(trace, ply, mover),
            MoveAction::Perpetual => self.repeats_by_checks(trace, ply, mover),
            MoveAction::GivesMate => after().is_checkmate(),
            MoveAction::GivesNamedMate(mate) => is_mated_so(&after(), mate),
            MoveAction::AttacksF2F7 => {
                let (weak, king) = mover.fold_wb((Square::F7, Square::E8), (Square::F2, Square::E1));
                mv.is_capture() && to == weak && after().board().piece_at(king) == Some((!mover).king())
            }
            MoveAction::HasMotif(motif) => self.has_motif(trace, motif, ply),
            MoveAction::Stalemates => after().is_stalemate(),
        };
        let within = |squares: u64, square: Square| squares >> square as u32 & 1 != 0;
        mover == colour
            && does
            && pattern.piece.is_none_or(|role| mv.role() == role)
            && within(pattern.from.for_side(colour), from)
            && within(pattern.to.for_side(colour), to)
            && goes(pattern, colour, from, to)
            && (is_quiet || !pattern.is_quiet)
    }

    /// Whether the next ply captures such a piece, and the side is two points behind after it and after its next three moves.
    fn gives(&self, trace: &Trace<'_>, ply: usize, side: Color, piece: Option<Role>) -> bool {
        let Some((_, reply)) = self.at(trace, ply + 1) else { return false };
        let change = |later: usize| points_ahead(trace, later, side) - points_ahead(trace, ply - 1, side);
        let plies = [ply + 1, ply + 2, ply + 4, ply + 6].into_iter().filter(|&ply| ply < trace.boards().len());
        reply.is_capture()
            && piece.is_none_or(|role| reply.capture() == Some(role))
            && plies.map(change).all(|by| by <= -2)
    }

    /// Whether the position has occurred before, and each move of the side since then gives check.
    fn repeats_by_checks(&self, trace: &Trace<'_>, ply: usize, side: Color) -> bool {
        let fen = |ply: usize| trace.boards()[ply].fen().to_string();
        // Without the two clocks.
        let identity = |ply: usize| fen(ply).rsplitn(3, ' ').last().map(str::to_owned);
        let gives_check = |later: usize| self.at(trace, later).is_some() && position(Some(&fen(later))).is_check();
        let by_checks = |earlier: usize| (earlier + 1..=ply).rev().step_by(2).all(gives_check);
        let is_by_side = self.at(trace, ply).is_some_and(|(mover, _)| mover == side);
        let has_occurred = is_by_side && trace.boards()[ply].repetition > 1;
        has_occurred && (0..ply).any(|earlier| identity(earlier) == identity(ply) && by_checks(earlier))
    }

    /// Whether the next ply captures a rook, the side captures a knight or bishop with this move or its next, and is one or two
    /// points behind after each of its next three moves, of which it makes at least one.
    fn gives_exchange(&self, trace: &Trace<'_>, ply: usize, side: Color) -> bool {
        let takes = |ply: usize, roles: &[Role]| {
            self.at(trace, ply).and_then(|(_, mv)| mv.capture()).is_some_and(|role| roles.contains(&role))
        };
        let minor = [Role::Knight, Role::Bishop];
        let change = |later: usize| points_ahead(trace, later, side) - points_ahead(trace, ply - 1, side);
        let plies = || [ply + 2, ply + 4, ply + 6].into_iter().filter(|&ply| ply < trace.boards().len());
        takes(ply + 1, &[Role::Rook])
            && (takes(ply, &minor) || takes(ply + 2, &minor))
            && plies().count() > 0
            && plies().map(change).all(|by| by == -1 || by == -2)
    }
}

/// The points of a side minus those of the other.
fn points_ahead(trace: &Trace<'_>, ply: usize, side: Color) -> i32 {
    let board = &trace.boards()[ply];
    let points = |side: Color| {
        let roles = [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
        roles.into_iter().map(|(role, points)| points * board.pieces(side, role).count_ones() as i32).sum::<i32>()
    };
    points(side) - points(!side)
}

/// Where the piece arrives; the king in castling.
pub(crate) fn arrival(mv: Move, mover: Color) -> Square {
    mv.castling_side().map_or(mv.to(), |side| side.king_to(mover))
}

/// Whether a move between these squares has the direction and the line that are asked for.
fn goes(pattern: &MovePattern, colour: Color, from: Square, to: Square) -> bool {
    let ranks = i32::from(to.rank()) - i32::from(from.rank());
    let files = i32::from(to.file()) - i32::from(from.file());
    let ahead = colour.fold_wb(ranks, -ranks);
    let has_direction = match pattern.direction {
        None => true,
        Some(MoveDirection::Forward) => ahead > 0,
        Some(MoveDirection::Backward) => ahead < 0,
    };
    let has_line = match pattern.line {
        None => true,
        Some(MoveLine::File) => from != to && from.file() == to.file(),
        Some(MoveLine::Rank) => from != to && from.rank() == to.rank(),
        Some(MoveLine::Diagonal) => from != to && ranks.abs() == files.abs(),
    };
    has_direction && has_line
}
