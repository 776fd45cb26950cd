//! Pieces of a kind (`knight on e5`, `count(white rook)`), and pieces by the squares on which they stand.

use plyfold_board::board::attacks::pawn_attacks;
use plyfold_board::board::{PieceCode, count_change, placement_change};
use plyfold_board::irreversible::material::dark_bishops;
use shakmaty::{Bitboard, Color, Rank, Role};

use super::{
    BoardFeature, FEATURE, FeaturePresence, FeatureScope, ImpliedPieces, adjacent_files, front_span, one_step_ahead,
    pawns, placement_changes,
};
use crate::scan::replay_needs::ReplayNeeds;

/// The names of the roles in queries, pawn to king.
pub const ROLE_NAMES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

macro_rules! role_feature {
    ($feature:ident, $role:ident, $name:literal, $needs:ident) => {
        #[doc = concat!("Squares of the side's pieces of role ", $name, ".")]
        pub(super) const $feature: BoardFeature = BoardFeature {
            name: $name,
            summary: concat!("a ", $name),
            dependencies: placement_change(PieceCode::new(Color::White, Role::$role)),
            needs: ReplayNeeds::$needs,
            scope: FeatureScope::Square([u64::MAX; 2]),
            presence: FeaturePresence::PieceCounts(|number, colour| number[PieceCode::new(colour, Role::$role)] > 0),
            implied_pieces: ImpliedPieces::AtLeast(Role::$role, 1),
            squares: |board, colour| board.pieces(colour, Role::$role),
            ..FEATURE
        };
    };
}

role_feature!(PAWN, Pawn, "pawn", PAWN_BITBOARDS);
role_feature!(KNIGHT, Knight, "knight", BITBOARDS);
role_feature!(BISHOP, Bishop, "bishop", BITBOARDS);
role_feature!(ROOK, Rook, "rook", BITBOARDS);
role_feature!(QUEEN, Queen, "queen", BITBOARDS);
role_feature!(KING, King, "king", BITBOARDS);

/// The squares of all the side's pieces.
pub const ANY_PIECE: BoardFeature = BoardFeature {
    name: "piece",
    aliases: &["pieces", "man", "men"],
    summary: "a piece of any kind, pawns and kings included",
    dependencies: placement_changes([
        PieceCode::WHITE_PAWN,
        PieceCode::WHITE_KNIGHT,
        PieceCode::WHITE_BISHOP,
        PieceCode::WHITE_ROOK,
        PieceCode::WHITE_QUEEN,
        PieceCode::WHITE_KING,
    ]),
    scope: FeatureScope::Square([u64::MAX; 2]),
    presence: FeaturePresence::PieceCounts(|number, colour| {
        Role::ALL.into_iter().any(|role| number[PieceCode::new(colour, role)] > 0)
    }),
    squares: |board, colour: Color| board.occupied_by(colour),
    ..FEATURE
};

/// Every square on which no piece of either side stands.
pub(super) const EMPTY_SQUARE: BoardFeature = BoardFeature {
    name: "empty_square",
    aliases: &["empty_squares"],
    summary: "no side: a square without a piece",
    has_sides: false,
    squares: |board, _| !board.occupied(),
    ..FEATURE
};

/// The side's bishops if at least one stands on a light and one on a dark square; else none.
pub(super) const BISHOP_PAIR: BoardFeature = BoardFeature {
    name: "bishop_pair",
    aliases: &["two_bishops"],
    summary: "bishops on both light and dark squares",
    dependencies: placement_change(PieceCode::WHITE_BISHOP),
    presence: FeaturePresence::PieceCounts(|number, colour| {
        let (all, dark) = (number[PieceCode::new(colour, Role::Bishop)], number[dark_bishops(colour)]);
        dark > 0 && all > dark
    }),
    implied_pieces: ImpliedPieces::AtLeast(Role::Bishop, 2),
    squares: |board, colour| {
        let bishops = board.pieces(colour, Role::Bishop);
        let both = bishops & Bitboard::LIGHT_SQUARES.0 != 0 && bishops & Bitboard::DARK_SQUARES.0 != 0;
        if both { bishops } else { 0 }
    },
    ..FEATURE
};

/// Every square if each side has exactly one bishop and the two stand on squares of opposite colours; else none. The feature has
/// no side and no location.
pub(super) const OPPOSITE_BISHOPS: BoardFeature = BoardFeature {
    name: "opposite_coloured_bishops",
    aliases: &["opposite_colored_bishops", "opposite_bishops"],
    summary: "each side has exactly one bishop, on squares of opposite colours",
    has_sides: false,
    has_location: false,
    dependencies: placement_changes([PieceCode::WHITE_BISHOP, PieceCode::BLACK_BISHOP]),
    presence: FeaturePresence::PieceCounts(|number, _| {
        number[PieceCode::WHITE_BISHOP] == 1
            && number[PieceCode::BLACK_BISHOP] == 1
            && number[dark_bishops(Color::White)] + number[dark_bishops(Color::Black)] == 1
    }),
    implied_pieces: ImpliedPieces::AtLeast(Role::Bishop, 1),
    squares: |board, _| {
        let bishops = [Color::White, Color::Black].map(|colour| board.pieces(colour, Role::Bishop));
        let both = bishops[0] | bishops[1];
        let one_each = bishops.iter().all(|bishops| bishops.is_power_of_two());
        let opposite = both & Bitboard::LIGHT_SQUARES.0 != 0 && both & Bitboard::DARK_SQUARES.0 != 0;
        if one_each && opposite { u64::MAX } else { 0 }
    },
    ..FEATURE
};

