//! Tests of what a scan concludes from queries, which are written as text.

use alloc::vec::Vec;

use plyfold_board::board::{Board, PieceCode};
use plyfold_scan::scan::plan::implied_bounds::{MaterialBounds, implied_alternatives, implied_bounds};

use super::compile;

const D5: u64 = 1 << 35;
const E5: u64 = 1 << 36;

fn alternatives(text: &str) -> Vec<MaterialBounds> {
    let query = compile(text).expect("a query");
    implied_alternatives(&query.conditions[0].formula, &query.predicates)
}

fn required(text: &str) -> Vec<u64> {
    let mut required: Vec<u64> = alternatives(text).iter().map(|one| one.required_pawns[0]).collect();
    required.sort_unstable();
    required
}

#[test]
fn what_nothing_fulfils_is_no_alternative() {
    assert_eq!(required("{ white pawn on e5 or white pawn on d5 }"), [D5, E5]);
    assert_eq!(required("{ (white pawn on e5 and no white pawn on e5) or white pawn on d5 }"), [D5]);
    assert_eq!(required("{ (white pawn on e5 and empty e5) or white pawn on d5 }"), [D5]);
    assert_eq!(required("{ white pawn on d5 and (white pawn on e5 or count(white queen) >= 2) }"), [D5, D5 | E5]);
    let queens = "(count(white queen) >= 2 and count(white queen) < 2)";
    assert_eq!(required(&alloc::format!("{{ {queens} or white pawn on d5 }}")), [D5]);
    // An alternative that a weaker one covers is removed.
    assert_eq!(required("{ white pawn on d5 or (white pawn on d5 and white pawn on e5) }"), [D5]);
    assert_eq!(required("{ (white pawn on d5 and white pawn on e5) or white pawn on d5 }"), [D5]);
}

#[test]
fn a_piece_stands_where_it_has_arrived() {
    assert_eq!(required("white plays pawn to e5"), [E5]);
    assert_eq!(required("{ white pawn captures on d5 or white plays pawn from d4 to e5 }"), [D5, E5]);
    assert_eq!(required("white plays pawn to e8"), [0]);
    for (text, piece, least) in [
        ("white plays knight", PieceCode::WHITE_KNIGHT, 1),
        ("black promotes to rook", PieceCode::BLACK_ROOK, 1),
        ("white plays pawn to e5", PieceCode::WHITE_PAWN, 1),
        ("white plays pawn", PieceCode::WHITE_PAWN, 0),
        ("white captures queen", PieceCode::BLACK_QUEEN, 0),
        ("{ not white plays knight }", PieceCode::WHITE_KNIGHT, 0),
    ] {
        let query = compile(text).expect("a query");
        let bounds = implied_bounds(&query.conditions[0].formula, &query.predicates);
        assert_eq!(bounds.min_pieces[piece], least, "{text}");
    }
}

#[test]
fn start_positions_match_surely_or_perhaps_or_never() {
    for (text, expected) in [
        ("", (true, true)),
        ("white pawn on e2", (true, true)),
        ("white pawn on e4", (false, false)),
        ("result 1-0", (false, true)),
        ("not result 1-0", (false, true)),
        ("{ result 1-0 and white pawn on e2 }", (false, true)),
        ("{ result 1-0 and white pawn on e4 }", (false, false)),
        ("{ result 1-0 or white pawn on e2 }", (true, true)),
        ("{ result 1-0 or white pawn on e4 }", (false, true)),
        ("white pawn on e4 or white pawn on e2", (true, true)),
        ("white pawn on e4 and white pawn on e2", (false, false)),
        // No ply has been played.
        ("{ ply < 5 and white pawn on e2 }", (false, false)),
    ] {
        let query = compile(text).expect("a query");
        assert_eq!(query.start_match_bounds(&Board::initial()), expected, "{text}");
    }
}
