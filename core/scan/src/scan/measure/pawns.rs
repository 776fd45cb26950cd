//! Pawns by their place among the pawns of both sides: doubled, isolated, passed, chains, islands, majorities and structures.

use plyfold_board::board::PieceCode;
use plyfold_board::board::attacks::pawn_attacks;
use plyfold_board::board::make::{FILE_A, FILE_H};
use plyfold_board::board::placement_change;
use shakmaty::{Color, Role};

use super::{
    BoardFeature, FEATURE, FeatureScope, ImpliedPieces, adjacent_files, file_fill, front_span, one_step_ahead,
    placement_changes,
};
use crate::scan::replay_needs::ReplayNeeds;

/// What most features of pawns have in common: the pawns of both sides near a square decide about it.
const PAWNS: BoardFeature = BoardFeature {
    dependencies: placement_changes([PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN]),
    needs: ReplayNeeds::PAWN_BITBOARDS,
    scope: FeatureScope::Files { ranks: true },
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 1),
    ..FEATURE
};

/// The same for features that depend on the side's own pawns alone.
const OWN_PAWNS: BoardFeature = BoardFeature { dependencies: placement_change(PieceCode::WHITE_PAWN), ..PAWNS };

/// Every pawn of the side that shares its file with another (tripled pawns included).
pub(super) const DOUBLED: BoardFeature = BoardFeature {
    name: "doubled_pawn",
    aliases: &["doubled_pawns"],
    summary: "two pawns of a side on one file",
    scope: FeatureScope::Files { ranks: false },
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & (front_span(pawns, Color::White) | front_span(pawns, Color::Black))
    },
    ..OWN_PAWNS
};

/// Every pawn of the side without a pawn of the side on the files beside it.
pub(super) const ISOLATED: BoardFeature = BoardFeature {
    name: "isolated_pawn",
    aliases: &["isolated_pawns"],
    summary: "a pawn without a pawn of its side on the files beside it",
    scope: FeatureScope::Files { ranks: false },
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & !adjacent_files(file_fill(pawns))
    },
    ..OWN_PAWNS
};

/// Every pawn of the side that no neighbouring pawn supports and whose next square an enemy pawn attacks. No pawn of its side
/// stands level with it or behind it on a neighbouring file. The next square may be occupied, and an isolated pawn can be
/// backward too.
///
/// `pawns & behind(attacked & !covered)`, where `covered` is every square ahead of a pawn of the side on a neighbouring file.
pub(super) const BACKWARD: BoardFeature = BoardFeature {
    name: "backward_pawn",
    aliases: &["backward_pawns"],
    summary: "a pawn with no pawn of its side level or behind on the files beside it; an enemy pawn attacks the square ahead",
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        let covered = front_span(adjacent_files(pawns), colour);
        let attacked = pawn_attacks(board.pieces(!colour, Role::Pawn), !colour);
        pawns & one_step_ahead(attacked & !covered, !colour)
    },
    ..PAWNS
};

/// Every pawn of the side with no enemy pawn ahead on its file or a neighbouring file. A pawn behind another of its own side
/// counts too.
pub(super) const PASSED: BoardFeature = BoardFeature {
    name: "passed_pawn",
    aliases: &["passed_pawns", "passer"],
    summary: "a pawn with no enemy pawn ahead on its file or the files beside it",
    squares: |board, colour| {
        let stoppers = board.pieces(!colour, Role::Pawn);
        let stopped = front_span(stoppers | adjacent_files(stoppers), !colour);
        board.pieces(colour, Role::Pawn) & !stopped
    },
    ..PAWNS
};

/// Every passed pawn of the side that a pawn of its side defends: `passed & pawn_attacks(pawns)`.
pub(super) const PROTECTED_PASSED: BoardFeature = BoardFeature {
    name: "protected_passed_pawn",
    aliases: &["protected_passed_pawns", "protected_passer"],
    summary: "a passed pawn that a pawn of its side defends",
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| (PASSED.squares)(board, colour) & pawn_attacks(board.pieces(colour, Role::Pawn), colour),
    ..PAWNS
};

/// Every pawn of the side with another pawn of the side on a neighbouring file, at most one rank away:
/// `pawns & (beside(pawns) | diagonal neighbours of pawns)`.
pub(super) const CONNECTED: BoardFeature = BoardFeature {
    name: "connected_pawn",
    aliases: &["connected_pawns"],
    summary: "a pawn that stands beside, defends or is defended by a pawn of its side",
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & (adjacent_files(pawns) | pawn_attacks(pawns, Color::White) | pawn_attacks(pawns, Color::Black))
    },
    ..OWN_PAWNS
};

/// Every pawn of the side that defends a pawn of its side or is defended by one: `pawns & diagonal neighbours of pawns`.
pub(super) const CHAIN: BoardFeature = BoardFeature {
    name: "pawn_chain",
    aliases: &["pawn_chains"],
    summary: "a pawn that defends or is defended by a pawn of its side",
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & (pawn_attacks(pawns, Color::White) | pawn_attacks(pawns, Color::Black))
    },
    ..OWN_PAWNS
};

/// One pawn of each island, the rearmost on the file nearest to the a-file, so that counting these pawns counts the islands. An
/// island is a group of the side's pawns on neighbouring files, separated from others by files without its pawns.
///
/// The pawns without those ahead of another pawn of the side and those with a pawn of the side on the file to the left.
pub(super) const ISLAND: BoardFeature = BoardFeature {
    name: "pawn_island",
    aliases: &["pawn_islands"],
    summary: "one pawn for each group on neighbouring files: the rearmost on its leftmost file",
    scope: FeatureScope::Files { ranks: false },
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn);
        pawns & !front_span(pawns, colour) & !((file_fill(pawns) & !FILE_H) << 1)
    },
    ..OWN_PAWNS
};