/// Every square if there is no queen on the board; else none. The feature belongs to neither side.
pub(super) const QUEENS_OFF: BoardFeature = BoardFeature {
    name: "queens_off",
    aliases: &["queenless"],
    summary: "no queens on the board",
    has_sides: false,
    has_location: false,
    dependencies: count_change(PieceCode::WHITE_QUEEN) | count_change(PieceCode::BLACK_QUEEN),
    presence: FeaturePresence::PieceCounts(|number, _| {
        number[PieceCode::WHITE_QUEEN] | number[PieceCode::BLACK_QUEEN] == 0
    }),
    implied_pieces: ImpliedPieces::Absent(Role::Queen),
    squares: |board, _| {
        let queens = board.pieces(Color::White, Role::Queen) | board.pieces(Color::Black, Role::Queen);
        if queens == 0 { u64::MAX } else { 0 }
    },
    ..FEATURE
};

/// The side's rooks on files without any pawn.
pub(super) const ROOK_ON_OPEN_FILE: BoardFeature = BoardFeature {
    name: "rook_on_open_file",
    aliases: &["rook_on_an_open_file"],
    summary: "a rook on a file without pawns",
    dependencies: placement_changes([PieceCode::WHITE_ROOK, PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    implied_pieces: ImpliedPieces::AtLeast(Role::Rook, 1),
    squares: |board, colour| board.pieces(colour, Role::Rook) & (pawns::OPEN_FILE.squares)(board, colour),
    ..FEATURE
};

/// The side's rooks on files where the other side has pawns and this side has none.
pub(super) const ROOK_ON_HALF_OPEN_FILE: BoardFeature = BoardFeature {
    name: "rook_on_half_open_file",
    aliases: &["rook_on_semi_open_file"],
    summary: "a rook on a file with enemy pawns and none of its side",
    squares: |board, colour| board.pieces(colour, Role::Rook) & (pawns::HALF_OPEN_FILE.squares)(board, colour),
    ..ROOK_ON_OPEN_FILE
};

/// The side's rooks on its seventh rank (Black's is the second).
pub(super) const ROOK_ON_SEVENTH: BoardFeature = BoardFeature {
    name: "rook_on_seventh",
    aliases: &["rook_on_the_seventh", "rook_on_seventh_rank", "rook_on_the_seventh_rank"],
    summary: "a rook on its side's seventh rank",
    dependencies: placement_change(PieceCode::WHITE_ROOK),
    scope: FeatureScope::Square([0xff << 48, 0xff << 8]),
    implied_pieces: ImpliedPieces::AtLeast(Role::Rook, 1),
    squares: |board, colour| {
        let seventh = match colour {
            Color::White => Rank::Seventh,
            Color::Black => Rank::Second,
        };
        board.pieces(colour, Role::Rook) & 0xff << (seventh as u32 * 8)
    },
    ..FEATURE
};

/// Ranks 4 to 6 as White sees them, and as Black sees them.
const RANKS: [u64; 2] = [0xff_ffff << 24, 0xff_ffff << 16];

/// The side's knights and bishops on its ranks 4 to 6 that a pawn of the side defends and no enemy pawn can attack. An enemy pawn
/// on a neighbouring file ahead can attack by advancing, even if its file is blocked.
///
/// `minors & ranks & pawn_attacks(pawns) & !in_front(beside(enemy pawns))`, where in front is the enemy's direction.
pub(super) const OUTPOST: BoardFeature = BoardFeature {
    name: "outpost",
    aliases: &["outposts"],
    summary: "a knight or bishop on ranks 4 to 6, defended by a pawn, that no enemy pawn can ever attack on its file",
    dependencies: placement_changes([
        PieceCode::WHITE_PAWN,
        PieceCode::BLACK_PAWN,
        PieceCode::WHITE_KNIGHT,
        PieceCode::WHITE_BISHOP,
    ]),
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 1),
    squares: |board, colour| {
        let minors = board.pieces(colour, Role::Knight) | board.pieces(colour, Role::Bishop);
        let held = minors
            & RANKS[usize::from(colour == Color::Black)]
            & pawn_attacks(board.pieces(colour, Role::Pawn), colour);
        held & !front_span(adjacent_files(board.pieces(!colour, Role::Pawn)), !colour)
    },
    ..FEATURE
};

/// b2 and g2, and b7 and g7.
const FIANCHETTO_SQUARES: [u64; 2] = [0x42 << 8, 0x42 << 48];

/// The side's bishops on b2 and g2 (Black's on b7 and g7) with a pawn of the side one or two squares ahead on the file, which made
/// way for the bishop.
pub(super) const FIANCHETTO: BoardFeature = BoardFeature {
    name: "fianchetto",
    aliases: &["fianchettoed_bishop", "fianchettos"],
    summary: "a bishop on b2 or g2 (b7, g7) with a pawn of its side one or two squares ahead of it",
    dependencies: placement_changes([PieceCode::WHITE_PAWN, PieceCode::WHITE_BISHOP]),
    implied_pieces: ImpliedPieces::AtLeast(Role::Bishop, 1),
    squares: |board, colour| {
        let behind = one_step_ahead(board.pieces(colour, Role::Pawn), !colour);
        let bishops = board.pieces(colour, Role::Bishop) & FIANCHETTO_SQUARES[usize::from(colour == Color::Black)];
        bishops & (behind | one_step_ahead(behind, !colour))
    },
    ..FEATURE
};
