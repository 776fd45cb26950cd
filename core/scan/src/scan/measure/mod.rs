//! Stage 1, measure: features of a board.
//!
//! A feature is a set of squares: the doubled pawns, the rooks on open files, the knights. That one form serves every use:
//! whether there is one (`doubled_pawn`), whether there is one in a region (`doubled_pawn on c`), how many there are
//! (`count(white doubled_pawn) >= 2`). A feature also declares what it depends on, so that a scan measures it again only after a
//! move that can have changed it.
//!
//! To add a chess concept, add a file here and a line in [`FEATURES`].

mod attacked;
mod backward_pawn;
mod battery;
mod bishop_pair;
mod blocked_pawn;
mod castled;
mod check;
mod connected_passed_pawn;
mod connected_pawn;
mod doubled_pawn;
mod doubled_rooks;
mod empty_square;
mod fianchetto;
mod fill;
mod fork;
mod hanging_pawns;
mod isolated_pawn;
mod isolated_queens_pawn;
mod king_in_centre;
mod locked_centre;
pub mod mate;
pub mod measured_board;
mod named_structures;
mod no_moves;
pub mod numbers;
mod open_file;
mod opposite_bishops;
mod opposite_castling;
mod outpost;
mod outside_passed_pawn;
mod passed_pawn;
mod pawn_chain;
mod pawn_island;
mod pawn_majority;
pub mod pieces;
mod pinned;
mod protected_passed_pawn;
mod queens_off;
mod rook_on_half_open_file;
mod rook_on_open_file;
mod rook_on_seventh;
mod skewer;
mod to_move;
mod tripled_pawn;

pub use named_structures::NAMED_STRUCTURES;

use fill::one_step_ahead;
pub(in crate::scan) use fill::{adjacent_files, file_fill, front_span};
use measured_board::{MeasuredBoard, MeasuredEight};
use plyfold_board::board::eight::EightSets;
use plyfold_board::board::{ANY_CHANGE, Board, ByPiece, ChangeMask, PieceCode, placement_change};
use shakmaty::{Color, Role};

use crate::scan::replay_needs::ReplayNeeds;

/// A feature: squares of a side on a board.
#[derive(Debug)]
pub struct BoardFeature {
    /// The name in a query.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// One line for help and completion.
    pub summary: &'static str,
    /// Whether the feature belongs to one side; if not, it has the same squares for both colours.
    pub has_sides: bool,
    /// Whether the feature has a location, so that a query can restrict it to a region or count it. If not, it has all squares or
    /// none.
    pub has_location: bool,
    /// The changes after which White's squares must be measured again. [`BoardFeature::dependencies_for`] has those of either
    /// colour.
    pub dependencies: ChangeMask,
    /// What a replay must keep up to date to measure it.
    pub needs: ReplayNeeds,
    /// What decides whether a square is one of its squares.
    pub scope: FeatureScope,
    /// How to find whether the feature has any square.
    pub presence: FeaturePresence,
    /// What follows for the pieces on the board if the feature has a square.
    pub implied_pieces: ImpliedPieces,
    /// How the squares of a side are measured on eight boards at once, if they are.
    pub of_eight: Option<EightMeasure>,
    /// Whether that is quicker even where no other feature is asked.
    pub is_for_eight: bool,
    /// Measures the squares of a side.
    pub squares: fn(&MeasuredBoard<'_>, Color) -> u64,
}

/// What decides whether a square is one of a feature's squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeatureScope {
    /// The piece on the square itself, and which sides have castled. Only these squares, for White and for Black, can belong to
    /// the feature.
    Square([u64; 2]),
    /// The pawns on its file and the files beside it.
    Files {
        /// Whether the ranks of these pawns matter. If not, the number of the feature's squares on a file follows from the
        /// numbers of pawns on that file and beside it.
        ranks: bool,
    },
    /// The pawns on these squares, those of the side and those of the other one, as White sees them; if there are such pawns, all squares of
    /// the feature may change.
    Pawns([u64; 2]),
    /// The side is to move, and at least so many pieces give check to its king: then its square is that of the king.
    Check {
        /// The number of pieces.
        min_checkers: u32,
    },
    /// Anything, but only while the side is to move and has no legal move: there are no squares otherwise.
    NoMoves {
        /// Whether there are no squares either unless the side is in check.
        in_check: bool,
    },
    /// Anything.
    Board,
}

