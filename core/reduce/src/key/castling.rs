//! Which side has castled to which wing.

use alloc::format;

use plyfold_scan::game::ShardParts;

use super::feature::{KeyFeature, KeyValue, ValueFormat};

pub(super) const CASTLING: KeyFeature = KeyFeature {
    name: "castling",
    aliases: &["castled", "castling_configuration"],
    summary: "where each side has castled",
    value: KeyValue::Changes(ShardParts::MOVES, |found, at| {
        let mut castled = found.start_board.castled_wings;
        let mut mover = found.start_board.turn;
        at(castled.into(), 0);
        for (nth, &mv) in found.game.moves.iter().enumerate() {
            if mv.is_castling() {
                // The target of a castling move is the rook's square, which shows the wing.
                let wing = if mv.target() > mv.origin() { 1 } else { 2 };
                castled |= wing << (2 * mover.index());
                at(castled.into(), nth + 1);
            }
            mover = mover.opponent();
        }
    }),
    format: ValueFormat::Value(|value| {
        let wing = |bits: u64| match bits & 3 {
            1 => "O-O",
            2 => "O-O-O",
            _ => "none",
        };
        format!("{} / {}", wing(value), wing(value >> 2))
    }),
    is_ordered: false,
    condition: None,
};
