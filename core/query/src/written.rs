//! Moves as they are written: one move in standard algebraic notation, and a line of moves from the initial position.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use plyfold_board::moves::Move as PackedMove;
use plyfold_scan::scan::predicate::{CaptureRule, LONG_WING, MovePredicate, PositionPredicate, SHORT_WING};
use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::{CastlingSide, Chess, Color, EnPassantMode, Move, Position, Rank, Role};

use super::diagram::Diagram;
use super::fen_pattern::FenPattern;
use super::played::{MoveAction, MovePattern};
use super::region;

/// A move as it is written, such as `Bxh7+`: what it says of the move, whatever the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrittenMove(SanPlus);

impl WrittenMove {
    /// Reads a move; nothing if the text is none. The piece is a capital letter.
    pub(crate) fn read(text: &str) -> Option<WrittenMove> {
        let written = SanPlus::from_ascii(text.as_bytes()).ok()?;
        let is_move = match written.san {
            San::Normal { role, promotion: Some(becomes), .. } => {
                role == Role::Pawn && !matches!(becomes, Role::Pawn | Role::King)
            }
            San::Normal { .. } | San::Castle(_) => true,
            San::Put { .. } | San::Null => false,
        };
        is_move.then_some(WrittenMove(written))
    }

    /// Whether only the name of a square is written, which is also a region.
    pub(crate) fn is_square(self) -> bool {
        self.0.to_string().len() == 2
    }

    /// What the written move is, if no game can have it: a pawn on the last rank that stays one, or a promotion elsewhere.
    pub(crate) fn contradiction(self) -> Option<&'static str> {
        let San::Normal { role: Role::Pawn, to, promotion, .. } = self.0.san else { return None };
        match (matches!(to.rank(), Rank::First | Rank::Eighth), promotion) {
            (true, None) => Some("a pawn promotes there: write what it becomes, as in `e8=Q`"),
            (false, Some(_)) => Some("a pawn promotes only on the first and the last rank"),
            _ => None,
        }
    }

    /// The test of such a move of a side.
    pub(crate) fn predicate(self, colour: Color) -> MovePredicate {
        let any = MovePredicate::any(colour);
        let San::Normal { role, file, rank, capture, to, promotion } = self.0.san else {
            let is_short = self.0.san == San::Castle(CastlingSide::KingSide);
            return any.castling(if is_short { SHORT_WING } else { LONG_WING });
        };
        let mut test = any.by_role(role);
        if let Some(becomes) = promotion {
            test = test.promoting(1 << becomes as u8);
        }
        // Castling is written otherwise.
        test.kinds &= !any.castling(SHORT_WING | LONG_WING).kinds;
        let file = file.map_or(u64::MAX, |file| region::files(file as u8, file as u8));
        let rank = rank.map_or(u64::MAX, |rank| region::ranks(rank as u8, rank as u8));
        let capture = if capture { CaptureRule::Takes(CaptureRule::ANY_ROLE) } else { CaptureRule::Nothing };
        MovePredicate { from: file & rank, to: 1 << to as u32, capture, ..test }
    }

    /// What must hold on the board after such a move of a side, besides the test of the move.
    pub(crate) fn effect(self, colour: Color) -> Option<PositionPredicate> {
        let action = match self.0.suffix? {
            Suffix::Check => MoveAction::GivesCheck,
            Suffix::Checkmate => MoveAction::GivesMate,
        };
        MovePattern::new(action).effect(colour)
    }

    /// The only legal move of a position that is written so.
    ///
    /// # Errors
    ///
    /// Why there is none, as a predicate of the move.
    pub(crate) fn in_position(self, position: &Chess) -> Result<Move, &'static str> {
        let found = self.0.san.find_move(&position.legal_moves()).copied().map_err(|error| match error {
            shakmaty::san::SanError::AmbiguousSan => "is ambiguous here",
            shakmaty::san::SanError::IllegalSan => "is not legal here",
        })?;
        let mut after = position.clone();
        after.play_unchecked(found);
        match self.0.suffix {
            Some(Suffix::Check) if !after.is_check() => Err("gives no check here"),
            Some(Suffix::Checkmate) if !after.is_checkmate() => Err("is no mate here"),
            _ => Ok(found),
        }
    }
}

impl fmt::Display for WrittenMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A line of legal moves from the initial position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WrittenLine {
    moves: Vec<Move>,
    position: Chess,
}

impl WrittenLine {
    /// The moves as they are packed.
    pub(crate) fn packed(&self) -> Vec<PackedMove> {
        self.moves.iter().map(|&mv| PackedMove::from(mv)).collect()
    }

    /// The number of moves of both sides.
    pub(crate) fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The position after the line.
    pub(crate) fn position(&self) -> &Chess {
        &self.position
    }

    /// Appends a legal move.
    pub(crate) fn push(&mut self, mv: Move) {
        self.moves.push(mv);
        self.position.play_unchecked(mv);
    }

    /// The position after the line as a FEN with castling rights and en passant.
    pub(crate) fn fen(&self) -> Option<FenPattern> {
        let placement = Diagram::from_board(self.position.board())?;
        Some(FenPattern::from_setup(placement, self.position.to_setup(EnPassantMode::Legal), 4))
    }
}

/// Writes the moves with their numbers: `1. e4 c5 2. Nf3`.
impl fmt::Display for WrittenLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut position = Chess::default();
        for (nth, &mv) in self.moves.iter().enumerate() {
            let number = if nth % 2 == 0 { alloc::format!("{}. ", nth / 2 + 1) } else { String::new() };
            let written = SanPlus::from_move_and_play_unchecked(&mut position, mv);
            write!(f, "{}{number}{written}", if nth > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}