/// What follows for the pieces of a position in which a feature has a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImpliedPieces {
    /// Nothing.
    Nothing,
    /// The side has at least this many pieces of the role.
    AtLeast(Role, u8),
    /// Neither side has a piece of the role.
    Absent(Role),
}

/// How to find whether a feature has any square.
#[derive(Clone, Copy, Debug)]
pub enum FeaturePresence {
    /// By measuring its squares.
    Squares,
    /// By the piece counts, as
    /// [`PackedPieceCounts::by_piece_code`](plyfold_board::irreversible::material::PackedPieceCounts::by_piece_code) has them.
    PieceCounts(fn(&ByPiece<u8>, Color) -> bool),
    /// By which sides have castled ([`Board::castled_wings`]), where the side has a king.
    Castled(u8),
}

/// How a feature is measured on eight boards at once.
#[derive(Clone, Copy, Debug)]
pub enum EightMeasure {
    /// The squares of a side.
    Squares(fn(&MeasuredEight, Color) -> EightSets),
    /// Squares of any kind, without which a board has none of the feature.
    Necessary(fn(&MeasuredEight, Color) -> EightSets),
}

impl BoardFeature {
    /// Measures the squares of a side on a board that nothing else is asked about.
    pub fn squares_on(&self, board: &Board, colour: Color) -> u64 {
        (self.squares)(&MeasuredBoard::new(board), colour)
    }

    /// The role, if the feature's squares are those of the side's pieces of one role.
    pub fn role(&self) -> Option<Role> {
        Role::ALL.into_iter().find(|role| pieces::ROLE_NAMES[*role as usize - 1] == self.name)
    }

    /// Whether its squares are those of the side's pieces, of one role or of any.
    pub fn is_of_pieces(&self) -> bool {
        self.role().is_some() || *self == pieces::ANY_PIECE
    }

    /// The changes after which the squares of `colour` must be measured again.
    pub const fn dependencies_for(&self, colour: Color) -> ChangeMask {
        match colour {
            Color::White => self.dependencies,
            Color::Black => colors_swapped(self.dependencies),
        }
    }
}

/// Every feature that a query can name.
///
/// A static: of a constant, each crate that names it would have the code of all features once more.
pub static FEATURES: &[&BoardFeature] = &[
    &pieces::PAWN,
    &pieces::KNIGHT,
    &pieces::BISHOP,
    &pieces::ROOK,
    &pieces::QUEEN,
    &pieces::KING,
    &pieces::ANY_PIECE,
    &doubled_pawn::FEATURE,
    &tripled_pawn::FEATURE,
    &isolated_pawn::FEATURE,
    &backward_pawn::FEATURE,
    &passed_pawn::FEATURE,
    &protected_passed_pawn::FEATURE,
    &connected_passed_pawn::FEATURE,
    &outside_passed_pawn::FEATURE,
    &connected_pawn::FEATURE,
    &pawn_chain::FEATURE,
    &pawn_island::FEATURE,
    &pawn_majority::FEATURE,
    &isolated_queens_pawn::QUEENS_PAWN,
    &isolated_queens_pawn::D_PAWN,
    &hanging_pawns::FEATURE,
    &blocked_pawn::FEATURE,
    &named_structures::CARLSBAD,
    &named_structures::MAROCZY_BIND,
    &named_structures::HEDGEHOG,
    &named_structures::STONEWALL,
    &named_structures::BENONI,
    &named_structures::KINGS_INDIAN_CHAIN,
    &named_structures::FRENCH_CHAIN,
    &named_structures::SCHEVENINGEN,
    &named_structures::NAJDORF,
    &named_structures::SLAV,
    &named_structures::CARO_KANN,
    &named_structures::GRUENFELD_CENTRE,
    &named_structures::RUY_LOPEZ_CHAIN,
    &open_file::OPEN,
    &open_file::HALF_OPEN,
    &locked_centre::FEATURE,
    &castled::EITHER_SIDE,
    &castled::SHORT,
    &castled::LONG,
    &opposite_castling::FEATURE,
    &king_in_centre::FEATURE,
    &bishop_pair::PAIR,
    &bishop_pair::TWO_BISHOPS,
    &opposite_bishops::OPPOSITE,
    &opposite_bishops::SAME,
    &queens_off::FEATURE,
    &rook_on_open_file::FEATURE,
    &rook_on_half_open_file::FEATURE,
    &rook_on_seventh::FEATURE,
    &doubled_rooks::FEATURE,
    &outpost::FEATURE,
    &fianchetto::FEATURE,
    &attacked::ATTACKED,
    &attacked::DEFENDED,
    &attacked::CONTROLLED,
    &attacked::CONTROLLED_TWICE,
    &empty_square::FEATURE,
    &attacked::HANGING,
    &pinned::FEATURE,
    &battery::FEATURE,
    &fork::FEATURE,
    &skewer::FEATURE,
    &check::FEATURE,
    &check::DOUBLE,
    &no_moves::CHECKMATE,
    &no_moves::STALEMATE,
    &to_move::FEATURE,
];

