//! The kind of endgame, as in the query language. It is what each side has besides its king and any number of pawns, once there
//! are at most six queens, rooks, bishops and knights on the board.

use alloc::string::String;

use plyfold_board::board::{ByPiece, ColorCode, PieceCode};
use shakmaty::Role;

use super::feature::{KeyFeature, KeyValue, ValueFormat};
use super::material::{pack_counts, unpack_counts};

/// The value of a position with more pieces than an endgame has.
const NOT_AN_ENDGAME: u64 = u64::MAX;
/// The most queens, rooks, bishops and knights of both sides in an endgame.
const MAX_PIECES: u32 = 6;

pub(super) const ENDGAME: KeyFeature = KeyFeature {
    name: "endgame",
    aliases: &["endgame_type"],
    summary: "pieces besides kings and pawns, the stronger side first, as in `R+P v B`; P stands for any pawns",
    value: KeyValue::PieceCounts(endgame_kind),
    format: ValueFormat::Value(|value| {
        if value == NOT_AN_ENDGAME {
            return "none yet".into();
        }
        let [one, two] = unpack_counts(value).map(describe_side);
        one + " v " + &two
    }),
    is_ordered: false,
    condition: None,
};

fn endgame_kind(number: &ByPiece<u8>) -> u64 {
    // Invalid moves, which no import writes, can make any counts.
    let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    let pieces_of = |side: ColorCode| roles.iter().map(|&role| u32::from(number[side.piece(role)])).sum::<u32>();
    let pieces = pieces_of(ColorCode::WHITE) + pieces_of(ColorCode::BLACK);
    if pieces > MAX_PIECES {
        return NOT_AN_ENDGAME;
    }
    let mut number = *number;
    for pawns in [PieceCode::WHITE_PAWN, PieceCode::BLACK_PAWN] {
        number[pawns] = number[pawns].min(1);
    }
    let value = pack_counts(&number);
    // The same pieces with colours swapped are the same endgame: the side with the heavier pieces is named first.
    let swapped = value.rotate_left(32);
    if swapped as u32 > value as u32 { swapped } else { value }
}

fn describe_side(counts: [u8; 5]) -> String {
    let mut text = String::new();
    for (letter, number) in "QRBN".chars().zip(counts[1..].iter().rev()) {
        (0..*number).for_each(|_| text.push(letter));
    }
    match (text.is_empty(), counts[0] > 0) {
        (true, true) => "P".into(),
        (true, false) => "K".into(),
        (false, true) => text + "+P",
        (false, false) => text,
    }
}
