//! Numbers of a board, for sums and comparisons: `king_distance <= 2`.

use plyfold_annotations::columns::AnnotationNumber;
use plyfold_board::board::{ANY_CHANGE, Board, ChangeMask, PieceCode};
use shakmaty::{Color, Role};

use super::placement_changes;
use crate::scan::access_path::AccessPath;
use crate::scan::replay_needs::ReplayNeeds;
use crate::scan::tables::TableNumber;

/// A measured number that belongs to the whole position, not to a side.
#[derive(Debug)]
pub struct NumericFeature {
    /// The name in a query.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// One line for help and completion.
    pub summary: &'static str,
    /// The changes after which the number must be measured again.
    pub dependencies: ChangeMask,
    /// What a replay must keep up to date to measure it.
    pub needs: ReplayNeeds,
    /// What the scan derives the number from.
    pub derived_from: NumberOrigin,
    /// Measures the number on a board; 0 if no board shows it.
    pub value: fn(&Board) -> i64,
    /// The same number in centipawns, if this name counts pawns. A scan knows only centipawns.
    pub centipawns: Option<&'static NumericFeature>,
}

/// What a number is derived from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberOrigin {
    /// The board.
    Board,
    /// The plies of captures and pawn moves.
    Clock,
    /// The moves since the last capture or pawn move.
    Repetition,
    /// What the text of the game says of the ply.
    Annotations(AnnotationNumber),
    /// Endgame tables.
    Tables(TableNumber),
}

impl NumberOrigin {
    /// Where a comparison of such a number alone is tested; none for where the board is.
    pub(in crate::scan) const fn access_path(self) -> Option<AccessPath> {
        match self {
            NumberOrigin::Clock => Some(AccessPath::HalfmoveClock),
            NumberOrigin::Repetition => Some(AccessPath::Repetition),
            NumberOrigin::Board | NumberOrigin::Annotations(_) | NumberOrigin::Tables(_) => None,
        }
    }
}

/// Every number of a position that a query can name. [`SIDED_NUMBERS`] are those of a side.
pub static NUMBERS: &[&NumericFeature] = &[
    &KING_DISTANCE,
    &CLOCK,
    &REPETITION,
    &OTHER_TURN,
    &LEGAL_MOVES,
    &EVAL_IN_PAWNS,
    &EVAL,
    &MATE_IN,
    &EVAL_CHANGE_IN_PAWNS,
    &EVAL_CHANGE,
    &TIME_SPENT,
    &TB_DTM,
];

