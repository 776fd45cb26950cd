//! Puts into words what a query has none for: the parts of a position, what conditions imply, and where predicates are tested.

use plyfold_core::board::{
    ANY_CHANGE, ByPiece, CASTLING_CHANGE, ColorCode, NO_SQUARE, PieceCode, count_change, placement_change,
};
use plyfold_core::matsig::target::MaterialBounds;
use plyfold_core::query::region;
use plyfold_core::scan::plan::{AccessPath, PlannedPredicate};
use plyfold_core::scan::predicate::{AnnotationTest, PawnPattern, PositionPredicate};
use plyfold_core::scan::replay_needs::ReplayNeeds;
use shakmaty::{Color, Role};

use crate::diagram::squares;

/// Squares on which a pawn can stand.
pub(super) const PAWN_SQUARES: u64 = 0x00ff_ffff_ffff_ff00;
/// Names of pieces other than kings, in the order of their codes, from 1.
pub(super) const PIECE_NAMES: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];
/// Where the codes of a side begin: White's at 0, Black's at 8.
pub(super) const SIDES: [&str; 2] = ["White", "Black"];

/// Describes a predicate that has no words in the language, because it is a part of what a position or a pattern asks. None of any other:
/// the query has words for it.
pub(super) fn describe_part_of_position(predicate: &PositionPredicate) -> Option<String> {
    match predicate {
        PositionPredicate::SideToMove(side) => Some(format!("{} to move", side.0.fold_wb("White", "Black"))),
        PositionPredicate::PieceCounts(bounds) => {
            join_sides(|side| join_list("has", describe_piece_counts(&bounds.min, &bounds.max, side_of(side))))
        }
        PositionPredicate::PawnPattern(pattern) => describe_pawn_pattern(pattern),
        PositionPredicate::Rights(rights) => Some(describe_rights(rights.castling, rights.en_passant)),
        _ => None,
    }
}

fn describe_pawn_pattern(pattern: &PawnPattern) -> Option<String> {
    let sides = [pattern.white, pattern.black];
    join_sides(|side| describe_pawns(sides[side].mask & sides[side].value, sides[side].mask & !sides[side].value))
}