/// Files a to d, and e to h.
const WINGS: [u64; 2] = [FILE_A * 0x0f, FILE_A * 0xf0];

/// The side's pawns on a wing (files a–d, files e–h) on which it has more of them than the other side.
pub(super) const MAJORITY: BoardFeature = BoardFeature {
    name: "pawn_majority",
    aliases: &["pawn_majorities"],
    summary: "pawns on a wing, a–d or e–h, where the side has more of them than the other",
    scope: FeatureScope::Board,
    squares: |board, colour| {
        let (own, other) = (board.pieces(colour, Role::Pawn), board.pieces(!colour, Role::Pawn));
        let more = |wing: &&u64| (own & **wing).count_ones() > (other & **wing).count_ones();
        own & WINGS.iter().filter(more).sum::<u64>()
    },
    ..PAWNS
};

/// The side's only pawn on the d-file if the side has none on the c- and e-files; else none.
pub(super) const ISOLATED_QUEENS: BoardFeature = BoardFeature {
    name: "isolated_queens_pawn",
    aliases: &["iqp", "isolated_queen_pawn"],
    summary: "the side's only pawn on the d-file; the side has none on the c- and e-files",
    scope: FeatureScope::Files { ranks: false },
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn) & (FILE_A * 0b1_1100);
        // At most one bit, on the d-file.
        if pawns & (FILE_A * 0b1_0100) == 0 && pawns & pawns.wrapping_sub(1) == 0 { pawns } else { 0 }
    },
    ..OWN_PAWNS
};

/// The side's pawns on the c- and d-files if they are hanging pawns; else none. The side has exactly one pawn on each of these
/// files and none on the b- and e-files, and the other side has none on the c- and d-files. So no other pawn can defend them, and
/// each is on a half-open file.
pub(super) const HANGING: BoardFeature = BoardFeature {
    name: "hanging_pawns",
    aliases: &["hanging_pawn"],
    summary: "one pawn each on the c- and d-files, none on b and e; no enemy pawn on c and d",
    scope: FeatureScope::Board,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, colour| {
        let pawns = board.pieces(colour, Role::Pawn) & (FILE_A * 0b1_1110);
        let only = |file: u64| pawns & file != 0 && pawns & file & (pawns & file).wrapping_sub(1) == 0;
        let facing = board.pieces(!colour, Role::Pawn) & (FILE_A * 0b1100);
        let hanging = facing | pawns & (FILE_A * 0b1_0010) == 0 && only(FILE_A << 2) && only(FILE_A << 3);
        if hanging { pawns } else { 0 }
    },
    ..PAWNS
};

/// Every pawn of the side with an enemy pawn on the next square of its file. This is `pawns & ahead(enemy pawns)`, where ahead is
/// the enemy's direction.
pub(super) const BLOCKED: BoardFeature = BoardFeature {
    name: "blocked_pawn",
    aliases: &["blocked_pawns"],
    summary: "a pawn with an enemy pawn straight ahead",
    squares: |board, colour| {
        board.pieces(colour, Role::Pawn) & one_step_ahead(board.pieces(!colour, Role::Pawn), !colour)
    },
    ..PAWNS
};

/// The pawns that face each other on the d- and e-files, if the centre is locked; else none. Both files have a white pawn
/// directly below a black one, on ranks 3 to 6. The feature belongs to neither side.
pub(super) const LOCKED_CENTRE: BoardFeature = BoardFeature {
    name: "locked_centre",
    aliases: &["locked_center"],
    summary: "a white pawn directly below a black one on both the d- and e-files, on ranks 3 to 6",
    has_sides: false,
    implied_pieces: ImpliedPieces::AtLeast(Role::Pawn, 2),
    squares: |board, _| {
        const RANKS_3_TO_5: u64 = 0xff_ffff << 16;
        let white = board.pieces(Color::White, Role::Pawn) & board.pieces(Color::Black, Role::Pawn) >> 8 & RANKS_3_TO_5;
        let (on_d, on_e) = (white & FILE_A << 3, white & FILE_A << 4);
        let both = if on_d != 0 && on_e != 0 { on_d | on_e } else { 0 };
        both | both << 8
    },
    ..PAWNS
};

/// Every square of the files without any pawn: `!files_of(pawns)`. The feature belongs to neither side.
pub(super) const OPEN_FILE: BoardFeature = BoardFeature {
    name: "open_file",
    aliases: &["open_files"],
    summary: "a file without pawns; all its squares",
    has_sides: false,
    // PERF: ranks do not matter, but the pawn counts of both sides on all files have too many combinations to cache.
    scope: FeatureScope::Files { ranks: true },
    implied_pieces: ImpliedPieces::Nothing,
    squares: |board, _| !file_fill(board.pieces(Color::White, Role::Pawn) | board.pieces(Color::Black, Role::Pawn)),
    ..PAWNS
};

/// Every square of the files on which the other side has pawns and this side has none:
/// `files_of(enemy pawns) & !files_of(pawns)`.
pub(super) const HALF_OPEN_FILE: BoardFeature = BoardFeature {
    name: "half_open_file",
    aliases: &["half_open_files", "semi_open_file", "semi_open_files"],
    summary: "a file with enemy pawns and none of the side's; all its squares",
    has_sides: true,
    squares: |board, colour| {
        file_fill(board.pieces(!colour, Role::Pawn)) & !file_fill(board.pieces(colour, Role::Pawn))
    },
    ..OPEN_FILE
};