/// The declarations of a feature that declares nothing: it depends on the whole board.
const BASIS: BoardFeature = BoardFeature {
    name: "",
    aliases: &[],
    summary: "",
    has_sides: true,
    has_location: true,
    dependencies: ANY_CHANGE,
    needs: ReplayNeeds::BITBOARDS,
    scope: FeatureScope::Board,
    presence: FeaturePresence::Squares,
    implied_pieces: ImpliedPieces::Nothing,
    of_eight: None,
    is_for_eight: false,
    squares: |_, _| 0,
};

/// The declarations that most features of pawns share: the pawns of both sides near a square decide about it.
const PAWN_BASIS: BoardFeature = BoardFeature {
    dependencies: placement_changes([PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    scope: FeatureScope::Files { ranks: true },
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 1),
    ..BASIS
};

/// The same for features that depend on the side's own pawns alone.
const OWN_PAWN_BASIS: BoardFeature =
    BoardFeature { dependencies: placement_change(PieceCode::WHITE_PAWN), ..PAWN_BASIS };

/// The same changes with the colours swapped; bits that belong to no piece stay.
const fn colors_swapped(change: ChangeMask) -> ChangeMask {
    const NO_PIECE: ChangeMask = 0x8181_8181;
    let pieces = change & !NO_PIECE;
    (pieces & 0x00ff_00ff) << 8 | (pieces & 0xff00_ff00) >> 8 | change & NO_PIECE
}

/// The change bits of the squares of several pieces.
const fn placement_changes<const N: usize>(pieces: [PieceCode; N]) -> ChangeMask {
    let mut all = 0;
    let mut index = 0;
    while index < N {
        all |= placement_change(pieces[index]);
        index += 1;
    }
    all
}

/// Whether there are two squares or more.
const fn has_several(squares: u64) -> bool {
    squares & squares.wrapping_sub(1) != 0
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use plyfold_board::board::start::PackedStart;
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess, Square};

    use super::*;

    /// Feature, side, position and expected squares, readable by a chess player.
    const CASES: &[(&str, Color, &str, &str)] = &[
        ("doubled_pawn", Color::White, "4k3/8/2P5/8/2P5/8/P1P3P1/4K3 w - - 0 1", "c2 c4 c6"),
        ("doubled_pawn", Color::Black, "4k3/p7/p7/1p6/8/8/P7/4K3 w - - 0 1", "a6 a7"),
        ("isolated_pawn", Color::White, "4k3/8/8/8/3P4/8/P1P3P1/4K3 w - - 0 1", "a2 g2"),
        ("isolated_pawn", Color::Black, "4k3/p1pp3p/8/8/8/8/8/4K3 w - - 0 1", "a7 h7"),
        ("tripled_pawn", Color::White, "4k3/8/2P5/6P1/2P5/6P1/P1P5/4K3 w - - 0 1", "c2 c4 c6"),
        ("connected_passed_pawn", Color::White, "4k3/7p/8/PP4P1/8/3P4/4P3/4K3 w - - 0 1", "e2 d3 a5 b5"),
        ("connected_passed_pawn", Color::Black, "4k3/7p/8/8/3p1p2/8/P7/4K3 w - - 0 1", ""),
        ("outside_passed_pawn", Color::White, "4k3/6pp/8/P7/8/8/6PP/4K3 w - - 0 1", "a5"),
        ("outside_passed_pawn", Color::White, "4k3/5ppp/8/2P5/8/8/4P2P/4K3 w - - 0 1", ""),
        ("outside_passed_pawn", Color::Black, "4k3/pp5p/8/8/8/8/PP6/4K3 w - - 0 1", "h7"),
        ("doubled_rook", Color::White, "4k3/3R4/8/8/3R4/8/8/R2RK3 w - - 0 1", "d1 d4 d7"),
        ("doubled_rook", Color::White, "4k3/3R4/8/3p4/3R4/8/8/R3K3 w - - 0 1", ""),
        ("carlsbad", Color::White, "4k3/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/4K3 w - - 0 1", "e3 d4"),
        ("carlsbad", Color::Black, "4k3/pp3ppp/4p3/3p4/3P4/2P5/PP3PPP/4K3 w - - 0 1", "d5 e6"),
        ("carlsbad", Color::White, "4k3/pp3ppp/2p1p3/3p4/3P4/4P3/PP3PPP/4K3 w - - 0 1", ""),
        ("maroczy_bind", Color::White, "4k3/pp1ppp1p/6p1/8/2P1P3/8/PP3PPP/4K3 w - - 0 1", "c4 e4"),
        ("hedgehog", Color::Black, "4k3/5ppp/pp1pp3/8/2P1P3/8/PP3PPP/4K3 w - - 0 1", "a6 b6 d6 e6"),
        ("stonewall", Color::Black, "4k3/pp4pp/2p1p3/3p1p2/2PP4/6P1/PP2PP1P/4K3 w - - 0 1", "d5 f5 e6"),
        ("benoni_structure", Color::Black, "4k3/pp3p1p/3p2p1/2pP4/4P3/8/PP3PPP/4K3 w - - 0 1", "c5 d6"),
        ("kings_indian_chain", Color::Black, "4k3/ppp2p1p/3p2p1/3Pp3/2P1P3/8/PP3PPP/4K3 w - - 0 1", "e5 d6"),
        ("french_chain", Color::Black, "4k3/pp3ppp/4p3/2ppP3/3P4/2P5/PP3PPP/4K3 w - - 0 1", "d5 e6"),
        ("scheveningen_structure", Color::Black, "4k3/1p3ppp/p2pp3/8/4P3/8/PPP2PPP/4K3 w - - 0 1", "d6 e6"),
        ("najdorf_structure", Color::Black, "4k3/1p3ppp/p2p4/4p3/4P3/8/PPP2PPP/4K3 w - - 0 1", "e5 d6"),
        ("slav_structure", Color::Black, "4k3/pp3ppp/2p1p3/8/3P4/4P3/PP3PPP/4K3 w - - 0 1", "c6 e6"),
        ("caro_kann_structure", Color::Black, "4k3/pp3ppp/2p1p3/8/3P4/8/PPP2PPP/4K3 w - - 0 1", "c6 e6"),
        ("gruenfeld_centre", Color::White, "4k3/pp2pp1p/6p1/2p5/3PP3/2P5/P4PPP/4K3 w - - 0 1", "c3 d4 e4"),
        ("ruy_lopez_chain", Color::White, "4k3/2p2ppp/p2p4/1p1Pp3/4P3/2P4P/PP3PP1/4K3 w - - 0 1", "c3 e4 d5"),
        ("passed_pawn", Color::White, "4k3/2p5/8/P2P2P1/8/6p1/7p/4K3 w - - 0 1", "a5 g5"),
        ("passed_pawn", Color::Black, "4k3/2p5/8/P2P2P1/8/6p1/7p/4K3 w - - 0 1", "h2 g3"),
        ("rook_on_seventh", Color::White, "4k3/R6R/8/8/8/8/r7/4K3 w - - 0 1", "a7 h7"),
        ("rook_on_seventh", Color::Black, "4k3/R6R/8/8/8/8/r7/4K3 w - - 0 1", "a2"),
        ("rook_on_open_file", Color::White, "4k3/p7/8/8/8/8/1P6/RRR1K3 w - - 0 1", "c1"),
        ("bishop_pair", Color::White, "4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "c1 f1"),
        ("bishop_pair", Color::White, "2b1kb2/8/8/8/8/8/8/2B1KB2 w - - 0 1", ""),
        ("bishop_pair", Color::White, "2b1k3/5b2/8/8/8/8/8/2B1KB2 w - - 0 1", "c1 f1"),
        ("two_bishops", Color::White, "2b1kb2/8/8/8/8/8/8/2B1KB2 w - - 0 1", "c1 f1"),
        ("two_bishops", Color::White, "4k3/8/8/8/8/8/2B5/4KB2 w - - 0 1", ""),
        ("bishop_pair", Color::White, "4k3/8/8/8/8/8/2B5/4KB2 w - - 0 1", ""),
        ("check", Color::Black, "4k3/8/8/8/8/8/8/4RK2 b - - 0 1", "e8"),
        ("check", Color::White, "4k3/8/8/8/8/8/8/4RK2 b - - 0 1", ""),
        ("knight", Color::White, "4k3/8/8/3N4/8/8/8/1N2K3 b - - 0 1", "b1 d5"),
        ("piece", Color::Black, "4k3/p7/8/3N4/8/8/8/1N2K3 b - - 0 1", "a7 e8"),
        ("backward_pawn", Color::White, "4k3/8/8/2p2p2/2P5/1P1P3P/8/4K3 w - - 0 1", "b3 d3"),
        ("backward_pawn", Color::White, "4k3/8/8/2p5/4P3/3P4/8/4K3 w - - 0 1", "d3"),
        ("backward_pawn", Color::White, "4k3/8/1p6/8/P7/1P6/8/4K3 w - - 0 1", ""),
        ("backward_pawn", Color::White, "4k3/8/8/1p6/1P6/P7/8/4K3 w - - 0 1", "a3"),
        ("backward_pawn", Color::White, "4k3/8/7p/6p1/6P1/7P/8/4K3 w - - 0 1", "h3"),
        ("backward_pawn", Color::White, "4k3/8/8/6p1/6P1/7P/8/4K3 w - - 0 1", "h3"),
        ("backward_pawn", Color::Black, "4k3/8/p7/1p6/8/1P6/8/4K3 w - - 0 1", ""),
        ("backward_pawn", Color::Black, "4k3/8/3p4/4p3/2P5/8/8/4K3 w - - 0 1", "d6"),
        ("protected_passed_pawn", Color::White, "4k3/8/8/3P3P/4P1p1/8/8/4K3 w - - 0 1", "d5"),
        ("protected_passed_pawn", Color::Black, "4k3/p7/1p6/P7/8/5p2/6p1/4K3 w - - 0 1", "g2"),
        ("connected_pawn", Color::White, "4k3/8/8/7P/P6P/1P1P2P1/3PP3/4K3 w - - 0 1", "d2 e2 b3 d3 g3 a4 h4"),
        ("connected_pawn", Color::Black, "4k3/pp6/3p4/8/3p1p2/8/8/4K3 w - - 0 1", "a7 b7"),
        ("pawn_chain", Color::White, "4k3/8/8/4P3/3P4/P1P5/PP6/4K3 w - - 0 1", "b2 a3 c3 d4 e5"),
        ("pawn_chain", Color::Black, "4k3/pp6/8/8/7p/8/8/4K3 w - - 0 1", ""),
        ("pawn_chain", Color::Black, "4k3/7p/6p1/8/8/8/p7/4K3 w - - 0 1", "g6 h7"),
        ("pawn_island", Color::White, "4k3/8/8/8/P3P3/P2P2P1/1P5P/4K3 w - - 0 1", "a3 d3 g3"),
        ("pawn_island", Color::Black, "4k3/p1p1p1p1/2p5/8/8/8/8/4K3 w - - 0 1", "a7 c7 e7 g7"),
        ("pawn_majority", Color::White, "4k3/pp3ppp/8/8/8/8/PPP3PP/4K3 w - - 0 1", "a2 b2 c2"),
        ("pawn_majority", Color::Black, "4k3/pp3ppp/8/8/8/8/PPP3PP/4K3 w - - 0 1", "f7 g7 h7"),
        ("pawn_majority", Color::White, "4k3/pp3ppp/8/8/3P4/8/P4PPP/4K3 w - - 0 1", ""),
        ("isolated_queens_pawn", Color::White, "4k3/8/4p3/8/3P4/8/PP3PPP/4K3 w - - 0 1", "d4"),
        ("isolated_queens_pawn", Color::White, "4k3/8/4p3/8/8/3P4/PP3PPP/4K3 w - - 0 1", ""),
        ("isolated_d_pawn", Color::White, "4k3/8/4p3/8/8/3P4/PP3PPP/4K3 w - - 0 1", "d3"),
        ("isolated_queens_pawn", Color::White, "4k3/8/4p3/8/3P4/3P4/PP3PPP/4K3 w - - 0 1", ""),
        ("isolated_queens_pawn", Color::White, "4k3/8/4p3/8/3P4/8/PPP2PPP/4K3 w - - 0 1", ""),
        ("isolated_queens_pawn", Color::White, "4k3/8/8/8/2P5/8/PP3PPP/4K3 w - - 0 1", ""),
        ("isolated_queens_pawn", Color::Black, "4k3/pp3ppp/8/3p4/8/4P3/8/4K3 w - - 0 1", "d5"),
        ("hanging_pawns", Color::White, "4k3/8/4p3/8/2PP4/8/P4PPP/4K3 w - - 0 1", "c4 d4"),
        ("hanging_pawns", Color::White, "4k3/2p5/4p3/8/2PP4/8/P4PPP/4K3 w - - 0 1", ""),
        ("hanging_pawns", Color::White, "4k3/8/4p3/8/2PP4/8/PP3PPP/4K3 w - - 0 1", ""),
        ("hanging_pawns", Color::White, "4k3/8/4p3/8/2PP4/3P4/P4PPP/4K3 w - - 0 1", ""),
        ("hanging_pawns", Color::Black, "4k3/p4ppp/8/2pp4/8/4P3/8/4K3 w - - 0 1", "c5 d5"),
        ("blocked_pawn", Color::White, "4k3/8/8/p3p3/P2NP3/3P4/8/4K3 w - - 0 1", "a4 e4"),
        ("blocked_pawn", Color::Black, "4k3/8/8/p3p3/P2NP3/3P4/8/4K3 w - - 0 1", "a5 e5"),
        ("open_file", Color::White, "4k3/pp2p1p1/8/8/8/8/2PP1P2/4K3 w - - 0 1", "h1 h2 h3 h4 h5 h6 h7 h8"),
        ("half_open_file", Color::White, "4k3/p7/8/8/8/8/8/4K3 w - - 0 1", "a1 a2 a3 a4 a5 a6 a7 a8"),
        ("half_open_file", Color::Black, "4k3/p7/8/8/8/8/P6P/4K3 w - - 0 1", "h1 h2 h3 h4 h5 h6 h7 h8"),
        ("locked_centre", Color::White, "4k3/8/3p4/3Pp3/4P3/8/8/4K3 w - - 0 1", "e4 d5 e5 d6"),
        ("locked_centre", Color::White, "4k3/3p4/3P4/4p3/4P3/8/8/4K3 w - - 0 1", ""),
        ("locked_centre", Color::White, "4k3/8/8/3pp3/4P3/3P4/8/4K3 w - - 0 1", ""),
        ("king_in_centre", Color::White, "8/3k4/8/8/8/8/8/4K3 w - - 0 1", "e1"),
        ("king_in_centre", Color::Black, "8/3k4/8/8/8/8/8/4K3 w - - 0 1", "d7"),
        ("king_in_centre", Color::White, "8/8/3k4/8/8/4K3/8/8 w - - 0 1", ""),
        ("outpost", Color::White, "4k3/p4p2/8/1N1N4/P1P1P3/8/8/4K3 w - - 0 1", "d5"),
        ("outpost", Color::White, "6k1/p7/8/1B1N1N2/P1P1P3/6N1/8/4K3 w - - 0 1", "d5 f5"),
        ("outpost", Color::Black, "4k3/8/8/2pn4/3n3P/1n4n1/8/4K3 w - - 0 1", "d4"),
        ("outpost", Color::White, "4k3/8/8/8/8/2N3p1/1P5P/4K3 w - - 0 1", ""),
        ("fianchetto", Color::White, "4k3/8/8/8/1P6/6P1/1B4B1/4K3 w - - 0 1", "b2 g2"),
        ("fianchetto", Color::White, "4k3/8/8/1P6/8/6p1/1B4B1/4K3 w - - 0 1", ""),
        ("fianchetto", Color::Black, "4k3/1b4b1/1p6/6p1/8/8/8/4K3 w - - 0 1", "b7 g7"),
        ("rook_on_half_open_file", Color::White, "4k3/p7/8/8/8/8/1P6/RRR1K3 w - - 0 1", "a1"),
        ("rook_on_half_open_file", Color::Black, "r3k2r/p7/8/8/8/8/7P/4K3 w - - 0 1", "h8"),
        ("double_check", Color::Black, "4k3/8/5N2/8/8/8/8/4RK2 b - - 0 1", "e8"),
        ("double_check", Color::Black, "4k3/8/8/8/8/8/8/4RK2 b - - 0 1", ""),
        ("checkmate", Color::Black, "4R1k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "g8"),
        ("checkmate", Color::Black, "4R1k1/5pp1/8/8/8/8/8/4K3 b - - 0 1", ""),
        ("checkmate", Color::White, "4k3/8/8/8/8/8/5PPP/r5K1 w - - 0 1", "g1"),
        ("checkmate", Color::White, "4k3/8/8/8/8/8/3N1PPP/r5K1 w - - 0 1", ""),
        ("stalemate", Color::Black, "7k/5Q2/8/8/8/8/8/4K3 b - - 0 1", "h8"),
        ("stalemate", Color::Black, "7k/5Q2/8/8/p7/8/8/4K3 b - - 0 1", ""),
        ("stalemate", Color::White, "7k/5Q2/8/8/8/8/8/4K3 b - - 0 1", ""),
        ("stalemate", Color::White, "k7/8/8/8/8/6q1/5r2/7K w - - 0 1", "h1"),
        ("stalemate", Color::White, "k7/8/8/8/8/1q6/3r1N2/K7 w - - 0 1", ""),
        ("pinned", Color::White, "4r1k1/8/8/8/1b6/8/3NR3/4K3 w - - 0 1", "d2 e2"),
        ("pinned", Color::White, "4r1k1/8/8/4P3/1r6/8/3NR3/4K3 w - - 0 1", ""),
        ("pinned", Color::Black, "3rk2R/3p4/8/1B6/8/8/8/4K3 b - - 0 1", "d7"),
        ("battery", Color::White, "6k1/8/8/8/4R3/8/8/B3QK2 w - - 0 1", "e1 e4"),
        ("battery", Color::White, "6k1/8/8/8/3Q4/4R3/1B6/5K2 w - - 0 1", "b2 d4"),
        ("battery", Color::Black, "r2r2k1/8/8/8/8/8/8/5K2 w - - 0 1", "a8 d8"),
        ("battery", Color::Black, "r1nr2k1/8/8/8/8/8/8/5K2 w - - 0 1", ""),
        ("attacked", Color::White, "4k3/8/8/3p4/4P3/2N5/8/4K3 w - - 0 1", "e4"),
        ("attacked", Color::Black, "4k3/8/8/3p4/4P3/2N5/8/4K3 w - - 0 1", "d5"),
        ("defended", Color::White, "4k3/8/8/3p4/4P3/2N5/8/4K3 w - - 0 1", "e4"),
        ("defended", Color::Black, "4k3/4p3/8/8/3b4/r7/8/r3K3 w - - 0 1", "a1 a3 e7"),
        ("controlled_square", Color::White, "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "d1 f1 d2 e2 f2 b3"),
        ("controlled_twice", Color::White, "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "d1 e1 f1"),
        ("controlled_twice", Color::Black, "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", ""),
        ("hanging_piece", Color::White, "6k1/8/8/r2N3B/8/8/3R4/4K3 w - - 0 1", ""),
        ("hanging_piece", Color::White, "6k1/8/8/r2N3B/8/8/4R3/4K3 w - - 0 1", "d5"),
        ("hanging_piece", Color::Black, "4k3/8/8/3P4/4r1q1/8/4R3/4K3 w - - 0 1", ""),
        ("hanging_piece", Color::Black, "4k3/8/8/3P4/4r3/8/4R3/4K3 w - - 0 1", "e4"),
        ("fork", Color::White, "r3k3/2N5/8/8/8/8/8/4K3 b - - 0 1", "c7"),
        ("fork", Color::White, "4k3/8/8/1r3n2/2N1P3/8/8/4K3 b - - 0 1", ""),
        ("fork", Color::White, "4k3/8/8/1r3n2/P1P1P3/8/8/4K3 b - - 0 1", ""),
        ("fork", Color::White, "4k3/8/8/1r1n4/2P5/8/8/4K3 b - - 0 1", "c4"),
        ("fork", Color::Black, "4k3/8/8/8/4n3/8/3R1R2/6K1 w - - 0 1", "e4"),
        ("fork", Color::White, "4k3/1p6/8/1n2Q2b/8/8/8/5K2 b - - 0 1", "e5"),
        ("fork", Color::White, "8/1p2k3/2p3p1/1n2Q2b/8/8/8/5K2 b - - 0 1", ""),
        ("fork", Color::White, "8/4k3/8/8/8/2n1b3/3K4/8 w - - 0 1", "d2"),
        ("skewer", Color::White, "4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1", ""),
        ("skewer", Color::White, "3rk3/8/8/3q4/8/8/8/3RK3 w - - 0 1", "d1"),
        ("skewer", Color::White, "3qk3/8/8/3r4/8/8/8/3RK3 w - - 0 1", ""),
        ("skewer", Color::White, "3r4/8/8/3k4/8/8/8/3RK3 b - - 0 1", "d1"),
        ("skewer", Color::White, "8/3p4/8/3k4/8/8/8/3RK3 b - - 0 1", ""),
        ("skewer", Color::White, "4k3/8/5r2/8/3r4/8/1B6/4K3 w - - 0 1", "b2"),
        ("skewer", Color::White, "4k3/8/5n2/8/3n4/8/1B6/4K3 w - - 0 1", "b2"),
        ("skewer", Color::White, "4k3/8/4pn2/2p5/3n4/8/1B6/4K3 w - - 0 1", ""),
        ("skewer", Color::White, "4k3/8/5r2/4p3/3r4/8/1B6/4K3 w - - 0 1", ""),
        ("skewer", Color::Black, "4k2q/8/8/4K3/8/2R5/8/8 w - - 0 1", "h8"),
        ("to_move", Color::White, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1"),
        ("to_move", Color::Black, "4k3/8/8/8/8/8/8/4K3 w - - 0 1", ""),
        // Features without a location have all squares or none.
        ("queens_off", Color::White, "4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "all"),
        ("queens_off", Color::White, "3qk3/8/8/8/8/8/8/4KB2 w - - 0 1", ""),
        ("opposite_coloured_bishops", Color::White, "2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", "all"),
        ("opposite_coloured_bishops", Color::White, "4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", ""),
        ("opposite_coloured_bishops", Color::White, "2b1kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", ""),
        ("opposite_castling", Color::White, "2kr4/8/8/8/8/8/8/5RK1 w - - 0 1", ""),
    ];

    fn board(fen: &str) -> Board {
        let position: Chess = fen.parse::<Fen>().expect(fen).into_position(CastlingMode::Standard).expect(fen);
        Board::from_start(&PackedStart::from_position(&position))
    }

    #[test]
    fn features_measure_what_a_player_sees() {
        let mut wrong = Vec::new();
        for &(name, colour, fen, expected) in CASES {
            let feature = FEATURES.iter().find(|feature| feature.name == name).expect(name);
            let found = feature.squares_on(&board(fen), colour);
            let squares: Vec<_> = Square::ALL
                .iter()
                .filter(|&&square| found >> square as u32 & 1 != 0)
                .map(|square| alloc::format!("{square}"))
                .collect();
            let squares = if found == u64::MAX { "all".into() } else { squares.join(" ") };
            assert!(feature.has_location || !feature.has_sides && (found == 0 || found == u64::MAX), "{name}");
            if squares != expected {
                wrong.push(alloc::format!("{name} of {colour} in {fen}: {squares}, not {expected}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
