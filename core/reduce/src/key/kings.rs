//! The squares of the kings.

use alloc::format;
use alloc::string::{String, ToString};

use plyfold_board::board::make::castling_targets;
use plyfold_scan::game::ShardParts;
use plyfold_scan::scan::reducer::ScanMatch;
use shakmaty::{Color, Role, Square};

use super::feature::{KeyCondition, KeyFeature, KeyValue, ValueFormat};

/// Reports the squares of the kings, White's in the lower 8 bits; 64 for none.
fn for_each_king_move(found_game: &ScanMatch<'_>, visit: &mut dyn FnMut([u8; 2], usize)) {
    let king = |colour: Color| found_game.start_board.king(colour).map_or(64, |square| square as u8);
    let mut kings = [king(Color::White), king(Color::Black)];
    visit(kings, 0);
    let mut mover = found_game.start_board.turn;
    for (move_index, &mv) in found_game.game.moves.iter().enumerate() {
        let to = if mv.is_castling() {
            Some(castling_targets(mv.origin(), mv.target()).0)
        } else {
            (mv.arrives_as(Role::King) && !mv.is_null()).then_some(mv.target())
        };
        if let Some(to) = to {
            kings[mover.index()] = to as u8;
            visit(kings, move_index + 1);
        }
        mover = mover.opponent();
    }
}

fn square_name(value: u64) -> String {
    Square::try_from((value & 255) as u32).map_or_else(|_| "none".into(), |square| square.to_string())
}

pub(super) const KINGS: KeyFeature = KeyFeature {
    name: "kings",
    aliases: &["king_squares"],
    summary: "the squares of both kings, White's first",
    value: KeyValue::Changes(ShardParts::MOVES, |found, at| {
        for_each_king_move(found, &mut |[white, black], ply| at(u64::from(white) | u64::from(black) << 8, ply))
    }),
    format: ValueFormat::Value(|value| format!("{} {}", square_name(value), square_name(value >> 8))),
    is_ordered: false,
    condition: Some(KeyCondition { before: "{ white king on ", between: " and black king on ", behind: " }" }),
};

pub(super) const WHITE_KING: KeyFeature = KeyFeature {
    name: "white_king",
    aliases: &[],
    summary: "the square of White's king",
    value: KeyValue::Changes(ShardParts::MOVES, |found, at| {
        for_each_king_move(found, &mut |[white, _], ply| at(white.into(), ply))
    }),
    format: ValueFormat::Value(square_name),
    is_ordered: false,
    condition: Some(KeyCondition::of("white king on ")),
};

pub(super) const BLACK_KING: KeyFeature = KeyFeature {
    name: "black_king",
    summary: "the square of Black's king",
    value: KeyValue::Changes(ShardParts::MOVES, |found, at| {
        for_each_king_move(found, &mut |[_, black], ply| at(black.into(), ply))
    }),
    condition: Some(KeyCondition::of("black king on ")),
    ..WHITE_KING
};