/// A number that each side has: its name, and a side in brackets.
#[derive(PartialEq, Debug)]
pub struct SidedNumber {
    /// The name in a query.
    pub name: &'static str,
    /// One line for help and completion; empty if the name is also a number of the position.
    pub summary: &'static str,
    /// What is missing where no side stands in brackets.
    pub missing: &'static str,
    /// White's number, and Black's.
    pub of: [&'static NumericFeature; 2],
}

/// Every number of a side that a query can name.
pub static SIDED_NUMBERS: &[&SidedNumber] = &[&CLOCK_TIME, &MOVES_TO_MATE_BY, &HALF_POINTS_LOST];

/// The clocks of the sides.
pub const CLOCK_TIME: SidedNumber = SidedNumber {
    name: "clock_time",
    summary: CLOCK_TIME_SUMMARY,
    missing: "`(` and the side of the clock",
    of: [
        &of_annotations("clock_time(white)", AnnotationNumber::ClockTime(Color::White), CLOCK_TIME_SUMMARY),
        &of_annotations("clock_time(black)", AnnotationNumber::ClockTime(Color::Black), CLOCK_TIME_SUMMARY),
    ],
};

/// The moves to mate, if the side wins; [`TB_DTM`] has those of whoever wins.
const MOVES_TO_MATE_BY: SidedNumber = SidedNumber {
    name: TB_DTM.name,
    summary: "",
    missing: "`(` and a side",
    of: [
        &of_tables("tb_dtm(white)", TableNumber::MovesToMateBy(Color::White), TB_DTM_SUMMARY),
        &of_tables("tb_dtm(black)", TableNumber::MovesToMateBy(Color::Black), TB_DTM_SUMMARY),
    ],
};

/// What the last move of the side gave away.
const HALF_POINTS_LOST: SidedNumber = SidedNumber {
    name: "half_points_lost",
    summary: "what the side's last move gave away; to be compared",
    missing: "`(` and a side",
    of: [
        &of_tables("half_points_lost(white)", TableNumber::HalfPointsLost(Color::White), HALF_POINTS_SUMMARY),
        &of_tables("half_points_lost(black)", TableNumber::HalfPointsLost(Color::Black), HALF_POINTS_SUMMARY),
    ],
};

const TB_DTM_SUMMARY: &str = "moves of the winner up to mate, by endgame tables";
const HALF_POINTS_SUMMARY: &str = "half points that the last move of a side gave away, by endgame tables";

const TB_DTM: NumericFeature = of_tables("tb_dtm", TableNumber::MovesToMate, TB_DTM_SUMMARY);

/// A number that endgame tables know.
const fn of_tables(name: &'static str, number: TableNumber, summary: &'static str) -> NumericFeature {
    NumericFeature { name, summary, derived_from: NumberOrigin::Tables(number), ..OFF_BOARD }
}

/// The names of [`MOVES_OF`] begin so, and a kind of piece in brackets follows.
pub const MOVES_OF_PIECES: &str = "moves_of";

/// The legal moves of White's pieces of each role, of all of White's pieces, and the same of Black's.
pub const MOVES_OF: [[&NumericFeature; 7]; 2] = [
    [
        &moves_of::<true, 1>("moves_of(white pawn)"),
        &moves_of::<true, 2>("moves_of(white knight)"),
        &moves_of::<true, 3>("moves_of(white bishop)"),
        &moves_of::<true, 4>("moves_of(white rook)"),
        &moves_of::<true, 5>("moves_of(white queen)"),
        &moves_of::<true, 6>("moves_of(white king)"),
        &moves_of::<true, 0>("moves_of(white piece)"),
    ],
    [
        &moves_of::<false, 1>("moves_of(black pawn)"),
        &moves_of::<false, 2>("moves_of(black knight)"),
        &moves_of::<false, 3>("moves_of(black bishop)"),
        &moves_of::<false, 4>("moves_of(black rook)"),
        &moves_of::<false, 5>("moves_of(black queen)"),
        &moves_of::<false, 6>("moves_of(black king)"),
        &moves_of::<false, 0>("moves_of(black piece)"),
    ],
];

/// The number of legal moves of a side's pieces with this role code, or of all if it is 0, while the side is to move.
const fn moves_of<const WHITE: bool, const ROLE: u8>(name: &'static str) -> NumericFeature {
    NumericFeature {
        name,
        aliases: &[],
        summary: "legal moves of a side's pieces, if the side is to move",
        value: |board| {
            let colour = Color::from_white(WHITE);
            let from =
                Role::ALL.get(usize::from(ROLE).wrapping_sub(1)).map_or(u64::MAX, |&role| board.pieces(colour, role));
            if board.side_to_move() == colour { board.legal_move_count(from).into() } else { 0 }
        },
        ..LEGAL_MOVES
    }
}

const CLOCK_TIME_SUMMARY: &str = "seconds on the clock of a side after its last move";

/// The evaluation in the text.
pub const EVAL: NumericFeature =
    of_annotations("eval_cp", AnnotationNumber::Eval, "the evaluation in the text, in centipawns from White's side");
const EVAL_IN_PAWNS: NumericFeature = NumericFeature {
    name: "eval",
    aliases: &["evaluation"],
    summary: "the evaluation in the text, in pawns from White's side",
    centipawns: Some(&EVAL),
    ..EVAL
};
const MATE_IN: NumericFeature =
    of_annotations("mate_in", AnnotationNumber::MateIn, "moves to the mate in the text, negative if Black mates");
const EVAL_CHANGE: NumericFeature = of_annotations(
    "eval_change_cp",
    AnnotationNumber::EvalChange,
    "centipawns that the last move gained or lost for the side that made it",
);
const EVAL_CHANGE_IN_PAWNS: NumericFeature = NumericFeature {
    name: "eval_change",
    summary: "pawns that the last move gained or lost for the side that made it",
    centipawns: Some(&EVAL_CHANGE),
    ..EVAL_CHANGE
};
const TIME_SPENT: NumericFeature =
    of_annotations("time_spent", AnnotationNumber::TimeSpent, "seconds that the last move took");

/// A number in the text of the game.
const fn of_annotations(name: &'static str, number: AnnotationNumber, summary: &'static str) -> NumericFeature {
    NumericFeature { name, summary, derived_from: NumberOrigin::Annotations(number), ..OFF_BOARD }
}

/// What numbers have in common that no board shows.
const OFF_BOARD: NumericFeature = NumericFeature { needs: ReplayNeeds::NONE, value: |_| 0, ..LEGAL_MOVES };

/// The legal moves of the side to move; a promotion counts as four.
const LEGAL_MOVES: NumericFeature = NumericFeature {
    name: "legal_moves",
    aliases: &[],
    summary: "legal moves of the side to move",
    dependencies: ANY_CHANGE,
    needs: ReplayNeeds::RIGHTS,
    derived_from: NumberOrigin::Board,
    value: |board| board.legal_move_count(u64::MAX).into(),
    centipawns: None,
};

/// The king moves from one king's square to the other's on an empty board, 2 to 7; 0 if a king is missing. This is the larger of
/// the distances in files and in ranks.
const KING_DISTANCE: NumericFeature = NumericFeature {
    name: "king_distance",
    aliases: &["distance_of_kings"],
    summary: "steps of a king from one king to the other",
    dependencies: placement_changes([PieceCode::WHITE_KING, PieceCode::BLACK_KING]),
    needs: ReplayNeeds::BITBOARDS,
    derived_from: NumberOrigin::Board,
    value: |board| match (board.king(Color::White), board.king(Color::Black)) {
        (Some(white), Some(black)) => i64::from(white.distance(black)),
        _ => 0,
    },
    centipawns: None,
};

/// Plies since the last capture or pawn move, as in a FEN's fifth field: 100 is a draw by claim.
const CLOCK: NumericFeature = NumericFeature {
    name: "halfmove_clock",
    aliases: &["clock", "fifty_move_counter"],
    summary: "plies since the last capture or pawn move",
    derived_from: NumberOrigin::Clock,
    value: |board| i64::from(board.halfmoves),
    ..LEGAL_MOVES
};

/// How often the position has occurred in the game so far, the start position and this time included: 1 the first time. Two
/// positions are the same if they agree in pieces, side to move, castling rights and legal en passant captures.
const REPETITION: NumericFeature = NumericFeature {
    name: "repetition",
    aliases: &["repetitions"],
    summary: "how often the position has occurred in the game, this time included",
    needs: ReplayNeeds::REPETITIONS,
    derived_from: NumberOrigin::Repetition,
    value: |board| i64::from(board.repetition),
    ..LEGAL_MOVES
};

/// How often the same pieces have stood so in the game so far, the start position included, with the other side to move, the same
/// castling rights and no legal capture en passant.
const OTHER_TURN: NumericFeature = NumericFeature {
    name: "other_turn",
    aliases: &["triangulation", "triangulations"],
    summary: "how often the position has occurred with the other side to move",
    needs: ReplayNeeds::REPETITIONS,
    value: |board| i64::from(board.other_turn),
    ..LEGAL_MOVES
};