fn describe_rights(castling: Option<u64>, en_passant: Option<u8>) -> String {
    let castling = castling.map(|rooks| match rooks {
        0 => "no castling rights".to_owned(),
        rooks => format!("castling rights with exactly the rooks on {}", squares(rooks).join(" ")),
    });
    let en_passant = en_passant.map(|square| match square {
        NO_SQUARE.. => "no en passant capture is legal".to_owned(),
        square => format!("an en passant capture on {} is legal", squares(1 << square).join("")),
    });
    [castling, en_passant].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Whether a test asks for lines: its plies are found before the scan.
fn is_of_lines(predicate: &PositionPredicate) -> bool {
    matches!(predicate, PositionPredicate::Annotations(AnnotationTest::Lines(_)))
}

/// Describes what must change before the value of a predicate can change.
pub(super) fn describe_dependency(predicate: &PositionPredicate, sorted: &PlannedPredicate) -> String {
    match sorted.access_path {
        _ if is_of_lines(predicate) => return "the lines, and all positions of the game".to_owned(),
        AccessPath::Header => return "the header of the game".to_owned(),
        AccessPath::PlyNumber => return "the number of the ply".to_owned(),
        AccessPath::Tables => return "the position, and the one before the move".to_owned(),
        AccessPath::Checks => return "the move, and the lines to the king".to_owned(),
        AccessPath::GameEnds => return "the board before a null move, or at the end of the game".to_owned(),
        AccessPath::Annotations => return "what the text says of the ply and of those before it".to_owned(),
        _ if sorted.dependencies == ANY_CHANGE => return "anything on the board".to_owned(),
        _ => {}
    }
    let listed = |bit: fn(PieceCode) -> u32| {
        let has = |color: Color, role: Role| sorted.dependencies & bit(PieceCode::new(color, role)) != 0;
        let kinds = PLURAL_PIECE_NAMES.iter().zip(Role::ALL);
        let names = kinds.filter_map(|(name, role)| match (has(Color::White, role), has(Color::Black, role)) {
            (true, true) => Some((*name).to_owned()),
            (true, false) => Some(format!("White's {}", if role == Role::King { "king" } else { name })),
            (false, true) => Some(format!("Black's {}", if role == Role::King { "king" } else { name })),
            (false, false) => None,
        });
        let names: Vec<String> = names.collect();
        let all = names.len() == PLURAL_PIECE_NAMES.len()
            && names.iter().zip(PLURAL_PIECE_NAMES).all(|(name, all)| name == all);
        if all { "all pieces".to_owned() } else { names.join(", ") }
    };
    let (stand, number) = (listed(placement_change), listed(count_change));
    let castled = (sorted.dependencies & CASTLING_CHANGE != 0 && sorted.squares == 0 && stand.is_empty())
        .then(|| "the castling of both sides".to_owned());
    let stand = (!stand.is_empty() && sorted.access_path != AccessPath::MaterialEvents)
        .then(|| format!("the squares of {stand}"));
    let number = (!number.is_empty()).then(|| format!("the number of {number}"));
    let parts: Vec<String> = [stand, number, castled].into_iter().flatten().collect();
    if parts.is_empty() { "nothing that changes".to_owned() } else { parts.join("; ") }
}

/// Pieces in the order of `Role::ALL`.
const PLURAL_PIECE_NAMES: [&str; 6] = ["pawns", "knights", "bishops", "rooks", "queens", "kings"];

/// The variant of making a move that a replay uses to maintain `needs`, and what this variant maintains.
pub(super) fn make_policy(needs: ReplayNeeds) -> (&'static str, &'static str) {
    if needs.contains(ReplayNeeds::RIGHTS_AND_HASH) {
        ("whole", "pieces, piece counts, castling rights and en passant")
    } else if needs.contains(ReplayNeeds::PIECE_COUNTS) {
        ("tally", "pieces and piece counts")
    } else if needs == ReplayNeeds::PAWN_BITBOARDS {
        ("pawns", "pawns only")
    } else if needs.contains(ReplayNeeds::PAWN_BITBOARDS) {
        ("bits", "pieces, as a board and as bitboards")
    } else {
        ("mailbox", "pieces, as a board only")
    }
}

/// `White …; Black …`, without a side that has no text; `None` if neither side has any.
fn join_sides(said: impl Fn(usize) -> Option<String>) -> Option<String> {
    let sides = SIDES.into_iter().enumerate().filter_map(|(side, name)| Some(format!("{name} {}", said(side)?)));
    Some(sides.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
}

fn join_list(verb: &str, things: Vec<String>) -> Option<String> {
    (!things.is_empty()).then(|| format!("{verb} {}", things.join(", ")))
}

/// White for 0, Black for 1.
pub(super) fn side_of(index: usize) -> ColorCode {
    if index == 0 { ColorCode::WHITE } else { ColorCode::BLACK }
}

/// Describes how many pieces of each kind a side has, without kings and without kinds of any number.
fn describe_piece_counts(least: &ByPiece<u8>, most: &ByPiece<u8>, side: ColorCode) -> Vec<String> {
    let of_kind = |(role, name): (Role, &str)| {
        let (least, most) = (least[side.piece(role)], most[side.piece(role)]);
        let plural = |number: u8| if number == 1 { format!("1 {name}") } else { format!("{number} {name}s") };
        match (least, most) {
            (0, u8::MAX) => None,
            (_, 0) if least == 0 => Some(format!("no {name}")),
            (least, most) if least == most => Some(plural(least)),
            (least, u8::MAX) => Some(format!("{} or more", plural(least))),
            (0, most) => Some(format!("at most {}", plural(most))),
            (least, most) => Some(format!("at least {least} and at most {}", plural(most))),
        }
    };
    Role::ALL.into_iter().zip(PIECE_NAMES).filter_map(of_kind).collect()
}

/// Describes where a side must have pawns, and where it must have none; empty if nothing is known.
fn describe_pawns(on: u64, not_on: u64) -> Option<String> {
    let not_on = not_on & PAWN_SQUARES;
    if on & not_on == 0 && (on | not_on) & PAWN_SQUARES == PAWN_SQUARES {
        return Some(match on {
            0 => "has no pawn".to_owned(),
            on => format!("has pawns on {} and nowhere else", squares(on).join(" ")),
        });
    }
    let on = (on != 0).then(|| format!("pawns on {}", squares(on).join(" ")));
    let not_on = (not_on != 0).then(|| format!("no pawn on {}", region::describe(not_on)));
    join_list("has", [on, not_on].into_iter().flatten().collect())
}

/// The implied pieces of both sides; `None` if nothing is implied.
pub(super) fn describe_bounds(bounds: &MaterialBounds) -> Option<String> {
    let said = |side: usize| {
        let numbers = join_list("has", describe_piece_counts(&bounds.min_pieces, &bounds.max_pieces, side_of(side)));
        let said = [numbers, describe_pawns(bounds.required_pawns[side], !bounds.allowed_pawns[side])];
        let said: Vec<String> = said.into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(", "))
    };
    let most = (bounds.max_total < u8::MAX)
        .then(|| format!("at most {} pieces are left, kings included", u32::from(bounds.max_total) + 2));
    let parts: Vec<String> = [most, join_sides(said)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Describes where a predicate is tested. `alone` means that all predicates are tested on the board.
pub(super) fn describe_access_path(predicate: &PositionPredicate, sorted: &PlannedPredicate, alone: bool) -> String {
    match sorted.access_path {
        _ if is_of_lines(predicate) => "by a replay before the scan".to_owned(),
        AccessPath::TouchedSquares if sorted.squares == 0 => "from castling moves only".to_owned(),
        AccessPath::TouchedSquares => format!("from moves that touch {}", squares(sorted.squares).join(", ")),
        AccessPath::Replay if alone => "on the board".to_owned(),
        AccessPath::Replay => "on the board, at plies that the other predicates leave open".to_owned(),
        source => format!("from {}", source.description()),
    }
}
