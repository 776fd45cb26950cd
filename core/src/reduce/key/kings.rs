//! The squares of the kings.

use alloc::format;
use alloc::string::{String, ToString};

use shakmaty::{Color, Role, Square};

use super::{Feature, Of, Show};
use crate::board::make::castled_squares;
use crate::scan::reducer::Found;

/// Says where the kings stand, White's in the lower 8 bits; 64 for none.
fn walk(found: &Found<'_>, at: &mut dyn FnMut([u8; 2], usize)) {
    let king = |colour: Color| found.start.king(colour).map_or(64, |square| square as u8);
    let mut kings = [king(Color::White), king(Color::Black)];
    at(kings, 0);
    let mut mover = usize::from(found.start.turn >> 3);
    for (nth, &mv) in found.game.moves.iter().enumerate() {
        let to = if mv.is_castling() {
            Some(castled_squares(mv.origin(), mv.target()).0)
        } else {
            (mv.role_code() == Role::King as u8 && !mv.is_null()).then_some(mv.target())
        };
        if let Some(to) = to {
            kings[mover] = to as u8;
            at(kings, nth + 1);
        }
        mover ^= 1;
    }
}

fn square(value: u64) -> String {
    Square::try_from((value & 255) as u32).map_or_else(|_| "none".into(), |square| square.to_string())
}

pub(super) const KINGS: Feature = Feature {
    name: "kings",
    aliases: &["king_squares"],
    summary: "the squares of both kings, White's first",
    of: Of::Changes(|found, at| {
        walk(found, &mut |[white, black], ply| at(u64::from(white) | u64::from(black) << 8, ply))
    }),
    show: Show::Value(|value| format!("{} {}", square(value), square(value >> 8))),
    is_ordered: false,
};

pub(super) const WHITE_KING: Feature = Feature {
    name: "white_king",
    aliases: &[],
    summary: "the square of White's king",
    of: Of::Changes(|found, at| walk(found, &mut |[white, _], ply| at(white.into(), ply))),
    show: Show::Value(square),
    is_ordered: false,
};

pub(super) const BLACK_KING: Feature = Feature {
    name: "black_king",
    aliases: &[],
    summary: "the square of Black's king",
    of: Of::Changes(|found, at| walk(found, &mut |[_, black], ply| at(black.into(), ply))),
    show: Show::Value(square),
    is_ordered: false,
};
