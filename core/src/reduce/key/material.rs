//! The men of both sides: `KRPPvKRP`.

use alloc::string::String;

use super::{Feature, Of, Show};
use crate::course::men::Walk;
use crate::scan::reducer::Found;

/// Pawns, knights, bishops, rooks, queens of White in five bits each from bit 0, Black's from bit 32.
const BITS: u32 = 5;

pub(super) fn packed(number: &[u8; 16]) -> u64 {
    let side = |base: usize| {
        (1..6).fold(0, |all, role| all | u64::from(number[base + role] & 31) << (BITS * (role as u32 - 1)))
    };
    side(0) | side(8) << 32
}

/// Numbers of a packed value: of White or of Black, pawns to queens.
pub(super) fn numbers(value: u64) -> [[u8; 5]; 2] {
    let number = |side: usize, role: u32| (value >> (32 * side as u32 + BITS * role) & 31) as u8;
    [0, 1].map(|side| core::array::from_fn(|role| number(side, role as u32)))
}

/// Says the numbers of men, by code, with the ply from which on they are so.
pub(super) fn walk(found: &Found<'_>, mut at: impl FnMut(&[u8; 16], usize)) {
    let mut men = Walk::on(found.start, found.course.men);
    at(&men.number(), 0);
    while men.next_ply() <= found.game.moves.len() {
        let ply = men.next_ply();
        men.step();
        at(&men.number(), ply);
    }
}

/// The numbers of men after a ply.
pub(super) fn after(found: &Found<'_>, ply: usize) -> [u8; 16] {
    let mut men = Walk::on(found.start, found.course.men);
    while men.next_ply() <= ply {
        men.step();
    }
    men.number()
}

pub(super) const MATERIAL: Feature = Feature {
    name: "material",
    aliases: &["men"],
    summary: "the men of both sides, White's first, as in `KRPPvKRP`",
    of: Of::Men(packed),
    show: Show::Value(|value| {
        let side = |men: [u8; 5]| {
            let mut text = String::from("K");
            for (letter, number) in "QRBNP".chars().zip(men.into_iter().rev()) {
                (0..number).for_each(|_| text.push(letter));
            }
            text
        };
        let [white, black] = numbers(value).map(side);
        white + "v" + &black
    }),
    is_ordered: false,
};
