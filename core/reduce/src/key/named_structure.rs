//! The pawn structures that have names: a family above the exact structures.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use plyfold_board::board::{Board, PieceCode};
use plyfold_scan::game::ShardParts;
use plyfold_scan::scan::measure::{BoardFeature, NAMED_STRUCTURES};
use shakmaty::Color;

use super::feature::{KeyFeature, KeyValue, ValueFormat};
use super::structure::for_each_structure;

/// The value has a bit for each structure of White's, and above them one for each of Black's.
pub(super) const NAMED_STRUCTURE: KeyFeature = KeyFeature {
    name: "named_structure",
    aliases: &["structure_name", "structure_family"],
    summary: "the pawn structures with a name, such as `white carlsbad`",
    value: KeyValue::Changes(ShardParts::PAWN_EVENTS, |found, at| {
        let mut board = Board::initial();
        for_each_structure(found, |pawns, ply| at(structures_of(&mut board, pawns), ply))
    }),
    format: ValueFormat::Value(names_of),
    is_ordered: false,
    condition: None,
};

/// The structures of these pawns. Only the bitboards of pawns of `board` are kept up to date, and only these are looked at.
fn structures_of(board: &mut Board, [white, black]: [u64; 2]) -> u64 {
    board.bitboards[PieceCode::WHITE_PAWN] = white;
    board.bitboards[PieceCode::BLACK_PAWN] = black;
    let all = sides().map(|(colour, structure)| structure.squares_on(board, colour) != 0);
    all.enumerate().fold(0, |found, (nth, holds)| found | u64::from(holds) << nth)
}

fn sides() -> impl Iterator<Item = (Color, &'static BoardFeature)> {
    Color::ALL.into_iter().flat_map(|colour| NAMED_STRUCTURES.iter().map(move |&structure| (colour, structure)))
}

fn names_of(found: u64) -> String {
    let named = |(colour, structure): (Color, &BoardFeature)| format!("{colour} {}", structure.name);
    let names: Vec<String> =
        sides().enumerate().filter(|(nth, _)| found >> nth & 1 != 0).map(|(_, side)| named(side)).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
